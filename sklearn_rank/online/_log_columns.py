"""Columns of a log by name, where arguments name them."""

from collections.abc import Hashable, Mapping
from typing import Any

from sklearn_rank._tables._columns import find_column
from sklearn_rank._validation import shorten


def columns_by_name(data: Any) -> list:
    """Return the names of the columns of a frame or a dict; raise where it has none."""
    if isinstance(data, Mapping):
        return list(data)
    names = getattr(data, "column_names", getattr(data, "columns", None))
    if names is None:
        raise TypeError(
            f"`data` must be a frame, or a dict from name to column, got {shorten(data)}."
        )
    return list(names)


def column_of(data: Any, parameter: str, column: Any) -> Any:
    """Return what an argument gives: a column of data by name, or without data itself."""
    if data is None or column is None:
        return column
    if not isinstance(column, Hashable):
        raise TypeError(
            f"`{parameter}` must be the name of a column of `data`, got "
            f"{shorten(column)}; leave out `data` to pass values."
        )
    names = columns_by_name(data)
    return data[names[find_column(column, names, parameter=parameter, of="`data`")]]


def columns_of(data: Any, parameter: str, columns: Any) -> dict[str, Any]:
    """Return columns by name, one or a list of them."""
    listed = columns if isinstance(columns, list) else [columns]
    if len(set(map(repr, listed))) < len(listed) or not listed:
        raise ValueError(
            f"`{parameter}` must name columns, each once, got {shorten(columns)}."
        )
    return {str(name): column_of(data, parameter, name) for name in listed}
