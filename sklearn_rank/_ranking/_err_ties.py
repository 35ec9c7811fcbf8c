"""ERR of tied rows: the mean of 1 / rank of the stop over all their orders.

It is a sum over the places of a block. In large blocks only the relevant rows are visited:
the others satisfy no user and only move them down. So the order of the relevant rows among
themselves, which says after how many of them the user stops, is independent of the ranks
that these hold.
"""

from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._base._runs import (
    begins_run,
    ragged_rows,
    ranges,
    sizes_of,
    starts_of,
    starts_where,
)
from sklearn_rank._ranking._places import Places
from sklearn_rank._ranking._tied_ranks import Blocks, ranks_of_chosen

# Probabilities to stop at the first, second, ... of some rows in random order.
#
# E_i is the mean over all orders of the probability of going on after i rows, an elementary
# symmetric mean, and D_i = E_i - E_(i + 1) that of stopping at the next one. D is computed
# without the difference, so that it keeps its digits if the user hardly ever stops.
#
# The functions take the rows of one grade by block of ties: `n_rows` of them, each with the
# probability `unsatisfied` to go on. `wanted` is how many values each block wants. They
# return D, block after block.

# Values of a block up to which powers and factorials stay far from the ends of float64.
MOST_BY_GRADE = 100


def chances_by_row(
    block: np.ndarray,
    n_rows: np.ndarray,
    unsatisfied: np.ndarray,
    wanted: np.ndarray,
    n_others: np.ndarray | None = None,
) -> np.ndarray:
    """Add one row after the other to all blocks at once; each of `n_rows` is 1.

    `n_others` rows of each block satisfy no user, and are there from the first.
    """
    stops = np.empty(wanted.sum())
    of_value = np.repeat(np.arange(len(wanted)), wanted)
    n_hits = np.bincount(block, n_rows).astype(np.intp)
    first = starts_of(n_hits)
    for _, cells, inside in ragged_rows(wanted):
        blocks = of_value[cells[:, 0]]
        # Those with the most rows first: the others are ready after a few steps.
        order = np.argsort(-n_hits[blocks], kind="stable")
        n_steps, row = n_hits[blocks][order], first[blocks][order]
        others = None if n_others is None else n_others[blocks][order, None]
        going_on, stopping = np.ones(inside.shape), np.zeros(inside.shape)
        for step in range(int(n_steps[0])):
            some = slice(np.searchsorted(-n_steps, -step))
            factor = unsatisfied[row[some] + step][:, None]
            n_after: Any = step + 1 if others is None else step + 1 + others[some]
            width = step + 2 if others is None else int(n_after.max()) + 1
            _add_row(going_on[some, :width], stopping[some, :width], n_after, factor)
        stops[cells[order][inside[order]]] = stopping[inside[order]]
    return stops


def _add_row(
    going_on: np.ndarray,
    stopping: np.ndarray,
    n_rows: np.ndarray | int,
    unsatisfied: np.ndarray,
) -> None:
    """Make E and D, in place, those of `n_rows` rows: one more, anywhere among them."""
    i = np.arange(going_on.shape[1])
    is_above = np.minimum(i / n_rows, 1)
    passed = is_above[..., 1:] * unsatisfied
    stopped_above = passed * stopping[:, :-1]
    stopping *= np.maximum(1 - (i + 1) / n_rows, 0)
    stopping += (1 - unsatisfied) / n_rows * going_on
    stopping[:, 1:] += stopped_above
    passed *= going_on[:, :-1]
    going_on *= 1 - is_above
    going_on[:, 1:] += passed


def chances_by_grade(
    block: np.ndarray, n_rows: np.ndarray, unsatisfied: np.ndarray, wanted: np.ndarray
) -> np.ndarray:
    """Join the rows of two grades, and so on, until one set of rows is left in each block.

    With e_i the elementary symmetric polynomials of n factors, E_i = e_i i! / (n)_i. Those
    of two sets joined are the coefficients of a product of polynomials. So are, by the
    product rule, d_i = D_i (n)_(i + 1) / i!. Here the i-th of both is taken over the i-th
    power of the number of rows in the block, next to which few are wanted.
    """
    total, most = np.bincount(block, n_rows)[:, None], int(wanted.max())
    sets = _chances_of_one_grade(n_rows[:, None], unsatisfied[:, None] / total[block], most)
    sets[1] *= 1 - unsatisfied[:, None]
    while len(block) > len(wanted):
        n_sets = np.bincount(block)
        number = ranges(0, n_sets)
        first = np.flatnonzero(number % 2 == 0)
        has_next = number[first] + 1 < n_sets[block[first]]
        joined = _join_sets(sets, first[has_next], most)
        alone = sets[:, first[~has_next]]
        sets = np.zeros((2, len(first), joined.shape[2]))
        sets[:, has_next] = joined
        sets[:, ~has_next, : alone.shape[2]] = alone
        block = block[first]
    i = np.arange(sets.shape[2])
    # Their product is i! n**i / (n - 1)_i. What is not wanted may lie beyond n.
    factor = i / np.maximum(1 - i / total, 1 / total)
    factor[:, 0] = 1 / total[:, 0]
    return (sets[1] * np.cumprod(factor, axis=1))[i < wanted[:, None]]


def _chances_of_one_grade(n_rows: np.ndarray, factor: np.ndarray, most: int) -> np.ndarray:
    """Return e and d, d for rows that satisfy with 1, of sets of equal factors."""
    i = np.arange(1, min(most, int(n_rows.max()) + 1))
    sets = np.ones((2, len(n_rows), len(i) + 1))
    sets[0, :, 1:] = np.maximum(n_rows - i + 1, 0) / i * factor
    sets[1, :, :1] = n_rows
    sets[1, :, 1:] = np.maximum(n_rows - i, 0) / i * factor
    return np.cumprod(sets, axis=2)


def _join_sets(sets: np.ndarray, first: np.ndarray, most: int) -> np.ndarray:
    """Return e and d of each of the `first` sets together with the one after it."""
    n_values = sets.shape[2]
    width = min(most, 2 * n_values - 1)
    (e, d), (e_next, d_next) = sets[:, first], sets[:, first + 1]
    joined = np.zeros((2, len(first), width))
    for i in range(n_values):
        part = slice(i, min(i + n_values, width))
        n_here = part.stop - i
        joined[0, :, part] += e[:, i, None] * e_next[:, :n_here]
        joined[1, :, part] += e[:, i, None] * d_next[:, :n_here]
        joined[1, :, part] += d[:, i, None] * e_next[:, :n_here]
    return joined


# Blocks of so many rows, or places with a few relevant rows, are gone through by place.
_SMALL = 32
# More relevant rows than this, three times as many as wanted, are taken by grade.
_FEW = 16


class GradeRows(NamedTuple):
    """Relevant rows of one grade in one block of ties."""

    block: np.ndarray
    n_rows: np.ndarray
    unsatisfied: np.ndarray

    def take(self, is_wanted: np.ndarray) -> "GradeRows":
        """Return the grades of some blocks, which are numbered anew."""
        kept = is_wanted[self.block]
        number = np.cumsum(is_wanted) - 1
        return GradeRows(
            number[self.block[kept]], self.n_rows[kept], self.unsatisfied[kept]
        )


def inverse_rank_of_stop(places: Places, unsatisfied: np.ndarray) -> np.ndarray:
    """Return for each block the mean of 1 / rank if the user stops there, 0 if not.

    `unsatisfied` is the probability of each relevant row of the blocks to go on.
    """
    if places.tied is None:
        return (1 - unsatisfied) / places.rank
    satisfied = np.bincount(places.row_block, 1 - unsatisfied, len(places.size))
    wanted = np.minimum(places.n_hits, places.length)
    wanted = np.minimum(
        wanted, _last_counting_row(satisfied / places.n_hits, places.n_hits)
    )
    path_of = _choose_paths(places, wanted)
    grades = _split_by_grade(places, unsatisfied, path_of)
    value = np.empty(len(places.size))
    blocks = Blocks(places.size, places.n_hits, places.block_above, places.length)
    paths = _stop_by_place, _stop_by_number, _stop_by_grade
    for number, path in enumerate(paths):
        some = path_of == number
        if some.any():
            value[some] = path(blocks.take(some), grades.take(some), wanted[some])
    return value


# Each of these takes some blocks, their grades, and how many relevant rows of each count.


def _stop_by_place(blocks: Blocks, grades: GradeRows, wanted: np.ndarray) -> np.ndarray:
    length = blocks.reach
    stops = chances_by_row(*grades, length, blocks.size - blocks.n_chosen)
    stops /= ranges(blocks.above + 1, length)
    return np.add.reduceat(stops, starts_of(length)[:-1])


def _stop_by_number(blocks: Blocks, grades: GradeRows, wanted: np.ndarray) -> np.ndarray:
    return _sum_over_ranks(blocks, wanted, chances_by_row(*grades, wanted))


def _stop_by_grade(blocks: Blocks, grades: GradeRows, wanted: np.ndarray) -> np.ndarray:
    return _sum_over_ranks(blocks, wanted, chances_by_grade(*grades, wanted))


def _sum_over_ranks(blocks: Blocks, wanted: np.ndarray, stops: np.ndarray) -> np.ndarray:
    """Return the sums of chance to stop × mean of 1 / rank of each relevant row."""
    ranks = ranks_of_chosen(*blocks, wanted)
    return np.bincount(ranks.block, stops * ranks.inverse)


def _choose_paths(places: Places, wanted: np.ndarray) -> np.ndarray:
    """Return the number of the path of each block."""
    by_grade = places.n_hits > np.maximum(3 * wanted, _FEW)
    by_grade &= wanted <= MOST_BY_GRADE
    is_small = places.size <= _SMALL
    is_small |= (places.length <= _SMALL) & (places.n_hits <= _FEW)
    return np.select([is_small, by_grade], [0, 2], 1)


def _last_counting_row(mean: np.ndarray, n_hits: np.ndarray) -> np.ndarray:
    """Return after how many relevant rows the rest adds less than a share of 1e-20.

    `mean` is that of their chances to stop. By Maclaurin's inequality the mean product of
    i factors is at most the i-th power of their mean.
    """
    mean = np.clip(mean, 1e-300, 1 - 1e-16)
    last = np.log(1e-20 * mean) / np.log1p(-mean)
    return np.ceil(np.minimum(last, n_hits)).astype(np.intp) + 1


def _split_by_grade(
    places: Places, unsatisfied: np.ndarray, path_of: np.ndarray
) -> GradeRows:
    """Return the rows by block and grade, or each row as a grade of its own."""
    block = places.row_block
    starts = starts_where(begins_run(unsatisfied, block) | (path_of < 2)[block])
    first = starts[:-1]
    return GradeRows(block[first], sizes_of(starts), unsatisfied[first])
