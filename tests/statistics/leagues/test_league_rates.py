"""How often equal models are separated, and unequal ones: rates of simulations.

The standard error of a share p of n runs is sqrt(p (1 - p) / n): .011 for .05 of 400.
"""

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.statistics import rank_models
from tests.statistics.leagues.example_leagues import league

N_MODELS = 20
SLOW = pytest.mark.slow
FAMILIES = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]).repeat(
    5, axis=0
)


def normal(rng, n):
    return rng.normal(size=(n, N_MODELS))


def unlike_scales(rng, n):
    return normal(rng, n) * np.exp(rng.normal(size=(n, 1)))


def heavy_tails(rng, n):
    return rng.standard_t(3, size=(n, N_MODELS))


def skewed(rng, n):
    return rng.lognormal(size=(n, N_MODELS))


def families(rng, n):
    return 0.5 * normal(rng, n) + rng.normal(size=(n, 4)) @ FAMILIES.T


SHAPES = [normal, unlike_scales, heavy_tails, skewed, families]


def rates(shape, n_data_sets, runs, seed, **options):
    """Return the shares of runs with a separated pair, and with one model alone first."""
    rng = np.random.default_rng(seed)
    separated = alone = 0
    for _ in range(runs):
        found = rank_models(
            league(shape(rng, n_data_sets)),
            random_state=rng.integers(2**31),
            n_resamples=999,
            **options,
        )
        separated += bool((found.pairs["p_adjusted"] <= 0.05).any())
        alone += len(found.tied_for_first) == 1
    return separated / runs, alone / runs


def most(rate, runs):
    """Return the highest share that so many runs make likely: three standard errors."""
    return rate + 3 * np.sqrt(rate * (1 - rate) / runs)


def test_equal_models_are_rarely_separated():
    separated, alone = rates(normal, 10, 60, seed=1)
    assert separated <= most(0.05, 60)
    assert alone <= most(0.05, 60)


@SLOW
@pytest.mark.parametrize("n_data_sets", [10, 20, 41])
@pytest.mark.parametrize("shape", SHAPES)
def test_equal_models_are_separated_in_five_percent(shape, n_data_sets):
    runs = 400
    separated, alone = rates(shape, n_data_sets, runs, seed=2)
    print(f"{shape.__name__} {n_data_sets}: {separated:.3f} {alone:.3f}")
    assert separated <= 0.08
    assert alone <= 0.05


@SLOW
@pytest.mark.parametrize("n_data_sets", [10, 20, 41])
@pytest.mark.parametrize("shape", SHAPES)
def test_ranks_by_a_plain_bootstrap_do_not_hold(shape, n_data_sets):
    rng = np.random.default_rng(1)
    runs, separated = 100, 0
    for _ in range(runs):
        numbers = shape(rng, n_data_sets)
        drawn = rng.integers(0, n_data_sets, (400, n_data_sets))
        ranks = (-numbers[drawn].mean(axis=1)).argsort(axis=1).argsort(axis=1)
        low, high = np.quantile(ranks, [0.025, 0.975], axis=0)
        separated += low.max() > high.min()
    print(f"bootstrap, {shape.__name__} {n_data_sets}: {separated / runs:.2f}")
    assert separated / runs > 0.15


@SLOW
@pytest.mark.parametrize("shape", SHAPES)
def test_student_and_holm_are_conservative(shape):
    separated, _ = rates(shape, 20, 400, seed=3, test="t")
    print(f"{shape.__name__}: {separated:.3f}")
    assert separated <= most(0.05, 400)


@SLOW
def test_two_equal_leaders_are_both_first():
    rng = np.random.default_rng(4)
    alone = 0
    for _ in range(200):
        numbers = rng.normal(0, 0.02, (20, N_MODELS)) + np.r_[0.1, 0.1, np.zeros(18)]
        found = rank_models(league(numbers), random_state=0, n_resamples=999)
        assert set(found.tied_for_first) <= {"m0", "m1"}
        alone += len(found.tied_for_first) == 1
    print(f"one of two leaders alone: {alone / 200:.3f}")
    assert alone / 200 <= most(0.05, 200)


def of_queries(rng, effects, n_queries):
    """Return values per query of models with these effects on each data set."""
    return {
        f"t{n}": {
            f"m{model}": values
            for model, values in enumerate(
                rng.normal(size=(len(row), n_queries)) + row[:, None]
            )
        }
        for n, row in enumerate(effects)
    }


@pytest.mark.parametrize("runs", [20, pytest.param(400, marks=SLOW)])
def test_effects_that_cancel_are_none_over_queries(runs):
    rng = np.random.default_rng(5)
    n_separated = 0
    for _ in range(runs):
        effects = rng.normal(0, 0.5, (6, 5))
        found = rank_models(
            of_queries(rng, effects - effects.mean(axis=0), 30), over="queries"
        )
        n_separated += bool((found.pairs["p_adjusted"] <= 0.05).any())
    print(f"effects that cancel: {n_separated / runs:.3f}")
    assert n_separated / runs <= most(0.05, runs)


def test_queries_and_data_sets_are_different_questions():
    """Models that are equal over all data sets differ on each of these ten."""
    rng = np.random.default_rng(6)
    effects = rng.normal(0, 0.5, (10, 6))
    scores = of_queries(rng, effects, 400)
    over_queries = rank_models(scores, over="queries").pairs["p_adjusted"]
    over_data_sets = rank_models(scores).pairs["p_adjusted"]
    assert (over_queries <= 0.05).sum() >= 5
    assert (over_data_sets <= 0.05).sum() == 0


def powers(scales, n_data_sets, runs):
    """Return the share of pairs that flips, Holm and Nemenyi separate."""
    rng = np.random.default_rng(7)
    level = stats.studentized_range.ppf(0.95, N_MODELS, np.inf)
    apart = level * np.sqrt(N_MODELS * (N_MODELS + 1) / (12 * n_data_sets))
    found = []
    for _ in range(runs):
        noise = rng.normal(0, 0.02, (n_data_sets, N_MODELS))
        if scales:
            noise *= np.exp(rng.normal(size=(n_data_sets, 1)))
        numbers = np.linspace(0, 0.06, N_MODELS) + noise
        rankings = [
            rank_models(league(numbers), test=test, random_state=0, n_resamples=999)
            for test in ("randomization", "t")
        ]
        shares = [np.mean(one.pairs["p_adjusted"] <= 0.05) for one in rankings]
        ranks = np.array([row.mean_rank for row in rankings[0].rows()])
        first, second = np.triu_indices(N_MODELS, 1)
        shares.append(np.mean(np.abs(ranks[first] - ranks[second]) >= apart))
        found.append(shares)
    return np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / np.sqrt(runs)


def test_flips_find_more_than_holm_and_nemenyi():
    (flips, holm, nemenyi), errors = powers(False, 20, 10)
    assert flips == pytest.approx(0.38, abs=0.05)
    assert holm == pytest.approx(0.37, abs=0.05)
    assert nemenyi == pytest.approx(0.30, abs=0.05)
    assert max(errors) < 0.02


@SLOW
@pytest.mark.parametrize(
    ("scales", "n_data_sets", "expected"),
    [
        (False, 20, (0.38, 0.37, 0.30)),
        (False, 41, (0.59, 0.58, 0.47)),
        (True, 20, (0.18, 0.11, 0.26)),
        (True, 41, (0.28, 0.21, 0.43)),
    ],
)
def test_the_power_of_flips_holm_and_nemenyi(scales, n_data_sets, expected):
    found, errors = powers(scales, n_data_sets, 150)
    print(scales, n_data_sets, found.round(3), errors.round(4))
    assert found == pytest.approx(expected, abs=0.03 if scales else 0.02)


# Data sets of one family share effects of the models, which are equal over all families.


def of_families(rng, members, spread, noise, n_runs, n_models=4):
    """Return scores of runs, data sets and models, where families have other effects."""
    shared = spread * rng.normal(size=(n_runs, max(members) + 1, n_models))
    return shared[:, members] + noise(rng, (n_runs, len(members), n_models))


def normal_noise(rng, size):
    return 0.3 * rng.normal(size=size)


def heavy_noise(rng, size):
    return 0.5 * rng.standard_t(3, size=size)


def separated_by_t(units):
    """Return the runs in which Student's t and Holm separate some pair."""
    first, second = np.triu_indices(units.shape[2], 1)
    apart = units[:, :, first] - units[:, :, second]
    error = apart.std(axis=1, ddof=1) / np.sqrt(units.shape[1])
    p_value = 2 * stats.t.sf(np.abs(apart.mean(axis=1)) / error, units.shape[1] - 1)
    return p_value.min(axis=1) * len(first) <= 0.05


def means_of_families(scores, members):
    codes = range(max(members) + 1)
    return np.stack([scores[:, members == code].mean(axis=1) for code in codes], axis=1)


# The family of each data set, the spread of shared effects, the noise, and how often some
# pair is separated at least if data sets count as independent.
IN_FAMILIES = [
    (np.arange(9) % 3, 1, normal_noise, 0.5),
    (np.arange(12) % 3, 1, normal_noise, 0.6),
    (np.arange(20) % 3, 1, normal_noise, 0.8),
    (np.arange(10) // 2, 0.3, normal_noise, 0.1),
    (np.arange(10) // 2, 1, normal_noise, 0.2),
    (np.array([0] * 6 + [1] * 3 + [2, 3, 4, 5]), 0.6, heavy_noise, 0.1),
]
FEW = pytest.mark.filterwarnings("ignore:There are . clusters of data sets")


@FEW
@pytest.mark.parametrize(("members", "spread", "noise", "least"), IN_FAMILIES)
def test_many_runs_at_once_have_the_verdicts_of_single_calls(members, spread, noise, least):
    scores = of_families(np.random.default_rng(0), members, spread, noise, 8)
    scores[:4] += [0, 0, 0, 3]
    expected = separated_by_t(means_of_families(scores, members))
    clusters = {f"task {place}": int(code) for place, code in enumerate(members)}
    found = [rank_models(league(one), clusters=clusters) for one in scores]
    is_separated = [(one.pairs["p_adjusted"] <= 0.05).any() for one in found]
    assert is_separated == expected.tolist()


@SLOW
@pytest.mark.parametrize(("members", "spread", "noise", "least"), IN_FAMILIES)
def test_families_are_not_taken_for_many_data_sets(members, spread, noise, least):
    rng, runs = np.random.default_rng(1), 20_000
    scores = of_families(rng, members, spread, noise, runs)
    share = separated_by_t(means_of_families(scores, members)).mean()
    alone = [
        (rank_models(league(one), n_resamples=999, random_state=0).pairs["p_adjusted"])
        for one in scores[:400]
    ]
    without = np.mean([(one <= 0.05).any() for one in alone])
    print(f"{members.tolist()}, {spread}: {without:.3f} without clusters, {share:.4f}")
    assert share <= 1.1 * 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / runs)
    assert without >= least


@SLOW
@FEW
def test_eight_families_are_flipped():
    members = np.array([0] * 6 + [1] * 5 + [2, 2, 2, 3, 3, 4, 5, 6, 7])
    scores = of_families(np.random.default_rng(2), members, 1, normal_noise, 400)
    clusters = {f"task {place}": int(code) for place, code in enumerate(members)}
    how = {"clusters": clusters, "random_state": 0}
    found = [rank_models(league(one), **how).pairs["p_adjusted"] for one in scores]
    share = np.mean([(one <= 0.05).any() for one in found])
    print(f"eight families: {share:.3f}")
    assert share <= 1.1 * 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 400)


@SLOW
@pytest.mark.filterwarnings("ignore:There are . data sets")
def test_few_gains_of_one_size_are_separated_too_often():
    rng, runs = np.random.default_rng(3), 20_000
    rates = {}
    for n_data_sets in (2, 3, 5):
        gains = rng.normal(1, 0.1, (runs, n_data_sets, 1))
        gains *= rng.choice([-1, 1], size=gains.shape)
        both = np.concatenate([gains, np.zeros_like(gains)], axis=2)
        rates[n_data_sets] = separated_by_t(both).mean()
        found = rank_models(league(both[0])).pairs["p_adjusted"][0]
        assert (found <= 0.05) == (separated_by_t(both[:1])[0] and n_data_sets > 2)
    print(rates)
    assert rates[2] > 0.3
    assert rates[3] > 0.2
    assert rates[5] < 0.08
