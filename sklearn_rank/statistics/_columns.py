"""Rows of a result as columns, and back."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils import Bunch


def as_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, np.ndarray]:
    """Return the columns of rows by name."""
    return {name: as_column([row[name] for row in rows]) for name in rows[0]}


def as_column(values: Sequence[Any]) -> np.ndarray:
    """Return values as an array, names as objects."""
    if all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in values
    ):
        return np.array(values)
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def as_rows(columns: Mapping[str, np.ndarray]) -> list[Bunch]:
    """Return the rows of columns, with values of Python."""
    n_rows = len(next(iter(columns.values())))
    return [
        Bunch(**{name: _python(found[i]) for name, found in columns.items()})
        for i in range(n_rows)
    ]


def _python(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
