"""Means from the values of a judge and a sample of human ones."""

import numpy as np
import pytest

from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.statistics import confidence_interval, judge_assisted_mean

RNG = np.random.default_rng(0)
TRUE = RNG.uniform(size=400)
JUDGE = TRUE + 0.1 + RNG.normal(0, 0.1, 400)
HUMAN = np.where(np.arange(400) % 4 == 0, TRUE, np.nan)


def by_loops(human, judge, probability, clusters):
    """Return values of queries: least squares over the queries of other clusters."""
    is_human = ~np.isnan(human)
    h = np.where(is_human, 1 / probability, 0.0)
    values = h * np.where(is_human, human, 0.0)
    found = np.empty(len(judge))
    for i in range(len(judge)):
        others = clusters != clusters[i]
        columns = np.column_stack([np.ones(len(judge)), 1 - h, judge - h * judge])
        slopes = np.linalg.lstsq(columns[others], values[others], rcond=None)[0]
        found[i] = values[i] - columns[i, 1:] @ slopes[1:]
    return found


def test_a_printed_example():
    human = np.array([0.2, 0.9, 0.5, 0.4, 0.7, *[np.nan] * 5])
    judge = [0.3, 0.7, 0.6, 0.5, 0.6, 0.4, 0.9, 0.1, 0.5, 0.8]
    with pytest.warns(UserWarning, match="human values of 5"):
        found = judge_assisted_mean(human, judge)
    assert (found.mean, found.standard_error) == pytest.approx(
        (0.521826, 0.140278), abs=5e-7
    )
    assert (found.low, found.high) == pytest.approx((0.132352, 0.911300), abs=5e-7)
    assert (found.df, found.n_effective) == pytest.approx((4, 5))
    assert found.weight == pytest.approx(0.603175, abs=5e-7)
    values = by_loops(human, np.array(judge), 0.5, np.arange(10))
    assert values[:3] == pytest.approx([-0.1625, 1.288983, 0.408108], abs=5e-7)
    probability = [0.25, 0.5, 0.5, 0.5, 0.5, *[np.nan] * 5]  # only those of people count
    with pytest.warns(UserWarning, match="human values of 5"):
        found = judge_assisted_mean(human, judge, probability=probability)
    assert (found.mean, found.standard_error) == pytest.approx(
        (0.449399, 0.198632), abs=5e-7
    )


@pytest.mark.parametrize("n_users", [70, 400])
def test_each_query_has_the_slopes_of_the_other_clusters(n_users):
    rng = np.random.default_rng(n_users)
    users = np.sort(rng.integers(0, n_users, 400)) if n_users < 400 else np.arange(400)
    probability = rng.uniform(0.1, 0.9, 400)
    human = np.where(rng.random(400) < probability, TRUE, np.nan)
    found = judge_assisted_mean(human, JUDGE, probability=probability, clusters=users)
    values = by_loops(human, JUDGE, probability, users)
    expected = confidence_interval(values, clusters=users)
    assert found.mean == pytest.approx(expected.mean, rel=1e-9)
    assert found.standard_error == pytest.approx(expected.standard_error, rel=1e-9)
    of_people = confidence_interval(human, clusters=users)
    assert found.df == pytest.approx(min(expected.df, of_people.df))
    is_human = ~np.isnan(human)
    assert found.bias == pytest.approx(np.mean((JUDGE - TRUE)[is_human]))
    assert (found.n_queries, found.n_human) == (400, is_human.sum())


def test_the_weight_is_1_for_a_judge_who_is_only_biased_and_0_for_a_coin():
    found = judge_assisted_mean(HUMAN, TRUE + 0.3)
    assert found.weight == pytest.approx(1, abs=0.02)
    assert found.mean == pytest.approx(TRUE.mean(), abs=0.002)
    coin = np.random.default_rng(1).normal(size=400)
    assert abs(judge_assisted_mean(HUMAN, coin).weight) < 0.1
    alone = confidence_interval(HUMAN)
    for judge in (coin, np.full(400, 0.1)):
        found = judge_assisted_mean(HUMAN, judge)
        assert found.mean == pytest.approx(alone.mean, abs=0.01)
        assert found.standard_error < 1.1 * alone.standard_error


def test_human_values_of_all_are_all_that_counts():
    found = judge_assisted_mean(TRUE, JUDGE)
    alone = confidence_interval(TRUE, method="t")
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
        ([0.1, np.nan], [0.1, 0.2], "1 human values in 1 cluster.s.; it needs two"),
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


@pytest.mark.parametrize(
    ("probability", "message"),
    [
        (0, r"`probability` has 100 missing or impossible value\(s\), .* at 0 \(0.0\)"),
        (1.5, "above 0 and at most 1"),
        (np.full(400, np.nan), "give the chance of each query with a grade"),
        ([0.5, 0.5], r"shape \(2,\); give one number, or one per query, shape \(400,\)"),
    ],
)
def test_impossible_probabilities(probability, message):
    with pytest.raises(ValueError, match=message):
        judge_assisted_mean(HUMAN, JUDGE, probability=probability)


def test_undefined_queries_of_the_judge_leave_with_their_probability():
    judge = np.where(np.arange(400) % 10, JUDGE, np.nan)
    probability = np.where(np.arange(400) % 10, 0.25, np.nan)
    found = judge_assisted_mean(HUMAN, judge, probability=probability)
    is_used = ~np.isnan(judge)
    expected = judge_assisted_mean(HUMAN[is_used], judge[is_used], probability=0.25)
    assert found == expected
