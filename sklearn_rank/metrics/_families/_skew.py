"""Skew: how much too much, or too little, groups of items are shown."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank.metrics._core._declare import metric
from sklearn_rank.metrics._core._item_groups import ITEM_GROUPS, GroupShares, Target
from sklearn_rank.metrics._core._parameters import Cutoff, ShownTies
from sklearn_rank.metrics._core._range import ZERO_OR_MORE, Range
from sklearn_rank.metrics._families._exposure_of_groups import finite
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Undefined

__all__ = ["max_skew_at_k_score", "min_skew_at_k_score"]


def _skews(lists: RankedLists, k: Cutoff, target: Target) -> np.ndarray:
    """Return the logarithm of share over target, a row a group and a column a query."""
    groups = GroupShares.of(lists, target)
    places = lists.every_place(k)
    chance = (places.length / places.size)[places.row_block]
    shares, fair = groups.shares(places.rows, chance), groups.target(target)
    with np.errstate(divide="ignore", invalid="ignore"):
        skews = np.log(np.array(shares)) - np.log(np.array(fair))
    # A group without a share and without a target says nothing.
    nothing = (np.array(shares) == 0) & (np.array(fair) == 0)
    return np.where(nothing, 0.0, skews)


def min_skew(lists: RankedLists, k: Cutoff, target: Target) -> Any:
    """Return the skew of the group that is shown least, per query."""
    return finite(_skews(lists, k, target).min(axis=0))


def max_skew(lists: RankedLists, k: Cutoff, target: Target) -> Any:
    """Return the skew of the group that is shown most, per query."""
    return finite(_skews(lists, k, target).max(axis=0))


@metric(min_skew, rows="all", columns=(ITEM_GROUPS,), range=Range(-np.inf, 0.0))
def min_skew_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    item_groups: Labels | Matrix,
    target: Target,
    groups: Labels | None = None,
    k: Cutoff = 10,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Minimum skew at ``k``: how much too little the group is shown that is shown least.

    Higher is better; 0 means that all groups are shown as the target says. It is the
    minimum over groups g of

    .. math:: \ln \frac{|\{i \le k : d_i \in g\}| / n}{\tau_g}

    where n items are shown, ``k`` or fewer, and :math:`\tau` is the ``target``.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    item_groups : array-like of shape (n_rows,), (n_items,) or with n_groups columns
        Group of each row's item, labels of any type, or the share of the item in each
        group: columns that add up to 1. In 2-D one per item.
    target : {"catalogue", "candidates", "relevant"} or mapping of group to share
        The fair shares, without a default: the shares of groups among the columns of the
        2-D form, the rows of each query, or its relevant rows; or shares that add up to 1.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order.
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
        For bad input, see :ref:`errors`; and if a target does not add up to 1 or misses a
        group, or shares of an item in groups do not add up to 1.

    See Also
    --------
    max_skew_at_k_score : The other extreme.

    Notes
    -----
    Undefined (NaN) for a query to which nothing is shown, without a relevant row if these
    are the target, or where the skew is infinite: a group with a target is
    not shown at all.
    Under ties it is that of the expected share, which is not the mean over all orders [2]_;
    without ties both are the same.

    References
    ----------
    .. [1] S. Geyik, S. Ambler, K. Kenthapadi, "Fairness-aware ranking in search and
       recommendation systems with application to LinkedIn talent search", KDD 2019.
    .. [2] F. Diaz, B. Mitra, M. Ekstrand, A. Biega, B. Carterette, "Evaluating stochastic
       rankings with expected exposure", CIKM 2020.

    Examples
    --------
    >>> from sklearn_rank.metrics import min_skew_at_k_score
    >>> rows = {"y_true": [1, 1, 0, 1], "y_score": [4, 3, 2, 1], "groups": ["q"] * 4}
    >>> given = {"item_groups": ["large", "large", "small", "large"], "k": 4}
    >>> target = {"large": 0.5, "small": 0.5}
    >>> round(min_skew_at_k_score(**rows, **given, target=target), 6)
    -0.693147
    """


@metric(
    max_skew, rows="all", columns=(ITEM_GROUPS,), lower_is_better=True, range=ZERO_OR_MORE
)
def max_skew_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    item_groups: Labels | Matrix,
    target: Target,
    groups: Labels | None = None,
    k: Cutoff = 10,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Maximum skew at ``k``: how much too much the group is shown that is shown most.

    Lower is better; 0 means that all groups are shown as the target says. It is the
    maximum over groups g of

    .. math:: \ln \frac{|\{i \le k : d_i \in g\}| / n}{\tau_g}

    where n items are shown, ``k`` or fewer, and :math:`\tau` is the ``target``.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    item_groups : array-like of shape (n_rows,), (n_items,) or with n_groups columns
        Group of each row's item, labels of any type, or the share of the item in each
        group: columns that add up to 1. In 2-D one per item.
    target : {"catalogue", "candidates", "relevant"} or mapping of group to share
        The fair shares, without a default: the shares of groups among the columns of the
        2-D form, the rows of each query, or its relevant rows; or shares that add up to 1.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order.
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
        For bad input, see :ref:`errors`; and if a target does not add up to 1 or misses a
        group, or shares of an item in groups do not add up to 1.

    See Also
    --------
    min_skew_at_k_score : The other extreme.

    Notes
    -----
    Undefined (NaN) for a query to which nothing is shown, without a relevant row if these
    are the target, or where the skew is infinite: a group is shown whose
    target is 0.
    Under ties it is that of the expected share, which is not the mean over all orders [2]_;
    without ties both are the same.

    References
    ----------
    .. [1] S. Geyik, S. Ambler, K. Kenthapadi, "Fairness-aware ranking in search and
       recommendation systems with application to LinkedIn talent search", KDD 2019.
    .. [2] F. Diaz, B. Mitra, M. Ekstrand, A. Biega, B. Carterette, "Evaluating stochastic
       rankings with expected exposure", CIKM 2020.

    Examples
    --------
    >>> from sklearn_rank.metrics import max_skew_at_k_score
    >>> rows = {"y_true": [1, 1, 0, 1], "y_score": [4, 3, 2, 1], "groups": ["q"] * 4}
    >>> given = {"item_groups": ["large", "large", "small", "large"], "k": 4}
    >>> target = {"large": 0.5, "small": 0.5}
    >>> round(max_skew_at_k_score(**rows, **given, target=target), 6)
    0.405465
    """
