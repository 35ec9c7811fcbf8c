"""Packed keys: several numbers of a row in one integer, for one fast sort.

NumPy sorts unsigned integers several times faster than it finds the order of rows. So each
row gets a key, fields of a few bits side by side:

    leading field | next field | last field

Sorted keys are in order of the leading field, then of the next. The last field is often the
number of the row.
"""

from collections.abc import Sequence

import numpy as np


def width_of(n_values: int) -> int:
    """Return how many bits hold 0, ..., n_values - 1."""
    return max(n_values - 1, 0).bit_length()


def empty_keys(n_rows: int, widths: Sequence[int]) -> np.ndarray:
    """Return room for keys with fields of these widths, 64 bits at most together."""
    # Keys of 32 bits sort faster.
    return np.empty(n_rows, np.uint32 if sum(widths) <= 32 else np.uint64)


def pack(
    fields: Sequence[np.ndarray | None], widths: Sequence[int], out: np.ndarray
) -> np.ndarray:
    """Write keys of these fields, the leading one first; None: all are 0.

    Keys are numbers, which may be added. So a field may be below 0 if another key makes up
    for it.
    """
    first = next(place for place, field in enumerate(fields) if field is not None)
    out[:] = fields[first]
    for field, width in zip(fields[first + 1 :], widths[first + 1 :], strict=True):
        out <<= out.dtype.type(width)
        if field is not None:
            out += _of_type(field, out.dtype)
    return out


def last_field(keys: np.ndarray, width: int, out: np.ndarray | None = None) -> np.ndarray:
    """Return the last field of keys, as indices; `out` may be the keys."""
    field = np.bitwise_and(keys, keys.dtype.type((1 << width) - 1), out=out)
    return _of_type(field, np.dtype(np.intp))


def leading_field(keys: np.ndarray, widths: Sequence[int]) -> np.ndarray:
    """Return the leading field of keys, as indices."""
    return _of_type(keys >> keys.dtype.type(sum(widths[1:])), np.dtype(np.intp))


def without_last(keys: np.ndarray, width: int, out: np.ndarray | None = None) -> np.ndarray:
    """Return the keys with the last field 0."""
    return np.bitwise_and(keys, ~keys.dtype.type((1 << width) - 1), out=out)


def repeats_but_last(keys: np.ndarray, width: int) -> np.ndarray:
    """Return which keys from the second on equal the previous but for the last field."""
    return (keys[1:] ^ keys[:-1]) <= keys.dtype.type((1 << width) - 1)


def order_by_codes(codes: Sequence[np.ndarray], n_codes: Sequence[int]) -> np.ndarray:
    """Return the stable order of rows by one or more codes, the leading one first.

    Code i is in range(n_codes[i]).
    """
    n_rows = len(codes[0])
    widths = [*map(width_of, n_codes), width_of(n_rows)]
    if sum(widths) > 64:
        return np.lexsort(codes[::-1])
    keys = pack([*codes, np.arange(n_rows)], widths, empty_keys(n_rows, widths))
    keys.sort()
    return last_field(keys, widths[-1], out=keys)


def _of_type(field: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return integers as another type, without a copy where it has the same size."""
    is_same_size = field.dtype.itemsize == dtype.itemsize
    return field.view(dtype) if is_same_size else field.astype(dtype)
