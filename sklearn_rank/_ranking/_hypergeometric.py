"""Hypergeometric probabilities of relevant rows among rows drawn from tied ones."""

import numpy as np

from sklearn_rank._arrays._runs import accumulate_within, ranges, starts_of


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
        order, factor, n_each = _outward(ratio, starts + peak, lengths, peak)
        chance[order] = accumulate_within(np.multiply, factor, n_each)
    else:
        chance[1:] = ratio[:-1]
        chance[starts] = 1
        chance = accumulate_within(np.multiply, chance, lengths)
    total = np.add.reduceat(chance, starts) if len(starts) else np.zeros(0)
    chance /= total.repeat(lengths)
    return chance


def _outward(
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
