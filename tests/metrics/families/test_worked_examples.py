"""Published examples of the field, recomputed by hand."""

from math import e, isnan, log, log2, sqrt

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank.inputs import from_item_lists, from_relevance
from sklearn_rank.metrics import (
    accuracy_at_k_score,
    cg_score,
    dcg_score,
    f1_at_k_score,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
    ndcg_score,
    per_query_scores,
    precision_at_k_score,
    precision_recall_at_k_curve,
    ranking_scores,
    recall_at_k_score,
)

close = pytest.approx


def discounted(*grades, base=2):
    """Return the sum of grade / log_b(rank + 1), grades in rank order."""
    return sum(grade / log(rank + 1, base) for rank, grade in enumerate(grades, 1))


def test_01_reciprocal_rank():
    lists = from_relevance([[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    assert mean_reciprocal_rank_score(**lists) == close((1 / 3 + 1 / 2 + 1) / 3)


def test_02_reciprocal_rank_within_a_cut_off():
    lists = from_relevance([[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    assert mean_reciprocal_rank_score(**lists, k=2) == close((0 + 1 / 2 + 1) / 3)


def test_03_dcg():
    lists = from_relevance([[3, 2, 3, 0, 1, 2]])
    assert dcg_score(**lists, k=2) == close(3 + 2 / log2(3))
    assert dcg_score(**lists, k=3) == close(3 + 2 / log2(3) + 3 / 2)
    assert dcg_score(**lists, k=2) == close(4.261860, abs=5e-7)
    assert dcg_score(**lists, k=3) == close(5.761860, abs=5e-7)


def test_04_ndcg():
    lists = from_relevance([[3, 2, 3, 0, 1, 2]])
    ideal = 3 + 3 / log2(3) + 2 / 2
    assert ideal == close(5.892789, abs=5e-7)
    assert ndcg_score(**lists, k=3) == close((3 + 2 / log2(3) + 3 / 2) / ideal)
    assert ndcg_score(**lists, k=3) == close(0.977781, abs=5e-7)


def test_05_the_ideal_comes_from_the_ground_truth():
    grades = {"A": 3, "B": 3, "C": 2, "D": 2, "E": 1, "F": 1}
    lists = from_item_lists([grades, grades], [list("AECDF"), list("ABCGE")])
    ideal = discounted(3, 3, 2, 2, 1)
    expected = [discounted(3, 1, 2, 2, 1) / ideal, discounted(3, 3, 2, 0, 1) / ideal]
    scores = per_query_scores(**lists, metrics=["ndcg@5"]).scores["ndcg@5"]
    assert scores == close(expected)
    assert scores == close([0.823294, 0.879379], abs=5e-7)
    assert ndcg_score(**lists, k=5) == close(sum(expected) / 2)


def test_06_the_base_of_the_logarithm_does_not_change_ndcg():
    rng = np.random.default_rng(6)
    playlists = [set(rng.choice(500, n, replace=False)) for n in (1, 40, 99, 150)]
    recommended = [rng.permutation(500)[:100].tolist() for _ in playlists]
    lists = from_item_lists(playlists, recommended)
    natural = ndcg_score(**lists, k=100, log_base=e)
    assert natural == close(ndcg_score(**lists, k=100, log_base=2), rel=1e-13)
    by_hand = [
        discounted(*(song in songs for song in songs_heard))
        / discounted(*[1] * min(100, len(songs)))
        for songs, songs_heard in zip(playlists, recommended, strict=True)
    ]
    assert natural == close(sum(by_hand) / 4)


def test_07_precision_recall_f1_at_3():
    lists = from_item_lists([{2, 4, 6, 8}], [[1, 2, 3, 4, 5]])
    assert precision_at_k_score(**lists, k=3) == close(1 / 3)
    assert recall_at_k_score(**lists, k=3) == close(1 / 4)
    assert f1_at_k_score(**lists, k=3) == close(2 / 7)


def test_08_precision_recall_f1_at_5():
    lists = from_item_lists([{2, 4, 6, 8}], [[1, 2, 3, 4, 5]])
    assert precision_at_k_score(**lists, k=5) == close(2 / 5)
    assert recall_at_k_score(**lists, k=5) == close(2 / 4)
    assert f1_at_k_score(**lists, k=5) == close(4 / 9)


def test_09_average_precision_over_what_was_retrieved():
    lists = from_relevance([[0, 1, 0, 1, 0]])
    score = mean_average_precision_score(**lists, k=5, denominator="retrieved")
    assert score == close((1 / 2 + 2 / 4) / 2)


@pytest.mark.parametrize("gain", ["linear", "exponential"])
def test_10_binary_dcg(gain):
    lists = from_item_lists([{3, 4}], [[6, 3, 8, 4, 5]])
    found, ideal = 1 / log2(3) + 1 / log2(5), 1 + 1 / log2(3)
    assert dcg_score(**lists, k=5, gain=gain) == close(found)
    assert ndcg_score(**lists, k=5, gain=gain) == close(found / ideal)
    assert (found, ideal) == close((1.061606, 1.630930), abs=5e-7)
    assert found / ideal == close(0.650921, abs=5e-7)


def test_11_cumulative_gain_is_blind_to_order():
    late, early = from_relevance([[0, 0, 1, 1, 1]]), from_relevance([[1, 1, 1, 0, 0]])
    assert cg_score(**late) == cg_score(**early) == 3
    assert dcg_score(**late) < dcg_score(**early)


def test_12_graded_ndcg():
    lists = from_relevance([[2, 3, 3, 1, 2]])
    found, ideal = discounted(2, 3, 3, 1, 2), discounted(3, 3, 2, 2, 1)
    assert dcg_score(**lists) == close(found)
    assert ndcg_score(**lists) == close(found / ideal)
    assert (found, ideal) == close((6.597171, 7.140995), abs=5e-7)
    assert found / ideal == close(0.923845, abs=5e-7)


def test_13_no_relevant_item_is_undefined():
    lists = from_relevance([[0, 0, 0]])
    with pytest.warns(UndefinedMetricWarning):
        assert isnan(ndcg_score(**lists))
    assert ndcg_score(**lists, replace_undefined_by=0) == 0


def test_14_rating_errors_beside_ranking_metrics():
    r = np.array([0, 1, 2, 3, 4])
    scores = ranking_scores(r, r + 0.1, groups=[0] * 5, metrics=["mae", "mse", "rmse"])
    assert scores == close({"mae": 0.1, "mse": 0.01, "rmse": sqrt(0.01)})


@pytest.mark.parametrize(
    ("denominator", "divisor"), [("relevant", 8), ("attainable", 5), ("retrieved", 2)]
)
def test_15_three_average_precisions(denominator, divisor):
    lists = from_relevance([[0, 1, 0, 1, 0]], n_relevant=[8])
    score = mean_average_precision_score(**lists, k=5, denominator=denominator)
    assert score == close((1 / 2 + 2 / 4) / divisor)


def test_16_the_same_list_by_other_metrics():
    lists = from_relevance([[0, 1, 0, 1, 0]], n_relevant=[8])
    assert precision_at_k_score(**lists, k=5) == close(2 / 5)
    assert recall_at_k_score(**lists, k=5) == close(2 / 8)
    assert recall_at_k_score(**lists, k=5, denominator="attainable") == close(2 / 5)
    found, ideal = discounted(0, 1, 0, 1, 0), discounted(1, 1, 1, 1, 1)
    assert ndcg_score(**lists, k=5) == close(found / ideal)
    assert found / ideal == close(0.3601, abs=5e-5)


@pytest.mark.parametrize("place", range(4))
def test_17_all_scores_equal(place):
    y_true = np.eye(4)[place]
    query = {"y_true": y_true, "y_score": np.ones(4), "groups": [7] * 4}
    ranks = range(1, 5)
    assert precision_at_k_score(**query, k=1) == close(1 / 4)
    assert mean_reciprocal_rank_score(**query) == close(sum(1 / i for i in ranks) / 4)
    assert ndcg_score(**query) == close(sum(1 / log2(i + 1) for i in ranks) / 4)


def test_18_accuracy_rewards_recommending_nothing():
    n_items, n_relevant = 10_000, 10
    y_true = np.zeros(n_items)
    y_true[:n_relevant] = 1
    useless = np.arange(n_items, dtype=float)  # the relevant items come last
    query = {"y_true": y_true, "y_score": useless, "groups": np.zeros(n_items)}
    right = n_items - n_relevant - 10  # neither relevant nor recommended
    assert accuracy_at_k_score(**query, k=10) == close(right / n_items) == 0.998
    assert precision_at_k_score(**query, k=10) == 0
    nothing = np.full(n_items, -np.inf)
    assert accuracy_at_k_score(**query | {"y_score": nothing}, k=10) == close(0.999)


def test_19_precision_recall_curve():
    lists = from_item_lists([{2, 4, 6, 8}], [[1, 2, 3, 4, 5]])
    precision, recall, k = precision_recall_at_k_curve(**lists, max_k=5)
    assert precision == close([0, 1 / 2, 1 / 3, 2 / 4, 2 / 5])
    assert recall == close([0, 1 / 4, 1 / 4, 2 / 4, 2 / 4])
    assert k.tolist() == [1, 2, 3, 4, 5]


def test_20_jarvelin_discount_leaves_the_first_ranks_alone():
    lists = from_relevance([[1, 1, 1, 1]])
    score = dcg_score(**lists, discount="jarvelin", log_base=3)
    assert score == close(1 + 1 + 1 + 1 / log(4, 3))
    assert score == close(3.792481, abs=5e-7)
