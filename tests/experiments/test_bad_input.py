"""What is wrong comes up before the search, and each error says what to change."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.experiments import (
    _log_splits,
    _query_splits,
    _tune_models,
    default_models,
    evaluate_models,
    tune_models,
)
from sklearn_rank.metrics import make_ranking_scorer, make_recommender_scorer
from sklearn_rank.recommenders import EASERecommender, PopularityRecommender

MODELS = {"popularity": PopularityRecommender()}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": "user", "user": "user", "time": None}, "or `groups` for rankers"),
        ({"time": None}, "name the column with `time`"),
        ({"time": None, "cv": "last"}, "name the column with `time`"),
        ({"cv": "tme"}, "'time'"),
        ({"test_size": 0}, "`test_size` must be a share"),
        ({"test_size": 1.0}, "`test_size` must be a share"),
        ({"search": "random"}, "search"),
        ({"models": {}}, "`models` is empty"),
        ({"models": ["eas"]}, "'ease'"),
        ({"models": {"ease": (EASERecommender(), {"alpha": [1]})}}, "'alpha'"),
        ({"metrics": "ndgc@10"}, "ndcg"),
        ({"metrics": "rmse"}, "evaluates predicted ratings"),
        ({"metrics": []}, "`metrics` is empty"),
        ({"min_relevance": 3}, "needs y"),
        ({"user": "usr"}, "'user'"),
        ({"time_budget": -1}, "`time_budget`"),
        ({"error_score": 0}, "`error_score`"),
        ({"n_splits": 0}, "n_splits"),
        ({"cv": "last", "n_splits": 300}, "Change one, or `test_size`"),
    ],
)
def test_wrong_arguments_of_a_log(log, options, message):
    with pytest.raises(ValueError, match=message):
        tune_models(log, **{"time": "time", "models": MODELS, **options})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"models": {"ease": EASERecommender}}, "must be an estimator"),
        ({"models": {1: EASERecommender()}}, "keys are names"),
        ({"models": {"ease": (EASERecommender(), {"weighting": "log"})}}, "list of values"),
        ({"models": "ease"}, "must be a list"),
        ({"test": "test"}, "`test` must be"),
        ({"metrics": make_ranking_scorer("ndcg"), "user": "user"}, "make_ranking_scorer"),
        ({"metrics": object()}, "`metrics` takes names such as"),
        ({"metrics": {"ndcg", "mrr"}}, "`metrics` must be a name .*, or a list, got"),
        ({"metrics": {"ndcg": 1}}, "`metrics` takes names such as"),
        ({"metrics": iter(["ndcg"])}, "`metrics` must be a name"),
    ],
)
def test_arguments_of_another_type(log, options, message):
    with pytest.raises(TypeError, match=message):
        tune_models(log, **{"cv": "random", "models": MODELS, **options})


def refuse(*arguments, **keywords):
    raise AssertionError("The rows were read before all arguments were checked.")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"models": ["eas"]}, "'ease'"),
        ({"models": []}, "The list of models is empty"),
        ({"models": {}}, "`models` is empty"),
        ({"models": {"ease": (EASERecommender(), {"alpha": [1]})}}, "'alpha'"),
        ({"models": {"ease": EASERecommender}}, "must be an estimator"),
        ({"models": ["repeats"]}, "exclude_seen=False"),
        ({"models": ["two_stages"], "time": None, "cv": "random"}, "give `time`"),
        ({"min_relevance": 3}, "needs y"),
        ({"min_relevance": "3"}, "`min_relevance` must be a number"),
        ({"choose": "one-se", "n_splits": 1}, "needs two folds or more"),
        ({"n_jobs": 0}, "`n_jobs` must be"),
        ({"n_jobs": "2"}, "`n_jobs` must be"),
        ({"memory": 3}, "memory"),
        ({"random_state": "0"}, "'0' cannot be used to seed"),
        ({"refit": "ndcg"}, "refit"),
        ({"progress": True}, "`progress` must be a function"),
        ({"test": (None, None)}, "X"),
    ],
)
def test_arguments_are_checked_before_a_log_is_read(log, options, message, monkeypatch):
    monkeypatch.setattr(_log_splits, "as_log", refuse)
    with pytest.raises((ValueError, TypeError), match=message):
        tune_models(log, **{"time": "time", "models": MODELS, **options})


def test_names_are_checked_before_rows_are_read(log, queries, monkeypatch):
    monkeypatch.setattr(_log_splits, "as_log", refuse)
    monkeypatch.setattr(_query_splits, "encode_labels", refuse)
    X, y, groups = queries
    with pytest.raises(ValueError, match="There is no model 'eas'"):
        default_models(log, names=["eas"])
    with pytest.raises(ValueError, match="There is no model 'lightgmb'"):
        tune_models(X, y, groups=groups, models=["lightgmb"])
    with pytest.raises(ValueError, match="`cv='time'` goes with a log"):
        tune_models(X, y, groups=groups, cv="time")


def test_segments_are_read_before_models_are_judged(log, monkeypatch):
    monkeypatch.setattr(_tune_models, "evaluate_finalists", refuse)
    models = {"popular": PopularityRecommender().fit(log)}
    with pytest.raises(ValueError, match="`by='city'`"):
        evaluate_models(models, log, by="city")
    with pytest.raises(ValueError, match="`n_jobs` must be"):
        evaluate_models(models, log, n_jobs=0)


def test_columns_that_nobody_named(log):
    other = log.rename(columns={"user": "customer"})
    with pytest.raises(ValueError, match=r"No column of X is named 'user'.*`groups`"):
        tune_models(other, time="time", models=MODELS)
    found = tune_models(other, user="customer", time="time", models=MODELS)
    assert "popularity" in found.means
    with pytest.raises(ValueError, match="X has no names"):
        tune_models(log.to_numpy(), models=MODELS, cv="random")


def test_labels_in_two_orders(log):
    y = (log["user"] % 3 + 1.0).rename("rating")
    message = r"X and y have one index in two orders \(row 0: 1, {}\).*y.loc\[X.index\]"
    labeled = log.set_axis(range(1, 1 + len(log)))
    y.index = labeled.index
    told = message.format(len(log))
    options = {"time": "time", "models": MODELS}
    with pytest.raises(ValueError, match=told):
        tune_models(labeled, y[::-1], **options)
    with pytest.raises(ValueError, match=told):
        default_models(labeled, y[::-1])
    fitted = {"popular": PopularityRecommender().fit(log)}
    with pytest.raises(ValueError, match=told):
        evaluate_models(fitted, labeled, y[::-1])
    with pytest.raises(ValueError, match=r"test\[0\] and test\[1\] have one index in two"):
        tune_models(log, **options, test=(labeled, y[::-1]))
    # Values without labels, or with labels of their own, are paired by position.
    own = y.set_axis([f"row {row}" for row in labeled.index])[::-1]
    found = tune_models(labeled, y.to_numpy()[::-1], **options).means
    assert tune_models(labeled, own, **options).means.keys() == found.keys()


def test_queries_in_two_orders(queries):
    X, y, groups = queries
    X = pd.DataFrame(X, index=range(1, 1 + len(X)))
    y, groups = pd.Series(y, index=X.index), pd.Series(groups, index=X.index)
    with pytest.raises(ValueError, match="X and y have one index in two orders"):
        tune_models(X, y[::-1], groups=groups)
    with pytest.raises(ValueError, match="X and groups have one index in two orders"):
        tune_models(X, y, groups=groups[::-1])
    with pytest.raises(ValueError, match="X and groups have one index in two orders"):
        default_models(X, y, groups=groups[::-1])


def test_a_single_user_or_item(log):
    with pytest.raises(ValueError, match="only one user in"):
        tune_models(log.assign(user=1), time="time", models=MODELS)
    with pytest.raises(ValueError, match="only one item in"):
        tune_models(log.assign(item=1), time="time", models=MODELS)


def test_a_matrix_is_no_log():
    matrix = sparse.csr_array(np.eye(50, 40))
    with pytest.raises(ValueError, match="Name `user` and `item`"):
        tune_models(matrix, models=MODELS, cv="random")


def test_nothing_to_judge_by(log):
    with pytest.raises(ValueError, match=r"No rating is 9 or more.*largest in `y` is 1"):
        tune_models(log, np.ones(len(log)), time="time", models=MODELS, min_relevance=9)
    new = log.tail(50).assign(user=lambda frame: frame["user"] + 10_000)
    with (
        pytest.raises(ValueError, match=r"`test` .* has no row to evaluate"),
        pytest.warns(MisleadingScoreWarning),
    ):
        tune_models(log, time="time", models=MODELS, test=(new, None))
    is_late = log["time"].rank(pct=True) > 0.8
    with pytest.raises(
        ValueError, match=r"last period .* has no row .* or no row is relevant"
    ):
        tune_models(log, 1.0 * ~is_late, time="time", models=MODELS)
    with pytest.raises(ValueError, match=r"One of `n_splits` 3 has no relevant row"):
        tune_models(log, 1.0 * is_late, time="time", models=MODELS)


def test_ratings_of_other_rows(log):
    with pytest.raises(ValueError, match=r"`y` has 5 values, but X has 9000 rows"):
        tune_models(log, np.ones(5), time="time", models=MODELS)


def test_what_is_no_table():
    with pytest.raises(TypeError, match="X must be a table of rows, got 5"):
        default_models(5)


def test_tables_that_are_not_in_memory(log):
    polars = pytest.importorskip("polars")
    lazy = polars.from_pandas(log).lazy()
    with pytest.raises(TypeError, match=r"LazyFrame.*sklearn_rank\.distributed"):
        tune_models(lazy, time="time", models=MODELS)


def test_polars_and_arrow_are_read_as_pandas(log):
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    frame = polars.from_pandas(log)
    expected = tune_models(log, time="time", models=MODELS, refit=False).means
    assert tune_models(frame, time="time", models=MODELS, refit=False).means == expected
    table = frame.to_arrow()
    assert tune_models(table, time="time", models=MODELS, refit=False).means == expected


def test_wrong_arguments_of_queries(queries):
    X, y, groups = queries
    data = {"X": X, "y": y, "groups": groups, "models": {"ridge": Ridge()}}
    relevant_in_one_query = y * (groups == groups[0])
    for options, message in [
        ({"cv": "time"}, "`cv='time'` goes with a log; for rankers give a splitter"),
        ({"min_relevance": 2}, "goes with a log"),
        ({"exclude_seen": False}, "for rankers leave it out"),
        ({"groups": None, "metrics": make_ranking_scorer("mrr")}, "the query of each row"),
        ({"time": "time"}, "`time` goes with"),
        ({"y": None}, "Rankers learn from y"),
        ({"n_splits": 500}, "greater than the number of groups"),
        ({"groups": np.zeros(len(y))}, "0.2 of 1 query leaves none to train or to test on"),
        ({"y": y[1:]}, "one value per row"),
        ({"metrics": "rmse"}, "judges predicted ratings"),
        ({"y": np.zeros(len(y))}, "undefined for every query"),
        (
            {"y": relevant_in_one_query},
            "undefined for every test query; change `test_size`",
        ),
        ({"models": ["lightgb"]}, "lightgbm"),
    ]:
        with pytest.raises(ValueError, match=message):
            tune_models(**{**data, **options})
    with pytest.raises(TypeError, match=r"`test` must be \(X, y, groups\)"):
        tune_models(**data, test=(X, y))


def test_models_to_compare_must_be_fitted(log):
    with pytest.raises(NotFittedError):
        evaluate_models({"ease": EASERecommender()}, log)
    with pytest.raises(ValueError, match="dict from name to fitted model"):
        evaluate_models({}, log)
    fitted = {"popular": PopularityRecommender().fit(log)}
    with pytest.raises(ValueError, match="'popular'"):
        evaluate_models(fitted, log, baseline="populr")
    with pytest.raises(TypeError, match="make_recommender_scorer"):
        evaluate_models(fitted, log, groups="user", metrics=make_recommender_scorer("mrr"))


def test_default_models_know_their_names(log):
    with pytest.raises(ValueError, match="'neighbors'"):
        default_models(log, names=["neighbor"])
    with pytest.raises(ValueError, match="The list of models is empty"):
        default_models(log, names=[])
    with pytest.raises(TypeError, match="must be a list"):
        default_models(log, names=np.array(1))
    with pytest.raises(ValueError, match="no model array"):
        default_models(log, names=[np.ones(2), "ease"])
    assert list(default_models(log, names=["ease", "popularity"])) == ["popularity", "ease"]
