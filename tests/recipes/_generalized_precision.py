"""Generalized precision: how good the first ranks are, where relevance has grades."""

from __future__ import annotations

from typing import Any, Unpack

from sklearn_rank._ranking._ranked_lists import RankedLists, defined_where_relevant, divide
from sklearn_rank.metrics._core._evaluate import metric
from sklearn_rank.metrics._core._keywords import RelevanceAtK
from sklearn_rank.metrics._core._parameters import Cutoff, MaxGrade
from sklearn_rank.typing import Matrix

__all__ = ["generalized_precision_at_k_score"]


def generalized_precision(lists: RankedLists, k: Cutoff, max_grade: MaxGrade) -> Any:
    """Return the mean of grade / max_grade over the first k ranks, per query."""
    places = lists.places(k)
    worth = lists.sum(places.query, places.share(lists.grade / max_grade))
    return defined_where_relevant(divide(worth, lists.cutoff(k)), lists)


@metric(generalized_precision, from_data=("max_grade",))
def generalized_precision_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    max_grade: float | None = None,
    **common: Unpack[RelevanceAtK],
) -> float:
    """Generalized precision at ``k``: the mean grade of the first ``k`` ranks.

    Higher is better; 1 means that they all have the highest grade.

    References
    ----------
    .. [1] J. Kekäläinen, K. Järvelin, "Using graded relevance assessments in IR
       evaluation", Journal of the American Society for Information Science and
       Technology 53(13), 2002.
    """
