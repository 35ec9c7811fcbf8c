"""Early stopping on queries held out of the training rows."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.model_selection import GroupShuffleSplit

from sklearn_rank.rankers._adapters import (
    fit_parameters,
    groups_for,
    library_of,
    weights_for,
)
from sklearn_rank.rankers._queries import QueryRows


def hold_out_queries(
    rows: QueryRows, fraction: float, random_state: Any
) -> tuple[QueryRows, QueryRows]:
    """Return the rows of the queries to learn from, and of those to stop by."""
    if len(rows.labels) < 2:
        raise ValueError(
            "`early_stopping_rounds` holds out queries, but there is only one "
            f"({rows.label(0)!r}); check `groups`, or set early_stopping_rounds=None."
        )
    splitter = GroupShuffleSplit(1, test_size=fraction, random_state=random_state)
    train, validation = next(splitter.split(rows.y, groups=rows.query))
    return rows.take(np.sort(train)), rows.take(np.sort(validation))


def stop_early(
    estimator: Any, group_param: str | None, validation: QueryRows, rounds: int
) -> dict[str, Any]:
    """Return what `fit` needs to stop early; may set parameters of the estimator."""
    prepare = BY_LIBRARY.get(library_of(estimator))
    if prepare is None and "X_val" in fit_parameters(estimator):
        prepare = _hist_gradient_boosting
    if prepare is None:
        raise ValueError(
            f"`early_stopping_rounds` is for estimators of LightGBM, XGBoost and CatBoost, "
            "and for scikit-learn >= 1.7's histogram gradient boosting, not for "
            f"{type(estimator).__name__}; set early_stopping_rounds=None."
        )
    return prepare(estimator, group_param, validation, rounds)


def _lightgbm(
    estimator: Any, group_param: str | None, validation: QueryRows, rounds: int
) -> dict[str, Any]:
    from lightgbm import early_stopping

    callbacks = [*(validation.extra.get("callbacks") or [])]
    arguments: dict[str, Any] = {
        "callbacks": [*callbacks, early_stopping(rounds, verbose=False)]
    }
    if "eval_X" in fit_parameters(estimator):  # LightGBM >= 4.7 deprecates eval_set
        arguments |= {"eval_X": (validation.X,), "eval_y": (validation.y,)}
    else:
        arguments["eval_set"] = [(validation.X, validation.y)]
    if group_param is not None:
        arguments[f"eval_{group_param}"] = [groups_for(group_param, validation)]
    if validation.weight is not None:
        arguments["eval_sample_weight"] = [validation.weight]
    return arguments


def _xgboost(
    estimator: Any, group_param: str | None, validation: QueryRows, rounds: int
) -> dict[str, Any]:
    estimator.set_params(early_stopping_rounds=rounds)
    arguments: dict[str, Any] = {
        "eval_set": [(validation.X, validation.y)],
        "verbose": validation.extra.get("verbose", False),
    }
    if group_param is not None:
        arguments[f"eval_{group_param}"] = [groups_for(group_param, validation)]
    if validation.weight is not None:
        _, weight = weights_for(estimator, group_param, validation)
        arguments["sample_weight_eval_set"] = [weight]
    return arguments


def _catboost(
    estimator: Any, group_param: str | None, validation: QueryRows, rounds: int
) -> dict[str, Any]:
    from catboost import Pool

    kinds = ("cat_features", "text_features", "embedding_features")
    declared = {**estimator.get_params(), **validation.extra}
    data = {kind: declared[kind] for kind in kinds if declared.get(kind) is not None}
    if group_param is not None:
        data[group_param] = groups_for(group_param, validation)
    if validation.weight is not None:
        name, weight = weights_for(estimator, group_param, validation)
        data["weight" if name == "sample_weight" else name] = weight
    pool = Pool(validation.X, validation.y, **data)
    return {"eval_set": pool, "early_stopping_rounds": rounds}


def _hist_gradient_boosting(
    estimator: Any, group_param: str | None, validation: QueryRows, rounds: int
) -> dict[str, Any]:
    estimator.set_params(early_stopping=True, n_iter_no_change=rounds)
    arguments = {"X_val": validation.X, "y_val": validation.y}
    if validation.weight is not None:
        arguments["sample_weight_val"] = validation.weight
    return arguments


BY_LIBRARY: dict[str, Callable[..., dict[str, Any]]] = {
    "lightgbm": _lightgbm,
    "xgboost": _xgboost,
    "catboost": _catboost,
}
