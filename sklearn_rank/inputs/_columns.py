"""Read groups, users, items and times from passed metadata or a column of X."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._base._labels import as_vector
from sklearn_rank._base._numbers import check_in_memory, has_rows, is_sparse, number_vector
from sklearn_rank._base._validation import check_given, shorten, suggest


def count_rows(values: Any, *, name: str) -> int:
    """Return how many rows a frame, array, sparse matrix or list has."""
    check_in_memory(values, name)
    needed = "a list, an array or a frame with one value or row for each row of the data"
    check_given(name, values, has_rows(values), needed)
    return values.shape[0] if hasattr(values, "shape") else len(values)


def require_rows(values: Any, n_rows: int, *, name: str, advice: str = "") -> None:
    """Raise unless there is a value for each row of X; `advice` ends the error."""
    length = count_rows(values, name=name)
    if length != n_rows:
        raise ValueError(
            f"`{name}` has {length} values, but X has {n_rows} rows; give one value "
            f"per row{advice}."
        )


def numbers_of_rows(values: Any, n_rows: int, *, name: str) -> np.ndarray:
    """Return numbers, one for each row of X; they may be a column."""
    numbers = number_vector(name, values, "one number per row", least=0)
    require_rows(numbers, n_rows, name=name)
    return numbers


def take_column(X: Any, column: Any, *, name: str) -> Any:
    """Return one column of X, in the container's own type if it has one.

    Integers count positions and anything else is a name, as in scikit-learn's
    ColumnTransformer. `name` is the parameter that asked for the column.
    """
    X = _as_table(X)
    position = position_of(X, column, name=name)
    if is_arrow(X):
        return X.column(position)
    if hasattr(X, "columns"):
        return X.iloc[:, position] if hasattr(X, "iloc") else X[:, position]
    if is_sparse(X):
        return X.tocsc()[:, [position]].toarray().ravel()
    return X[X.dtype.names[position]] if X.dtype.names else X[:, position]


def _as_table(X: Any) -> Any:
    """Return rows in a list as an array."""
    is_table = isinstance(X, np.ndarray) or is_sparse(X) or names_of(X) is not None
    return X if is_table else rows_as_table(X)


def rows_as_table(X: Any) -> np.ndarray:
    """Return rows given as lists or tuples; objects, so that ids keep their types."""
    if not has_rows(X) or not (
        set(map(type, X)) <= {list, tuple}
        or all(has_rows(row) and getattr(row, "ndim", 1) == 1 for row in X)
    ):
        raise TypeError(
            "X must be a frame, an array or a list of rows, each with one value per "
            f"column; got {shorten(X)}."
        )
    lengths = list(map(len, X))
    if len(set(lengths)) > 1:
        wrong = next(row for row, length in enumerate(lengths) if length != lengths[0])
        raise ValueError(
            f"Row {wrong} of X has {lengths[wrong]} value(s), but row 0 has {lengths[0]}; "
            "give all rows the same number."
        )
    if not lengths:
        return np.empty(0, dtype=object)
    table = np.empty((len(X), lengths[0]), dtype=object)
    table[:] = [tuple(row) for row in X]
    return table


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


def can_have_columns(X: Any, columns: Iterable) -> bool:
    """Return whether X may have the columns: for a name its columns need names."""
    return names_of(X) is not None or all(map(is_position, columns))


def names_of(X: Any, *, name: str = "X") -> list | None:
    """Return the names of the columns of a table in memory; None for other values."""
    check_in_memory(X, name)
    if is_arrow(X):
        return list(X.column_names)
    if hasattr(X, "columns"):
        return list(X.columns)
    names = X.dtype.names if isinstance(X, np.ndarray) else None
    return None if names is None else list(names)


def is_arrow(X: Any) -> bool:
    """Return whether X is a Table or a RecordBatch of pyarrow."""
    return all(hasattr(type(X), name) for name in ("num_rows", "column_names", "schema"))


def read_table(X: Any) -> Any:
    """Return X as a table in memory, that of pyarrow as one of pandas."""
    check_in_memory(X, "X")
    if is_arrow(X):
        return X.to_pandas()
    if not has_rows(X):
        raise TypeError(f"X must be a table of rows, got {shorten(X)}.")
    return X


def batch_as_table(X: Any) -> Any:
    """Return a RecordBatch of pyarrow as a Table; other values as they are."""
    if not is_arrow(X) or hasattr(X, "to_batches"):
        return X
    import pyarrow as pa

    return pa.Table.from_batches([X])


def has_column(X: Any, column: Any) -> bool:
    """Return whether X has that column."""
    try:
        position_of(X, column, name="column")
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
    if isinstance(X, np.ndarray) and X.dtype.names:
        return X[[field for i, field in enumerate(X.dtype.names) if i != position]]
    keep = np.delete(np.arange(X.shape[1]), position)
    if is_sparse(X):
        return X.tocsc()[:, keep].tocsr()
    if is_arrow(X):
        return X.select(keep.tolist())
    return X.iloc[:, keep] if hasattr(X, "iloc") else X[:, keep.tolist()]


def position_of(X: Any, column: Any, *, name: str) -> int:
    """Return the position of a column of X that is given by name or by position."""
    names = names_of(X)
    if names is not None and is_position(column):
        return _check_position(len(names), column, name=name)
    if names is not None:
        return find_column(column, names, parameter=name)
    shape = _as_table(X).shape
    if len(shape) != 2:
        raise ValueError(
            f"`{name}={shorten(column)}` names a column, so X must be 2-D, got {shape}."
        )
    return _check_position(shape[1], column, name=name)


def take_rows(values: Any, rows: Any) -> Any:
    """Return some rows of a frame, array, sparse matrix or list, in its own type.

    Their indices are an array, or a slice of a frame.
    """
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if is_sparse(values):
        return values.tocsr()[rows]
    if is_arrow(values):
        return values[rows] if isinstance(rows, slice) else values.take(rows)
    return values[rows] if hasattr(values, "shape") else [values[row] for row in rows]


def column_or_metadata(
    X: Any, passed: Any, column: Any, *, name: str, parameter: str, otherwise: str = ""
) -> Any:
    """Return what was passed for `name`, else the column of X that `parameter` names.

    None if there is neither. If there are both, they must hold the same values. `otherwise`
    ends the error of an X without names.
    """
    if passed is None and column is None:
        return None
    if passed is None:
        if not can_have_columns(X, [column]):
            # A position does not help: it changes when a selector drops columns.
            raise ValueError(
                f"`{parameter}={shorten(column)}` names a column, but X has no column "
                "names; feature selectors and many transformers drop them. Pass "
                f"{name} by metadata routing: fit(X, y, {name}=...). {otherwise}".rstrip()
            )
        return take_column(X, column, name=parameter)
    if column is not None and X is not None and has_column(X, column):
        _check_same(passed, take_column(X, column, name=parameter), name, parameter)
    return passed


def _check_same(passed: Any, taken: Any, name: str, parameter: str) -> None:
    left, right = as_vector(passed, name=name), as_vector(taken, name=parameter)
    if len(left) != len(right):
        return  # the caller reports unequal lengths, with the length of X
    if not _are_equal(left, right):
        raise ValueError(
            f"`{name}` was passed and `{parameter}` names a column of X, and they differ; "
            f"pass one of them (`{parameter}=None` ignores the column)."
        )


def _are_equal(left: np.ndarray, right: np.ndarray) -> bool:
    if left.dtype.kind == right.dtype.kind and left.dtype.kind in "fMm":
        return np.array_equal(left, right, equal_nan=True)
    try:
        return np.array_equal(_as_objects(left), _as_objects(right))
    except TypeError:  # comparisons with pandas.NA are undefined
        return False


def _as_objects(vector: np.ndarray) -> np.ndarray:
    # Datetimes: as objects of a finer unit they would be integers.
    finest = vector.astype("M8[us]") if vector.dtype.kind == "M" else vector
    return finest.astype(object)


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


def _check_position(n_columns: int, column: Any, *, name: str) -> int:
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


# Columns of users and items that are not named.

# The role of a column, and its position in arrays.
_ROLES = {"user": 0, "item": 1}
# Characters of names of columns that do not count.
_IGNORED = str.maketrans("", "", "-_ ")


@dataclass(frozen=True)
class FittedColumn:
    """A column that an estimator was fitted with: its name, if X had names, and position.

    Steps of a pipeline that come before the estimator may have moved it.
    """

    owner: str
    name: Any
    position: int
    n_columns: int
    may_have_moved: bool

    @property
    def label(self) -> Any:
        """The column as a user would write it."""
        return self.position if self.name is None else self.name

    def find(self, X: Any, names: list | None) -> Any:
        """Return the matching column of X, None if it is not certain."""
        if self.name is not None and self.name in (names or ()):
            return self.name
        has_as_many = count_columns(X) == self.n_columns
        return self.position if has_as_many and not self.may_have_moved else None

    def place(self, X: Any, names: list | None) -> int | None:
        """Return its position in an X like that of `fit`, else None."""
        n_columns = count_columns(X)
        may_be = names is None and not self.may_have_moved and self.position < n_columns
        return self.position if may_be or n_columns == self.n_columns else None


FittedPair = dict[str, FittedColumn]


def pair_columns(
    X: Any,
    user: Any,
    item: Any,
    *,
    fitted: FittedPair | None = None,
    name: str = "X",
    otherwise: str = "",
) -> tuple[Any, Any]:
    """Return the columns of X with users and with items.

    A column is the one given; else that of the `fitted` estimator, by name; else one of the
    usual names; else a position: that of the fitted estimator or, without names in X, 0 and
    1. `otherwise` ends the error if no column is found. `name` is the name of X.
    """
    if user is None:
        user = _find_role(X, "user", fitted, name, otherwise)
    if item is None:
        item = _find_role(X, "item", fitted, name, otherwise)
    if is_same_column(user, item):
        raise ValueError(
            f"`user` and `item` are both {shorten(user)}; they must name two columns."
        )
    return user, item


def check_agrees(
    X: Any, role: str, given: Any, fitted: FittedColumn, *, owner: str, kind: str
) -> None:
    """Raise if a column given to a scorer is not the one that the model learned from."""
    matching = fitted.find(X, column_names(X))
    if matching is None:
        return
    if position_of(X, given, name=role) != position_of(X, matching, name=role):
        raise ValueError(
            f"{owner} got {role}={shorten(given)}, but {fitted.owner} was fitted with "
            f"{role}={shorten(fitted.label)}. Leave {role}= out of the {kind}."
        )


def named_column(names: list | None, role: str, *, name: str = "X") -> Any:
    """Return the column with a usual name of users or items; None if not found."""
    own = {n for n in names or () if isinstance(n, str) and _is_named(n, role)}
    if len(own) > 1:
        first, second = sorted(own)[:2]
        raise ValueError(
            f"{name} has the columns {first!r} and {second!r}, which may both hold the "
            f"{role}s. Name one: {role}=."
        )
    return next(iter(own), None)


def column_names(X: Any) -> list | None:
    """Return the names of the columns of X, None if they have no names."""
    names = names_of(X)
    return None if names is None or names == list(range(len(names))) else names


def count_columns(X: Any) -> int:
    """Return how many columns X has."""
    names = column_names(X)
    if names is not None:
        return len(names)
    first = X[:1] if has_rows(X) else X
    shape = X.shape if hasattr(X, "shape") else rows_as_table(first).shape
    return shape[1] if len(shape) > 1 else 1


def _find_role(
    X: Any, role: str, pair: FittedPair | None, name: str, otherwise: str
) -> Any:
    names = column_names(X)
    fitted = None if pair is None else pair[role]
    if fitted is not None and fitted.name is not None and fitted.name in (names or ()):
        return fitted.name
    usual = named_column(names, role, name=name)
    if usual is not None:
        return usual
    if fitted is not None:
        position = fitted.place(X, names)
    else:
        position = _ROLES[role] if names is None else None
    if position is None:
        raise ValueError(
            f"No column of {name} is named '{role}' or '{role}_id'; {name} has "
            f"{'no names' if names is None else shorten(names)}. Name it: {role}=, a name "
            f"or a position. {otherwise}".rstrip()
        )
    return position


def _is_named(name: str, role: str) -> bool:
    plain = name.lower().translate(_IGNORED)
    return plain in (role, f"{role}id")
