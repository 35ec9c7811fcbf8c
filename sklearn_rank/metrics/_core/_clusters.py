"""Mean and standard error of queries in clusters."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from sklearn_rank._base._exact_sum import as_float, exact_sum, sums_within
from sklearn_rank.metrics._core._summaries import Mean, Summary, moments_of_sums, scale_of

# A ratio of sums over clusters, and its cluster-robust error.
#
# With the sums S and W of a cluster the ratio is R = sum(S) / sum(W), the share of the
# cluster h = W / sum(W), and its residual e = (S - R W) / sum(W). The error is CR2 and its
# degrees of freedom are those of R. M. Bell and D. F. McCaffrey, "Bias reduction in
# standard errors for linear regression with multi-stage samples", Survey Methodology 28(2),
# 2002:
#
#     SE ** 2 = sum(e ** 2 / (1 - h))
#     df = 1 / (sum(h ** 2) + sum(a) ** 2 - sum(a ** 2)),  a = h ** 2 / (1 - h)
#
# With equal shares this is Student's t of G clusters.

# Values that differ by less than this share of their size differ by rounding only.
ROUNDING = 1e-12
# What is left besides a cluster that has all weight except for rounding.
LEAST_REST = 1e-16


@dataclass(frozen=True, eq=False)
class Shares:
    """The shares of clusters of all weight, and how many clusters these amount to."""

    n: int
    of_clusters: np.ndarray | None  # None where all are equal
    df: float
    n_effective: float
    largest: float

    @classmethod
    def equal(cls, n: int) -> "Shares":
        """Return those of n clusters that are alike."""
        return cls(n, None, n - 1.0, float(n), 1 / max(n, 1))

    @classmethod
    def from_weights(cls, weights: np.ndarray) -> "Shares":
        """Return those of clusters with these sums of weights, 0 or more."""
        if len(weights) < 2 or bool((weights == weights[0]).all()):
            return cls.equal(len(weights))
        shares = weights / _total(weights)
        squares = _total(shares**2)
        alone = shares**2 / _rest(shares)
        largest = alone.max()
        other_weights = np.delete(alone, alone.argmax())
        of_others = _total(other_weights)
        # sum(a) ** 2 - sum(a ** 2), without cancellation for one large cluster.
        of_pairs = of_others * (2 * largest + of_others) - _total(other_weights**2)
        df = 1 / (squares + of_pairs)
        return cls(len(weights), shares, float(df), 1 / squares, float(shares.max()))

    def adjusted(self, residuals: np.ndarray) -> np.ndarray:
        """Return what residuals of clusters add, whose squares add up to the error's."""
        if self.of_clusters is None:
            return residuals / np.sqrt(1 - 1 / self.n)
        return residuals / np.sqrt(_rest(self.of_clusters))


@dataclass(frozen=True, eq=False)
class Estimate:
    """An estimate with its standard error; the shares have its degrees of freedom."""

    value: float
    error: float
    shares: Shares

    @property
    def df(self) -> float:
        """The degrees of freedom of Student's t."""
        return self.shares.df

    def columns(self) -> dict[str, float]:
        """Return what results say of the clusters behind an estimate."""
        shares = self.shares
        return {
            "df": shares.df,
            "n_effective": shares.n_effective,
            "largest_cluster": shares.largest,
        }


def shares_of(summary: Summary) -> Shares:
    """Return the shares of queries of all weight, for the sums of their powers."""
    if not isinstance(summary, Mean) or summary.n < 2 or summary.are_alike:
        return Shares.equal(summary.n)
    squares, cubes, fourths = (
        as_float(sums.of_weights / summary.weight**power)
        for power, sums in enumerate((summary.squares, summary.cubes, summary.fourths), 2)
    )
    df = 1 / (squares + (squares + cubes + fourths) ** 2 - fourths)
    largest = as_float(Fraction(summary.heaviest) / summary.weight)
    return Shares(summary.n, None, df, 1 / squares, largest)


def ratio_of_sums(
    total: np.ndarray, weight: np.ndarray, shares: Shares | None = None
) -> Estimate:
    """Return the ratio of two sums with its error, given both of each cluster."""
    shares = Shares.from_weights(weight) if shares is None else shares
    if shares.of_clusters is not None:
        return sum_of_ratios([(total, weight)])[0]
    mean = Mean("arithmetic", len(total), 0, *moments_of_sums(total, weight))
    return Estimate(mean.result(), mean.standard_error(), shares)


def sum_of_ratios(
    ratios: Sequence[tuple[np.ndarray, np.ndarray]],
) -> tuple[Estimate, np.ndarray]:
    """Return the sum of ratios of sums over the same clusters, and their residuals.

    The degrees of freedom are those of the ratio that has the fewest.
    """
    parts = [_residuals(total, weight) for total, weight in ratios]
    values, residuals, shares = zip(*parts, strict=True)
    deviation = np.sum(residuals, axis=0)
    scale = power_of_two(deviation)
    error = math.sqrt(_total((deviation / scale) ** 2)) * scale
    return Estimate(sum(values), error, min(shares, key=lambda share: share.df)), deviation


def _residuals(total: np.ndarray, weight: np.ndarray) -> tuple[float, np.ndarray, Shares]:
    """Return a ratio, and what each cluster adds to its error."""
    shares, of_all = Shares.from_weights(weight), exact_sum(weight)
    value = as_float(exact_sum(total) / of_all)
    deviation = total - value * weight
    deviation[np.abs(deviation) <= ROUNDING * np.abs(total)] = 0
    return value, shares.adjusted(deviation / as_float(of_all)), shares


def power_of_two(values: np.ndarray) -> float:
    """Return a number of the size of the values, by which they can be divided exactly.

    Their sums stay within floats.
    """
    return 2.0 ** float(np.frexp(np.abs(values).max(initial=0.0))[1] - 1)


def _rest(shares: np.ndarray) -> np.ndarray:
    return np.maximum(1 - shares, LEAST_REST)


def _total(values: np.ndarray) -> float:
    """Return a sum that is the same in any order."""
    return as_float(exact_sum(values))


# Student's interval of an estimate: reports, pictures and comparisons share it.


def t_interval(
    estimate: Any, error: Any, df: Any, level: float, alternative: str = "two-sided"
) -> tuple[Any, Any]:
    """Return the ends of the interval, of one estimate or of an array of them.

    One-sided, the other end is infinite.
    """
    from scipy import special

    # The tail, not the level, which near 1 has fewer digits left.
    tail = (1 - level) / 2 if alternative == "two-sided" else 1 - level
    with np.errstate(over="ignore"):  # an end beyond the floats is infinite
        half = -special.stdtrit(df, tail) * np.asarray(error)
    half = half if np.ndim(half) else float(half)
    low = -math.inf if alternative == "less" else estimate - half
    high = math.inf if alternative == "greater" else estimate + half
    return low, high


# Clusters of queries, and statistics over them.

# The number of rows whose temporaries stay in the processor's cache.
ROWS_PER_CHUNK = 2**15


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
    def from_used(
        cls, codes: np.ndarray | None, weight: np.ndarray | None, is_used: np.ndarray
    ) -> "Clusters":
        """Return the clusters of some of the queries; no codes: each is a cluster."""
        weight = None if weight is None else scale_near_one(weight[is_used])
        if codes is None:
            return cls(int(np.count_nonzero(is_used)), None, weight)
        return cls.from_codes(codes[is_used], weight)

    @classmethod
    def from_codes(cls, codes: np.ndarray, weight: np.ndarray | None) -> "Clusters":
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
        return Shares.from_weights(self.weights())

    def estimate(self, values: np.ndarray) -> Estimate:
        """Return the weighted mean of the values with its cluster-robust error.

        The error is NaN for one cluster.
        """
        scale = power_of_two(values) if scale_of(values) else 1.0
        scaled = values if scale == 1 else values / scale
        if self.are_plain:
            mean = Mean().add(scaled)
            estimate = Estimate(mean.result(), mean.standard_error(), self.shares)
        else:
            estimate = ratio_of_sums(self.sums(scaled), self.weights(), self.shares)
        is_exact = self.n_clusters >= 2 and is_constant(values)
        error = 0.0 if is_exact else estimate.error * scale
        return Estimate(estimate.value * scale, error, self.shares)


def scale_near_one(weight: np.ndarray) -> np.ndarray:
    """Return weights divided by a power of two, the largest near 1."""
    return weight / power_of_two(weight)


def standard_deviation(values: np.ndarray) -> float:
    """Return the standard deviation with n - 1, exactly 0 if all values are equal."""
    return Clusters(len(values)).estimate(values).error * math.sqrt(len(values))


def is_constant(values: np.ndarray) -> bool:
    """Return whether all values are equal within rounding."""
    lowest, highest = float(np.min(values)), float(np.max(values))
    # Not their difference, which may overflow.
    return highest / 2 - lowest / 2 <= ROUNDING / 2 * max(abs(lowest), abs(highest))


def differences(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return left - right, exactly 0 if they differ only by rounding."""
    left, right = np.broadcast_arrays(left, right)
    result = np.empty_like(left, dtype=np.float64)
    for start in range(0, len(result), ROWS_PER_CHUNK):
        rows = slice(start, start + ROWS_PER_CHUNK)
        part = result[rows]
        with np.errstate(over="ignore"):
            np.subtract(left[rows], right[rows], out=part)
        is_near = np.abs(part) <= np.abs(2 * ROUNDING * right[rows])  # most are not
        if (is_near & (part != 0)).any():
            sizes = np.maximum(np.abs(left[rows]), np.abs(right[rows]))
            part[np.abs(part) <= ROUNDING * sizes] = 0
    if np.isinf(result).any():
        at = np.unravel_index(np.argmax(np.isinf(result)), result.shape)
        raise ValueError(
            f"{int(np.isinf(result).sum())} difference(s) overflow, such as that of "
            f"{left[at]:g} and {right[at]:g}; divide all values by one number, "
            "such as 1e10."
        )
    return result
