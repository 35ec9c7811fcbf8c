"""Weights of pairs of user and item, as a sparse matrix."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._base._numbers import check_finite, check_values
from sklearn_rank._base._runs import begins_run, sizes_of
from sklearn_rank._base._validation import check_option
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
    counted = _rows_of_pairs(users, items, weights, shape)
    counted.sum_duplicates()
    return counted


def sum_pairs(
    users: np.ndarray,
    items: np.ndarray,
    counts: np.ndarray,
    shape: tuple[int, int],
    decay: np.ndarray | None,
) -> tuple[sparse.csr_array, np.ndarray | None]:
    """Return a matrix users × items of sums, and the largest decay of each pair."""
    if decay is None:
        return count_pairs(users, items, counts, shape), None
    is_same, both = counts is decay, decay
    if not is_same:
        # Complex numbers, so that one sort moves both.
        both = np.empty(len(users), dtype=np.complex128)
        both.real, both.imag = counts, decay
    rows = _rows_of_pairs(users, items, both, shape)
    begins = begins_run(rows.indices)
    begins[rows.indptr[:-1][sizes_of(rows.indptr) > 0]] = True
    largest = rows.data if is_same else rows.data.imag
    newest = np.maximum.reduceat(largest, begins.nonzero()[0])
    rows.sum_duplicates()
    return replace_data(rows, np.ascontiguousarray(rows.data.real)), newest


def _rows_of_pairs(
    users: np.ndarray, items: np.ndarray, values: np.ndarray, shape: tuple[int, int]
) -> sparse.csr_array:
    """Return a matrix users × items with one entry per row, sorted by pair."""
    # These take half the memory of int64 codes; compiled libraries expect them.
    fits = max(*shape, len(values)) <= np.iinfo(np.int32).max
    index = np.int32 if fits else np.int64
    pairs = users.astype(index), items.astype(index)
    rows = sparse.coo_array((values, pairs), shape=shape)
    rows.has_canonical_format = True  # otherwise SciPy would sum duplicates too early
    rows = rows.tocsr()
    rows.sort_indices()
    return rows


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
    found = interactions.data.max()
    if found > largest:
        raise ValueError(
            f"{type(recommender).__name__} works with weights up to {largest:g}, but `y` "
            f"has {found:g}; divide the weights, or use weighting='log' or 'binary'."
        )


def replace_data(matrix: sparse.csr_array, data: np.ndarray) -> sparse.csr_array:
    """Return a matrix with other values in the same entries."""
    # The index arrays are shared, not copied: they are the larger part of a log.
    return sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
