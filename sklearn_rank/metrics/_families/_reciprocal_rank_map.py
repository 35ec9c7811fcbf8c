"""Metrics of the ranks of relevant items: reciprocal rank, average precision."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from sklearn_rank._base._runs import accumulate_within, ranges
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._places import first_hits, precision_at_hit
from sklearn_rank._ranking._ranked_lists import (
    Places,
    RankedLists,
    defined_where_relevant,
    divide,
)
from sklearn_rank._ranking._tied_ranks import hypergeometric
from sklearn_rank.metrics._core._evaluate import mean_score, metric
from sklearn_rank.metrics._core._parameters import ZERO_TO_ONE, Cutoff, MinRelevance, Range
from sklearn_rank.metrics._families._precision_recall import expected_hits, most_hits
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Ties, Undefined

__all__ = ["mean_average_precision_score", "mean_rank_score", "mean_reciprocal_rank_score"]


def precision_over_hits(
    lists: RankedLists, k: int | None, min_relevance: float | None
) -> np.ndarray:
    """Return the mean of precision over the hits among the first k ranks, per query."""
    places = lists.places(k, min_relevance)
    is_cut = places.length < places.size
    inside = ~is_cut[places.block]
    total = lists.sum(places.query[inside], precision_at_hit(places)[inside])
    hits = expected_hits(lists, k, min_relevance)
    score = np.where(hits > 0, total / np.where(hits > 0, hits, 1), 0.0)
    cut = np.flatnonzero(is_cut)
    if len(cut):
        # The cutoff divides a tie group: the number of hits, the denominator, is random.
        query = places.block_query[cut]
        score[query] = _mean_over_cut_groups(places, cut, total[query])
    if lists.settled is not None:
        _put_extremes(score, lists, k, min_relevance)
    return score


def _mean_over_cut_groups(places: Places, cut: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Return the expected score of queries whose last tie group is divided by the cutoff.

    Given h hits among the m places above the cutoff, all their positions are equally
    likely: place j = 0, 1, ... of these holds a hit with probability h / m, with
    j · (h - 1) / (m - 1) expected hits of the tie group above it.
    """
    drawn = places.length[cut]
    case, hits, probability = hypergeometric(places.size[cut], places.n_hits[cut], drawn)
    above = places.hits_above[cut]
    # Sums of 1 / rank and of offset / rank over the ranks of the tie group.
    block, offset = np.repeat(np.arange(len(cut)), drawn), ranges(0, drawn)
    rank = places.block_above[cut][block] + 1 + offset
    inverse, ramp = (np.bincount(block, x / rank, len(cut)) for x in (1, offset))
    pairs = (hits - 1) / np.maximum(drawn[case] - 1, 1)
    of_block = hits / drawn[case] * ((above[case] + 1) * inverse[case] + pairs * ramp[case])
    n_hits = above[case] + hits
    expected = (total[case] + of_block) / np.maximum(n_hits, 1) * probability
    return np.bincount(case, expected, len(cut))


def _put_extremes(
    score: np.ndarray, lists: RankedLists, k: int | None, min_relevance: float | None
) -> None:
    """Put the lowest or highest score of all orders where the cutoff divides tied rows.

    Above these rows the order by grade is the extreme one, for the number of hits is the
    same in all orders. One more hit among them can make the mean lower or higher.
    """
    assert lists.settled is not None
    tied = lists.as_tied().places(k, min_relevance)
    cut = np.flatnonzero(tied.length < tied.size)
    if len(cut) == 0:
        return
    query, top, length = tied.block_query[cut], tied.block_above[cut], tied.length[cut]
    places = lists.places(k, min_relevance)
    end = np.zeros(len(score), dtype=np.intp)
    end[query] = top
    inside = places.rank <= end[places.query]
    total = lists.sum(places.query[inside], precision_at_hit(places)[inside])[query]
    most = np.minimum(tied.n_hits[cut], length)
    fewest = np.maximum(tied.n_hits[cut] - (tied.size[cut] - length), 0)
    case, hits = np.repeat(np.arange(len(cut)), most + 1), ranges(0, most + 1)
    above = tied.hits_above[cut][case]
    if lists.settled.best_first:
        # The hits are on top, and one more is below the others.
        added = (above + hits) / np.maximum(top[case] + hits, 1)
    else:
        # They are at the bottom, and one more is above the others: each gains one.
        inverse = np.where(hits > 0, 1 / (top[case] + length[case] - hits + 1), 0)
        gains = accumulate_within(np.add, inverse, most + 1)
        added = (above + 1) * inverse + np.append(0, gains[:-1])
    added[hits == 0] = 0
    total = total[case] + accumulate_within(np.add, added, most + 1)
    mean = total / np.maximum(above + hits, 1)
    possible = np.flatnonzero(hits >= fewest[case])
    first = np.searchsorted(case[possible], np.arange(len(cut)))
    extreme = np.maximum if lists.settled.best_first else np.minimum
    score[query] = extreme.reduceat(mean[possible], first)


def mrr(lists: RankedLists, k: Cutoff, min_relevance: MinRelevance) -> Any:
    """Return the expected reciprocal rank of the first relevant item, per query."""
    places = lists.places(k, min_relevance)
    query, rank, chance = first_hits(places)
    return defined_where_relevant(lists.sum(query, chance / rank), lists, min_relevance)


@metric(mrr, range=ZERO_TO_ONE)
@explained
def mean_reciprocal_rank_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Cutoff = None,
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Mean reciprocal rank (MRR) of each query's first relevant item.

    Higher is better; 1 means that every list begins with a relevant item. A query whose
    first ``k`` ranks hold no relevant item scores 0.

    .. math:: RR = \frac{1}{\min \{i \le k : \text{item at rank } i \text{ is relevant}\}}

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
    mean_average_precision_score : Counts all relevant items, not only the first.

    Notes
    -----
    Undefined (NaN) for a query without relevant items.

    References
    ----------
    .. [1] E. M. Voorhees, "The TREC-8 Question Answering Track Report", TREC 1999.

    Examples
    --------
    >>> from sklearn_rank.inputs import from_relevance
    >>> from sklearn_rank.metrics import mean_reciprocal_rank_score
    >>> lists = from_relevance([[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    >>> round(mean_reciprocal_rank_score(**lists), 4)  # (1/3 + 1/2 + 1) / 3
    0.6111
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"k": k, "min_relevance": min_relevance}
    return mean_score(mean_reciprocal_rank_score, rows, own, ties, replace_undefined_by)


def map_(
    lists: RankedLists,
    k: Cutoff,
    denominator: Literal["attainable", "relevant", "retrieved", "k"],
    min_relevance: MinRelevance,
) -> Any:
    """Return average precision per query."""
    if denominator == "retrieved":
        score = precision_over_hits(lists, k, min_relevance)
        return defined_where_relevant(score, lists, min_relevance)
    places = lists.places(k, min_relevance)
    total = lists.sum(places.query, precision_at_hit(places))
    if denominator == "k":
        return defined_where_relevant(total / lists.cutoff(k), lists, min_relevance)
    return divide(total, most_hits(lists, k, denominator, min_relevance))


def _improves_by(denominator: str) -> str:
    # With one more hit, the mean over hits may be lower.
    return "none" if denominator == "retrieved" else "any"


@metric(map_, "map", improves_by=_improves_by, range=ZERO_TO_ONE)
@explained
def mean_average_precision_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Cutoff = None,
    denominator: Literal["attainable", "relevant", "retrieved", "k"] = "attainable",
    average: Literal["arithmetic", "geometric"] = "arithmetic",
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Mean average precision (MAP): precision at the ranks of the relevant items.

    Higher is better; 1 means that the relevant items come first. Average precision of a
    query is

    .. math:: AP@k = \frac{1}{D} \sum_{i=1}^{k} [\text{item at rank } i \text{ is relevant}]
              \cdot P@i

    where four denominators D are in use, with R relevant items, retrieved or not:

    - ``"attainable"``: min(R, k), so that the best list scores 1 (Kaggle, Spark, XGBoost);
    - ``"relevant"``: R (trec_eval, ranx);
    - ``"retrieved"``: the relevant items among the first ``k`` (torchmetrics); it ignores
      those that were missed, and rewards short lists;
    - ``"k"``: k, so that a query with fewer relevant items cannot reach 1.

    Without ``k`` the first two are the same.

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
    denominator : {"attainable", "relevant", "retrieved", "k"}, default="attainable"
        Divide by min(R, k), by R, by the number of relevant items among the first ``k``,
        or by ``k``, which is the number of retrieved items if None.
    average : {"arithmetic", "geometric"}, default="arithmetic"
        Mean over the queries. The geometric one (GMAP) stresses queries that do badly;
        values below 0.00001 count as 0.00001, as in trec_eval.
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
    mean_reciprocal_rank_score : Counts only the first relevant item.
    sklearn.metrics.average_precision_score : One list, as the area under a step curve.

    Notes
    -----
    Undefined (NaN) for a query without relevant items. A query whose relevant items are not
    retrieved scores 0. With ``denominator="retrieved"`` one more hit can lower the value,
    so ``ties="worst"`` and ``"best"`` are the lowest and highest of all orders of the tied
    rows, and need not be orders by grade.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze, "Introduction to Information
       Retrieval", section 8.4, Cambridge University Press, 2008.

    Examples
    --------
    >>> from sklearn_rank.metrics import mean_average_precision_score
    >>> y_true = [0, 1, 0, 1, 0]
    >>> y_score = [5, 4, 3, 2, 1]
    >>> mean_average_precision_score(y_true, y_score, groups=["q"] * 5)
    0.5
    """
    rows = y_true, y_score, groups, sample_weight
    own = {
        "k": k,
        "denominator": denominator,
        "average": average,
        "min_relevance": min_relevance,
    }
    return mean_score(mean_average_precision_score, rows, own, ties, replace_undefined_by)


def mean_rank(lists: RankedLists, percentile: bool, min_relevance: MinRelevance) -> Any:
    """Return the mean rank of the relevant items, per query."""
    rows = np.flatnonzero(lists.is_relevant(min_relevance))
    rank = lists.above[rows] + (lists.tied[rows] + 1) / 2
    n_relevant = lists.n_relevant(min_relevance)
    mean = divide(lists.sum(lists.query[rows], rank), n_relevant)
    return (mean - 1) / np.maximum(lists.n_items - 1, 1) if percentile else mean


def _range_of_rank(percentile: bool) -> Range:
    return ZERO_TO_ONE if percentile else Range(1.0, np.inf, "the number of items")


@metric(mean_rank, range=_range_of_rank, lower_is_better=True, all_items=True)
@explained
def mean_rank_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    percentile: bool = False,
    min_relevance: MinRelevance = None,
    n_items: int | None = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Mean rank of the relevant items.

    Lower is better; the optimum for R relevant items is (R + 1) / 2, so 1 where each query
    has one.

    .. math:: \frac{1}{R} \sum_{r \text{ relevant}} \text{rank}(r)

    With ``percentile=True`` it is the mean percentile rank: each rank less 1 is divided by
    the number of the other items, so that 0 is the top of the list and 1 its end.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    percentile : bool, default=False
        Whether to divide the ranks, counted from 0, by the length of the list less 1.
    min_relevance : float, default=None
        Lowest grade that is relevant. If None, any grade greater than 0.
    n_items : int, default=None
        Size of the catalogue, if lists do not have all items: items without a row tie below
        all others. If None, the rows of each query are all its items.
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
        For bad input, see :ref:`errors`; and if lists end and ``n_items`` is missing, or
        less than the rows of a query.

    See Also
    --------
    mean_reciprocal_rank_score : Less sensitive to items far down.

    Notes
    -----
    Undefined (NaN) for a query without relevant items. Items that were not retrieved
    share the ranks below the list: each has the mean of the ranks that are left.

    References
    ----------
    .. [1] A. Bordes et al., "Translating embeddings for modeling multi-relational data",
       NeurIPS 2013, where it judges link prediction.
    .. [2] Y. Hu, Y. Koren, C. Volinsky, "Collaborative filtering for implicit feedback
       datasets", ICDM 2008, for percentiles, there weighted by the feedback of all users.

    Examples
    --------
    >>> from sklearn_rank.metrics import mean_rank_score
    >>> rows = {"y_true": [0, 1, 0, 1, 0], "y_score": [5, 4, 3, 2, 1], "groups": ["q"] * 5}
    >>> mean_rank_score(**rows), mean_rank_score(**rows, percentile=True)
    (3.0, 0.5)
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"percentile": percentile, "min_relevance": min_relevance, "n_items": n_items}
    return mean_score(mean_rank_score, rows, own, ties, replace_undefined_by)
