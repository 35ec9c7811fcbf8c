"""How fairly the attention of users falls on items, and on groups of items."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._base._exact_sum import sums_within
from sklearn_rank._base._machine import require_columns
from sklearn_rank._base._runs import accumulate_within, begins_run
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._ranked_lists import RankedLists, divide
from sklearn_rank.metrics._core._evaluate import mean_score, metric
from sklearn_rank.metrics._core._item_chances import ITEM_GROUPS, GroupShares, Target
from sklearn_rank.metrics._core._parameters import (
    ZERO_OR_MORE,
    ZERO_TO_ONE,
    Cutoff,
    Range,
    Share,
    ShownTies,
    up_to,
)
from sklearn_rank.metrics._families._cumulative_gain import (
    Attention,
    LogBase,
    attention,
    mean_attention,
)
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Undefined

__all__ = [
    "awrf_at_k_score",
    "expected_exposure_disparity_score",
    "expected_exposure_loss_score",
    "expected_exposure_relevance_score",
    "max_skew_at_k_score",
    "min_skew_at_k_score",
    "ndkl_score",
]

_exposure_metric = partial(metric, rows="all")

# Expected exposure: whether items of equal relevance get equal attention.


def exposure_of_rows(
    lists: RankedLists, discount: Attention, persistence: float
) -> np.ndarray:
    """Return the attention that each row is expected to get."""
    places = lists.every_place(None)
    exposure = np.zeros(len(lists.row))
    exposure[places.rows] = mean_attention(places, discount, persistence)
    return exposure


def equal_exposure(
    query: np.ndarray, grade: np.ndarray, discount: Attention, persistence: float
) -> np.ndarray:
    """Return the attention to each row if all orders by grade took turns."""
    order = np.lexsort((-grade, query))
    query, grade = query[order], grade[order]
    first = np.flatnonzero(begins_run(query))
    sizes = np.diff(np.append(first, len(query)))
    rank = np.arange(1, len(query) + 1) - first.repeat(sizes)
    block = np.cumsum(begins_run(query, grade)) - 1
    total = np.bincount(block, attention(discount, persistence, rank))
    equal = np.empty(len(query))
    equal[order] = (total / np.bincount(block))[block]
    return equal


class _Exposures(NamedTuple):
    """The exposure that rows get and deserve, and that cells without a row deserve."""

    got: np.ndarray  # of each row
    deserved: np.ndarray  # of each row
    absent: np.ndarray  # of each query: squares of what cells without a row deserve


def _exposures(lists: RankedLists, discount: Attention, persistence: float) -> _Exposures:
    return lists.cache(
        ("expected_exposure", discount, persistence),
        lambda: _find_exposures(lists, discount, persistence),
    )


def _find_exposures(
    lists: RankedLists, discount: Attention, persistence: float
) -> _Exposures:
    grade = np.maximum(lists.grade, 0)
    got = exposure_of_rows(lists, discount, persistence)
    deserved = equal_exposure(lists.query, grade, discount, persistence)
    n_others = lists.n_items - lists.sum(lists.query)
    if not n_others.any():
        return _Exposures(got, deserved, np.zeros(lists.n_queries))
    # Cells of a sparse grid without a score or a grade share the last ranks, too.
    require_columns(int(lists.n_items.max()), "y_true")
    n_graded = lists.sum(lists.query[grade > 0])
    ranks = np.arange(1, int(lists.n_items.max()) + 1)
    until = np.append(0.0, np.cumsum(attention(discount, persistence, ranks)))
    n_zeros = np.maximum(lists.n_items - n_graded, 1)
    of_zero = (until[lists.n_items] - until[n_graded]) / n_zeros
    deserved = np.where(grade > 0, deserved, of_zero[lists.query])
    return _Exposures(got, deserved, n_others * of_zero**2)


def eel(lists: RankedLists, discount: Attention, persistence: Share) -> Any:
    """Return the squared distance of exposure from equal exposure, per query."""
    exposures = _exposures(lists, discount, persistence)
    squares = (exposures.got - exposures.deserved) ** 2
    return sums_within(lists.query, squares, lists.n_queries) + exposures.absent


def eed(lists: RankedLists, discount: Attention, persistence: Share) -> Any:
    """Return the sum of squared exposures, per query."""
    squares = _exposures(lists, discount, persistence).got ** 2
    return sums_within(lists.query, squares, lists.n_queries)


def eer(lists: RankedLists, discount: Attention, persistence: Share) -> Any:
    """Return the sum of products of exposure and equal exposure, per query."""
    exposures = _exposures(lists, discount, persistence)
    return sums_within(lists.query, exposures.got * exposures.deserved, lists.n_queries)


@_exposure_metric(
    eel, lower_is_better=True, range=up_to("the distance of the most unequal exposure")
)
@explained
def expected_exposure_loss_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    discount: Attention = "geometric",
    persistence: Share = 0.5,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Expected exposure loss (EE-L): unequal attention to items of equal relevance.

    Lower is better; 0 means that each item gets the attention that its grade deserves:

    .. math:: EE\text{-}L = \sum_d (E_d - T_d)^2

    where E is the attention that an item is expected to get, and T what it would get if all
    orders by relevance took turns: the same for all items of a grade.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    discount : str or callable, default="geometric"
        Attention to rank i: "log", 1 / log_2(i + 1); "jarvelin", 1 / max(1, log_2(i));
        "reciprocal", 1 / i; "geometric", ``persistence`` to the power of i - 1; or a
        function that maps an array of ranks to factors of 0 or more that do not increase.
    persistence : float, default=0.5
        Probability of going on to the next item, with ``discount="geometric"``.
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
        For bad input, see :ref:`errors`.

    See Also
    --------
    expected_exposure_disparity_score : How unequal attention is.
    expected_exposure_relevance_score : How much of it goes to relevant items.

    Notes
    -----
    Never undefined: all rows of a query count, retrieved or not. Ties are exact: all orders
    of tied rows take turns, as in a stochastic ranking. For several rankings of each query
    see :func:`expected_exposure`.

    References
    ----------
    .. [1] F. Diaz, B. Mitra, M. Ekstrand, A. Biega, B. Carterette, "Evaluating stochastic
       rankings with expected exposure", CIKM 2020.

    Examples
    --------
    >>> from sklearn_rank.metrics import expected_exposure_loss_score
    >>> rows = {"y_true": [1, 1, 0], "groups": ["q"] * 3}
    >>> expected_exposure_loss_score(y_score=[3, 2, 1], **rows)
    0.125
    >>> expected_exposure_loss_score(y_score=[2, 2, 1], **rows)
    0.0
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"discount": discount, "persistence": persistence}
    return mean_score(expected_exposure_loss_score, rows, own, ties, replace_undefined_by)


@_exposure_metric(
    eed,
    lower_is_better=True,
    range=up_to("the sum of squares of the exposure of one order"),
)
@explained
def expected_exposure_disparity_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    discount: Attention = "geometric",
    persistence: Share = 0.5,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Expected exposure disparity (EE-D): how unequally attention falls on the items.

    Lower is better; the least value is that of a ranking in random order:

    .. math:: EE\text{-}D = \sum_d E_d^2

    where E is the attention that an item is expected to get, and T what it would get if all
    orders by relevance took turns: the same for all items of a grade.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    discount : str or callable, default="geometric"
        Attention to rank i: "log", 1 / log_2(i + 1); "jarvelin", 1 / max(1, log_2(i));
        "reciprocal", 1 / i; "geometric", ``persistence`` to the power of i - 1; or a
        function that maps an array of ranks to factors of 0 or more that do not increase.
    persistence : float, default=0.5
        Probability of going on to the next item, with ``discount="geometric"``.
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
        For bad input, see :ref:`errors`.

    See Also
    --------
    expected_exposure_loss_score : The loss, with relevance.

    Notes
    -----
    Never undefined: all rows of a query count, retrieved or not. Ties are exact: all orders
    of tied rows take turns, as in a stochastic ranking. For several rankings of each query
    see :func:`expected_exposure`.

    References
    ----------
    .. [1] F. Diaz, B. Mitra, M. Ekstrand, A. Biega, B. Carterette, "Evaluating stochastic
       rankings with expected exposure", CIKM 2020.

    Examples
    --------
    >>> from sklearn_rank.metrics import expected_exposure_disparity_score
    >>> rows = {"y_true": [1, 1, 0], "groups": ["q"] * 3}
    >>> expected_exposure_disparity_score(y_score=[3, 2, 1], **rows)
    1.3125
    >>> expected_exposure_disparity_score(y_score=[2, 2, 1], **rows)
    1.1875
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"discount": discount, "persistence": persistence}
    return mean_score(
        expected_exposure_disparity_score, rows, own, ties, replace_undefined_by
    )


@_exposure_metric(eer, range=up_to("the sum of squares of exposure by relevance"))
@explained
def expected_exposure_relevance_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    discount: Attention = "geometric",
    persistence: Share = 0.5,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Expected exposure relevance (EE-R): attention that goes to relevant items.

    Higher is better; the best value is that of the rankings by relevance:

    .. math:: EE\text{-}R = \sum_d E_d T_d

    where E is the attention that an item is expected to get, and T what it would get if all
    orders by relevance took turns: the same for all items of a grade.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    discount : str or callable, default="geometric"
        Attention to rank i: "log", 1 / log_2(i + 1); "jarvelin", 1 / max(1, log_2(i));
        "reciprocal", 1 / i; "geometric", ``persistence`` to the power of i - 1; or a
        function that maps an array of ranks to factors of 0 or more that do not increase.
    persistence : float, default=0.5
        Probability of going on to the next item, with ``discount="geometric"``.
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
        For bad input, see :ref:`errors`.

    See Also
    --------
    expected_exposure_loss_score : EE-L is EE-D - 2 EE-R + the sum of squares of T.

    Notes
    -----
    Never undefined: all rows of a query count, retrieved or not. Ties are exact: all orders
    of tied rows take turns, as in a stochastic ranking. For several rankings of each query
    see :func:`expected_exposure`.

    References
    ----------
    .. [1] F. Diaz, B. Mitra, M. Ekstrand, A. Biega, B. Carterette, "Evaluating stochastic
       rankings with expected exposure", CIKM 2020.

    Examples
    --------
    >>> from sklearn_rank.metrics import expected_exposure_relevance_score
    >>> rows = {"y_true": [1, 1, 0], "groups": ["q"] * 3}
    >>> expected_exposure_relevance_score(y_score=[3, 2, 1], **rows)
    1.1875
    >>> expected_exposure_relevance_score(y_score=[2, 2, 1], **rows)
    1.1875
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"discount": discount, "persistence": persistence}
    return mean_score(
        expected_exposure_relevance_score, rows, own, ties, replace_undefined_by
    )


# Exposure of groups of items, compared with the shares that they should have.


_group_metric = partial(_exposure_metric, columns=(ITEM_GROUPS,))


def awrf(
    lists: RankedLists,
    k: Cutoff,
    target: Target,
    discount: Attention,
    persistence: Share,
    divergence_base: LogBase,
) -> Any:
    """Return 1 minus the divergence of exposure and target, per query."""
    from scipy.special import rel_entr

    groups = GroupShares.from_lists(lists, target)
    places = lists.every_place(k)
    divergence = np.zeros(lists.n_queries)
    exposures = groups.shares(places.rows, mean_attention(places, discount, persistence))
    for exposure, fair in zip(exposures, groups.target(target), strict=True):
        middle = (exposure + fair) / 2
        divergence += (rel_entr(exposure, middle) + rel_entr(fair, middle)) / 2
    return np.clip(1 - divergence / np.log(divergence_base), None, 1)


def ndkl(lists: RankedLists, k: Cutoff, target: Target) -> Any:
    """Return the discounted divergence of the first 1, 2, ... ranks, per query."""
    from scipy.special import rel_entr

    groups = GroupShares.from_lists(lists, target)
    places = lists.every_place(k)
    n_places = np.bincount(places.query, minlength=lists.n_queries)
    divergence = np.zeros(len(places.rank))
    for weight, fair in zip(groups.weights(), groups.target(target), strict=True):
        shown = accumulate_within(np.add, places.share(weight), n_places)
        divergence += rel_entr(shown / places.rank, fair[places.query])
    factor = 1 / np.log2(places.rank + 1)
    total = lists.sum(places.query, np.maximum(divergence, 0) * factor)
    return infinite_as_nan(divide(total, lists.sum(places.query, factor)))


def infinite_as_nan(values: np.ndarray) -> np.ndarray:
    """Return the values, NaN (undefined) where they are infinite."""
    return np.where(np.isfinite(values), values, np.nan)


@_group_metric(awrf, range=ZERO_TO_ONE)
@explained
def awrf_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    item_groups: Labels | Matrix,
    target: Target,
    groups: Labels | None = None,
    k: Cutoff = 10,
    discount: Attention = "log",
    persistence: Share = 0.5,
    divergence_base: LogBase = 2.0,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Attention-weighted rank fairness (AWRF) at ``k`` of groups of items.

    Higher is better; 1 means that the attention of the user is shared among the groups as
    the target says. Exposure is compared by the Jensen-Shannon divergence:

    .. math:: AWRF@k = 1 - JSD(\epsilon \,\|\, \tau), \quad
              \epsilon_g = \frac{\sum_{i=1}^{k} a(i) \, [d_i \in g]}{\sum_{i=1}^{k} a(i)}

    where a is the ``discount`` and :math:`\tau` the ``target``.

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
    discount : str or callable, default="log"
        Attention to rank i: "log", 1 / log_2(i + 1); "jarvelin", 1 / max(1, log_2(i));
        "reciprocal", 1 / i; "geometric", ``persistence`` to the power of i - 1; or a
        function that maps an array of ranks to factors of 0 or more that do not increase.
    persistence : float, default=0.5
        Probability of going on to the next item, with ``discount="geometric"``.
    divergence_base : float, default=2.0
        Base of the logarithm of the divergence, greater than 1. With 2 values are from 0
        to 1; the natural logarithm of TREC gives 0.307 or more.
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
    group_exposure : The exposure itself.
    ndkl_score : The same for each part of the list from the top.

    Notes
    -----
    Undefined (NaN) for a query without shown items, or without a relevant row if these are
    the target. Under ties it is that of *expected* exposure [2]_, which is not the mean
    over all orders; without ties both are the same. Items may belong to several groups in
    part. The fair track of TREC takes ``discount="jarvelin"`` and
    ``divergence_base=numpy.e``; FairRankTune calls another measure AWRF.

    References
    ----------
    .. [1] P. Sapiezynski, W. Zeng, R. Robertson, A. Mislove, C. Wilson, "Quantifying the
       impact of user attention on fair group representation in ranked lists", FATES 2019.
    .. [2] F. Diaz, B. Mitra, M. Ekstrand, A. Biega, B. Carterette, "Evaluating stochastic
       rankings with expected exposure", CIKM 2020.

    Examples
    --------
    >>> from sklearn_rank.metrics import awrf_at_k_score
    >>> rows = {"y_true": [1, 1, 0, 1], "y_score": [4, 3, 2, 1], "groups": ["q"] * 4}
    >>> item_groups = ["large", "large", "small", "small"]
    >>> target = {"large": 0.5, "small": 0.5}
    >>> round(awrf_at_k_score(**rows, item_groups=item_groups, target=target, k=4), 6)
    0.98622
    """
    rows = y_true, y_score, groups, sample_weight
    own = {
        "item_groups": item_groups,
        "target": target,
        "k": k,
        "discount": discount,
        "persistence": persistence,
        "divergence_base": divergence_base,
    }
    return mean_score(awrf_at_k_score, rows, own, ties, replace_undefined_by)


@_group_metric(ndkl, lower_is_better=True, range=ZERO_OR_MORE)
@explained
def ndkl_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    item_groups: Labels | Matrix,
    target: Target,
    groups: Labels | None = None,
    k: Cutoff = None,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Normalized discounted Kullback-Leibler divergence (NDKL) of groups of items.

    Lower is better; 0 means that each part of the list from the top has the groups in the
    shares of the target. It compares the shares :math:`p_i` in the first i ranks:

    .. math:: NDKL = \frac{\sum_{i} KL(p_i \,\|\, \tau) / \log_2(i + 1)}
              {\sum_{i} 1 / \log_2(i + 1)}

    where :math:`\tau` is the ``target``, KL has the natural logarithm, and i goes to the
    end of the list, or to ``k``.

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
    k : int or None, default=None
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
    awrf_at_k_score : The same for attention to the list as a whole.

    Notes
    -----
    Undefined (NaN) for a query without shown items, without a relevant row if these are the
    target, or which shows a group whose target is 0: the divergence is infinite. Under ties
    it is that of *expected* exposure [2]_, which is not the mean over all orders; without
    ties both are the same.

    References
    ----------
    .. [1] S. Geyik, S. Ambler, K. Kenthapadi, "Fairness-aware ranking in search and
       recommendation systems with application to LinkedIn talent search", KDD 2019.
    .. [2] F. Diaz, B. Mitra, M. Ekstrand, A. Biega, B. Carterette, "Evaluating stochastic
       rankings with expected exposure", CIKM 2020.

    Examples
    --------
    >>> from sklearn_rank.metrics import ndkl_score
    >>> rows = {"y_true": [1, 1, 0, 1], "y_score": [4, 3, 2, 1], "groups": ["q"] * 4}
    >>> item_groups = ["large", "large", "small", "small"]
    >>> target = {"large": 0.5, "small": 0.5}
    >>> round(ndkl_score(**rows, item_groups=item_groups, target=target), 6)
    0.452369
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"item_groups": item_groups, "target": target, "k": k}
    return mean_score(ndkl_score, rows, own, ties, replace_undefined_by)


def _skews(lists: RankedLists, k: Cutoff, target: Target) -> np.ndarray:
    """Return log(share / target), with one row per group and one column per query."""
    groups = GroupShares.from_lists(lists, target)
    places = lists.every_place(k)
    chance = (places.length / places.size)[places.row_block]
    shares, fair = groups.shares(places.rows, chance), groups.target(target)
    with np.errstate(divide="ignore", invalid="ignore"):
        skews = np.log(np.array(shares)) - np.log(np.array(fair))
    # The skew of a group with share 0 and target 0 is 0.
    nothing = (np.array(shares) == 0) & (np.array(fair) == 0)
    return np.where(nothing, 0.0, skews)


def min_skew(lists: RankedLists, k: Cutoff, target: Target) -> Any:
    """Return the skew of the group that is shown least, per query."""
    return infinite_as_nan(_skews(lists, k, target).min(axis=0))


def max_skew(lists: RankedLists, k: Cutoff, target: Target) -> Any:
    """Return the skew of the group that is shown most, per query."""
    return infinite_as_nan(_skews(lists, k, target).max(axis=0))


@_group_metric(min_skew, range=Range(-np.inf, 0.0))
@explained
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
    r"""Minimum skew at ``k``: how far the least shown group is below its target.

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
    Undefined (NaN) for a query without shown items, without a relevant row if these are the
    target, or where the skew is infinite: a group with a target is not shown at all. Under
    ties it is that of the expected share, which is not the mean over all orders [2]_;
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
    rows = y_true, y_score, groups, sample_weight
    own = {"item_groups": item_groups, "target": target, "k": k}
    return mean_score(min_skew_at_k_score, rows, own, ties, replace_undefined_by)


@_group_metric(max_skew, lower_is_better=True, range=ZERO_OR_MORE)
@explained
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
    r"""Maximum skew at ``k``: how far the most shown group is above its target.

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
    Undefined (NaN) for a query without shown items, without a relevant row if these are the
    target, or where the skew is infinite: a group is shown whose target is 0. Under ties it
    is that of the expected share, which is not the mean over all orders [2]_; without ties
    both are the same.

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
    rows = y_true, y_score, groups, sample_weight
    own = {"item_groups": item_groups, "target": target, "k": k}
    return mean_score(max_skew_at_k_score, rows, own, ties, replace_undefined_by)
