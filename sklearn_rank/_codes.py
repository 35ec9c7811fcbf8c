"""Integer codes for distinct values: one way for each kind of label, none of them slow."""

import sys
from collections import defaultdict
from itertools import count
from typing import Any

import numpy as np

from sklearn_rank._sorting import above_lowest, order_by_code
from sklearn_rank._validation import check_missing

__all__ = ["begins_run", "codes_of", "is_missing"]

# Strings that are compared at once: their bytes stay in the processor's cache.
_BLOCK = 4096


def begins_run(vector: np.ndarray) -> np.ndarray:
    """Return whether each row differs from the row above it; the first does."""
    begins = np.ones(len(vector), dtype=bool)
    if vector.dtype.kind in "US":
        _compare_strings(vector, begins)
    elif vector.dtype.kind != "O":
        begins[1:] = vector[1:] != vector[:-1]
    else:
        try:
            begins[1:] = vector[1:] != vector[:-1]
        except (TypeError, ValueError):
            # Comparing pandas.NA gives no truth value: take each row as a run of its own.
            begins[1:] = True
    return begins


def _compare_strings(vector: np.ndarray, begins: np.ndarray) -> None:
    """Write into `begins` whether each string differs from the one above."""
    words = _words(vector)
    begins[1:] = False
    for start in range(1, len(vector), _BLOCK):
        block = words[start - 1 : start + _BLOCK]
        differs = np.flatnonzero(block[1:] != block[:-1])
        begins[start + differs // words.shape[1]] = True


def codes_of(
    vector: np.ndarray, *, name: str, whole: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return (labels, codes): the distinct values in order, and the index of each row.

    `vector` holds one value of each run of `whole`, which errors count the rows of.
    """
    kind = vector.dtype.kind
    if kind == "O":
        return _codes_of_objects(vector, name=name, whole=whole)
    if kind in "iu":
        return _codes_of_integers(vector)
    if kind in "US":
        return _codes_of_strings(vector)
    if kind in "fcMm" and _is_missing_in(vector).any():
        check_missing(name, _is_missing_in(whole))
    return np.unique(vector, return_inverse=True)


def _is_missing_in(vector: np.ndarray) -> np.ndarray:
    return np.isnan(vector) if vector.dtype.kind in "fc" else np.isnat(vector)


def _codes_of_integers(vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Look values up in a table, where their range is not much larger than their number."""
    lowest = vector.min()
    span = int(vector.max()) - int(lowest) + 1
    if span > 8 * len(vector) + 1024:
        return np.unique(vector, return_inverse=True)
    place = above_lowest(vector).astype(np.intp)
    is_label = np.zeros(span, dtype=bool)
    is_label[place] = True
    labels = np.flatnonzero(is_label).astype(vector.dtype) + lowest  # of its type
    return labels, (np.cumsum(is_label) - 1)[place]


def _codes_of_strings(vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bring equal strings together by a hash, then compare them in full.

    Sorting strings is the slow part of `numpy.unique`; here only the distinct ones are.
    """
    row_bits = max(len(vector) - 1, 1).bit_length()
    hashed = _hash(_words(vector)) >> np.uint64(row_bits)
    order = order_by_code(hashed, 1 << (64 - row_bits))
    begins = begins_run(vector[order])
    first = np.flatnonzero(begins)
    if len(np.unique(hashed[order[first]])) < len(first):
        # Different strings with one hash may lie mixed.
        return np.unique(vector, return_inverse=True)
    by_label = np.argsort(vector[order[first]])
    place = np.empty(len(first), dtype=np.intp)
    place[by_label] = np.arange(len(first))
    codes = np.empty(len(vector), dtype=np.intp)
    codes[order] = place[np.cumsum(begins) - 1]
    return vector[order[first]][by_label], codes


def _words(vector: np.ndarray) -> np.ndarray:
    """Return the bytes of fixed-width strings as unsigned integers, a row a string."""
    width = max(vector.dtype.itemsize, 1)
    word = next(size for size in (8, 4, 2, 1) if width % size == 0)
    return np.ascontiguousarray(vector).view(f"u{word}").reshape(len(vector), -1)


def _hash(words: np.ndarray) -> np.ndarray:
    """Return a 64-bit hash per row: multiply by an odd number and fold, word by word."""
    mixed = np.zeros(len(words), dtype=np.uint64)
    for start in range(0, len(words), _BLOCK):
        block, part = words[start : start + _BLOCK], mixed[start : start + _BLOCK]
        for column in np.flatnonzero(np.bitwise_or.reduce(block, axis=0)):
            part ^= block[:, column].astype(np.uint64) + np.uint64(column)
            part *= np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio (Knuth)
            part ^= part >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return mixed


def _codes_of_objects(
    vector: np.ndarray, *, name: str, whole: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    seen: defaultdict[Any, int] = defaultdict(count().__next__)
    try:
        codes = np.fromiter(map(seen.__getitem__, vector.tolist()), np.intp, len(vector))
    except TypeError as error:
        raise TypeError(
            f"`{name}` must hold labels such as numbers or strings; {error}."
        ) from error
    if any(map(is_missing, seen)):
        check_missing(name, np.fromiter(map(is_missing, whole.tolist()), bool))
    ordered = _sorted_if_possible(list(seen))
    place = np.empty(len(seen), dtype=np.intp)
    place[[seen[label] for label in ordered]] = np.arange(len(seen))
    labels = np.empty(len(seen), dtype=object)
    labels[:] = ordered
    return labels, place[codes]


def _sorted_if_possible(labels: list) -> list:
    try:
        return sorted(labels)
    except TypeError:
        pass
    try:
        return sorted(labels, key=lambda label: (type(label).__qualname__, label))
    except TypeError:
        return labels


def is_missing(value: Any) -> bool:
    """Return whether a label is None, NaN, NaT or pandas.NA."""
    pandas = sys.modules.get("pandas")
    if value is None or (pandas is not None and value is pandas.NA):
        return True
    return not isinstance(value, tuple) and bool(value != value)
