"""The first k ranks as a set: accuracy, fallout, relative precision, and their product."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_rank._ranking._ranked_lists import RankedLists, defined_where_relevant, divide
from sklearn_rank.metrics._core._evaluate import metric
from sklearn_rank.metrics._core._parameters import Cutoff, MinRelevance
from sklearn_rank.metrics._families._precision_recall import expected_hits
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Ties, Undefined

__all__ = [
    "accuracy_at_k_score",
    "fallout_at_k_score",
    "relative_precision_at_k_score",
    "set_average_precision_score",
]


def accuracy(lists: RankedLists, k: Cutoff, min_relevance: MinRelevance) -> Any:
    """Return the share of items classified right, per query."""
    hits = expected_hits(lists, k, min_relevance)
    wrong = lists.n_shown(k) + lists.n_relevant(min_relevance) - 2 * hits
    return divide(lists.n_items - wrong, lists.n_items)


@metric(accuracy, all_items=True)
def accuracy_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Cutoff = 10,
    min_relevance: MinRelevance = None,
    n_items: int | None = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Accuracy at ``k``: share of items classified right by the first ``k`` ranks.

    Higher is better; 1 means that the first ``k`` items are the relevant items. With N
    items in all, R of them relevant, and c = min(k, retrieved items) classified as
    relevant,

    .. math:: A@k = \frac{N - c - R + 2 \cdot \text{hits}@k}{N}

    Use it for comparison, not for tuning: if 10 of 10,000 items are relevant, ten useless
    recommendations still score 0.998. Precision and recall ignore the irrelevant items that
    are not retrieved.

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
    n_items : int, default=None
        Size of the catalogue, if lists do not have all items: items without a row tie below
        all others. None: the rows of each query are all its items.
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
        For bad input, see :ref:`errors`; and if lists end and ``n_items`` is missing, or
        less than the rows of a query.

    See Also
    --------
    precision_at_k_score : The share of the first ``k`` items that are relevant.

    Notes
    -----
    Defined for every query. N counts the rows of the query, or is ``n_items``.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze, "Introduction to Information
       Retrieval", section 8.3, Cambridge University Press, 2008.

    Examples
    --------
    >>> from sklearn_rank.metrics import accuracy_at_k_score
    >>> accuracy_at_k_score([0, 1, 0, 1, 0], [5, 4, 3, 2, 1], groups=["q"] * 5, k=2)
    0.6
    """


def fallout(lists: RankedLists, k: Cutoff, min_relevance: MinRelevance) -> Any:
    """Return the share of the irrelevant items that is retrieved, per query."""
    irrelevant = lists.n_shown(k) - expected_hits(lists, k, min_relevance)
    n_irrelevant = lists.n_items - lists.n_relevant(min_relevance)
    return np.minimum(divide(irrelevant, n_irrelevant), 1)  # chances are rounded


@metric(fallout, lower_is_better=True, all_items=True)
def fallout_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Cutoff = 10,
    min_relevance: MinRelevance = None,
    n_items: int | None = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Fallout at ``k``: the share of the irrelevant items that the first ``k`` ranks hold.

    Lower is better; 0 means that no irrelevant item is retrieved. With N items, R of them
    relevant,

    .. math:: \frac{1}{N - R} \sum_{i=1}^{k} [\text{item at rank } i \text{ is irrelevant}]

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
    n_items : int, default=None
        Size of the catalogue, if lists do not have all items: items without a row tie below
        all others. None: the rows of each query are all its items.
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
        Mean over the queries; NaN if undefined for all of them.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if lists end and ``n_items`` is missing, or
        less than the rows of a query.

    See Also
    --------
    recall_at_k_score : The same share of the relevant items.

    Notes
    -----
    Undefined (NaN) for a query without irrelevant items. The places that fill up a list
    shorter than ``k`` are not items and do not count.

    References
    ----------
    .. [1] C. J. van Rijsbergen, "Information Retrieval", chapter 7, Butterworths, 1979.

    Examples
    --------
    >>> from sklearn_rank.metrics import fallout_at_k_score
    >>> score = fallout_at_k_score([0, 1, 0, 1, 0], [5, 4, 3, 2, 1], groups=["q"] * 5, k=3)
    >>> round(score, 4)  # 2 of 3
    0.6667
    """


def relative_precision(lists: RankedLists, k: Cutoff, min_relevance: MinRelevance) -> Any:
    """Return precision at k over the highest that is possible, per query."""
    most = np.minimum(lists.n_relevant(min_relevance), lists.cutoff(k))
    # Chances of tied rows are rounded, and may add up to more than all relevant items.
    return np.minimum(divide(expected_hits(lists, k, min_relevance), most), 1)


@metric(relative_precision)
def relative_precision_at_k_score(
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
    r"""Relative precision at ``k``: precision over the highest that any ranking could have.

    Higher is better; 1 means that the first ``k`` ranks hold as many relevant items as they
    can. With R relevant items,

    .. math:: \frac{1}{\min(R, k)} \sum_{i=1}^{k} [\text{item at rank } i
              \text{ is relevant}]

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
    precision_at_k_score : Divided by ``k``, however few items are relevant.
    recall_at_k_score : With ``denominator="attainable"`` the same number for any ``k``.

    Notes
    -----
    Undefined (NaN) for a query without relevant items. With ``k=None`` the cutoff is the
    number of retrieved items.

    References
    ----------
    .. [1] trec_eval 9.0, measures ``relative_P`` and ``set_relative_P``, NIST, 2008.

    Examples
    --------
    >>> from sklearn_rank.metrics import relative_precision_at_k_score
    >>> rows = {"y_true": [0, 1, 0, 1], "y_score": [4, 3, 2, 1], "groups": ["q"] * 4}
    >>> relative_precision_at_k_score(**rows, k=3)
    0.5
    """


def set_map(lists: RankedLists, min_relevance: MinRelevance) -> Any:
    """Return precision times recall of all that was retrieved, per query."""
    hits = expected_hits(lists, None, min_relevance)
    n_relevant = lists.n_relevant(min_relevance)
    value = hits * divide(hits, lists.cutoff(None) * n_relevant)
    return defined_where_relevant(np.minimum(value, 1), lists, min_relevance)


@metric(set_map)
def set_average_precision_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Average precision of a set: precision times recall of all that was retrieved.

    Higher is better; 1 means that the relevant items were retrieved, and nothing else. With
    R relevant items, n retrieved ones and h that are both,

    .. math:: \frac{h}{n} \cdot \frac{h}{R}

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
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
    mean_average_precision_score : Where ranks count.
    f1_at_k_score : The harmonic mean of precision and recall.

    Notes
    -----
    Undefined (NaN) for a query without relevant items. The order within the list does not
    count, so that ties do not matter.

    References
    ----------
    .. [1] trec_eval 9.0, measure ``set_map``, NIST, 2008.

    Examples
    --------
    >>> from sklearn_rank.metrics import set_average_precision_score
    >>> minus_inf = float("-inf")
    >>> y_true, y_score = [0, 1, 0, 1], [3, 2, minus_inf, minus_inf]
    >>> set_average_precision_score(y_true, y_score, groups=["q"] * 4)
    0.25
    """
