"""Rows: every form of input, checked, with the rows of each query lying together."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from sklearn_rank._judgments import Judgments, read_judgments
from sklearn_rank._labels import Groups, group_rows
from sklearn_rank._numbers import exact_as_floats
from sklearn_rank._runs import sizes_of
from sklearn_rank._stored import without_zeros
from sklearn_rank._validation import (
    as_numbers,
    check_flat_input,
    check_grades,
    check_grid_input,
    check_missing,
    check_query_weight,
    check_scores,
    check_weights,
)

__all__ = ["Rows", "group_input"]


class Scattered(NamedTuple):
    """Rows whose queries do not lie together, as they were given."""

    score: np.ndarray
    grade: np.ndarray
    query: np.ndarray


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows by query; query i has rows starts[i]:starts[i + 1].

    They come slice by slice, so that neither a sparse matrix is filled in nor an array
    reordered as a whole.
    """

    graded_of: Callable[[slice], tuple[np.ndarray, np.ndarray]]  # places in it, grades
    scores_of: Callable[[slice], np.ndarray]
    starts: np.ndarray
    n_missed: np.ndarray | None  # rows of each query that were not retrieved, if any
    labels: np.ndarray  # of each query, in the order of the results
    largest: float  # grade, 0 if there is none
    label_order: np.ndarray | None = None  # queries in the order of `labels`
    weight: np.ndarray | None = None  # of each query, in the order of `labels`
    origin_of: Callable[[np.ndarray], np.ndarray] | None = None  # places in the input
    n_items: np.ndarray | None = None  # where a query has more items than rows
    scattered: Scattered | None = None  # the rows as given, where they have to be ordered
    never_pooled: np.ndarray | None = None  # places in the input, ascending, if known

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


def group_input(
    y_true: Any,
    y_score: Any,
    groups: Any,
    sample_weight: Any,
    *,
    judged_for: str,
    judgments_for: str = "",
) -> Rows:
    """Return the rows of flat (1-D with groups) or grid (2-D) input.

    `judged_for` names metrics that need every row judged, `judgments_for` those that
    need to know which rows are judged.
    """
    truth = as_numbers(y_true, "y_true", or_sparse=True)
    score = as_numbers(y_score, "y_score", or_sparse=True)
    is_flat = groups is not None or truth.ndim == 1
    if is_flat:
        truth, score = check_flat_input(truth, score, groups)
    else:
        check_grid_input(truth, score)
    is_meant = isinstance(y_true, Judgments)
    largest = check_grades(_values(truth), judged_for="" if is_meant else judged_for)
    lowest = check_scores(_values(score))
    if not judgments_for:
        return _rows(truth, score, groups, sample_weight, largest, lowest)
    truth, never_pooled = read_judgments(truth, judgments_for, is_meant=is_meant)
    rows = _rows(truth, score, groups, sample_weight, largest, lowest)
    return replace(rows, never_pooled=never_pooled)


def _rows(
    truth: Any,
    score: Any,
    groups: Any,
    sample_weight: Any,
    largest: float,
    lowest: float,
) -> Rows:
    if truth.ndim == 1:
        return _flat_rows(truth, score, groups, sample_weight, largest, lowest)
    weight = check_query_weight(sample_weight, score.shape[0])
    if sparse.issparse(score):
        return _stored_rows(truth, score, weight, largest)
    return _grid_rows(truth, score, weight, largest, lowest)


def _values(matrix: Any) -> np.ndarray:
    return matrix.data if sparse.issparse(matrix) else matrix


def _flat_rows(
    truth: np.ndarray,
    score: np.ndarray,
    groups: Any,
    sample_weight: Any,
    largest: float,
    lowest: float,
) -> Rows:
    found = group_rows(groups, n_rows=len(truth))
    rows = Rows(
        _graded(truth.__getitem__),
        score.__getitem__,
        found.starts,
        _count_missed(score, lowest, found.starts, found.of_row),
        found.labels,
        largest,
        label_order=found.label_order,
        weight=_weight_by_label(sample_weight, found),
    )
    if found.of_row is None:
        return rows
    return replace(
        rows,
        # Where all rows can be ranked at once, nobody asks for their order.
        graded_of=_graded(lambda places: truth[found.order[places]]),
        scores_of=lambda places: score[found.order[places]],
        origin_of=lambda places: found.order[places],
        scattered=Scattered(score, truth, found.of_row),
    )


def _weight_by_label(sample_weight: Any, groups: Groups) -> np.ndarray | None:
    """Return one weight a query, in the order of the labels, from weights a row."""
    if sample_weight is None:
        return None
    by_row = as_numbers(sample_weight, "sample_weight")
    starts = groups.starts
    if by_row.shape != (starts[-1],):
        raise ValueError(
            f"`sample_weight` needs one weight a row, shape ({starts[-1]},), the same for "
            f"all rows of a query, got shape {by_row.shape}."
        )
    check_missing("sample_weight", np.isnan(by_row))
    by_row = by_row if groups.of_row is None else by_row[groups.order]
    weight = by_row[starts[:-1]]
    differs = by_row != np.repeat(weight, np.diff(starts))
    by_label = slice(None) if groups.label_order is None else groups.label_order
    if differs.any():
        query = np.searchsorted(starts, np.argmax(differs), side="right") - 1
        label = groups.labels[np.argmax(np.arange(len(weight))[by_label] == query)]
        raise ValueError(
            f"`sample_weight` is one weight a query, but it differs within query {label}"
            f" ({weight[query]} and {by_row[np.argmax(differs)]}); give all rows of a "
            "query the same weight."
        )
    return check_weights(weight[by_label])


def _grid_rows(
    truth: Any, score: np.ndarray, weight: np.ndarray | None, largest: float, lowest: float
) -> Rows:
    n_queries, n_items = score.shape
    starts = np.arange(n_queries + 1) * n_items
    score = score.ravel()
    if sparse.issparse(truth):
        graded_of = _graded_cells(without_zeros(truth))
    else:
        graded_of = _graded(truth.ravel().__getitem__)
    return Rows(
        graded_of,
        score.__getitem__,
        starts,
        _count_missed(score, lowest, starts),
        np.arange(n_queries),
        largest,
        weight=weight,
    )


def _graded(
    grades_of: Callable[[slice], np.ndarray],
) -> Callable[[slice], tuple[np.ndarray, np.ndarray]]:
    """Return a function of a slice: the places in it that have a grade, and the grades."""

    def graded_of(rows: slice) -> tuple[np.ndarray, np.ndarray]:
        grades = grades_of(rows)
        places = (grades != 0).nonzero()[0]
        return places, grades[places]

    return graded_of


def _graded_cells(truth: Any) -> Callable[[slice], tuple[np.ndarray, np.ndarray]]:
    """Return the same for the cells of a sparse matrix, whole rows of it at a time."""
    n_items = truth.shape[1]

    def graded_of(cells: slice) -> tuple[np.ndarray, np.ndarray]:
        return _cells(truth, cells.start // n_items, cells.stop // n_items)

    return graded_of


def _cells(stored: Any, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the flat position in these rows and the value of each stored cell."""
    ends = stored.indptr[first : last + 1]
    part = slice(ends[0], ends[-1])
    row = np.repeat(np.arange(last - first), sizes_of(ends))
    return row * stored.shape[1] + stored.indices[part], stored.data[part]


def _stored_rows(truth: Any, score: Any, weight: np.ndarray | None, largest: float) -> Rows:
    """Return a row for each stored score, and for each grade that has none."""
    n_queries, n_items = score.shape
    truth = truth if sparse.issparse(truth) else sparse.csr_array(truth)
    graded, grade = _cells(truth, 0, n_queries)
    scored, score = _cells(score, 0, n_queries)
    # What is relevant and has no score was not retrieved.
    missed = np.setdiff1d(graded[grade != 0], scored, assume_unique=True)
    cells = np.r_[scored, missed]
    order = np.argsort(cells, kind="stable")
    cells = cells[order]
    if len(missed):
        score = score if score.dtype.kind == "f" else exact_as_floats(score)
        score = np.r_[score, np.full(len(missed), -np.inf)]
    score = score[order]
    grades = np.zeros(len(cells))
    is_graded = np.isin(cells, graded, assume_unique=True)
    grades[is_graded] = grade[np.searchsorted(graded, cells[is_graded])]
    starts = np.searchsorted(cells, np.arange(n_queries + 1) * n_items)
    return Rows(
        _graded(grades.__getitem__),
        score.__getitem__,
        starts,
        _count_missed(score, score.min(initial=0), starts),
        np.arange(n_queries),
        largest,
        weight=weight,
        origin_of=cells.__getitem__,
        n_items=np.full(n_queries, n_items),
    )


def _count_missed(
    score: np.ndarray, lowest: float, starts: np.ndarray, query: np.ndarray | None = None
) -> np.ndarray | None:
    """Return how many rows of each query were not retrieved: those that score -inf."""
    if lowest > -np.inf:
        return None
    missed = np.flatnonzero(score == -np.inf)
    if query is not None:
        return np.bincount(query[missed], minlength=len(starts) - 1)
    return sizes_of(missed.searchsorted(starts))
