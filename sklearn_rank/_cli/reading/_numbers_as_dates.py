"""Numbers that stand for dates: YYYYMMDD, and the time since 1970."""

import numpy as np
import pandas as pd

# A function of pandas and its arguments, {} being a column of a table.
Python = tuple[str, tuple[str, ...]]
# datetime64, what was read, and the Python for it.
Dates = tuple[np.ndarray, str, Python]

# Whether the file has 20240131 or, beside empty cells, 20240131.0.
AS_DIGITS = "pd.to_numeric({}, errors='coerce').astype('Int64').astype('str')"

# A few values may be wrong; among other numbers hardly any is a date by accident.
LEAST = 0.9
# Times since 1970 from 1980 to 2100, in seconds. Units are a factor of 1000 apart, so that
# none is mistaken for another.
FIRST, LAST = 315_532_800, 4_102_444_800
UNITS = {
    "s": ("seconds", 1),
    "ms": ("milliseconds", 10**3),
    "us": ("microseconds", 10**6),
    "ns": ("nanoseconds", 10**9),
}
# Of so many digits, what they are.
CALENDAR = {8: ("%Y%m%d", "YYYYMMDD"), 14: ("%Y%m%d%H%M%S", "YYYYMMDDhhmmss")}
YEARS = 1900, 2100


def dates_of_numbers(numbers: np.ndarray) -> Dates | None:
    """Return datetime64, what was read, and the Python for it; None for mere numbers.

    What is no such date among those that are is NaT.
    """
    return _of_calendar(numbers) or _since_1970(numbers)


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
    """Return whole nanoseconds; a float has too few digits for them."""
    factor = 10**9 // size
    whole = numbers if numbers.dtype.kind == "i" else np.floor(numbers)
    return whole.astype(np.int64) * factor + np.rint((numbers - whole) * factor).astype(int)


def _between(numbers: np.ndarray, low: int, high: int) -> np.ndarray:
    # NaN is not between.
    return (numbers >= low) & (numbers <= high)


def _are_whole(numbers: np.ndarray) -> bool:
    known = numbers[~pd.isna(numbers)]
    return bool((known == np.floor(known)).all())


def _mostly(is_one: np.ndarray) -> bool:
    return len(is_one) > 0 and bool(is_one.mean() >= LEAST)
