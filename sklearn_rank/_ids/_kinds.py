"""Which labels can be equal, by their types, and how errors show two that cannot."""

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from numbers import Number
from typing import Any

import numpy as np

from sklearn_rank._ids._encode import plain
from sklearn_rank._validation import shorten

# Types whose values may be equal are of one kind: the first one that fits.
KINDS: dict[str, tuple[type, ...]] = {
    "durations": (timedelta, np.timedelta64),  # timedelta64 is an integer type
    "numbers": (Number, np.bool_),
    "strings": (str,),
    "bytes": (bytes,),
    "datetimes": (datetime, np.datetime64),
    "dates": (date,),
    "tuples": (tuple,),
}
_STEPS_OF_DATES = ("Y", "M", "W", "D")


def kinds(labels: Iterable) -> set[str]:
    """Return the kinds of labels: labels of different kinds are never equal."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind != "O":
        return {kind_of(labels[0])} if len(labels) else set()
    labels = list(labels)
    types = set(map(type, labels))
    found = {_kind_of_type(one) for one in types - {np.datetime64}}
    if np.datetime64 in types:
        found |= {kind_of(one) for one in labels if type(one) is np.datetime64}
    return found


def kind_of(label: Any) -> str:
    """Return the kind of one label."""
    if isinstance(label, np.datetime64):
        is_date = np.datetime_data(label.dtype)[0] in _STEPS_OF_DATES
        return "dates" if is_date else "datetimes"
    return _kind_of_type(type(label))


def kinds_in(known: np.ndarray | Iterable) -> set[str]:
    """Return the kinds of labels that `find_labels` may find among these.

    Dates and datetimes are compared as moments if the known ones are NumPy's.
    """
    is_of_moments = isinstance(known, np.ndarray) and known.dtype.kind == "M"
    return {"dates", "datetimes"} if is_of_moments else kinds(known)


def with_type(label: Any) -> str:
    """Return how errors show a label beside one of another type."""
    label = plain(label)
    return f"{shorten(label)} ({type(label).__name__})"


def _kind_of_type(one: type) -> str:
    for kind, types in KINDS.items():
        if issubclass(one, types):
            return kind
    return f"{one.__module__}.{one.__qualname__}"
