"""Raters held against one of them: bias and weighted kappa, in all and by grade."""

import math
from typing import Any

import numpy as np
from scipy import sparse, stats

from sklearn_rank._base._labels import as_list
from sklearn_rank._base._validation import check_option
from sklearn_rank.inputs._rater_grades import RaterGrades
from sklearn_rank.metrics._core._clusters import (
    ROUNDING,
    Clusters,
    power_of_two,
    t_interval,
)

Rows = list[dict[str, Any]]
# Three numbers of an interval.
Ends = tuple[float, float, float]

UNKNOWN: Ends = (math.nan, math.nan, math.nan)
# The lowest agreement whose Fisher z is finite enough.
LOWEST = -0.999999


def agreement_interval(value: float, without: np.ndarray, level: float) -> Ends:
    """Return low, high and the standard error, NaN where they are unknown.

    `without` are the values without each cluster. Fisher's z of agreement has a jackknife
    error, whose degrees of freedom fall with the kurtosis of the parts of clusters.
    """
    n = len(without)
    if value == 1:
        return math.nan, 1.0, math.nan
    if math.isnan(value) or n < 2 or np.isnan(without).any():
        return UNKNOWN
    value = max(value, LOWEST)
    z_values = np.arctanh(np.clip(without, LOWEST, 1 - (1 - value) / 2))
    squares = (z_values - z_values.mean()) ** 2
    total = float(squares.sum())
    if total == 0:
        return UNKNOWN
    error = math.sqrt((n - 1) / n * total)
    excess = n * float((squares**2).sum()) / total**2 - 1
    df = min(n - 1, max(1.0, 2 * (n - 1) / excess)) if excess > 0 else n - 1
    half = float(stats.t.isf((1 - level) / 2, df)) * error
    z = math.atanh(value)
    return math.tanh(z - half), math.tanh(z + half), error * (1 - value**2)


WEIGHTS = ("quadratic", "linear", None)
COLUMNS = (
    *("n_shared", "bias", "bias_low", "bias_high"),
    *("kappa", "kappa_low", "kappa_high"),
)
GRADE_COLUMNS = ("rater", "grade", "n", "mean", "bias", "low", "high")


def compare_with_reference(
    rated: RaterGrades, query: np.ndarray, reference: Any, weights: str | None, level: float
) -> tuple[Rows, Rows]:
    """Return columns of each rater, NaN for the reference, and a row per rater and grade.

    `query` has the cluster of each unit.
    """
    names = as_list(rated.raters)
    check_option("reference", reference, names)
    reference_rater = names.index(reference)
    held = np.full(len(rated.units), -1)
    is_held = rated.rater == reference_rater
    held[rated.unit[is_held]] = rated.grade[is_held]
    grades = rated.grades
    if not rated.are_numbers:
        grades, weights = np.arange(len(grades)), None
    columns: Rows = []
    by_grade: Rows = []
    for code, name in enumerate(names):
        if code == reference_rater:
            columns.append(dict.fromkeys(COLUMNS, math.nan))
            continue
        mine = (rated.rater == code) & (held[rated.unit] >= 0)
        cluster, held_grade = query[rated.unit[mine]], held[rated.unit[mine]]
        own, theirs = grades[rated.grade[mine]], grades[held_grade]
        gaps = own - theirs if rated.are_numbers else np.full(len(own), math.nan)
        bias = _find_bias(gaps, cluster, level)
        kappa = UNKNOWN
        if len(own):
            *without, of_all = _kappas(own, theirs, cluster, weights)
            low, high, _ = agreement_interval(of_all, np.array(without), level)
            kappa = float(of_all), low, high
        columns.append(dict(zip(COLUMNS, (len(held_grade), *bias, *kappa), strict=True)))
        for grade in np.unique(held_grade):
            is_grade = held_grade == grade
            bias = _find_bias(gaps[is_grade], cluster[is_grade], level)
            mean = rated.grades[grade] + bias[0] if rated.are_numbers else math.nan
            n, label = int(np.count_nonzero(is_grade)), as_list(rated.grades)[grade]
            row = (name, label, n, mean, *bias)
            by_grade.append(dict(zip(GRADE_COLUMNS, row, strict=True)))
    return columns, by_grade


def _find_bias(gaps: np.ndarray, cluster: np.ndarray, level: float) -> Ends:
    """Return the mean of own - other grades with its interval by Student's t."""
    if not len(gaps) or np.isnan(gaps).any():
        return UNKNOWN
    clusters = Clusters.from_codes(cluster, None)
    bias, low, high = clusters.mean(gaps), math.nan, math.nan
    estimate = clusters.estimate(gaps) if clusters.n_clusters > 1 else None
    if estimate is not None and estimate.error > 0:
        low, high = t_interval(bias, estimate.error, estimate.df, level)
    return bias, low, high


def _kappas(
    own: np.ndarray, reference: np.ndarray, cluster: np.ndarray, weights: str | None
) -> np.ndarray:
    """Return kappa without each cluster and, last, that of all; NaN if it is undefined.

    It is 1 - observed / expected distance. The expected distance is over all pairs of one's
    grades and the other's; without a cluster it loses the pairs that have a grade of it.
    """
    (mine, own_code), (theirs, other_code), (_, code) = (
        np.unique(values, return_inverse=True) for values in (own, reference, cluster)
    )
    n = len(own)
    far = _distances(mine, theirs, weights)
    own_counts = sparse.csr_array((np.ones(n), (code, own_code)))
    other_counts = sparse.csr_array((np.ones(n), (code, other_code)))
    mixed = own_counts @ far  # of each cluster's own grades to each of the other's
    own_times, other_times = own_counts.sum(axis=0), other_counts.sum(axis=0)
    to_all = mixed @ other_times
    all_pairs = to_all.sum()
    of_clusters = other_counts.multiply(mixed).sum(axis=1)
    expected = all_pairs - to_all - other_counts @ (own_times @ far) + of_clusters
    observed = np.bincount(code, far[own_code, other_code])
    n_left = np.append(n - np.bincount(code), n)
    observed = np.append(observed.sum() - observed, observed.sum()) * n_left
    expected = np.append(expected, all_pairs)
    undefined = np.full(len(expected), np.nan)
    is_known = expected > ROUNDING * all_pairs
    return 1 - np.divide(observed, expected, out=undefined, where=is_known)


def _distances(mine: np.ndarray, theirs: np.ndarray, weights: str | None) -> np.ndarray:
    """Return the distance of each two grades, which may have any scale."""
    if weights is None:
        return (mine[:, None] != theirs).astype(float)
    scale = power_of_two(np.append(mine, theirs))
    far = np.abs(mine[:, None] / scale - theirs / scale)
    return far**2 if weights == "quadratic" else far
