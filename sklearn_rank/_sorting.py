"""Sort rows within queries, exactly and as fast as NumPy sorts integers.

Only this module knows about keys. A row's key packs three things into 64 bits,

    query in the chunk | descending image of the score | row in the chunk

so one `np.sort` of integers, which NumPy vectorises, groups the rows and ranks them. It is
several times faster than an argsort of the scores, and a lexsort costs more still. Rows are
sorted in chunks of whole queries that stay in the processor's cache, which also bounds the
extra memory and makes 64 bits enough for any number of rows.

The image of a score is its float32 value, 32 bits wide. Rounding to float32 keeps the order
but can make different scores equal, so neighbours with one image are compared by their real
scores and, where these differ, put in order: nothing is approximate.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

__all__ = [
    "SortedChunk",
    "above_lowest",
    "group_integers",
    "order_by_code",
    "sort_within",
    "sorted_chunks",
]

# 2**13 rows need 13 bits for the row and at most 13 for the query, beside 32 of image.
_ROW_BITS = 13
_IMAGE_BITS = 32
# Queries of one length from which on a sort of each beats a sort of all.
_WORTH_A_SORT = 32
_ROWS = np.arange(1 << _ROW_BITS, dtype=np.uint64)


@dataclass(frozen=True, eq=False)
class SortedChunk:
    """Rows of some whole queries, by query and by descending score.

    `rows` are their places in the input, `query` the index of each one's query, and
    `repeats` tells whether a row has the score of the row before it in its query (None
    when none has).
    """

    rows: slice
    order: np.ndarray
    query: np.ndarray
    repeats: np.ndarray | None


def sorted_chunks(
    score_of: Callable[[slice], np.ndarray], starts: np.ndarray
) -> Iterator[SortedChunk]:
    """Sort rows that lie together by query; query i has rows starts[i]:starts[i + 1].

    `score_of` gives the scores of a slice of the rows.
    """
    for first, last in _chunks_of_queries(starts):
        rows = slice(int(starts[first]), int(starts[last]))
        yield _sort_chunk(score_of(rows), rows, np.diff(starts[first : last + 1]), first)


def sort_within(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the order of rows by query and by descending value."""
    if len(values) == 0 or values.min() == values.max():
        return np.arange(len(values))
    chunks = sorted_chunks(values.__getitem__, starts)
    return np.concatenate([chunk.order + chunk.rows.start for chunk in chunks])


def order_by_code(codes: np.ndarray, n_codes: int) -> np.ndarray:
    """Return the stable order of rows by a code in range(n_codes)."""
    n_rows = len(codes)
    row_bits = max(n_rows - 1, 1).bit_length()
    if row_bits + max(n_codes - 1, 1).bit_length() > 64:
        return np.argsort(codes, kind="stable")
    keys = codes.astype(np.uint64)
    keys <<= np.uint64(row_bits)
    keys |= np.arange(n_rows, dtype=np.uint64)
    keys.sort()
    keys &= np.uint64((1 << row_bits) - 1)
    return keys.view(np.intp)


def group_integers(values: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the stable order of rows by value and where each value begins in it.

    None where the range of the values is too large for both a table and a key.
    """
    lowest = values.min()
    span = int(values.max()) - int(lowest) + 1
    row_bits = max(len(values) - 1, 1).bit_length()
    if span <= 4 * len(values) and len(values) < 2**31:
        return _count_into_place(above_lowest(values), span)
    if row_bits + (span - 1).bit_length() > 64:
        return None
    codes = above_lowest(values)
    order = order_by_code(codes, span)
    codes = codes[order]
    return order, np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]])


def above_lowest(values: np.ndarray) -> np.ndarray:
    """Return integers less their minimum, which may not fit into their own type."""
    # What wraps around in unsigned arithmetic are the right differences.
    return values.astype(np.uint64) - np.uint64(int(values.min()) % 2**64)


def _count_into_place(codes: np.ndarray, n_codes: int) -> tuple[np.ndarray, np.ndarray]:
    """Sort by counting: SciPy's conversion of coordinates to rows is just that, in C."""
    rows = np.arange(len(codes), dtype=np.int32)
    cells = (codes.astype(np.int32), rows)
    table = sparse.coo_array((rows, cells), shape=(n_codes, len(codes))).tocsr()
    ends = table.indptr.astype(np.intp)
    return table.indices.astype(np.intp), ends[:-1][ends[1:] > ends[:-1]]


def _chunks_of_queries(starts: np.ndarray) -> Iterator[tuple[int, int]]:
    """Cut the queries into runs of at most 2**13 rows; a longer query stands alone."""
    n_queries, first = len(starts) - 1, 0
    while first < n_queries:
        limit = starts[first] + (1 << _ROW_BITS)
        last = int(np.searchsorted(starts, limit, side="right")) - 1
        last = min(max(last, first + 1), n_queries, first + (1 << _ROW_BITS))
        yield first, last
        first = last


def _sort_chunk(
    score: np.ndarray, rows: slice, sizes: np.ndarray, first: int
) -> SortedChunk:
    n_rows, n_queries = len(score), len(sizes)
    # A query that stands alone leaves all other bits to the row.
    row_bits = _ROW_BITS if n_queries > 1 else _IMAGE_BITS
    keys = _descending_image(score).astype(np.uint64)
    keys <<= np.uint64(row_bits)
    keys |= _ROWS[:n_rows] if n_rows <= len(_ROWS) else np.arange(n_rows, dtype=np.uint64)
    query = np.repeat(np.arange(n_queries), sizes)
    if n_queries > 1:
        keys |= query.view(np.uint64) << np.uint64(row_bits + _IMAGE_BITS)
    if sizes[0] >= _WORTH_A_SORT and (sizes == sizes[0]).all():
        keys.reshape(n_queries, -1).sort(axis=1)  # short sorts take fewer steps
    else:
        keys.sort()
    order = (keys & np.uint64((1 << row_bits) - 1)).view(np.intp)
    keys >>= np.uint64(row_bits)
    repeats = _compare_neighbours(score, keys, order)
    query += first
    return SortedChunk(rows, order, query, repeats)


def _descending_image(score: np.ndarray) -> np.ndarray:
    """Return 32-bit integers that are in order where the scores are in reverse order."""
    rounded = _round(score)
    rounded += np.float32(0)  # -0.0 and 0.0 are one score
    bits = rounded.view(np.int32)
    # Positive floats are in the order of their bits: flip all but the sign. Negative
    # floats are in reverse order already, and their sign bit puts them last.
    flip = bits >> 31
    np.invert(flip, out=flip)
    flip &= 0x7FFFFFFF
    bits ^= flip
    return bits.view(np.uint32)


def _round(score: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):  # beyond float32 is inf, which keeps the order
        return score.astype(np.float32)


def _compare_neighbours(
    score: np.ndarray, images: np.ndarray, order: np.ndarray
) -> np.ndarray | None:
    """Return which rows repeat the score above, after mending `order` in place."""
    same_image = images[1:] == images[:-1]
    if not same_image.any():
        return None
    if score.dtype.kind == "f" and (score == _round(score)).all():
        # Scores that lose nothing in float32: their images tell all there is.
        return np.r_[False, same_image]
    below = np.flatnonzero(same_image) + 1
    equal = score[order[below]] == score[order[below - 1]]
    if not equal.all():
        _sort_runs(score, order, below)
        equal = score[order[below]] == score[order[below - 1]]
        if not equal.any():
            return None
    repeats = np.zeros(len(order), dtype=bool)
    repeats[below[equal]] = True
    return repeats


def _sort_runs(score: np.ndarray, order: np.ndarray, below: np.ndarray) -> None:
    """Sort, in place, each run of rows that share an image by their real scores."""
    places = np.union1d(below, below - 1)
    run = np.cumsum(~np.isin(places, below, assume_unique=True))
    rows = order[places]
    # Integers as stand-ins: they can be negated, whatever the type of the scores.
    rank = np.unique(score[rows], return_inverse=True)[1]
    order[places] = rows[np.lexsort((rows, -rank, run))]
