"""The k best columns of each row, ties decided by a fixed order of the columns."""

import numpy as np

from sklearn_rank._blocks import SCORE_BYTES


def batches(n_rows: int, n_columns: int, itemsize: int = 8) -> list[slice]:
    """Return slices over the rows, each a few megabytes of `n_columns` scores a row."""
    size = max(1, SCORE_BYTES // max(1, n_columns * itemsize))
    return [slice(start, start + size) for start in range(0, n_rows, size)]


def rank_by_popularity(popularity: np.ndarray) -> np.ndarray:
    """Return the place of each column, the most popular first, for breaking ties."""
    rank = np.empty(len(popularity), dtype=np.intp)
    rank[np.argsort(-popularity, kind="stable")] = np.arange(len(popularity))
    return rank


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
