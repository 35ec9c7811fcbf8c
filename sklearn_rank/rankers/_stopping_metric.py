"""The mean of a metric over queries, and how long to wait for a better value of it."""

from typing import Any

import numpy as np

from sklearn_rank._validation import shorten
from sklearn_rank.metrics import ranking_scores
from sklearn_rank.metrics._names._bind import bind


class MeanOfMetric:
    """The mean of one metric over queries, which must be defined for some of them."""

    def __init__(self, metric: Any, *, parameter: str):
        wanted = bind(metric)
        if len(wanted) != 1:
            raise ValueError(
                f"`{parameter}` must be one metric, such as 'map@10', got "
                f"{shorten(metric)}."
            )
        self.metric = metric
        self.parameter = parameter
        self.name = wanted[0].name
        self.greater_is_better = not wanted[0].lower_is_better

    def mean(
        self, y: Any, scores: Any, query: np.ndarray, weight: np.ndarray | None = None
    ) -> float:
        """Return the mean over the queries for which the metric is defined."""
        (value,) = ranking_scores(
            y,
            scores,
            groups=query,
            metrics=self.metric,
            sample_weight=weight,
            replace_undefined_by=np.nan,
        ).values()
        if np.isnan(value):
            raise ValueError(
                f"`{self.parameter}` {self.name!r} is undefined for all "
                f"{len(np.unique(query))} queries that it is computed for: probably no row "
                "of them is relevant. Check their grades, or choose other queries or "
                "another metric."
            )
        return value


class Patience:
    """The values of a metric so far, the best of them, and whether to go on."""

    def __init__(self, rounds: int, *, greater_is_better: bool):
        self.rounds = rounds
        self.values: list[float] = []
        self.best = 0
        self._sign = 1 if greater_is_better else -1

    def is_over(self, value: float) -> bool:
        """Note the next value; return whether the best one is too many rounds old."""
        self.values.append(value)
        if self._sign * value > self._sign * self.values[self.best]:
            self.best = len(self.values) - 1
        return len(self.values) - 1 - self.best >= self.rounds
