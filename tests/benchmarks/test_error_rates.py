import pytest

from tests.benchmarks.error_rates import equal_means, equal_rankers, error_rates
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


@pytest.mark.filterwarnings("ignore:.*clusters of queries; intervals")
def test_equal_rankers_are_seldom_called_different():
    found = error_rates(equal_rankers, 25, 200)
    for name in ("t", "sign flips"):
        assert found[name] == pytest.approx(0.05, abs=0.045)


def test_wilcoxon_is_not_about_the_mean():
    found = error_rates(equal_means, 200, 40)
    assert found["t"] < 0.2 < 0.6 < found["Wilcoxon"]


@pytest.mark.parametrize(
    "make", [means, ratios, adjusted, interleaved, interleaved_by_flips]
)
def test_online_tests_keep_their_level(make):
    assert false_alarms(make, 200) == pytest.approx(0.05, abs=0.045)


def test_looks():
    assert false_alarms(any_time, 50) <= 0.05 < 0.1 < false_alarms(peeking, 50)


def test_rows_are_no_users():
    assert false_alarms(rows, 100) > 0.1
