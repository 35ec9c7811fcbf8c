"""Half-lives to try, round numbers that suit the length of a log."""

import math
import sys

import numpy as np

from sklearn_rank._tables._times import Times

# As shares of the time that the log covers. Longer half-lives equal plain popularity, and
# shorter ones only use the last few rows. 3 days is the best of many shops.
SHORTEST, LONGEST = 1 / 1000, 1 / 3
UNITS = {"s": 1, "min": 60, "h": 3600, "D": 86400}
# Up to the next unit, and days for centuries.
STEPS = {"s": (1, 3, 10, 30), "min": (1, 3, 10, 30), "h": (1, 3, 10)}
DAYS = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000)
TICKS = {"us": 10**6, "ns": 10**9}  # a second


def half_lives(times: Times, rows: np.ndarray) -> list[str] | list[float]:
    """Return half-lives such as "3D", or numbers where times are numbers."""
    some = times.values[rows]
    span = some.max().item() - some.min().item()
    return _numbers(float(span)) if times.unit is None else _durations(span, times.unit)


def _durations(ticks: int, unit: str) -> list[str]:
    span = ticks / TICKS[unit]
    return [
        f"{step}{unit}"
        for unit, seconds in UNITS.items()
        for step in STEPS.get(unit, DAYS)
        if SHORTEST * span <= step * seconds <= LONGEST * span
    ]


def _numbers(span: float) -> list[float]:
    if SHORTEST * span < sys.float_info.min:
        return []
    lowest = math.floor(math.log10(SHORTEST * span))
    steps = [_step(n, power) for power in range(lowest, lowest + 4) for n in (1, 3)]
    return [step for step in steps if SHORTEST * span <= step <= LONGEST * span]


def _step(n: int, power: int) -> float:
    """Return n times a power of ten, without the rounding of a product."""
    return n * 10**power if power >= 0 else n / 10**-power
