"""All pairs of models over data sets: differences, their tests, and ranks that hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

from sklearn_rank.metrics._core._clusters import ROUNDING, differences, power_of_two
from sklearn_rank.statistics._intervals_of_means import TIE_TOLERANCE
from sklearn_rank.statistics._leagues._model_ranking import FEWEST_TESTED, NUMBERS
from sklearn_rank.statistics._metric_comparison import Pairs
from sklearn_rank.statistics._options import Options, correct_p_values
from sklearn_rank.statistics._randomization import flipped_sums, to_p_values

# With fewer data sets sign flips have too few patterns for many pairs.
FEWEST_FLIPPED = 8
# Pairs whose flips are in memory together.
PAIRS_AT_ONCE = 512


Estimates = tuple[np.ndarray, np.ndarray, np.ndarray]  # differences, errors and df


def compare_pairs(
    numbers: np.ndarray, pairs: Pairs, of_queries: Sequence[Any], options: Options
) -> dict[str, np.ndarray]:
    """Return columns with the difference of each pair, first model minus second.

    `numbers` has a row per data set, or per cluster of these, and a column per model;
    `of_queries` are comparisons on each data set, if errors are over queries.
    """
    first, second = np.transpose(pairs)
    gaps = differences(numbers[:, first], numbers[:, second])
    estimates = (
        _estimate_by_queries(of_queries) if of_queries else _estimate_by_data_sets(gaps)
    )
    difference, error, df = estimates
    # Exactly 0 where only rounding is left.
    rounding = ROUNDING * np.abs(numbers).max(axis=0)[np.array(pairs)].max(axis=1)
    error = np.where(error <= rounding, 0, error)
    is_zero = (error == 0) & (np.abs(difference) <= rounding)
    difference = np.where(is_zero, 0, difference)
    if options.test == "randomization":
        flips = options.n_resamples, options.random_state
        p_value, p_adjusted = _flip_data_sets(gaps, *flips)
    else:
        sizes = np.abs(difference)
        t = np.divide(sizes, error, out=np.zeros_like(sizes), where=error > 0)
        p_value, p_adjusted = np.where(error > 0, 2 * stats.t.sf(t, df), 1.0), None
    # All differences are the same, and not 0.
    is_same = (error == 0) & (difference != 0)
    p_value = np.where(is_same, 2.0 ** (1 - len(numbers)), p_value)
    if not of_queries and len(numbers) < FEWEST_TESTED:
        p_value = p_adjusted = np.full(len(pairs), np.nan)
    if p_adjusted is None:
        p_adjusted = correct_p_values(p_value, "holm")
    columns = difference, error, df, p_value, p_adjusted
    return dict(zip(NUMBERS, columns, strict=True))


def _estimate_by_data_sets(gaps: np.ndarray) -> Estimates:
    """Return estimates over data sets, a row of the differences each."""
    n_data_sets, n_pairs = gaps.shape
    scale = power_of_two(gaps)  # squares stay within floats
    mean = _means(gaps / scale)
    squares = _means((gaps / scale - mean) ** 2)
    error = np.sqrt(squares / (n_data_sets - 1))
    return scale * mean, scale * error, np.full(n_pairs, n_data_sets - 1.0)


def means_by_cluster(numbers: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return the means of the data sets of each cluster, a row per cluster."""
    return np.array([_means(numbers[codes == code]) for code in range(codes.max() + 1)])


def _means(values: np.ndarray) -> np.ndarray:
    """Return the mean of each column, the same in any order of rows."""
    return np.array([math.fsum(column) for column in values.T.tolist()]) / len(values)


def _estimate_by_queries(comparisons: Sequence[Any]) -> Estimates:
    """Return estimates over new queries of these data sets, a comparison for each.

    With the error :math:`SE_d` on data set d, the squared error of the mean of differences
    is the sum of :math:`v_d = SE_d^2 / D^2`; degrees of freedom are Satterthwaite's.
    """
    columns = ([result.columns[name] for result in comparisons] for name in NUMBERS[:3])
    gaps, errors, df = (np.array(column, dtype=float) for column in columns)
    n_data_sets = len(comparisons)
    scale = errors.max(axis=0)
    shares = np.divide(errors, scale, out=np.zeros_like(errors), where=scale > 0) ** 2
    total = shares.sum(axis=0)
    of_all = np.full(len(total), np.nan)
    np.divide(total**2, (shares**2 / df).sum(axis=0), out=of_all, where=total > 0)
    return _means(gaps), scale * np.sqrt(total) / n_data_sets, of_all


def _flip_data_sets(
    gaps: np.ndarray, n_resamples: int, random_state: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Return p of each pair alone, and p that hold for all pairs together.

    `gaps` has a row of differences per data set. The signs of data sets are flipped, for
    all pairs alike. The p-values of all pairs are by the largest t of those whose own t is
    not larger, J. P. Romano and M. Wolf, "Exact and approximate stepdown methods for
    multiple hypothesis testing", Journal of the American Statistical Association 100, 2005.
    """
    n_data_sets, n_pairs = gaps.shape
    scaled = _scaled_to_length_one(gaps)
    observed = np.abs(scaled.sum(axis=0))
    ascending = np.argsort(observed, kind="stable")
    bounds = observed - TIE_TOLERANCE
    alone, together = np.zeros((2, n_pairs), dtype=np.int64)
    # |t| is the same for opposite signs, so that the first one stays.
    for flips in flipped_sums(np.eye(n_data_sets - 1), n_resamples, random_state):
        signs = np.vstack([np.ones(len(flips)), flips.T])
        largest = np.zeros(len(flips))
        for start in range(0, n_pairs, PAIRS_AT_ONCE):
            chunk = ascending[start : start + PAIRS_AT_ONCE]
            # It grows with |t|, which has the same degrees of freedom for all pairs.
            sums = np.abs(scaled[:, chunk].T @ signs)
            alone[chunk] += np.count_nonzero(sums >= bounds[chunk, None], axis=1)
            np.maximum(sums[0], largest, out=sums[0])
            np.maximum.accumulate(sums, axis=0, out=sums)
            largest = sums[-1].copy()
            together[chunk] += np.count_nonzero(sums >= bounds[chunk, None], axis=1)
    # The data count as one of the random flips.
    p_value, p_adjusted = to_p_values(
        np.array([alone, together]), n_data_sets - 1, n_resamples
    )
    descending = ascending[::-1]
    p_adjusted[descending] = np.maximum.accumulate(p_adjusted[descending])
    return p_value, p_adjusted


def _scaled_to_length_one(gaps: np.ndarray) -> np.ndarray:
    """Return columns divided by the root of their sum of squares, 0 if all are 0."""
    for norm in (np.inf, 2):  # squares of the largest stay within floats
        size = np.linalg.norm(gaps, norm, axis=0)
        gaps = np.divide(gaps, size, out=np.zeros_like(gaps), where=size > 0)
    return gaps


def ranks_of(values: np.ndarray, *, lower_is_better: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return ranks of values: that which equal ones share, and their mean rank."""
    gaps = differences(values[:, None], values)
    n_better = np.count_nonzero(gaps > 0 if lower_is_better else gaps < 0, axis=1)
    n_equal = np.count_nonzero(gaps == 0, axis=1) - 1
    return 1 + n_better, 1 + n_better + n_equal / 2


def bounds_of_ranks(
    pairs: Pairs, gains: np.ndarray, is_significant: np.ndarray, n_models: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the best and the worst rank that significant differences leave open.

    M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm, "Inference for ranks with
    applications to mobility across neighbourhoods and academic achievement across
    countries", Review of Economic Studies 91(1), 2024.
    """
    is_decided = is_significant & (gains != 0)
    first, second = np.transpose(pairs)
    winner, loser = np.where(gains > 0, (first, second), (second, first))[:, is_decided]
    n_lost, n_won = (np.bincount(models, minlength=n_models) for models in (loser, winner))
    return 1 + n_lost, n_models - n_won
