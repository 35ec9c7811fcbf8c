"""Log: users, items, times and weights of the rows of X, read once and passed on."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from sklearn_rank._base._label_checks import check_paired
from sklearn_rank._base._labels import as_vector, encode_labels
from sklearn_rank._base._messages import quantity, shorten
from sklearn_rank._base._numbers import check_finite, check_in_memory
from sklearn_rank._base._text import conversion_of
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._coded_labels import CodedLabels, PairOrder
from sklearn_rank.inputs._columns import (
    column_names,
    column_or_metadata,
    count_columns,
    count_rows,
    is_position,
    named_column,
    numbers_of_rows,
    pair_columns,
    position_of,
    require_rows,
    take_column,
    take_rows,
)
from sklearn_rank.inputs._kept import Kept
from sklearn_rank.inputs._times import Times, check_units, read_times
from sklearn_rank.typing import ArrayLike, Column, Table

# The roles of columns, and the constructor argument that names each.
PARAMETERS = {"users": "user", "items": "item", "times": "time"}


@dataclass(frozen=True)
class LogColumns:
    """The columns of a table that a log was read from, as the caller named them."""

    user: Any
    item: Any
    time: Any
    names: list | None  # of all columns
    n_columns: int
    positions: tuple[int, int]  # of user and item

    def label(self, position: int) -> Any:
        """Return the name of a column, or its position if it has none of its own."""
        names = self.names
        name = position if names is None else names[position]
        is_name = names is not None and not is_position(name) and names.count(name) == 1
        return name if is_name else position

    @property
    def user_label(self) -> Any:
        """The column of users, as `fit` names it."""
        return self.label(self.positions[0])

    @property
    def item_label(self) -> Any:
        """The column of items, as `fit` names it."""
        return self.label(self.positions[1])

    def suit(self, estimator: Any) -> bool:
        """Return whether the columns that an estimator names are these."""
        own = {"user": self.user, "item": self.item, "time": self.time}
        asked = ((getattr(estimator, role, None), column) for role, column in own.items())
        return all(name is None or name == column for name, column in asked)


@dataclass(frozen=True, eq=False)
class Log:
    """The rows of X as splitters, recommenders and scorers see them.

    Fields that are not needed are None; the types are those of needed fields.
    """

    n_rows: int
    users: CodedLabels = None  # type: ignore[assignment]
    items: CodedLabels = None  # type: ignore[assignment]
    times: Times = None  # type: ignore[assignment]
    X: Any = None  # the table itself, for estimators that read other columns
    y: np.ndarray | None = None  # rating of each row
    layout: LogColumns = None  # type: ignore[assignment]
    kept: Kept | None = None  # in a search: what its fits share

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, rows: Any) -> Self:
        """Return some rows: numbers, a mask or a slice; ``(rows, ...)`` is the same."""
        rows = rows[0] if isinstance(rows, tuple) else rows
        rows = np.atleast_1d(np.arange(self.n_rows)[rows])
        times = self.times
        return self._replace(
            n_rows=len(rows),
            users=self.users and replace(self.users, codes=self.users.codes[rows]),
            items=self.items and replace(self.items, codes=self.items.codes[rows]),
            times=None if times is None else replace(times, values=times.values[rows]),
            X=None if self.X is None else LazyRows(self.X, rows),
            y=None if self.y is None else self.y[rows],
            kept=None,
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields; what was computed from them is computed again."""
        return {
            **{part.name: getattr(self, part.name) for part in fields(Log)},
            "kept": None,
        }

    def _replace(self, **changes: Any) -> Self:
        """Return a copy with other fields."""
        copied = object.__new__(type(self))
        vars(copied).update({**self.__getstate__(), "kept": self.kept, **changes})
        return copied

    @cached_property
    def compact(self) -> Self:
        """The same with the users and items that occur, as `fit` numbers them."""
        if self.users.compact is self.users and self.items.compact is self.items:
            return self
        users, items = (side and side.compact for side in (self.users, self.items))
        return self._replace(users=users, items=items)

    @property
    def columns(self) -> dict[str, Column]:
        """The columns by role: user, item, and time where there is one."""
        columns = {role: getattr(self.layout, role) for role in PARAMETERS.values()}
        return {role: column for role, column in columns.items() if column is not None}

    @cached_property
    def pairs(self) -> PairOrder:
        """The rows by user and item."""
        users, items = self.users, self.items
        shape = len(users.values), len(items.values)
        return PairOrder.from_codes(users.codes, items.codes, shape)

    @cached_property
    def weights(self) -> np.ndarray:
        """The weight of each row: y, or 1."""
        return np.ones(self.n_rows) if self.y is None else self.y.astype(np.float64)

    @property
    def table(self) -> Any:
        """The rows of the table, for what does not take a log."""
        return self.X.taken if isinstance(self.X, LazyRows) else self.X

    @property
    def period(self) -> str | None:
        """The first and the last time in words, None without times."""
        if self.times is None:
            return None
        ends = self.times.values.min(), self.times.values.max()
        texts = [self.times.show(end) for end in ends]
        if self.times.unit is not None:
            texts = [text.split(" ")[0] for text in texts]
        return " to ".join(texts)


def check_no_second_y(y: Any) -> None:
    """Raise if there is a y beside a log, which has its own."""
    if y is not None:
        raise ValueError("`y` is in the log; give it there: InteractionLog(X, y).")


def as_log(X: Any, y: Any, columns: Mapping[str, Any]) -> "InteractionLog":
    """Return the rows as a log of these columns; such a log is not read again."""
    if isinstance(X, InteractionLog):
        check_no_second_y(y)
        if {"time": None, **X.columns, **columns} == {"time": None, **X.columns}:
            if "time" in columns:
                return X
            return X._replace(times=None, layout=replace(X.layout, time=None))
        X, y = X.table, X.y
    return InteractionLog(X, y, **columns)


def table_of(X: Any, y: Any) -> tuple[Any, Any]:
    """Return the table of a log, and its ratings; other values as they are."""
    if not isinstance(X, Log):
        return X, y
    check_no_second_y(y)
    return X.table, X.y


def count_rows_of(X: Any) -> int:
    """Return how many rows a table or a log has."""
    return X.n_rows if isinstance(X, Log) else count_rows(X, name="X")


class LazyRows:
    """Some rows of a table, taken when they are read."""

    def __init__(self, X: Any, rows: np.ndarray):
        if isinstance(X, LazyRows):
            X, rows = X.X, X.rows[rows]
        self.X: Any = X
        self.rows: np.ndarray = rows

    @cached_property
    def taken(self) -> Any:
        """The rows."""
        return take_rows(self.X, self.rows)


@explained
class InteractionLog(Log):
    """Rows of users and items, read once: it stands for X where rows of a log do.

    Splitters, recommenders, scorers of recommenders, :func:`tune_models` and scikit-learn's
    searches take it in place of a table. The columns, which it knows, need no name there.

    Parameters
    ----------
    X : {array-like, sparse matrix, dataframe} of shape (n_rows, n_columns)
        Interactions, a row each. Frames of pandas, polars and Arrow.
    y : array-like of shape (n_rows,), default=None
        Ratings of interactions, 0 or more: models learn from them as weights, and metrics
        take them as grades.
    user, item : str or int, default=None
        Columns of X with users and items. If None, the columns named ``user`` or
        ``user_id``, ``item`` or ``item_id``; the first two of X without names.
    time : str or int, default=None
        Column of X with the time of each interaction.

    Attributes
    ----------
    users_, items_ : ndarray
        The ids that have a row, sorted.
    n_rows : int
        Number of rows.
    shape : tuple of int
        Number of rows, and of columns of X.
    columns : dict of str to str or int
        The columns by role: user, item, and time where there is one.

    Raises
    ------
    ValueError
        If a column is not found, an id is missing, or the pandas labels of X and y have two
        orders.
    TypeError
        If X is not in memory, or an id is not hashable.

    See Also
    --------
    sklearn_rank.experiments.tune_models : Reads a table once by itself.

    Notes
    -----
    Ids that cannot be sorted keep the order in which they appear in the whole log.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn_rank.datasets import make_interactions
    >>> from sklearn_rank.inputs import InteractionLog
    >>> from sklearn_rank.metrics import make_recommender_scorer
    >>> from sklearn_rank.model_selection import TimeSplit
    >>> from sklearn_rank.recommenders import PopularityRecommender
    >>> frame = make_interactions(300, 200, 10_000, random_state=0, as_frame=True)
    >>> log = InteractionLog(frame, time="time")
    >>> log[:5_000].shape
    (5000, 3)
    >>> scorer = make_recommender_scorer("ndcg@10")
    >>> grid = {"half_life": ["10D", "100D"]}
    >>> model, cv = PopularityRecommender(), TimeSplit(3, seen_items="drop")
    >>> GridSearchCV(model, grid, scoring=scorer, cv=cv).fit(log).best_params_
    {'half_life': '100D'}
    """

    # NumPy and loops would read row by row.
    __iter__ = None

    def __init__(
        self,
        X: Table,
        y: ArrayLike | None = None,
        *,
        user: Column | None = None,
        item: Column | None = None,
        time: Column | None = None,
    ) -> None:
        check_in_memory(X, "X")
        check_paired({"X": X, "y": y})
        user, item = pair_columns(X, user, item)
        n_rows = count_rows(X, name="X")
        columns = {"user": user, "item": item, "time": time}
        read: Any = [
            None
            if column is None
            else _read_values(take_column(X, column, name=role), role, n_rows, column)
            for role, column in columns.items()
        ]
        ratings = None if y is None else numbers_of_rows(y, n_rows, name="y")
        if ratings is not None:
            check_finite("y", ratings)
        users, items, times = read
        layout = columns_of(X, user, item, time)
        super().__init__(n_rows, users, items, times, X, ratings, layout)

    @property
    def users_(self) -> NDArray[Any]:
        """The ids of the users that have a row, sorted."""
        return self.users.compact.values

    @property
    def items_(self) -> NDArray[Any]:
        """The ids of the items that have a row, sorted."""
        return self.items.compact.values

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows, and of columns of X."""
        return self.n_rows, self.layout.n_columns

    def to_frame(self) -> Table:
        """Return the rows of the table that was given.

        Returns
        -------
        X : {array-like, sparse matrix, dataframe} of shape (n_rows, n_columns)
            Of the type that was given.
        """
        return self.table

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        """Refuse to be an array of numbers."""
        check_in_memory(self, "X")
        raise AssertionError

    def __repr__(self) -> str:
        """Return the numbers of rows, users and items, the period and the columns."""
        users, items = (len(labels) for labels in (self.users_, self.items_))
        period = "" if self.period is None else f", {self.period}"
        columns = ", ".join(map(str, self.columns.values()))
        return (
            f"InteractionLog: {quantity(self.n_rows, 'row')} of {quantity(users, 'user')} "
            f"and {quantity(items, 'item')}{period}; columns {columns}"
        )


def columns_of(X: Any, user: Any, item: Any, time: Any) -> LogColumns:
    """Return the columns of a log by name and position."""
    positions = position_of(X, user, name="user"), position_of(X, item, name="item")
    return LogColumns(user, item, time, column_names(X), count_columns(X), positions)


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
    if isinstance(X, Log):  # what was read is passed on
        own = {name: getattr(X.layout, role) for name, role in PARAMETERS.items()}
        columns = {
            name: own[name] if passed[name] is None and of is None else of
            for name, of in columns.items()
        }
        if all(columns[n] == own[n] and getattr(X, n) is not None for n in needed):
            return X.compact
        X = X.table
    values_of = {
        name: _find_values(X, passed[name], columns[name], name=name, owner=owner)
        for name in PARAMETERS
        if name in needed
    }
    n_rows = _count_rows(X, values_of)
    of_X = {name: None if passed[name] is not None else columns[name] for name in values_of}
    read = {
        name: _read_values(values, name, n_rows, of_X[name])
        for name, values in values_of.items()
    }
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


def _count_rows(X: Any, values_of: Mapping[str, Any]) -> int:
    if X is not None:
        return count_rows(X, name="X")
    for name, values in values_of.items():
        return count_rows(values, name=name)
    raise ValueError("X is None, and there are no users, items or times; give X.")


def read_row_times(values: Any, column: Any = None) -> Times:
    """Return the time of each row, in a column of X; raise if they mix units."""
    try:
        times = read_times(values)
    except TypeError as error:
        labels = as_vector(values, name="times").tolist()
        text = next((label for label in labels if isinstance(label, str)), None)
        if text is None or not isinstance(column, str):
            raise
        taken = f"X[{column!r}]"
        conversion = conversion_of(taken, labels)
        raise TypeError(
            f"{taken} holds text ({shorten(text)}): {taken} = {conversion}."
        ) from error
    check_units(times)
    return times


def _read_values(values: Any, name: str, n_rows: int, column: Any = None) -> Any:
    require_rows(values, n_rows, name=name)
    if n_rows == 0:
        raise ValueError("X has no rows, so there is nothing to split.")
    if name in ("time", "times"):
        return read_row_times(values, column)
    vector = as_vector(values, name=name)
    # Strings get an array of their type, as in `fit`.
    labels = vector.tolist() if vector.dtype.kind == "O" else vector
    return CodedLabels(*encode_labels(labels, name=name))
