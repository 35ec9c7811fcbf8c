"""What a place in a ranking is worth: expectations over all orders of tied rows.

Each function returns one value for each of the given places. Summed per query, times the
weight of the rank, they are the metrics. In a block of `size` tied rows with `n_hits`
relevant ones, every choice of places for these is equally likely (McSherry and Najork,
"Computing information retrieval performance measures efficiently in the presence of tied
scores", ECIR 2008).
"""

from collections.abc import Iterator

import numpy as np

from sklearn_rank._ranking._lists import RankedLists
from sklearn_rank._ranking._places import Places
from sklearn_rank._runs import ranges

__all__ = [
    "accumulate_within",
    "at_hit",
    "chance_of_another",
    "defined_where_relevant",
    "divide",
    "first_hit",
    "hit",
    "hypergeometric",
    "precision_at_hit",
    "probabilities",
    "ragged_rows",
]

# Runs so long on average are worth a call each.
_LONG_RUN = 256
# Runs of any length that fill no more cells than this are one matrix.
_SMALL_MATRIX = 2**14


def hit(places: Places) -> np.ndarray:
    """Return the probability that a place holds a relevant item."""
    if places.tied is None:
        return np.ones(len(places.rank))
    return places.spread(places.n_hits / places.size)


def precision_at_hit(places: Places) -> np.ndarray:
    """Return [relevant item here] × precision down to here, in expectation."""
    if places.tied is None:
        return (places.hits_above + 1) / places.rank
    share, others = places.n_hits / places.size, chance_of_another(places)
    hits = at_hit(places, share * (places.hits_above + 1), share * others)
    hits /= places.rank
    return hits


def chance_of_another(places: Places) -> np.ndarray:
    """Return for each block the probability of a hit given one at another place of it."""
    return (places.n_hits - 1) / np.maximum(places.size - 1, 1)


def at_hit(places: Places, of_block: np.ndarray, of_place: np.ndarray) -> np.ndarray:
    """Return `of_block` and, for each place of the block above, `of_place` as well."""
    if places.tied is None:
        return of_block
    total = places.spread(of_place)
    total *= places.offset
    total += places.spread(of_block)
    return total


def first_hit(places: Places) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (query, rank, probability) of places that may hold the first relevant item."""
    top = np.flatnonzero(places.hits_above == 0)  # only the highest block of each query
    query, rank = places.block_query[top], places.block_above[top] + 1
    if places.tied is None:
        return query, rank, np.ones(len(top))
    size, n_hits = places.size[top], places.n_hits[top]
    # It is below r others with less than exp(-r n_hits / size).
    lengths = np.minimum(places.length[top], 44 * size // n_hits + 1)
    offset = ranges(0, lengths)
    # Probability of a hit here when there is none above: n_hits among the places left.
    hazard = np.minimum(n_hits.repeat(lengths) / (size.repeat(lengths) - offset), 1)
    chance = hazard * _no_hit_above(1 - hazard, lengths)
    return query.repeat(lengths), ranges(rank, lengths), chance


def _no_hit_above(miss: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the product of `miss` over the places above, within each run."""
    product = accumulate_within(np.multiply, miss, lengths)
    above = np.append(1.0, product[:-1])
    above[np.cumsum(lengths) - lengths] = 1
    return above


def accumulate_within(
    operation: np.ufunc, values: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    """Return running sums or products that begin anew in each run of values."""
    result = np.empty(len(values))
    if len(values) > _LONG_RUN * len(lengths):
        start = 0
        for stop in np.cumsum(lengths).tolist():
            operation.accumulate(values[start:stop], out=result[start:stop])
            start = stop
        return result
    for cells, inside in ragged_rows(lengths):
        running = operation.accumulate(values[cells], axis=1)
        result[cells[inside]] = running[inside]
    return result


def ragged_rows(lengths: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield (cells, inside): runs of similar length as rows of a matrix.

    `cells` indexes the values of each run, clipped where `inside` is False. Lengths of a
    matrix differ by less than a factor of two, so all of them together stay linear; a small
    matrix holds all.
    """
    filled = np.flatnonzero(lengths > 0)
    starts, lengths = (np.cumsum(lengths) - lengths)[filled], lengths[filled]
    if len(lengths) == 0:
        return
    width = np.frexp(lengths.astype(float))[1]
    if len(lengths) * lengths.max() <= _SMALL_MATRIX:
        width[:] = 0
    for exponent in np.unique(width):
        runs = np.flatnonzero(width == exponent)
        column = np.arange(lengths[runs].max())
        inside = column < lengths[runs, None]
        cells = starts[runs, None] + np.minimum(column, lengths[runs, None] - 1)
        yield cells, inside


def hypergeometric(
    size: np.ndarray, n_hits: np.ndarray, drawn: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (case, hits, probability) of each possible number of hits among those drawn.

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
    starts = np.cumsum(lengths) - lengths
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


def divide(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Return the quotient per query, NaN (undefined) where the denominator is 0."""
    undefined = np.full(len(numerator), np.nan)
    return np.divide(numerator, denominator, out=undefined, where=denominator != 0)


def defined_where_relevant(
    values: np.ndarray, lists: RankedLists, min_relevance: float | None = None
) -> np.ndarray:
    """Return the values, NaN (undefined) for queries without a relevant item."""
    return np.where(lists.n_relevant(min_relevance) > 0, values, np.nan)
