"""Bootstrap of a mean, corrected for bias and acceleration (BCa)."""

import math
from collections.abc import Iterator

import numpy as np
from scipy import stats

# The number of random numbers per draw.
DRAWN_AT_ONCE = 2**20

# Means that differ by at most this share of the largest difference are tied.
TIE = 1e-12


def draws(
    n_clusters: int,
    n_resamples: int,
    random_state: np.random.RandomState,
    *,
    width: int = 1,
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield blocks of resamples, with the clusters drawn with replacement.

    `width`: the numbers per resample, if more than its clusters.
    """
    step = max(DRAWN_AT_ONCE // max(n_clusters, width), 1)
    for start in range(0, n_resamples, step):
        stop = min(start + step, n_resamples)
        size = (stop - start, n_clusters)
        yield (
            slice(start, stop),
            random_state.randint(0, n_clusters, size=size, dtype=np.int32),
        )


def resampled_means(
    sums: np.ndarray,
    weights: np.ndarray,
    n_resamples: int,
    random_state: np.random.RandomState,
) -> np.ndarray:
    """Return the means of clusters drawn with replacement."""
    n_clusters = len(sums)
    weigh_the_same = bool(np.all(weights == weights[0]))
    means = np.empty(n_resamples)
    for some, drawn in draws(n_clusters, n_resamples, random_state):
        total = n_clusters * weights[0]
        if not weigh_the_same:
            total = weights[drawn].sum(axis=1)
        means[some] = sums[drawn].sum(axis=1) / total
    return means


def acceleration(apart: np.ndarray) -> float:
    """Return the acceleration: how the error of a mean changes with the mean.

    It equals the result of the jackknife, without its cost.
    """
    return float((apart**3).sum() / (6 * (apart**2).sum() ** 1.5))


def bca_interval(
    means: np.ndarray, mean: float, accelerates: float, level: float
) -> tuple[float, float]:
    """Return the interval from means of resamples; ties count half as below."""
    tie = TIE * np.max(np.abs(means - mean))
    below = (np.mean(means < mean - tie) + np.mean(means <= mean + tie)) / 2
    if below in (0, 1):
        return math.nan, math.nan
    bias = stats.norm.ppf(below)
    shares = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        shifted = bias + stats.norm.ppf(tail)
        shares.append(stats.norm.cdf(bias + shifted / (1 - accelerates * shifted)))
    low, high = np.quantile(means, shares)
    return float(low), float(high)
