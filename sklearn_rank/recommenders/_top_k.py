"""The k best columns of each row, ties decided by a fixed order of the columns."""

import numpy as np

from sklearn_rank._arrays._blocks import SCORE_BYTES
from sklearn_rank.recommenders._most_popular import PopularityOrder
from sklearn_rank.recommenders._pairs import Pairs
from sklearn_rank.recommenders._rough import RoughScores
from sklearn_rank.recommenders._top_k_of_row import top_k_of_row
from sklearn_rank.recommenders._top_k_stored import best_pairs

# Columns whose highest score is taken together.
_CHUNK = 16
# With fewer chunks than this for each place of a list, most of them reach the k-th best.
_CHUNKS_A_PLACE = 4


def rows_that_fit(bytes_a_row: float) -> int:
    """Return how many rows of scores are worked on at once.

    They are twice what stays in the cache: products with few rows pay for reading the
    factors of all items again.
    """
    return max(1, int(2 * SCORE_BYTES // max(1, bytes_a_row)))


def batches(n_rows: int, n_columns: int) -> list[slice]:
    """Return slices over the rows, each a few megabytes of `n_columns` scores a row."""
    size = max(1, SCORE_BYTES // max(1, 8 * n_columns))
    return [slice(start, start + size) for start in range(0, n_rows, size)]


def top_k_dense(
    scores: np.ndarray, k: int, order: PopularityOrder, hidden: Pairs
) -> tuple[np.ndarray, np.ndarray]:
    """Return (items, scores) of the k best items of each row that are not hidden.

    Of equal scores the first in `order` comes first. A row with fewer items left ends
    with others, which score -inf. `scores` are not written to.
    """
    if len(scores) == 1 and order.holds_all:
        visible = scores[0].copy()
        visible[hidden.item] = -np.inf
        if (of_row := top_k_of_row(visible, None, k, order)) is not None:
            return of_row
    if not order.holds_all or not has_chunks(scores.shape[1], k, hidden):
        return _top_k_of_copy(scores, k, order, hidden)
    pairs, score, whole = _may_be_best(scores, k, hidden)
    items, best = best_pairs(pairs, score, k, order)
    if len(whole):
        of_whole = _top_k_of_copy(scores[whole], k, order, hidden.of_rows(whole))
        items[whole], best[whole] = of_whole
    return items, best


def top_k_rough(
    rough: RoughScores, k: int, order: PopularityOrder, hidden: Pairs
) -> tuple[np.ndarray, np.ndarray]:
    """Return what `top_k_dense` returns for the exact scores, from rough ones.

    What may be among the k best is scored exactly. `order` holds all items.
    """
    pairs, _, whole = _may_be_best(rough.scores, k, hidden, 2 * rough.error)
    items, best = best_pairs(pairs, rough.score_pairs(pairs.row, pairs.item), k, order)
    if len(whole):
        exact = rough.score_rows(whole)
        items[whole], best[whole] = top_k_dense(exact, k, order, hidden.of_rows(whole))
    return items, best


def has_chunks(n_items: int, k: int, hidden: Pairs) -> bool:
    """Return whether rows are long enough for looking at chunks of them.

    A hidden item takes its chunk out of what bounds the k-th best.
    """
    n_hidden = len(hidden.row) / max(hidden.n_rows, 1)
    return n_items // _CHUNK >= _CHUNKS_A_PLACE * k + 2 * n_hidden


def _may_be_best(
    scores: np.ndarray, k: int, hidden: Pairs, slack: np.ndarray | None = None
) -> tuple[Pairs, np.ndarray, np.ndarray]:
    """Return pairs among which are the k best of each row, their scores, and other rows.

    In the other rows most chunks may hold the best, as among many ties: they are better
    taken as a whole. `slack` is how far the best may be below the k-th highest score.
    """
    n_rows, n_items = scores.shape
    threshold, chunk_row, chunk = _reaching_chunks(scores, k, hidden, slack)
    n_of_row = np.bincount(chunk_row, minlength=n_rows)
    is_whole = n_of_row > _CHUNKS_A_PLACE * k + hidden.n_of_row
    is_whole |= np.isneginf(threshold)
    stays = ~is_whole[chunk_row]
    pairs, score = _reaching_pairs(scores, threshold, chunk_row[stays], chunk[stays])
    stays = ~hidden.hold(pairs.row, pairs.item, n_items) & ~is_whole[pairs.row]
    found = Pairs(pairs.row[stays], pairs.item[stays], n_rows)
    return found, score[stays], np.flatnonzero(is_whole)


def _reaching_chunks(
    scores: np.ndarray, k: int, hidden: Pairs, slack: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a threshold for each row, and (row, chunk) of the chunks that reach it.

    The threshold is the k-th highest of the best of chunks without hidden items, so that
    at least k items reach it; -inf where there are fewer such chunks. Chunk j has each
    column j + i * n_chunks.
    """
    n_rows, n_items = scores.shape
    n_chunks = n_items // _CHUNK
    chunks = scores[:, : n_chunks * _CHUNK].reshape(n_rows, _CHUNK, n_chunks)
    highest = chunks.max(axis=1)
    visible = highest.copy()
    is_in_chunk = hidden.item < n_chunks * _CHUNK
    visible[hidden.row[is_in_chunk], hidden.item[is_in_chunk] % n_chunks] = -np.inf
    visible.partition(n_chunks - k, axis=1)
    threshold = visible[:, n_chunks - k]
    if slack is not None:
        lower = (threshold - slack).astype(scores.dtype)
        threshold = np.nextafter(lower, -np.inf, dtype=scores.dtype)
    return threshold, *np.divmod(
        np.flatnonzero(highest >= threshold[:, None]), max(n_chunks, 1)
    )


def _reaching_pairs(
    scores: np.ndarray, threshold: np.ndarray, chunk_row: np.ndarray, chunk: np.ndarray
) -> tuple[Pairs, np.ndarray]:
    """Return the pairs of these chunks that reach the threshold, and their scores."""
    n_rows, n_items = scores.shape
    n_chunks = n_items // _CHUNK
    item = chunk[:, None] + np.arange(_CHUNK) * n_chunks
    inside = scores[chunk_row[:, None], item]
    place, column = np.nonzero(inside >= threshold[chunk_row, None])
    rest = scores[:, n_chunks * _CHUNK :]
    rest_row, rest_column = np.nonzero(rest >= threshold[:, None])
    row = np.append(chunk_row[place], rest_row)
    items = np.append(item[place, column], rest_column + n_chunks * _CHUNK)
    score = np.append(inside[place, column], rest[rest_row, rest_column])
    return Pairs(row, items, n_rows), score


def _top_k_of_copy(
    scores: np.ndarray, k: int, order: PopularityOrder, hidden: Pairs
) -> tuple[np.ndarray, np.ndarray]:
    scores = scores.copy()
    scores[hidden.row, hidden.item] = -np.inf
    if order.holds_all:
        return top_k(scores, k, order.place)
    allowed = order.allowed
    columns, best = top_k(scores[:, allowed], k, order.place[allowed])
    return allowed[columns], best


def top_k(
    scores: np.ndarray, k: int, tie_rank: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return (columns, scores) of the k best entries of each row, best first.

    Of equal scores the column with the smaller `tie_rank` comes first, also where the
    tie straddles the cut.
    """
    columns = _unordered_top_k(scores, k, tie_rank)
    best = np.take_along_axis(scores, columns, axis=1)
    order = np.lexsort((tie_rank[columns], -best))
    return (
        np.take_along_axis(columns, order, axis=1),
        np.take_along_axis(best, order, axis=1),
    )


def _unordered_top_k(scores: np.ndarray, k: int, tie_rank: np.ndarray) -> np.ndarray:
    n_rows, n_columns = scores.shape
    if k == n_columns:
        return np.broadcast_to(np.arange(n_columns), (n_rows, n_columns))
    columns = np.argpartition(scores, n_columns - k, axis=1)[:, n_columns - k :]
    threshold = np.take_along_axis(scores, columns[:, :1], axis=1)  # the k-th best
    tie_straddles_cut = np.count_nonzero(scores >= threshold, axis=1) > k
    if tie_straddles_cut.any():
        columns[tie_straddles_cut] = _first_of_ties(
            scores[tie_straddles_cut], threshold[tie_straddles_cut], k, tie_rank
        )
    return columns


def _first_of_ties(
    scores: np.ndarray, threshold: np.ndarray, k: int, tie_rank: np.ndarray
) -> np.ndarray:
    by_rank = np.argsort(tie_rank)
    scores = scores[:, by_rank]
    above = scores > threshold
    tied = scores == threshold
    vacant = k - np.count_nonzero(above, axis=1, keepdims=True)
    taken = above | (tied & (np.cumsum(tied, axis=1, dtype=np.intp) <= vacant))
    return by_rank[np.nonzero(taken)[1].reshape(len(scores), k)]
