"""The k best of the stored entries of each row; popularity breaks ties."""

from collections.abc import Callable

import numpy as np
from scipy import sparse

from sklearn_rank._arrays._runs import starts_of
from sklearn_rank.recommenders._best_of_rows import best_pairs, reach
from sklearn_rank.recommenders._item_products import UnseenScores
from sklearn_rank.recommenders._most_popular import PopularityOrder, most_popular
from sklearn_rank.recommenders._pairs import Pairs
from sklearn_rank.recommenders._top_k_of_row import top_k_of_row

# From so many asked entries a row on, sorting all rows takes less than reading them.
_WORTH_A_SORT = 64


def top_k_stored(
    scores: sparse.csr_array, k: int, order: PopularityOrder, hidden: Pairs
) -> tuple[np.ndarray, np.ndarray]:
    """Return (items, scores) of the k best items of each row that are not hidden.

    Items without an entry score 0. Of equal scores the first in `order` comes first. A row
    with fewer items left ends with -1, which score -inf.
    """
    scores = _allowed(scores, order)
    if hidden.n_rows == 1:
        is_hidden = np.zeros(scores.shape[1], dtype=bool)
        is_hidden[hidden.item] = True
        visible = np.where(is_hidden[scores.indices], -np.inf, scores.data)
        if (of_row := top_k_of_row(visible, scores.indices, k, order)) is not None:
            return of_row
    # The best of a row may be hidden.
    row, place = reach(scores.data, scores.indptr, k + hidden.n_of_row)
    stays = scores.data[place] > 0
    stays &= ~hidden.hold(row, scores.indices[place], scores.shape[1])
    row, place = row[stays], place[stays]
    found = Pairs(row, scores.indices[place], hidden.n_rows)
    rows_of = scores.__getitem__
    return _with_others(found, scores.data[place], k, order, rows_of, hidden.of_rows)


def top_k_unseen(
    scores: UnseenScores,
    k: int,
    order: PopularityOrder,
    seen_of: Callable[[np.ndarray], Pairs],
) -> tuple[np.ndarray, np.ndarray]:
    """Return what `top_k_stored` returns if seen items are hidden.

    `seen_of` returns the seen items of some rows, for those with fewer than k positive
    scores. `order` holds all items.
    """
    n_rows = len(scores.starts) - 1
    row, entry = reach(scores.values, scores.starts, np.full(n_rows, k))
    is_positive = scores.values[entry] > 0
    entry = entry[is_positive]
    found = Pairs(row[is_positive], scores.items(entry), n_rows)
    return _with_others(found, scores.values[entry], k, order, scores.of_rows, seen_of)


def _with_others(
    found: Pairs,
    score: np.ndarray,
    k: int,
    order: PopularityOrder,
    scores_of: Callable[[np.ndarray], sparse.csr_array],
    hidden_of: Callable[[np.ndarray], Pairs],
) -> tuple[np.ndarray, np.ndarray]:
    """Return the k best; rows with too few positive scores get other items."""
    short = np.flatnonzero(found.n_of_row < k)
    if len(short):
        row, item, other = _not_positive(scores_of(short), k, order, hidden_of(short))
        row, item = np.append(found.row, short[row]), np.append(found.item, item)
        found, score = Pairs(row, item, found.n_rows), np.append(score, other)
    return best_pairs(found, score, k, order)


def score_at(scores: sparse.csr_array, pairs: Pairs) -> np.ndarray:
    """Return the scores of pairs, 0 for those without an entry."""
    if not len(pairs.row):  # SciPy would return a sparse matrix
        return np.empty(0)
    # SciPy searches in sorted rows, but reads other rows from the beginning.
    is_few = len(pairs.row) < _WORTH_A_SORT * scores.shape[0]
    found = (scores if is_few else scores.sorted_indices())[pairs.row, pairs.item]
    return np.asarray(found, dtype=np.float64).ravel()  # of a matrix, as of an array


def _allowed(scores: sparse.csr_array, order: PopularityOrder) -> sparse.csr_array:
    if order.holds_all:
        return scores
    row = Pairs.stored(scores).row
    stays = order.holds(scores.indices)
    n_of_row = np.bincount(row[stays], minlength=scores.shape[0])
    entries = scores.data[stays], scores.indices[stays], starts_of(n_of_row)
    return sparse.csr_array(entries, shape=scores.shape)


def _not_positive(
    scores: sparse.csr_array, k: int, order: PopularityOrder, hidden: Pairs
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (row, item, score) of the k most popular zeros, and of negative scores."""
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
