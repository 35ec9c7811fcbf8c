"""Errors of metrics of a whole system."""

import numpy as np
import pytest

from sklearn_rank.metrics import ranking_scores
from sklearn_rank.metrics._core._summaries import Mean
from sklearn_rank.statistics import system_confidence_interval
from sklearn_rank.statistics._system import _CollectedParts

NAMES = ["gini@3", "entropy@3", "personalization@3", "coverage(at_users=40)@3"]


def lists(rng, n=100):
    return np.zeros((n, 60)), rng.normal(size=(n, 60)) - np.linspace(0, 3, 60)


def test_the_error_is_the_spread_over_samples_of_users():
    rng = np.random.default_rng(0)
    values = [list(ranking_scores(*lists(rng), metrics=NAMES).values()) for _ in range(200)]
    errors = [
        [
            one.standard_error
            for one in system_confidence_interval(
                *lists(rng), metrics=NAMES, n_resamples=99, random_state=seed
            ).values()
        ]
        for seed in range(5)
    ]
    ratio = np.mean(errors, axis=0) / np.std(values, axis=0)
    assert (ratio > 0.75).all()
    assert (ratio < 1.25).all()


def test_the_value_is_that_of_ranking_scores():
    y_true, y_score = lists(np.random.default_rng(1))
    found = system_confidence_interval(y_true, y_score, metrics=NAMES, random_state=0)
    values = ranking_scores(y_true, y_score, metrics=NAMES)
    assert {name: one.value for name, one in found.items()} == pytest.approx(values)
    for one in found.values():
        assert one.high - one.value == pytest.approx(1.959964 * one.standard_error)
        assert one.value - one.low == pytest.approx(1.959964 * one.standard_error)
        assert one.n_queries == 100


def test_blocks_and_the_order_of_rows_change_nothing(monkeypatch):
    y_true, y_score = lists(np.random.default_rng(2), 40)
    grid = system_confidence_interval(y_true, y_score, metrics=NAMES, random_state=0)
    rows = {
        "y_true": y_true.ravel(),
        "y_score": y_score.ravel(),
        "groups": np.repeat(np.arange(40), 60),
        "items": np.tile(np.arange(60), 40),
    }
    names = ["gini(n_items=60)@3", "entropy@3", "personalization@3"]
    names.append("coverage(n_items=60, at_users=40)@3")
    monkeypatch.setattr("sklearn_rank._ranking._rank.RANKED_ROWS", 300)
    flat = system_confidence_interval(**rows, metrics=names, random_state=0)
    errors = [[one.standard_error for one in found.values()] for found in (grid, flat)]
    assert errors[0] == pytest.approx(errors[1], rel=1e-9)


def test_users_all_alike_have_no_error():
    y_score = np.tile(np.arange(9.0), (5, 1))
    found = system_confidence_interval(
        np.zeros((5, 9)), y_score, metrics="coverage@3", random_state=0
    )["coverage@3"]
    assert found.value == pytest.approx(1 / 3)
    assert found.standard_error == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"metrics": "ndcg@3"}, "'ndcg@3' is a mean over users"),
        ({"metrics": "user_coverage@3"}, "'user_coverage@3' is a mean over users"),
        ({"confidence_level": 1}, "confidence_level"),
        ({"n_resamples": 1}, "`n_resamples` must be an integer >= 2"),
        ({"metrics": "gini(n_items=2)@3"}, "`n_items` is 2, but lists show"),
    ],
)
def test_bad_input(given, text):
    y_true, y_score = lists(np.random.default_rng(3), 5)
    with pytest.raises(ValueError, match=text):
        system_confidence_interval(y_true, y_score, **{"metrics": "gini@3", **given})


def test_an_interval_is_within_the_range_of_the_metric():
    y_score = np.array([[3.0, 2, 1, 0], [0, 1, 2, 3], [1, 3, 0, 2]])
    interval = system_confidence_interval(
        np.zeros((3, 4)), y_score, metrics="coverage@2", random_state=0
    )["coverage@2"]
    assert (interval.value, interval.high) == (1.0, 1.0)
    assert 0 < interval.low < 1


def test_one_user_is_too_few():
    with pytest.raises(ValueError, match=r"1 user\(s\); an interval needs two"):
        system_confidence_interval([[0, 1]], [[2, 1]], metrics="gini@1")


def test_two_resamples_have_the_error_of_two(monkeypatch):
    """Half of the difference, times the square root of 2: divided by n - 1."""
    y_true, y_score = lists(np.random.default_rng(3), 30)
    drawn = np.random.RandomState(0).multinomial(30, np.full(30, 1 / 30), size=2)
    values = [
        ranking_scores(
            np.repeat(y_true, n, axis=0), np.repeat(y_score, n, axis=0), metrics="gini@3"
        )["gini@3"]
        for n in drawn
    ]
    found = system_confidence_interval(
        y_true, y_score, metrics="gini@3", n_resamples=2, random_state=0
    )["gini@3"]
    expected = abs(values[0] - values[1]) / np.sqrt(2)
    assert found.standard_error == pytest.approx(expected, rel=1e-9)


def test_users_of_later_blocks_come_after_those_of_the_first():
    first = 2, np.array([0, 1, 1]), np.array([5, 6, 7]), np.ones(3)
    second = 1, np.array([0]), np.array([5]), np.array([0.5])
    empty = _CollectedParts(Mean())
    for both in (empty.add(first).add(second), empty.add(first).merge(empty.add(second))):
        n_users, user, item, amount = both.join_parts()
        assert (both.n, n_users) == (3, 3)
        assert user.tolist() == [0, 1, 1, 2]
        assert item.tolist() == [5, 6, 7, 5]
        assert amount.tolist() == [1, 1, 1, 0.5]
