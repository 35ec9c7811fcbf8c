"""Find estimators inside pipelines, searches and wrappers."""

from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from sklearn_rank.inputs._columns import FittedColumn, check_agrees, pair_columns
from sklearn_rank.metrics._scorers._responses import check_no_class


def is_pipeline(estimator: Any) -> bool:
    """Return whether an estimator has steps, as a Pipeline does."""
    # Of other estimators, `steps` may be a number.
    return isinstance(getattr(estimator, "steps", None), list | tuple)


def last_steps(estimator: Any) -> Iterator[Any]:
    """Yield an estimator and the last steps of pipelines in it, from outer to inner."""
    yield estimator
    while is_pipeline(estimator):
        estimator = estimator.steps[-1][1]
        yield estimator


def inner_estimators(estimator: Any) -> Iterator[Any]:
    """Yield an estimator and the estimators inside it, from outer to inner."""
    while estimator is not None:
        steps = list(last_steps(estimator))
        yield from steps
        for _, member in getattr(steps[-1], "named_estimators_", {}).items():
            yield from inner_estimators(member)  # members of a vote or a stack
        names = ("best_estimator_", "estimator_", "estimator")  # the last: not fitted
        inside = (getattr(steps[-1], name) for name in names if hasattr(steps[-1], name))
        estimator = next(inside, None)


def find_part(estimator: Any, name: str) -> Any:
    """Return the first inner estimator with an attribute, or None."""
    inside = inner_estimators(estimator)
    return next((inner for inner in inside if hasattr(inner, name)), None)


def has_steps_before(estimator: Any, part: Any) -> bool:
    """Return whether pipeline steps may change X before an inner estimator gets it."""
    outer = takewhile(lambda inner: inner is not part, inner_estimators(estimator))
    return any(map(is_pipeline, outer))


def queries_of_ranker(estimator: Any, X: Any) -> Any:
    """Return the query of each row from the columns of a ranker, or None."""
    check_no_class(estimator)
    ranker = find_part(estimator, "_queries_in")
    if ranker is None:
        return None
    return ranker._queries_in(X, is_own=not has_steps_before(estimator, ranker))


def find_recommender(estimator: Any) -> Any:
    """Return the estimator with `recommend` in pipelines, searches and wrappers."""
    check_no_class(estimator)
    recommender = find_part(estimator, "recommend")
    if recommender is None:
        raise TypeError(
            f"{type(estimator).__name__} has no method recommend(users, k), which a "
            "recommender scorer needs; to score the rows of X use make_ranking_scorer."
        )
    return recommender


def has_recommender(estimator: Any) -> bool:
    """Return whether there is a recommender in an estimator, fitted or not."""
    return find_part(estimator, "recommend") is not None


def columns_of_log(
    estimator: Any,
    X: Any,
    user: Any,
    item: Any,
    *,
    owner: str,
    kind: str,
    name: str = "X",
    otherwise: str = "",
) -> tuple[Any, Any]:
    """Return the user and item columns of X, by default those of the recommender.

    Raise if columns given to `owner` (a `kind`) contradict the recommender, or if there are
    none, which `otherwise` ends.
    """
    fitted = _fitted_pair(estimator)
    for role, column in (("user", user), ("item", item)):
        if column is not None and fitted is not None:
            check_agrees(X, role, column, fitted[role], owner=owner, kind=kind)
    return pair_columns(X, user, item, fitted=fitted, name=name, otherwise=otherwise)


def _fitted_pair(estimator: Any) -> dict[str, FittedColumn] | None:
    """Return the columns that a recommender was fitted with, None if unknown."""
    recommender = find_recommender(estimator)
    labels = [getattr(recommender, f"{role}_column_", None) for role in ("user", "item")]
    positions = getattr(recommender, "_pair_positions", None)
    if None in labels or positions is None:
        return None
    return {
        role: FittedColumn(
            owner=type(recommender).__name__,
            name=None if label == position else label,
            position=position,
            n_columns=recommender.n_features_in_,
            may_have_moved=has_steps_before(estimator, recommender),
        )
        for role, label, position in zip(("user", "item"), labels, positions, strict=True)
    }
