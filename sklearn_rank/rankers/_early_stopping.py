"""How each library is told of held-out rows, and when to stop by them."""

from collections.abc import Callable
from typing import Any

from sklearn_rank.rankers._adapters import (
    fit_parameters,
    groups_for,
    library_of,
    weights_for,
)
from sklearn_rank.rankers._query_rows import PAIRS, QueryRows


def evaluate_on(
    estimator: Any, group_param: str | None, validation: QueryRows, rounds: int | None
) -> dict[str, Any]:
    """Return what `fit` needs to be evaluated on held-out rows, and to stop by them.

    May set parameters of the estimator. Without `rounds` the estimator decides itself
    whether to stop.
    """
    prepare = BY_LIBRARY.get(library_of(estimator))
    if prepare is None and "X_val" in fit_parameters(estimator):
        prepare = _hist_gradient_boosting
    if prepare is None:
        raise ValueError(
            "`early_stopping_rounds` and `eval_set` are for estimators of LightGBM, "
            "XGBoost and CatBoost, and for scikit-learn >= 1.7's histogram gradient "
            f"boosting, not for {type(estimator).__name__}; set early_stopping_rounds=None."
        )
    return prepare(estimator, group_param, validation, rounds)


def _lightgbm(
    estimator: Any, group_param: str | None, validation: QueryRows, rounds: int | None
) -> dict[str, Any]:
    from lightgbm import early_stopping

    callbacks = [*(validation.extra.get("callbacks") or [])]
    if rounds is not None:
        callbacks.append(early_stopping(rounds, verbose=False))
    arguments: dict[str, Any] = {"callbacks": callbacks}
    if "eval_X" in fit_parameters(estimator):  # LightGBM >= 4.7 deprecates eval_set
        arguments |= {"eval_X": (validation.X,), "eval_y": (validation.y,)}
    else:
        arguments["eval_set"] = [(validation.X, validation.y)]
    if group_param is not None:
        arguments[f"eval_{group_param}"] = [groups_for(group_param, validation)]
    if validation.weight is not None:
        arguments["eval_sample_weight"] = [validation.weight]
    if "init_score" in validation.extra:
        arguments["eval_init_score"] = [validation.extra["init_score"]]
    return arguments


def _xgboost(
    estimator: Any, group_param: str | None, validation: QueryRows, rounds: int | None
) -> dict[str, Any]:
    if rounds is not None:
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
    if "base_margin" in validation.extra:
        arguments["base_margin_eval_set"] = [validation.extra["base_margin"]]
    return arguments


def _catboost(
    estimator: Any, group_param: str | None, validation: QueryRows, rounds: int | None
) -> dict[str, Any]:
    from catboost import Pool

    kinds = ("cat_features", "text_features", "embedding_features")
    by_row = ("baseline", "subgroup_id", *PAIRS)
    declared = {**estimator.get_params(), **validation.extra}
    data = {n: declared[n] for n in (*kinds, *by_row) if declared.get(n) is not None}
    if group_param is not None:
        data[group_param] = groups_for(group_param, validation)
    if validation.weight is not None:
        name, weight = weights_for(estimator, group_param, validation)
        data["weight" if name == "sample_weight" else name] = weight
    pool = Pool(validation.X, validation.y, **data)
    stopping = {} if rounds is None else {"early_stopping_rounds": rounds}
    return {"eval_set": pool, **stopping}


def _hist_gradient_boosting(
    estimator: Any, group_param: str | None, validation: QueryRows, rounds: int | None
) -> dict[str, Any]:
    if rounds is not None:
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
