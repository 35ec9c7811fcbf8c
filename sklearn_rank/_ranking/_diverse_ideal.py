"""The ideal list of diversity metrics: the best list, or a greedy one.

The gain of a document depends on those above it, and finding the best list is hard. Up to
eight documents it is the best over all orders. The value of a set of first documents is
found from those of its subsets, as the gain of the last does not depend on the order of the
others. With more documents it is greedy: the next one has the highest gain; among ties, the
one after which the next can gain most. Neither depends on the evaluated list or the names
of documents.
"""

from collections.abc import Callable, Iterator

import numpy as np

from sklearn_rank._arrays._runs import ranges, starts_of
from sklearn_rank._ranking._intents import subtopics_of
from sklearn_rank._ranking._ranked_lists import RankedLists

# Documents up to which all orders are tried.
MOST_EXACT = 8
# Numbers that are worked on at once.
_CELLS = 2**20
# Gains that differ by less are equal, but for rounding.
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
            best = _exact if depth <= MOST_EXACT else _greedy
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
    high = np.where(n_documents <= MOST_EXACT, n_documents, _padded(n_documents))
    wide = _padded(n_columns)
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
            yield now, _in_own_order(table)


def _in_own_order(table: np.ndarray) -> np.ndarray:
    """Return the documents of each query in an order that only their subtopics decide."""
    bits = np.packbits(table > 0, axis=2)
    key = np.ascontiguousarray(bits).view(f"S{bits.shape[2]}")[:, :, 0]
    order = np.argsort(key, axis=1, kind="stable")
    return np.take_along_axis(table, order[:, :, None], axis=1)


def _padded(sizes: np.ndarray) -> np.ndarray:
    """Return the next powers of two."""
    return 2 ** np.ceil(np.log2(np.maximum(sizes, 1))).astype(np.intp)


def _exact(documents: np.ndarray, fade: float, factor: np.ndarray) -> np.ndarray:
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


def _greedy(documents: np.ndarray, fade: float, factor: np.ndarray) -> np.ndarray:
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
    # The highest of each case; the first of those that are equal, but for rounding.
    table = np.full((len(several), documents.shape[1]), -np.inf)
    table[case, candidate] = gain_after
    highest = table.max(axis=1)
    margin = _TIE * np.abs(highest)
    taken[several] = (table >= (highest - margin)[:, None]).argmax(axis=1)
    return taken
