"""Read the columns of X with users and items; reject matrices of users × items."""

from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import validate_data

from sklearn_rank._base._ids import read_ids
from sklearn_rank._base._label_checks import check_paired
from sklearn_rank._base._labels import encode_labels
from sklearn_rank._base._numbers import check_in_memory, has_rows
from sklearn_rank._base._validation import check_given, check_option, shorten
from sklearn_rank.inputs._coded_labels import CodedLabels
from sklearn_rank.inputs._columns import (
    batch_as_table,
    column_names,
    is_position,
    pair_columns,
    rows_as_table,
    take_column,
)
from sklearn_rank.inputs._interaction_log import (
    PARAMETERS,
    Log,
    LogColumns,
    as_log,
    columns_of,
    table_of,
)
from sklearn_rank.inputs._kept import keep
from sklearn_rank.recommenders._log_weights import LogParameters
from sklearn_rank.recommenders._pair_weights import as_weights

# Values of `new_users`: the default, and an example for errors.
_POPULAR = "popularity"
_EXAMPLE = 'PopularityRecommender(half_life="10D", time="time")'

_WANTED_ROWS = "a recommender takes rows of (user, item), not users × items."
_STACKED_PAIRS = "np.column_stack([C.row, C.col])"
_PIVOT_ADVICE = (
    'For a pivot table: t = X.stack().rename("weight").reset_index(); '
    't = t[t["weight"] > 0]; fit(t, t["weight"]).'
)


def read_pairs(recommender: Any, X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the columns (users, items) of X that are those of `fit`."""
    X = table_of(X, None)[0]
    names = column_names(X)
    if names is not None and _is_found_by_name(recommender):
        columns = recommender.user_column_, recommender.item_column_
    else:
        X = _validate_table(recommender, X, reset=False)
        columns = recommender._pair_positions
    return _id_columns(X, columns)


def read_training_log(recommender: Any, X: Any, y: Any) -> Log:
    """Return the rows to learn from, with the users and items that occur."""
    if isinstance(X, Log):
        log = suit_log(recommender, X, y).compact
        _adopt_columns(recommender, log.layout)
        keep(log.kept, "weights", None, lambda: as_weights(log.y, log.n_rows))  # checked
        return log
    check_paired({"X": X, "y": y})
    table = _validate_table(recommender, X, reset=True)
    layout = _find_columns(recommender, table)
    users, items = _id_columns(table, layout.positions)
    weights = None if y is None else as_weights(y, len(table))
    return Log(
        len(users),
        CodedLabels(*encode_labels(users, name="user")),
        CodedLabels(*encode_labels(items, name="item")),
        X=X,
        y=weights,
        layout=layout,
    )


def suit_log(recommender: Any, log: Log, y: Any) -> Log:
    """Return a log of the columns that a recommender names; others are those of the log."""
    own = {role: getattr(recommender, role, None) for role in PARAMETERS.values()}
    chosen = {role: column for role, column in own.items() if column is not None}
    return as_log(log, y, {**log.columns, **chosen})


def _adopt_columns(recommender: Any, columns: LogColumns) -> None:
    """Store which columns they are, as scikit-learn does for the columns of a table."""
    recommender.n_features_in_ = columns.n_columns
    names = columns.names
    if names is not None and all(isinstance(name, str) for name in names):
        recommender.feature_names_in_ = np.asarray(names, dtype=object)
    else:
        vars(recommender).pop("feature_names_in_", None)


def read_dislikes(recommender: Any, X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return (users, items) of rows that may have these two columns only."""
    if isinstance(X, list | tuple):
        X = rows_as_table(X) if len(X) else np.empty((0, 2))
    user, item = 0, 1
    if hasattr(X, "columns"):
        user, item = recommender.user_column_, recommender.item_column_
    elif np.ndim(X) == 2 and X.shape[1] == recommender.n_features_in_:
        user, item = recommender._pair_positions
    elif np.ndim(X) != 2 or X.shape[1] != 2:
        raise TypeError(f"`dislikes` must hold rows of (user, item), got {shorten(X)}.")
    return _id_column(X, user, name="dislikes"), _id_column(X, item, name="dislikes")


def _validate_table(recommender: Any, X: Any, *, reset: bool) -> Any:
    """Return X as a table whose shape and names scikit-learn has checked."""
    if sparse.issparse(X):
        call = f"fit({_STACKED_PAIRS}, C.data)" if reset else f"predict({_STACKED_PAIRS})"
        raise TypeError(
            f"X is a sparse matrix; {_WANTED_ROWS} Use C = X.tocoo(); {call}, not "
            "toarray()."
        )
    check_in_memory(X, "X")
    if hasattr(X, "columns"):
        X = batch_as_table(X)  # scikit-learn reads no names of a RecordBatch
        # Each column keeps its type: one array for all would round large integers.
        validate_data(recommender, X, reset=reset, skip_check_array=True)
        return X
    if isinstance(X, list | tuple):
        X = rows_as_table(X) if all(map(has_rows, X)) else np.array(X, dtype=object)
    options: dict[str, Any] = {"dtype": None, "ensure_all_finite": False}
    options["ensure_min_features"] = 2 if reset else 1
    return validate_data(recommender, X, reset=reset, **options)


def _find_columns(recommender: Any, X: Any) -> LogColumns:
    user, item, names = recommender.user, recommender.item, column_names(X)
    if user is None and item is None and names is None:
        _check_no_matrix(X)
    advice = _PIVOT_ADVICE if names is not None and _is_pivot(X) else ""
    user, item = pair_columns(X, user, item, otherwise=advice)
    return columns_of(X, user, item, None)


def _is_found_by_name(recommender: Any) -> bool:
    parameters = recommender.user, recommender.item
    columns = recommender.user_column_, recommender.item_column_
    return not any(map(is_position, (*parameters, *columns)))


def _is_pivot(X: Any) -> bool:
    """Return whether a pandas DataFrame may have a row per user and a column per item."""
    dtypes = getattr(X, "dtypes", ())
    are_numbers = all(getattr(dtype, "kind", "O") in "biuf" for dtype in dtypes)
    return hasattr(X, "stack") and len(dtypes) > 4 and are_numbers


def _check_no_matrix(X: Any) -> None:
    """Raise if the first two columns look like zeros of a matrix, not like ids."""
    if X.shape[1] < 3 or len(X) == 0 or not _is_numeric(X):
        return
    columns = [np.asarray(take_column(X, position, name="X")) for position in (0, 1)]
    if all(2 * np.count_nonzero(column == 0) >= len(column) for column in columns):
        raise ValueError(
            f"X has shape {shorten(X.shape)}, and columns 0 and 1 are mostly 0, as in "
            f"users × items. But {_WANTED_ROWS} Use C = sparse.coo_array(X); "
            f"fit({_STACKED_PAIRS}, C.data). If they are ids, give user=0, item=1."
        )


def _is_numeric(X: Any) -> bool:
    if hasattr(X, "columns"):
        X = X[:1].to_numpy()
    if X.dtype.kind != "O":
        return X.dtype.kind in "biuf"
    return all(isinstance(value, Real) for value in X[0])


def _id_columns(X: Any, columns: tuple) -> tuple[np.ndarray, np.ndarray]:
    """Return the ids of users and of items."""
    if len(X) == 0:
        raise ValueError("X has no rows; a recommender needs at least one interaction.")
    user, item = columns
    return _id_column(X, user, name="user"), _id_column(X, item, name="item")


def _id_column(X: Any, column: Any, *, name: str) -> np.ndarray:
    values = take_column(X, column, name=name)
    is_object = isinstance(values, np.ndarray) and values.dtype.kind == "O"
    return read_ids(values.tolist() if is_object else values, name=name)


def clone_with_columns(recommender: Any, given: Any) -> Any:
    """Return a copy of another recommender; it takes missing columns from this one."""
    model = clone(given)
    own = model.get_params(deep=False)
    sources = {"user": "user_column_", "item": "item_column_", "time": "time"}
    missing = {name: source for name, source in sources.items() if own.get(name, 0) is None}
    return model.set_params(**{n: getattr(recommender, s) for n, s in missing.items()})


def check_recommender(name: str, given: Any) -> None:
    """Raise unless a model is a recommender of this package, or inherits from its mixin."""
    needed = "a recommender of this package, such as EASERecommender()"
    check_given(name, given, isinstance(given, LogParameters), needed)


def fit_for_new_users(recommender: Any, X: Any, y: Any) -> Any:
    """Return `new_users` fitted on the same columns; by default popularity."""
    new_users = recommender.new_users
    if isinstance(new_users, str):
        otherwise = f"Or give a recommender, such as {_EXAMPLE}."
        check_option("new_users", new_users, [_POPULAR], otherwise=otherwise)
        return None
    needed = f"{_POPULAR!r} or a recommender of this package, such as {_EXAMPLE}"
    check_given("new_users", new_users, isinstance(new_users, LogParameters), needed)
    model = clone_with_columns(recommender, new_users).fit(X, y)
    if model._pair_positions != recommender._pair_positions:
        columns = [(own.user_column_, own.item_column_) for own in (model, recommender)]
        raise ValueError(
            f"`new_users` has users and items in the columns {columns[0]}, but "
            f"{type(recommender).__name__} in {columns[1]}; leave out its columns."
        )
    return model
