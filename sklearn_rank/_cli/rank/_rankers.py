"""The rankers that can be tuned: a line for each, and the values that are tried.

Whatever is slow to load is imported where it is used, for the names are needed to read
the arguments.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sklearn_rank._cli._errors import InputError

ESTIMATOR = "model__estimator__"
SHRINKAGE = [0.03, 0.1, 0.3]
TREES = [50, 200]


@dataclass(frozen=True)
class Ranker:
    """A ranker that can be tuned."""

    # Makes it as it comes, but silent, in one thread and with a fixed seed: the search
    # runs several at a time.
    make: Callable[[], Any]
    grid: Callable[[], list[dict[str, list]]]  # candidates for the step "model"
    package: str | None = None


@contextmanager
def telling_failures(model: str, source: str) -> Iterator[None]:
    """Turn what a package says of data that it cannot learn from into an InputError."""
    try:
        yield
    except _errors_of(model) as error:
        raise InputError(f"{model} cannot learn from {source!r}: {error}") from error


def _errors_of(model: str) -> tuple[type[Exception], ...]:
    # Those of the others are ValueErrors.
    if model == "lightgbm":
        from lightgbm.basic import LightGBMError

        return (LightGBMError,)
    if model == "catboost":
        from catboost import CatBoostError

        return (CatBoostError,)
    return ()


def _lightgbm() -> Any:
    from lightgbm import LGBMRanker

    return _group_ranker(LGBMRanker(n_jobs=1, random_state=0, verbose=-1))


def _xgboost() -> Any:
    from xgboost import XGBRanker

    return _group_ranker(XGBRanker(n_jobs=1, random_state=0))


def _catboost() -> Any:
    from catboost import CatBoostRanker

    silent = {"verbose": False, "allow_writing_files": False}
    return _group_ranker(CatBoostRanker(thread_count=1, random_seed=0, **silent))


def _pairwise() -> Any:
    from sklearn.svm import LinearSVC

    from sklearn_rank.rankers import PairwiseRanker

    # The primal problem: it has fewer unknowns, features instead of pairs.
    svm = PairwiseRanker(LinearSVC(dual=False), random_state=0)
    return _scaled(svm)


def _ridge() -> Any:
    from sklearn.linear_model import Ridge

    return _scaled(_group_ranker(Ridge()))


def _trees() -> Any:
    from sklearn.ensemble import HistGradientBoostingRegressor

    return _group_ranker(HistGradientBoostingRegressor(random_state=0))


def _group_ranker(estimator: Any) -> Any:
    from sklearn_rank.rankers import GroupRanker

    return GroupRanker(estimator)


def _scaled(ranker: Any) -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(with_mean=False), ranker)


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
    alpha = [1, 10, 100, 1000, 10_000]
    leaves = {f"{ESTIMATOR}max_leaf_nodes": [7, 31]}
    return [
        {"model": [_ridge()], "model__groupranker__estimator__alpha": alpha},
        {"model": [_trees()], **_boosting("max_iter"), **leaves},
    ]


def _boosting(n_trees: str) -> dict[str, list]:
    return {f"{ESTIMATOR}learning_rate": SHRINKAGE, ESTIMATOR + n_trees: TREES}


RANKERS = {
    "lightgbm": Ranker(_lightgbm, _lightgbm_grid, package="lightgbm"),
    "xgboost": Ranker(_xgboost, _xgboost_grid, package="xgboost"),
    "catboost": Ranker(_catboost, _catboost_grid, package="catboost"),
    "pairwise": Ranker(_pairwise, _pairwise_grid),
    "pointwise": Ranker(_trees, _pointwise_grid),
}
