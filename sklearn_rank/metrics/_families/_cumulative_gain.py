"""Metrics of graded relevance: gain of an item times discount of its rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_rank._ranking._quotients import divide
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank.metrics._core._declare import metric
from sklearn_rank.metrics._core._parameters import Cutoff
from sklearn_rank.metrics._core._range import Range
from sklearn_rank.metrics._families._gain_and_discount import (
    Discount,
    Gain,
    LogBase,
    discounts,
    finite_sums,
    gains,
    ideal_gains,
    relative_discounts,
    relative_gains,
)
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Ties, Undefined

__all__ = ["cg_score", "dcg_score", "ndcg_score"]


def cg(lists: RankedLists, k: Cutoff, gain: Gain) -> Any:
    """Return cumulative gain per query."""
    places = lists.places(k)
    with np.errstate(over="ignore"):
        value = lists.sum(places.query, places.share(gains(lists, gain)))
    return finite_sums(lists, value, gain)


@metric(cg, range=Range(0.0, np.inf, "the sum of all gains"))
def cg_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Cutoff = None,
    gain: Gain = "linear",
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Cumulative gain (CG): the sum of gains over the first ``k`` ranks.

    Higher is better; the optimum depends on the grades. The order within the first ``k``
    ranks has no effect; see DCG.

    .. math:: CG@k = \sum_{i=1}^{k} \text{gain}(g_i)

    where the gain of the grade g is g by default, and :math:`2^g - 1` with
    ``gain="exponential"``.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    k : int or None, default=None
        Cutoff: ranks below it do not count. None takes the whole list.
    gain : {"linear", "exponential"} or callable, default="linear"
        Gain of a grade g: g, or 2**g - 1, or a function that maps an array of grades to
        gains, and 0 to 0.
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
        For bad input, see :ref:`errors`; and if gains add up to more than a float can hold.

    See Also
    --------
    dcg_score : The same with a discount for lower ranks.

    Notes
    -----
    A query without relevant items scores 0, because there is no denominator.

    References
    ----------
    .. [1] K. Järvelin, J. Kekäläinen, "Cumulated gain-based evaluation of IR techniques",
       ACM Transactions on Information Systems 20(4), 2002.

    Examples
    --------
    >>> from sklearn_rank.metrics import cg_score
    >>> cg_score([0, 0, 1, 1, 1], [5, 4, 3, 2, 1], groups=["q"] * 5)
    3.0
    """


def dcg(
    lists: RankedLists, k: Cutoff, gain: Gain, discount: Discount, log_base: LogBase
) -> Any:
    """Return discounted cumulative gain per query."""
    places = lists.places(k)
    factor = discounts(discount, log_base, places.rank)
    with np.errstate(over="ignore", invalid="ignore"):
        value = lists.sum(places.query, places.share(gains(lists, gain)) * factor)
    return finite_sums(lists, value, gain)


@metric(dcg, range=Range(0.0, np.inf, "the value of the ideal order"))
def dcg_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Cutoff = None,
    gain: Gain = "linear",
    discount: Discount = "log",
    log_base: LogBase = 2,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Discounted cumulative gain (DCG): gains, divided by a function of the rank.

    Higher is better; the optimum depends on the grades, see :func:`ndcg_score`. On 2-D
    input it equals :func:`sklearn.metrics.dcg_score`.

    .. math:: DCG@k = \sum_{i=1}^{k} \text{gain}(g_i) \cdot \text{discount}(i)
              = \sum_{i=1}^{k} \frac{g_i}{\log_2(i + 1)}

    by default; with ``gain="exponential"`` the numerator is :math:`2^{g_i} - 1`.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    k : int or None, default=None
        Cutoff: ranks below it do not count. None takes the whole list.
    gain : {"linear", "exponential"} or callable, default="linear"
        Gain of a grade g: g, or 2**g - 1, or a function that maps an array of grades to
        gains, and 0 to 0.
    discount : {"log", "jarvelin", "reciprocal"} or callable, default="log"
        Factor of rank i: 1 / log_b(i + 1); or 1 / max(1, log_b(i)), which leaves ranks 1 to
        b undiscounted; or 1 / i; or a function that maps an array of ranks to factors of 0
        or more that do not increase.
    log_base : float, default=2
        Base b of the logarithm in ``discount``, greater than 1.
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
        For bad input, see :ref:`errors`; and if gains add up to more than a float can hold.

    See Also
    --------
    ndcg_score : DCG divided by its best value.
    cg_score : The same without discount.

    Notes
    -----
    A query without relevant items scores 0, because there is no denominator.

    References
    ----------
    .. [1] K. Järvelin, J. Kekäläinen, "Cumulated gain-based evaluation of IR techniques",
       ACM Transactions on Information Systems 20(4), 2002.
    .. [2] C. Burges et al., "Learning to rank using gradient descent", ICML 2005 (the
       exponential gain).

    Examples
    --------
    >>> from sklearn_rank.metrics import dcg_score
    >>> score = dcg_score([3, 2, 3, 0, 1, 2], [6, 5, 4, 3, 2, 1], groups=["q"] * 6, k=2)
    >>> round(score, 5)  # 3 + 2 / log2(3)
    4.26186
    """


def ndcg(
    lists: RankedLists, k: Cutoff, gain: Gain, discount: Discount, log_base: LogBase
) -> Any:
    """Return normalized discounted cumulative gain per query."""
    worth, places = relative_gains(lists, gain), lists.places(k)
    query, best, rank = ideal_gains(lists, gain, k)
    of_found, of_best = relative_discounts(discount, log_base, places.rank, rank)
    ideal = lists.sum(query, best * of_best)
    found = lists.sum(places.query, places.share(worth) * of_found)
    # The mean gain of tied rows is rounded, and may be above each of them.
    return np.minimum(divide(found, ideal), 1)


@metric(ndcg)
def ndcg_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Cutoff = None,
    gain: Gain = "linear",
    discount: Discount = "log",
    log_base: LogBase = 2,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Normalized discounted cumulative gain (nDCG): DCG divided by its best value.

    Higher is better; 1 means that the items are in order of their grades. On 2-D input
    without undefined rows it equals :func:`sklearn.metrics.ndcg_score`.

    .. math:: nDCG@k = \frac{DCG@k}{IDCG@k}

    where :math:`DCG@k = \sum_{i=1}^{k} g_i / \log_2(i + 1)` by default, with
    :math:`2^{g_i} - 1` instead of :math:`g_i` for ``gain="exponential"``, and IDCG@k is the
    DCG of the best order of all relevant items of the query, retrieved or not, cut at
    ``k``.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    k : int or None, default=None
        Cutoff: ranks below it do not count. None takes the whole list.
    gain : {"linear", "exponential"} or callable, default="linear"
        Gain of a grade g: g, or 2**g - 1, or a function that maps an array of grades to
        gains, and 0 to 0.
    discount : {"log", "jarvelin", "reciprocal"} or callable, default="log"
        Factor of rank i: 1 / log_b(i + 1); or 1 / max(1, log_b(i)), which leaves ranks 1 to
        b undiscounted; or 1 / i; or a function that maps an array of ranks to factors of 0
        or more that do not increase.
    log_base : float, default=2
        Base b of the logarithm in ``discount``, greater than 1.
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
        For bad input, see :ref:`errors`.

    See Also
    --------
    dcg_score : The numerator, with gain and discount explained.

    Notes
    -----
    Undefined (NaN) for a query without relevant items, for which scikit-learn and
    trec_eval count 0, LightGBM and XGBoost 1. Lists shorter than ``k`` are filled up with
    irrelevant items. The base of the logarithm cancels out with ``discount="log"``, and
    so does the size of the gains: exponential gains of any grade have a finite ratio.

    References
    ----------
    .. [1] K. Järvelin, J. Kekäläinen, "Cumulated gain-based evaluation of IR techniques",
       ACM Transactions on Information Systems 20(4), 2002.
    .. [2] F. McSherry, M. Najork, "Computing information retrieval performance measures
       efficiently in the presence of tied scores", ECIR 2008.

    Examples
    --------
    >>> from sklearn_rank.metrics import ndcg_score
    >>> score = ndcg_score([3, 2, 3, 0, 1, 2], [6, 5, 4, 3, 2, 1], groups=["q"] * 6, k=3)
    >>> round(score, 6)
    0.977781
    """
