"""Metrics of rows weighted by their inverse propensity."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from sklearn_rank._base._exact_sum import sums_within
from sklearn_rank._base._numbers import as_numbers, check_values
from sklearn_rank._base._validation import Real, check_integer, check_real
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._ranked_lists import RankedLists, divide
from sklearn_rank._ranking._rows import SideColumn
from sklearn_rank.metrics._core._evaluate import mean_score, metric
from sklearn_rank.metrics._core._parameters import (
    ZERO_OR_MORE,
    ZERO_TO_ONE,
    Cutoff,
    MinRelevance,
    Range,
)
from sklearn_rank.metrics._core._side_columns import Column, read_numbers
from sklearn_rank.metrics._core._summaries import Ratio
from sklearn_rank.metrics._families._cumulative_gain import Gain, discounts, relative_gains
from sklearn_rank.metrics._families._precision_recall import hit_rate
from sklearn_rank.typing import ArrayLike, Floats, Labels, Matrix, Ties, Undefined

__all__ = [
    "ips_hit_rate_at_k_score",
    "ips_ndcg_score",
    "ips_recall_at_k_score",
    "label_propensity",
    "propensity_scored_ndcg_at_k_score",
    "propensity_scored_precision_at_k_score",
]


# Metrics of extreme classification, weighted by inverse propensity: ratios of sums.


Clip = Annotated[
    float | None, Real("a number in (0, 1] or None", above=0, most=1, or_none=True)
]

# The sum of the inverses of smaller propensities may be infinite.
_LEAST_PROPENSITY = 1e-100


def _read_propensity(values: Any, name: str, shape: tuple[int, ...]) -> SideColumn:
    """Return the propensities: one per row, or in the 2-D form one per item."""
    propensity = read_numbers(values, name, shape).values
    # What np.broadcast_to repeats is read once.
    once = tuple(slice(None) if stride else slice(1) for stride in propensity.strides)
    wrong = ~((propensity[once] > 0) & (propensity[once] <= 1))
    needed = "give the probability above 0, 1 at most, that a relevant row is observed"
    check_values(name, propensity, wrong, "wrong", needed)
    return SideColumn(propensity)


PROPENSITY = Column(
    "propensity",
    "the probability that a relevant row is observed",
    _read_propensity,
    example=lambda grades: np.full(len(grades), 0.5),
)


def inverse_propensity(lists: RankedLists, clip: float | None) -> np.ndarray:
    """Return the weight of each nonzero row."""
    of_row = lists.column("propensity").astype(np.float64)
    least = of_row.min(initial=1.0)
    if max(least, clip or 0) < _LEAST_PROPENSITY:
        raise ValueError(
            f"`propensity` has the value {least}, whose inverse is too large a weight to "
            "be added to others; set `clip`, for example to 0.01."
        )
    return 1 / np.maximum(of_row, clip or 0)


def psp(lists: RankedLists, k: Cutoff, clip: Clip, min_relevance: MinRelevance) -> Any:
    """Return the gain of the first k ranks over the highest possible, and the latter."""
    weight = _relevant_weights(lists, clip, min_relevance)
    places = lists.places(k, min_relevance)
    total = lists.sum(places.query, places.share(weight))
    full = lists.whole()
    query, best, _ = full.ideal_list(_relevant_weights(full, clip, min_relevance), k)
    most = lists.sum(query, best)
    # A row without relevant labels is undefined; its weight is not 0.
    return np.minimum(divide(total, most), 1), np.where(most > 0, most, np.nan)


@metric(psp, columns=(PROPENSITY,), summary=Ratio(), range=ZERO_TO_ONE)
@explained
def propensity_scored_precision_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    propensity: Matrix,
    groups: Labels | None = None,
    k: Cutoff = 5,
    clip: Clip = None,
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Propensity-scored precision at ``k`` (PSP) of extreme classification.

    Higher is better; 1 means that the first ``k`` ranks of each row hold its rarest labels.
    A relevant label with propensity p counts 1 / p, and over all rows together

    .. math:: PSP@k = \frac{\sum_q \sum_{l \text{ relevant, in the first } k} 1 / p_l}
              {\sum_q \max_{|S| \le k} \sum_{l \text{ relevant, in } S} 1 / p_l}

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    propensity : array-like of shape (n_rows,), (n_items,) or (n_queries, n_items)
        Probability, above 0 and up to 1, that a relevant row of this kind is observed as
        relevant. In the 1-D form one value per row; in the 2-D form one per item, or one
        per cell in the shape of ``y_true``.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    k : int or None, default=5
        Cutoff: ranks below it do not count. None takes the whole list.
    clip : float, default=None
        Lower bound: smaller propensities are raised to it, which limits the weights to its
        inverse and trades a small bias for much variance. If None, no bound.
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
        For bad input, see :ref:`errors`; and if a propensity is not in (0, 1].

    See Also
    --------
    label_propensity : Propensities from the counts of labels.
    propensity_scored_ndcg_at_k_score : The same with discounted ranks.
    ips_recall_at_k_score : A mean over queries.

    Notes
    -----
    The value of a query is its quotient, and its weight is the denominator. The result is
    therefore the ratio of sums that pyxclib and napkinXC report, not a mean of quotients:
    there a query with one common label would count as much as one with many rare ones. A
    query without relevant items adds nothing, whatever ``replace_undefined_by`` is.

    References
    ----------
    .. [1] H. Jain, Y. Prabhu, M. Varma, "Extreme multi-label loss functions for
       recommendation, tagging, ranking & other missing label applications", KDD 2016.

    Examples
    --------
    >>> from sklearn_rank.metrics import propensity_scored_precision_at_k_score
    >>> propensity = [1 / 4, 1 / 5, 1 / 6, 1, 1 / 2, 1 / 3]
    >>> y_true, y_score = [[1, 1, 1, 1, 1, 1]], [[0, 0, 0, 1, 1, 1]]
    >>> score = propensity_scored_precision_at_k_score(
    ...     y_true, y_score, propensity=propensity, k=3
    ... )
    >>> round(score, 4)  # (1 + 2 + 3) / (4 + 5 + 6)
    0.4
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"propensity": propensity, "k": k, "clip": clip, "min_relevance": min_relevance}
    return mean_score(
        propensity_scored_precision_at_k_score, rows, own, ties, replace_undefined_by
    )


def psndcg(lists: RankedLists, k: Cutoff, clip: Clip, min_relevance: MinRelevance) -> Any:
    """Return the weighted DCG over its best value, and that over the plain ideal."""
    weight = _relevant_weights(lists, clip, min_relevance)
    places = lists.places(k, min_relevance)
    total = lists.sum(places.query, places.share(weight) * discounts("log", 2, places.rank))
    full = lists.whole()
    most = _best_dcg(full, _relevant_weights(full, clip, min_relevance), k)
    plain = _best_dcg(full, full.is_relevant(min_relevance).astype(np.float64), k)
    return np.minimum(divide(total, most), 1), divide(most, plain)


@metric(psndcg, columns=(PROPENSITY,), summary=Ratio(), range=ZERO_TO_ONE)
@explained
def propensity_scored_ndcg_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    propensity: Matrix,
    groups: Labels | None = None,
    k: Cutoff = 5,
    clip: Clip = None,
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Propensity-scored nDCG at ``k`` (PSnDCG) of extreme classification.

    Higher is better; 1 means that the first ``k`` ranks of each row hold its rarest labels,
    the rarest first. With propensities p and R relevant labels a row has

    .. math:: D = \frac{\sum_{i \le k} [\text{relevant}] / (p_i \log_2(i + 1))}
              {\sum_{i \le \min(k, R)} 1 / \log_2(i + 1)}

    and the score is the sum of D over all rows divided by that of its best values.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    propensity : array-like of shape (n_rows,), (n_items,) or (n_queries, n_items)
        Probability, above 0 and up to 1, that a relevant row of this kind is observed as
        relevant. In the 1-D form one value per row; in the 2-D form one per item, or one
        per cell in the shape of ``y_true``.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    k : int or None, default=5
        Cutoff: ranks below it do not count. None takes the whole list.
    clip : float, default=None
        Lower bound: smaller propensities are raised to it, which limits the weights to its
        inverse and trades a small bias for much variance. If None, no bound.
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
        For bad input, see :ref:`errors`; and if a propensity is not in (0, 1].

    See Also
    --------
    label_propensity : Propensities from the counts of labels.
    propensity_scored_precision_at_k_score : The same without discounts.
    ips_ndcg_score : A mean over queries.

    Notes
    -----
    The value of a query is its quotient, and its weight is the denominator. The result is
    therefore the ratio of sums that pyxclib and napkinXC report, not a mean of quotients:
    there a query with one common label would count as much as one with many rare ones. A
    query without relevant items adds nothing, whatever ``replace_undefined_by`` is.

    References
    ----------
    .. [1] H. Jain, Y. Prabhu, M. Varma, "Extreme multi-label loss functions for
       recommendation, tagging, ranking & other missing label applications", KDD 2016.

    Examples
    --------
    >>> from sklearn_rank.metrics import propensity_scored_ndcg_at_k_score
    >>> y_true, y_score = [[1, 0, 1], [0, 1, 0]], [[3, 2, 1], [3, 2, 1]]
    >>> score = propensity_scored_ndcg_at_k_score(
    ...     y_true, y_score, propensity=[0.5, 1, 0.25], k=2
    ... )
    >>> round(score, 4)
    0.4394
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"propensity": propensity, "k": k, "clip": clip, "min_relevance": min_relevance}
    return mean_score(
        propensity_scored_ndcg_at_k_score, rows, own, ties, replace_undefined_by
    )


def _relevant_weights(
    lists: RankedLists, clip: float | None, min_relevance: float | None
) -> np.ndarray:
    """Return the weight of each row, 0 where it is not relevant."""
    weight = inverse_propensity(lists, clip)
    return np.where(lists.is_relevant(min_relevance), weight, 0.0)


def _best_dcg(lists: RankedLists, weight: np.ndarray, k: int | None) -> np.ndarray:
    """Return the DCG of the best order of these weights, per query."""
    query, best, rank = lists.ideal_list(weight, k)
    return lists.sum(query, best * discounts("log", 2, rank))


# Metrics of logged feedback, weighted by inverse propensity.


def _range(self_normalized: bool) -> Range:
    """Return the range, which ends at 1 only with weights that add up to 1."""
    return ZERO_TO_ONE if self_normalized else ZERO_OR_MORE


def ips_recall(
    lists: RankedLists,
    k: Cutoff,
    clip: Clip,
    self_normalized: bool,
    min_relevance: MinRelevance,
) -> Any:
    """Return recall at k by inverse propensity, per query."""
    weight = inverse_propensity(lists, clip)
    places = lists.places(k, min_relevance)
    total = lists.sum(places.query, places.share(weight))
    if not self_normalized:
        return divide(total, lists.n_relevant(min_relevance))
    # In order, so that the sum is rounded alike whether or not all ranks are known.
    full = lists.whole()
    query, of_all, _ = full.ideal_list(_relevant_weights(full, clip, min_relevance), None)
    return np.minimum(divide(total, lists.sum(query, of_all)), 1)


@metric(ips_recall, columns=(PROPENSITY,), range=_range)
@explained
def ips_recall_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    propensity: Matrix,
    groups: Labels | None = None,
    k: Cutoff = 10,
    clip: Clip = None,
    self_normalized: bool = True,
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Recall at ``k`` of logged feedback, each item weighted by its inverse propensity.

    Higher is better. Users click most on the items they are shown most, so plain recall
    rewards popular items. Here a relevant item that was observed with probability p counts
    as 1 / p relevant items:

    .. math:: IPS\text{-}R@k = \frac{\sum_{r \text{ relevant, in the first } k} 1 / p_r}
              {\sum_{r \text{ relevant}} 1 / p_r}

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    propensity : array-like of shape (n_rows,), (n_items,) or (n_queries, n_items)
        Probability, above 0 and up to 1, that a relevant row of this kind is observed as
        relevant. In the 1-D form one value per row; in the 2-D form one per item, or one
        per cell in the shape of ``y_true``.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    clip : float, default=None
        Lower bound: smaller propensities are raised to it, which limits the weights to its
        inverse and trades a small bias for much variance. If None, no bound.
    self_normalized : bool, default=True
        Divide by the sum of the weights of the relevant items of the query, as above, so
        that the best value is 1. False divides by their number, and values can exceed 1.
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
        For bad input, see :ref:`errors`; and if a propensity is not in (0, 1].

    See Also
    --------
    recall_at_k_score : The same number when all propensities are equal.
    ips_hit_rate_at_k_score : For queries with one relevant item each.

    Notes
    -----
    Undefined (NaN) for a query without relevant items. The self-normalized form is SNIPS of
    [1]_: the sum of the weights estimates how many relevant items there are, observed or
    not. With one relevant item per query it cancels the weight. With ``ties="worst"`` and
    ``"best"`` the relevant ones of the tied rows are in order of their weights.

    A scorer reads the propensities from a column: ``make_ranking_scorer("ips_recall@10",
    groups="query", propensity="p_shown")``.

    References
    ----------
    .. [1] L. Yang, Y. Cui, Y. Xuan, C. Wang, S. Belongie, D. Estrin, "Unbiased offline
       recommender evaluation for missing-not-at-random implicit feedback", RecSys 2018.

    Examples
    --------
    >>> from sklearn_rank.metrics import ips_recall_at_k_score
    >>> ips_recall_at_k_score(
    ...     [1, 0, 1], [3, 2, 1], groups=["q"] * 3, propensity=[0.5, 0.5, 0.25], k=1
    ... )  # 2 / (2 + 4)
    0.3333333333333333
    """
    rows = y_true, y_score, groups, sample_weight
    own = {
        "propensity": propensity,
        "k": k,
        "clip": clip,
        "self_normalized": self_normalized,
        "min_relevance": min_relevance,
    }
    return mean_score(ips_recall_at_k_score, rows, own, ties, replace_undefined_by)


def ips_hit_rate(
    lists: RankedLists,
    k: Cutoff,
    clip: Clip,
    self_normalized: bool,
    min_relevance: MinRelevance,
) -> Any:
    """Return hit rate at k and the inverse propensity that weighs it, per query."""
    of_row = inverse_propensity(lists, clip)
    is_hit = hit_rate(lists, k, min_relevance)
    weight = _value_of_highest_row(lists, of_row, min_relevance, is_hit)
    return (is_hit, weight) if self_normalized else (is_hit * weight, None)


@metric(ips_hit_rate, columns=(PROPENSITY,), range=_range, summary=Ratio(), below_k=True)
@explained
def ips_hit_rate_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    propensity: Matrix,
    groups: Labels | None = None,
    k: Cutoff = 10,
    clip: Clip = None,
    self_normalized: bool = True,
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Hit rate at ``k`` of logged feedback, each query weighted by its inverse propensity.

    Higher is better. A query whose relevant item was observed with probability p counts as
    1 / p queries:

    .. math:: IPS\text{-}HR@k = \frac{\sum_q [\text{a hit in the first } k] / p_q}
              {\sum_q 1 / p_q}

    where the relevant item of the highest rank gives the propensity.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    propensity : array-like of shape (n_rows,), (n_items,) or (n_queries, n_items)
        Probability, above 0 and up to 1, that a relevant row of this kind is observed as
        relevant. In the 1-D form one value per row; in the 2-D form one per item, or one
        per cell in the shape of ``y_true``.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    clip : float, default=None
        Lower bound: smaller propensities are raised to it, which limits the weights to its
        inverse and trades a small bias for much variance. If None, no bound.
    self_normalized : bool, default=True
        Divide by the sum of the weights of all queries, as above, so that the best value is
        1. False divides by their number, and the value can exceed 1.
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
        Mean over the queries; NaN if undefined for all of them.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if a propensity is not in (0, 1].

    See Also
    --------
    hit_rate_at_k_score : The same number when all propensities are equal.
    ips_recall_at_k_score : For queries with several relevant items.

    Notes
    -----
    Undefined (NaN) for a query without relevant items. Where relevant items tie for the
    highest rank, the mean of their weights counts; with ``ties="worst"`` and ``"best"`` the
    smallest or the largest, whichever makes the mean of all queries lowest or highest. With
    one relevant item per query this is IPS and SNIPS of [1]_, the latter normalized over
    all queries rather than within each, where the weight would cancel.

    A scorer reads the propensities from a column: ``make_ranking_scorer("ips_hit_rate@10",
    groups="query", propensity="p_shown")``.

    References
    ----------
    .. [1] L. Yang, Y. Cui, Y. Xuan, C. Wang, S. Belongie, D. Estrin, "Unbiased offline
       recommender evaluation for missing-not-at-random implicit feedback", RecSys 2018.

    Examples
    --------
    >>> from sklearn_rank.metrics import ips_hit_rate_at_k_score
    >>> rows = {"y_true": [1, 0, 0, 1], "y_score": [2, 1, 2, 1], "groups": [7, 7, 8, 8]}
    >>> ips_hit_rate_at_k_score(**rows, propensity=[0.5, 0.5, 0.5, 0.25], k=1)
    0.3333333333333333
    """
    rows = y_true, y_score, groups, sample_weight
    own = {
        "propensity": propensity,
        "k": k,
        "clip": clip,
        "self_normalized": self_normalized,
        "min_relevance": min_relevance,
    }
    return mean_score(ips_hit_rate_at_k_score, rows, own, ties, replace_undefined_by)


def _value_of_highest_row(
    lists: RankedLists, of_row: np.ndarray, min_relevance: MinRelevance, is_hit: np.ndarray
) -> np.ndarray:
    """Return the value of the highest relevant row of each query, the mean if some tie.

    In the best order of tied rows a hit has the largest, and a miss the smallest, which
    lowers the sum of all weights; in the worst order it is the other way round.
    """
    tied = lists.as_tied()
    is_relevant = tied.is_relevant(min_relevance)
    hits_above, _ = tied.count_around(is_relevant)
    is_highest = is_relevant & (hits_above == 0)
    query, of_row = tied.query[is_highest], of_row[is_highest]
    total = sums_within(query, of_row, tied.n_queries)
    weight = divide(total, tied.sum(query))
    if lists.settled is not None:
        is_found = tied.above[is_highest] < tied.n_retrieved[query]
        query, of_row = query[is_found], of_row[is_found]
        is_large = (is_hit[query] == 1) == lists.settled.best_first
        for mask, extreme in ((is_large, np.fmax), (~is_large, np.fmin)):
            extreme.at(weight, query[mask], of_row[mask])
    return weight


def ips_ndcg(
    lists: RankedLists, k: Cutoff, clip: Clip, self_normalized: bool, gain: Gain
) -> Any:
    """Return nDCG by inverse propensity, per query."""
    weighted = relative_gains(lists, gain) * inverse_propensity(lists, clip)
    full = lists.whole()
    worth = relative_gains(full, gain)
    if self_normalized:
        worth = worth * inverse_propensity(full, clip)
    ideal, places = _best_dcg(full, worth, k), lists.places(k)
    worth = places.share(weighted) * discounts("log", 2, places.rank)
    value = divide(lists.sum(places.query, worth), ideal)
    return np.minimum(value, 1) if self_normalized else value


@metric(ips_ndcg, columns=(PROPENSITY,), range=_range)
@explained
def ips_ndcg_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    propensity: Matrix,
    groups: Labels | None = None,
    k: Cutoff = None,
    clip: Clip = None,
    self_normalized: bool = True,
    gain: Gain = "linear",
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""NDCG of logged feedback, each gain weighted by its inverse propensity.

    Higher is better. An item of gain g that was observed as relevant with probability p
    counts g / p:

    .. math:: IPS\text{-}DCG@k = \sum_{i=1}^{k} \frac{g_i / p_i}{\log_2 (i + 1)}

    divided by its best value, that of the order of descending g / p.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    propensity : array-like of shape (n_rows,), (n_items,) or (n_queries, n_items)
        Probability, above 0 and up to 1, that a relevant row of this kind is observed as
        relevant. In the 1-D form one value per row; in the 2-D form one per item, or one
        per cell in the shape of ``y_true``.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    k : int or None, default=None
        Cutoff: ranks below it do not count. None takes the whole list.
    clip : float, default=None
        Lower bound: smaller propensities are raised to it, which limits the weights to its
        inverse and trades a small bias for much variance. If None, no bound.
    self_normalized : bool, default=True
        Divide by the best value of the weighted DCG, as above, so that the best value is 1.
        False divides by that of the plain DCG, and values can exceed 1.
    gain : {"linear", "exponential", "binary"} or callable, default="linear"
        Gain of a grade g: g, or 2**g - 1, or 1 for any above 0, or a function that maps an
        array of grades to gains, and 0 to 0.
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
        For bad input, see :ref:`errors`; and if a propensity is not in (0, 1].

    See Also
    --------
    ndcg_score : The same number when all propensities are equal.

    Notes
    -----
    Undefined (NaN) for a query without relevant items. With binary grades
    ``self_normalized=False`` is the propensity-scored nDCG of [1]_, and the default divides
    it by its best value for the query. With ``ties="worst"`` and ``"best"`` the tied rows
    are in order of gain times weight.

    A scorer reads the propensities from a column: ``make_ranking_scorer("ips_ndcg@10",
    groups="query", propensity="p_shown")``.

    References
    ----------
    .. [1] H. Jain, Y. Prabhu, M. Varma, "Extreme multi-label loss functions for
       recommendation, tagging, ranking & other missing label applications", KDD 2016.

    Examples
    --------
    >>> from sklearn_rank.metrics import ips_ndcg_score
    >>> rows = {"y_true": [1, 0, 1], "y_score": [3, 2, 1], "groups": ["q"] * 3}
    >>> score = ips_ndcg_score(**rows, propensity=[0.5, 0.5, 0.25])
    >>> round(score, 4)  # (2 + 4 / 2) / (4 + 2 / log2(3))
    0.7602
    """
    rows = y_true, y_score, groups, sample_weight
    own = {
        "propensity": propensity,
        "k": k,
        "clip": clip,
        "self_normalized": self_normalized,
        "gain": gain,
    }
    return mean_score(ips_ndcg_score, rows, own, ties, replace_undefined_by)


# Propensities of labels from their frequencies.


@explained
def label_propensity(counts: ArrayLike, n: int, a: float = 0.55, b: float = 1.5) -> Floats:
    r"""Probability that a relevant label is observed, from label frequencies.

    In extreme classification annotations are incomplete, and rare labels are missed most
    often. The model of [1]_ for a label with N rows among n is

    .. math:: p = \frac{1}{1 + C e^{-a \log(N + b)}}, \quad C = (\log n - 1) (b + 1)^a

    Parameters
    ----------
    counts : array-like of shape (n_labels,)
        Rows of the training data that have each label, such as ``Y_train.sum(axis=0)``.
    n : int
        Rows of the training data, at least 3.
    a, b : float, default=0.55, 1.5
        Constants of the model, both positive. Wikipedia has 0.5 and 0.4, Amazon 0.6 and
        2.6.

    Returns
    -------
    propensity : ndarray of shape (n_labels,)
        Numbers in (0, 1], increasing with the count.

    Raises
    ------
    ValueError
        If a count is negative, above `n` or not finite, `n` is below 3, or a constant is
        not positive.

    See Also
    --------
    propensity_scored_precision_at_k_score : A metric that uses propensities.

    References
    ----------
    .. [1] H. Jain, Y. Prabhu, M. Varma, "Extreme multi-label loss functions for
       recommendation, tagging, ranking & other missing label applications", KDD 2016.

    Examples
    --------
    >>> from sklearn_rank.metrics import label_propensity
    >>> label_propensity([1, 10, 100], 1000).round(3).tolist()
    [0.145, 0.282, 0.565]
    """
    rows = check_integer("n", n, minimum=3)
    assert rows is not None
    a = check_real("a", a, "a positive number", above=0)
    b = check_real("b", b, "a positive number", above=0)
    counted = np.ravel(as_numbers(counts, "counts")).astype(np.float64)
    is_wrong = ~((counted >= 0) & (counted <= rows))
    check_values("counts", counted, is_wrong, "invalid", f"give numbers from 0 to n={rows}")
    with np.errstate(over="ignore", under="ignore"):
        return 1 / (1 + (np.log(rows) - 1) * ((b + 1) / (counted + b)) ** a)
