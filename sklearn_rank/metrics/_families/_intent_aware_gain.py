"""Alpha-DCG and alpha-nDCG: a subtopic is worth less each time it is shown again."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank.metrics._core._declare import metric
from sklearn_rank.metrics._core._parameters import Cutoff, ShownTies
from sklearn_rank.metrics._core._range import Range
from sklearn_rank.metrics._core._subtopics import SUBTOPICS
from sklearn_rank.metrics._families._gain_and_discount import discounts
from sklearn_rank.metrics._families._subtopic_gain import (
    Alpha,
    discounted_gain,
    over_ideal,
)
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Undefined

__all__ = [
    "alpha_dcg_score",
    "alpha_ndcg_score",
]


_log = partial(discounts, "log", 2)


def alpha_dcg(lists: RankedLists, k: Cutoff, alpha: Alpha) -> Any:
    """Return the discounted gain of subtopics per query."""
    return discounted_gain(lists, k, alpha, _log)


def alpha_ndcg(lists: RankedLists, k: Cutoff, alpha: Alpha) -> Any:
    """Return the same over that of the ideal list."""
    return over_ideal(lists, k, alpha, _log)


@metric(
    alpha_dcg, columns=(SUBTOPICS,), range=Range(0.0, np.inf, "the value of the ideal list")
)
def alpha_dcg_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    subtopics: Matrix | None = None,
    groups: Labels | None = None,
    k: Cutoff = None,
    alpha: Alpha = 0.5,
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
        rows with a subtopic. None: the columns of ``y_true``.
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


@metric(alpha_ndcg, columns=(SUBTOPICS,), approximates_best=True)
def alpha_ndcg_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    subtopics: Matrix | None = None,
    groups: Labels | None = None,
    k: Cutoff = None,
    alpha: Alpha = 0.5,
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
        rows with a subtopic. None: the columns of ``y_true``.
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
    To find the ideal list is hard. Of up to eight relevant documents, retrieved or not, all
    orders are tried. Of more, each next one is that with the highest gain; of those that
    gain the same, the one after which the next can gain most. ndeval takes the last by name
    instead, so that its values depend on names and exceed 1 more often.

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
