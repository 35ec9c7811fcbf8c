"""What a log is split by: users, items and times of its rows, as numbers."""

from argparse import Namespace
from dataclasses import dataclass
from functools import partial

import numpy as np

from sklearn_rank._cli._columns import place_of_row, read_columns
from sklearn_rank._cli._csv import CsvFormat
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._times_and_ratings import as_times


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
    names = {role: getattr(options, role) for role in roles}
    csv = CsvFormat.of(options)
    table = read_columns(options.log, names, csv)
    complete = table.dropna()
    if not len(complete):
        raise InputError(
            f"{options.log!r} has no row with {', '.join(roles[:-1])} and {roles[-1]}."
        )
    times = None
    if by_time:
        place_of = partial(place_of_row, options.log, csv=csv)
        read = as_times(complete["time"], options.time, place_of)
        complete, times = complete[read.is_good], read.values[read.is_good]
    users, items = (complete[role].cat.codes.to_numpy(np.int64) for role in roles[:2])
    return Log(len(table), complete.index.to_numpy(), users, items, times)
