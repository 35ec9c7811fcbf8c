"""Numbers of queries, beside tables and simulation."""

import math

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.statistics import compare_models, plan_evaluation
from sklearn_rank.statistics._intervals_of_means import AnyTime, best_kappa
from sklearn_rank.statistics._power import Design, _probability_above
from tests.benchmarks.repeat_rates import draw_repeats, intervals


def sample_size(**options):
    return plan_evaluation(**options).n_queries


def detectable_difference(n, **options):
    return plan_evaluation(n_queries=n, **options).difference


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
    design = Design(0.95, "two-sided", 1, True)
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
    with pytest.raises(ValueError, match="`n_queries` must be an integer >= 2"):
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


# Several repeats, clusters, costs, pilots.


def test_numbers_of_a_note():
    assert plan_evaluation(difference=0.05, standard_deviation=0.2).n_queries == 128
    within = {"query": 0.2, "repeat": 0, "rest": 2**0.5 * 0.3}
    repeated = plan_evaluation(n_queries=40, components=within, n_repeats=3)
    assert repeated.difference == pytest.approx(0.1436, abs=5e-5)
    clustered = plan_evaluation(
        n_queries=64, standard_deviation=0.4, cluster_size=4, intraclass_correlation=0.5
    )
    assert clustered.difference == pytest.approx(0.237, abs=5e-4)
    assert (clustered.n_queries, clustered.n_clusters) == (64, 16)


def test_one_of_three_is_computed():
    plan = plan_evaluation(difference=0.5, standard_deviation=1, n_queries=34)
    assert plan.power == pytest.approx(0.807778, abs=1e-6)
    assert plan.standard_error == pytest.approx(1 / math.sqrt(34))
    again = plan_evaluation(power=plan.power, standard_deviation=1, n_queries=34)
    assert again.difference == pytest.approx(0.5, rel=1e-9)
    assert again.power == plan.power
    assert plan_evaluation(difference=0.5, standard_deviation=1).power >= 0.8
    with_guardrail = plan_evaluation(
        difference=0.5, standard_deviation=1, n_queries=34, n_guardrails=1
    )
    assert with_guardrail.power == pytest.approx(1 - 2 * (1 - 0.807778), abs=2e-6)
    control = plan_evaluation(
        n_queries=43, standard_deviation=1, paired=False, allocation_ratio=3
    )
    assert control.n_queries == (43, 129)


def by_satterthwaite(n, n_repeats, query, repeat, rest):
    """Return the error and df of two systems that share the variances."""
    half = {"repeat": repeat**2 / 2, "rest": rest**2 / 2}
    of_queries = (query**2 + rest**2 / n_repeats) / n
    variance, doubt = of_queries, of_queries**2 / (n - 1)
    for _ in range(2):
        of_repeats = (n * half["repeat"] + half["rest"]) / (n * n_repeats)
        of_rest = half["rest"] / (n * n_repeats)
        variance += of_repeats - of_rest
        doubt += of_repeats**2 / (n_repeats - 1)
        doubt += of_rest**2 / ((n - 1) * (n_repeats - 1))
    return math.sqrt(variance), variance**2 / doubt


def test_repeats_that_differ():
    parts = {"query": 0.2, "repeat": 0.03, "rest": 0.25}
    plan = plan_evaluation(difference=0.08, n_queries=150, components=parts, n_repeats=4)
    error, df = by_satterthwaite(150, 4, *parts.values())
    bound = stats.t.isf(0.025, df)
    power = stats.nct.sf(bound, df, 0.08 / error) + stats.nct.cdf(-bound, df, 0.08 / error)
    assert plan.standard_error == pytest.approx(error, rel=1e-12)
    assert plan.power == pytest.approx(power, rel=1e-9)
    needed = plan_evaluation(difference=0.08, components=parts, n_repeats=4).n_queries
    options = {"difference": 0.08, "components": parts, "n_repeats": 4}
    assert plan_evaluation(n_queries=needed, **options).power >= 0.8
    assert plan_evaluation(n_queries=needed - 1, **options).power < 0.8


def test_no_number_of_queries_is_enough():
    message = (
        r"The repeats differ by 0\.1 \(SD\): with 3 repeats no number of queries detects "
        r"0\.01; it takes 785 repeats or more"
    )
    with pytest.raises(ValueError, match=message):
        plan_evaluation(
            difference=0.01, components={"query": 0.2, "repeat": 0.1}, n_repeats=3
        )


@pytest.mark.parametrize("cost", [(0, 1), (5, 1), (50, 1)])
def test_the_least_error_for_a_budget(cost):
    parts = {"query": 0.15, "repeat": 0.01, "rest": 0.2}
    plan = plan_evaluation(components=parts, cost=cost, budget=1500)
    errors = {
        (n, r): math.sqrt(0.15**2 / n + 0.01**2 / r + 0.2**2 / (n * r))
        for r in range(1, 101)
        for n in range(2, 1501)
        if n * (cost[0] + cost[1] * r) <= 1500
    }
    assert plan.standard_error == pytest.approx(min(errors.values()), rel=1e-12)
    assert plan.cost == plan.n_queries * (cost[0] + cost[1] * plan.n_repeats) <= 1500
    cheapest = plan_evaluation(components=parts, cost=cost, difference=0.05)
    assert cheapest.power >= 0.8
    for n_repeats in (1, 2, 3, 5, 10):
        other = plan_evaluation(components=parts, n_repeats=n_repeats, difference=0.05)
        assert cheapest.cost <= other.n_queries * (cost[0] + cost[1] * n_repeats)


def test_a_pilot():
    old, new = draw_repeats(np.random.default_rng(0), 1, 60, 5, 5, 0.02, "normal")
    pilot = compare_models({"old": old[0], "new": new[0]})
    plan = plan_evaluation(pilot=pilot, cost=(5, 1), budget=2000)
    same = plan_evaluation(components=pilot.rows()[0].components, cost=(5, 1), budget=2000)
    assert (plan.n_queries, plan.n_repeats) == (same.n_queries, same.n_repeats)
    text = plan.to_text(300)
    assert "the pilot's 5 repeats leave the SD between repeats between" in text
    assert "repeats may be best" in text
    assert "standard error by the number of repeats: 1: " in text
    once = compare_models({"old": old[0, :, 0], "new": new[0, :, 0]})
    by_pilot = plan_evaluation(pilot=once, difference=0.1).n_queries
    sd = once.rows()[0].sd
    assert by_pilot == plan_evaluation(standard_deviation=sd, difference=0.1).n_queries


def test_the_text_says_the_design():
    paired = plan_evaluation(difference=0.05, standard_deviation=0.2)
    assert paired.to_text(200).splitlines() == [
        "128 queries: difference 0.05, power 0.802, standard error 0.01768.",
        "paired: both systems answer each query; for users of two variants paired=False.",
    ]
    arms = plan_evaluation(difference=0.05, standard_deviation=0.2, paired=False)
    assert "two samples: each user sees one variant" in str(arms)
    once = plan_evaluation(n_queries=100, components={"query": 0.2, "repeat": 0.02})
    assert "from 1 repeat no interval shows how repeats differ" in once.to_text(200)
    assert paired.to_dict()["rows"][0]["n_queries"] == 128


PLAIN = {"standard_deviation": 0.2}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({**PLAIN}, "Give `difference`, or `n_queries` "),
        ({**PLAIN, "power": 0.8}, "Give `difference`, or `n_queries` "),
        ({**PLAIN, "difference": 1, "n_queries": 9, "power": 0.8}, "leave one out"),
        ({"difference": 1}, "Give one of `standard_deviation`, `components` and `pilot`"),
        ({**PLAIN, "components": {"query": 1}, "difference": 1}, "and components"),
        ({"components": {"queries": 1}, "difference": 1}, "`components`"),
        ({"components": {"query": 0}, "difference": 1}, "`components`"),
        ({"components": {"query": -1}, "difference": 1}, r"components\['query'\]"),
        ({**PLAIN, "budget": 100}, "`budget` needs `cost`"),
        ({**PLAIN, "budget": 1, "cost": (1, 1)}, "less than two queries cost"),
        ({**PLAIN, "budget": 9, "n_queries": 9, "cost": (1, 1)}, "leave one of them"),
        ({**PLAIN, "difference": 1, "cost": (0, 0)}, "`cost`"),
        ({**PLAIN, "difference": 1, "cost": 3}, "`cost`"),
        ({"pilot": 3, "difference": 1}, "`pilot`"),
        ({"components": {"query": 1}, "difference": 1, "paired": False}, "paired=False"),
        ({**PLAIN, "difference": 1, "cluster_size": 0}, "`cluster_size`"),
        ({**PLAIN, "difference": 1, "intraclass_correlation": 2}, "`intraclass_corr"),
        ({**PLAIN, "difference": 1, "n_repeats": 0}, "`n_repeats`"),
        ({**PLAIN, "n_queries": 7, "cluster_size": 4}, "`n_queries` must be an integer"),
    ],
)
def test_plans_that_are_refused(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        plan_evaluation(**options)


@pytest.mark.slow
def test_power_is_that_of_comparisons():
    """The power of a plan with repeats, by simulation of the comparison."""
    plan = plan_evaluation(
        difference=0.05,
        n_queries=80,
        components={"query": 0.15, "repeat": 2**0.5 * 0.02, "rest": 2**0.5 * 0.2},
        n_repeats=4,
    )
    rng, n = np.random.default_rng(7), 4000
    old, new = draw_repeats(rng, n, 80, 4, 4, 0.02, "normal")
    low, high = intervals(old, new + 0.05)
    assert np.mean((low > 0) | (high < 0)) == pytest.approx(plan.power, abs=0.03)


def test_a_price_does_not_help_where_repeats_differ_too_much():
    components = {"query": 0.1, "repeat": 0.5, "rest": 0.2}
    with pytest.raises(ValueError, match="it takes 19,623 repeats or more"):
        plan_evaluation(difference=0.01, components=components, cost=(1, 1))


def test_a_pilot_of_many_repeats_has_no_note_on_its_own_error():
    rng = np.random.default_rng(0)
    old, new = rng.normal(0.5, 0.2, (2, 40, 40))
    pilots = {
        n: compare_models({"old": old[:, :n], "new": new[:, :n]}, baseline="old")
        for n in (3, 40)
    }
    plans = {n: plan_evaluation(difference=0.1, pilot=of) for n, of in pilots.items()}
    assert len(plans[3].notes) == len(plans[40].notes) + 1
