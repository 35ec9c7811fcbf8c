"""Primary outcomes of an experiment, and guardrails with their margins."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from sklearn_rank._validation import (
    check_given,
    check_option,
    check_real,
    is_nested,
    shorten,
)
from sklearn_rank.metrics._core._clusters import is_constant
from sklearn_rank.online._log_columns import column_of, names_in
from sklearn_rank.online._units import Units

PRIMARY, GUARDRAIL = "primary", "guardrail"
# The name of an outcome without a name.
UNNAMED = "outcome"
OF_OUTCOMES = {
    "outcome": ("denominator", "cap", "lower_is_better"),
    "guardrails": ("margin", "relative", "denominator", "cap", "lower_is_better"),
}


@dataclass(frozen=True, eq=False)
class Measure:
    """An outcome of the rows of a log, with its options."""

    name: str
    outcome: Any
    denominator: Any = None
    cap: Any = None
    lower_is_better: bool = False
    margin: float | None = None  # of a guardrail
    relative: bool = False

    @property
    def role(self) -> str:
        """Role of the outcome, primary or guardrail."""
        return PRIMARY if self.margin is None else GUARDRAIL

    @property
    def sign(self) -> int:
        """1 if higher is better, else -1."""
        return -1 if self.lower_is_better else 1

    def of_units(self, units: Units) -> tuple[np.ndarray, np.ndarray | None, int]:
        """Return the outcome and denominator of units, and the number of capped units."""
        sums = units.outcome(self.name, self.outcome)
        below = None
        if self.denominator is not None:
            below = units.denominator("denominator", self.denominator)
        if self.cap is None:
            return sums, below, 0
        if below is not None:
            raise ValueError(
                f"`cap` goes with means of units, and {self.name!r} has a denominator; "
                "leave one of the two out."
            )
        limit = _limit(self.cap, sums)
        capped = np.minimum(sums, limit)
        if is_constant(capped) and not is_constant(sums):
            raise ValueError(
                f"`cap={shorten(self.cap)}` makes all of {self.name!r} {limit:g}; give a "
                "higher one."
            )
        return capped, None, int(np.count_nonzero(sums > limit))


def _limit(cap: Any, sums: np.ndarray) -> float:
    """Return the highest sum of a unit that counts in full."""
    if not isinstance(cap, Mapping):
        return check_real("cap", cap, 'a finite number, or {"quantile": 0.99}')
    if list(cap) != ["quantile"]:
        raise ValueError(
            f'`cap` must be a number or {{"quantile": 0.99}}, got {shorten(cap)}.'
        )
    needed = "a number above 0, below 1"
    share = check_real("cap['quantile']", cap["quantile"], needed, above=0, below=1)
    return float(np.quantile(sums, share))


def read_measures(
    data: Any, outcome: Any, guardrails: Any, shared: dict[str, Any]
) -> list[Measure]:
    """Return the primary outcomes, with the shared options, then the guardrails."""
    if data is None:
        if isinstance(outcome, str | Mapping):
            raise ValueError(
                f"`outcome` is a name, {shorten(outcome)}; pass the log that has this "
                "column as `data`, or the values."
            )
        if guardrails is not None:
            raise ValueError(
                "`guardrails` are names of columns; pass the log as `data`, a frame or a "
                "dict from name to values."
            )
        return [_measure(None, UNNAMED, outcome, shared)]
    names = names_in("outcome", outcome)
    if not isinstance(outcome, Mapping):
        outcome = dict.fromkeys(names, MappingProxyType({}))
    guardrails = {} if guardrails is None else guardrails
    asked_of = {
        "outcome": {name: shared | asked for name, asked in _asked("outcome", outcome)},
        "guardrails": dict(_asked("guardrails", guardrails)),
    }
    measures = [
        _measure(data, str(name), column_of(data, argument, name), asked)
        for argument, of_argument in asked_of.items()
        for name, asked in of_argument.items()
    ]
    names = [measure.name for measure in measures]
    if len(set(names)) < len(names):
        raise ValueError(f"Each outcome is primary or a guardrail, once; got {names}.")
    return measures


def _asked(argument: str, given: Any) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield the names and options of outcomes."""
    options = OF_OUTCOMES[argument]
    needed = f'a dict such as {{"clicks": {{"{options[0]}": ...}}}}'
    check_given(argument, given, is_nested(given), needed)
    for name, asked in given.items():
        for key in asked:
            check_option(f"{argument}[{name!r}]", key, options)
        if "margin" in options and "margin" not in asked:
            raise ValueError(
                f"`{argument}[{name!r}]` has no 'margin', the largest accepted loss."
            )
        yield name, dict(asked)


def _measure(data: Any, name: str, values: Any, asked: dict[str, Any]) -> Measure:
    below = column_of(data, "denominator", asked.get("denominator"))
    for key in ("relative", "lower_is_better"):
        check_option(key, asked.get(key, False), (True, False))
    if "margin" in asked:
        needed, most = "a finite number >= 0", np.inf
        if asked.get("relative"):
            needed, most = "a share >= 0, below 1, such as 0.02 for two percent", 1.0
        title = f"guardrails[{name!r}]['margin']"
        check_real(title, asked["margin"], needed, least=0, below=most)
    return Measure(name, values, **asked | {"denominator": below})
