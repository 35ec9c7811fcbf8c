"""Times and ratings out of columns, with the first bad row and value in the error."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pandas as pd

from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._format import shown
from sklearn_rank._cli._input_files import LARGEST

# Tried in this order; the first that reads all values, else the one that reads most, is
# taken for the whole column, so that no column mixes two orders of day and month.
DATES = ("%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%d.%m.%Y", "%d-%m-%Y")
CLOCKS = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
FORMATS = ("ISO8601", *(date + clock for date, clock in product(DATES, CLOCKS)))

# Where the row of that index is found, for an error.
PlaceOf = Callable[[int], str]


def as_times(column: pd.Series, name: str, place_of: PlaceOf) -> tuple[np.ndarray, str]:
    """Return times as numbers or as datetime64 in UTC, and how they were read."""
    values, how = _parse_times(column.cat.categories)
    is_good = ~pd.isna(values)
    needed = "a time: a number or, say, 2024-01-31"
    if is_good.any():
        kind = "a number" if how == "numbers" else "a date such as 2024-01-31"
        needed = f"one kind of time in all rows, here {kind}"
    _check_all(column, is_good, name, needed, place_of)
    return values[column.cat.codes.to_numpy()], how


def as_ratings(column: pd.Series, name: str, place_of: PlaceOf) -> np.ndarray:
    """Return ratings as finite numbers >= 0."""
    values = _as_numbers(column.cat.categories).astype(np.float64)
    is_good = (values >= 0) & (values <= LARGEST)
    needed = f"a number from 0 to {LARGEST:.0e}"
    _check_all(column, is_good, name, needed, place_of)
    return values[column.cat.codes.to_numpy()]


def _parse_times(values: pd.Index) -> tuple[np.ndarray, str]:
    if isinstance(values, pd.DatetimeIndex):
        utc = values.tz_convert(None) if values.tz is not None else values
        return utc.to_numpy(), ""
    numbers = _as_numbers(values)
    n_bad = np.count_nonzero(np.isnan(numbers))
    if n_bad == 0:
        return numbers, "numbers"
    moments, how = _parse_moments(values.astype(str))
    # Alone, 2011 and 20110131 are numbers; beside dates they do not become years and days.
    moments[~np.isnan(numbers)] = np.datetime64("NaT")
    if n_bad <= np.count_nonzero(np.isnat(moments)):
        return numbers, "numbers"
    return moments, how


def _as_numbers(values: pd.Index) -> np.ndarray:
    """Return numbers, NaN for what is none, or is not finite.

    Integers stay integers: nanoseconds of this century are too many for a float.
    """
    read = pd.to_numeric(pd.Series(values), errors="coerce")
    if read.dtype == np.int64:
        return read.to_numpy()
    numbers = read.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _parse_moments(texts: pd.Index) -> tuple[np.ndarray, str]:
    best: tuple[int, np.ndarray, str] | None = None
    for form in FORMATS:
        moments = pd.to_datetime(texts, format=form, errors="coerce", utc=True)
        n_bad = int(np.count_nonzero(moments.isna()))
        if best is None or n_bad < best[0]:
            best = n_bad, moments.tz_convert(None).to_numpy(copy=True), form
        if n_bad == 0:
            break
    assert best is not None
    return best[1], "" if best[2] == "ISO8601" else best[2]


def _check_all(
    column: pd.Series, is_good: np.ndarray, name: str, needed: str, place_of: PlaceOf
) -> None:
    codes = column.cat.codes.to_numpy()
    # The code of a missing value is -1: the False at the end.
    is_bad = ~np.append(is_good, False)[codes]
    if is_bad.any():
        place = int(np.argmax(is_bad))
        value = "empty" if codes[place] < 0 else shown(column.iloc[place])
        raise InputError(
            f"Column {name!r} needs {needed}, but in {place_of(column.index[place])} "
            f"it is {value} (bad rows in all: {np.count_nonzero(is_bad):,})."
        )
