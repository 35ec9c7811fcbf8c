"""Intervals and p-values of means: Student's t, bootstrap, bounded values, any time."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank.metrics._core._bounded_mean import BoundedMean, Ends
from sklearn_rank.metrics._core._clusters import Clusters, Estimate, Shares, t_interval
from sklearn_rank.metrics._core._mean_intervals import Average, MeanInterval
from sklearn_rank.metrics._core._parameters import Range

# Student's t: statistic and p-value of an estimate with a standard error.

# With fewer degrees of freedom (ten equal clusters) the shape of the data matters.
FEW_DF = 9
ALTERNATIVES = ("two-sided", "greater", "less")


def t_statistic(estimate: float, error: float) -> float:
    """Return the estimate over its error; 0 if both are 0."""
    if error == 0:
        return math.copysign(math.inf, estimate) if estimate else 0.0
    return estimate / error


def t_test(
    estimate: float, error: float, df: float, alternative: str
) -> tuple[float, float]:
    """Return the statistic and its p-value, which is 1 if nothing differs."""
    from scipy import special

    statistic = t_statistic(estimate, error)
    if estimate == 0 and error == 0:
        return statistic, 1.0
    if alternative == "two-sided":
        return statistic, float(2 * special.stdtr(df, -abs(statistic)))
    signed = -statistic if alternative == "greater" else statistic
    return statistic, float(special.stdtr(df, signed))


def t_columns(found: Estimate, level: float) -> dict[str, float]:
    """Return the error of an estimate, its weights, and its interval by Student's t."""
    low, high = t_interval(found.value, found.error, found.df, level)
    return {"standard_error": found.error, **found.columns(), "low": low, "high": high}


def few_clusters_warning(
    shares: Shares, subject: str, units: str, advice: str
) -> list[str]:
    """Return a warning if clusters are too few or too unequal for Student's t."""
    if shares.df >= FEW_DF:
        return []
    why = ""
    if shares.n_effective < shares.n:
        percent = 100 * shares.largest
        why = f", as they weigh as {shares.n_effective:.3g} and one has {percent:.3g}%"
    return [
        f"{subject} has {shares.n} {units}; intervals by Student's t are rough with "
        f"{shares.df:.3g} degrees of freedom, below {FEW_DF}{why}: {advice}."
    ]


# Bootstrap of a mean, corrected for bias and acceleration (BCa).

# The number of random numbers per draw.
DRAWN_AT_ONCE = 2**20

# Means that differ by at most this share of the largest difference are tied, and so are
# statistics of a league that differ by less; floats lose exact ties.
TIE_TOLERANCE = 1e-12


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
    step = max(DRAWN_AT_ONCE // n_clusters, 1)
    for start in range(0, n_resamples, step):
        size = (min(step, n_resamples - start), n_clusters)
        drawn = random_state.randint(0, n_clusters, size=size, dtype=np.int32)
        total = n_clusters * weights[0]
        if not weigh_the_same:
            total = weights[drawn].sum(axis=1)
        means[start : start + step] = sums[drawn].sum(axis=1) / total
    return means


def acceleration(apart: np.ndarray) -> float:
    """Return the acceleration: how the error of a mean changes with the mean.

    It equals the result of the jackknife, without its cost.
    """
    return float((apart**3).sum() / (6 * (apart**2).sum() ** 1.5))


def bca_interval(means: np.ndarray, mean: float, accelerates: float, level: float) -> Ends:
    """Return the interval from means of resamples; ties count half as below."""
    from scipy import special

    tie = TIE_TOLERANCE * np.max(np.abs(means - mean))
    below = (np.mean(means < mean - tie) + np.mean(means <= mean + tie)) / 2
    if below in (0, 1):
        return math.nan, math.nan
    bias = special.ndtri(below)
    shares = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        shifted = bias + special.ndtri(tail)
        shares.append(special.ndtr(bias + shifted / (1 - accelerates * shifted)))
    low, high = np.quantile(means, shares)
    return float(low), float(high)


# The interval of one mean.


def interval_of_mean(
    values: np.ndarray,
    clusters: Clusters,
    estimate: Estimate,
    bounds: Range,
    method: str,
    level: float,
) -> MeanInterval:
    """Return the interval of a mean by a method of `confidence_interval`."""
    if method == "anytime":
        distinct, counts = np.unique(values, return_counts=True)
        bets = AnyTimeMean(distinct, np.ones(len(distinct)), counts, bounds)
        return MeanInterval(*bets.interval(level), method, 0)
    if method == "exact" and bounds.is_bounded:
        sums = clusters.sums(values), clusters.weights()
        mean = BoundedMean.from_sums(*sums, bounds)
        return MeanInterval(*mean.interval(level), method, 0)
    if method == "auto":
        return Average.from_values(values, clusters, bounds, estimate).interval(level)
    ends = t_interval(estimate.value, estimate.error, estimate.df, level)
    return MeanInterval(*bounds.clip(ends), "t", 0)


# Intervals and p-values of a difference at one look fixed in advance, or at any time.

# With fewer units the error is too uncertain for any-time intervals.
LEAST_PLANNED = 100


@dataclass(frozen=True)
class FixedHorizon:
    """Student's t, for one look."""

    level: float
    alternative: str

    def interval(self, estimate: float, error: float, df: float) -> Ends:
        """Return the interval of an estimate."""
        return t_interval(estimate, error, df, self.level, self.alternative)

    def p_value(self, estimate: float, error: float, df: float) -> float:
        """Return the p-value; 1 if nothing differs."""
        return t_test(estimate, error, df, self.alternative)[1]

    def p_above(self, estimate: float, error: float, df: float) -> float:
        """Return the p-value for being above 0."""
        return t_test(estimate, error, df, "greater")[1]


@dataclass(frozen=True)
class AnyTime:
    """A mixture of normals over the difference, for any number of looks.

    `kappa` measures the progress of the run. It is `best_kappa` at the planned number of
    units, where the interval is narrowest relative to its standard error.
    """

    level: float
    kappa: float

    @classmethod
    def build(cls, n_units: int, planned: int, level: float) -> "AnyTime":
        """Return the intervals after this number of units in both arms."""
        return cls(level, best_kappa(1 - level) * n_units / planned)

    def half_width_in_errors(self) -> float:
        """Return the half-width of the interval in standard errors."""
        k, alpha = self.kappa, 1 - self.level
        return math.sqrt((1 + k) / k * (math.log1p(k) - 2 * math.log(alpha)))

    def interval(self, estimate: float, error: float, df: float) -> Ends:
        """Return the interval of an estimate."""
        half = error * self.half_width_in_errors()
        return estimate - half, estimate + half

    def p_value(self, estimate: float, error: float, df: float) -> float:
        """Return the p-value, at most 1 - level if the interval excludes 0."""
        k = self.kappa
        power = t_statistic(estimate, error) ** 2 / 2 * k / (1 + k)
        return math.exp(min(math.log1p(k) / 2 - power, 0.0))

    def p_above(self, estimate: float, error: float, df: float) -> float:
        """Return the two-sided p-value, an upper bound of the one for being above 0."""
        return self.p_value(estimate, error, df) if estimate > 0 else 1.0


def best_kappa(alpha: float) -> float:
    """Return the parameter at which the interval is narrowest."""
    return -2 * math.log(alpha) + math.log1p(-2 * math.log(alpha))


# Intervals and p-values of bounded means that hold at every number of values.
#
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


class AnyTimeMean(BoundedMean):
    """The mean of values within bounds that count alike, tested by bets against it."""

    def _lowest(self, tail: float) -> float:
        """Return the mean against which bets have won 1 / tail, the worst without one."""
        from scipy import optimize

        shares, wealth = self._as_shares(self.totals), -math.log(tail)
        mean = float(shares @ self.counts / self.counts.sum())
        if mean <= LOWEST_MEAN or self._log_wealth(shares, LOWEST_MEAN) < wealth:
            return self.bounds.low

        def excess(one: float) -> float:
            return self._log_wealth(shares, one) - wealth

        lowest = optimize.brentq(excess, LOWEST_MEAN, mean, xtol=TOLERANCE)
        return self.bounds.low + (self.bounds.high - self.bounds.low) * float(lowest)

    def _chance_below(self, mean: float) -> float:
        """Return how probable it is, at most, that bets against the mean win as much."""
        shares, share = self._as_shares(self.totals), float(self._as_shares(mean))
        return math.exp(min(0.0, -self._log_wealth(shares, share)))

    def _as_shares(self, values: Any) -> np.ndarray:
        """Return values as shares of the way from the lowest to the highest."""
        width = self.bounds.high - self.bounds.low
        return np.clip((values - self.bounds.low) / width, 0, 1)

    def _log_wealth(self, shares: np.ndarray, mean: float) -> float:
        """Return the logarithm of the mean wealth over all stakes."""
        logs: Any = np.zeros(len(STAKES))
        for start in range(0, len(shares), VALUES_AT_ONCE):
            chunk = slice(start, start + VALUES_AT_ONCE)
            gains = np.log1p(STAKES[:, None] * (shares[chunk] / mean - 1))
            logs += gains @ self.counts[chunk]
        most = logs.max()
        return float(most + np.log(np.mean(np.exp(logs - most))))
