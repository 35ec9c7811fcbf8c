"""Times and ratings from columns; drop unreadable rows unless they are the majority."""

from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._cli.printing._errors import InputError
from sklearn_rank._cli.reading._columns import PlaceOf, bad_rows, numbers_in
from sklearn_rank._cli.reading._input_files import LARGEST
from sklearn_rank._tables._check_times import check_units
from sklearn_rank._tables._times import YEARS, Times

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
UNITS = {
    "s": ("seconds", 1),
    "ms": ("milliseconds", 10**3),
    "us": ("microseconds", 10**6),
    "ns": ("nanoseconds", 10**9),
}
# The format by the number of digits.
CALENDAR = {8: ("%Y%m%d", "YYYYMMDD"), 14: ("%Y%m%d%H%M%S", "YYYYMMDDhhmmss")}
# Tried in this order. The first that reads all values, else the one that reads most, is
# used for the whole column, so that it cannot mix day-month and month-day.
DATES = ("%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%d.%m.%Y", "%d-%m-%Y")
CLOCKS = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
FORMATS = ("ISO8601", *(date + clock for date, clock in product(DATES, CLOCKS)))
# With this share of bad rows it is the wrong column.
MOST_BAD = 0.5
AS_NUMBERS: Python = ("pd.to_numeric", ("{}", "errors='coerce'"))


def _of_calendar(numbers: np.ndarray) -> Dates | None:
    for digits, (form, name) in CALENDAR.items():
        if not _mostly(_between(numbers, 10 ** (digits - 1), 10**digits - 1)):
            continue
        texts = pd.Series(numbers).astype("Int64" if _are_whole(numbers) else "str")
        moments = pd.to_datetime(texts.astype("str"), format=form, errors="coerce")
        moments = moments.where(moments.dt.year.between(*YEARS))
        if _mostly(moments.notna().to_numpy()):
            arguments = (AS_DIGITS, f"format={form!r}", "errors='coerce'")
            return moments.to_numpy(), name, ("pd.to_datetime", arguments)
    return None


def _since_1970(numbers: np.ndarray) -> Dates | None:
    for unit, (name, size) in UNITS.items():
        is_one = _between(numbers, FIRST * size, LAST * size)
        if _mostly(is_one):
            nanoseconds = _nanoseconds(np.where(is_one, numbers, 0), size)
            moments = nanoseconds.view("datetime64[ns]")
            moments[~is_one] = np.datetime64("NaT", "ns")
            arguments = "pd.to_numeric({}, errors='coerce')", f"unit={unit!r}"
            return moments, f"{name} since 1970", ("pd.to_datetime", arguments)
    return None


def _nanoseconds(numbers: np.ndarray, size: int) -> np.ndarray:
    """Return nanoseconds as integers; floats have too few digits."""
    factor = 10**9 // size
    whole = numbers if numbers.dtype.kind == "i" else np.floor(numbers)
    return whole.astype(np.int64) * factor + np.rint((numbers - whole) * factor).astype(int)


def _between(numbers: np.ndarray, low: int, high: int) -> np.ndarray:
    # NaN compares as False.
    return (numbers >= low) & (numbers <= high)


def _are_whole(numbers: np.ndarray) -> bool:
    known = numbers[~pd.isna(numbers)]
    return bool((known == np.floor(known)).all())


def _mostly(is_one: np.ndarray) -> bool:
    return len(is_one) > 0 and bool(is_one.mean() >= LEAST)


@dataclass(frozen=True)
class ReadColumn:
    """The values of a column, and the rows that could not be read."""

    values: np.ndarray  # of all rows
    is_good: np.ndarray  # rows
    example: str  # the first bad value and its position
    read_as: str  # "" if no note is needed
    python: Python | None  # code that reads a column the same way; None: no conversion


def as_times(column: pd.Series, name: str, place_of: PlaceOf) -> ReadColumn:
    """Return times as numbers or as datetime64 in UTC."""
    numbers = numbers_in(column.cat.categories, "bM")
    _check_units(column, numbers, name, place_of)
    values, read_as, python = _parse_times(column.cat.categories, numbers, name)
    is_good = ~pd.isna(values)
    number = f"a number up to {LARGEST:.0e}"
    needed = f"a time: {number}, or a date such as 2024-01-31"
    if is_good.any():
        kind = number if values.dtype.kind in "fiu" else "a date such as 2024-01-31"
        needed = f"one kind of time in all rows, here {kind}"
    is_bad, example = bad_rows(column, is_good, repr(name), needed, place_of, MOST_BAD)
    return ReadColumn(values[column.cat.codes], ~is_bad, example, read_as, python)


def as_ratings(column: pd.Series, name: str, place_of: PlaceOf) -> ReadColumn:
    """Return ratings as finite numbers >= 0."""
    values = numbers_in(column.cat.categories, "mM").astype(np.float64)
    is_good = (values >= 0) & (values <= LARGEST)
    needed = f"a number from 0 to {LARGEST:.0e}"
    is_bad, example = bad_rows(column, is_good, repr(name), needed, place_of, MOST_BAD)
    return ReadColumn(values[column.cat.codes], ~is_bad, example, "", AS_NUMBERS)


def _check_units(
    column: pd.Series, numbers: np.ndarray, name: str, place_of: PlaceOf
) -> None:
    """Raise if numbers are in several units; the rarer one would be dropped."""
    rows = np.flatnonzero(np.isfinite(numbers)[column.cat.codes])
    if len(rows) == 0:
        return
    times = Times(numbers[column.cat.codes.iloc[rows]])
    check_units(times, f"Column {name!r}", lambda row: place_of(column.index[rows[row]]))


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
        return _dates_or(numbers)
    moments, how = _parse_moments(values.astype(str), name)
    # 2011 and 20110131 alone are numbers, so among dates they are not dates either.
    moments[~pd.isna(numbers)] = np.datetime64("NaT", "ns")
    if n_bad <= np.count_nonzero(np.isnat(moments)):
        return _dates_or(numbers)
    arguments = "{}", f"format={how!r}", "errors='coerce'", "utc=True"
    return moments, "" if how == "ISO8601" else how, ("pd.to_datetime", arguments)


def _dates_or(numbers: np.ndarray) -> tuple[np.ndarray, str, Python | None]:
    """Return the dates that the numbers encode, or the numbers."""
    return _of_calendar(numbers) or _since_1970(numbers) or (numbers, "", AS_NUMBERS)


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
