"""Means of the models with their intervals, and which of them may be the best."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._cli._paired import LEVEL, compare_all
from sklearn_rank._cli.tune._contenders import TUNED
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.statistics import confidence_interval


@dataclass(frozen=True)
class Mean:
    """The mean of the tuned metric over the users, and whether chance may explain it."""

    mean: float
    standard_error: float | None  # of one user there is none
    low: float | None
    high: float | None
    is_best: bool
    may_be_best: bool  # no difference to the best that chance would not explain


def means_of(
    metric: str, values: Mapping[str, PerQueryScores], sign: int, chosen: str | None
) -> dict[str, Mean]:
    """Return the mean of each model; all pairs are tested, for the best is not known.

    A model may be the best unless its difference to the best is significant after Holm's
    correction for all pairs.
    """
    means = {name: float(of.mean()[metric]) for name, of in values.items()}
    distinct = {name: of for name, of in values.items() if name != chosen}
    best = max(distinct, key=lambda name: sign * means[name])
    has_intervals = all(np.isfinite(of.scores[metric]).sum() > 1 for of in values.values())
    unlike = _unlike(best, distinct) if has_intervals and len(distinct) > 1 else set()
    found = {}
    for name, mean in means.items():
        error = low = high = None
        if has_intervals:
            interval = _interval(values[name], metric)
            error, low, high = interval.standard_error, interval.low, interval.high
        # The baseline that was chosen is the tuned model under another name.
        key = TUNED if name == chosen else name
        found[name] = Mean(mean, error, low, high, key == best, key not in unlike)
    return found


def _unlike(best: str, values: Mapping[str, PerQueryScores]) -> set[str]:
    """Return the models whose difference to the best is not explained by chance."""
    return {
        name
        for row in compare_all(values).rows()
        for name, other in ((row.model, row.baseline), (row.baseline, row.model))
        if other == best and row.p_adjusted <= 1 - LEVEL
    }


def _interval(values: PerQueryScores, metric: str) -> Any:
    with warnings.catch_warnings():
        # Of values that are all the same, as the table shows.
        warnings.simplefilter("ignore", UserWarning)
        return confidence_interval(values, confidence_level=LEVEL)[metric]
