"""Log: the users, items and times of the rows that a splitter works on."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._base._labels import encode_labels
from sklearn_rank.inputs._columns import (
    column_names,
    column_or_metadata,
    count_rows,
    named_column,
    require_rows,
)
from sklearn_rank.inputs._times import Times, check_units, read_times

# The roles of columns, and the constructor argument that names each.
PARAMETERS = {"users": "user", "items": "item", "times": "time"}


@dataclass(frozen=True)
class CodedLabels:
    """The distinct labels in order, and the index of each row's label."""

    values: np.ndarray
    codes: np.ndarray

    def present(self, rows: np.ndarray) -> np.ndarray:
        """Return, for each label, whether it occurs in the rows of a mask."""
        found = np.zeros(len(self.values), dtype=bool)
        found[self.codes[rows]] = True
        return found


@dataclass(frozen=True)
class Log:
    """The rows of X as a splitter sees them.

    Fields that the splitter does not need are None; the types are those of needed fields.
    """

    n_rows: int
    users: CodedLabels = None  # type: ignore[assignment]
    items: CodedLabels = None  # type: ignore[assignment]
    times: Times = None  # type: ignore[assignment]


def read_log(
    X: Any,
    passed: Mapping[str, Any],
    columns: Mapping[str, Any],
    *,
    needed: Collection[str],
    owner: str,
) -> Log:
    """Read what is `needed` from the metadata `passed`, else from `columns` of X.

    Without either, users and items are in the columns with their usual names.
    """
    found = {
        name: _find_values(X, passed[name], columns[name], name=name, owner=owner)
        for name in PARAMETERS
        if name in needed
    }
    n_rows = _count_rows(X, found)
    read = {name: _read_values(values, name, n_rows) for name, values in found.items()}
    return Log(n_rows, **read)


def _find_values(X: Any, passed: Any, column: Any, *, name: str, owner: str) -> Any:
    parameter = PARAMETERS[name]
    if X is None:
        column = None
    elif column is None and passed is None and name != "times":
        # Never by position: the X of a ranker holds features.
        column = named_column(column_names(X), parameter)
    values = column_or_metadata(X, passed, column, name=name, parameter=parameter)
    if values is None:
        raise ValueError(
            f"{owner} needs the {name} of the rows. Name their column of X "
            f"(`{parameter}=`, a name or a position), or pass `{name}=`: straight to "
            "`split`, or to scikit-learn's tools with metadata routing turned on "
            "(sklearn.set_config(enable_metadata_routing=True))."
        )
    return values


def _count_rows(X: Any, found: Mapping[str, Any]) -> int:
    if X is not None:
        return count_rows(X, name="X")
    for name, values in found.items():
        return count_rows(values, name=name)
    raise ValueError("X is None, and without users, items or times there are no rows.")


def _read_values(values: Any, name: str, n_rows: int) -> Any:
    require_rows(values, n_rows, name=name)
    if n_rows == 0:
        raise ValueError("X has no rows, so there is nothing to split.")
    if name == "times":
        times = read_times(values)
        check_units(times)
        return times
    return CodedLabels(*encode_labels(values, name=name))
