"""Intervals of one mean."""

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.metrics import PerQueryScores, per_query_scores
from sklearn_rank.statistics import compare_models, confidence_interval
from sklearn_rank.statistics._intervals_of_means import (
    acceleration,
    bca_interval,
    resampled_means,
)
from tests.statistics.examples import DARWIN, OF_USERS, SIX, THREE_CLUSTERS, USERS, WEIGHTS

RNG = np.random.default_rng(0)
VALUES = RNG.exponential(size=50)
# The relevant item is second once, and first for the others.
FEW = pytest.mark.filterwarnings("ignore:.*queries; intervals")
FOUR_QUERIES = (
    [0, 1, 0] + [1, 0, 0] * 3,
    {"y_score": [3, 2, 1] * 4, "groups": np.repeat(range(4), 3)},
)


def test_t_is_that_of_scipy():
    found = confidence_interval(VALUES, confidence_level=0.9, method="t")
    oracle = stats.ttest_1samp(VALUES, 0).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx((oracle.low, oracle.high), rel=1e-12)
    assert (found.n_queries, found.n_undefined) == (50, 0)


@FEW
def test_clusters_and_weights():
    found = confidence_interval(OF_USERS, groups=USERS, method="t")
    assert (found.low, found.high) == pytest.approx((-0.000811, 0.109144), abs=1e-6)
    found = confidence_interval(SIX, clusters=THREE_CLUSTERS, sample_weight=WEIGHTS)
    assert (found.mean, found.standard_error) == pytest.approx((0.14, 0.0915738), abs=1e-6)


def test_undefined_values_are_left_out():
    with_gaps = np.r_[VALUES, np.nan, np.nan]
    found = confidence_interval(with_gaps)
    assert found.n_undefined == 2
    assert found.low == confidence_interval(VALUES).low
    weight = np.r_[np.ones(len(VALUES)), 2, 0]  # a query of weight 0 does not count
    assert confidence_interval(with_gaps, sample_weight=weight).n_undefined == 1


def test_scores_have_an_interval_for_each_metric():
    weight = RNG.uniform(size=50)
    scores = PerQueryScores(range(50), {"a": VALUES, "b": VALUES**2}, {"b": weight})
    found = confidence_interval(scores)
    assert found["a"] == confidence_interval(VALUES)
    assert found["b"] == confidence_interval(VALUES**2, sample_weight=weight)
    share = found["b"].largest_cluster  # summaries know powers of shares up to the fourth
    assert found["b"].standard_error == pytest.approx(
        scores.standard_error()["b"], rel=share**3 / (1 - share)
    )


def test_bca_of_darwins_plants():
    apart = DARWIN - DARWIN.mean()
    left_out = (DARWIN.sum() - DARWIN) / 14
    jackknife = left_out.mean() - left_out
    by_jackknife = (jackknife**3).sum() / (6 * (jackknife**2).sum() ** 1.5)
    assert acceleration(apart) == pytest.approx(-0.0426929, abs=1e-7)
    assert acceleration(apart) == pytest.approx(by_jackknife, rel=1e-10)
    found = confidence_interval(DARWIN, method="bca", n_resamples=99_999, random_state=0)
    assert (found.low, found.high) == pytest.approx((-0.22, 4.53), abs=0.05)


def test_bca_is_that_of_scipy_on_the_same_resamples():
    oracle = stats.bootstrap((VALUES,), np.mean, n_resamples=999, method="BCa")
    found = bca_interval(
        oracle.bootstrap_distribution,
        VALUES.mean(),
        acceleration(VALUES - VALUES.mean()),
        0.95,
    )
    expected = oracle.confidence_interval
    assert found == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_bca_draws_clusters():
    groups = np.repeat(np.arange(25), 4)
    values = RNG.normal(size=25)[groups]
    wide = confidence_interval(values, groups=groups, method="bca", random_state=0)
    narrow = confidence_interval(values, method="bca", random_state=0)
    by_t = confidence_interval(values, groups=groups)
    ratio = (wide.high - wide.low) / (narrow.high - narrow.low)
    assert ratio == pytest.approx(2, rel=0.1)
    assert wide.high - wide.low == pytest.approx(by_t.high - by_t.low, rel=0.15)


def test_resamples_of_clusters_of_unequal_weight_are_weighted_means():
    sums, weights = np.array([1.0, 2.0, 6.0]), np.array([1.0, 4.0, 2.0])
    found = resampled_means(sums, weights, 50, np.random.RandomState(0))
    drawn = np.random.RandomState(0).randint(0, 3, size=(50, 3), dtype=np.int32)
    expected = [
        sum(sums[i] for i in some) / sum(weights[i] for i in some) for some in drawn
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-15)


@pytest.mark.parametrize(("hits", "n"), [(0, 10), (3, 10), (10, 10), (700, 1000)])
def test_exact_is_that_of_scipy(hits, n):
    values = np.repeat([1, 0], [hits, n - hits])
    found = confidence_interval(values, method="exact", confidence_level=0.9)
    oracle = stats.binomtest(hits, n).proportion_ci(0.9, method="exact")
    assert (found.low, found.high) == pytest.approx((oracle.low, oracle.high), rel=1e-9)


def test_too_few_resamples_are_told():
    with pytest.warns(UserWarning, match="increase n_resamples"):
        found = confidence_interval(VALUES, method="bca", n_resamples=1, random_state=0)
    assert np.isnan(found.low)


@pytest.mark.parametrize("method", ["t", "bca"])
def test_equal_values_are_told(method):
    with pytest.warns(UserWarning, match=r"All values of `values` are 1"):
        found = confidence_interval([1] * 10, method=method)
    assert (found.low, found.high) == (1, 1)


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([0.5], {}, "1 value; an interval"),
        ([np.nan, 0.5], {}, "1 value; an interval"),
        ([0.1, 0.2], {"groups": [1, 1]}, "2 values in 1 cluster"),
        ([0.1, 0.2], {"groups": [1]}, "`groups` has 1 values, but there are 2 queries"),
        ([0.1, 0.2], {"method": "basic"}, "`method`"),
        ([0.1, 0.2], {"confidence_level": 0}, "`confidence_level`"),
        ([0.1, 0.2], {"sample_weight": [1, -1]}, "not negative"),
        ([0.1, 0.2], {"method": "exact"}, "give `value_range`"),
        (
            [0.1, 0.2],
            {"value_range": (0.15, 1)},
            "1 outside `value_range` .* the first at 0 .0.1",
        ),
        ([0.1, 0.2], {"value_range": (1, 0)}, "such as .0, 1.*got .1, 0"),
        ([0.1, 0.2], {"value_range": 1}, "got 1"),
        (PerQueryScores([1, 2], {"a": [0, 1]}), {"groups": [1, 2]}, "labels already"),
        ([], {}, "one value per query"),
    ],
)
def test_what_is_refused(values, options, message):
    with pytest.raises(ValueError, match=message):
        confidence_interval(values, **options)


@pytest.mark.parametrize("method", ["t", "bca"])
def test_it_covers_as_often_as_it_says(method):
    rng = np.random.default_rng(0)
    covers = 0
    for _ in range(300):
        values = rng.uniform(size=40)
        found = confidence_interval(values, method=method, n_resamples=499, random_state=0)
        covers += found.low <= 0.5 <= found.high
    assert covers / 300 == pytest.approx(0.95, abs=0.04)


@FEW
@pytest.mark.parametrize("method", ["t", "bca"])
def test_an_interval_ends_with_the_range_of_the_metric(method):
    y_true, rows = FOUR_QUERIES
    scores = per_query_scores(y_true, **rows, metrics=["mrr", "mean_rank"])
    how = {"method": method, "random_state": 0}
    found = confidence_interval(scores, **how)
    free = {name: confidence_interval(v, **how) for name, v in scores.scores.items()}
    assert found["mrr"].high == min(free["mrr"].high, 1)
    assert found["mean_rank"].low == max(free["mean_rank"].low, 1)
    assert found["mrr"].low == free["mrr"].low
    assert (free["mrr"].high > 1) == (free["mean_rank"].low < 1) == (method == "t")


def test_means_of_a_comparison_end_with_the_range_of_the_metric():
    y_true, rows = FOUR_QUERIES
    other = [0, 0, 0] + [0, 1, 0] * 3
    one, two, filled = (
        per_query_scores(grades, **rows, metrics="mrr", replace_undefined_by=value)
        for grades, value in ((y_true, np.nan), (y_true, 0.0), (other, 3.0))
    )
    with pytest.warns(UserWarning, match="4 queries"):
        comparison = compare_models({"one": one, "two": two}, margin=0.1, test="t")
    assert comparison.means["high"].tolist() == [1, 1]
    with pytest.warns(UserWarning, match="4 queries"):
        comparison = compare_models({"one": one, "filled": filled}, test="t")
    assert 1 < comparison.means["high"][1] <= 3


@FEW
@pytest.mark.parametrize("method", ["t", "bca"])
@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**1000])
def test_scale_does_not_matter(method, scale):
    values = np.array([-9.0, 5, 7, 2, -1, 4, 6, 3])
    expected = confidence_interval(values, method=method, random_state=0)
    found = confidence_interval(values * scale, method=method, random_state=0)
    for name in ("mean", "standard_error", "low", "high"):
        assert found[name] / scale == pytest.approx(expected[name], rel=1e-12)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("method", ["t", "bca"])
def test_values_as_large_as_floats(method):
    values = [1e308, -1e308] * 6
    found = confidence_interval(values, method=method, random_state=0)
    assert found.mean == 0
    assert found.low < 0 < found.high


def test_subnormal_values_are_0():
    with pytest.warns(UserWarning, match="All values of `values` are 0, so"):
        found = confidence_interval([5e-324, 1e-323, 0, 0])
    assert (found.mean, found.low, found.high) == (0, 0, 0)


def test_the_smallest_normal_value_is_kept_beside_subnormal_ones():
    smallest = np.finfo(float).tiny
    found = confidence_interval([smallest, 5e-324, 8 * smallest, 3 * smallest] * 5)
    assert found.mean == 3 * smallest


@pytest.mark.parametrize("hits", [2, 3, 5])
def test_means_of_resamples_that_tie_count_half(hits):
    """A quarter of all resamples of eight 0 and 1 has the mean of the data."""
    values = np.repeat([0.0, 1.0], [8 - hits, hits])
    oracle = stats.bootstrap((values,), np.mean, n_resamples=999, method="BCa")
    found = bca_interval(
        oracle.bootstrap_distribution,
        values.mean(),
        acceleration(values - values.mean()),
        0.95,
    )
    assert found == pytest.approx(tuple(oracle.confidence_interval), rel=1e-12)


def test_ties_within_rounding_are_ties():
    means = np.array([-1.0, -0.5, -1e-16, 1e-16, 2e-16, 0.5, 1.0, 2.0])
    exact = np.where(np.abs(means) < 1e-9, 0.0, means)
    found = bca_interval(means, 0.0, 0.1, 0.8)
    assert found == pytest.approx(bca_interval(exact, 0.0, 0.1, 0.8), abs=1e-12)


def test_repeats_have_clusters_by_groups():
    repeats = VALUES[:, None] + RNG.normal(0, 0.1, (50, 3))
    users = np.repeat(range(25), 2)
    found = confidence_interval(repeats, groups=users)
    assert (found.n_repeats, found.n_queries) == (3, 50)
    assert found.n_effective == pytest.approx(25)
    by_clusters = confidence_interval(repeats, clusters=users)
    assert (found.low, found.high) == (by_clusters.low, by_clusters.high)
