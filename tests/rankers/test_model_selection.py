"""Rankers in every tool of scikit-learn, rows in any order."""

import numpy as np
import pytest
from scipy.stats import randint
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank.metrics import make_ranking_scorer
from sklearn_rank.model_selection import UserKFold
from sklearn_rank.rankers import GroupRanker, PairwiseRanker
from tests.rankers.conftest import BOOSTERS

INNER = {
    **{name: (make, "n_estimators", [2, 6]) for name, make in BOOSTERS.items()},
    "pointwise": (Ridge, "alpha", [1.0, 100.0]),
    "pairwise": (LogisticRegression, "C", [0.01, 1.0]),
}
INNER["catboost"] = (BOOSTERS["catboost"], "iterations", [2, 6])


@pytest.fixture(params=list(INNER))
def kind(request):
    return request.param


@pytest.fixture
def data(queries, routing):
    """X, y, and how groups come: as metadata with routing on, else as column 0 of X."""
    if routing:
        return queries.X, queries.y, None, {"groups": queries.groups}
    return np.column_stack([queries.query, queries.X]), queries.y, 0, {}


def make(kind, column):
    wrap = PairwiseRanker if kind == "pairwise" else GroupRanker
    return wrap(INNER[kind][0](), groups=column)


def grid(kind):
    _, name, values = INNER[kind]
    return {f"estimator__{name}": values}


def splitter(X, groups, column):
    """Return folds of whole queries, and what fit needs for them, routing on or off."""
    query = groups["groups"] if column is None else X[:, column]
    return list(GroupKFold(3).split(X, groups=query))


@pytest.mark.parametrize("scoring", ["score", "scorer"])
def test_grid_search(kind, scoring, data):
    X, y, column, groups = data
    scorer = None if scoring == "score" else make_ranking_scorer("ndcg@3", groups=column)
    search = GridSearchCV(
        make(kind, column),
        grid(kind),
        cv=splitter(X, groups, column),
        scoring=scorer,
        error_score="raise",
    ).fit(X, y, **groups)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert len(set(search.cv_results_["mean_test_score"])) == 2
    assert search.score(X, y, **groups) > 0.5
    assert search.predict(X).shape == y.shape


def test_routing_on_and_off_find_the_same(kind, queries, with_routing):
    by_metadata = GridSearchCV(
        make(kind, None), grid(kind), cv=GroupKFold(3), error_score="raise"
    ).fit(queries.X, queries.y, groups=queries.query)
    X = np.column_stack([queries.query, queries.X])
    by_column = GridSearchCV(
        make(kind, 0), grid(kind), cv=splitter(X, {}, 0), error_score="raise"
    ).fit(X, queries.y)
    for name in ("split0_test_score", "split2_test_score"):
        assert np.allclose(by_metadata.cv_results_[name], by_column.cv_results_[name])


def test_groups_passed_to_the_splitter_alone_still_need_a_column(queries):
    X = np.column_stack([queries.query, queries.X])
    search = GridSearchCV(
        make("pointwise", 0), grid("pointwise"), cv=GroupKFold(3), error_score="raise"
    ).fit(X, queries.y, groups=queries.query)
    assert search.best_score_ > 0.5


def test_random_search_in_two_processes(data):
    X, y, column, groups = data
    searches = [
        RandomizedSearchCV(
            make("lightgbm", column),
            {"estimator__num_leaves": randint(2, 30)},
            n_iter=3,
            cv=splitter(X, groups, column),
            scoring=make_ranking_scorer("ndcg@3", groups=column),
            random_state=0,
            n_jobs=n_jobs,
            error_score="raise",
        ).fit(X, y, **groups)
        for n_jobs in (1, 2)
    ]
    one, two = (search.cv_results_["mean_test_score"] for search in searches)
    assert np.array_equal(one, two)


@pytest.mark.parametrize(
    ("kind", "resource", "name"),
    [
        ("lightgbm", "n_estimators", "num_leaves"),
        ("xgboost", "n_estimators", "max_depth"),
        ("catboost", "iterations", "depth"),
    ],
)
def test_halving_by_number_of_trees(kind, resource, name, data):
    X, y, column, groups = data
    search = HalvingGridSearchCV(
        make(kind, column),
        {f"estimator__{name}": [2, 3, 4]},
        resource=f"estimator__{resource}",
        min_resources=2,
        max_resources=6,
        cv=splitter(X, groups, column),
        error_score="raise",
    ).fit(X, y, **groups)
    assert search.n_resources_ == [2, 6]
    assert search.best_params_[f"estimator__{resource}"] == 6


def metadata(groups):
    return {"params": groups} if groups else {}


def test_cross_validate(kind, data):
    X, y, column, groups = data
    result = cross_validate(
        make(kind, column),
        X,
        y,
        cv=splitter(X, groups, column),
        return_train_score=True,
        error_score="raise",
        **metadata(groups),
    )
    assert (result["test_score"] > 0.5).all()
    assert (result["train_score"] > 0.5).all()


def test_nested_search(kind, data):
    X, y, column, groups = data
    cv = GroupKFold(2) if groups else UserKFold(2, user=column)
    search = GridSearchCV(
        make(kind, column),
        grid(kind),
        cv=cv,
        scoring=make_ranking_scorer("ndcg", groups=column, replace_undefined_by=0),
        error_score="raise",
    )
    scores = cross_val_score(
        search,
        X,
        y,
        cv=splitter(X, groups, column),
        scoring=make_ranking_scorer("ndcg", groups=column),
        error_score="raise",
        **metadata(groups),
    )
    assert (scores > 0.5).all()


def test_learning_curve(data):
    X, y, column, groups = data
    _, train, test = learning_curve(
        make("lightgbm", column),
        X,
        y,
        cv=splitter(X, groups, column),
        scoring=make_ranking_scorer("ndcg", groups=column, replace_undefined_by=0),
        train_sizes=[0.5, 1.0],
        error_score="raise",
        **metadata(groups),
    )
    assert train.shape == test.shape == (2, 3)
    assert (test > 0.5).all()


def test_permutation_importance(kind, queries, routing):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(queries.X, columns=list("abcd")).assign(query=queries.groups)
    ranker = make(kind, "query").fit(X, queries.y)
    # The column of groups is permuted as well: some queries lose all relevant rows.
    scorer = make_ranking_scorer("ndcg", groups="query", replace_undefined_by=0)
    result = permutation_importance(
        ranker, X, queries.y, n_repeats=3, random_state=0, scoring=scorer
    )
    assert np.argmax(result.importances_mean[:4]) == 0


def features_after_the_query(ranker):
    """Keep column 0, the query, above all features."""
    importances = getattr(ranker, "coef_", None)
    importances = ranker.feature_importances_ if importances is None else importances
    importances = np.abs(np.ravel(importances))
    return np.r_[importances.max() + 1, importances[1:]]


def test_recursive_elimination(kind, data):
    X, y, column, groups = data
    selector = RFECV(
        make(kind, column),
        cv=splitter(X, groups, column),
        min_features_to_select=2,
        scoring=make_ranking_scorer("ndcg", groups=column),
        importance_getter="auto" if column is None else features_after_the_query,
    ).fit(X, y, **groups)
    is_first_feature = 0 if column is None else 1
    assert selector.support_[is_first_feature]
    assert column is None or selector.support_[column]


def test_pipelines_outside(kind, queries, with_routing):
    model = make_pipeline(StandardScaler(), make(kind, None))
    step = model.steps[-1][0]
    name, values = next(iter(grid(kind).items()))
    search = GridSearchCV(
        model,
        {f"{step}__{name}": values},
        cv=GroupKFold(3),
        scoring=make_ranking_scorer("ndcg@3"),
        error_score="raise",
    ).fit(queries.X, queries.y, groups=queries.groups)
    assert search.best_score_ > 0.5


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_in_any_order(library, queries, routing):
    frames = pytest.importorskip(library)
    columns = {name: queries.X[:, i] for i, name in enumerate("abcd")}
    X = frames.DataFrame(columns | {"query": queries.groups})
    cv = GroupShuffleSplit(2, random_state=0).split(X, groups=queries.groups)
    scores = cross_val_score(
        make("lightgbm", "query"),
        X,
        queries.y,
        cv=list(cv),
        scoring=make_ranking_scorer("ndcg@3", groups="query"),
        error_score="raise",
    )
    assert (scores > 0.5).all()


def test_weights_are_routed_when_asked_for(queries, with_routing):
    weight = 1.0 + queries.query % 2
    ranker = make("xgboost", None).set_fit_request(sample_weight=True)
    ranker.set_score_request(sample_weight=True)
    search = GridSearchCV(ranker, grid("xgboost"), cv=GroupKFold(3), error_score="raise")
    search.fit(queries.X, queries.y, groups=queries.groups, sample_weight=weight)
    assert search.best_score_ > 0.5
