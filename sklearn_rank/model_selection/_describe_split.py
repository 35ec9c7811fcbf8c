"""describe_split: what each fold holds, and whether its train knows the future."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from numbers import Integral
from typing import Any, Literal, NoReturn

import numpy as np
from sklearn.model_selection import check_cv

from sklearn_rank._base._labels import as_vector
from sklearn_rank._base._messages import keep_warnings, quantity
from sklearn_rank._base._validation import check_given, check_option, is_iterable, shorten
from sklearn_rank._display._result import Result
from sklearn_rank._display._section import Section
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._coded_labels import CodedLabels
from sklearn_rank.inputs._columns import column_names, column_or_metadata, named_column
from sklearn_rank.inputs._interaction_log import PARAMETERS, Log, read_log, table_of
from sklearn_rank.model_selection._interaction_splitter import (
    InteractionSplitter,
    count_cut_queries,
    read_queries,
    repeated_pairs,
)
from sklearn_rank.typing import ArrayLike, Column, Folds, Labels, PandasFrame, Table, Times

# The folds of any splitter and the log that it splits, to describe and to draw.


def read_split(
    cv: Any,
    X: Any,
    y: Any,
    groups: Any,
    values: tuple = (None, None, None),
    columns: tuple = (None, None, None),
    *,
    needed: Collection[str] = (),
) -> tuple[Log, Iterator[tuple[np.ndarray, np.ndarray]]]:
    """Return the log and the folds (train, test) of `cv`.

    `values` and `columns` are of users, items and times, None where they are not given.
    Columns that are not given are those of `cv`, if it is one of our splitters, or have the
    usual names. What is in `needed` must be there; of the rest the log holds what can be
    found.
    """
    check_splitter(cv)
    users, items, times = values
    passed = {"users": groups if users is None else users, "items": items, "times": times}
    own = {
        name: getattr(cv, parameter, None) if column is None else column
        for (name, parameter), column in zip(PARAMETERS.items(), columns, strict=True)
    }
    log_columns = X.columns if isinstance(X, Log) else {}
    for name, role in PARAMETERS.items():
        if passed[name] is None and own[name] is None:
            own[name] = log_columns.get(role)
            if not log_columns and name != "times":
                own[name] = find_usual_column(X, name, is_needed=name in needed)
    if isinstance(X, Log):
        is_own = own == {name: X.columns.get(role) for name, role in PARAMETERS.items()}
        if is_own and set(passed.values()) == {None}:
            return X, _find_folds(cv, X, y, groups, passed, X.n_rows)
        X, y = table_of(X, y)
    readable = {
        name for name in PARAMETERS if passed[name] is not None or own[name] is not None
    }
    log = read_log(X, passed, own, needed=readable.union(needed), owner=type(cv).__name__)
    extra = {
        # What `cv` names itself it finds itself.
        name: passed[name]
        if getattr(cv, parameter, None) is not None
        else column_or_metadata(X, passed[name], own[name], name=name, parameter=parameter)
        for name, parameter in PARAMETERS.items()
    }
    return log, _find_folds(cv, X, y, groups, extra, log.n_rows)


def find_usual_column(X: Any, name: str, *, is_needed: bool) -> Any:
    """Return the column of the usual name; if two have one and none is needed, None."""
    try:
        return named_column(column_names(X), PARAMETERS[name])
    except ValueError:
        if is_needed:
            raise
        return None


def _find_folds(cv: Any, X: Any, y: Any, groups: Any, extra: dict, n_rows: int) -> Iterator:
    if isinstance(cv, InteractionSplitter):
        folds = cv.split(X, y, **extra)
        return read_folds(folds, n_rows)
    X, y = table_of(X, y)
    if is_iterable_of_folds(cv):
        folds = cv
    else:
        folds = check_cv(cv, y).split(np.empty(n_rows) if X is None else X, y, groups)
    return read_folds(folds, n_rows)


def check_splitter(cv: Any) -> None:
    """Raise for values that scikit-learn does not accept as `cv`."""
    is_number = isinstance(cv, Integral) and not isinstance(cv, np.timedelta64)
    has_folds = hasattr(cv, "split") or is_iterable_of_folds(cv) or is_number
    is_valid = cv is None or (has_folds and not isinstance(cv, type | str | bytes))
    needed = "a splitter such as TimeSplit(time='date'), a number of folds or an iterable "
    check_given("cv", cv, is_valid, needed + "of (train, test)")


def is_iterable_of_folds(cv: Any) -> bool:
    """Return whether `cv` is an iterable of folds, not a splitter or a number."""
    return is_iterable(cv) and not hasattr(cv, "split")


def read_folds(folds: Iterable, n_rows: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield folds as row numbers, or say what is wrong with one of them."""
    fold = -1
    for fold, parts in enumerate(folds):
        if not isinstance(parts, tuple | list) or len(parts) != 2:
            raise TypeError(
                f"Fold {fold} of `cv` must be a pair (train, test) of row numbers or of "
                f"masks, got {shorten(parts)}."
            )
        train, test = (
            _read_rows(rows, n_rows, f"Fold {fold} of `cv`", name)
            for name, rows in zip(("train", "test"), parts, strict=True)
        )
        yield train, test
    if fold < 0:
        raise ValueError("`cv` has no folds; give at least one (train, test).")


def _read_rows(rows: Any, n_rows: int, fold: str, name: str) -> np.ndarray:
    """Return row numbers, which scikit-learn takes as masks as well."""
    rows = as_vector(rows, name=name) if isinstance(rows, list) else rows
    rows = np.asarray(rows)
    if rows.dtype == bool and rows.shape == (n_rows,):
        return np.flatnonzero(rows)
    if rows.ndim != 1 or (len(rows) and rows.dtype.kind not in "iu"):
        raise TypeError(
            f"{fold} must have {name} rows by number or as a mask of {n_rows} values, got "
            f"dtype {rows.dtype} and shape {rows.shape}."
        )
    wrong = (rows < -n_rows) | (rows >= n_rows)
    if wrong.any():
        raise ValueError(
            f"{fold} has {name} row {rows[np.argmax(wrong)]}, but X has {n_rows} row(s)."
        )
    return rows.astype(np.intp) % n_rows


# Columns that are printed as percentages; other floats are times.
_SHARE_COLUMNS = {"cold_users", "cold_user_rows", "cold_items", "cold_item_rows"}


@explained
class SplitDescription(Result, dict):
    """Table of the folds: a dict of columns, each with one value per fold.

    `print` shows it with one column per fold; `to_frame` gives a pandas DataFrame with one
    row per fold.

    Parameters
    ----------
    columns : mapping or iterable of pairs, default=()
        The columns by name.
    **others : list
        Further columns.

    Examples
    --------
    >>> from sklearn_rank.model_selection import SplitDescription
    >>> found = SplitDescription(fold=[0, 1], train=[800, 900], test=[100, 100])
    >>> print(found)
    fold     0    1
    train  800  900
    test   100  100
    """

    def __init__(
        self,
        columns: Mapping[str, list] | Iterable[tuple[str, list]] = (),
        /,
        **others: list,
    ) -> None:
        super().__init__(columns, **others)

    def to_frame(self) -> PandasFrame:
        """Return the numbers as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per fold.
        """
        return super().to_frame().set_index("fold")

    def _columns(self) -> dict[str, list]:
        return dict(self)

    def _sections(self) -> list[Section]:
        cells = {name: [_write_cell(name, v) for v in of] for name, of in self.items()}
        return [Section(lines=[[name, *of_folds] for name, of_folds in cells.items()])]

    def __repr__(self) -> str:
        """Return the number of folds and what is known of each."""
        folds = quantity(len(self.get("fold", [])), "fold")
        return f"SplitDescription({folds}, {quantity(len(self), 'column')})"


@explained
@keep_warnings
def describe_split(
    cv: Folds,
    X: Table | None,
    y: ArrayLike | None = None,
    *,
    groups: Labels | None = None,
    users: Labels | None = None,
    items: Labels | None = None,
    times: Times | None = None,
    user: Column | None = None,
    item: Column | None = None,
    time: Column | None = None,
    query: Column | None = None,
    check: Literal["user", "fold", "query"] | None = "user",
) -> SplitDescription:
    """Describe the folds of a splitter, and raise where train knows the future.

    Parameters
    ----------
    cv : splitter, int or iterable
        One of this module's splitters, or whatever scikit-learn takes as `cv`.
    X : array-like, sparse matrix or DataFrame of shape (n_rows, n_columns) or None
        The rows to split. None where users, items and times are passed.
    y : array-like of shape (n_rows,), default=None
        Target, for splitters that look at it.
    groups : array-like of shape (n_rows,), default=None
        What scikit-learn's splitters take as groups, and another name for `users`.
    users, items, times : array-like of shape (n_rows,), default=None
        User, item and time of each row, instead of columns of X.
    user, item, time : int or str, default=None
        Columns of X: position or name. If None, those of `cv`, where it names them, else
        those named ``user`` or ``user_id``, ``item`` or ``item_id``.
    query : int or str, default=None
        Column of X with the query of each row, to count those that are cut. If None, that
        of ``cv.keep_together``.
    check : {"user", "fold", "query", None}, default="user"
        What raises an error. "user": a train row that is later than a test row of the
        same user. "fold": a train row that is as late as any test row of the fold; this
        holds for `TimeSplit` and `UserTimeSplit` only. "query": a query with rows in train
        and in test. If None, nothing; the table counts them.

    Returns
    -------
    SplitDescription
        Dict of columns with one value per fold, in the order of the folds. What needs
        users, items or times that are not known is left out.

        - `fold`, and rows in `train`, `test` and `dropped` (in neither);
        - `train_users`, `test_users`, `train_items`, `test_items`: how many there are;
        - `cold_users`, `cold_items`: share of the test users (items) without a row in
          train;
        - `cold_user_rows`, `cold_item_rows`: share of the test rows that are theirs;
        - `repeated_pairs`: test rows whose user and item occur together in train;
        - `cut_queries`: queries with rows in train and in test;
        - `train_start`, `train_end`, `test_start`, `test_end`: first and last time,
          datetimes in UTC where they have a time zone;
        - `later_train_of_user`: test rows for which train has a later row of that user;
        - `later_train`: train rows as late as the first test row, or later.

    Raises
    ------
    ValueError
        When `check` finds a leak (with the fold and a row of each part), or needs
        users, times or queries that are not known.

    Examples
    --------
    >>> from sklearn_rank.model_selection import TimeSplit, describe_split
    >>> log = [["ann", "x", 1], ["bob", "y", 2], ["ann", "y", 3], ["cy", "z", 4]]
    >>> cv = TimeSplit(2, 1, user=0, item=1, time=2)
    >>> print(describe_split(cv, log, check="fold"))
    fold                    0       1
    train                   2       3
    test                    1       1
    dropped                 1       0
    train_users             2       2
    test_users              1       1
    cold_users           0.0%  100.0%
    cold_user_rows       0.0%  100.0%
    train_items             2       2
    test_items              1       1
    cold_items           0.0%  100.0%
    cold_item_rows       0.0%  100.0%
    repeated_pairs          0       0
    train_start             1       1
    train_end               2       3
    test_start              3       4
    test_end                3       4
    later_train_of_user     0       0
    later_train             0       0
    """
    check_option("check", check, ("user", "fold", "query", None))
    needed = {"user": {"users", "times"}, "fold": {"times"}}.get(check or "", set())
    queries = _find_queries(cv, X, query, check)
    log, folds = read_split(
        cv, X, y, groups, (users, items, times), (user, item, time), needed=needed
    )
    table = SplitDescription()
    for fold, (train, test) in enumerate(folds):
        if len(train) == 0 or len(test) == 0:
            raise ValueError(
                f"Fold {fold} of {shorten(cv)} needs rows to train and to test on."
            )
        masks = _mask(log, train), _mask(log, test)
        row = {"fold": fold, **_describe_fold(log, *masks, queries)}
        if queries is not None and check == "query" and row["cut_queries"]:
            _raise_cut(queries, *masks, row)
        elif check == "user" and row["later_train_of_user"]:
            _raise_future_of_user(log, *masks, row)
        elif check == "fold" and row["later_train"]:
            _raise_late_train(log, *masks, row)
        for name, value in row.items():
            table.setdefault(name, []).append(value)
    return table


def _find_queries(cv: Any, X: Any, query: Any, check: str | None) -> CodedLabels | None:
    if query is not None:
        return read_queries(X, query, name="query")
    column = getattr(cv, "keep_together", None)
    if column is not None:
        return read_queries(X, column, name="keep_together")
    if check == "query":
        raise ValueError(
            "`check='query'` needs the query of each row; name their column of X: query=."
        )
    return None


def _describe_fold(
    log: Log, train: np.ndarray, test: np.ndarray, queries: CodedLabels | None
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "train": int(np.count_nonzero(train)),
        "test": int(np.count_nonzero(test)),
        "dropped": int(np.count_nonzero(~train & ~test)),
    }
    for name, labels in (("users", log.users), ("items", log.items)):
        if labels is not None:
            row |= _describe_labels(name.removesuffix("s"), labels, train, test)
    if log.users is not None and log.items is not None:
        row["repeated_pairs"] = len(repeated_pairs(log, train, test))
    if queries is not None:
        row["cut_queries"] = count_cut_queries(queries, train, test)
    if log.times is not None:
        row |= _describe_times(log, train, test)
    return row


def _describe_labels(
    name: str, labels: CodedLabels, train: np.ndarray, test: np.ndarray
) -> dict[str, Any]:
    trained, tested = labels.present(train), labels.present(test)
    return {
        f"train_{name}s": int(np.count_nonzero(trained)),
        f"test_{name}s": int(np.count_nonzero(tested)),
        f"cold_{name}s": float(np.mean(~trained[tested])),
        f"cold_{name}_rows": float(np.mean(~trained[labels.codes[test]])),
    }


def _describe_times(log: Log, train: np.ndarray, test: np.ndarray) -> dict[str, Any]:
    times, row = log.times, {}
    for part, rows in (("train", train), ("test", test)):
        values = times.values[rows]
        row[f"{part}_start"] = times.label(values.min())
        row[f"{part}_end"] = times.label(values.max())
    if log.users is not None:
        outrun = _find_outrun_rows(log, train, test)
        row["later_train_of_user"] = int(np.count_nonzero(outrun))
    first_test = times.values[test].min()
    row["later_train"] = int(np.count_nonzero(times.values[train] >= first_test))
    return row


def _find_outrun_rows(log: Log, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Return the test rows for which train has a later row of the same user."""
    codes, values = log.users.codes, log.times.values
    newest = np.full(len(log.users.values), values.min())
    np.maximum.at(newest, codes[train], values[train])
    return test & (newest[codes] > values)


def _raise_future_of_user(
    log: Log, train: np.ndarray, test: np.ndarray, row: dict
) -> NoReturn:
    tested, codes = int(np.argmax(_find_outrun_rows(log, train, test))), log.users.codes
    late = _show_row(log, train & (codes == codes[tested]))
    (label,) = log.users.values[codes[[tested]]].tolist()
    raise ValueError(
        f"Fold {row['fold']} trains on the future of {row['later_train_of_user']} test "
        f"row(s). User {label!r} has train {late}, after test "
        f"{_show_row(log, np.arange(log.n_rows) == tested)}. "
        "Use LeaveLastOut or TimeSplit, or check=None where that is meant."
    )


def _raise_late_train(log: Log, train: np.ndarray, test: np.ndarray, row: dict) -> NoReturn:
    late, tested = _show_row(log, train), _show_row(log, test, np.argmin)
    raise ValueError(
        f"Fold {row['fold']} has {row['later_train']} train row(s) as late as its first "
        f"test row or later: train {late}, test {tested}. Use TimeSplit or UserTimeSplit, "
        "or check='user'."
    )


def _raise_cut(
    queries: CodedLabels, train: np.ndarray, test: np.ndarray, row: dict
) -> NoReturn:
    is_tested = queries.present(test)
    (label,) = queries.values[[np.argmax(queries.present(train) & is_tested)]].tolist()
    raise ValueError(
        f"Fold {row['fold']} cuts {row['cut_queries']} of its {is_tested.sum()} test "
        f"queries, such as {label!r}: they have rows in train as well. Keep them whole: "
        "name the column of queries as keep_together=, or as user= of UserKFold."
    )


def _mask(log: Log, rows: np.ndarray) -> np.ndarray:
    mask = np.zeros(log.n_rows, dtype=bool)
    mask[rows] = True
    return mask


def _show_row(log: Log, mask: np.ndarray, choose: Any = np.argmax) -> str:
    """Return the number and the time of the newest row, or of the one to `choose`."""
    rows = np.flatnonzero(mask)
    row = rows[choose(log.times.values[rows])]
    return f"row {row} at {log.times.show(log.times.values[row])}"


def _write_cell(name: str, value: Any) -> str:
    if isinstance(value, np.datetime64):
        text = np.datetime_as_string(value, unit="s")
        return str(text).replace("T", " ").removesuffix(" 00:00:00")
    if name in _SHARE_COLUMNS:
        return f"{value:.1%}"
    return f"{value:.15g}" if isinstance(value, float) else f"{value}"
