"""The mean of an arm with its error: ratios by linearization, and covariates."""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from sklearn_rank.metrics._core._clusters import (
    Clusters,
    is_constant,
    power_of_two,
    ratio_of_sums,
)

# A unit that leaves less leverage to others determines the slope alone.
LEAST_LEVERAGE_LEFT = 1e-9
# A column whose residual is a smaller share of it is collinear with the others.
COLLINEAR = 1e-7


@dataclass(frozen=True, eq=False)
class Arm:
    """The estimated metric of an arm, and its slopes on the covariates."""

    n_units: int
    value: float
    error: float
    df: float
    largest_share: float = math.nan  # of the outcomes of all units, by size
    slopes: np.ndarray | None = None


def linearize(
    outcome: np.ndarray, denominator: np.ndarray | None
) -> tuple[float, np.ndarray]:
    """Return the ratio of sums R, and one value per unit with this mean.

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
    n_units = len(outcome)
    if denominator is None:
        found = Clusters(n_units).estimate(outcome)
    else:
        found = ratio_of_sums(outcome, denominator)
    sizes = np.abs(outcome) / power_of_two(outcome)
    largest = float(sizes.max() / sizes.sum()) if sizes.any() else math.nan
    return Arm(n_units, found.value, found.error, found.df, largest)


def adjusted_arm(
    outcome: np.ndarray,
    denominator: np.ndarray | None,
    covariates: np.ndarray,
    center: np.ndarray,
) -> Arm:
    """Return the prediction of the regression on covariates at their center.

    With the slopes b of this arm it is R + b (center - mean(c)). The error is that of the
    intercept. It is robust to unequal variances (HC2) and, like that of the ratio, to
    unequal denominators.
    """
    plain = plain_arm(outcome, denominator)
    n_units, n_columns = covariates.shape
    mean = column_means(covariates)
    apart = covariates - mean
    sizes = linalg.norm(apart, axis=0)
    varies = np.flatnonzero([not is_constant(column) for column in covariates.T])
    unchanged = replace(plain, slopes=np.zeros(n_columns))
    if not len(varies) or plain.error == 0:
        return unchanged
    basis, triangle, order = linalg.qr(
        apart[:, varies] / sizes[varies], mode="economic", pivoting=True
    )
    rank = int(np.count_nonzero(np.abs(np.diag(triangle)) > COLLINEAR))
    basis, triangle, kept = basis[:, :rank], triangle[:rank, :rank], varies[order[:rank]]
    share = 1 / n_units if denominator is None else denominator / denominator.sum()
    # For equal shares it is 1 - 1 / n less the leverage by the covariates.
    rest = (1 - share) * (1 - (basis**2).sum(axis=1) * n_units / (n_units - 1))
    if np.min(rest) < LEAST_LEVERAGE_LEFT:
        return unchanged
    left = linearize(outcome, denominator)[1] - plain.value
    along = basis.T @ left
    left -= basis @ along
    away = (center - mean)[kept] / sizes[kept]
    shift = linalg.solve_triangular(triangle, away, trans="T")
    weight = 1 / n_units + basis @ shift
    slopes = np.zeros(n_columns)
    slopes[kept] = linalg.solve_triangular(triangle, along) / sizes[kept]
    return Arm(
        n_units,
        plain.value + float(shift @ along),
        float(linalg.norm(weight * left / np.sqrt(rest))),
        plain.df * (n_units - 1 - rank) / (n_units - 1),
        plain.largest_share,
        slopes,
    )


def column_means(columns: np.ndarray) -> np.ndarray:
    """Return the mean of each column."""
    units = Clusters(len(columns))
    return np.array([units.mean(column) for column in columns.T])


@dataclass(frozen=True, eq=False)
class Population:
    """Covariates of all units, as a sample from a population with another mean.

    The squared norm of `root` @ x is the variance of the mean of the covariate x; it is 0
    if the units are the whole population.
    """

    covariates: np.ndarray
    center: np.ndarray
    root: np.ndarray

    @classmethod
    def from_covariates(
        cls, covariates: np.ndarray, *, are_sample: bool = True
    ) -> "Population":
        """Make it from a column per covariate."""
        n_units, n_columns = covariates.shape
        center = column_means(covariates)
        root = linalg.qr(covariates - center, mode="r")[0][:n_columns]
        root *= are_sample / math.sqrt(n_units * (n_units - 1))
        return cls(covariates, center, root)


def contrast_error(
    one: Arm,
    other: Arm,
    population: Population | None = None,
    weights: tuple[float, float] = (1, 1),
) -> tuple[float, float]:
    """Return the standard error of a difference of weighted arms, and degrees of freedom.

    The errors of the arms have their own degrees of freedom, as has, with a population, the
    error of the center. Those of the sum are Satterthwaite's.
    """
    parts = [weights[0] * one.error, weights[1] * other.error]
    dfs = [one.df, other.df]
    if population is not None and one.slopes is not None and other.slopes is not None:
        slopes = weights[0] * one.slopes - weights[1] * other.slopes
        parts.append(float(linalg.norm(population.root @ slopes)))
        dfs.append(len(population.covariates) - 1)
    error = math.hypot(*parts)
    if error == 0:
        return 0.0, float(sum(dfs))
    pairs = zip(parts, dfs, strict=True)
    return error, 1 / sum((part / error) ** 4 / df for part, df in pairs)
