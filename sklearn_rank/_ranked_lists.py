"""RankedLists: every form of input as one sorted record, the only form a metric sees.

A row that is not relevant at all (grade 0) adds nothing to any metric but the place it
takes. The record therefore keeps the graded rows alone, each with the number of rows ranked
above it and the number of rows that tie with it; sizes per query stand for the rest.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._labels import group_rows
from sklearn_rank._sorting import SortedChunk, sort_within, sorted_chunks
from sklearn_rank._validation import (
    as_numbers,
    check_flat_input,
    check_grades,
    check_grid_input,
    check_option,
    check_query_weight,
    check_row_weight,
    check_scores,
)

__all__ = ["Places", "RankedLists", "rank_lists"]

TIES = ("average", "worst", "best", "first")


@dataclass(frozen=True, eq=False)
class Places:
    """The ranks that relevant rows hold or, where they tie, may hold.

    A block is a set of rows of one query and one score with at least one relevant row; a
    place is one of the ranks it covers, as far as the cutoff. Without ties each relevant
    row is a block with one place. All orders of a block are equally likely, so each of its
    places expects the same share of what its rows are worth.
    """

    query: np.ndarray  # of each place
    rank: np.ndarray  # of each place, from 1
    block: np.ndarray  # of each place
    offset: np.ndarray  # of each place: how many places of its block lie above it
    size: np.ndarray  # of each block: rows, relevant or not
    n_hits: np.ndarray  # of each block: relevant rows
    hits_above: np.ndarray  # of each block: relevant rows of its query in blocks above
    rows: np.ndarray  # graded rows that are in a block
    row_block: np.ndarray  # the block of each of these rows

    def share(self, values: np.ndarray) -> np.ndarray:
        """Return the expected value at each place, given a value for each graded row."""
        if len(self.rows) == len(self.size) == len(self.query):
            return values[self.rows] / self.size
        total = np.bincount(self.row_block, values[self.rows], len(self.size))
        return (total / self.size)[self.block]


@dataclass(frozen=True, eq=False)
class RankedLists:
    """Queries, their sizes, and their graded rows by query and by rank.

    Rows that were not retrieved stand last in their query, as a block that begins after
    the last retrieved row.
    """

    labels: np.ndarray  # of each query, in the order of the results
    n_items: np.ndarray  # rows of each query, retrieved or not
    n_retrieved: np.ndarray  # rows of each query that were retrieved
    query: np.ndarray  # of each graded row
    grade: np.ndarray  # of each graded row, > 0
    above: np.ndarray  # of each graded row: rows of its query with a higher score
    tied: np.ndarray  # of each graded row: rows of its query with the same score
    weight: np.ndarray | None = None  # of each query, in the order of `labels`
    label_order: np.ndarray | None = None  # queries in the order of `labels`
    _known: dict = field(default_factory=dict, repr=False)

    def by_label(self, values: np.ndarray) -> np.ndarray:
        """Return values per query in the order of `labels`."""
        return values if self.label_order is None else values[self.label_order]

    def sum(self, query: np.ndarray, values: np.ndarray | None = None) -> np.ndarray:
        """Return the sum of values (None: of ones) per query."""
        return np.bincount(query, values, len(self.n_items))

    def is_relevant(self, min_relevance: float | None = None) -> np.ndarray:
        """Return which graded rows are relevant."""
        if min_relevance is None:
            return np.ones(len(self.grade), dtype=bool)
        return self.grade >= min_relevance

    def n_relevant(self, min_relevance: float | None = None) -> np.ndarray:
        """Return the number of relevant rows per query, retrieved or not."""
        return self._once(
            ("n_relevant", min_relevance),
            lambda: self.sum(self.query[self.is_relevant(min_relevance)]),
        )

    def cutoff(self, k: int | None) -> np.ndarray | int:
        """Return k or, for the whole list, the number of retrieved rows per query."""
        return np.maximum(self.n_retrieved, 1) if k is None else k

    def places(self, k: int | None = None, min_relevance: float | None = None) -> Places:
        """Return the places of relevant rows among the first k ranks."""
        return self._once(
            ("places", k, min_relevance), lambda: self._find_places(k, min_relevance)
        )

    def ideal_order(self, worth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return graded rows by query and descending worth, and the rank of each."""
        starts = np.r_[0, np.cumsum(self.n_relevant())]
        order = sort_within(worth, starts)
        return order, np.arange(1, len(order) + 1) - starts[self.query[order]]

    def _once(self, key: tuple, derive: Callable[[], Any]) -> Any:
        if key not in self._known:
            self._known[key] = derive()
        return self._known[key]

    def _find_places(self, k: int | None, min_relevance: float | None) -> Places:
        is_hit = self.is_relevant(min_relevance)
        in_reach = self.above < self.n_retrieved[self.query]
        if k is not None:
            in_reach &= self.above < k
        rows = np.flatnonzero(is_hit & in_reach)
        starts = np.r_[0, np.cumsum(self.n_relevant(min_relevance))]
        hits_before = np.cumsum(is_hit)[rows] - 1 - starts[self.query[rows]]
        if not (self.tied[rows] > 1).any():
            return self._untied_places(rows, hits_before)
        return self._tied_places(rows, hits_before, k)

    def _untied_places(self, rows: np.ndarray, hits_before: np.ndarray) -> Places:
        each = np.arange(len(rows))
        one = np.ones(len(rows), dtype=np.intp)
        query, rank = self.query[rows], self.above[rows] + 1
        zero = np.zeros(len(rows), dtype=np.intp)
        return Places(query, rank, each, zero, one, one, hits_before, rows, each)

    def _tied_places(
        self, rows: np.ndarray, hits_before: np.ndarray, k: int | None
    ) -> Places:
        query, above = self.query[rows], self.above[rows]
        begins = np.r_[True, (np.diff(query) != 0) | (np.diff(above) != 0)]
        first = np.flatnonzero(begins)
        size = self.tied[rows][first]
        length = size if k is None else np.minimum(size, k - above[first])
        block = np.repeat(np.arange(len(first)), length)
        offset = np.arange(len(block)) - np.repeat(np.cumsum(length) - length, length)
        return Places(
            query=query[first][block],
            rank=above[first][block] + offset + 1,
            block=block,
            offset=offset,
            size=size,
            n_hits=np.diff(np.r_[first, len(rows)]),
            hits_above=hits_before[first],
            rows=rows,
            row_block=np.cumsum(begins) - 1,
        )


def rank_lists(
    y_true: Any,
    y_score: Any,
    groups: Any = None,
    *,
    ties: str = "average",
    sample_weight: Any = None,
) -> RankedLists:
    """Return the record of flat (1-D with groups) or grid (2-D) input."""
    check_option("ties", ties, TIES)
    truth, score = as_numbers(y_true, "y_true"), as_numbers(y_score, "y_score")
    if groups is not None or truth.ndim == 1:
        return _rank_flat(truth, score, groups, ties, sample_weight)
    check_grid_input(truth, score)
    if sparse.issparse(score):
        return _rank_sparse_scores(truth, score, ties, sample_weight)
    return _rank_grid(truth, score, ties, sample_weight)


def _rank_flat(
    truth: np.ndarray, score: np.ndarray, groups: Any, ties: str, sample_weight: Any
) -> RankedLists:
    truth, score = check_flat_input(truth, score, groups)
    labels, starts, order, label_order = group_rows(groups, n_rows=len(truth))
    weight = check_row_weight(sample_weight, starts, order, labels, label_order)
    check_grades(truth)
    check_scores(score)
    if order is not None:
        truth, score = truth[order], score[order]
    return _rank_rows(truth.__getitem__, score, starts, ties, labels, weight, label_order)


def _rank_grid(truth: Any, score: np.ndarray, ties: str, sample_weight: Any) -> RankedLists:
    n_queries, n_items = score.shape
    check_grades(truth.data if sparse.issparse(truth) else truth)
    check_scores(score)
    weight = check_query_weight(sample_weight, n_queries)

    def grades_of(rows: slice) -> np.ndarray:
        part = truth[rows.start // n_items : rows.stop // n_items]
        return (part.toarray() if sparse.issparse(part) else part).ravel()

    truth = sparse.csr_array(truth) if sparse.issparse(truth) else truth
    starts = np.arange(n_queries + 1) * n_items
    return _rank_rows(grades_of, score.ravel(), starts, ties, np.arange(n_queries), weight)


def _rank_sparse_scores(
    truth: Any, score: Any, ties: str, sample_weight: Any
) -> RankedLists:
    n_queries, n_items = score.shape
    weight = check_query_weight(sample_weight, n_queries)
    check_grades(truth.data if sparse.issparse(truth) else truth)
    check_scores(score.data)
    cell, grade = _stored_cells(truth)
    kept, score = _stored_cells(score)
    # Relevant cells without a score become rows that were not retrieved.
    missed = np.setdiff1d(cell[grade > 0], kept, assume_unique=True)
    cells = np.r_[kept, missed]
    rows = np.argsort(cells, kind="stable")
    score = np.r_[score, np.full(len(missed), -np.inf)][rows]
    grades = np.zeros(len(rows))
    known = np.isin(cells[rows], cell, assume_unique=True)
    grades[known] = grade[np.searchsorted(cell, cells[rows][known])]
    starts = np.searchsorted(cells[rows], np.arange(n_queries + 1) * n_items)
    lists = _rank_rows(
        grades.__getitem__, score, starts, ties, np.arange(n_queries), weight
    )
    return replace(lists, n_items=np.full(n_queries, n_items))


def _stored_cells(matrix: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the flat position and the value of each stored cell, in order."""
    stored = sparse.coo_array(sparse.csr_array(matrix))
    stored.sum_duplicates()  # sorts by column, then by row
    row, column = stored.coords
    cell = row.astype(np.int64) * matrix.shape[1] + column
    order = np.argsort(cell)
    return cell[order], stored.data[order]


def _rank_rows(
    grades_of: Callable[[slice], np.ndarray],
    score: np.ndarray,
    starts: np.ndarray,
    ties: str,
    labels: np.ndarray,
    weight: np.ndarray | None,
    label_order: np.ndarray | None = None,
) -> RankedLists:
    """Rank rows that lie together by query; `grades_of` gives the grades of a slice."""
    parts = [
        _graded_rows(chunk, grades_of(chunk.rows), starts)
        for chunk in sorted_chunks(score, starts)
    ]
    query, grade, above, tied, place = map(np.concatenate, zip(*parts, strict=True))
    n_items = np.diff(starts)
    n_retrieved = n_items - _count_not_retrieved(score, starts)
    above, tied, grade = _settle_ties(
        ties, query, grade, above, tied, place, is_retrieved=above < n_retrieved[query]
    )
    return RankedLists(
        labels=labels,
        n_items=n_items,
        n_retrieved=n_retrieved,
        query=query,
        grade=grade.astype(np.float64),
        above=above,
        tied=tied,
        weight=weight,
        label_order=label_order,
    )


def _graded_rows(
    chunk: SortedChunk, grades: np.ndarray, starts: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return query, grade, rows above, rows tied, and place of each graded row."""
    ranked = grades[chunk.order]
    graded = np.flatnonzero(ranked)
    query = chunk.query[graded]
    first_row = starts[query] - chunk.rows.start
    place = graded - first_row
    if chunk.repeats is None:
        return query, ranked[graded], place, np.ones(len(graded), dtype=np.intp), place
    begins = np.flatnonzero(~chunk.repeats)
    block = (np.cumsum(~chunk.repeats) - 1)[graded]
    size = np.diff(np.r_[begins, len(ranked)])
    return query, ranked[graded], begins[block] - first_row, size[block], place


def _count_not_retrieved(score: np.ndarray, starts: np.ndarray) -> np.ndarray | int:
    if score.dtype.kind != "f" or score.min(initial=0) > -np.inf:
        return 0
    rows = np.flatnonzero(score == -np.inf)
    query = np.searchsorted(starts, rows, side="right") - 1
    return np.bincount(query, minlength=len(starts) - 1)


def _settle_ties(
    ties: str,
    query: np.ndarray,
    grade: np.ndarray,
    above: np.ndarray,
    tied: np.ndarray,
    place: np.ndarray,
    *,
    is_retrieved: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return above, tied and grade with tied rows in the order that `ties` asks for."""
    rows = np.flatnonzero((tied > 1) & is_retrieved)
    if len(rows) == 0:
        return above, tied, grade
    above, tied, grade = above.copy(), tied.copy(), grade.astype(np.float64)
    if ties == "first":
        above[rows], tied[rows] = place[rows], 1
        return above, tied, grade
    begins = np.r_[True, np.diff(query[rows]) != 0] | np.r_[True, np.diff(above[rows]) != 0]
    starts = np.r_[np.flatnonzero(begins), len(rows)]
    # An order by grade for "average" too, so that sums do not depend on the input's order.
    worth = -grade[rows] if ties == "worst" else grade[rows]
    grade[rows] = grade[rows][sort_within(worth, starts)]
    if ties == "average":
        return above, tied, grade
    n_graded = np.repeat(np.diff(starts), np.diff(starts))
    index = np.arange(len(rows)) - np.repeat(starts[:-1], np.diff(starts))
    above[rows] += index if ties == "best" else tied[rows] - n_graded + index
    tied[rows] = 1
    return above, tied, grade
