"""Places: the ranks that relevant rows hold or, where they tie, may hold."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sklearn_rank._runs import ranges
from sklearn_rank._sorting import sort_within

__all__ = ["Blocks", "Places", "Settled", "begins_block", "find_places"]


class Blocks(NamedTuple):
    """Sets of rows of one query and one score with at least one relevant row in each."""

    length: np.ndarray  # of each block: places, which a cutoff can make fewer than rows
    size: np.ndarray  # of each block: rows, relevant or not
    n_hits: np.ndarray  # of each block: relevant rows
    row_block: np.ndarray  # of each relevant row


class Settled(NamedTuple):
    """Tied rows that were put in order by their grades, the lowest or the highest first."""

    rows: np.ndarray  # graded rows that tied
    starts: np.ndarray  # where each block begins among these, and where the last ends
    above: np.ndarray  # of each of these rows, as it was before
    tied: np.ndarray  # likewise
    best_first: bool

    def keeping(self, keeps: np.ndarray) -> "Settled":
        """Return the same where some graded rows are left out."""
        kept = keeps[self.rows]
        rows = (np.cumsum(keeps) - 1)[self.rows[kept]]
        starts = np.append(0, np.cumsum(kept))[self.starts]
        above, tied = self.above[kept], self.tied[kept]
        return Settled(rows, np.unique(starts), above, tied, self.best_first)

    def in_order(self, values: np.ndarray, is_hit: np.ndarray) -> np.ndarray:
        """Return the values of hits, one a graded row, in order within each block.

        What a metric counts need not rise with the grade. Of each block the hits stand
        together, above the other graded rows or below, for a hit has a higher grade.
        """
        worth = np.where(is_hit[self.rows], values[self.rows], 0.0)
        key = worth if self.best_first else -worth
        rises = key[1:] > key[:-1]
        rises[self.starts[1:-1] - 1] = False
        if not rises.any():
            return values
        values = values.copy()
        values[self.rows] = worth[sort_within(key, self.starts)]
        return values


class Hits(NamedTuple):
    """Which graded rows are relevant, and where the graded rows of their query begin."""

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
    """The ranks that relevant rows hold or, where they tie, may hold.

    A block is a set of rows of one query and one score with at least one relevant row; a
    place is one of the ranks it covers, as far as the cutoff. All orders of a block are
    equally likely, so each of its places expects the same share of what its rows are worth.
    Where nothing ties, each relevant row is a block of its own, with one place.
    """

    block_query: np.ndarray  # of each block
    block_above: np.ndarray  # of each block: rows of its query above
    rows: np.ndarray  # graded rows that are in a block
    tied: Blocks | None  # None: nothing ties
    hits: Hits
    settled: Settled | None

    @cached_property
    def hits_above(self) -> np.ndarray:
        """For each block the relevant rows of its query in blocks above."""
        if self.tied is None:
            return self.hits.before(self.rows)
        return self.hits.before(self.rows[np.diff(self.tied.row_block, prepend=-1) > 0])

    @cached_property
    def blocks(self) -> Blocks:
        """The blocks, also where each has one row."""
        if self.tied is not None:
            return self.tied
        each, ones = np.arange(len(self.rows)), np.ones(len(self.rows), dtype=np.intp)
        return Blocks(ones, ones, ones, each)

    @cached_property
    def block(self) -> np.ndarray:
        """For each place its block."""
        each = np.arange(len(self.block_query))
        return each if self.tied is None else each.repeat(self.tied.length)

    @cached_property
    def offset(self) -> np.ndarray:
        """For each place how many places of its block lie above it."""
        if self.tied is None:
            return np.zeros(len(self.rows), dtype=np.intp)
        return ranges(0, self.tied.length)

    @cached_property
    def query(self) -> np.ndarray:
        """For each place its query."""
        return self.spread(self.block_query)

    @cached_property
    def rank(self) -> np.ndarray:
        """For each place its rank, from 1."""
        if self.tied is None:
            return self.block_above + 1
        return ranges(self.block_above + 1, self.tied.length)

    def spread(self, values: np.ndarray) -> np.ndarray:
        """Return for each place the value of its block."""
        return values if self.tied is None else values.repeat(self.tied.length)

    length = property(lambda self: self.blocks.length)
    size = property(lambda self: self.blocks.size)
    n_hits = property(lambda self: self.blocks.n_hits)
    row_block = property(lambda self: self.blocks.row_block)

    def share(self, values: np.ndarray) -> np.ndarray:
        """Return the expected value at each place, given a value for each graded row."""
        return self.spread(self.mean(values))

    def mean(self, values: np.ndarray) -> np.ndarray:
        """Return the same for each block: all its places expect the same."""
        if self.settled is not None:
            values = self.settled.in_order(values, self.hits.is_hit)
        if self.tied is None:
            return values if len(self.rows) == len(values) else values[self.rows]
        total = np.bincount(self.row_block, values[self.rows], len(self.size))
        return total / self.size


def begins_block(query: np.ndarray, above: np.ndarray) -> np.ndarray:
    """Return which rows begin a block: a query, or a new score in it."""
    begins = np.ones(len(query), dtype=bool)
    begins[1:] = (query[1:] != query[:-1]) | (above[1:] != above[:-1])
    return begins


def find_places(
    query: np.ndarray,
    above: np.ndarray,
    tied: np.ndarray,
    starts: np.ndarray,
    is_hit: np.ndarray,
    reach: np.ndarray | int,
    settled: Settled | None = None,
) -> Places:
    """Return the places of hits among the first reach[q] (or `reach`) ranks of query q.

    The first three arrays are those of `RankedLists`, one value a graded row; those of
    query q are starts[q]:starts[q + 1].
    """
    hits = Hits(is_hit, query, starts)
    is_near = above < (reach if isinstance(reach, int) else reach[query])
    rows = (is_hit & is_near).nonzero()[0]
    if len(rows) < len(query):
        query, above, tied = query[rows], above[rows], tied[rows]
    if (tied == 1).all():
        return Places(query, above, rows, None, hits, settled)
    begins = begins_block(query, above)
    top = np.flatnonzero(begins)
    query, above, size = query[top], above[top], tied[top]
    limit = reach if isinstance(reach, int) else reach[query]
    n_hits = np.diff(top, append=len(rows))
    blocks = Blocks(np.minimum(size, limit - above), size, n_hits, np.cumsum(begins) - 1)
    return Places(query, above, rows, blocks, hits, settled)
