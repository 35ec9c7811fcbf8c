"""Pairs of a row and an item, such as what users have seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from sklearn_rank._arrays._runs import sizes_of, starts_of


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of a row and an item, in any order; duplicates are allowed."""

    row: np.ndarray
    item: np.ndarray
    n_rows: int

    @classmethod
    def stored(cls, matrix: sparse.csr_array) -> "Pairs":
        """Return the pairs that the matrix stores, zeros included."""
        n_rows = matrix.shape[0]
        row = np.arange(n_rows).repeat(sizes_of(matrix.indptr))
        return cls(row, matrix.indices, n_rows)

    @classmethod
    def of_rows_of(cls, matrix: sparse.csr_array, rows: np.ndarray) -> "Pairs":
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

    @cached_property
    def n_of_row(self) -> np.ndarray:
        return np.bincount(self.row, minlength=self.n_rows)

    def of_rows(self, wanted: np.ndarray) -> "Pairs":
        """Return the pairs of some rows, renumbered from 0."""
        number = np.full(self.n_rows, -1)
        number[wanted] = np.arange(len(wanted))
        row = number[self.row]
        return Pairs(row[row >= 0], self.item[row >= 0], len(wanted))

    def hold(self, row: np.ndarray, item: np.ndarray, n_items: int) -> np.ndarray:
        """Return which of the given pairs are among these."""
        if not len(self.row) or not len(row):
            return np.zeros(len(row), dtype=bool)
        keys = self.row * n_items + self.item
        keys.sort(kind="stable")  # fast if most rows are in order
        key = row * n_items + item
        return keys[np.minimum(keys.searchsorted(key), len(keys) - 1)] == key


def entries_of_rows(starts: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of the stored entries of some rows, and the start of each row."""
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
