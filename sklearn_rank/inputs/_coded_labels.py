"""Labels of rows as codes, and the rows in the order of pairs of two labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sklearn_rank._base._runs import begins_run, sizes_of

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True)
class CodedLabels:
    """The distinct labels in order, and the index of each row's label."""

    values: np.ndarray
    codes: np.ndarray

    def present(self, rows: np.ndarray | slice) -> np.ndarray:
        """Return, for each label, whether it occurs in the rows of a mask."""
        occurs = np.zeros(len(self.values), dtype=bool)
        occurs[self.codes[rows]] = True
        return occurs

    @cached_property
    def compact(self) -> CodedLabels:
        """The same without the labels that no row has."""
        occurs = self.present(slice(None))
        if occurs.all():
            return self
        code = np.cumsum(occurs) - 1
        return CodedLabels(self.values[occurs], code[self.codes])


@dataclass(frozen=True, eq=False)
class PairOrder:
    """The rows of a log by user and item."""

    rows: np.ndarray  # sorted by pair
    pair: np.ndarray  # number of the pair of each of them
    first: np.ndarray  # where each pair begins
    indices: np.ndarray  # item of each pair
    indptr: np.ndarray
    shape: tuple[int, int]

    @classmethod
    def from_codes(
        cls, users: np.ndarray, items: np.ndarray, shape: tuple[int, int]
    ) -> PairOrder:
        """Sort the rows; those of a pair keep the order that SciPy adds them in."""
        from scipy import sparse

        n_rows = len(users)
        fits = max(*shape, n_rows) <= np.iinfo(np.int32).max
        index = np.int32 if fits else np.int64
        codes = users.astype(index), items.astype(index)
        table = sparse.coo_array((np.arange(n_rows, dtype=index), codes), shape=shape)
        table.has_canonical_format = True  # otherwise SciPy would sum duplicates
        rows = table.tocsr()
        rows.sort_indices()
        begins = begins_run(rows.indices)
        begins[rows.indptr[:-1][sizes_of(rows.indptr) > 0]] = True
        pair, first = np.cumsum(begins) - 1, np.flatnonzero(begins)
        n_before = np.append(0, np.cumsum(begins))[rows.indptr]
        return cls(
            rows.data, pair, first, rows.indices[first], n_before.astype(index), shape
        )

    def sums(self, values: np.ndarray) -> sparse.csr_array:
        """Return the sums of a value per row, users × items."""
        from scipy import sparse

        total = np.bincount(self.pair, values[self.rows], len(self.first))
        # Copies, so that a change of a matrix in place does not change the log.
        entries = total, self.indices.copy(), self.indptr.copy()
        return sparse.csr_array(entries, shape=self.shape)

    def largest(self, values: np.ndarray) -> np.ndarray:
        """Return the largest value of the rows of each pair."""
        return np.maximum.reduceat(values[self.rows], self.first)
