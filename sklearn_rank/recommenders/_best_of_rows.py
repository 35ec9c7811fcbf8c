"""Select the best of each row: of a matrix, of pairs, of stored values."""

import numpy as np

from sklearn_rank._arrays._floors import floors
from sklearn_rank._arrays._runs import ragged_rows, sizes_of
from sklearn_rank.recommenders._most_popular import PopularityOrder
from sklearn_rank.recommenders._pairs import Pairs

# How many values share a maximum, in a matrix and among stored values: powers of 2.
DENSE_CHUNK = 16
_STORED_CHUNK = 4


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
        columns[tie_straddles_cut] = _first_of_ties(
            scores[tie_straddles_cut],
            threshold[tie_straddles_cut],
            k,
            tie_rank[tie_straddles_cut],
        )
    best, ranks = (np.take_along_axis(one, columns, axis=1) for one in (scores, tie_rank))
    order = np.lexsort((ranks, -best))
    return (
        np.take_along_axis(columns, order, axis=1),
        np.take_along_axis(best, order, axis=1),
    )


def _first_of_ties(
    scores: np.ndarray, threshold: np.ndarray, k: int, tie_rank: np.ndarray
) -> np.ndarray:
    rank = np.where(scores == threshold, tie_rank, np.iinfo(np.intp).max)
    rank[scores > threshold] = -1
    return np.argpartition(rank, k - 1, axis=1)[:, :k]


def best_pairs(
    pairs: Pairs, score: np.ndarray, k: int, order: PopularityOrder
) -> tuple[np.ndarray, np.ndarray]:
    """Return (items, scores) of the k best pairs of each row, then -1 and -inf."""
    n_rows = pairs.n_rows
    items = np.full((n_rows, k), -1, dtype=np.intp)
    best = np.full((n_rows, k), -np.inf)
    if n_rows == 1:
        found = np.lexsort((order.place[pairs.item], -score))[:k]
        items[0, : len(found)], best[0, : len(found)] = pairs.item[found], score[found]
        return items, best
    by_row = np.argsort(pairs.row, kind="stable")  # fast if most rows are in order
    item, score = pairs.item[by_row], score[by_row]
    place = np.append(order.place, len(order.place))
    for rows, cells, inside in ragged_rows(pairs.n_of_row, least=k):
        of_cell = np.where(inside, item[cells], -1)
        some = np.where(inside, score[cells], -np.inf)
        columns, best[rows] = top_k(some, k, place[of_cell])
        items[rows] = np.take_along_axis(of_cell, columns, axis=1)
    return items, best


def reach_dense(
    values: np.ndarray, k: int, floor: float = -np.inf, slack: np.ndarray | float = 0.0
) -> Pairs:
    """Return the k highest values of each row above `floor`, and some lower ones.

    At least k values reach the bound of a row. Values below it by no more than `slack` are
    returned as well.
    """
    n_rows, n_columns = values.shape
    n_chunks = n_columns // DENSE_CHUNK
    bound = np.full(n_rows, floor, dtype=values.dtype)
    if n_chunks >= k:
        highest = floors(values, k, n_chunks)
        lower = np.nextafter(
            (highest - slack).astype(values.dtype), -np.inf, dtype=values.dtype
        )
        np.maximum(bound, lower, out=bound)
    place = np.flatnonzero(values > bound[:, None])
    return Pairs(*np.divmod(place, n_columns), n_rows)


def reach(
    values: np.ndarray, starts: np.ndarray, k: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return (row, place) of the k highest values of each row, and of some lower ones.

    The bound of a row is the k-th highest maximum of its chunks: at least k values reach
    it. This is faster than a partition of each row.
    """
    bound = _bounds(values, starts, k)
    place = np.flatnonzero(values >= bound.repeat(sizes_of(starts)))
    row = np.arange(len(bound)).repeat(sizes_of(place.searchsorted(starts)))
    return row, place


def _bounds(values: np.ndarray, starts: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return a bound that at least k values of each row reach, -inf for short rows."""
    highest = _best_of_chunks(values)
    first = -(-starts[:-1] // _STORED_CHUNK)  # chunks that lie in one row
    size = starts[1:] // _STORED_CHUNK - first
    bound = np.full(len(size), -np.inf, dtype=values.dtype)
    is_long = size >= k
    # Rows of similar size share a matrix.
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
    """Return the maximum of each chunk of adjacent values."""
    highest = values[: len(values) // _STORED_CHUNK * _STORED_CHUNK]
    while len(highest) > len(values) // _STORED_CHUNK:
        highest = np.maximum(highest[::2], highest[1::2])
    return highest
