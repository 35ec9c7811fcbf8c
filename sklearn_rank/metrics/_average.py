"""The one place where values per query become a mean, and NaN gets its meaning."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank._ranked_lists import RankedLists, rank_lists
from sklearn_rank._validation import check_parameters, check_real_or_nan

__all__ = ["Kernel", "average_queries", "mean_of_defined", "warn_of_undefined"]

Kernel = Callable[..., np.ndarray]


def average_queries(
    kernel: Kernel,
    y_true: Any,
    y_score: Any,
    groups: Any,
    ties: str,
    sample_weight: Any,
    replace_undefined_by: float,
    **parameters: Any,
) -> float:
    """Return the mean of a metric over the queries of flat or grid input."""
    check_parameters(parameters)
    lists = rank_lists(y_true, y_score, groups, ties=ties, sample_weight=sample_weight)
    values = lists.by_label(kernel(lists, **parameters))
    mean, n_undefined = mean_of_defined(values, lists, replace_undefined_by)
    if n_undefined:
        name = kernel.__name__.lstrip("_")
        warn_of_undefined([name], n_undefined, len(values), stacklevel=4)
    return mean


def mean_of_defined(
    values: np.ndarray, lists: RankedLists, replace_undefined_by: float
) -> tuple[float, int]:
    """Return the weighted mean, and how many undefined queries it leaves out."""
    check_real_or_nan("replace_undefined_by", replace_undefined_by)
    weight = lists.weight
    is_undefined = np.isnan(values)
    if weight is not None:
        is_undefined &= weight > 0
        values = np.where(weight > 0, values, 0)
    if not is_undefined.any():
        return _mean(values, weight), 0
    if not np.isnan(replace_undefined_by):
        return _mean(np.where(is_undefined, replace_undefined_by, values), weight), 0
    is_defined = ~is_undefined
    weight = None if weight is None else weight[is_defined]
    return _mean(values[is_defined], weight), int(is_undefined.sum())


def warn_of_undefined(
    names: Sequence[str], n_undefined: int, n_queries: int, *, stacklevel: int
) -> None:
    """Warn once that the mean leaves queries out, and say how to count them."""
    warnings.warn(
        f"{', '.join(names)}: undefined for {n_undefined} of {n_queries} queries (mostly "
        "for want of a relevant item), which the mean leaves out. Set "
        "`replace_undefined_by` to count them, for example as 0.0.",
        UndefinedMetricWarning,
        stacklevel=stacklevel,
    )


def _mean(values: np.ndarray, weight: np.ndarray | None) -> float:
    if len(values) == 0 or (weight is not None and weight.sum() == 0):
        return float("nan")
    return float(np.average(values, weights=weight))
