"""A/B tests: the worked examples, other roads to the same numbers, and bad input."""

import math
import warnings

import numpy as np
import pytest
from scipy import integrate, stats

from sklearn_rank.online import compare_variants
from sklearn_rank.online._arms import (
    Population,
    adjusted_arm,
    contrast_error,
    linearize,
    plain_arm,
)
from sklearn_rank.statistics import plan_evaluation
from sklearn_rank.statistics._intervals_of_means import AnyTime, best_kappa

CLICKS = [1, 0, 2, 3, 0, 1, 2, 1, 2, 4, 1, 3]
VIEWS = [10, 5, 8, 20, 3, 4, 9, 6, 5, 15, 5, 10]
OUTCOME = [3, 5, 2, 8, 4, 6, 5, 7, 4, 9, 6, 9]
BEFORE = [2, 4, 2, 7, 3, 6, 3, 5, 3, 7, 4, 7]
VARIANT = ["old"] * 6 + ["new"] * 6
LARGE = 1_000


def row_of(outcome, variant=VARIANT, **options):
    return compare_variants(outcome, variant, control="old", **options).row("new")


def approx(value):
    return pytest.approx(value, abs=2e-6)


def test_ratio():
    row = row_of(CLICKS, denominator=VIEWS)
    assert (row.value_control, row.value) == (approx(0.14), approx(0.26))
    assert row.difference == approx(0.12)
    assert row.standard_error == approx(0.0373480)
    assert row.df == approx(6.613214)
    assert row.p_value == approx(0.0159915)
    assert (row.low, row.high) == (approx(0.030628), approx(0.209372))
    assert row.lift == approx(0.857143)
    assert (row.n_units, row.n_units_control) == (6, 6)
    assert row.largest_share == approx(3 / 7)


def test_ratio_of_each_arm():
    clicks, views = np.reshape(CLICKS, (2, 6)), np.reshape(VIEWS, (2, 6))
    old, new = (plain_arm(y, x) for y, x in zip(clicks, views, strict=True))
    assert old.error**2 == pytest.approx(0.000852444, abs=5e-10)
    assert new.error**2 == pytest.approx(0.000542428, abs=5e-10)
    assert (old.df, new.df) == (approx(3.256647), approx(4.139540))
    values = linearize(clicks[0], views[0])[1]
    assert values == pytest.approx([0.092, 0.056, 0.2456, 0.164, 0.0896, 0.1928])
    half = stats.norm.isf(0.025) * math.hypot(old.error / 0.14, new.error / 0.26)
    ends = np.expm1(math.log(0.26 / 0.14) + np.array([-half, half]))
    assert ends == pytest.approx([0.190273, 1.897637], abs=5e-6)
    row = row_of(CLICKS, denominator=VIEWS)
    wider = half / stats.norm.isf(0.025) * stats.t.isf(0.025, row.df)
    ends = np.expm1(math.log(0.26 / 0.14) + np.array([-wider, wider]))
    assert (row.lift_low, row.lift_high) == pytest.approx(tuple(ends))


def test_the_delta_method_by_its_own_formula():
    rng = np.random.default_rng(0)
    x = rng.poisson(5, LARGE) + 1.0
    y = rng.binomial(x.astype(int), 0.3).astype(float)
    ratio, below = y.sum() / x.sum(), x.mean()
    covariance = np.cov(y, x)
    variance = (
        covariance[0, 0] - 2 * ratio * covariance[0, 1] + ratio**2 * covariance[1, 1]
    ) / (LARGE * below**2)
    # The shares that units have of the denominator are small here.
    share = (x / x.sum()).max()
    assert plain_arm(y, x).error ** 2 == pytest.approx(variance, rel=3 * share)


def test_a_mean_is_by_welch():
    row = row_of(OUTCOME)
    assert row.difference == 2
    assert row.standard_error == approx(1.220200)
    assert row.statistic == approx(1.639075)
    assert row.df == approx(9.979991)
    assert row.p_value == approx(0.132297)
    assert (row.low, row.high) == (approx(-0.719515), approx(4.719515))
    theirs = stats.ttest_ind(OUTCOME[6:], OUTCOME[:6], equal_var=False)
    assert row.p_value == pytest.approx(theirs.pvalue)
    for alternative in ("greater", "less"):
        theirs = stats.ttest_ind(
            OUTCOME[6:], OUTCOME[:6], equal_var=False, alternative=alternative
        )
        row = row_of(OUTCOME, alternative=alternative)
        interval = theirs.confidence_interval()
        assert row.p_value == pytest.approx(theirs.pvalue)
        assert (row.low, row.high) == pytest.approx((interval.low, interval.high))
    assert row.lift_low == -1


pytestmark = [
    pytest.mark.filterwarnings("ignore:An arm has . units for . column"),
    pytest.mark.filterwarnings("ignore:.*freedom, as an arm has [1-8] units"),
]


def test_a_covariate_of_these_units():
    row = row_of(OUTCOME, covariate=BEFORE, population=False)
    assert (row.value_control, row.value) == (approx(5.083333), approx(6.204620))
    assert row.difference == approx(1.121287)
    assert row.standard_error == approx(0.323138)
    assert row.statistic == approx(3.469992)
    assert row.df == approx(7.698181)
    assert row.p_value == approx(0.00896288)
    assert (row.low, row.high) == (approx(0.371013), approx(1.871561))


def test_a_covariate_of_the_population():
    row = row_of(OUTCOME, covariate=BEFORE)
    of_these = row_of(OUTCOME, covariate=BEFORE, population=False)
    assert (row.value, row.value_control) == (of_these.value, of_these.value_control)
    extra = row.standard_error**2 - of_these.standard_error**2
    assert extra == pytest.approx(0.00367679, abs=5e-9)
    assert row.standard_error == approx(0.328778)
    assert row.df == approx(8.242712)
    assert row.p_value == pytest.approx(0.00881489, abs=5e-9)
    assert (row.low, row.high) == (approx(0.366992), approx(1.875583))


def test_slopes_that_differ_cost_the_population():
    outcome = [*OUTCOME[:6], 6, 9, 4, 13, 7, 12]
    row = row_of(outcome, covariate=BEFORE)
    of_these = row_of(outcome, covariate=BEFORE, population=False)
    assert row.difference == approx(2.636964)
    extra = row.standard_error**2 - of_these.standard_error**2
    assert (extra, row.standard_error) == (approx(0.235315), approx(0.673349))
    assert row.df == approx(17.045785)
    assert row.p_value == pytest.approx(0.00110699, abs=5e-9)
    assert (row.low, row.high) == (approx(1.216612), approx(4.057315))
    assert row.lift == approx(0.518747)
    assert (row.lift_low, row.lift_high) == (approx(0.295582), approx(0.780352))


def test_each_arm_has_its_own_slope():
    outcome, before = np.reshape(OUTCOME, (2, 6)), np.reshape(BEFORE, (2, 6, 1))
    arms = [
        adjusted_arm(y, None, c, np.array([np.mean(BEFORE)]))
        for y, c in zip(outcome.astype(float), before.astype(float), strict=True)
    ]
    assert [arm.slopes[0] for arm in arms] == [approx(1.0), approx(1.108911)]


def test_other_slopes_give_other_differences():
    """A common slope is not offered; the figures beside it are those of regressions."""
    outcome, before = np.array(OUTCOME, dtype=float), np.array(BEFORE, dtype=float)
    in_second = np.repeat([0.0, 1.0], 6)
    step = [np.mean(values[6:]) - np.mean(values[:6]) for values in (outcome, before)]
    # One slope within both arms: a regression on the arm and the covariate.
    common = np.column_stack([np.ones(12), in_second, before])
    _, difference, slope = np.linalg.lstsq(common, outcome)[0]
    assert (slope, difference) == (approx(1.047210), approx(1.127325))
    assert difference == pytest.approx(step[0] - slope * step[1])
    # One slope over all units, which takes a part of the effect for one of the covariate.
    pooled = np.polyfit(before, outcome, 1)[0]
    assert pooled == approx(1.116090)
    assert step[0] - pooled * step[1] == approx(1.069925)
    # Own slopes, in arms of one size: the mean of both.
    own = [
        np.polyfit(before[arm], outcome[arm], 1)[0]
        for arm in (in_second == 0, in_second == 1)
    ]
    row = row_of(OUTCOME, covariate=BEFORE)
    assert row.difference == pytest.approx(step[0] - np.mean(own) * step[1])


@pytest.mark.parametrize("n_columns", [1, 3])
def test_the_robust_error_by_matrices(n_columns):
    rng = np.random.default_rng(1)
    c = rng.normal(3, 2, (50, n_columns)) * [1, 1e-3, 1e3][:n_columns]
    y = c[:, 0] + rng.normal(0, 1 + np.abs(c[:, 0]), 50)
    center = c.mean(axis=0) * 0.8
    X = np.column_stack([np.ones(50), c - center])
    inverse = np.linalg.inv(X.T @ X)
    left = y - X @ (inverse @ X.T @ y)
    leverage = np.einsum("ij,jk,ik->i", X, inverse, X)
    meat = X.T @ (X * (left**2 / (1 - leverage))[:, None])
    arm = adjusted_arm(y, None, c, center)
    assert arm.error**2 == pytest.approx((inverse @ meat @ inverse)[0, 0])
    assert arm.value == pytest.approx((inverse @ X.T @ y)[0])
    assert arm.slopes == pytest.approx((inverse @ X.T @ y)[1:])
    assert arm.df == 49 - n_columns
    again = adjusted_arm(y, None, np.column_stack([c, c]), np.tile(center, 2))
    assert (again.value, again.error) == pytest.approx((arm.value, arm.error))


def test_the_error_of_the_center_by_covariances():
    rng = np.random.default_rng(2)
    c = rng.normal(3, 2, (80, 2)) @ [[1, 0.4], [0, 2]]
    y = c @ [1, 0.5] + rng.normal(size=80)
    y[40:] += c[40:] @ [0.5, -1]
    center = c.mean(axis=0)
    one = adjusted_arm(y[40:], None, c[40:], center)
    other = adjusted_arm(y[:40], None, c[:40], center)
    apart = one.slopes - other.slopes
    extra = apart @ np.cov(c.T) @ apart / 80
    error, df = contrast_error(one, other, Population(c))
    parts = np.array([one.error**2, other.error**2, extra])
    assert error**2 == pytest.approx(parts.sum())
    assert df == pytest.approx(parts.sum() ** 2 / (parts**2 / [37, 37, 79]).sum())


def test_a_covariate_that_says_nothing_changes_nothing():
    plain = row_of(OUTCOME)
    assert row_of(OUTCOME, covariate=[7] * 12) == plain
    one = [0] * 5 + [1] + [0] * 5 + [2]
    assert row_of(OUTCOME, covariate=one).difference == plain.difference
    assert row_of(OUTCOME, covariate=one, population=False) == plain


def test_the_error_of_an_adjusted_ratio_knows_the_shares():
    rng = np.random.default_rng(5)
    views, c = rng.integers(1, 30, 40).astype(float), rng.normal(size=(40, 1))
    clicks = rng.binomial(views.astype(int), 0.3).astype(float)
    arm = adjusted_arm(clicks, views, c, c.mean(axis=0))
    ratio = clicks.sum() / views.sum()
    z, apart = (clicks - ratio * views) / views.mean(), c[:, 0] - c.mean()
    slope = apart @ z / (apart @ apart)
    rest = 1 - apart**2 / (apart @ apart) * 40 / 39
    e = (z - slope * apart) / 40
    variance = (e**2 / rest / (1 - views / views.sum())).sum()
    assert arm.error**2 == pytest.approx(variance)
    assert arm.df == pytest.approx(plain_arm(clicks, views).df * 38 / 39)


def test_a_covariate_of_a_ratio():
    rng = np.random.default_rng(2)
    taste = rng.beta(2, 8, 2 * LARGE)
    views = rng.poisson(20, 2 * LARGE) + 1
    clicks = rng.binomial(views, taste)
    variant = np.repeat(["old", "new"], LARGE)
    plain = row_of(clicks, variant, denominator=views)
    adjusted = row_of(clicks, variant, denominator=views, covariate=taste)
    assert adjusted.standard_error < 0.7 * plain.standard_error


def test_new_users_have_the_mean():
    before = np.array(BEFORE, dtype=float)
    before[[0, 7]] = np.nan
    with pytest.warns(UserWarning, match=r"missing for 2 unit\(s\)"):
        row = row_of(OUTCOME, covariate=before)
    filled = np.where(np.isnan(before), np.nanmean(before), before)
    assert row == row_of(OUTCOME, covariate=filled)


def test_many_new_users_have_a_mean_of_their_own():
    rng = np.random.default_rng(3)
    variant = np.repeat(["old", "new"], 200)
    is_new = rng.random(400) < 0.4
    before = rng.normal(5, 1, 400)
    outcome = np.where(is_new, 2, before) + rng.normal(0, 0.5, 400)
    row = row_of(outcome, variant, covariate=np.where(is_new, np.nan, before))
    filled = np.where(is_new, before[~is_new].mean(), before)
    both = np.column_stack([filled, is_new])
    assert dict(row) == pytest.approx(dict(row_of(outcome, variant, covariate=both)))
    alone = row_of(outcome, variant, covariate=filled)
    assert row.standard_error < 0.5 * alone.standard_error


def test_strata_are_weighed_by_their_shares():
    rng = np.random.default_rng(4)
    variant, country = rng.choice(["old", "new"], 400), rng.choice(["at", "ch", "de"], 400)
    outcome = rng.normal(size=400) + (country == "de") * 3
    row = row_of(outcome, variant, strata=country)
    value, variance = 0.0, 0.0
    for one in np.unique(country):
        share = np.mean(country == one)
        new, old = (
            outcome[(variant == name) & (country == one)] for name in ("new", "old")
        )
        value += share * (new.mean() - old.mean())
        variance += share**2 * (new.var(ddof=1) / len(new) + old.var(ddof=1) / len(old))
    assert row.difference == pytest.approx(value)
    of_these = row_of(outcome, variant, strata=country, population=False)
    assert of_these.standard_error**2 == pytest.approx(variance)
    assert row.standard_error < row_of(outcome, variant).standard_error


def test_small_strata_are_to_be_merged():
    country = ["at"] * 5 + ["ch"] + ["at"] * 4 + ["ch"] * 2
    message = "`strata` 'ch' has 1 unit.* in 'old'; .* Merge"
    with pytest.raises(ValueError, match=message):
        row_of(OUTCOME, strata=country)
    with pytest.warns(UserWarning, match="An arm has 6 units for 1 column"):
        row_of(OUTCOME, strata=["at", *country[1:4], *["ch"] * 4, *country[8:]])


@pytest.mark.slow
@pytest.mark.parametrize("n", [10, 30, 100])
def test_one_user_with_half_of_the_views_finds_nothing(n):
    """The plain linearized error finds a difference in 11, 20 and 23 percent."""
    rng = np.random.default_rng(1)
    views = np.r_[n - 1, np.ones(n - 1)]
    found = 0
    for _ in range(1_000):
        c = rng.normal(size=(2 * n, 1))
        y = (rng.normal(size=2 * n) + 0.5 * c[:, 0]) * np.tile(views, 2)
        spread = Population(c)
        arms = [
            adjusted_arm(y[part], views, c[part], spread.center)
            for part in (slice(n), slice(n, None))
        ]
        error, df = contrast_error(*arms, spread)
        found += abs(arms[0].value - arms[1].value) > stats.t.isf(0.025, df) * error
    assert found / 1_000 <= 0.075


@pytest.mark.slow
@pytest.mark.parametrize(
    ("slopes", "noise", "n", "these", "population"),
    [
        ((1, 1), 1, 100, 0.95, 0.95),
        ((2, 1), 1, 100, 0.92, 0.95),
        ((2, 1), 0.5, 100, 0.83, 0.95),
        ((3, 1), 0.3, 50, 0.42, 0.95),
        ((2, 0), 0.1, 50, 0.15, 0.95),
        ((2, 1), 0.5, 15, 0.83, 0.94),
    ],
)
def test_coverage_of_the_population(slopes, noise, n, these, population):
    rng = np.random.default_rng(0)
    in_first = np.repeat([True, False], n)
    covers = np.zeros(2)
    for _ in range(2_000):
        c = rng.normal(size=2 * n)
        y = np.where(in_first, *slopes) * c + rng.normal(0, noise, 2 * n)
        arms = [
            adjusted_arm(y[arm], None, c[arm, None], c.mean(keepdims=True))
            for arm in (in_first, ~in_first)
        ]
        apart = arms[0].value - arms[1].value
        for place, spread in enumerate((None, Population(c[:, None]))):
            error, df = contrast_error(*arms, spread)
            covers[place] += abs(apart) <= stats.t.isf(0.025, df) * error
    assert covers / 2_000 == pytest.approx([these, population], abs=0.025)


def test_a_unit_with_half_of_the_denominator_is_warned_of():
    rng = np.random.default_rng(0)
    views = np.tile(np.r_[99, np.ones(99)], 2)
    clicks = rng.binomial(views.astype(int), 0.4)
    with pytest.warns(UserWarning, match="few units have most of `denominator`"):
        row = row_of(clicks, ["old"] * 100 + ["new"] * 100, denominator=views)
    assert row.df < 9


def test_rows_are_summed_to_units():
    order = np.random.default_rng(0).permutation(24)
    unit = np.tile(np.arange(12), 2)[order]
    half = [3, 4, 1, 8, 4, 6, 5, 7, 4, 9, 6, 9]
    rest = np.subtract(OUTCOME, half)
    outcome = np.concatenate([half, rest])[order]
    options = {"unit": [f"u{u:02}" for u in unit], "covariate": np.take(BEFORE, unit)}
    row = row_of(outcome, np.take(VARIANT, unit), **options)
    assert dict(row) == pytest.approx(dict(row_of(OUTCOME, covariate=BEFORE)))
    views = np.take(VIEWS, unit) / 2
    row = row_of(
        np.take(CLICKS, unit) / 2, np.take(VARIANT, unit), denominator=views, unit=unit
    )
    assert dict(row) == pytest.approx(dict(row_of(CLICKS, denominator=VIEWS)))


def test_several_variants_are_corrected():
    rng = np.random.default_rng(0)
    variant = np.repeat(["a", "b", "c", "d"], 50)
    outcome = rng.normal(size=200) + np.repeat([0, 0.2, 0.5, 0.1], 50)
    found = compare_variants(outcome, variant, control="a", correction="bonferroni")
    assert [row.variant for row in found.rows()] == ["b", "c", "d"]
    for row in found.rows():
        assert row.p_adjusted == pytest.approx(min(1, 3 * row.p_value))
        two = np.isin(variant, ["a", row.variant])
        alone = compare_variants(outcome[two], variant[two], control="a")
        assert alone.row(row.variant).p_value == pytest.approx(row.p_value)


@pytest.mark.parametrize(
    ("alpha", "kappa"), [(0.05, 7.936155), (0.01, 11.533741), (0.1, 6.328860)]
)
def test_best_kappa(alpha, kappa):
    assert best_kappa(alpha) == pytest.approx(kappa, abs=1e-6)


@pytest.mark.parametrize(
    ("share", "errors"),
    [(0.1, 3.855055), (0.25, 3.264293), (0.5, 3.083569), (1, 3.035209), (2, 3.061477)],
)
def test_width_at_any_time(share, errors):
    intervals = AnyTime.build(int(1_000 * share), 1_000, 0.95)
    assert intervals.half_width_in_errors() == pytest.approx(errors, abs=1e-6)


def test_p_at_any_time():
    error = math.sqrt(0.002)
    five, best = AnyTime(0.95, 5), AnyTime(0.95, best_kappa(0.05))
    assert five.p_value(0.1, error, 9) == approx(0.304997)
    assert 1 / five.p_value(0.1, error, 9) == approx(3.278722)
    assert five.interval(0, error, 9)[1] == approx(0.136674)
    assert best.p_value(0.1, error, 9) == approx(0.324592)
    radius = best.interval(0, error, 9)[1]
    assert radius == approx(0.135739)
    assert best.p_value(radius, error, 9) == pytest.approx(0.05)
    assert best.p_value(0, error, 9) == 1

    def mixed(d):
        likelihood = stats.norm.pdf(0.1, d, error) / stats.norm.pdf(0.1, 0, error)
        return likelihood * stats.norm.pdf(d, 0, 0.1)

    assert integrate.quad(mixed, -1, 1)[0] == approx(3.278722)


def test_any_time():
    rng = np.random.default_rng(0)
    variant = np.repeat(["old", "new"], LARGE)
    outcome = rng.exponential(size=2 * LARGE) + (variant == "new") * 0.2
    fixed = row_of(outcome, variant)
    row = row_of(outcome, variant, anytime_n=2 * LARGE)
    assert row.difference == fixed.difference
    assert (row.high - row.low) / 2 == pytest.approx(3.035209 * row.standard_error)
    assert row.p_value > fixed.p_value
    ratio = math.log1p(row.lift_high) - math.log1p(row.lift)
    of_fixed = math.log1p(fixed.lift_high) - math.log1p(fixed.lift)
    assert ratio / of_fixed == pytest.approx(3.035209 / stats.t.isf(0.025, fixed.df))
    with pytest.warns(UserWarning, match="An arm has 6 units"):
        row_of(OUTCOME, anytime_n=100)


def test_lift_needs_a_metric_above_0():
    row = row_of([0, 0, 0, 1, -1, -3, *OUTCOME[6:]])
    assert math.isnan(row.lift)
    assert math.isnan(row.lift_high)
    row = row_of([*OUTCOME[:6], -3, -2, 1, 0, 0, 1])
    assert row.lift == pytest.approx(-0.5 / (28 / 6) - 1)
    assert math.isnan(row.lift_low)


@pytest.mark.parametrize(
    ("control", "shown"),
    [
        ([4, 5, 6] * 2, "+100.0%"),
        ([4e-5, 5e-5, 6e-5] * 2, "× 2.00e+05"),
        ([-1, 0] * 3, "<0.0001"),
    ],
)
def test_the_lift_in_a_table(control, shown):
    text = str(compare_variants([*control, *[9, 10, 11] * 2], VARIANT, control="old"))
    row = next(line for line in text.splitlines() if line.startswith("new"))
    assert row.rstrip().endswith(f"  {shown}")


def test_no_outcome_differs():
    with pytest.warns(UserWarning, match="equal within their arms"):
        row = row_of([1] * 6 + [2] * 6)
    assert (row.difference, row.low, row.high, row.p_value) == (1, 1, 1, 0)
    with pytest.warns(UserWarning, match="equal within their arms"):
        assert row_of([0] * 12).p_value == 1


def test_a_mismatch_warns():
    variant = ["old"] * 500 + ["new"] * 400
    outcome = np.random.default_rng(0).random(900)
    with pytest.warns(UserWarning, match=r"not assigned as planned \(new: 400, old: 500"):
        row_of(outcome, variant, allocation="equal")
    row_of(outcome, variant, allocation={"old": 5, "new": 4})
    row_of(outcome, variant)


def test_a_mismatch_at_any_time():
    variant = ["old"] * 560 + ["new"] * 450
    outcome = np.random.default_rng(0).random(1_010)
    row_of(outcome, variant, allocation="equal", anytime_n=2_000)
    with pytest.warns(UserWarning, match="not assigned as planned"):
        row_of(outcome, variant, allocation="equal")
    with pytest.warns(UserWarning, match="not assigned as planned"):
        row_of(np.tile(outcome, 4), variant * 4, allocation="equal", anytime_n=2_000)


def test_text():
    rng = np.random.default_rng(0)
    variant = np.repeat(["control", "a new ranker", "b"], 4_000)
    found = compare_variants(
        rng.exponential(size=12_000), variant, control="control", anytime_n=10_000
    )
    text = str(found)
    assert max(map(len, text.splitlines())) <= 80
    for part in ("any-time intervals, narrowest at 10,000 units", "Holm over 2", "4,000"):
        assert part in text.replace("\n  ", " ")
    assert repr(found) == "VariantComparison(2 comparisons, control='control')"
    assert len(found) == 2
    with pytest.raises(ValueError, match="Did you mean"):
        found.row("a new rankre")


def test_frame():
    pd = pytest.importorskip("pandas")
    log = pd.DataFrame({"clicks": CLICKS, "views": VIEWS, "variant": VARIANT})
    found = compare_variants(
        log["clicks"], log["variant"], control="old", denominator=log["views"]
    )
    frame = found.to_frame()
    assert frame.loc[0, "variant"] == "new"
    assert frame.loc[0, "p_value"] == approx(0.0159915)


def test_picture():
    plt = pytest.importorskip("matplotlib.pyplot")
    display = compare_variants(OUTCOME, VARIANT, control="old").plot()
    assert display.points_[0].get_xdata()[0] == 2
    assert display.ax_.get_xlabel() == "difference of mean per unit to old (95% interval)"
    plt.close("all")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"control": "olt"}, "Did you mean 'old'"),
        ({"unit": [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 8, 9]}, r"4 unit\(s\).*such as 0, 1, 2\."),
        ({"variant": ["old"] * 12}, "needs two"),
        ({"variant": ["old"] * 11 + ["new"]}, "'new' has 1 unit"),
        ({"variant": ["old"] * 11}, "11 values, but there are 12 rows"),
        ({"variant": [*VARIANT[:11], None]}, "missing"),
        ({"denominator": [*VIEWS[:11], -1]}, "negative"),
        ({"denominator": [0] * 6 + VIEWS[6:]}, "0 for all units of 'old'"),
        ({"denominator": [*VIEWS[:11], np.nan]}, "NaN"),
        ({"outcome": [*OUTCOME[:11], np.nan]}, "NaN"),
        ({"outcome": [*OUTCOME[:11], np.inf]}, "infinite"),
        ({"outcome": list("abcdefghijkl")}, "numbers"),
        ({"outcome": np.zeros((12, 2))}, "one value per row"),
        ({"covariate": BEFORE, "unit": [*range(11), 10]}, "several values for 1"),
        ({"covariate": [*BEFORE[:10], 4, np.nan], "unit": [*range(11), 10]}, "several"),
        ({"covariate": [np.nan] * 12}, "missing for all"),
        ({"covariate": [np.inf] * 12}, "infinite"),
        ({"alternative": "bigger"}, "alternative"),
        ({"confidence_level": 95}, "confidence_level"),
        ({"correction": "max_t"}, "correction"),
        ({"allocation": "even"}, "equal"),
        ({"allocation": {"old": 1}}, "`allocation` has no share"),
        ({"anytime_n": 99}, "100 or more"),
        ({"anytime_n": 1_000, "alternative": "greater"}, "two-sided"),
    ],
)
def test_bad_input(options, message):
    arguments = {"outcome": OUTCOME, "variant": VARIANT, "control": "old"} | options
    with pytest.raises(ValueError, match=message):
        compare_variants(**arguments)


def test_users_an_arm():
    share = math.sqrt(0.05 * 0.95)
    options = {"difference": 0.005, "paired": False}
    assert plan_evaluation(standard_deviation=share, **options).n_queries == 29_827
    with_covariate = share * math.sqrt(1 - 0.6**2)
    adjusted = plan_evaluation(standard_deviation=with_covariate, **options)
    assert adjusted.n_queries == 19_090
    normal = 2 * ((stats.norm.isf(0.025) + stats.norm.isf(0.2)) * share / 0.005) ** 2
    assert normal == pytest.approx(29_825.7, abs=0.05)


def test_a_variant_without_any_outcome_has_a_lift_without_interval():
    found = compare_variants([1, 2, 3, 0, 0, 0], [*"aaabbb"], control="a").row("b")
    assert found.lift == -1
    assert np.isnan([found.lift_low, found.lift_high]).all()


def test_small_arms_say_their_degrees_of_freedom():
    message = (
        r"'new' and 'old' are compared by 'outcome' with 3.\d+ degrees of freedom, as an "
        "arm has 3 units; intervals are rough below 9"
    )
    with pytest.warns(UserWarning, match=message):
        row_of([1, 2, 4, 3, 5, 4], ["old"] * 3 + ["new"] * 3)
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        row_of(rng.normal(size=24), ["old", "new"] * 12)


def test_the_heading_says_what_was_summed():
    log = {"clicks": range(80), "arm": ["a", "b"] * 40, "user": list(range(40)) * 2}
    by_user = compare_variants("clicks", "arm", data=log, control="a", unit="user")
    assert str(by_user).startswith("mean of sums per user; ")
    rows = {**log, "user": range(80)}
    by_row = compare_variants("clicks", "arm", data=rows, control="a", unit="user")
    assert str(by_row).startswith("mean per unit; ")
