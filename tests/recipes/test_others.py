"""A splitter, a recommender, an input form and a display, each from one scratch file."""

import importlib.util
import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.utils.estimator_checks import estimator_checks_generator

from sklearn_rank.datasets import make_interactions, make_ranking
from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import make_recommender_scorer, ranking_scores
from sklearn_rank.model_selection import describe_split
from sklearn_rank.recommenders import PopularityRecommender

# Small logs are split anyhow: what works is asked, not how well.
pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn_rank.exceptions.MisleadingScoreWarning"
)

COLUMNS = {"user": "user", "item": "item"}


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Load a recipe from a scratch folder, as a file of its own."""

    def load_copy(stem):
        path = shutil.copy(Path(__file__).with_name(f"{stem}.py"), tmp_path)
        spec = importlib.util.spec_from_file_location(stem, path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, stem, module)  # for pickle
        spec.loader.exec_module(module)
        return module

    return load_copy


@pytest.fixture(scope="module")
def log():
    return make_interactions(80, 60, 1200, random_state=0, as_frame=True)


# ---- a splitter ------------------------------------------------------------------------


def test_a_splitter_holds_each_item_out_once(load, log):
    splitter = load("_item_folds").ItemKFold(3, item="item")
    assert splitter.get_n_splits() == 3
    held_out = []
    for train, test in splitter.split(log):
        assert sorted([*train, *test]) == list(range(len(log)))
        assert not set(log["item"].iloc[train]) & set(log["item"].iloc[test])
        held_out += test.tolist()
    assert sorted(held_out) == list(range(len(log)))


def test_a_splitter_takes_columns_metadata_and_filters(load, log):
    ItemKFold = load("_item_folds").ItemKFold
    by_column = list(ItemKFold(3, item="item").split(log))
    by_metadata = list(ItemKFold(3).split(None, items=log["item"]))
    for one, other in zip(by_column, by_metadata, strict=True):
        np.testing.assert_array_equal(one[1], other[1])
    with pytest.raises(ValueError, match="With cold_items='drop' none of the"):
        next(ItemKFold(3, item="item", cold_items="drop").split(log))


def test_a_splitter_works_in_a_search(load, log):
    splitter = load("_item_folds").ItemKFold(3, item="item", seen_items="drop", user="user")
    assert repr(splitter).startswith("ItemKFold(")
    search = GridSearchCV(
        PopularityRecommender(**COLUMNS),
        {"half_life": [None]},
        cv=splitter,
        scoring=make_recommender_scorer("ndcg@5", **COLUMNS),
        error_score="raise",
    ).fit(log)
    assert search.best_score_ == 0  # nobody recommends an item that train does not know
    assert len(describe_split(splitter, log, time="time", check=None)["fold"]) == 3


# ---- a recommender ---------------------------------------------------------------------


def test_a_recommender_recommends(load):
    recommender = load("_bought_together").BoughtTogether()
    X = [["ann", "tea"], ["ann", "milk"], ["bob", "tea"], ["bob", "milk"], ["bob", "cake"]]
    recommender.fit([*X, ["eve", "milk"]])
    assert recommender.recommend(["eve", "ann"], k=1).tolist() == [["tea"], ["cake"]]
    assert recommender.recommend_for_items([["cake"]], k=2).shape == (1, 2)
    assert recommender.predict([["eve", "tea"], ["eve", "cake"]]).tolist() == [2, 1]


def test_a_recommender_passes_the_checks_of_scikit_learn(load):
    for estimator, check in estimator_checks_generator(
        load("_bought_together").BoughtTogether()
    ):
        check(estimator)


def test_a_recommender_is_tuned(load, log):
    search = GridSearchCV(
        load("_bought_together").BoughtTogether(**COLUMNS),
        {"weighting": ["sum", "log", "binary"]},
        cv=load("_item_folds").ItemKFold(2, item="item"),
        scoring=make_recommender_scorer("hit_rate@5", **COLUMNS),
        error_score="raise",
    ).fit(log)
    assert search.best_score_ == 0
    assert len(search.cv_results_["params"]) == 3


# ---- an input form ---------------------------------------------------------------------


LINES = [
    json.dumps({"user": "ann", "bought": [1], "shown": [2, 1]}),
    json.dumps({"user": "bob", "bought": [3, 2], "shown": [3]}),
]


def test_an_input_form_returns_the_arguments_of_metrics(load):
    rows = load("_json_lines").from_json_lines(LINES)
    expected = from_item_lists({"ann": [1], "bob": [3, 2]}, {"ann": [2, 1], "bob": [3]})
    assert list(rows) == ["y_true", "y_score", "groups"]
    for name, column in expected.items():
        np.testing.assert_array_equal(rows[name], column)
    assert ranking_scores(**rows, metrics="mrr") == {"mrr": (1 / 2 + 1) / 2}


def test_an_input_form_returns_items_where_they_are_asked_for(load):
    rows = load("_json_lines").from_json_lines(LINES, return_items=True)
    assert rows["items"].tolist() == [2, 1, 3, 2]


def test_an_input_form_says_what_is_wrong(load):
    with pytest.raises(ValueError, match="User 'ann' has 2 lines"):
        load("_json_lines").from_json_lines([*LINES, LINES[0]])


# ---- a display -------------------------------------------------------------------------


@pytest.fixture
def display(load):
    plt = pytest.importorskip("matplotlib.pyplot")
    yield load("_hits_by_rank").HitsByRankDisplay
    plt.close("all")


def test_a_display_draws_scores(display):
    rows = {"y_true": [0, 1, 1, 0], "y_score": [2, 1, 2, 1], "groups": [1, 1, 2, 2]}
    found = display.from_predictions(**rows, k=3, name="model", color="gray")
    assert found.hits.tolist() == [1 / 2, 1 / 2, 0]
    assert [bar.get_height() for bar in found.bars_] == [1 / 2, 1 / 2, 0]
    again = display.from_predictions(**rows, ax=found.ax_)
    assert again.figure_ is found.figure_


def test_a_display_draws_estimators_and_folds(display, log):
    X, y, groups = make_ranking(n_queries=30, random_state=0)
    found = display.from_estimator(Ridge().fit(X, y), X, y, groups=groups, k=4)
    assert (found.name, len(found.hits)) == ("Ridge", 4)
    folds = cross_validate(
        Ridge(),
        X,
        y,
        groups=groups,
        cv=GroupKFold(3),
        scoring="r2",
        return_estimator=True,
        return_indices=True,
    )
    found = display.from_cv_results(folds, X, y, groups=groups, k=4)
    assert found.hits.max() <= 1
    recommender = PopularityRecommender(**COLUMNS).fit(log.iloc[:900])
    found = display.from_estimator(recommender, log.iloc[900:], k=5, **COLUMNS)
    assert len(found.hits) == 5
