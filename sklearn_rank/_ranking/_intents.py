"""Subtopics in blocks of tied rows, and their expectation at each place.

In a block of t tied rows, h of which have a subtopic, each place holds one of the h with
the chance h / t. Given that, the number of them on the j places of the block above it is
hypergeometric: j rows drawn from t - 1, of which h - 1 have the subtopic.
"""

from typing import NamedTuple

import numpy as np

from sklearn_rank._arrays._blocks import TIED_PLACES
from sklearn_rank._arrays._runs import (
    accumulate_within,
    begins_run,
    cut_runs,
    ranges,
    starts_of,
)
from sklearn_rank._ranking._hypergeometric import hypergeometric
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank._ranking._tied_places import Places

# A subtopic seen this often is worth less than exp(-this).
_FADED = 70


class Intents(NamedTuple):
    """Pairs of a block of tied rows and a subtopic that some of its rows have."""

    places: Places
    block: np.ndarray  # of each pair, ascending
    subtopic: np.ndarray  # of each pair
    n_rows: np.ndarray  # of each pair: rows of the block that have the subtopic
    n_before: np.ndarray  # rows of blocks above in its query that have it

    @property
    def query(self) -> np.ndarray:
        """The query of each pair."""
        return self.places.block_query[self.block]

    @property
    def length(self) -> np.ndarray:
        """The number of places of each pair's block."""
        return self.places.length[self.block]

    @property
    def size(self) -> np.ndarray:
        """The number of rows of each pair's block."""
        return self.places.size[self.block]


class IntentPlaces(NamedTuple):
    """Each place of each pair."""

    pair: np.ndarray
    query: np.ndarray
    rank: np.ndarray
    offset: np.ndarray  # places of the block above
    chance: np.ndarray  # to hold a row with the subtopic


def subtopics_of(lists: RankedLists) -> tuple[np.ndarray, np.ndarray]:
    """Return the row of the record and the subtopic of each relevance to a subtopic."""
    matrix = lists.columns["subtopics"].values
    some = matrix[lists.row]
    row = np.arange(len(lists.row)).repeat(np.diff(some.indptr))
    return row, some.indices.astype(np.int64)


def n_subtopics(lists: RankedLists) -> np.ndarray:
    """Return how many subtopics of each query have a relevant row, retrieved or not."""
    return lists.sum(_pairs_of_query(lists)[0])


def rows_of_subtopic(lists: RankedLists, intents: Intents) -> np.ndarray:
    """Return for each pair how many rows of the query have the subtopic."""
    query, subtopic, count = _pairs_of_query(lists)
    width = _width(lists)
    found = np.searchsorted(
        query * width + subtopic, intents.query * width + intents.subtopic
    )
    return count[found]


def _width(lists: RankedLists) -> int:
    return max(lists.columns["subtopics"].values.shape[1], 1)


def _pairs_of_query(lists: RankedLists) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return query, subtopic and number of rows of the subtopics of each query."""

    def find() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        whole, width = lists.whole(), _width(lists)
        row, subtopic = subtopics_of(whole)
        pairs, count = np.unique(whole.query[row] * width + subtopic, return_counts=True)
        return pairs // width, pairs % width, count

    return lists.once(("subtopics",), find)


def find_intents(lists: RankedLists, k: int | None) -> Intents:
    """Return the subtopics of the rows among the first k ranks, block by block."""
    places = lists.places(k)
    matrix, width = lists.columns["subtopics"].values, _width(lists)
    some = matrix[lists.row[places.rows]]
    block = places.row_block.repeat(np.diff(some.indptr))
    pairs, n_rows = np.unique(block * width + some.indices, return_counts=True)
    block, subtopic = pairs // width, pairs % width
    of_query = places.block_query[block] * width + subtopic
    order = np.argsort(of_query, kind="stable")
    before = starts_of(n_rows[order])[:-1]
    first = np.flatnonzero(begins_run(of_query[order]))
    n_before = np.empty(len(pairs), dtype=np.intp)
    n_before[order] = before - before[first].repeat(np.diff(np.append(first, len(pairs))))
    return Intents(places, block, subtopic, n_rows, n_before)


def each_place(intents: Intents) -> IntentPlaces:
    """Return the places of each pair."""
    length = intents.length
    pair = np.arange(len(intents.block)).repeat(length)
    above = intents.places.block_above[intents.block]
    return IntentPlaces(
        pair,
        intents.query[pair],
        ranges(above + 1, length),
        ranges(0, length),
        (intents.n_rows / intents.size)[pair],
    )


def fading_gain(intents: Intents, at: IntentPlaces, fade: float) -> np.ndarray:
    """Return [subtopic here] fade ** (times it was seen above), in expectation."""
    with np.errstate(under="ignore"):
        seen = np.power(fade, intents.n_before, dtype=np.float64)[at.pair]
        others = intents.n_rows[at.pair] - 1
        mean = np.ones(len(at.pair))
        if fade == 1:
            return at.chance * seen
        size = intents.size[at.pair] - 1
        is_faded = _least_seen(size, others, at.offset) * -np.log(max(fade, 1e-99)) > _FADED
        mean[is_faded] = 0
        many = np.flatnonzero((others > 0) & (at.offset > 0) & ~is_faded)
        for first, last in cut_runs(starts_of(np.ones_like(many)), TIED_PLACES):
            now = many[first:last]
            case, hits, chance = hypergeometric(size[now], others[now], at.offset[now])
            mean[now] = np.bincount(case, chance * fade ** hits.astype(float), len(now))
        return at.chance * seen * mean


def _least_seen(size: np.ndarray, others: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Return how many rows with the subtopic are above almost surely."""
    fewest = np.minimum.reduce([others, drawn, size - others, size - drawn])
    expected = others * drawn / np.maximum(size, 1)
    return expected - np.sqrt(24 * np.maximum(fewest, 0)) - 3


def chance_to_be_covered(intents: Intents) -> np.ndarray:
    """Return the chance that a place of the block holds a row with the subtopic.

    With m places and h of t rows it is 1 - C(t - h, m) / C(t, m).
    """
    chance = np.ones(len(intents.block))
    cut = np.flatnonzero(intents.length < intents.size)
    if len(cut) == 0:
        return chance
    size, rows, length = intents.size[cut], intents.n_rows[cut], intents.length[cut]
    fewer, more = np.minimum(rows, length), np.maximum(rows, length)
    step = ranges(0, fewer)
    left = np.maximum((size - more).repeat(fewer) - step, 0)
    missed = accumulate_within(np.multiply, left / (size.repeat(fewer) - step), fewer)
    chance[cut] -= missed[starts_of(fewer)[1:] - 1]
    return chance
