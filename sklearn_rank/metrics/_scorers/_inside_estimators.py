"""Find estimators inside pipelines, searches and wrappers."""

from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from sklearn_rank.metrics._scorers._responses import check_no_class


def inner_estimators(estimator: Any) -> Iterator[Any]:
    """Yield an estimator and, one inside the other, those that do its work."""
    while estimator is not None:
        yield estimator
        for _, member in getattr(estimator, "named_estimators_", {}).items():
            yield from inner_estimators(member)  # those of a vote or a stack
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


def has_steps_before(estimator: Any, part: Any) -> bool:
    """Return whether steps of a pipeline may change X before it comes to a part."""
    outer = takewhile(lambda inner: inner is not part, inner_estimators(estimator))
    return any(hasattr(one, "steps") for one in outer)


def queries_of_ranker(estimator: Any, X: Any) -> Any:
    """Return the query of each row from the columns that a ranker names, or None."""
    check_no_class(estimator)
    ranker = part_with(estimator, "_queries_in")
    if ranker is None:
        return None
    return ranker._queries_in(X, is_own=not has_steps_before(estimator, ranker))
