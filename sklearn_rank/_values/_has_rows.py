"""Recognize containers with rows."""

from collections.abc import Mapping, Set
from typing import Any


def has_rows(values: Any) -> bool:
    """Return whether a value has rows; strings, sets and mappings do not."""
    if hasattr(values, "shape"):
        return isinstance(values.shape, tuple) and len(values.shape) > 0
    is_none = isinstance(values, str | bytes | Mapping | Set | type)
    return hasattr(values, "__len__") and not is_none
