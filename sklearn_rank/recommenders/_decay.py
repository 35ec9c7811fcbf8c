"""How much an interaction counts by its age."""

from typing import Any

import numpy as np

from sklearn_rank._tables._check_times import check_units, far_rows, unit_of
from sklearn_rank._tables._columns import take_column
from sklearn_rank._tables._times import Times, read_times
from sklearn_rank._validation import shorten

# Of the oldest rows: weights beyond would be 0, and items that have only such rows would
# be in the order of their ids.
MOST_HALF_LIVES = 1000


def decay_of_rows(
    X: Any, *, half_life: Any, time: Any, reference_time: Any
) -> np.ndarray | None:
    """Return what each row counts, 1 at the reference; None where all count alike."""
    if half_life is None:
        return None
    if time is None:
        raise ValueError(
            f"`half_life={shorten(half_life)}` needs the time of each interaction; name "
            "its column of X with `time=`."
        )
    times = read_times(take_column(X, time, name="time"))
    check_units(times)
    duration = times.duration(half_life, name="half_life")
    if duration == 0:
        raise ValueError(f"`half_life` must be > 0 or None, got {shorten(half_life)}.")
    if reference_time is None:
        _check_newest(times, duration, half_life)
        ages = times.ages()
    else:
        ages = times.ages(_read_reference(times, reference_time))
    with np.errstate(over="ignore"):  # of half-lives near 0
        half_lives = ages / duration
    if half_lives.min() > MOST_HALF_LIVES:
        raise ValueError(
            f"All rows are more than {MOST_HALF_LIVES:,} half-lives older than "
            f"`reference_time={shorten(reference_time)}`, where they count alike; give an "
            f"earlier moment, or a longer `half_life` than {shorten(half_life)}."
        )
    return np.exp2(-np.minimum(half_lives, MOST_HALF_LIVES))


def _check_newest(times: Times, duration: float, half_life: Any) -> None:
    """Raise where the newest row is no moment for ages to count from."""
    far = far_rows(times)
    # Within one half-life it takes away less than half of what a row counts.
    if far is not None and far.gap > duration:
        raise ValueError(
            f"{far.describe()} Ages count from the newest row, so with "
            f"`half_life={shorten(half_life)}` all others count next to nothing. Drop or "
            "mend the rows far after. If they are right, give `reference_time=`, the "
            "moment from which ages count: that of the newest row, or a later one."
        )


def _read_reference(times: Times, reference_time: Any) -> float:
    """Return the moment from which ages count; no row is after it."""
    moment = times.moment(reference_time, name="reference_time")
    given = f"`reference_time={shorten(reference_time)}`"
    newest = times.values.max()
    if times.unit is None:
        units = unit_of(moment), unit_of(newest)
        if None not in units and units[0] != units[1]:
            raise ValueError(
                f"{given} looks like {units[0]}, but `times` like {units[1]}, such as "
                f"{times.show(newest)}; give it in the unit of `times`."
            )
    is_after = times.values > moment
    if is_after.any():
        n, row = np.count_nonzero(is_after), int(np.argmax(is_after))
        raise ValueError(
            f"{given} lies before {n:,} of {len(is_after):,} rows, such as row {row}; the "
            f"newest is at {times.show(newest)}. Give a moment that is not before it, or "
            "drop the rows after the moment."
        )
    return moment
