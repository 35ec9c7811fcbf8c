"""Times of any kind as comparable numbers, and durations counted in their unit."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from fractions import Fraction
from math import ceil
from numbers import Integral, Real
from typing import Any, Literal
from zoneinfo import ZoneInfo

import numpy as np

from sklearn_rank._base._labels import as_vector
from sklearn_rank._base._numbers import check_finite, check_missing, is_missing
from sklearn_rank._base._text import conversion_of
from sklearn_rank._base._validation import check_real, quantity, shorten

_KINDS = "numbers, dates or datetimes"
# Of dates written as numbers: other numbers are hardly ever such dates by accident.
YEARS = 1900, 2100
_WITH_ZONE = ("datetimes without a time zone", "datetimes with a time zone")

# The units of fixed length, in seconds: as fractions they are exact, and never overflow.
_LONG = {"W": 604_800, "D": 86_400, "h": 3600, "m": 60}
_SHORT = ("s", "ms", "us", "ns", "ps", "fs", "as")  # each a thousandth of the one before
_SECONDS = {unit: Fraction(seconds) for unit, seconds in _LONG.items()}
_SECONDS |= {unit: Fraction(1, 1000**power) for power, unit in enumerate(_SHORT)}

# Durations as text, such as '7D', '1.5h', '2 days 12 hours' and '1 days 02:30:00'.
_WORDS_OF_UNITS = {
    "W": "W w week weeks",
    "D": "D d day days",
    "h": "h H hr hour hours",
    "m": "m min Min mins minute minutes",  # not M, which is a month elsewhere
    "s": "s S sec secs second seconds",
    "ms": "ms millisecond milliseconds",
    "us": "us µs μs microsecond microseconds",
    "ns": "ns nanosecond nanoseconds",
}
_UNIT_OF_WORD = {
    word: unit for unit, text in _WORDS_OF_UNITS.items() for word in text.split()
}
_AMOUNT = re.compile(r"(\d+\.?\d*|\.\d+)\s*([a-zA-Zµμ]+)[\s,]*", re.ASCII)
_CLOCK = re.compile(r"(\d+):(\d\d):(\d\d(?:\.\d+)?)", re.ASCII)


@dataclass(frozen=True)
class Times:
    """Comparable times: numbers, or datetimes as whole ticks of `unit` in UTC."""

    values: np.ndarray
    unit: Literal["us", "ns"] | None = None
    zone: tzinfo | None = None

    @property
    def kind(self) -> str:
        """The kind of the times, for errors: times of two kinds cannot be compared."""
        return "numbers" if self.unit is None else _WITH_ZONE[self.zone is not None]

    def duration(self, value: Any, *, name: str) -> float:
        """Return a length of time as a number in the unit of `values`."""
        if self.unit is None:
            number = self._numeric_duration(value, name=name)
        elif _is_number(type(value)) and value == 0:
            return 0
        else:
            # Rounded up to a whole tick: a gap must not be shorter than given.
            number = ceil(_in_seconds(value, name=name) / _SECONDS[self.unit])
        if number < 0:
            raise ValueError(f"`{name}` must not be negative, got {value!r}.")
        return number

    def moment(self, value: Any, *, name: str) -> float:
        """Return a point in time as a number on the scale of `values`."""
        if self.unit is None:
            return plain_number(name, value, "a number, as `times` are")
        stamp = _parse_moment(value, name=name)
        zone = getattr(stamp, "tzinfo", None)
        if zone is None and self.zone is not None:
            stamp = _in_zone(stamp, self.zone)
        elif zone is not None and self.zone is None:
            raise ValueError(
                f"`{name}={value!r}` has a time zone but `times` do not; leave it out."
            )
        return _first_tick(_as_instant(stamp), self.unit)

    def show(self, value: float) -> str:
        """Return a point in time as a reader would write it."""
        if self.unit is None:
            # Integers are shown in full unless they are too large for times.
            is_exact = isinstance(value, Integral) and abs(int(value)) < 2**64
            return f"{int(value)}" if is_exact else f"{value:.15g}"
        within = min(max(int(value), 1 - 2**63), 2**63 - 1)  # beyond that, no dates
        stamp = np.datetime64(within, self.unit)
        text = str(np.datetime_as_string(stamp, unit="s")).removesuffix("T00:00:00")
        return text.replace("T", " ") + (" UTC" if self.zone is not None else "")

    def label(self, value: float) -> Any:
        """Return a point in time as a number or a datetime64."""
        return value if self.unit is None else np.datetime64(int(value), self.unit)

    def labels(self, values: np.ndarray) -> np.ndarray:
        """Return points in time as numbers or datetimes, for the axis of a picture."""
        if self.unit is None:
            return values
        return values.astype(np.int64).astype(f"M8[{self.unit}]")

    def ages(self, moment: float | None = None) -> np.ndarray:
        """Return how long before a moment, or the last of them, each time is, as floats."""
        if moment is not None:
            ages = self.ages()
            ages += float(moment - self.values.max().item())
            return ages
        last, values = self.values.max(), self.values
        if values.dtype.kind == "f":
            return last - values
        # Differences that wrap around in unsigned arithmetic are right.
        return (last.astype(np.uint64) - values.astype(np.uint64)).astype(np.float64)

    def joined(self, others: "Times") -> "Times":
        """Return these times and then others, which must be of the same kind."""
        if self.kind != others.kind:
            raise TypeError(
                f"`times` are {self.kind}, but those of `fit` were {others.kind}; give all "
                "of one kind."
            )
        values, unit = [self.values, others.values], self.unit
        if unit != others.unit:
            fine, unit = int(unit != "ns"), "us"
            values[fine] = values[fine] // 1000
        return Times(np.concatenate(values), unit, self.zone)

    def first_after(self, value: float) -> float:
        """Return the smallest time later than `value`."""
        if self.values.dtype.kind == "f" or isinstance(value, float):
            return float(np.nextafter(value, np.inf))
        return value + 1

    def _numeric_duration(self, value: Any, *, name: str) -> float:
        if isinstance(value, str | timedelta | np.timedelta64):
            raise TypeError(
                f"`{name}` got {value!r}, but `times` are numbers; give a number in "
                "their unit, or pass datetimes as times."
            )
        number = plain_number(name, value, "a number >= 0 in the unit of `times`")
        if number and _are_dates(self.values):
            raise ValueError(
                f"`{name}` got {value!r}, but `times` are dates written as numbers, such "
                f"as {self.show(self.values[0])}; pandas.to_datetime(times.astype(str)) "
                "converts them."
            )
        return number


def _are_dates(values: np.ndarray) -> bool:
    """Return whether numbers read YYYYMMDD, or YYYYMMDDhhmmss."""
    ends = np.array([values.min(), values.max()])
    day = 10**6 if ends[0] >= 10**13 else 1
    first, last = ends // day // 10_000
    if first < YEARS[0] or last > YEARS[1]:
        return False  # such as seconds since 1970, at once
    days = values if day == 1 else values // day
    months, days = np.divmod(days % 10_000, 100)
    limits = (months, 12), (days, 31)
    return all(part.min() >= 1 and part.max() <= most for part, most in limits)


def plain_number(name: str, value: Any, needed: str) -> float:
    """Return a Python number, which does not narrow arrays; integers stay exact."""
    number = check_real(name, value, needed)
    return int(value) if isinstance(value, Integral) else number


def read_times(values: Any) -> Times:
    """Return `values` (array, Series or list) as Times; missing ones are an error."""
    zone = _zone_of(values)
    vector = as_vector(_without_zone(values), name="times")
    if vector.dtype.kind == "O":
        vector, zone_of_objects = _from_objects(vector)
        zone = zone or zone_of_objects
    if vector.dtype.kind == "M":
        return _from_datetimes(vector, zone)
    return Times(_checked_numbers(vector))


def _checked_numbers(vector: np.ndarray) -> np.ndarray:
    if vector.dtype.kind in "iu":
        return vector
    if vector.dtype.kind != "f":
        _raise_wrong_kind(vector.dtype, vector[:1].tolist())
    check_missing("times", np.isnan(vector))
    check_finite("times", vector)
    # float64: a bound computed in Python is compared without rounding it down.
    return vector.astype(np.float64, copy=False)


def _from_datetimes(vector: np.ndarray, zone: tzinfo | None) -> Times:
    check_missing("times", np.isnat(vector))
    # Days and seconds become microseconds, so that "12h" is a whole number of ticks.
    fine = np.datetime_data(vector.dtype)[0] in ("ns", "ps", "fs", "as")
    unit: Literal["us", "ns"] = "ns" if fine else "us"
    ticks = np.ascontiguousarray(vector.astype(f"M8[{unit}]", copy=False))
    return Times(ticks.view(np.int64), unit, zone)


def _from_objects(vector: np.ndarray) -> tuple[np.ndarray, tzinfo | None]:
    check_missing("times", np.fromiter(map(is_missing, vector), bool, len(vector)))
    values = vector.tolist()
    kinds = set(map(type, values))
    if all(map(_is_number, kinds)):
        return _from_numbers(values, kinds), None
    for row, value in enumerate(vector):
        if not isinstance(value, date | np.datetime64):
            _raise_wrong_kind(f"{type(value).__name__} in row {row}", value, values)
    zones = {getattr(v, "tzinfo", None) for v in vector}
    if None in zones and len(zones) > 1:
        raise ValueError(
            "`times` mixes datetimes with and without a time zone; give all one or none: "
            "pandas.to_datetime(times, utc=True) takes those without one as UTC."
        )
    # Only pandas' Timestamp and NumPy's datetime64 know nanoseconds.
    exact = all(type(v) in (date, datetime) for v in vector)
    dtype = "M8[us]" if exact else "M8[ns]"
    stamps = np.array([_as_instant(v) for v in vector], dtype=dtype)
    return stamps, next(iter(zones), None)


def _is_number(kind: type) -> bool:
    return issubclass(kind, Real) and not issubclass(kind, bool | np.timedelta64)


def _from_numbers(values: list, kinds: set[type]) -> np.ndarray:
    """Return numbers of several types in one type; integers stay exact."""
    is_whole = {kind: issubclass(kind, Integral) for kind in kinds}
    if all(is_whole.values()):
        integers = list(map(int, values))
        for kind in (np.int64, np.uint64):
            with suppress(OverflowError):
                return np.array(integers, dtype=kind)
    with suppress(OverflowError):
        numbers = np.array(values, dtype=np.float64)
        integers = [int(value) for value in values if is_whole[type(value)]]
        if all(int(float(value)) == value for value in integers):
            return numbers
    row = max(range(len(values)), key=lambda row: abs(values[row]))
    raise ValueError(
        f"`times` has {shorten(values[row])} in row {row}, which no numeric type holds "
        "exactly together with the others; count from a later origin, or in a larger unit."
    )


def _raise_wrong_kind(kind: Any, example: Any, values: Sequence = ()) -> None:
    raise TypeError(
        f"`times` must be {_KINDS}, got {kind} ({example!r}); convert them first, strings "
        f"for example with {conversion_of('times', values)}."
    )


def _zone_of(values: Any) -> tzinfo | None:
    dtype = getattr(values, "dtype", None)
    name = getattr(dtype, "time_zone", None)  # polars
    return ZoneInfo(name) if name else getattr(dtype, "tz", None)  # pandas


def _without_zone(values: Any) -> Any:
    """Return pandas datetimes with a zone as datetime64 in UTC, not as slow objects."""
    dtype = getattr(values, "dtype", None)
    if getattr(dtype, "tz", None) is None or not hasattr(values, "to_numpy"):
        return values
    return values.to_numpy(dtype=f"datetime64[{dtype.unit}]")  # type: ignore[union-attr]


def _as_instant(value: Any) -> np.datetime64:
    """Return a date or datetime as datetime64, in UTC where it has a time zone."""
    if hasattr(value, "to_datetime64"):  # pandas' Timestamp, which knows nanoseconds
        return value.to_datetime64()
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    return np.datetime64(value)


def _first_tick(instant: np.datetime64, unit: str) -> int:
    """Return the first tick at or after an instant."""
    step, count = np.datetime_data(instant.dtype)
    if step in ("Y", "M"):
        instant, step, count = instant.astype("M8[D]"), "D", 1
    seconds = int(instant.astype(np.int64)) * count * _SECONDS[step]
    return ceil(seconds / _SECONDS[unit])


def _in_zone(stamp: Any, zone: tzinfo) -> Any:
    if isinstance(stamp, np.datetime64):
        microseconds = stamp.astype("M8[us]")
        return _as_instant(_in_zone(microseconds.item(), zone)) + (stamp - microseconds)
    # pytz (pandas 2) has its own way; replace() would give local mean time.
    localize = getattr(zone, "localize", None)
    return localize(stamp) if localize else stamp.replace(tzinfo=zone)


def _parse_moment(value: Any, *, name: str) -> Any:
    """Return a datetime, or a datetime64 for its nanoseconds."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError as error:
            raise ValueError(
                f"`{name}={shorten(value)}` is not a date or datetime such as '2011-11-01' "
                "or '2011-11-01 12:30'."
            ) from error
    is_stamp = isinstance(value, np.datetime64)
    plain = value.astype("M8[us]").item() if is_stamp else value
    if not isinstance(plain, date) or value != value:
        raise TypeError(
            f"`{name}` must be a date, a datetime or a string such as '2011-11-01', as "
            f"`times` are datetimes; got {shorten(value)}."
        )
    if is_stamp or isinstance(value, datetime):
        return value
    return datetime(value.year, value.month, value.day)


def _in_seconds(value: Any, *, name: str) -> Fraction:
    """Return a duration of fixed length, exactly."""
    if isinstance(value, str):
        return _parse_duration(value, name=name)
    if hasattr(value, "to_timedelta64"):  # pandas' Timedelta, which knows nanoseconds
        value = value.to_timedelta64()
    if isinstance(value, timedelta):
        seconds = value.days * 86_400 + value.seconds
        return seconds + value.microseconds * _SECONDS["us"]
    takes_share = name in ("test_size", "train_size")
    share = "a share of the rows such as 0.2, or " if takes_share else ""
    if isinstance(value, int | float) and value:
        raise TypeError(
            f"`{name}` must be {share}a duration, as `times` are datetimes; for days give "
            f"'{value:g}D', got {value:g}."
        )
    needed = f"{share}a duration such as '7D', '12h' or datetime.timedelta(days=7)"
    if not isinstance(value, np.timedelta64):
        raise TypeError(
            f"`{name}` must be {needed}, as `times` are datetimes; got {shorten(value)}."
        )
    unit, count = np.datetime_data(value.dtype)
    if np.isnat(value) or unit not in _SECONDS:
        raise ValueError(f"`{name}` must be {needed}, of fixed length; got {value!r}.")
    return int(value.astype(np.int64)) * count * _SECONDS[unit]


def _parse_duration(text: str, *, name: str) -> Fraction:
    """Return the seconds of a text such as '7D', '1.5h' or '1 day 02:30:00', exactly."""
    unsigned = text.strip().removeprefix("-").lstrip()
    seconds, end = Fraction(0), 0
    while amount := _AMOUNT.match(unsigned, end):
        unit = _UNIT_OF_WORD.get(amount[2])
        if unit is None:
            break
        seconds += Fraction(amount[1]) * _SECONDS[unit]
        end = amount.end()
    if clock := _CLOCK.fullmatch(unsigned, end):
        hours, minutes, rest = map(Fraction, clock.groups())
        seconds += hours * 3600 + minutes * 60 + rest
    elif end == 0 or end < len(unsigned):
        raise ValueError(
            f"`{name}={text!r}` is not a duration of fixed length, such as '7D', '12h', "
            "'30min' or '1 day 02:30:00'. The units are weeks (W), days (D), hours (h), "
            "minutes (min), seconds (s), ms, us and ns."
        )
    return -seconds if text.strip().startswith("-") else seconds


# Mixed units, and rows dated far after all others.

# Numbers since 1970, from 1973 to 2286: their size alone identifies the unit.
UNITS = {"seconds": 10**8, "milliseconds": 10**11, "microseconds": 10**14}
UNITS["nanoseconds"] = 10**17
UNIT_WIDTH = 100
_NAMES = list(UNITS)
_EDGES = [edge for first in UNITS.values() for edge in (first, first * UNIT_WIDTH)]

# Far rows are few and lie beyond a gap unlike any before it.
ROWS_PER_FAR_ROW = 100  # one row in so many
TIMES_ANY_GAP = 3
SHARE_OF_SPAN = 0.1
SAMPLE_SIZE = 4096


def check_units(
    times: Times, name: str = "`times`", place_of: Callable[[int], str] = "row {}".format
) -> None:
    """Raise if numbers since 1970 are in several units.

    `name` is their name in the error, and `place_of` describes the place of a row.
    """
    ends = np.array([times.values.min(), times.values.max()])
    if times.unit is not None or len(set(_unit_positions(ends))) == 1:
        return
    places = _unit_positions(times.values)
    counts = np.bincount(places, minlength=len(_EDGES) + 1)
    units = [unit for unit in range(len(_NAMES)) if counts[2 * unit + 1]]
    # With values between them it is one scale in any unit.
    if len(units) < 2 or counts[2 * units[0] + 2 : 2 * units[-1] + 1 : 2].any():
        return
    descriptions = []
    for unit in units:
        row = int(np.argmax(places == 2 * unit + 1))
        value, rows = times.show(times.values[row]), quantity(counts[2 * unit + 1], "row")
        descriptions.append(f"{_NAMES[unit]} ({rows}, such as {value} in {place_of(row)})")
    coarsest = _NAMES[units[0]]
    advice = " and ".join(
        f"the {_NAMES[unit]} by {UNITS[_NAMES[unit]] // UNITS[coarsest]:,}"
        for unit in units[1:]
    )
    raise ValueError(f"{name} mixes {' and '.join(descriptions)}; divide {advice}.")


@dataclass(frozen=True)
class FarRows:
    """Rows dated far after all others."""

    n: int
    row: int  # the first of them
    value: str  # its time
    newest: str  # time of the newest of the others
    gap: float  # from there to the oldest of them

    def describe(self, name: str = "`times`", place: str | None = None) -> str:
        """Describe the rows; `place` is the place of the first one."""
        position = f"row {self.row}" if place is None else place
        return (
            f"{name} has {quantity(self.n, 'row')} far after all others, such as "
            f"{self.value} in {position}; the newest of the others is at {self.newest}."
        )


@np.errstate(over="ignore", invalid="ignore")  # of times at both ends of the floats
def find_far_rows(times: Times) -> FarRows | None:
    """Return the rows beyond a gap unlike any before it, if there are such rows."""
    n_newest = len(times.values) // ROWS_PER_FAR_ROW
    if n_newest == 0 or _are_many_new(times, n_newest):
        return None
    ages = times.ages()
    oldest = _oldest_far_age(ages, n_newest)
    if oldest is None:
        return None
    is_far = ages <= oldest
    row, newest = int(np.argmax(is_far)), int(np.argmin(np.where(is_far, np.inf, ages)))
    value, before = (times.show(times.values[index]) for index in (row, newest))
    return FarRows(int(is_far.sum()), row, value, before, float(ages[newest] - oldest))


def _are_many_new(times: Times, n_newest: int) -> bool:
    """Return whether too many rows are near the newest one for a gap: this is fast."""
    sample = times.values[:: 1 + len(times.values) // SAMPLE_SIZE]
    low, high = np.quantile(Times(sample).ages(), [0.1, 0.9])
    newest = times.values.max()
    near = type(newest.item())(SHARE_OF_SPAN * (high - low))
    return bool(np.count_nonzero(times.values > newest.item() - near) > n_newest)


def _oldest_far_age(ages: np.ndarray, n_newest: int) -> float | None:
    """Return the age of the oldest row beyond the gap, if there is such a gap."""
    parts = np.partition(ages, (n_newest, len(ages) - 1 - n_newest))
    span = parts[-1 - n_newest] - parts[n_newest]
    gaps = np.diff(np.sort(parts[: n_newest + 1]))
    wide = np.flatnonzero((gaps >= SHARE_OF_SPAN * span) & (span > 0))
    if len(wide) == 0:
        return None
    ages = np.sort(ages)
    gaps = np.diff(ages)
    for index in wide[::-1]:
        if gaps[index] >= TIMES_ANY_GAP * gaps[index + 1 :].max():
            return float(ages[index])
    return None


def _unit_positions(values: np.ndarray | float) -> np.ndarray:
    """Return 1, 3, 5, 7 for the units, and even numbers beside and between them."""
    return np.searchsorted(_EDGES, values, side="right")
