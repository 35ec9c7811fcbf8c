"""Rows: every form of input, with the rows of each query one after the other.

They are read slice by slice, so that neither a sparse matrix is filled in nor an array
reordered as a whole.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sklearn_rank._arrays._runs import sizes_of
from sklearn_rank._ids._encode import Groups
from sklearn_rank._ranking._queries import Queries, SideColumn

# Places of some rows in a slice, ascending, and their grades.
PlacesAndGrades = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows(ABC):
    """Rows by query; query i has rows starts[i]:starts[i + 1]."""

    queries: Queries
    starts: np.ndarray
    score: np.ndarray
    n_missed: np.ndarray | None  # rows of each query that were not retrieved, if any
    max_grade: float  # 0 if there is no grade
    min_grade: float = 0.0  # 0 where a row is not judged, or a cell not stored
    never_pooled: np.ndarray | None = None  # places in the input, ascending, if known
    columns: Mapping[str, SideColumn] = field(default_factory=dict)  # beside the input

    def n_items(self, first: int, last: int) -> np.ndarray:
        """Return the number of items of queries first, ..., last - 1."""
        return sizes_of(self.starts[first : last + 1])

    def scores(self, part: slice) -> np.ndarray:
        """Return the scores of a slice of rows."""
        return self.score[part]

    @abstractmethod
    def grades(self, part: slice) -> np.ndarray:
        """Return the grades of a slice of rows."""

    def nonzero(self, part: slice) -> PlacesAndGrades:
        """Return the rows of a slice that have a grade other than 0."""
        if self.min_grade > 0:
            return self.every(part)
        grades = self.grades(part)
        places = (grades != 0).nonzero()[0]
        return places, grades if len(places) == len(grades) else grades[places]

    def every(self, part: slice) -> PlacesAndGrades:
        """Return all rows of a slice."""
        grades = self.grades(part)
        return np.arange(len(grades)), grades

    def origin(self, rows: np.ndarray) -> np.ndarray:
        """Return the places of rows in the (flattened) input."""
        return rows

    def scattered(self) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Return score, grade and query of rows that lie anywhere (None: together)."""
        return None


@dataclass(frozen=True, eq=False, kw_only=True)
class ArrayRows(Rows):
    """Rows of a query lie together: sorted columns, or a dense grid row by row."""

    grade: np.ndarray

    def grades(self, part: slice) -> np.ndarray:
        """Return the grades of a slice of rows."""
        return self.grade[part]


@dataclass(frozen=True, eq=False, kw_only=True)
class ScatteredRows(Rows):
    """Rows of a query lie anywhere; score, grade and `groups` are in the input's order."""

    grade: np.ndarray
    groups: Groups

    def scores(self, part: slice) -> np.ndarray:
        """Return the scores of a slice of rows."""
        return self.score[self.groups.order[part]]

    def grades(self, part: slice) -> np.ndarray:
        """Return the grades of a slice of rows."""
        return self.grade[self.groups.order[part]]

    def origin(self, rows: np.ndarray) -> np.ndarray:
        """Return the places of rows in the input."""
        return self.groups.order[rows]

    def scattered(self) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Return score, grade and query of the rows, which may be ranked by one sort."""
        assert self.groups.of_row is not None
        return self.score, self.grade, self.groups.of_row


@dataclass(frozen=True, eq=False, kw_only=True)
class SparseGradeRows(Rows):
    """A dense grid of scores with a sparse one of grades, none of them a stored 0."""

    grade: Any  # CSR

    def grades(self, part: slice) -> np.ndarray:
        """Return the grades of whole queries."""
        return self.grade[self._queries(part)].toarray().ravel()

    def nonzero(self, part: slice) -> PlacesAndGrades:
        """Return the stored cells of whole queries."""
        queries = self._queries(part)
        return cells_of(self.grade, queries.start, queries.stop)

    def _queries(self, part: slice) -> slice:
        n_items = self.grade.shape[1]
        return slice(part.start // n_items, part.stop // n_items)


@dataclass(frozen=True, eq=False, kw_only=True)
class StoredRows(ArrayRows):
    """Cells of a sparse grid that have a score or a grade; a query has more items."""

    cells: np.ndarray  # of each row: its place in the flattened grid
    n_columns: int

    def n_items(self, first: int, last: int) -> np.ndarray:
        """Return the number of items of queries first, ..., last - 1."""
        return np.full(last - first, self.n_columns)

    def origin(self, rows: np.ndarray) -> np.ndarray:
        """Return the places of rows in the flattened grid."""
        return self.cells[rows]


def cells_of(stored: Any, first: int, last: int) -> PlacesAndGrades:
    """Return the flat position in these rows and the value of each stored cell."""
    ends = stored.indptr[first : last + 1]
    part = slice(ends[0], ends[-1])
    row = np.repeat(np.arange(last - first), sizes_of(ends))
    return row * stored.shape[1] + stored.indices[part], stored.data[part]
