"""Products of histories with a sparse matrix items × items."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from sklearn_rank._base._runs import sizes_of
from sklearn_rank._base._validation import check_option, check_real, check_share
from sklearn_rank.recommenders._most_popular import PopularityOrder
from sklearn_rank.recommenders._pair_weights import with_data
from sklearn_rank.recommenders._pairs import Pairs, entries_of_rows

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

    def items(self, entry: np.ndarray) -> np.ndarray:
        return self.item_of_column[self.columns[entry]]

    def of_rows(self, rows: np.ndarray) -> sparse.csr_array:
        """Return the scores of some rows, a column an item."""
        entry, starts = entries_of_rows(self.starts, rows)
        shape = len(rows), len(self.item_of_column)
        return sparse.csr_array(
            (self.values[entry], self.items(entry), starts), shape=shape
        )


class ItemProducts:
    """Multiplies histories by a matrix with rows and columns sorted by popularity.

    Popular items then share the processor's cache. The order of the terms of a sum does
    not change. A diagonal of -inf marks the items of a history, so that they need not be
    searched among the products.
    """

    def __init__(self, matrix: sparse.csr_array, order: PopularityOrder):
        self._matrix = matrix
        self._items, self._place = as_indices(order.items), as_indices(order.place)
        by_popularity = matrix[order.items]
        columns = self._place[by_popularity.indices]
        entries = by_popularity.data, columns, as_indices(by_popularity.indptr)
        by_popularity = sparse.csr_array(entries, shape=matrix.shape)
        seen = np.full(matrix.shape[0], -np.inf)
        self._by_popularity = by_popularity + sparse.diags_array(seen, format="csr")
        self._by_popularity.sort_indices()

    def scorer(
        self, histories: sparse.csr_array, matrix: sparse.csr_array
    ) -> Callable[[np.ndarray], UnseenScores | None] | None:
        """Return a function from rows of `histories` to their scores by `matrix`.

        None if the matrix was replaced since these products were prepared.
        """
        return partial(self.unseen, histories) if matrix is self._matrix else None

    def unseen(self, histories: sparse.csr_array, rows: np.ndarray) -> UnseenScores | None:
        """Return products of some rows of `histories`, None where one has a weight of 0."""
        if len(rows) == 1 and len(self._items) <= _FEW_ITEMS:
            return self._unseen_of_one(histories, rows[0])
        # Faster than to let SciPy make a matrix of these rows.
        entry, starts = entries_of_rows(histories.indptr, rows)
        weights = histories.data[entry]
        if not weights.all():
            return None  # 0 times -inf is NaN
        places = self._place[histories.indices[entry]]
        shape = len(rows), len(self._items)
        by_popularity = sparse.csr_array((weights, places, as_indices(starts)), shape=shape)
        found = by_popularity @ self._by_popularity
        return UnseenScores(found.data, found.indices, found.indptr, self._items)

    def _unseen_of_one(self, histories: sparse.csr_array, row: int) -> UnseenScores | None:
        part = slice(histories.indptr[row], histories.indptr[row + 1])
        weights = histories.data[part]
        if np.count_nonzero(weights) < len(weights):
            return None
        matrix = self._by_popularity
        entry, starts = entries_of_rows(matrix.indptr, self._place[histories.indices[part]])
        terms = matrix.data[entry] * weights.repeat(sizes_of(starts))
        sums = np.bincount(matrix.indices[entry], terms, len(self._items))
        columns = (sums != 0).nonzero()[0]  # slower for floats
        starts = np.array([0, len(columns)])
        return UnseenScores(sums[columns], columns, starts, self._items)


def as_indices(values: np.ndarray) -> np.ndarray:
    """Return places as 32-bit integers if they fit, so that SciPy moves fewer bytes."""
    fits = values.max(initial=0) <= np.iinfo(np.int32).max
    return values.astype(np.int32 if fits else np.int64)


# Weights of the entries of rows, before rows are multiplied.
#
# A row is an item with its users, or a user with their items. Each class learns from all
# rows, and then transforms these or others.


class Cosine:
    """Rows of length 1."""

    def fit(self, rows: sparse.csr_array) -> Self:
        """Learn nothing."""
        return self

    def transform(self, rows: sparse.csr_array) -> sparse.csr_array:
        """Return each row divided by its Euclidean length."""
        scaled = _scaled(rows)
        # The same sums as in scikit-learn, without its slow checks.
        square = np.bincount(Pairs.stored(rows).row, scaled.data**2, rows.shape[0])
        length = np.sqrt(square).repeat(sizes_of(rows.indptr))
        return with_data(rows, scaled.data / length)


class Jaccard:
    """Rows of ones: products count the columns that two rows share."""

    def fit(self, rows: sparse.csr_array) -> Self:
        """Learn nothing."""
        return self

    def transform(self, rows: sparse.csr_array) -> sparse.csr_array:
        """Return 1 for each stored entry."""
        return with_data(rows, np.ones(rows.nnz))


class Tfidf:
    """Rows of length 1; columns that many rows have count less."""

    def fit(self, rows: sparse.csr_array) -> Self:
        """Count the rows of each column."""
        self.tfidf_ = TfidfTransformer().fit(rows)
        return self

    def transform(self, rows: sparse.csr_array) -> sparse.csr_array:
        """Weight the rows as scikit-learn weights documents of words."""
        return self.tfidf_.transform(_scaled(rows))


class BM25:
    """Okapi BM25 of rows as documents and columns as words, as in `implicit`."""

    def __init__(self, k1: float, b: float):
        self.k1 = k1
        self.b = b

    def fit(self, rows: sparse.csr_array) -> Self:
        """Count the rows of each column, and measure the mean length of a row."""
        n_rows_with = np.bincount(rows.indices, minlength=rows.shape[1])
        self.idf_ = np.log(rows.shape[0]) - np.log1p(n_rows_with)
        # Not the sum of all divided by n, which may overflow.
        self.mean_length_ = (rows.sum(axis=1) / rows.shape[0]).sum() or 1.0
        return self

    def transform(self, rows: sparse.csr_array) -> sparse.csr_array:
        """Return the weight of each word in its document."""
        with np.errstate(over="ignore"):  # for weights near 0; 1 / inf is 0
            length = rows.sum(axis=1) / self.mean_length_
            norm = self.k1 * (1 - self.b + self.b * length)
            share = 1 / (1 + norm.repeat(sizes_of(rows.indptr)) / rows.data)
        return with_data(rows, share * (self.k1 + 1) * self.idf_[rows.indices])


def _scaled(rows: sparse.csr_array) -> sparse.csr_array:
    """Return the rows divided by powers of 2, which changes neither cosines nor digits.

    The squares of weights such as 1e200 would overflow, those of 1e-200 would be 0.
    """
    size = sizes_of(rows.indptr)
    is_filled = size > 0
    largest = np.maximum.reduceat(rows.data, rows.indptr[:-1][is_filled])
    exponent = np.frexp(largest)[1].repeat(size[is_filled])
    return with_data(rows, np.ldexp(rows.data, -exponent))


SIMILARITIES = ("cosine", "jaccard", "tfidf", "bm25")


def row_weights(similarity: str, k1: float, b: float) -> Any:
    """Return the weights of rows for a similarity."""
    check_option("similarity", similarity, SIMILARITIES)
    if similarity != "bm25":
        return {"cosine": Cosine, "jaccard": Jaccard, "tfidf": Tfidf}[similarity]()
    return BM25(check_real("k1", k1, "a number > 0", above=0), check_share("b", b))
