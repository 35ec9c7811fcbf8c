"""The log to tune on: what was read, what of it is used, and why the rest is not."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from sklearn_rank._cli._columns import EMBEDDED, place_of_row, read_columns
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._format import counted, show_period
from sklearn_rank._cli.tune._times_and_ratings import as_ratings, as_times


@dataclass(frozen=True)
class InteractionLog:
    """Rows of a log, with whole numbers for the ids of users and items."""

    source: str
    n_rows_read: int
    dropped: dict[str, int]  # name of the empty column -> rows
    times_read_as: str
    X: pd.DataFrame  # user, item, time
    y: np.ndarray | None  # ratings

    @property
    def n_users(self) -> int:
        """Number of users."""
        return self.X["user"].nunique()

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.X["item"].nunique()

    @property
    def repeat_share(self) -> float:
        """Share of the rows whose user and item occur together in an earlier row."""
        return float(self.X.duplicated(["user", "item"]).mean())

    def describe(self) -> str:
        """Return what was read and dropped, as lines of text."""
        lines = [
            f"Read {self.source}: {counted(self.n_rows_read, 'row')}",
            *(f"  dropped {line}" for line in _reasons(self.dropped)),
            f"  {counted(len(self.X), 'row')} of {counted(self.n_users, 'user')} and "
            f"{counted(self.n_items, 'item')}, {show_period(self.X['time'])}",
        ]
        if self.times_read_as not in ("", "numbers"):
            lines.append(f"  times were read as {self.times_read_as}")
        if self.repeat_share > 0:
            lines.append(
                f"  {self.repeat_share:.1%} of them repeat an earlier user and item"
            )
        return "\n".join(lines)


def read_log(
    path: str | None, columns: dict[str, str], rating: str | None
) -> InteractionLog:
    """Read and check a log, the embedded one if there is no path.

    `columns` are the columns of user, item and time, and `rating` is that of ratings.
    """
    if rating is not None:
        columns = {**columns, "rating": rating}
    _check_different(columns)
    source = EMBEDDED if path is None else path
    table = read_columns(path, columns)
    n_rows_read = len(table)
    if n_rows_read == 0:
        raise InputError(f"{source} has column names but no rows.")
    table, dropped = _drop_incomplete(table, columns)
    if len(table) == 0:
        raise InputError(f"{source} has no complete row: {', '.join(_reasons(dropped))}.")
    place_of = partial(place_of_row, path)
    times, read_as = as_times(table["time"], columns["time"], place_of)
    X = pd.DataFrame(
        {
            "user": table["user"].cat.codes.to_numpy(np.int64),
            "item": table["item"].cat.codes.to_numpy(np.int64),
            "time": times,
        }
    )
    y = None
    if "rating" in columns:
        y = as_ratings(table["rating"], columns["rating"], place_of)
    log = InteractionLog(source, n_rows_read, dropped, read_as, X, y)
    _check_size(log)
    return log


def _check_different(columns: dict[str, str]) -> None:
    roles: dict[str, str] = {}
    for role, name in columns.items():
        if name in roles:
            raise InputError(
                f"--{roles[name]} and --{role} both name the column {name!r}; "
                "they need different ones."
            )
        roles[name] = role


def _drop_incomplete(
    table: pd.DataFrame, columns: dict[str, str]
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Leave out rows without user, item or time; a row counts for one reason only."""
    dropped = {}
    for role in ("user", "item", "time"):
        is_missing = table[role].isna()
        if is_missing.any():
            dropped[columns[role]] = int(np.count_nonzero(is_missing))
            table = table[~is_missing]
    return table, dropped


def _reasons(dropped: dict[str, int]) -> list[str]:
    return [
        f"{counted(n, 'row')} where column {name!r} is empty" for name, n in dropped.items()
    ]


def _check_size(log: InteractionLog) -> None:
    for n, what in ((log.n_users, "user"), (log.n_items, "item")):
        if n < 2:
            raise InputError(
                f"{log.source} has only one {what} in {counted(len(log.X), 'row')}; a "
                f"recommender needs at least two. Is --{what} the right column?"
            )
