"""Of equal models 5% are called different, within the error of the simulation.

Each simulation has a procedure beside it that is known to fail, so that it can fail.
"""

import pytest

from tests.benchmarks.error_rates import (
    equal_means,
    equal_rankers,
    error_rates,
    error_rates_of_clusters,
    error_rates_of_families,
    error_rates_of_users,
    is_nominal,
)
from tests.benchmarks.online_error_rates import (
    adjusted,
    any_time,
    false_alarms,
    interleaved,
    interleaved_by_flips,
    means,
    peeking,
    ratios,
    rows,
)

FEW = 250
MANY = 4000


@pytest.mark.parametrize("repeats", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
@pytest.mark.parametrize("n_queries", [25, 200])
def test_equal_rankers_are_seldom_called_different(n_queries, repeats):
    found = error_rates(equal_rankers, n_queries, repeats)
    for name in ("t", "sign flips"):
        assert is_nominal(found[name], repeats), name


@pytest.mark.filterwarnings("ignore:.*queries; intervals")
def test_a_percentile_bootstrap_of_few_queries_fails():
    assert not is_nominal(error_rates(equal_rankers, 10, FEW)["percentile bootstrap"], FEW)


def test_wilcoxon_is_not_about_the_mean():
    found = error_rates(equal_means, 200, 40)
    assert found["t"] < 0.2 < 0.6 < found["Wilcoxon"]


@pytest.mark.slow
@pytest.mark.parametrize("repeats", [FEW, MANY])
def test_users_are_the_unit(repeats):
    found = error_rates_of_users(repeats)
    assert is_nominal(found["t, users known"], repeats)
    assert is_nominal(found["sign flips, users known"], repeats)
    assert found["t, each value a user"] > 0.25


def test_one_user_of_half_of_the_rows():
    found = error_rates_of_clusters("half", 30, 1_000)
    assert found["ours"] < 0.065 < 0.2 < found["usual"]


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 10, 30, 100])
@pytest.mark.parametrize("law", ["equal", "geometric", "Pareto", "half"])
def test_clusters_of_any_size_keep_the_level(law, n):
    """Three standard errors of 10,000 runs are .007."""
    assert error_rates_of_clusters(law, n, 10_000)["ours"] < 0.065 + 0.007


@pytest.mark.slow
def test_no_method_mends_skewed_effects_of_few_users():
    assert (
        0.08 < error_rates_of_clusters("geometric", 10, 10_000, skewed=True)["ours"] < 0.2
    )


@pytest.mark.slow
@pytest.mark.parametrize("repeats", [FEW, MANY])
def test_corrected_p_values_of_a_family_keep_the_level(repeats):
    found = error_rates_of_families(repeats)
    assert is_nominal(found["max_t"], repeats)
    for name in ("holm", "bonferroni"):
        # Below the level where comparisons are alike, as these are by their baseline.
        assert found[name] < 0.05 or is_nominal(found[name], repeats), name
    assert not is_nominal(found["not corrected"], repeats)
    assert found["not corrected"] > 0.1


@pytest.mark.parametrize(
    "make", [means, ratios, adjusted, interleaved, interleaved_by_flips]
)
def test_online_tests_keep_their_level(make):
    assert false_alarms(make, 200) == pytest.approx(0.05, abs=0.045)


@pytest.mark.slow
def test_looks():
    assert false_alarms(any_time, 50) <= 0.05 < 0.1 < false_alarms(peeking, 50)


def test_rows_are_no_users():
    assert false_alarms(rows, 100) > 0.1
