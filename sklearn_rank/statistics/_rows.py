"""Rows of a result: as columns, by name, and as a frame."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from sklearn_rank.metrics._core._per_query import import_pandas


class RowsOfResult:
    """Rows of a result, all with the same columns."""

    def __init__(self, rows, *, settings=None):
        self.columns = as_columns(rows)
        self.settings = dict(settings or {})

    def __len__(self):
        """Return the number of rows."""
        return len(next(iter(self.columns.values())))

    def rows(self):
        """All rows of the result.

        Returns
        -------
        rows : list of Bunch
            The columns of each row by name, as attributes too.
        """
        return as_rows(self.columns)

    def to_frame(self):
        """The result as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            A row a comparison, which has ``to_latex()`` and ``to_markdown()``.
        """
        return import_pandas("to_frame").DataFrame(self.columns)


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
