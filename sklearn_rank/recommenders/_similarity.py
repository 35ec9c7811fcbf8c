"""Nearest rows of a sparse matrix: of items, or of users.

Only rows with a common column are compared; their pairs determine the cost.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from sklearn_rank._base._machine import require_memory
from sklearn_rank._base._runs import cut_runs, ragged_rows, sizes_of, starts_of
from sklearn_rank._base._threads import run_in_threads, threads_for
from sklearn_rank._base._validation import check_option, check_real, check_share
from sklearn_rank.recommenders._item_products import as_indices, count_products, multiply
from sklearn_rank.recommenders._pair_weights import replace_data
from sklearn_rank.recommenders._pairs import Pairs, PopularityOrder
from sklearn_rank.recommenders._top_k import preselect

# Multiplications whose products are kept at a time. Chunks of four times as many take
# 1.2 to 1.9 times as long, and twice the memory.
_NEIGHBOR_PRODUCTS = 2**21

# Values, columns, and the sizes of rows, or where they start.
Entries = tuple[np.ndarray, np.ndarray, np.ndarray]


class SimilarRows:
    """Finds the rows nearest to others.

    Parameters
    ----------
    rows : csr_array of shape (n_rows, n_columns)
        Rows to find; values above 0.
    weights : object
        What `row_weights` returns.
    tie_rank : ndarray of shape (n_rows,)
        Rank of each row among equally similar ones.
    """

    kept: Any = None  # in a search: the nearest rows that were found last

    def __init__(self, rows: sparse.csr_array, weights: Any, tie_rank: np.ndarray):
        self.weights = weights.fit(rows)
        # In the order of ties: popular rows share the processor's cache, and the first of
        # equal ones is kept.
        self.order = np.argsort(tie_rank)
        ordered = self.weights.transform(rows)[self.order]
        self.n_stored = sizes_of(ordered.indptr)
        self.rank = np.argsort(self.order)
        self.columns = ordered.T.tocsr()  # of all rows

    def nearest(
        self, rows: sparse.csr_array, k: int, own: np.ndarray | None = None
    ) -> sparse.csr_array:
        """Return the positive similarities of each row to its `k` nearest rows.

        The entries of a row are in no order. `own` holds the positions of these rows: a row
        is not its own neighbor.
        """
        weighted = self.weights.transform(rows)
        rank = np.full(rows.shape[0], -1) if own is None else self.rank[own]
        starts = starts_of(count_products(weighted, self.columns))
        n_threads = threads_for(starts[-1])

        def find(block: tuple[int, int]) -> Entries:
            chunk = slice(*block)
            return _best_of_rows(*self._similarities(weighted[chunk]), k, rank[chunk])

        blocks = list(cut_runs(starts, _NEIGHBOR_PRODUCTS // n_threads))
        parts = run_in_threads(find, blocks, n_threads)
        values, columns, sizes = map(np.concatenate, zip(*parts, strict=True))
        entries = values, as_indices(self.order)[columns], as_indices(starts_of(sizes))
        return sparse.csr_array(entries, shape=(rows.shape[0], len(self.order)))

    def _similarities(self, weighted: sparse.csr_array) -> Entries:
        """Return all similarities that are not 0, and where rows start."""
        products, columns, starts = multiply(weighted, self.columns)
        if isinstance(self.weights, Jaccard):
            sizes = sizes_of(weighted.indptr).repeat(sizes_of(starts))
            products /= sizes + self.n_stored[columns] - products
        return products, columns, starts


def nearest_items(
    interactions: sparse.csr_array,
    n_neighbors: int,
    weights: Any,
    order: PopularityOrder,
    keep: Any,
    *,
    bytes_of_one: int = 16,
) -> sparse.csr_array:
    """Return the similarities of each item to its nearest items.

    `keep` returns those of a fit before, which may have found more of them.
    """
    n_items = interactions.shape[1]
    k = min(n_neighbors, n_items - 1)

    def find() -> sparse.csr_array:
        require_memory(
            bytes_of_one * n_items * k,
            f"Keeping {k:,} neighbors of each of {n_items:,} items",
            "Lower `n_neighbors`.",
        )
        item_users = rows_of_items(interactions)
        rows = SimilarRows(item_users, weights, order.rank)
        return rows.nearest(item_users, k, own=np.arange(n_items))

    key = (type(weights), *vars(weights).values()), k
    rows = keep("similar_items", key, find, has_as_many)
    return first_of_rows(rows, k, order.rank)


def has_as_many(key: tuple, wanted: tuple) -> bool:
    """Return whether keys are of the same kind, and the first has as many neighbors."""
    return key[:-1] == wanted[:-1] and key[-1] >= wanted[-1]


def rows_of_items(interactions: sparse.csr_array) -> sparse.csr_array:
    """Return the positive weights of the users of each item."""
    item_users = interactions.T.tocsr()
    item_users.eliminate_zeros()
    return item_users


def first_of_rows(
    similarity: sparse.csr_array, k: int, rank: np.ndarray
) -> sparse.csr_array:
    """Return the k highest entries of each row, all above 0, in the order of columns.

    Of equal entries those stay whose columns have the smaller `rank`.
    """
    first, sizes = similarity, sizes_of(similarity.indptr)
    if sizes.max(initial=0) > k:
        ranks, no_column = rank[similarity.indices], np.full(len(sizes), -1)
        values, ranks, sizes = _best_of_rows(
            similarity.data, ranks, similarity.indptr, k, no_column
        )
        columns = as_indices(np.argsort(rank))[ranks]
        entries = values, columns, as_indices(starts_of(sizes))
        first = sparse.csr_array(entries, shape=similarity.shape)
    return first.sorted_indices()


def share_rows(
    similarity: sparse.csr_array, own: np.ndarray
) -> tuple[sparse.csr_array, np.ndarray]:
    """Return rows divided by their sums, and what each item says of itself, as well."""
    starts, sizes = similarity.indptr[:-1], sizes_of(similarity.indptr)
    data, is_filled = similarity.data, sizes > 0
    # By the largest first: the sum of a row may overflow, or be too small to divide by.
    for reduce in (np.maximum.reduceat, np.add.reduceat):
        total = np.ones(len(sizes))
        total[is_filled] = reduce(data, starts[is_filled])
        total[total == 0] = 1.0  # of similarities too small for a float
        with np.errstate(over="ignore"):
            data, own = data / total.repeat(sizes), own / total
    return replace_data(similarity, data), own


def _best_of_rows(
    values: np.ndarray, columns: np.ndarray, starts: np.ndarray, k: int, own: np.ndarray
) -> Entries:
    """Return (values, columns, sizes) of the k highest entries of each row above 0.

    The column `own` of a row is left out. Of equal entries the first columns stay.
    """
    n_rows = len(own)
    # One of them may be the row itself.
    row, entry = preselect(values, starts, np.full(n_rows, k + 1), positive=True)
    is_other = columns[entry] != own[row]
    row, entry = row[is_other], entry[is_other]
    value, column = values[entry], columns[entry]
    lowest = _kth_highest(value, np.bincount(row, minlength=n_rows), k)[row]
    stays = value > lowest
    # Of those that equal the k-th highest value, the first columns stay.
    tied = np.flatnonzero(value == lowest)
    tied_row = row[tied]
    key = tied_row * (int(column.max(initial=0)) + 1) + column[tied]
    ends = starts_of(np.bincount(tied_row, minlength=n_rows))
    last = ends[:-1] + k - np.bincount(row[stays], minlength=n_rows)
    last = np.minimum(last, ends[1:]) - 1
    stays[tied[key <= np.sort(key)[last[tied_row]]]] = True
    return value[stays], column[stays], np.bincount(row[stays], minlength=n_rows)


def _kth_highest(values: np.ndarray, sizes: np.ndarray, k: int) -> np.ndarray:
    """Return the k-th highest value of each run, for runs with fewer a lower bound."""
    kth = np.full(len(sizes), -np.inf)
    for runs, cells, inside in ragged_rows(sizes):
        if inside.shape[1] > k:
            matrix = np.where(inside, values[cells], np.inf)
            matrix.sort(axis=1)
            kth[runs] = matrix[np.arange(len(runs)), np.maximum(sizes[runs] - k, 0)]
    return kth


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
        scaled = _scale_rows(rows)
        # The same sums as in scikit-learn, without its slow checks.
        square = np.bincount(Pairs.from_matrix(rows).row, scaled.data**2, rows.shape[0])
        length = np.sqrt(square).repeat(sizes_of(rows.indptr))
        return replace_data(rows, scaled.data / length)


class Jaccard:
    """Rows of ones: products count the columns that two rows share."""

    def fit(self, rows: sparse.csr_array) -> Self:
        """Learn nothing."""
        return self

    def transform(self, rows: sparse.csr_array) -> sparse.csr_array:
        """Return 1 for each stored entry."""
        return replace_data(rows, np.ones(rows.nnz))


class Tfidf:
    """Rows of length 1; columns that many rows have count less."""

    def fit(self, rows: sparse.csr_array) -> Self:
        """Count the rows of each column."""
        self.tfidf_ = TfidfTransformer().fit(rows)
        return self

    def transform(self, rows: sparse.csr_array) -> sparse.csr_array:
        """Weight the rows as scikit-learn weights documents of words."""
        return self.tfidf_.transform(_scale_rows(rows))


@dataclass(eq=False)
class BM25:
    """Okapi BM25 of rows as documents and columns as words, as in `implicit`."""

    k1: float
    b: float

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
        return replace_data(rows, share * (self.k1 + 1) * self.idf_[rows.indices])


def _scale_rows(rows: sparse.csr_array) -> sparse.csr_array:
    """Return the rows divided by powers of 2, which changes neither cosines nor digits.

    The squares of weights such as 1e200 would overflow, those of 1e-200 would be 0.
    """
    size = sizes_of(rows.indptr)
    is_filled = size > 0
    largest = np.maximum.reduceat(rows.data, rows.indptr[:-1][is_filled])
    exponent = np.frexp(largest)[1].repeat(size[is_filled])
    return replace_data(rows, np.ldexp(rows.data, -exponent))


@dataclass(eq=False)
class Walk:
    """Random walks from item to user to item, as rows whose products rank alike.

    The product of the rows of items i and j is ``sum((w_ui * w_uj / d_u) ** alpha) /
    (p_i * p_j) ** exponent``, with d_u and p_i the sums of the weights of a user and of an
    item. A power of p_i turns it into the similarity, and does not change which j are the
    nearest of i.
    """

    alpha: float
    exponent: float

    def fit(self, rows: sparse.csr_array) -> Self:
        """Sum the weights of each column."""
        self.column_sums_ = rows.sum(axis=0)
        return self

    def transform(self, rows: sparse.csr_array) -> sparse.csr_array:
        """Return the factors; raise if a weight vanishes or is not finite."""
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            steps = rows.data**self.alpha
            steps *= self.column_sums_[rows.indices] ** (-self.alpha / 2)
            sizes = rows.sum(axis=1).repeat(sizes_of(rows.indptr))
            steps *= sizes**-self.exponent
        return replace_data(rows, check_walk(np.where(steps > 0, steps, np.nan)))


def check_walk(values: np.ndarray) -> np.ndarray:
    """Return the values; raise unless all are finite."""
    if not np.isfinite(values).all():
        raise ValueError(
            "similarity='walk' raises weights and sums to the powers `alpha` and `beta`, "
            "and some become 0 or larger than the largest float; lower `alpha` and `beta`, "
            "or use weighting='log' or 'binary'."
        )
    return values


def row_weights(similarity: str, k1: float, b: float, **others: Callable[[], Any]) -> Any:
    """Return the weights of rows for a similarity; `others` makes further ones."""
    makers = {
        **{"cosine": Cosine, "jaccard": Jaccard, "tfidf": Tfidf},
        "bm25": lambda: BM25(
            check_real("k1", k1, "a number > 0", above=0), check_share("b", b)
        ),
        **others,
    }
    check_option("similarity", similarity, makers)
    for name, value, usual in (("k1", k1, 1.2), ("b", b, 0.75)):
        if similarity != "bm25" and value != usual:
            raise ValueError(
                f"`{name}` has no effect: similarity={similarity!r} takes none. Leave it "
                'out, or give similarity="bm25".'
            )
    return makers[similarity]()


def self_similarities(interactions: sparse.csr_array, weights: Any) -> np.ndarray:
    """Return the similarity of each item to itself, 0 for items without a weight."""
    rows = rows_of_items(interactions)
    if not isinstance(weights, BM25 | Walk):
        return (sizes_of(rows.indptr) > 0).astype(np.float64)
    weighted = weights.fit(rows).transform(rows)
    return weighted.multiply(weighted).sum(axis=1)
