"""Values in types that JSON knows."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from sklearn_rank._values._missing import is_missing


def as_json_types(value: Any) -> Any:
    """Return the value as dicts, lists, text and numbers; None for NaN and infinity."""
    if isinstance(value, Mapping):
        return {str(key): as_json_types(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [as_json_types(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return [as_json_types(entry) for entry in value]
    if isinstance(value, np.datetime64 | np.timedelta64):
        return None if np.isnat(value) else str(value)
    if isinstance(value, np.generic):
        value = value.item()
    if is_missing(value):
        return None
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(getattr(value, "__name__", repr(value)))
