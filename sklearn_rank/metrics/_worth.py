"""What a place in a ranking is worth: expectations over all orders of tied rows.

Each function returns one value for each of the given places. Summed per query, times the
weight of the rank, they are the metrics. In a block of `size` tied rows with `n_hits`
relevant ones, every choice of places for these is equally likely (McSherry and Najork,
"Computing information retrieval performance measures efficiently in the presence of tied
scores", ECIR 2008).
"""

from collections.abc import Iterator

import numpy as np

from sklearn_rank._places import Places
from sklearn_rank._ranked_lists import RankedLists
from sklearn_rank._runs import ranges

__all__ = [
    "accumulate_within",
    "defined_where_relevant",
    "divide",
    "first_hit",
    "hit",
    "hypergeometric",
    "precision_at_hit",
    "ragged_rows",
]


def hit(places: Places) -> np.ndarray:
    """Return the probability that a place holds a relevant item."""
    if places.tied is None:
        return np.ones(len(places.rank))
    return (places.n_hits / places.size)[places.block]


def precision_at_hit(places: Places) -> np.ndarray:
    """Return [relevant item here] × precision down to here, in expectation."""
    if places.tied is None:
        return (places.hits_above + 1) / places.rank
    size, n_hits = places.size[places.block], places.n_hits[places.block]
    # Given a hit here, each other place of the block holds one of the n_hits - 1 others
    # with probability (n_hits - 1) / (size - 1).
    others = places.offset * (n_hits - 1) / np.maximum(size - 1, 1)
    hits_down_to_here = places.hits_above[places.block] + 1 + others
    return hit(places) * hits_down_to_here / places.rank


def first_hit(places: Places) -> np.ndarray:
    """Return the probability that a place holds the first relevant item of its query."""
    if places.tied is None:
        return (places.hits_above == 0).astype(np.float64)
    # Only the highest block of each query can hold it.
    rows = np.flatnonzero(places.hits_above[places.block] == 0)
    block, offset = places.block[rows], places.offset[rows]
    # Probability of a hit here when there is none above: n_hits among the places left.
    hazard = np.minimum(places.n_hits[block] / (places.size[block] - offset), 1)
    chance = np.zeros(len(places.rank))
    chance[rows] = hazard * _no_hit_above(offset, 1 - hazard)
    return chance


def _no_hit_above(offset: np.ndarray, miss: np.ndarray) -> np.ndarray:
    """Return the product of `miss` over the places above, within each block."""
    begins = np.flatnonzero(offset == 0)
    product = accumulate_within(np.multiply, miss, np.diff(begins, append=len(offset)))
    return np.where(offset == 0, 1.0, np.append(1.0, product[:-1]))


def accumulate_within(
    operation: np.ufunc, values: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    """Return running sums or products that begin anew in each run of values."""
    result = np.empty(len(values))
    for cells, inside in ragged_rows(lengths):
        running = operation.accumulate(values[cells], axis=1)
        result[cells[inside]] = running[inside]
    return result


def ragged_rows(
    lengths: np.ndarray, starts: np.ndarray | None = None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield (cells, inside): blocks of similar length as rows of a matrix.

    Blocks begin at `starts`, without which they follow on each other. `cells` indexes the
    places of each block, clipped where `inside` is False. Lengths of a matrix differ by
    less than a factor of two, so all of them together stay linear.
    """
    starts = np.cumsum(lengths) - lengths if starts is None else starts
    width = np.frexp(lengths.astype(float))[1]
    for exponent in np.unique(width[lengths > 0]):
        blocks = np.flatnonzero((width == exponent) & (lengths > 0))
        column = np.arange(lengths[blocks].max())
        inside = column < lengths[blocks, None]
        cells = starts[blocks, None] + np.minimum(column, lengths[blocks, None] - 1)
        yield cells, inside


def hypergeometric(
    size: np.ndarray, n_hits: np.ndarray, drawn: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (case, hits, probability) of each possible number of hits among those drawn.

    Ratios of neighboring probabilities are simple; they are summed as logarithms, so that
    neither a binomial coefficient nor their product overflows.
    """
    lowest = np.maximum(0, drawn + n_hits - size)
    lengths = np.minimum(n_hits, drawn) - lowest + 1
    case = np.repeat(np.arange(len(size)), lengths)
    hits = ranges(lowest, lengths)
    before = hits - 1
    numerator = (n_hits[case] - before) * (drawn[case] - before)
    denominator = hits * (size[case] - n_hits[case] - drawn[case] + hits)
    is_lowest = hits == lowest[case]
    step = np.log(np.where(is_lowest, 1, numerator / np.where(is_lowest, 1, denominator)))
    probability = np.empty(len(case))
    for cells, inside in ragged_rows(lengths):
        log = np.cumsum(np.where(inside, step[cells], 0), axis=1)
        weight = np.exp(log - log.max(axis=1, keepdims=True)) * inside
        weight /= weight.sum(axis=1, keepdims=True)
        probability[cells[inside]] = weight[inside]
    return case, hits, probability


def divide(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Return the quotient per query, NaN (undefined) where the denominator is 0."""
    undefined = np.full(len(numerator), np.nan)
    return np.divide(numerator, denominator, out=undefined, where=denominator != 0)


def defined_where_relevant(
    values: np.ndarray, lists: RankedLists, min_relevance: float | None = None
) -> np.ndarray:
    """Return the values, NaN (undefined) for queries without a relevant item."""
    return np.where(lists.n_relevant(min_relevance) > 0, values, np.nan)
