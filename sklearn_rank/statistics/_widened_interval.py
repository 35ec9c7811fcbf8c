"""Student's interval, widened for skewed differences, for verdicts by a margin."""

from fractions import Fraction

import numpy as np
from scipy import stats

from sklearn_rank._base._exact_sum import exact_sum, square_root
from sklearn_rank.metrics._core._clusters import Estimate, power_of_two
from sklearn_rank.metrics._core._summaries import Mean, moments_of_sums, scale_of
from sklearn_rank.statistics._intervals_of_means import FEW_DIFFERENT, Ends

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


def widen_for_skewness(
    ends: Ends, found: Estimate, skewness: float, level: float, alternative: str
) -> Ends:
    """Return Student's interval with the end of the longer tail moved outward.

    The shift is that of N. J. Johnson, "Modified t tests and confidence intervals for
    asymmetrical populations", JASA 73, 1978, at the quantile of t.
    """
    tail = (1 - level) / (2 if alternative == "two-sided" else 1)
    quantile = float(stats.t.isf(tail, found.df))
    shift = (2 * quantile**2 + 1) / 6 * skewness * found.error
    return ends[0] + min(shift, 0.0), ends[1] + max(shift, 0.0)


def widen_to_exact(ends: Ends, n_different: int, exact: Ends) -> Ends:
    """Return an interval between this one and the exact one, the nearer the fewer differ.

    So the verdicts of a growing loss do not jump where exact bounds end.
    """
    share = (MANY_DIFFERENT - n_different) / (MANY_DIFFERENT - FEW_DIFFERENT)
    low, high = (
        share * bound + (1 - share) * end for bound, end in zip(exact, ends, strict=True)
    )
    return min(ends[0], low), max(ends[1], high)


def keep_sign(wider: Ends, ends: Ends) -> Ends:
    """Return the wider interval; if the other one excludes 0, with its end next to 0."""
    low = ends[0] if ends[0] > 0 else wider[0]
    high = ends[1] if ends[1] < 0 else wider[1]
    return low, high
