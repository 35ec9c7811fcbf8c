"""Valid values of metric parameters, declared by the types of kernel parameters.

One check serves functions, names, scorers and conventions. A word is declared as
``Literal["linear"]``, a number as `Cutoff` or ``Annotated[float, Real(...)]``, and a
function that may stand for a word as ``Annotated[..., Tried(...)]``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from sklearn_rank._base._validation import Check, FunctionTrial, Integer, Real, Words

_POSITIVE = Real("a positive number or None", above=0, or_none=True)

# Squares of numbers up to 1e100 are floats.
MOST_TO_SQUARE = 1e100

Cutoff = Annotated[int | None, Integer(none="the whole list")]
MinRelevance = Annotated[float | None, _POSITIVE]
Share = Annotated[float, Real("a number between 0 and 1", above=0, below=1)]
ZeroToOne = Annotated[float, Real("a number from 0 to 1", least=0, most=1)]
# None is computed from the whole input before any kernel sees it.
MaxGrade = Annotated[float, _POSITIVE]
# Of lists, whatever is relevant in them: no order of tied rows is better.
ShownTies = Literal["average", "first"]
Beta = Annotated[float, Real("a positive number up to 1e100", above=0, most=MOST_TO_SQUARE)]


@cache
def find_checks(kernel: Callable) -> Mapping[str, Check]:
    """Return the check of each parameter of a kernel that declares one."""
    hints = get_type_hints(kernel, include_extras=True)
    checks = {name: _find_check(hint) for name, hint in hints.items() if name != "return"}
    return {name: check for name, check in checks.items() if check is not None}


def _find_check(hint: Any) -> Check | None:
    plain, *extras = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    for extra in extras:
        if hasattr(extra, "check"):
            return extra
    if plain is bool:
        return Words((True, False))
    parts = [plain, *get_args(plain)]
    words = [w for part in parts if get_origin(part) is Literal for w in get_args(part)]
    trials = [extra.trial for extra in extras if isinstance(extra, FunctionTrial)]
    return Words(tuple(words), *trials) if words else None


# Ranges of metrics.


@dataclass(frozen=True)
class Range:
    """The lowest and the highest value, what the highest one depends on, and the unit."""

    low: float = 0.0
    high: float = 1.0
    high_is: str = ""
    unit: str = ""

    def __str__(self) -> str:
        """Return the range in words."""
        if self.high_is and self.low == -np.inf:
            return self.high_is
        if self.high_is:
            return f"{self.low:g} to {self.high_is}"
        high = f"to {self.high:g}" if np.isfinite(self.high) else "or more"
        return f"{self.low:g} {high}"

    @property
    def is_bounded(self) -> bool:
        """Whether the difference of two values has a bound."""
        return bool(np.isfinite(self.high - self.low))

    def including(self, value: float) -> "Range":
        """Return the range including a value that replaces undefined ones."""
        return Range(min(self.low, value), max(self.high, value))

    def of_differences(self) -> "Range":
        """Return the range of the difference of two values."""
        width = self.high - self.low
        return Range(-width, width)

    def clip(self, interval: Any) -> tuple[Any, Any]:
        """Return the ends of an interval within the range; NaN stays."""
        low, high = interval
        return np.clip(low, self.low, self.high), np.clip(high, self.low, self.high)


# The range of most metrics.
ZERO_TO_ONE = Range()
# The range of unknown values.
UNBOUNDED = Range(-np.inf, np.inf)
ZERO_OR_MORE = Range(0.0, np.inf)


def up_to(what: str) -> Range:
    """Return the range from 0 to what depends on the data."""
    return Range(0.0, np.inf, what)


# A range, or how it follows from parameters of the metric, which are named as there.
DeclaredRange = Range | Callable[..., Range]
