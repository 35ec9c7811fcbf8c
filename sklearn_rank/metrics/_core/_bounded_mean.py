"""Intervals of means of bounded values that hold even if few values differ.

The bound is that of N. Gaffke, "Three test statistics for a nonparametric one-sided
hypothesis on the mean of a nonnegative variable", Mathematical Methods of Statistics 14,
2005, with one more unit at the worst value. For values 0 and 1 it is the interval of C. J.
Clopper and E. S. Pearson, Biometrika 26(4), 1934. It is conjectured to hold for all
distributions; no exception is known.
"""

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import Self

import numpy as np

from sklearn_rank.metrics._core._parameters import Range

Ends = tuple[float, float]  # of an interval

# Weights of more distinct clusters are rounded to a thousandth, and taken together.
MOST_DISTINCT = 4096
# The closest distance of a saddle point to the origin and to a pole, as a share.
NEAREST_SADDLE = 1e-15
# If two rules agree this well, no other line is tried.
RULE_TOLERANCE = 1e-11
FACTORS_AT_ONCE = 1024  # factors
QUADRATURE_POINTS = (256, 200)  # of the two rules


@cache  # they take half a second
def _rule(n_points: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points and weights of Gauss and Legendre."""
    return np.polynomial.legendre.leggauss(n_points)


@dataclass(frozen=True, eq=False)
class BoundedMean:
    """A ratio of sums over clusters with bounded values.

    Clusters with equal sums of values and weights are stored once with a count.
    """

    totals: np.ndarray
    weights: np.ndarray
    counts: np.ndarray
    bounds: Range

    @classmethod
    def from_sums(
        cls, totals: np.ndarray, weights: np.ndarray, bounds: Range
    ) -> "BoundedMean":
        """Make it from the sums of each cluster."""
        pairs, counts = np.unique(totals + 1j * weights, return_counts=True)
        if len(pairs) > MOST_DISTINCT:
            rounded = np.exp(np.log(weights).round(3))
            pairs = totals / weights * rounded + 1j * rounded
            pairs, counts = np.unique(pairs, return_counts=True)
        return cls(pairs.real, pairs.imag, counts.astype(np.float64), bounds)

    def interval(self, level: float, alternative: str = "two-sided") -> Ends:
        """Return the interval; one-sided, the other end is infinite."""
        tail = (1 - level) / 2 if alternative == "two-sided" else 1 - level
        low = -math.inf if alternative == "less" else self._lowest(tail)
        high = math.inf if alternative == "greater" else -self._mirrored()._lowest(tail)
        return low, high

    def p_value(self, alternative: str) -> float:
        """Return the p-value of the mean 0."""
        sides = []
        if alternative != "less":
            sides.append(self._chance_below(0.0))
        if alternative != "greater":
            sides.append(self._mirrored()._chance_below(0.0))
        return min(1.0, len(sides) * min(sides))

    def _mirrored(self) -> Self:
        bounds = Range(-self.bounds.high, -self.bounds.low)
        return replace(self, totals=-self.totals, bounds=bounds)

    def _lowest(self, tail: float) -> float:
        """Return the mean m such that the lower bound is below m with this probability."""
        from scipy import optimize

        worst, best = self.bounds.low, float((self.totals / self.weights).max())
        if self._chance_below(worst) >= tail:
            return worst

        def excess(mean: float) -> float:
            return self._chance_below(mean) - tail

        xtol = 1e-13 * max(abs(worst), abs(best))
        return float(optimize.brentq(excess, worst, best, xtol=xtol))

    def _chance_below(self, mean: float) -> float:
        """Return the probability that the bound, with random weights, is below."""
        one_more = (self.weights @ self.counts) / self.counts.sum()
        deviations, worst_deviation = (
            self.totals - mean * self.weights,
            self.bounds.low - mean,
        )
        factors = np.append(deviations, one_more * worst_deviation)
        return chance_below_zero(factors, np.append(self.counts, 1.0))


def chance_below_zero(factors: np.ndarray, counts: np.ndarray) -> float:
    """Return the probability that a sum of factors times exponentials is 0 or less.

    `counts` is how many independent exponentials of mean 1 have each factor. The transform
    is inverted along lines through its saddle points, below and above 0, straight or bent
    as that of steepest descent, so that the integrand hardly oscillates. The result is from
    the line where two integration rules agree best.
    """
    is_used = factors != 0
    factors, counts = factors[is_used], counts[is_used]
    if not len(factors) or factors.max() < 0:
        return 1.0
    if factors.min() > 0:
        return 0.0
    factors = factors / np.abs(factors).max()
    likely = -1.0 if factors @ counts > 0 else 1.0
    error, chance = math.inf, math.nan
    for side in (likely, -likely):
        line = _Line.build(factors, counts, side)
        for is_bent in (True, False):
            rest = factors, counts, is_bent
            tail, check = (line.tail(*rest, _rule(n)) for n in QUADRATURE_POINTS)
            if abs(tail - check) < error:
                error, chance = abs(tail - check), tail if side < 0 else 1 - tail
            if error < RULE_TOLERANCE:
                return min(max(chance, 0.0), 1.0)
    return min(max(chance, 0.0), 1.0)


@dataclass(frozen=True)
class _Line:
    """A line through the saddle point on one side of 0."""

    side: float  # -1: the probability below 0, 1: above
    saddle: float
    width: float
    bend: float

    @classmethod
    def build(cls, factors: np.ndarray, counts: np.ndarray, side: float) -> "_Line":
        """Return the line of one side."""
        from scipy import optimize

        pole = 1 / float(factors.min() if side < 0 else factors.max())

        def slope(share: float) -> float:
            at = share * pole
            return float((counts * factors / (1 - at * factors)).sum() - 1 / at)

        ends = NEAREST_SADDLE, 1 - NEAREST_SADDLE
        saddle = pole * float(optimize.brentq(slope, *ends, xtol=1e-16))
        parts = factors / (1 - saddle * factors)
        second = float(counts @ parts**2) + saddle**-2
        third = 2 * float(counts @ parts**3) - 2 * saddle**-3
        return cls(side, saddle, second**-0.5, third * second**-1.5 / 6)

    def tail(
        self,
        factors: np.ndarray,
        counts: np.ndarray,
        is_bent: bool,
        rule: tuple[np.ndarray, np.ndarray],
    ) -> float:
        """Return the probability of this side."""
        nodes, weights = rule
        angles = (nodes + 1) * math.pi / 4
        heights = np.tan(angles)
        bend = self.bend * heights if is_bent else np.zeros(len(nodes))
        root = np.sqrt(1 + (2 * bend) ** 2)  # asymptotically twice as high as wide
        points = self.saddle + self.width * heights * (bend / root + 1j)
        with np.errstate(all="ignore"):  # for a wrong bend the rules disagree
            logs = -np.log(self.side * points)
            for start in range(0, len(factors), FACTORS_AT_ONCE):
                chunk = slice(start, start + FACTORS_AT_ONCE)
                logs -= counts[chunk] @ np.log(1 - factors[chunk, None] * points)
            steps = 1j + bend * (1 + 1 / root**2) / root
            density = (np.exp(logs) * steps).imag / np.cos(angles) ** 2
            return float(weights @ density) * self.width / 4
