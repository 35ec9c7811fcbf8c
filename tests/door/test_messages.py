"""What people type at first, and what the error says or what is read instead."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

from sklearn_rank.distributed import QueryScorer, UserLists
from sklearn_rank.inputs import from_frames, from_item_lists, from_runs, make_pool
from sklearn_rank.metrics import (
    Catalogue,
    explain_difference,
    hit_rate_at_k_score,
    make_ranking_scorer,
    make_recommender_scorer,
    mean_reciprocal_rank_score,
    ndcg_score,
    novelty_at_k_score,
    per_query_scores,
    popularity_at_k_score,
    precision_at_k_score,
    ranking_scores,
    recall_at_k_score,
)
from sklearn_rank.online import compare_variant_sums, compare_variants
from sklearn_rank.rankers import GroupRanker
from sklearn_rank.recommenders import PopularityRecommender
from sklearn_rank.statistics import compare_models

TWICE = {"u": ["a", "a", "b"]}
GRADES, SCORES = [3, 2, 0], [0.1, 0.2, 0.3]


# Lists of ids.


@pytest.mark.parametrize(
    "call",
    [
        lambda **how: from_item_lists({"u": ["b"]}, TWICE, **how),
        lambda **how: from_frames(
            pd.DataFrame({"user": ["u"], "item": ["b"]}),
            pd.DataFrame({"user": ["u"] * 3, "item": TWICE["u"], "rank": [1, 2, 3]}),
            user="user",
            item="item",
            rank="rank",
            **how,
        ),
    ],
)
def test_an_item_that_is_named_twice(call):
    with pytest.raises(ValueError, match=r"'a' twice .* Or give duplicates='first' \(the"):
        call()
    assert call(duplicates="first").y_true.sum() == 1


def test_a_recommender_that_repeats_an_item_has_no_such_option():
    class Repeats(PopularityRecommender):
        def recommend(self, users, k=10, **options):
            return [["tea", "tea"] for _ in users]

    model = Repeats().fit([["ann", "tea"], ["bob", "jam"]])
    with pytest.raises(ValueError, match="twice") as raised:
        make_recommender_scorer("mrr")(model, [["ann", "jam"]])
    assert "duplicates=" not in str(raised.value)


@pytest.mark.parametrize(
    ("y_true", "y_pred"),
    [
        ([["a", "b"], ["c"]], [["a"], ["d"]]),
        ([["a"], ["c"]], [["a"], ["d"]]),
        ({"u": ["a"]}, {"u": ["a"]}),
        ([{"a"}], [["a"]]),
        ([[1, 2], [3]], [[1, 4], [2]]),
    ],
)
def test_lists_of_ids_as_arguments_of_a_metric(y_true, y_pred):
    message = r"If these are ids, pass \*\*from_item_lists\(y_true, y_pred\).* grades: {"
    with pytest.raises(ValueError, match=message):
        recall_at_k_score(y_true, y_pred)
    assert 0 <= recall_at_k_score(**from_item_lists(y_true, y_pred)) <= 1


def test_an_array_of_another_type_is_no_list_of_ids():
    with pytest.raises(ValueError, match="must hold numbers") as raised:
        ndcg_score(np.array([[1j, 0]]), [[1, 2]])
    assert "from_item_lists" not in str(raised.value)


def test_one_query_in_one_dimension():
    with pytest.raises(ValueError, match=r"For one query pass \[y_true\] and \[y_score\]"):
        ndcg_score(GRADES, SCORES)
    assert ndcg_score([GRADES], [SCORES]) == ndcg_score(GRADES, SCORES, groups=[0] * 3)


def test_sizes_of_queries_as_groups():
    groups = [1, 2]
    message = (
        r"give one label per row, such as np\.repeat\(np\.arange\(2\), groups\) for sizes"
    )
    with pytest.raises(ValueError, match=message):
        ndcg_score(GRADES, SCORES, groups=groups)
    labels = np.repeat(np.arange(2), groups)
    assert 0 < ndcg_score(GRADES, SCORES, groups=labels) <= 1
    ranker = GroupRanker(Ridge())
    message = (
        r"give one value per row, such as np\.repeat\(np\.arange\(2\), groups\) for sizes"
    )
    with pytest.raises(ValueError, match=message):
        ranker.fit(np.ones((4, 2)), [1, 0, 1, 0], groups=[2, 2])
    with pytest.raises(ValueError, match=r"give one label per row\.$"):
        ndcg_score(GRADES, SCORES, groups=["a", "b"])


def test_one_run_for_several():
    truth, run = {"u": ["a"]}, {"u": {"a": 1.0}}
    with pytest.raises(TypeError, match=r"or this one to from_item_lists\(y_true, run\)"):
        from_runs(truth, run)
    assert from_item_lists(truth, run).y_true.tolist() == [1]


# Values of several seeds, sums of variants, pools.


def test_values_of_several_seeds():
    rng = np.random.default_rng(0)
    seeds = {name: rng.random((3, 20)) for name in "ab"}
    for values in (seeds, {name: list(of) for name, of in seeds.items()}):
        with pytest.raises(ValueError, match=r"20 repeats of 3 .*; give np\.transpose"):
            compare_models(values)
    tables = {name: np.transpose(of) for name, of in seeds.items()}
    assert compare_models(tables).rows()[0].n_repeats == (3, 3)
    with pytest.raises(ValueError, match="must hold numbers") as raised:
        compare_models({"a": ["x"], "b": ["y"]})
    assert "repeat" not in str(raised.value)


def test_counts_of_successes_are_the_outcomes_0_and_1():
    sums = {"a": {"n": 200, "successes": 30}, "b": {"n": 220, "successes": 44}}
    found = compare_variant_sums(sums, control="a").to_frame()
    outcome = [1] * 30 + [0] * 170 + [1] * 44 + [0] * 176
    variant = ["a"] * 200 + ["b"] * 220
    expected = compare_variants(outcome, variant, control="a").to_frame()
    for name in ("difference", "low", "high", "p_value"):
        assert found[name].iloc[0] == pytest.approx(expected[name].iloc[0], rel=1e-12)
    with pytest.raises(ValueError, match="a number from 0 to n = 5"):
        compare_variant_sums({"a": {"n": 5, "successes": 6}, "b": sums["b"]}, control="b")


def test_a_pool_of_scores_takes_the_highest():
    scores = {"q": {"low": 1.0, "high": 3.0, "never": -math.inf, "mid": 2.0}}
    pairs = {"q": list(scores["q"].items())}
    for run in (scores, pairs):
        pool = make_pool({"a": run}, depth=2)
        assert pool["items"].tolist() == ["high", "mid"]
        assert make_pool({"a": run}, depth=9, judged={"q": ["mid"]}).n_runs.sum() == 2
    listed = make_pool({"a": {"q": ["high", "mid"]}, "b": scores}, depth=2)
    assert listed.n_runs.tolist() == [2, 2]


# Scorers, names of metrics, parts of a catalogue.


def test_a_scorer_of_rows_for_a_recommender():
    X = [["ann", "tea"], ["bob", "jam"], ["bob", "tea"]]
    model = PopularityRecommender().fit(X)
    message = r"lists of PopularityRecommender use make_recommender_scorer\('ndcg@10'\)\."
    with pytest.raises(ValueError, match=message):
        make_ranking_scorer("ndcg@10")(model, X, [1, 1, 1])
    assert make_recommender_scorer("ndcg@10")(model, [["ann", "jam"]]) == 1


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("ndcg10", "ndcg@10"),
        ("recall5", "recall@5"),
        ("success5", "hit_rate@5"),
        ("Hit-Rate10", "hit_rate@10"),
        ("R-Precision", "r_precision"),
        ("ERR@20", "err@20"),
        ("top_k_accuracy@3", "hit_rate@3"),
        ("capped_recall@2", "recall(denominator='attainable')@2"),
        ("precision@10-l2", "precision(min_relevance=2)@10"),
    ],
)
def test_names_that_are_read(given, name):
    rows = [[0, 1, 1, 0, 3]], [[5, 4, 3, 2, 1]]
    value = ranking_scores(*rows, metrics=name)[name]
    assert ranking_scores(*rows, metrics=given) == {given: value}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("f2", "Unknown"),  # another measure than F1 at 2
        ("rbp95", "Unknown"),  # the persistence, not the cutoff
        ("apk5", "Unknown"),  # its meaning has a cutoff
        ("auc10", "Unknown"),
        ("mrr0", "Unknown"),
        ("ndcg10@5", "Unknown"),
        ("ndcg-10", "'-10' comes after"),
        ("ARHR", "with one relevant item it is 'mrr@k'"),
        ("diversity", "intra_list_distance@k"),
    ],
)
def test_names_that_might_be_misread_are_refused(name, said):
    with pytest.raises(ValueError, match=said):
        ranking_scores([[1, 0]], [[2, 1]], metrics=name)


def test_the_popularity_belongs_in_a_catalogue():
    rows = {"y_true": [0, 1], "y_score": [2, 1], "groups": [0, 0], "items": ["a", "b"]}
    message = r"give it as `popularity` of a catalogue: catalogue=Catalogue\(popularity="
    with pytest.raises(TypeError, match=message):
        ranking_scores(**rows, metrics="novelty@10", popularity={"a": 3})


def test_metrics_that_count_interactions_take_counts():
    rows = {"y_true": [0, 1], "y_score": [2, 1], "groups": [0, 0], "items": ["a", "b"]}
    counts = {"a": 6, "b": 2}
    catalogue = Catalogue(counts=counts)
    expected = -(math.log2(6 / 8) + math.log2(2 / 8)) / 2
    name = "novelty(count='interactions')@2"
    found = ranking_scores(**rows, metrics=name, catalogue=catalogue)[name]
    assert found == pytest.approx(expected)
    how = {"popularity": counts, "count": "interactions", "k": 2}
    assert novelty_at_k_score(**rows, **how) == found
    # An item may have more interactions than there are users.
    assert novelty_at_k_score(**rows, **how, n_users=2) == found
    assert popularity_at_k_score(**rows, **how) == 4
    with pytest.raises(ValueError, match="needs the number of users of each item"):
        ranking_scores(**rows, metrics="popularity@2", catalogue=catalogue)


# What other programs do with the rows.


class OtherPrograms:
    """Lists of 12 rows with ties; four queries of 30 have no list."""

    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 3, (30, 12))
    y_score = np.round(rng.random((30, 12)) * 4) / 4
    y_score[rng.random((30, 12)) < 0.3] = -np.inf
    y_score[:4] = -np.inf
    is_shown = y_score > -np.inf
    has_list = is_shown.any(axis=1)


def explain(theirs, metric):
    o = OtherPrograms
    groups = np.repeat(np.arange(30), 12)
    grid = explain_difference(o.y_true, o.y_score, theirs=theirs, metric=metric)
    rows = o.y_true.ravel(), o.y_score.ravel()
    flat = explain_difference(*rows, groups=groups, theirs=theirs, metric=metric)
    assert grid.found == flat.found
    return flat.found


def test_explanations_of_what_other_programs_do():
    o = OtherPrograms
    kept = o.y_true[o.has_list], o.y_score[o.has_list]
    left_out = ("queries without a list left out",)
    assert explain(ndcg_score(*kept, k=10), "ndcg@10") == [left_out]
    by_query = per_query_scores(*kept, metrics="ndcg@10").scores["ndcg@10"]
    theirs = dict(zip(np.flatnonzero(o.has_list), by_query, strict=True))
    assert explain(theirs, "ndcg@10") == [left_out]
    turned = o.y_true[:, ::-1], o.y_score[:, ::-1]
    last = ndcg_score(*turned, k=10, ties="first")
    assert explain(last, "ndcg@10") == [("tied rows in reversed order",)]
    shown = np.where(o.is_shown, o.y_true, 0), o.y_score
    ideal = ndcg_score(*shown, replace_undefined_by=0)
    assert ("ideal='retrieved'",) in explain(ideal, "ndcg")
    assert explain(mean_reciprocal_rank_score(o.y_true, o.y_score, k=1), "mrr@10")
    assert ("k=7",) in explain(hit_rate_at_k_score(o.y_true, o.y_score, k=7), "hit_rate@3")


def test_a_precision_divided_by_the_rows_of_a_short_list():
    o = OtherPrograms
    sizes = np.clip(o.is_shown.sum(axis=1), 1, 10)
    values = [
        precision_at_k_score([y], [score], k=10) * 10 / size
        for y, score, size in zip(o.y_true, o.y_score, sizes, strict=True)
    ]
    assert ("denominator='list'",) in explain(np.mean(values), "precision@10")
    assert ("denominator='list'",) in explain(dict(enumerate(values)), "precision@10")


def test_no_relevant_row_gives_no_precision_to_divide():
    found = explain_difference([[0, 0]], [[2, 1]], theirs=0.5, metric="precision@5")
    assert not any("list" in text for one in found.found for text in one)


# Functions of tables.


def test_functions_of_tables_have_a_name_and_take_the_key_of_a_group():
    rows = pd.DataFrame({"user": [1, 1, 2], "grade": [0, 1, 1], "score": [3.0, 2.0, 1.0]})
    scorer = QueryScorer("mrr", groups="user", y_true="grade", y_score="score")
    assert scorer.__name__ == QueryScorer.__name__ == "QueryScorer"
    assert UserLists.__name__ == "UserLists"
    pd.testing.assert_frame_equal(scorer(("any",), rows), scorer(rows))
    with pytest.raises(TypeError, match="QueryScorer takes a table, or a key and a table"):
        scorer(1, rows, rows)
    polars = pytest.importorskip("polars")
    groups = polars.from_pandas(rows).group_by("user", maintain_order=True)
    assert groups.map_groups(scorer)["mrr"].to_list() == [0.5, 1.0]
