"""Where the first, second, ... marked row of a block of tied rows stands, in expectation.

Of n tied rows, m are marked, and a rows stand above the block. Over all orders, row j = 0,
1, ... of the marked ones has u unmarked rows of the block above, and the rank r = a + 1 +
j + u. Wanted are W_j = E[1 / r] and V_j = E[u / r]. With C_j = (a + j + 2) (m - 1 - j) and
D_j = (j + 1) (a + 2 + j + n - m), ratios of neighbouring probabilities give

    D_j V_(j+1) = (n - m) (j + 1) - C_j V_j,    D_j W_(j+1) = j + 1 + (m - 1 - j) V_j.

The first is used downward where C_j > D_j, which holds as far as some j, and upward below
it. So errors shrink on the way from that j, whose V is summed up. All m values take as many
steps as there are rows. A cutoff that divides the block leaves the ranks beyond out of the
expectations; then (j + 1) is times the probability that row j + 1 is within.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_banded

from sklearn_rank._runs import ranges
from sklearn_rank.metrics._worth import (
    accumulate_within,
    hypergeometric,
    probabilities,
)

__all__ = ["MarkedRanks", "ranks_of_marked"]


class MarkedRanks(NamedTuple):
    """What is expected of the rank of each marked row, by block and by number."""

    block: np.ndarray
    number: np.ndarray  # marked rows of the block above: 0, 1, ...
    inverse: np.ndarray  # 1 / rank
    others: np.ndarray  # unmarked rows of the block above, over the rank


def ranks_of_marked(
    size: np.ndarray,
    n_marked: np.ndarray,
    above: np.ndarray,
    reach: np.ndarray | None = None,
    most: np.ndarray | None = None,
) -> MarkedRanks:
    """Return what is expected of the ranks of the marked rows of some blocks.

    `reach` is the number of places of each block above the cutoff; places beyond count as
    0. None: all count. `most` is the number of marked rows asked for, from the first.
    """
    reach = size if reach is None else reach
    wanted = np.minimum(n_marked, reach)
    wanted = wanted if most is None else np.minimum(wanted, most)
    block, number = np.repeat(np.arange(len(size)), wanted), ranges(0, wanted)
    first = np.cumsum(wanted) - wanted
    within = _chance_within(size, n_marked, reach, wanted, block, number)
    left, n_others = (n_marked - 1)[block] - number, (size - n_marked)[block]
    rank = above[block] + 1 + number  # without other rows between
    c = (rank + 1.0) * left
    d = (number + 1.0) * (rank + 1 + n_others)
    is_last = number == wanted[block] - 1
    turn = np.bincount(block, (c > d) & ~is_last, len(size)).astype(np.intp)
    start = first + turn
    sums = _summed(size, n_marked, above, reach, turn, within[start])
    given = n_others * (number + 1) * np.append(within[1:], 0)
    others = _solved(c, d, given, number < turn[block], start, sums[1])
    inverse = np.empty(len(block))
    inverse[first] = np.where(
        turn == 0, sums[0], (within[first] - others[first]) / (above + 1)
    )
    step = ((number + 1) * np.append(within[1:], 0) + left * others) / d
    inverse[1:][~is_last[:-1]] = step[:-1][~is_last[:-1]]
    return MarkedRanks(block, number, inverse, others)


def _solved(
    c: np.ndarray,
    d: np.ndarray,
    given: np.ndarray,
    is_before: np.ndarray,
    start: np.ndarray,
    value: np.ndarray,
) -> np.ndarray:
    """Return V: the value at `start`, and by the recurrence on both sides of it."""
    right = np.empty(len(c))
    bands = np.zeros((3, len(c)))
    bands[1] = 1
    right[is_before] = given[is_before] / c[is_before]
    bands[0, 1:][is_before[:-1]] = (d / np.where(c > 0, c, 1))[:-1][is_before[:-1]]
    is_after = ~is_before
    is_after[start] = False
    before = np.flatnonzero(is_after) - 1
    right[is_after] = given[before] / d[before]
    bands[2, before] = c[before] / d[before]
    right[start] = value
    if len(right) == len(start):
        return right
    return solve_banded((1, 1), bands, right, overwrite_ab=True, overwrite_b=True)


def _chance_within(
    size: np.ndarray,
    n_marked: np.ndarray,
    reach: np.ndarray,
    wanted: np.ndarray,
    block: np.ndarray,
    number: np.ndarray,
) -> np.ndarray:
    """Return the probability that each marked row is among the first places."""
    chance = np.ones(len(block))
    cut = np.flatnonzero(reach < size)
    if len(cut) == 0:
        return chance
    case, hits, probability = hypergeometric(size[cut], n_marked[cut], reach[cut])
    n_cases = np.bincount(case, minlength=len(cut))
    first = np.cumsum(n_cases) - n_cases
    # Row j is within if more than j are: sums from the end of each block.
    more = accumulate_within(np.add, probability[::-1], n_cases[::-1])[::-1]
    more = np.append(np.minimum(more, 1), 0.0)
    rows = np.flatnonzero(reach[block] < size[block])
    case = np.cumsum(reach < size)[block[rows]] - 1
    at = np.clip(number[rows] + 1 - hits[first[case]], 0, n_cases[case])
    chance[rows] = np.where(at < n_cases[case], more[first[case] + at], 0)
    return chance


def _summed(
    size: np.ndarray,
    n_marked: np.ndarray,
    above: np.ndarray,
    reach: np.ndarray,
    turn: np.ndarray,
    within: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return W and V of row `turn` of each block, summed over the places it may hold."""
    n_others = size - n_marked
    lengths = np.minimum(n_others, reach - 1 - turn) + 1
    # The first marked row is below r others with less than exp(-r m / n).
    lengths = np.minimum(lengths, np.where(turn == 0, 44 * size // n_marked + 1, size))
    block, u = np.repeat(np.arange(len(size)), lengths), ranges(0, lengths)
    place = turn[block] + u
    left = n_others[block] - u
    ratio = (place + 1) * left / ((u + 1.0) * np.maximum(size[block] - 1 - place, 1))
    # Ratios fall, and are 1 or more as far as this u.
    falls = (turn + 1) * n_others - (size - 1 - turn)
    peak = np.clip(falls // np.maximum(n_marked - 1, 1) + 1, 0, lengths - 1)
    chance = probabilities(ratio, lengths, peak) / (above[block] + 1 + place)
    inverse = np.bincount(block, chance, len(size)) * within
    return inverse, np.bincount(block, chance * u, len(size)) * within
