"""Two models compared on the same lists, one list at a time."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sklearn_rank._cli._metric import NamedMetric, Rows, values_of_lists
from sklearn_rank.statistics._t import t_interval, t_p_value, t_statistic
from sklearn_rank.statistics._verdict import verdict_of

LEVEL = 0.95


@dataclass(frozen=True)
class PairedDifference:
    """For how many lists one model is better than another, and by how much."""

    metric: str
    better: int
    worse: int
    equal: int
    difference: float  # mean over lists
    standard_error: float

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return the interval of the difference as compare_models has it, if it has one."""
        n = self.better + self.worse + self.equal
        if n < 2:
            return None
        return t_interval(self.difference, self.standard_error, n - 1, LEVEL)

    @property
    def p_value(self) -> float | None:
        """Return the p-value of the paired t test as compare_models has it, if any."""
        if self.interval is None:
            return None
        if self.difference == self.standard_error == 0:
            return 1.0
        df = self.better + self.worse + self.equal - 1
        return t_p_value(t_statistic(self.difference, self.standard_error), df, "two-sided")

    def as_dict(self) -> dict[str, Any]:
        """Return all that is known, what follows from the rest too."""
        low, high = self.interval or (None, None)
        return {**asdict(self), "low": low, "high": high, "p_value": self.p_value}

    @property
    def may_be_chance(self) -> bool:
        """Return whether chance alone may explain that one model is better."""
        if self.interval is None:
            return True
        low, high = self.interval
        return verdict_of(low, high, None, lower_is_better=False) == "undecided"


def as_dicts(against: Mapping[str, PairedDifference]) -> dict[str, dict[str, Any]]:
    """Return what is known of each difference."""
    return {model: paired.as_dict() for model, paired in against.items()}


def compare_with_tuned(
    metric: NamedMetric, rows: Mapping[str, Rows]
) -> dict[str, PairedDifference]:
    """Return how the tuned model does, compared with each of the others."""
    return {
        model: _compare_lists(metric, rows["tuned"], of)
        for model, of in rows.items()
        if model != "tuned"
    }


def _compare_lists(metric: NamedMetric, one: Rows, other: Rows) -> PairedDifference:
    """Return how one model does, compared with the other."""
    found = values_of_lists(metric, one).difference(values_of_lists(metric, other))
    sign = -1 if metric.lower_is_better else 1
    difference = sign * found.scores[metric.name]
    return PairedDifference(
        metric=metric.name,
        better=int(np.count_nonzero(difference > 0)),
        worse=int(np.count_nonzero(difference < 0)),
        equal=int(np.count_nonzero(difference == 0)),
        difference=sign * found.mean()[metric.name],
        standard_error=found.standard_error()[metric.name],
    )
