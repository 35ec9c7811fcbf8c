"""The expected 1 / rank at which a user stops among tied rows, over all their orders.

Irrelevant rows satisfy nobody: they only move the others down. So the order of the relevant
rows among themselves, which says after how many of them the user stops, is independent of
the ranks that these hold. The mean is a sum of products, one for each relevant row from the
first. Where a block of ties has many and no cutoff divides it, an integral takes less.
"""

from typing import NamedTuple

import numpy as np

from sklearn_rank._places import Places
from sklearn_rank.metrics._stop_chances import (
    MOST_BY_GRADE,
    chances_by_grade,
    chances_by_row,
)
from sklearn_rank.metrics._stop_integral import stop_by_integral
from sklearn_rank.metrics._tied_ranks import ranks_of_marked

__all__ = ["inverse_rank_of_stop"]

# More relevant rows of a block than this take less time as an integral.
_MANY = 100


class Grades(NamedTuple):
    """Relevant rows of one grade in one block of ties."""

    block: np.ndarray
    n_rows: np.ndarray
    unsatisfied: np.ndarray

    def of(self, is_wanted: np.ndarray) -> "Grades":
        """Return the grades of some blocks, which are numbered anew."""
        kept = is_wanted[self.block]
        number = np.cumsum(is_wanted) - 1
        return Grades(number[self.block[kept]], self.n_rows[kept], self.unsatisfied[kept])


def inverse_rank_of_stop(places: Places, unsatisfied: np.ndarray) -> np.ndarray:
    """Return for each block the mean of 1 / rank if the user stops there, 0 if not.

    `unsatisfied` is the probability of each relevant row of the blocks to go on.
    """
    if places.tied is None:
        return (1 - unsatisfied) / places.rank
    satisfied = np.bincount(places.row_block, 1 - unsatisfied, len(places.size))
    wanted = np.minimum(places.n_hits, places.length)
    wanted = np.minimum(wanted, _last_seen(satisfied / places.n_hits, places.n_hits))
    by_integral, by_grade = _roads(places, satisfied, wanted)
    by_row = ~(by_integral | by_grade)
    grades = _grades(places, unsatisfied, by_row)
    value = np.empty(len(places.size))
    for some, chances in ((by_row, chances_by_row), (by_grade, chances_by_grade)):
        if some.any():
            ranks = ranks_of_marked(
                places.size[some],
                places.n_hits[some],
                places.block_above[some],
                places.length[some],
                wanted[some],
            )
            stops = chances(*grades.of(some), wanted[some])
            value[some] = np.bincount(ranks.block, stops * ranks.inverse)
    if by_integral.any():
        value[by_integral] = stop_by_integral(
            places.size[by_integral],
            places.block_above[by_integral],
            *grades.of(by_integral),
        )
    return value


def _roads(
    places: Places, satisfied: np.ndarray, wanted: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return which blocks take an integral, and in which to join rows of one grade.

    The integral is for blocks that no cutoff divides, or where hardly anybody comes down
    to it. `satisfied` is the sum of the chances to stop.
    """
    mean = np.maximum(satisfied / places.size, 1e-300)
    is_whole = places.length == places.size
    is_whole |= places.length * mean > 46 - np.log(mean)
    by_integral = is_whole & (places.n_hits > _MANY)
    by_grade = places.n_hits > np.maximum(3 * wanted, 16)
    return by_integral, by_grade & ~by_integral & (wanted <= MOST_BY_GRADE)


def _last_seen(mean: np.ndarray, n_hits: np.ndarray) -> np.ndarray:
    """Return after how many relevant rows the rest adds less than a share of 1e-20.

    `mean` is that of their chances to stop. By Maclaurin's inequality the mean product of
    i factors is at most the i-th power of their mean.
    """
    mean = np.clip(mean, 1e-300, 1 - 1e-16)
    last = np.log(1e-20 * mean) / np.log1p(-mean)
    return np.ceil(np.minimum(last, n_hits)).astype(np.intp) + 1


def _grades(places: Places, unsatisfied: np.ndarray, by_row: np.ndarray) -> Grades:
    """Return the rows by block and grade, or each row as a grade of its own."""
    begins = np.ones(len(unsatisfied), dtype=bool)
    block = places.row_block
    begins[1:] = (unsatisfied[1:] != unsatisfied[:-1]) | (block[1:] != block[:-1])
    begins |= by_row[block]
    first = np.flatnonzero(begins)
    return Grades(block[first], np.diff(first, append=len(block)), unsatisfied[first])
