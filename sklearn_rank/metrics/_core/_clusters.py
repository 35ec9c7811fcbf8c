"""Mean and standard error over clusters: the one place of the cluster-robust formula."""

import math
from dataclasses import dataclass

import numpy as np

from sklearn_rank._arrays._exact_sum import sums_within
from sklearn_rank.metrics._core._summaries import Mean, moments_of_sums

# Values that differ by less than this share of their size differ by rounding only.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Clusters:
    """The cluster of each query, and its weight.

    Without `codes` each query is its own cluster, without `weight` all count alike. Queries
    without weight are left out before.
    """

    n_queries: int
    codes: np.ndarray | None = None  # 0, 1, ..., n_clusters - 1
    weight: np.ndarray | None = None

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
        with np.errstate(over="ignore"):  # of a sum of sizes, which only picks a way
            return sums_within(self.codes, weighed, self.n_clusters)

    def weights(self) -> np.ndarray:
        """Return the sum of the weights of each cluster."""
        return self.sums(np.ones(self.n_queries))

    def mean(self, values: np.ndarray) -> float:
        """Return the weighted mean of the values."""
        scale = power_of_two(values)
        return self._of(values / scale).result() * scale

    def standard_error(self, values: np.ndarray) -> float:
        """Return the cluster-robust standard error of the mean, NaN for one cluster.

        With the sum S of the weighted values of a cluster and the sum W of its weights, the
        mean m and G clusters: sqrt(G / (G - 1) * sum((S - m W)**2)) / sum(W).
        """
        if self.n_clusters >= 2 and is_constant(values):
            return 0.0
        scale = power_of_two(values)
        return self._of(values / scale).standard_error() * scale

    def _of(self, values: np.ndarray) -> Mean:
        """Return the mean of the values, with its error over clusters."""
        if self.codes is None:
            return Mean().add(values, self.weight)
        sums = moments_of_sums(self.sums(values), self.weights())
        return Mean("arithmetic", self.n_clusters, 0, *sums)


def power_of_two(values: np.ndarray) -> float:
    """Return a number of the size of the values, by which they can be divided exactly.

    Their sums stay within floats.
    """
    return 2.0 ** float(np.frexp(np.abs(values).max(initial=0.0))[1] - 1)


def near_one(weight: np.ndarray) -> np.ndarray:
    """Return weights of which the largest is near 1, in the same proportions exactly."""
    return weight / power_of_two(weight)


def standard_deviation(values: np.ndarray) -> float:
    """Return the standard deviation with n - 1, exactly 0 where all are one number."""
    return Clusters(len(values)).standard_error(values) * math.sqrt(len(values))


def is_constant(values: np.ndarray) -> bool:
    """Return whether all values are one number, but for its rounding."""
    lowest, highest = float(np.min(values)), float(np.max(values))
    # Not their difference, which may be no float.
    return highest / 2 - lowest / 2 <= ROUNDING / 2 * max(abs(lowest), abs(highest))


def differences(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return one - other, exactly 0 where the two differ by rounding only."""
    with np.errstate(over="ignore"):
        found = one - other
    if np.isinf(found).any():
        at = np.unravel_index(np.argmax(np.isinf(found)), found.shape)
        one, other = np.broadcast_arrays(one, other)
        raise ValueError(
            f"{int(np.isinf(found).sum())} difference(s) are no floats, such as that of "
            f"{one[at]:g} and {other[at]:g}; divide all values by one number, such as 1e10."
        )
    is_rounding = np.abs(found) <= ROUNDING * np.maximum(np.abs(one), np.abs(other))
    found[is_rounding] = 0
    return found
