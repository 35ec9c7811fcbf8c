"""Places: the ranks that relevant rows hold or, where they tie, may hold."""

from dataclasses import dataclass

import numpy as np

__all__ = ["Places", "begins_block", "find_places"]


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


def begins_block(query: np.ndarray, above: np.ndarray) -> np.ndarray:
    """Return which rows begin a block: a query, or a new score in it."""
    begins = np.ones(len(query), dtype=bool)
    begins[1:] = (query[1:] != query[:-1]) | (above[1:] != above[:-1])
    return begins


def find_places(
    query: np.ndarray,
    above: np.ndarray,
    tied: np.ndarray,
    is_hit: np.ndarray,
    reach: np.ndarray,
) -> Places:
    """Return the places of hits among the first reach[q] ranks of query q.

    The first three arrays are those of `RankedLists`, one value a graded row.
    """
    before = np.r_[0, np.cumsum(is_hit)]
    first_of_query = np.searchsorted(query, np.arange(len(reach)))
    rows = np.flatnonzero(is_hit & (above < reach[query]))
    hits_above = before[rows] - before[first_of_query[query[rows]]]
    if (tied[rows] == 1).all():
        return _untied_places(query, above, rows, hits_above)
    return _tied_places(query, above, tied, rows, hits_above, reach)


def _untied_places(
    query: np.ndarray, above: np.ndarray, rows: np.ndarray, hits_above: np.ndarray
) -> Places:
    each, one = np.arange(len(rows)), np.ones(len(rows), dtype=np.intp)
    zero = np.zeros(len(rows), dtype=np.intp)
    rank = above[rows] + 1
    return Places(query[rows], rank, each, zero, one, one, hits_above, rows, each)


def _tied_places(
    query: np.ndarray,
    above: np.ndarray,
    tied: np.ndarray,
    rows: np.ndarray,
    hits_above: np.ndarray,
    reach: np.ndarray,
) -> Places:
    begins = begins_block(query[rows], above[rows])
    first = np.flatnonzero(begins)
    top = rows[first]
    length = np.minimum(tied[top], reach[query[top]] - above[top])
    block = np.repeat(np.arange(len(top)), length)
    offset = np.arange(len(block)) - np.repeat(np.cumsum(length) - length, length)
    return Places(
        query=query[top][block],
        rank=above[top][block] + offset + 1,
        block=block,
        offset=offset,
        size=tied[top],
        n_hits=np.diff(np.r_[first, len(rows)]),
        hits_above=hits_above[first],
        rows=rows,
        row_block=np.cumsum(begins) - 1,
    )
