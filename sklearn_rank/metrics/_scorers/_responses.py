"""The predictions of an estimator as scores of rows, labels or classes."""

from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.base import is_classifier
from sklearn.utils.metadata_routing import get_routing_for_object

from sklearn_rank._base._numbers import weighted_sums
from sklearn_rank._base._validation import shorten

RESPONSES = ("decision_function", "predict_proba", "predict")
Methods = str | Sequence[str]


def check_no_class(estimator: Any) -> None:
    """Raise for a class given instead of an estimator."""
    if isinstance(estimator, type):
        raise TypeError(
            f"`estimator` must be an instance, got the class {estimator.__name__}; write "
            f"{estimator.__name__}()."
        )


def compute_response(
    estimator: Any, X: Any, y: Any, response_method: Methods, groups: Any = None
) -> np.ndarray:
    """Return a score per row; if y has a column per label, one per row and label.

    With groups, the columns of y are subtopics of rows. Response methods that take `groups`
    get them, because such scores depend on all rows of a query; so do steps that request
    them by metadata routing.
    """
    shape = y.shape if hasattr(y, "shape") else np.shape(y)
    if groups is None and len(shape) == 2 and shape[1] > 1:
        return label_scores(estimator, X, int(shape[1]), response_method)
    return ranking_response(estimator, X, response_method, groups)


def ranking_response(
    estimator: Any, X: Any, response_method: Methods, groups: Any = None
) -> np.ndarray:
    """Return a score per row from the first response method that gives one."""
    for name, respond in _responses(estimator, response_method).items():
        by_query = None if groups is None else find_method_with_groups(estimator, name)
        response = np.asarray(by_query(X, groups=groups) if by_query else respond(X))
        if name == "predict_proba" and is_classifier(estimator):
            return expected_grade(estimator, response)
        if response.ndim == 1:
            break
    return response


def find_method_with_groups(estimator: Any, method: str) -> Callable | None:
    """Return the response method if it takes `groups`, or None.

    The methods of a search take X alone; those of its best estimator may take more.
    """
    while estimator is not None:
        respond: Callable | None = getattr(estimator, method, None)
        if respond is not None and (
            _takes_groups(respond) or _routes_groups(estimator, method)
        ):
            return respond
        estimator = getattr(estimator, "best_estimator_", None)
    return None


def _takes_groups(respond: Callable) -> bool:
    try:
        return "groups" in signature(respond).parameters
    except ValueError:  # compiled code without a signature
        return False


def _routes_groups(estimator: Any, method: str) -> bool:
    """Return whether metadata routing passes `groups` to a step of a pipeline or union."""
    if not get_config()["enable_metadata_routing"]:
        return False
    return bool(get_routing_for_object(estimator).consumes(method, {"groups"}))


def label_scores(
    estimator: Any, X: Any, n_labels: int, response_method: Methods
) -> np.ndarray:
    """Return a score for each row and label, one column per label in the order of y."""
    shapes = []
    for name, respond in _responses(estimator, response_method).items():
        response = respond(X)
        if isinstance(response, list):  # an array of probabilities for each label
            response = _expected_labels(response, estimator.classes_)
        scores = response.toarray() if sparse.issparse(response) else np.asarray(response)
        if scores.ndim == 2 and scores.shape[1] == n_labels:
            return scores
        shapes.append(f"{name}: {scores.shape}")
    raise ValueError(
        f"y has {n_labels} columns, but {type(estimator).__name__} gives no score for "
        f"each of them ({', '.join(shapes)})."
    )


def _expected_labels(probabilities: list, classes: Any) -> np.ndarray:
    each = zip(probabilities, classes, strict=True)
    grades = [weighted_sums(chances, values.astype(float)) for chances, values in each]
    return np.column_stack(grades)


def class_scores(
    estimator: Any, X: Any, y: Any, response_method: Methods
) -> tuple[sparse.csr_array, np.ndarray]:
    """Return which class each row has, and the scores of all classes.

    Classes of y that are unknown to the classifier are not retrieved.
    """
    if not is_classifier(estimator):
        raise TypeError(
            f"rank_classes=True needs a classifier, got {type(estimator).__name__}."
        )
    classes = np.asarray(estimator.classes_)
    for respond in _responses(estimator, response_method).values():
        scores = np.asarray(respond(X))
        if scores.ndim == 1 and len(classes) == 2 and scores.dtype.kind == "f":
            scores = np.column_stack([-scores, scores])
        if scores.ndim == 2 and scores.shape[1] == len(classes):
            return _align_classes(classes, np.asarray(y), scores)
    raise ValueError(
        f"{type(estimator).__name__} gives no score for each of its {len(classes)} "
        "classes; rank_classes=True needs decision_function or predict_proba."
    )


def _align_classes(
    classes: np.ndarray, y: np.ndarray, scores: np.ndarray
) -> tuple[sparse.csr_array, np.ndarray]:
    labels, codes = np.unique(np.concatenate([classes, y]), return_inverse=True)
    of_class, of_row = codes[: len(classes)], codes[len(classes) :]
    of_all = np.full((len(y), len(labels)), -np.inf)
    of_all[:, of_class] = scores
    cells = np.arange(len(y)), of_row
    return sparse.csr_array((np.ones(len(y)), cells), shape=of_all.shape), of_all


def expected_grade(classifier: Any, probability: np.ndarray) -> np.ndarray:
    """Return the mean grade under the predicted probabilities of the classes."""
    if probability.ndim != 2:
        raise ValueError(
            f"predict_proba gave an array of shape {probability.shape}; it must give a row "
            "of probabilities for each row of X, as a classifier of one output does."
        )
    classes = np.asarray(classifier.classes_)
    if len(classes) == 2:
        return probability[:, 1]
    try:
        return weighted_sums(probability, classes.astype(np.float64))
    except ValueError as error:
        raise ValueError(
            f"Classes must be grades (numbers) to rank by their mean, got {classes}. To "
            "rank the classes themselves, pass rank_classes=True."
        ) from error


def _responses(estimator: Any, response_method: Methods) -> dict[str, Callable]:
    """Return the methods that the estimator has, at least one."""
    check_no_class(estimator)
    names = [response_method] if isinstance(response_method, str) else response_method
    methods = {name: getattr(estimator, name) for name in names if hasattr(estimator, name)}
    if not methods:
        raise AttributeError(
            f"{type(estimator).__name__} has none of the methods {shorten(list(names))} "
            "that rank; name one it has as response_method=."
        )
    return methods
