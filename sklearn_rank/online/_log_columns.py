"""Columns of a log by name."""

from collections.abc import Mapping
from typing import Any

from sklearn_rank._tables._columns import find_column
from sklearn_rank._validation import shorten


def column_of(data: Any, parameter: str, column: Any) -> Any:
    """Return the column of `data` that an argument names; without data, the argument."""
    if data is None or column is None:
        return column
    names = getattr(data, "column_names", getattr(data, "columns", None))
    if isinstance(data, Mapping):
        names = data
    if names is None:
        raise TypeError(
            f"`data` must be a frame, or a dict from name to column, got {shorten(data)}."
        )
    names, [column] = list(names), names_in(parameter, [column])
    return data[names[find_column(column, names, parameter=parameter, of="`data`")]]


def names_in(parameter: str, columns: Any) -> list:
    """Return distinct names of columns from one name or a list."""
    listed = list(columns) if isinstance(columns, list | Mapping) else [columns]
    for column in listed:
        try:
            hash(column)
        except TypeError:
            raise TypeError(
                f"`{parameter}` must be the name of a column of `data`, got "
                f"{shorten(column)}; leave out `data` to pass values."
            ) from None
    if len(set(map(repr, listed))) < len(listed) or not listed:
        raise ValueError(
            f"`{parameter}` must name columns, each once, got {shorten(columns)}."
        )
    return listed
