"""Means from the values of a judge and a sample of human ones."""

import numpy as np
import pytest

from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.statistics import confidence_interval, judge_assisted_mean

RNG = np.random.default_rng(0)
TRUE = RNG.uniform(size=400)
JUDGE = TRUE + 0.1 + RNG.normal(0, 0.1, 400)
HUMAN = np.where(np.arange(400) % 4 == 0, TRUE, np.nan)


def test_the_formula():
    found = judge_assisted_mean(HUMAN, JUDGE)
    rest = TRUE[::4] - JUDGE[::4]
    assert found.mean == pytest.approx(JUDGE.mean() + rest.mean())
    assert found.bias == pytest.approx(-rest.mean())
    assert (found.n_queries, found.n_human) == (400, 100)
    both = np.cov(JUDGE[::4], rest)[0, 1]
    square = JUDGE.var() / 400 + rest.var() / 100 + 2 * both / 400
    assert found.standard_error == pytest.approx(np.sqrt(square), rel=0.01)


def test_human_values_of_all_are_all_that_counts():
    found = judge_assisted_mean(TRUE, JUDGE)
    alone = confidence_interval(TRUE)
    assert (found.mean, found.low) == pytest.approx((alone.mean, alone.low), rel=1e-12)


def test_scores_are_matched_by_label():
    labels = np.array([f"q{i}" for i in range(400)])
    order = RNG.permutation(400)
    judge = PerQueryScores(labels[order], {"ndcg": JUDGE[order]})
    human = PerQueryScores(labels[::4], {"ndcg": TRUE[::4], "mrr": TRUE[::4]})
    found = judge_assisted_mean(human, judge)
    assert list(found) == ["ndcg"]
    expected = judge_assisted_mean(HUMAN, JUDGE)
    assert found["ndcg"].low == pytest.approx(expected.low)


def test_series_are_in_one_order():
    pandas = pytest.importorskip("pandas")
    human = pandas.Series(HUMAN, [f"q{i}" for i in range(400)])
    judge = pandas.Series(JUDGE, human.index)
    assert judge_assisted_mean(human, judge).n_human == 100
    with pytest.raises(ValueError, match=r"order"):
        judge_assisted_mean(human, judge[::-1])


def test_clusters_widen_it():
    codes = np.repeat(np.arange(100), 4)
    offset = np.repeat(RNG.normal(size=100), 4)
    human = np.where(codes % 2 == 0, TRUE + offset, np.nan)
    plain = judge_assisted_mean(human, JUDGE + offset)
    found = judge_assisted_mean(human, JUDGE + offset, clusters=codes)
    assert found.standard_error > 1.5 * plain.standard_error


def test_it_covers_as_often_as_it_says():
    rng = np.random.default_rng(0)
    covers = 0
    for _ in range(400):
        true = rng.uniform(size=500) ** 3
        judge = 0.5 * true + 0.3 + rng.normal(0, 0.1, 500)
        human = np.where(rng.permutation(500) < 60, true, np.nan)
        found = judge_assisted_mean(human, judge)
        covers += found.low <= 0.25 <= found.high
    assert covers / 400 == pytest.approx(0.95, abs=0.035)


def test_few_human_values_are_told():
    few = np.where(np.arange(400) < 20, TRUE, np.nan)
    with pytest.warns(UserWarning, match="human values of 20"):
        judge_assisted_mean(few, JUDGE)


@pytest.mark.parametrize(
    ("human", "judge", "message"),
    [
        ([0.1], [0.1, 0.2], "`human` has 1 values and `judge` 2"),
        ([0.1, np.nan], [0.1, 0.2], "1 human values in 1 cluster"),
        (PerQueryScores([1], {"a": [1]}), [0.1], "both as arrays"),
        (PerQueryScores([1], {"a": [1]}), PerQueryScores([1], {"b": [1]}), "in common"),
        (
            PerQueryScores([1, 3], {"a": [1, 1]}),
            PerQueryScores([1, 2], {"a": [1, 1]}),
            "such as 3; the judge must grade all",
        ),
        (
            PerQueryScores([1, 1], {"a": [1, 1]}),
            PerQueryScores([1, 2], {"a": [1, 1]}),
            "more than once",
        ),
        (
            PerQueryScores([1, 2], {"a": [1, 1]}),
            PerQueryScores([1, 2], {"a": [1, 1]}, {"a": [1, 2]}),
            "have weights",
        ),
    ],
)
def test_what_is_refused(human, judge, message):
    with pytest.raises(ValueError, match=message):
        judge_assisted_mean(human, judge)


def test_clusters_are_those_of_the_queries_of_the_judge():
    pd = pytest.importorskip("pandas")
    scores = PerQueryScores(np.arange(7, 407), {"a": JUDGE})
    clusters = np.arange(400) // 2
    expected = judge_assisted_mean(scores, scores, clusters=clusters)
    fitting = pd.Series(clusters, index=scores.groups)
    assert judge_assisted_mean(scores, scores, clusters=fitting) == expected
    other = pd.Series(clusters, index=scores.groups + 400)
    with pytest.raises(ValueError, match="groups and clusters have different labels"):
        judge_assisted_mean(scores, scores, clusters=other)


def test_each_sum_has_the_shares_of_its_own_clusters():
    """By loops over users: the residuals of both ratios, each with its own leverage."""
    rng = np.random.default_rng(0)
    users = np.sort(rng.integers(0, 70, 400))
    true = rng.uniform(size=400) + 0.2 * rng.normal(size=70)[users]
    judge = true + 0.1 + rng.normal(0, 0.05, 400)
    human = np.where((users % 7 > 0) & (rng.random(400) < 0.7), true, np.nan)
    found = judge_assisted_mean(human, judge, clusters=users)
    is_human = ~np.isnan(human)
    bias = np.mean((human - judge)[is_human])
    square, shares = 0.0, []
    for user in np.unique(users):
        own = users == user
        h = own.mean()
        adds = np.sum(judge[own] - judge.mean()) / 400 / np.sqrt(1 - h)
        h = np.sum(own & is_human) / is_human.sum()
        apart = np.sum((human - judge - bias)[own & is_human]) / is_human.sum()
        square += (adds + apart / np.sqrt(1 - h)) ** 2
        shares.append(h)
    h = np.array(shares)
    alone = h**2 / (1 - h)
    df = 1 / (np.sum(h**2) + alone.sum() ** 2 - np.sum(alone**2))
    assert found.mean == pytest.approx(judge.mean() + bias)
    assert found.standard_error == pytest.approx(np.sqrt(square))
    assert found.df == pytest.approx(df)
    assert found.df < np.sum(h > 0) - 1
