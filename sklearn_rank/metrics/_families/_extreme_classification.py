"""Metrics of extreme classification, weighted by inverse propensity: ratios of sums."""

from __future__ import annotations

from typing import Annotated, Any, Unpack

import numpy as np

from sklearn_rank._base._validation import Real
from sklearn_rank._ranking._ranked_lists import RankedLists, divide
from sklearn_rank._ranking._rows import SideColumn
from sklearn_rank.metrics._core._evaluate import metric
from sklearn_rank.metrics._core._keywords import Threshold
from sklearn_rank.metrics._core._parameters import Cutoff, MinRelevance
from sklearn_rank.metrics._core._side_columns import Column, read_numbers
from sklearn_rank.metrics._core._summaries import Ratio
from sklearn_rank.metrics._families._cumulative_gain import discounts
from sklearn_rank.typing import Matrix

__all__ = ["propensity_scored_ndcg_at_k_score", "propensity_scored_precision_at_k_score"]


Clip = Annotated[
    float | None,
    Real("a number in (0, 1] or None", above=0, most=1, or_none=True),
]

# The sum of the inverses of smaller propensities may be infinite.
_LEAST_PROPENSITY = 1e-100


def _read_propensity(values: Any, name: str, shape: tuple[int, ...]) -> SideColumn:
    """Return the propensities: one per row, or in the 2-D form one per item."""
    propensity = read_numbers(values, name, shape).values
    # What np.broadcast_to repeats is read once.
    once = tuple(slice(None) if stride else slice(1) for stride in propensity.strides)
    wrong = ~((propensity[once] > 0) & (propensity[once] <= 1))
    if wrong.any():
        place = tuple(map(int, np.argwhere(wrong)[0]))
        where = place[0] if len(place) == 1 else place
        raise ValueError(
            f"`{name}` has {int(wrong.sum())} value(s) outside (0, 1], the first at "
            f"{where} ({propensity[place]}); it is the probability that a relevant row is "
            "observed as relevant."
        )
    return SideColumn(propensity)


PROPENSITY = Column(
    "propensity",
    "the probability that a relevant row is observed",
    _read_propensity,
    example=lambda grades: np.full(len(grades), 0.5),
)


def inverse_propensity(lists: RankedLists, clip: float | None) -> np.ndarray:
    """Return the weight of each nonzero row."""
    of_row = lists.column("propensity").astype(np.float64)
    least = of_row.min(initial=1.0)
    if max(least, clip or 0) < _LEAST_PROPENSITY:
        raise ValueError(
            f"`propensity` has the value {least}, whose inverse is too large a weight to "
            "be added to others; set `clip`, for example to 0.01."
        )
    return 1 / np.maximum(of_row, clip or 0)


def psp(lists: RankedLists, k: Cutoff, clip: Clip, min_relevance: MinRelevance) -> Any:
    """Return the gain of the first k ranks over the highest possible, and the latter."""
    weight = _relevant_weights(lists, clip, min_relevance)
    places = lists.places(k, min_relevance)
    found = lists.sum(places.query, places.share(weight))
    whole = lists.whole()
    query, best, _ = whole.ideal_list(_relevant_weights(whole, clip, min_relevance), k)
    most = lists.sum(query, best)
    # A row without relevant labels is undefined; its weight is not 0.
    return np.minimum(divide(found, most), 1), np.where(most > 0, most, np.nan)


@metric(psp, columns=(PROPENSITY,), summary=Ratio())
def propensity_scored_precision_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    propensity: Matrix,
    k: Cutoff = 5,
    clip: Clip = None,
    **common: Unpack[Threshold],
) -> float:
    r"""Propensity-scored precision at ``k`` (PSP) of extreme classification.

    Higher is better; 1 means that the first ``k`` ranks of each row hold its rarest labels.
    A relevant label with propensity p counts 1 / p, and over all rows together

    .. math:: PSP@k = \frac{\sum_q \sum_{l \text{ relevant, in the first } k} 1 / p_l}
              {\sum_q \max_{|S| \le k} \sum_{l \text{ relevant, in } S} 1 / p_l}

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    propensity : array-like of shape (n_rows,), (n_items,) or (n_queries, n_items)
        Probability, above 0 and up to 1, that a relevant row of this kind is observed as
        relevant. In the 1-D form one value per row; in the 2-D form one per item, or one
        per cell in the shape of ``y_true``.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    k : int or None, default=5
        Cutoff: ranks below it do not count. None takes the whole list.
    clip : float, default=None
        Lower bound: smaller propensities are raised to it, which limits the weights to its
        inverse and trades a small bias for much variance. None: no bound.
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
        Ratio of two sums over the queries; NaN if undefined for all of them.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if a propensity is not in (0, 1].

    See Also
    --------
    label_propensity : Propensities from the counts of labels.
    propensity_scored_ndcg_at_k_score : The same with discounted ranks.
    ips_recall_at_k_score : A mean over queries.

    Notes
    -----
    The value of a query is its quotient, and its weight is the denominator. The result is
    therefore the ratio of sums that pyxclib and napkinXC report, not a mean of quotients:
    there a query with one common label would count as much as one with many rare ones. A
    query without relevant items adds nothing, whatever ``replace_undefined_by`` is.

    References
    ----------
    .. [1] H. Jain, Y. Prabhu, M. Varma, "Extreme multi-label loss functions for
       recommendation, tagging, ranking & other missing label applications", KDD 2016.

    Examples
    --------
    >>> from sklearn_rank.metrics import propensity_scored_precision_at_k_score
    >>> propensity = [1 / 4, 1 / 5, 1 / 6, 1, 1 / 2, 1 / 3]
    >>> y_true, y_score = [[1, 1, 1, 1, 1, 1]], [[0, 0, 0, 1, 1, 1]]
    >>> score = propensity_scored_precision_at_k_score(
    ...     y_true, y_score, propensity=propensity, k=3
    ... )
    >>> round(score, 4)  # (1 + 2 + 3) / (4 + 5 + 6)
    0.4
    """


def psndcg(lists: RankedLists, k: Cutoff, clip: Clip, min_relevance: MinRelevance) -> Any:
    """Return the weighted DCG over its best value, and that over the plain ideal."""
    weight = _relevant_weights(lists, clip, min_relevance)
    places = lists.places(k, min_relevance)
    found = lists.sum(places.query, places.share(weight) * discounts("log", 2, places.rank))
    whole = lists.whole()
    most = _best_dcg(whole, _relevant_weights(whole, clip, min_relevance), k)
    plain = _best_dcg(whole, whole.is_relevant(min_relevance).astype(np.float64), k)
    return np.minimum(divide(found, most), 1), divide(most, plain)


@metric(psndcg, columns=(PROPENSITY,), summary=Ratio())
def propensity_scored_ndcg_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    propensity: Matrix,
    k: Cutoff = 5,
    clip: Clip = None,
    **common: Unpack[Threshold],
) -> float:
    r"""Propensity-scored nDCG at ``k`` (PSnDCG) of extreme classification.

    Higher is better; 1 means that the first ``k`` ranks of each row hold its rarest labels,
    the rarest first. With propensities p and R relevant labels a row has

    .. math:: D = \frac{\sum_{i \le k} [\text{relevant}] / (p_i \log_2(i + 1))}
              {\sum_{i \le \min(k, R)} 1 / \log_2(i + 1)}

    and the score is the sum of D over all rows divided by that of its best values.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    propensity : array-like of shape (n_rows,), (n_items,) or (n_queries, n_items)
        Probability, above 0 and up to 1, that a relevant row of this kind is observed as
        relevant. In the 1-D form one value per row; in the 2-D form one per item, or one
        per cell in the shape of ``y_true``.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    k : int or None, default=5
        Cutoff: ranks below it do not count. None takes the whole list.
    clip : float, default=None
        Lower bound: smaller propensities are raised to it, which limits the weights to its
        inverse and trades a small bias for much variance. None: no bound.
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
        Ratio of two sums over the queries; NaN if undefined for all of them.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if a propensity is not in (0, 1].

    See Also
    --------
    label_propensity : Propensities from the counts of labels.
    propensity_scored_precision_at_k_score : The same without discounts.
    ips_ndcg_score : A mean over queries.

    Notes
    -----
    The value of a query is its quotient, and its weight is the denominator. The result is
    therefore the ratio of sums that pyxclib and napkinXC report, not a mean of quotients:
    there a query with one common label would count as much as one with many rare ones. A
    query without relevant items adds nothing, whatever ``replace_undefined_by`` is.

    References
    ----------
    .. [1] H. Jain, Y. Prabhu, M. Varma, "Extreme multi-label loss functions for
       recommendation, tagging, ranking & other missing label applications", KDD 2016.

    Examples
    --------
    >>> from sklearn_rank.metrics import propensity_scored_ndcg_at_k_score
    >>> y_true, y_score = [[1, 0, 1], [0, 1, 0]], [[3, 2, 1], [3, 2, 1]]
    >>> score = propensity_scored_ndcg_at_k_score(
    ...     y_true, y_score, propensity=[0.5, 1, 0.25], k=2
    ... )
    >>> round(score, 4)
    0.4394
    """


def _relevant_weights(
    lists: RankedLists, clip: float | None, min_relevance: float | None
) -> np.ndarray:
    """Return the weight of each row, 0 where it is not relevant."""
    weight = inverse_propensity(lists, clip)
    return np.where(lists.is_relevant(min_relevance), weight, 0.0)


def _best_dcg(lists: RankedLists, weight: np.ndarray, k: int | None) -> np.ndarray:
    """Return the DCG of the best order of these weights, per query."""
    query, best, rank = lists.ideal_list(weight, k)
    return lists.sum(query, best * discounts("log", 2, rank))
