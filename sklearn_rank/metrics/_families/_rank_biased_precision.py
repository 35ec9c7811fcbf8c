"""Rank-biased precision: gain of a user of given patience, and its residual."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_rank._ranking._quotients import defined_where_relevant
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank._ranking._tied_places import Places
from sklearn_rank.metrics._core._declare import metric
from sklearn_rank.metrics._core._parameters import Cutoff, MaxGrade, Share
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Ties, Undefined

__all__ = [
    "rank_biased_precision_residual",
    "rank_biased_precision_score",
]


def rbp(lists: RankedLists, k: Cutoff, persistence: Share, max_grade: MaxGrade) -> Any:
    """Return rank-biased precision per query."""
    share = lists.grade / max_grade
    places = lists.places(k)
    worth = places.mean(share) * _weight(places, persistence)
    return defined_where_relevant(lists.sum(places.block_query, worth), lists)


@metric(rbp, whole=("max_grade",), unjudged="irrelevant")
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
        Highest possible grade. None: the highest in ``y_true``.
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


def _weight(places: Places, persistence: float) -> np.ndarray:
    """Return the weight of the ranks of each block, all together."""
    weight = (1 - persistence) * persistence ** (places.block_above.astype(float))
    if places.tied is not None:
        # (1 - p**n) / (1 - p), where p may be next to 1.
        several = np.flatnonzero(places.length > 1)
        power = places.length[several] * np.log(persistence)
        weight[several] *= np.expm1(power) / (persistence - 1)
    return weight


def rbp_residual(lists: RankedLists, k: Cutoff, persistence: Share) -> Any:
    """Return the weight of ranks without a judged item, per query."""
    length = lists.n_shown(k)
    places = lists.places_of(lists.is_unjudged(), k)
    worth = places.n_hits / places.size * _weight(places, persistence)
    return persistence**length + lists.sum(places.block_query, worth)


@metric(rbp_residual, lower_is_better=True, unjudged="needed")
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
