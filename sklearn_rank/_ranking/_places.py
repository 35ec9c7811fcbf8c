"""Expected values of the places of relevant rows, over all orders of tied rows."""

import numpy as np

from sklearn_rank._base._runs import accumulate_within, ranges, starts_of
from sklearn_rank._ranking._ranked_lists import Places

# Expected values of places in a ranking over all orders of tied rows.
#
# Each function returns one value for each of the given places. Summed per query, times the
# weight of the rank, they are the metrics. In a block of `size` tied rows with `n_hits`
# relevant ones, every choice of places for these is equally likely (McSherry and Najork,
# "Computing information retrieval performance measures efficiently in the presence of tied
# scores", ECIR 2008).


def hit_chance(places: Places) -> np.ndarray:
    """Return the probability that a place holds a relevant item."""
    if places.tied is None:
        return np.ones(len(places.rank))
    return places.spread(places.n_hits / places.size)


def precision_at_hit(places: Places) -> np.ndarray:
    """Return [relevant item here] × precision down to here, in expectation."""
    if places.tied is None:
        return (places.hits_above + 1) / places.rank
    share, other_share = places.n_hits / places.size, chance_of_another(places)
    hits = expect_at_hit(places, share * (places.hits_above + 1), share * other_share)
    hits /= places.rank
    return hits


def chance_of_another(places: Places) -> np.ndarray:
    """Return for each block the probability of a hit given one at another place of it."""
    return (places.n_hits - 1) / np.maximum(places.size - 1, 1)


def expect_at_hit(places: Places, of_block: np.ndarray, of_place: np.ndarray) -> np.ndarray:
    """Return `of_block` and, for each place of the block above, `of_place` as well."""
    if places.tied is None:
        return of_block
    total = places.spread(of_place)
    total *= places.offset
    total += places.spread(of_block)
    return total


def first_hits(places: Places) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (query, rank, probability) of places that may hold the first relevant item."""
    top = np.flatnonzero(places.hits_above == 0)  # only the highest block of each query
    query, rank = places.block_query[top], places.block_above[top] + 1
    if places.tied is None:
        return query, rank, np.ones(len(top))
    size, n_hits = places.size[top], places.n_hits[top]
    if (n_hits == size).all():
        return query, rank, np.ones(len(top))
    # It is below r others with less than exp(-r n_hits / size).
    lengths = np.minimum(places.length[top], 44 * size // n_hits + 1)
    lengths[n_hits == size] = 1
    offset = ranges(0, lengths)
    # Probability of a hit here without a hit above: n_hits among the places left.
    hazard = np.minimum(n_hits.repeat(lengths) / (size.repeat(lengths) - offset), 1)
    chance = hazard * _no_hit_above(1 - hazard, lengths)
    return query.repeat(lengths), ranges(rank, lengths), chance


def _no_hit_above(miss: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the product of `miss` over the places above, within each run."""
    product = accumulate_within(np.multiply, miss, lengths)
    above = np.append(1.0, product[:-1])
    above[starts_of(lengths)[:-1]] = 1
    return above
