"""ERR of tied rows: the mean of 1 / rank of the stop over all their orders.

It is a sum over the places of a block. In large blocks only the relevant rows are visited:
the others satisfy no user and only move them down. So the order of the relevant rows among
themselves, which says after how many of them the user stops, is independent of the ranks
that these hold.
"""

from typing import Any

import numpy as np

from sklearn_rank._base._runs import ragged_rows, ranges, starts_of
from sklearn_rank._ranking._places import Places
from sklearn_rank._ranking._tied_ranks import Blocks, ranks_of_chosen

# Probabilities to stop at the first, second, ... of some rows in random order.
#
# E_i is the mean over all orders of the probability of going on after i rows, an elementary
# symmetric mean, and D_i = E_i - E_(i + 1) that of stopping at the next one. D is computed
# without the difference, so that it keeps its digits if the user hardly ever stops.


def chances_to_stop(
    n_hits: np.ndarray,
    unsatisfied: np.ndarray,
    wanted: np.ndarray,
    n_others: np.ndarray | None = None,
) -> np.ndarray:
    """Return D, block after block: as many values of each as are `wanted`.

    A block has `n_hits` rows, each with its probability `unsatisfied` to go on. They are
    added one after the other, to all blocks at once. `n_others` rows of each block satisfy
    no user, and are there from the first.
    """
    stops = np.empty(wanted.sum())
    of_value = np.repeat(np.arange(len(wanted)), wanted)
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


# Blocks of so many rows, or places with a few relevant rows, are gone through by place.
_SMALL, _FEW = 32, 16


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
    is_small |= (places.length <= _SMALL) & (places.n_hits <= _FEW)
    value = np.empty(len(places.size))
    blocks = Blocks(places.size, places.n_hits, places.block_above, places.length)
    for some, path in ((is_small, _stop_by_place), (~is_small, _stop_by_number)):
        if some.any():
            of_rows = unsatisfied[some[places.row_block]]
            value[some] = path(blocks.take(some), of_rows, wanted[some])
    return value


def _stop_by_place(
    blocks: Blocks, unsatisfied: np.ndarray, wanted: np.ndarray
) -> np.ndarray:
    length, n_others = blocks.reach, blocks.size - blocks.n_chosen
    stops = chances_to_stop(blocks.n_chosen, unsatisfied, length, n_others)
    stops /= ranges(blocks.above + 1, length)
    return np.add.reduceat(stops, starts_of(length)[:-1])


def _stop_by_number(
    blocks: Blocks, unsatisfied: np.ndarray, wanted: np.ndarray
) -> np.ndarray:
    """Return the sums of chance to stop × mean of 1 / rank of each relevant row."""
    stops = chances_to_stop(blocks.n_chosen, unsatisfied, wanted)
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
