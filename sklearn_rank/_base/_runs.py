"""Runs: rows that lie together, such as those of a query, a user or a tie group."""

from collections.abc import Iterator, Sequence

import numpy as np

# Sizes of chunks: the arrays of a chunk should stay in the processor's cache.
#
# A larger chunk leaves the cache, and each pass over it waits for the memory; a smaller one
# costs a call of each function more often. The best sizes are not sharp: half or twice as
# much costs a few percent. Work with several arrays has smaller chunks.

# Values that are read, compared or copied.
CHUNK_VALUES = 2**15
# Rows that are sorted together, unless one query has more.
SORTED_ROWS = 2**15
# Ranked rows that metrics work on, about.
RANKED_ROWS = 2**16
# Scores of long lists that are searched for the first ranks.
LIST_CELLS = 2**18
# Places of tied rows, unless one tie group has more.
TIED_PLACES = 2**13
# Entries of two sides that are matched, unless one user has more.
MATCHED_ENTRIES = 2**16
# Rows of Python objects whose ids are read.
CHUNK_OBJECTS = 128
# Bytes of strings that are turned around.
STRING_BYTES = 2**20
# Bytes of the scores of users for all items.
SCORE_BYTES = 2**23
# Chances of ranks in a sample for ranks in the catalogue.
CHUNK_CHANCES = 2**21
# Multiplications of a product of sparse matrices, unless one row has more.
CHUNK_PRODUCTS = 2**23


def rows_per_chunk(bytes_a_row: float) -> int:
    """Return the number of rows of a chunk of scores.

    A chunk is twice the size of the cache: products with few rows would read the factors
    of all items too often.
    """
    return max(1, int(2 * SCORE_BYTES // max(1, bytes_a_row)))


def row_chunks(n_rows: int, n_columns: int) -> list[slice]:
    """Return slices over the rows, of a few megabytes with `n_columns` scores per row."""
    size = max(1, SCORE_BYTES // max(1, 8 * n_columns))
    return [slice(start, start + size) for start in range(0, n_rows, size)]


# Bounds of the highest values of each row, without a sort or a partition.


def lower_bounds(values: np.ndarray, k: int, least: int) -> np.ndarray:
    """Return a value for each row that `k` of its values reach.

    Rows are folded in half, again and again, as long as `least` values are left, and the
    higher of two values is kept: that takes one reading. The k-th highest of these is no
    higher than the k-th highest of the row. `least` is k or more; with few values left the
    floor is low. An odd value at the end is left out, for a lower floor is not wrong.
    """
    while (half := values.shape[1] // 2) >= least:
        values = np.maximum(values[:, :half], values[:, half : 2 * half])
    position = values.shape[1] - k
    return np.partition(values, position, axis=1)[:, position]


# Packed keys: several numbers of a row in one integer, for one fast sort.
#
# NumPy sorts unsigned integers several times faster than it finds the order of rows. So
# each row gets a key, fields of a few bits side by side:
#
#     leading field | next field | last field
#
# Sorted keys are in order of the leading field, then of the next. The last field is often
# the number of the row.


def width_of(n_values: int) -> int:
    """Return how many bits hold 0, ..., n_values - 1."""
    return max(n_values - 1, 0).bit_length()


def empty_keys(n_rows: int, widths: Sequence[int]) -> np.ndarray:
    """Return room for keys with fields of these widths, 64 bits at most together."""
    # Keys of 32 bits sort faster.
    return np.empty(n_rows, np.uint32 if sum(widths) <= 32 else np.uint64)


def pack_keys(
    fields: Sequence[np.ndarray | None], widths: Sequence[int], out: np.ndarray
) -> np.ndarray:
    """Write keys of these fields, the leading one first; if None, all are 0.

    Keys are numbers, which may be added. So a field may be below 0 if another key makes up
    for it.
    """
    first = next(position for position, field in enumerate(fields) if field is not None)
    out[:] = fields[first]
    for field, width in zip(fields[first + 1 :], widths[first + 1 :], strict=True):
        out <<= out.dtype.type(width)
        if field is not None:
            out += _cast(field, out.dtype)
    return out


def last_field(keys: np.ndarray, width: int, out: np.ndarray | None = None) -> np.ndarray:
    """Return the last field of keys, as indices; `out` may be the keys."""
    field = np.bitwise_and(keys, keys.dtype.type((1 << width) - 1), out=out)
    return _cast(field, np.dtype(np.intp))


def leading_field(keys: np.ndarray, widths: Sequence[int]) -> np.ndarray:
    """Return the leading field of keys, as indices."""
    return _cast(keys >> keys.dtype.type(sum(widths[1:])), np.dtype(np.intp))


def repeats_but_last(keys: np.ndarray, width: int) -> np.ndarray:
    """Return which keys from the second on equal the previous except for the last field."""
    return (keys[1:] ^ keys[:-1]) <= keys.dtype.type((1 << width) - 1)


def order_by_codes(codes: Sequence[np.ndarray], n_codes: Sequence[int]) -> np.ndarray:
    """Return the stable order of rows by one or more codes, the leading one first.

    Code i is in range(n_codes[i]).
    """
    n_rows = len(codes[0])
    widths = [*map(width_of, n_codes), width_of(n_rows)]
    if sum(widths) > 64:
        return np.lexsort(codes[::-1])
    keys = pack_keys([*codes, np.arange(n_rows)], widths, empty_keys(n_rows, widths))
    keys.sort()
    return last_field(keys, widths[-1], out=keys)


def may_repeat(codes: Sequence[np.ndarray], n_codes: Sequence[int]) -> bool:
    """Return False only if no two rows have the same codes.

    Code i should be a whole number in range(n_codes[i]). Other codes, and those of 64 bits
    or more together, may give True for different rows.
    """
    widths = [*map(width_of, n_codes)]
    if sum(widths) >= 64:
        return True
    fields = [field.astype(np.intp, copy=False) for field in codes]
    keys = pack_keys(fields, widths, empty_keys(len(codes[0]), widths))
    if (keys[1:] > keys[:-1]).all():
        return False
    keys.sort()
    return bool((keys[1:] == keys[:-1]).any())


def _cast(field: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return integers as another type, without a copy where it has the same size."""
    is_same_size = field.dtype.itemsize == dtype.itemsize
    return field.view(dtype) if is_same_size else field.astype(dtype)


# Runs of this average length are worth a call each.
_LONG_RUN = 256
# Runs that fill at most this many cells go into one matrix.
_SMALL_MATRIX = 2**14


def starts_of(sizes: np.ndarray) -> np.ndarray:
    """Return where runs of these sizes begin, and where the last ends."""
    starts = np.zeros(len(sizes) + 1, dtype=np.intp)
    sizes.cumsum(out=starts[1:])
    return starts


def starts_where(begins: np.ndarray) -> np.ndarray:
    """Return where runs begin, given a mask of their first rows."""
    first = begins.nonzero()[0]
    starts = np.full(len(first) + 1, len(begins))
    starts[:-1] = first
    return starts


def begins_run(*columns: np.ndarray) -> np.ndarray:
    """Return which rows differ from the one above in some column; the first does."""
    differs = columns[0][1:] != columns[0][:-1]
    for column in columns[1:]:
        differs |= column[1:] != column[:-1]
    begins = np.ones(len(columns[0]), dtype=bool)
    begins[1:] = differs
    return begins


def run_starts(*columns: np.ndarray) -> np.ndarray:
    """Return where runs of equal rows begin, and where the last ends."""
    if len(columns[0]) == 0:
        return np.zeros(1, dtype=np.intp)
    differs = columns[0][1:] != columns[0][:-1]
    for column in columns[1:]:
        differs |= column[1:] != column[:-1]
    return np.concatenate(([0], differs.nonzero()[0] + 1, [len(columns[0])]))


def sizes_of(starts: np.ndarray) -> np.ndarray:
    """Return the sizes of runs from where they begin and the last ends."""
    return starts[1:] - starts[:-1]  # np.diff is slower for short arrays


def ranges(start: np.ndarray | int, size: np.ndarray) -> np.ndarray:
    """Return start, start + 1, ... for each run, as many as its size."""
    rows = np.repeat(start - starts_of(size)[:-1], size)
    rows += np.arange(len(rows))
    return rows


def cut_runs(starts: np.ndarray, most: int) -> Iterator[tuple[int, int]]:
    """Yield (first, last) of runs first, ..., last - 1 with at most `most` rows together.

    A longer run is alone. At most `most` runs, since runs may be empty.
    """
    n_runs, first = len(starts) - 1, 0
    while first < n_runs:
        last = int(starts.searchsorted(starts[first] + most, side="right")) - 1
        last = min(max(last, first + 1), first + most)
        yield first, last
        first = last


def accumulate_within(
    operation: np.ufunc, values: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    """Return running sums or products that restart in each run of values."""
    result = np.empty(len(values))
    if len(values) > _LONG_RUN * len(lengths):
        start = 0
        for stop in np.cumsum(lengths).tolist():
            operation.accumulate(values[start:stop], out=result[start:stop])
            start = stop
        return result
    for _, cells, inside in ragged_rows(lengths):
        running = operation.accumulate(values[cells], axis=1)
        result[cells[inside]] = running[inside]
    return result


def ragged_rows(
    lengths: np.ndarray, least: int = 1
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield (runs, cells, inside): runs of similar length as rows of a matrix.

    `cells` indexes the values of each run, clipped where `inside` is False; a matrix has
    `least` columns or more. Lengths of a matrix differ by less than a factor of two, unless
    they are below `least`, so all of them together stay linear; a small matrix holds all.
    """
    filled = np.flatnonzero(lengths > 0)
    starts, lengths = starts_of(lengths)[filled], lengths[filled]
    if len(lengths) == 0:
        return
    width = np.frexp(np.maximum(lengths, least).astype(float))[1]
    if len(lengths) * max(lengths.max(), least) <= _SMALL_MATRIX:
        width[:] = 0
    for exponent in np.unique(width):
        runs = np.flatnonzero(width == exponent)
        column = np.arange(max(lengths[runs].max(), least))
        inside = column < lengths[runs, None]
        cells = starts[runs, None] + np.minimum(column, lengths[runs, None] - 1)
        yield filled[runs], cells, inside
