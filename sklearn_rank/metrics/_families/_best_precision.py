"""The highest precision from some hit on, and what it is expected to be under ties."""

import numpy as np

from sklearn_rank._ranking._places import Places
from sklearn_rank._ranking._queries import QueryError
from sklearn_rank._runs import accumulate_within

# Tied rows times the relevant ones among them, up to which the mean is worked out.
_MOST = 5000


def suffix_maxima(values: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the highest value from each on, to the end of its run."""
    return accumulate_within(np.maximum, values[::-1], lengths[::-1])[::-1]


def best_of_blocks(places: Places, query: int, needed: np.ndarray) -> np.ndarray:
    """Return the expected best precision of one query from each of some hits on.

    It is the highest of what the blocks of tied rows have, which are independent. So the
    chance to be below a threshold is the product of theirs, and the mean is the sum of
    the steps between thresholds times the chance to reach them.
    """
    blocks = slice(*np.searchsorted(places.block_query, [query, query + 1]))
    above, size = places.block_above[blocks], places.size[blocks]
    before, n_hits = places.hits_above[blocks], places.n_hits[blocks]
    _check_few(size, n_hits, query)
    value: dict[int, float] = {}
    for hit in sorted(set(needed.tolist())):
        counts = before + n_hits >= hit
        some = (column[counts] for column in (above, size, before, n_hits))
        value[hit] = _expected_best(*some, hit=hit)
    return np.array([value[hit] for hit in needed.tolist()])


def _check_few(size: np.ndarray, n_hits: np.ndarray, query: int) -> None:
    work = np.where(size > n_hits, size * n_hits, 0)
    if work.max(initial=0) > _MOST:
        most = int(work.argmax())
        raise QueryError(
            f"Interpolated precision: {size[most]} rows of query {{query}} tie, "
            f"{n_hits[most]} of them relevant, too many for the mean over all orders. Set "
            "`ties` to 'worst', 'best' or 'first', or break the ties.",
            query,
        )


def _expected_best(
    above: np.ndarray, size: np.ndarray, before: np.ndarray, n_hits: np.ndarray, *, hit: int
) -> float:
    """Return the mean of the best precision at the hits from `hit` on."""
    is_sure = size == n_hits
    sure = 0.0
    for a, h, r in zip(above[is_sure], n_hits[is_sure], before[is_sure], strict=True):
        count = np.arange(max(hit - r, 1), h + 1)
        sure = max(sure, float(((r + count) / (a + count)).max(initial=0.0)))
    drawn = np.flatnonzero(~is_sure)
    steps = [_possible(above[b], size[b], before[b], n_hits[b], hit) for b in drawn]
    thresholds = np.unique(np.concatenate([np.array([sure]), *steps]))
    thresholds = thresholds[thresholds >= sure]
    below = np.ones(len(thresholds))
    for b in drawn:
        below *= _chance_below(thresholds, above[b], size[b], before[b], n_hits[b], hit)
    return float(sure + np.diff(thresholds) @ (1 - below[1:]))


def _possible(above: int, size: int, before: int, n_hits: int, hit: int) -> np.ndarray:
    """Return what precision may be at the hits of a block."""
    count = np.arange(max(hit - before, 1), n_hits + 1)[:, None]
    place = np.arange(1, size + 1)
    possible = (place >= count) & (place <= size - n_hits + count)
    return ((before + count) / (above + place))[possible]


def _chance_below(
    thresholds: np.ndarray, above: int, size: int, before: int, n_hits: int, hit: int
) -> np.ndarray:
    """Return the chance that precision at no hit of a block reaches each threshold.

    Place by place, with the number of hits so far as the state.
    """
    chance = np.zeros((len(thresholds), n_hits + 1))
    chance[:, 0] = 1.0
    count = np.arange(1, n_hits + 1)
    for place in range(1, size + 1):
        is_hit = np.clip((n_hits - count + 1) / (size - place + 1), 0.0, 1.0)
        reached = (before + count) / (above + place) >= thresholds[:, None]
        reached &= before + count >= hit
        moved = chance[:, :-1] * is_hit
        chance[:, :-1] -= moved
        chance[:, 1:] += np.where(reached, 0.0, moved)
    return np.clip(chance[:, -1], 0.0, 1.0)
