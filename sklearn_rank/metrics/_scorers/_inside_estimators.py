"""Find estimators inside pipelines, searches and wrappers."""

from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from sklearn_rank.metrics._scorers._responses import check_no_class


def inner_estimators(estimator: Any) -> Iterator[Any]:
    """Yield an estimator and the estimators inside it, from outer to inner."""
    while estimator is not None:
        yield estimator
        for _, member in getattr(estimator, "named_estimators_", {}).items():
            yield from inner_estimators(member)  # members of a vote or a stack
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            estimator = estimator.steps[-1][1]
        elif hasattr(estimator, "estimator_"):
            estimator = estimator.estimator_
        else:  # not fitted
            estimator = getattr(estimator, "estimator", None)


def part_with(estimator: Any, name: str) -> Any:
    """Return the first inner estimator with an attribute, or None."""
    inside = inner_estimators(estimator)
    return next((inner for inner in inside if hasattr(inner, name)), None)


def has_steps_before(estimator: Any, part: Any) -> bool:
    """Return whether pipeline steps may change X before an inner estimator gets it."""
    outer = takewhile(lambda inner: inner is not part, inner_estimators(estimator))
    return any(hasattr(one, "steps") for one in outer)


def queries_of_ranker(estimator: Any, X: Any) -> Any:
    """Return the query of each row from the columns of a ranker, or None."""
    check_no_class(estimator)
    ranker = part_with(estimator, "_queries_in")
    if ranker is None:
        return None
    return ranker._queries_in(X, is_own=not has_steps_before(estimator, ranker))
