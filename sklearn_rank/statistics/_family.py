"""p-values and intervals of all comparisons of a family."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sklearn_rank.statistics._metric_comparison import (
    WIDENED,
    MetricComparison,
    Pairs,
)
from sklearn_rank.statistics._options import Options, set_adjusted, set_corrected
from sklearn_rank.statistics._sums import MetricSums
from sklearn_rank.statistics._widened_interval import keep_sign


def correct(
    rows: list[list[dict]],
    found: Sequence[MetricComparison | MetricSums],
    pairs: Pairs,
    options: Options,
) -> None:
    """Set the corrected p-values."""
    if options.correction == "max_t":
        if options.family == "all" and len(found) > 1:
            raise ValueError(
                "`correction` 'max_t' is within a metric; with family='all' use 'holm'."
            )
        for metric, of_metric in zip(found, rows, strict=True):
            assert isinstance(metric, MetricComparison)
            p_adjusted, *ends = metric.flips(pairs).max_t(
                options.random_state, options.confidence_level
            )
            set_adjusted(of_metric, p_adjusted)
            if options.intervals == "simultaneous":
                for row, (low, high) in zip(of_metric, np.transpose(ends), strict=True):
                    wider = min(low, row["low"]), max(high, row["high"])
                    if row["interval"] == "exact":  # few differ; t ignores that
                        low, high = wider
                    elif row["interval"] == WIDENED:
                        low, high = keep_sign(wider, (low, high))
                    metric.set_interval(row, (low, high), "max_t")
    else:
        is_one = options.family == "all"
        families = [[row for part in rows for row in part]] if is_one else rows
        for family in families:
            set_corrected(family, options.correction)
    in_family = sum(map(len, rows)) if options.family == "all" else len(pairs)
    for metric in found:
        metric.warn_of_few_flips(in_family)
