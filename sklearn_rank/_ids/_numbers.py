"""A 64-bit number for each label, equal for equal labels.

Python's hash is not enough: -1 and -2 share one, as do 1 and 2**61, and tuples and
durations of these.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np

from sklearn_rank._ids._encode import as_list
from sklearn_rank._validation import shorten
from sklearn_rank._values._number_arrays import is_number

_END = 2**63


def numbers_of(vector: np.ndarray, of_text: Callable[[str], int]) -> np.ndarray:
    """Return 64-bit integers: integer labels as they are, others by a hash.

    `of_text` gives strings their numbers. Equal labels of several types have one.
    """
    kind = vector.dtype.kind
    if kind in "iufb" and _are_integers(vector):
        return vector.astype(np.int64)
    labels = as_list(vector)
    if set(map(type, labels)) == {str}:
        return np.fromiter(map(of_text, labels), np.int64, len(labels))
    return np.fromiter((_number_of(one, of_text) for one in labels), np.int64, len(labels))


def _are_integers(vector: np.ndarray) -> bool:
    """Return whether all fit into signed 64 bits."""
    if vector.dtype.kind == "f":
        return bool((vector == np.trunc(vector)).all() and (abs(vector) < _END).all())
    return vector.dtype != np.uint64 or not (vector >= np.uint64(_END)).any()


def _number_of(label: Any, of_text: Callable[[str], int]) -> int:
    if isinstance(label, str):
        return of_text(label)
    if isinstance(label, timedelta):
        label = (label.days, label.seconds, label.microseconds)
    if isinstance(label, tuple):
        return of_text(str([_number_of(one, of_text) for one in label]))
    if not is_number(type(label)):
        return _hash(label)
    try:
        above, below = label.as_integer_ratio()
    except (AttributeError, OverflowError, ValueError):  # infinity, or a number of others
        return _hash(label)
    is_whole = below == 1 and -_END <= above < _END
    return above if is_whole else of_text(f"{above}/{below}")


def _hash(label: Any) -> int:
    try:
        return hash(label)
    except TypeError as error:
        raise TypeError(
            "Labels must be hashable, such as numbers, strings or tuples, got "
            f"{shorten(label)}."
        ) from error
