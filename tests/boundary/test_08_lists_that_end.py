"""Metrics of the whole catalogue need its size where lists end."""

import re
from itertools import product

import numpy as np
import pytest

from sklearn_rank.distributed import QueryScorer
from sklearn_rank.inputs import from_frames, from_item_lists
from sklearn_rank.metrics import (
    PerQueryDisplay,
    accuracy_at_k_score,
    fallout_at_k_score,
    make_ranking_scorer,
    make_recommender_scorer,
    mean_rank_score,
    per_query_scores,
    ranking_report,
    ranking_scores,
    roc_auc_per_query_score,
)

CALLED = {
    "auc": roc_auc_per_query_score,
    "mean_rank": mean_rank_score,
    "fallout": fallout_at_k_score,
    "accuracy": accuracy_at_k_score,
}
ENDING = from_item_lists({"u": {"b", "z"}}, {"u": ["a", "b", "c"]})
FULL = from_item_lists({"u": {"b", "z"}}, {"u": ["a", "b", "c", "z"]})


def plain_auc(listed, relevant, items):
    """Return the share of pairs in order; items in no list tie below all others."""
    place = {item: -rank for rank, item in enumerate(listed)}
    won = [
        (place.get(good, -np.inf) > place.get(bad, -np.inf))
        + (place.get(good, -np.inf) == place.get(bad, -np.inf)) / 2
        for good, bad in product(relevant, set(items) - set(relevant))
    ]
    return sum(won) / len(won)


def test_acceptance_example():
    message = (
        "auc needs all items of the catalogue, but 1 relevant item(s) are in no list. Give "
        "n_items=, the size of the catalogue, or use a metric of the first ranks, such as "
        "'ndcg@10'."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        roc_auc_per_query_score(**ENDING)
    # Of 8 irrelevant items b is above 7, and z, in no list, ties with 6: (7 + 3) / 16.
    assert roc_auc_per_query_score(**ENDING, n_items=10) == 0.625
    assert plain_auc(list("abc"), ["b", "z"], "abcdefghiz") == 0.625


@pytest.mark.parametrize("name", ["accuracy@3", "accuracy_at_3", "Accuracy(k=3)"])
def test_accuracy_at_a_rank_has_two_meanings(name):
    message = (
        f"{name!r} has two meanings. Write 'hit_rate@3' for the share of queries with a "
        "relevant item in the first 3, as MTEB and sentence-transformers do, or "
        "'accuracy(n_items=...)@3' for the share of all items that are classified "
        "correctly (n_items=None: of the rows)."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        ranking_scores(**ENDING, metrics=name)
    # The lines that it names, by hand: b is one hit of three, z is missed among 10.
    found = ranking_scores(**ENDING, metrics=["hit_rate@3", "accuracy(n_items=10)@3"])
    assert list(found.values()) == [1, 0.7]
    assert (
        accuracy_at_k_score(**FULL, k=3)
        == ranking_scores(**FULL, metrics="accuracy(n_items=None)@3").popitem()[1]
    )
    with pytest.raises(ValueError, match=r"^accuracy\(k=None\) needs all items"):
        ranking_scores(**ENDING, metrics="accuracy(k=None)")


@pytest.mark.parametrize("name", CALLED)
def test_every_metric_of_the_catalogue(name):
    with pytest.raises(ValueError, match=f"{name} needs all items .* Give n_items="):
        CALLED[name](**ENDING)
    with pytest.raises(ValueError, match=re.escape(f"Give '{name}(n_items=...)'")):
        ranking_scores(**ENDING, metrics=name)
    by_name = ranking_scores(**ENDING, metrics=f"{name}(n_items=10)")
    assert list(by_name.values()) == [CALLED[name](**ENDING, n_items=10)]


def test_values_by_hand():
    # b has rank 2, and z shares the ranks 4 to 10.
    assert mean_rank_score(**ENDING, n_items=10) == (2 + 7) / 2
    assert mean_rank_score(**ENDING, n_items=10, percentile=True) == (4.5 - 1) / 9
    assert fallout_at_k_score(**ENDING, n_items=10, k=2) == 1 / 8
    assert accuracy_at_k_score(**ENDING, n_items=10, k=2) == 8 / 10


@pytest.mark.parametrize("ties", ["average", "worst", "best", "first"])
@pytest.mark.parametrize("seed", range(5))
def test_plain_loop(seed, ties):
    rng = np.random.default_rng(seed)
    items = list(range(30))
    listed, relevant = (
        {user: rng.permutation(items)[:n_items].tolist() for user in "abc"}
        for n_items in (rng.integers(1, 12), 4)
    )
    rows = from_item_lists(relevant, listed)
    found = per_query_scores(**rows, metrics="auc(n_items=30)", ties=ties)
    expected = [plain_auc(listed[user], relevant[user], items) for user in "abc"]
    assert next(iter(found.scores.values())) == pytest.approx(expected)


@pytest.mark.parametrize("name", CALLED)
def test_size_says_what_a_grid_says(name):
    y_true = [[0, 1, 0, 1, 0, 0, 0, 0]]
    y_score = [[4, 3, 2] + [-np.inf] * 5]
    grid = CALLED[name](y_true, y_score)
    rows = from_item_lists({"u": [1, 3]}, {"u": [0, 1, 2]})
    assert CALLED[name](**rows, n_items=8) == pytest.approx(grid)


def test_lists_without_missed_items_and_judged_rows_pass():
    assert roc_auc_per_query_score(**FULL) == 0.25
    rows = from_item_lists({"u": {"b": 1, "z": 1, "a": 0}}, {"u": ["a", "b", "c"]})
    roc_auc_per_query_score(**rows)  # a judged irrelevant row: somebody knows the pool
    roc_auc_per_query_score([1, 0, 1], [2, 1, -np.inf], groups=[1, 1, 1])
    ranking_scores(**ENDING, metrics=["ndcg", "map", "mrr", "recall@2"])


def test_size_that_is_too_small():
    with pytest.raises(ValueError, match="`n_items` is 3, but query u has 4 rows"):
        roc_auc_per_query_score(**ENDING, n_items=3)
    with pytest.raises(TypeError, match="`n_items` must be an integer"):
        roc_auc_per_query_score(**ENDING, n_items=3.5)


def test_entrances():
    message = re.escape("Give 'auc(n_items=...)'")
    with pytest.raises(ValueError, match=message):
        per_query_scores(**ENDING, metrics="auc")
    with pytest.raises(ValueError, match=message):
        ranking_report(**ENDING, metrics="auc")
    ranking_report(**ENDING, metrics="auc(n_items=10)")
    make_ranking_scorer("auc", n_items=10)


def test_tables():
    pd = pytest.importorskip("pandas")
    truth = pd.DataFrame({"user": ["u", "u"], "item": ["b", "z"]})
    lists = pd.DataFrame({"user": ["u"] * 3, "item": list("abc"), "rank": [1, 2, 3]})
    rows = from_frames(truth, lists, user="user", item="item", rank="rank")
    assert roc_auc_per_query_score(**rows, n_items=10) == 0.625
    table = pd.DataFrame({"q": rows.groups, "y": rows.y_true, "s": rows.y_score})
    columns = {"groups": "q", "y_true": "y", "y_score": "s"}
    with pytest.raises(ValueError, match=re.escape("'auc(n_items=...)'")):
        QueryScorer("auc", **columns)(table)
    found = QueryScorer("auc(n_items=10)", **columns)(table)
    assert found["auc(n_items=10)"].tolist() == [0.625]


def test_recommenders_rank_their_whole_catalogue():
    pytest.importorskip("matplotlib")
    from sklearn_rank.datasets import make_interactions
    from sklearn_rank.recommenders import PopularityRecommender

    log = make_interactions(
        n_users=50, n_items=60, n_interactions=600, random_state=0, as_frame=True
    )
    columns = {"user": "user", "item": "item"}
    model = PopularityRecommender(**columns).fit(log[:300])
    score = make_recommender_scorer("auc", **columns)(model, log[300:])
    display = PerQueryDisplay.from_estimator(model, log[300:], metrics="auc", **columns)
    assert np.nanmean(display.scores) == pytest.approx(score)


def test_grades_of_lists_are_plain_arrays_to_users():
    grades = ENDING.y_true
    assert repr(grades) == repr(np.asarray(grades))
    assert type(grades > 0) is np.ndarray
    assert type(grades + 1) is np.ndarray
    assert isinstance(grades.sum(), float)
    assert type(grades.max()) is np.float64


def test_rows_that_were_not_retrieved_are_all_items():
    """Their grades say that they are no lists: each row is there, with a score of -inf."""
    y_true, y_score = [1, 0, 0, 0, 1, 0], [1.0, -np.inf, 0.0, 0.5, 0.2, -np.inf]
    found = accuracy_at_k_score(y_true, y_score, groups=[0, 0, 0, 1, 1, 1], k=1)
    assert found == np.mean([3 / 3, 1 / 3])
