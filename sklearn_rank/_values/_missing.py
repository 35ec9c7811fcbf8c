"""Convert arrays of any library to NumPy, and find missing values."""

import sys
from collections.abc import Collection
from typing import Any

import numpy as np

# Values of these types are never missing; checking each would be slow.
_NEVER_MISSING = {bool, bytes, int, str, tuple}


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, NaT, pandas.NA or masked."""
    pandas = sys.modules.get("pandas")
    if value is None or value is np.ma.masked:
        return True
    if pandas is not None and value is pandas.NA:
        return True
    try:
        differs_from_itself = value != value
    except (TypeError, NotImplementedError):  # tables and columns that cannot be compared
        return False
    return isinstance(differs_from_itself, bool | np.bool_) and bool(differs_from_itself)


def first_missing(values: Collection) -> int | None:
    """Return the index of the first missing value; None if no value is missing."""
    if set(map(type, values)) <= _NEVER_MISSING:
        return None
    return next((i for i, value in enumerate(values) if is_missing(value)), None)


def plain_array(values: Any) -> Any:
    """Return a masked array, or an array or Series of another library, as a plain array.

    Masked values become missing ones: NaN among floats, NaT among times, None among other
    values, which stay exact. Other objects are returned unchanged.
    """
    if hasattr(values, "to_numpy"):
        # Arrays of pyarrow copy only on request.
        copy = {"zero_copy_only": False} if hasattr(values, "to_pylist") else {}
        return values.to_numpy(**copy)
    return _unmasked(values) if isinstance(values, np.ma.MaskedArray) else values


def _unmasked(values: np.ma.MaskedArray) -> np.ndarray:
    plain, mask = np.ma.getdata(values), _mask_of(values)
    if not mask.any():
        return plain
    if plain.dtype.kind in "fc":
        return np.where(mask, np.nan, plain)
    if plain.dtype.kind in "mM":
        return np.where(mask, np.array("NaT", dtype=plain.dtype), plain)
    objects = plain.astype(object)
    objects[mask] = None
    return objects


def _mask_of(values: np.ma.MaskedArray) -> np.ndarray:
    """Return which values are masked; of a record, one masked field will do."""
    mask: Any = np.ma.getmaskarray(values)
    if mask.dtype.names is None:
        return mask
    return np.any([mask[field] for field in mask.dtype.names], axis=0)
