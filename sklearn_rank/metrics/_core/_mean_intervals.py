"""Intervals of means over clusters: Student's, widened for skewed and for rare values.

The end of the longer tail is moved outward by the shift of N. J. Johnson, "Modified t tests
and confidence intervals for asymmetrical populations", JASA 73, 1978, at the quantile of t.
Where fewer than fifty clusters, and fewer than half, differ from the most frequent value,
and values have known bounds, an end is the nearer to the exact one the fewer differ.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, Self

import numpy as np

from sklearn_rank._base._exact_sum import as_float, exact_sum, square_root
from sklearn_rank._base._labels import ascends_strictly, encode_labels
from sklearn_rank.metrics._core._bounded_mean import BoundedMean, Ends
from sklearn_rank.metrics._core._clusters import (
    ROUNDING,
    Clusters,
    Estimate,
    power_of_two,
    shares_of,
    t_interval,
)
from sklearn_rank.metrics._core._parameters import UNBOUNDED, Range
from sklearn_rank.metrics._core._summaries import KINDS_OF_MEAN, Mean, Summary, scale_of

# The method of Student's intervals that are widened.
WIDENED = "t, widened"
# With fewer clusters that differ from the most frequent value, bounds are exact.
FEW_DIFFERENT = 10
# With this many, or with half of all, exact bounds have no weight.
MANY_DIFFERENT = 50
# Exact bounds that make the interval of one mean wider than this times Student's have no
# weight.
MOST_WIDER = 1.5

# Skewness of the error of a mean.

# Sums of floats in different orders agree after rounding to these decimals, and so do
# residuals and powers of values, from which streams compute it.
DECIMALS = 10


def skewness_of(residuals: np.ndarray) -> float:
    """Return sum(r ** 3) / sum(r ** 2) ** 1.5 of the residuals r of clusters."""
    scaled = residuals / power_of_two(residuals)  # the largest is below 2
    squares = scaled * scaled
    scaled *= squares  # not their product by BLAS, whose threads cost more
    second = float(squares.sum())
    if second == 0:
        return 0.0
    skewness = float(scaled.sum()) / second**1.5
    # The two sums of n numbers, in any order, differ by less than their roundings.
    slack = 8 * len(scaled) * 2.0**-53 / math.sqrt(second)
    if round(skewness - slack, DECIMALS) != round(skewness + slack, DECIMALS):
        skewness = as_float(exact_sum(scaled)) / as_float(exact_sum(squares)) ** 1.5
    return round(skewness, DECIMALS)


def sum_of_cubes(values: np.ndarray) -> Fraction:
    """Return the sum of the cubes, each rounded to a float, in any order."""
    scale = scale_of(values)
    scaled = np.ldexp(values, -scale) if scale else values
    return exact_sum(scaled * scaled * scaled) * Fraction(2) ** (3 * scale)


def skewness_of_sums(mean: Mean, cubes: Fraction) -> float:
    """Return the same from the sums of powers; `cubes` is that of w x."""
    center = mean.total / mean.weight
    powers = mean.cubes
    third = cubes - 3 * center * powers.of_values
    third += 3 * center**2 * powers.of_both - center**3 * powers.of_weights
    second = mean.squares.spread(center)
    size = min(square_root(third**2 / second**3), 1.0)  # rounded cubes may exceed 1
    return round(size if third > 0 else -size, DECIMALS)


# The two corrections.


def widen_interval(
    ends: Ends,
    estimate: Estimate,
    skewness: float,
    level: float,
    alternative: str = "two-sided",
) -> Ends:
    """Return Student's interval with the end of the longer tail further out."""
    from scipy import special

    tail = (1 - level) / (2 if alternative == "two-sided" else 1)
    quantile = float(special.stdtrit(estimate.df, tail))
    shift = (2 * quantile**2 + 1) / 6 * skewness * estimate.error
    return ends[0] + min(shift, 0.0), ends[1] + max(shift, 0.0)


def blend_with_exact(ends: Ends, exact: Ends, n_different: int) -> Ends:
    """Return an interval with ends at least as far out as between these and exact ones.

    The fewer clusters differ, the nearer to the exact ones, so that the verdicts of a
    growing loss do not jump where exact bounds end.
    """
    share = (MANY_DIFFERENT - n_different) / (MANY_DIFFERENT - FEW_DIFFERENT)
    low, high = (
        share * bound + (1 - share) * end for bound, end in zip(exact, ends, strict=True)
    )
    return min(ends[0], low), max(ends[1], high)


def keep_sign(wider: Ends, ends: Ends) -> Ends:
    """Return the wider interval, cut at 0 if the other one is on one side of it."""
    low, high = wider
    if ends[0] > 0:
        low = max(low, math.nextafter(0.0, 1.0))
    if ends[1] < 0:
        high = min(high, math.nextafter(0.0, -1.0))
    return low, high


# The interval of one mean.


class MeanInterval(NamedTuple):
    """The interval of a mean, its method, and how many clusters decide it, 0 if enough."""

    low: float
    high: float
    method: str
    n_deciding: int


@dataclass(frozen=True, eq=False)
class Average:
    """A mean over clusters, and what its interval depends on."""

    estimate: Estimate
    bounds: Range = UNBOUNDED
    skewness: float = 0.0
    # Clusters that differ from the most frequent value; counted if few do, for bounds.
    n_different: int = MANY_DIFFERENT
    bounded: BoundedMean | None = None

    @classmethod
    def from_values(
        cls,
        values: np.ndarray,
        clusters: Clusters,
        bounds: Range,
        estimate: Estimate | None = None,
    ) -> Self:
        """Return that of values without NaN, whose estimate may be known."""
        estimate = clusters.estimate(values) if estimate is None else estimate
        is_plain, skewness = clusters.are_plain, 0.0
        totals, weights = values, np.ones(0)
        if not is_plain:
            totals, weights = clusters.sums(values), clusters.weights()
        if estimate.error > 0:
            center = estimate.value if is_plain else estimate.value * weights
            skewness = skewness_of(totals - center)
        if not bounds.is_bounded or len(totals) < 2:
            return cls(estimate, bounds, skewness)
        n_different = count_different(totals if is_plain else totals / weights, bounds)
        if n_different == MANY_DIFFERENT:
            return cls(estimate, bounds, skewness)
        weights = np.ones(len(totals)) if is_plain else weights
        bounded = BoundedMean.from_sums(totals, weights, bounds)
        return cls(estimate, bounds, skewness, n_different, bounded)

    def by_t(self, level: float) -> MeanInterval:
        """Return Student's interval within the bounds."""
        estimate = self.estimate
        ends = t_interval(estimate.value, estimate.error, estimate.df, level)
        return MeanInterval(*self._clip(ends), "t", 0)

    def interval(self, level: float) -> MeanInterval:
        """Return the interval within the bounds, wider where Student's is too narrow."""
        estimate = self.estimate
        exact = None if self.bounded is None else self.bounded.interval(level)
        if exact is not None and self.n_different < FEW_DIFFERENT:
            return MeanInterval(*self._clip(exact), "exact", 0)
        by_t = self.by_t(level)
        if not estimate.error > 0:
            return by_t
        ends = t_interval(estimate.value, estimate.error, estimate.df, level)
        ends = widen_interval(ends, estimate, self.skewness, level)
        wider, n_deciding = self._clip(ends), 0
        if exact is not None:
            blended = self._clip(blend_with_exact(ends, exact, self.n_different))
            if blended[1] - blended[0] > MOST_WIDER * (by_t.high - by_t.low):
                n_deciding = self.n_different
            else:
                wider = blended
        return MeanInterval(*wider, WIDENED, n_deciding)

    def _clip(self, ends: Ends) -> Ends:
        low, high = self.bounds.clip(ends)
        return float(low), float(high)


def count_different(values: np.ndarray, bounds: Range) -> int:
    """Return how many values differ from the most frequent one, MANY_DIFFERENT if many.

    Half of all are many, except for fewer than ten of 0 and 1, where the rarer one decides.
    """
    n = len(values)
    # If few differ, the first ones have the most frequent value in the majority.
    first = np.sort(values[: 2 * MANY_DIFFERENT - 1])
    likely = first[len(first) // 2]
    n_different = 0
    for part in (values[:1000], values):
        is_other = np.abs(part - likely) > ROUNDING * abs(likely)
        n_different = int(np.count_nonzero(is_other))
        if n_different >= MANY_DIFFERENT:
            return MANY_DIFFERENT
    if n_different < n / 2:
        return n_different
    is_hit = (bounds.low, bounds.high) == (0, 1) and bool(np.isin(values, (0, 1)).all())
    return n_different if is_hit and n_different < FEW_DIFFERENT else MANY_DIFFERENT


def deciding_text(metrics: dict[str, tuple[int, int]], advice: str) -> list[str]:
    """Return a warning of means that few queries decide: how many, and of how many."""
    counted = [
        f"{name} ({n_deciding} of {n:,})"
        for name, (n_deciding, n) in metrics.items()
        if n_deciding
    ]
    if not counted:
        return []
    return [
        f"Few queries decide the mean of {', '.join(counted)}: the others have one value. "
        f"An exact interval is much wider; this one may be too narrow: {advice}."
    ]


# Means of metrics, in reports and pictures.


def average_of(scores: Any, metric: str) -> Average:
    """Return the mean of a metric of a PerQueryScores.

    Values of one label in several folds are similar, so they are one cluster.
    """
    values, weight = scores.scores[metric], scores.weights[metric]
    is_used = ~np.isnan(values)
    if weight is not None:
        is_used &= weight > 0
    labels = scores.groups
    codes = None
    if not ascends_strictly(labels):
        codes = encode_labels(labels, name="groups")[1]
    clusters = Clusters.from_used(codes, weight, is_used)
    summary = scores._summary_of(metric)
    if isinstance(summary, Mean) and summary.kind == "arithmetic":
        return Average.from_values(values[is_used], clusters, scores._range_of(metric))
    if clusters.are_plain or not isinstance(summary, Mean):
        error, shares = summary.standard_error(), shares_of(summary)
    else:
        averaged = clusters.estimate(KINDS_OF_MEAN[summary.kind][0](values[is_used]))
        error, shares = averaged.error * summary.slope(), averaged.shares
    return Average(Estimate(summary.result(), error, shares), scores._range_of(metric))


# The same from sums, of values that are not kept.


@dataclass(frozen=True)
class ShapeSums:
    """What the interval of a mean needs beside the sums of its error."""

    cubes: Fraction = Fraction(0)  # sum of (w x) ** 3
    # How often each value occurs, None if many differ or weights do.
    counts: dict[float, int] | None = None

    @classmethod
    def compute(cls, values: np.ndarray, weight: np.ndarray | None) -> Self:
        """Return those of values, without infinite ones, NaN and those of no weight."""
        is_used = np.isfinite(values)
        if weight is not None:
            is_used &= weight > 0
        values = values[is_used]
        if weight is not None:
            return cls(sum_of_cubes(values * weight[is_used]))
        return cls(sum_of_cubes(values), count_values(values))

    def merge(self, other: Self) -> Self:
        """Return those of both."""
        cubes, counts = self.cubes + other.cubes, None
        if self.counts is not None and other.counts is not None:
            counts = dict(self.counts)
            for value, n in other.counts.items():
                counts[value] = counts.get(value, 0) + n
            if sum(counts.values()) - max(counts.values(), default=0) >= MANY_DIFFERENT:
                counts = None
        return type(self)(cubes, counts)

    def average(self, mean: Mean, bounds: Range) -> Average:
        """Return the mean with what its interval depends on."""
        estimate = estimate_of(mean)
        skewness = skewness_of_sums(mean, self.cubes) if estimate.error > 0 else 0.0
        if self.counts is None or not bounds.is_bounded:
            return Average(estimate, bounds, skewness)
        values, counts = np.array(list(self.counts)), np.array(list(self.counts.values()))
        # The order of values does not matter; of many alike, a hundred say as much.
        shown = np.repeat(values, np.minimum(counts, 2 * MANY_DIFFERENT))
        n_different = count_different(shown, bounds)
        if n_different == MANY_DIFFERENT:
            return Average(estimate, bounds, skewness)
        bounded = BoundedMean(values, np.ones(len(values)), counts.astype(float), bounds)
        return Average(estimate, bounds, skewness, n_different, bounded)


def count_values(values: np.ndarray) -> dict[float, int] | None:
    """Return how often each value occurs, None if many differ from the most frequent."""
    counts: Any = ()
    distinct: Any = ()
    for part in (values[:1000], values):
        distinct, counts = np.unique(part, return_counts=True)
        if len(part) - counts.max(initial=0) >= MANY_DIFFERENT:
            return None
    return dict(zip(distinct.tolist(), counts.tolist(), strict=True))


def estimate_of(summary: Summary) -> Estimate:
    """Return a mean with its error, exactly 0 if all values are equal."""
    error = summary.standard_error()
    is_rounding = error * math.sqrt(summary.n) <= ROUNDING * abs(summary.result())
    return Estimate(summary.result(), 0.0 if is_rounding else error, shares_of(summary))
