"""Fixed-width strings read as integers, which NumPy compares and sorts much faster."""

import numpy as np

from sklearn_rank._arrays._blocks import STRING_BYTES, STRING_COMPARISONS


def differ_from_above(vector: np.ndarray) -> np.ndarray:
    """Return whether each string differs from the one above it; the first does."""
    n_rows, contiguous = len(vector), _contiguous(vector)
    width = contiguous.dtype.itemsize
    word = next(size for size in (8, 4, 2, 1) if width % size == 0)
    words = contiguous.view(f"u{word}").reshape(n_rows, width // word)
    block = 8 * min(STRING_COMPARISONS // words.shape[1] // 8 + 1, n_rows // 8 + 1)
    unequal = np.zeros((block, words.shape[1]), dtype=bool)
    differ = np.ones(n_rows, dtype=bool)
    for start in range(1, n_rows, block):
        part = words[start - 1 : start + block]
        np.not_equal(part[1:], part[:-1], out=unequal[: len(part) - 1])
        unequal[len(part) - 1 :] = False
        _any_of_row(unequal, out=differ[start : start + block])
    return differ


def _any_of_row(flags: np.ndarray, out: np.ndarray) -> None:
    """Write whether any flag of a row is set; rows are a multiple of eight."""
    eights = flags.reshape(-1, 8)
    hits = np.flatnonzero(eights.view(np.uint64) != 0)
    if 8 * len(hits) < len(eights):
        # Strings that lie in runs differ in few places: look at these only.
        places = (8 * hits[:, np.newaxis] + np.arange(8))[eights[hits]]
        out[:] = False
        out[places // flags.shape[1]] = True
    else:
        out[:] = False
        for column in flags[: len(out)].T:
            out |= column


def integer_columns(vector: np.ndarray) -> list[np.ndarray]:
    """Return unsigned integers that are equal, and in order, where the strings are.

    Row i of the columns is string i; the leading column decides the order first.
    There are no columns if all strings are equal.
    """
    if len(vector) == 0:
        return []
    size = 1 if vector.dtype.kind == "S" else 4
    of_character = np.dtype(f"u{size}").newbyteorder(vector.dtype.byteorder)
    characters = _contiguous(vector).view(of_character).reshape(len(vector), -1)
    # NumPy gives each character four bytes; most need one.
    narrow = (_pack(characters, n_bytes) for n_bytes in (1, 2, 4) if n_bytes <= size)
    return _join(next(columns for columns in narrow if columns is not None))


def _contiguous(vector: np.ndarray) -> np.ndarray:
    """Return strings that lie side by side in memory and have a width."""
    dtype = vector.dtype if vector.dtype.itemsize else f"{vector.dtype.kind}1"
    return np.ascontiguousarray(vector, dtype=dtype)


def _pack(characters: np.ndarray, n_bytes: int) -> np.ndarray | None:
    """Return columns of characters of `n_bytes` each side by side; None: they need more."""
    n_rows, width = characters.shape
    word = 4 if width * n_bytes <= 12 else 8
    n_columns = -(-width * n_bytes // word)
    columns = np.empty((n_columns, n_rows), dtype=f"u{word}")
    block = min(max(STRING_BYTES // characters[0].nbytes, 1), n_rows)
    # The first of the characters in a word is the highest of its bytes.
    packed = np.zeros((block, n_columns * word // n_bytes), dtype=f">u{n_bytes}")
    words = packed.view(f">u{word}")
    for start in range(0, n_rows, block):
        part = characters[start : start + block]
        if int(np.bitwise_or.reduce(part.reshape(-1))) >> 8 * n_bytes:
            return None
        packed[: len(part), -width:] = part
        for column, values in zip(columns, words.T, strict=True):
            column[start : start + block] = values[: len(part)]
    return columns


def _join(columns: np.ndarray) -> list[np.ndarray]:
    """Return the columns less their lowest values, as many side by side as have room.

    Unlike the fields of packed keys, their widths are found one by one, and what does not
    fit goes into one more column.
    """
    joined: list[np.ndarray] = []
    free = 0
    for column in columns:
        lowest = column.min()
        bits = int(column.max() - lowest).bit_length()
        if bits == 0:
            continue  # labels often have one beginning
        values = column.astype(np.uint64)
        values -= np.uint64(lowest)
        if bits <= free:
            joined[-1] <<= np.uint64(bits)
            joined[-1] |= values
            free -= bits
        else:
            joined.append(values)
            free = 64 - bits
    return joined
