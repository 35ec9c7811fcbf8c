"""A ratio of sums over clusters: the one place of the cluster-robust error.

With the sums S and W of a cluster the ratio is R = sum(S) / sum(W), the share of the
cluster h = W / sum(W), and its residual e = (S - R W) / sum(W). The error is CR2 and its
degrees of freedom are those of R. M. Bell and D. F. McCaffrey, "Bias reduction in standard
errors for linear regression with multi-stage samples", Survey Methodology 28(2), 2002:

    SE ** 2 = sum(e ** 2 / (1 - h))
    df = 1 / (sum(h ** 2) + sum(a) ** 2 - sum(a ** 2)),  a = h ** 2 / (1 - h)

With equal shares this is Student's t of G clusters.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sklearn_rank._arrays._exact_sum import as_float, exact_sum
from sklearn_rank.metrics._core._summaries import Mean, Summary, moments_of_sums

# Values that differ by less than this share of their size differ by rounding only.
ROUNDING = 1e-12
# What is left besides a cluster that has all weight but for rounding.
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
    def of(cls, weights: np.ndarray) -> "Shares":
        """Return those of clusters with these sums of weights, 0 or more."""
        if len(weights) < 2 or bool((weights == weights[0]).all()):
            return cls.equal(len(weights))
        shares = weights / _total(weights)
        squares = _total(shares**2)
        alone = shares**2 / _rest(shares)
        largest = alone.max()
        others = np.delete(alone, alone.argmax())
        of_others = _total(others)
        # sum(a) ** 2 - sum(a ** 2), without cancellation for one large cluster.
        of_pairs = of_others * (2 * largest + of_others) - _total(others**2)
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
    """Return the shares of queries of all weight, of which powers are added up."""
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
    shares = Shares.of(weight) if shares is None else shares
    if shares.of_clusters is not None:
        return sum_of_ratios([(total, weight)])
    mean = Mean("arithmetic", len(total), 0, *moments_of_sums(total, weight))
    return Estimate(mean.result(), mean.standard_error(), shares)


def sum_of_ratios(ratios: Sequence[tuple[np.ndarray, np.ndarray]]) -> Estimate:
    """Return the sum of ratios of sums over the same clusters, with its error.

    The degrees of freedom are those of the ratio that has the fewest.
    """
    found = [_residuals(total, weight) for total, weight in ratios]
    values, residuals, shares = zip(*found, strict=True)
    apart = np.sum(residuals, axis=0)
    scale = power_of_two(apart)
    error = math.sqrt(_total((apart / scale) ** 2)) * scale
    return Estimate(sum(values), error, min(shares, key=lambda one: one.df))


def _residuals(total: np.ndarray, weight: np.ndarray) -> tuple[float, np.ndarray, Shares]:
    """Return a ratio, and what each cluster adds to its error."""
    shares, of_all = Shares.of(weight), exact_sum(weight)
    value = as_float(exact_sum(total) / of_all)
    apart = total - value * weight
    apart[np.abs(apart) <= ROUNDING * np.abs(total)] = 0
    return value, shares.adjusted(apart / as_float(of_all)), shares


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
