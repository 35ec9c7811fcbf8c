"""Metrics for incomplete judgments: how much is judged, and preferences among it."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from sklearn_rank._ranking._expectation import hit
from sklearn_rank._ranking._quotients import divide
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank.metrics._core._declare import metric
from sklearn_rank.metrics._core._parameters import Cutoff, MinRelevance
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Ties, Undefined

__all__ = ["bpref_score", "judged_at_k_score"]


def judged(lists: RankedLists, k: Cutoff) -> Any:
    """Return the share of the first k ranks that is judged, per query."""
    places = lists.places_of(lists.is_unjudged(), k)
    n_unjudged = lists.sum(places.query, hit(places))
    return (lists.n_shown(k) - n_unjudged) / lists.cutoff(k)


@metric(judged, unjudged="needed")
def judged_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Cutoff = 10,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Judged at ``k``: the share of the first ``k`` ranks that is judged.

    Higher is better; 1 means that the other metrics rest on complete judgments down to
    ``k``. It says how far these can be trusted, not how good the ranking is.

    .. math:: J@k = \frac{1}{k} \sum_{i=1}^{k} [\text{item at rank } i \text{ is judged}]

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Grades, 0 or more; above 0 is relevant, NaN is unjudged. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
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
    bpref_score : A metric made for incomplete judgments.

    Notes
    -----
    Defined for every query. Lists shorter than ``k`` are filled up with unjudged items;
    with ``k=None`` the denominator is the number of retrieved items.

    A row is unjudged if its grade is NaN or -0.0, with which :mod:`sklearn_rank.inputs`
    marks items without a judgment. It raises a ValueError for input of relevant items only.

    References
    ----------
    .. [1] T. Sakai, "Alternatives to bpref", SIGIR 2007.

    Examples
    --------
    >>> from sklearn_rank.metrics import judged_at_k_score
    >>> nan = float("nan")
    >>> judged_at_k_score([1, nan, 0, nan], [4, 3, 2, 1], groups=["q"] * 4, k=4)
    0.5
    """


def bpref(lists: RankedLists, min_relevance: MinRelevance) -> Any:
    """Return binary preference per query."""
    is_relevant = lists.is_relevant(min_relevance)
    n_relevant = lists.n_relevant(min_relevance)
    n_irrelevant = lists.n_items - n_relevant - lists.n_unjudged()
    above, tied = lists.around(is_relevant | lists.is_unjudged())
    counts = is_relevant & (lists.above < lists.n_retrieved[lists.query])
    query = lists.query[counts]
    bound = np.minimum(n_relevant, n_irrelevant)[query]
    blame = _mean_of_bounded(
        (lists.above - above)[counts], (lists.tied - tied)[counts], bound
    )
    worth = 1 - blame / np.maximum(bound, 1)
    return divide(lists.sum(query, worth), n_relevant)


@metric(bpref, unjudged="needed")
def bpref_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    average: Literal["arithmetic", "geometric"] = "arithmetic",
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Binary preference (bpref): relevant items above judged irrelevant ones.

    Higher is better; 1 means that no judged irrelevant item is above a relevant one.
    Unjudged items (``y_true`` NaN) are skipped. With R relevant and N judged irrelevant
    items,

    .. math:: \frac{1}{R} \sum_{r \text{ retrieved}}
              1 - \frac{\min(|n \text{ above } r|, \min(R, N))}{\min(R, N)}

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Grades, 0 or more; above 0 is relevant, NaN is unjudged. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    average : {"arithmetic", "geometric"}, default="arithmetic"
        Mean over the queries. The geometric one, ``gm_bpref`` of trec_eval, stresses
        queries that do badly; values below 0.00001 count as 0.00001.
    min_relevance : float, default=None
        Lowest grade that is relevant. None: any grade greater than 0.
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
    judged_at_k_score : How complete the judgments are.

    Notes
    -----
    Undefined (NaN) for a query without relevant items. A relevant item that was not
    retrieved adds 0; without judged irrelevant items each retrieved one adds 1.

    A row is unjudged if its grade is NaN or -0.0, with which :mod:`sklearn_rank.inputs`
    marks items without a judgment. It raises a ValueError for input of relevant items only.

    References
    ----------
    .. [1] C. Buckley, E. M. Voorhees, "Retrieval evaluation with incomplete information",
       SIGIR 2004, in the form that trec_eval computes.

    Examples
    --------
    >>> from sklearn_rank.metrics import bpref_score
    >>> nan = float("nan")
    >>> bpref_score([nan, 1, 0, 1, 0], [5, 4, 3, 2, 1], groups=["q"] * 5)
    0.75
    """


def _mean_of_bounded(lowest: np.ndarray, spread: np.ndarray, bound: np.ndarray) -> Any:
    """Return the mean of min(x, bound) over x = lowest, ..., lowest + spread.

    Among `spread` tied irrelevant rows a relevant one is as likely to stand at each of the
    spread + 1 places.
    """
    below = np.clip(bound - lowest, 0, spread + 1)
    total = below * lowest + below * (below - 1) / 2 + (spread + 1 - below) * bound
    return total / (spread + 1)
