"""Quotients per query; NaN if undefined, never a silent 0 or 1."""

import numpy as np

from sklearn_rank._ranking._ranked_lists import RankedLists


def divide(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Return the quotient per query, NaN (undefined) where the denominator is 0."""
    undefined = np.full(len(numerator), np.nan)
    return np.divide(numerator, denominator, out=undefined, where=denominator != 0)


def defined_where_relevant(
    values: np.ndarray, lists: RankedLists, min_relevance: float | None = None
) -> np.ndarray:
    """Return the values, NaN (undefined) for queries without a relevant item."""
    return np.where(lists.n_relevant(min_relevance) > 0, values, np.nan)
