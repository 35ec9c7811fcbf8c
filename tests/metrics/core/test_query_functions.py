"""Functions of one query as metrics: values, names, directions, errors."""

import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import GroupKFold, cross_val_score, cross_validate

from sklearn_rank.datasets import make_interactions, make_ranking
from sklearn_rank.distributed import QueryScorer
from sklearn_rank.experiments import tune_models
from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import (
    make_metric,
    make_ranking_scorer,
    make_recommender_scorer,
    per_query_scores,
    ranking_report,
    ranking_scores,
)
from sklearn_rank.model_selection import cross_validate_per_query
from sklearn_rank.rankers import GroupRanker
from sklearn_rank.recommenders import PopularityRecommender
from sklearn_rank.statistics import compare_models, confidence_interval

X, Y, GROUPS = make_ranking(n_queries=30, random_state=0)
ROWS = {"y_true": Y, "y_score": X[:, 0], "groups": GROUPS}


def top3(y_true, y_score):
    return y_true[np.argsort(-y_score, kind="stable")][:3].sum()


def first_relevant(y_true, y_score):
    ranks = np.flatnonzero(y_true[np.argsort(-y_score, kind="stable")] > 0)
    return ranks[0] + 1 if len(ranks) else np.nan


LOW = make_metric(first_relevant, lower_is_better=True, value_range=(1, 1000))


def by_loop(function):
    return [function(Y[q == GROUPS], X[q == GROUPS, 0]) for q in np.unique(GROUPS)]


def test_the_values_are_those_of_a_loop():
    found = per_query_scores(**ROWS, metrics=[top3, "ndcg@10", LOW])
    assert found["top3"].tolist() == by_loop(top3)
    assert found["first_relevant"].tolist() == by_loop(first_relevant)
    means = ranking_scores(**ROWS, metrics=["mrr", top3])
    assert list(means) == ["mrr", "top3"]
    assert means["top3"] == np.mean(by_loop(top3))


def test_folds_of_a_search():
    # By a loop over the queries of each fold.
    table = pd.DataFrame(X).rename(columns=str).assign(q=GROUPS)
    model = GroupRanker(Ridge(), groups="q")
    scorer = make_ranking_scorer(top3, groups="q")
    folds = list(GroupKFold(3).split(table, Y, GROUPS))
    expected = []
    for train, test in folds:
        scores = Ridge().fit(X[train], Y[train]).predict(X[test])
        own = GROUPS[test]
        values = [top3(Y[test][own == q], scores[own == q]) for q in np.unique(own)]
        expected.append(np.mean(values))
    found = cross_val_score(model, table, Y, cv=folds, scoring=scorer)
    assert found.tolist() == pytest.approx(expected, rel=1e-12)
    both = make_ranking_scorer([LOW, "mrr"], groups="q")
    found = cross_validate(model, table, Y, cv=folds, scoring=both)
    assert (found["test_neg_first_relevant"] < 0).all()


def test_what_a_function_gets():
    seen = []

    def mean_grade(y_true, y_score):
        seen.append((y_true.tolist(), y_score.tolist()))
        y_true[:] = 9  # its own arrays
        return 0

    groups = ["b", "a", "b", "a"]
    ranking_scores([1, np.nan, 2, 0], [4, 3, -np.inf, 1], groups=groups, metrics=mean_grade)
    assert sorted(seen) == [([0, 0], [3, 1]), ([1, 2], [4, -np.inf])]
    seen.clear()
    lists = from_item_lists({"a": ["x"]}, {"a": ["y"]})
    ranking_scores(**lists, metrics=mean_grade)
    assert seen[0][0] == [0, 1]
    assert seen[0][1][1] == -np.inf
    assert not np.signbit(seen[0][0]).any()
    seen.clear()
    grid = sparse.csr_array([[0, 1.0, 0]]), sparse.csr_array([[0.5, 0, 0]])
    ranking_scores(*grid, metrics=mean_grade)
    assert seen == [([0, 1], [0.5, -np.inf])]


def test_weights_undefined_queries_and_conventions():
    y_true, y_score, groups = [1, 0, 0, 0], [2, 1, 2, 1], ["a", "a", "b", "b"]
    rows = {"y_true": y_true, "y_score": y_score, "groups": groups}
    with pytest.warns(UserWarning, match="first_relevant"):
        assert ranking_scores(**rows, metrics=first_relevant) == {"first_relevant": 1}
    filled = {**rows, "replace_undefined_by": 3.0}
    assert ranking_scores(**filled, metrics=first_relevant) == {"first_relevant": 2}
    weighted = {**filled, "sample_weight": [3, 3, 1, 1]}
    assert ranking_scores(**weighted, metrics=first_relevant) == {"first_relevant": 1.5}
    lists = from_item_lists({"a": ["x"], "b": ["x"]}, {"a": ["x"], "b": []})
    shown = ranking_scores(**lists, metrics=[top3, "mrr"], convention="trec_eval")
    assert shown == {"top3": 1.0, "mrr": 1.0}  # queries without a list do not count
    with pytest.raises(ValueError, match="no order of tied rows"):
        ranking_scores(**rows, metrics=top3, ties="worst")


def test_direction_and_range_reach_results():
    models = {
        name: per_query_scores(Y, X[:, i], groups=GROUPS, metrics=LOW)
        for i, name in enumerate("ab")
    }
    assert "lower is better" in str(compare_models(models))
    first = per_query_scores(
        **ROWS, metrics=make_metric(lambda t, s: 1.0, name="x", value_range=(0, 1))
    )
    assert confidence_interval(first)["x"].high == 1
    unknown = ranking_report(**ROWS, metrics=top3, confidence_level=0.95, output_dict=True)
    assert unknown["top3"]["high"] > unknown["top3"]["mean"] > 1
    with pytest.raises(ValueError, match=r"top3 returned .*, outside its range: 0 to 1"):
        ranking_scores(**ROWS, metrics=make_metric(top3, value_range=(0, 1)))


def test_experiments_and_recommenders():
    log = make_interactions(100, 60, 1200, random_state=0, as_frame=True)
    options = {"models": ["popularity"], "n_candidates": 1, "time": "time"}
    tuned = tune_models(log, metrics=[top3, "precision@3"], random_state=0, **options)
    means = tuned.to_frame()
    assert means["top3"].to_numpy() == pytest.approx(3 * means["precision@3"].to_numpy())
    model = PopularityRecommender(user="user", item="item").fit(log[:1000])
    scorer = make_recommender_scorer([top3, "precision@3"])
    scores = scorer(model, log[1000:])
    assert scores["top3"] == pytest.approx(3 * scores["precision@3"], rel=1e-12)
    with pytest.raises(ValueError, match="`memory` cannot tell when your function 'top3'"):
        tune_models(log, metrics=top3, memory="cache", **options)
    values = cross_validate_per_query(
        GroupRanker(Ridge()), X, Y, groups=GROUPS, cv=GroupKFold(3), metrics=[top3]
    )
    assert len(values["top3"]) == 30


def test_a_metric_is_its_call():
    named = make_metric(top3, name="grades@3", lower_is_better=True, value_range=(0, 12))
    text = (
        "make_metric(top3, name='grades@3', lower_is_better=True, value_range=(0.0, 12.0))"
    )
    assert repr(named) == text
    assert repr(make_metric(top3)) == "make_metric(top3)"
    assert eval(text, {"top3": top3, "make_metric": make_metric}) == named
    assert named(np.ones(2), np.ones(2)) == 2
    assert pickle.loads(pickle.dumps(named)) == named
    assert (
        repr(make_ranking_scorer([named, "mrr"])) == f"make_ranking_scorer([{text}, 'mrr'])"
    )
    assert ranking_scores(**ROWS, metrics=[named]) == {"grades@3": np.mean(by_loop(top3))}


def mrr(y_true, y_score):
    return 1.0


def recall_at_5(y_true, y_score):
    return 1.0


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        (mrr, r"write 'mrr' for it, or make_metric\(mrr, name=\"my mrr\"\)"),
        (["mrr", mrr], "'mrr' is a metric here"),
        (recall_at_5, "write 'recall@5'"),
        (mean_absolute_error, "write 'mae' for it"),
        (make_metric(top3, name="nDCG@10"), "write 'ndcg@10' for it"),
        ([top3, make_metric(mrr, name="top3")], "Two metrics are called 'top3'"),
        (lambda y_true, y_score: 1.0, r"has no name: make_metric\(f, name=\"revenue@3\"\)"),
        (partial(top3), "has no name"),
    ],
)
def test_names_that_are_taken_or_missing(metrics, message):
    with pytest.raises(ValueError, match=message):
        ranking_scores(**ROWS, metrics=metrics)


def test_the_lines_to_write():
    # What the messages say, on the input that caused them.
    assert ranking_scores(**ROWS, metrics=make_metric(mrr, name="my mrr")) == {"my mrr": 1}
    revenue = make_metric(lambda y_true, y_score: 2.0, name="revenue@3")
    assert ranking_scores(**ROWS, metrics=revenue) == {"revenue@3": 2}


def test_wrong_functions():
    with pytest.raises(TypeError, match=r"'len' is not a metric\. Give a name"):
        ranking_scores(**ROWS, metrics=len)
    with pytest.raises(TypeError, match=r"copies must return a number.*got"):
        ranking_scores(**ROWS, metrics=make_metric(lambda t, s: t, name="copies"))
    with pytest.raises(ValueError, match="is your own function"):
        QueryScorer([top3], groups="q", y_true="y", y_score="s")
    for bad in ("wide", (1, 0), (0, np.nan), (0, 1, 2)):
        with pytest.raises((TypeError, ValueError), match="`value_range`"):
            make_metric(top3, value_range=bad)
    with pytest.raises(ValueError, match="`lower_is_better`"):
        make_metric(top3, lower_is_better="yes")
    with pytest.raises((TypeError, ValueError), match="`name`"):
        make_metric(top3, name=" ")


def test_an_error_of_the_function_names_the_query():
    def fail(y_true, y_score):
        raise ZeroDivisionError("no")

    lists = from_item_lists({"ann": ["x"]}, {"ann": ["y"]})
    with pytest.raises(ZeroDivisionError) as raised:
        ranking_scores(**lists, metrics=fail)
    note = "fail got query 'ann', with 1 row not retrieved (score -inf)."
    assert raised.value.__notes__ == [note]
