"""Read a log of interactions; keep count of the rows that are dropped, and why."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._cli.printing._errors import InputError
from sklearn_rank._cli.reading._columns import (
    EMBEDDED,
    drop_incomplete,
    place_of_row,
    read_columns,
)
from sklearn_rank._cli.reading._csv import AS_USUAL, CsvFormat
from sklearn_rank._cli.reading._times_and_ratings import ReadColumn, as_ratings, as_times
from sklearn_rank._tables._check_times import far_rows
from sklearn_rank._tables._times import read_times
from sklearn_rank._text._wording import counted

READERS = {"time": as_times, "rating": as_ratings}


@dataclass(frozen=True)
class InteractionLog:
    """Rows of a log, with codes for the ids of users and items."""

    path: str | None  # None: the embedded log
    columns: dict[str, str]  # by role: user, item, and time and rating where used
    csv: CsvFormat
    n_rows_read: int
    dropped: dict[str, int]  # name of a column -> rows without a usable value
    reasons: list[str]  # the same in words
    read: dict[str, ReadColumn]  # by role: time and rating where used
    labels: dict[str, pd.Index]  # by role: the id of each code
    rows: np.ndarray  # positions in the file of the rows that are used, from 0
    X: pd.DataFrame  # user, item, and time where used
    y: np.ndarray | None  # ratings

    @property
    def source(self) -> str:
        """The source of the log."""
        return EMBEDDED if self.path is None else self.path

    @property
    def n_users(self) -> int:
        """Number of users."""
        return self.X["user"].nunique()

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.X["item"].nunique()

    def take(self, rows: np.ndarray) -> "InteractionLog":
        """Return some of the rows, by their position among those that are used."""
        y = None if self.y is None else self.y[rows]
        X = self.X.iloc[rows].reset_index(drop=True)
        return replace(self, rows=self.rows[rows], X=X, y=y)

    @property
    def repeat_share(self) -> float:
        """Share of the rows whose user and item occur together in an earlier row."""
        return float(self.X.duplicated(["user", "item"]).mean())

    def describe(self) -> str:
        """Describe the rows that were read and dropped, as lines of text."""
        period = f", {_period(self.X['time'])}" if "time" in self.X else ""
        lines = [
            f"Read {self.source}: {counted(self.n_rows_read, 'row')}",
            *(f"  dropped {reason}" for reason in self.reasons),
            f"  {counted(len(self.X), 'row')} of {counted(self.n_users, 'user')} and "
            f"{counted(self.n_items, 'item')}{period}",
        ]
        if "time" in self.read and self.read["time"].read_as:
            lines.append(f"  times were read as {self.read['time'].read_as}")
        if self.repeat_share > 0:
            lines.append(
                f"  {self.repeat_share:.1%} of them repeat an earlier user and item"
            )
        return "\n".join(lines)

    def facts(self) -> dict[str, Any]:
        """Return in numbers what was read and dropped."""
        times = self.X.get("time")
        return {
            "source": self.source,
            "rows_read": self.n_rows_read,
            "dropped": self.dropped,
            "rows": len(self.X),
            "users": self.n_users,
            "items": self.n_items,
            "first_time": None if times is None else str(times.min()),
            "last_time": None if times is None else str(times.max()),
        }

    def far_rows(self) -> str | None:
        """Describe rows that are dated far after all others, if there are any."""
        found = far_rows(read_times(self.X["time"])) if "time" in self.X else None
        if found is None:
            return None
        place = place_of_row(self.path, int(self.rows[found.row]), self.csv)
        return found.describe(f"Column {self.columns['time']!r}", place)

    def with_ids(self) -> pd.DataFrame:
        """Return the rows with the ids and the column names of the file."""
        columns: dict[str, Any] = {
            self.columns[role]: labels.take(self.X[role].to_numpy())
            for role, labels in self.labels.items()
        }
        if "time" in self.X:
            columns[self.columns["time"]] = self.X["time"].to_numpy()
        return pd.DataFrame(columns)


def read_log(
    path: str | None,
    columns: Mapping[str, str],
    csv: CsvFormat = AS_USUAL,
    without_times: str = "--cv random",
) -> InteractionLog:
    """Read and check a log, the embedded one if there is no path.

    `columns` are the names of the columns by role: user, item, and perhaps time and rating.
    `without_times` names the options for a log without times.
    """
    source = EMBEDDED if path is None else path
    advice = {"time": f" For a log without times take {without_times}."}
    table, columns = read_columns(path, columns, csv, advice)
    n_rows_read = len(table)
    if n_rows_read == 0:
        raise InputError(f"{source} has column names but no rows.")
    needed = [role for role in ("user", "item", "time") if role in columns]
    table, dropped = drop_incomplete(table, {role: columns[role] for role in needed})
    reasons = [
        f"{counted(n, 'row')} where column {name!r} is empty" for name, n in dropped.items()
    ]
    if len(table) == 0:
        raise InputError(f"{source} has no complete row: {', '.join(reasons)}.")
    place_of = partial(place_of_row, path, csv=csv)
    read = {
        role: reader(table[role], columns[role], place_of)
        for role, reader in READERS.items()
        if role in columns
    }
    is_good = np.ones(len(table), dtype=bool)
    for role, found in read.items():
        # A row counts under one reason only.
        n_bad = int(np.count_nonzero(is_good & ~found.is_good))
        if n_bad:
            dropped[columns[role]] = dropped.get(columns[role], 0) + n_bad
            reasons.append(
                f"{counted(n_bad, 'row')} where column {columns[role]!r} is no {role}, "
                f"such as {found.example}"
            )
        is_good &= found.is_good
    X = pd.DataFrame(
        {role: table[role].cat.codes.to_numpy(np.int64) for role in ("user", "item")}
    )
    if "time" in read:
        X["time"] = read["time"].values
    y = read["rating"].values[is_good] if "rating" in read else None
    return InteractionLog(
        path=path,
        columns=columns,
        csv=csv,
        n_rows_read=n_rows_read,
        dropped=dropped,
        reasons=reasons,
        read=read,
        labels={role: table[role].cat.categories for role in ("user", "item")},
        rows=table.index.to_numpy()[is_good],
        X=X[is_good].reset_index(drop=True),
        y=y,
    )


def _period(times: pd.Series) -> str:
    """Return the first and last time as text."""
    first, last = times.min(), times.max()
    if isinstance(first, pd.Timestamp):
        return f"{first:%Y-%m-%d} to {last:%Y-%m-%d}"
    return f"{first:.15g} to {last:.15g}"
