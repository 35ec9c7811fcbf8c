"""The last time of each user, which tells rows of the past from rows to come."""

from datetime import UTC
from typing import Any

import numpy as np

from sklearn_rank._base._labels import as_vector
from sklearn_rank.inputs._columns import (
    batch_as_table,
    column_names,
    has_column,
    is_same_column,
    take_column,
    take_rows,
)
from sklearn_rank.inputs._interaction_log import InteractionLog, LazyRows, Log
from sklearn_rank.inputs._kept import keep
from sklearn_rank.inputs._times import Times, read_times

# Usual names of times, without capitals and marks.
_USUAL_NAMES = ("time", "timestamp", "date", "datetime")
_MARKS = str.maketrans("", "", "-_ ")

_FIRST_ROWS = 2**12

LastTimes = tuple[Any, Times]  # the column, and the last time of each user


def last_times_of(log: Log, time: Any, times: Times | None) -> LastTimes | None:
    """Return the column of times and the last time of each user.

    None without times, or if some are missing. `times` are those of the column `time`, if
    they were read.
    """
    if isinstance(log, InteractionLog):
        time, times = log.layout.time, log.times
    elif time is not None:
        times = _read_complete(log.X, time) if times is None else times
    else:
        time, times = _find_times(log)
    if times is None:
        return None
    rows = log.users.codes, times, len(log.users.values)
    return time, keep(log.kept, "last_times", None, lambda: _largest(*rows))


def update_last_times(
    last: LastTimes, X: Any, former: np.ndarray, rows: np.ndarray, users: np.ndarray, n: int
) -> LastTimes:
    """Return the last times with those of more rows of X, where X has them.

    `former` has the new places of former users, `rows` which rows count, and `users` the
    user of each of these.
    """
    column, before = last
    old = Times(np.full(n, before.values.min()), before.unit, before.zone)
    old.values[former] = before.values
    times = _read_complete(X, column) if has_column(X, column) else None
    if times is None or times.kind != before.kind:
        return column, old
    every = old.joined(Times(times.values[rows], times.unit, times.zone))
    return column, _largest(np.append(np.arange(n), users), every, n)


def compare_times(
    last: LastTimes, X: Any, rows: np.ndarray, users: np.ndarray
) -> tuple[int, int, int]:
    """Return how many rows of known users are before, at and after their last one of fit.

    `users` has the user of each row, -1 if unknown.
    """
    column, before = last
    times, is_known = _times_of(X, column), users >= 0
    if times is None or times.kind != before.kind:
        return 0, 0, 0
    both = before.joined(Times(times.values[rows[is_known]], times.unit, times.zone)).values
    n_users = len(before.values)
    of_rows, limits = both[n_users:], both[:n_users][users[is_known]]
    n_before, n_after = (of_rows < limits).sum(), (of_rows > limits).sum()
    return n_before, len(limits) - n_before - n_after, n_after


def _times_of(X: Any, column: Any) -> Times | None:
    if isinstance(X, Log):
        if X.times is not None and is_same_column(X.layout.time, column):
            return X.times
        if isinstance(X.X, LazyRows):  # taking them would cost more than they tell
            return None
        X = X.X
    return _read_complete(X, column) if has_column(X, column) else None


def _largest(users: np.ndarray, times: Times, n_users: int) -> Times:
    last = np.full(n_users, times.values.min())
    if (times.values[1:] >= times.values[:-1]).all():
        last[users] = times.values  # of a user with several rows, the last one stays
    else:
        np.maximum.at(last, users, times.values)
    zone = None if times.zone is None else UTC  # what a file of a model can hold
    return Times(last, times.unit, zone)


def _find_times(log: Log) -> tuple[Any, Times | None]:
    """Return the column with a usual name of times, or the one of moments, and its times.

    A column with one value for each item, or for each user, says when they came to be.
    """
    X, names = batch_as_table(log.X), column_names(log.X) or []
    head = take_rows(X, slice(0, 1)) if names else None
    firsts = ((n, _read_complete(head, n)) for n in range(len(names)))
    timed = {n: times for n, times in firsts if times is not None}
    usual = [n for n in timed if _is_usual(names[n])]
    positions = usual or [n for n, times in timed.items() if times.unit]
    if len(positions) != 1:
        return None, None
    times = _read_complete(X, positions[0])
    sides = log.users, log.items
    if times is None or not all(_vary_within(side.codes, times.values) for side in sides):
        return None, None
    name = names[positions[0]]
    return (name if names.count(name) == 1 else positions[0]), times


def _is_usual(name: Any) -> bool:
    return isinstance(name, str) and name.lower().translate(_MARKS) in _USUAL_NAMES


def _vary_within(codes: np.ndarray, values: np.ndarray) -> bool:
    """Return whether rows of one code have different values; the first rows mostly tell."""
    of_code = np.empty(codes.max() + 1, dtype=values.dtype)
    for part in (slice(0, _FIRST_ROWS), slice(None)):
        of_code[codes[part]] = values[part]
        if (of_code[codes[part]] != values[part]).any():
            return True
    return False


def _read_complete(X: Any, column: Any) -> Times | None:
    """Return the times of a column; None if some are missing, or it has no times."""
    try:
        values = take_column(X, column, name="time")
        # Objects, such as strings, would be read one by one.
        is_fast = as_vector(take_rows(values, slice(0, 1)), name="time").dtype.kind != "O"
        has_zone = getattr(getattr(values, "dtype", None), "tz", None) is not None
        return read_times(values) if is_fast or has_zone else None
    except (ValueError, TypeError):
        return None
