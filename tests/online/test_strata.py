"""Strata of an A/B test, held against the regression with a column for each stratum."""

import math
import tracemalloc

import numpy as np
import pytest
from scipy import linalg

from sklearn_rank.online import compare_variants
from sklearn_rank.online._arms import (
    COLLINEAR,
    LEAST_LEVERAGE_LEFT,
    Population,
    adjusted_arm,
    contrast_error,
    linearize,
    plain_arm,
)


def arm_by_columns(outcome, denominator, columns, center):
    """Return value, error, degrees of freedom and slopes: strata are columns of 0 and 1."""
    plain = plain_arm(outcome, denominator)
    n_units, n_columns = columns.shape
    slopes = np.zeros(n_columns)
    mean = columns.mean(axis=0)
    apart = columns - mean
    sizes = linalg.norm(apart, axis=0)
    varies = np.flatnonzero(np.ptp(columns, axis=0) > 0)
    basis, triangle, order = linalg.qr(
        apart[:, varies] / sizes[varies], mode="economic", pivoting=True
    )
    rank = int(np.count_nonzero(np.abs(np.diag(triangle)) > COLLINEAR))
    basis, triangle, kept = basis[:, :rank], triangle[:rank, :rank], varies[order[:rank]]
    share = 1 / n_units if denominator is None else denominator / denominator.sum()
    rest = (1 - share) * (1 - (basis**2).sum(axis=1) * n_units / (n_units - 1))
    if np.min(rest) < LEAST_LEVERAGE_LEFT:
        return plain.value, plain.error, plain.df, slopes
    left = linearize(outcome, denominator)[1] - plain.value
    along = basis.T @ left
    left = left - basis @ along
    shift = linalg.solve_triangular(
        triangle, (center - mean)[kept] / sizes[kept], trans="T"
    )
    slopes[kept] = linalg.solve_triangular(triangle, along) / sizes[kept]
    return (
        plain.value + float(shift @ along),
        float(linalg.norm((1 / n_units + basis @ shift) * left / np.sqrt(rest))),
        plain.df * (n_units - 1 - rank) / (n_units - 1),
        slopes,
    )


def center_error_by_columns(columns, slopes):
    """Return the error of the mean of the columns, along slopes."""
    n_units = len(columns)
    fitted = (columns - columns.mean(axis=0)) @ slopes
    return float(linalg.norm(fitted)) / math.sqrt(n_units * (n_units - 1))


def random_case(seed):
    """Return outcome, denominator, covariates, strata, and the arm of each unit."""
    rng = np.random.default_rng(seed)
    n, n_strata, n_columns = rng.integers(60, 300), rng.integers(2, 9), rng.integers(0, 4)
    strata = np.r_[np.tile(np.arange(n_strata), 4), rng.integers(0, n_strata, n)]
    arm = np.r_[np.repeat([0, 1], 2 * n_strata), rng.integers(0, 2, n)]
    columns = rng.normal(size=(len(strata), n_columns)) + 0.3 * strata[:, None]
    outcome = rng.normal(size=len(strata)) + strata + columns.sum(axis=1)
    below = rng.integers(1, 9, len(strata)).astype(float) if seed % 2 else None
    return outcome, below, columns, strata, arm


def compute_both(outcome, below, columns, strata, arm):
    """Return arms with strata, arms by columns, all columns, and the population."""
    indicators = (strata[:, None] == np.arange(1, strata.max() + 1)).astype(float)
    table = np.column_stack([columns, indicators])
    population = Population(columns, strata)
    arms, by_columns = [], []
    for place in (0, 1):
        here = arm == place
        own = outcome[here], None if below is None else below[here]
        of_arm = population.strata.take(here)
        arms.append(adjusted_arm(*own, columns[here], population.center, of_arm))
        by_columns.append(arm_by_columns(*own, table[here], table.mean(axis=0)))
    return arms, by_columns, table, population


@pytest.mark.parametrize("seed", range(40))
def test_strata_are_columns_of_0_and_1(seed):
    arms, by_columns, table, population = compute_both(*random_case(seed))
    for arm, (value, error, df, slopes) in zip(arms, by_columns, strict=True):
        assert arm.value == pytest.approx(value, rel=1e-13, abs=1e-14)
        assert (arm.error, arm.df) == pytest.approx((error, df), rel=1e-13)
        assert arm.slopes == pytest.approx(slopes, rel=1e-11, abs=1e-12)
    apart = arms[0].slopes - arms[1].slopes
    of_center = center_error_by_columns(table, apart)
    assert population.error(apart) == pytest.approx(of_center, rel=1e-12)
    expected = math.hypot(arms[0].error, arms[1].error, of_center)
    assert contrast_error(*arms, population)[0] == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(10))
def test_covariates_that_say_what_strata_say(seed):
    """A function of strata, a copy, a constant, and a copy with a little of its own."""
    outcome, below, columns, strata, arm = random_case(seed)
    own = np.random.default_rng(seed).normal(size=len(strata))
    columns = np.column_stack(
        [columns, strata**2.0, own, own, np.full(len(own), 3.0), own + 1e-4 * outcome]
    )
    arms, by_columns, *_ = compute_both(outcome, below, columns, strata, arm)
    for arm_, (value, error, df, _) in zip(arms, by_columns, strict=True):
        assert (arm_.value, arm_.error) == pytest.approx((value, error), rel=1e-9)
        assert arm_.df == pytest.approx(df)


def test_post_stratification_by_hand():
    # Arm 0: strata means 2 and 6, arm 1: 4 and 12; half of the units are in each stratum.
    outcome = np.array([1.0, 3, 5, 7, 6, 6, 3, 5, 11, 13, 12, 12])
    strata = np.array([0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0])
    arm = np.repeat([0, 1], 6)
    outcome[10:] = 4, 4
    arms, *_ = compute_both(outcome, None, np.empty((12, 0)), strata, arm)
    assert [one.value for one in arms] == [4, 8]
    assert [one.slopes.tolist() for one in arms] == [[4], [8]]
    # Arm 0: squares 2 of 2 units and 2 of 4 units, each over n (n - 1), weighed by 1 / 4.
    assert arms[0].error ** 2 == pytest.approx((2 / (2 * 1) + 2 / (4 * 3)) / 4)


def test_a_unit_that_decides_the_slope_leaves_strata_unused():
    before = np.zeros(12)
    before[0] = 5
    outcome = np.arange(12.0)
    strata, arm = np.tile([0, 1], 6), np.repeat([0, 1], 6)
    arms, *_ = compute_both(outcome, None, before[:, None], strata, arm)
    assert arms[0].value == outcome[:6].mean()
    assert arms[0].slopes.tolist() == [0, 0]


def test_many_strata_need_no_columns():
    """Columns for 4,000 strata of 16,000 units would be half a gigabyte."""
    n_strata = 4_000
    strata, variant = np.tile(np.arange(n_strata), 4), np.repeat(["a", "b"], 2 * n_strata)
    outcome = np.random.default_rng(0).normal(size=len(strata)) + strata
    tracemalloc.start()
    try:
        with pytest.warns(UserWarning, match="8000 units for 3999 column"):
            found = compare_variants(outcome, variant, control="a", strata=strata)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2e7
    assert found.row("b").difference == pytest.approx(
        np.mean(outcome[8000:] - outcome[:8000])
    )


def test_one_stratum_is_none():
    rng = np.random.default_rng(0)
    outcome, variant = 9 + rng.random(50), np.repeat(["a", "b"], 25)
    plain = compare_variants(outcome, variant, control="a")
    one = compare_variants(outcome, variant, control="a", strata=["at"] * 50)
    assert dict(one.row("b")) == dict(plain.row("b"))
    assert not one.settings["is_adjusted"]


def test_no_outcome_differs_within_arms():
    arms, *_ = compute_both(
        np.r_[np.ones(6), np.full(6, 2.0)],
        None,
        np.empty((12, 0)),
        np.tile([0, 1], 6),
        np.repeat([0, 1], 6),
    )
    assert [(one.value, one.error) for one in arms] == [(1, 0), (2, 0)]
