"""Queries without relevant rows: an empty list is right, and any other is wrong."""

import numpy as np
import pytest

from sklearn_rank.inputs import from_files, from_frames, from_item_lists
from sklearn_rank.metrics import (
    hit_rate_at_k_score,
    make_ranking_scorer,
    ndcg_score,
    overlap_at_k_score,
    per_query_scores,
    ranking_scores,
    unjudged_bounds,
)

TRUTH = {"q1": ["d1"], "q2": [], "q3": ["d3"], "q4": ["d4", "d5"], "q5": [], "q6": ["d6"]}
A = {
    "q1": {"d1": 0.9, "d2": 0.3},
    "q3": {"d3": 0.7},
    "q4": {"d9": 0.7, "d4": 0.5},
    "q5": {"d7": 0.6},
    "q2": {},
    "q6": {},
}
SYSTEMS = {"A": A, "B": A | {"q2": {"d8": 0.8}}}


def rows_of(system):
    return from_item_lists(TRUTH, SYSTEMS[system])


@pytest.mark.parametrize(
    ("system", "metric", "mean"),
    [
        ("A", "hit_rate@1", 0.5),
        ("A", "ndcg@10", 0.564475),
        ("B", "hit_rate@1", 0.333333),
        ("B", "ndcg@10", 0.397809),
    ],
)
def test_an_empty_list_is_rewarded_where_nothing_is_relevant(system, metric, mean):
    found = ranking_scores(
        **rows_of(system), metrics=metric, replace_undefined_by="abstained"
    )
    assert round(found[metric], 6) == mean


def test_functions_values_and_scorers_agree():
    rows = rows_of("B")
    given = {"replace_undefined_by": "abstained"}
    values = per_query_scores(**rows, metrics="hit_rate@1", **given)
    assert dict(zip(values.groups.tolist(), values["hit_rate@1"], strict=True)) == {
        "q1": 1,
        "q2": 0,
        "q3": 1,
        "q4": 0,
        "q5": 0,
        "q6": 0,
    }
    assert hit_rate_at_k_score(**rows, k=1, **given) == pytest.approx(1 / 3)

    class Model:
        def fit(self, X, y):
            return self

        def predict(self, X):
            return X[:, 0]

    scorer = make_ranking_scorer("hit_rate@1", **given)
    X = rows.y_score.reshape(-1, 1)
    assert scorer(Model(), X, rows.y_true, groups=rows.groups) == pytest.approx(1 / 3)


def test_the_default_leaves_such_queries_out():
    found = ranking_scores(
        **rows_of("A"), metrics="hit_rate@1", replace_undefined_by=np.nan
    )
    assert found["hit_rate@1"] == 0.5


def test_relevance_is_that_of_the_metric():
    rows = {"y_true": [[1, 0], [2, 0]], "y_score": [[-np.inf, -np.inf], [2.0, 1.0]]}
    found = per_query_scores(
        **rows, metrics="mrr", min_relevance=2, replace_undefined_by="abstained"
    )
    assert found["mrr"].tolist() == [1, 1]


def test_what_is_undefined_otherwise_stays_so():
    rows = {"y_true": [[1, 1], [0, 0]], "y_score": [[2, 1], [-np.inf, -np.inf]]}
    with pytest.warns(match="auc: undefined for 1 of 2 queries"):
        found = ranking_scores(**rows, metrics="auc", replace_undefined_by="abstained")
    assert found == {"auc": 1}


@pytest.mark.parametrize(
    ("metric", "reason"),
    [
        ("dcg@3", "has the range 0 to the value of the ideal order"),
        ("fallout@3", "is better if it is lower"),
        ("novelty@3", "does not depend on what is relevant"),
        ("gini@3", "has one value for all queries"),
        ("auc(weighting='pairs')", "weights queries"),
    ],
)
def test_metrics_for_which_an_empty_list_is_not_the_best_are_refused(metric, reason):
    with pytest.raises(ValueError, match=reason):
        ranking_scores([[1]], [[1]], metrics=metric, replace_undefined_by="abstained")


def test_functions_without_relevant_rows_refuse_the_word():
    with pytest.raises(ValueError, match="'warn', NaN or a finite number"):
        overlap_at_k_score([["a"]], [["a"]], replace_undefined_by="abstained")
    with pytest.raises(ValueError, match="depends on what is relevant"):
        unjudged_bounds([[1, np.nan]], [[2, 1]], replace_undefined_by="abstained")
    with pytest.raises(ValueError, match="'warn', 'abstained', NaN or a finite number"):
        ndcg_score([[1]], [[1]], replace_undefined_by="abstain")


def frames(system):
    pd = pytest.importorskip("pandas")
    truth = [(query, item) for query, items in TRUTH.items() for item in items]
    lists = [(q, i, s) for q, items in SYSTEMS[system].items() for i, s in items.items()]
    return (
        pd.DataFrame(truth, columns=["query", "doc"]),
        pd.DataFrame(lists, columns=["query", "doc", "score"]),
    )


def test_frames_take_queries_without_any_row():
    names = {"user": "query", "item": "doc", "score": "score"}
    rows = from_frames(*frames("A"), **names, queries=list(TRUTH))
    is_q2 = rows.groups == "q2"
    assert np.signbit(rows.y_true[is_q2]).tolist() == [True]
    assert rows.y_score[is_q2].tolist() == [-np.inf]
    found = hit_rate_at_k_score(**rows, k=1, replace_undefined_by="abstained")
    assert found == 0.5
    with pytest.raises(ValueError, match=r"`queries` lacks 1 of 5 labels.*user 'q5'"):
        from_frames(*frames("A"), **names, queries=["q1", "q3", "q4", "q6"])
    complete = from_frames(*frames("A"), **names, queries=["q1", "q3", "q4", "q5", "q6"])
    assert len(complete.groups) == len(rows.groups) - 1


def test_files_take_queries_without_any_row():
    qrels = ["q1 0 d1 1", "q3 0 d3 1"]
    run = ["q1 Q0 d1 1 0.9 me", "q5 Q0 d7 1 0.6 me"]
    rows = from_files(qrels, run, queries=["q5", "q2", "q1", "q3"])
    assert rows.groups.tolist() == ["q1", "q3", "q5", "q2"]
    assert rows.y_score.tolist() == [-1, -np.inf, -1, -np.inf]
    assert rows.y_true.tolist() == [1, 1, 0, 0]
    with pytest.raises(ValueError, match=r"`queries` lacks 1 of 3 labels.*query 'q5'"):
        from_files(qrels, run, queries=["q1", "q3"])
