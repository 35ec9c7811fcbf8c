"""The mean of precision over the hits among the first k ranks."""

import numpy as np

from sklearn_rank._arrays._runs import accumulate_within, ranges
from sklearn_rank._ranking._expectation import precision_at_hit
from sklearn_rank._ranking._hypergeometric import hypergeometric
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank._ranking._tied_places import Places
from sklearn_rank.metrics._families._precision_recall import hits_in


def precision_over_hits(
    lists: RankedLists, k: int | None, min_relevance: float | None
) -> np.ndarray:
    """Return the mean of precision over the hits among the first k ranks, per query."""
    places = lists.places(k, min_relevance)
    is_cut = places.length < places.size
    inside = ~is_cut[places.block]
    total = lists.sum(places.query[inside], precision_at_hit(places)[inside])
    hits = hits_in(lists, k, min_relevance)
    score = np.where(hits > 0, total / np.where(hits > 0, hits, 1), 0.0)
    cut = np.flatnonzero(is_cut)
    if len(cut):
        # A block that the cutoff divides makes the number of hits, the denominator, random.
        query = places.block_query[cut]
        score[query] = _over_cut_blocks(places, cut, total[query])
    if lists.settled is not None:
        _put_extremes(score, lists, k, min_relevance)
    return score


def _over_cut_blocks(places: Places, cut: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Return the expected score of queries whose last block is divided by the cutoff.

    Given h hits among the m places above the cutoff, all their positions are equally
    likely: place j = 0, 1, ... of these holds a hit with probability h / m, with
    j · (h - 1) / (m - 1) expected hits of the block above it.
    """
    drawn = places.length[cut]
    case, hits, probability = hypergeometric(places.size[cut], places.n_hits[cut], drawn)
    above = places.hits_above[cut]
    inverse, ramp = _rank_sums(places.block_above[cut], drawn)
    pairs = (hits - 1) / np.maximum(drawn[case] - 1, 1)
    of_block = hits / drawn[case] * ((above[case] + 1) * inverse[case] + pairs * ramp[case])
    n_hits = above[case] + hits
    expected = (total[case] + of_block) / np.maximum(n_hits, 1) * probability
    return np.bincount(case, expected, len(cut))


def _rank_sums(top: np.ndarray, length: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sums of 1 / rank and of j / rank over ranks top + 1 + j, j < length."""
    case = np.repeat(np.arange(len(top)), length)
    j = ranges(0, length)
    rank = top[case] + 1 + j
    return np.bincount(case, 1 / rank, len(top)), np.bincount(case, j / rank, len(top))


def _put_extremes(
    score: np.ndarray, lists: RankedLists, k: int | None, min_relevance: float | None
) -> None:
    """Put the lowest or highest score of all orders where the cutoff divides tied rows.

    Above these rows the order by grade is the extreme one, for the number of hits is the
    same in all orders. One more hit among them can make the mean lower or higher.
    """
    assert lists.settled is not None
    tied = lists.as_tied().places(k, min_relevance)
    cut = np.flatnonzero(tied.length < tied.size)
    if len(cut) == 0:
        return
    query, top, length = tied.block_query[cut], tied.block_above[cut], tied.length[cut]
    places = lists.places(k, min_relevance)
    end = np.zeros(len(score), dtype=np.intp)
    end[query] = top
    inside = places.rank <= end[places.query]
    total = lists.sum(places.query[inside], precision_at_hit(places)[inside])[query]
    most = np.minimum(tied.n_hits[cut], length)
    fewest = np.maximum(tied.n_hits[cut] - (tied.size[cut] - length), 0)
    case, hits = np.repeat(np.arange(len(cut)), most + 1), ranges(0, most + 1)
    above = tied.hits_above[cut][case]
    if lists.settled.best_first:
        # The hits are on top, and one more is below the others.
        added = (above + hits) / np.maximum(top[case] + hits, 1)
    else:
        # They are at the bottom, and one more is above the others: each gains one.
        inverse = np.where(hits > 0, 1 / (top[case] + length[case] - hits + 1), 0)
        others = accumulate_within(np.add, inverse, most + 1)
        added = (above + 1) * inverse + np.append(0, others[:-1])
    added[hits == 0] = 0
    total = total[case] + accumulate_within(np.add, added, most + 1)
    mean = total / np.maximum(above + hits, 1)
    possible = np.flatnonzero(hits >= fewest[case])
    first = np.searchsorted(case[possible], np.arange(len(cut)))
    extreme = np.maximum if lists.settled.best_first else np.minimum
    score[query] = extreme.reduceat(mean[possible], first)
