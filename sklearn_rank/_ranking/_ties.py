"""Tied rows in the order of `ties`."""

from typing import NamedTuple

import numpy as np

from sklearn_rank._base._runs import ranges, run_starts, sizes_of, starts_of
from sklearn_rank._ranking._keys import RankedRows, sort_within

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
    """Put tied rows in the order of `ties`; return them unless nothing stays tied.

    Arrays of `ranked` are written to.
    """
    rows = np.flatnonzero(is_tied)
    query, row, above, tied, place, grade = ranked
    if ties == "first":
        above[rows], tied[rows] = place[rows], 1
        return None
    starts = run_starts(query[rows], above[rows])
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
