"""The recommender inside an estimator, and the columns of the log it was fitted to."""

from typing import Any

from sklearn_rank._tables._pair_columns import (
    FittedColumn,
    FittedPair,
    check_agrees,
    pair_columns,
)
from sklearn_rank.metrics._scorers._inside_estimators import has_steps_before, part_with
from sklearn_rank.metrics._scorers._responses import check_no_class


def find_recommender(estimator: Any) -> Any:
    """Return the estimator with `recommend` in pipelines, searches and wrappers."""
    check_no_class(estimator)
    recommender = part_with(estimator, "recommend")
    if recommender is None:
        raise TypeError(
            f"{type(estimator).__name__} has no method recommend(users, k); a "
            "recommender scorer needs one. For estimators that score the rows of X use "
            "make_ranking_scorer."
        )
    return recommender


def recommends(estimator: Any) -> bool:
    """Return whether there is a recommender in an estimator, fitted or not."""
    return part_with(estimator, "recommend") is not None


def columns_of_log(
    estimator: Any, X: Any, user: Any, item: Any, *, owner: str, kind: str, name: str = "X"
) -> tuple[Any, Any]:
    """Return the user and item columns of X, by default those of the recommender.

    Raise if columns given to `owner` (a `kind`) contradict the recommender.
    """
    fitted = _fitted_pair(estimator)
    for role, given in (("user", user), ("item", item)):
        if given is not None and fitted is not None:
            check_agrees(X, role, given, fitted[role], owner=owner, kind=kind)
    return pair_columns(X, user, item, fitted=fitted, name=name)


def _fitted_pair(estimator: Any) -> FittedPair | None:
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
