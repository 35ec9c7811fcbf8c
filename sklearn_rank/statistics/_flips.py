"""Sums under random or all changes of sign, in little memory.

Eight clusters have 256 patterns of signs, whose sums are a table; the sum of a draw is read
from the tables of its bytes. That is an eighth of the additions of a matrix product, and no
signs are stored.
"""

from collections.abc import Iterator

import numpy as np

FLIPS_AT_ONCE = 4096
BYTES_AT_ONCE = 256
# The eight signs of each byte, its lowest bit first.
SIGNS = 1.0 - 2.0 * np.unpackbits(
    np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little"
)


def are_few(n_clusters: int, n_resamples: int) -> bool:
    """Return whether all patterns of signs are no more than what would be drawn."""
    return n_clusters < 62 and 2**n_clusters <= n_resamples + 1


def flipped_sums(
    columns: np.ndarray, n_resamples: int, random_state: np.random.RandomState
) -> Iterator[np.ndarray]:
    """Yield the sums of columns whose rows change their sign together, some at a time.

    All patterns if there are few of them, else `n_resamples` random ones.
    """
    n_rows, n_columns = columns.shape
    n_bytes = -(-n_rows // 8)
    padded = np.zeros((n_bytes, 8, n_columns))
    padded.reshape(-1, n_columns)[:n_rows] = columns
    is_exact = are_few(n_rows, n_resamples)
    n_flips = 2**n_rows if is_exact else n_resamples
    for start in range(0, n_flips, FLIPS_AT_ONCE):
        n_now = min(FLIPS_AT_ONCE, n_flips - start)
        total = np.zeros((n_now, n_columns))
        part = np.empty_like(total)
        for first in range(0, n_bytes, BYTES_AT_ONCE):
            tables = SIGNS @ padded[first : first + BYTES_AT_ONCE]
            if is_exact:
                patterns = _all_patterns(start, n_now, n_bytes)
            else:
                patterns = _drawn(random_state, len(tables), n_now)
            for table, pattern in zip(tables, patterns, strict=True):
                np.take(table, pattern, axis=0, out=part, mode="clip")
                total += part
        yield total


def _all_patterns(start: int, n_flips: int, n_bytes: int) -> np.ndarray:
    """Return the bytes of the numbers from `start` on, the lowest byte first."""
    numbers = np.arange(start, start + n_flips)
    return (numbers >> (8 * np.arange(n_bytes)[:, None])) & 255


def _drawn(random_state: np.random.RandomState, n_bytes: int, n_flips: int) -> np.ndarray:
    drawn = np.frombuffer(random_state.bytes(n_bytes * n_flips), dtype=np.uint8)
    return drawn.reshape(n_bytes, n_flips)
