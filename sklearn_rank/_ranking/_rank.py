"""Rank all queries of an input, block by block."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._base._runs import LIST_CELLS, RANKED_ROWS, lower_bounds, sizes_of
from sklearn_rank._ranking._keys import (
    RankedRows,
    rank_grouped_rows,
    rank_run,
    rank_scattered_rows,
)
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank._ranking._rows import Rows
from sklearn_rank._ranking._ties import order_ties

# The first ranks of long lists of equal length, without a sort of the rest.
#
# One reading of a list finds a floor that is no higher than its `depth`-th highest score.
# So what is below the floor is below the first ranks. What is not is ranked as if there
# were no other rows: hardly more than `depth` of each list, unless many tie.
#
# Rows below are not ranked. Their grades count in ideal orders and in numbers of relevant
# rows, so all rows with a grade are kept beside the first ranks, as they are in the input.

# Lists this many times as long as what is asked of them are not worth sorting. To look at
# a list at all takes as long as some more ranks.
_LONG = 4
_RANKS_OF_A_LOOK = 5
# With so many times more rows at the floor than needed, those without a grade are counted.
_CROWDED = 2


def has_long_lists(starts: np.ndarray, depth: int) -> bool:
    """Return whether lists have one length, and much more than `depth`."""
    length, worth_it = starts[1] - starts[0], _LONG * (depth + _RANKS_OF_A_LOOK)
    return bool(length > worth_it and (sizes_of(starts) == length).all())


class GradedRows(NamedTuple):
    """All rows with a grade of some queries, by query and in the order of the rows."""

    sizes: np.ndarray  # rows of each query
    grade: np.ndarray
    row: np.ndarray  # among the rows by query, not in the input


def rank_first_places(
    rows: Rows, depth: int, *, every_row: bool = False
) -> Iterator[tuple[int, int, RankedRows, GradedRows]]:
    """Yield (first, last, their first ranks, their rows with a grade) of some queries.

    The first ranks are those of rows with a grade, or with `every_row` of all rows: the
    first `depth` ranks of each query, and hardly more. Ties are in no order.
    """
    starts = rows.starts
    length = int(starts[1] - starts[0])
    n_lists = max(LIST_CELLS // length, 1)
    for first in range(0, len(starts) - 1, n_lists):
        last = min(first + n_lists, len(starts) - 1)
        part = slice(int(starts[first]), int(starts[last]))
        scores = rows.scores(part).reshape(last - first, length)
        floor = _list_floors(scores, depth)
        cells, grades = rows.nonzero(part)
        ends = starts[first : last + 1] - part.start
        grade = grades  # of all cells
        if len(cells) < scores.size:
            grade = np.zeros(scores.size, dtype=grades.dtype)
            grade[cells] = grades
        asked = None if every_row else depth
        query, row, *columns = _rank_high(scores, floor, grade, ends, asked)
        ranked = RankedRows(query + first, row + part.start, *columns)
        sizes = sizes_of(cells.searchsorted(ends))
        yield first, last, ranked, GradedRows(sizes, grades, cells + part.start)


def _rank_high(
    scores: np.ndarray,
    floor: np.ndarray,
    grade: np.ndarray,
    ends: np.ndarray,
    depth: int | None,
) -> RankedRows:
    """Return the ranks of cells at the floor of their list or above.

    These are the cells that have a grade, or all (`depth` None).
    """
    high, n_at_floor = np.flatnonzero(scores >= floor[:, None]), None
    score = scores.ravel()[high]
    if depth is not None and len(high) > _CROWDED * depth * len(floor):
        query = high // scores.shape[1]
        is_at_floor = score == floor[query]
        n_at_floor = np.bincount(query[is_at_floor], minlength=len(floor))
        keeps = ~is_at_floor | (grade[high] != 0)
        high, score = high[keeps], score[keeps]
    asked = np.arange(len(high)) if depth is None else grade[high].nonzero()[0]
    query, place, above, tied, _, _ = rank_run(score, asked, high.searchsorted(ends))
    if n_at_floor is not None:
        tied = np.where(score[place] == floor[query], n_at_floor[query], tied)
    row = high[place]
    return RankedRows(query, row, above, tied, above, grade[row])


def _list_floors(scores: np.ndarray, depth: int) -> np.ndarray:
    """Return a score for each list that `depth` of its scores reach, if so many can.

    What was not retrieved, -inf, does not reach it.
    """
    floor = lower_bounds(scores, depth, int(np.sqrt(scores.shape[1] * depth)))
    if scores.dtype.kind != "f":
        return floor
    return np.maximum(floor, np.finfo(scores.dtype).min)


class RankedPart(NamedTuple):
    """Queries first, ..., last - 1, counted from 0, and their ranked rows."""

    first: int
    last: int
    ranked: RankedRows
    graded: GradedRows | None = None  # all with a grade, if only the first ranks were found


@dataclass(eq=False)
class RankedChunk:
    """Some queries of an input, ranked by one sort, and the views that metrics have."""

    rows: Rows
    first: int
    last: int
    ranked: RankedRows
    graded: GradedRows | None  # if None, they are among the ranked rows
    ties: str
    depth: int | None  # ranks below were not worked out
    cutoff: int | None  # no metric looks below
    has_every_row: bool

    def __post_init__(self) -> None:
        self._n_items = self.rows.n_items(self.first, self.last)
        self._n_retrieved = np.diff(self.rows.starts[self.first : self.last + 1])
        if self.rows.n_missed is not None:
            self._n_retrieved -= self.rows.n_missed[self.first : self.last]

    @cached_property
    def relevant(self) -> RankedLists:
        """The nonzero rows: those with a grade, and unjudged ones."""
        ranked = self.ranked
        if self.has_every_row:
            ranked = ranked.take(ranked.grade != 0)
        nonzero = None if self.graded is None else replace(self)._nonzero
        return self._lists(ranked, nonzero=nonzero)

    @cached_property
    def shown(self) -> RankedLists:
        """The retrieved rows, as far down as any metric looks, whatever their grade."""
        ranked = self.ranked
        reach = self._n_retrieved[ranked.query]
        reach = reach if self.cutoff is None else np.minimum(reach, self.cutoff)
        return self._lists(
            ranked.take(ranked.above < reach),
            has_zeros=True,
            nonzero=replace(self)._nonzero,
        )

    @cached_property
    def all(self) -> RankedLists:
        """Every row with any grade and rank, retrieved or not."""
        return self._lists(self.ranked, has_zeros=True)

    # Views have this method of a copy, without views: a block that its own views hold would
    # wait for the garbage collector.
    def _nonzero(self) -> RankedLists:
        """Return all nonzero rows, also where only the first of them were ranked."""
        if self.graded is None:
            return self._lists(self.ranked.take(self.ranked.grade != 0))
        sizes, grade, row = self.graded
        query, unknown = np.arange(len(sizes)).repeat(sizes), np.broadcast_to(0, row.shape)
        ranked = RankedRows(query, self.rows.origin(row), unknown, unknown, unknown, grade)
        return self._record(ranked, depth=0)

    def _lists(
        self,
        ranked: RankedRows,
        *,
        has_zeros: bool = False,
        nonzero: Callable[[], RankedLists] | None = None,
    ) -> RankedLists:
        is_tied = ranked.tied > 1
        if self.rows.n_missed is not None:
            ranked, is_tied = self._put_missed_last(ranked, is_tied)
        settled = order_ties(self.ties, ranked, is_tied) if is_tied.any() else None
        return self._record(
            ranked, self.depth, has_zeros=has_zeros, settled=settled, whole_of=nonzero
        )

    def _record(self, ranked: RankedRows, depth: int | None, **others: Any) -> RankedLists:
        pooled = self.rows.never_pooled
        return RankedLists(
            n_items=self._n_items,
            n_retrieved=self._n_retrieved,
            ranked=ranked._replace(grade=ranked.grade.astype(np.float64, copy=False)),
            depth=depth,
            deepest=self.cutoff,
            never_pooled=None if pooled is None else _are_among(ranked.row, pooled),
            columns=self.rows.columns,
            first=self.first,
            **others,
        )

    def _put_missed_last(
        self, ranked: RankedRows, is_tied: np.ndarray
    ) -> tuple[RankedRows, np.ndarray]:
        """Return the rows, those that were not retrieved as one block, and which tie."""
        n_retrieved = self._n_retrieved
        reach = n_retrieved[ranked.query]
        is_missed = ranked.above >= reach
        above = np.where(is_missed, reach, ranked.above)
        tied = np.where(is_missed, (self._n_items - n_retrieved)[ranked.query], ranked.tied)
        return ranked._replace(above=above, tied=tied), is_tied & ~is_missed


def rank_chunks(
    rows: Rows, ties: str, cutoff: int | None = None, *, every_row: bool = False
) -> Iterator[RankedChunk]:
    """Yield queries, ranked block by block, in the order of the rows.

    What metrics work on stays small enough for the processor's cache. `cutoff` is the last
    rank that any metric looks at, if there is one: of long lists, no rank below is worked
    out. Without `every_row` there is the view of relevant rows alone.
    """
    depth = None
    if cutoff is not None and ties != "first" and has_long_lists(rows.starts, cutoff):
        depth = cutoff
    for first, last, ranked, graded in _join_small_parts(
        _ranked_parts(rows, depth, every_row)
    ):
        if first:
            ranked = ranked._replace(query=ranked.query - first)
        yield RankedChunk(rows, first, last, ranked, graded, ties, depth, cutoff, every_row)


def are_answered(rows: Rows) -> np.ndarray:
    """Return which queries have a retrieved row."""
    return sizes_of(rows.starts) > (0 if rows.n_missed is None else rows.n_missed)


def are_judged(rows: Rows) -> np.ndarray:
    """Return which queries have a judgment: a row with a grade other than -0.0."""
    n_queries = len(rows.starts) - 1
    if rows.min_grade > 0 or not isinstance(rows.grade, np.ndarray):
        return np.ones(n_queries, dtype=bool)
    is_judged = ~((rows.grade == 0) & np.signbit(rows.grade))
    if rows.never_pooled is not None:
        is_judged[rows.never_pooled] = False
    places, scattered = np.flatnonzero(is_judged), rows.scattered()
    if scattered is not None:
        return np.bincount(scattered[2][places], minlength=n_queries) > 0
    return sizes_of(places.searchsorted(rows.starts)) > 0


def _ranked_parts(rows: Rows, depth: int | None, every_row: bool) -> Iterator[RankedPart]:
    """Yield some queries at a time."""
    scattered = rows.scattered()
    if scattered is not None and depth is None:
        together = rank_scattered_rows(*scattered, rows.starts, every_row=every_row)
        if together is not None:
            yield from (RankedPart(*part) for part in together)
            return
    parts: Iterable[tuple[Any, ...]]
    if depth is not None:
        parts = rank_first_places(rows, depth, every_row=every_row)
    else:
        tagged_of = rows.all_rows if every_row else rows.nonzero
        parts = rank_grouped_rows(rows.scores, tagged_of, rows.starts)
    for first, last, ranked, *graded in parts:
        in_the_input = ranked._replace(row=rows.origin(ranked.row))
        yield RankedPart(first, last, in_the_input, *graded)


def _join_small_parts(parts: Iterable[RankedPart]) -> Iterator[RankedPart]:
    """Join parts until they have enough rows to be worth a call of each metric."""
    block: list[RankedPart] = []
    n_ranked = 0
    for part in parts:
        block.append(part)
        n_ranked += len(part.ranked.row)
        n_ranked += 0 if part.graded is None else len(part.graded.row)
        # One part that is large by itself is not copied.
        if n_ranked >= (RANKED_ROWS if block[1:] else RANKED_ROWS // 4):
            yield _join_parts(block) if block[1:] else block[0]
            block, n_ranked = [], 0
    if block:
        yield _join_parts(block) if block[1:] else block[0]


def _join_parts(parts: list[RankedPart]) -> RankedPart:
    graded = [part.graded for part in parts if part.graded is not None]
    return RankedPart(
        parts[0].first,
        parts[-1].last,
        RankedRows(*_concatenate(part.ranked for part in parts)),
        GradedRows(*_concatenate(graded)) if graded else None,
    )


def _concatenate(records: Iterable[tuple[np.ndarray, ...]]) -> Iterator[np.ndarray]:
    return map(np.concatenate, zip(*records, strict=True))


def _are_among(rows: np.ndarray, ascending: np.ndarray) -> np.ndarray | None:
    """Return which rows are among some others; None if there are no others."""
    if len(ascending) == 0:
        return None
    place = np.minimum(ascending.searchsorted(rows), len(ascending) - 1)
    return ascending[place] == rows
