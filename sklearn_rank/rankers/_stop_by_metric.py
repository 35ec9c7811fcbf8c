"""Early stopping by a metric of this package in each library."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from sklearn.base import is_classifier

from sklearn_rank._base._numbers import weighted_sums
from sklearn_rank.rankers._boosting_metric import MeanOfMetric, Patience, Stopping
from sklearn_rank.rankers._libraries import Learner
from sklearn_rank.rankers._query_rows import QueryRows

# Parameters that name the kind of booster, and the kinds whose later rounds change the
# earlier ones.
_KIND_PARAMETERS = ("booster", "boosting_type", "boosting", "boost")
_KINDS_NOT_CUT = ("dart", "gblinear")

# The name that XGBoost gives to the first data set it evaluates.
_DATA_NAME = "validation_0"


class Watch:
    """The validation queries, the metric on them, and how long to wait."""

    def __init__(self, rows: QueryRows, learned: np.ndarray, stopping: Stopping):
        self.rows = rows
        self.metric = cast(MeanOfMetric, stopping.metric)
        rounds, is_higher_better = cast(int, stopping.rounds), self.metric.greater_is_better
        self.patience = Patience(rounds, greater_is_better=is_higher_better)
        self._grades = np.unique(learned)
        # Before the first tree is grown: whether it is defined at all.
        self.value(np.zeros(len(rows.y)))

    def value(self, predictions: Any) -> float:
        """Return the metric of one score per row, or of a probability of each grade."""
        scores = np.asarray(predictions, dtype=np.float64)
        if scores.ndim == 2:
            scores = weighted_sums(scores, self._grades)
        return self.metric.mean(self.rows.y, scores, self.rows.query, self.rows.weight)


def fit_by_metric(learner: Learner, train: QueryRows, watch: Watch) -> None:
    """Fit an estimator of a booster library; keep the rounds up to the best value."""
    estimator, fit = learner.estimator, FIT_BY_LIBRARY.get(learner.library)
    if fit is None:
        raise ValueError(
            "`stopping_metric` is for estimators of LightGBM, XGBoost and CatBoost, not "
            f"for {type(estimator).__name__}; set stopping_metric=None."
        )
    parameters = estimator.get_params()
    for name in _KIND_PARAMETERS:
        if parameters.get(name) in _KINDS_NOT_CUT:
            raise ValueError(
                f"`stopping_metric` keeps the rounds up to the best one, but with {name}="
                f"{parameters[name]!r} later rounds change the earlier ones; set "
                "stopping_metric=None, or choose gradient boosted trees."
            )
    fit(learner, train, watch)


def _fit_lightgbm(learner: Learner, train: QueryRows, watch: Watch) -> None:
    """LightGBM hands over its predictions of the validation rows in every round."""
    from lightgbm.callback import EarlyStopException

    latest = [np.nan]

    # LightGBM counts the parameters and calls a function of two with grades and scores.
    def evaluate(grades: np.ndarray, predictions: np.ndarray) -> tuple[str, float, bool]:
        latest[0] = watch.value(predictions)
        return watch.metric.name, latest[0], watch.metric.greater_is_better

    state: dict[str, Any] = {}

    def stop(env: Any) -> None:
        is_over = watch.patience.is_over(latest[0])
        if watch.patience.best == len(watch.patience.values) - 1:
            state["best"] = env.iteration, env.evaluation_result_list
        if is_over or env.iteration == env.end_iteration - 1:
            raise EarlyStopException(*state["best"])

    # After LightGBM's own callbacks, which record what was evaluated.
    stop.order = 100  # type: ignore[attr-defined]
    arguments = learner.fit_arguments(train)
    validation = learner.validation_arguments(watch.rows, None)
    validation["callbacks"] = [*(validation.get("callbacks") or []), stop]
    also = arguments.get("eval_metric") or []
    validation["eval_metric"] = [*(also if isinstance(also, list) else [also]), evaluate]
    learner.estimator.fit(train.X, train.y, **(arguments | validation))


def _fit_xgboost(learner: Learner, train: QueryRows, watch: Watch) -> None:
    """XGBoost passes one query at a time to a custom metric, so a callback predicts.

    It remembers the predictions for a DMatrix, so that each round adds one tree to them.
    """
    from xgboost import DMatrix
    from xgboost.callback import TrainingCallback

    estimator = learner.estimator
    own = estimator.get_params()
    same = ("missing", "feature_types", "enable_categorical")
    data = DMatrix(watch.rows.X, nthread=own["n_jobs"], **{n: own[n] for n in same})

    class Stop(TrainingCallback):
        def after_iteration(self, model: Any, epoch: int, evals_log: dict) -> bool:
            value = watch.value(model.predict(data))
            log = evals_log.setdefault(_DATA_NAME, {})
            log.setdefault(watch.metric.name, []).append(value)
            is_over = watch.patience.is_over(value)
            if watch.patience.best == len(watch.patience.values) - 1:
                last = model.num_boosted_rounds() - 1
                model.set_attr(best_score=str(value), best_iteration=str(last))
            return is_over

    # Its own rounds would ask for an `eval_set`.
    callbacks = [*(own["callbacks"] or []), Stop()]
    estimator.set_params(callbacks=callbacks, early_stopping_rounds=None)
    estimator.fit(train.X, train.y, **learner.fit_arguments(train))
    # The rows it stops by are not part of what is fitted: it could not be pickled.
    kept = ("callbacks", "early_stopping_rounds")
    estimator.set_params(**{name: own[name] for name in kept})


def _fit_catboost(learner: Learner, train: QueryRows, watch: Watch) -> None:
    """CatBoost gives no metric the groups, so it grows all trees and is cut back."""
    estimator = learner.estimator
    estimator.fit(train.X, train.y, **learner.fit_arguments(train))
    staged = estimator.staged_predict
    if is_classifier(estimator):
        staged = estimator.staged_predict_proba
    for predictions in staged(watch.rows.X):
        if watch.patience.is_over(watch.value(predictions)):
            break
    estimator.shrink(watch.patience.best + 1)


FIT_BY_LIBRARY: dict[str, Callable[..., None]] = {
    "lightgbm": _fit_lightgbm,
    "xgboost": _fit_xgboost,
    "catboost": _fit_catboost,
}
