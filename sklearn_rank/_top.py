"""The first ranks of long lists of one length, found without sorting the rest."""

import numpy as np

from sklearn_rank._rows import Rows

__all__ = ["graded_rows_at_top", "has_long_lists"]

# Lists this many times as long as what is asked of them are not worth sorting.
_LONG = 16

# Rows that are partitioned at once: they stay in the processor's cache.
_CHUNK = 2**16


def has_long_lists(n_rows: np.ndarray, depth: int) -> bool:
    """Return whether lists have one length, and much more than `depth`."""
    return bool(n_rows[0] > _LONG * depth and (n_rows == n_rows[0]).all())


def graded_rows_at_top(
    rows: Rows, starts: np.ndarray, depth: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return query, grade, row, rows above and rows tied of each graded row.

    Rows below the first `depth` ranks have `depth` rows above, which is to say: at least.
    """
    length = int(starts[1] - starts[0])
    step = max(_CHUNK // length, 1)
    parts = []
    for first in range(0, len(starts) - 1, step):
        last = min(first + step, len(starts) - 1)
        chunk = slice(int(starts[first]), int(starts[last]))
        cells, grades = rows.graded_of(chunk)
        scores = rows.scores_of(chunk).reshape(last - first, length)
        above, tied = _count_above(scores, cells, depth)
        query = cells // length
        order = np.argsort(query * (depth + 1) + above, kind="stable")
        found = (query + first, grades, cells + chunk.start, above, tied)
        parts.append([values[order] for values in found])
    query, grade, row, above, tied = map(np.concatenate, zip(*parts, strict=True))
    return query, grade, row, above, tied


def _count_above(
    scores: np.ndarray, cells: np.ndarray, depth: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return how many scores of its list each cell has above it, and tied with it."""
    length = scores.shape[1]
    top = np.partition(scores, length - depth, axis=1)[:, length - depth :]
    lowest = top[:, 0]
    query, score = cells // length, scores.ravel()[cells]
    above, tied = np.full(len(cells), depth), np.ones(len(cells), dtype=np.intp)
    near = np.flatnonzero(score >= lowest[query])
    above[near] = (top[query[near]] > score[near, None]).sum(axis=1)
    tied[near] = (top[query[near]] == score[near, None]).sum(axis=1)
    # The lowest score of the first ranks may go on below them.
    last = near[score[near] == lowest[query[near]]]
    lists, of_list = np.unique(query[last], return_inverse=True)
    tied[last] = (scores[lists] == lowest[lists, None]).sum(axis=1)[of_list]
    return above, tied
