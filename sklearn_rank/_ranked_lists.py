"""RankedLists: every form of input as one sorted record, the only form a metric sees.

A row that is not relevant at all (grade 0) adds nothing to any metric but the place it
takes. The record therefore keeps the graded rows alone, each with the number of rows ranked
above it and the number of rows that tie with it; sizes per query stand for the rest.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sklearn_rank._places import Places, begins_block, find_places
from sklearn_rank._rows import Rows, group_input
from sklearn_rank._sorting import SortedChunk, sort_within, sorted_chunks
from sklearn_rank._top import graded_rows_at_top, has_long_lists
from sklearn_rank._validation import check_option

__all__ = ["RankedLists", "rank_lists", "score_queries"]

TIES = ("average", "worst", "best", "first")

# Rows that metrics work on at once.
_BLOCK = 2**17


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
    grade: np.ndarray  # of each graded row, > 0; NaN where nobody judged it
    row: np.ndarray  # of each graded row: its place in the (flattened) input
    above: np.ndarray  # of each graded row: rows of its query with a higher score
    tied: np.ndarray  # of each graded row: rows of its query with the same score
    largest: float  # the highest grade of the whole input, 0 if there is none
    weight: np.ndarray | None = None  # of each query, in the order of `labels`
    label_order: np.ndarray | None = None  # queries in the order of `labels`
    _known: dict = field(default_factory=dict, repr=False)

    def by_label(self, values: np.ndarray) -> np.ndarray:
        """Return values per query in the order of `labels`."""
        return values if self.label_order is None else values[self.label_order]

    def label_of(self, query: int) -> Any:
        """Return the label of a query."""
        by_label = self.label_order
        return self.labels[query if by_label is None else np.argmax(by_label == query)]

    def sum(self, query: np.ndarray, values: np.ndarray | None = None) -> np.ndarray:
        """Return the sum of values (None: of ones) per query."""
        return np.bincount(query, values, len(self.n_items))

    def is_relevant(self, min_relevance: float | None = None) -> np.ndarray:
        """Return which graded rows are relevant."""
        return self.grade > 0 if min_relevance is None else self.grade >= min_relevance

    def is_unjudged(self) -> np.ndarray:
        """Return which graded rows nobody judged."""
        return np.isnan(self.grade)

    def n_unjudged(self) -> np.ndarray:
        """Return the number of rows per query that nobody judged."""
        return self.sum(self.query[self.is_unjudged()])

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
            ("places", k, min_relevance),
            lambda: self.places_of(self.is_relevant(min_relevance), k),
        )

    def places_of(self, is_hit: np.ndarray, k: int | None) -> Places:
        """Return the places of some of the graded rows among the first k ranks."""
        reach = self.n_retrieved if k is None else np.minimum(self.n_retrieved, k)
        return find_places(self.query, self.above, self.tied, is_hit, reach)

    def around(self, is_counted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return, for each graded row, how many counted graded rows are above and tied.

        Above are those with a higher score, tied those with the same, itself included.
        """
        before = np.r_[0, np.cumsum(is_counted)]
        first = np.flatnonzero(begins_block(self.query, self.above))
        block = np.repeat(np.arange(len(first)), np.diff(np.r_[first, len(self.grade)]))
        last = np.r_[first[1:], len(self.grade)]
        of_query = np.cumsum(self.sum(self.query)) - self.sum(self.query)
        above = before[first] - before[of_query[self.query[first]]]
        return above[block], (before[last] - before[first])[block]

    def ideal_order(
        self, worth: np.ndarray, k: int | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return query, row and rank of the graded rows in the best order, as far as k."""
        starts = np.r_[0, np.cumsum(self.sum(self.query))]
        # Rows stay within their query, so each place keeps the query it has.
        rank = np.arange(1, len(self.query) + 1) - starts[self.query]
        order = sort_within(worth, starts)
        if k is None:
            return self.query, order, rank
        within = np.flatnonzero(rank <= k)
        return self.query[within], order[within], rank[within]

    def _once(self, key: tuple, derive: Callable[[], Any]) -> Any:
        if key not in self._known:
            self._known[key] = derive()
        return self._known[key]


def rank_lists(
    y_true: Any,
    y_score: Any,
    groups: Any = None,
    *,
    ties: str = "average",
    sample_weight: Any = None,
    judged_for: str = "",
) -> RankedLists:
    """Return the record of flat (1-D with groups) or grid (2-D) input.

    `judged_for` names metrics that need every row judged; without, grades may be NaN.
    """
    check_option("ties", ties, TIES)
    rows = group_input(y_true, y_score, groups, sample_weight, judged_for=judged_for)
    return _rank_all(rows, ties)


def _rank_all(rows: Rows, ties: str) -> RankedLists:
    lists = _rank(rows, 0, rows.n_queries, ties, None)
    return replace(
        lists, labels=rows.labels, label_order=rows.label_order, weight=rows.weight
    )


def score_queries(
    functions: Sequence[Callable[[RankedLists], np.ndarray | None]],
    rows: Rows,
    ties: str,
    depth: int | None = None,
    *,
    together: bool = False,
) -> list[Any]:
    """Return what each function says of each query, in the order of the labels.

    Queries are ranked block by block: what the functions work on stays small enough for
    the processor's cache. `depth` is the last rank that any function looks at, if there is
    one: ranks below it are not worked out.
    """
    check_option("ties", ties, TIES)
    if together:
        lists = _rank_all(rows, ties)
        return [_join((function(lists),), rows.label_order) for function in functions]
    parts = []
    for first, last in _blocks_of_queries(rows.starts):
        lists = _rank(rows, first, last, ties, depth)
        parts.append([function(lists) for function in functions])
    return [_join(values, rows.label_order) for values in zip(*parts, strict=True)]


def _join(
    parts: tuple[np.ndarray | None, ...], label_order: np.ndarray | None
) -> np.ndarray | None:
    if parts[0] is None:
        return None
    values: np.ndarray = np.concatenate(parts)  # type: ignore[arg-type]
    return values if label_order is None else values[label_order]


def _blocks_of_queries(starts: np.ndarray) -> Iterator[tuple[int, int]]:
    n_queries, first = len(starts) - 1, 0
    while first < n_queries:
        last = int(np.searchsorted(starts, starts[first] + _BLOCK, side="right")) - 1
        last = min(max(last, first + 1), first + _BLOCK)
        yield first, last
        first = last


def _rank(rows: Rows, first: int, last: int, ties: str, depth: int | None) -> RankedLists:
    """Return the record of queries first, ..., last - 1, in their order in `rows`."""
    starts = rows.starts[first : last + 1]
    n_rows = np.diff(starts)
    n_items = n_rows if rows.n_items is None else rows.n_items[first:last]
    n_retrieved = n_rows - (rows.n_missed[first:last] if rows.n_missed is not None else 0)
    if depth is not None and ties != "first" and has_long_lists(n_rows, depth):
        query, grade, row, above, tied = graded_rows_at_top(rows, starts, depth)
        place = above
    else:
        parts = [
            _graded_rows(chunk, rows.grades_of(chunk.rows), starts)
            for chunk in sorted_chunks(rows.scores_of, starts)
        ]
        query, grade, row, above, tied, place = map(
            np.concatenate, zip(*parts, strict=True)
        )
    is_retrieved = above < n_retrieved[query]
    tied = np.where(is_retrieved, tied, (n_items - n_retrieved)[query])
    grade, row, above, tied = _settle_ties(
        ties, query, grade, row, above, tied, place, rows=is_retrieved & (tied > 1)
    )
    return RankedLists(
        labels=rows.query_labels[first:last],
        n_items=n_items,
        n_retrieved=n_retrieved,
        query=query,
        grade=grade.astype(np.float64),
        row=row if rows.origin is None else rows.origin[row],
        above=above,
        tied=tied,
        largest=rows.largest,
    )


def _graded_rows(
    chunk: SortedChunk, grades: np.ndarray, starts: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return query, grade, row, rows above, rows tied and place of each graded row."""
    ranked = grades[chunk.order]
    graded = np.flatnonzero(ranked != 0)
    query = chunk.query[graded]
    row = chunk.order[graded] + chunk.rows.start
    first_row = starts[query] - chunk.rows.start
    place = graded - first_row
    if chunk.repeats is None:
        one = np.ones(len(graded), dtype=np.intp)
        return query, ranked[graded], row, place, one, place
    begins = np.flatnonzero(~chunk.repeats)
    block = (np.cumsum(~chunk.repeats) - 1)[graded]
    size = np.diff(np.r_[begins, len(ranked)])
    return query, ranked[graded], row, begins[block] - first_row, size[block], place


def _settle_ties(
    ties: str,
    query: np.ndarray,
    grade: np.ndarray,
    row: np.ndarray,
    above: np.ndarray,
    tied: np.ndarray,
    place: np.ndarray,
    *,
    rows: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return grade, row, above, tied with the tied `rows` in the order `ties` asks for."""
    if not rows.any():
        return grade, row, above, tied
    rows = np.flatnonzero(rows)
    if ties == "first":
        above[rows], tied[rows] = place[rows], 1
        return grade, row, above, tied
    starts = np.flatnonzero(begins_block(query[rows], above[rows]))
    starts = np.r_[starts, len(rows)]
    # An order by grade for "average" too, so that sums do not depend on the input's order.
    worth = np.nan_to_num(grade[rows].astype(np.float64), copy=False)
    order = rows[sort_within(-worth if ties == "worst" else worth, starts)]
    grade[rows], row[rows] = grade[order], row[order]
    if ties != "average":
        sizes = np.diff(starts)
        # Rows of grade 0 lie between the unjudged, who come last at best, and the graded.
        is_after_zeros = np.isnan(grade[rows]) == (ties == "best")
        zeros = tied[rows] - np.repeat(sizes, sizes)
        above[rows] += np.arange(len(rows)) - np.repeat(starts[:-1], sizes)
        above[rows] += np.where(is_after_zeros, zeros, 0)
        tied[rows] = 1
    return grade, row, above, tied
