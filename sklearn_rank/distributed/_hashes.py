"""Hashes of labels that are equal in all tables and processes."""

from zlib import crc32

import numpy as np

from sklearn_rank._ids._encode import as_vector
from sklearn_rank._ids._numbers import numbers_of

# Constants of splitmix64, which mixes the bits of integers well.
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def parts_of(labels: object, n_parts: int, attempt: int = 0) -> np.ndarray:
    """Return the part of each label, from 0; each attempt gives other parts."""
    mixed = _mixed(_integers(labels), attempt)
    return (mixed % np.uint64(n_parts)).astype(np.intp)


def _integers(labels: object) -> np.ndarray:
    """Return an integer for each label, equal for equal labels."""
    vector = as_vector(labels, name="query")
    if vector.dtype.kind in "mM":
        return vector.view(np.int64).view(np.uint64)
    return numbers_of(vector, _of_text).view(np.uint64)


def _of_text(label: str) -> int:
    # Python's hash of a string differs between processes.
    return crc32(label.encode("utf-8", "surrogatepass"))


def _mixed(integers: np.ndarray, attempt: int) -> np.ndarray:
    with np.errstate(over="ignore"):
        mixed = integers + _STEP * np.uint64(attempt + 1)
        for shift, factor in zip((30, 27), _FACTORS, strict=True):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * factor
        return mixed ^ (mixed >> np.uint64(31))
