"""The mean of an arm with its standard error: ratios by linearization, and a covariate."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from sklearn_rank.metrics._core._clusters import Clusters, is_constant

# A unit of a higher leverage has the slope for itself alone, and says nothing about it.
MOST_LEVERAGE = 1 - 1e-9


@dataclass(frozen=True)
class Arm:
    """The estimated metric of an arm."""

    n_units: int
    value: float
    error: float
    df: int
    slope: float = math.nan


def linearized(
    outcome: np.ndarray, denominator: np.ndarray | None
) -> tuple[float, np.ndarray]:
    """Return the ratio of sums R, and a value a unit whose mean it is.

    The value is R + (y - R x) / mean(x). Its standard error is that of the delta method.
    """
    units = Clusters(len(outcome))
    if denominator is None:
        return units.mean(outcome), outcome
    below = units.mean(denominator)
    ratio = units.mean(outcome) / below
    return ratio, ratio + (outcome - ratio * denominator) / below


def plain_arm(outcome: np.ndarray, denominator: np.ndarray | None) -> Arm:
    """Return the ratio of sums, or the mean without a denominator."""
    value, values = linearized(outcome, denominator)
    n_units = len(values)
    return Arm(n_units, value, Clusters(n_units).standard_error(values), n_units - 1)


def adjusted_arm(
    outcome: np.ndarray,
    denominator: np.ndarray | None,
    covariate: np.ndarray,
    center: float,
) -> Arm:
    """Return what the regression on the covariate predicts at its mean of all arms.

    With the slope b of this arm it is R + b (center - mean(c)). The error is that of the
    intercept, robust to unequal variances (HC2).
    """
    plain = plain_arm(outcome, denominator)
    n_units, mean = plain.n_units, Clusters(plain.n_units).mean(covariate)
    if is_constant(covariate) or plain.error == 0:
        return plain
    size = float(linalg.norm(covariate - mean))
    apart = (covariate - mean) / size
    leverage = 1 / n_units + apart**2
    if leverage.max() > MOST_LEVERAGE:
        return plain
    left = linearized(outcome, denominator)[1] - plain.value
    slope = float(apart @ left)
    left -= slope * apart
    shift = (center - mean) / size
    weight = 1 / n_units + shift * apart
    error = float(linalg.norm(weight * left / np.sqrt(1 - leverage)))
    return Arm(n_units, plain.value + slope * shift, error, n_units - 2, slope / size)


def welch(one: Arm, other: Arm) -> tuple[float, float]:
    """Return the standard error of the difference of two arms, and degrees of freedom."""
    error = math.hypot(one.error, other.error)
    if error == 0:
        return 0.0, float(one.df + other.df)
    share = (one.error / error) ** 2
    return error, 1 / (share**2 / one.df + (1 - share) ** 2 / other.df)
