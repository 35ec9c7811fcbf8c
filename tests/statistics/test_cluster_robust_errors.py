"""The cluster-robust standard error, beside others who compute it."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.api import WLS

from sklearn_rank.metrics._core._clusters import (
    Clusters,
    differences,
    ratio_of_sums,
    shares_of,
)
from sklearn_rank.metrics._core._summaries import Mean
from sklearn_rank.statistics import compare_models, confidence_interval
from tests.statistics.examples import SIX, WEIGHTS


@pytest.mark.parametrize("seed", range(5))
def test_one_query_a_cluster_is_the_standard_error_of_a_mean(seed):
    rng = np.random.default_rng(seed)
    values, weight = rng.normal(5, 1, 50), rng.uniform(0, 3, 50)
    for given in (None, weight):
        clusters = Clusters.from_codes(np.arange(50), given)
        mean = Mean().add(values, given)
        assert clusters.mean(values) == pytest.approx(mean.result(), rel=1e-13)
        share = clusters.shares.largest  # sums know powers of shares up to the fourth
        tolerance = 1e-11 if given is None else 3 * share**3
        assert clusters.estimate(values).error == pytest.approx(
            mean.standard_error(), rel=tolerance
        )
        assert clusters.shares.df == pytest.approx(shares_of(mean).df, rel=tolerance)
        assert clusters.shares.largest == pytest.approx(shares_of(mean).largest)


def test_statsmodels_agrees_on_weights_without_clusters():
    fit = WLS(SIX, np.ones(6), weights=WEIGHTS).fit(cov_type="HC2")
    clusters = Clusters.from_codes(np.arange(6), np.array(WEIGHTS, dtype=float))
    assert clusters.estimate(SIX).error == pytest.approx(fit.bse[0], rel=1e-10)


def by_matrices(values, codes, weight):
    """Return the estimate, CR2 and its degrees of freedom, from matrices of rows.

    Bell and McCaffrey: the residuals of cluster c are multiplied by (I - H_cc)**(-1/2),
    of values times roots of weights, and df is that of a quadratic form of normals.
    """
    design = np.sqrt(weight)[:, None]
    project = design @ design.T / weight.sum()
    annihilate = np.eye(len(values)) - project
    scaled = np.sqrt(weight) * values
    residuals, square, columns = annihilate @ scaled, 0.0, []
    for code in np.unique(codes):
        own = codes == code
        sizes, vectors = np.linalg.eigh(annihilate[np.ix_(own, own)])
        adjust = vectors @ np.diag(sizes**-0.5) @ vectors.T
        row = design[own, 0] @ adjust / weight.sum()
        square += float(row @ residuals[own]) ** 2
        columns.append(annihilate[:, own] @ row)
    gram = np.array(columns) @ np.array(columns).T
    estimate = float(values @ weight / weight.sum())
    return estimate, np.sqrt(square), np.trace(gram) ** 2 / (gram**2).sum()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_clusters", [4, 12, 60])
@pytest.mark.filterwarnings("ignore:.*queries; intervals")
def test_whole_comparisons_by_matrices(n_clusters, weighted):
    rng = np.random.default_rng(n_clusters)
    users = rng.integers(0, n_clusters, 200)
    one, other = rng.uniform(size=(2, 200)) + rng.normal(0, 0.1, n_clusters)[users]
    weight = rng.uniform(0.1, 3, 200) if weighted else np.ones(200)
    estimate, error, df = by_matrices(one - other, users, weight)
    half = stats.t.isf(0.05, df) * error
    p_value = 2 * stats.t.sf(abs(estimate / error), df)
    row = compare_models(
        {"one": one, "other": other},
        baseline="other",
        clusters=users,
        sample_weight=weight if weighted else None,
        confidence_level=0.9,
    ).row("one")
    found = (row.difference, row.standard_error, row.df, row.p_value, row.low, row.high)
    expected = (estimate, error, df, p_value, estimate - half, estimate + half)
    assert found == pytest.approx(expected, rel=1e-9)
    shares = np.bincount(users, weight) / weight.sum()
    assert row.n_effective == pytest.approx(1 / (shares**2).sum())
    assert row.largest_cluster == pytest.approx(shares.max())


def test_clusters_of_one_size_are_the_paired_t_test():
    values, users = np.random.default_rng(0).normal(0.1, 1, 60), np.repeat(range(12), 5)
    row = compare_models(
        {"one": values, "zero": 0 * values}, baseline="zero", clusters=users
    ).row("one")
    oracle = stats.ttest_1samp(values.reshape(12, 5).mean(axis=1), 0)
    assert (row.p_value, row.df) == (pytest.approx(oracle.pvalue, rel=1e-12), 11)


def test_one_heavy_cluster_of_many_warns_and_says_how_heavy():
    rng = np.random.default_rng(0)
    users = np.r_[np.zeros(119, dtype=int), np.arange(1, 120)]
    scores = {"one": rng.normal(size=238), "zero": np.zeros(238)}
    with pytest.warns(UserWarning, match=r"120 .* weigh as 3\.97 and one has 50%"):
        compare_models(scores, baseline="zero", clusters=users)
    with pytest.warns(UserWarning, match=r"120 .* weigh as 3\.97 and one has 50%"):
        confidence_interval(scores["one"], clusters=users)


@pytest.mark.parametrize("heavy", [1e8, 1e17, 1e200])
def test_a_cluster_with_nearly_all_weight(heavy):
    """Beside one cluster of nearly all weight there is one degree of freedom."""
    found = ratio_of_sums(np.array([heavy, 3.0, 1]), np.array([heavy, 1.0, 1]))
    assert found.df == pytest.approx(1, abs=1e-6)
    assert found.value == pytest.approx(1)
    assert 0 <= found.error < 1e-3


def test_a_query_that_is_repeated_is_one_cluster():
    rng = np.random.default_rng(0)
    values = rng.normal(size=30)
    once = Clusters.from_codes(np.arange(30), None)
    twice = Clusters.from_codes(np.tile(np.arange(30), 2), None)
    assert twice.estimate(np.tile(values, 2)).error == pytest.approx(
        once.estimate(values).error
    )


def test_a_large_mean_does_not_round_the_error():
    values = 1e9 + np.array([0.0, 1, 2, 3])
    found = Clusters.from_codes(np.arange(4), None).estimate(values).error
    assert found == pytest.approx(np.std([0, 1, 2, 3], ddof=1) / 2, rel=1e-9)


def test_differences_by_rounding_are_none():
    found = differences(np.array([0.1 + 0.2, 0.5]), np.array([0.3, 0.25]))
    assert found.tolist() == [0, 0.25]


def test_the_unit_decides_the_coverage_of_intervals():
    """Five alike values a user: intervals over users cover 95%, over rows far less."""
    rng = np.random.default_rng(0)
    users = np.repeat(np.arange(20), 5)
    covers = np.zeros(2)
    for _ in range(400):
        values = rng.normal(size=20)[users] + rng.normal(0, 0.5, 100)
        for place, codes in enumerate((users, np.arange(100))):
            clusters = Clusters.from_codes(codes, None)
            t = clusters.mean(values) / clusters.estimate(values).error
            covers[place] += abs(t) < 2.093
    assert covers[0] / 400 == pytest.approx(0.95, abs=0.03)
    assert covers[1] / 400 < 0.75
