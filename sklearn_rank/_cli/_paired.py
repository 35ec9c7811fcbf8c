"""Two models compared on the same lists, one list at a time."""

import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.statistics import ModelComparison, compare_models

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


def as_dicts(against: Mapping[str, PairedDifference]) -> dict[str, dict[str, Any]]:
    """Return what is known of each difference."""
    return {model: asdict(paired) for model, paired in against.items()}


def compare_with_tuned(
    values: Mapping[str, PerQueryScores],
) -> dict[str, PairedDifference]:
    """Return how the model "tuned" does, compared with each of the others.

    Of each model there are the values of one metric.
    """
    return {
        model: _compare_lists(values["tuned"], other)
        for model, other in values.items()
        if model != "tuned"
    }


def compare_all(values: Mapping[Any, PerQueryScores]) -> ModelComparison:
    """Return all pairs of models; p-values are corrected for their number."""
    with warnings.catch_warnings():
        # Of few lists, and of models that are the same: the command says it in its words.
        warnings.simplefilter("ignore", UserWarning)
        return compare_models(values, confidence_level=LEVEL)


def _compare_lists(one: PerQueryScores, other: PerQueryScores) -> PairedDifference:
    (metric,) = one.scores
    apart = one.difference(other).scores[metric]
    apart = apart[~np.isnan(apart)]
    sign = -1 if metric in one.lower_is_better else 1
    if len(apart) < 2:
        better, worse = int((sign * apart > 0).sum()), int((sign * apart < 0).sum())
        mean = sign * float(apart.mean()) if len(apart) else np.nan
        counts = better, worse, len(apart) - better - worse
        return PairedDifference(metric, *counts, mean, np.nan, None, None, None, True)
    (row,) = compare_all({"other": other, "one": one}).rows()
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
