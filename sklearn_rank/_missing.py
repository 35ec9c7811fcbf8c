"""What stands for a missing value: None, NaN, NaT, pandas.NA, and what a mask hides."""

import sys
from typing import Any

import numpy as np

__all__ = ["is_missing", "unmasked"]


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, NaT, pandas.NA or masked."""
    pandas = sys.modules.get("pandas")
    if value is None or value is np.ma.masked:
        return True
    if pandas is not None and value is pandas.NA:
        return True
    try:
        differs_from_itself = value != value
    except (TypeError, NotImplementedError):  # tables and columns that compare with nothing
        return False
    return isinstance(differs_from_itself, bool | np.bool_) and bool(differs_from_itself)


def unmasked(values: Any) -> Any:
    """Return a masked array as a plain one, in which the masked values are missing ones.

    They are NaN among floats, NaT among times, and None among all else, which stays exact.
    Anything but a masked array is returned as it is.
    """
    if not isinstance(values, np.ma.MaskedArray):
        return values
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
