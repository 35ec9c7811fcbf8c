"""The power of a t test, of a design with queries, repeats or users of two variants."""

import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import integrate, optimize, stats

from sklearn_rank._base._messages import quantity
from sklearn_rank._base._validation import (
    LARGEST_INTEGER,
    check_integer,
    check_level,
    check_option,
    check_real,
)
from sklearn_rank.statistics._intervals_of_means import (
    ALTERNATIVES,
    LEAST_PLANNED,
    AnyTime,
    best_kappa,
)


@dataclass(frozen=True)
class Design:
    """The test of a difference, and its power."""

    confidence_level: float
    alternative: str
    n_comparisons: int
    paired: bool
    allocation_ratio: float | None = None
    anytime: bool = False
    # Variances of the difference of a cluster.
    query: float = 1.0
    repeat: float = 0.0
    rest: float = 0.0
    unit: float = 1.0  # of all of these

    def __post_init__(self) -> None:
        """Raise if a number is out of range."""
        check_option("alternative", self.alternative, ALTERNATIVES)
        check_option("paired", self.paired, (True, False))
        check_integer("n_comparisons", self.n_comparisons)
        check_level(self.confidence_level)
        check_option("anytime", self.anytime, (True, False))
        if self.allocation_ratio is not None:
            name, needed = "allocation_ratio", "a number above 0 and below 1e9"
            ratio = check_real(name, self.allocation_ratio, needed, above=0, below=1e9)
            object.__setattr__(self, name, ratio)  # a float of 64 bits
        if self.paired and (self.anytime or self.allocation_ratio is not None):
            raise ValueError(
                "`allocation_ratio` and `anytime` are for A/B tests; give `paired=False`."
            )
        if self.anytime and self.alternative != "two-sided":
            raise ValueError(
                f"`alternative` got {self.alternative!r}, but tests that hold at any time "
                "are two-sided; leave it, or `anytime`, out."
            )

    @property
    def tail(self) -> float:
        """The level of one comparison in one direction."""
        sides = 2 if self.alternative == "two-sided" else 1
        return (1 - self.confidence_level) / self.n_comparisons / sides

    def normal_quantiles(self, power: float) -> float:
        """Return the required ratio of the difference to its error, for a known error."""
        return self._normal_bound() + float(stats.norm.ppf(power))

    def _normal_bound(self) -> float:
        if self.anytime:
            alpha = 2 * self.tail
            return AnyTime(1 - alpha, best_kappa(alpha)).half_width_in_errors()
        return float(stats.norm.isf(self.tail))

    def n_treated(self, n: int) -> int:
        """Return the users with the new variant beside n of the control."""
        # Rounding of the ratio must not add a user.
        return max(math.ceil((self.allocation_ratio or 1) * n * (1 - 1e-12)), 2)

    def variance_of_one(self, n_repeats: int = 1) -> float:
        """Return the variance with one cluster, or one in the control, of these repeats."""
        arms = 1.0 if self.paired else 1 + 1 / (self.allocation_ratio or 1)
        return arms * (self.query + self.rest / n_repeats)

    def error(self, n: int, n_repeats: int = 1) -> float:
        """Return the standard error of a difference."""
        arms = 1 / n if self.paired else 1 / n + 1 / self.n_treated(n)
        of_one = self.query + self.rest / n_repeats
        return math.sqrt(arms * of_one + self.repeat / n_repeats)

    def df(self, n: float, n_repeats: int) -> float:
        """Return the degrees of freedom of paired differences."""
        if not self.repeat or n_repeats == 1:
            return n - 1
        of_queries = (self.query + self.rest / n_repeats) / n
        of_rest = self.rest / n_repeats / n
        of_repeats = of_rest + self.repeat / n_repeats
        doubt = of_queries**2 / (n - 1)
        # Of two systems, with half of the variances each.
        doubt += (of_repeats**2 + of_rest**2 / (n - 1)) / 2 / (n_repeats - 1)
        variance = of_queries + self.repeat / n_repeats
        return min(max(variance**2 / doubt, 1.0), n - 1)

    def compute_power(self, n: int, size: float, n_repeats: int = 1) -> float:
        """Return the power with n clusters for a standardized difference."""
        n_treated = self.n_treated(n)
        shift = size / self.error(n, n_repeats)
        if self.anytime:
            is_enough = n + n_treated >= LEAST_PLANNED
            return float(stats.norm.sf(self._normal_bound() - shift)) if is_enough else 0.0
        df = self.df(n, n_repeats) if self.paired else n + n_treated - 2
        return self._power(df, shift)

    def _power(self, df: float, shift: float) -> float:
        bound = float(stats.t.isf(self.tail, df))
        power = _probability_above(bound, df, shift)
        if self.alternative == "two-sided":
            power += _probability_above(bound, df, -shift)
        return power

    def is_reached(self, size: float, n_repeats: int, power: float) -> bool:
        """Return whether any number of queries reaches a power."""
        if not self.repeat:
            return True
        df = 2 * (n_repeats - 1) if n_repeats > 1 else 1e9  # that of one is not estimated
        return self._power(df, size / math.sqrt(self.repeat / n_repeats)) > power

    def repeats_error(self, size: float, n_repeats: int, power: float) -> ValueError:
        """Return the error for repeats that are too few for any number of queries."""
        ratio = self.normal_quantiles(power) / size
        return ValueError(
            f"The repeats differ by {self.unit * math.sqrt(self.repeat):.3g} (SD): with "
            f"{quantity(n_repeats, 'repeat')} no number of queries detects "
            f"{self.unit * size:.3g}; it takes {math.ceil(ratio**2 * self.repeat):,} "
            "repeats or more. Give `n_repeats`."
        )

    def find_n(self, size: float, n_repeats: int, power: float) -> int:
        """Return the least number of clusters with this power."""
        if not self.is_reached(size, n_repeats, power):
            raise self.repeats_error(size, n_repeats, power)
        ratio = self.normal_quantiles(power) / size
        start = ratio * ratio * self.variance_of_one(n_repeats)  # infinite, where ** raises
        if not start < LARGEST_INTEGER:
            raise ValueError(
                f"A difference of {self.unit * size:g} with a standard deviation of "
                f"{self.unit:g} needs more than 2**53 queries."
            )
        lower, enough = 1, max(math.ceil(start), 2)
        while self.compute_power(enough, size, n_repeats) < power:
            lower, enough = enough, 2 * enough
        power_of = partial(self.compute_power, size=size, n_repeats=n_repeats)
        between = range(lower + 1, enough + 1)
        return between[bisect_left(between, power, key=power_of)]

    def detectable(self, n: int, n_repeats: int, power: float) -> float:
        """Return the standardized difference that n clusters detect."""
        high = guess = self.normal_quantiles(power) * self.error(n, n_repeats)
        while self.compute_power(n, high, n_repeats) < power:
            high *= 2
        low = min(guess, high) / 2
        while self.compute_power(n, low, n_repeats) > power:
            low /= 2

        def excess(size: float) -> float:
            return self.compute_power(n, size, n_repeats) - power

        return float(optimize.brentq(excess, low, high, xtol=1e-14 * high))


# Beyond this an approximation is exact to ten digits, and SciPy is slow.
_LARGE_DF = 1e5


def _probability_above(bound: float, df: float, shift: float) -> float:
    """Return the probability that a noncentral t is above a bound."""
    if df > _LARGE_DF:
        scale = math.sqrt(1 + bound**2 / (2 * df))
        return float(stats.norm.cdf((shift - bound * (1 - 1 / (4 * df))) / scale))
    with np.errstate(all="ignore"):
        probability = float(stats.nct.sf(bound, df, shift))
    if 0 <= probability <= 1:
        return probability

    def share(u: float) -> float:
        return float(stats.norm.sf(bound * math.sqrt(stats.chi2.ppf(u, df) / df) - shift))

    return float(integrate.quad(share, 0, 1, epsabs=1e-10, limit=200)[0])
