"""Ids of users and items: what is one, and which of those that `fit` has seen."""

from typing import Any

import numpy as np

from sklearn_rank._ids._agree import incomparable
from sklearn_rank._ids._encode import as_vector, find_labels
from sklearn_rank._ids._kinds import KINDS, kinds, kinds_in, with_type
from sklearn_rank._validation import check_missing, shorten
from sklearn_rank._values._has_rows import has_rows
from sklearn_rank._values._missing import is_missing


def as_ids(values: Any, *, name: str) -> np.ndarray:
    """Return ids as a 1-D array; NaN and infinite numbers are no ids."""
    if not has_rows(values):
        raise TypeError(f"`{name}` must be a list or array of ids, got {shorten(values)}.")
    ids = as_vector(values, name=name)
    if ids.dtype.kind == "f" and not np.isfinite(ids).all():
        row = int(np.argmin(np.isfinite(ids)))
        raise ValueError(
            f"`{name}` holds ids, got {ids[row]} in row {row}: NaN and inf are no ids. "
            "Drop such rows."
        )
    if ids.dtype.kind == "O" and not all(map(_has_hash, set(map(type, ids.tolist())))):
        row = next(row for row, one in enumerate(ids) if not _has_hash(type(one)))
        raise TypeError(
            f"`{name}` holds ids, such as numbers, strings or tuples of these, got "
            f"{shorten(ids[row])} in row {row}."
        )
    return ids


def _has_hash(one: type) -> bool:
    return getattr(one, "__hash__", None) is not None


def find_ids(known: np.ndarray, values: Any, *, name: str) -> np.ndarray:
    """Return the place of each id among the `known` ones, -1 where it is unknown.

    An id of a type that none of the known ones can equal is no unknown id but a mistake,
    which would pass unnoticed: a string or bytes where these are numbers, for example.
    """
    ids = as_ids(values, name=name)
    codes = find_labels(known, ids, name=name)
    missing = codes < 0
    missing[missing] = [is_missing(one) for one in ids[missing].tolist()]
    check_missing(name, missing)
    _check_kinds(known, ids, codes < 0, name=name)
    return codes


def _check_kinds(
    known: np.ndarray, ids: np.ndarray, is_unknown: np.ndarray, *, name: str
) -> None:
    """Raise where one of the ids is of no kind that the known ids are of."""
    own = kinds_in(known)
    foreign = kinds(ids) - own
    # What other classes are equal to they say themselves. NumPy's durations equal integers
    # in some versions, and are none.
    surely_foreign = foreign & set(KINDS) if own <= set(KINDS) else set()
    for row in range(len(ids)) if foreign else ():
        if kinds(ids[[row]]) <= (foreign if is_unknown[row] else surely_foreign):
            raise incomparable(
                f"Ids in `{name}` are of another type",
                f"{with_type(ids[row])} in row {row}",
                f"{with_type(known[0])} in the data of `fit`",
            )
