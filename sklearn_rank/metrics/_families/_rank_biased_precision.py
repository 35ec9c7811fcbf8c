"""Metrics of a user who goes down the list and stops: ERR and RBP."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_rank._base._runs import accumulate_within
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._err_ties import inverse_rank_of_stop
from sklearn_rank._ranking._ranked_lists import Places, RankedLists, defined_where_relevant
from sklearn_rank.metrics._core._evaluate import mean_score, metric
from sklearn_rank.metrics._core._parameters import ZERO_TO_ONE, Cutoff, MaxGrade, Share
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Ties, Undefined

__all__ = [
    "expected_reciprocal_rank_score",
    "rank_biased_precision_residual",
    "rank_biased_precision_score",
]


# Expected reciprocal rank: the user stops at an item that satisfies.

# From here on 2**g may be more than a float holds.
_LARGE_GRADE = 1000.0


def err(lists: RankedLists, k: Cutoff, max_grade: MaxGrade) -> Any:
    """Return expected reciprocal rank per query."""
    unsatisfied = 1 - _chance_to_satisfy(lists.grade, max_grade)
    places = lists.places(k)
    going_on = np.ones(len(places.block_query))
    np.multiply.at(going_on, places.row_block, unsatisfied[places.rows])
    stops = inverse_rank_of_stop(places, unsatisfied[places.rows])
    value = lists.sum(places.block_query, _product_above(places, going_on) * stops)
    return defined_where_relevant(value, lists)


@metric(err, from_data=("max_grade",), range=ZERO_TO_ONE)
@explained
def expected_reciprocal_rank_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Cutoff = None,
    max_grade: MaxGrade | None = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Expected reciprocal rank (ERR) of the item that satisfies the user.

    Higher is better; below 1 even for the best list, because an item of the highest grade
    satisfies the user with probability :math:`1 - 2^{-g_{max}}`. The user goes down the
    list and stops at the first item that satisfies:

    .. math:: ERR@k = \sum_{i=1}^{k} \frac{1}{i} P_i \prod_{j<i} (1 - P_j),
              \quad P_i = \frac{2^{g_i} - 1}{2^{g_{max}}}

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
    max_grade : float, default=None
        Highest possible grade. If None, the highest in ``y_true``.
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
    mean_reciprocal_rank_score : The same for a user whom any relevant item satisfies.

    Notes
    -----
    Undefined (NaN) for a query without relevant items. Set ``max_grade`` when results are
    compared: its default depends on the data.

    Under ties the expected product over the first i of n rows in random order is their i-th
    elementary symmetric mean, so the average over all orders is exact, up to rounding. If
    more than 100 relevant rows tie and no cutoff divides them, it is computed by an
    integral over all ranks, whose error is below rounding.

    References
    ----------
    .. [1] O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan, "Expected reciprocal rank for
       graded relevance", CIKM 2009.

    Examples
    --------
    >>> from sklearn_rank.metrics import expected_reciprocal_rank_score
    >>> expected_reciprocal_rank_score([0, 1, 0, 1], [4, 3, 2, 1], groups=["q"] * 4)
    0.3125
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"k": k, "max_grade": max_grade}
    return mean_score(expected_reciprocal_rank_score, rows, own, ties, replace_undefined_by)


def _chance_to_satisfy(grade: np.ndarray, highest: float) -> np.ndarray:
    """Return the probability that an item satisfies the user, (2**g - 1) / 2**highest."""
    if highest < _LARGE_GRADE:
        return (np.exp2(grade) - 1) / np.exp2(highest)
    with np.errstate(under="ignore"):
        return np.exp2(grade - highest) - np.exp2(-highest)


def _product_above(places: Places, factor: np.ndarray) -> np.ndarray:
    """Return, for each tie group, the product of the factors of the tie groups above."""
    blocks_of_query = np.bincount(places.block_query)
    product = accumulate_within(np.multiply, factor, blocks_of_query[blocks_of_query > 0])
    # Only the first tie group of a query has no hits above; its product is empty.
    is_first = places.hits_above == 0
    return np.where(is_first, 1.0, np.r_[1.0, product[:-1]])


# Rank-biased precision: the user stops after each rank with the same probability.


def rbp(lists: RankedLists, k: Cutoff, persistence: Share, max_grade: MaxGrade) -> Any:
    """Return rank-biased precision per query."""
    share = lists.grade / max_grade
    places = lists.places(k)
    worth = places.mean(share) * _weight_of_tie_groups(places, persistence)
    return defined_where_relevant(lists.sum(places.block_query, worth), lists)


@metric(rbp, from_data=("max_grade",), unjudged="irrelevant", range=ZERO_TO_ONE)
@explained
def rank_biased_precision_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Cutoff = None,
    persistence: Share = 0.8,
    max_grade: MaxGrade | None = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Rank-biased precision (RBP): gain per item of a user of given patience.

    Higher is better; 1 would be an endless list of items of the highest grade. The user
    reads the first item and goes on to each next one with probability p:

    .. math:: RBP@k = (1 - p) \sum_{i=1}^{k} p^{i-1} \frac{g_i}{g_{max}}

    There is no denominator that depends on the relevant items of the query: the optimum
    depends on how many there are.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Grades, 0 or more; above 0 is relevant, NaN is unjudged. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    k : int or None, default=None
        Cutoff: ranks below it do not count. None takes the whole list.
    persistence : float, default=0.8
        Probability p of going on to the next item, between 0 and 1.
    max_grade : float, default=None
        Highest possible grade. If None, the highest in ``y_true``.
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
    rank_biased_precision_residual : How much unjudged items could add.

    Notes
    -----
    Undefined (NaN) for a query without relevant items. Unjudged items count as irrelevant.

    References
    ----------
    .. [1] A. Moffat, J. Zobel, "Rank-biased precision for measurement of retrieval
       effectiveness", ACM Transactions on Information Systems 27(1), 2008.

    Examples
    --------
    >>> from sklearn_rank.metrics import rank_biased_precision_score
    >>> score = rank_biased_precision_score(
    ...     [0, 1, 0, 1], [4, 3, 2, 1], groups=["q"] * 4, persistence=0.5
    ... )
    >>> score  # 0.5 * (0.5 + 0.5**3)
    0.3125
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"k": k, "persistence": persistence, "max_grade": max_grade}
    return mean_score(rank_biased_precision_score, rows, own, ties, replace_undefined_by)


def _weight_of_tie_groups(places: Places, persistence: float) -> np.ndarray:
    """Return the weight of the ranks of each tie group, all together."""
    weight = (1 - persistence) * persistence ** (places.block_above.astype(float))
    # (1 - p**n) / (1 - p), where p may be next to 1.
    several = np.flatnonzero(places.length > 1)
    power = places.length[several] * np.log(persistence)
    weight[several] *= np.expm1(power) / (persistence - 1)
    return weight


def rbp_residual(lists: RankedLists, k: Cutoff, persistence: Share) -> Any:
    """Return the weight of ranks without a judged item, per query."""
    length = lists.n_shown(k)
    places = lists.places_of(lists.is_unjudged(), k)
    worth = places.n_hits / places.size * _weight_of_tie_groups(places, persistence)
    return persistence**length + lists.sum(places.block_query, worth)


@metric(rbp_residual, lower_is_better=True, unjudged="needed", range=ZERO_TO_ONE)
@explained
def rank_biased_precision_residual(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Cutoff = None,
    persistence: Share = 0.8,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Residual of rank-biased precision: its gain if all unknown items were relevant.

    Lower is better; 0 means that all ranks are judged. It is the weight of the ranks that
    hold unjudged items, and of those below the end of the list or below ``k``:

    .. math:: 1 - (1 - p) \sum_{i=1}^{k} p^{i-1} [\text{item at rank } i \text{ is judged}]

    The true value lies between RBP and RBP plus residual.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Grades, 0 or more; above 0 is relevant, NaN is unjudged. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    k : int or None, default=None
        Cutoff: ranks below it do not count. None takes the whole list.
    persistence : float, default=0.8
        Probability p of going on to the next item, between 0 and 1.
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
    rank_biased_precision_score : The value itself.

    Notes
    -----
    Defined for every query.

    A row is unjudged if its grade is NaN or -0.0, with which :mod:`sklearn_rank.inputs`
    marks items without a judgment. It raises a ValueError for input of relevant items only.

    References
    ----------
    .. [1] A. Moffat, J. Zobel, "Rank-biased precision for measurement of retrieval
       effectiveness", ACM Transactions on Information Systems 27(1), 2008.

    Examples
    --------
    >>> from sklearn_rank.metrics import rank_biased_precision_residual
    >>> rank_biased_precision_residual(
    ...     [1, float("nan")], [2, 1], groups=["q", "q"], persistence=0.5
    ... )
    0.5
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"k": k, "persistence": persistence}
    return mean_score(rank_biased_precision_residual, rows, own, ties, replace_undefined_by)
