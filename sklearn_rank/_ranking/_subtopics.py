"""Subtopics in blocks of tied rows, and the ideal list of diversity metrics."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sklearn_rank._base._runs import (
    TIED_PLACES,
    accumulate_within,
    begins_run,
    cut_runs,
    ranges,
    starts_of,
)
from sklearn_rank._ranking._ranked_lists import Places, RankedLists
from sklearn_rank._ranking._tied_ranks import hypergeometric

# Subtopics in blocks of tied rows, and their expectation at each place.
#
# If h of the t tied rows of a block have a subtopic, each place holds one of the h with the
# chance h / t. Given that, the number of them on the j places of the block above it is
# hypergeometric: j rows drawn from t - 1, and h - 1 of these have the subtopic.

# A subtopic seen this often is worth less than exp(-this).
_MOST_DECAY = 70


@dataclass(frozen=True, eq=False)
class Intents:
    """Pairs of a block of tied rows and a subtopic that some of its rows have."""

    places: Places
    block: np.ndarray  # of each pair, ascending
    subtopic: np.ndarray  # of each pair
    n_rows: np.ndarray  # of each pair: rows of the block that have the subtopic
    n_before: np.ndarray  # rows of blocks above in its query that have it

    # Of the block of each pair: its query, and the numbers of its places and rows.
    query = property(lambda self: self.places.block_query[self.block])
    length = property(lambda self: self.places.length[self.block])
    size = property(lambda self: self.places.size[self.block])


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
    listed = matrix[lists.row]
    row = np.arange(len(lists.row)).repeat(np.diff(listed.indptr))
    return row, listed.indices.astype(np.int64)


def n_subtopics(lists: RankedLists) -> np.ndarray:
    """Return how many subtopics of each query have a relevant row, retrieved or not."""
    return lists.sum(_pairs_of_query(lists)[0])


def rows_of_subtopic(lists: RankedLists, intents: Intents) -> np.ndarray:
    """Return for each pair how many rows of the query have the subtopic."""
    query, subtopic, count = _pairs_of_query(lists)
    width = _width(lists)
    position = np.searchsorted(
        query * width + subtopic, intents.query * width + intents.subtopic
    )
    return count[position]


def _width(lists: RankedLists) -> int:
    return max(lists.columns["subtopics"].values.shape[1], 1)


def _pairs_of_query(lists: RankedLists) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return query, subtopic and number of rows of the subtopics of each query."""

    def find() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        full_lists, width = lists.whole(), _width(lists)
        row, subtopic = subtopics_of(full_lists)
        pairs, count = np.unique(
            full_lists.query[row] * width + subtopic, return_counts=True
        )
        return pairs // width, pairs % width, count

    return lists.cache(("subtopics",), find)


def find_intents(lists: RankedLists, k: int | None) -> Intents:
    """Return the subtopics of the rows among the first k ranks, block by block."""
    places = lists.places(k)
    matrix, width = lists.columns["subtopics"].values, _width(lists)
    placed = matrix[lists.row[places.rows]]
    block = places.row_block.repeat(np.diff(placed.indptr))
    pairs, n_rows = np.unique(block * width + placed.indices, return_counts=True)
    block, subtopic = pairs // width, pairs % width
    of_query = places.block_query[block] * width + subtopic
    order = np.argsort(of_query, kind="stable")
    before = starts_of(n_rows[order])[:-1]
    first = np.flatnonzero(begins_run(of_query[order]))
    n_before = np.empty(len(pairs), dtype=np.intp)
    n_before[order] = before - before[first].repeat(np.diff(np.append(first, len(pairs))))
    return Intents(places, block, subtopic, n_rows, n_before)


def expand_places(intents: Intents) -> IntentPlaces:
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


def decayed_gain(intents: Intents, at: IntentPlaces, fade: float) -> np.ndarray:
    """Return [subtopic here] fade ** (times it was seen above), in expectation."""
    with np.errstate(under="ignore"):
        seen = np.power(fade, intents.n_before, dtype=np.float64)[at.pair]
        n_others = intents.n_rows[at.pair] - 1
        mean = np.ones(len(at.pair))
        if fade == 1:
            return at.chance * seen
        size = intents.size[at.pair] - 1
        is_faded = (
            _least_seen(size, n_others, at.offset) * -np.log(max(fade, 1e-99)) > _MOST_DECAY
        )
        mean[is_faded] = 0
        many = np.flatnonzero((n_others > 0) & (at.offset > 0) & ~is_faded)
        for first, last in cut_runs(starts_of(np.ones_like(many)), TIED_PLACES):
            now = many[first:last]
            case, hits, chance = hypergeometric(size[now], n_others[now], at.offset[now])
            mean[now] = np.bincount(case, chance * fade ** hits.astype(float), len(now))
        return at.chance * seen * mean


def _least_seen(size: np.ndarray, n_others: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Return how many rows with the subtopic are above almost surely."""
    fewest = np.minimum.reduce([n_others, drawn, size - n_others, size - drawn])
    expected = n_others * drawn / np.maximum(size, 1)
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


# The ideal list of diversity metrics: the best list, or a greedy one.
#
# The gain of a document depends on those above it, and finding the best list is hard. Up to
# eight documents it is the best over all orders. The value of a set of first documents is
# found from those of its subsets, as the gain of the last does not depend on the order of
# the others. With more documents it is greedy: the next one has the highest gain; among
# ties, the one after which the next can gain most. Neither depends on the evaluated list or
# the names of documents.

# Documents up to which all orders are tried.
MOST_EXACT = 8
# Numbers that are worked on at once.
_CELLS = 2**20
# Gains that differ by less are equal, except for rounding.
_TIE = 1e-12

_SETS = np.arange(2**MOST_EXACT)
_HAS = (_SETS[:, None] >> np.arange(MOST_EXACT) & 1).astype(bool)
_SIZE = _HAS.sum(axis=1)
_WITHOUT = np.where(_HAS, _SETS[:, None] ^ (1 << np.arange(MOST_EXACT)), 0)

Discount = Callable[[np.ndarray], np.ndarray]


def diverse_ideal(
    lists: RankedLists, k: int | None, fade: float, discount: Discount
) -> np.ndarray:
    """Return the value of the ideal list of each query, 0 without relevant documents.

    A document gains fade ** (times it was seen above) for each of its subtopics, times the
    discount of its rank, down to k.
    """
    ideal = np.zeros(lists.n_queries)
    for queries, documents in _documents(lists.whole()):
        n_documents = documents.any(axis=2).sum(axis=1)
        depth = int(n_documents.max())
        factor = discount(np.arange(1, depth + 1))
        if k is not None:
            factor[k:] = 0
        with np.errstate(under="ignore"):
            best = _best_value if depth <= MOST_EXACT else _greedy_value
            ideal[queries] = best(documents, fade, factor)
    return ideal


def _documents(lists: RankedLists) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield some queries and which of their documents have which subtopics.

    Queries of similar size come together, those up to eight documents apart.
    """
    row, subtopic = subtopics_of(lists)
    query = lists.query[row]
    width = int(subtopic.max(initial=0)) + 1
    pairs, column = np.unique(query * width + subtopic, return_inverse=True)
    n_columns = np.bincount(pairs // width, minlength=lists.n_queries)
    column = column - starts_of(n_columns)[query]
    documents, place = np.unique(row, return_inverse=True)
    n_documents = np.bincount(lists.query[documents], minlength=lists.n_queries)
    place = place - starts_of(n_documents)[query]
    entries = starts_of(np.bincount(query, minlength=lists.n_queries))
    # Padded alike whatever the other queries are, so that sums are rounded alike.
    high = np.where(n_documents <= MOST_EXACT, n_documents, _round_up_to_power(n_documents))
    wide = _round_up_to_power(n_columns)
    for shape in np.unique(np.stack([high, wide], 1)[n_documents > 0], axis=0):
        alike = np.flatnonzero((n_documents > 0) & (high == shape[0]) & (wide == shape[1]))
        cells = int(shape.prod()) * (2 ** shape[0] if shape[0] <= MOST_EXACT else 1)
        step = max(_CELLS // cells, 1)
        for start in range(0, len(alike), step):
            now = alike[start : start + step]
            n_entries = entries[now + 1] - entries[now]
            entry = ranges(entries[now], n_entries)
            of_query = np.arange(len(now)).repeat(n_entries)
            table = np.zeros((len(now), *shape))
            table[of_query, place[entry], column[entry]] = 1
            yield now, _sort_documents(table)


def _sort_documents(table: np.ndarray) -> np.ndarray:
    """Return the documents of each query in an order that only their subtopics decide."""
    bits = np.packbits(table > 0, axis=2)
    key = np.ascontiguousarray(bits).view(f"S{bits.shape[2]}")[:, :, 0]
    order = np.argsort(key, axis=1, kind="stable")
    return np.take_along_axis(table, order[:, :, None], axis=1)


def _round_up_to_power(sizes: np.ndarray) -> np.ndarray:
    """Return the next powers of two."""
    return 2 ** np.ceil(np.log2(np.maximum(sizes, 1))).astype(np.intp)


def _best_value(documents: np.ndarray, fade: float, factor: np.ndarray) -> np.ndarray:
    """Return the highest value over all orders of up to eight documents."""
    n_documents = documents.shape[1]
    n_sets = 2**n_documents
    has, size_of, without = _HAS[:n_sets, :n_documents], _SIZE[:n_sets], _WITHOUT[:n_sets]
    seen = np.einsum("td,nds->nts", has.astype(float), documents)
    gain = np.einsum("nts,nds->ntd", fade**seen, documents)  # of each after each set
    best = np.zeros((len(documents), n_sets))
    every = np.arange(n_documents)
    for size in range(1, n_documents + 1):
        sets = np.flatnonzero(size == size_of)
        before = without[sets, :n_documents]
        value = best[:, before] + factor[size - 1] * gain[:, before, every]
        best[:, sets] = np.where(has[sets], value, -np.inf).max(axis=2)
    return best[:, -1]


def _greedy_value(documents: np.ndarray, fade: float, factor: np.ndarray) -> np.ndarray:
    """Return the value of the list that takes the document of the highest gain next."""
    total, worth = np.zeros(len(documents)), np.ones(documents.shape[::2])
    every = np.arange(len(documents))
    is_left: np.ndarray = np.any(documents, axis=2)
    is_again = np.zeros_like(is_left)  # the same subtopics as the document before
    is_again[:, 1:] = (documents[:, 1:] == documents[:, :-1]).all(axis=2)
    for discount in factor[: np.count_nonzero(factor)]:
        gain = np.where(is_left, np.einsum("nds,ns->nd", documents, worth), -1.0)
        highest = gain.max(axis=1)
        is_best = is_left & (gain >= (highest * (1 - _TIE))[:, None])
        # Of equal documents only the first that is left counts.
        is_best[:, 1:] &= ~(is_again[:, 1:] & is_left[:, :-1])
        taken = _look_ahead(documents, worth, is_left, is_best, fade)
        total += discount * np.maximum(highest, 0)
        is_left[every, taken] = False
        worth *= np.where(documents[every, taken] > 0, fade, 1.0)
    return total


def _look_ahead(
    documents: np.ndarray,
    worth: np.ndarray,
    is_left: np.ndarray,
    is_best: np.ndarray,
    fade: float,
) -> np.ndarray:
    """Return of each query the best document after which the next can gain most."""
    taken = is_best.argmax(axis=1)
    several = np.flatnonzero(is_best.sum(axis=1) > 1)
    if len(several) == 0:
        return taken
    case, candidate = np.nonzero(is_best[several])
    query = several[case]
    gain_after = np.empty(len(query))
    step = max(_CELLS // documents[0].size, 1)
    for start in range(0, len(query), step):
        now = slice(start, start + step)
        own = documents[query[now], candidate[now]]
        after = worth[query[now]] * np.where(own > 0, fade, 1.0)
        gain = np.einsum("nds,ns->nd", documents[query[now]], after)
        gain[~is_left[query[now]]] = -1
        gain[np.arange(len(own)), candidate[now]] = -1
        gain_after[now] = gain.max(axis=1)
    # The highest of each case; the first of those that are equal, except for rounding.
    table = np.full((len(several), documents.shape[1]), -np.inf)
    table[case, candidate] = gain_after
    highest = table.max(axis=1)
    margin = _TIE * np.abs(highest)
    taken[several] = (table >= (highest - margin)[:, None]).argmax(axis=1)
    return taken
