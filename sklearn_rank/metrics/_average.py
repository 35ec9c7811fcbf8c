"""The one place where values per query become a mean, and NaN gets its meaning."""

import warnings
from collections.abc import Callable, Iterable, Mapping
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
    "fill_value",
    "mean_of_defined",
    "query_weight",
    "undefined_text",
    "warn_of_undefined",
]

Kernel = Callable[..., np.ndarray]

# Undefined queries are left out of means, with a warning.
WARN = "warn"

# A query that scores 0 would make the geometric mean 0: trec_eval's floor.
SMALLEST_FACTOR = 1e-5


def average_queries(
    kernel: Kernel,
    y_true: Any,
    y_score: Any,
    groups: Any,
    ties: str,
    sample_weight: Any,
    replace_undefined_by: float | str,
    *,
    unjudged: bool = False,
    reads_judgments: bool = False,
    together: bool = False,
    average: str = "arithmetic",
    weighting: str = "query",
    **parameters: Any,
) -> float:
    """Return the mean of a metric over the queries of flat or grid input.

    Metrics take `unjudged` rows for rows of grade 0, refuse them, or need to know them.
    A kernel that compares queries gets them all `together`, others block by block.
    """
    parameters = check_parameters(parameters)
    check_options(kernel, {**parameters, "average": average, "weighting": weighting})
    fill = fill_value(replace_undefined_by)
    name = kernel.__name__.strip("_")
    rows = group_input(
        y_true,
        y_score,
        groups,
        sample_weight,
        judged_for="" if unjudged else name,
        judgments_for=name if reads_judgments else "",
    )
    values, weight = score_queries(
        [
            lambda lists: kernel(lists if unjudged else lists.judged(), **parameters),
            lambda lists: query_weight(lists, weighting, parameters.get("min_relevance")),
        ],
        rows,
        ties,
        depth=parameters.get("k"),
        together=together,
    )
    weight = combine_weights(weight, rows.weight)
    mean, n_undefined = mean_of_defined(values, weight, fill, average)
    warn_of_undefined({name: n_undefined}, len(values), replace_undefined_by, stacklevel=5)
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
    fill: float,
    average: str = "arithmetic",
) -> tuple[float, int]:
    """Return the weighted mean, and how many undefined queries it leaves out.

    Undefined queries count as `fill`; with NaN they are left out.
    """
    mean = MEANS[average]
    is_undefined = np.isnan(values)
    if not is_undefined.any():
        return mean(values, weight), 0
    if not np.isnan(fill):
        return mean(np.where(is_undefined, fill, values), weight), 0
    is_defined = ~is_undefined
    if weight is None:
        return mean(values[is_defined], None), int(is_undefined.sum())
    n_undefined = int((is_undefined & (weight > 0)).sum())
    return mean(values[is_defined], weight[is_defined]), n_undefined


def fill_value(replace_undefined_by: Any) -> float:
    """Return what an undefined query counts as; NaN where the mean leaves it out."""
    if isinstance(replace_undefined_by, str) and replace_undefined_by == WARN:
        return float("nan")
    needed = "'warn', NaN or a finite number"
    return check_real_or_nan("replace_undefined_by", replace_undefined_by, needed)


def warn_of_undefined(
    undefined: Mapping[str, int],
    n_queries: int,
    replace_undefined_by: float | str,
    *,
    stacklevel: int,
) -> None:
    """Warn once where means leave queries out, and say how to count them.

    `undefined` holds the number of queries that each metric leaves out.
    """
    names = [name for name, count in undefined.items() if count]
    if names and replace_undefined_by == WARN:
        counted = f"{max(undefined.values())} of {n_queries} queries"
        text = undefined_text(names, counted)
        warnings.warn(text, UndefinedMetricWarning, stacklevel=stacklevel)


def undefined_text(names: Iterable[str], queries: str) -> str:
    """Return the warning for metrics that are undefined for these queries."""
    return (
        f"{', '.join(names)}: undefined for {queries}, most often because they have no "
        "relevant item. The mean leaves them out. Set `replace_undefined_by` to a number, "
        "such as 0.0, to count them, or to NaN to leave them out without this warning."
    )


def _arithmetic(values: np.ndarray, weight: np.ndarray | None) -> float:
    if len(values) == 0 or (weight is not None and weight.sum() == 0):
        return float("nan")
    with np.errstate(over="ignore"):
        mean = float(np.average(values, weights=weight))
    if np.isfinite(mean):
        return mean
    # The sum is beyond floats, and the mean need not be.
    return float(np.average(values * 2.0**-60, weights=weight) * 2.0**60)


def _geometric(values: np.ndarray, weight: np.ndarray | None) -> float:
    return float(np.exp(_arithmetic(np.log(np.maximum(values, SMALLEST_FACTOR)), weight)))


MEANS = {"arithmetic": _arithmetic, "geometric": _geometric}
