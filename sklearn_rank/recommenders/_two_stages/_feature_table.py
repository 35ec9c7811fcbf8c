"""Features of users and items: from tables, and from the rows of a log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse

from sklearn_rank._base._ids import KnownIds, read_ids, unknown_ids_error
from sklearn_rank._base._labels import as_vector, encode_labels
from sklearn_rank._base._numbers import is_missing, is_number
from sklearn_rank._base._runs import begins_run, sizes_of
from sklearn_rank._base._validation import check_given, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._columns import column_names, take_column
from sklearn_rank.inputs._interaction_log import Log
from sklearn_rank.inputs._times import Times, check_units, read_times
from sklearn_rank.recommenders._pairs import Pairs
from sklearn_rank.typing import Column, DataFrame

# A column with more distinct texts holds names, not categories.
MOST_CATEGORIES = 50


@explained
class FeatureTable:
    """Features of items or of users for `TwoStageRecommender`.

    The table is read once, and never changes. Copies are the table itself, so that
    `clone` and searches neither copy nor cut it, as they would a frame.

    Parameters
    ----------
    frame : DataFrame of pandas or polars
        One row per item (or a user), or with `time` a row for each change. Numbers and
        truth values become a feature a column. Texts and categories become a feature a
        value, 1 where the column has it and else 0, for at most 50 values. What is missing
        is NaN.
    id : str or int
        Column with the ids, by name or position.
    time : str or int, default=None
        Column with the time from which a row holds, of the kind that the log has. An id
        then has the values of its newest row that is not after the moment of the list; of
        equal times the last row holds. If None, the values hold at all times.

        A table without times may leak what was known only later, such as the mean rating of
        an item: give such columns with their times.

    Attributes
    ----------
    feature_names : list of str
        Names of the features: of a column, or ``"column=value"``.

    Raises
    ------
    ValueError
        If there is no feature, a column has more than 50 texts, ids or times are missing,
        or ids repeat without `time`.
    TypeError
        If `frame` is not a frame, or a column holds neither numbers nor texts.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_rank.recommenders import FeatureTable
    >>> items = pd.DataFrame({"item": ["tea", "jam"], "price": [3, 2], "kind": ["a", "b"]})
    >>> FeatureTable(items, id="item")
    FeatureTable(2 rows, id='item', features: price, kind=a, kind=b)
    """

    def __init__(self, frame: DataFrame, *, id: Column, time: Column | None = None) -> None:
        names: Any = column_names(frame)
        needed = "a DataFrame of pandas or polars with one row per id"
        check_given("frame", frame, names is not None, needed)
        self._id, self._time = id, time
        self._ids = read_ids(take_column(frame, id, name="id"), name="id")
        self._times: Times | None = None
        if time is not None:
            self._times = read_times(take_column(frame, time, name="time"))
            check_units(self._times)
        self._check_distinct()
        columns = [
            _column_features(name, take_column(frame, position, name="frame"))
            for position, name in enumerate(names)
            if name not in (id, time) and position not in (id, time)
        ]
        self._feature_names = [name for features in columns for name in features]
        if not self._feature_names:
            raise ValueError("`frame` has no feature: all columns are ids or times.")
        self._values = np.column_stack([v for part in columns for v in part.values()])
        self._order = np.arange(len(self._values))
        if self._times is not None:
            self._order = np.argsort(self._times.values, kind="stable")
        for array in (self._ids, self._values, self._order):
            array.flags.writeable = False

    @property
    def feature_names(self) -> list[str]:
        """Names of the features."""
        return list(self._feature_names)

    def __copy__(self) -> Self:
        """Return the table itself: it never changes."""
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        """Return the table itself, also where a search clones its recommender."""
        return self

    def __repr__(self) -> str:
        """Return the number of rows, the columns and some features."""
        time = "" if self._time is None else f", time={self._time!r}"
        features = ", ".join(self._feature_names[:5])
        more = ", ..." if len(self._feature_names) > 5 else ""
        return (
            f"FeatureTable({len(self._ids)} rows, id={self._id!r}{time}, "
            f"features: {features}{more})"
        )

    def _match_ids(self, ids: KnownIds, *, name: str) -> np.ndarray:
        """Return the position of each row's id among known ids, -1 for unknown ids."""
        positions = ids.find(self._ids, name=name)
        if (positions < 0).all():
            raise unknown_ids_error(name, self._ids, ids.labels)
        return positions

    def _features_at(
        self, positions: np.ndarray, n: int, moment: Any, log_times: Times
    ) -> np.ndarray:
        """Return the features of `n` known ids at a moment of a log; NaN if not given.

        `positions` holds what `_match_ids` returns.
        """
        rows = self._order
        if self._times is not None:
            until = _convert_moment(moment, log_times, self._times)
            rows = rows[self._times.values[rows] <= until]
        rows = rows[positions[rows] >= 0]
        values = np.full((n, self._values.shape[1]), np.nan)
        values[positions[rows]] = self._values[rows]  # the last of several rows is kept
        return values

    def _check_distinct(self) -> None:
        labels, codes = encode_labels(self._ids, name="id")
        if self._times is None and len(labels) < len(codes):
            twice = labels[np.argmax(np.bincount(codes) > 1)]
            raise ValueError(
                f"{len(codes) - len(labels)} row(s) repeat an id, such as "
                f"{shorten(twice)}; keep one row per id, or name a column with `time=`."
            )


def _convert_moment(moment: Any, log_times: Times, own: Times) -> Any:
    """Return a moment of a log in the unit of a table's own times."""
    if log_times.kind != own.kind:
        raise TypeError(
            f"The times of a FeatureTable are {own.kind}, those of the log "
            f"{log_times.kind}; convert one of them."
        )
    if log_times.unit == own.unit:
        return moment
    ticks = {None: 1, "us": 1, "ns": 1000}
    return moment * ticks[own.unit] // ticks[log_times.unit]


def as_tables(tables: Any, *, name: str) -> list[FeatureTable]:
    """Return no, one or several tables as a list."""
    listed = [] if tables is None else tables
    listed = [listed] if isinstance(listed, FeatureTable) else listed
    is_list = isinstance(listed, Sequence) and not isinstance(listed, str)
    are_tables = is_list and all(isinstance(table, FeatureTable) for table in listed)
    needed = "a FeatureTable or a list of them, such as FeatureTable(frame, id=...)"
    check_given(name, tables, are_tables, needed)
    return list(listed)


def _column_features(name: Any, values: Any) -> dict[str, np.ndarray]:
    """Return the features of a column by their names."""
    column = as_vector(values, name=str(name))
    if column.dtype.kind in "biuf":
        return {str(name): column.astype(np.float64)}
    if column.dtype.kind not in "OUS":
        raise TypeError(
            f"Column {name!r} of the frame holds {column.dtype}; give numbers, such as an "
            "age, or texts, or leave it out."
        )
    entries = column.tolist()
    is_there = ~np.fromiter(map(is_missing, entries), bool, len(entries))
    if all(is_number(type(value)) for value in column[is_there].tolist()):
        numbers = np.full(len(column), np.nan)
        numbers[is_there] = column[is_there].astype(np.float64)
        return {str(name): numbers}
    labels, codes = encode_labels(column[is_there], name=str(name))
    if len(labels) > MOST_CATEGORIES:
        raise ValueError(
            f"Column {name!r} of the frame has {len(labels):,} different texts, more than "
            f"{MOST_CATEGORIES}; leave it out, or merge rare ones."
        )
    code = np.full(len(column), -1)
    code[is_there] = codes
    return {f"{name}={text}": (code == number) * 1.0 for number, text in enumerate(labels)}


# Features from the rows of a log up to a moment.

# Half-lives of the counts of rows, in label windows: 1.4 to 98 days for a fortnight.
HALF_LIVES = (0.1, 0.2, 0.7, 2.0, 7.0)

_COUNTS = [f"rows_{half_life:g}" for half_life in HALF_LIVES]
ITEM_FEATURES = [f"item_{part}" for part in ("users", *_COUNTS, "first_age", "last_age")]
_OF_USERS = ("items", "visits", "first_age", "last_age", "popularity")
USER_FEATURES = [f"user_{part}" for part in _OF_USERS]


def features_of_log(
    log: Log, seen: sparse.csr_array, moment: Any, window: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the features of all items, and of all users, at a moment after the rows.

    `seen` has the pairs of the rows, each once. Ages are in windows of labels; those of
    first rows are shares of the log's time, for the logs before windows are shorter.
    """
    n_users, n_items = seen.shape
    users, items = log.users.codes, log.items.codes
    ages = (moment - log.times.values).astype(np.float64) / window
    item_users = np.bincount(seen.indices, minlength=n_items).astype(np.float64)
    counts = [np.bincount(items, np.exp2(-ages / life), n_items) for life in HALF_LIVES]
    of_items = [item_users, *counts, *_first_and_last_ages(ages, items, n_items)]
    size = sizes_of(seen.indptr).astype(np.float64)
    by_user = np.lexsort((log.times.values, users))
    is_visit = begins_run(users[by_user], log.times.values[by_user])
    visits = np.bincount(users[by_user][is_visit], minlength=n_users)
    pairs = Pairs.from_matrix(seen)
    popularity = np.log(item_users)[pairs.item]
    popularity = np.bincount(pairs.row, popularity, minlength=n_users) / size
    ends = _first_and_last_ages(ages, users, n_users)
    return np.column_stack(of_items), np.column_stack([size, visits, *ends, popularity])


def _first_and_last_ages(ages: np.ndarray, codes: np.ndarray, n: int) -> list[np.ndarray]:
    first, last = np.zeros(n), np.full(n, np.inf)
    np.maximum.at(first, codes, ages)
    np.minimum.at(last, codes, ages)
    return [first / (ages.max() or 1.0), last]
