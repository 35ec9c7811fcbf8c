"""Metrics of hits: any in the first k ranks, and how many in the first R ranks."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_rank._ranking._places import first_hits, hit_chance
from sklearn_rank._ranking._ranked_lists import RankedLists, defined_where_relevant, divide
from sklearn_rank.metrics._core._evaluate import metric
from sklearn_rank.metrics._core._parameters import Cutoff, MinRelevance
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Ties, Undefined

__all__ = ["hit_rate_at_k_score", "r_precision_score"]


def hit_rate(lists: RankedLists, k: Cutoff, min_relevance: MinRelevance) -> Any:
    """Return the probability of a hit among the first k ranks, per query."""
    places = lists.places(k, min_relevance)
    query, _, chance = first_hits(places)
    found = lists.sum(query, chance)
    # A sum of probabilities may pass 1 by a rounding error.
    return defined_where_relevant(np.minimum(found, 1), lists, min_relevance)


@metric(hit_rate)
def hit_rate_at_k_score(
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
    r"""Hit rate at ``k``: whether the first ``k`` ranks hold a relevant item.

    Higher is better; 1 means that every query has at least one hit. Also known as
    success at ``k``.

    .. math:: H@k = [\text{some item at rank} \le k \text{ is relevant}]

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
    recall_at_k_score : The same number when each query has one relevant item.

    Notes
    -----
    Undefined (NaN) for a query without relevant items. If rows tie across the cutoff, it is
    the probability of a hit.

    References
    ----------
    .. [1] M. Deshpande, G. Karypis, "Item-based top-N recommendation algorithms",
       ACM Transactions on Information Systems 22(1), 2004.

    Examples
    --------
    >>> from sklearn_rank.metrics import hit_rate_at_k_score
    >>> y_true = [0, 1, 0, 1, 0]
    >>> y_score = [5, 4, 3, 2, 1]
    >>> hit_rate_at_k_score(y_true, y_score, groups=["q"] * 5, k=1)
    0.0
    """


def r_precision(lists: RankedLists, min_relevance: MinRelevance) -> Any:
    """Return precision at the number of relevant items, per query."""
    places = lists.places(None, min_relevance)
    n_relevant = lists.n_relevant(min_relevance)
    within = places.rank <= n_relevant[places.query]
    return divide(lists.sum(places.query[within], hit_chance(places)[within]), n_relevant)


@metric(r_precision)
def r_precision_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""R-precision: precision at R, where R is the query's number of relevant items.

    Higher is better; 1 means that the R relevant items are on the first R ranks. At this
    cutoff precision and recall are equal.

    .. math:: \frac{1}{R} \sum_{i=1}^{R} [\text{item at rank } i \text{ is relevant}]

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
    precision_at_k_score : Precision at one cutoff for all queries.

    Notes
    -----
    Undefined (NaN) for a query without relevant items. Lists shorter than R are filled up
    with irrelevant items.

    References
    ----------
    .. [1] C. Buckley, E. M. Voorhees, "Evaluating evaluation measure stability",
       SIGIR 2000.

    Examples
    --------
    >>> from sklearn_rank.metrics import r_precision_score
    >>> y_true = [0, 1, 0, 1, 0]
    >>> y_score = [5, 4, 3, 2, 1]
    >>> r_precision_score(y_true, y_score, groups=["q"] * 5)
    0.5
    """
