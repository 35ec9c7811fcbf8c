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
    values = pd.Series(column.cat.categories)
    if values.dtype.kind not in "iufM":
        read = pd.to_numeric(values, errors="coerce")
        if read.isna().any():
            moments = pd.to_datetime(values, format="ISO8601", errors="coerce", utc=True)
            read = moments.dt.tz_localize(None)
        if read.isna().any():
            raise InputError(
                f"Column {name!r} needs times, all of them numbers or dates such as "
                f"2024-01-31 or 2024-01-31T18:05, but has "
                f"{shown(values[read.isna()].iloc[0])}."
            )
        values = read
    return values.to_numpy()[column.cat.codes.to_numpy()]
