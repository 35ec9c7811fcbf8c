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


def library_of(estimator: Any) -> str:
    """Return the booster library an estimator or its base class is from, else ''."""
    roots = [base.__module__.partition(".")[0] for base in type(estimator).__mro__]
    return next((root for root in roots if root in LIBRARIES), "")


class Learner:
    """An estimator, and what its `fit` gets beside X and y."""

    def __init__(self, estimator: Any, group_param: str | None):
        self.estimator = estimator
        self.library = library_of(estimator)
        self.fit_parameters = dict(inspect.signature(estimator.fit).parameters)
        self.group_param = self._find_group_param(group_param)

    def _find_group_param(self, choice: str | None) -> str | None:
        """Return the name under which `fit` takes groups; None when it does not."""
        params = self.fit_parameters
        if isinstance(choice, str) and choice == "auto":
            return next((name for name in GROUP_PARAMETERS if name in params), None)
        if choice is None or (isinstance(choice, str) and self._takes(choice)):
            return choice
        raise ValueError(
            f"`group_param={shorten(choice)}` is not a parameter of "
            f"{type(self.estimator).__name__}.fit. {suggest(choice, params)}"
        )

    def _takes(self, name: str) -> bool:
        """Return whether `fit` takes a keyword."""
        params = self.fit_parameters
        return name in params or any(p.kind is p.VAR_KEYWORD for p in params.values())

    def fit_arguments(self, rows: QueryRows) -> dict[str, Any]:
        """Return what `fit` gets beside X and y."""
        weights = self.weights(rows)
        if not all(map(self._takes, weights)):
            raise no_weights_error(self.estimator)
        return {**rows.extra, **self.groups(rows), **weights}

    def groups(self, rows: QueryRows) -> dict[str, np.ndarray]:
        """Return by its name the sizes of queries, or the query of each row, if any."""
        if self.group_param is None:
            return {}
        return {self.group_param: rows.sizes if self.group_param == "group" else rows.query}

    def weights(self, rows: QueryRows) -> dict[str, Any]:
        """Return by their name the weights, if any: one per row, or one per query."""
        if rows.weight is None:
            return {}
        has_groups = self.group_param is not None
        if has_groups and self.library == "xgboost":
            return {"sample_weight": rows.query_weight()}
        if has_groups and "group_weight" in self.fit_parameters:
            rows.query_weight()
            return {"group_weight": rows.weight}
        return {"sample_weight": rows.weight}

    def check_grades(self, y: np.ndarray) -> None:
        """Raise for grades that the library cannot turn into gains.

        The libraries raise as well, but not a ValueError (LightGBM), or with a C++ stack
        trace in the message (XGBoost).
        """
        largest = self._largest_grade()
        if largest is None:
            return
        wrong = (y < 0) | (y != np.floor(y)) | (y > largest)
        if wrong.any():
            raise ValueError(
                f"{type(self.estimator).__name__} needs whole grades from 0 to {largest}, "
                f"but `y` has {int(wrong.sum())} other value(s), such as "
                f"{y[np.argmax(wrong)]}; convert them, or change the objective or gain."
            )

    def _largest_grade(self) -> float | None:
        library, parameters = self.library, self.estimator.get_params()
        if library == "lightgbm":
            return np.inf if parameters.get("label_gain") else LARGEST_GRADE[library]
        is_exponential = parameters.get("ndcg_exp_gain") is not False
        has_table = parameters.get("objective") in {None, "rank:ndcg"} and is_exponential
        if library == "xgboost" and has_table:
            return LARGEST_GRADE[library]
        return None

    def check_takes_positions(self) -> None:
        """Raise unless the estimator learns from positions."""
        is_ranker = self.library == "lightgbm" and self.group_param is not None
        if not is_ranker or callable(self.estimator.get_params()["objective"]):
            raise ValueError(
                "`position` is for LightGBM's LGBMRanker with an objective of its own, not "
                f"for {shorten(self.estimator)}; leave it out."
            )

    def validation_arguments(self, rows: QueryRows, rounds: int | None) -> dict[str, Any]:
        """Return what `fit` needs to be evaluated on held-out rows, and to stop by them.

        May set parameters of the estimator. Without `rounds` the estimator decides itself
        whether to stop.
        """
        prepare = VALIDATION_ARGUMENTS.get(self.library)
        if prepare is None and "X_val" in self.fit_parameters:
            prepare = _hist_gradient_boosting_arguments
        if prepare is None:
            raise ValueError(
                "`early_stopping_rounds` and `eval_set` are for LightGBM, XGBoost, CatBoost"
                " and, from scikit-learn 1.7 on, histogram gradient boosting, not for "
                f"{type(self.estimator).__name__}; set early_stopping_rounds=None."
            )
        return prepare(self, rows, rounds)


def no_weights_error(estimator: Any) -> ValueError:
    """Return the error for weights that an estimator does not take."""
    return ValueError(
        f"`sample_weight` was passed, but {type(estimator).__name__}.fit takes no weights; "
        "leave it out or choose another estimator."
    )


def feature_importances(estimator: Any) -> np.ndarray:
    """Return the importances an estimator has."""
    importances = np.asarray(estimator.feature_importances_)
    if importances.ndim == 0 and library_of(estimator) == "catboost":
        # CatBoost's rankers have None: their default kind would need the training rows.
        return estimator.get_feature_importance(type="PredictionValuesChange")
    return importances


# Held-out rows, and when to stop by them.


def _lightgbm_arguments(learner: Learner, rows: QueryRows, rounds: int | None) -> dict:
    from lightgbm import early_stopping

    callbacks = [*(rows.extra.get("callbacks") or [])]
    if rounds is not None:
        callbacks.append(early_stopping(rounds, verbose=False))
    arguments: dict[str, Any] = {"callbacks": callbacks}
    if "eval_X" in learner.fit_parameters:  # LightGBM >= 4.7 deprecates eval_set
        arguments |= {"eval_X": (rows.X,), "eval_y": (rows.y,)}
    else:
        arguments["eval_set"] = [(rows.X, rows.y)]
    row_values = {**learner.groups(rows), **learner.weights(rows)}
    if "init_score" in rows.extra:
        row_values["init_score"] = rows.extra["init_score"]
    return arguments | {f"eval_{name}": [values] for name, values in row_values.items()}


def _xgboost_arguments(learner: Learner, rows: QueryRows, rounds: int | None) -> dict:
    if rounds is not None:
        learner.estimator.set_params(early_stopping_rounds=rounds)
    row_values = learner.weights(rows)
    if "base_margin" in rows.extra:
        row_values["base_margin"] = rows.extra["base_margin"]
    return {
        "eval_set": [(rows.X, rows.y)],
        "verbose": rows.extra.get("verbose", False),
        **{f"eval_{name}": [values] for name, values in learner.groups(rows).items()},
        **{f"{name}_eval_set": [values] for name, values in row_values.items()},
    }


def _catboost_arguments(learner: Learner, rows: QueryRows, rounds: int | None) -> dict:
    from catboost import Pool

    kinds = ("cat_features", "text_features", "embedding_features")
    by_row = ("baseline", "subgroup_id", *PAIR_ARGUMENTS)
    declared = {**learner.estimator.get_params(), **rows.extra}
    data = {n: declared[n] for n in (*kinds, *by_row) if declared.get(n) is not None}
    data |= learner.groups(rows)
    for name, weight in learner.weights(rows).items():
        data["weight" if name == "sample_weight" else name] = weight
    pool = Pool(rows.X, rows.y, **data)
    stopping = {} if rounds is None else {"early_stopping_rounds": rounds}
    return {"eval_set": pool, **stopping}


def _hist_gradient_boosting_arguments(
    learner: Learner, rows: QueryRows, rounds: int | None
) -> dict[str, Any]:
    if rounds is not None:
        learner.estimator.set_params(early_stopping=True, n_iter_no_change=rounds)
    weights = {f"{name}_val": weight for name, weight in learner.weights(rows).items()}
    return {"X_val": rows.X, "y_val": rows.y, **weights}


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
