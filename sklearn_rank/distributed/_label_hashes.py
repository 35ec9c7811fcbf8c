"""Hashes of labels: 64 bits for each, equal for equal labels."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from zlib import crc32

import numpy as np

from sklearn_rank._base._labels import as_list, as_vector, report_unhashable
from sklearn_rank._base._numbers import is_number

# Python's hash is not enough: -1 and -2 share one, as do 1 and 2**61, and tuples and
# durations of these.

_END = 2**63


def hash_labels(vector: np.ndarray, of_text: Callable[[str], int]) -> np.ndarray:
    """Return 64-bit integers: integer labels as they are, others by a hash.

    `of_text` gives strings their numbers. Equal labels of several types have one.
    """
    kind = vector.dtype.kind
    if kind in "iufb" and _are_integers(vector):
        return vector.astype(np.int64)
    labels = as_list(vector)
    if set(map(type, labels)) == {str}:
        return np.fromiter(map(of_text, labels), np.int64, len(labels))
    hashes = (_hash_label(label, of_text) for label in labels)
    with report_unhashable("Labels"):
        return np.fromiter(hashes, np.int64, len(labels))


def _are_integers(vector: np.ndarray) -> bool:
    """Return whether all fit into signed 64 bits."""
    if vector.dtype.kind == "f":
        return bool((vector == np.trunc(vector)).all() and (abs(vector) < _END).all())
    return vector.dtype != np.uint64 or not (vector >= np.uint64(_END)).any()


def _hash_label(label: Any, of_text: Callable[[str], int]) -> int:
    if isinstance(label, str):
        return of_text(label)
    if isinstance(label, timedelta):
        label = (label.days, label.seconds, label.microseconds)
    if isinstance(label, tuple):
        return of_text(str([_hash_label(part, of_text) for part in label]))
    if not is_number(type(label)):
        return hash(label)
    try:
        above, below = label.as_integer_ratio()
    except (AttributeError, OverflowError, ValueError):  # infinity, or a number of others
        return hash(label)
    is_whole = below == 1 and -_END <= above < _END
    return above if is_whole else of_text(f"{above}/{below}")


# Constants of splitmix64, which mixes the bits of integers well.
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def assign_parts(labels: object, n_parts: int, attempt: int = 0) -> np.ndarray:
    """Return the part of each label, from 0; each attempt gives different parts.

    Parts are the same in all tables and processes.
    """
    vector = as_vector(labels, name="query")
    are_moments = vector.dtype.kind in "mM"
    hashes = vector.view(np.int64) if are_moments else hash_labels(vector, _hash_text)
    mixed = _mixed(hashes.view(np.uint64), attempt)
    return (mixed % np.uint64(n_parts)).astype(np.intp)


def _hash_text(label: str) -> int:
    # Python's hash of a string differs between processes.
    return crc32(label.encode("utf-8", "surrogatepass"))


def _mixed(integers: np.ndarray, attempt: int) -> np.ndarray:
    with np.errstate(over="ignore"):
        mixed = integers + _STEP * np.uint64(attempt + 1)
        for shift, factor in zip((30, 27), _FACTORS, strict=True):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * factor
        return mixed ^ (mixed >> np.uint64(31))
