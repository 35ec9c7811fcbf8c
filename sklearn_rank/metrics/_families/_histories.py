"""Histories of users: means over them, and whether they contain an item."""

import numpy as np
from scipy import sparse

from sklearn_rank._arrays._runs import sizes_of
from sklearn_rank._ranking._quotients import divide
from sklearn_rank.metrics._core._catalogue import once
from sklearn_rank.metrics._core._known_items import KnownItems


def histories_of(matrix: sparse.csr_array, users: np.ndarray) -> sparse.csr_array:
    """Return the items of some users, none for those without a row (-1)."""
    known = np.flatnonzero(users >= 0)
    rows = (np.ones(len(known)), (known, users[known]))
    return sparse.csr_array(rows, shape=(len(users), matrix.shape[0])) @ matrix


def mean_over_history(
    catalogue: KnownItems, users: np.ndarray, table: np.ndarray
) -> np.ndarray:
    """Return the mean of a value of items over the history of each user; NaN without."""
    items = histories_of(catalogue.catalogue.history, users)
    return divide(items @ table, sizes_of(items.indptr).astype(float))


def contains(
    catalogue: KnownItems,
    name: str,
    matrix: sparse.csr_array,
    users: np.ndarray,
    items: np.ndarray,
) -> np.ndarray:
    """Return whether each user has the item beside it; -1 means no user, or no item.

    `name` is that of the matrix in the catalogue.
    """
    n_items = matrix.shape[1]

    def keys_of_pairs() -> np.ndarray:
        row = np.repeat(np.arange(matrix.shape[0]), sizes_of(matrix.indptr))
        keys = row * np.int64(n_items) + matrix.indices
        return keys if matrix.has_sorted_indices else np.sort(keys)

    keys = once(catalogue.catalogue, ("pairs", name), keys_of_pairs)
    if len(keys) == 0:
        return np.zeros(len(users), dtype=bool)
    wanted = users * np.int64(n_items) + items
    place = np.minimum(keys.searchsorted(wanted), len(keys) - 1)
    return (keys[place] == wanted) & (users >= 0) & (items >= 0)
