"""The one place where values per query become a mean, and NaN gets its meaning."""

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank._ranked_lists import RankedLists, score_queries
from sklearn_rank._rows import group_input
from sklearn_rank._validation import check_parameters, check_real_or_nan
from sklearn_rank.metrics._options import AVERAGING, check_options

__all__ = [
    "AVERAGING",
    "Kernel",
    "average_queries",
    "combine_weights",
    "mean_of_defined",
    "query_weight",
    "warn_of_undefined",
]

Kernel = Callable[..., np.ndarray]

# A query that scores 0 would make the geometric mean 0: trec_eval's floor.
SMALLEST_FACTOR = 1e-5


def average_queries(
    kernel: Kernel,
    y_true: Any,
    y_score: Any,
    groups: Any,
    ties: str,
    sample_weight: Any,
    replace_undefined_by: float,
    *,
    unjudged: bool = False,
    together: bool = False,
    average: str = "arithmetic",
    weighting: str = "query",
    **parameters: Any,
) -> float:
    """Return the mean of a metric over the queries of flat or grid input.

    A kernel that compares queries gets them all `together`, others block by block.
    """
    check_parameters(parameters)
    check_options(kernel, {**parameters, "average": average, "weighting": weighting})
    name = kernel.__name__.strip("_")
    judged_for = "" if unjudged else name
    rows = group_input(y_true, y_score, groups, sample_weight, judged_for=judged_for)
    values, weight = score_queries(
        [
            lambda lists: kernel(lists, **parameters),
            lambda lists: query_weight(lists, weighting, parameters.get("min_relevance")),
        ],
        rows,
        ties,
        depth=parameters.get("k"),
        together=together,
    )
    weight = combine_weights(weight, rows.weight)
    mean, n_undefined = mean_of_defined(values, weight, replace_undefined_by, average)
    warn_of_undefined({name: n_undefined}, len(values), stacklevel=4)
    return mean


def query_weight(
    lists: RankedLists, weighting: str, min_relevance: float | None
) -> np.ndarray | None:
    """Return the weight that the relevant items give each query (None: all the same)."""
    if weighting == "query":
        return None
    weight = lists.n_relevant(min_relevance).astype(np.float64)
    if weighting == "pairs":
        weight *= lists.n_items - lists.n_relevant(min_relevance)
    return lists.by_label(weight)


def combine_weights(
    weight: np.ndarray | None, sample_weight: np.ndarray | None
) -> np.ndarray | None:
    """Return the product of two weights a query, either of which may be missing."""
    if weight is None or sample_weight is None:
        return sample_weight if weight is None else weight
    return weight * sample_weight


def mean_of_defined(
    values: np.ndarray,
    weight: np.ndarray | None,
    replace_undefined_by: float,
    average: str = "arithmetic",
) -> tuple[float, int]:
    """Return the weighted mean, and how many undefined queries it leaves out."""
    check_real_or_nan("replace_undefined_by", replace_undefined_by)
    mean = MEANS[average]
    is_undefined = np.isnan(values)
    if not is_undefined.any():
        return mean(values, weight), 0
    if not np.isnan(replace_undefined_by):
        return mean(np.where(is_undefined, replace_undefined_by, values), weight), 0
    is_defined = ~is_undefined
    if weight is None:
        return mean(values[is_defined], None), int(is_undefined.sum())
    n_undefined = int((is_undefined & (weight > 0)).sum())
    return mean(values[is_defined], weight[is_defined]), n_undefined


def warn_of_undefined(
    undefined: Mapping[str, int], n_queries: int, *, stacklevel: int
) -> None:
    """Warn once where means leave queries out, and say how to count them.

    `undefined` holds the number of queries that each metric leaves out.
    """
    names = [name for name, count in undefined.items() if count]
    if not names:
        return
    warnings.warn(
        f"{', '.join(names)}: undefined for {max(undefined.values())} of {n_queries} "
        "queries (mostly for want of a relevant item), which the mean leaves out. Set "
        "`replace_undefined_by` to count them, for example as 0.0.",
        UndefinedMetricWarning,
        stacklevel=stacklevel,
    )


def _arithmetic(values: np.ndarray, weight: np.ndarray | None) -> float:
    if len(values) == 0 or (weight is not None and weight.sum() == 0):
        return float("nan")
    return float(values.mean() if weight is None else np.average(values, weights=weight))


def _geometric(values: np.ndarray, weight: np.ndarray | None) -> float:
    return float(np.exp(_arithmetic(np.log(np.maximum(values, SMALLEST_FACTOR)), weight)))


MEANS = {"arithmetic": _arithmetic, "geometric": _geometric}
