"""Off-policy value: the worked example, the truth of a simulator, and bad input."""

from fractions import Fraction as F
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.datasets import make_click_log
from sklearn_rank.online import off_policy_value

FEW = pytest.mark.filterwarnings("ignore:The effective sample size")
REWARD = [1, 0, 0, 1, 1, 1, 0, 0]
LOGGED = [0.5, 0.5, 0.25, 0.5, 0.5, 0.25, 0.25, 0.25]
TARGET = [0.8, 0.5, 0.2, 0.6, 0.6, 0.5, 0.1, 0.3]
SLATE, POSITION = [0, 0, 1, 1, 2, 2, 3, 3], [1, 2] * 4


def value_of(**change):
    arguments = {
        "reward": REWARD,
        "propensity": LOGGED,
        "target_probability": TARGET,
        "slate": SLATE,
        "position": POSITION,
    }
    return off_policy_value(**arguments | change)


def adjusted_residuals(assumption):
    """Return what slates add to the error of SNIPS, and its degrees of freedom."""
    ratio = np.reshape(TARGET, (4, 2)) / np.reshape(LOGGED, (4, 2))
    weights = ratio if assumption == "independent" else np.cumprod(ratio, axis=1)
    if assumption == "joint":
        weights[:, 0] = weights[:, 1]
    adds, freedoms = np.zeros(4), []
    for weight, reward in zip(weights.T, np.reshape(REWARD, (4, 2)).T, strict=True):
        share = weight / weight.sum()
        adds += share * (reward - share @ reward) / np.sqrt(1 - share)
        alone = share**2 / (1 - share)
        pairs = alone.sum() ** 2 - (alone**2).sum()
        freedoms.append(1 / ((share**2).sum() + pairs))
    return adds, min(freedoms)


def shift_of(residuals, df, error):
    """Return by how much the end of the longer tail moves outward."""
    z = stats.t.isf(0.025, df)
    skewness = (residuals**3).sum() / (residuals**2).sum() ** 1.5
    return (2 * z**2 + 1) / 6 * skewness * error


# Weighted rewards of each slate, by hand.
RATIOS = np.reshape(TARGET, (4, 2)) / np.reshape(LOGGED, (4, 2))
REWARDS = np.reshape(REWARD, (4, 2))
SLATES = {
    "independent": (RATIOS * REWARDS).sum(axis=1),
    "cascade": RATIOS[:, 0] * (REWARDS[:, 0] + RATIOS[:, 1] * REWARDS[:, 1]),
    "joint": RATIOS.prod(axis=1) * REWARDS.sum(axis=1),
}


@FEW
@pytest.mark.parametrize(
    ("assumption", "self_normalized", "value", "error"),
    [
        ("independent", False, F(3, 2), 0.660808),
        ("cascade", False, F(77, 50), 0.761315),
        ("joint", False, F(46, 25), 1.04),
        ("independent", True, F(349, 270), None),
        ("cascade", True, F(112, 85), None),
        ("joint", True, F(23, 17), None),
    ],
)
def test_worked_example(assumption, self_normalized, value, error):
    found = value_of(assumption=assumption, self_normalized=self_normalized)
    assert found.value == pytest.approx(float(value))
    residuals, df = adjusted_residuals(assumption)
    if self_normalized:
        error = np.sqrt((residuals**2).sum())
    else:
        df, residuals = 3, SLATES[assumption] - float(value)
    assert found.standard_error == pytest.approx(error, abs=1e-6)
    assert found.df == pytest.approx(df)
    half = stats.t.isf(0.025, df) * found.standard_error
    shift = shift_of(residuals, df, found.standard_error)
    ends = value - half + min(shift, 0), value + half + max(shift, 0)
    assert (found.low, found.high) == pytest.approx(ends)
    assert found.n_slates == 4


@FEW
@pytest.mark.parametrize(
    ("assumption", "sizes"),
    [
        ("independent", (3.333333, 3.700508)),
        ("cascade", (3.333333, 3.124324)),
        ("joint", (3.124324, 3.124324)),
    ],
)
def test_effective_sample_size(assumption, sizes):
    found = value_of(assumption=assumption)
    assert found.effective_sample_size == pytest.approx(sizes, abs=1e-6)


@FEW
def test_weights():
    found = value_of(assumption="independent")
    assert found.mean_weight == pytest.approx([1, 1.35])
    assert found.largest_weight == pytest.approx([1.6, 2])
    clipped = value_of(assumption="independent", self_normalized=False, clip=1.2)
    assert clipped.value == pytest.approx((1.2 + 0 + 0 + 1.2 + 1.2 + 1.2) / 4)
    assert value_of(clip=10).value == value_of().value


@FEW
def test_the_order_of_rows_does_not_matter():
    order = np.random.default_rng(0).permutation(8)
    columns = {"reward": REWARD, "propensity": LOGGED, "target_probability": TARGET}
    columns |= {"slate": list("aabbccdd"), "position": POSITION}
    mixed = {name: np.take(column, order) for name, column in columns.items()}
    assert value_of(**mixed).value == value_of().value
    assert value_of(**mixed).standard_error == pytest.approx(value_of().standard_error)


@FEW
def test_slates_of_a_user_are_alike():
    twice = {
        "reward": REWARD * 2,
        "propensity": LOGGED * 2,
        "target_probability": TARGET * 2,
        "slate": np.repeat(range(8), 2),
        "position": POSITION * 2,
    }
    found = value_of(**twice, user=np.tile(np.repeat(range(4), 2), 2))
    assert found.value == pytest.approx(value_of().value)
    assert found.standard_error == pytest.approx(value_of().standard_error)
    assert value_of(**twice).standard_error < 0.8 * found.standard_error


def sampled_lists(rng, weights, n_lists):
    """Draw lists without replacement; return them and the chance of each place."""
    keys = rng.exponential(size=(n_lists, len(weights))) / weights
    lists = keys.argsort(axis=1)
    drawn = np.asarray(weights)[lists]
    left = drawn[:, ::-1].cumsum(axis=1)[:, ::-1]
    return lists, drawn / left


def chances(weights, lists):
    drawn = np.asarray(weights)[lists]
    return drawn / drawn[:, ::-1].cumsum(axis=1)[:, ::-1]


def test_the_truth_of_a_simulator():
    relevance = np.array([0.6, 0.3, 0.1, 0.4])
    logging, target = [1.0, 1.0, 1.5, 1.0], [4.0, 1.0, 0.5, 2.0]
    rng = np.random.default_rng(0)
    lists, propensity = sampled_lists(rng, logging, 20_000)
    assert propensity == pytest.approx(chances(logging, lists))
    wanted, _ = sampled_lists(rng, target, 100_000)
    reads = {"relevance": relevance, "behavior": "cascade", "random_state": 0}
    log = make_click_log(lists[:, :2], **reads)
    truth = make_click_log(wanted[:, :2], **reads).probability.sum() / 100_000
    options = {"slate": log.impression, "position": log.position}
    for self_normalized in (True, False):
        found = off_policy_value(
            log.clicked,
            propensity[:, :2].ravel(),
            chances(target, lists)[:, :2].ravel(),
            self_normalized=self_normalized,
            **options,
        )
        assert found.value == pytest.approx(truth, abs=4 * found.standard_error)
        assert found.standard_error < 0.02
        assert found.mean_weight == pytest.approx(1, abs=0.05)
        # What the logging policy itself earns is far from it.
        assert abs(log.clicked.sum() / 20_000 - truth) > 5 * found.standard_error


LISTS = np.array(list(permutations(range(3))))
WEIGHTS = np.array([4.0, 1.0, 2.0])
EVERY = {"slate": np.repeat(range(6), 3), "position": np.tile(range(3), 6)}


def of_items(lists):
    return np.array([0.7, 0.2, 0.4])[lists]


def of_items_above(lists):
    """Clicks of the cascade, which stops at the first."""
    click = of_items(lists)
    reached = np.cumprod(1 - click, axis=1)
    return click * np.column_stack([np.ones(len(lists)), reached[:, :-1]])


def of_all_items(lists):
    """An item earns as much as the one below, the last one as the first."""
    return of_items(lists)[:, [1, 2, 0]]


@pytest.mark.filterwarnings("ignore:The effective sample size")
@pytest.mark.parametrize(
    ("assumption", "reward", "holds"),
    [
        ("independent", of_items, True),
        ("independent", of_items_above, False),
        ("cascade", of_items, True),
        ("cascade", of_items_above, True),
        ("cascade", of_all_items, False),
        ("joint", of_items_above, True),
        ("joint", of_all_items, True),
    ],
)
def test_the_mean_over_all_lists_is_the_truth(assumption, reward, holds):
    """Each list once is what a uniform draw logs in the mean."""
    logged, wanted = np.tile([1 / 3, 1 / 2, 1], (6, 1)), chances(WEIGHTS, LISTS)
    chance = wanted.prod(axis=1)
    if assumption == "independent":
        logged = np.full((6, 3), 1 / 3)
        at_place = [
            [chance[LISTS[:, place] == item].sum() for item in range(3)]
            for place in range(3)
        ]
        wanted = np.array(at_place)[np.arange(3), LISTS]
    found = off_policy_value(
        reward(LISTS).ravel(),
        logged.ravel(),
        wanted.ravel(),
        assumption=assumption,
        self_normalized=False,
        **EVERY,
    )
    truth = (chance[:, np.newaxis] * reward(LISTS)).sum()
    assert bool(found.value == pytest.approx(truth)) is holds


def test_a_ranker_without_chance_by_how_often_positions_are_looked_at():
    relevance = np.array([0.2, 0.5, 0.1, 0.6])
    looks = np.array([1, 0.6, 0.3, 0.2])
    old, new = np.array([0, 1, 2, 3]), np.array([3, 1, 0, 2])
    log = make_click_log(
        np.tile(old, (20_000, 1)), relevance, examination=looks, random_state=0
    )
    place_in_new = new.argsort()
    found = off_policy_value(
        log.clicked,
        looks[log.position - 1],
        looks[place_in_new[log.item]],
        slate=log.impression,
        position=log.position,
        assumption="independent",
        self_normalized=False,
    )
    truth = (relevance[new] * looks).sum()
    assert found.value == pytest.approx(truth, abs=4 * found.standard_error)
    assert abs((relevance * looks).sum() - truth) > 5 * found.standard_error


def test_intervals_cover():
    relevance, weights, target = [0.5, 0.2, 0.4], [1.0, 1.0, 1.0], [3.0, 1.0, 1.0]
    rng = np.random.default_rng(1)
    wanted, _ = sampled_lists(rng, target, 200_000)
    truth = make_click_log(wanted, relevance).probability.sum() / 200_000
    covered = 0
    for seed in range(200):
        lists, propensity = sampled_lists(rng, weights, 400)
        log = make_click_log(lists, relevance, random_state=seed)
        found = off_policy_value(
            log.clicked,
            propensity.ravel(),
            chances(target, lists).ravel(),
            slate=log.impression,
            position=log.position,
        )
        covered += found.low <= truth <= found.high
    assert 0.90 < covered / 200 < 0.99


def test_a_small_log_warns():
    with pytest.warns(UserWarning, match=r"is 3.12 of 4 slates at position 2"):
        value_of()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("probability", [0.1, 0.3, 0.7])
def test_a_hundred_slates_are_not_below_a_hundred(probability):
    # The squares of weights that are rounded add up to a bit more.
    reward, ones = np.tile([0, 1], 50), np.ones(100)
    other = probability * (1 + 1e-15 * np.arange(100))
    found = off_policy_value(reward, probability * ones, other)
    assert found.effective_sample_size[0] == pytest.approx(100)
    weights = 0.1 * np.r_[0.0005, np.ones(99), 0.9]
    with pytest.warns(UserWarning, match=r"is 99.99 of 101 slates"):
        off_policy_value(np.r_[reward, 0], 0.1 * np.ones(101), weights)


@FEW
def test_nothing_of_the_target_was_logged():
    none = [0.0, 1.0] * 4
    assert value_of(target_probability=none, self_normalized=False).value == 0
    with pytest.raises(ValueError, match="All weights at position 1 are 0"):
        value_of(target_probability=none)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"propensity": [0, *LOGGED[1:]]}, "the log of a deterministic ranker"),
        (
            {"propensity": [1.1, *LOGGED[1:]]},
            "first at 0 .1.1.; give probabilities above 0",
        ),
        ({"propensity": [-0.1, *LOGGED[1:]]}, "probabilities above 0, up to 1"),
        ({"propensity": [np.nan, *LOGGED[1:]]}, "NaN"),
        ({"target_probability": [1.1, *TARGET[1:]]}, "give probabilities from 0 to 1"),
        ({"target_probability": TARGET[:7]}, "7 values"),
        ({"reward": [np.inf, *REWARD[1:]]}, "infinite"),
        ({"position": [1, 1] * 4}, "each position once"),
        ({"position": [1, 2] * 3 + [1, 3]}, "pad short ones with rows"),
        ({"position": ["2", "10"] * 4}, "'10', which is not a number.*Give numbers"),
        ({"slate": [0] * 8, "position": range(8)}, "There is 1 user"),
        ({"user": [0, 1, 1, 1, 2, 2, 3, 3]}, "more than one user"),
        ({"slate": [None] * 8}, "missing"),
        ({"assumption": "slate"}, "assumption"),
        ({"self_normalized": "yes"}, "self_normalized"),
        ({"clip": 0}, "clip"),
        ({"confidence_level": 2}, "confidence_level"),
    ],
)
def test_bad_input(change, message):
    with pytest.raises(ValueError, match=message):
        value_of(**change)


def test_the_slate_that_is_not_complete_is_named():
    slate = ["a", "a", "b", "b", "c", "c", "d", "d"]
    message = r"1 slate\(s\) do not have each position once, such as 'c'"
    with pytest.raises(ValueError, match=message):
        value_of(slate=slate, position=[1, 2, 1, 2, 2, 2, 1, 2])


@pytest.mark.parametrize(
    ("self_normalized", "name"),
    [(True, "self-normalized (SNIPS)"), (False, "inverse propensity (IPS)")],
)
def test_the_estimator_is_named(self_normalized, name):
    rng = np.random.default_rng(0)
    found = off_policy_value(
        rng.random(200),
        np.full(200, 0.5),
        np.full(200, 0.5),
        self_normalized=self_normalized,
    )
    assert found.estimator == found.to_dict()["rows"][0]["estimator"] == name
    assert name in str(found)
