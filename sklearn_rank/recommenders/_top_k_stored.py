"""The k best of the stored entries of each row, ties decided by popularity."""

import numpy as np
from scipy import sparse

from sklearn_rank._runs import sizes_of, starts_of
from sklearn_rank.recommenders._most_popular import PopularityOrder, most_popular
from sklearn_rank.recommenders._pairs import Pairs


def top_k_stored(
    scores: sparse.csr_array, k: int, order: PopularityOrder, hidden: Pairs
) -> tuple[np.ndarray, np.ndarray]:
    """Return (items, scores) of the k best items of each row that are not hidden.

    Items without an entry score 0. Of equal scores the first in `order` comes first. A row
    with fewer items left ends with -1, which score -inf. The cost follows what is stored.
    """
    scores = _allowed(scores, order)
    row, item, score = _positive(scores, k, order, hidden)
    n_positive = np.bincount(row, minlength=hidden.n_rows)
    short = np.flatnonzero(n_positive < k)
    if len(short):
        more = _not_positive(scores[short], k, order, hidden.of_rows(short))
        row = np.concatenate([row, short[more[0]]])
        item, score = np.append(item, more[1]), np.append(score, more[2])
    return best_pairs(Pairs(row, item, hidden.n_rows), score, k, order)


def best_pairs(
    pairs: Pairs, score: np.ndarray, k: int, order: PopularityOrder
) -> tuple[np.ndarray, np.ndarray]:
    """Return (items, scores) of the k best pairs of each row, then -1 and -inf."""
    by_score = np.lexsort((order.place[pairs.item], -score, pairs.row))
    row = pairs.row[by_score]
    place = np.arange(len(row)) - starts_of(pairs.n_of_row)[row]
    by_score, row, place = (array[place < k] for array in (by_score, row, place))
    items = np.full((pairs.n_rows, k), -1, dtype=np.intp)
    best = np.full((pairs.n_rows, k), -np.inf)
    items[row, place] = pairs.item[by_score]
    best[row, place] = score[by_score]
    return items, best


def reach(values: np.ndarray, starts: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return the places of the values that reach the k-th highest of their row."""
    sizes = sizes_of(starts)
    threshold = np.full(len(sizes), -np.inf, dtype=values.dtype)
    for row in np.flatnonzero(sizes > k).tolist():
        part = values[starts[row] : starts[row + 1]]
        last = len(part) - k[row]
        threshold[row] = np.partition(part, last)[last]
    return np.flatnonzero(values >= threshold.repeat(sizes))


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


def _positive(
    scores: sparse.csr_array, k: int, order: PopularityOrder, hidden: Pairs
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (row, item, score) of the best positive entries: k a row, or all it has.

    As many more are looked at as the row hides, for it may hide the best.
    """
    place = reach(scores.data, scores.indptr, k + hidden.n_of_row)
    place = place[scores.data[place] > 0]
    row = np.searchsorted(scores.indptr, place, side="right") - 1
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
