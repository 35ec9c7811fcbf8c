"""The rankers that can be tuned, the values that are tried, and their names."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from sklearn_rank._cli._errors import InputError
from sklearn_rank._validation import require
from sklearn_rank.rankers import GroupRanker, PairwiseRanker

PACKAGES = ("lightgbm", "xgboost", "catboost")
EQUAL = "all scores equal"
UNTUNED = "untuned"
ESTIMATOR = "model__estimator__"
SHRINKAGE = [0.03, 0.1, 0.3]
TREES = [50, 200]


def check_installed(model: str) -> None:
    """Raise if the package of a model is missing."""
    if model in PACKAGES and find_spec(model) is None:
        raise require(model, "rankers", f"--model {model}")


@contextmanager
def telling_failures(model: str, source: str) -> Iterator[None]:
    """Turn what a package says of data that it cannot learn from into an InputError."""
    try:
        yield
    except _errors_of(model) as error:
        raise InputError(f"{model} cannot learn from {source!r}: {error}") from error


def default_ranker(model: str) -> BaseEstimator:
    """Return a model as it comes, but silent, in one thread and with a fixed seed.

    The search runs several at a time.
    """
    return DEFAULTS[model]()


def grid_of(model: str) -> list[dict[str, list]]:
    """Return the candidates for a search over the step "model" of a pipeline.

    The first two are scores that are all equal and the model as it comes.
    """
    return [
        {"model": [GroupRanker(DummyRegressor())]},
        {"model": [default_ranker(model)]},
        *GRIDS[model](),
    ]


def model_of(model: str, params: dict[str, Any]) -> str:
    """Return the title of a candidate without its values."""
    estimator = getattr(params["model"], "estimator", None)
    if isinstance(estimator, DummyRegressor):
        return EQUAL
    if len(params) == 1:
        return f"{model}, {UNTUNED}"
    if model != "pointwise":
        return model
    is_trees = isinstance(estimator, HistGradientBoostingRegressor)
    return f"pointwise, {'trees' if is_trees else 'ridge'}"


def describe(model: str, params: dict[str, Any]) -> str:
    """Return a candidate in words."""
    values = [
        f"{key.rpartition('__')[2]} {value:g}"
        for key, value in params.items()
        if key != "model"
    ]
    return ", ".join([model_of(model, params), *values])


def _errors_of(model: str) -> tuple[type[Exception], ...]:
    # Those of the others are ValueErrors.
    if model == "lightgbm":
        from lightgbm.basic import LightGBMError

        return (LightGBMError,)
    if model == "catboost":
        from catboost import CatBoostError

        return (CatBoostError,)
    return ()


def _lightgbm() -> BaseEstimator:
    from lightgbm import LGBMRanker

    return GroupRanker(LGBMRanker(n_jobs=1, random_state=0, verbose=-1))


def _xgboost() -> BaseEstimator:
    from xgboost import XGBRanker

    return GroupRanker(XGBRanker(n_jobs=1, random_state=0))


def _catboost() -> BaseEstimator:
    from catboost import CatBoostRanker

    silent = {"verbose": False, "allow_writing_files": False}
    return GroupRanker(CatBoostRanker(thread_count=1, random_seed=0, **silent))


def _pairwise() -> BaseEstimator:
    # The primal problem: it has fewer unknowns, features instead of pairs.
    svm = PairwiseRanker(LinearSVC(dual=False), random_state=0)
    return make_pipeline(StandardScaler(with_mean=False), svm)


def _trees() -> BaseEstimator:
    return GroupRanker(HistGradientBoostingRegressor(random_state=0))


def _lightgbm_grid() -> list[dict[str, list]]:
    leaves = {f"{ESTIMATOR}num_leaves": [7, 31]}
    return [{"model": [_lightgbm()], **_boosting("n_estimators"), **leaves}]


def _xgboost_grid() -> list[dict[str, list]]:
    depth = {f"{ESTIMATOR}max_depth": [3, 6]}
    return [{"model": [_xgboost()], **_boosting("n_estimators"), **depth}]


def _catboost_grid() -> list[dict[str, list]]:
    depth = {f"{ESTIMATOR}depth": [3, 6]}
    return [{"model": [_catboost()], **_boosting("iterations"), **depth}]


def _pairwise_grid() -> list[dict[str, list]]:
    C = [1e-5, 1e-4, 1e-3, 0.01, 0.1]
    return [{"model": [_pairwise()], "model__pairwiseranker__estimator__C": C}]


def _pointwise_grid() -> list[dict[str, list]]:
    ridge = make_pipeline(StandardScaler(with_mean=False), GroupRanker(Ridge()))
    alpha = [1, 10, 100, 1000, 10_000]
    leaves = {f"{ESTIMATOR}max_leaf_nodes": [7, 31]}
    return [
        {"model": [ridge], "model__groupranker__estimator__alpha": alpha},
        {"model": [_trees()], **_boosting("max_iter"), **leaves},
    ]


def _boosting(n_trees: str) -> dict[str, list]:
    return {f"{ESTIMATOR}learning_rate": SHRINKAGE, ESTIMATOR + n_trees: TREES}


DEFAULTS: dict[str, Callable[[], BaseEstimator]] = {
    "lightgbm": _lightgbm,
    "xgboost": _xgboost,
    "catboost": _catboost,
    "pairwise": _pairwise,
    "pointwise": _trees,
}
GRIDS: dict[str, Callable[[], list[dict[str, list]]]] = {
    "lightgbm": _lightgbm_grid,
    "xgboost": _xgboost_grid,
    "catboost": _catboost_grid,
    "pairwise": _pairwise_grid,
    "pointwise": _pointwise_grid,
}
