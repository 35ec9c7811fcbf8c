"""Number the distinct rows of integers, and of strings that are read as integers."""

from collections.abc import Iterator

import numpy as np

from sklearn_rank._base._runs import CHUNK_VALUES, STRING_BYTES, begins_run

# Number the distinct rows of integers; only one of each is sorted.
#
# A hash gives each row a slot of a table, and the slot keeps one of its rows. The hash is
# never trusted: each row is compared with the row in its slot, which is in the cache if
# distinct rows are few. All rows that differ go into another table.

# Fewer rows are sorted at once, and so are rows left after this many tables.
_FEW_ROWS = 2**12
_MOST_TABLES = 4
# A larger table than this costs more than the rows that share a slot of this one.
_MOST_SLOT_BITS = 18
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio, odd (Knuth)


def codes_of_rows(columns: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return (chosen, codes): one row of each distinct one, in order, and their indices.

    `columns` hold unsigned integers of 64 bits; the leading one decides the order first.
    Row i equals row chosen[codes[i]].
    """
    if _seem_distinct(columns):
        return _codes_by_sorting(columns)
    alike = _find_representatives(columns)
    n_rows = len(alike)
    first = np.flatnonzero(alike == np.arange(n_rows))
    chosen = first[_order_rows([column[first] for column in columns])]
    code = np.empty(n_rows, dtype=np.intp)
    code[chosen] = np.arange(len(chosen))
    return chosen, code[alike]


def find_rows(
    known: list[np.ndarray], sought: list[np.ndarray], attempt: int = 0
) -> np.ndarray:
    """Return the index of each row among distinct known rows; -1 if not found."""
    n_known = len(known[0])
    if n_known == 0 or len(sought[0]) == 0:
        return np.full(len(sought[0]), -1)
    if attempt == _MOST_TABLES:
        both = [np.concatenate(columns) for columns in zip(known, sought, strict=True)]
        chosen, codes = _codes_by_sorting(both)
        position = np.full(len(chosen), -1)
        position[codes[:n_known]] = np.arange(n_known)
        return position[codes[n_known:]]
    bits = n_known.bit_length() + 2
    kept = np.zeros(1 << bits, dtype=np.intp)
    slots = slots_of_rows(known, bits, attempt)
    kept[slots] = np.arange(n_known)
    rows = kept[slots_of_rows(sought, bits, attempt)]
    differs = np.zeros(len(rows), dtype=bool)
    for column, values in zip(known, sought, strict=True):
        differs |= column[rows] != values
    # A row that differs from the one in its slot may have lost its slot.
    unmatched = np.flatnonzero(differs)
    lost = np.flatnonzero(kept[slots] != np.arange(n_known))
    left = find_rows(
        [column[lost] for column in known],
        [column[unmatched] for column in sought],
        attempt + 1,
    )
    rows[unmatched] = np.append(lost, -1)[left]
    return rows


def _chunks(n_rows: int) -> Iterator[slice]:
    for start in range(0, n_rows, CHUNK_VALUES):
        yield slice(start, min(start + CHUNK_VALUES, n_rows))


def _seem_distinct(columns: list[np.ndarray]) -> bool:
    """Guess from a sample whether sorting all rows is faster than a hash.

    It is if more than half of the rows are distinct: of s rows drawn from d distinct ones,
    about s**2 / (2 * d) repeat another.
    """
    n_rows = len(columns[0])
    if n_rows <= _FEW_ROWS:
        return True
    step = max(16, n_rows >> 14)
    drawn = slots_of_rows([column[::step] for column in columns], bits=63)
    drawn.sort()
    repeats = np.count_nonzero(drawn[1:] == drawn[:-1])
    return bool(repeats * n_rows < len(drawn) ** 2)


def _find_representatives(columns: list[np.ndarray], attempt: int = 0) -> np.ndarray:
    """Return for each row the representative of its equals."""
    n_rows = len(columns[0])
    if n_rows <= _FEW_ROWS or attempt == _MOST_TABLES:
        chosen, codes = _codes_by_sorting(columns)
        return chosen[codes]
    bits = min(n_rows.bit_length(), _MOST_SLOT_BITS)
    kept = np.empty(1 << bits, dtype=np.intp)
    alike = np.empty(n_rows, dtype=np.intp)  # at first the slot of each row
    for rows in _chunks(n_rows):
        slots = slots_of_rows([column[rows] for column in columns], bits, attempt)
        kept[slots] = np.arange(rows.start, rows.stop)
        alike[rows] = slots
    differs = np.zeros(n_rows, dtype=bool)
    for rows in _chunks(n_rows):
        representatives = kept[alike[rows]]
        alike[rows] = representatives
        for column in columns:
            differs[rows] |= column[representatives] != column[rows]
    # Equal rows share a slot: either all of them or none differ from its row.
    different = np.flatnonzero(differs)
    if len(different):
        left = [column[different] for column in columns]
        alike[different] = different[_find_representatives(left, attempt + 1)]
    return alike


def slots_of_rows(columns: list[np.ndarray], bits: int, attempt: int = 0) -> np.ndarray:
    """Return the leading bits of a hash of each row, of another hash at each attempt."""
    leading, *next_columns = columns
    hashed = leading * _MULTIPLIER
    for column in next_columns + columns * attempt:
        hashed ^= hashed >> np.uint64(32)  # else high bits would never reach low ones
        hashed += column
        hashed *= _MULTIPLIER
    hashed >>= np.uint64(64 - bits)
    return hashed.view(np.intp)


def _codes_by_sorting(columns: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    order = _order_rows(columns)
    begins = begins_run(*(column[order] for column in columns))
    codes = np.empty(len(order), dtype=np.intp)
    codes[order] = np.cumsum(begins) - 1
    return order[begins], codes


def _order_rows(columns: list[np.ndarray]) -> np.ndarray:
    """Return an order that sorts the rows by their columns."""
    order = np.argsort(columns[0])
    if len(columns) > 1:
        leading = columns[0][order]
        is_tied = np.zeros(len(order), dtype=bool)
        is_tied[1:] = leading[1:] == leading[:-1]
        is_tied[:-1] |= is_tied[1:]
        tied = np.flatnonzero(is_tied)
        rows = order[tied]
        # Sorting by the leading column too leaves each run of ties in its place.
        order[tied] = rows[np.lexsort([column[rows] for column in columns[::-1]])]
    return order


# Fixed-width strings read as integers, which NumPy compares and sorts much faster.


def differ_from_above(vector: np.ndarray) -> np.ndarray:
    """Return whether each string differs from the one above it; the first does.

    NumPy compares words of 64 bits, or fewer, faster than strings.
    """
    differs = np.zeros(len(vector), dtype=bool)
    differs[:1] = True
    contiguous = _as_contiguous(vector)
    width = contiguous.itemsize
    words = contiguous.view(next(f"u{n}" for n in (8, 4, 2, 1) if width % n == 0))
    n_words = width // words.itemsize
    n_rows = STRING_BYTES // width + 1
    for first in range(0, len(vector) - 1, n_rows):
        part = words[first * n_words : (first + n_rows + 1) * n_words]
        changes = np.flatnonzero(part[n_words:] != part[:-n_words])
        differs[first + 1 + changes // n_words] = True
    return differs


def _as_contiguous(vector: np.ndarray) -> np.ndarray:
    """Return strings that lie side by side in memory and have a width."""
    dtype = vector.dtype if vector.dtype.itemsize else f"{vector.dtype.kind}1"
    return np.ascontiguousarray(vector, dtype=dtype)


def integer_columns(vector: np.ndarray) -> list[np.ndarray]:
    """Return unsigned integers that are equal, and in order, where the strings are.

    Row i of the columns is string i; the leading column decides the order first.
    There are no columns if all strings are equal.
    """
    if len(vector) == 0:
        return []
    size = 1 if vector.dtype.kind == "S" else 4
    of_character = np.dtype(f"u{size}").newbyteorder(vector.dtype.byteorder)
    characters = _as_contiguous(vector).view(of_character).reshape(len(vector), -1)
    # NumPy gives each character four bytes; most need one.
    narrow = (
        _pack_characters(characters, n_bytes) for n_bytes in (1, 2, 4) if n_bytes <= size
    )
    return _join_columns(next(columns for columns in narrow if columns is not None))


def _pack_characters(characters: np.ndarray, n_bytes: int) -> np.ndarray | None:
    """Return columns of characters of `n_bytes` each; None if they need more."""
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


def _join_columns(columns: np.ndarray) -> list[np.ndarray]:
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
