"""Products of histories with a sparse matrix items × items."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from sklearn_rank._base._runs import CHUNK_PRODUCTS, cut_runs, sizes_of, starts_of
from sklearn_rank.recommenders._pairs import PopularityOrder, entries_of_rows

try:
    from scipy.sparse._sparsetools import csr_matmat as _csr_matmat
except ImportError:  # pragma: no cover - a future SciPy may call it otherwise
    _csr_matmat = None

# Up to this many items, a single row is summed in an array of all items.
_FEW_ITEMS = 2**18


@dataclass(frozen=True, eq=False)
class UnseenScores:
    """Scores of some items of each row; seen items score -inf, all others 0."""

    values: np.ndarray
    columns: np.ndarray
    starts: np.ndarray  # of the rows, and the end of the last
    item_of_column: np.ndarray

    @property
    def nbytes(self) -> int:
        return self.values.nbytes + self.columns.nbytes

    def items(self, entry: np.ndarray | slice) -> np.ndarray:
        return self.item_of_column[self.columns[entry]]

    def toarray(self) -> np.ndarray:
        """Return the scores of all items."""
        entries = self.values, self.items(slice(None)), self.starts
        shape = len(self.starts) - 1, len(self.item_of_column)
        return sparse.csr_array(entries, shape=shape).toarray()

    def take_rows(self, rows: np.ndarray) -> sparse.csr_array:
        """Return the scores of some rows, one column per item."""
        entry, starts = entries_of_rows(self.starts, rows)
        entries = self.values[entry], self.items(entry), starts
        return sparse.csr_array(entries, shape=(len(rows), len(self.item_of_column)))


class ItemProducts:
    """Multiplies histories by a matrix with rows and columns sorted by popularity.

    Popular items then share the processor's cache. The order of the terms of a sum does
    not change. A diagonal of -inf marks the items of a history, so that they need not be
    searched among the products.
    """

    def __init__(self, matrix: sparse.csr_array, order: PopularityOrder):
        self.matrix = matrix
        self._items, self._rank = as_indices(order.items), as_indices(order.rank)
        by_popularity = matrix[order.items]
        columns = self._rank[by_popularity.indices]
        entries = by_popularity.data, columns, as_indices(by_popularity.indptr)
        by_popularity = sparse.csr_array(entries, shape=matrix.shape)
        seen = np.full(matrix.shape[0], -np.inf)
        self._by_popularity = by_popularity + sparse.diags_array(seen, format="csr")
        self._by_popularity.sort_indices()

    def score_unseen(
        self, histories: sparse.csr_array, rows: np.ndarray
    ) -> UnseenScores | None:
        """Return products of some rows of `histories`.

        None where one has a weight of 0, and where the scores are not finite.
        """
        if len(rows) == 1 and len(self._items) <= _FEW_ITEMS:
            return self._score_unseen_of_one(histories, rows[0])
        # This is faster than a matrix of these rows that SciPy makes.
        entry, starts = entries_of_rows(histories.indptr, rows)
        weights = histories.data[entry]
        if not weights.all():
            return None  # 0 times -inf is NaN
        columns = self._rank[histories.indices[entry]]
        shape = len(rows), len(self._items)
        entries = weights, columns, as_indices(starts)
        chosen = sparse.csr_array(entries, shape=shape)
        return self._unseen_scores(*multiply(chosen, self._by_popularity))

    def _score_unseen_of_one(
        self, histories: sparse.csr_array, row: int
    ) -> UnseenScores | None:
        part = slice(histories.indptr[row], histories.indptr[row + 1])
        weights = histories.data[part]
        if np.count_nonzero(weights) < len(weights):
            return None
        matrix = self._by_popularity
        entry, starts = entries_of_rows(matrix.indptr, self._rank[histories.indices[part]])
        terms = matrix.data[entry] * weights.repeat(sizes_of(starts))
        sums = np.bincount(matrix.indices[entry], terms, len(self._items))
        columns = (sums != 0).nonzero()[0]  # slower for floats
        return self._unseen_scores(sums[columns], columns, np.array([0, len(columns)]))

    def _unseen_scores(
        self, values: np.ndarray, columns: np.ndarray, starts: np.ndarray
    ) -> UnseenScores | None:
        if not values.max(initial=0.0) < np.inf:
            return None  # exact scores are computed, and say what is not finite
        return UnseenScores(values, columns, starts, self._items)


def multiply(
    rows: sparse.csr_array, matrix: sparse.csr_array
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (data, indices, indptr) of a product; the entries of a row are in no order.

    SciPy counts the entries of a product before it computes them. Here there is room for
    as many as there are multiplications, and nothing is counted.
    """
    n_rows, n_columns = rows.shape[0], matrix.shape[1]
    most = int(np.minimum(count_products(rows, matrix), n_columns).sum())
    index = rows.indptr, rows.indices, matrix.indptr, matrix.indices
    starts, columns, matrix_starts, matrix_columns = map(as_indices, index)
    is_small = max(most, rows.nnz, matrix.nnz) <= np.iinfo(np.int32).max
    if _csr_matmat is None or not is_small or rows.dtype != matrix.dtype:
        product = rows @ matrix
        return product.data, product.indices, product.indptr
    data, indices = np.empty(most, matrix.dtype), np.empty(most, np.int32)
    indptr = np.empty(n_rows + 1, np.int32)
    left = starts, columns, rows.data
    right = matrix_starts, matrix_columns, matrix.data
    _csr_matmat(n_rows, n_columns, *left, *right, indptr, indices, data)
    return data[: indptr[-1]], indices[: indptr[-1]], indptr


def dense_gram(interactions: sparse.csr_array) -> np.ndarray:
    """Return the products of all items, a dense array."""
    item_users, n_items = interactions.T.tocsr(), interactions.shape[1]
    gram = np.empty((n_items, n_items), dtype=np.float64)
    work = np.maximum(count_products(item_users, interactions), n_items)
    for first, last in cut_runs(starts_of(work), CHUNK_PRODUCTS):
        (item_users[first:last] @ interactions).toarray(out=gram[first:last])
    return gram


def count_products(rows: sparse.csr_array, columns: sparse.csr_array) -> np.ndarray:
    """Return the number of multiplications that the products of each row take."""
    before = starts_of(sizes_of(columns.indptr)[rows.indices])
    return sizes_of(before[rows.indptr])


def as_indices(values: np.ndarray) -> np.ndarray:
    """Return indices as 32-bit integers if they fit, so that SciPy moves fewer bytes."""
    if values.dtype == np.int32:
        return values
    fits = values.max(initial=0) <= np.iinfo(np.int32).max
    return values.astype(np.int32 if fits else np.int64)
