"""The cluster-robust standard error, beside others who compute it."""

import numpy as np
import pytest
from statsmodels.api import WLS

from sklearn_rank.metrics._core._clusters import Clusters, differences
from sklearn_rank.metrics._core._summaries import Mean
from sklearn_rank.statistics import compare_models
from tests.statistics.examples import SIX, THREE_CLUSTERS, WEIGHTS


@pytest.mark.parametrize("seed", range(5))
def test_one_query_a_cluster_is_the_standard_error_of_a_mean(seed):
    rng = np.random.default_rng(seed)
    values, weight = rng.normal(5, 1, 50), rng.uniform(0, 3, 50)
    for given in (None, weight):
        clusters = Clusters.of(np.arange(50), given)
        mean = Mean().add(values, given)
        assert clusters.mean(values) == pytest.approx(mean.result(), rel=1e-13)
        assert clusters.standard_error(values) == pytest.approx(
            mean.standard_error(), rel=1e-11
        )


def test_statsmodels_agrees():
    for weight in (np.ones(6), WEIGHTS):
        fit = WLS(SIX, np.ones(6), weights=weight).fit(
            cov_type="cluster", cov_kwds={"groups": np.array(THREE_CLUSTERS)}
        )
        clusters = Clusters.of(np.array(THREE_CLUSTERS), weight)
        assert clusters.standard_error(SIX) == pytest.approx(fit.bse[0], rel=1e-10)


def test_statsmodels_agrees_on_weights_without_clusters():
    fit = WLS(SIX, np.ones(6), weights=WEIGHTS).fit(cov_type="HC1")
    clusters = Clusters.of(np.arange(6), np.array(WEIGHTS, dtype=float))
    assert clusters.standard_error(SIX) == pytest.approx(fit.bse[0], rel=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_clusters", [12, 60])
def test_statsmodels_agrees_on_whole_comparisons(n_clusters, weighted):
    """Estimate, error, p and interval, by least squares on a constant."""
    rng = np.random.default_rng(n_clusters)
    users = rng.integers(0, n_clusters, 200)
    one, other = rng.uniform(size=(2, 200)) + rng.normal(0, 0.1, n_clusters)[users]
    weight = rng.uniform(0.1, 3, 200) if weighted else np.ones(200)
    fit = WLS(one - other, np.ones(200), weights=weight).fit(
        cov_type="cluster", cov_kwds={"groups": users}, use_t=True
    )
    row = compare_models(
        {"one": one, "other": other},
        baseline="other",
        clusters=users,
        sample_weight=weight if weighted else None,
        confidence_level=0.9,
    ).row("one")
    found = (row.difference, row.standard_error, row.p_value, row.low, row.high)
    expected = (fit.params[0], fit.bse[0], fit.pvalues[0], *fit.conf_int(0.1)[0])
    assert found == pytest.approx(expected, rel=1e-9)


def test_a_query_that_is_repeated_is_one_cluster():
    rng = np.random.default_rng(0)
    values = rng.normal(size=30)
    once = Clusters.of(np.arange(30), None)
    twice = Clusters.of(np.tile(np.arange(30), 2), None)
    assert twice.standard_error(np.tile(values, 2)) == pytest.approx(
        once.standard_error(values)
    )


def test_a_large_mean_does_not_round_the_error():
    values = 1e9 + np.array([0.0, 1, 2, 3])
    found = Clusters.of(np.arange(4), None).standard_error(values)
    assert found == pytest.approx(np.std([0, 1, 2, 3], ddof=1) / 2, rel=1e-9)


def test_differences_by_rounding_are_none():
    found = differences(np.array([0.1 + 0.2, 0.5]), np.array([0.3, 0.25]))
    assert found.tolist() == [0, 0.25]


def test_the_unit_decides_the_coverage_of_intervals():
    """Five alike values a user: intervals over users cover 95 %, over rows far less."""
    rng = np.random.default_rng(0)
    users = np.repeat(np.arange(20), 5)
    covers = np.zeros(2)
    for _ in range(400):
        values = rng.normal(size=20)[users] + rng.normal(0, 0.5, 100)
        for place, codes in enumerate((users, np.arange(100))):
            clusters = Clusters.of(codes, None)
            t = clusters.mean(values) / clusters.standard_error(values)
            covers[place] += abs(t) < 2.093
    assert covers[0] / 400 == pytest.approx(0.95, abs=0.03)
    assert covers[1] / 400 < 0.75
