"""Products of histories with a sparse matrix items × items."""

import numpy as np
from scipy import sparse

from sklearn_rank._runs import ranges, starts_of
from sklearn_rank.recommenders._most_popular import PopularityOrder


class ItemProducts:
    """Multiplies histories by a matrix, whose rows and columns it keeps by popularity.

    What most products hit then lies together in the processor's cache. The terms of a sum
    are added in the same order as without.
    """

    def __init__(self, matrix: sparse.csr_array, order: PopularityOrder):
        self._items, self._place = as_indices(order.items), as_indices(order.place)
        by_popularity = matrix[order.items]
        columns = self._place[by_popularity.indices]
        entries = by_popularity.data, columns, as_indices(by_popularity.indptr)
        self._matrix = sparse.csr_array(entries, shape=matrix.shape)
        self._matrix.sort_indices()

    def __call__(self, histories: sparse.csr_array) -> sparse.csr_array:
        """Return `histories` times the matrix, the columns of both as in `items_`."""
        return self._multiply(histories.data, histories.indices, histories.indptr)

    def of_rows(self, histories: sparse.csr_array, rows: np.ndarray) -> sparse.csr_array:
        """Return the products of some rows of `histories`."""
        # SciPy would make a matrix of these rows first, which takes a while for one user.
        start = histories.indptr[rows]
        size = histories.indptr[rows + 1] - start
        entry = ranges(start, size)
        starts = as_indices(starts_of(size))
        return self._multiply(histories.data[entry], histories.indices[entry], starts)

    def _multiply(
        self, values: np.ndarray, items: np.ndarray, starts: np.ndarray
    ) -> sparse.csr_array:
        shape = len(starts) - 1, len(self._items)
        ranked = sparse.csr_array((values, self._place[items], starts), shape=shape)
        ranked = ranked @ self._matrix
        ranked.indices = self._items[ranked.indices]
        return ranked


def as_indices(values: np.ndarray) -> np.ndarray:
    """Return places as integers of 32 bits where they fit: SciPy then moves fewer bytes."""
    fits = values.max(initial=0) <= np.iinfo(np.int32).max
    return values.astype(np.int32 if fits else np.int64)
