"""Sign flips: all of them by brute force, drawn ones within their error."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.metrics._core._clusters import Clusters
from sklearn_rank.statistics._randomization import FLIPS_AT_ONCE, Flips, flipped_sums
from tests.statistics.examples import DARWIN, THREE_CLUSTERS, THREE_MODELS, WEIGHTS

MODELS = np.column_stack(list(THREE_MODELS.values()))


def all_signs(n):
    return np.array(list(product([1, -1], repeat=n)))


@pytest.mark.parametrize("n", [1, 7, 8, 9, 13])
def test_all_patterns_are_enumerated(n):
    values = np.random.default_rng(n).normal(size=(n, 2))
    found = np.vstack(list(flipped_sums(values, 2**n, np.random.RandomState(0))))
    expected = all_signs(n) @ values
    order = [np.argsort(sums[:, 0]) for sums in (found, expected)]
    np.testing.assert_allclose(found[order[0]], expected[order[1]], atol=1e-12)


def test_drawn_signs_are_fair_and_independent():
    n_draws = FLIPS_AT_ONCE + 1000
    parts = list(flipped_sums(np.eye(13), n_draws, np.random.RandomState(0)))
    signs = np.vstack(parts)
    assert signs.shape == (n_draws, 13)
    assert set(np.unique(signs)) == {-1, 1}
    products = signs.T @ signs / n_draws
    assert np.abs(signs.mean(axis=0)).max() < 4 / np.sqrt(n_draws)
    assert np.abs(products - np.eye(13)).max() < 4.5 / np.sqrt(n_draws)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("weight", [None, WEIGHTS])
@pytest.mark.parametrize("codes", [np.arange(6), np.array(THREE_CLUSTERS)])
def test_p_values_by_brute_force(alternative, weight, codes):
    clusters = Clusters.from_codes(codes, weight)
    pairs = [(1, 0), (2, 0), (2, 1)]
    found = Flips(MODELS, clusters, pairs, alternative, 99).test_each(None, 0.95)[0]
    for p_value, (first, second) in zip(found, pairs, strict=True):
        sums = clusters.sums(MODELS[:, first] - MODELS[:, second])
        flipped = all_signs(len(sums)) @ sums
        extreme = {"two-sided": np.abs, "greater": np.positive, "less": np.negative}
        reach = extreme[alternative]
        assert p_value == np.mean(reach(flipped) >= reach(sums.sum()) - 1e-9)


def t_of(sums, weights):
    n, total = len(sums), weights.sum()
    mean = sums.sum() / total
    square = n / (n - 1) * np.sum((sums - mean * weights) ** 2) / total**2
    return mean / np.sqrt(square)


@pytest.mark.parametrize("weight", [None, WEIGHTS])
def test_max_t_by_brute_force(weight):
    clusters = Clusters.from_codes(np.arange(6), weight)
    weights = clusters.weights()
    sums = [clusters.sums(MODELS[:, k] - MODELS[:, 0]) for k in (1, 2)]
    largest = np.array(
        [max(abs(t_of(signs * one, weights)) for one in sums) for signs in all_signs(6)]
    )
    expected = [np.mean(largest >= abs(t_of(one, weights)) * (1 - 1e-9)) for one in sums]
    found = Flips(MODELS, clusters, [(1, 0), (2, 0)], "two-sided", 99).max_t(None)[0]
    assert found.tolist() == expected


def test_p_values_are_those_of_scipy():
    values = np.random.default_rng(0).normal(0.2, 1, 13)
    models = np.column_stack([np.zeros(13), values])
    pairs, clusters = [(1, 0)], Clusters.from_codes(np.arange(13), None)
    [exact] = Flips(models, clusters, pairs, "two-sided", 9999).test_each(None, 0.95)[0]
    oracle = stats.permutation_test(
        (values,), np.sum, permutation_type="samples", n_resamples=9999
    )
    assert exact == pytest.approx(oracle.pvalue, rel=1e-12)
    drawn = Flips(models, clusters, pairs, "two-sided", 8190)
    [p_value] = drawn.test_each(np.random.RandomState(0), 0.95)[0]
    assert p_value == pytest.approx(exact, abs=0.02)


def test_a_drawn_p_value_is_never_zero():
    models = np.column_stack([np.zeros(200), np.linspace(1, 2, 200)])
    flips = Flips(
        models, Clusters.from_codes(np.arange(200), None), [(1, 0)], "greater", 99
    )
    assert flips.test_each(np.random.RandomState(0), 0.95)[0].tolist() == [0.01]


def test_a_common_level_does_not_hide_ties():
    level = np.array([1e9, -1e9, 3e8, 5e8, 1e9, 7e8])
    values = np.array([1, 2, 3, -3, 1, 2]) / 16
    models = np.column_stack([level, level + values])
    flips = Flips(
        models, Clusters.from_codes(np.arange(6), None), [(1, 0)], "two-sided", 99
    )
    assert flips.test_each(None, 0.95)[0].tolist() == [24 / 64]


@pytest.mark.parametrize("n_resamples", [2**7 - 1, 99])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_an_interval_has_all_means_that_flips_do_not_reject(alternative, n_resamples):
    """The p-value of each hypothesis by the differences less it, with the same draws."""
    rng = np.random.default_rng(3)
    values, weight = rng.normal(0.3, 1, 9), rng.integers(1, 4, 9) * 1.0
    clusters = Clusters.from_codes(np.array([0, 0, 1, 2, 3, 4, 4, 5, 6]), weight)

    def tests(mean):
        models = np.column_stack([np.zeros(9), values - mean])
        flips = Flips(models, clusters, [(1, 0)], alternative, n_resamples)
        found = flips.test_each(np.random.RandomState(0), 0.8)
        return [float(one[0]) for one in found]

    _, low, high = tests(0)
    assert (low > -np.inf, high < np.inf) == (
        alternative != "less",
        alternative != "greater",
    )
    for mean in (low - 1e-6, low + 1e-6, high - 1e-6, high + 1e-6, *rng.normal(0, 1, 50)):
        if np.isfinite(mean):
            assert (tests(mean)[0] <= 1 - 0.8) == (not low <= mean <= high)


@pytest.mark.parametrize("level", [0.5, 0.75, 0.875])
def test_where_flips_tie_p_and_the_interval_of_max_t_say_the_same(level):
    rng = np.random.default_rng(0)
    for n in [3, 4, 5, 6, 7] * 10:
        models = rng.integers(-2, 4, (n, 3)).astype(float)
        flips = Flips(
            models,
            Clusters.from_codes(np.arange(n), None),
            [(1, 0), (2, 0)],
            "two-sided",
            2**7,
        )
        for p_value, low, high in zip(*flips.max_t(None, level), strict=True):
            assert (p_value <= 1 - level) == (not low <= 0 <= high)


def test_few_clusters_have_an_interval_without_ends_that_the_metric_clips():
    models = np.column_stack([np.zeros(5), np.full(5, 0.2)])
    flips = Flips(
        models, Clusters.from_codes(np.arange(5), None), [(1, 0)], "two-sided", 99
    )
    assert [float(one[0]) for one in flips.test_each(None, 0.95)] == [
        2 / 32,
        -np.inf,
        np.inf,
    ]


def test_darwins_plants():
    models = np.column_stack([np.zeros(15), DARWIN])
    flips = Flips(
        models, Clusters.from_codes(np.arange(15), None), [(1, 0)], "two-sided", 2**15
    )
    for level, ends in ((0.95, (-0.0208333, 5.125)), (0.9, (0.46875, 4.767857))):
        p_value, *found = (float(one[0]) for one in flips.test_each(None, level))
        assert (p_value, found) == (1726 / 2**15, pytest.approx(ends, abs=1e-6))
