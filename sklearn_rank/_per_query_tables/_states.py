"""Summaries of all queries of a part as bytes, which any table can hold.

The fields of a summary are numbers and arrays. They are written without pickle, so that
loading a table runs no code; other fields come from the metric itself.
"""

import io
import json
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from sklearn_rank._ids._encode import as_list, as_vector
from sklearn_rank.metrics._core._summaries import Summary

_TEXT = ".json"  # after the name of a field whose values are objects
_OF = ":"  # between the name of a field that is a mapping and a key


def bytes_of(summary: Summary, empty: Any) -> bytes:
    """Return the numbers and arrays of a summary as bytes, given an empty summary."""
    arrays: dict[str, np.ndarray] = {}
    for field in fields(summary):  # type: ignore[arg-type]
        value = getattr(summary, field.name)
        if isinstance(value, np.ndarray) and value.dtype.kind == "O":
            text = json.dumps(as_list(value)).encode()
            arrays[field.name + _TEXT] = np.frombuffer(text, dtype=np.uint8)
        elif isinstance(value, np.ndarray | int | float):
            arrays[field.name] = np.asarray(value)
        elif isinstance(value, Mapping):
            # Values that the scorer set, such as the size of the catalogue.
            arrays |= {
                f"{field.name}{_OF}{key}": np.asarray(one)
                for key, one in value.items()
                if isinstance(one, int | float)
            }
        elif value != getattr(empty, field.name):
            raise TypeError(
                f"{type(summary).__name__} cannot be sent: its field {field.name!r} is "
                f"neither a number nor an array, but {type(value).__name__}."
            )
    written = io.BytesIO()
    np.savez_compressed(written, **arrays)  # type: ignore[arg-type]
    return written.getvalue()


def summary_of(state: bytes, empty: Any) -> Any:
    """Return the summary from its bytes, given an empty summary."""
    values: dict[str, Any] = {}
    with np.load(io.BytesIO(state), allow_pickle=False) as arrays:
        for name in arrays.files:
            array = arrays[name]
            if name.endswith(_TEXT):
                labels = json.loads(array.tobytes().decode())
                values[name.removesuffix(_TEXT)] = as_vector(labels, name="items")
                continue
            field, of, key = name.partition(_OF)
            value = array if array.ndim else array.item()
            old = values.get(field, getattr(empty, field))
            values[field] = {**old, key: value} if of else value
    return replace(empty, **values)
