"""ERR of tied rows: the mean of 1 / rank of the stop over all their orders.

It is a sum over the places of a block. In large blocks only the relevant rows are visited:
the others satisfy no user and only move them down. So the order of the relevant rows among
themselves, which says after how many of them the user stops, is independent of the ranks
that these hold. For a block with many relevant rows that no cutoff divides, an integral is
faster.
"""

from typing import NamedTuple

import numpy as np

from sklearn_rank._arrays._runs import begins_run, ranges, sizes_of, starts_of, starts_where
from sklearn_rank._ranking._stop_chances import (
    MOST_BY_GRADE,
    chances_by_grade,
    chances_by_row,
)
from sklearn_rank._ranking._stop_integral import stop_by_integral
from sklearn_rank._ranking._tied_places import Places
from sklearn_rank._ranking._tied_ranks import ranks_of_chosen

# Blocks of so many rows, or places with a few relevant rows, are gone through by place.
_SMALL = 32
# More relevant rows than this, three times as many as wanted, are taken by grade.
_FEW = 16
# With more relevant rows than this, an integral is faster.
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
    path_of = _paths(places, satisfied, wanted)
    grades = _grades(places, unsatisfied, path_of)
    value = np.empty(len(places.size))
    paths = _by_place, _by_number, _by_number_of_grade, _by_integral
    for number, path in enumerate(paths):
        some = path_of == number
        if some.any():
            value[some] = path(places, np.flatnonzero(some), grades.of(some), wanted[some])
    return value


# Each of these takes some blocks, their grades, and how many relevant rows of each count.


def _by_place(
    places: Places, blocks: np.ndarray, grades: Grades, wanted: np.ndarray
) -> np.ndarray:
    length = places.length[blocks]
    stops = chances_by_row(*grades, length, places.size[blocks] - places.n_hits[blocks])
    stops /= ranges(places.block_above[blocks] + 1, length)
    return np.add.reduceat(stops, starts_of(length)[:-1])


def _by_number(
    places: Places, blocks: np.ndarray, grades: Grades, wanted: np.ndarray
) -> np.ndarray:
    return _over_ranks(places, blocks, wanted, chances_by_row(*grades, wanted))


def _by_number_of_grade(
    places: Places, blocks: np.ndarray, grades: Grades, wanted: np.ndarray
) -> np.ndarray:
    return _over_ranks(places, blocks, wanted, chances_by_grade(*grades, wanted))


def _over_ranks(
    places: Places, blocks: np.ndarray, wanted: np.ndarray, stops: np.ndarray
) -> np.ndarray:
    """Return the sums of chance to stop × mean of 1 / rank of each relevant row."""
    ranks = ranks_of_chosen(
        places.size[blocks],
        places.n_hits[blocks],
        places.block_above[blocks],
        places.length[blocks],
        wanted,
    )
    return np.bincount(ranks.block, stops * ranks.inverse)


def _by_integral(
    places: Places, blocks: np.ndarray, grades: Grades, wanted: np.ndarray
) -> np.ndarray:
    return stop_by_integral(places.size[blocks], places.block_above[blocks], *grades)


def _paths(places: Places, satisfied: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the number of the path of each block.

    The integral is for blocks that no cutoff divides, or where hardly anybody comes down
    to it. `satisfied` is the sum of the chances to stop.
    """
    mean = np.maximum(satisfied / places.size, 1e-300)
    is_whole = places.length == places.size
    is_whole |= places.length * mean > 46 - np.log(mean)
    by_grade = places.n_hits > np.maximum(3 * wanted, _FEW)
    by_grade &= wanted <= MOST_BY_GRADE
    by_integral = is_whole & (places.n_hits > _MANY)
    is_small = places.size <= _SMALL
    is_small |= (places.length <= _SMALL) & (places.n_hits <= _FEW)
    return np.select([is_small, by_integral, by_grade], [0, 3, 2], 1)


def _last_seen(mean: np.ndarray, n_hits: np.ndarray) -> np.ndarray:
    """Return after how many relevant rows the rest adds less than a share of 1e-20.

    `mean` is that of their chances to stop. By Maclaurin's inequality the mean product of
    i factors is at most the i-th power of their mean.
    """
    mean = np.clip(mean, 1e-300, 1 - 1e-16)
    last = np.log(1e-20 * mean) / np.log1p(-mean)
    return np.ceil(np.minimum(last, n_hits)).astype(np.intp) + 1


def _grades(places: Places, unsatisfied: np.ndarray, path_of: np.ndarray) -> Grades:
    """Return the rows by block and grade, or each row as a grade of its own."""
    block = places.row_block
    starts = starts_where(begins_run(unsatisfied, block) | (path_of < 2)[block])
    first = starts[:-1]
    return Grades(block[first], sizes_of(starts), unsatisfied[first])
