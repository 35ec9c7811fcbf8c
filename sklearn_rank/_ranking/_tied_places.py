"""Places: the ranks that relevant rows hold or, with ties, may hold."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sklearn_rank._arrays._exact_sum import sums_within
from sklearn_rank._arrays._runs import begins_run, ranges, sizes_of, starts_where
from sklearn_rank._ranking._keys import Ranked
from sklearn_rank._ranking._ties import Settled


class Blocks(NamedTuple):
    """Sets of rows of one query and one score with at least one relevant row in each."""

    length: np.ndarray  # of each block: places, which a cutoff can make fewer than rows
    size: np.ndarray  # of each block: rows, relevant or not
    n_hits: np.ndarray  # of each block: relevant rows
    row_block: np.ndarray  # of each relevant row
    top: np.ndarray  # of each block: its first relevant row


class RelevantRows(NamedTuple):
    """Which rows are relevant, and where the rows of their query begin."""

    is_hit: np.ndarray
    query: np.ndarray
    starts: np.ndarray

    def before(self, rows: np.ndarray) -> np.ndarray:
        """Return the number of hits in the query of each row that are before the row."""
        first = self.starts[self.query[rows]]
        if self.is_hit.all():
            return rows - first
        count = np.cumsum(self.is_hit)
        count -= self.is_hit
        return count[rows] - count[first]


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
    tied: Blocks | None  # None: nothing ties
    hits: RelevantRows
    settled: Settled | None
    # The query, and rows above the block, of each place where a hit has it; else None.
    of_place: tuple[np.ndarray, np.ndarray] | None = None

    @cached_property
    def hits_above(self) -> np.ndarray:
        """For each block the relevant rows of its query in blocks above."""
        return self.hits.before(self.rows if self.tied is None else self.rows[self.top])

    @cached_property
    def blocks(self) -> Blocks:
        """The blocks, also where each has one row."""
        if self.tied is not None:
            return self.tied
        each, ones = np.arange(len(self.rows)), np.ones(len(self.rows), dtype=np.intp)
        return Blocks(ones, ones, ones, each, each)

    @cached_property
    def block(self) -> np.ndarray:
        """For each place its block."""
        each = np.arange(len(self.block_query))
        return each if self.tied is None else each.repeat(self.tied.length)

    @cached_property
    def offset(self) -> np.ndarray:
        """For each place how many places of its block lie above it."""
        if self.of_place is not None:
            return np.arange(len(self.rows)) - self.spread(self.top)
        return ranges(0, self.length)

    @cached_property
    def query(self) -> np.ndarray:
        """For each place its query."""
        if self.of_place is not None:
            return self.of_place[0]
        return self.spread(self.block_query)

    @cached_property
    def rank(self) -> np.ndarray:
        """For each place its rank, from 1."""
        if self.tied is None:
            return self.block_above + 1
        above = self.spread(self.block_above) if self.of_place is None else self.of_place[1]
        rank = above + self.offset
        rank += 1
        return rank

    def spread(self, values: np.ndarray) -> np.ndarray:
        """Return for each place the value of its block."""
        return values if self.tied is None else values.repeat(self.tied.length)

    length = property(lambda self: self.blocks.length)
    size = property(lambda self: self.blocks.size)
    n_hits = property(lambda self: self.blocks.n_hits)
    row_block = property(lambda self: self.blocks.row_block)
    top = property(lambda self: self.blocks.top)

    def share(self, values: np.ndarray) -> np.ndarray:
        """Return the expected value at each place, given a value for each row."""
        return self.spread(self.mean(values))

    def mean(self, values: np.ndarray) -> np.ndarray:
        """Return the mean for each block: all its places expect the same."""
        if self.settled is not None:
            values = self.settled.in_order(values, self.hits.is_hit)
        if self.tied is None:
            return values if len(self.rows) == len(values) else values[self.rows]
        if len(self.rows) < len(values):
            values = values[self.rows]
        total = sums_within(self.row_block, values, len(self.size))
        return total / self.size


def find_places(
    ranked: Ranked,
    starts: np.ndarray,
    is_hit: np.ndarray,
    reach: np.ndarray | int,
    settled: Settled | None = None,
) -> Places:
    """Return the places of hits among the first reach[q] (or `reach`) ranks of query q.

    The rows of query q are starts[q]:starts[q + 1].
    """
    query, above, tied = ranked.query, ranked.above, ranked.tied
    hits = RelevantRows(is_hit, query, starts)
    is_near = above < (reach if isinstance(reach, int) else reach[query])
    rows = (is_hit & is_near).nonzero()[0]
    if len(rows) < len(query):
        query, above, tied = query[rows], above[rows], tied[rows]
    if (tied == 1).all():
        return Places(query, above, rows, None, hits, settled)
    starts = starts_where(begins_run(query, above))
    top, n_hits = starts[:-1], sizes_of(starts)
    of_row = query, above
    query, above, size = query[top], above[top], tied[top]
    limit = reach if isinstance(reach, int) else reach[query]
    row_block = np.arange(len(top)).repeat(n_hits)  # takes less than a cumulated sum
    length = np.minimum(size, limit - above)
    blocks = Blocks(length, size, n_hits, row_block, top)
    known = of_row if np.array_equal(length, n_hits) else None
    return Places(query, above, rows, blocks, hits, settled, known)
