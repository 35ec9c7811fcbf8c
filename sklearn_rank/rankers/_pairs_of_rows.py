"""Pairs of rows of one query and different grades."""

import numpy as np
from scipy import sparse

from sklearn_rank._arrays._runs import begins_run, ranges, starts_of
from sklearn_rank._surroundings._memory import require_memory

# A pair's two rows, its sign, and two entries with their columns.
_BYTES_A_PAIR = 56


def sample_pairs(
    y: np.ndarray, query: np.ndarray, max_pairs: int | None, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return rows (better, worse): all pairs of a query, or `max_pairs` drawn from them.

    Pairs are numbered, and numbers are drawn, so that a query of many rows never has all
    its pairs in memory.
    """
    order = np.lexsort((y, query))
    n_worse, first = _count_worse(y[order], query[order])
    # Row i of this order is the better one in the pairs ends[i] - n_worse[i]:ends[i].
    ends = np.cumsum(n_worse)
    pairs = _draw(np.bincount(query[order], n_worse), max_pairs, rng)
    better = np.searchsorted(ends, pairs, side="right")
    worse = first[better] + pairs - (ends - n_worse)[better]
    return order[better], order[worse]


def difference_operator(
    better: np.ndarray, worse: np.ndarray, n_rows: int
) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Return (D, sign): D @ X has the differences, every second one turned around.

    A sparse product makes them without copies of both sides. A classifier needs two
    classes, so half of the pairs say that the second row is worse than the first.
    """
    if len(better) == 1:
        better, worse = np.r_[better, worse], np.r_[worse, better]
        sign = np.array([1, -1])
        entries = np.tile([1.0, -1.0], 2)
    else:
        sign = np.where(np.arange(len(better)) % 2 == 0, 1, -1)
        entries = np.column_stack((sign, -sign)).ravel().astype(np.float64)
    columns = np.column_stack((better, worse)).ravel()
    starts = np.arange(0, 2 * len(sign) + 1, 2)
    return sparse.csr_matrix((entries, columns, starts), (len(sign), n_rows)), sign


def _count_worse(y: np.ndarray, query: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of worse rows of each row, and the first row of its query."""
    rows = np.arange(len(y))
    new_query, new_grade = begins_run(query), begins_run(query, y)
    first = np.maximum.accumulate(np.where(new_query, rows, 0))
    return np.maximum.accumulate(np.where(new_grade, rows, 0)) - first, first


def _draw(
    n_pairs: np.ndarray, max_pairs: int | None, rng: np.random.Generator
) -> np.ndarray:
    """Return numbers of pairs, given how many each query has."""
    n_pairs = n_pairs.astype(np.int64)
    starts = starts_of(n_pairs)[:-1]
    kept = n_pairs if max_pairs is None else np.minimum(n_pairs, max_pairs)
    n_drawn = int(kept.sum())
    require_memory(
        _BYTES_A_PAIR * n_drawn,
        f"Learning from {n_drawn:,} pairs",
        "Set or lower `max_pairs_per_query`.",
    )
    numbers = ranges(starts, kept)
    ends = np.cumsum(kept)
    for query in np.flatnonzero(kept < n_pairs):
        # Its memory grows with the pairs drawn, unlike that of RandomState.choice.
        drawn = rng.choice(n_pairs[query], kept[query], replace=False, shuffle=False)
        numbers[ends[query] - kept[query] : ends[query]] = starts[query] + np.sort(drawn)
    return numbers
