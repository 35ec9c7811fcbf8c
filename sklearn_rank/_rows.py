"""Rows: every form of input, checked, with the rows of each query lying together."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._labels import group_rows
from sklearn_rank._validation import (
    as_numbers,
    check_flat_input,
    check_grades,
    check_grid_input,
    check_query_weight,
    check_row_weight,
    check_scores,
)

__all__ = ["Rows", "group_input"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows by query; query i has rows starts[i]:starts[i + 1].

    They come slice by slice, so that neither a sparse matrix is filled in nor an array
    reordered as a whole.
    """

    grades_of: Callable[[slice], np.ndarray]
    scores_of: Callable[[slice], np.ndarray]
    starts: np.ndarray
    n_missed: np.ndarray | None  # rows of each query that were not retrieved, if any
    labels: np.ndarray  # of each query, in the order of the results
    largest: float  # grade, 0 if there is none
    label_order: np.ndarray | None = None  # queries in the order of `labels`
    weight: np.ndarray | None = None  # of each query, in the order of `labels`
    origin: np.ndarray | None = None  # of each row: its place in the input
    n_items: np.ndarray | None = None  # where a query has more items than rows
    stored: Any = None  # sparse grades of a grid, where they are

    @property
    def n_queries(self) -> int:
        """The number of queries."""
        return len(self.starts) - 1

    @cached_property
    def query_labels(self) -> np.ndarray:
        """The label of each query, in the order of the rows."""
        if self.label_order is None:
            return self.labels
        by_query = np.empty_like(self.labels)
        by_query[self.label_order] = self.labels
        return by_query

    def graded_of(self, rows: slice) -> tuple[np.ndarray, np.ndarray]:
        """Return the places in the slice that have a grade, and their grades."""
        if self.stored is None:
            grades = self.grades_of(rows)
            places = np.flatnonzero(grades != 0)
            return places, grades[places]
        n_items = self.stored.shape[1]
        part = self.stored[rows.start // n_items : rows.stop // n_items]
        query = np.repeat(np.arange(part.shape[0]), np.diff(part.indptr))
        return query * n_items + part.indices, part.data


def group_input(
    y_true: Any, y_score: Any, groups: Any, sample_weight: Any, *, judged_for: str
) -> Rows:
    """Return the rows of flat (1-D with groups) or grid (2-D) input."""
    truth, score = as_numbers(y_true, "y_true"), as_numbers(y_score, "y_score")
    check_grades(truth.data if sparse.issparse(truth) else truth, judged_for=judged_for)
    check_scores(score.data if sparse.issparse(score) else score)
    if groups is not None or truth.ndim == 1:
        return _flat_rows(truth, score, groups, sample_weight)
    check_grid_input(truth, score)
    weight = check_query_weight(sample_weight, score.shape[0])
    if sparse.issparse(score):
        return _stored_rows(truth, score, weight)
    return _grid_rows(truth, score, weight)


def _largest(truth: np.ndarray) -> float:
    return float(np.fmax.reduce(truth, axis=None, initial=0))


def _flat_rows(
    truth: np.ndarray, score: np.ndarray, groups: Any, sample_weight: Any
) -> Rows:
    truth, score = check_flat_input(truth, score, groups)
    labels, starts, order, label_order = group_rows(groups, n_rows=len(truth))

    def of(values: np.ndarray) -> Callable[[slice], np.ndarray]:
        if order is None:
            return values.__getitem__
        return lambda rows: values[order[rows]]

    return Rows(
        of(truth),
        of(score),
        starts,
        _count_missed(score, starts, order),
        labels,
        _largest(truth),
        label_order,
        check_row_weight(sample_weight, starts, order, labels, label_order),
        origin=order,
    )


def _grid_rows(truth: Any, score: np.ndarray, weight: np.ndarray | None) -> Rows:
    n_queries, n_items = score.shape
    starts = np.arange(n_queries + 1) * n_items
    stored = _without_zeros(truth) if sparse.issparse(truth) else None

    def grades_of(rows: slice) -> np.ndarray:
        part = slice(rows.start // n_items, rows.stop // n_items)
        return truth[part].ravel() if stored is None else stored[part].toarray().ravel()

    score = score.ravel()
    return Rows(
        grades_of,
        score.__getitem__,
        starts,
        _count_missed(score, starts),
        np.arange(n_queries),
        _largest(truth if stored is None else stored.data),
        weight=weight,
        stored=stored,
    )


def _without_zeros(matrix: Any) -> Any:
    """Return a sparse matrix as sorted CSR without stored zeros, as a copy."""
    stored = sparse.csr_array(matrix, copy=True)
    stored.sum_duplicates()
    stored.eliminate_zeros()
    return stored


def _stored_rows(truth: Any, score: Any, weight: np.ndarray | None) -> Rows:
    """Return a row for each stored score, and for each grade that has none."""
    n_queries, n_items = score.shape
    graded, grade = _stored_cells(truth)
    scored, score = _stored_cells(score)
    # What is relevant and has no score was not retrieved.
    missed = np.setdiff1d(graded[grade != 0], scored, assume_unique=True)
    cells = np.r_[scored, missed]
    order = np.argsort(cells, kind="stable")
    cells = cells[order]
    if len(missed):
        # Integers as their ranks: as floats large ones would be rounded.
        score = (
            np.unique(score, return_inverse=True)[1] if score.dtype.kind != "f" else score
        )
        score = np.r_[score, np.full(len(missed), -np.inf)]
    score = score[order]
    grades = np.zeros(len(cells))
    is_graded = np.isin(cells, graded, assume_unique=True)
    grades[is_graded] = grade[np.searchsorted(graded, cells[is_graded])]
    starts = np.searchsorted(cells, np.arange(n_queries + 1) * n_items)
    return Rows(
        grades.__getitem__,
        score.__getitem__,
        starts,
        _count_missed(score, starts),
        np.arange(n_queries),
        _largest(grade),
        weight=weight,
        origin=cells,
        n_items=np.full(n_queries, n_items),
    )


def _stored_cells(matrix: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the flat position and the value of each stored cell, in order."""
    stored = sparse.csr_array(matrix, copy=True)
    stored.sum_duplicates()  # sorts the columns of each row, too
    row = np.repeat(np.arange(stored.shape[0]), np.diff(stored.indptr))
    return row * stored.shape[1] + stored.indices, stored.data


def _count_missed(
    score: np.ndarray, starts: np.ndarray, order: np.ndarray | None = None
) -> np.ndarray | None:
    """Return how many rows of each query were not retrieved: those that score -inf."""
    if score.dtype.kind != "f" or score.min(initial=0) > -np.inf:
        return None
    is_missed = score == -np.inf
    before = np.r_[0, np.cumsum(is_missed if order is None else is_missed[order])]
    return np.diff(before[starts])
