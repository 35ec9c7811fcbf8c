"""The verdict on a difference by its interval and the smallest difference that matters."""

import math


def verdict_of(
    low: float, high: float, margin: float | None, *, lower_is_better: bool
) -> str:
    """Return "better", "worse", "equivalent" or "undecided".

    An interval of zero width comes from equal values, and other queries may differ: it
    shows nothing about a margin, and at 0 it shows nothing at all.
    """
    if math.isnan(low) or math.isnan(high):
        return "undecided"
    if low == high and (margin is not None or low == 0):
        return "undecided"
    if lower_is_better:
        low, high = -high, -low
    least = 0.0 if margin is None else margin
    if low > least:
        return "better"
    if high < -least:
        return "worse"
    return "equivalent" if -least <= low and high <= least else "undecided"
