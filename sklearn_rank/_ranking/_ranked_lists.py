"""RankedLists: the sorted record that metrics see for any form of input.

For most metrics an irrelevant row (grade 0) only takes a place. Their view of a ranking has
only the nonzero rows, each with the number of rows ranked above it and the number of rows
tied with it; the sizes of queries replace the rest. Metrics of shown items see the
retrieved rows of the first ranks with any grade.

The record of a query does not depend on other queries, so a query has the same value alone,
in a block, and among all others.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._base._exact_sum import sums_within
from sklearn_rank._base._runs import ranges, run_starts, sizes_of, starts_of
from sklearn_rank._ranking._keys import RankedRows, descend_within
from sklearn_rank._ranking._rows import QueryError, SideColumn
from sklearn_rank._ranking._ties import OrderedTies

# The places that rows hold.


class TieGroups(NamedTuple):
    """Sets of rows of one query and one score with at least one relevant row in each."""

    length: np.ndarray  # of each block: places, which a cutoff can make fewer than rows
    size: np.ndarray  # of each block: rows, relevant or not
    n_hits: np.ndarray  # of each block: relevant rows
    row_block: np.ndarray  # of each relevant row
    top: np.ndarray  # of each block: its first relevant row


@dataclass(frozen=True, eq=False)
class Places:
    """The ranks that relevant rows hold or, with ties, may hold.

    A block is a set of rows of one query and one score with at least one relevant row; a
    place is one of the ranks it covers, as far as the cutoff. All orders of a block are
    equally likely, so each of its places expects the same share of the value of its rows.
    Without ties each relevant row is its own block with one place.
    """

    block_query: np.ndarray  # of each block
    block_above: np.ndarray  # of each block: rows of its query above
    rows: np.ndarray  # rows that are in a block
    tied: TieGroups | None  # if None, nothing ties
    is_hit: np.ndarray  # which rows of the record are relevant
    starts: np.ndarray  # where the rows of each query begin in the record
    settled: OrderedTies | None

    @cached_property
    def hits_above(self) -> np.ndarray:
        """For each block the relevant rows of its query in blocks above."""
        rows = self.rows if self.tied is None else self.rows[self.top]
        first = self.starts[self.block_query]
        if self.is_hit.all():
            return rows - first
        count = np.cumsum(self.is_hit)
        count -= self.is_hit
        return count[rows] - count[first]

    @cached_property
    def blocks(self) -> TieGroups:
        """The blocks, also where each has one row."""
        if self.tied is not None:
            return self.tied
        each, ones = np.arange(len(self.rows)), np.ones(len(self.rows), dtype=np.intp)
        return TieGroups(ones, ones, ones, each, each)

    @cached_property
    def block(self) -> np.ndarray:
        """For each place its block."""
        each = np.arange(len(self.block_query))
        return each if self.tied is None else each.repeat(self.tied.length)

    @cached_property
    def offset(self) -> np.ndarray:
        """For each place how many places of its block lie above it."""
        return ranges(0, self.length)

    @cached_property
    def query(self) -> np.ndarray:
        """For each place its query."""
        return self.block_query if self.tied is None else self.spread(self.block_query)

    @cached_property
    def rank(self) -> np.ndarray:
        """For each place its rank, from 1."""
        if self.tied is None:
            return self.block_above + 1
        return ranges(self.block_above + 1, self.length)

    def spread(self, values: np.ndarray) -> np.ndarray:
        """Return for each place the value of its block."""
        return values if self.tied is None else values.repeat(self.tied.length)

    length = property(attrgetter("blocks.length"))
    size = property(attrgetter("blocks.size"))
    n_hits = property(attrgetter("blocks.n_hits"))
    row_block = property(attrgetter("blocks.row_block"))
    top = property(attrgetter("blocks.top"))

    def share(self, values: np.ndarray) -> np.ndarray:
        """Return the expected value at each place, given a value for each row."""
        mean = self.mean(values)
        return mean if self.tied is None else self.spread(mean)

    def mean(self, values: np.ndarray) -> np.ndarray:
        """Return the mean for each block: all its places expect the same."""
        if self.settled is not None:
            values = self.settled.order_hits(values, self.is_hit)
        if self.tied is None:
            return values if len(self.rows) == len(values) else values[self.rows]
        if len(self.rows) < len(values):
            values = values[self.rows]
        total = sums_within(self.row_block, values, len(self.size))
        return total / self.size


def find_places(
    ranked: RankedRows,
    starts: np.ndarray,
    is_hit: np.ndarray,
    reach: np.ndarray | int,
    settled: OrderedTies | None = None,
) -> Places:
    """Return the places of hits among the first reach[q] (or `reach`) ranks of query q.

    The rows of query q are starts[q]:starts[q + 1].
    """
    query, above, tied = ranked.query, ranked.above, ranked.tied
    is_near = above < (reach if isinstance(reach, int) else reach[query])
    rows = (is_hit & is_near).nonzero()[0]
    if len(rows) < len(query):
        query, above, tied = query[rows], above[rows], tied[rows]
    if (tied == 1).all():
        return Places(query, above, rows, None, is_hit, starts, settled)
    begins = run_starts(query, above)
    top, n_hits = begins[:-1], np.diff(begins)
    query, above, size = query[top], above[top], tied[top]
    limit = reach if isinstance(reach, int) else reach[query]
    row_block = np.arange(len(top)).repeat(n_hits)  # takes less than a cumulated sum
    length = np.minimum(size, limit - above)
    blocks = TieGroups(length, size, n_hits, row_block, top)
    return Places(query, above, rows, blocks, is_hit, starts, settled)


# The record.

# Rows of a query from which on their sum is taken by runs and not row by row. Each query
# goes by its own number, so that its sums are rounded alike whatever its neighbors are.
_LONG_RUN = 32


class _Runs(NamedTuple):
    """Long runs of rows, one of a query, among some values, and the rows of the others."""

    query: np.ndarray
    bounds: np.ndarray  # the first row of each run, and the end of each where `step` is 2
    step: int
    short_rows: np.ndarray | slice | None  # None without any

    def sum(self, values: np.ndarray) -> np.ndarray:
        """Return the sum of each run."""
        bounds = self.bounds
        if bounds[-1] == len(values):
            bounds = bounds[:-1]
        # With ends, every second sum is that of what lies between two runs.
        return np.add.reduceat(values, bounds, dtype=float)[:: self.step]


@dataclass(frozen=True, eq=False)
class RankedLists:
    """Queries, their sizes, and rows of each by query and by rank.

    Rows that were not retrieved stand last in their query, as a block that begins after
    the last retrieved row. Where ranks below `depth` were not worked out, there are only
    the rows of the first ranks, and `whole` has all of them.
    """

    n_items: np.ndarray  # rows of each query, retrieved or not
    n_retrieved: np.ndarray  # rows of each query that were retrieved
    ranked: RankedRows  # of each row: query, grade, row in the input, above, tied
    depth: int | None = None  # ranks below were not worked out; if None, all were
    deepest: int | None = None  # the last rank that any metric looks at; if None, the last
    has_zeros: bool = False  # whether rows of grade 0 are among the rows
    never_pooled: np.ndarray | None = None  # whether each row was; if None, none was
    settled: OrderedTies | None = (
        None  # rows that tied before "worst" or "best" ordered them
    )
    columns: Mapping[str, SideColumn] = field(default_factory=dict)  # beside the input
    first: int = 0  # the number of the first query among all of the input
    # Makes the lists of all nonzero rows; if None, these are all.
    whole_of: Callable[[], "RankedLists"] | None = None
    _known: dict = field(default_factory=dict, repr=False)

    # Of each row: its query, ascending; its grade, NaN if unjudged; its place in the
    # (flattened) input; rows of its query with a higher score; those with the same one.
    query = property(attrgetter("ranked.query"))
    grade = property(attrgetter("ranked.grade"))
    row = property(attrgetter("ranked.row"))
    above = property(lambda self: self._check_all_ranks().above)
    tied = property(lambda self: self._check_all_ranks().tied)
    n_queries = property(attrgetter("n_items.size"))

    def _check_all_ranks(self) -> RankedRows:
        """Return the rows; raise where only the first ranks of long lists are known."""
        if self.depth is not None:
            raise AssertionError(
                f"Ranks below {self.depth} were not worked out, as all metrics have a "
                "cutoff; take places(k), or declare the metric with below_k=True."
            )
        return self.ranked

    def column(self, name: str) -> np.ndarray:
        """Return the value of each row in a column beside the input."""
        values = self.columns[name].values
        if values.ndim == 1 and self.row.max(initial=0) < len(values):
            return values[self.row]
        # One an item is one for each column of the flattened input, again and again.
        return values.flat[self.row % values.size]

    def labels(self, name: str) -> np.ndarray:
        """Return the label of each code in a column of labels."""
        column = self.columns[name]
        return column.values if column.labels is None else column.labels

    def sum(self, query: np.ndarray, values: np.ndarray | None = None) -> np.ndarray:
        """Return the sum of values (by default ones) per query, in order of queries."""
        if values is None:
            return self._count(query)
        if not self._has_long:
            return np.bincount(query, values, self.n_queries)
        runs = self._runs(query)
        total: np.ndarray = np.zeros(self.n_queries)
        if runs.short_rows is not None:
            short_rows = runs.short_rows
            total = np.bincount(query[short_rows], values[short_rows], self.n_queries)
        if len(runs.query):
            total[runs.query] = runs.sum(values)
        return total

    def _runs(self, query: np.ndarray) -> "_Runs":
        """Return where the long queries stand among values of these queries."""
        # The array is kept with its runs, so that no other can have its identity.
        key = "runs", id(query)
        return self.cache(key, lambda: (query, self._find_runs(query)))[1]

    def _find_runs(self, query: np.ndarray) -> "_Runs":
        is_long = self._deciding_sizes >= _LONG_RUN
        long = is_long.nonzero()[0]
        if query is self.query:
            starts = self.starts
            first, end = starts[long], starts[long + 1]
        else:
            first, end = query.searchsorted([long, long + 1])
        sizes = end - first
        if (sizes == 0).any():
            long, first, end = (values[sizes > 0] for values in (long, first, end))
        n_short = len(query) - int(sizes.sum())
        if n_short == 0:
            # What lies between two of these runs is empty.
            return _Runs(long, first, 1, None)
        first_and_end = np.array([first, end]).ravel(order="F")
        rows: np.ndarray | slice = slice(None)
        if n_short < len(query) // 4:  # else it takes less to go through all rows
            rows = (~is_long[query]).nonzero()[0]
        return _Runs(long, first_and_end, 2, rows)

    def _count(self, query: np.ndarray) -> np.ndarray:
        """Return how often each query occurs among some, given in order of queries."""
        if len(query) < _LONG_RUN * self.n_queries:
            return np.bincount(query, minlength=self.n_queries)
        return sizes_of(query.searchsorted(np.arange(self.n_queries + 1)))

    @cached_property
    def _sizes(self) -> np.ndarray:
        """The number of rows of each query that are in the record."""
        return self._count(self.query)

    @cached_property
    def _has_long(self) -> bool:
        return bool(self._deciding_sizes.max(initial=0) >= _LONG_RUN)

    @property
    def _deciding_sizes(self) -> np.ndarray:
        """The sizes that decide how sums are rounded, with or without all ranks."""
        return self._sizes if self.has_zeros else self.whole()._sizes

    @cached_property
    def starts(self) -> np.ndarray:
        """Where the rows of each query begin, and where the last end."""
        return starts_of(self._sizes)

    def is_relevant(self, min_relevance: float | None = None) -> np.ndarray:
        """Return which rows are relevant."""
        return self.grade > 0 if min_relevance is None else self.grade >= min_relevance

    def is_unjudged(self) -> np.ndarray:
        """Return which rows are unjudged."""
        return np.isnan(self.grade)

    def judged(self) -> "RankedLists":
        """Return the same lists, in which unjudged rows are rows of grade 0."""
        # Were the record kept in itself, its arrays would wait for the garbage collector.
        return self if self._without_unjudged is None else self._without_unjudged

    @cached_property
    def _without_unjudged(self) -> "RankedLists | None":
        """The lists without unjudged rows, or None if no row is unjudged."""
        keeps = ~np.isnan(self.grade)
        if self.whole_of is None and keeps.all():
            return None
        ranked, settled, whole_of = self.ranked, self.settled, self.whole_of
        if self.has_zeros:
            ranked = ranked._replace(grade=np.where(keeps, self.grade, 0.0))
        elif not keeps.all():
            ranked = ranked.take(keeps)
            settled = None if settled is None else settled.take(keeps)
        return replace(
            self,
            ranked=ranked,
            settled=settled,
            never_pooled=None,
            whole_of=None if whole_of is None else lambda: whole_of().judged(),
            _known={},
        )

    def n_unjudged(self) -> np.ndarray:
        """Return the number of unjudged rows per query."""
        return self.sum(self.query[self.is_unjudged()])

    def n_relevant(self, min_relevance: float | None = None) -> np.ndarray:
        """Return the number of relevant rows per query, retrieved or not."""
        return self.cache(
            ("n_relevant", min_relevance), lambda: self._count_relevant(min_relevance)
        )

    def _count_relevant(self, min_relevance: float | None) -> np.ndarray:
        full_lists = self.whole()
        rows = full_lists.is_relevant(min_relevance).nonzero()[0]
        if len(rows) == len(full_lists.query):
            return full_lists._sizes
        return full_lists.sum(full_lists.query[rows])

    def whole(self) -> "RankedLists":
        """Return the lists with all nonzero rows, also those of no known rank.

        Theirs are the grades that an ideal order and counts of relevant rows need.
        """
        return self if self.whole_of is None else self.cache(("whole",), self.whole_of)

    def cutoff(self, k: int | None) -> np.ndarray | int:
        """Return k or, for the whole list, the number of retrieved rows per query."""
        return np.maximum(self.n_retrieved, 1) if k is None else k

    def n_shown(self, k: int | None) -> np.ndarray:
        """Return the number of items in the first k ranks, per query."""
        return self.n_retrieved if k is None else np.minimum(self.n_retrieved, k)

    def places(self, k: int | None = None, min_relevance: float | None = None) -> Places:
        """Return the places of relevant rows among the first k ranks."""
        key = "places", k, min_relevance
        if key not in self._known:
            self._known[key] = self.places_of(self.is_relevant(min_relevance), k)
        return self._known[key]

    def every_place(self, k: int | None = None) -> Places:
        """Return the places of all rows of the record among the first k ranks."""
        return self.cache(
            ("every_place", k),
            lambda: self.places_of(np.ones(len(self.row), dtype=bool), k),
        )

    def places_of(self, is_hit: np.ndarray, k: int | None) -> Places:
        """Return the places of some of the rows among the first k ranks."""
        if k is None or (self.depth is not None and k > self.depth):
            self._check_all_ranks()
        reach: np.ndarray | int = np.iinfo(np.intp).max if k is None else int(k)
        if (self.n_retrieved < self.n_items).any():
            reach = np.minimum(self.n_retrieved, reach)
        return find_places(self.ranked, self.starts, is_hit, reach, self.settled)

    def as_tied(self) -> "RankedLists":
        """Return the record before "worst" or "best" put tied rows in order."""
        if self.settled is None:
            return self
        ranked = self.settled.undo(self.ranked)
        return replace(self, ranked=ranked, settled=None, _known={})

    def extend_to(self, n_items: int) -> "RankedLists":
        """Return lists of queries with `n_items` items; some have no row.

        These were not retrieved either, and tie with what was not.
        """
        if (self.n_items > n_items).any():
            query = int(np.argmax(self.n_items > n_items))
            raise QueryError(
                f"`n_items` is {n_items}, but query {{query}} has {self.n_items[query]} "
                "rows; it is the number of items of the catalogue.",
                query,
            )
        n_retrieved = self.n_retrieved[self.query]
        is_missed = self.ranked.above >= n_retrieved
        tied = np.where(is_missed, n_items - n_retrieved, self.ranked.tied)
        return replace(
            self,
            n_items=np.full(self.n_queries, n_items),
            ranked=self.ranked._replace(tied=tied),
            _known={},
        )

    def count_around(self, is_counted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return, for each row, how many counted rows are above it and tied with it.

        Above are those with a higher score, tied those with the same, itself included.
        """
        before = starts_of(is_counted)
        starts = run_starts(self.query, self.above)
        first, last = starts[:-1], starts[1:]
        block = np.repeat(np.arange(len(first)), last - first)
        above = before[first] - before[self.starts[self.query[first]]]
        return above[block], (before[last] - before[first])[block]

    def ideal_list(
        self, worth: np.ndarray, k: int | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return query, worth and rank of the rows in the best order, down to k."""
        deepest = self.deepest
        if k is None or (deepest is not None and deepest < k):
            deepest = k
        key = "ideal", id(worth), deepest
        if key not in self._known:
            # The array is kept with its order, so that no other can have its identity.
            self._known[key] = worth, self._best_rows(worth, deepest)
        _, best = self._known[key]
        if k == deepest:
            return best
        query, values, rank = best
        within = np.flatnonzero(rank <= k)
        return query[within], values[within], rank[within]

    def _best_rows(
        self, worth: np.ndarray, k: int | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        starts, sizes, query = self.starts, self._sizes, self.query
        if k is not None and sizes.max(initial=0) <= k:
            k = None  # no list is longer
        if k is not None:
            sizes = np.minimum(sizes, k)
            query = np.arange(self.n_queries).repeat(sizes)
        return query, descend_within(worth, self.query, starts, k), ranges(1, sizes)

    def cache(self, key: tuple, derive: Callable[[], Any]) -> Any:
        """Cache the result of `derive` under the key."""
        if key not in self._known:
            self._known[key] = derive()
        return self._known[key]


# Values per query are NaN if they are undefined, never 0 or 1.


def divide(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Return the quotient per query, NaN (undefined) where the denominator is 0."""
    undefined = np.full(len(numerator), np.nan)
    return np.divide(numerator, denominator, out=undefined, where=denominator != 0)


def defined_where_relevant(
    values: np.ndarray, lists: RankedLists, min_relevance: float | None = None
) -> np.ndarray:
    """Return the values, NaN (undefined) for queries without a relevant item."""
    return np.where(lists.n_relevant(min_relevance) > 0, values, np.nan)
