"""Scorers of rows against the metrics themselves, and as scikit-learn handles them."""

import inspect
import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import UndefinedMetricWarning, UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import get_scorer, make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from sklearn_rank.metrics import (
    make_ranking_scorer,
    make_recommender_scorer,
    mean_rank_score,
    mean_reciprocal_rank_score,
    ndcg_score,
    per_query_scores,
    roc_auc_per_query_score,
)
from sklearn_rank.metrics._scorers._responses import find_method_with_groups
from sklearn_rank.typing import Columns


def make_queries(n_queries=12, highest=3):
    """Return shuffled rows of queries that all have the grades 0 and `highest`."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(n_queries), rng.integers(4, 9, n_queries))
    X = rng.normal(size=(len(groups), 3))
    y = np.clip(np.round(X[:, 0] + rng.normal(size=len(groups)) + 1), 0, highest)
    first = np.searchsorted(groups, np.arange(n_queries))
    y[first], y[first + 1] = highest, 0
    order = rng.permutation(len(groups))
    return X[order], y[order].astype(int), groups[order]


X, Y, GROUPS = make_queries()
RIDGE = Ridge().fit(X, Y)
GRID = {"alpha": [0.01, 1e4]}


def search(scoring, **options):
    options = {"cv": GroupKFold(3), "error_score": "raise", **options}
    return GridSearchCV(Ridge(), GRID, scoring=scoring, **options)


def by_hand(metric, alpha, **params):
    """Return the score of each fold of the search above, from a plain loop."""
    scores = []
    for train, test in GroupKFold(3).split(X, Y, GROUPS):
        predicted = Ridge(alpha=alpha).fit(X[train], Y[train]).predict(X[test])
        scores.append(metric(Y[test], predicted, groups=GROUPS[test], **params))
    return scores


def scores_of(found, name="score"):
    """Return what a search found: one row per candidate, one column per fold."""
    return np.transpose(
        [found.cv_results_[f"split{fold}_test_{name}"] for fold in range(3)]
    )


def test_groups_arrive_with_routing_and_nothing_is_requested_by_hand():
    with config_context(enable_metadata_routing=True):
        found = search(make_ranking_scorer("ndcg@3")).fit(X, Y, groups=GROUPS)
    expected = [by_hand(ndcg_score, alpha, k=3) for alpha in GRID["alpha"]]
    np.testing.assert_array_equal(scores_of(found), expected)


@pytest.mark.parametrize("routing", [False, True])
def test_groups_come_from_a_column_of_x(routing):
    with_groups = np.column_stack([GROUPS, X])
    drop = make_column_transformer(("drop", [0]), remainder="passthrough")
    with config_context(enable_metadata_routing=routing):
        found = GridSearchCV(
            make_pipeline(drop, Ridge()),
            {"ridge__alpha": GRID["alpha"]},
            scoring=make_ranking_scorer("ndcg@3", groups=0),
            cv=GroupKFold(3),
            error_score="raise",
        ).fit(with_groups, Y, groups=GROUPS)
    expected = [by_hand(ndcg_score, alpha, k=3) for alpha in GRID["alpha"]]
    np.testing.assert_allclose(scores_of(found), expected)


def test_a_plain_scorer_of_scikit_learn_takes_the_metric():
    with config_context(enable_metadata_routing=True):
        plain = make_scorer(ndcg_score, k=3).set_score_request(groups=True)
        found = search(plain).fit(X, Y, groups=GROUPS)
        same = search(make_ranking_scorer("ndcg@3")).fit(X, Y, groups=GROUPS)
    np.testing.assert_array_equal(scores_of(found), scores_of(same))


def test_several_metrics_come_from_one_prediction():
    class Counting(Ridge):
        predictions = 0

        def predict(self, X):
            Counting.predictions += 1
            return super().predict(X)

    fitted = Counting().fit(X, Y)
    scorer = make_ranking_scorer(["ndcg@3", "mrr", "mean_rank"])
    scores = scorer(fitted, X, Y, groups=GROUPS)
    assert Counting.predictions == 1
    predicted = RIDGE.predict(X)
    assert scores == {
        "ndcg@3": ndcg_score(Y, predicted, groups=GROUPS, k=3),
        "mrr": mean_reciprocal_rank_score(Y, predicted, groups=GROUPS),
        "neg_mean_rank": -mean_rank_score(Y, predicted, groups=GROUPS),
    }


def test_a_list_of_metrics_tunes_by_the_one_that_refit_names():
    scorer = make_ranking_scorer(["ndcg@3", "mean_rank"])
    assert repr(scorer) == "make_ranking_scorer(['ndcg@3', 'neg_mean_rank'])"
    same = make_ranking_scorer(["ndcg@3", "neg_mean_rank"])
    assert [repr(same), same.named] == [repr(scorer), scorer.named]
    with config_context(enable_metadata_routing=True):
        with pytest.raises(ValueError, match="is negated: write 'neg_mean_rank'"):
            search(scorer, refit="mean_rank").fit(X, Y, groups=GROUPS)
        for refit in ("ndcg@3", "neg_mean_rank"):
            found = search(scorer, refit=refit).fit(X, Y, groups=GROUPS)
            mean = found.cv_results_[f"mean_test_{refit}"]
            assert found.best_index_ == np.argmax(mean)
            whole = scorer(found.best_estimator_, X, Y, groups=GROUPS)
            assert found.score(X, Y, groups=GROUPS) == whole[refit]
    expected = [by_hand(mean_rank_score, alpha) for alpha in GRID["alpha"]]
    np.testing.assert_array_equal(scores_of(found, "neg_mean_rank"), np.negative(expected))


def test_metric_by_name_and_by_function_are_the_same():
    predicted = RIDGE.predict(X)
    expected = ndcg_score(Y, predicted, groups=GROUPS, k=2, gain="exponential")
    for scorer in (
        make_ranking_scorer("ndcg(gain='exponential')@2"),
        make_ranking_scorer("ndcg", k=2, gain="exponential"),
        make_ranking_scorer(ndcg_score, k=2, gain="exponential"),
    ):
        assert scorer(RIDGE, X, Y, groups=GROUPS) == expected


def test_parameters_reach_the_metrics_that_have_them():
    scorer = make_ranking_scorer(["mrr", "ndcg@3"], min_relevance=3, ties="worst")
    tied = np.round(RIDGE.predict(X))
    scores = scorer(Returning(tied), X, Y, groups=GROUPS)
    expected = mean_reciprocal_rank_score(
        Y, tied, groups=GROUPS, min_relevance=3, ties="worst"
    )
    assert scores["mrr"] == expected
    assert scores["ndcg@3"] == ndcg_score(Y, tied, groups=GROUPS, k=3, ties="worst")


def test_undefined_queries_warn_or_count():
    nothing_relevant = np.where(GROUPS == 0, 0, Y)
    text = "mrr: undefined for some queries.* Set `replace_undefined_by` of make_ranking_s"
    with pytest.warns(UndefinedMetricWarning, match=text):
        left_out = make_ranking_scorer("mrr")(RIDGE, X, nothing_relevant, groups=GROUPS)
    as_zero = make_ranking_scorer("mrr", replace_undefined_by=0.0)
    counted = as_zero(RIDGE, X, nothing_relevant, groups=GROUPS)
    assert counted == pytest.approx(left_out * 11 / 12)


def test_weights_of_queries_are_routed_when_asked_for():
    weight = 1.0 + GROUPS % 3
    expected = [by_weight(alpha, weight) for alpha in GRID["alpha"]]
    with config_context(enable_metadata_routing=True):
        scorer = make_ranking_scorer("ndcg").set_score_request(sample_weight=True)
        model = Ridge().set_fit_request(sample_weight=False)
        found = GridSearchCV(
            model, GRID, scoring=scorer, cv=GroupKFold(3), error_score="raise"
        ).fit(X, Y, groups=GROUPS, sample_weight=weight)
    np.testing.assert_array_equal(scores_of(found), expected)


def test_weights_are_never_used_or_ignored_in_silence():
    weight = 1.0 + GROUPS % 3
    with config_context(enable_metadata_routing=True):
        scorer = make_ranking_scorer("ndcg")
        model = Ridge().set_fit_request(sample_weight=True)
        weighted = GridSearchCV(model, GRID, scoring=scorer, cv=GroupKFold(3), refit=False)
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            weighted.fit(X, Y, groups=GROUPS, sample_weight=weight)
        scorer.set_score_request(sample_weight=False)
        weighted.fit(X, Y, groups=GROUPS, sample_weight=weight)
    expected = []
    for train, test in GroupKFold(3).split(X, Y, GROUPS):
        fitted = Ridge(alpha=GRID["alpha"][0]).fit(X[train], Y[train], weight[train])
        expected.append(ndcg_score(Y[test], fitted.predict(X[test]), groups=GROUPS[test]))
    np.testing.assert_array_equal(scores_of(weighted)[0], expected)


def by_weight(alpha, weight):
    scores = []
    for train, test in GroupKFold(3).split(X, Y, GROUPS):
        predicted = Ridge(alpha=alpha).fit(X[train], Y[train]).predict(X[test])
        grades, groups = Y[test], GROUPS[test]
        score = ndcg_score(grades, predicted, groups=groups, sample_weight=weight[test])
        scores.append(score)
    return scores


# From scikit-learn 1.7 on the search says itself that scores are not weighted.
@pytest.mark.filterwarnings("ignore:The scoring .* does not support sample_weight")
def test_weights_of_training_rows_do_not_weigh_queries():
    with_groups = np.column_stack([GROUPS, X])
    weight = np.random.default_rng(1).random(len(Y))
    scorer = make_ranking_scorer("ndcg", groups=0)
    found = search(scorer).fit(with_groups, Y, groups=GROUPS, sample_weight=weight)
    alpha = GRID["alpha"][0]
    expected = []
    for train, test in GroupKFold(3).split(X, Y, GROUPS):
        model = Ridge(alpha=alpha).fit(with_groups[train], Y[train], weight[train])
        expected.append(scorer(model, with_groups[test], Y[test]))
    np.testing.assert_array_equal(scores_of(found)[0], expected)


def test_another_name_for_the_metadata():
    with config_context(enable_metadata_routing=True):
        scorer = make_ranking_scorer("ndcg@3").set_score_request(groups="query")
        cv = GroupKFold(3).set_split_request(groups="query")
        params = {"query": GROUPS}
        scores = cross_val_score(
            Ridge(alpha=0.01), X, Y, cv=cv, scoring=scorer, params=params
        )
    np.testing.assert_array_equal(scores, by_hand(ndcg_score, 0.01, k=3))


class Returning(BaseEstimator):
    """Predicts what it was given, whatever X is."""

    def __init__(self, scores):
        self.scores = scores

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.scores


NAMED = [f"column {i}" for i in range(3)]
FRAME = pd.DataFrame(X, columns=NAMED)
CONTAINERS = {
    "pandas by name": (FRAME.assign(query=GROUPS), "query"),
    "pandas by position": (FRAME.assign(query=GROUPS), 3),
    "pandas categories": (FRAME.assign(query=pd.Categorical(GROUPS)), "query"),
    "pandas strings": (FRAME.assign(query=GROUPS.astype(str)), "query"),
    "polars by name": (pl.DataFrame(X, NAMED).with_columns(query=GROUPS), "query"),
    "polars by position": (pl.DataFrame(X, NAMED).with_columns(query=GROUPS), -1),
    "array": (np.column_stack([GROUPS, X]), 0),
    "array from the end": (np.column_stack([X, GROUPS]), -1),
    "csr matrix": (sparse.csr_matrix(np.column_stack([GROUPS, X])), 0),
    "csr array": (sparse.csr_array(np.column_stack([GROUPS, X])), 0),
    "list of rows": ([[*row, group] for row, group in zip(X, GROUPS, strict=True)], 3),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_the_column_of_groups_in_each_container(container):
    table, column = CONTAINERS[container]
    scores = np.round(RIDGE.predict(X), 1)
    scorer = make_ranking_scorer("ndcg@3", groups=column)
    expected = ndcg_score(Y, scores, groups=GROUPS, k=3)
    assert scorer(Returning(scores), table, Y) == pytest.approx(expected, rel=1e-12)


def test_metadata_and_column_must_agree():
    scorer = make_ranking_scorer("ndcg@3", groups="query")
    table = FRAME.assign(query=GROUPS)
    model = Returning(RIDGE.predict(X))
    assert scorer(model, table, Y, groups=GROUPS) == scorer(model, table, Y)
    with pytest.raises(ValueError, match=r"they differ; pass one of them"):
        scorer(model, table, Y, groups=GROUPS[::-1])
    # The column is not in X: what was passed is all there is.
    assert scorer(model, FRAME, Y, groups=GROUPS) == scorer(model, table, Y)


def test_a_pipeline_is_scored_with_the_x_before_its_steps():
    table = FRAME.assign(query=GROUPS.astype(str))
    model = make_pipeline(
        make_column_transformer((StandardScaler(), NAMED)), LogisticRegression()
    ).fit(table, Y)
    scorer = make_ranking_scorer("ndcg", groups="query")
    expected = model.predict_proba(table) @ model.classes_
    assert scorer(model, table, Y) == ndcg_score(Y, expected, groups=GROUPS)


def test_a_binary_classifier_ranks_by_its_decision_function():
    relevant = Y >= 2
    model = LogisticRegression().fit(X, relevant)
    expected = roc_auc_per_query_score(relevant, model.decision_function(X), groups=GROUPS)
    scorer = make_ranking_scorer("auc")
    assert scorer(model, X, relevant, groups=GROUPS) == expected
    by_probability = make_ranking_scorer("auc", response_method="predict_proba")
    assert by_probability(model, X, relevant, groups=GROUPS) == expected


def test_a_classifier_of_grades_ranks_by_the_expected_grade():
    model = LogisticRegression().fit(X, Y)
    assert model.decision_function(X).ndim == 2
    expected_grade = sum(
        grade * model.predict_proba(X)[:, column]
        for column, grade in enumerate(model.classes_)
    )
    scorer = make_ranking_scorer("ndcg@3")
    expected = ndcg_score(Y, expected_grade, groups=GROUPS, k=3)
    assert scorer(model, X, Y, groups=GROUPS) == pytest.approx(expected, rel=1e-12)


def test_a_classifier_without_probabilities_ranks_by_its_prediction():
    model = LinearSVC().fit(X, Y)
    scorer = make_ranking_scorer("ndcg@3")
    expected = ndcg_score(Y, model.predict(X), groups=GROUPS, k=3)
    assert scorer(model, X, Y, groups=GROUPS) == expected


def test_classes_that_are_no_grades_are_an_error():
    model = LogisticRegression().fit(X, np.array(["bad", "fair", "good", "best"])[Y])
    with pytest.raises(ValueError, match=r"Classes must be grades \(numbers\)"):
        make_ranking_scorer("ndcg@3")(model, X, Y, groups=GROUPS)


def test_probabilities_of_one_class_alone_are_an_error():
    class OfOne(LogisticRegression):
        def predict_proba(self, X):
            return super().predict_proba(X)[:, 1]

    scorer = make_ranking_scorer("ndcg@3", response_method="predict_proba")
    with pytest.raises(
        ValueError, match=rf"shape \({len(Y)},\); it must give a row of prob"
    ):
        scorer(OfOne().fit(X, Y), X, Y, groups=GROUPS)


def test_an_estimator_that_cannot_respond_is_an_error():
    class Silent(ClassifierMixin, BaseEstimator):
        pass

    with pytest.raises(AttributeError, match=r"Silent has none of the methods.*predict"):
        make_ranking_scorer("ndcg@3")(Silent(), X, Y, groups=GROUPS)
    by_probability = make_ranking_scorer("ndcg@3", response_method="predict_proba")
    with pytest.raises(AttributeError, match=r"Ridge has none.*predict_proba"):
        by_probability(RIDGE, X, Y, groups=GROUPS)


def test_the_grid_form_needs_no_groups():
    rng = np.random.default_rng(2)
    features, grades = rng.normal(size=(20, 4)), rng.integers(0, 3, (20, 5))
    model = Ridge().fit(features, grades)
    score = make_ranking_scorer("ndcg@3", replace_undefined_by=0.0)(model, features, grades)
    predicted = model.predict(features)
    assert score == ndcg_score(grades, predicted, k=3, replace_undefined_by=0.0)
    flat = ndcg_score(
        grades.ravel(),
        predicted.ravel(),
        groups=np.repeat(np.arange(20), 5),
        k=3,
        replace_undefined_by=0.0,
    )
    assert score == pytest.approx(flat)


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        ("mae", "neg_mean_absolute_error"),
        ("mse", "neg_mean_squared_error"),
        ("rmse", "neg_root_mean_squared_error"),
    ],
)
def test_rating_errors_are_those_of_scikit_learn_and_need_no_groups(metric, name):
    expected = pytest.approx(get_scorer(name)(RIDGE, X, Y))
    scorer = make_ranking_scorer(metric)
    assert scorer(RIDGE, X, Y) == expected
    assert scorer(RIDGE, X, Y, groups=GROUPS) == expected
    both = make_ranking_scorer([metric, "mrr"])(RIDGE, X, Y, groups=GROUPS)
    assert both[f"neg_{metric}"] == expected


@pytest.mark.parametrize("metric", ["mean_rank", "fallout@3"])
def test_lower_is_better_is_negated(metric):
    perfect, reverse = Returning(Y), Returning(-Y)
    scorer = make_ranking_scorer(metric)
    assert scorer(perfect, X, Y, groups=GROUPS) > scorer(reverse, X, Y, groups=GROUPS)
    assert scorer(reverse, X, Y, groups=GROUPS) < 0


REPRS = [
    "make_ranking_scorer('ndcg@10')",
    "make_ranking_scorer(ndcg_score, k=10)",
    "make_ranking_scorer(['ndcg@10', 'mrr'], groups='query')",
    "make_ranking_scorer([ndcg_score, 'mrr'], groups=0, ties='worst')",
    "make_ranking_scorer('ndcg', response_method='predict_proba', gain='exponential')",
    "make_ranking_scorer(\"map(denominator='relevant')@5\", replace_undefined_by=0.0)",
]


@pytest.mark.parametrize("call", REPRS)
def test_repr_is_the_call_that_makes_the_scorer(call):
    assert repr(eval(call)) == call


def test_copies_keep_parameters_and_requests():
    table = np.column_stack([GROUPS, X])
    model = Returning(RIDGE.predict(X))
    with config_context(enable_metadata_routing=True):
        scorer = make_ranking_scorer(["ndcg", "mrr"], groups=0, k=3, ties="worst")
        scorer.set_score_request(groups="query", sample_weight=False)
        for copy in (pickle.loads(pickle.dumps(scorer)), clone(scorer, safe=False)):
            assert repr(copy) == repr(scorer)
            assert copy(model, table, Y) == scorer(model, table, Y)
            requests = copy.get_metadata_routing().score.requests
            assert requests == {"groups": "query", "sample_weight": False}
        cloned = clone(search(scorer)).scoring
        assert cloned.get_metadata_routing().score.requests == requests


def test_requests_can_be_changed_with_routing_only():
    scorer = make_ranking_scorer("ndcg@3")
    assert scorer.get_metadata_routing().score.requests == {
        "groups": True,
        "sample_weight": None,
    }
    with pytest.raises(RuntimeError, match="enable_metadata_routing=True"):
        scorer.set_score_request(groups=False)
    with config_context(enable_metadata_routing=True):
        scorer.set_score_request(groups=False)
        refusing = search(scorer, cv=3)
        with pytest.raises(TypeError, match=r"unexpected argument.*groups"):
            refusing.fit(X, Y, groups=GROUPS)


def test_metadata_that_the_scorer_does_not_take_cannot_be_requested():
    scorer, message = make_ranking_scorer("ndcg@3"), "takes no 'group'.*mean 'groups'"
    with (
        config_context(enable_metadata_routing=True),
        pytest.raises(TypeError, match=message),
    ):
        scorer.set_score_request(group=True)


def test_two_processes_find_the_same():
    with config_context(enable_metadata_routing=True):
        one, two = (
            search(make_ranking_scorer("ndcg@3"), n_jobs=n_jobs).fit(X, Y, groups=GROUPS)
            for n_jobs in (1, 2)
        )
    np.testing.assert_array_equal(scores_of(one), scores_of(two))


def test_a_float_is_returned():
    score = make_ranking_scorer("ndcg@3")(RIDGE, X, Y, groups=GROUPS)
    assert type(score) is float


def test_values_per_query_have_the_score_as_their_mean():
    nothing_relevant = np.where(GROUPS == 0, 0, Y)
    model = Returning(RIDGE.predict(X))
    for params in ({}, {"ties": "worst", "replace_undefined_by": 0.25}):
        scorer = make_ranking_scorer(["ndcg@3", "mean_rank", "rmse"], **params)
        found = scorer.per_query(model, X, nothing_relevant, groups=GROUPS)
        np.testing.assert_array_equal(found.groups, np.arange(12))
        expected = per_query_scores(
            nothing_relevant,
            model.scores,
            groups=GROUPS,
            metrics=["ndcg@3", "mean_rank", "rmse"],
            ties=params.get("ties", "average"),
        )
        fill = params.get("replace_undefined_by", np.nan)
        for name, values in expected.scores.items():
            filled = np.where(np.isnan(values), fill, values)
            np.testing.assert_array_equal(found.scores[name], filled)
    score = scorer(model, X, nothing_relevant, groups=GROUPS)
    assert score["ndcg@3"] == pytest.approx(found.scores["ndcg@3"].mean())
    assert score["neg_mean_rank"] == pytest.approx(-found.scores["mean_rank"].mean())


def test_missing_groups_are_an_error_with_both_ways_out():
    scorer = make_ranking_scorer("ndcg@3")
    with pytest.raises(ValueError, match="got no groups") as error:
        scorer(RIDGE, X, Y)
    assert repr(scorer) in str(error.value)
    assert "enable_metadata_routing=True" in str(error.value)
    assert "GroupRanker(Ridge(), groups='query')" in str(error.value)
    with pytest.raises(ValueError, match="got no groups"):
        search(scorer).fit(X, Y, groups=GROUPS)  # routing is off: they reach cv alone


def test_groups_are_needed_beside_rating_errors():
    with pytest.raises(ValueError, match="got no groups"):
        make_ranking_scorer(["rmse", "ndcg@3"])(RIDGE, X, Y)
    assert make_ranking_scorer("rmse")(RIDGE, X, Y) < 0


def test_missing_y_is_an_error():
    with pytest.raises(ValueError, match="needs y, the relevance of each row"):
        make_ranking_scorer("ndcg@3")(RIDGE, X, groups=GROUPS)


@pytest.mark.parametrize(
    ("arguments", "params", "kind", "message"),
    [
        ("ndgc@10", {}, ValueError, "Unknown metric 'ndgc@10'.*Did you mean 'ndcg'"),
        ("ndcg@0", {}, ValueError, "positive integer, got '0'"),
        ("ndcg(k=3)@4", {}, ValueError, "gives the cutoff twice"),
        ("ndcg(depth=3)", {}, ValueError, "no parameter 'depth'"),
        ("ndcg", {"depth": 3}, ValueError, "No metric in 'ndcg' has a parameter 'depth'"),
        ("ndcg", {"k": 0}, ValueError, "`k` must be an integer >= 1"),
        (["ndcg", "mrr"], {"beta": 2}, ValueError, r"`beta` has no effect"),
        ([], {}, ValueError, "`metrics` is empty"),
        (len, {}, TypeError, "'len' is not a metric. Give a name such as 'ndcg@10'"),
        (3, {}, TypeError, "takes names such as 'ndcg@10'"),
    ],
)
def test_a_wrong_metric_or_parameter_is_an_error_at_once(arguments, params, kind, message):
    with pytest.raises(kind, match=message):
        make_ranking_scorer(arguments, **params)


@pytest.mark.parametrize(
    ("metric", "params", "kind", "message"),
    [
        ("ndcg@10", {"gain": "x"}, ValueError, "`gain` got 'x'.*'exponential'.*function"),
        ("ndcg@10", {"gain": len}, ValueError, "`gain` must map"),
        ("ndcg@10", {"gain": np.exp}, ValueError, "grade 0 to 0"),
        ("ndcg@10", {"gain": np.array(["x"])}, ValueError, "`gain` got array"),
        ("ndcg@10", {"discount": "x"}, ValueError, "`discount` got 'x'.*'jarvelin'"),
        ("ndcg@10", {"discount": np.sqrt}, ValueError, "`discount` must not increase"),
        ("ndcg(gain='linear')", {"gain": "x"}, ValueError, "`gain` got 'x'"),
        ("ndcg@10", {"k": "x"}, TypeError, "`k` must be an integer"),
        ("ndcg@10", {"log_base": [2]}, TypeError, "`log_base` must be"),
        ("ndcg@10", {"ties": "x"}, ValueError, "`ties` got 'x'.*'average'"),
        ("ndcg@10", {"ties": ["worst"]}, ValueError, r"`ties` got \['worst'\]"),
        ("recall@10", {"denominator": "x"}, ValueError, "`denominator` got 'x'"),
        ("recall@5", {"denominator": "retrieved"}, ValueError, "Valid: 'relevant', 'att"),
        ("map", {"denominator": "x"}, ValueError, "`denominator` got 'x'.*'retrieved'"),
        ("map", {"average": "x"}, ValueError, "`average` got 'x'.*'geometric'"),
        ("auc", {"weighting": "x"}, ValueError, "`weighting` got 'x'.*'pairs'"),
        ("mrr", {"min_relevance": "abc"}, TypeError, "`min_relevance` must be"),
        ("f1@3", {"beta": 1e200}, ValueError, "`beta` must be"),
        ("rbp", {"persistence": 1}, ValueError, "`persistence` must be"),
        ("err", {"max_grade": np.ones(3)}, TypeError, "`max_grade` must be"),
        ("insq", {"desired_gain": 0}, ValueError, "`desired_gain` must be"),
        ("auc(weighting='x')", {}, ValueError, "`weighting` got 'x'"),
        ("map(denominator='x')", {}, ValueError, "`denominator` got 'x'"),
    ],
)
@pytest.mark.parametrize("make", [make_ranking_scorer, make_recommender_scorer])
def test_options_are_checked_when_the_scorer_is_made(make, metric, params, kind, message):
    """In a search, an error of a scorer would become a score of NaN."""
    if make is make_recommender_scorer and "min_relevance" in params:
        metric = "recall@3"  # this scorer's own, which is no parameter of the metric
    with pytest.raises(kind, match=message):
        make(metric, **params)


@pytest.mark.parametrize(
    "bad", [lambda X: X[:, 0], np.arange(3), [0], {"a"}, True, pd.Series([1, 2])]
)
def test_columns_are_names_or_positions(bad):
    with pytest.raises(TypeError, match=r"(?s)`groups` must be a column.*metadata: pass"):
        make_ranking_scorer("ndcg", groups=bad)
    for column in ("user", "item"):
        with pytest.raises(TypeError, match=f"`{column}` must be a column of X"):
            make_recommender_scorer("ndcg", **{column: bad})


@pytest.mark.parametrize("bad", [None, 3, (), [], {"predict"}, ["predict", None], len])
def test_response_methods_are_names(bad):
    with pytest.raises(TypeError, match="`response_method` must be the name of a method"):
        make_ranking_scorer("ndcg", response_method=bad)


@pytest.mark.parametrize("make", [make_ranking_scorer, make_recommender_scorer])
def test_metrics_are_a_name_a_function_or_a_list(make):
    with pytest.raises(TypeError, match="`metric` must be a name, a function"):
        make(iter(["ndcg"]))
    assert [named.name for named in make({"mine": "ndcg@10"}).named] == ["mine"]


def test_a_fold_has_no_scale_of_its_own():
    scorer = make_ranking_scorer(["ndcg@3", "err@2"])
    text = (
        "'err@2' has no scale: it would take the highest grade of these rows, 3, and other "
        "folds may have a different one. Give the highest grade that a judge can give: "
        "'err(max_grade=...)@2'."
    )
    with pytest.raises(ValueError, match=re.escape(text)):
        scorer(RIDGE, X, Y, groups=GROUPS)
    scorer(RIDGE, X, Y > 1, groups=GROUPS)  # all folds agree on 1
    make_ranking_scorer("err(max_grade=3)@2")(RIDGE, X, Y, groups=GROUPS)
    with pytest.raises(ValueError, match=r"'rbp\(persistence=0.9, max_grade=...\)'"):
        make_ranking_scorer("rbp.90")(RIDGE, X, Y, groups=GROUPS)


@pytest.mark.parametrize("groups", [None, 0])
@pytest.mark.parametrize("per_query", [False, True])
def test_no_rows_are_an_error_that_says_so(groups, per_query):
    scorer = make_ranking_scorer("ndcg", groups=groups)
    call = scorer.per_query if per_query else scorer
    for nothing in (None, 3, np.array(1.0)):
        with pytest.raises(ValueError, match="needs X, a table of rows, got"):
            call(RIDGE, nothing, Y, groups=GROUPS)
    for empty in ([], X[:0], FRAME[:0]):
        with pytest.raises(ValueError, match="needs rows to score, but X has none"):
            call(RIDGE, empty, Y, groups=GROUPS)


def test_what_is_no_table_of_rows_is_named():
    scorer = make_ranking_scorer("ndcg", groups=0)
    for rows in ([1, 2], [None], b"ab", FRAME.iloc[:, 0]):
        with pytest.raises((TypeError, ValueError), match="X must be"):
            scorer(Returning(Y), rows, Y)


def test_a_class_in_place_of_an_estimator_is_named():
    with pytest.raises(TypeError, match="got the class Ridge; write Ridge"):
        make_ranking_scorer("ndcg")(Ridge, X, Y, groups=GROUPS)
    with pytest.raises(TypeError, match="got the class Ridge; write Ridge"):
        make_recommender_scorer("ndcg@3")(Ridge, X)


def test_groups_go_to_a_response_method_that_takes_them():
    class ByQuery:
        def predict(self, X, groups=None):
            return np.asarray(groups) * X[:, 0]

    table = np.abs(X)
    scorer = make_ranking_scorer("mean_rank")
    expected = -mean_rank_score(Y, GROUPS * table[:, 0], groups=GROUPS)
    assert scorer(ByQuery(), table, Y, groups=GROUPS) == expected
    Compiled = type("Compiled", (), {"predict": min})  # whose parameters nobody knows
    assert find_method_with_groups(Compiled(), "predict") is None


def test_a_missing_column_is_an_error_that_lists_columns():
    table = FRAME.assign(query=GROUPS)
    model = Returning(RIDGE.predict(X))
    with pytest.raises(ValueError, match=r"not a column of X.*Did you mean 'query'"):
        make_ranking_scorer("ndcg", groups="qury")(model, table, Y)
    with pytest.raises(ValueError, match=r"X, which has 3 column\(s\)"):
        make_ranking_scorer("ndcg", groups=3)(model, X, Y)
    with pytest.raises(ValueError, match="X has no column names"):
        make_ranking_scorer("ndcg", groups="query")(model, X, Y)
    twice = pd.concat([table, table[["query"]]], axis=1)
    with pytest.raises(ValueError, match="X has 2 columns named 'query'"):
        make_ranking_scorer("ndcg", groups="query")(model, twice, Y)


def test_a_metric_in_place_of_a_scorer_says_what_to_do():
    with pytest.raises(TypeError, match=re.escape("make_ranking_scorer(ndcg_score, ...)")):
        search(ndcg_score).fit(X, Y, groups=GROUPS)


def test_columns_are_keywords_with_defaults_for_tools_that_look_at_the_signature():
    scorer = make_ranking_scorer("ndcg")
    for call in (scorer, scorer.per_query):
        found = inspect.signature(call).parameters
        optional = set(found) - {"estimator", "X"}
        assert optional == {"y", "groups", "sample_weight", *Columns.__annotations__}
        assert all(found[name].default is None for name in optional)
        assert all(one.kind is not one.VAR_KEYWORD for one in found.values())
    scorer = make_ranking_scorer("ndcg", groups=0)
    table = np.column_stack([GROUPS, X])
    model = Returning(RIDGE.predict(X))
    expected = scorer(model, table, Y)
    assert scorer(model, table, Y, propensity=None, items=None) == expected
