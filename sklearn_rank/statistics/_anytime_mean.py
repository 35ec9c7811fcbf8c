"""Intervals and p-values of bounded means that hold at every number of values."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize

from sklearn_rank.metrics._core._clusters import Clusters
from sklearn_rank.metrics._core._parameters import Range

# The wealth of somebody who bets against a mean m of values from 0 to 1: a bet of the stake
# c multiplies it by 1 - c + c v / m, which is 1 on average if m is right. So it reaches
# 1 / alpha at any time with the probability alpha at most, I. Waudby-Smith and A. Ramdas,
# "Estimating means of bounded random variables by betting", JRSS B 86, 2024. The mean over
# fixed stakes does not depend on the order of the values.

STAKES = 0.01 * 99.8 ** (np.arange(64) / 63)
VALUES_AT_ONCE = 2**14
LOWEST_MEAN, TOLERANCE = 1e-12, 1e-13


def check_each_query_bets(option: str, clusters: Clusters) -> None:
    """Raise for values that are not one for each query, all with the same weight."""
    if not clusters.are_plain:
        raise ValueError(
            f"`{option}` 'anytime' bets on one query after the other, so it takes no "
            "clusters, no weights and no label twice. Give one value for each unit, such "
            "as the mean over the queries of a user, or use 't'."
        )


@dataclass(frozen=True, eq=False)
class AnyTimeMean:
    """The mean of values within bounds, each with how often it occurs."""

    values: np.ndarray
    counts: np.ndarray
    bounds: Range

    def interval(self, level: float, alternative: str = "two-sided") -> tuple[float, float]:
        """Return the interval; one-sided, the other end is infinite."""
        sides = 2 if alternative == "two-sided" else 1
        wealth = math.log(sides / (1 - level))
        width, shares = self.bounds.high - self.bounds.low, self._shares()
        low, high = -math.inf, math.inf
        if alternative != "less":
            low = self.bounds.low + width * self._lowest(shares, wealth)
        if alternative != "greater":
            high = self.bounds.high - width * self._lowest(1 - shares, wealth)
        return low, high

    def p_value(self, alternative: str) -> float:
        """Return the p-value of the mean 0, at most 1 - level if 0 is outside."""
        zero = -self.bounds.low / (self.bounds.high - self.bounds.low)
        wealth, shares = [], self._shares()
        if alternative != "less":
            wealth.append(self._log_wealth(shares, zero))
        if alternative != "greater":
            wealth.append(self._log_wealth(1 - shares, 1 - zero))
        return math.exp(min(0.0, math.log(len(wealth)) - max(wealth)))

    def _shares(self) -> np.ndarray:
        """Return the values as shares of the way from the lowest to the highest."""
        shares = (self.values - self.bounds.low) / (self.bounds.high - self.bounds.low)
        return np.clip(shares, 0, 1)

    def _lowest(self, shares: np.ndarray, wealth: float) -> float:
        """Return the mean against which bets have won this much, 0 if there is none."""
        mean = float(shares @ self.counts / self.counts.sum())
        if mean <= LOWEST_MEAN or self._log_wealth(shares, LOWEST_MEAN) < wealth:
            return 0.0
        return float(
            optimize.brentq(
                lambda one: self._log_wealth(shares, one) - wealth,
                LOWEST_MEAN,
                mean,
                xtol=TOLERANCE,
            )
        )

    def _log_wealth(self, shares: np.ndarray, mean: float) -> float:
        """Return the logarithm of the mean wealth over all stakes."""
        logs: Any = np.zeros(len(STAKES))
        for start in range(0, len(shares), VALUES_AT_ONCE):
            some = slice(start, start + VALUES_AT_ONCE)
            gains = np.log1p(STAKES[:, None] * (shares[some] / mean - 1))
            logs += gains @ self.counts[some]
        most = logs.max()
        return float(most + np.log(np.mean(np.exp(logs - most))))
