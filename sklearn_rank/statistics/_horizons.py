"""Intervals and p-values of a difference at one look fixed in advance, or at any time."""

import math
from dataclasses import dataclass

from sklearn_rank.statistics._t import t_interval, t_statistic, t_test

# With fewer units the error is too uncertain for any-time intervals.
LEAST_PLANNED = 100


@dataclass(frozen=True)
class FixedHorizon:
    """Student's t, for one look."""

    level: float
    alternative: str

    def interval(self, estimate: float, error: float, df: float) -> tuple[float, float]:
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
    def after(cls, n_units: int, planned: int, level: float) -> "AnyTime":
        """Return the intervals after this number of units in both arms."""
        return cls(level, best_kappa(1 - level) * n_units / planned)

    def errors(self) -> float:
        """Return the half-width of the interval in standard errors."""
        k, alpha = self.kappa, 1 - self.level
        return math.sqrt((1 + k) / k * (math.log1p(k) - 2 * math.log(alpha)))

    def interval(self, estimate: float, error: float, df: float) -> tuple[float, float]:
        """Return the interval of an estimate."""
        half = error * self.errors()
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
