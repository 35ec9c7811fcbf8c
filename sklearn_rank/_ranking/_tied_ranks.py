"""The expected rank of the first, second, ... chosen row of a block of tied rows.

Of n tied rows, m are chosen, and a rows stand above the block. Over all orders, row j = 0,
1, ... of the chosen ones has u other rows of the block above, and the rank r = a + 1 + j +
u.

The results are W_j = E[1 / r] and V_j = E[u / r]. With C_j = (a + j + 2) (m - 1 - j) and
D_j = (j + 1) (a + 2 + j + n - m), ratios of neighboring probabilities give

    D_j V_(j+1) = (n - m) (j + 1) - C_j V_j,    D_j W_(j+1) = j + 1 + (m - 1 - j) V_j.

The first is used downward where C_j > D_j, which holds as far as some j, and upward below
it. So errors shrink on the way from that j, whose V is summed up. All m values take as many
steps as there are rows. A cutoff that divides the block leaves the ranks beyond out of the
expectations; then (j + 1) is times the probability that row j + 1 is within.
"""

from typing import NamedTuple

import numpy as np

from sklearn_rank._base._runs import (
    TIED_PLACES,
    accumulate_within,
    cut_runs,
    ranges,
    starts_of,
)

# Hypergeometric probabilities of relevant rows among rows drawn from tied ones.


def hypergeometric(
    size: np.ndarray, n_hits: np.ndarray, drawn: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (case, hits, probability) of each possible number of hits.

    Numbers less likely than 1e-20 are left out.
    """
    lowest = np.maximum(0, drawn + n_hits - size)
    highest = np.minimum(n_hits, drawn)
    mode = (n_hits + 1) * (drawn + 1) // (size + 2)
    # Hoeffding: beyond w from the mean with less than 2 exp(-2 w**2 / n), n any of these.
    fewest = np.minimum.reduce([n_hits, drawn, size - n_hits, size - drawn])
    width = np.sqrt(24 * fewest).astype(np.intp) + 2
    lowest, highest = np.maximum(lowest, mode - width), np.minimum(highest, mode + width)
    lengths = highest - lowest + 1
    case = np.repeat(np.arange(len(size)), lengths)
    hits = ranges(lowest, lengths)
    left = (n_hits[case] - hits) * (drawn[case] - hits)
    ratio = left / ((hits + 1) * (size[case] - n_hits[case] - drawn[case] + hits + 1))
    return case, hits, probabilities(ratio, lengths, mode - lowest)


def probabilities(ratio: np.ndarray, lengths: np.ndarray, peak: np.ndarray) -> np.ndarray:
    """Return probabilities, of sum 1 in each run, from the ratios of neighbors.

    `ratio` is that of the next probability to this one. Products go outward from the
    `peak`, so that they neither overflow nor lose digits.
    """
    starts = starts_of(lengths)[:-1]
    chance = np.empty(len(ratio))
    if peak.any():
        order, factor, n_each = _walk_outward(ratio, starts + peak, lengths, peak)
        chance[order] = accumulate_within(np.multiply, factor, n_each)
    else:
        chance[1:] = ratio[:-1]
        chance[starts] = 1
        chance = accumulate_within(np.multiply, chance, lengths)
    total = np.add.reduceat(chance, starts) if len(starts) else np.zeros(0)
    chance /= total.repeat(lengths)
    return chance


def _walk_outward(
    ratio: np.ndarray, top: np.ndarray, lengths: np.ndarray, peak: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return places from each top up and, as runs of their own, from below it down.

    Return them with the factors to multiply by on the way and the lengths of these runs.
    """
    n_each = np.column_stack([lengths - peak, peak]).ravel()
    begin = np.column_stack([top, top - 1]).ravel()
    step = ranges(0, n_each)
    downward = np.tile([False, True], len(top)).repeat(n_each)
    order = begin.repeat(n_each) + np.where(downward, -step, step)
    factor = np.ones(len(order))
    np.divide(1, ratio[order], out=factor, where=downward)
    is_next = ~downward & (step > 0)
    factor[is_next] = ratio[order[is_next] - 1]
    return order, factor, n_each


class Blocks(NamedTuple):
    """Blocks of tied rows, and how many of these are chosen."""

    size: np.ndarray
    n_chosen: np.ndarray
    above: np.ndarray  # rows of the query above the block
    reach: np.ndarray  # places of the block above the cutoff

    def take(self, some: np.ndarray | slice) -> "Blocks":
        """Return some of the blocks."""
        return Blocks(*(values[some] for values in self))


class ChosenRanks(NamedTuple):
    """Expectations of the rank of each chosen row, by block and by number."""

    block: np.ndarray
    number: np.ndarray  # chosen rows of the block above: 0, 1, ...
    inverse: np.ndarray  # 1 / rank
    unchosen: np.ndarray  # other rows of the block above, over the rank


def ranks_of_chosen(
    size: np.ndarray,
    n_chosen: np.ndarray,
    above: np.ndarray,
    reach: np.ndarray | None = None,
    most: np.ndarray | None = None,
) -> ChosenRanks:
    """Return expectations of the ranks of the chosen rows of some blocks.

    `reach` is the number of places of each block above the cutoff; places beyond count as
    0. If None, all count. `most` is the number of chosen rows asked for, from the first.
    """
    reach = size if reach is None else reach
    wanted = np.minimum(n_chosen, reach)
    wanted = wanted if most is None else np.minimum(wanted, most)
    block, number = np.repeat(np.arange(len(size)), wanted), ranges(0, wanted)
    rank = (above + 1).repeat(wanted) + number  # without other rows between
    n_others = size - n_chosen
    if not n_others.any():
        return ChosenRanks(block, number, 1 / rank, np.zeros(len(block)))
    first = starts_of(wanted)[:-1]
    blocks = Blocks(size, n_chosen, above, reach)
    within = _chance_within(blocks, block, number)
    next_within = (number + 1) * np.append(within[1:], 0)
    left, n_others = (n_chosen - 1).repeat(wanted) - number, n_others.repeat(wanted)
    c, d = (rank + 1.0) * left, (number + 1.0) * (rank + 1 + n_others)
    last = first + wanted - 1
    is_upward = c > d
    is_upward[last] = False
    turn = np.add.reduceat(is_upward, first, dtype=np.intp)
    start = first + turn
    at_turn = _sum_over_places(blocks, turn, within[start])
    others_above = _solve_recurrence(
        c, d, n_others * next_within, is_upward, last, start, at_turn[1]
    )
    inverse = np.empty(len(block))
    inverse[1:] = ((next_within + left * others_above) / d)[:-1]
    inverse[first] = np.where(
        turn == 0, at_turn[0], (within[first] - others_above[first]) / (above + 1)
    )
    # To the last bit as above, where such blocks are among themselves.
    np.divide(1, rank, out=inverse, where=n_others == 0)
    return ChosenRanks(block, number, inverse, others_above)


def _solve_recurrence(
    c: np.ndarray,
    d: np.ndarray,
    constant: np.ndarray,
    is_upward: np.ndarray,
    last: np.ndarray,
    start: np.ndarray,
    value: np.ndarray,
) -> np.ndarray:
    """Return V: `value` at `start`, from where the recurrence is followed both ways.

    The steps are the rows of a system of equations with one more unknown in each, so that
    solving it takes no others. None leads from the last row of a block to the next block.
    """
    from scipy.linalg import solve_banded

    if len(c) == len(start):
        return value
    divisor = np.where(is_upward, c, d)
    factor = np.where(is_upward, d, c) / divisor
    step = constant / divisor
    right = np.append(0.0, step[:-1])
    np.copyto(right, step, where=is_upward)
    right[start] = value
    bands = np.zeros((3, len(c)))
    np.copyto(bands[0, 1:], factor[:-1], where=is_upward[:-1])
    bands[1] = 1
    np.copyto(bands[2], factor, where=~is_upward)
    bands[2, last] = 0
    return solve_banded((1, 1), bands, right, True, True, check_finite=False)


def _chance_within(blocks: Blocks, block: np.ndarray, number: np.ndarray) -> np.ndarray:
    """Return the probability that each chosen row is among the first places."""
    size, n_chosen, _, reach = blocks
    chance = np.ones(len(block))
    cut = np.flatnonzero(reach < size)
    if len(cut) == 0:
        return chance
    case, hits, probability = hypergeometric(size[cut], n_chosen[cut], reach[cut])
    n_cases = np.bincount(case, minlength=len(cut))
    first = starts_of(n_cases)
    # Row j is within if more than j are: sums from the end of each block.
    more = accumulate_within(np.add, probability[::-1], n_cases[::-1])[::-1]
    more = np.append(np.minimum(more, 1), 0.0)
    rows = np.flatnonzero(reach[block] < size[block])
    case = np.cumsum(reach < size)[block[rows]] - 1
    at = np.clip(number[rows] + 1 - hits[first[case]], 0, n_cases[case])
    chance[rows] = np.where(at < n_cases[case], more[first[case] + at], 0)
    return chance


def _sum_over_places(blocks: Blocks, turn: np.ndarray, within: np.ndarray) -> np.ndarray:
    """Return W and V of row `turn` of each block, summed over the places it may hold."""
    size, n_chosen, _, reach = blocks
    lengths = np.minimum(size - n_chosen, reach - 1 - turn) + 1
    # The first chosen row is below r others with less than exp(-r m / n).
    lengths = np.minimum(lengths, np.where(turn == 0, 38 * size // n_chosen + 1, size))
    sums = np.empty((2, len(size)))
    for first, last in cut_runs(starts_of(lengths), TIED_PLACES):
        of = slice(first, last)
        sums[:, of] = _sums(blocks.take(of), turn[of], lengths[of])
    return sums * within


def _sums(
    blocks: Blocks, turn: np.ndarray, lengths: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sums over `lengths` places, given that the row is at one of these."""
    size, n_chosen, above, _ = blocks
    n_others, u = size - n_chosen, ranges(0, lengths)
    place = u + turn.repeat(lengths)
    ratio = n_others.repeat(lengths) - u
    if turn.any():
        ratio = ratio * ((place + 1) / (u + 1.0))
    ratio = ratio / np.maximum((size - 1).repeat(lengths) - place, 1)
    # Ratios fall, and are 1 or more as far as this u.
    falls = (turn + 1) * n_others - (size - 1 - turn)
    peak = np.clip(falls // np.maximum(n_chosen - 1, 1) + 1, 0, lengths - 1)
    chance = probabilities(ratio, lengths, peak)
    chance /= place + (above + 1).repeat(lengths)
    first = starts_of(lengths)[:-1]
    inverse = np.add.reduceat(chance, first)
    chance *= u
    return inverse, np.add.reduceat(chance, first)
