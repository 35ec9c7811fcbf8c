"""Check times: mixed units, and rows dated far after all others."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sklearn_rank._tables._times import Times
from sklearn_rank._validation import counted

# Numbers since 1970, from 1973 to 2286: their size alone identifies the unit.
UNITS = {"seconds": 10**8, "milliseconds": 10**11, "microseconds": 10**14}
UNITS["nanoseconds"] = 10**17
WIDTH = 100
_NAMES = list(UNITS)
_EDGES = [edge for first in UNITS.values() for edge in (first, first * WIDTH)]

# Far rows are few and lie beyond a gap unlike any before it.
MOST = 100  # one row in so many
TIMES_ANY_GAP = 3
SHARE_OF_SPAN = 0.1
SAMPLE = 4096


def check_units(
    times: Times, name: str = "`times`", place_of: Callable[[int], str] = "row {}".format
) -> None:
    """Raise if numbers since 1970 are in several units.

    `name` is their name in the error, and `place_of` describes the place of a row.
    """
    ends = np.array([times.values.min(), times.values.max()])
    if times.unit is not None or len(set(_places(ends))) == 1:
        return
    places = _places(times.values)
    counts = np.bincount(places, minlength=len(_EDGES) + 1)
    units = [unit for unit in range(len(_NAMES)) if counts[2 * unit + 1]]
    # With values between them it is one scale in any unit.
    if len(units) < 2 or counts[2 * units[0] + 2 : 2 * units[-1] + 1 : 2].any():
        return
    found = []
    for unit in units:
        row = int(np.argmax(places == 2 * unit + 1))
        value, rows = times.show(times.values[row]), counted(counts[2 * unit + 1], "row")
        found.append(f"{_NAMES[unit]} ({rows}, such as {value} in {place_of(row)})")
    coarsest = _NAMES[units[0]]
    advice = " and ".join(
        f"the {_NAMES[unit]} by {UNITS[_NAMES[unit]] // UNITS[coarsest]:,}"
        for unit in units[1:]
    )
    raise ValueError(f"{name} mixes {' and '.join(found)}; divide {advice}.")


def unit_of(value: float) -> str | None:
    """Return the likely unit of a number since 1970; None if unknown."""
    place = int(_places(value))
    return _NAMES[place // 2] if place % 2 else None


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
        place = f"row {self.row}" if place is None else place
        return (
            f"{name} has {counted(self.n, 'row')} far after all others, such as "
            f"{self.value} in {place}; the newest of the others is at {self.newest}."
        )


@np.errstate(over="ignore", invalid="ignore")  # of times at both ends of the floats
def far_rows(times: Times) -> FarRows | None:
    """Return the rows beyond a gap unlike any before it, if there are such rows."""
    n_newest = len(times.values) // MOST
    if n_newest == 0 or _are_many_new(times, n_newest):
        return None
    ages = times.ages()
    oldest = _oldest_far_age(ages, n_newest)
    if oldest is None:
        return None
    is_far = ages <= oldest
    row, newest = int(np.argmax(is_far)), int(np.argmin(np.where(is_far, np.inf, ages)))
    value, before = (times.show(times.values[place]) for place in (row, newest))
    return FarRows(int(is_far.sum()), row, value, before, float(ages[newest] - oldest))


def _are_many_new(times: Times, n_newest: int) -> bool:
    """Return whether too many rows are near the newest one for a gap: this is fast."""
    sample = times.values[:: 1 + len(times.values) // SAMPLE]
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
    for place in wide[::-1]:
        if gaps[place] >= TIMES_ANY_GAP * gaps[place + 1 :].max():
            return float(ages[place])
    return None


def _places(values: np.ndarray | float) -> np.ndarray:
    """Return 1, 3, 5, 7 for the units, and even numbers beside and between them."""
    return np.searchsorted(_EDGES, values, side="right")
