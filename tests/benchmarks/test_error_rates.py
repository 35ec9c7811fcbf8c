import pytest

from tests.benchmarks.error_rates import equal_means, equal_rankers, error_rates


@pytest.mark.filterwarnings("ignore:.*clusters of queries; intervals")
def test_equal_rankers_are_seldom_called_different():
    found = error_rates(equal_rankers, 25, 200)
    for name in ("t", "sign flips"):
        assert found[name] == pytest.approx(0.05, abs=0.045)


def test_wilcoxon_is_not_about_the_mean():
    found = error_rates(equal_means, 200, 40)
    assert found["t"] < 0.2 < 0.6 < found["Wilcoxon"]
