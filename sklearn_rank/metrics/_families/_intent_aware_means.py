"""Means over the subtopics of a query, and how many of them a list shows."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_rank._ranking._ranked_lists import RankedLists, divide
from sklearn_rank._ranking._subtopics import (
    chance_to_be_covered,
    expand_places,
    find_intents,
    n_subtopics,
    rows_of_subtopic,
)
from sklearn_rank.metrics._core._evaluate import metric
from sklearn_rank.metrics._core._parameters import Cutoff, ShownTies
from sklearn_rank.metrics._core._side_columns import SUBTOPICS
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Undefined

__all__ = [
    "map_ia_score",
    "precision_ia_at_k_score",
    "subtopic_recall_at_k_score",
]


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
    others = (intents.n_rows - 1) / np.maximum(intents.size - 1, 1)
    hits = intents.n_before[at.pair] + 1 + at.offset * others[at.pair]
    n_relevant = rows_of_subtopic(lists, intents)[at.pair]
    total = lists.sum(at.query, at.chance * hits / at.rank / n_relevant)
    return divide(total, n_subtopics(lists))


def subtopic_recall(lists: RankedLists, k: Cutoff) -> Any:
    """Return the share of subtopics that the list shows, per query."""
    intents = find_intents(lists, k)
    new = np.where(intents.n_before == 0, chance_to_be_covered(intents), 0.0)
    return divide(lists.sum(intents.query, new), n_subtopics(lists))


@metric(precision_ia, columns=(SUBTOPICS,))
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
        rows with a subtopic. None: the columns of ``y_true``.
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


@metric(map_ia, columns=(SUBTOPICS,))
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
        rows with a subtopic. None: the columns of ``y_true``.
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


@metric(subtopic_recall, columns=(SUBTOPICS,))
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
        rows with a subtopic. None: the columns of ``y_true``.
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
