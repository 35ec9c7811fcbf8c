"""The estimator inside a ranker: what it must have, its pipeline, its expected grade."""

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline

from sklearn_rank._base._numbers import weighted_sums
from sklearn_rank._base._validation import shorten
from sklearn_rank.metrics._scorers._inside_estimators import last_steps
from sklearn_rank.metrics._scorers._responses import check_no_class
from sklearn_rank.rankers._query_rows import QueryRows, as_table


def check_estimator(estimator: Any, *, is_fitted: bool = False) -> None:
    """Raise unless an instance has `fit` and `predict`, now or once it is fitted.

    Before `fit` an estimator may hide what it has: a StackingRegressor predicts by an
    estimator that it does not have yet. Its class has the methods before.
    """
    check_no_class(estimator)
    # The class of a pipeline has all methods, whatever its last step is.
    owners = [estimator] if is_fitted else [estimator, type(last_step(estimator))]
    needed = ("fit", "predict")
    present = {name for name in needed for owner in owners if hasattr(owner, name)}
    missing = [name for name in needed if name not in present]
    if missing:
        raise TypeError(
            f"`estimator` must have fit and predict, got {shorten(estimator)} without "
            f"{' and '.join(missing)}."
        )


def last_step(estimator: Any) -> Any:
    """Return the last step of a pipeline, or of a pipeline in it; else the estimator."""
    *_, last = last_steps(estimator)
    return last


def has_first_steps(estimator: Any) -> bool:
    """Return whether a pipeline has steps before its last one."""
    steps = last_steps(estimator)
    return any(isinstance(step, Pipeline) and len(step) > 1 for step in steps)


def fit_first_steps(
    estimator: Any, train: QueryRows, validation: QueryRows | None
) -> tuple[QueryRows, QueryRows | None]:
    """Fit all but the last step of a pipeline; return the rows as that step sees them.

    Pipeline.fit cannot do it: it has no way to transform held-out rows, and with metadata
    routing it refuses the arguments of estimators without routing, such as CatBoost's.
    """
    for pipeline in filter(has_first_steps, last_steps(estimator)):
        if len(pipeline) > 1:
            first = pipeline[:-1]
            train = _replace_X(train, first.fit_transform(train.X, train.y))
            if validation is not None:
                validation = _replace_X(validation, first.transform(validation.X))
            # With `memory` a pipeline fits copies of its steps.
            pipeline.steps[:-1] = first.steps
    return train, validation


def _replace_X(rows: QueryRows, X: Any) -> QueryRows:
    return replace(rows, X=as_table(X, owner="The last step of the pipeline"))


def expected_grade(classifier: Any, X: Any) -> np.ndarray | None:
    """Return the mean grade under predicted probabilities, None without a classifier.

    Two classes without probabilities are ranked by the decision function.
    """
    if not (hasattr(classifier, "__sklearn_tags__") and is_classifier(classifier)):
        return None
    classes = np.asarray(classifier.classes_, dtype=np.float64)
    if hasattr(classifier, "predict_proba"):
        return weighted_sums(np.asarray(classifier.predict_proba(X)), classes)
    if len(classes) == 2 and hasattr(classifier, "decision_function"):
        return np.ravel(classifier.decision_function(X))
    raise ValueError(
        f"{type(last_step(classifier)).__name__} has no predict_proba, which gives the "
        f"expected one of {len(classes)} grades; wrap it in CalibratedClassifierCV."
    )
