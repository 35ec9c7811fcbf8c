"""ERR of tied rows: the mean of 1 / rank of the stop over all their orders.

It is a sum over the places of a block. In large blocks only the relevant rows are visited:
the others satisfy no user and only move them down. So the order of the relevant rows among
themselves, which says after how many of them the user stops, is independent of the ranks
that these hold.
"""

from typing import NamedTuple

import numpy as np

from sklearn_rank._base._runs import (
    TIED_PLACES,
    begins_run,
    cut_runs,
    ragged_rows,
    ranges,
    sizes_of,
    starts_of,
    starts_where,
)
from sklearn_rank._ranking._ranked_lists import Places
from sklearn_rank._ranking._tied_ranks import Blocks, hypergeometric, ranks_of_chosen

# Probabilities to stop at the first, second, ... of some rows in random order.
#
# E(i) is the mean over all orders of the probability of going on after i rows, and D(i)
# that of stopping at the next one. Of n rows that all go on with probability q they are
# q**i and q**i (1 - q). Let a set of n rows be two sets of l and r rows. Of its first i
# rows, h are of the left set with a hypergeometric probability, and the next row is of it
# with the probability (l - h) / (n - i). So
#
#     E(i) = sum over h of P(h) E_l(h) E_r(i - h),
#     D(i) = sum over h of P(h) ((l - h) D_l(h) E_r(i - h) +
#                                (r - i + h) E_l(h) D_r(i - h)) / (n - i).
#
# No term is negative, so no digit is lost, also if the user hardly ever stops.


class _Sets(NamedTuple):
    """Sets of rows by block, and E and D of each for i = 0, 1, ... as far as wanted."""

    block: np.ndarray
    n_rows: np.ndarray
    starts: np.ndarray  # where the values of each set begin, and the last end
    going_on: np.ndarray
    stopping: np.ndarray

    def take(self, keeps: np.ndarray) -> "_Sets":
        """Return some of the sets, given as a mask or in an order."""
        sets = keeps.nonzero()[0] if keeps.dtype == bool else keeps
        sizes = sizes_of(self.starts)[sets]
        cells = ranges(self.starts[:-1][sets], sizes)
        values = (self.going_on[cells], self.stopping[cells])
        return _Sets(self.block[sets], self.n_rows[sets], starts_of(sizes), *values)


def chances_to_stop(
    block: np.ndarray, unsatisfied: np.ndarray, wanted: np.ndarray
) -> np.ndarray:
    """Return D of all rows of each block, block after block: as many as are `wanted`.

    Rows are in order of their blocks, and equal ones together.
    """
    begins = starts_where(begins_run(block, unsatisfied))
    first, n_rows = begins[:-1], sizes_of(begins)
    of_set, factor = block[first], unsatisfied[first]
    found = np.empty(wanted.sum())
    each = np.arange(len(wanted)).repeat(wanted)
    # The path and the scale of a block depend on no other block, and so do its last bits.
    is_small = wanted <= _MOST_VALUES
    for some, path in ((is_small, _stop_by_products), (~is_small, _stop_by_chances)):
        for blocks, _, _ in ragged_rows(np.where(some, wanted, 0)):
            number = np.full(len(wanted), -1)
            number[blocks] = np.arange(len(blocks))
            sets = (number[of_set] >= 0).nonzero()[0]
            rows = number[of_set[sets]], n_rows[sets], factor[sets]
            found[number[each] >= 0] = path(*rows, wanted[blocks])
    return found


# Few values, by products of polynomials: with e(i) = C(n, i) c**i E(i) and d(i) =
# C(n, i) c**i (n - i) D(i), the sums above are e = e_l * e_r, d = d_l * e_r + e_l * d_r. By
# c the largest of e is about exp(wanted / 2.7), and the first and the last are about 1.
_MOST_VALUES = 1500


def _stop_by_products(
    block: np.ndarray, n_rows: np.ndarray, factor: np.ndarray, wanted: np.ndarray
) -> np.ndarray:
    """Return D, multiplying the polynomials of two neighboring sets at a time."""
    width, total = int(wanted.max()), np.bincount(block, n_rows)
    scale = wanted / np.e / total
    sets = _binomials(n_rows, scale[block] * factor, min(width, int(n_rows.max()) + 1))
    left_over = np.maximum(n_rows[:, None] - np.arange(sets.shape[1]), 0)
    sets = np.stack([sets, sets * left_over * (1 - factor)[:, None]])
    while len(block) > len(wanted):
        is_left, is_right, is_alone = _pairs(block)
        joined = _multiply(sets[:, is_left], sets[:, is_right], width)
        alone = np.zeros((2, np.count_nonzero(is_alone), joined.shape[2]))
        alone[:, :, : sets.shape[2]] = sets[:, is_alone]
        block = np.append(block[is_left], block[is_alone])
        order = np.argsort(block, kind="stable")
        sets, block = np.concatenate([joined, alone], axis=1)[:, order], block[order]
    number = np.arange(sets.shape[2])
    rest = _binomials(total, scale, len(number)) * np.maximum(total[:, None] - number, 1)
    is_wanted = number < wanted[:, None]
    return sets[1][is_wanted] / rest[is_wanted]


def _binomials(n: np.ndarray, factor: np.ndarray, width: int) -> np.ndarray:
    """Return C(n, i) factor**i for i = 0, 1, ..., less than `width`."""
    terms = np.ones((len(n), width))
    i = np.arange(1, width)
    terms[:, 1:] = np.maximum(n[:, None] - i + 1, 0) / i * factor[:, None]
    return np.cumprod(terms, axis=1)


def _multiply(left: np.ndarray, right: np.ndarray, width: int) -> np.ndarray:
    """Return e and d of the union of each left set with the right one."""
    n = right.shape[2]
    joined = np.zeros((2, left.shape[1], min(width, left.shape[2] + n - 1)))
    for i in range(left.shape[2]):
        part = joined[:, :, i : i + n]
        others = right[:, :, : part.shape[2]]
        part += left[0, :, i, None] * others
        part[1] += left[1, :, i, None] * others[0]
    return joined


def _pairs(block: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return which sets are left in a pair of their block, which right, which alone."""
    is_right = ranges(0, np.bincount(block)) % 2 == 1
    is_left = np.append(is_right[1:], False)
    return is_left, is_right, ~(is_left | is_right)


# Many values, where users hardly ever stop: only likely h are looked at.


def _stop_by_chances(
    block: np.ndarray, n_rows: np.ndarray, factor: np.ndarray, wanted: np.ndarray
) -> np.ndarray:
    """Return D, joining two neighboring sets at a time."""
    sizes = np.minimum(n_rows + 1, wanted[block])
    going_on = factor.repeat(sizes) ** ranges(0, sizes)
    stopping = going_on * (1 - factor).repeat(sizes)
    sets = _Sets(block, n_rows, starts_of(sizes), going_on, stopping)
    while len(sets.block) > len(wanted):
        left, right, alone = map(sets.take, _pairs(sets.block))
        sets = _in_order(_join(left, right, wanted), alone)
    return sets.stopping[ranges(sets.starts[:-1], wanted)]


def _join(left: _Sets, right: _Sets, wanted: np.ndarray) -> _Sets:
    """Return the union of each left set with the right one."""
    n_rows = left.n_rows + right.n_rows
    sizes = np.minimum(n_rows + 1, wanted[left.block])
    pair, i = (np.arange(len(sizes)).repeat(sizes), ranges(0, sizes))
    values = np.zeros((2, len(i)))
    for first, last in cut_runs(np.arange(len(i) + 1), TIED_PLACES):
        of = pair[first:last]
        drawn = i[first:last]
        case, h, chance = hypergeometric(n_rows[of], left.n_rows[of], drawn)
        of, j = of[case], drawn[case] - h
        one, other = left.starts[of] + h, right.starts[of] + j
        e_left, e_right = left.going_on[one], right.going_on[other]
        d_left = (left.n_rows[of] - h) * left.stopping[one] * e_right
        d_right = (right.n_rows[of] - j) * e_left * right.stopping[other]
        rest = np.maximum(n_rows[of] - drawn[case], 1)
        n = last - first
        values[0, first:last] = np.bincount(case, chance * e_left * e_right, n)
        values[1, first:last] = np.bincount(case, chance * (d_left + d_right) / rest, n)
    return _Sets(left.block, n_rows, starts_of(sizes), *values)


def _in_order(one: _Sets, other: _Sets) -> _Sets:
    """Return the sets of both, by block."""
    sizes = np.append(sizes_of(one.starts), sizes_of(other.starts))
    columns = (np.append(*pair) for pair in zip(one, other, strict=True))
    block, n_rows, _, going_on, stopping = columns
    both = _Sets(block, n_rows, starts_of(sizes), going_on, stopping)
    return both.take(np.argsort(block, kind="stable"))


# Blocks of so many rows are gone through by place.
_SMALL = 32


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
    is_small = places.size <= _SMALL
    value = np.empty(len(places.size))
    blocks = Blocks(places.size, places.n_hits, places.block_above, places.length)
    for some, path in ((is_small, _stop_by_place), (~is_small, _stop_by_number)):
        if some.any():
            rows = some[places.row_block]
            block = (np.cumsum(some) - 1)[places.row_block[rows]]
            value[some] = path(blocks.take(some), block, unsatisfied[rows], wanted[some])
    return value


def _stop_by_place(
    blocks: Blocks, block: np.ndarray, unsatisfied: np.ndarray, wanted: np.ndarray
) -> np.ndarray:
    """Return the sums of chance to stop / rank over places; other rows satisfy no user."""
    n_others = blocks.size - blocks.n_chosen
    block = np.append(block, np.arange(len(n_others)).repeat(n_others))
    unsatisfied = np.append(unsatisfied, np.ones(n_others.sum()))
    order = np.argsort(block, kind="stable")
    stops = chances_to_stop(block[order], unsatisfied[order], blocks.reach)
    stops /= ranges(blocks.above + 1, blocks.reach)
    return np.add.reduceat(stops, starts_of(blocks.reach)[:-1])


def _stop_by_number(
    blocks: Blocks, block: np.ndarray, unsatisfied: np.ndarray, wanted: np.ndarray
) -> np.ndarray:
    """Return the sums of chance to stop × mean of 1 / rank of each relevant row."""
    stops = chances_to_stop(block, unsatisfied, wanted)
    ranks = ranks_of_chosen(*blocks, wanted)
    return np.bincount(ranks.block, stops * ranks.inverse)


def _last_counting_row(mean: np.ndarray, n_hits: np.ndarray) -> np.ndarray:
    """Return after how many relevant rows the rest adds less than a share of 1e-20.

    `mean` is that of their chances to stop. By Maclaurin's inequality the mean product of
    i factors is at most the i-th power of their mean.
    """
    mean = np.clip(mean, 1e-300, 1 - 1e-16)
    last = np.log(1e-20 * mean) / np.log1p(-mean)
    return np.ceil(np.minimum(last, n_hits)).astype(np.intp) + 1
