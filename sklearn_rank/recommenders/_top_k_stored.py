"""The k best of the stored entries of each row, ties decided by popularity."""

from collections.abc import Callable

import numpy as np
from scipy import sparse

from sklearn_rank._arrays._runs import sizes_of, starts_of
from sklearn_rank.recommenders._item_products import UnseenScores
from sklearn_rank.recommenders._most_popular import PopularityOrder, most_popular
from sklearn_rank.recommenders._pairs import Pairs
from sklearn_rank.recommenders._top_k_of_row import top_k_of_row

# Values that lie together of which the highest is taken: a power of 2.
_CHUNK = 4


def top_k_stored(
    scores: sparse.csr_array, k: int, order: PopularityOrder, hidden: Pairs
) -> tuple[np.ndarray, np.ndarray]:
    """Return (items, scores) of the k best items of each row that are not hidden.

    Items without an entry score 0. Of equal scores the first in `order` comes first. A row
    with fewer items left ends with -1, which score -inf. The cost follows what is stored.
    """
    scores = _allowed(scores, order)
    if hidden.n_rows == 1:
        is_hidden = np.zeros(scores.shape[1], dtype=bool)
        is_hidden[hidden.item] = True
        visible = np.where(is_hidden[scores.indices], -np.inf, scores.data)
        if (of_row := top_k_of_row(visible, scores.indices, k, order)) is not None:
            return of_row
    row, item, score = _best_positive(scores, k, hidden)
    found = Pairs(row, item, hidden.n_rows)
    short = np.flatnonzero(found.n_of_row < k)
    if len(short):
        others = _not_positive(scores[short], k, order, hidden.of_rows(short))
        found, score = _joined(found, score, short, *others)
    return best_pairs(found, score, k, order)


def top_k_unseen(
    scores: UnseenScores,
    k: int,
    order: PopularityOrder,
    seen_of: Callable[[np.ndarray], Pairs],
) -> tuple[np.ndarray, np.ndarray]:
    """Return what `top_k_stored` returns where items are hidden that have been seen.

    `seen_of` returns the seen items of some rows, for those with fewer than k positive
    scores. `order` holds all items.
    """
    n_rows = len(scores.starts) - 1
    row, entry = reach(scores.values, scores.starts, np.full(n_rows, k))
    is_positive = scores.values[entry] > 0
    entry = entry[is_positive]
    found = Pairs(row[is_positive], scores.items(entry), n_rows)
    score = scores.values[entry]
    short = np.flatnonzero(found.n_of_row < k)
    if len(short):
        others = _not_positive(scores.of_rows(short), k, order, seen_of(short))
        found, score = _joined(found, score, short, *others)
    return best_pairs(found, score, k, order)


def _joined(
    found: Pairs,
    score: np.ndarray,
    rows: np.ndarray,
    row: np.ndarray,
    item: np.ndarray,
    other: np.ndarray,
) -> tuple[Pairs, np.ndarray]:
    """Return pairs and their scores with others, whose row is a place in `rows`."""
    row, item = np.append(found.row, rows[row]), np.append(found.item, item)
    return Pairs(row, item, found.n_rows), np.append(score, other)


def best_pairs(
    pairs: Pairs, score: np.ndarray, k: int, order: PopularityOrder
) -> tuple[np.ndarray, np.ndarray]:
    """Return (items, scores) of the k best pairs of each row, then -1 and -inf."""
    by_row = np.argsort(pairs.row, kind="stable")  # fast for what is mostly in order
    row, item, negated = pairs.row[by_row], pairs.item[by_row], -score[by_row]
    starts = starts_of(pairs.n_of_row)
    items = np.full((pairs.n_rows, k), -1, dtype=np.intp)
    best = np.full((pairs.n_rows, k), -np.inf)
    # Rows of about one size are sorted as a matrix; a long one would make it too wide.
    is_long = pairs.n_of_row > 4 * max(k, len(row) / max(pairs.n_rows, 1))
    is_long |= pairs.n_rows == 1
    for one in np.flatnonzero(is_long).tolist():
        part = slice(starts[one], starts[one + 1])
        first = np.lexsort((order.place[item[part]], negated[part]))[:k]
        items[one, : len(first)] = item[part][first]
        best[one, : len(first)] = -negated[part][first]
    if is_long.any():
        stays = ~is_long[row]
        row, item, negated = row[stays], item[stays], negated[stays]
    if len(row):
        _sort_as_matrix(row, item, negated, order, items, best)
    return items, best


def _sort_as_matrix(
    row: np.ndarray,
    item: np.ndarray,
    negated: np.ndarray,
    order: PopularityOrder,
    items: np.ndarray,
    best: np.ndarray,
) -> None:
    """Write the best pairs of each row, from pairs in the order of their rows."""
    n_rows, k = best.shape
    size = np.bincount(row, minlength=n_rows)
    width = int(size.max(initial=0))
    column = np.arange(len(row)) - starts_of(size)[row]
    matrix = np.full((n_rows, width), np.inf)
    matrix[row, column] = negated
    if width > 2 * k:
        last = np.partition(matrix, k - 1, axis=1)[:, k - 1]
        stays = negated <= last[row]
        if not stays.all():
            row, item, negated = row[stays], item[stays], negated[stays]
            return _sort_as_matrix(row, item, negated, order, items, best)
    place = np.full((n_rows, width), len(order.place))
    place[row, column] = order.place[item]
    ranked = np.lexsort((place, matrix))[:, :k] + starts_of(size)[:-1, None]
    row, column = np.nonzero(np.arange(min(k, width)) < size[:, None])
    ranked = ranked[row, column]
    items[row, column], best[row, column] = item[ranked], -negated[ranked]


def reach(
    values: np.ndarray, starts: np.ndarray, k: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return (row, place) of the k highest values of each row, and of some lower ones.

    The k-th highest of the best of chunks of a row bounds its k-th highest value. Finding
    it takes a part of the time of a partition of each row.
    """
    bound = _bounds(values, starts, k)
    place = np.flatnonzero(values >= bound.repeat(sizes_of(starts)))
    row = np.arange(len(bound)).repeat(sizes_of(place.searchsorted(starts)))
    return row, place


def _bounds(values: np.ndarray, starts: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return a value that at least k of each row reach, -inf for short rows."""
    highest = _best_of_chunks(values)
    first = -(-starts[:-1] // _CHUNK)  # chunks that lie in one row
    size = starts[1:] // _CHUNK - first
    bound = np.full(len(size), -np.inf, dtype=values.dtype)
    is_long = size >= k
    # Rows of about one size make a matrix.
    scale = np.frexp(np.where(is_long, size, 0).astype(float))[1]
    for one in set(scale[is_long].tolist()):
        rows = np.flatnonzero(scale == one)
        column = np.arange(size[rows].max())
        chunk = first[rows, None] + column
        matrix = highest.take(chunk, mode="clip")
        matrix[column >= size[rows, None]] = -np.inf
        matrix.sort(axis=1)
        bound[rows] = matrix[np.arange(len(rows)), len(column) - k[rows]]
    return bound


def _best_of_chunks(values: np.ndarray) -> np.ndarray:
    """Return the highest of each chunk of values that lie together."""
    highest = values[: len(values) // _CHUNK * _CHUNK]
    while len(highest) > len(values) // _CHUNK:
        highest = np.maximum(highest[::2], highest[1::2])
    return highest


def score_at(scores: sparse.csr_array, pairs: Pairs) -> np.ndarray:
    """Return the scores of pairs, 0 for those without an entry."""
    n_items = scores.shape[1]
    places = np.ones(len(pairs.row)), (pairs.row, pairs.item)
    wanted = sparse.coo_array(places, shape=scores.shape).tocsr()
    wanted.data[:] = 1
    found = Pairs.stored(entries := wanted.multiply(scores).tocsr())
    key = found.row * n_items + found.item
    by_key = np.argsort(key)
    key, value = np.append(key[by_key], -1), np.append(entries.data[by_key], 0.0)
    asked = pairs.row * n_items + pairs.item
    place = key[:-1].searchsorted(asked)
    return np.where(key[place] == asked, value[place], 0.0)


def _allowed(scores: sparse.csr_array, order: PopularityOrder) -> sparse.csr_array:
    if order.holds_all:
        return scores
    row = Pairs.stored(scores).row
    stays = order.holds(scores.indices)
    n_of_row = np.bincount(row[stays], minlength=scores.shape[0])
    entries = scores.data[stays], scores.indices[stays], starts_of(n_of_row)
    return sparse.csr_array(entries, shape=scores.shape)


def _best_positive(
    scores: sparse.csr_array, k: int, hidden: Pairs
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (row, item, score) of the best positive entries: k a row, or all it has.

    A row may hide its best. That it hides no more than half of what it can among them is
    tried first, for most rows do not.
    """
    n_tried = k + hidden.n_of_row // 2
    row, item, score = _positive(scores, n_tried, hidden)
    n_found = np.bincount(row, minlength=hidden.n_rows)
    lacks = (n_found < k) & (np.diff(scores.indptr) > n_tried)
    if not lacks.any():
        return row, item, score
    again, stays = np.flatnonzero(lacks), ~lacks[row]
    of_again = hidden.of_rows(again)
    more = _positive(scores[again], k + of_again.n_of_row, of_again)
    return (
        np.append(row[stays], again[more[0]]),
        np.append(item[stays], more[1]),
        np.append(score[stays], more[2]),
    )


def _positive(
    scores: sparse.csr_array, n_tried: np.ndarray, hidden: Pairs
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (row, item, score) of the visible ones > 0 of each row's `n_tried` best."""
    row, place = reach(scores.data, scores.indptr, n_tried)
    is_positive = scores.data[place] > 0
    row, place = row[is_positive], place[is_positive]
    item = scores.indices[place]
    stays = ~hidden.hold(row, item, scores.shape[1])
    return row[stays], item[stays], scores.data[place[stays]]


def _not_positive(
    scores: sparse.csr_array, k: int, order: PopularityOrder, hidden: Pairs
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (row, item, score) of the most popular k that score 0, and the negative."""
    stored, n_rows = Pairs.stored(scores), scores.shape[0]
    is_other = scores.data != 0
    other = Pairs(stored.row[is_other], stored.item[is_other], n_rows)
    zero = most_popular(order, k, Pairs.union([other, hidden], n_rows))
    zero_row, place = np.nonzero(zero >= 0)
    is_negative = scores.data < 0
    is_negative &= ~hidden.hold(stored.row, stored.item, scores.shape[1])
    return (
        np.append(zero_row, stored.row[is_negative]),
        np.append(zero[zero_row, place], stored.item[is_negative]),
        np.append(np.zeros(len(zero_row)), scores.data[is_negative]),
    )
