"""Metrics of subtopics, for queries that may mean several things."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np

from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._ranked_lists import RankedLists, divide
from sklearn_rank._ranking._subtopics import (
    chance_to_be_covered,
    decayed_gain,
    diverse_ideal,
    expand_places,
    find_intents,
    n_subtopics,
    rows_of_subtopic,
)
from sklearn_rank.metrics._core._evaluate import mean_score, metric
from sklearn_rank.metrics._core._parameters import (
    ZERO_TO_ONE,
    Cutoff,
    Share,
    ShownTies,
    ZeroToOne,
    up_to,
)
from sklearn_rank.metrics._core._side_columns import SUBTOPICS
from sklearn_rank.metrics._families._cumulative_gain import attention, discounts
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Undefined

__all__ = [
    "alpha_dcg_score",
    "alpha_ndcg_score",
    "err_ia_score",
    "map_ia_score",
    "nrbp_score",
    "precision_ia_at_k_score",
    "subtopic_recall_at_k_score",
]

# Means over the subtopics of a query, and how many of them a list shows.


def precision_ia(lists: RankedLists, k: Cutoff) -> Any:
    """Return the mean over subtopics of precision, per query."""
    intents = find_intents(lists, k)
    hits = intents.n_rows * (intents.length / intents.size)
    total = lists.sum(intents.query, hits)
    return divide(total, n_subtopics(lists) * lists.cutoff(k))


def map_ia(lists: RankedLists) -> Any:
    """Return the mean over subtopics of average precision, per query."""
    intents = find_intents(lists, None)
    at = expand_places(intents)
    share = (intents.n_rows - 1) / np.maximum(intents.size - 1, 1)
    hits = intents.n_before[at.pair] + 1 + at.offset * share[at.pair]
    n_relevant = rows_of_subtopic(lists, intents)[at.pair]
    total = lists.sum(at.query, at.chance * hits / at.rank / n_relevant)
    return divide(total, n_subtopics(lists))


def subtopic_recall(lists: RankedLists, k: Cutoff) -> Any:
    """Return the share of subtopics that the list shows, per query."""
    intents = find_intents(lists, k)
    new = np.where(intents.n_before == 0, chance_to_be_covered(intents), 0.0)
    return divide(lists.sum(intents.query, new), n_subtopics(lists))


@metric(precision_ia, columns=(SUBTOPICS,), range=ZERO_TO_ONE)
@explained
def precision_ia_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    subtopics: Matrix | None = None,
    groups: Labels | None = None,
    k: Cutoff = 10,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Intent-aware precision at ``k``: the mean over the subtopics of a query.

    Higher is better; 1 means that all documents have all S subtopics:

    .. math:: P\text{-}IA@k = \frac{1}{S} \sum_{s} \frac{|\{i \le k : s \in d_i\}|}{k}

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows, n_subtopics) or (n_rows,)
        Relevance of each row to each subtopic, 0 or more; above 0 is relevant. Or the
        relevance to the query, with ``subtopics`` given.
    y_score : array-like of shape (n_rows,)
        Scores, the highest first; ``-inf`` is not retrieved.
    subtopics : {array-like, sparse matrix} of shape (n_rows, n_subtopics), default=None
        Relevance to each subtopic if ``y_true`` has one value per row, which is above 0 for
        rows with a subtopic. If None, the columns of ``y_true``.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order.
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
        For bad input, see :ref:`errors`; and if a relevance to a subtopic is negative, or
        its rows are not those of ``y_score``.

    See Also
    --------
    subtopic_recall_at_k_score : The share of subtopics that are shown at all.

    Notes
    -----
    Undefined (NaN) for a query without a row that is relevant to a subtopic. S counts the
    subtopics with a relevant row, retrieved or not. A list of one subtopic may score as
    high as a mixed one. Ties are exact. Lists shorter than ``k`` are filled up with
    documents without a subtopic.

    References
    ----------
    .. [1] R. Agrawal, S. Gollapudi, A. Halverson, S. Ieong, "Diversifying search results",
       WSDM 2009.

    Examples
    --------
    >>> from sklearn_rank.metrics import precision_ia_at_k_score
    >>> subtopics = [[1, 0], [1, 1], [0, 0]]
    >>> precision_ia_at_k_score(subtopics, [3, 2, 1], groups=["q"] * 3, k=2)
    0.75
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"subtopics": subtopics, "k": k}
    return mean_score(precision_ia_at_k_score, rows, own, ties, replace_undefined_by)


@metric(map_ia, columns=(SUBTOPICS,), range=ZERO_TO_ONE)
@explained
def map_ia_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    subtopics: Matrix | None = None,
    groups: Labels | None = None,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Intent-aware mean average precision (MAP-IA) over the subtopics of a query.

    Higher is better; 1 means that all relevant documents come first and have all S
    subtopics:

    .. math:: MAP\text{-}IA = \frac{1}{S} \sum_{s} \frac{1}{R_s}
              \sum_{i : s \in d_i} \frac{|\{j \le i : s \in d_j\}|}{i}

    where :math:`R_s` rows have subtopic s, retrieved or not.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows, n_subtopics) or (n_rows,)
        Relevance of each row to each subtopic, 0 or more; above 0 is relevant. Or the
        relevance to the query, with ``subtopics`` given.
    y_score : array-like of shape (n_rows,)
        Scores, the highest first; ``-inf`` is not retrieved.
    subtopics : {array-like, sparse matrix} of shape (n_rows, n_subtopics), default=None
        Relevance to each subtopic if ``y_true`` has one value per row, which is above 0 for
        rows with a subtopic. If None, the columns of ``y_true``.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order.
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
        For bad input, see :ref:`errors`; and if a relevance to a subtopic is negative, or
        its rows are not those of ``y_score``.

    See Also
    --------
    mean_average_precision_score : Without subtopics.

    Notes
    -----
    Undefined (NaN) for a query without a row that is relevant to a subtopic. Ties are
    exact: given that a place of a tied block has a subtopic, each other place has it with
    (h - 1) / (t - 1), where h of t rows have it.

    References
    ----------
    .. [1] R. Agrawal, S. Gollapudi, A. Halverson, S. Ieong, "Diversifying search results",
       WSDM 2009.

    Examples
    --------
    >>> from sklearn_rank.metrics import map_ia_score
    >>> map_ia_score([[1, 0], [0, 0], [0, 1]], [3, 2, 1], groups=["q"] * 3)
    0.6666666666666666
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"subtopics": subtopics}
    return mean_score(map_ia_score, rows, own, ties, replace_undefined_by)


@metric(subtopic_recall, columns=(SUBTOPICS,), range=ZERO_TO_ONE)
@explained
def subtopic_recall_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    subtopics: Matrix | None = None,
    groups: Labels | None = None,
    k: Cutoff = 10,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Subtopic recall at ``k``: the share of subtopics that the list shows.

    Higher is better; 1 means that each of the S subtopics of the query is shown:

    .. math:: S\text{-}recall@k = \frac{|\bigcup_{i \le k} d_i|}{S}

    where :math:`d_i` are the subtopics of the document at rank i.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows, n_subtopics) or (n_rows,)
        Relevance of each row to each subtopic, 0 or more; above 0 is relevant. Or the
        relevance to the query, with ``subtopics`` given.
    y_score : array-like of shape (n_rows,)
        Scores, the highest first; ``-inf`` is not retrieved.
    subtopics : {array-like, sparse matrix} of shape (n_rows, n_subtopics), default=None
        Relevance to each subtopic if ``y_true`` has one value per row, which is above 0 for
        rows with a subtopic. If None, the columns of ``y_true``.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order.
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
        For bad input, see :ref:`errors`; and if a relevance to a subtopic is negative, or
        its rows are not those of ``y_score``.

    See Also
    --------
    alpha_ndcg_score : How early they are shown, too.

    Notes
    -----
    Undefined (NaN) for a query without a row that is relevant to a subtopic. S counts the
    subtopics with a relevant row, retrieved or not. Ties are exact: if m of t tied rows are
    shown and h of the t have a subtopic, the chance that no shown row has it is C(t - h, m)
    / C(t, m).

    References
    ----------
    .. [1] C. Zhai, W. Cohen, J. Lafferty, "Beyond independent relevance: methods and
       evaluation metrics for subtopic retrieval", SIGIR 2003.

    Examples
    --------
    >>> from sklearn_rank.metrics import subtopic_recall_at_k_score
    >>> subtopics = [[1, 0], [1, 0], [0, 1]]
    >>> subtopic_recall_at_k_score(subtopics, [3, 2, 1], groups=["q"] * 3, k=2)
    0.5
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"subtopics": subtopics, "k": k}
    return mean_score(subtopic_recall_at_k_score, rows, own, ties, replace_undefined_by)


# Gain of subtopics that decays with each repetition: alpha-nDCG, ERR-IA and NRBP.


# Rounding error of the quotient of two sums of the same numbers.
_ROUNDING = 1e-13

Discount = Callable[[np.ndarray], np.ndarray]


def discounted_gain(
    lists: RankedLists, k: Cutoff, alpha: float, discount: Discount
) -> np.ndarray:
    """Return the discounted gain per query, NaN where no subtopic has a relevant row."""
    intents = find_intents(lists, k)
    at = expand_places(intents)
    gain = decayed_gain(intents, at, 1 - alpha) * discount(at.rank)
    return np.where(n_subtopics(lists) > 0, lists.sum(at.query, gain), np.nan)


def divide_by_ideal(lists: RankedLists, k: Cutoff, alpha: float, discount: Discount) -> Any:
    """Return the gain over that of the ideal list; exactly 1 if equal within rounding."""
    ideal = diverse_ideal(lists, k, 1 - alpha, discount)
    value = divide(discounted_gain(lists, k, alpha, discount), ideal)
    return np.where(np.abs(value - 1) < _ROUNDING, 1.0, value)


_log_discount = partial(discounts, "log", 2)


def alpha_dcg(lists: RankedLists, k: Cutoff, alpha: ZeroToOne) -> Any:
    """Return the discounted gain of subtopics per query."""
    return discounted_gain(lists, k, alpha, _log_discount)


def alpha_ndcg(lists: RankedLists, k: Cutoff, alpha: ZeroToOne) -> Any:
    """Return the same over that of the ideal list."""
    return divide_by_ideal(lists, k, alpha, _log_discount)


@metric(alpha_dcg, columns=(SUBTOPICS,), range=up_to("the value of the ideal list"))
@explained
def alpha_dcg_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    subtopics: Matrix | None = None,
    groups: Labels | None = None,
    k: Cutoff = None,
    alpha: ZeroToOne = 0.5,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Alpha-DCG: gain of subtopics that fades with each repetition, and with the rank.

    Higher is better; the optimum depends on the query. A document gains 1 for each of its
    subtopics that is new, and :math:`(1 - \alpha)^x` for one that x documents above have:

    .. math:: \alpha DCG@k = \sum_{i=1}^{k} \frac{1}{\log_2(i + 1)}
              \sum_{s \in d_i} (1 - \alpha)^{x_{s,i}}

    There is no denominator, so that queries with many subtopics count most in the mean.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows, n_subtopics) or (n_rows,)
        Relevance of each row to each subtopic, 0 or more; above 0 is relevant. Or the
        relevance to the query, with ``subtopics`` given.
    y_score : array-like of shape (n_rows,)
        Scores, the highest first; ``-inf`` is not retrieved.
    subtopics : {array-like, sparse matrix} of shape (n_rows, n_subtopics), default=None
        Relevance to each subtopic if ``y_true`` has one value per row, which is above 0 for
        rows with a subtopic. If None, the columns of ``y_true``.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required.
    k : int or None, default=None
        Cutoff: ranks below it do not count. None takes the whole list.
    alpha : float, default=0.5
        Share of a subtopic's value lost with each document that has it, from 0 to 1. With
        0, repetitions count in full.
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
        For bad input, see :ref:`errors`; and if a relevance to a subtopic is negative, or
        its rows are not those of ``y_score``.

    See Also
    --------
    alpha_ndcg_score : The same, divided by the value of the ideal list.

    Notes
    -----
    Undefined (NaN) for a query without a row that is relevant to a subtopic. Ties are
    exact: a row of a tied block has a subtopic with the share of its rows that have it, and
    the number above it in the block is hypergeometric.

    In ndeval "alpha-DCG" is divided by the value of a list whose documents have all
    subtopics; this is what the article defines. Lists shorter than ``k`` are filled up with
    documents without a subtopic.

    References
    ----------
    .. [1] C. Clarke, M. Kolla, G. Cormack, O. Vechtomova, A. Ashkan, S. Buettcher,
       I. MacKinnon, "Novelty and diversity in information retrieval evaluation", SIGIR
       2008.

    Examples
    --------
    >>> from sklearn_rank.metrics import alpha_dcg_score
    >>> subtopics = [[1, 0], [1, 1], [0, 0]]
    >>> alpha_dcg_score(subtopics, [3, 1, 2], groups=["q"] * 3)
    1.75
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"subtopics": subtopics, "k": k, "alpha": alpha}
    return mean_score(alpha_dcg_score, rows, own, ties, replace_undefined_by)


@metric(alpha_ndcg, columns=(SUBTOPICS,), approximates_best=True, range=ZERO_TO_ONE)
@explained
def alpha_ndcg_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    subtopics: Matrix | None = None,
    groups: Labels | None = None,
    k: Cutoff = None,
    alpha: ZeroToOne = 0.5,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Alpha-nDCG: how early a list shows many subtopics, against the ideal list.

    Higher is better; 1 means that no list of the relevant documents does better. It is

    .. math:: \alpha nDCG@k = \frac{\alpha DCG@k}{\text{ideal } \alpha DCG@k}

    where a document gains 1 for each of its subtopics that is new, and
    :math:`(1 - \alpha)^x` for one that x documents above it have, over
    :math:`\log_2(\text{rank} + 1)`; see :func:`alpha_dcg_score`.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows, n_subtopics) or (n_rows,)
        Relevance of each row to each subtopic, 0 or more; above 0 is relevant. Or the
        relevance to the query, with ``subtopics`` given.
    y_score : array-like of shape (n_rows,)
        Scores, the highest first; ``-inf`` is not retrieved.
    subtopics : {array-like, sparse matrix} of shape (n_rows, n_subtopics), default=None
        Relevance to each subtopic if ``y_true`` has one value per row, which is above 0 for
        rows with a subtopic. If None, the columns of ``y_true``.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required.
    k : int or None, default=None
        Cutoff: ranks below it do not count. None takes the whole list.
    alpha : float, default=0.5
        Share of a subtopic's value lost with each document that has it, from 0 to 1. With
        0, repetitions count in full.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order.
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
        For bad input, see :ref:`errors`; and if a relevance to a subtopic is negative, or
        its rows are not those of ``y_score``.

    Warns
    -----
    UserWarning
        If a list is better than the ideal list: its value is above 1 and stays so.

    See Also
    --------
    err_ia_score : The same with a reciprocal discount.
    ndcg_score : Without subtopics.

    Notes
    -----
    Undefined (NaN) for a query without a row that is relevant to a subtopic. Ties are
    exact: a row of a tied block has a subtopic with the share of its rows that have it, and
    the number above it in the block is hypergeometric.

    Finding the ideal list is hard. For up to eight relevant documents, retrieved or not,
    all orders are tried. For more, the next document is the one with the highest gain;
    among equal gains, the one that leaves the highest gain for its successor. ndeval takes
    the last by name, so its values depend on names and exceed 1 more often.

    References
    ----------
    .. [1] C. Clarke, M. Kolla, G. Cormack, O. Vechtomova, A. Ashkan, S. Buettcher,
       I. MacKinnon, "Novelty and diversity in information retrieval evaluation", SIGIR
       2008.

    Examples
    --------
    >>> from sklearn_rank.metrics import alpha_ndcg_score
    >>> subtopics = [[1, 1], [1, 0], [0, 0], [0, 1]]
    >>> alpha_ndcg_score(subtopics, [4, 1, 2, 3], groups=["q"] * 4, k=2)
    1.0
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"subtopics": subtopics, "k": k, "alpha": alpha}
    return mean_score(alpha_ndcg_score, rows, own, ties, replace_undefined_by)


Normalize = Literal["subtopics", "collection"]


_reciprocal_discount = partial(discounts, "reciprocal", 2)
_SUMMED_RANKS, _FARTHEST = 2**20, 2**1000


def err_ia(lists: RankedLists, k: Cutoff, alpha: ZeroToOne, normalize: Normalize) -> Any:
    """Return the gain of subtopics over the rank, per query."""
    if normalize == "collection":
        return divide_by_ideal(lists, k, alpha, _reciprocal_discount)
    gain = discounted_gain(lists, k, alpha, _reciprocal_discount)
    return divide(gain, n_subtopics(lists) * _highest_gain(lists.cutoff(k), 1 - alpha))


def _highest_gain(depth: np.ndarray | int, fade: float) -> np.ndarray:
    """Return the gain of a subtopic that is on each of the first ranks."""
    # A cutoff may be far beyond the lists.
    n = min(depth, _SUMMED_RANKS) if isinstance(depth, int) else int(depth.max(initial=1))
    rank = np.arange(1, n + 1)
    with np.errstate(under="ignore"):
        gain = np.cumsum(fade ** (rank - 1.0) / rank)
        if isinstance(depth, int):
            return gain[-1] + _gain_between(n, float(min(depth, _FARTHEST)), fade)
        return gain[depth - 1]


def _gain_between(first: float, last: float, fade: float) -> float:
    """Return the gain beyond a far rank, by the formula of Euler and Maclaurin."""
    from scipy import special

    if first == last or fade**first == 0:
        return 0.0
    rate, ends = -math.log(fade), np.array([first, last])
    integral = special.exp1(rate * ends) / fade if rate else -np.log(ends)
    term = fade ** (ends - 1) / ends
    slope = -term * (rate + 1 / ends)
    return float(np.diff(-integral + term / 2 + slope / 12)[0])


def nrbp(lists: RankedLists, alpha: ZeroToOne, beta: Share, normalize: Normalize) -> Any:
    """Return novelty- and rank-biased precision per query."""
    discount = partial(attention, "geometric", beta)
    if normalize == "collection":
        return divide_by_ideal(lists, None, alpha, discount)
    gain = discounted_gain(lists, None, alpha, discount)
    return divide(gain * (1 - (1 - alpha) * beta), n_subtopics(lists))


@metric(err_ia, columns=(SUBTOPICS,), approximates_best=True, range=ZERO_TO_ONE)
@explained
def err_ia_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    subtopics: Matrix | None = None,
    groups: Labels | None = None,
    k: Cutoff = None,
    alpha: ZeroToOne = 0.5,
    normalize: Normalize = "subtopics",
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Intent-aware expected reciprocal rank (ERR-IA) over the subtopics of a query.

    Higher is better; 1 would be a list whose documents all have all S subtopics:

    .. math:: ERR\text{-}IA@k = \frac{\sum_{i=1}^{k} \frac{1}{i}
              \sum_{s \in d_i} (1 - \alpha)^{x_{s,i}}}
              {S \sum_{i=1}^{k} (1 - \alpha)^{i-1} / i}

    where x documents above the one at rank i have its subtopic s.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows, n_subtopics) or (n_rows,)
        Relevance of each row to each subtopic, 0 or more; above 0 is relevant. Or the
        relevance to the query, with ``subtopics`` given.
    y_score : array-like of shape (n_rows,)
        Scores, the highest first; ``-inf`` is not retrieved.
    subtopics : {array-like, sparse matrix} of shape (n_rows, n_subtopics), default=None
        Relevance to each subtopic if ``y_true`` has one value per row, which is above 0 for
        rows with a subtopic. If None, the columns of ``y_true``.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required.
    k : int or None, default=None
        Cutoff: ranks below it do not count. None takes the whole list.
    alpha : float, default=0.5
        Share of a subtopic's value lost with each document that has it, from 0 to 1. With
        0, repetitions count in full.
    normalize : {"subtopics", "collection"}, default="subtopics"
        Denominator: the value of a list whose documents have all subtopics of the query, or
        that of the ideal list of its documents.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order.
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
        For bad input, see :ref:`errors`; and if a relevance to a subtopic is negative, or
        its rows are not those of ``y_score``.

    Warns
    -----
    UserWarning
        If a list is better than the ideal list of ``normalize="collection"``.

    See Also
    --------
    alpha_ndcg_score : The same with a logarithmic discount, against the ideal list.
    expected_reciprocal_rank_score : Without subtopics.

    Notes
    -----
    Undefined (NaN) for a query without a row that is relevant to a subtopic. Ties are
    exact: a row of a tied block has a subtopic with the share of its rows that have it, and
    the number above it in the block is hypergeometric.

    With ``normalize="collection"`` it is nERR-IA: the denominator is the value of the ideal
    list, found as for :func:`alpha_ndcg_score`. pyndeval 0.0.8 forgets the denominator at
    rank 1, so its ERR-IA@1 is S times too large.

    References
    ----------
    .. [1] O. Chapelle, S. Ji, C. Liao, E. Velipasaoglu, L. Lai, S.-L. Wu, "Intent-based
       diversification of web search results: metrics and algorithms", Information
       Retrieval 14(6), 2011.
    .. [2] R. Agrawal, S. Gollapudi, A. Halverson, S. Ieong, "Diversifying search results",
       WSDM 2009.

    Examples
    --------
    >>> from sklearn_rank.metrics import err_ia_score
    >>> subtopics = [[1, 0], [1, 1], [0, 0]]
    >>> err_ia_score(subtopics, [3, 2, 1], groups=["q"] * 3, k=2)
    0.7
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"subtopics": subtopics, "k": k, "alpha": alpha, "normalize": normalize}
    return mean_score(err_ia_score, rows, own, ties, replace_undefined_by)


@metric(nrbp, columns=(SUBTOPICS,), approximates_best=True, range=ZERO_TO_ONE)
@explained
def nrbp_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    subtopics: Matrix | None = None,
    groups: Labels | None = None,
    alpha: ZeroToOne = 0.5,
    beta: Share = 0.5,
    normalize: Normalize = "subtopics",
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Novelty- and rank-biased precision (NRBP) over the subtopics of a query.

    Higher is better; 1 would be an endless list whose documents all have all S subtopics.
    The user goes on to the next document with probability :math:`\beta`:

    .. math:: NRBP = \frac{1 - (1 - \alpha) \beta}{S} \sum_{i} \beta^{i-1}
              \sum_{s \in d_i} (1 - \alpha)^{x_{s,i}}

    where x documents above the one at rank i have its subtopic s. The denominator is S.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows, n_subtopics) or (n_rows,)
        Relevance of each row to each subtopic, 0 or more; above 0 is relevant. Or the
        relevance to the query, with ``subtopics`` given.
    y_score : array-like of shape (n_rows,)
        Scores, the highest first; ``-inf`` is not retrieved.
    subtopics : {array-like, sparse matrix} of shape (n_rows, n_subtopics), default=None
        Relevance to each subtopic if ``y_true`` has one value per row, which is above 0 for
        rows with a subtopic. If None, the columns of ``y_true``.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required.
    alpha : float, default=0.5
        Share of a subtopic's value lost with each document that has it, from 0 to 1. With
        0, repetitions count in full.
    beta : float, default=0.5
        Patience.
    normalize : {"subtopics", "collection"}, default="subtopics"
        Denominator: the value of a list whose documents have all subtopics of the query, or
        that of the ideal list of its documents.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order.
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
        For bad input, see :ref:`errors`; and if a relevance to a subtopic is negative, or
        its rows are not those of ``y_score``.

    Warns
    -----
    UserWarning
        If a list is better than the ideal list of ``normalize="collection"``.

    See Also
    --------
    rank_biased_precision_score : Without subtopics.

    Notes
    -----
    Undefined (NaN) for a query without a row that is relevant to a subtopic. Ties are
    exact: a row of a tied block has a subtopic with the share of its rows that have it, and
    the number above it in the block is hypergeometric.
    With ``normalize="collection"`` it is nNRBP: the value is divided by that of the ideal
    list, found as for :func:`alpha_ndcg_score`.

    References
    ----------
    .. [1] C. Clarke, M. Kolla, O. Vechtomova, "An effectiveness measure for ambiguous and
       underspecified queries", ICTIR 2009.

    Examples
    --------
    >>> from sklearn_rank.metrics import nrbp_score
    >>> nrbp_score([[1, 0], [1, 1], [0, 0]], [3, 2, 1], groups=["q"] * 3)
    0.65625
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"subtopics": subtopics, "alpha": alpha, "beta": beta, "normalize": normalize}
    return mean_score(nrbp_score, rows, own, ties, replace_undefined_by)
