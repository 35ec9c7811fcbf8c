"""Numbers that stand for labels: the same for the same label, in any table and process."""

from typing import Any
from zlib import crc32

import numpy as np

from sklearn_rank._labels._encode import as_vector

# Of the generator splitmix64, which mixes the bits of integers well.
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def parts_of(labels: object, n_parts: int, attempt: int = 0) -> np.ndarray:
    """Return the part of each label, from 0; another attempt gives other parts."""
    mixed = _mixed(_integers(labels), attempt)
    return (mixed % np.uint64(n_parts)).astype(np.intp)


def _integers(labels: object) -> np.ndarray:
    """Return an integer for each label, equal where labels are."""
    vector = as_vector(labels, name="query")
    kind = vector.dtype.kind
    if kind in "iub":
        return vector.astype(np.int64, copy=False).view(np.uint64)
    if kind in "mM":
        return vector.view(np.int64).view(np.uint64)
    if kind == "f":
        return (vector.astype(np.float64) + 0.0).view(np.uint64)  # -0.0 equals 0.0
    values: list[Any] = vector.tolist()
    try:
        numbers = np.fromiter(map(crc32, map(str.encode, values)), np.int64, len(values))
    except (TypeError, UnicodeEncodeError):  # not all are strings, or some have no UTF-8
        numbers = np.fromiter(map(_of_object, values), np.int64, len(values))
    return numbers.view(np.uint64)


def _of_object(label: object) -> int:
    # Python's hash of a string is another one in each process, that of a number is not.
    if isinstance(label, str):
        return crc32(label.encode("utf-8", "surrogatepass"))
    return hash(label)


def _mixed(integers: np.ndarray, attempt: int) -> np.ndarray:
    with np.errstate(over="ignore"):
        mixed = integers + _STEP * np.uint64(attempt + 1)
        for shift, factor in zip((30, 27), _FACTORS, strict=True):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * factor
        return mixed ^ (mixed >> np.uint64(31))
