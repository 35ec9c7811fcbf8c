"""Metrics for incomplete judgments: judged, bpref and inferred average precision."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from sklearn_rank._base._runs import TIED_PLACES, cut_runs, starts_of
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._places import hit_chance
from sklearn_rank._ranking._ranked_lists import Places, RankedLists, divide
from sklearn_rank._ranking._tied_ranks import ranks_of_chosen
from sklearn_rank.metrics._core._evaluate import mean_score, metric
from sklearn_rank.metrics._core._parameters import ZERO_TO_ONE, Cutoff, MinRelevance
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Ties, Undefined

__all__ = ["bpref_score", "inferred_average_precision_score", "judged_at_k_score"]


def judged(lists: RankedLists, k: Cutoff) -> Any:
    """Return the share of the first k ranks that is judged, per query."""
    places = lists.places_of(lists.is_unjudged(), k)
    n_unjudged = lists.sum(places.query, hit_chance(places))
    return (lists.n_shown(k) - n_unjudged) / lists.cutoff(k)


@metric(judged, unjudged="needed", range=ZERO_TO_ONE)
@explained
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
    rows = y_true, y_score, groups, sample_weight
    own = {"k": k}
    return mean_score(judged_at_k_score, rows, own, ties, replace_undefined_by)


def bpref(lists: RankedLists, min_relevance: MinRelevance) -> Any:
    """Return binary preference per query."""
    is_relevant = lists.is_relevant(min_relevance)
    n_relevant = lists.n_relevant(min_relevance)
    n_irrelevant = lists.n_items - n_relevant - lists.n_unjudged()
    above, tied = lists.count_around(is_relevant | lists.is_unjudged())
    counts = is_relevant & (lists.above < lists.n_retrieved[lists.query])
    query = lists.query[counts]
    bound = np.minimum(n_relevant, n_irrelevant)[query]
    lowest, spread = (lists.above - above)[counts], (lists.tied - tied)[counts]
    blame = _mean_of_minimum(lowest, spread, bound)
    worth = 1 - blame / np.maximum(bound, 1)
    return divide(lists.sum(query, worth), n_relevant)


@metric(bpref, unjudged="needed", range=ZERO_TO_ONE)
@explained
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
    rows = y_true, y_score, groups, sample_weight
    own = {"average": average, "min_relevance": min_relevance}
    return mean_score(bpref_score, rows, own, ties, replace_undefined_by)


def _mean_of_minimum(lowest: np.ndarray, spread: np.ndarray, bound: np.ndarray) -> Any:
    """Return the mean of min(x, bound) over x = lowest, ..., lowest + spread.

    Among `spread` tied irrelevant rows a relevant one is as likely to stand at each of the
    spread + 1 places.
    """
    below = np.clip(bound - lowest, 0, spread + 1)
    total = below * lowest + below * (below - 1) / 2 + (spread + 1 - below) * bound
    return total / (spread + 1)


# Inferred average precision, where a sample of the pool is judged.

# As in trec_eval: without judged items a precision is one half.
EPSILON = 1e-5


def infap(lists: RankedLists, min_relevance: MinRelevance) -> Any:
    """Return inferred average precision per query.

    A relevant row of a tie group is equally likely to be the first, second, ... of the
    judged rows. The precision above the row depends on this number only.
    """
    _check_ties(lists)
    places = lists.places(None, min_relevance)
    pool = _find_pool(lists, places)
    n_judged = pool.judged_tied + 1
    total = np.empty(len(n_judged))
    for first, last in cut_runs(starts_of(n_judged), TIED_PLACES):
        run = slice(first, last)
        total[run] = _sum_over_numbers(places, pool, run)
    worth = lists.sum(places.block_query, places.n_hits / n_judged * total)
    return divide(worth, lists.n_relevant(min_relevance))


@metric(infap, unjudged="needed", range=ZERO_TO_ONE)
@explained
def inferred_average_precision_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    pooled: ArrayLike | None = None,
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Inferred average precision (infAP), from judgments of a random part of a pool.

    Higher is better; 1 (less some 0.00001) means that the relevant items come first.
    Unjudged items in the pool (``y_true`` NaN) count as relevant in the proportion of the
    judged ones above the same place. The precision at a relevant item of rank i, with p
    items of the pool above it, r of them judged relevant and n judged irrelevant, is
    inferred as

    .. math:: \frac{1}{i} \left( 1 + p \, \frac{r + \epsilon}{r + n + 2 \epsilon}
              \right), \quad \epsilon = 0.00001

    and the sum over all retrieved relevant items is divided by the number of all of them.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Grades, 0 or more; above 0 is relevant, NaN is unjudged. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    pooled : array-like of bool, shape (n_rows,) or (n_queries, n_items), default=None
        Whether a row was in the pool from which the judged ones were drawn. A row outside
        takes its rank and must not be relevant. If None, all rows were.
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
        For bad input, see :ref:`errors`; and if ``pooled`` has a different shape than
        ``y_true``, leaves a relevant row out, or leaves any row out while ``ties`` is
        "worst" or "best".
    TypeError
        If ``pooled`` holds anything but booleans.

    See Also
    --------
    mean_average_precision_score : With complete judgments the same, without the epsilon.
    bpref_score : Skips unjudged items.
    judged_at_k_score : How complete the judgments are.

    Notes
    -----
    Undefined (NaN) for a query without relevant items. It is `infAP` of trec_eval, where
    a negative judgment is in the pool and unjudged (NaN here) and a document without a line
    is outside the pool (-0.0 here, as :mod:`sklearn_rank.inputs` marks it, or ``pooled``
    False). It raises a ValueError for input of relevant items only.

    Under ties it is exact: a relevant row is as likely to be the first, second, ... of the
    judged rows tied with it, and given that number the inferred precision is linear in all
    others. If tied rows were never in the pool, an unjudged row above can raise the value.
    The worst and the best order are then unknown, and these ``ties`` raise an error.

    References
    ----------
    .. [1] E. Yilmaz, J. A. Aslam, "Estimating average precision with incomplete and
       imperfect judgments", CIKM 2006.

    Examples
    --------
    >>> from sklearn_rank.metrics import inferred_average_precision_score
    >>> nan = float("nan")
    >>> score = inferred_average_precision_score(
    ...     [1, nan, 0, 1, 0], [5, 4, 3, 2, 1], groups=["q"] * 5
    ... )
    >>> round(score, 4)  # (1 + (1 + 3 * 1 / 2) / 4) / 2
    0.8125
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"pooled": pooled, "min_relevance": min_relevance}
    return mean_score(
        inferred_average_precision_score, rows, own, ties, replace_undefined_by
    )


def _check_ties(lists: RankedLists) -> None:
    """Raise if the order by grade may not be the worst or best one."""
    if lists.settled is not None and lists.never_pooled is not None:
        order = "best" if lists.settled.best_first else "worst"
        raise ValueError(
            f"`ties` is {order!r}, which is not known where some rows were never in the "
            "pool: below such a row an unjudged one can raise the inferred precision. "
            "Choose ties='average' or ties='first'."
        )


def _sum_over_numbers(places: Places, pool: _Pool, run: slice) -> np.ndarray:
    """Return the sum of precision over the numbers of a row in each of some tie groups."""
    judged_tied = pool.judged_tied[run]
    block, number, inverse, unchosen = ranks_of_chosen(
        places.size[run], judged_tied + 1, places.block_above[run]
    )
    relevant = places.hits_above[run][block] + number * pool.share_relevant[run][block]
    judged = number + pool.judged_above[run][block]
    precision = (relevant + EPSILON) / (judged + 2 * EPSILON)
    in_pool = (judged + pool.unjudged_above[run][block]) * inverse
    in_pool += pool.share_pooled[run][block] * unchosen
    return np.bincount(block, inverse + precision * in_pool)


class _Pool(NamedTuple):
    """The pool above and beside a relevant row: one value for each tie group."""

    judged_above: np.ndarray  # judged rows in tie groups above
    unjudged_above: np.ndarray  # rows in tie groups above, in the pool without judgment
    judged_tied: np.ndarray  # other judged rows of the tie group
    share_relevant: np.ndarray  # of these
    share_pooled: np.ndarray  # of the unjudged rows of the tie group


def _find_pool(lists: RankedLists, places: Places) -> _Pool:
    unjudged, outside = lists.is_unjudged(), lists.never_pooled
    outside = np.zeros_like(unjudged) if outside is None else outside
    top = places.rows[places.top]
    unjudged_above, unjudged_tied = (count[top] for count in lists.count_around(unjudged))
    outside_above, outside_tied = (count[top] for count in lists.count_around(outside))
    judged_tied = places.size - unjudged_tied - 1
    return _Pool(
        judged_above=lists.above[top] - unjudged_above,
        unjudged_above=unjudged_above - outside_above,
        judged_tied=judged_tied,
        share_relevant=(places.n_hits - 1) / np.maximum(judged_tied, 1),
        share_pooled=1 - outside_tied / np.maximum(unjudged_tied, 1),
    )
