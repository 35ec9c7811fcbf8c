"""Nearest rows of a sparse matrix: of items, or of users.

Only rows with a common column are compared; their pairs determine the cost.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from sklearn_rank._base._machine import require_memory
from sklearn_rank._base._runs import cut_runs, sizes_of, starts_of
from sklearn_rank._base._shared_work import first_that_works, room_for_shared, shared
from sklearn_rank._base._threads import run_in_threads, threads_for
from sklearn_rank._base._validation import check_option, check_real, check_share
from sklearn_rank.recommenders._item_products import as_indices, count_products
from sklearn_rank.recommenders._most_popular import PopularityOrder
from sklearn_rank.recommenders._pair_weights import replace_data
from sklearn_rank.recommenders._pairs import Pairs, take_rows
from sklearn_rank.recommenders._top_k import best_pairs, preselect, preselect_dense

# From this many multiplications on, a row is summed in an array.
_MANY_PRODUCTS = 2**14
# Reading so many columns of the array takes as long as one multiplication.
_COLUMNS_PER_PRODUCT = 8
# Multiplications whose products are kept at a time. Chunks of four times as many take
# 1.2 to 1.9 times as long, and twice the memory.
_NEIGHBOR_PRODUCTS = 2**21
# Multiplications, or columns, of a chunk; also the size that a copy may always have.
_CHUNK_PRODUCTS = 2**18


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

        The entries of a row are nearest first, as `first_of_rows` reads them. `own` holds
        the positions of these rows: a row is not its own neighbor.
        """
        weighted = self.weights.transform(rows)
        rank = np.full(rows.shape[0], -1) if own is None else self.rank[own]
        work = count_products(weighted, self.columns)
        is_full = work >= _MANY_PRODUCTS + len(self.order) // _COLUMNS_PER_PRODUCT
        n_threads = threads_for(work.sum())
        most = _NEIGHBOR_PRODUCTS // n_threads
        blocks, taken = [], []
        for similarity, is_one in (
            (self._stored_similarities, ~is_full),
            (self._highest_similarities, is_full),
        ):
            taken.append(np.flatnonzero(is_one))
            for first, last in cut_runs(starts_of(work[is_one]), most):
                blocks.append((similarity, taken[-1][first:last]))

        def find(block: tuple) -> sparse.csr_array:
            similarity, some = block
            # One of them may be the row itself.
            found = similarity(take_rows(weighted, some), k + 1)
            return _best_of_rows(found, k, rank[some])

        parts = run_in_threads(find, blocks, n_threads)
        found = parts[0]
        if len(parts) > 1:
            found = sparse.vstack(parts, format="csr")[np.argsort(np.concatenate(taken))]
        columns = as_indices(self.order[found.indices])
        entries = found.data, columns, as_indices(found.indptr)
        return sparse.csr_array(entries, shape=found.shape)

    def _stored_similarities(self, weighted: sparse.csr_array, k: int) -> sparse.csr_array:
        """Return all similarities that are not 0."""
        products = weighted @ self.columns
        if isinstance(self.weights, Jaccard):
            sizes = sizes_of(weighted.indptr).repeat(sizes_of(products.indptr))
            products.data /= sizes + self.n_stored[products.indices] - products.data
        return products

    def _highest_similarities(self, weighted: sparse.csr_array, k: int) -> sparse.csr_array:
        """Return the k highest similarities of rows above 0, and some lower ones."""
        size = sizes_of(weighted.indptr)
        row, column, value, first = [], [], [], 0
        for products in dense_products(weighted, self.columns):
            last = first + len(products)
            if isinstance(self.weights, Jaccard):
                products /= size[first:last, None] + self.n_stored - products
            found = preselect_dense(products, k, floor=0.0)
            row.append(first + found.row)
            column.append(found.item)
            value.append(products[found.row, found.item])
            first = last
        starts = starts_of(np.bincount(np.concatenate(row), minlength=len(size)))
        entries = np.concatenate(value), np.concatenate(column), starts
        return sparse.csr_array(entries, shape=(len(size), len(self.order)))


def nearest_items(
    interactions: sparse.csr_array,
    n_neighbors: Sequence[int],
    weights: Any,
    order: PopularityOrder,
    *,
    bytes_of_one: int = 16,
) -> sparse.csr_array:
    """Return the similarities of each item to its nearest items.

    The first of `n_neighbors` is their number. Others are those of further fits; the
    largest that can be shared with them is computed.
    """
    n_items = interactions.shape[1]
    wanted, *others = (min(n, n_items - 1) for n in n_neighbors)
    fit_in = [k for k in others if bytes_of_one * n_items * k <= room_for_shared()]
    kind = type(weights), *vars(weights).values()

    def find(k: int) -> sparse.csr_array:
        require_memory(
            bytes_of_one * n_items * k,
            f"Keeping {k:,} neighbors of each of {n_items:,} items",
            "Lower `n_neighbors`.",
        )
        item_users = rows_of_items(interactions)
        rows = SimilarRows(item_users, weights, order.rank)
        return rows.nearest(item_users, k, own=np.arange(n_items))

    def find_shared(k: int) -> sparse.csr_array:
        return shared("similar_items", (interactions, order, k, *kind), lambda: find(k))

    found = first_that_works((max([wanted, *fit_in]), wanted), find_shared)
    return shared("nearest_items", (found, wanted), lambda: first_of_rows(found, wanted))


def rows_of_items(interactions: sparse.csr_array) -> sparse.csr_array:
    """Return the positive weights of the users of each item."""
    item_users = interactions.T.tocsr()
    item_users.eliminate_zeros()
    return item_users


def first_of_rows(nearest: sparse.csr_array, k: int) -> sparse.csr_array:
    """Return the first k entries of each row, in the order of columns."""
    starts, sizes = nearest.indptr[:-1], sizes_of(nearest.indptr)
    is_first = np.arange(nearest.nnz) - starts.repeat(sizes) < k
    ends = as_indices(starts_of(np.minimum(sizes, k)))
    entries = nearest.data[is_first], nearest.indices[is_first], ends
    first = sparse.csr_array(entries, shape=nearest.shape)
    first.sort_indices()
    return first


def _best_of_rows(
    similarity: sparse.csr_array, k: int, own: np.ndarray
) -> sparse.csr_array:
    """Return the k highest entries of each row above 0, without its column `own`.

    Of equal ones the first columns stay.
    """
    n_rows, n_columns = similarity.shape
    ties = PopularityOrder(np.arange(n_columns), np.arange(n_columns))
    # One of them may be the row itself.
    row, entry = preselect(similarity.data, similarity.indptr, np.full(n_rows, k + 1))
    column, value = similarity.indices[entry], similarity.data[entry]
    keeps = (column != own[row]) & (value > 0)
    pairs = Pairs(row[keeps], column[keeps], n_rows)
    columns, values = best_pairs(pairs, value[keeps], k, ties)
    is_found = columns >= 0
    starts = starts_of(np.count_nonzero(is_found, axis=1))
    entries = values[is_found], columns[is_found], starts
    return sparse.csr_array(entries, shape=similarity.shape)


def dense_products(
    rows: sparse.csr_array, matrix: sparse.csr_array
) -> Iterator[np.ndarray]:
    """Yield the product in chunks of rows; no row may be empty.

    The terms of a sum are added in the order of the columns of `rows`, which are sorted, as
    SciPy adds them in a product of sparse matrices.
    """
    n_columns = matrix.shape[1]
    work = np.add.reduceat(sizes_of(matrix.indptr)[rows.indices], rows.indptr[:-1])
    for first, last in cut_runs(starts_of(np.maximum(work, n_columns)), _CHUNK_PRODUCTS):
        if work[first] > max(matrix.nnz // 2, _CHUNK_PRODUCTS):  # one row alone
            sums = matrix.T @ rows[[first]].toarray()[0]  # without a copy
        else:
            sums = _sum_rows_at_once(rows[first:last], matrix, starts_of(work[first:last]))
        yield sums.reshape(last - first, n_columns)


def _sum_rows_at_once(
    rows: sparse.csr_array, matrix: sparse.csr_array, starts: np.ndarray
) -> np.ndarray:
    """Return the rows of the product as one; `starts` are where their terms begin."""
    n_rows, n_columns = rows.shape[0], matrix.shape[1]
    terms = matrix[rows.indices]
    for row in range(1, n_rows):
        terms.indices[starts[row] : starts[row + 1]] += row * n_columns
    entries = terms.data, terms.indices, terms.indptr
    beside = sparse.csr_array(entries, shape=(rows.nnz, n_rows * n_columns))
    return beside.T @ rows.data


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
    return makers[similarity]()


def self_similarities(interactions: sparse.csr_array, weights: Any) -> np.ndarray:
    """Return the similarity of each item to itself, 0 for items without a weight."""
    rows = rows_of_items(interactions)
    if not isinstance(weights, BM25 | Walk):
        return (sizes_of(rows.indptr) > 0).astype(np.float64)
    weighted = weights.fit(rows).transform(rows)
    return weighted.multiply(weighted).sum(axis=1)
