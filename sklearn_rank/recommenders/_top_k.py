"""The k best items of each row; the order of popularity breaks ties."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._base._runs import (
    lower_bounds,
    ragged_rows,
    row_chunks,
    sizes_of,
    starts_of,
)
from sklearn_rank.recommenders._item_products import UnseenScores
from sklearn_rank.recommenders._pairs import Pairs, PopularityOrder, most_popular

# Fast float32 scores of factors that are stored as float64.
#
# They take half the time; the few items that they cannot separate are scored exactly.

# Scores up to this size are far from the largest float32.
_LARGEST_SCORE = 1e30


@dataclass(frozen=True, eq=False)
class ApproximateScores:
    """Scores in float32, and functions for exact ones.

    `score_pairs(rows, items)` and `score_rows(rows)` are exact; rows count from 0.
    """

    scores: np.ndarray
    error: np.ndarray  # of each row: the largest difference from the exact scores
    score_pairs: Callable[[np.ndarray, np.ndarray], np.ndarray]
    score_rows: Callable[[np.ndarray], np.ndarray]

    @property
    def nbytes(self) -> int:
        return self.scores.nbytes


def approximate_scorer(model: Any) -> Callable[[np.ndarray], ApproximateScores] | None:
    """Return a function from users to approximate scores; None if it is not faster."""
    user_factors, item_factors = model.user_factors_, model.item_factors_
    item_offset = model.item_offset_
    if user_factors.dtype != np.float64 or item_factors.dtype != np.float64:
        return None
    longest = _norms(user_factors).max(), _norms(item_factors).max()
    if not max(*longest, longest[0] * longest[1], abs(item_offset).max()) < _LARGEST_SCORE:
        return None
    factors = np.ascontiguousarray(item_factors.T, dtype=np.float32)
    offset = item_offset.astype(np.float32) if item_offset.any() else None
    largest_offset = abs(item_offset).max()

    def score(users: np.ndarray) -> ApproximateScores:
        of_users = user_factors[users]
        scores = of_users.astype(np.float32) @ factors
        if offset is not None:
            scores += offset
        # Two factors, their products, sums and the offset are rounded, the smallest to 0.
        n_roundings, norms = len(factors) + 4, _norms(of_users)
        limits = np.finfo(np.float32)
        error = limits.eps * (norms * longest[1] + largest_offset)
        error += limits.tiny * (1 + norms + longest[1])
        return ApproximateScores(
            scores,
            n_roundings * error,
            lambda rows, items: model.score_pairs(users[rows], items),
            lambda rows: model.score_users(users[rows]),
        )

    return score


def _norms(factors: np.ndarray) -> np.ndarray:
    return np.sqrt(np.einsum("ij,ij->i", factors, factors))


# How many values share a maximum, in a row and among stored values: powers of 2.
DENSE_BUCKET = 16
_STORED_BUCKET = 4
# With fewer buckets than this per item of a list, the bound excludes too few scores.
_BUCKETS_PER_ITEM = 4
# With fewer visible items in a bucket, most scores are candidates.
_LEAST_BUCKET = 2
# With more candidates than this per item of a list, a whole row is scored.
_CANDIDATES_PER_ITEM = 16
# From so many wanted entries per row on, sorting all rows takes less time than searching.
_WORTH_A_SORT = 64


def top_k_of_scores(
    scores: Any, k: int, order: PopularityOrder, hidden: Pairs
) -> tuple[np.ndarray, np.ndarray]:
    """Return (items, scores) of the k best items of each row that are not hidden."""
    if isinstance(scores, ApproximateScores):
        return top_k_approximate(scores, k, order, hidden)
    find = top_k_stored if sparse.issparse(scores) else top_k_dense
    return find(scores, k, order, hidden)


def top_k_dense(
    scores: np.ndarray, k: int, order: PopularityOrder, hidden: Pairs
) -> tuple[np.ndarray, np.ndarray]:
    """Return (items, scores) of the k best items of each row that are not hidden.

    Of equal scores the first in `order` comes first. A row with fewer items left ends
    with -1, which score -inf. `scores` are not written to.
    """
    visible = _visible_scores(scores, hidden)
    if len(scores) == 1 and order.has_all_items:
        ranked = top_k_of_row(visible[0], None, k, order)
        if ranked is not None:
            return ranked
    if order.has_all_items and has_buckets(scores.shape[1], k, hidden):
        pairs = preselect_dense(visible, k)
        return best_pairs(pairs, visible[pairs.row, pairs.item], k, order)
    allowed = np.sort(order.items)
    columns, best = top_k(visible[:, allowed], k, order.rank[allowed])
    return np.where(np.isneginf(best), -1, allowed[columns]), best


def top_k_approximate(
    approximate: ApproximateScores, k: int, order: PopularityOrder, hidden: Pairs
) -> tuple[np.ndarray, np.ndarray]:
    """Return what `top_k_dense` returns for the exact scores, from approximate ones.

    Candidates for the k best are scored exactly. `order` holds all items.
    """
    visible = _visible_scores(approximate.scores, hidden)
    chosen = preselect_dense(visible, k, slack=2 * approximate.error)
    is_whole = chosen.n_per_row > _CANDIDATES_PER_ITEM * k  # such as many ties
    stays = ~is_whole[chosen.row]
    pairs = Pairs(chosen.row[stays], chosen.item[stays], chosen.n_rows)
    exact = approximate.score_pairs(pairs.row, pairs.item)
    items, best = best_pairs(pairs, exact, k, order)
    if len(full := np.flatnonzero(is_whole)):
        exact = approximate.score_rows(full)
        items[full], best[full] = top_k_dense(exact, k, order, hidden.take_rows(full))
    return items, best


def has_buckets(n_items: int, k: int, hidden: Pairs) -> bool:
    """Return whether rows are long enough for a bound by buckets."""
    n_visible = n_items - len(hidden.row) / max(hidden.n_rows, 1)
    return n_visible >= _LEAST_BUCKET * _BUCKETS_PER_ITEM * k


def _visible_scores(scores: np.ndarray, hidden: Pairs) -> np.ndarray:
    visible = scores.copy()
    visible[hidden.row, hidden.item] = -np.inf
    return visible


def top_k_stored(
    scores: sparse.csr_array, k: int, order: PopularityOrder, hidden: Pairs
) -> tuple[np.ndarray, np.ndarray]:
    """Return (items, scores) of the k best items of each row that are not hidden.

    Items without an entry score 0. Of equal scores the first in `order` comes first. A row
    with fewer items left ends with -1, which score -inf.
    """
    scores = _allowed_scores(scores, order)
    if hidden.n_rows == 1:
        is_hidden = np.zeros(scores.shape[1], dtype=bool)
        is_hidden[hidden.item] = True
        visible = np.where(is_hidden[scores.indices], -np.inf, scores.data)
        best = top_k_of_row(visible, scores.indices, k, order)
        if best is not None:
            return best
    # The best of a row may be hidden.
    most = k + hidden.n_per_row
    row, entry = preselect(scores.data, scores.indptr, most, positive=True)
    stays = ~hidden.contains(row, scores.indices[entry], scores.shape[1])
    row, entry = row[stays], entry[stays]
    pairs = Pairs(row, scores.indices[entry], hidden.n_rows)
    rows_of = scores.__getitem__
    return _best_with_others(pairs, scores.data[entry], k, order, rows_of, hidden.take_rows)


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
    most = np.full(n_rows, k)
    row, entry = preselect(scores.values, scores.starts, most, positive=True)
    best = Pairs(row, scores.items(entry), n_rows), scores.values[entry]
    return _best_with_others(*best, k, order, scores.take_rows, seen_of)


def _best_with_others(
    listed: Pairs,
    score: np.ndarray,
    k: int,
    order: PopularityOrder,
    scores_of: Callable[[np.ndarray], sparse.csr_array],
    hidden_of: Callable[[np.ndarray], Pairs],
) -> tuple[np.ndarray, np.ndarray]:
    """Return the k best; rows with too few positive scores get different items."""
    short = np.flatnonzero(listed.n_per_row < k)
    if len(short):
        short_rows = scores_of(short), k, order, hidden_of(short)
        row, item, more_scores = _zeros_and_negatives(*short_rows)
        row, item = np.append(listed.row, short[row]), np.append(listed.item, item)
        listed, score = Pairs(row, item, listed.n_rows), np.append(score, more_scores)
    return best_pairs(listed, score, k, order)


def stored_scores(scores: sparse.csr_array, pairs: Pairs) -> np.ndarray:
    """Return the scores of pairs, 0 for those without an entry."""
    if not len(pairs.row):  # SciPy would return a sparse matrix
        return np.empty(0)
    # SciPy searches in sorted rows, but reads other rows from the beginning.
    is_few = len(pairs.row) < _WORTH_A_SORT * scores.shape[0]
    values = (scores if is_few else scores.sorted_indices())[pairs.row, pairs.item]
    return np.asarray(values, dtype=np.float64).ravel()  # SciPy may return a matrix


def pair_scorer(scores: Any) -> Callable[[Pairs], np.ndarray]:
    """Return a function from pairs to their scores."""
    if sparse.issparse(scores):
        return lambda pairs: stored_scores(scores, pairs)
    return lambda pairs: scores[pairs.row, pairs.item]


def _allowed_scores(scores: sparse.csr_array, order: PopularityOrder) -> sparse.csr_array:
    if order.has_all_items:
        return scores
    row = Pairs.from_matrix(scores).row
    stays = order.contains(scores.indices)
    n_of_row = np.bincount(row[stays], minlength=scores.shape[0])
    entries = scores.data[stays], scores.indices[stays], starts_of(n_of_row)
    return sparse.csr_array(entries, shape=scores.shape)


def _zeros_and_negatives(
    scores: sparse.csr_array, k: int, order: PopularityOrder, hidden: Pairs
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (row, item, score) of the k most popular zeros, and of negative scores."""
    stored, n_rows = Pairs.from_matrix(scores), scores.shape[0]
    is_other = scores.data != 0
    pairs = Pairs(stored.row[is_other], stored.item[is_other], n_rows)
    zero = most_popular(order, k, Pairs.union([pairs, hidden], n_rows))
    zero_row, column = np.nonzero(zero >= 0)
    is_negative = scores.data < 0
    is_negative &= ~hidden.contains(stored.row, stored.item, scores.shape[1])
    return (
        np.append(zero_row, stored.row[is_negative]),
        np.append(zero[zero_row, column], stored.item[is_negative]),
        np.append(np.zeros(len(zero_row)), scores.data[is_negative]),
    )


# Selections from any values: of a matrix, of pairs, of ragged rows.


def top_k(
    scores: np.ndarray, k: int, tie_rank: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return (columns, scores) of the k best entries of each row, best first.

    Of equal scores the column with the smaller `tie_rank` comes first, also if the tie
    straddles the cut. `tie_rank` has a value for each column, or for each entry.
    """
    tie_rank = np.broadcast_to(tie_rank, scores.shape)
    first = scores.shape[1] - k
    columns = np.argpartition(scores, first, axis=1)[:, first:]
    threshold = np.take_along_axis(scores, columns[:, :1], axis=1)  # the k-th best
    tie_straddles_cut = np.count_nonzero(scores >= threshold, axis=1) > k
    if tie_straddles_cut.any():
        tied = scores[tie_straddles_cut], threshold[tie_straddles_cut], k
        columns[tie_straddles_cut] = _first_of_ties(*tied, tie_rank[tie_straddles_cut])
    best, ranks = (np.take_along_axis(side, columns, axis=1) for side in (scores, tie_rank))
    order = np.lexsort((ranks, -best))
    columns = np.take_along_axis(columns, order, axis=1)
    return columns, np.take_along_axis(best, order, axis=1)


def _first_of_ties(
    scores: np.ndarray, threshold: np.ndarray, k: int, tie_rank: np.ndarray
) -> np.ndarray:
    rank = np.where(scores == threshold, tie_rank, np.iinfo(np.intp).max)
    rank[scores > threshold] = -1
    return np.argpartition(rank, k - 1, axis=1)[:, :k]


def top_k_of_pairs(
    pairs: Pairs, scores: np.ndarray, k: int, order: PopularityOrder
) -> tuple[np.ndarray, np.ndarray]:
    """Return (items, scores) of the k best of ordered pairs of each row, then -1, -inf."""
    row, entry = preselect(scores, starts_of(pairs.n_per_row), np.full(pairs.n_rows, k))
    best = Pairs(row, pairs.item[entry], pairs.n_rows)
    return best_pairs(best, scores[entry], k, order)


def best_pairs(
    pairs: Pairs, score: np.ndarray, k: int, order: PopularityOrder
) -> tuple[np.ndarray, np.ndarray]:
    """Return (items, scores) of the k best pairs of each row, then -1 and -inf."""
    n_rows = pairs.n_rows
    items = np.full((n_rows, k), -1, dtype=np.intp)
    best = np.full((n_rows, k), -np.inf)
    if n_rows == 1:
        first = np.lexsort((order.rank[pairs.item], -score))[:k]
        items[0, : len(first)], best[0, : len(first)] = pairs.item[first], score[first]
        return items, best
    by_row = np.argsort(pairs.row, kind="stable")  # fast if most rows are in order
    item, score = pairs.item[by_row], score[by_row]
    tie_rank = np.append(order.rank, len(order.rank))
    for rows, cells, inside in ragged_rows(pairs.n_per_row, least=k):
        of_cell = np.where(inside, item[cells], -1)
        score_at = np.where(inside, score[cells], -np.inf)
        columns, best[rows] = top_k(score_at, k, tie_rank[of_cell])
        items[rows] = np.take_along_axis(of_cell, columns, axis=1)
    return items, best


def preselect_dense(values: np.ndarray, k: int, slack: np.ndarray | float = 0.0) -> Pairs:
    """Return the k highest values of each row above -inf, and some lower ones.

    At least k values reach the bound of a row. Values below it by no more than `slack` are
    returned as well.
    """
    n_rows, n_columns = values.shape
    n_buckets = max(n_columns // DENSE_BUCKET, _BUCKETS_PER_ITEM * k)
    bound = np.full(n_rows, -np.inf, dtype=values.dtype)
    if n_buckets <= n_columns:
        highest = lower_bounds(values, k, n_buckets)
        lower = (highest - slack).astype(values.dtype)
        bound = np.nextafter(lower, -np.inf, dtype=values.dtype)
    cell = np.flatnonzero(values > bound[:, None])
    return Pairs(*np.divmod(cell, n_columns), n_rows)


def preselect(
    values: np.ndarray, starts: np.ndarray, k: np.ndarray, *, positive: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Return (row, entry) of the k highest values of each row, and of some lower ones.

    The bound of a row is the k-th highest maximum of its buckets: at least k values reach
    it. This is faster than a partition of each row. With `positive`, only values above 0
    are returned.
    """
    bound = _bounds(values, starts, k, positive)
    entry = np.flatnonzero(values >= bound.repeat(sizes_of(starts)))
    row = np.arange(len(bound)).repeat(sizes_of(entry.searchsorted(starts)))
    return row, entry


def _bounds(
    values: np.ndarray, starts: np.ndarray, k: np.ndarray, positive: bool
) -> np.ndarray:
    """Return a bound that at least k values of each row reach; short rows have the lowest.

    Bounds come from the upper 32 bits of the values, which NumPy compares and sorts several
    times faster than the values. The lower bits of a bound are those of the lowest value.
    """
    values = np.ascontiguousarray(values, dtype=np.float64)
    upper = values.view(np.int32)[int(sys.byteorder == "little") :: 2]
    highest = _bucket_maxima(upper if positive else _in_order(upper))
    first = -(-starts[:-1] // _STORED_BUCKET)  # buckets that lie in one row
    size = starts[1:] // _STORED_BUCKET - first
    lowest = np.nextafter(0.0, 1.0) if positive else -np.inf
    bound = np.full(len(size), lowest)
    is_long = size >= k
    # Rows of similar size share a matrix.
    scale = np.frexp(np.where(is_long, size, 0).astype(float))[1]
    for factor in set(scale[is_long].tolist()):
        rows = np.flatnonzero(scale == factor)
        column = np.arange(size[rows].max())
        bucket = first[rows, None] + column
        matrix = highest.take(bucket, mode="clip")
        matrix[column >= size[rows, None]] = np.iinfo(np.int32).min
        matrix.sort(axis=1)
        kth = matrix[np.arange(len(rows)), len(column) - k[rows]].astype(np.int64) << 32
        bound[rows] = (kth if positive else _in_order(kth)).view(np.float64)
    return np.fmax(bound, lowest)  # below -inf are the bits of NaN


def _in_order(bits: np.ndarray) -> np.ndarray:
    """Return the bits of floats as integers that are in the order of the floats, or back.

    The bits of floats above 0 are in order; those of others are inverted, except for the
    sign.
    """
    is_negative = bits >> (8 * bits.itemsize - 1)  # 0, or all bits
    return bits ^ (is_negative & np.iinfo(bits.dtype).max)


def _bucket_maxima(values: np.ndarray) -> np.ndarray:
    """Return the maximum of each bucket of adjacent values."""
    highest = values[: len(values) // _STORED_BUCKET * _STORED_BUCKET]
    while len(highest) > len(values) // _STORED_BUCKET:
        highest = np.maximum(highest[::2], highest[1::2])
    return highest


def top_k_of_row(
    scores: np.ndarray, items: np.ndarray | None, k: int, order: PopularityOrder
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return (items, scores) of the k best, as a matrix of one row each.

    `items` holds the items of the scores; if None, all items. Hidden items score -inf, and
    items that are not in `items` score 0. Return None if fewer than k items score above
    that. Of equal scores the first in `order` comes first.
    """
    n_buckets = min(len(scores), max(len(scores) // DENSE_BUCKET, _BUCKETS_PER_ITEM * k))
    if n_buckets < k:
        return None
    size = len(scores) // n_buckets
    highest = np.maximum.reduce(scores[: size * n_buckets].reshape(size, n_buckets))
    highest.partition(n_buckets - k)
    bound = highest[n_buckets - k]
    if not bound > (-np.inf if items is None else 0):
        return None
    entry = (scores >= bound).nonzero()[0]  # at least k
    item = entry if items is None else items[entry]
    negated = -scores[entry].astype(np.float64)
    first = np.lexsort((order.rank[item], negated))[:k]
    return item[first][None], -negated[first][None]


# Chunks of rows, so that their scores fit into memory.


def user_chunks(
    users: np.ndarray, n_items: int
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield (users, rows, user): a chunk of users, its rows, and the user of each row."""
    order = np.argsort(users, kind="stable")
    distinct, first = np.unique(users[order], return_index=True)
    ends = np.append(first, len(users))
    for batch in row_chunks(len(distinct), n_items):
        chunk = distinct[batch]
        rows = order[first[batch.start] : ends[batch.start + len(chunk)]]
        yield chunk, rows, np.searchsorted(chunk, users[rows])
