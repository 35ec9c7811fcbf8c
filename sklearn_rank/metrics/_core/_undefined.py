"""Undefined queries: what replaces them in means, and the warning where nothing does."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank._base._messages import warn_caller
from sklearn_rank._base._validation import check_real_or_nan

# Undefined queries are left out of means, with a warning.
WARN = "warn"


def check_undefined(replace_undefined_by: Any, *words: str) -> float | str:
    """Return the value of an undefined query, "warn", or another of the words allowed.

    NaN leaves the query out.
    """
    allowed = (WARN, *words)
    if isinstance(replace_undefined_by, str) and replace_undefined_by in allowed:
        return replace_undefined_by
    needed = f"{', '.join(map(repr, allowed))}, NaN or a finite number"
    return check_real_or_nan("replace_undefined_by", replace_undefined_by, needed)


def fill_undefined(values: np.ndarray, replace_undefined_by: float | str) -> np.ndarray:
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
