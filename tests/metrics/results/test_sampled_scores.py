"""Metrics of sampled negatives: the estimators against what defines them.

M(r) is the metric at rank r of the whole catalogue and E(s) the estimate at rank s of the
sample. Of n - 1 other items, m are sampled without replacement.
"""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank.metrics import (
    per_query_scores,
    ranking_scores,
    sampled_per_query_scores,
    sampled_ranking_scores,
)
from sklearn_rank.statistics import confidence_interval

METRICS = ["ndcg@3", "mrr", "hit_rate@2", "map@4", "auc", "mean_rank"]
SIZES = [(12, 4), (12, 11), (7, 1), (30, 9)]

each_metric = pytest.mark.parametrize("metric", METRICS)
each_size = pytest.mark.parametrize(("n_items", "n_negatives"), SIZES)


def one_relevant_at_each_rank(length):
    """Return one query a rank: the relevant row stands at rank 1, 2, ..., `length`."""
    groups = np.repeat(np.arange(length), length)
    y_score = np.tile(-np.arange(float(length)), length)
    return {"y_true": np.eye(length).ravel(), "y_score": y_score, "groups": groups}


def complete(metric, n_items):
    """Return M(1), ..., M(n)."""
    rows = one_relevant_at_each_rank(n_items)
    return per_query_scores(**rows, metrics=[metric]).scores[metric]


def estimated(metric, n_items, n_negatives, **arguments):
    """Return E(1), ..., E(m + 1)."""
    scored = sampled_per_query_scores(
        **one_relevant_at_each_rank(n_negatives + 1),
        metrics=[metric],
        n_negatives=n_negatives,
        n_items=n_items,
        **arguments,
    )
    return scored.scores[metric]


def chance(s, r, n_items, n_negatives):
    """Return the probability of rank s in the sample for rank r of the catalogue."""
    above, below = s - 1, n_negatives - (s - 1)
    ways = comb(r - 1, above) * comb(n_items - r, below)
    return ways / comb(n_items - 1, n_negatives)


def chances(n_items, n_negatives):
    """Return P[r - 1][s - 1]."""
    return [
        [chance(s, r, n_items, n_negatives) for s in range(1, n_negatives + 2)]
        for r in range(1, n_items + 1)
    ]


@each_metric
@each_size
def test_rank_is_the_metric_at_the_expected_rank(metric, n_items, n_negatives):
    ranks = [1 + place * (n_items - 1) / n_negatives for place in range(n_negatives + 1)]
    expected = np.interp(ranks, np.arange(1, n_items + 1), complete(metric, n_items))
    actual = estimated(metric, n_items, n_negatives, estimator="rank")
    assert actual == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("metric", ["auc", "mean_rank"])
@each_size
def test_rank_is_unbiased_for_what_is_linear_in_the_rank(metric, n_items, n_negatives):
    values = estimated(metric, n_items, n_negatives, estimator="rank")
    means = np.array(chances(n_items, n_negatives)) @ values
    assert means == pytest.approx(complete(metric, n_items), rel=1e-12, abs=1e-12)


@each_metric
@each_size
def test_gamma_one_is_the_mean_over_ranks_that_were_alike(metric, n_items, n_negatives):
    values = complete(metric, n_items)
    table = chances(n_items, n_negatives)
    expected = [
        sum(row[s] * value for row, value in zip(table, values, strict=True))
        / sum(row[s] for row in table)
        for s in range(n_negatives + 1)
    ]
    actual = estimated(metric, n_items, n_negatives, estimator="bias_variance", gamma=1)
    assert actual == pytest.approx(expected, rel=1e-9)


def loss(values, wanted, table, gamma):
    """Return the sum over r of squared bias plus gamma times variance."""
    total = 0.0
    for row, value in zip(table, wanted, strict=True):
        mean = sum(p * e for p, e in zip(row, values, strict=True))
        squares = sum(p * e**2 for p, e in zip(row, values, strict=True))
        total += (mean - value) ** 2 + gamma * (squares - mean**2)
    return total


@each_metric
@each_size
@pytest.mark.parametrize(
    ("estimator", "gamma"),
    [("bias_variance", 0.1), ("bias_variance", 0.5), ("least_squares", 0.0)],
)
def test_no_other_values_lose_less(metric, n_items, n_negatives, estimator, gamma):
    """A step in any direction is no gain; least squares stays within the range of M."""
    wanted, table = complete(metric, n_items), chances(n_items, n_negatives)
    arguments = {"gamma": gamma} if gamma else {}
    values = estimated(metric, n_items, n_negatives, estimator=estimator, **arguments)
    least = loss(values, wanted, table, gamma)
    bounded = estimator == "least_squares"
    low, high = wanted.min(), wanted.max()
    if bounded:
        assert low - 1e-12 <= values.min() <= values.max() <= high + 1e-12
    rng = np.random.default_rng(0)
    steps = [*np.eye(n_negatives + 1), *rng.normal(size=(60, n_negatives + 1))]
    for step in steps:
        for size in (1e-3, -1e-3, 0.1, -0.1):
            other = values + size * step
            if bounded:
                other = other.clip(low, high)
            assert loss(other, wanted, table, gamma) >= least - 1e-10 * max(1, least)


@pytest.mark.parametrize("estimator", ["rank", "bias_variance", "least_squares"])
@each_metric
def test_a_complete_sample_is_exact(metric, estimator):
    rows = one_relevant_at_each_rank(9)
    whole = ranking_scores(**rows, metrics=[metric])
    arguments = {"metrics": [metric], "n_negatives": 8, "n_items": 9}
    actual = sampled_ranking_scores(**rows, estimator=estimator, **arguments)
    assert actual == pytest.approx(whole, rel=1e-9)


@pytest.mark.parametrize("estimator", ["rank", "bias_variance", "least_squares"])
def test_a_metric_that_is_1_at_every_rank(estimator):
    sizes = {"n_negatives": 2, "n_items": 10}
    found = sampled_ranking_scores(
        **GOOD, **sizes, metrics="recall@10", estimator=estimator
    )
    assert found == {"recall@10": pytest.approx(1)}


@pytest.mark.parametrize("estimator", ["rank", "bias_variance", "least_squares"])
def test_ties_are_averaged_over_ranks_of_the_sample(estimator):
    values = estimated("ndcg@3", 20, 4, estimator=estimator)
    tied = sampled_ranking_scores(
        [0, 1, 0, 0, 0],
        [5.0, 3, 3, 3, 1],
        groups=[0] * 5,
        metrics="ndcg@3",
        n_negatives=4,
        n_items=20,
        estimator=estimator,
    )
    assert tied["ndcg@3"] == pytest.approx(values[1:4].mean(), rel=1e-12)


def test_means_and_weights():
    rows = one_relevant_at_each_rank(5)
    weights = np.array([1.0, 0, 2, 0, 0])[rows["groups"]]
    values = estimated("mrr", 20, 4)
    arguments = {"metrics": ["mrr"], "n_negatives": 4, "n_items": 20}
    plain = sampled_ranking_scores(**rows, **arguments)["mrr"]
    assert type(plain) is float
    assert plain == pytest.approx(values.mean())
    weighted = sampled_ranking_scores(**rows, **arguments, sample_weight=weights)["mrr"]
    assert weighted == pytest.approx((values[0] + 2 * values[2]) / 3)


def test_a_query_without_a_relevant_row_is_undefined():
    rows = {"y_true": [1, 0, 0], "y_score": [2.0, 1, 2], "groups": [0, 0, 1]}
    arguments = {"metrics": ["mrr"], "n_negatives": 1, "n_items": 2}
    with pytest.warns(UndefinedMetricWarning, match="1 of 2"):
        assert sampled_ranking_scores(**rows, **arguments)["mrr"] == pytest.approx(1)
    counted = sampled_ranking_scores(**rows, **arguments, replace_undefined_by=0.0)
    assert counted["mrr"] == pytest.approx(1 / 2)


GOOD = {"y_true": [1, 0, 0], "y_score": [3.0, 2, 1], "groups": [0, 0, 0]}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_negatives": 20}, "n_negatives.*n_items"),
        ({"n_items": 2}, "n_negatives.*n_items"),
        ({"n_negatives": 3}, "n_negatives.*3"),
        ({"n_negatives": 0}, "n_negatives"),
        ({"n_negatives": 1.5}, "n_negatives"),
        ({"n_items": 2.5}, "n_items"),
        ({"y_true": [1, 1, 0]}, "relevant"),
        ({"y_score": [-np.inf, 2, 1]}, "retrieved"),
        ({"gamma": 0}, "gamma"),
        ({"gamma": 1.5}, "gamma"),
        ({"estimator": "ranks"}, "estimator.*'rank'"),
        ({"metrics": ["ngcd@5"]}, "ndcg"),
        ({"metrics": ["novelty@5"]}, "'novelty@5' depends on more than the rank"),
    ],
)
def test_errors(changed, message):
    arguments = GOOD | {"n_negatives": 2, "n_items": 10} | changed
    with pytest.raises((TypeError, ValueError), match=message):
        sampled_ranking_scores(**arguments)


# ---- against the whole catalogue -------------------------------------------------------


@pytest.mark.filterwarnings("ignore:Relevant rows score below")
def test_the_mean_over_all_samples_is_the_expectation():
    """Every sample of 3 out of 7 other items is a query of its own."""
    n_items, n_negatives = 8, 3
    values = estimated("ndcg@3", n_items, n_negatives)
    for r in range(1, n_items + 1):
        others = [rank for rank in range(1, n_items + 1) if rank != r]
        samples = list(combinations(others, n_negatives))
        y_score = -np.array([[r, *sample] for sample in samples], dtype=float)
        mean = sampled_ranking_scores(
            np.tile([1, 0, 0, 0], (len(samples), 1)),
            y_score,
            metrics="ndcg@3",
            n_negatives=n_negatives,
            n_items=n_items,
        )
        expected = [chance(s, r, n_items, n_negatives) for s in range(1, n_negatives + 2)]
        assert mean["ndcg@3"] == pytest.approx(np.dot(expected, values), rel=1e-12)


@pytest.mark.parametrize("skill", [1, 3, 10], ids=["poor", "fair", "good"])
@pytest.mark.parametrize("estimator", ["bias_variance", "least_squares"])
def test_corrected_metrics_are_nearer_to_the_catalog(estimator, skill):
    rng = np.random.default_rng(0)
    n_users, n_items, n_negatives = 1500, 600, 50
    names = ["hit_rate@10", "ndcg@10", "mrr"]
    y_score = rng.normal(size=(n_users, n_items))
    y_score[:, 0] = rng.normal(np.log(1 + skill), 1, n_users)
    y_true = np.zeros((n_users, n_items))
    y_true[:, 0] = 1
    whole = ranking_scores(y_true, y_score, metrics=names)
    columns = rng.permuted(np.tile(np.arange(1, n_items), (n_users, 1)), axis=1)
    columns = np.c_[np.zeros(n_users, dtype=int), columns[:, :n_negatives]]
    rows = {
        "y_true": np.take_along_axis(y_true, columns, axis=1),
        "y_score": np.take_along_axis(y_score, columns, axis=1),
        "metrics": names,
    }
    naive = ranking_scores(**rows)
    sizes = {"n_negatives": n_negatives, "n_items": n_items}
    corrected = sampled_ranking_scores(**rows, **sizes, estimator=estimator)
    for name in names:
        assert abs(corrected[name] - whole[name]) < abs(naive[name] - whole[name]) / 2


# ---- forms of input --------------------------------------------------------------------


def test_sampled_items_stored_in_a_sparse_grid():
    """What is not stored was not sampled; `n_items` need not be the number of columns."""
    rng = np.random.default_rng(3)
    stored = rng.permuted(np.tile(np.arange(40) < 6, (30, 1)), axis=1)
    y_true = np.zeros((30, 40))
    y_true[np.arange(30), stored.argmax(axis=1)] = 1
    y_score = np.where(stored, rng.random((30, 40)), 0)
    arguments = {"metrics": ["ndcg@3", "mrr"], "n_negatives": 5, "n_items": 35}
    groups = np.repeat(np.arange(30), 6)
    expected = sampled_ranking_scores(
        y_true[stored], y_score[stored], groups=groups, **arguments
    )
    for truth in (y_true, sparse.csr_array(y_true)):
        actual = sampled_ranking_scores(truth, sparse.csr_array(y_score), **arguments)
        assert actual == pytest.approx(expected, rel=1e-13)
    dense = sampled_ranking_scores(y_true, np.where(stored, y_score, -np.inf), **arguments)
    assert dense == pytest.approx(expected, rel=1e-13)


def test_only_whether_a_row_is_relevant_counts():
    rows = {"y_score": [4, 3, 2, 1], "groups": [0] * 4, "n_negatives": 3, "n_items": 50}
    names = ["ndcg@10", "dcg", "recall@5", "err(max_grade=1)"]
    expected = sampled_ranking_scores([0, 1, 0, 0], metrics=names, **rows)
    assert sampled_ranking_scores([0, 3, 0, 0], metrics=names, **rows) == expected
    names = ["recall@5", "mrr"]
    params = {"metrics": names, "min_relevance": 2, **rows}
    graded = sampled_ranking_scores([1, 2, 1, 0], **params)
    assert graded == sampled_ranking_scores([0, 2, 0, 0], **params)


def test_a_large_catalog_comes_in_pieces():
    """With s of m above, all ranks alike, expect (s + 1) (n + 1) / (m + 2) - 1 of all."""
    n_items, n_negatives = 60_000, 60
    values = estimated("auc", n_items, n_negatives, gamma=1)
    above = np.arange(1, n_negatives + 2) * (n_items + 1) / (n_negatives + 2) - 1
    assert values == pytest.approx(1 - above / (n_items - 1), rel=1e-9)


@pytest.mark.parametrize("n_items", [10**8, 2**53])
def test_the_expected_rank_costs_what_the_sample_does(n_items):
    """It would not fit into memory otherwise."""
    names = ["mrr", "ndcg", "ndcg(discount='jarvelin')", "mean_rank", "auc", "rbp", "dcg@3"]
    names += ["hit_rate@7", "err", "q_measure", "map", "recall@100000000"]
    sample = one_relevant_at_each_rank(5)
    scored = sampled_per_query_scores(
        **sample, metrics=names, n_negatives=4, n_items=n_items, estimator="rank"
    ).scores
    rank = 1 + np.arange(5) * ((n_items - 1) / 4)
    assert scored["mean_rank"] == pytest.approx(rank)
    assert scored["mrr"] == pytest.approx(1 / rank)
    assert scored["ndcg"] == pytest.approx(1 / np.log2(rank + 1))
    assert scored["auc"] == pytest.approx(1 - np.arange(5) / 4)
    assert scored["hit_rate@7"].tolist() == [1, 0, 0, 0, 0]


@pytest.mark.parametrize("estimator", ["bias_variance", "least_squares"])
@pytest.mark.parametrize(
    ("n_negatives", "n_items"), [(4, 10**8), (4, 2**53), (999, 10**6 + 1), (5001, 5003)]
)
def test_a_catalog_too_large_to_go_through_is_refused(estimator, n_negatives, n_items):
    message = rf"estimator='{estimator}' goes.*`n_items` = {n_items} and.*estimator='rank'"
    with pytest.raises(ValueError, match=message):
        sampled_ranking_scores(
            [1, 0, 0, 0, 0],
            [5, 4, 3, 2, 1],
            groups=[0] * 5,
            n_negatives=n_negatives,
            n_items=n_items,
            estimator=estimator,
        )


def test_a_sample_larger_than_the_rows_is_refused_before_it_is_looked_at():
    sizes = {"n_negatives": 10**12, "n_items": 10**13, "estimator": "rank"}
    rows = {"y_score": [2.0, 1.0], "groups": [0, 0]}
    with pytest.raises(
        ValueError, match=r"Query 0 has 1 relevant rows, .* 1 irrelevant rows"
    ):
        sampled_ranking_scores([1, 0], **rows, **sizes)
    nothing = sampled_ranking_scores([0, 0], **rows, **sizes, replace_undefined_by=0.5)
    assert nothing == {"ndcg@10": 0.5}


def test_the_expected_rank_is_linear_between_ranks():
    for n_items, n_negatives in SIZES:
        for metric in METRICS:
            exact = complete(metric, n_items)
            above = np.arange(n_negatives + 1) * ((n_items - 1) / n_negatives)
            values = estimated(metric, n_items, n_negatives, estimator="rank")
            expected = np.interp(above, np.arange(n_items), exact)
            assert values == pytest.approx(expected, rel=1e-13)


def test_errors_name_the_query():
    sizes = {"n_negatives": 1, "n_items": 9}
    rows = {"y_true": [1, 0, 1, 0, 0], "y_score": [1.0] * 5, "groups": [*"aabbb"]}
    with pytest.raises(
        ValueError, match=r"Query b has 1 relevant rows, .* 2 irrelevant rows"
    ):
        sampled_ranking_scores(**rows, **sizes)
    rows = {"y_true": [1, 0, 1, 1], "y_score": [1.0] * 4, "groups": [*"bbaa"]}
    with pytest.raises(ValueError, match=r"Query a has 2 relevant rows"):
        sampled_ranking_scores(**rows, **sizes)


def test_rating_errors_need_no_correction():
    with pytest.raises(ValueError, match=r"'rmse' depends on more than .* or not on it"):
        sampled_ranking_scores(
            [1, 0], [2, 1], groups=[0, 0], metrics="rmse", n_negatives=1, n_items=2
        )


def test_estimates_of_small_bias_leave_the_range_of_the_metric():
    """So their intervals end where the formula has it, not with the range."""
    rows = one_relevant_at_each_rank(10)
    found = sampled_per_query_scores(
        **rows, metrics="hit_rate@10", n_negatives=9, n_items=100
    )
    values = found.scores["hit_rate@10"]
    assert values.min() < 0 < 1 < values.max()
    free = confidence_interval(values)
    assert free.low < 0
    assert confidence_interval(found)["hit_rate@10"] == free
