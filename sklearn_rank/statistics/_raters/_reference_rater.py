"""Raters compared with one of them: bias, weighted kappa, and a mean that it corrects."""

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
from sklearn_rank.metrics._core._parameters import UNBOUNDED, ZERO_TO_ONE
from sklearn_rank.statistics._interval import confidence_interval
from sklearn_rank.statistics._raters._judge import FEWEST_PER_JUDGE, estimate_mean
from sklearn_rank.statistics._result_rows import CorrectedMean

Rows = list[dict[str, Any]]
# Three numbers of an interval.
Ends = tuple[float, float, float]

UNKNOWN: Ends = (math.nan, math.nan, math.nan)
# The lowest agreement whose Fisher z is finite enough.
LOWEST = -0.999999
# With fewer units of the reference there is no corrected mean.
FEWEST = 10


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
    *("n_shared", "accuracy", "true_positive_rate", "true_negative_rate"),
    *("bias", "bias_low", "bias_high"),
    *("kappa", "kappa_low", "kappa_high"),
)
GRADE_COLUMNS = ("rater", "grade", "n", "mean", "bias", "low", "high", "counts")


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
        is_equal, are_two = own == theirs, rated.are_numbers and len(grades) == 2
        rates = [_share(is_equal[held_grade == grade]) for grade in (1, 0) if are_two]
        cells = len(own), _share(is_equal), *(rates or UNKNOWN[:2]), *bias, *kappa
        columns.append(dict(zip(COLUMNS, cells, strict=True)))
        for grade in np.unique(held_grade):
            is_grade = held_grade == grade
            bias = _find_bias(gaps[is_grade], cluster[is_grade], level)
            mean = rated.grades[grade] + bias[0] if rated.are_numbers else math.nan
            n, label = int(np.count_nonzero(is_grade)), as_list(rated.grades)[grade]
            own_grades, times = np.unique(rated.grade[mine][is_grade], return_counts=True)
            own_labels = as_list(rated.grades[own_grades])
            counts = dict(zip(own_labels, times.tolist(), strict=True))
            row = (name, label, n, mean, *bias, counts)
            by_grade.append(dict(zip(GRADE_COLUMNS, row, strict=True)))
    return columns, by_grade


def _share(is_equal: np.ndarray) -> float:
    return float(is_equal.mean()) if len(is_equal) else math.nan


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


def correct_means(
    rated: RaterGrades, query: np.ndarray, reference: Any, level: float
) -> tuple[CorrectedMean | None, str]:
    """Return the corrected mean and that of the reference alone, or why there is none.

    `query` has the cluster of each unit. The reason is empty if the reference has graded
    all units, as nothing is to correct then.
    """
    if not rated.are_numbers:
        return None, "grades are names"
    table = np.full((len(rated.units), len(rated.raters)), np.nan)
    table[rated.unit, rated.rater] = rated.grades[rated.grade]
    is_graded = rated.per_unit() > 0
    table, query = table[is_graded], query[is_graded]
    own, name = as_list(rated.raters).index(reference), str(reference)
    human, judges = table[:, own], np.delete(table, own, axis=1)
    is_human, n_lacking = ~np.isnan(human), np.isnan(judges).sum(axis=0)
    if is_human.all():
        return None, ""
    if n_lacking.any():
        rater = np.delete(rated.raters, own)[n_lacking.argmax()]
        return None, f"{rater} has no grade of {n_lacking.max()} of {len(table)} units"
    n_queries = len(np.unique(query[is_human]))
    needed = max(FEWEST, FEWEST_PER_JUDGE * judges.shape[1])
    if n_queries < needed:
        units = "units" if len(np.unique(query)) == len(query) else "queries"
        return None, f"{name} has graded {n_queries} {units} of {needed} needed"
    bounds = ZERO_TO_ONE if set(rated.grades) <= {0, 1} else UNBOUNDED
    columns = {"clusters": query, "probability": None}
    corrected = estimate_mean(name, human, judges, None, bounds, columns, level)
    alone = confidence_interval(
        human,
        clusters=query,
        value_range=(0, 1) if bounds.is_bounded else None,
        confidence_level=level,
    )
    people = {f"human_{end}": alone[end] for end in ("mean", "low", "high")}
    return CorrectedMean(**corrected, **people), ""
