"""Runs: rows that lie together, such as those of a query, a user or a block of ties."""

from collections.abc import Iterator

import numpy as np

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
