"""RankedLists: every form of input as one sorted record, the only form a metric sees.

A row that is not relevant at all (grade 0) adds nothing to any metric but the place it
takes. The record therefore keeps the graded rows alone, each with the number of rows ranked
above it and the number of rows that tie with it; sizes per query stand for the rest.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sklearn_rank._places import Places, Settled, begins_block, find_places
from sklearn_rank._rows import Rows, group_input
from sklearn_rank._runs import sizes_of, starts_of
from sklearn_rank._sorting import (
    Ranked,
    descend_within,
    rank_apart,
    rank_together,
    sort_within,
)
from sklearn_rank._top import graded_rows_at_top, has_long_lists
from sklearn_rank._validation import check_option

__all__ = ["RankedLists", "rank_lists", "score_queries"]

TIES = ("average", "worst", "best", "first")

# Graded rows that metrics work on at once, about: their arrays stay in the cache.
_BLOCK = 2**16

# Graded rows a query from which on to search for the first and last beats to count each.
_LONG_RUNS = 32

# Queries first, ..., last - 1 and their graded rows, queries counted from 0.
Part = tuple[int, int, Ranked]


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
    never_pooled: np.ndarray | None = None  # whether each graded row was; None: none was
    weight: np.ndarray | None = None  # of each query, in the order of `labels`
    label_order: np.ndarray | None = None  # queries in the order of `labels`
    settled: Settled | None = None  # rows that tied before "worst" or "best" ordered them
    _known: dict = field(default_factory=dict, repr=False)

    def by_label(self, values: np.ndarray) -> np.ndarray:
        """Return values per query in the order of `labels`."""
        return values if self.label_order is None else values[self.label_order]

    def label_of(self, query: int) -> Any:
        """Return the label of a query."""
        by_label = self.label_order
        return self.labels[query if by_label is None else np.argmax(by_label == query)]

    def sum(self, query: np.ndarray, values: np.ndarray | None = None) -> np.ndarray:
        """Return the sum of values (None: of ones) per query, given in order of queries."""
        n_queries = len(self.n_items)
        # One way for all sums: what should be equal stays equal when it is rounded.
        if len(self.query) < _LONG_RUNS * n_queries:
            return np.bincount(query, values, n_queries)
        starts = query.searchsorted(np.arange(n_queries + 1))
        if values is None:
            return sizes_of(starts)
        is_filled = starts[:-1] < starts[1:]
        total = np.zeros(n_queries)
        total[is_filled] = np.add.reduceat(values, starts[:-1][is_filled], dtype=float)
        return total

    def is_relevant(self, min_relevance: float | None = None) -> np.ndarray:
        """Return which graded rows are relevant."""
        return self.grade > 0 if min_relevance is None else self.grade >= min_relevance

    def is_unjudged(self) -> np.ndarray:
        """Return which graded rows nobody judged."""
        return np.isnan(self.grade)

    def judged(self) -> "RankedLists":
        """Return the same lists, in which unjudged rows are rows of grade 0."""
        return self.once(("judged",), self._without_unjudged)

    def _without_unjudged(self) -> "RankedLists":
        keeps = ~self.is_unjudged()
        if keeps.all():
            return self
        kept = {
            name: getattr(self, name)[keeps]
            for name in ("query", "grade", "row", "above", "tied")
        }
        settled = None if self.settled is None else self.settled.keeping(keeps)
        return replace(self, **kept, settled=settled, never_pooled=None, _known={})

    def n_unjudged(self) -> np.ndarray:
        """Return the number of rows per query that nobody judged."""
        return self.sum(self.query[self.is_unjudged()])

    def n_relevant(self, min_relevance: float | None = None) -> np.ndarray:
        """Return the number of relevant rows per query, retrieved or not."""
        return self.once(
            ("n_relevant", min_relevance),
            lambda: self.sum(self.query[self.is_relevant(min_relevance)]),
        )

    def graded_starts(self) -> np.ndarray:
        """Return where the graded rows of each query begin, and where the last end."""
        return self.once(("graded_starts",), lambda: starts_of(self.sum(self.query)))

    def cutoff(self, k: int | None) -> np.ndarray | int:
        """Return k or, for the whole list, the number of retrieved rows per query."""
        return np.maximum(self.n_retrieved, 1) if k is None else k

    def places(self, k: int | None = None, min_relevance: float | None = None) -> Places:
        """Return the places of relevant rows among the first k ranks."""
        return self.once(
            ("places", k, min_relevance),
            lambda: self.places_of(self.is_relevant(min_relevance), k),
        )

    def places_of(self, is_hit: np.ndarray, k: int | None) -> Places:
        """Return the places of some of the graded rows among the first k ranks."""
        reach: np.ndarray | int = np.iinfo(np.intp).max if k is None else int(k)
        if (self.n_retrieved < self.n_items).any():
            reach = np.minimum(self.n_retrieved, reach)
        starts = self.graded_starts()
        return find_places(
            self.query, self.above, self.tied, starts, is_hit, reach, self.settled
        )

    def as_tied(self) -> "RankedLists":
        """Return the record before "worst" or "best" put tied rows in order."""
        if self.settled is None:
            return self
        above, tied = self.above.copy(), self.tied.copy()
        above[self.settled.rows] = self.settled.above
        tied[self.settled.rows] = self.settled.tied
        return replace(self, above=above, tied=tied, settled=None, _known={})

    def around(self, is_counted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return, for each graded row, how many counted graded rows are above and tied.

        Above are those with a higher score, tied those with the same, itself included.
        """
        before = np.append(0, np.cumsum(is_counted))
        first = np.flatnonzero(begins_block(self.query, self.above))
        last = np.append(first[1:], len(self.grade))
        block = np.repeat(np.arange(len(first)), last - first)
        above = before[first] - before[self.graded_starts()[self.query[first]]]
        return above[block], (before[last] - before[first])[block]

    def ideal_list(
        self, worth: np.ndarray, k: int | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return query, worth and rank of the graded rows in the best order, down to k."""
        starts = self.graded_starts()
        # Rows stay within their query, so each place keeps the query it has.
        rank = np.arange(1, len(self.query) + 1) - starts[:-1].repeat(sizes_of(starts))
        ideal = descend_within(worth, self.query, starts)
        if k is None:
            return self.query, ideal, rank
        within = np.flatnonzero(rank <= k)
        return self.query[within], ideal[within], rank[within]

    def once(self, key: tuple, derive: Callable[[], Any]) -> Any:
        """Return what `derive` returns, and remember it under the key."""
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
    lists = _lists_of(rows, *_joined(list(_ranked_parts(rows, None))), ties)
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
    depth = None if ties == "first" else depth
    parts = []
    for first, last, ranked in _blocks(_ranked_parts(rows, depth)):
        lists = _lists_of(rows, first, last, ranked, ties)
        parts.append([function(lists) for function in functions])
    return [_join(values, rows.label_order) for values in zip(*parts, strict=True)]


def _join(
    parts: tuple[np.ndarray | None, ...], label_order: np.ndarray | None
) -> np.ndarray | None:
    if parts[0] is None:
        return None
    values: np.ndarray = np.concatenate(parts)  # type: ignore[arg-type]
    return values if label_order is None else values[label_order]


def _ranked_parts(rows: Rows, depth: int | None) -> Iterator[Part]:
    """Yield (first, last, their graded rows by rank) of some queries after the other."""
    starts = rows.starts
    whole = None if rows.scattered is None else rank_together(*rows.scattered, starts)
    if whole is not None:
        yield from _split(whole, rows.n_queries)
    elif depth is not None and has_long_lists(sizes_of(starts), depth):
        yield from graded_rows_at_top(rows, starts, depth)
    else:
        for first, last, ranked in rank_apart(rows.scores_of, rows.graded_of, starts):
            if rows.origin_of is not None:
                ranked = ranked._replace(row=rows.origin_of(ranked.row))
            yield first, last, ranked


def _split(ranked: Ranked, n_queries: int) -> Iterator[Part]:
    """Cut what was ranked as a whole into parts."""
    firsts = np.unique(np.append(0, ranked.query[_BLOCK::_BLOCK]))
    for first, last in zip(firsts, np.append(firsts[1:], n_queries), strict=True):
        rows = slice(*np.searchsorted(ranked.query, (first, last)))
        yield first, last, Ranked(*(values[rows] for values in ranked))


def _blocks(parts: Iterable[Part]) -> Iterator[Part]:
    """Join parts until they have enough graded rows to be worth a call of each metric."""
    block: list[Part] = []
    n_graded = 0
    for part in parts:
        block.append(part)
        n_graded += len(part[2].query)
        # One part that is large by itself is not copied.
        if n_graded >= (_BLOCK if block[1:] else _BLOCK // 4):
            yield _joined(block)
            block, n_graded = [], 0
    if block:
        yield _joined(block)


def _joined(parts: list[Part]) -> Part:
    if len(parts) == 1:
        return parts[0]
    columns = zip(*(ranked for _, _, ranked in parts), strict=True)
    return parts[0][0], parts[-1][1], Ranked(*map(np.concatenate, columns))


def _lists_of(rows: Rows, first: int, last: int, ranked: Ranked, ties: str) -> RankedLists:
    """Return the record of queries first, ..., last - 1, in their order in `rows`."""
    if first:
        ranked = ranked._replace(query=ranked.query - first)
    n_rows = sizes_of(rows.starts[first : last + 1])
    n_items = n_rows if rows.n_items is None else rows.n_items[first:last]
    n_retrieved, is_tied = n_rows, ranked.tied > 1
    if rows.n_missed is not None:
        n_retrieved = n_rows - rows.n_missed[first:last]
        reach = n_retrieved[ranked.query]
        is_missed = ranked.above >= reach
        above = np.where(is_missed, reach, ranked.above)
        tied = np.where(is_missed, (n_items - n_retrieved)[ranked.query], ranked.tied)
        ranked = ranked._replace(above=above, tied=tied)
        is_tied &= ~is_missed
    settled = None
    if is_tied.any():
        settled = _settle_ties(ties, ranked, np.flatnonzero(is_tied))
    return RankedLists(
        labels=rows.query_labels[first:last],
        n_items=n_items,
        n_retrieved=n_retrieved,
        query=ranked.query,
        grade=ranked.grade.astype(np.float64),
        row=ranked.row,
        above=ranked.above,
        tied=ranked.tied,
        largest=rows.largest,
        never_pooled=_is_among(ranked.row, rows.never_pooled),
        settled=settled,
    )


def _is_among(rows: np.ndarray, ascending: np.ndarray | None) -> np.ndarray | None:
    """Return which rows are among some others (None: none is)."""
    if ascending is None or len(ascending) == 0:
        return None
    place = np.minimum(ascending.searchsorted(rows), len(ascending) - 1)
    return ascending[place] == rows


def _settle_ties(ties: str, ranked: Ranked, rows: np.ndarray) -> Settled | None:
    """Put the tied `rows` in the order that `ties` asks for; return what was tied."""
    query, grade, row, above, tied, place = ranked
    if ties == "first":
        above[rows], tied[rows] = place[rows], 1
        return None
    starts = np.flatnonzero(begins_block(query[rows], above[rows]))
    starts = np.r_[starts, len(rows)]
    # An order by grade for "average" too, so that sums do not depend on the input's order.
    worth = np.nan_to_num(grade[rows].astype(np.float64), copy=False)
    order = rows[sort_within(-worth if ties == "worst" else worth, starts)]
    grade[rows], row[rows] = grade[order], row[order]
    if ties == "average":
        return None
    settled = Settled(rows, starts, above[rows], tied[rows], ties == "best")
    sizes = np.diff(starts)
    # Rows of grade 0 lie between the unjudged, who come last at best, and the graded.
    is_after_zeros = np.isnan(grade[rows]) == (ties == "best")
    zeros = tied[rows] - np.repeat(sizes, sizes)
    above[rows] += np.arange(len(rows)) - np.repeat(starts[:-1], sizes)
    above[rows] += np.where(is_after_zeros, zeros, 0)
    tied[rows] = 1
    return settled
