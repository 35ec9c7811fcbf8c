"""Places: the ranks that relevant rows hold or, with ties, may hold."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sklearn_rank._base._exact_sum import sums_within
from sklearn_rank._base._runs import (
    accumulate_within,
    begins_run,
    ranges,
    sizes_of,
    starts_of,
    starts_where,
)
from sklearn_rank._ranking._keys import RankedRows, sort_within

# Tied rows in the order of `ties`.

TIES = ("average", "worst", "best", "first")


class OrderedTies(NamedTuple):
    """Tied rows that were put in order by their grades, the lowest or the highest first."""

    rows: np.ndarray  # rows of the record that tied
    starts: np.ndarray  # where each block begins among these, and where the last ends
    above: np.ndarray  # of each of these rows, as it was before
    tied: np.ndarray  # likewise
    best_first: bool

    def take(self, keeps: np.ndarray) -> "OrderedTies":
        """Return the same where some rows are left out of the record."""
        kept = keeps[self.rows]
        rows = (np.cumsum(keeps) - 1)[self.rows[kept]]
        starts = starts_of(kept)[self.starts]
        above, tied = self.above[kept], self.tied[kept]
        return OrderedTies(rows, np.unique(starts), above, tied, self.best_first)

    def undo(self, ranked: RankedRows) -> RankedRows:
        """Return the ranks as they were before."""
        above, tied = ranked.above.copy(), ranked.tied.copy()
        above[self.rows], tied[self.rows] = self.above, self.tied
        return ranked._replace(above=above, tied=tied)

    def order_hits(self, values: np.ndarray, is_hit: np.ndarray) -> np.ndarray:
        """Return the values of hits, one per row, in order within each block.

        What a metric counts need not rise with the grade. Of each block the hits stand
        together, above the other rows or below, for a hit has a higher grade.
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


def order_ties(ties: str, ranked: RankedRows, is_tied: np.ndarray) -> OrderedTies | None:
    """Put rows in the order of `ties`; return the tied rows.

    Arrays of `ranked` are written to.
    """
    rows = np.flatnonzero(is_tied)
    if len(rows) == 0:
        return None
    query, row, above, tied, place, grade = ranked
    if ties == "first":
        above[rows], tied[rows] = place[rows], 1
        return None
    starts = starts_where(begins_run(query[rows], above[rows]))
    # An order by grade for "average" too, so that sums do not depend on the input's order.
    worth = np.nan_to_num(grade[rows].astype(np.float64), copy=False)
    order = rows[sort_within(-worth if ties == "worst" else worth, starts)]
    grade[rows], row[rows] = grade[order], row[order]
    if ties == "average":
        return None
    settled = OrderedTies(rows, starts, above[rows], tied[rows], ties == "best")
    sizes = sizes_of(starts)
    # Rows of grade 0 lie between the unjudged, who come last at best, and the others.
    is_after_zeros = np.isnan(grade[rows]) == (ties == "best")
    zeros = tied[rows] - np.repeat(sizes, sizes)
    above[rows] += ranges(0, sizes)
    above[rows] += np.where(is_after_zeros, zeros, 0)
    tied[rows] = 1
    return settled


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
    tied: TieGroups | None  # None: nothing ties
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
        return self.spread(self.block_query)

    @cached_property
    def rank(self) -> np.ndarray:
        """For each place its rank, from 1."""
        return ranges(self.block_above + 1, self.length)

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
    begins = starts_where(begins_run(query, above))
    top, n_hits = begins[:-1], sizes_of(begins)
    query, above, size = query[top], above[top], tied[top]
    limit = reach if isinstance(reach, int) else reach[query]
    row_block = np.arange(len(top)).repeat(n_hits)  # takes less than a cumulated sum
    length = np.minimum(size, limit - above)
    blocks = TieGroups(length, size, n_hits, row_block, top)
    return Places(query, above, rows, blocks, is_hit, starts, settled)


# Expected values of places in a ranking over all orders of tied rows.
#
# Each function returns one value for each of the given places. Summed per query, times the
# weight of the rank, they are the metrics. In a block of `size` tied rows with `n_hits`
# relevant ones, every choice of places for these is equally likely (McSherry and Najork,
# "Computing information retrieval performance measures efficiently in the presence of tied
# scores", ECIR 2008).


def hit_chance(places: Places) -> np.ndarray:
    """Return the probability that a place holds a relevant item."""
    if places.tied is None:
        return np.ones(len(places.rank))
    return places.spread(places.n_hits / places.size)


def precision_at_hit(places: Places) -> np.ndarray:
    """Return [relevant item here] × precision down to here, in expectation."""
    if places.tied is None:
        return (places.hits_above + 1) / places.rank
    share, others = places.n_hits / places.size, chance_of_another(places)
    hits = expect_at_hit(places, share * (places.hits_above + 1), share * others)
    hits /= places.rank
    return hits


def chance_of_another(places: Places) -> np.ndarray:
    """Return for each block the probability of a hit given one at another place of it."""
    return (places.n_hits - 1) / np.maximum(places.size - 1, 1)


def expect_at_hit(places: Places, of_block: np.ndarray, of_place: np.ndarray) -> np.ndarray:
    """Return `of_block` and, for each place of the block above, `of_place` as well."""
    if places.tied is None:
        return of_block
    total = places.spread(of_place)
    total *= places.offset
    total += places.spread(of_block)
    return total


def first_hits(places: Places) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (query, rank, probability) of places that may hold the first relevant item."""
    top = np.flatnonzero(places.hits_above == 0)  # only the highest block of each query
    query, rank = places.block_query[top], places.block_above[top] + 1
    if places.tied is None:
        return query, rank, np.ones(len(top))
    size, n_hits = places.size[top], places.n_hits[top]
    if (n_hits == size).all():
        return query, rank, np.ones(len(top))
    # It is below r others with less than exp(-r n_hits / size).
    lengths = np.minimum(places.length[top], 44 * size // n_hits + 1)
    lengths[n_hits == size] = 1
    offset = ranges(0, lengths)
    # Probability of a hit here without a hit above: n_hits among the places left.
    hazard = np.minimum(n_hits.repeat(lengths) / (size.repeat(lengths) - offset), 1)
    chance = hazard * _no_hit_above(1 - hazard, lengths)
    return query.repeat(lengths), ranges(rank, lengths), chance


def _no_hit_above(miss: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the product of `miss` over the places above, within each run."""
    product = accumulate_within(np.multiply, miss, lengths)
    above = np.append(1.0, product[:-1])
    above[starts_of(lengths)[:-1]] = 1
    return above
