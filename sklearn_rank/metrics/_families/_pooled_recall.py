"""Recall of all users together: one ratio of sums."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank.metrics._core._declare import metric
from sklearn_rank.metrics._core._parameters import Cutoff, MinRelevance
from sklearn_rank.metrics._core._summaries import Ratio
from sklearn_rank.metrics._families._precision_recall import recall
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Ties, Undefined

__all__ = ["pooled_recall_at_k_score"]


def pooled_recall(
    lists: RankedLists,
    k: Cutoff,
    denominator: Literal["relevant", "attainable"],
    min_relevance: MinRelevance,
) -> Any:
    """Return recall at k and what it is divided by, per query."""
    weight = lists.n_relevant(min_relevance).astype(np.float64)
    if denominator == "attainable" and k is not None:
        weight = np.minimum(weight, k)
    weight[weight == 0] = np.nan  # undefined, not without weight
    return recall(lists, k, denominator, min_relevance), weight


@metric(pooled_recall, summary=Ratio())
def pooled_recall_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Cutoff = 10,
    denominator: Literal["relevant", "attainable"] = "attainable",
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Pooled recall at ``k``: hits of all users over all that they could be.

    Higher is better; 1 means that the first ``k`` ranks hold as many relevant items as they
    can, for every user. With R relevant items of user u,

    .. math:: \frac{\sum_u \text{hits}_u@k}{\sum_u \min(R_u, k)}

    as in the OTTO competition with ``k=20``, and as the ``precision`` of implicit.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    denominator : {"relevant", "attainable"}, default="attainable"
        Divide by the sum of the numbers R of relevant items, or of min(R, k).
    min_relevance : float, default=None
        Lowest grade that is relevant. None: any grade greater than 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        Treatment of ties: the mean over all orders, lowest or highest grades first, or the
        given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Weight of each query in the mean; in 1-D one value per row, equal within a query.
    replace_undefined_by : float or "warn", default="warn"
        Value of a query for which the metric is undefined. "warn" leaves it out of the mean
        with an ``UndefinedMetricWarning``, NaN without one.

    Returns
    -------
    score : float
        Ratio of two sums over the queries; NaN if undefined for all of them.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`.

    See Also
    --------
    recall_at_k_score : The mean over users, of whom each counts the same.

    Notes
    -----
    A user's own value is recall, and its weight in the whole the denominator, so users with
    much to find count more. A user without relevant items adds nothing, whatever
    ``replace_undefined_by`` is.

    References
    ----------
    .. [1] P. Normann, S. Baumeister, T. Wilm, "OTTO -- Multi-objective recommender
       system", Kaggle, 2022.

    Examples
    --------
    >>> from sklearn_rank.metrics import pooled_recall_at_k_score
    >>> y_true = [1, 0, 1, 1, 1, 0]
    >>> rows = {"y_true": y_true, "y_score": [3, 2, 1] * 2, "groups": [*"aaabbb"]}
    >>> pooled_recall_at_k_score(**rows, k=2)  # (1 + 2) / (2 + 2)
    0.75
    """
