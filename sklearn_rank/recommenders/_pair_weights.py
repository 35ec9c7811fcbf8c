"""Weights of pairs of user and item, as a sparse matrix."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._base._numbers import check_finite, check_values
from sklearn_rank._base._validation import check_option
from sklearn_rank.inputs._coded_labels import PairOrder
from sklearn_rank.inputs._columns import numbers_of_rows

WEIGHTINGS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "binary": lambda total: (total > 0).astype(np.float64),
    "log": np.log1p,
    "sum": lambda total: total,
}


def as_weights(y: Any, n_rows: int, *, name: str = "y") -> np.ndarray:
    """Return y as one non-negative weight per row; ones if y is None."""
    if y is None:
        return np.ones(n_rows)
    weights = numbers_of_rows(y, n_rows, name=name).astype(np.float64)
    check_finite(name, weights)
    advice = "weights must be >= 0; drop such rows, or give no weights"
    check_values(name, weights, weights < 0, "negative", advice)
    return weights


def count_pairs(
    users: np.ndarray, items: np.ndarray, weights: np.ndarray, shape: tuple[int, int]
) -> sparse.csr_array:
    """Return a matrix users × items; the weights of the rows of one pair add up."""
    return PairOrder.from_codes(users, items, shape).sums(weights)


def apply_weighting(
    counted: sparse.csr_array, weighting: Any, newest: np.ndarray | None = None
) -> sparse.csr_array:
    """Return the matrix with its stored weights transformed by `weighting`.

    `newest` is the weight of the newest row of each stored pair, if it depends on age.
    """
    check_option("weighting", weighting, WEIGHTINGS)
    if weighting == "binary" and newest is not None:
        return replace_data(counted, np.where(counted.data > 0, newest, 0.0))
    return replace_data(counted, WEIGHTINGS[weighting](counted.data))


def mean_weights(interactions: sparse.csr_array) -> np.ndarray:
    """Return the mean weight of each item; raise if a sum of weights overflows."""
    with np.errstate(over="ignore"):
        total = interactions.sum(axis=0)
    if not np.isfinite(total).all():
        raise ValueError(
            "The weights `y` of an item add up to more than the largest float; divide them "
            "by their maximum, or use weighting='binary'."
        )
    return total / interactions.shape[0]


def check_largest_weight(
    recommender: object, interactions: sparse.csr_array, largest: float
) -> None:
    """Raise if sums of products of the weights would overflow."""
    maximum = interactions.data.max()
    if maximum > largest:
        raise ValueError(
            f"{type(recommender).__name__} works with weights up to {largest:g}, but `y` "
            f"has {maximum:g}; divide the weights, or use weighting='log' or 'binary'."
        )


def replace_data(matrix: sparse.csr_array, data: np.ndarray) -> sparse.csr_array:
    """Return a matrix with other values in the same entries."""
    # The index arrays are shared, not copied: they are the larger part of a log.
    return sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
