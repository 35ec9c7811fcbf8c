"""How each library wants the groups, the weights and the grades of training rows."""

import inspect
from typing import Any

import numpy as np

from sklearn_rank._validation import shorten, suggest
from sklearn_rank.rankers._query_rows import QueryRows

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
    known = ("lightgbm", "xgboost", "catboost")
    return next((root for root in roots if root in known), "")


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
        arguments[group_param] = groups_for(group_param, rows)
    if rows.weight is not None:
        name, weight = weights_for(estimator, group_param, rows)
        if not takes_in_fit(estimator, name):
            raise ValueError(
                f"`sample_weight` was passed, but {type(estimator).__name__}.fit takes no "
                "weights; leave it out or choose another estimator."
            )
        arguments[name] = weight
    return arguments


def groups_for(group_param: str, rows: QueryRows) -> np.ndarray:
    """Return sizes of queries, or the query of each row, as the parameter wants it."""
    return rows.sizes if group_param == "group" else rows.query


def weights_for(
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
