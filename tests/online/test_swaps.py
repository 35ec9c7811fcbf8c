"""Propensities of positions: by hand, the truth of a simulator, and bad input."""

import numpy as np
import pytest

from sklearn_rank.datasets import make_click_log
from sklearn_rank.metrics import ips_ndcg_score
from sklearn_rank.online import propensities_from_swaps

FEW = pytest.mark.filterwarnings("ignore:The log has [0-9]+ users; intervals")
# Item a: 2 of 4 at the first place, 1 of 2 at the second; b: 1 of 1 and 1 of 3.
CLICKED = [1, 1, 0, 0, 1, 0, 1, 1, 0, 0]
POSITION = [1, 1, 1, 1, 2, 2, 1, 2, 2, 2]
ITEM = list("aaaaaabbbb")


def swapped_log(rng, n_lists, looks):
    """Return a log in which the first item has changed places with another one at random.

    Relevance falls with the rank, so that plain clicks tell another story.
    """
    n_positions = len(looks)
    lists = np.tile(np.arange(n_positions), (n_lists, 1))
    other = rng.integers(1, n_positions, n_lists)
    is_swapped = rng.random(n_lists) < 0.5
    rows = np.flatnonzero(is_swapped)
    lists[rows, 0], lists[rows, other[rows]] = other[rows], 0
    users = rng.integers(n_lists // 2, size=n_lists)
    taste = rng.beta(4, 2, size=(n_lists // 2, 1)) * np.linspace(0.9, 0.2, n_positions)
    log = make_click_log(
        lists, taste, user=users, examination=looks, random_state=int(rng.integers(2**31))
    )
    # The first item and the one it did or did not change places with were moved.
    moved = (log.item == 0) | (log.item == other[log.impression])
    return log, moved


@FEW
def test_by_hand():
    found = propensities_from_swaps(CLICKED, POSITION, ITEM)
    above = 1 * 4 / 6 + 1 * 1 / 4
    below = 2 * 2 / 6 + 1 * 3 / 4
    assert found.ratio == pytest.approx([1, above / below])
    assert found.propensity == pytest.approx([1, above / below])
    assert found.n_shown.tolist() == [5, 5]
    assert found.position.tolist() == [1, 2]
    here = np.array([0, 0, 0, 0, 4 / 6, 0, 0, 1 / 4, 0, 0])
    there = np.array([2 / 6, 2 / 6, 0, 0, 0, 0, 3 / 4, 0, 0, 0])
    left = here - above / below * there
    assert found.standard_error[1] == pytest.approx(
        np.sqrt((left**2 / (1 - there / below)).sum()) / below
    )
    half = np.log(found.high[1] / found.ratio[1])
    assert found.low[1] == pytest.approx(found.ratio[1] * np.exp(-half))


@FEW
def test_another_reference():
    first = propensities_from_swaps(CLICKED, POSITION, ITEM)
    second = propensities_from_swaps(CLICKED, POSITION, ITEM, reference=2)
    assert second.ratio == pytest.approx([1 / first.ratio[1], 1])
    assert second.propensity == pytest.approx(first.propensity)


def test_the_truth_of_a_simulator():
    looks = np.array([0.9, 0.5, 0.4, 0.2])
    log, moved = swapped_log(np.random.default_rng(0), 60_000, looks)
    found = propensities_from_swaps(
        log.clicked[moved], log.position[moved], log.item[moved], user=log.user[moved]
    )
    truth = looks / looks[0]
    assert found.propensity == pytest.approx(truth, abs=0.03)
    assert (found.low - 0.01 <= truth).all()
    assert (truth <= found.high + 0.01).all()
    # Without draws the best items are at the top.
    plain = np.bincount(log.position, log.clicked)[1:]
    assert plain[3] / plain[0] < 0.8 * truth[3]


def test_intervals_cover():
    looks = np.array([1, 0.5, 0.3])
    covered = 0
    for seed in range(200):
        log, moved = swapped_log(np.random.default_rng(seed), 600, looks)
        found = propensities_from_swaps(
            log.clicked[moved], log.position[moved], log.item[moved], user=log.user[moved]
        )
        covered += found.low[2] <= 0.3 <= found.high[2]
    assert covered / 200 > 0.90


def test_metrics_take_them():
    rng = np.random.default_rng(0)
    log, moved = swapped_log(rng, 5_000, np.array([1, 0.5, 0.25]))
    found = propensities_from_swaps(
        log.clicked[moved], log.position[moved], log.item[moved], user=log.user[moved]
    )
    score = ips_ndcg_score(
        log.clicked,
        -log.item,
        groups=log.impression,
        propensity=found.propensity[log.position - 1],
        replace_undefined_by=np.nan,
    )
    assert 0.8 < score <= 1


@FEW
def test_a_ratio_above_1():
    clicked = [1, 0, 0, 1, 1, 1]
    found = propensities_from_swaps(clicked, [1, 1, 1, 2, 2, 2], ["a"] * 6)
    assert found.ratio == pytest.approx([1, 3])
    assert found.propensity == pytest.approx([1 / 3, 1])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"clicked": [2, *CLICKED[1:]]}, "give 0 or 1"),
        ({"clicked": CLICKED[:9]}, "there are 9 rows"),
        ({"position": [1] * 10}, "All rows are of position 1"),
        ({"position": [1, 1, 1, 1, 1, 1, 2, 2, 2, 2]}, "no clicks at one of them"),
        ({"clicked": [1, 1, 0, 0, 0, 0, 1, 0, 0, 0]}, "no clicks at one of them"),
        ({"position": ["2", "10"] * 5}, "Give numbers"),
        ({"item": [None] * 10}, "missing"),
        ({"user": [0] * 10}, "There is 1 user"),
        ({"reference": 3}, "reference"),
        ({"confidence_level": 0}, "confidence_level"),
    ],
)
def test_bad_input(change, message):
    rows = {"clicked": CLICKED, "position": POSITION, "item": ITEM} | change
    with pytest.raises(ValueError, match=message):
        propensities_from_swaps(**rows)


@FEW
def test_two_users_are_enough():
    found = propensities_from_swaps(CLICKED, POSITION, ITEM, user=[0, 1] * 5)
    assert np.isfinite(found.standard_error).all()
    assert found.ratio == pytest.approx(
        propensities_from_swaps(CLICKED, POSITION, ITEM).ratio
    )
