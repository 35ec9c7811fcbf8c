"""What metrics of shown items share: histories, means, chances, and distances of items."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_rank._base._exact_sum import ExactSums, sums_within
from sklearn_rank._base._label_checks import show_id
from sklearn_rank._base._machine import require_columns
from sklearn_rank._base._numbers import is_sparse
from sklearn_rank._base._runs import LIST_CELLS, SCORE_BYTES, cut_runs, ranges, starts_of
from sklearn_rank._ranking._ranked_lists import RankedLists, defined_where_relevant, divide
from sklearn_rank._ranking._rows import QueryError
from sklearn_rank.metrics._core._catalogue import Catalogue, derive_once
from sklearn_rank.metrics._core._catalogue_parts import compute_distances
from sklearn_rank.metrics._core._evaluate import metric
from sklearn_rank.metrics._core._known_items import KnownItems
from sklearn_rank.metrics._core._parameters import Cutoff, MinRelevance
from sklearn_rank.metrics._families._cumulative_gain import Discount, discounts

if TYPE_CHECKING:
    from scipy import sparse

# Declares metrics of what is shown, relevant or not.
shown_metric = partial(metric, rows="shown")


def histories_of(matrix: sparse.csr_array, users: np.ndarray) -> sparse.csr_array:
    """Return the items of some users, none for those without a row (-1)."""
    from scipy import sparse

    kept = np.flatnonzero(users >= 0)
    rows = (np.ones(len(kept)), (kept, users[kept]))
    return sparse.csr_array(rows, shape=(len(users), matrix.shape[0])) @ matrix


def mean_of_shown(
    lists: RankedLists, values: np.ndarray, k: Cutoff, discount: Discount | None = None
) -> np.ndarray:
    """Return the mean of a value of each row over the first k ranks, per query.

    The discounts are the weights of the ranks. Undefined without shown items.
    """
    places = lists.every_place(k)
    expected = places.share(values)
    if discount is None:
        return divide(lists.sum(places.query, expected), lists.n_shown(k))
    factor = discounts(discount, 2.0, places.rank)
    total = lists.sum(places.query, expected * factor)
    return divide(total, lists.sum(places.query, factor))


def mean_of_relevant(
    lists: RankedLists,
    values: np.ndarray,
    k: Cutoff,
    discount: Discount | None,
    min_relevance: MinRelevance,
) -> np.ndarray:
    """Return the same mean; irrelevant rows count 0."""
    values = np.where(lists.is_relevant(min_relevance), values, 0.0)
    mean = mean_of_shown(lists, values, k, discount)
    return defined_where_relevant(mean, lists, min_relevance)


def shown_rows(lists: RankedLists, k: Cutoff) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows that may be on the first k ranks, and their chances to be there."""
    places = lists.every_place(k)
    return places.rows, (places.length / places.size)[places.row_block]


def items_of_queries(
    lists: RankedLists,
    rows: np.ndarray,
    items: np.ndarray,
    n_items: int,
    weight: np.ndarray | float = 1.0,
) -> sparse.csr_array:
    """Return the weights of rows as a matrix queries × items, given the item of any row.

    Unknown items (-1) have the last column.
    """
    from scipy import sparse

    starts = lists.query[rows].searchsorted(np.arange(lists.n_queries + 1))
    columns = np.where(items[rows] < 0, n_items - 1, items[rows])
    cells = (np.full(len(rows), weight), columns, starts)
    return sparse.csr_array(cells, shape=(lists.n_queries, n_items))


def check_known(
    lists: RankedLists, is_known: np.ndarray, rows: np.ndarray, what: str, end: str = ""
) -> None:
    """Raise if a part of the catalogue does not cover the item of one of these rows."""
    wrong = rows[~is_known[rows]]
    if len(wrong):
        item = lists.labels("items")[lists.column("items")[wrong[0]]]
        raise QueryError(
            f"`{what}` does not cover item {show_id(item)} of query {{query}}; give "
            f"{what} of all items that are shown{end}.",
            int(lists.query[wrong[0]]),
        )


# Distances of items, and their means over pairs of shown items, exact under ties.
#
# Of a tie group, of whose t rows m are shown, two rows are both shown with the chance
# m (m - 1) / (t (t - 1)); rows of two tie groups with the product of their chances.


# Distances of pairs of rows, given the two rows of each.
PairDistances = Callable[[np.ndarray, np.ndarray], np.ndarray]


@derive_once
def unit_rows(catalogue: Catalogue, word: str) -> Any:
    """Return a unit vector for each item, or zeros, and a last vector of zeros.

    The product of two is their cosine: that of features, or of the users who have them.
    """
    from scipy import sparse

    table = catalogue.features if word == "cosine" else catalogue.history.T.tocsr()
    squares = table.multiply(table) if is_sparse(table) else table * table
    length = np.sqrt(np.asarray(squares.sum(axis=1), dtype=float).ravel())
    scale = np.divide(1.0, length, out=np.zeros(len(length)), where=length > 0)
    if is_sparse(table):
        require_columns(table.shape[1], "features" if word == "cosine" else "history")
        unit = sparse.csr_array(sparse.diags_array(scale) @ table)
        return sparse.vstack([unit, sparse.csr_array((1, unit.shape[1]))]).tocsr()
    return np.vstack([table * scale[:, np.newaxis], np.zeros((1, table.shape[1]))])


class UnitParts(NamedTuple):
    """Vectors of items in two parts, cut at powers of two: sums of each are not rounded."""

    high: Any
    low: Any
    squares: np.ndarray  # of the length of each

    def sums(self, weights: sparse.csr_array) -> Any:
        """Return the sums of vectors, given how often each counts."""
        total = weights @ self.high + weights @ self.low
        if is_sparse(total):
            total.sort_indices()
        return total


@derive_once
def unit_parts(catalogue: Catalogue, word: str) -> UnitParts:
    """Return the same in parts that add up to the same vector in any order."""
    unit = unit_rows(catalogue, word)
    high = _round_to(unit, 2.0**25)
    low = _round_to(unit - high, 2.0**52)
    return UnitParts(high, low, _dot(high + low, high + low))


def _round_to(table: Any, units: float) -> Any:
    from scipy import sparse

    if not is_sparse(table):
        return np.rint(table * units) / units
    data = np.rint(table.data * units) / units
    return sparse.csr_array((data, table.indices, table.indptr), shape=table.shape)


def similarity_to_history(
    lists: RankedLists, catalogue: KnownItems, word: str, chosen: np.ndarray
) -> np.ndarray:
    """Return for each row the mean similarity of its item to those the user had.

    It is 0 for rows that are not `chosen`, a mask, and for users who had none.
    """
    unit, items = unit_rows(catalogue.catalogue, word), catalogue.items(lists)
    rows = np.flatnonzero(chosen)
    if word == "cosine":
        check_known(lists, items >= 0, rows, "features")
    queries, codes = np.unique(lists.query[rows], return_inverse=True)
    users = catalogue.users(lists)[queries]
    similarity = np.zeros(len(items))
    step = max(SCORE_BYTES // 8 // max(unit.shape[1], 1), 1)
    for first in range(0, len(queries), step):
        had = histories_of(catalogue.catalogue.history, users[first : first + step])
        size = np.maximum(np.diff(had.indptr), 1)
        near = had @ unit[:-1]
        near = near.toarray() if is_sparse(near) else near
        part = slice(*codes.searchsorted([first, first + step]))
        query = codes[part] - first
        product = _dot_by_index(unit[items[rows[part]]], near, query)
        similarity[rows[part]] = product / size[query]
    return similarity


def _dot_by_index(left: Any, table: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Return the product of row i with row index[i] of a table, which is dense."""
    if not is_sparse(left):
        return _dot(left, table[index])
    row = np.repeat(np.arange(left.shape[0]), np.diff(left.indptr))
    return np.bincount(row, left.data * table[index[row], left.indices], left.shape[0])


def _cut_queries(starts: np.ndarray, table: Any) -> Iterator[tuple[int, int]]:
    """Yield queries whose rows, as vectors, are about as many numbers as a chunk has."""
    width = table.nnz // max(table.shape[0], 1) if is_sparse(table) else table.shape[1]
    return cut_runs(starts, max(LIST_CELLS // max(width, 1), 1))


def _dot(left: Any, right: Any) -> np.ndarray:
    """Return the product of each two rows."""
    if is_sparse(left):
        return np.asarray(left.multiply(right).sum(axis=1), dtype=float).ravel()
    return np.einsum("ij,ij->i", left, right)


class ShownPairs:
    """The rows that may be on the first k ranks, and the chances of each two of them."""

    def __init__(self, lists: RankedLists, k: Cutoff):
        places = lists.every_place(k)
        self.lists, self.rows = lists, places.rows
        self.query = lists.query[self.rows]
        self.block = places.row_block
        length, size = (each.astype(float) for each in (places.length, places.size))
        self.chance = (length / size)[self.block]
        # Of two rows of a tie group that goes across rank k; 1 in all other tie groups.
        both = length * (length - 1) / np.maximum(size * (size - 1), 1)
        self.both = np.where(length < size, both, 1.0)[self.block]
        self.is_cut = (length < size)[self.block]
        self.starts = self.query.searchsorted(np.arange(lists.n_queries + 1))
        shown = np.asarray(lists.n_shown(k), dtype=float)
        self.n_pairs = shown * (shown - 1) / 2

    def mean(self, total: np.ndarray) -> np.ndarray:
        """Return the mean per query of a sum over its pairs; NaN without pairs."""
        return divide(total, self.n_pairs)

    def sum_of_products(self, items: np.ndarray, unit: UnitParts) -> np.ndarray:
        """Return the sum over pairs of the products of the vectors of two items.

        The sum over all pairs is (square of the sum - sum of squares) / 2. Rows that tie
        across rank k are separate: their pairs have different chances.
        """
        lists, n_queries, n_items = self.lists, self.lists.n_queries, len(unit.squares)
        parts = [self.rows[chosen] for chosen in (~self.is_cut, self.is_cut)]
        alone = [
            sums_within(lists.query[rows], unit.squares[items[rows]], n_queries)
            for rows in parts
        ]
        uncut, cut = (items_of_queries(lists, rows, items, n_items) for rows in parts)
        of_whole, across, of_cut = np.zeros((3, n_queries))
        for first, last in _cut_queries(uncut.indptr + cut.indptr, unit.high):
            run, total = slice(first, last), unit.sums(uncut[first:last])
            of_whole[run] = _dot(total, total)
            if cut.nnz:
                of_ties = unit.sums(cut[first:last])
                across[run], of_cut[run] = _dot(total, of_ties), _dot(of_ties, of_ties)
        chance, both = np.zeros((2, n_queries))
        chance[self.query[self.is_cut]] = self.chance[self.is_cut]
        both[self.query[self.is_cut]] = self.both[self.is_cut]
        of_ties = chance * across + both * (of_cut - alone[1]) / 2
        return (of_whole - alone[0]) / 2 + of_ties

    def sum(self, between: PairDistances, width: int) -> np.ndarray:
        """Return the sum over pairs of their distance, some pairs at a time.

        A distance reads about `width` numbers of each of two rows.
        """
        most = max(LIST_CELLS // max(width, 1), 1)
        n_after = self.starts[self.query + 1] - 1 - np.arange(len(self.rows))
        pairs = starts_of(n_after)
        total = np.zeros(self.lists.n_queries)
        for first, last in cut_runs(pairs[self.starts], most):
            start, stop = self.starts[first], self.starts[last]
            sums = ExactSums()
            # A query with many pairs is a chunk of its own, taken row by row.
            for low, high in cut_runs(pairs[start : stop + 1], most):
                rows = np.arange(start + low, start + high)
                left = rows.repeat(n_after[rows])
                right = ranges(rows + 1, n_after[rows])
                if len(left) == 0:
                    continue
                same = self.block[left] == self.block[right]
                chance = self.chance[left] * self.chance[right]
                chance = np.where(same, self.both[left], chance)
                worth = chance * between(self.rows[left], self.rows[right])
                chunk = ExactSums.build(self.query[left] - first, worth, last - first)
                sums = chunk.merge(sums) if sums.parts.size else chunk
            result = sums.result()
            total[first : first + len(result)] = result
        return total


def distances_of_pairs(
    lists: RankedLists, catalogue: KnownItems, distance: Any
) -> PairDistances:
    """Return the distances of two rows' items, by a word, a function or a matrix."""
    if callable(distance):
        codes = lists.column("items")
        call = partial(compute_distances, distance, lists.labels("items"))
        return lambda left, right: call(codes[left], codes[right])
    items, table = catalogue.items(lists), catalogue.catalogue.features

    def matrix(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        # The mean of both, if it is not symmetric.
        left, right = items[left], items[right]
        return (distance[left, right] + distance[right, left]) / 2

    def hamming(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        differs = table[items[left]] != table[items[right]]
        return np.asarray(differs.sum(axis=1), dtype=float).ravel()

    if not isinstance(distance, str):
        return matrix
    if distance == "hamming":
        return hamming
    has = (table != 0).astype(float)
    size = np.asarray(has.sum(axis=1), dtype=float).ravel()

    def jaccard(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        left, right = items[left], items[right]
        shared = _dot(has[left], has[right])
        joint = size[left] + size[right] - shared
        return 1 - np.divide(shared, joint, out=np.zeros(len(left)), where=joint > 0)

    return jaccard
