"""Two models compared on the same lists, one list at a time."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._per_query import with_scores
from sklearn_rank.statistics import compare_models

LEVEL = 0.95


@dataclass(frozen=True)
class PairedDifference:
    """For how many lists one model is better than another, and by how much."""

    metric: str
    better: int
    worse: int
    equal: int
    difference: float  # mean over lists, above 0 where the model is better
    standard_error: float
    low: float | None  # of one list there is no interval
    high: float | None
    p_value: float | None
    may_be_chance: bool


def compare_with_tuned(
    values: Mapping[str, PerQueryScores], metric: str
) -> dict[str, PairedDifference]:
    """Return how the model "tuned" does by a metric, compared with each of the others."""
    return {
        model: _compare_lists(values["tuned"], other, metric)
        for model, other in values.items()
        if model != "tuned"
    }


def _compare_lists(
    one: PerQueryScores, other: PerQueryScores, metric: str
) -> PairedDifference:
    one, other = (with_scores(of, {metric: of.scores[metric]}) for of in (one, other))
    apart = one.difference(other).scores[metric]
    apart = apart[~np.isnan(apart)]
    sign = -1 if metric in one.lower_is_better else 1
    if len(apart) < 2:
        better, worse = int((sign * apart > 0).sum()), int((sign * apart < 0).sum())
        mean = sign * float(apart.mean()) if len(apart) else np.nan
        counts = better, worse, len(apart) - better - worse
        return PairedDifference(metric, *counts, mean, np.nan, None, None, None, True)
    with warnings.catch_warnings():
        # Of few lists, and of models that are the same: the command says it in its words.
        warnings.simplefilter("ignore", UserWarning)
        compared = compare_models({"other": other, "one": one}, confidence_level=LEVEL)
    (row,) = compared.rows()
    low, high = sorted((sign * row.low, sign * row.high))
    return PairedDifference(
        metric=metric,
        better=row.better,
        worse=row.worse,
        equal=row.equal,
        difference=sign * row.difference,
        standard_error=row.standard_error,
        low=low,
        high=high,
        p_value=row.p_value,
        may_be_chance=row.verdict == "undecided",
    )
