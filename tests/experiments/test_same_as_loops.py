"""The numbers of tune_models are those of plain loops over public tools."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, GroupShuffleSplit, ParameterGrid

from sklearn_rank.experiments import default_models, evaluate_models, tune_models
from sklearn_rank.metrics import (
    make_ranking_scorer,
    make_recommender_scorer,
    per_query_scores,
    ranking_report,
    ranking_scores,
)
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.rankers import GroupRanker
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    PopularityRecommender,
)
from sklearn_rank.statistics import compare_models, confidence_interval

JUDGED = {"user": "user", "item": "item", "time": "time"}
DROPPED = {"cold_users": "drop", "seen_items": "drop"}
GRID = {"n_neighbors": [5, 20], "weighting": ["binary", "log"]}


@pytest.fixture(scope="module")
def tuned(log):
    models = {"neighbors": (ItemNeighborsRecommender(), GRID), "ease": EASERecommender()}
    return tune_models(log, time="time", models=models, metrics=["ndcg@5", "recall@10"])


@pytest.fixture(scope="module")
def parts(log):
    train, test = next(TimeSplit(1, 0.2, **JUDGED, **DROPPED).split(log))
    return log.iloc[train], log.iloc[test]


def test_scores_of_folds_are_those_of_a_loop(tuned, parts):
    train, _ = parts
    folds = list(TimeSplit(3, 0.5 / 3, **JUDGED, **DROPPED).split(train))
    scorer = make_recommender_scorer(["ndcg@5", "recall@10"])
    candidates = [
        *(ItemNeighborsRecommender(**params) for params in ParameterGrid(GRID)),
        EASERecommender(),
    ]
    for fold, (fitted, judged) in enumerate(folds):
        for place, model in enumerate(candidates):
            model = clone(model).fit(train.iloc[fitted])
            for metric, score in scorer(model, train.iloc[judged]).items():
                found = tuned.cv_results_[f"split{fold}_test_{metric}"]
                assert found[place] == score


def test_the_test_is_judged_as_by_hand(tuned, parts):
    train, test = parts
    winner = clone(tuned.best_estimator_).fit(train)
    values = make_recommender_scorer(["ndcg@5", "recall@10"]).per_query(winner, test)
    found = tuned.values_[tuned.best_name_]
    for metric, by_user in values.scores.items():
        assert np.array_equal(found.scores[metric], by_user)
    assert tuned.means[tuned.best_name_] == values.mean()
    (row,) = [r for r in tuned.to_dict()["models"].items() if r[0] == tuned.best_name_]
    interval = confidence_interval(values)["ndcg@5"]
    shown = row[1]["intervals"]["ndcg@5"]
    assert shown["standard_error"] == interval.standard_error
    assert (shown["low"], shown["high"]) == (interval.low, interval.high)


def test_the_winner_is_fitted_on_all_rows(tuned, log):
    again = clone(tuned.best_estimator_).fit(log)
    users = log["user"].unique()[:20]
    expected = again.recommend(users, 5)
    assert np.array_equal(tuned.best_estimator_.recommend(users, 5), expected)


def test_pairs_are_those_of_compare_models(tuned):
    expected = compare_models(tuned.values_)
    for name, column in expected.columns.items():
        assert np.array_equal(tuned.comparison.columns[name], column), name


def test_popularity_is_judged_where_nobody_names_it(tuned, parts):
    train, test = parts
    expected = make_recommender_scorer("ndcg@5")(PopularityRecommender().fit(train), test)
    assert tuned.means["popularity"]["ndcg@5"] == expected
    assert "time_decayed_popularity" in tuned.means
    assert set(tuned.cv_results_["param_model"]) == {"neighbors", "ease"}


def test_the_half_life_of_the_baseline_is_chosen_on_the_folds(tuned, log, parts):
    models = default_models(parts[0], time="time", names=["popularity"])
    alone = tune_models(log, time="time", models=models, metrics="ndcg@5")
    name = "time_decayed_popularity"
    assert alone.models_[name].half_life == tuned.models_[name].half_life
    assert alone.means[name]["ndcg@5"] == tuned.means[name]["ndcg@5"]


def test_rankers_are_judged_as_by_hand(queries):
    X, y, groups = queries
    models = {"ridge": (GroupRanker(Ridge()), {"estimator__alpha": [0.1, 1000.0]})}
    tuned = tune_models(X, y, groups=groups, models=models, metrics="ndcg@5")
    train, test = next(
        GroupShuffleSplit(1, test_size=0.2, random_state=0).split(X, y, groups)
    )
    scores = np.empty((2, 3))
    for fold, (fitted, judged) in enumerate(
        GroupKFold(3).split(X[train], groups=groups[train])
    ):
        rows, others = train[fitted], train[judged]
        for place, alpha in enumerate([0.1, 1000.0]):
            model = GroupRanker(Ridge(alpha=alpha)).fit(
                X[rows], y[rows], groups=groups[rows]
            )
            of_rows = {"y_true": y[others], "groups": groups[others]}
            scores[place, fold] = ranking_scores(
                **of_rows, y_score=model.predict(X[others]), metrics="ndcg@5"
            )["ndcg@5"]
    found = np.column_stack([tuned.cv_results_[f"split{i}_test_score"] for i in range(3)])
    assert np.array_equal(found, scores)
    model = GroupRanker(Ridge(**_alpha(tuned))).fit(
        X[train], y[train], groups=groups[train]
    )
    truth = {"y_true": y[test], "groups": groups[test]}
    rows = {**truth, "y_score": model.predict(X[test])}
    expected = per_query_scores(**rows, metrics="ndcg@5")
    assert tuned.means["ridge"] == expected.mean()
    report = ranking_report(**rows, k=(1, 5, 10, 20), output_dict=True)
    assert tuned.to_dict()["models"]["ridge"]["report"] == report
    equal = ranking_scores(**truth, y_score=np.zeros(len(test)), metrics="ndcg@5")
    assert tuned.means["equal"] == equal


def test_groups_and_metrics_may_come_from_a_scorer(queries):
    X, y, groups = queries
    frame = pd.DataFrame(X).add_prefix("f").assign(query=groups, item=np.arange(len(y)) % 9)
    ranker = {"ridge": GroupRanker(Ridge(), groups="query")}
    metrics = ["gini(n_items=9)@5", "ndcg@5"]
    scorer = make_ranking_scorer(metrics, groups="query", items="item")
    found = tune_models(frame, y, models=ranker, metrics=scorer)
    by_name = tune_models(frame, y, groups="query", models=ranker, metrics="ndcg@5")
    assert found.metrics == metrics
    for name, means in by_name.means.items():
        assert found.means[name]["ndcg@5"] == means["ndcg@5"]


def test_a_metric_of_all_users_may_decide(log):
    given = {"time": "time", "models": ["popularity", "ease"], "cv": "last"}
    found = tune_models(log, **given, metrics=make_recommender_scorer("coverage@10"))
    beside = tune_models(log, **given, metrics=["ndcg@10", "coverage@10"])
    assert found.best_name_ == "ease"
    popular = [one.means["popularity"]["coverage@10"] for one in (found, beside)]
    assert popular[0] == popular[1] < found.means["ease"]["coverage@10"]


def _alpha(tuned):
    return {"alpha": tuned.best_params_["estimator__alpha"]}


def test_fitted_models_are_judged_as_their_scorer_does(parts):
    train, test = parts
    models = {
        "ease": EASERecommender().fit(train),
        "pop": PopularityRecommender().fit(train),
    }
    metrics = ["ndcg@10", "coverage@10", "novelty@10"]
    found = evaluate_models(models, test, metrics=metrics)
    scorer = make_recommender_scorer(metrics)
    for name, model in models.items():
        assert found.means[name] == scorer(model, test)
    assert set(found.values_["ease"].scores) == {"ndcg@10", "novelty@10"}
