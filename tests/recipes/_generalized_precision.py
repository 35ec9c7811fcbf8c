"""Generalized precision: how good the first ranks are, where relevance has grades."""

from __future__ import annotations

from typing import Any

from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._ranked_lists import RankedLists, defined_where_relevant, divide
from sklearn_rank.metrics._core._evaluate import mean_score, metric
from sklearn_rank.metrics._core._parameters import ZERO_TO_ONE, Cutoff, MaxGrade
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Ties, Undefined

__all__ = ["generalized_precision_at_k_score"]


def generalized_precision(lists: RankedLists, k: Cutoff, max_grade: MaxGrade) -> Any:
    """Return the mean of grade / max_grade over the first k ranks, per query."""
    places = lists.places(k)
    worth = lists.sum(places.query, places.share(lists.grade / max_grade))
    return defined_where_relevant(divide(worth, lists.cutoff(k)), lists)


@metric(generalized_precision, from_data=("max_grade",), range=ZERO_TO_ONE)
@explained
def generalized_precision_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: int | None = 10,
    max_grade: float | None = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    """Generalized precision at ``k``: the mean grade of the first ``k`` ranks.

    Higher is better; 1 means that they all have the highest grade.

    References
    ----------
    .. [1] J. Kekäläinen, K. Järvelin, "Using graded relevance assessments in IR
       evaluation", Journal of the American Society for Information Science and
       Technology 53(13), 2002.
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"k": k, "max_grade": max_grade}
    return mean_score(
        generalized_precision_at_k_score, rows, own, ties, replace_undefined_by
    )
