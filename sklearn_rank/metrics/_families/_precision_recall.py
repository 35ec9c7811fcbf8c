"""Metrics of the first k ranks as a set: precision, recall, hits, and errors."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._places import first_hits, hit_chance
from sklearn_rank._ranking._ranked_lists import RankedLists, defined_where_relevant, divide
from sklearn_rank.metrics._core._evaluate import mean_score, metric
from sklearn_rank.metrics._core._parameters import ZERO_TO_ONE, Beta, Cutoff, MinRelevance
from sklearn_rank.metrics._core._summaries import Ratio
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Ties, Undefined

__all__ = [
    "accuracy_at_k_score",
    "f1_at_k_score",
    "fallout_at_k_score",
    "hit_rate_at_k_score",
    "pooled_recall_at_k_score",
    "precision_at_k_score",
    "r_precision_score",
    "recall_at_k_score",
    "relative_precision_at_k_score",
    "set_average_precision_score",
]

Denominator = Literal["relevant", "attainable"]

# Metrics of the first k ranks as a set: precision, recall, and their mean.


def precision(
    lists: RankedLists,
    k: Cutoff,
    denominator: Literal["k", "list"],
    min_relevance: MinRelevance,
) -> Any:
    """Return precision at k per query."""
    hits = expected_hits(lists, k, min_relevance)
    ranks = lists.cutoff(k) if denominator == "k" else np.maximum(lists.n_shown(k), 1)
    return defined_where_relevant(hits / ranks, lists, min_relevance)


@metric(precision, range=ZERO_TO_ONE)
@explained
def precision_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Cutoff = 10,
    denominator: Literal["k", "list"] = "k",
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Precision at ``k``: the share of the first ``k`` ranks that hold a relevant item.

    Higher is better; 1 means that all of the first ``k`` items are relevant. Lists shorter
    than ``k`` are filled up with irrelevant items, so the denominator is ``k`` by default.

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
    denominator : {"k", "list"}, default="k"
        Divide by ``k``, or by the number of items in the first ``k`` ranks, which is less
        for a short list. An empty list scores 0.
    min_relevance : float, default=None
        Lowest grade that is relevant. If None, any grade greater than 0.
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
    the number of retrieved items. With ``denominator="list"`` (MLflow, LensKit, XGBoost) a
    list of one relevant item scores more than one of ten items with nine relevant ones.

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
    rows = y_true, y_score, groups, sample_weight
    own = {"k": k, "denominator": denominator, "min_relevance": min_relevance}
    return mean_score(precision_at_k_score, rows, own, ties, replace_undefined_by)


def expected_hits(lists: RankedLists, k: Cutoff, min_relevance: MinRelevance) -> Any:
    """Return the expected number of relevant items in the first k ranks, per query."""
    places = lists.places(k, min_relevance)
    return lists.cache(
        ("hits", k, min_relevance), lambda: lists.sum(places.query, hit_chance(places))
    )


def most_hits(
    lists: RankedLists, k: Cutoff, denominator: str, min_relevance: MinRelevance
) -> np.ndarray:
    """Return the number of relevant items per query, k at most if k is "attainable"."""
    n_relevant = lists.n_relevant(min_relevance)
    if denominator == "attainable" and k is not None:
        return np.minimum(n_relevant, k)
    return n_relevant


def recall(
    lists: RankedLists, k: Cutoff, denominator: Denominator, min_relevance: MinRelevance
) -> Any:
    """Return recall at k per query."""
    most = most_hits(lists, k, denominator, min_relevance)
    # Chances of tied rows are rounded, and may add up to more than all relevant items.
    return np.minimum(divide(expected_hits(lists, k, min_relevance), most), 1)


@metric(recall, range=ZERO_TO_ONE)
@explained
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
        Lowest grade that is relevant. If None, any grade greater than 0.
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
    rows = y_true, y_score, groups, sample_weight
    own = {"k": k, "denominator": denominator, "min_relevance": min_relevance}
    return mean_score(recall_at_k_score, rows, own, ties, replace_undefined_by)


def f1(lists: RankedLists, k: Cutoff, beta: Beta, min_relevance: MinRelevance) -> Any:
    """Return the F score at k per query."""
    hits = expected_hits(lists, k, min_relevance)
    n_relevant = lists.n_relevant(min_relevance)
    of_recall = float(beta) ** 2
    score = (1 + of_recall) * hits / (lists.cutoff(k) + of_recall * n_relevant)
    return defined_where_relevant(score, lists, min_relevance)


@metric(f1, range=ZERO_TO_ONE)
@explained
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
        Lowest grade that is relevant. If None, any grade greater than 0.
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
    rows = y_true, y_score, groups, sample_weight
    own = {"k": k, "beta": beta, "min_relevance": min_relevance}
    return mean_score(f1_at_k_score, rows, own, ties, replace_undefined_by)


def pooled_recall(
    lists: RankedLists, k: Cutoff, denominator: Denominator, min_relevance: MinRelevance
) -> Any:
    """Return recall at k and its denominator, per query."""
    weight = most_hits(lists, k, denominator, min_relevance).astype(np.float64)
    weight[weight == 0] = np.nan  # undefined; not weight 0
    return recall(lists, k, denominator, min_relevance), weight


@metric(pooled_recall, summary=Ratio(), range=ZERO_TO_ONE)
@explained
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
        Lowest grade that is relevant. If None, any grade greater than 0.
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
    rows = y_true, y_score, groups, sample_weight
    own = {"k": k, "denominator": denominator, "min_relevance": min_relevance}
    return mean_score(pooled_recall_at_k_score, rows, own, ties, replace_undefined_by)


# Metrics of hits: any in the first k ranks, and how many in the first R ranks.


def hit_rate(lists: RankedLists, k: Cutoff, min_relevance: MinRelevance) -> Any:
    """Return the probability of a hit among the first k ranks, per query."""
    places = lists.places(k, min_relevance)
    query, _, chance = first_hits(places)
    probability = lists.sum(query, chance)
    # A sum of probabilities may pass 1 by a rounding error.
    return defined_where_relevant(np.minimum(probability, 1), lists, min_relevance)


@metric(hit_rate, range=ZERO_TO_ONE)
@explained
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
        Lowest grade that is relevant. If None, any grade greater than 0.
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
    rows = y_true, y_score, groups, sample_weight
    own = {"k": k, "min_relevance": min_relevance}
    return mean_score(hit_rate_at_k_score, rows, own, ties, replace_undefined_by)


def r_precision(lists: RankedLists, min_relevance: MinRelevance) -> Any:
    """Return precision at the number of relevant items, per query."""
    places = lists.places(None, min_relevance)
    n_relevant = lists.n_relevant(min_relevance)
    within = places.rank <= n_relevant[places.query]
    return divide(lists.sum(places.query[within], hit_chance(places)[within]), n_relevant)


@metric(r_precision, range=ZERO_TO_ONE)
@explained
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
        Lowest grade that is relevant. If None, any grade greater than 0.
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
    rows = y_true, y_score, groups, sample_weight
    own = {"min_relevance": min_relevance}
    return mean_score(r_precision_score, rows, own, ties, replace_undefined_by)


# The first k ranks as a set: accuracy, fallout, relative precision, and their product.


def accuracy(lists: RankedLists, k: Cutoff, min_relevance: MinRelevance) -> Any:
    """Return the share of items classified right, per query."""
    hits = expected_hits(lists, k, min_relevance)
    wrong = lists.n_shown(k) + lists.n_relevant(min_relevance) - 2 * hits
    return divide(lists.n_items - wrong, lists.n_items)


@metric(accuracy, all_items=True, range=ZERO_TO_ONE)
@explained
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
        Lowest grade that is relevant. If None, any grade greater than 0.
    n_items : int, default=None
        Size of the catalogue, if lists do not have all items: items without a row tie below
        all others. If None, the rows of each query are all its items.
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
    rows = y_true, y_score, groups, sample_weight
    own = {"k": k, "min_relevance": min_relevance, "n_items": n_items}
    return mean_score(accuracy_at_k_score, rows, own, ties, replace_undefined_by)


def fallout(lists: RankedLists, k: Cutoff, min_relevance: MinRelevance) -> Any:
    """Return the share of the irrelevant items that is retrieved, per query."""
    irrelevant = lists.n_shown(k) - expected_hits(lists, k, min_relevance)
    n_irrelevant = lists.n_items - lists.n_relevant(min_relevance)
    return np.minimum(divide(irrelevant, n_irrelevant), 1)  # chances are rounded


@metric(fallout, lower_is_better=True, all_items=True, range=ZERO_TO_ONE)
@explained
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
        Lowest grade that is relevant. If None, any grade greater than 0.
    n_items : int, default=None
        Size of the catalogue, if lists do not have all items: items without a row tie below
        all others. If None, the rows of each query are all its items.
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
    rows = y_true, y_score, groups, sample_weight
    own = {"k": k, "min_relevance": min_relevance, "n_items": n_items}
    return mean_score(fallout_at_k_score, rows, own, ties, replace_undefined_by)


def relative_precision(lists: RankedLists, k: Cutoff, min_relevance: MinRelevance) -> Any:
    """Return precision at k over the highest that is possible, per query."""
    most = np.minimum(lists.n_relevant(min_relevance), lists.cutoff(k))
    # Chances of tied rows are rounded, and may add up to more than all relevant items.
    return np.minimum(divide(expected_hits(lists, k, min_relevance), most), 1)


@metric(relative_precision, range=ZERO_TO_ONE)
@explained
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
        Lowest grade that is relevant. If None, any grade greater than 0.
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
    rows = y_true, y_score, groups, sample_weight
    own = {"k": k, "min_relevance": min_relevance}
    return mean_score(relative_precision_at_k_score, rows, own, ties, replace_undefined_by)


def set_map(lists: RankedLists, min_relevance: MinRelevance) -> Any:
    """Return precision times recall of all that was retrieved, per query."""
    hits = expected_hits(lists, None, min_relevance)
    n_relevant = lists.n_relevant(min_relevance)
    value = hits * divide(hits, lists.cutoff(None) * n_relevant)
    return defined_where_relevant(np.minimum(value, 1), lists, min_relevance)


@metric(set_map, range=ZERO_TO_ONE)
@explained
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
        Lowest grade that is relevant. If None, any grade greater than 0.
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
    rows = y_true, y_score, groups, sample_weight
    own = {"min_relevance": min_relevance}
    return mean_score(set_average_precision_score, rows, own, ties, replace_undefined_by)
