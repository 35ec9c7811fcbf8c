"""Pairs of a row and an item, such as what users have seen."""

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
    needed = "a list of ids for each user; of a mapping pass list(item_lists.values())"
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
