"""Intervals of means, as displays draw them."""

from typing import Any

import numpy as np

from sklearn_rank._validation import check_level
from sklearn_rank.metrics._core import _student
from sklearn_rank.metrics._core._range import Range


def interval_of(
    mean: Any,
    standard_error: Any,
    n_queries: Any,
    confidence_level: float | None,
    within: Range,
) -> tuple[Any, Any]:
    """Return the ends of the interval of a mean, by Student's t, within its range.

    Without a level, both are NaN.
    """
    if confidence_level is None:
        return np.full(np.shape(mean), np.nan), np.full(np.shape(mean), np.nan)
    check_level(confidence_level, ", or None")
    freedom = np.maximum(np.asarray(n_queries) - 1, 1)
    half = _student.half_width(standard_error, freedom, (1 - confidence_level) / 2)
    return within.clip((mean - half, mean + half))


def words_of(confidence_level: float | None) -> str:
    """Return the level as the end of a title."""
    return "" if confidence_level is None else f", {100 * confidence_level:g}% interval"
