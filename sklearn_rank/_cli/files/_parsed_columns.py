"""The columns of a log: ids, times and ratings, read by their distinct values."""

from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sklearn_rank._base._text import ZONE
from sklearn_rank._cli._errors import InputError
from sklearn_rank.inputs._times import YEARS

# A call of pandas; {} is a column of a table.
Python = tuple[str, tuple[str, ...]]
# Times, the format that was read, and the call that does the same.
Dates = tuple[np.ndarray, str, Python | None]
# Matches 20240131 and 20240131.0, which columns with empty cells have.
AS_DIGITS = "pd.to_numeric({}, errors='coerce').astype('Int64').astype('str')"
# Models hold numbers in single precision, and square and sum them in double precision.
LARGEST = 1e30
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
READ_NUMBERS: Python = ("pd.to_numeric", ("{}", "errors='coerce'"))


def _read_calendar_dates(numbers: np.ndarray) -> Dates | None:
    for digits, (form, name) in CALENDAR.items():
        if not _is_mostly_true(_is_between(numbers, 10 ** (digits - 1), 10**digits - 1)):
            continue
        valid = numbers[~pd.isna(numbers)]
        are_whole = (valid == np.floor(valid)).all()
        texts = pd.Series(numbers).astype("Int64" if are_whole else "str")
        moments = pd.to_datetime(texts.astype("str"), format=form, errors="coerce")
        moments = moments.where(moments.dt.year.between(*YEARS))
        if _is_mostly_true(moments.notna().to_numpy()):
            arguments = (AS_DIGITS, f"format={form!r}", "errors='coerce'")
            return moments.to_numpy(), name, ("pd.to_datetime", arguments)
    return None


def _read_times_since_1970(numbers: np.ndarray) -> Dates | None:
    for power, (unit, name) in enumerate(UNITS.items()):
        is_one = _is_between(numbers, FIRST * 1000**power, LAST * 1000**power)
        if _is_mostly_true(is_one):
            read: Any = pd.to_datetime
            moments_read = read(np.where(is_one, numbers, 0), unit=unit)
            moments = moments_read.to_numpy("datetime64[ns]", copy=True)
            moments[~is_one] = np.datetime64("NaT", "ns")
            arguments = "pd.to_numeric({}, errors='coerce')", f"unit={unit!r}"
            return moments, f"{name} since 1970", ("pd.to_datetime", arguments)
    return None


def _is_between(numbers: np.ndarray, low: int, high: int) -> np.ndarray:
    # NaN compares as False.
    return (numbers >= low) & (numbers <= high)


def _is_mostly_true(is_one: np.ndarray) -> bool:
    return len(is_one) > 0 and bool(is_one.mean() >= LEAST)


def _parse_times(values: pd.Index, numbers: np.ndarray, name: str) -> Dates:
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


def _dates_or_numbers(numbers: np.ndarray) -> Dates:
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
    valid = texts[moments.notna()]
    has_zone = valid.str.contains(ZONE)
    if has_zone.any() and not has_zone.all():
        raise InputError(
            f"Column {name!r} mixes times with and without a time zone, such as "
            f"{valid[has_zone][0]!r} and {valid[~has_zone][0]!r}; write one in all, or in "
            "none."
        )
    if form.startswith("%m/%d"):
        swapped = read(format=form.replace("%m/%d", "%d/%m"))
        reads_as_many = n_bad == np.count_nonzero(swapped.isna())
        if reads_as_many and not (moments - moments.min()).equals(swapped - swapped.min()):
            raise InputError(
                f"Column {name!r} has dates such as {texts[0]!r}, and none of them says "
                "whether the day or the month is first; write them as 2024-01-31."
            )
    return moments.tz_convert(None).to_numpy(copy=True), form


def read_numbers(values: pd.Index, but: str) -> np.ndarray:
    """Return numbers; text, and the kinds of dtype in `but`, become NaN.

    pandas turns booleans (b), dates (M) and durations (m) into numbers. Integers stay
    integers: a float cannot hold nanoseconds since 1970 exactly.
    """
    if values.dtype.kind in but:
        return np.full(len(values), np.nan)
    read = _as_numbers(pd.Series(values))
    if isinstance(read.dtype, np.dtype) and read.dtype.kind in "iu":
        return read.to_numpy()
    return read.to_numpy(dtype=np.float64, na_value=np.nan)


def _as_numbers(values: pd.Series) -> pd.Series:
    """Return numbers; a cell without a number becomes NaN."""
    if values.dtype.kind not in "biufcmM":
        # pandas before 3 ends the process on an exponent beyond 32 bits.
        is_long = values.astype(str).str.contains(r"[eE][+-]?\d{8}")
        values = values.mask(is_long, "no number")
    return pd.to_numeric(values, errors="coerce")


class ReadColumn(NamedTuple):
    """The values of each label of a column; what could not be read is missing."""

    values: Any
    read_as: str = ""  # "" if no note is needed
    python: Python | None = None  # code that reads a column the same way


def _read_ids(labels: pd.Index, name: str) -> ReadColumn:
    return ReadColumn(labels.to_numpy())


def _read_time(labels: pd.Index, name: str) -> ReadColumn:
    """Return times as numbers or as datetime64 in UTC."""
    return ReadColumn(*_parse_times(labels, read_numbers(labels, "bM"), name))


def _read_rating(labels: pd.Index, name: str) -> ReadColumn:
    """Return ratings as finite numbers from 0."""
    values = read_numbers(labels, "mM").astype(np.float64)
    values[~((values >= 0) & (values <= LARGEST))] = np.nan
    return ReadColumn(values, "", READ_NUMBERS)


NOTHING_READ = ReadColumn(np.full(1, np.nan))
READERS = {"user": _read_ids, "item": _read_ids, "time": _read_time, "rating": _read_rating}
