"""Which labels can be equal, by their types."""

from datetime import datetime
from numbers import Number
from typing import Any


def kinds(labels: Any) -> set[str]:
    """Return the kinds of labels: labels of different kinds are never equal."""
    return {kind_of(label_type) for label_type in set(map(type, labels))}


def kind_of(label_type: type) -> str:
    """Return the kind of labels of a type."""
    if issubclass(label_type, Number):
        return "numbers"
    if issubclass(label_type, datetime):  # a pandas Timestamp equals the datetime it is
        return "datetimes"
    if issubclass(label_type, str):
        return "strings"
    return "bytes" if issubclass(label_type, bytes) else label_type.__qualname__
