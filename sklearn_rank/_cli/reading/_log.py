"""Read a log of interactions; keep count of the rows that are dropped, and why."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._base._messages import quantity
from sklearn_rank._base._text import escape_controls
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli.reading._csv import (
    AS_USUAL,
    LARGEST,
    CsvFormat,
    detect_format,
    guard_path,
)
from sklearn_rank._cli.reading._id_tables import (
    EMBEDDED_LOG,
    LocateRow,
    drop_incomplete,
    find_bad_rows,
    is_parquet,
    locate_row,
    read_columns,
    read_numbers,
)
from sklearn_rank.inputs._times import YEARS, Times, check_units, find_far_rows, read_times

# A call of pandas; {} is a column of a table.
Python = tuple[str, tuple[str, ...]]
# datetime64, the format that was read, and Python code that does the same.
Dates = tuple[np.ndarray, str, Python]
# Matches 20240131 and 20240131.0, which columns with empty cells have.
AS_DIGITS = "pd.to_numeric({}, errors='coerce').astype('Int64').astype('str')"
# A few values may be wrong; other numbers are hardly ever dates by accident.
LEAST = 0.9
# Times since 1970 from 1980 to 2100, in seconds. Units differ by a factor of 1000, so they
# cannot be confused.
FIRST, LAST = 315_532_800, 4_102_444_800
UNITS = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}
# The format by the number of digits.
CALENDAR = {8: ("%Y%m%d", "YYYYMMDD"), 14: ("%Y%m%d%H%M%S", "YYYYMMDDhhmmss")}
# Tried in this order. The first that reads all values, else the one that reads most, is
# used for the whole column, so that it cannot mix day-month and month-day.
DATES = ("%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%d.%m.%Y", "%d-%m-%Y")
CLOCKS = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
FORMATS = ("ISO8601", *(date + clock for date, clock in product(DATES, CLOCKS)))
# With this share of bad rows it is the wrong column.
MOST_BAD = 0.5
READ_NUMBERS: Python = ("pd.to_numeric", ("{}", "errors='coerce'"))


def _read_calendar_dates(numbers: np.ndarray) -> Dates | None:
    for digits, (form, name) in CALENDAR.items():
        if not _is_mostly_true(_between(numbers, 10 ** (digits - 1), 10**digits - 1)):
            continue
        present = numbers[~pd.isna(numbers)]
        are_whole = (present == np.floor(present)).all()
        texts = pd.Series(numbers).astype("Int64" if are_whole else "str")
        moments = pd.to_datetime(texts.astype("str"), format=form, errors="coerce")
        moments = moments.where(moments.dt.year.between(*YEARS))
        if _is_mostly_true(moments.notna().to_numpy()):
            arguments = (AS_DIGITS, f"format={form!r}", "errors='coerce'")
            return moments.to_numpy(), name, ("pd.to_datetime", arguments)
    return None


def _read_times_since_1970(numbers: np.ndarray) -> Dates | None:
    for power, (unit, name) in enumerate(UNITS.items()):
        is_one = _between(numbers, FIRST * 1000**power, LAST * 1000**power)
        if _is_mostly_true(is_one):
            read: Any = pd.to_datetime
            dates = read(np.where(is_one, numbers, 0), unit=unit)
            moments = dates.to_numpy("datetime64[ns]", copy=True)
            moments[~is_one] = np.datetime64("NaT", "ns")
            arguments = "pd.to_numeric({}, errors='coerce')", f"unit={unit!r}"
            return moments, f"{name} since 1970", ("pd.to_datetime", arguments)
    return None


def _between(numbers: np.ndarray, low: int, high: int) -> np.ndarray:
    # NaN compares as False.
    return (numbers >= low) & (numbers <= high)


def _is_mostly_true(is_one: np.ndarray) -> bool:
    return len(is_one) > 0 and bool(is_one.mean() >= LEAST)


@dataclass(frozen=True)
class ReadColumn:
    """The values of a column, and the rows that could not be read."""

    values: np.ndarray  # of all rows
    is_bad: np.ndarray  # rows
    example: str  # the first bad value and its position
    read_as: str  # "" if no note is needed
    python: Python | None  # code that reads a column the same way; None: no conversion


def read_time_column(column: pd.Series, name: str, locate: LocateRow) -> ReadColumn:
    """Return times as numbers or as datetime64 in UTC."""
    numbers = read_numbers(column.cat.categories, "bM")
    _check_units(column, numbers, name, locate)
    values, read_as, python = _parse_times(column.cat.categories, numbers, name)
    is_good = ~pd.isna(values)
    number = f"a number up to {LARGEST:.0e}"
    needed = f"a time: {number}, or a date such as 2024-01-31"
    if is_good.any():
        kind = number if values.dtype.kind in "fiu" else "a date such as 2024-01-31"
        needed = f"one kind of time in all rows, here {kind}"
    bad_rows = find_bad_rows(column, is_good, repr(name), needed, locate, MOST_BAD)
    return ReadColumn(values[column.cat.codes], *bad_rows, read_as, python)


def read_rating_column(column: pd.Series, name: str, locate: LocateRow) -> ReadColumn:
    """Return ratings as finite numbers >= 0."""
    values = read_numbers(column.cat.categories, "mM").astype(np.float64)
    is_good = (values >= 0) & (values <= LARGEST)
    needed = f"a number from 0 to {LARGEST:.0e}"
    bad_rows = find_bad_rows(column, is_good, repr(name), needed, locate, MOST_BAD)
    return ReadColumn(values[column.cat.codes], *bad_rows, "", READ_NUMBERS)


def _check_units(
    column: pd.Series, numbers: np.ndarray, name: str, locate: LocateRow
) -> None:
    """Raise if numbers are in several units; the rarer one would be dropped."""
    rows = np.flatnonzero(np.isfinite(numbers)[column.cat.codes])
    if len(rows) == 0:
        return
    times = Times(numbers[column.cat.codes.iloc[rows]])
    check_units(times, f"Column {name!r}", lambda row: locate(column.index[rows[row]]))


def _parse_times(
    values: pd.Index, numbers: np.ndarray, name: str
) -> tuple[np.ndarray, str, Python | None]:
    if isinstance(values, pd.DatetimeIndex):
        utc = values.tz_convert(None) if values.tz is not None else values
        return utc.to_numpy(), "", None
    if numbers.dtype.kind == "f":
        # A float cannot hold times beyond these.
        numbers = np.where(np.abs(numbers) <= LARGEST, numbers, np.nan)
    n_bad = np.count_nonzero(pd.isna(numbers))
    if n_bad == 0:
        return _dates_or_numbers(numbers)
    moments, form = _parse_moments(values.astype(str), name)
    # 2011 and 20110131 alone are numbers, so among dates they are not dates either.
    moments[~pd.isna(numbers)] = np.datetime64("NaT", "ns")
    if n_bad <= np.count_nonzero(np.isnat(moments)):
        return _dates_or_numbers(numbers)
    arguments = "{}", f"format={form!r}", "errors='coerce'", "utc=True"
    return moments, "" if form == "ISO8601" else form, ("pd.to_datetime", arguments)


def _dates_or_numbers(numbers: np.ndarray) -> tuple[np.ndarray, str, Python | None]:
    """Return the dates that the numbers encode, or the numbers."""
    return (
        _read_calendar_dates(numbers)
        or _read_times_since_1970(numbers)
        or (numbers, "", READ_NUMBERS)
    )


def _parse_moments(texts: pd.Index, name: str) -> tuple[np.ndarray, str]:
    read: Any = partial(pd.to_datetime, texts, errors="coerce", utc=True)
    best: tuple[int, Any, str] = len(texts) + 1, None, ""
    for form in FORMATS:
        moments = read(format=form)
        n_bad = int(np.count_nonzero(moments.isna()))
        if n_bad < best[0]:
            best = n_bad, moments, form
        if n_bad == 0:
            break
    n_bad, moments, form = best
    if form.startswith("%m/%d"):
        swapped = read(format=form.replace("%m/%d", "%d/%m"))
        reads_as_many = n_bad == np.count_nonzero(swapped.isna())
        if reads_as_many and not (moments - moments.min()).equals(swapped - swapped.min()):
            raise InputError(
                f"Column {name!r} has dates such as {texts[0]!r}, and none of them says "
                "whether the day or the month is first; write them as 2024-01-31."
            )
    return moments.tz_convert(None).to_numpy(copy=True), form


READERS = {"time": read_time_column, "rating": read_rating_column}


@dataclass(frozen=True)
class LogFile:
    """Rows of a log, with codes for the ids of users and items."""

    path: str | None  # None: the embedded log
    columns: dict[str, str]  # by role: user, item, and time and rating where used
    csv: CsvFormat  # as detected
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
        return EMBEDDED_LOG if self.path is None else self.path

    @property
    def n_users(self) -> int:
        """Number of users."""
        return self.X["user"].nunique()

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.X["item"].nunique()

    def take(self, rows: np.ndarray) -> "LogFile":
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
            f"Read {escape_controls(self.source)}: {quantity(self.n_rows_read, 'row')}",
            *(f"  dropped {reason}" for reason in self.reasons),
            f"  {quantity(len(self.X), 'row')} of {quantity(self.n_users, 'user')} "
            f"and {quantity(self.n_items, 'item')}{period}",
        ]
        if "time" in self.read and self.read["time"].read_as:
            lines.append(f"  times were read as {self.read['time'].read_as}")
        if self.repeat_share > 0:
            lines.append(f"  {self.repeat_share:.1%} repeat an earlier user–item pair")
        return "\n".join(lines)

    def summary(self) -> dict[str, Any]:
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
        far = find_far_rows(read_times(self.X["time"])) if "time" in self.X else None
        if far is None:
            return None
        location = locate_row(self.path, int(self.rows[far.row]), self.csv)
        return far.describe(f"Column {self.columns['time']!r}", location)

    def with_ids(self) -> pd.DataFrame:
        """Return the rows with the ids and the column names of the file."""
        columns: dict[str, Any] = {
            self.columns[role]: labels.take(self.X[role].to_numpy())
            for role, labels in self.labels.items()
        }
        if "time" in self.X:
            columns[self.columns["time"]] = self.X["time"].to_numpy()
        return pd.DataFrame(columns)


@guard_path
def read_log(
    path: str | None,
    columns: Mapping[str, str],
    csv: CsvFormat = AS_USUAL,
    without_times: str = "--cv random",
) -> LogFile:
    """Read and check a log, the embedded one if there is no path.

    `columns` are the names of the columns by role: user, item, and perhaps time and rating.
    `without_times` names the options for a log without times.
    """
    source = EMBEDDED_LOG if path is None else path
    advice = {"time": f" For a log without times take {without_times}."}
    table, columns = read_columns(path, columns, csv, advice)
    if path is not None and not is_parquet(path):
        csv = detect_format(path, csv)
    n_rows_read = len(table)
    needed = {role: name for role, name in columns.items() if role != "rating"}
    table, dropped, reasons = drop_incomplete(source, table, needed)
    locate = partial(locate_row, path, csv=csv)
    read = {
        role: reader(table[role], columns[role], locate)
        for role, reader in READERS.items()
        if role in columns
    }
    is_bad = np.zeros(len(table), dtype=bool)
    for role, parsed in read.items():
        # A row counts under one reason only.
        n_bad = int(np.count_nonzero(parsed.is_bad & ~is_bad))
        if n_bad:
            dropped[columns[role]] = dropped.get(columns[role], 0) + n_bad
            reasons.append(
                f"{quantity(n_bad, 'row')} where column {columns[role]!r} is no "
                f"{role}, such as {parsed.example}"
            )
        is_bad |= parsed.is_bad
    ids = ("user", "item")
    X = pd.DataFrame({role: table[role].cat.codes.to_numpy(np.int64) for role in ids})
    if "time" in read:
        X["time"] = read["time"].values
    return LogFile(
        path=path,
        columns=columns,
        csv=csv,
        n_rows_read=n_rows_read,
        dropped=dropped,
        reasons=reasons,
        read=read,
        labels={role: table[role].cat.categories for role in ids},
        rows=table.index.to_numpy()[~is_bad],
        X=X[~is_bad].reset_index(drop=True),
        y=read["rating"].values[~is_bad] if "rating" in read else None,
    )


def _period(times: pd.Series) -> str:
    """Return the first and last time as text."""
    first, last = times.min(), times.max()
    if isinstance(first, pd.Timestamp):
        # strftime has no years after 9999, which parquet files may have.
        return " to ".join(time.isoformat().partition("T")[0] for time in (first, last))
    return f"{first:.15g} to {last:.15g}"
