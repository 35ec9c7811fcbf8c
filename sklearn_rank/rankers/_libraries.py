"""How each library wants groups, weights, grades, held-out rows and positions."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rank._base._numbers import check_values
from sklearn_rank._base._validation import shorten, suggest
from sklearn_rank.inputs._columns import numbers_of_rows
from sklearn_rank.rankers._query_rows import PAIR_ARGUMENTS, QueryRows

# Groups, weights and grades of the rows to learn from.

LIBRARIES = ("lightgbm", "xgboost", "catboost")

# What parameters of `fit` that take groups are called: CatBoost, XGBoost, scikit-learn and
# LightGBM. XGBoost has `group` too; ids are easier to get right than sizes.
GROUP_PARAMETERS = ("group_id", "qid", "groups", "group")

# XGBoost's and LightGBM's largest grades for a gain of 2^grade - 1 in their number types.
LARGEST_GRADE = {"lightgbm": 30, "xgboost": 31}


def fit_parameters(estimator: Any) -> dict[str, inspect.Parameter]:
    """Return the parameters of the estimator's `fit`."""
    return dict(inspect.signature(estimator.fit).parameters)


def takes_in_fit(estimator: Any, name: str) -> bool:
    """Return whether the estimator's `fit` takes a keyword."""
    parameters = fit_parameters(estimator)
    return name in parameters or any(
        parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()
    )


def library_of(estimator: Any) -> str:
    """Return the booster library an estimator or its base class is from, else ''."""
    roots = [base.__module__.partition(".")[0] for base in type(estimator).__mro__]
    return next((root for root in roots if root in LIBRARIES), "")


def find_group_param(estimator: Any, group_param: str | None) -> str | None:
    """Return the name under which `fit` takes groups; None when it does not."""
    parameters = fit_parameters(estimator)
    if isinstance(group_param, str) and group_param == "auto":
        return next((name for name in GROUP_PARAMETERS if name in parameters), None)
    if group_param is None:
        return None
    if isinstance(group_param, str) and takes_in_fit(estimator, group_param):
        return group_param
    raise ValueError(
        f"`group_param={shorten(group_param)}` is not a parameter of "
        f"{type(estimator).__name__}.fit. {suggest(group_param, parameters)}"
    )


def fit_arguments(
    estimator: Any, group_param: str | None, rows: QueryRows
) -> dict[str, Any]:
    """Return what `fit` of the estimator gets beside X and y."""
    arguments = dict(rows.extra)
    if group_param is not None:
        arguments[group_param] = format_groups(group_param, rows)
    if rows.weight is not None:
        name, weight = name_weights(estimator, group_param, rows)
        if not takes_in_fit(estimator, name):
            raise ValueError(
                f"`sample_weight` was passed, but {type(estimator).__name__}.fit takes no "
                "weights; leave it out or choose another estimator."
            )
        arguments[name] = weight
    return arguments


def format_groups(group_param: str, rows: QueryRows) -> np.ndarray:
    """Return sizes of queries, or the query of each row, as the parameter wants it."""
    return rows.sizes if group_param == "group" else rows.query


def name_weights(
    estimator: Any, group_param: str | None, rows: QueryRows
) -> tuple[str, np.ndarray | None]:
    """Return the name of the weights and the weights: a row each, or a query each."""
    if group_param is None:
        return "sample_weight", rows.weight
    if library_of(estimator) == "xgboost":
        return "sample_weight", rows.query_weight()
    if "group_weight" in fit_parameters(estimator):
        rows.query_weight()
        return "group_weight", rows.weight
    return "sample_weight", rows.weight


def check_grades_fit(estimator: Any, y: np.ndarray) -> None:
    """Raise for grades that the library cannot turn into gains.

    The libraries raise as well, but not a ValueError (LightGBM), or with a C++ stack trace
    in the message (XGBoost).
    """
    largest = _largest_grade(estimator)
    if largest is None:
        return
    wrong = (y < 0) | (y != np.floor(y)) | (y > largest)
    if wrong.any():
        raise ValueError(
            f"{type(estimator).__name__} needs whole grades from 0 to {largest}, but "
            f"`y` has {int(wrong.sum())} other value(s), such as {y[np.argmax(wrong)]}; "
            "convert the grades, or change the estimator's objective or gain."
        )


def _largest_grade(estimator: Any) -> float | None:
    library, parameters = library_of(estimator), estimator.get_params()
    if library == "lightgbm":
        return np.inf if parameters.get("label_gain") else LARGEST_GRADE[library]
    has_table = parameters.get("objective") in {None, "rank:ndcg"}
    if library == "xgboost" and has_table and parameters.get("ndcg_exp_gain") is not False:
        return LARGEST_GRADE[library]
    return None


def feature_importances(estimator: Any) -> np.ndarray:
    """Return the importances an estimator has."""
    importances = np.asarray(estimator.feature_importances_)
    if importances.ndim == 0 and library_of(estimator) == "catboost":
        # CatBoost's rankers have None: their default kind would need the training rows.
        return estimator.get_feature_importance(type="PredictionValuesChange")
    return importances


# Held-out rows, and when to stop by them.


def validation_arguments(
    estimator: Any, group_param: str | None, validation: QueryRows, rounds: int | None
) -> dict[str, Any]:
    """Return what `fit` needs to be evaluated on held-out rows, and to stop by them.

    May set parameters of the estimator. Without `rounds` the estimator decides itself
    whether to stop.
    """
    prepare = VALIDATION_ARGUMENTS.get(library_of(estimator))
    if prepare is None and "X_val" in fit_parameters(estimator):
        prepare = _hist_gradient_boosting_arguments
    if prepare is None:
        raise ValueError(
            "`early_stopping_rounds` and `eval_set` are for estimators of LightGBM, "
            "XGBoost and CatBoost, and for scikit-learn >= 1.7's histogram gradient "
            f"boosting, not for {type(estimator).__name__}; set early_stopping_rounds=None."
        )
    return prepare(estimator, group_param, validation, rounds)


def _lightgbm_arguments(
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
        arguments[f"eval_{group_param}"] = [format_groups(group_param, validation)]
    if validation.weight is not None:
        arguments["eval_sample_weight"] = [validation.weight]
    if "init_score" in validation.extra:
        arguments["eval_init_score"] = [validation.extra["init_score"]]
    return arguments


def _xgboost_arguments(
    estimator: Any, group_param: str | None, validation: QueryRows, rounds: int | None
) -> dict[str, Any]:
    if rounds is not None:
        estimator.set_params(early_stopping_rounds=rounds)
    arguments: dict[str, Any] = {
        "eval_set": [(validation.X, validation.y)],
        "verbose": validation.extra.get("verbose", False),
    }
    if group_param is not None:
        arguments[f"eval_{group_param}"] = [format_groups(group_param, validation)]
    if validation.weight is not None:
        _, weight = name_weights(estimator, group_param, validation)
        arguments["sample_weight_eval_set"] = [weight]
    if "base_margin" in validation.extra:
        arguments["base_margin_eval_set"] = [validation.extra["base_margin"]]
    return arguments


def _catboost_arguments(
    estimator: Any, group_param: str | None, validation: QueryRows, rounds: int | None
) -> dict[str, Any]:
    from catboost import Pool

    kinds = ("cat_features", "text_features", "embedding_features")
    by_row = ("baseline", "subgroup_id", *PAIR_ARGUMENTS)
    declared = {**estimator.get_params(), **validation.extra}
    data = {n: declared[n] for n in (*kinds, *by_row) if declared.get(n) is not None}
    if group_param is not None:
        data[group_param] = format_groups(group_param, validation)
    if validation.weight is not None:
        name, weight = name_weights(estimator, group_param, validation)
        data["weight" if name == "sample_weight" else name] = weight
    pool = Pool(validation.X, validation.y, **data)
    stopping = {} if rounds is None else {"early_stopping_rounds": rounds}
    return {"eval_set": pool, **stopping}


def _hist_gradient_boosting_arguments(
    estimator: Any, group_param: str | None, validation: QueryRows, rounds: int | None
) -> dict[str, Any]:
    if rounds is not None:
        estimator.set_params(early_stopping=True, n_iter_no_change=rounds)
    arguments = {"X_val": validation.X, "y_val": validation.y}
    if validation.weight is not None:
        arguments["sample_weight_val"] = validation.weight
    return arguments


VALIDATION_ARGUMENTS: dict[str, Callable[..., dict[str, Any]]] = {
    "lightgbm": _lightgbm_arguments,
    "xgboost": _xgboost_arguments,
    "catboost": _catboost_arguments,
}


# The positions at which rows were clicked, which LightGBM discounts.


def read_positions(position: Any, n_rows: int) -> np.ndarray:
    """Return the position of each row; raise unless these are whole numbers."""
    places = numbers_of_rows(position, n_rows, name="position")
    wrong = ~np.isfinite(places) | (places != np.floor(places)) | (places < 0)
    check_values("position", places, wrong, "invalid", "give whole numbers >= 0")
    return places.astype(np.int32)


def check_takes_positions(estimator: Any, group_param: str | None) -> None:
    """Raise unless the estimator learns from positions."""
    is_ranker = library_of(estimator) == "lightgbm" and group_param is not None
    if not is_ranker or callable(estimator.get_params()["objective"]):
        raise ValueError(
            "`position` is for LightGBM's LGBMRanker with an objective of its own, not for "
            f"{shorten(estimator)}; leave it out."
        )


def add_position_callback(
    train: QueryRows, validation: QueryRows | None
) -> tuple[QueryRows, QueryRows | None]:
    """Return rows whose positions a callback hands on, as `fit` of LightGBM takes none.

    The objective looks for them when it is made, so the callback has it made again, before
    the first tree.
    """
    extra = dict(train.extra)
    position = extra.pop("position")

    def hand_on(env: Any) -> None:
        if env.iteration == env.begin_iteration:
            env.model.train_set.set_position(position)
            env.model.reset_parameter({"objective": env.params["objective"]})

    hand_on.before_iteration = True  # type: ignore[attr-defined]
    callbacks = {"callbacks": [*(extra.get("callbacks") or []), hand_on]}
    train = replace(train, extra=extra | callbacks)
    if validation is not None:
        validation = replace(validation, extra={**validation.extra, **callbacks})
    return train, validation
