"""Pairs of a row and an item, such as what users have seen, and the most popular others."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._base._ids import KnownIds, read_ids
from sklearn_rank._base._labels import as_list
from sklearn_rank._base._numbers import has_rows
from sklearn_rank._base._runs import sizes_of, starts_of
from sklearn_rank._base._validation import check_given, shorten
from sklearn_rank.recommenders._pair_weights import as_weights, count_pairs


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of a row and an item, in any order; duplicates are allowed."""

    row: np.ndarray
    item: np.ndarray
    n_rows: int

    @classmethod
    def from_matrix(cls, matrix: sparse.csr_array) -> "Pairs":
        """Return the pairs that the matrix stores, zeros included."""
        n_rows = matrix.shape[0]
        row = np.arange(n_rows).repeat(sizes_of(matrix.indptr))
        return cls(row, matrix.indices, n_rows)

    @classmethod
    def from_rows(cls, matrix: sparse.csr_array, rows: np.ndarray) -> "Pairs":
        """Return the stored pairs of some rows, renumbered from 0."""
        # SciPy would also copy the values, and check the copies.
        entry, starts = entries_of_rows(matrix.indptr, rows)
        row = np.arange(len(rows)).repeat(sizes_of(starts))
        return cls(row, matrix.indices[entry], len(rows))

    @classmethod
    def union(cls, parts: Sequence["Pairs"], n_rows: int) -> "Pairs":
        if len(parts) == 1:
            return parts[0]
        none = np.empty(0, dtype=np.int32)
        row = np.concatenate([none, *(part.row for part in parts)])
        return cls(row, np.concatenate([none, *(part.item for part in parts)]), n_rows)

    def as_matrix(self, n_items: int) -> sparse.csr_array:
        """Return a matrix of rows × items, True for the pairs."""
        ones, shape = np.ones(len(self.row)), (self.n_rows, n_items)
        return count_pairs(self.row, self.item, ones, shape).astype(bool)

    @cached_property
    def n_per_row(self) -> np.ndarray:
        return np.bincount(self.row, minlength=self.n_rows)

    def take_rows(self, wanted: np.ndarray) -> "Pairs":
        """Return the pairs of some rows, renumbered from 0."""
        number = np.full(self.n_rows, -1)
        number[wanted] = np.arange(len(wanted))
        row = number[self.row]
        return Pairs(row[row >= 0], self.item[row >= 0], len(wanted))

    def contains(self, row: np.ndarray, item: np.ndarray, n_items: int) -> np.ndarray:
        """Return which of the given pairs are among these."""
        if not len(self.row) or not len(row):
            return np.zeros(len(row), dtype=bool)
        keys = self.row * n_items + self.item
        keys.sort(kind="stable")  # fast if most rows are in order
        key = row * n_items + item
        return keys[np.minimum(keys.searchsorted(key), len(keys) - 1)] == key


def entries_of_rows(starts: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of the stored entries of some rows, and where rows start."""
    if len(rows) == 1:  # takes a third of the time
        first, last = starts[rows[0]], starts[rows[0] + 1]
        return np.arange(first, last), np.array([0, last - first])
    first = starts[rows]
    size = starts[rows + 1] - first
    begins = starts_of(size)
    entry = (first - begins[:-1]).repeat(size)
    entry += np.arange(len(entry))
    return entry, begins


def take_rows(matrix: sparse.csr_array, rows: np.ndarray) -> sparse.csr_array:
    """Return some rows of a matrix; for one row twice as fast as SciPy."""
    entry, starts = entries_of_rows(matrix.indptr, rows)
    parts = matrix.data[entry], matrix.indices[entry], starts
    return sparse.csr_array(parts, shape=(len(rows), matrix.shape[1]))


# Lists of ids, such as the items that users have: the pairs of known ids in them.


def find_in_lists(
    items: KnownIds, lists: Sequence[np.ndarray], *, name: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return the list and the position of each id, -1 for unknown ids."""
    row = np.arange(len(lists)).repeat([len(part) for part in lists])
    ids = [part for part in lists if len(part)]
    if not ids:
        return row, row
    kinds = {part.dtype.kind for part in ids}
    if len(kinds) == 1 and "O" not in kinds:
        return row, items.find(np.concatenate(ids), name=name)
    return row, items.find([item for part in ids for item in as_list(part)], name=name)


def read_item_lists(
    item_lists: Any, items: KnownIds, recency: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return list, item and weight of each known id; with `recency` in order."""
    are_lists = has_rows(item_lists) and not isinstance(item_lists, Mapping)
    needed = "a list of ids for each user; for a mapping pass list(item_lists.values())"
    check_given("item_lists", item_lists, are_lists, needed)
    lists = [_read_list(part, row, recency) for row, part in enumerate(item_lists)]
    rows, codes = find_in_lists(items, lists, name="item_lists")
    is_known, weights = codes >= 0, np.ones(len(codes))
    if any(isinstance(part, Mapping) for part in item_lists):
        values = [weight for part in item_lists for weight in _list_weights(part)]
        weights = as_weights(values, len(codes), name="item_lists")
    return rows[is_known], codes[is_known], weights[is_known]


def count_lists(
    rows: np.ndarray, items: np.ndarray, weights: np.ndarray, shape: tuple[int, int]
) -> sparse.csr_array:
    """Return the same as `count_pairs`; for one list ten times as fast."""
    if shape[0] != 1:
        return count_pairs(rows, items, weights, shape)
    distinct, position = np.unique(items, return_inverse=True)
    parts = np.bincount(position, weights), distinct, [0, len(distinct)]
    return sparse.csr_array(parts, shape=shape)


def _read_list(ids: Any, row: int, recency: Any) -> np.ndarray:
    if isinstance(ids, Mapping | Set):
        if recency is not None:
            raise TypeError(
                f"`recency={shorten(recency)}` needs the items of each user in order, the "
                f"newest last; got a {type(ids).__name__} for user {row}, which has no "
                "order. Pass a list."
            )
        ids = list(ids)
    name = f"item_lists[{row}]"
    check_given(name, ids, has_rows(ids), "a list of ids; for one user write [[...]]")
    return read_ids(ids, name=name)


def _list_weights(ids: Any) -> list[Any]:
    return list(ids.values()) if isinstance(ids, Mapping) else [1.0] * len(ids)


# The most popular items that are left for a row: a walk down one sorted list.


@dataclass(frozen=True, eq=False)
class PopularityOrder:
    """Items that may be recommended, most popular first; ties as in `items_`."""

    items: np.ndarray
    rank: np.ndarray  # of each item in `items`; the length of `items` for others

    @classmethod
    def from_popularity(cls, popularity: np.ndarray) -> "PopularityOrder":
        return cls._from_items(np.argsort(-popularity, kind="stable"), len(popularity))

    @classmethod
    def _from_items(cls, items: np.ndarray, n_items: int) -> "PopularityOrder":
        rank = np.full(n_items, len(items), dtype=np.intp)
        rank[items] = np.arange(len(items))
        return cls(items, rank)

    def restrict(self, allowed: np.ndarray) -> "PopularityOrder":
        """Return the order of the allowed items."""
        n_items = len(self.rank)
        is_allowed = np.zeros(n_items, dtype=bool)
        is_allowed[allowed] = True
        return self._from_items(self.items[is_allowed[self.items]], n_items)

    @property
    def has_all_items(self) -> bool:
        return len(self.items) == len(self.rank)

    def contains(self, items: np.ndarray) -> np.ndarray:
        """Return which of the items are in the order."""
        return self.rank[items] < len(self.items)


@dataclass(frozen=True, eq=False)
class Popularity:
    """How popular each item is, and the order by it."""

    values: np.ndarray

    @cached_property
    def order(self) -> PopularityOrder:
        return PopularityOrder.from_popularity(self.values)


def most_popular(order: PopularityOrder, k: int, taken: Pairs) -> np.ndarray:
    """Return for each row the first k items that are not taken, then -1.

    The j-th item left is at rank j plus the number of taken items before it. So the cost
    depends on the number of taken pairs, not of all pairs.
    """
    n_rows, n_items = taken.n_rows, len(order.items)
    rank = order.rank[taken.item]
    if n_rows == 1:  # the general way takes longer
        near = order.items[: k + len(rank)]
        left = np.delete(near, rank[rank < len(near)])[:k]
        return np.append(left, np.full(k - len(left), -1))[None]
    is_near = rank < np.minimum(k + taken.n_per_row, n_items)[taken.row]
    key = np.sort(taken.row[is_near] * n_items + rank[is_near])
    key = key[np.diff(key, prepend=-1) > 0]  # a pair may be listed twice
    row, rank = np.divmod(key, max(n_items, 1))
    starts = starts_of(np.bincount(row, minlength=n_rows))
    n_left_before = rank - (np.arange(len(row)) - starts[row])
    is_near = n_left_before < k
    cell = row[is_near] * k + n_left_before[is_near]
    n_taken_before = np.bincount(cell, minlength=n_rows * k).reshape(n_rows, k)
    rank = np.arange(k) + n_taken_before.cumsum(axis=1)
    return np.append(order.items, -1)[np.minimum(rank, n_items)]


def fill_up(
    columns: np.ndarray, order: PopularityOrder, hidden: Pairs | None = None
) -> None:
    """Replace -1 at the end of rows by the most popular items that a row lacks.

    Hidden items are not used: -1 stays if too few others are left.
    """
    lacks = (columns[:, -1] < 0).nonzero()[0]
    if not len(lacks):
        return
    short = columns[lacks]
    row, column = np.nonzero(short >= 0)
    taken = Pairs(row, short[row, column], len(short))
    if hidden is not None:
        taken = Pairs.union([taken, hidden.take_rows(lacks)], len(short))
    fillers = most_popular(order, columns.shape[1], taken)
    n_found = np.count_nonzero(short >= 0, axis=1)[:, None]
    column = np.maximum(np.arange(columns.shape[1]) - n_found, 0)
    fillers = np.take_along_axis(fillers, column, axis=1)
    columns[lacks] = np.where(short >= 0, short, fillers)
