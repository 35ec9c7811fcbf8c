"""Runs: rows that lie together, such as those of a query, a user or a block of ties."""

from collections.abc import Iterator

import numpy as np

__all__ = ["cut_runs", "ranges", "sizes_of", "starts_of"]


def starts_of(sizes: np.ndarray) -> np.ndarray:
    """Return where runs of these sizes begin, and where the last ends."""
    starts = np.zeros(len(sizes) + 1, dtype=np.intp)
    np.cumsum(sizes, out=starts[1:])
    return starts


def sizes_of(starts: np.ndarray) -> np.ndarray:
    """Return the sizes of runs from where they begin and the last ends."""
    return starts[1:] - starts[:-1]  # np.diff takes longer for short arrays


def ranges(start: np.ndarray | int, size: np.ndarray) -> np.ndarray:
    """Return start, start + 1, ... for each run, as many as its size."""
    rows = np.repeat(start - (np.cumsum(size) - size), size)
    rows += np.arange(len(rows))
    return rows


def cut_runs(starts: np.ndarray, most: int) -> Iterator[tuple[int, int]]:
    """Yield (first, last) of runs first, ..., last - 1 with at most `most` rows together.

    A longer run stands alone. No more than `most` runs, for they may be empty.
    """
    n_runs, first = len(starts) - 1, 0
    while first < n_runs:
        last = int(starts.searchsorted(starts[first] + most, side="right")) - 1
        last = min(max(last, first + 1), first + most)
        yield first, last
        first = last
