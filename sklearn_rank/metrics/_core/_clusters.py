"""Mean and standard error of queries in clusters."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from sklearn_rank._arrays._exact_sum import (
    as_float,
    bounds_of_moments,
    exact_sum,
    sums_within,
)
from sklearn_rank.metrics._core._shares import (
    ROUNDING,
    Estimate,
    Shares,
    power_of_two,
    ratio_of_sums,
)
from sklearn_rank.metrics._core._summaries import Mean, moments_of_plain, scale_of

# The number of rows whose temporaries stay in the processor's cache.
AT_ONCE = 2**15
# Values whose deviation is a smaller share of their mean may be equal.
NEARLY = Fraction(1, 10**9)


@dataclass(frozen=True, eq=False)
class Clusters:
    """The cluster of each query, and its weight.

    Without `codes` each query is its own cluster, without `weight` all have equal weight.
    Queries with weight 0 are dropped before.
    """

    n_queries: int
    codes: np.ndarray | None = None  # 0, 1, ..., n_clusters - 1
    weight: np.ndarray | None = None

    @classmethod
    def of_used(
        cls, codes: np.ndarray | None, weight: np.ndarray | None, is_used: np.ndarray
    ) -> "Clusters":
        """Return the clusters of some of the queries; no codes: each is a cluster."""
        weight = None if weight is None else near_one(weight[is_used])
        if codes is None:
            return cls(int(np.count_nonzero(is_used)), None, weight)
        return cls.of(codes[is_used], weight)

    @classmethod
    def of(cls, codes: np.ndarray, weight: np.ndarray | None) -> "Clusters":
        """Return the clusters of queries with any codes."""
        distinct, compact = np.unique(codes, return_inverse=True)
        are_single = len(distinct) == len(codes)
        return cls(len(codes), None if are_single else compact, weight)

    @property
    def n_clusters(self) -> int:
        """The number of clusters."""
        return self.n_queries if self.codes is None else int(self.codes.max()) + 1

    @property
    def are_plain(self) -> bool:
        """Whether each query is a cluster and all count alike."""
        return self.codes is None and self.weight is None

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Return the weighted sum of the values of each cluster."""
        weighed = values if self.weight is None else values * self.weight
        if self.codes is None:
            return weighed
        with np.errstate(over="ignore"):  # in sizes, which only choose a method
            return sums_within(self.codes, weighed, self.n_clusters)

    def weights(self) -> np.ndarray:
        """Return the sum of the weights of each cluster."""
        return self.sums(np.ones(self.n_queries))

    def mean(self, values: np.ndarray) -> float:
        """Return the weighted mean of the values."""
        scale = power_of_two(values)
        of_all = exact_sum(self.weights()) if self.weight is not None else self.n_queries
        return as_float(exact_sum(self.sums(values / scale)) / of_all) * scale

    @cached_property
    def shares(self) -> Shares:
        """The shares of clusters of all weight."""
        if self.are_plain:
            return Shares.equal(self.n_queries)
        return Shares.of(self.weights())

    def estimate(self, values: np.ndarray) -> Estimate:
        """Return the weighted mean of the values with its error over clusters."""
        if self.are_plain and (mean := _sure_mean(values)):
            return Estimate(mean.result(), mean.standard_error(), self.shares)
        scale = power_of_two(values) if scale_of(values) else 1.0
        scaled = values if scale == 1 else values / scale
        if self.are_plain:
            mean = Mean().add(scaled)
            found = Estimate(mean.result(), mean.standard_error(), self.shares)
        else:
            found = ratio_of_sums(self.sums(scaled), self.weights(), self.shares)
        is_exact = self.n_clusters >= 2 and is_constant(values)
        error = 0.0 if is_exact else found.error * scale
        return Estimate(found.value * scale, error, self.shares)

    def standard_error(self, values: np.ndarray) -> float:
        """Return the cluster-robust standard error of the mean, NaN for one cluster."""
        return self.estimate(values).error


def _sure_mean(values: np.ndarray) -> Mean | None:
    """Return a mean with exactly the same value and error as those of the values.

    Bounds of sums are faster than sums. None: they do not round to the same floats, or
    values may be equal within rounding.
    """
    bounds, n = bounds_of_moments(values), Fraction(len(values))
    if n < 2 or bounds is None:
        return None
    nearer, farther = sorted(bounds[0], key=abs)
    low, high = (
        Mean("arithmetic", len(values), 0, *moments_of_plain(n, *sums), heaviest=1.0)
        for sums in ((farther, bounds[1][0]), (nearer, bounds[1][1]))
    )
    are_apart = low.squares.spread(low.total / n) > n * (low.total / n * NEARLY) ** 2
    if not are_apart or low.result() != high.result():
        return None
    return low if low.standard_error() == high.standard_error() else None


def near_one(weight: np.ndarray) -> np.ndarray:
    """Return weights divided by a power of two, the largest near 1."""
    return weight / power_of_two(weight)


def standard_deviation(values: np.ndarray) -> float:
    """Return the standard deviation with n - 1, exactly 0 if all values are equal."""
    return Clusters(len(values)).standard_error(values) * math.sqrt(len(values))


def is_constant(values: np.ndarray) -> bool:
    """Return whether all values are equal within rounding."""
    lowest, highest = float(np.min(values)), float(np.max(values))
    # Not their difference, which may overflow.
    return highest / 2 - lowest / 2 <= ROUNDING / 2 * max(abs(lowest), abs(highest))


def differences(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return one - other, exactly 0 if they differ only by rounding."""
    one, other = np.broadcast_arrays(one, other)
    found = np.empty_like(one, dtype=np.float64)
    for start in range(0, len(found), AT_ONCE):
        rows = slice(start, start + AT_ONCE)
        part = found[rows]
        with np.errstate(over="ignore"):
            np.subtract(one[rows], other[rows], out=part)
        is_near = np.abs(part) <= np.abs(2 * ROUNDING * other[rows])  # most are not
        if (is_near & (part != 0)).any():
            sizes = np.maximum(np.abs(one[rows]), np.abs(other[rows]))
            part[np.abs(part) <= ROUNDING * sizes] = 0
    if np.isinf(found).any():
        at = np.unravel_index(np.argmax(np.isinf(found)), found.shape)
        raise ValueError(
            f"{int(np.isinf(found).sum())} difference(s) overflow, such as that of "
            f"{one[at]:g} and {other[at]:g}; divide all values by one number, such as 1e10."
        )
    return found
