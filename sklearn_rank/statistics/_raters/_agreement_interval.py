"""Intervals of agreement, which leave each cluster of units out."""

import math

import numpy as np
from scipy import stats

# The lowest agreement whose Fisher z is finite enough.
LOWEST = -0.999999


def agreement_interval(
    value: float, without: np.ndarray, level: float
) -> tuple[float, float, float]:
    """Return low, high and the standard error, NaN where they are unknown.

    `without` are the values without each cluster. Fisher's z of agreement has a jackknife
    error, whose degrees of freedom fall with the kurtosis of the parts of clusters.
    """
    n = len(without)
    if value == 1:
        return math.nan, 1.0, math.nan
    if math.isnan(value) or n < 2 or np.isnan(without).any():
        return math.nan, math.nan, math.nan
    value = max(value, LOWEST)
    apart = np.arctanh(np.clip(without, LOWEST, 1 - (1 - value) / 2))
    squares = (apart - apart.mean()) ** 2
    total = float(squares.sum())
    if total == 0:
        return math.nan, math.nan, math.nan
    error = math.sqrt((n - 1) / n * total)
    excess = n * float((squares**2).sum()) / total**2 - 1
    df = min(n - 1, max(1.0, 2 * (n - 1) / excess)) if excess > 0 else n - 1
    half = float(stats.t.isf((1 - level) / 2, df)) * error
    z = math.atanh(value)
    return math.tanh(z - half), math.tanh(z + half), error * (1 - value**2)
