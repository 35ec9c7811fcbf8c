"""The mean of an arm with its error: ratios by linearization, and covariates."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import linalg

from sklearn_rank._base._exact_sum import sums_within
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
        estimate = Clusters(n_units).estimate(outcome)
    else:
        estimate = ratio_of_sums(outcome, denominator)
    sizes = np.abs(outcome) / power_of_two(outcome)
    largest = float(sizes.max() / sizes.sum()) if sizes.any() else math.nan
    return Arm(n_units, estimate.value, estimate.error, estimate.df, largest)


@dataclass(frozen=True, eq=False)
class Strata:
    """The stratum of each unit, and the share of each stratum in the units of all arms."""

    codes: np.ndarray
    shares: np.ndarray

    @classmethod
    def from_codes(cls, codes: np.ndarray) -> "Strata":
        """Return the strata of the units of all arms."""
        return cls(codes, np.bincount(codes) / len(codes))

    @property
    def sizes(self) -> np.ndarray:
        """The number of units of each stratum."""
        return np.bincount(self.codes, minlength=len(self.shares))

    def take(self, is_here: np.ndarray) -> "Strata":
        """Return the strata of some of the units."""
        return Strata(self.codes[is_here], self.shares)

    def means(self, values: np.ndarray) -> np.ndarray:
        """Return the mean of each stratum, correctly rounded sums over its size."""
        scale = power_of_two(values)
        return (
            sums_within(self.codes, values / scale, len(self.shares)) / self.sizes * scale
        )


def adjusted_arm(
    outcome: np.ndarray,
    denominator: np.ndarray | None,
    covariates: np.ndarray,
    center: np.ndarray,
    strata: Strata | None = None,
) -> Arm:
    """Return the prediction of the regression on covariates and strata at their center.

    Strata, which are covariates of 0 and 1, need no columns: the regression on covariates
    is that of the values less the means of their strata. The error is that of the
    intercept. It is robust to unequal variances (HC2) and, like that of the ratio, to
    unequal denominators.
    """
    plain = plain_arm(outcome, denominator)
    n_units, n_columns = covariates.shape
    if strata is None:
        strata = Strata.from_codes(np.zeros(n_units, dtype=np.intp))
    n_others = len(strata.shares) - 1
    unchanged = replace(plain, slopes=np.zeros(n_columns + n_others))
    sizes = linalg.norm(covariates - column_means(covariates), axis=0)
    varies = np.flatnonzero([not is_constant(column) for column in covariates.T])
    if plain.error == 0 or len(varies) + n_others == 0:
        return unchanged
    of_strata = _means_by_stratum(covariates, strata)
    centered = covariates - of_strata[strata.codes]
    basis, triangle, order = _pivoted_basis(centered[:, varies] / sizes[varies])
    kept = varies[order]
    share = 1 / n_units if denominator is None else denominator / denominator.sum()
    own_size = strata.sizes[strata.codes]
    # For equal shares it is 1 - 1 / n less the leverage by strata and covariates.
    leverage = 1 / own_size - 1 / n_units + (basis**2).sum(axis=1)
    rest = (1 - share) * (1 - leverage * n_units / (n_units - 1))
    if np.min(rest) < LEAST_LEVERAGE_LEFT:
        return unchanged
    left = linearize(outcome, denominator)[1] - plain.value
    means = strata.means(left)
    left -= means[strata.codes]
    along = basis.T @ left
    left -= basis @ along
    away = (center - strata.shares @ of_strata)[kept] / sizes[kept]
    shift = _solve(triangle, away, trans="T")
    weight = strata.shares[strata.codes] / own_size + basis @ shift
    slopes = np.zeros(n_columns)
    slopes[kept] = _solve(triangle, along) / sizes[kept]
    intercepts = means - of_strata @ slopes
    return Arm(
        n_units,
        plain.value + float(strata.shares @ means + shift @ along),
        float(linalg.norm(weight * left / np.sqrt(rest))),
        plain.df * (n_units - 1 - n_others - len(kept)) / (n_units - 1),
        plain.largest_share,
        np.append(slopes, intercepts[1:] - intercepts[0]),
    )


def _pivoted_basis(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return Q and R of the columns that are not collinear, and which these are."""
    if not columns.shape[1]:  # older versions of SciPy need a column
        return columns, np.empty((0, 0)), np.arange(0)
    basis, triangle, order = linalg.qr(columns, mode="economic", pivoting=True)
    rank = int(np.count_nonzero(np.abs(np.diag(triangle)) > COLLINEAR))
    return basis[:, :rank], triangle[:rank, :rank], order[:rank]


def _solve(triangle: np.ndarray, values: np.ndarray, **options: Any) -> np.ndarray:
    """Return the solution of a triangular system, which may be empty."""
    return linalg.solve_triangular(triangle, values, **options) if len(values) else values


def column_means(columns: np.ndarray) -> np.ndarray:
    """Return the mean of each column."""
    units = Clusters(len(columns))
    return np.array([units.mean(column) for column in columns.T])


def _means_by_stratum(columns: np.ndarray, strata: Strata) -> np.ndarray:
    """Return a row per stratum with the mean of each column."""
    means = np.empty((len(strata.shares), columns.shape[1]))
    for index, column in enumerate(columns.T):
        means[:, index] = strata.means(column)
    return means


@dataclass(eq=False)
class Population:
    """Covariates and strata of all units, as a sample from a population with other means.

    Without `are_sample` the units are the whole population.
    """

    covariates: np.ndarray
    codes: np.ndarray | None = None  # the stratum of each unit
    are_sample: bool = True

    def __post_init__(self) -> None:
        """Find the means of covariates, and the shares of strata."""
        n_units = len(self.covariates)
        codes = np.zeros(n_units, dtype=np.intp) if self.codes is None else self.codes
        self.center, self.strata = column_means(self.covariates), Strata.from_codes(codes)

    def error(self, slopes: np.ndarray) -> float:
        """Return the standard error of the mean of what slopes predict for the units."""
        n_units, n_columns = self.covariates.shape
        fitted = (self.covariates - self.center) @ slopes[:n_columns]
        fitted += np.append(0, slopes[n_columns:])[self.strata.codes]
        fitted -= fitted.mean()
        error = float(linalg.norm(fitted)) / math.sqrt(n_units * (n_units - 1))
        return self.are_sample * error


def contrast_error(
    one: Arm,
    other: Arm,
    population: Population | None = None,
    weights: Sequence[float] = (1, 1),
) -> tuple[float, float]:
    """Return the standard error of a difference of weighted arms, and degrees of freedom.

    The errors of the arms have their own degrees of freedom, as has, with a population, the
    error of the center. Those of the sum are Satterthwaite's.
    """
    parts = [weights[0] * one.error, weights[1] * other.error]
    dfs = [one.df, other.df]
    if population is not None and one.slopes is not None and other.slopes is not None:
        slopes = weights[0] * one.slopes - weights[1] * other.slopes
        parts.append(population.error(slopes))
        dfs.append(len(population.covariates) - 1)
    error = math.hypot(*parts)
    if error == 0:
        return 0.0, float(sum(dfs))
    pairs = zip(parts, dfs, strict=True)
    return error, 1 / sum((part / error) ** 4 / df for part, df in pairs)
