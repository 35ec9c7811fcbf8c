"""Treatment of queries for which a metric is undefined (NaN)."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank._validation import check_real_or_nan
from sklearn_rank._warn import warn_caller

# The tolerance for a rounded quotient above 1.
_ROUNDING = 1e-9

# Undefined queries are left out of means, with a warning.
WARN = "warn"


def check_undefined(replace_undefined_by: Any) -> float | str:
    """Return "warn" or the value of an undefined query; NaN leaves it out."""
    if isinstance(replace_undefined_by, str) and replace_undefined_by == WARN:
        return WARN
    needed = "'warn', NaN or a finite number"
    return check_real_or_nan("replace_undefined_by", replace_undefined_by, needed)


def filled(values: np.ndarray, replace_undefined_by: float | str) -> np.ndarray:
    """Return values with the undefined ones replaced."""
    if isinstance(replace_undefined_by, str) or np.isnan(replace_undefined_by):
        return values
    return np.where(np.isnan(values), replace_undefined_by, values)


def warn_of_undefined(
    undefined: Mapping[str, int], n_queries: int, of_shown: Collection[str] = ()
) -> None:
    """Warn once if means leave out queries, and say how to count them.

    `undefined` holds the number of queries that each metric leaves out; `of_shown` are
    metrics of shown items.
    """
    names = [name for name, count in undefined.items() if count]
    if names:
        counted = f"{max(undefined.values())} of {n_queries} queries"
        text = undefined_text(names, counted, of_shown)
        warn_caller(text, category=UndefinedMetricWarning)


def undefined_text(
    names: Collection[str], queries: str, of_shown: Collection[str] = ()
) -> str:
    """Return the warning for metrics that are undefined for these queries."""
    need = ""
    if not set(names).isdisjoint(of_shown):
        need = (
            "; metrics of shown items need a list or a history, and personalization "
            "needs two lists"
        )
    return (
        f"{', '.join(names)}: undefined for {queries}, most often because they have no "
        f"relevant item{need}. The mean leaves them out. Set `replace_undefined_by` to a "
        "number, such as 0.0, to count them, or to NaN to leave them out without this "
        "warning."
    )


def warn_of_values_above_best(name: str, values: np.ndarray, labels: np.ndarray) -> None:
    """Warn if a query's list is better than its ideal list."""
    is_above = values > 1 + _ROUNDING
    if is_above.any():
        query = int(np.nanargmax(values))
        warn_caller(
            f"{name}: {int(is_above.sum())} value(s) above 1, the highest "
            f"{values[query]:.6g} (query {labels[query]}). The ideal list of more than "
            "eight relevant documents is found step by step, and need not be the best; "
            "these lists are better. Values stay as they are."
        )
