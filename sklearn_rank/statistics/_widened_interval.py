"""Student's interval, widened for skewed differences, for verdicts by a margin."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import stats

from sklearn_rank._base._exact_sum import exact_sum, square_root
from sklearn_rank.metrics._core._clusters import power_of_two
from sklearn_rank.metrics._core._summaries import Mean, moments_of_sums, scale_of
from sklearn_rank.statistics._intervals_of_means import FEW_DIFFERENT, BoundedMean, Ends

# With this many clusters that differ, or with half of them, exact bounds have no weight.
MANY_DIFFERENT = 50


def sum_of_cubes(values: np.ndarray) -> Fraction:
    """Return the sum of the cubes, each rounded to a float, in any order."""
    scale = scale_of(values)
    scaled = np.ldexp(values, -scale) if scale else values
    return exact_sum(scaled * scaled * scaled) * Fraction(2) ** (3 * scale)


def skewness_of_error(mean: Mean, cubes: Fraction) -> float:
    """Return sum(r ** 3) / sum(r ** 2) ** 1.5 of residuals r; `cubes` is that of w x."""
    center = mean.total / mean.weight
    powers = mean.cubes
    third = cubes - 3 * center * powers.of_values
    third += 3 * center**2 * powers.of_both - center**3 * powers.of_weights
    second = mean.squares.spread(center)
    size = min(square_root(third**2 / second**3), 1.0)  # rounded cubes may exceed 1
    return size if third > 0 else -size


def skewness_of_clusters(totals: np.ndarray, weights: np.ndarray) -> float:
    """Return the same, given the sums of values and of weights of each cluster."""
    totals = totals / power_of_two(totals)
    moments = moments_of_sums(totals, weights)
    mean = Mean("arithmetic", len(totals), 0, *moments)
    return skewness_of_error(mean, sum_of_cubes(totals))


def widen_interval(
    ends: Ends,
    paired: Any,
    level: float,
    alternative: str,
    exact: Callable[[], BoundedMean] | None,
) -> Ends:
    """Return Student's interval of paired values, wider for their skewness.

    The end of the longer tail is moved outward by the shift of N. J. Johnson, "Modified t
    tests and confidence intervals for asymmetrical populations", JASA 73, 1978, at the
    quantile of t. If `exact` returns what has exact bounds, the result is the nearer to
    these the fewer values differ, so that the verdicts of a growing loss do not jump where
    they end.
    """
    tail = (1 - level) / (2 if alternative == "two-sided" else 1)
    quantile = float(stats.t.isf(tail, paired.difference.df))
    shift = (2 * quantile**2 + 1) / 6 * paired.skewness() * paired.difference.error
    wider = ends[0] + min(shift, 0.0), ends[1] + max(shift, 0.0)
    if exact is not None and paired.n_different < MANY_DIFFERENT:
        share = (MANY_DIFFERENT - paired.n_different) / (MANY_DIFFERENT - FEW_DIFFERENT)
        ends_of_both = zip(exact().interval(level, alternative), wider, strict=True)
        low, high = (share * bound + (1 - share) * end for bound, end in ends_of_both)
        wider = min(wider[0], low), max(wider[1], high)
    return keep_sign(wider, ends)


def keep_sign(wider: Ends, ends: Ends) -> Ends:
    """Return the wider interval; if the other one excludes 0, with its end next to 0."""
    low = ends[0] if ends[0] > 0 else wider[0]
    high = ends[1] if ends[1] < 0 else wider[1]
    return low, high
