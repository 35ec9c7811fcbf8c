"""Errors of the first k ranks as a set: accuracy and fallout."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_rank._ranking._quotients import divide
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank.metrics._core._declare import metric
from sklearn_rank.metrics._core._parameters import Cutoff, MinRelevance
from sklearn_rank.metrics._families._precision_recall import hits_in
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Ties, Undefined

__all__ = ["accuracy_at_k_score", "fallout_at_k_score"]


def accuracy(lists: RankedLists, k: Cutoff, min_relevance: MinRelevance) -> Any:
    """Return the share of items classified right, per query."""
    hits = hits_in(lists, k, min_relevance)
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
    irrelevant = lists.n_shown(k) - hits_in(lists, k, min_relevance)
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
