"""Queries that every test of the rankers can use."""

from inspect import signature
from types import SimpleNamespace

import numpy as np
import pytest
import sklearn

N_QUERIES, N_FEATURES = 24, 4


def make_queries(seed=0, n_queries=N_QUERIES, sizes=(5, 9)):
    """Return queries in shuffled rows; each has a row of grade 2 and one of grade 0."""
    rng = np.random.default_rng(seed)
    n_rows = rng.integers(*sizes, n_queries)
    query = np.repeat(np.arange(n_queries), n_rows)
    X = rng.normal(size=(len(query), N_FEATURES))
    worth = X[:, 0] + 0.5 * X[:, 1] + 0.3 * rng.normal(size=len(query))
    y = np.digitize(worth, [0.0, 1.0])
    first = np.searchsorted(query, np.arange(n_queries))
    y[first], y[first + 1] = 2, 0
    order = rng.permutation(len(query))
    groups = np.array([f"query {q:02d}" for q in query])
    return SimpleNamespace(X=X[order], y=y[order], groups=groups[order], query=query[order])


@pytest.fixture
def queries():
    return make_queries()


@pytest.fixture(params=[False, True], ids=["routing off", "routing on"])
def routing(request):
    with sklearn.config_context(enable_metadata_routing=request.param):
        yield request.param


@pytest.fixture
def with_routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def lightgbm_ranker(**params):
    lightgbm = pytest.importorskip("lightgbm")
    small = {"n_estimators": 8, "min_child_samples": 2, "verbose": -1, "n_jobs": 1}
    return lightgbm.LGBMRanker(**(small | params))


def xgboost_ranker(**params):
    xgboost = pytest.importorskip("xgboost")
    return xgboost.XGBRanker(**({"n_estimators": 8, "n_jobs": 1} | params))


def catboost_ranker(**params):
    catboost = pytest.importorskip("catboost")
    small = {"iterations": 8, "verbose": False, "allow_writing_files": False}
    return catboost.CatBoostRanker(**(small | {"thread_count": 1} | params))


def lightgbm_validation(X, y):
    """Return held-out rows as the `fit` of this version of LightGBM takes them."""
    lightgbm = pytest.importorskip("lightgbm")
    if "eval_X" in signature(lightgbm.LGBMRanker.fit).parameters:
        return {"eval_X": (X,), "eval_y": (y,)}
    return {"eval_set": [(X, y)]}


BOOSTERS = {
    "lightgbm": lightgbm_ranker,
    "xgboost": xgboost_ranker,
    "catboost": catboost_ranker,
}


@pytest.fixture(params=list(BOOSTERS))
def booster(request):
    return BOOSTERS[request.param]()
