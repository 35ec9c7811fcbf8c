"""Numbers of queries, beside tables and simulation."""

import math

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.statistics import detectable_difference, sample_size
from sklearn_rank.statistics._intervals_of_means import AnyTime, best_kappa
from sklearn_rank.statistics._power import _Design, _probability_above


@pytest.mark.parametrize(
    ("size", "options", "n"),
    [
        (0.1, {}, 787),
        (0.2, {}, 199),
        (0.3, {}, 90),
        (0.5, {}, 34),
        (0.8, {}, 15),
        (-0.5, {}, 34),
        (0.2, {"alternative": "greater"}, 156),
        (-0.2, {"alternative": "less"}, 156),
        (0.2, {"n_comparisons": 9}, 331),
        # Cohen's table 2.4.1: 64 in each group.
        (0.5, {"paired": False}, 64),
        (0.2, {"paired": False}, 394),
        (100, {}, 2),
    ],
)
def test_sample_size(size, options, n):
    assert sample_size(difference=size, standard_deviation=1, **options) == n


@pytest.mark.parametrize(
    ("ratio", "sizes"), [(1, (64, 64)), (3, (43, 129)), (1 / 9, (316, 36))]
)
def test_arms_of_unequal_sizes(ratio, sizes):
    options = {"difference": 0.5, "standard_deviation": 1, "paired": False}
    assert sample_size(**options, allocation_ratio=ratio) == sizes
    rng = np.random.default_rng(0)
    old, new = rng.normal(size=(4_000, sizes[0])), rng.normal(0.5, 1, (4_000, sizes[1]))
    finds = stats.ttest_ind(new, old, axis=1).pvalue <= 0.05
    assert finds.mean() == pytest.approx(0.8, abs=0.025)


def test_a_ratio_of_16_bits_is_computed_with_64():
    plan = {"difference": 0.5, "standard_deviation": 4, "paired": False}
    for ratio in (np.float16(3.3), np.float16(60_000)):
        exact = sample_size(**plan, allocation_ratio=float(ratio))
        assert sample_size(**plan, allocation_ratio=ratio) == exact


def test_any_time_takes_1_91_times_the_users():
    options = {"difference": 0.01, "standard_deviation": 1, "paired": False}
    fixed, anytime = sample_size(**options), sample_size(**options, anytime=True)
    assert anytime / fixed == pytest.approx(1.914899, abs=5e-5)
    shifted = (
        2
        * (AnyTime(0.95, best_kappa(0.05)).half_width_in_errors() + 0.8416212) ** 2
        / 0.01**2
    )
    assert anytime == math.ceil(shifted)
    assert sample_size(difference=5, standard_deviation=1, paired=False, anytime=True) == 50


def test_guardrails_share_what_may_be_missed():
    options = {"difference": 0.1, "standard_deviation": 1, "paired": False}
    plain = sample_size(**options, power=0.95)
    assert sample_size(**options, n_guardrails=3) == plain


def test_sample_size_of_a_pilot():
    assert sample_size(difference=0.02, standard_deviation=0.18) == 638


def test_the_power_around_the_size():
    design = _Design(0.8, 0.95, "two-sided", 1, True)
    assert design.compute_power(34, 0.5) == pytest.approx(0.807778, abs=1e-6)
    assert design.compute_power(33, 0.5) == pytest.approx(0.795366, abs=1e-6)


@pytest.mark.parametrize(
    ("n", "size"),
    [
        (50, 0.404183),
        (100, 0.282913),
        (1000, 0.088679),
        (10_000, 0.0280185),
        (100_000, 0.00885946),
    ],
)
def test_detectable_difference(n, size):
    found = detectable_difference(n, standard_deviation=1)
    assert found == pytest.approx(size, rel=2e-6)
    assert detectable_difference(n, standard_deviation=3) == pytest.approx(3 * found)
    assert sample_size(difference=found * (1 + 1e-9), standard_deviation=1) == n


@pytest.mark.parametrize("power", [0.0501, 0.06, 0.1])
def test_a_power_near_the_level(power):
    shift = 10 * detectable_difference(100, standard_deviation=1, power=power)
    bound = stats.t.isf(0.025, 99)
    found = stats.nct.sf(bound, 99, shift) + stats.nct.cdf(-bound, 99, shift)
    assert found == pytest.approx(power, rel=1e-9)


def test_few_of_each_arm_by_the_noncentral_t():
    """Five users an arm: 8 degrees of freedom, and the shift is size * sqrt(5 / 2)."""
    size = detectable_difference(5, standard_deviation=1, paired=False)
    bound, shift = stats.t.isf(0.025, 8), size * math.sqrt(5 / 2)
    power = stats.nct.sf(bound, 8, shift) + stats.nct.cdf(-bound, 8, shift)
    assert power == pytest.approx(0.8, rel=1e-9)


def test_less_detects_a_negative_difference():
    less = detectable_difference(50, standard_deviation=1, alternative="less")
    greater = detectable_difference(50, standard_deviation=1, alternative="greater")
    assert less == -greater < 0


def test_a_tiny_difference_needs_many():
    found = sample_size(difference=1e-5, standard_deviation=1)
    assert found == pytest.approx(7.8489e10, rel=1e-4)


@pytest.mark.parametrize("shift", [0.0, 3.0, 20.0, 100.0])
def test_power_far_out_is_that_of_simulation(shift):
    rng = np.random.default_rng(0)
    draws = (rng.normal(shift, 1, 200_000)) / np.sqrt(rng.chisquare(1, 200_000))
    bound = stats.t.isf(0.025 / 9, 1)
    assert _probability_above(bound, 1, shift) == pytest.approx(
        np.mean(draws > bound), abs=0.005
    )


def test_the_approximation_for_many_is_exact():
    bound = stats.t.isf(0.025, 100_001)
    by_scipy = stats.nct.sf(bound, 100_001, 2.8)
    assert _probability_above(bound, 100_001, 2.8) == pytest.approx(by_scipy, abs=1e-9)


SIZED = {"difference": 0.1, "standard_deviation": 1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"difference": 0}, "`difference` must be other than 0"),
        ({"difference": -0.1, "alternative": "greater"}, "of the sign"),
        ({"difference": np.nan}, "`difference`"),
        ({"standard_deviation": 0}, "`standard_deviation`"),
        ({"standard_deviation": np.inf}, "`standard_deviation`"),
        ({"power": 1}, "`power`"),
        ({"power": 0.01}, "above 1 - `confidence_level`"),
        ({"confidence_level": 1}, "`confidence_level`"),
        ({"alternative": "up"}, "`alternative`"),
        ({"n_comparisons": 0}, "`n_comparisons`"),
        ({"paired": "no"}, "`paired`"),
        ({"difference": 1e-12}, "more than 2"),
        ({"difference": 1e-200}, "more than 2"),
        ({"difference": 5e-324, "standard_deviation": 1e308}, "more than 2"),
        ({"allocation_ratio": 3}, "give `paired=False`"),
        ({"anytime": True}, "give `paired=False`"),
        ({"anytime": True, "paired": False, "alternative": "greater"}, "leave it, or"),
        ({"allocation_ratio": 0, "paired": False}, "`allocation_ratio`"),
        ({"anytime": "yes"}, "`anytime`"),
        ({"n_guardrails": -1}, "`n_guardrails`"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        sample_size(**(SIZED | options))


def test_one_query_detects_nothing():
    with pytest.raises(ValueError, match="`n` must be an integer >= 2"):
        detectable_difference(1, standard_deviation=1)


def test_a_ratio_without_a_number_of_users():
    with pytest.raises(ValueError, match=r"`allocation_ratio` must be .* below 1e9"):
        sample_size(
            difference=0.1, standard_deviation=1, paired=False, allocation_ratio=1e308
        )


@pytest.mark.parametrize(("bound", "df", "shift"), [(2, 10, 1.5), (1, 3, -2), (2.5, 60, 4)])
def test_the_noncentral_t_by_an_integral(monkeypatch, bound, df, shift):
    """SciPy's own is NaN for some arguments."""
    expected = float(stats.nct.sf(bound, df, shift))
    monkeypatch.setattr(stats.nct, "sf", lambda *arguments: np.nan)
    assert _probability_above(bound, df, shift) == pytest.approx(expected, rel=1e-8)
