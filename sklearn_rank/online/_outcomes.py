"""What an experiment is judged by: primary outcomes, and guardrails with their margins."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._validation import check_option, check_real, shorten, suggest, times_named
from sklearn_rank.metrics._core._clusters import is_constant
from sklearn_rank.online._log_columns import column_of, columns_of
from sklearn_rank.online._units import Units

PRIMARY, GUARDRAIL = "primary", "guardrail"
# The outcome of values that were given without a name.
UNNAMED = "outcome"
OF_A_GUARDRAIL = ("margin", "relative", "lower_is_better", "denominator", "cap")


@dataclass(frozen=True, eq=False)
class Measure:
    """An outcome of rows of a log, and what is asked of it."""

    name: str
    outcome: Any
    denominator: Any = None
    cap: Any = None
    lower_is_better: bool = False
    margin: float | None = None  # of a guardrail
    relative: bool = False

    @property
    def role(self) -> str:
        """Whether the experiment is for it, or may not harm it."""
        return PRIMARY if self.margin is None else GUARDRAIL

    @property
    def sign(self) -> int:
        """1 where higher is better, else -1."""
        return -1 if self.lower_is_better else 1

    def of_units(self, units: Units) -> tuple[np.ndarray, np.ndarray | None, int]:
        """Return the outcome and the denominator of units, and how many were capped."""
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
    data: Any,
    outcome: Any,
    denominator: Any,
    cap: Any,
    lower_is_better: Any,
    guardrails: Any,
) -> list[Measure]:
    """Return the primary outcomes, then the guardrails."""
    if data is None:
        if isinstance(outcome, str):
            raise ValueError(
                f"`outcome` is a name, {outcome!r}; pass the log that has this column as "
                "`data`, or the values."
            )
        if guardrails is not None:
            raise ValueError(
                "`guardrails` are names of columns; pass the log as `data`, a frame or a "
                "dict from name to values."
            )
        outcomes = {UNNAMED: outcome}
    else:
        outcomes = columns_of(data, "outcome", outcome)
    lower = _lower(lower_is_better, list(outcomes))
    measures = [
        Measure(
            name,
            values,
            column_of(data, "denominator", _own(denominator, name, outcomes)),
            _own(cap, name, outcomes),
            name in lower,
        )
        for name, values in outcomes.items()
    ]
    for name, asked in _checked_guardrails(guardrails).items():
        values = column_of(data, "guardrails", name)
        measures.append(_guardrail(str(name), values, asked, data))
    names = [measure.name for measure in measures]
    if len(set(names)) < len(names):
        raise ValueError(f"Each outcome is primary or a guardrail, once; got {names}.")
    return measures


def _own(given: Any, name: str, outcomes: Mapping[str, Any]) -> Any:
    """Return what is given for one of the outcomes: by name, or for all."""
    if isinstance(given, Mapping) and given and set(given) <= set(outcomes):
        return given.get(name)
    return given


def _lower(given: Any, names: list[str]) -> list[str]:
    if isinstance(given, bool | np.bool_):
        return names if given else []
    wanted = given if isinstance(given, list | tuple | set) else [given]
    for name in wanted:
        if not times_named(name, names):
            raise ValueError(
                f"`lower_is_better` must be True, False or outcomes, got {shorten(name)}. "
                f"{suggest(name, names)}"
            )
    return list(wanted)


def _checked_guardrails(guardrails: Any) -> Mapping:
    found = {} if guardrails is None else guardrails
    if not isinstance(found, Mapping) or not all(
        isinstance(asked, Mapping) for asked in found.values()
    ):
        raise TypeError(
            '`guardrails` must be a dict such as {"latency": {"margin": 0.02, '
            f'"relative": True, "lower_is_better": True}}}}, got {shorten(guardrails)}.'
        )
    return found


def _guardrail(name: str, values: Any, asked: Mapping[str, Any], data: Any) -> Measure:
    title = f"guardrails[{name!r}]"
    for key in asked:
        if key not in OF_A_GUARDRAIL:
            raise ValueError(f"`{title}` has {key!r}. {suggest(key, OF_A_GUARDRAIL)}")
    if "margin" not in asked:
        raise ValueError(
            f"`{title}` has no 'margin', the loss that would still be accepted."
        )
    relative, lower = asked.get("relative", False), asked.get("lower_is_better", False)
    check_option(f"{title}['relative']", relative, (True, False))
    check_option(f"{title}['lower_is_better']", lower, (True, False))
    needed = "a finite number >= 0"
    most = np.inf
    if relative:
        needed, most = "a share >= 0, below 1, such as 0.02 for two percent", 1.0
    margin = check_real(
        f"{title}['margin']", asked["margin"], needed, above=-1e-300, below=most
    )
    below = column_of(data, f"{title}['denominator']", asked.get("denominator"))
    return Measure(name, values, below, asked.get("cap"), lower, margin, relative)
