"""Read groups, users, items and times from passed metadata or a column of X."""

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._ids._encode import as_vector
from sklearn_rank._validation import number_vector, shorten, suggest
from sklearn_rank._values._has_rows import has_rows


def count_rows(values: Any, *, name: str) -> int:
    """Return how many rows a frame, array, sparse matrix or list has."""
    if not has_rows(values):
        raise TypeError(
            f"`{name}` must be a list, an array or a frame with one value or row for each "
            f"row of the data, got {shorten(values)}."
        )
    return values.shape[0] if hasattr(values, "shape") else len(values)


def require_rows(values: Any, n_rows: int, *, name: str) -> None:
    """Raise unless there is a value for each row of X."""
    length = count_rows(values, name=name)
    if length != n_rows:
        raise ValueError(
            f"`{name}` has {length} values, but X has {n_rows} rows; give one value a row."
        )


def numbers_of_rows(values: Any, n_rows: int, *, name: str) -> np.ndarray:
    """Return numbers, one for each row of X; they may be a column."""
    numbers = number_vector(name, values, "one number a row", least=0)
    require_rows(numbers, n_rows, name=name)
    return numbers


def take_column(X: Any, column: Any, *, name: str) -> Any:
    """Return one column of X, in the container's own type if it has one.

    Integers count positions and anything else is a name, as in scikit-learn's
    ColumnTransformer. `name` is the parameter that asked for the column.
    """
    X = _as_table(X)
    position = position_of(X, column, name=name)
    if hasattr(X, "columns"):
        return X.iloc[:, position] if hasattr(X, "iloc") else X[:, position]
    if sparse.issparse(X):
        return X.tocsc()[:, [position]].toarray().ravel()
    return X[X.dtype.names[position]] if X.dtype.names else X[:, position]


def _as_table(X: Any) -> Any:
    """Return rows in a list as an array."""
    is_one = has_names(X) or isinstance(X, np.ndarray) or sparse.issparse(X)
    return X if is_one else rows_as_table(X)


def rows_as_table(X: Any) -> np.ndarray:
    """Return rows given as lists or tuples; objects, so that ids keep their types."""
    if not has_rows(X) or not (set(map(type, X)) <= {list, tuple} or all(map(_is_row, X))):
        raise TypeError(
            "X must be a frame, an array or a list of rows, each with a value a column; "
            f"got {shorten(X)}."
        )
    lengths = list(map(len, X))
    if len(set(lengths)) > 1:
        place = next(row for row, length in enumerate(lengths) if length != lengths[0])
        raise ValueError(
            f"Row {place} of X has {lengths[place]} value(s), but row 0 has {lengths[0]}."
        )
    if not lengths:
        return np.empty(0, dtype=object)
    table = np.empty((len(X), lengths[0]), dtype=object)
    table[:] = [tuple(row) for row in X]
    return table


def _is_row(values: Any) -> bool:
    return has_rows(values) and getattr(values, "ndim", 1) == 1


def check_column(name: str, column: Any, *, instead: str = "") -> None:
    """Raise unless `column` can be the name or the position of a column.

    `instead` is advice appended to the error.
    """
    is_name = isinstance(column, Hashable) and column is not None
    if not is_name or callable(column) or isinstance(column, bool | np.bool_):
        raise TypeError(
            f"`{name}` must be a column of X, by name or by position, got "
            f"{shorten(column)}. {instead}".rstrip()
        )


def has_names(X: Any) -> bool:
    """Return whether the columns of X have names."""
    return hasattr(X, "columns") or bool(isinstance(X, np.ndarray) and X.dtype.names)


def has_column(X: Any, column: Any) -> bool:
    """Return whether X has that column."""
    try:
        take_column(X, column, name="column")
    except (ValueError, TypeError):
        return False
    return True


def is_same_column(one: Any, other: Any) -> bool:
    """Return whether two names or positions are the same column."""
    try:
        return {one} == {other}
    except (TypeError, ValueError):  # an unhashable value is not a column name
        return False


def is_position(column: Any) -> bool:
    """Return whether a column is given by its position: an integer, not a duration."""
    # NumPy's timedelta64 is a subtype of integers.
    return isinstance(column, int | np.integer) and not isinstance(
        column, bool | np.timedelta64
    )


def drop_column(X: Any, column: Any, *, name: str) -> Any:
    """Return X without one column, in the same container."""
    X = _as_table(X)
    position = position_of(X, column, name=name)
    if has_names(X) and not hasattr(X, "columns"):
        return X[[field for i, field in enumerate(X.dtype.names) if i != position]]
    keep = np.delete(np.arange(X.shape[1]), position)
    if sparse.issparse(X):
        return X.tocsc()[:, keep].tocsr()
    return X.iloc[:, keep] if hasattr(X, "iloc") else X[:, keep.tolist()]


def position_of(X: Any, column: Any, *, name: str) -> int:
    """Return the position of a column of X that is given by name or by position."""
    if has_names(X):
        names = X.columns if hasattr(X, "columns") else X.dtype.names
        return _position(list(names), column, name=name)
    shape = _as_table(X).shape
    if len(shape) != 2:
        raise ValueError(
            f"`{name}={shorten(column)}` names a column, so X must be 2-D, got shape "
            f"{shape}."
        )
    return _numbered(shape[1], column, name=name)


def take_rows(values: Any, rows: np.ndarray) -> Any:
    """Return some rows of a frame, array, sparse matrix or list, in its own type."""
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if sparse.issparse(values):
        return values.tocsr()[rows]
    return values[rows] if hasattr(values, "shape") else [values[row] for row in rows]


def column_or_metadata(X: Any, passed: Any, column: Any, *, name: str, parameter: str):
    """Return what was passed for `name`, else the column of X that `parameter` names.

    None if there is neither. If there are both, they must hold the same values.
    """
    if passed is None and column is None:
        return None
    if passed is None:
        if not (is_position(column) or has_names(X)):
            # A position does not help: it changes when a selector drops columns.
            raise ValueError(
                f"`{parameter}={shorten(column)}` names a column, but X has no column "
                "names; feature selectors and many transformers drop them. Pass "
                f"{name} by metadata routing: fit(X, y, {name}=...)."
            )
        return take_column(X, column, name=parameter)
    if column is not None and X is not None and has_column(X, column):
        _check_same(passed, take_column(X, column, name=parameter), name, parameter)
    return passed


def _check_same(passed: Any, taken: Any, name: str, parameter: str) -> None:
    one, other = as_vector(passed, name=name), as_vector(taken, name=parameter)
    if len(one) != len(other):
        return  # the caller reports unequal lengths, with the length of X
    if not _equal(one, other):
        raise ValueError(
            f"`{name}` was passed and `{parameter}` names a column of X, and they differ; "
            f"pass one of them (`{parameter}=None` ignores the column)."
        )


def _equal(one: np.ndarray, other: np.ndarray) -> bool:
    if one.dtype.kind == other.dtype.kind and one.dtype.kind in "fMm":
        return np.array_equal(one, other, equal_nan=True)
    try:
        return np.array_equal(_as_objects(one), _as_objects(other))
    except TypeError:  # comparisons with pandas.NA are undefined
        return False


def _as_objects(vector: np.ndarray) -> np.ndarray:
    # Datetimes: as objects of a finer unit they would be integers.
    finest = vector.astype("M8[us]") if vector.dtype.kind == "M" else vector
    return finest.astype(object)


def _position(columns: list, column: Any, *, name: str) -> int:
    if is_position(column):
        return _numbered(len(columns), column, name=name)
    return find_column(column, columns, parameter=name)


def find_column(column: Any, names: Iterable, *, parameter: str, of: str = "X") -> int:
    """Return the position of the one column with that name; raise and suggest one."""
    names = list(names)
    places = [i for i, name in enumerate(names) if is_same_column(name, column)]
    if not places:
        raise ValueError(
            f"`{parameter}={shorten(column)}` is not a column of {of}. "
            f"{suggest(column, names)}"
        )
    if len(places) > 1:
        raise ValueError(
            f"{of[0].upper()}{of[1:]} has {len(places)} columns named {shorten(column)}; "
            "rename them."
        )
    return places[0]


def _numbered(n_columns: int, column: Any, *, name: str) -> int:
    if not is_position(column):
        raise ValueError(
            f"`{name}={shorten(column)}` names a column, but X has no column names; "
            f"give its position (0 to {n_columns - 1}) or pass a DataFrame."
        )
    if not -n_columns <= column < n_columns:
        raise ValueError(
            f"`{name}={shorten(column)}` is not a column of X, which has {n_columns} "
            "column(s)."
        )
    return int(column) % n_columns
