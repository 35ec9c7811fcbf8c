"""Metrics of the first k ranks as a set: precision, recall, and their mean."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from sklearn_rank._ranking._places import hit_chance
from sklearn_rank._ranking._ranked_lists import RankedLists, defined_where_relevant, divide
from sklearn_rank.metrics._core._evaluate import metric
from sklearn_rank.metrics._core._parameters import Beta, Cutoff, MinRelevance
from sklearn_rank.metrics._core._summaries import Ratio
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Ties, Undefined

__all__ = [
    "f1_at_k_score",
    "pooled_recall_at_k_score",
    "precision_at_k_score",
    "recall_at_k_score",
]


def precision(lists: RankedLists, k: Cutoff, min_relevance: MinRelevance) -> Any:
    """Return precision at k per query."""
    hits = expected_hits(lists, k, min_relevance)
    return defined_where_relevant(hits / lists.cutoff(k), lists, min_relevance)


@metric(precision)
def precision_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Cutoff = 10,
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Precision at ``k``: the share of the first ``k`` ranks that hold a relevant item.

    Higher is better; 1 means that all of the first ``k`` items are relevant. Lists shorter
    than ``k`` are filled up with irrelevant items, so the denominator is always ``k``.

    .. math:: P@k = \frac{1}{k} \sum_{i=1}^{k} [\text{item at rank } i \text{ is relevant}]

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
    min_relevance : float, default=None
        Lowest grade that is relevant. None: any grade greater than 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        Treatment of ties: the mean over all orders, lowest or highest grades first, or the
        given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Weight of each query in the mean; in 1-D one value per row, equal within a query.
    replace_undefined_by : float, "warn" or "abstained", default="warn"
        Value of a query for which the metric is undefined. "warn" leaves it out of the mean
        with an ``UndefinedMetricWarning``, NaN without one. With "abstained" a query
        without relevant rows has 1 if nothing was retrieved, else 0.

    Returns
    -------
    score : float
        Mean over the queries; NaN if undefined for all of them.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`.

    See Also
    --------
    recall_at_k_score : The share of the relevant items that are found.
    r_precision_score : Precision at the number of relevant items.

    Notes
    -----
    Undefined (NaN) for a query without relevant items. With ``k=None`` the denominator is
    the number of retrieved items.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze, "Introduction to Information
       Retrieval", section 8.4, Cambridge University Press, 2008.

    Examples
    --------
    >>> from sklearn_rank.metrics import precision_at_k_score
    >>> y_true = [0, 1, 0, 1, 0]
    >>> y_score = [5, 4, 3, 2, 1]
    >>> precision_at_k_score(y_true, y_score, groups=["q"] * 5, k=4)
    0.5
    """


def expected_hits(lists: RankedLists, k: Cutoff, min_relevance: MinRelevance) -> Any:
    """Return the expected number of relevant items in the first k ranks, per query."""
    places = lists.places(k, min_relevance)
    return lists.cache(
        ("hits", k, min_relevance), lambda: lists.sum(places.query, hit_chance(places))
    )


def recall(
    lists: RankedLists,
    k: Cutoff,
    denominator: Literal["relevant", "attainable"],
    min_relevance: MinRelevance,
) -> Any:
    """Return recall at k per query."""
    n_relevant = lists.n_relevant(min_relevance)
    if denominator == "attainable" and k is not None:
        n_relevant = np.minimum(n_relevant, k)
    # Chances of tied rows are rounded, and may add up to more than all relevant items.
    return np.minimum(divide(expected_hits(lists, k, min_relevance), n_relevant), 1)


@metric(recall)
def recall_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Cutoff = 10,
    denominator: Literal["relevant", "attainable"] = "relevant",
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Recall at ``k``: the share of the relevant items that the first ``k`` ranks hold.

    Higher is better; 1 means that all relevant items were found. With R relevant items,
    retrieved or not, and ``denominator="relevant"``,

    .. math:: R@k = \frac{1}{R} \sum_{i=1}^{k} [\text{item at rank } i \text{ is relevant}]

    and with ``denominator="attainable"`` the sum is divided by min(R, k), so that a query
    with more than ``k`` relevant items can reach 1.

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
    denominator : {"relevant", "attainable"}, default="relevant"
        Divide by the number R of relevant items, or by min(R, k).
    min_relevance : float, default=None
        Lowest grade that is relevant. None: any grade greater than 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        Treatment of ties: the mean over all orders, lowest or highest grades first, or the
        given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Weight of each query in the mean; in 1-D one value per row, equal within a query.
    replace_undefined_by : float, "warn" or "abstained", default="warn"
        Value of a query for which the metric is undefined. "warn" leaves it out of the mean
        with an ``UndefinedMetricWarning``, NaN without one. With "abstained" a query
        without relevant rows has 1 if nothing was retrieved, else 0.

    Returns
    -------
    score : float
        Mean over the queries; NaN if undefined for all of them.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`.

    See Also
    --------
    precision_at_k_score : The share of the first ``k`` items that are relevant.

    Notes
    -----
    Undefined (NaN) for a query without relevant items. A list shorter than ``k`` counts
    as it is.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze, "Introduction to Information
       Retrieval", section 8.4, Cambridge University Press, 2008.

    Examples
    --------
    >>> from sklearn_rank.metrics import recall_at_k_score
    >>> y_true = [0, 1, 0, 1, 0]
    >>> y_score = [5, 4, 3, 2, 1]
    >>> recall_at_k_score(y_true, y_score, groups=["q"] * 5, k=3)
    0.5
    """


def f1(lists: RankedLists, k: Cutoff, beta: Beta, min_relevance: MinRelevance) -> Any:
    """Return the F score at k per query."""
    hits = expected_hits(lists, k, min_relevance)
    n_relevant = lists.n_relevant(min_relevance)
    of_recall = float(beta) ** 2
    score = (1 + of_recall) * hits / (lists.cutoff(k) + of_recall * n_relevant)
    return defined_where_relevant(score, lists, min_relevance)


@metric(f1)
def f1_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Cutoff = 10,
    beta: Beta = 1.0,
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""F score at ``k``: the weighted harmonic mean of precision and recall at ``k``.

    Higher is better; 1 means that the first ``k`` items are the relevant items. With R
    relevant items,

    .. math:: F_\beta@k = \frac{(1 + \beta^2) \cdot \text{hits}@k}{k + \beta^2 R}

    which is 2 · hits / (k + R) for ``beta=1``.

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
    beta : float, default=1.0
        Weight of recall: it counts ``beta`` times as much as precision.
    min_relevance : float, default=None
        Lowest grade that is relevant. None: any grade greater than 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        Treatment of ties: the mean over all orders, lowest or highest grades first, or the
        given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Weight of each query in the mean; in 1-D one value per row, equal within a query.
    replace_undefined_by : float, "warn" or "abstained", default="warn"
        Value of a query for which the metric is undefined. "warn" leaves it out of the mean
        with an ``UndefinedMetricWarning``, NaN without one. With "abstained" a query
        without relevant rows has 1 if nothing was retrieved, else 0.

    Returns
    -------
    score : float
        Mean over the queries; NaN if undefined for all of them.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`.

    See Also
    --------
    precision_at_k_score : The share of the first ``k`` items that are relevant.
    recall_at_k_score : The share of the relevant items that are found.

    Notes
    -----
    Undefined (NaN) for a query without relevant items. It is taken per query and then
    averaged, which is not the F score of mean precision and mean recall.

    References
    ----------
    .. [1] C. J. van Rijsbergen, "Information Retrieval", chapter 7, Butterworths, 1979.

    Examples
    --------
    >>> from sklearn_rank.metrics import f1_at_k_score
    >>> y_true = [0, 1, 0, 1, 0]
    >>> y_score = [5, 4, 3, 2, 1]
    >>> f1_at_k_score(y_true, y_score, groups=["q"] * 5, k=2)
    0.5
    """


def pooled_recall(
    lists: RankedLists,
    k: Cutoff,
    denominator: Literal["relevant", "attainable"],
    min_relevance: MinRelevance,
) -> Any:
    """Return recall at k and its denominator, per query."""
    weight = lists.n_relevant(min_relevance).astype(np.float64)
    if denominator == "attainable" and k is not None:
        weight = np.minimum(weight, k)
    weight[weight == 0] = np.nan  # undefined; not weight 0
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
    r"""Pooled recall at ``k``: hits of all users over the highest possible number.

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
    recall_at_k_score : The mean over users, with equal weights.

    Notes
    -----
    The value of a user is recall, and the weight is the denominator, so users with many
    relevant items count more. A user without relevant items adds nothing, whatever
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
