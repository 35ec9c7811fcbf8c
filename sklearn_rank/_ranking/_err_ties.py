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
    ragged_rows,
    ranges,
    run_starts,
    sizes_of,
    starts_of,
)
from sklearn_rank._ranking._ranked_lists import Places
from sklearn_rank._ranking._tied_ranks import Blocks, ranks_of_chosen

# Probabilities to stop at the first, second, ... of n rows in random order.
#
# E(i) is the mean over all orders of the probability of going on after i rows, and D(i)
# that of stopping at the next one. The numbers e(i) = C(n, i) E(i) and d(i) = C(n, i)
# (n - i) D(i) are the coefficients of polynomials: e is a product of 1 + q x over the rows,
# where q is the probability of a row to go on, and d sums over the rows 1 - q times the
# product over the other rows. So m more rows with the same q turn
#
#     d into (d (1 + q x) + m (1 - q) e) (1 + q x)**(m - 1)    and    e into e (1 + q x)**m.
#
# No term is negative, so no digit is lost, also if the user hardly ever stops.
#
# To stay in the range of floats, e(i) and d(i) are kept over C(N, i), where N is the number
# of all rows: at the end, e is E. Before it, the values that count are above 2**-N, and
# above exp(-n / 2.7) if n is small beside N. Where more values are wanted, N grows by a
# small step at a time.
_MOST_VALUES, _STEP = 700, 32
# A step takes about 20 calls of NumPy, so blocks are at least so many at a time.
_FEW_BLOCKS = 16


class _Sets(NamedTuple):
    """Sets of rows of a block with the same probability to go on."""

    block: np.ndarray
    n_rows: np.ndarray
    unsatisfied: np.ndarray

    def take(self, is_taken: np.ndarray) -> "_Sets":
        """Return the sets of some blocks, numbered again."""
        sets = is_taken[self.block]
        number = np.cumsum(is_taken) - 1
        return _Sets(number[self.block[sets]], self.n_rows[sets], self.unsatisfied[sets])

    def divide(self, most: np.ndarray) -> "_Sets":
        """Return the sets of each block with the most rows first, and at most `most`."""
        order = np.lexsort((-self.n_rows, self.block))
        block, n_rows, unsatisfied = (column[order] for column in self)
        most = most[block]
        n_parts = -(-n_rows // most)
        set_of = np.arange(len(block)).repeat(n_parts)
        n_left = n_rows[set_of] - ranges(0, n_parts) * most[set_of]
        return _Sets(block[set_of], np.minimum(n_left, most[set_of]), unsatisfied[set_of])


def chances_to_stop(sets: _Sets, wanted: np.ndarray) -> np.ndarray:
    """Return D of each block, block after block: as many values as are `wanted`."""
    n_all = np.bincount(sets.block, sets.n_rows).astype(np.intp)
    step = np.where(wanted > _MOST_VALUES, _STEP, n_all)
    sets = sets.divide(step)
    n_sets = np.bincount(sets.block)
    first = starts_of(n_sets)[:-1]
    n_so_far = np.cumsum(sets.n_rows) - starts_of(n_all)[sets.block]
    scale = np.minimum(
        -(-n_so_far // step[sets.block]) * step[sets.block], n_all[sets.block]
    )
    stops = np.empty(wanted.sum())
    for blocks, cells, inside in ragged_rows(wanted):
        # Those with the most sets first: the others are ready after a few steps.
        order = np.argsort(-n_sets[blocks], kind="stable")
        n_at_once = max(TIED_PLACES // cells.shape[1], _FEW_BLOCKS)
        for start in range(0, len(order), n_at_once):
            rows = order[start : start + n_at_once]
            chosen = blocks[rows]
            values = _add_sets(sets, scale, first[chosen], n_sets[chosen], cells.shape[1])
            stops[cells[rows][inside[rows]]] = values.T[inside[rows]]
    return stops


def _add_sets(
    sets: _Sets, scale: np.ndarray, first: np.ndarray, n_sets: np.ndarray, width: int
) -> np.ndarray:
    """Return D(i), i < width, of blocks in columns; those with the most sets come first."""
    values = np.zeros((2, width, len(first)))
    if width > len(first):  # the longer side lies together in memory, for speed
        values = np.zeros((2, len(first), width)).swapaxes(1, 2)
    values[0, 0] = 1
    n_all, ratio = scale[first], np.empty_like(values[0])
    ratio[:] = _next_ratio(n_all, width)
    n_so_far = np.zeros(len(first), dtype=np.intp)
    for step in range(n_sets[0]):
        blocks = slice(np.searchsorted(-n_sets, -step))
        rows = first[blocks] + step
        n_rows, unsatisfied = sets.n_rows[rows], sets.unsatisfied[rows]
        n_so_far[blocks] += n_rows
        if (scale[rows] != n_all[blocks]).any():
            values[:, :, blocks] *= _rescale(n_all[blocks], scale[rows], width)
            n_all[blocks] = scale[rows]
            ratio[:, blocks] = _next_ratio(scale[rows], width)
        end = min(width, int(n_so_far[blocks].max()) + 1)
        _add_rows(values[:, :end, blocks], ratio[:end, blocks], n_rows, unsatisfied)
    return values[1] / np.maximum(n_all - np.arange(width)[:, None], 1)


def _add_rows(
    values: np.ndarray, ratio: np.ndarray, n_rows: np.ndarray, unsatisfied: np.ndarray
) -> None:
    """Turn e and d, in place, into those with `n_rows` more rows in each column."""
    factor = ratio * unsatisfied
    stopping = values[0] * (n_rows * (1 - unsatisfied))
    values[:, 1:] += values[:, :-1] * factor[1:]
    values[1] += stopping
    # C(m - 1, h) (q x)**h times the values, for h = 1, 2, ...
    n_terms = min(int(n_rows.max()), len(factor))
    term = values.copy() if n_terms > 1 else values
    for h in range(1, n_terms):
        term = term[:, :-1]
        term *= factor[h:]
        term *= np.maximum(n_rows - h, 0) / h
        values[:, h:] += term


def _next_ratio(n: np.ndarray, width: int) -> np.ndarray:
    """Return C(n, i - 1) / C(n, i), i < width, of each n in a column."""
    i = np.arange(width)[:, None]
    return i / np.maximum(n - i + 1, 1)


def _rescale(n: np.ndarray, n_after: np.ndarray, width: int) -> np.ndarray:
    """Return C(n, i) / C(n_after, i), i < width, of each n in a column."""
    i = np.arange(width - 1)[:, None]
    factors = np.maximum(n - i, 0) / np.maximum(n_after - i, 1)
    return np.concatenate([np.ones((1, len(n))), np.cumprod(factors, axis=0)])


# So many places above the cutoff are gone through one by one.
_SHORT = 32


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
    starts = run_starts(places.row_block, unsatisfied)
    first = starts[:-1]
    sets = _Sets(places.row_block[first], sizes_of(starts), unsatisfied[first])
    is_short = places.length <= _SHORT
    value = np.empty(len(places.size))
    blocks = Blocks(places.size, places.n_hits, places.block_above, places.length)
    for taken, path in ((is_short, _stop_by_place), (~is_short, _stop_by_number)):
        if taken.any():
            value[taken] = path(blocks.take(taken), sets.take(taken), wanted[taken])
    return value


def _stop_by_place(blocks: Blocks, sets: _Sets, wanted: np.ndarray) -> np.ndarray:
    """Return the sums of chance to stop / rank over places; other rows satisfy no user."""
    n_others = blocks.size - blocks.n_chosen
    has_others = n_others.nonzero()[0]
    other_sets = _Sets(has_others, n_others[has_others], np.ones(len(has_others)))
    sets = _Sets(*(np.append(*pair) for pair in zip(sets, other_sets, strict=True)))
    stops = chances_to_stop(sets, blocks.reach)
    stops /= ranges(blocks.above + 1, blocks.reach)
    return np.add.reduceat(stops, starts_of(blocks.reach)[:-1])


def _stop_by_number(blocks: Blocks, sets: _Sets, wanted: np.ndarray) -> np.ndarray:
    """Return the sums of chance to stop × mean of 1 / rank of each relevant row."""
    stops = chances_to_stop(sets, wanted)
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
