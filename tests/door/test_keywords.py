"""Keywords and attributes of other libraries: the error says what to write."""

import copy
import pickle
import re
from inspect import signature

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge

from sklearn_rank.datasets import make_ranking
from sklearn_rank.experiments import evaluate_models, tune_models
from sklearn_rank.inputs import from_frames
from sklearn_rank.metrics import (
    explain_difference,
    per_query_scores,
    precision_at_k_score,
    ranking_report,
    ranking_scores,
    recall_at_k_score,
    unjudged_bounds,
)
from sklearn_rank.model_selection import (
    LeaveLastOut,
    TimeSplit,
    UserKFold,
    cross_validate_per_query,
)
from sklearn_rank.online import compare_variants, interleaving_test, team_draft_interleave
from sklearn_rank.rankers import GroupRanker
from sklearn_rank.recommenders import (
    EASERecommender,
    ImplicitRecommender,
    PopularityRecommender,
)
from sklearn_rank.statistics import compare_models, plan_evaluation

LOG = np.array([["a", "x"], ["b", "y"], ["a", "y"], ["b", "z"]], dtype=object)
GRADES, SCORES = [[1, 0]], [[2, 1]]


@pytest.fixture(scope="module")
def tuned():
    X, y, groups = make_ranking(n_queries=40, random_state=0)
    models = {"ridge": (GroupRanker(Ridge()), {"estimator__alpha": [0.1, 10]})}
    return tune_models(X, y, groups=groups, models=models)


@pytest.mark.parametrize("function", [evaluate_models, tune_models])
def test_scoring_is_metrics(function):
    with pytest.raises(TypeError, match=rf"^{function.__name__}\(\) .*Write metrics="):
        function({}, LOG, scoring="ndcg@10")


def test_scoring_is_metrics_in_cross_validation():
    with pytest.raises(TypeError, match=r"'scoring'. Write metrics="):
        cross_validate_per_query(PopularityRecommender(), LOG, scoring="ndcg@10")


@pytest.mark.parametrize("keyword", ["time", "cv", "test_size"])
def test_evaluate_models_fits_nothing(keyword):
    with pytest.raises(
        TypeError, match=r"must be held out: tune_models\(log, ..., time=...\) splits"
    ):
        evaluate_models({}, LOG, **{keyword: 2})


@pytest.mark.parametrize("keyword", ["n", "top_k"])
@pytest.mark.parametrize("model", [PopularityRecommender(), EASERecommender()])
def test_the_length_of_a_list_is_k(model, keyword):
    with pytest.raises(TypeError, match=rf"recommend\(\) has no .*'{keyword}'. Write k="):
        model.fit(LOG).recommend(["a"], **{keyword: 1})
    assert model.recommend(["a"], k=1).shape == (1, 1)


@pytest.mark.parametrize("splitter", [TimeSplit(), UserKFold(2), LeaveLastOut()])
@pytest.mark.parametrize("keyword", ["user", "time"])
def test_columns_of_split_are_plural(splitter, keyword):
    with pytest.raises(TypeError, match=rf"^split\(\) .*'{keyword}'. Write {keyword}s="):
        splitter.split(LOG, **{keyword: [1, 2, 3, 4]})


@pytest.mark.parametrize(
    "function",
    [
        precision_at_k_score,
        recall_at_k_score,
        ranking_scores,
        per_query_scores,
        ranking_report,
        unjudged_bounds,
    ],
)
def test_a_threshold_is_min_relevance(function):
    with pytest.raises(TypeError, match=r"'threshold'\. For grades write min_relevance="):
        function(GRADES, SCORES, threshold=1)
    assert "min_relevance" in signature(function).parameters


@pytest.mark.parametrize("function", [ranking_scores, precision_at_k_score])
def test_columns_are_not_named(function):
    names = {"y_true": "rel", "y_score": "score", "groups": "query"}
    text = rf"{function.__name__}\(df\['label'\], df\['score'\], groups=df\['query'\]"
    with pytest.raises(TypeError, match=text):
        function([[1, 0]], **names)
    with pytest.raises(TypeError, match="multiple values for argument 'y_true'"):
        function([[1, 0]], y_true=[[1, 0]], y_score=SCORES)


def test_rows_to_hold_out_are_a_size():
    with pytest.raises(TypeError, match=r"^LeaveLastOut\(\) .*'n'\. Write test_size="):
        LeaveLastOut(n=2)
    with pytest.raises(TypeError, match=r"has no parameter 'size'\. It has test_size, "):
        LeaveLastOut(size=2)
    assert "n_splits=3" in repr(LeaveLastOut(n_splits=3))
    assert next(iter(signature(LeaveLastOut).parameters)) == "test_size"


def test_the_value_of_the_other_program_is_theirs():
    with pytest.raises(TypeError, match=r"'value'\. Write theirs=, the value"):
        explain_difference(GRADES, SCORES, value=0.5)


@pytest.mark.parametrize(
    ("call", "usage"),
    [
        (lambda: compare_models([1, 0], [1, 1]), 'compare_models({"a": values_a, "b":'),
        (lambda: plan_evaluation(3), "plan_evaluation(difference=0.01, standard_dev"),
        (lambda: ImplicitRecommender(), "ImplicitRecommender(AlternatingLeastSquares("),
        (lambda: from_frames({}), 'from_frames(truth, lists, user="query", item='),
        (lambda: team_draft_interleave([1], [2]), "team_draft_interleave([ranking_a,"),
        (lambda: compare_variants([1.0], [2.0]), "compare_variants(outcome, variant,"),
        (lambda: interleaving_test([1], [2]), "interleaving_test(team, clicked, imp"),
        (lambda: ranking_scores(GRADES), "ranking_scores(y_true, y_score, groups=...,"),
    ],
)
def test_a_call_that_does_not_fit_shows_one_that_does(call, usage):
    with pytest.raises(TypeError, match=rf"\. Write {re.escape(usage)}"):
        call()


def test_an_unknown_keyword_shows_no_call():
    with pytest.raises(TypeError) as raised:
        plan_evaluation(effect=1, std=1, alpha=0.05, foo=2)
    assert str(raised.value) == (
        "plan_evaluation() has no parameters 'effect', 'std', 'alpha', 'foo'. "
        "Write difference=. Write standard_deviation=. Write confidence_level=, 1 - alpha. "
        "It has difference, n_queries, power, standard_deviation, components, pilot, "
        "n_repeats, cluster_size, intraclass_correlation, cost, budget, confidence_level, "
        "alternative, n_comparisons, paired, allocation_ratio, anytime, n_guardrails."
    )


@pytest.mark.parametrize("word", ["baseline", "rate"])
def test_a_plan_for_rates(word):
    with pytest.raises(
        TypeError, match=r"For rates give standard_deviation=\(p \* \(1 - p"
    ):
        plan_evaluation(difference=0.01, **{word: 0.1})


def test_an_error_inside_a_call_that_fits_has_no_usage():
    with pytest.raises(TypeError) as raised:
        plan_evaluation(difference="much", standard_deviation=1)
    assert "Write:" not in str(raised.value)


def test_other_keywords_are_met_with_all_there_are():
    with pytest.raises(TypeError, match=r"^recommend\(\) has no .*'foo'. It has users, "):
        PopularityRecommender().fit(LOG).recommend(["a"], foo=1)
    text = r"^precision_at_k_score\(\) has no parameter 'foo'\. It has y_true, y_score, "
    with pytest.raises(TypeError, match=text):
        precision_at_k_score(GRADES, SCORES, foo=1)


def missing(found, name):
    """Return the text of the error for an attribute that is not there."""
    assert not hasattr(found, name)
    assert name not in dir(found)
    with pytest.raises(AttributeError) as raised:
        getattr(found, name)
    return str(raised.value)


def test_attributes_of_other_libraries(tuned):
    assert "Write update(X)" in missing(PopularityRecommender(), "partial_fit")
    assert "Write save_model(model, path)" in missing(PopularityRecommender(), "save")
    assert 'superscripts(markup="latex")' in missing(tuned, "to_latex")
    assert "to_frame()" in missing(tuned, "leaderboard")
    assert "cv_results_" in missing(tuned, "results_")
    assert missing(tuned, "nope") == "'ModelTuning' object has no attribute 'nope'."


def test_estimators_and_results_are_copied_as_before(tuned):
    model = PopularityRecommender().fit(LOG)
    for again in (
        copy.copy(model),
        copy.deepcopy(model),
        pickle.loads(pickle.dumps(model)),
    ):
        assert again.recommend(["a"], k=1).tolist() == model.recommend(["a"], k=1).tolist()
    assert not hasattr(clone(model), "users_")
    assert str(pickle.loads(pickle.dumps(tuned))) == str(tuned)


def test_the_best_score_is_the_mean_of_the_winner_over_folds(tuned):
    results, best = tuned.cv_results_, tuned.best_index_
    folds = [results[f"split{fold}_test_score"][best] for fold in range(tuned.n_splits_)]
    assert tuned.best_score_ == pytest.approx(sum(folds) / len(folds), rel=1e-15)
    assert tuned.best_score_ == results["mean_test_score"][best]
    assert isinstance(tuned.best_score_, float)


@pytest.mark.parametrize("spelling", ["ndcg@2", "NDCG@2", "ndcg_at_2", "ndcg_cut_2"])
def test_values_of_a_metric_by_any_spelling(spelling):
    found = per_query_scores([[1, 0], [0, 1]], [[2, 1], [2, 1]], metrics=["ndcg@2", "mrr"])
    assert found[spelling] is found.scores["ndcg@2"]
    assert spelling in found
    assert found["recip_rank"] is found.scores["mrr"]


def test_values_that_are_not_there():
    found = per_query_scores(GRADES, SCORES, metrics="ndcg@2")
    with pytest.raises(KeyError, match=r"'ndcg@3' is not .* Did you mean 'ndcg@2'\?"):
        found["ndcg@3"]
    with pytest.raises(KeyError, match=r"of\(\) selects queries"):
        found[0]
    assert "ndcg@3" not in found
    assert "?" not in found
    assert 0 not in found


def test_values_of_metrics_are_one_object_to_numpy():
    found = per_query_scores(GRADES, SCORES, metrics="ndcg@2")
    assert np.array([found, found], dtype=object).shape == (2,)


QUERIES = [f"q{number}" for number in range(30)]
A = dict(zip(QUERIES, np.linspace(0, 1, 30), strict=True))
B = {query: A[query] ** 2 for query in reversed(QUERIES)}


def rows(comparison):
    return {name: list(values) for name, values in comparison.columns.items()}


def test_dicts_of_values_are_matched_by_query():
    found = compare_models({"a": A, "b": B})
    a, b = np.array([A[query] for query in QUERIES]), np.array([B[q] for q in QUERIES])
    by_place = compare_models({"a": a, "b": b})
    assert rows(found) == rows(by_place)
    assert found.row("b", "a").difference == pytest.approx((b - a).mean(), abs=1e-15)


def test_dicts_of_pytrec_eval_are_matched_by_query():
    of_a = {query: {"map": value, "ndcg": 1 - value} for query, value in A.items()}
    of_b = {query: {"ndcg": 1 - value, "map": value} for query, value in B.items()}
    found = compare_models({"a": of_a, "b": of_b})
    assert found.row("b", "a", metric="map").difference == pytest.approx(
        np.mean([B[query] - A[query] for query in QUERIES]), abs=1e-15
    )
    single = compare_models({"a": of_a, "b": of_b}, metrics="ndcg")
    assert single.row("b", "a").difference == pytest.approx(
        np.mean([A[query] - B[query] for query in QUERIES]), abs=1e-15
    )


def test_pytrec_eval_itself():
    pytrec_eval = pytest.importorskip("pytrec_eval")
    rng = np.random.default_rng(0)
    documents = [f"d{number}" for number in range(8)]
    qrel = {query: {d: int(rng.integers(2)) for d in documents} for query in QUERIES}
    for grades in qrel.values():
        grades["d0"] = 1
    evaluator = pytrec_eval.RelevanceEvaluator(qrel, {"map", "recip_rank"})
    runs = [
        {query: dict(zip(documents, rng.random(8), strict=True)) for query in QUERIES}
        for _ in range(2)
    ]
    of_a, of_b = map(evaluator.evaluate, runs)
    found = compare_models({"a": of_a, "b": of_b})
    for metric in ("map", "recip_rank"):
        gap = np.mean([of_b[query][metric] - of_a[query][metric] for query in QUERIES])
        assert found.row("b", "a", metric=metric).difference == pytest.approx(
            gap, abs=1e-14
        )


def test_clusters_go_with_dicts_by_query():
    clusters = {query: number // 2 for number, query in enumerate(QUERIES)}
    found = compare_models({"a": A, "b": B}, clusters=clusters)
    assert found.columns["n_clusters"].tolist() == [15]


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (
            {"a": {"ndcg@10": 0.5, "mrr": 0.4}, "b": {"ndcg@10": 0.6, "mrr": 0.3}},
            "one value",
        ),
        ({"a": A, "b": {**B, "other": 1.0}}, "different queries"),
        ({"a": A, "b": {"q0": 1.0}}, "different queries"),
        ({"a": A, "b": list(B.values())}, "cannot be matched"),
        ({"a": {**A, "q3": "high"}, "b": B}, "must hold numbers"),
        ({"a": {"x": {"map": 1.0}, "y": {"mrr": 1.0}}, "b": A}, r"\['mrr'\] for 'y'"),
        ({"a": {1: 0.5, 2: 0.4}, "b": {"1": 0.5, "2": 0.4}}, "cannot be compared"),
    ],
)
def test_dicts_that_cannot_be_compared(scores, message):
    with pytest.raises(ValueError, match=message):
        compare_models(scores)


def test_values_of_a_named_metric():
    named = compare_models({"a": {"ndcg@10": A}, "b": {"ndcg@10": B}})
    values = compare_models({"a": A, "b": B})
    assert named.columns["metric"].tolist() == ["ndcg@10"]
    assert named.columns["difference"] == values.columns["difference"]


def test_queries_called_like_letters_of_metrics_are_queries():
    named = {f"q_{number}": value for number, value in enumerate(A.values())}
    found = compare_models({"a": named, "b": {name: x**2 for name, x in named.items()}})
    assert found.columns["n_queries"].tolist() == [30]
