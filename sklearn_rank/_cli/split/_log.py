"""What a log is split by: users, items and times of its rows, as numbers."""

from argparse import Namespace
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sklearn_rank._cli._columns import read_columns
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._format import shown


@dataclass(frozen=True)
class Log:
    """Rows that have all that is needed; `row` is their place in the file."""

    n_rows_read: int
    row: np.ndarray
    users: np.ndarray
    items: np.ndarray
    times: np.ndarray | None

    def take(self, rows: np.ndarray) -> "Log":
        """Return some of the rows."""
        times = None if self.times is None else self.times[rows]
        return Log(
            self.n_rows_read, self.row[rows], self.users[rows], self.items[rows], times
        )


def read_log(options: Namespace) -> Log:
    """Read a log; times only where rows are split by them."""
    by_time = options.by in ("time", "last")
    roles = ("user", "item", "time") if by_time else ("user", "item")
    table = read_columns(options.log, {role: getattr(options, role) for role in roles})
    complete = table.dropna()
    if not len(complete):
        raise InputError(
            f"{options.log!r} has no row with {', '.join(roles[:-1])} and {roles[-1]}."
        )
    users, items = (complete[role].cat.codes.to_numpy(np.int64) for role in roles[:2])
    times = _times(complete["time"], options.time) if by_time else None
    return Log(len(table), complete.index.to_numpy(), users, items, times)


def _times(column: pd.Series, name: str) -> np.ndarray:
    """Return times that can be put in an order: numbers, or dates of ISO 8601."""
    given = pd.Series(column.cat.categories)
    times = given if given.dtype.kind in "iufM" else _read_times(given)
    if times.dtype.kind == "M":
        times = pd.to_datetime(times, utc=True).dt.tz_localize(None)
        is_bad = times.isna()
    else:
        is_bad = ~np.isfinite(times)
    if is_bad.any():
        raise InputError(
            f"Column {name!r} needs times, all of them numbers or dates such as "
            f"2024-01-31 or 2024-01-31T18:05, but has {shown(given[is_bad].iloc[0])}."
        )
    return times.to_numpy()[column.cat.codes.to_numpy()]


def _read_times(texts: pd.Series) -> pd.Series:
    """Return texts as numbers or as dates, whichever more of them are."""
    numbers = pd.to_numeric(texts, errors="coerce")
    if numbers.notna().all():
        return numbers
    dates = pd.to_datetime(texts, format="ISO8601", errors="coerce", utc=True)
    return dates if dates.notna().sum() >= numbers.notna().sum() else numbers
