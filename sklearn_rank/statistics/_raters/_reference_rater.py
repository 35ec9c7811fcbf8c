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
    apart = np.arctanh(np.clip(without, LOWEST, 1 - (1 - value) / 2))
    squares = (apart - apart.mean()) ** 2
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
    found: RaterGrades, query: np.ndarray, reference: Any, weights: str | None, level: float
) -> tuple[Rows, Rows]:
    """Return columns of each rater, NaN for the reference, and a row per rater and grade.

    `query` has the cluster of each unit.
    """
    names = as_list(found.raters)
    check_option("reference", reference, names)
    place = names.index(reference)
    held = np.full(len(found.units), -1)
    is_held = found.rater == place
    held[found.unit[is_held]] = found.grade[is_held]
    grades = found.grades
    if not found.are_numbers:
        grades, weights = np.arange(len(grades)), None
    columns: Rows = []
    by_grade: Rows = []
    for code, name in enumerate(names):
        if code == place:
            columns.append(dict.fromkeys(COLUMNS, math.nan))
            continue
        mine = (found.rater == code) & (held[found.unit] >= 0)
        cluster, other = query[found.unit[mine]], held[found.unit[mine]]
        own, theirs = grades[found.grade[mine]], grades[other]
        apart = own - theirs if found.are_numbers else np.full(len(own), math.nan)
        bias = _find_bias(apart, cluster, level)
        kappa = UNKNOWN
        if len(own):
            *without, of_all = _kappas(own, theirs, cluster, weights)
            low, high, _ = agreement_interval(of_all, np.array(without), level)
            kappa = float(of_all), low, high
        columns.append(dict(zip(COLUMNS, (len(other), *bias, *kappa), strict=True)))
        for grade in np.unique(other):
            some = other == grade
            bias = _find_bias(apart[some], cluster[some], level)
            mean = found.grades[grade] + bias[0] if found.are_numbers else math.nan
            n, shown = int(np.count_nonzero(some)), as_list(found.grades)[grade]
            row = (name, shown, n, mean, *bias)
            by_grade.append(dict(zip(GRADE_COLUMNS, row, strict=True)))
    return columns, by_grade


def _find_bias(apart: np.ndarray, cluster: np.ndarray, level: float) -> Ends:
    """Return the mean of own - other grades with its interval by Student's t."""
    if not len(apart) or np.isnan(apart).any():
        return UNKNOWN
    clusters = Clusters.from_codes(cluster, None)
    bias, low, high = clusters.mean(apart), math.nan, math.nan
    found = clusters.estimate(apart) if clusters.n_clusters > 1 else None
    if found is not None and found.error > 0:
        low, high = t_interval(bias, found.error, found.df, level)
    return bias, low, high


def _kappas(
    own: np.ndarray, other: np.ndarray, cluster: np.ndarray, weights: str | None
) -> np.ndarray:
    """Return kappa without each cluster and, last, that of all; NaN if it is undefined.

    It is 1 - observed / expected distance. The expected distance is over all pairs of one's
    grades and the other's; without a cluster it loses the pairs that have a grade of it.
    """
    (mine, own_code), (theirs, other_code), (_, code) = (
        np.unique(values, return_inverse=True) for values in (own, other, cluster)
    )
    n = len(own)
    far = _distances(mine, theirs, weights)
    one = sparse.csr_array((np.ones(n), (code, own_code)))
    two = sparse.csr_array((np.ones(n), (code, other_code)))
    mixed = one @ far  # of each cluster's own grades to each of the other's
    own_times, other_times = one.sum(axis=0), two.sum(axis=0)
    to_all = mixed @ other_times
    all_pairs = to_all.sum()
    of_clusters = two.multiply(mixed).sum(axis=1)
    expected = all_pairs - to_all - two @ (own_times @ far) + of_clusters
    observed = np.bincount(code, far[own_code, other_code])
    n_left = np.append(n - np.bincount(code), n)
    observed = np.append(observed.sum() - observed, observed.sum()) * n_left
    expected = np.append(expected, all_pairs)
    undefined = np.full(len(expected), np.nan)
    is_known = expected > ROUNDING * all_pairs
    return 1 - np.divide(observed, expected, out=undefined, where=is_known)


def _distances(one: np.ndarray, other: np.ndarray, weights: str | None) -> np.ndarray:
    """Return the distance of each two grades, which may have any scale."""
    if weights is None:
        return (one[:, None] != other).astype(float)
    scale = power_of_two(np.append(one, other))
    far = np.abs(one[:, None] / scale - other / scale)
    return far**2 if weights == "quadratic" else far
