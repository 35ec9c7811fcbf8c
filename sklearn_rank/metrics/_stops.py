"""The expected 1 / rank at which a user stops among tied rows, over all their orders.

Irrelevant rows satisfy nobody: they only move the others down. So the order of the relevant
rows among themselves, which says after how many of them the user stops, is independent of
the ranks that these hold. The mean is a sum of products, one for each relevant row from the
first. Where a block of ties has many and no cutoff divides it, an integral takes less.
"""

from typing import NamedTuple

import numpy as np

from sklearn_rank._places import Places
from sklearn_rank.metrics._stop_chances import chances_by_grade, chances_by_row
from sklearn_rank.metrics._stop_integral import stop_by_integral
from sklearn_rank.metrics._tied_ranks import MarkedRanks, ranks_of_marked

__all__ = ["inverse_rank_of_stop"]

# More relevant rows of a block than this are taken by grade and not one by one.
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
    has_many = places.n_hits > _MANY
    by_integral = has_many & _is_whole(places, unsatisfied)
    grades = _grades(places, unsatisfied, has_many)
    value = np.empty(len(places.size))
    for some, chances in (
        (~has_many, chances_by_row),
        (has_many & ~by_integral, chances_by_grade),
    ):
        if some.any():
            ranks, wanted = _ranks(places, grades.of(some), some)
            stops = chances(*grades.of(some), wanted)
            value[some] = np.bincount(ranks.block, stops * ranks.inverse, len(wanted))
    if by_integral.any():
        value[by_integral] = stop_by_integral(
            places.size[by_integral],
            places.block_above[by_integral],
            *grades.of(by_integral),
        )
    return value


def _is_whole(places: Places, unsatisfied: np.ndarray) -> np.ndarray:
    """Return which blocks no cutoff divides, or where hardly anybody comes down to it.

    By Maclaurin's inequality the mean product of i factors is at most the i-th power of
    their mean.
    """
    satisfied = np.bincount(places.row_block, 1 - unsatisfied, len(places.size))
    mean = np.maximum(satisfied / places.size, 1e-300)
    return (places.length == places.size) | (places.length * mean > 46 - np.log(mean))


def _grades(places: Places, unsatisfied: np.ndarray, has_many: np.ndarray) -> Grades:
    """Return the rows by block and grade; a grade for each row where they are few."""
    begins = np.ones(len(unsatisfied), dtype=bool)
    block = places.row_block
    begins[1:] = (unsatisfied[1:] != unsatisfied[:-1]) | (block[1:] != block[:-1])
    begins |= ~has_many[block]
    first = np.flatnonzero(begins)
    return Grades(block[first], np.diff(first, append=len(block)), unsatisfied[first])


def _ranks(
    places: Places, grades: Grades, some: np.ndarray
) -> tuple[MarkedRanks, np.ndarray]:
    """Return the ranks of the relevant rows that count, and how many do, by block."""
    n_hits, reach = places.n_hits[some], places.length[some]
    wanted = np.minimum(np.minimum(n_hits, reach), _last_seen(grades, n_hits))
    above = places.block_above[some]
    return ranks_of_marked(places.size[some], n_hits, above, reach, wanted), wanted


def _last_seen(grades: Grades, n_hits: np.ndarray) -> np.ndarray:
    """Return after how many relevant rows the rest adds less than a share of 1e-20."""
    satisfied = grades.n_rows * (1 - grades.unsatisfied)
    mean = np.bincount(grades.block, satisfied, len(n_hits)) / n_hits
    mean = np.clip(mean, 1e-300, 1 - 1e-16)
    last = np.log(1e-20 * mean) / np.log1p(-mean)
    return np.ceil(np.minimum(last, n_hits)).astype(np.intp) + 1
