"""Numbers in any container as one numeric array; different numbers never become equal."""

from collections.abc import Iterable
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np

from sklearn_rank._text._wording import shorten
from sklearn_rank._values._missing import is_missing, plain_array

# Integers up to here are floats of 64 bits, exactly.
_EXACT = 2.0**53
# Types whose values are floats as they are; None is NaN.
_FLOATS = {float, np.float64, np.float32, np.float16, bool, np.bool_, type(None)}


class NotNumbers(TypeError):
    """Values that should be numbers are not."""


def number_array(values: Any, subject: str) -> np.ndarray:
    """Return dense values as a numeric array of their own type, missing ones as NaN.

    `subject` begins the text of errors. Raises NotNumbers, or a ValueError if no array
    holds all of the numbers without making different ones equal.
    """
    array = _as_array(values, subject)
    if array.dtype.kind == "O":
        return _from_objects(array, subject)
    are_numbers = array.dtype.kind in "biuf"
    # Lists and tables may hold several types, which NumPy has converted to one.
    has_type = hasattr(values, "dtype") or hasattr(values, "type")
    are_odd = isinstance(values, list | tuple) and not are_numbers
    if are_odd or (not has_type and rounds_integers(array)):
        return _from_objects(_as_objects(values), subject)
    if not are_numbers:
        first = shorten(list(array.flat[:1]))  # of an empty array none
        raise NotNumbers(f"{subject} must hold numbers, but has {first}.")
    return array


def float_array(values: Any, subject: str) -> np.ndarray:
    """Return the numbers as 64-bit floats; raise if different ones became equal."""
    exact = number_array(values, subject)
    floats = exact.astype(np.float64, copy=False)
    if floats is not exact and (exact.itemsize > 8 or rounds_integers(floats)):
        _check_apart(floats.ravel().tolist(), exact.ravel().tolist(), subject)
    return floats


def rounds_integers(array: np.ndarray) -> bool:
    """Return whether floats may be rounded integers."""
    if array.dtype != np.float64 or not array.size:
        return False
    if array.min() > -_EXACT and array.max() < _EXACT:
        return False
    return bool((np.abs(array[np.isfinite(array)]) >= _EXACT).any())


def exact_as_floats(score: np.ndarray) -> np.ndarray:
    """Return scores as floats with the same order and the same ties.

    These are the scores themselves, unless floats would make different ones equal: then
    they are ranks, counted from the lowest, and -inf stays -inf.
    """
    floats = score.astype(np.float64, copy=False)
    if floats is score or not (score.dtype.itemsize > 8 or rounds_integers(floats)):
        return floats
    distinct, rank = np.unique(score, return_inverse=True)
    as_floats = distinct.astype(np.float64)
    if (as_floats[1:] > as_floats[:-1]).all():
        return floats
    return np.where(score == -np.inf, -np.inf, rank)


def is_number(kind: type) -> bool:
    """Return whether the values of a type are real numbers; bool is not."""
    # timedelta64 is a subtype of integers.
    return issubclass(kind, Real | Decimal) and not issubclass(kind, np.timedelta64)


def _as_array(values: Any, subject: str) -> np.ndarray:
    try:
        return np.asarray(plain_array(values))
    except ValueError as error:  # rows of unequal length
        needed = "must hold one number a row, or rows of one length"
        raise ValueError(f"{subject} {needed}; {error}.") from error


def _as_objects(values: Any) -> np.ndarray:
    """Return lists or a table as Python objects, before any rounding."""
    if hasattr(values, "rows"):  # of polars
        values = values.rows()
    if hasattr(values, "to_numpy"):  # of pandas
        return values.to_numpy(dtype=object)
    return np.array(values, dtype=object)


def _from_objects(array: np.ndarray, subject: str) -> np.ndarray:
    flat = array.ravel().tolist()
    if set(map(type, flat)) <= _FLOATS:
        return array.astype(np.float64)
    flat = [np.nan if is_missing(value) else value for value in flat]
    types = set(map(type, flat))
    _check_numbers(flat, types, subject)
    return _exact_array(flat, types, subject).reshape(array.shape)


def _check_numbers(flat: list, types: set[type], subject: str) -> None:
    for kind in types - _FLOATS:
        if not is_number(kind):
            odd = next(value for value in flat if type(value) is kind)
            raise NotNumbers(f"{subject} must hold numbers, but has {shorten(odd)}.")


def _exact_array(flat: list, types: set[type], subject: str) -> np.ndarray:
    try:
        floats = np.array(flat, dtype=np.float64)
    except OverflowError as error:
        raise _beyond_floats(subject) from error
    if all(issubclass(kind, Integral) for kind in types):
        if not rounds_integers(floats):
            return floats
        for dtype in (np.int64, np.uint64):
            try:
                return np.array(list(map(int, flat)), dtype=dtype)
            except OverflowError:
                continue
    _check_apart(floats.tolist(), flat, subject)
    return floats


def _check_apart(floats: Iterable[float], values: list, subject: str) -> None:
    """Raise if different numbers have become the same float."""
    first: dict[float, Any] = {}
    for as_float, value in zip(floats, values, strict=True):
        if as_float != as_float or first.setdefault(as_float, value) == value:
            continue
        raise ValueError(
            f"{subject} has {shorten(first[as_float])} and {shorten(value)}, which are "
            "equal as floats of 64 bits; pass integers of 64 bits, or ranks."
        )
    if any(abs(as_float) == np.inf != abs(value) for as_float, value in first.items()):
        raise _beyond_floats(subject)


def _beyond_floats(subject: str) -> ValueError:
    return ValueError(f"{subject} has a number beyond the range of floats (about 1.8e308).")
