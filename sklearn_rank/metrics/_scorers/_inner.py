"""What is inside pipelines, searches and wrappers."""

from collections.abc import Iterator
from typing import Any


def inner_estimators(estimator: Any) -> Iterator[Any]:
    """Yield an estimator and, one inside the other, those that do its work."""
    while estimator is not None:
        yield estimator
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            estimator = estimator.steps[-1][1]
        elif hasattr(estimator, "estimator_"):
            estimator = estimator.estimator_
        else:  # one that is not fitted
            estimator = getattr(estimator, "estimator", None)


def part_with(estimator: Any, name: str) -> Any:
    """Return the first of these that has an attribute, or None."""
    inside = inner_estimators(estimator)
    return next((inner for inner in inside if hasattr(inner, name)), None)
