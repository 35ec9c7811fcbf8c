"""The highest precision from a given hit on, and its expected value under ties."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sklearn_rank._arrays._runs import accumulate_within
from sklearn_rank._ranking._queries import QueryError
from sklearn_rank._ranking._tied_places import Places

# The largest product of tied rows and relevant rows among them for an exact mean.
_MOST = 5000


def suffix_maxima(values: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return for each value the highest one from there to the end of its run."""
    return accumulate_within(np.maximum, values[::-1], lengths[::-1])[::-1]


def best_of_blocks(places: Places, query: int, needed: np.ndarray) -> np.ndarray:
    """Return the expected best precision of one query from each of some hits on."""
    some = slice(*np.searchsorted(places.block_query, [query, query + 1]))
    columns = (places.block_above, places.size, places.hits_above, places.n_hits)
    each = zip(*(column[some].tolist() for column in columns), strict=True)
    blocks = tuple(TiedBlock(*of_block) for of_block in each)
    for block in blocks:
        _check_few(block, query)
    hits, of_level = np.unique(needed, return_inverse=True)
    return np.array(_expected_best(blocks, tuple(hits.tolist())))[of_level]


@lru_cache(maxsize=4096)  # a constant scorer has the same few cases again and again
def _expected_best(
    blocks: tuple["TiedBlock", ...], hits: tuple[int, ...]
) -> tuple[float, ...]:
    """Return the mean of the best precision from each of some hits on.

    It is the maximum over blocks of tied rows, which are independent. The chance to be
    below a threshold is the product over the blocks. The mean is the sum of the steps
    between thresholds, each times the chance to reach it.
    """
    possible = [block.possible() for block in blocks]
    thresholds = np.unique(np.concatenate([np.zeros(1), *possible]))
    below = np.ones((len(hits), len(thresholds)))
    for block in blocks:
        below *= block.chance_below(thresholds, np.array(hits))
    return tuple(((1 - below[:, 1:]) @ np.diff(thresholds)).tolist())


def _check_few(block: "TiedBlock", query: int) -> None:
    if block.size > block.n_hits and block.size * block.n_hits > _MOST:
        raise QueryError(
            f"Interpolated precision: {block.size} rows of query {{query}} tie, "
            f"{block.n_hits} of them relevant, too many for the mean over all orders. Set "
            "`ties` to 'worst', 'best' or 'first', or break the ties.",
            query,
        )


class TiedBlock(NamedTuple):
    """Rows of one score: the numbers of rows and hits above them, and among them."""

    above: int
    size: int
    before: int
    n_hits: int

    def possible(self) -> np.ndarray:
        """Return what precision may be at the hits."""
        count = np.arange(1, self.n_hits + 1)[:, None]
        place = np.arange(1, self.size + 1)
        possible = (place >= count) & (place <= self.size - self.n_hits + count)
        return ((self.before + count) / (self.above + place))[possible]

    def chance_below(self, thresholds: np.ndarray, hits: np.ndarray) -> np.ndarray:
        """Return the chance that precision stays below each threshold from some hits on.

        There is a row for each of these hits. The state of the recursion over places is the
        number of hits so far; orders that reach the threshold are dropped.
        """
        count = np.arange(1, self.n_hits + 1)
        counts = self.before + count >= hits[:, None, None]
        chance = np.zeros((len(hits), len(thresholds), self.n_hits + 1))
        chance[..., 0] = 1.0
        for place in range(1, self.size + 1):
            is_hit = np.clip((self.n_hits - count + 1) / (self.size - place + 1), 0, 1)
            precision = (self.before + count) / (self.above + place)
            moved = chance[..., :-1] * is_hit
            chance[..., :-1] -= moved
            moved[counts & (precision >= thresholds[:, None])] = 0.0
            chance[..., 1:] += moved
        return np.clip(chance[..., -1], 0.0, 1.0)
