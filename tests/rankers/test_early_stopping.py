"""Early stopping holds out whole queries, inside fit."""

from inspect import signature

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank.rankers import GroupRanker
from sklearn_rank.rankers._query_rows import rows_by_query
from sklearn_rank.rankers._validation_queries import hold_out_queries
from tests.rankers.conftest import (
    catboost_ranker,
    lightgbm_ranker,
    make_queries,
    xgboost_ranker,
)

MANY = 300
RANKERS = {
    "lightgbm": lambda: lightgbm_ranker(n_estimators=MANY),
    "xgboost": lambda: xgboost_ranker(n_estimators=MANY, learning_rate=0.3),
    "catboost": lambda: catboost_ranker(iterations=MANY, learning_rate=0.3),
}


def pointwise(library):
    lib = pytest.importorskip(library)
    if library == "lightgbm":
        return lib.LGBMRegressor(n_estimators=MANY, verbose=-1, n_jobs=1)
    if library == "xgboost":
        return lib.XGBRegressor(n_estimators=MANY, n_jobs=1)
    return lib.CatBoostRegressor(
        iterations=MANY, verbose=False, allow_writing_files=False, thread_count=1
    )


def n_trees(estimator):
    library = type(estimator).__module__.partition(".")[0]
    if library == "lightgbm":
        return estimator.booster_.current_iteration()
    if library == "xgboost":
        return estimator.get_booster().num_boosted_rounds()
    return estimator.tree_count_


@pytest.fixture(params=list(RANKERS))
def library(request):
    return request.param


def test_validation_takes_whole_queries():
    queries = make_queries()
    rows = rows_by_query(
        queries.X, queries.y, queries.groups, queries.query * 1.0, {}, owner="GroupRanker"
    )
    train, validation = hold_out_queries(rows, 0.25, random_state=0)
    assert len(validation.labels) == len(rows.labels) // 4
    assert not set(train.labels) & set(validation.labels)
    assert sorted([*train.labels, *validation.labels]) == sorted(rows.labels)
    for part in (train, validation):
        label = np.char.add("query ", np.char.zfill(part.weight.astype(int).astype(str), 2))
        assert np.array_equal(part.labels[part.query], label)
        assert np.array_equal(part.query, np.repeat(np.arange(len(part.sizes)), part.sizes))


@pytest.mark.parametrize("weighted", [False, True])
def test_fewer_trees_than_allowed(library, weighted, queries):
    weight = 1.0 + queries.query % 2 if weighted else None
    ranker = GroupRanker(RANKERS[library](), early_stopping_rounds=3, random_state=0)
    ranker.fit(queries.X, queries.y, groups=queries.groups, sample_weight=weight)
    assert n_trees(ranker.estimator_) < MANY
    assert ranker.score(queries.X, queries.y, groups=queries.groups) > 0.7


def test_pointwise_boosters_stop_by_whole_queries_too(library, queries):
    ranker = GroupRanker(pointwise(library), early_stopping_rounds=3, random_state=0)
    ranker.fit(
        queries.X, queries.y, groups=queries.groups, sample_weight=np.ones(len(queries.y))
    )
    assert n_trees(ranker.estimator_) < MANY


def test_the_same_seed_holds_out_the_same_queries(queries):
    one, same, other = (
        GroupRanker(RANKERS["lightgbm"](), early_stopping_rounds=3, random_state=seed)
        .fit(queries.X, queries.y, groups=queries.groups)
        .predict(queries.X)
        for seed in (0, 0, 1)
    )
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_held_out_rows_go_through_a_pipeline_inside(library, queries):
    inner = make_pipeline(StandardScaler(), RANKERS[library]())
    ranker = GroupRanker(inner, early_stopping_rounds=3, random_state=0)
    ranker.fit(queries.X * 1e3 + 1e4, queries.y, groups=queries.groups)
    assert n_trees(ranker.estimator_[-1]) < MANY
    assert ranker.score(queries.X * 1e3 + 1e4, queries.y, groups=queries.groups) > 0.7


def test_categories_of_a_frame(library, queries):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(queries.X, columns=list("abcd"))
    X["shop"] = pandas.Categorical(np.where(queries.X[:, 0] > 0, "north", "south"))
    own = {"catboost": {"cat_features": ("shop",)}, "xgboost": {"enable_categorical": True}}
    inner = RANKERS[library]().set_params(**own.get(library, {}))
    ranker = GroupRanker(inner, early_stopping_rounds=3, random_state=0)
    ranker.fit(X, queries.y, groups=queries.groups)
    assert n_trees(ranker.estimator_) < MANY
    assert np.isfinite(ranker.predict(X)).all()


def test_other_callbacks_are_kept(queries):
    lightgbm = pytest.importorskip("lightgbm")
    seen = {}
    ranker = GroupRanker(RANKERS["lightgbm"](), early_stopping_rounds=3, random_state=0)
    ranker.fit(
        queries.X,
        queries.y,
        groups=queries.groups,
        callbacks=[lightgbm.record_evaluation(seen)],
    )
    assert seen["valid_0"]["ndcg@1"]


@pytest.mark.skipif(
    "X_val" not in signature(HistGradientBoostingRegressor.fit).parameters,
    reason="histogram gradient boosting takes held-out rows from scikit-learn 1.7 on",
)
def test_histogram_gradient_boosting(queries):
    inner = HistGradientBoostingRegressor(max_iter=MANY)
    ranker = GroupRanker(inner, early_stopping_rounds=3, random_state=0)
    weight = np.ones(len(queries.y))
    ranker.fit(queries.X, queries.y, groups=queries.groups, sample_weight=weight)
    assert ranker.estimator_.n_iter_ < MANY
    own = make_queries(seed=1)
    inner.set_params(early_stopping=True)
    ranker = GroupRanker(inner).fit(
        *(queries.X, queries.y, queries.groups), eval_set=[(own.X, own.y, own.groups)]
    )
    direct = inner.fit(queries.X, queries.y, X_val=own.X, y_val=own.y)
    assert ranker.estimator_.n_iter_ == direct.n_iter_ < MANY


def test_inside_a_search(library, queries, with_routing):
    ranker = GroupRanker(RANKERS[library](), early_stopping_rounds=3, random_state=0)
    search = GridSearchCV(
        ranker, {"early_stopping_rounds": [2, 5]}, cv=GroupKFold(2), error_score="raise"
    ).fit(queries.X, queries.y, groups=queries.groups)
    assert n_trees(search.best_estimator_.estimator_) < MANY


def test_what_cannot_be_is_an_error(queries):
    given = {"X": queries.X, "y": queries.y, "groups": queries.groups}
    one = given | {"groups": np.zeros(len(queries.y))}
    with pytest.raises(ValueError, match="not for Ridge; set early_stopping_rounds=None"):
        GroupRanker(Ridge(), early_stopping_rounds=3).fit(**given)
    with pytest.raises(ValueError, match="holds out queries, but there is only one"):
        GroupRanker(Ridge(), early_stopping_rounds=3).fit(**one)
    ranker = GroupRanker(RANKERS["xgboost"](), early_stopping_rounds=3)
    with pytest.raises(ValueError, match="`eval_set` cannot be used: it has no groups"):
        ranker.fit(**given, eval_set=[(queries.X, queries.y)])


@pytest.mark.parametrize(
    ("params", "error", "text"),
    [
        ({"early_stopping_rounds": 0}, ValueError, "an integer >= 1 or None"),
        ({"early_stopping_rounds": 2.5}, TypeError, "an integer >= 1 or None"),
        ({"validation_fraction": 1.0}, ValueError, "between 0 and 1"),
        ({"validation_fraction": None}, TypeError, "between 0 and 1"),
    ],
)
def test_parameters_are_checked(params, error, text, queries):
    ranker = GroupRanker(Ridge(), **({"early_stopping_rounds": 3} | params))
    with pytest.raises(error, match=text):
        ranker.fit(queries.X, queries.y, groups=queries.groups)
