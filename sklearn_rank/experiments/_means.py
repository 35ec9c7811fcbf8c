"""Means of models with their intervals, and which of them may be the best."""

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._base._messages import silence
from sklearn_rank._base._validation import import_pandas
from sklearn_rank.experiments._fold_scores import Judged
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._per_query import replace_scores
from sklearn_rank.metrics._core._report import compare_segments
from sklearn_rank.statistics import ModelComparison, compare_models, confidence_interval


@dataclass(frozen=True)
class MeanEstimate:
    """The mean of a metric over users or queries, and whether chance may explain it."""

    mean: float
    standard_error: float | None  # None for a single user or a metric of all together
    low: float | None
    high: float | None
    is_best: bool
    may_be_best: bool  # chance may explain the difference to the best


def estimate_means(
    metric: str,
    judged: Mapping[str, Judged],
    comparison: ModelComparison | None,
    *,
    lower_is_better: bool,
    level: float,
) -> dict[str, MeanEstimate]:
    """Return the mean of each model; all pairs are tested, as the best one is unknown.

    A model may be the best unless its difference to the best is significant after the
    correction for all pairs.
    """
    sign = -1 if lower_is_better else 1
    means = {name: model.means[metric] for name, model in judged.items()}
    best = max(means, key=lambda name: np.nan_to_num(sign * means[name], nan=-np.inf))
    has_intervals = can_have_intervals(metric, judged)
    unlike: Collection[str] = ()
    if has_intervals and comparison is not None:
        unlike = _find_different_models(best, metric, comparison, level)
    rows = {}
    for name, mean in means.items():
        error = low = high = None
        if has_intervals:
            interval = _interval(judged[name].values, metric, level)
            error, low, high = interval.standard_error, interval.low, interval.high
        rows[name] = MeanEstimate(mean, error, low, high, name == best, name not in unlike)
    return rows


def can_have_intervals(metric: str, judged: Mapping[str, Judged]) -> bool:
    """Return whether each model has values of two users or queries."""
    return all(
        metric in row.values.scores and np.isfinite(row.values.scores[metric]).sum() > 1
        for row in judged.values()
    )


def compare_all(values: Mapping[str, PerQueryScores], **options: Any) -> ModelComparison:
    """Compare models in pairs, without the warnings: the tables show the uncertainty."""
    with silence(UserWarning):  # of few queries, and of models that are the same
        return compare_models(values, **options)


def _find_different_models(
    best: str, metric: str, comparison: ModelComparison, level: float
) -> Collection[str]:
    """Return the models whose difference to the best is not explained by chance."""
    return {
        name
        for row in comparison.rows()
        for name, rival in ((row.model, row.baseline), (row.baseline, row.model))
        if row.metric == metric and rival == best and row.p_adjusted <= 1 - level
    }


def keep_metric(values: PerQueryScores, metric: str) -> PerQueryScores:
    """Return the values of one metric; others may have too few for an interval."""
    return replace_scores(values, {metric: values.scores[metric]})


def _interval(values: PerQueryScores, metric: str, level: float) -> Any:
    # confidence_interval warns if all values are equal; the table shows that anyway.
    with silence(UserWarning):
        alone = keep_metric(values, metric)
        return confidence_interval(alone, confidence_level=level)[metric]


def segment_frame(
    values: Mapping[str, PerQueryScores], metric: str, segment_of: Mapping[Hashable, Any]
) -> Any:
    """Return one row per model, the best first: all, each segment, their difference."""
    pd = import_pandas("segments")
    parts = {}
    for name, of_model in values.items():
        if metric not in of_model.scores:
            raise ValueError(
                f"{metric!r} has one value for all users, and none by segment; name "
                "another metric first."
            )
        segments = compare_segments(of_model, segment_of, None, None)[metric]
        parts[name] = of_model.mean()[metric], segments
    best = next(iter(parts.values()))[1]
    rows: dict[str, dict[str, Any]] = {}
    for name, (mean, segments) in parts.items():
        means = {label: row.mean for label, row in segments.rows.items()}
        rows[name] = {"all": mean, **means}
        if best.difference is not None:
            high, low = best.difference.highest, best.difference.lowest
            high_row, low_row = segments.rows[high], segments.rows[low]
            error = np.hypot(high_row.standard_error, low_row.standard_error)
            gap = f"{means[high] - means[low]:.4f} (SE {error:.4f})"
            rows[name][f"{high} - {low}"] = gap
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(columns=metric)
