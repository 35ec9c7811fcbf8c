"""Q-measure: average precision that sees grades."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_rank._base._runs import accumulate_within
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._places import chance_of_another, expect_at_hit
from sklearn_rank._ranking._ranked_lists import Places, RankedLists, divide
from sklearn_rank.metrics._core._evaluate import mean_score, metric
from sklearn_rank.metrics._core._parameters import ZERO_TO_ONE, Beta, Cutoff
from sklearn_rank.metrics._families._cumulative_gain import power_of_query
from sklearn_rank.metrics._families._precision_recall import most_hits
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Ties, Undefined

__all__ = ["q_measure_score"]


def q_measure(lists: RankedLists, k: Cutoff, beta: Beta) -> Any:
    """Return the Q-measure per query."""
    places = lists.places(k)
    grade, unit = _scale_grades(lists)
    worth = _reward(grade, unit, places, beta)
    rank = places.rank
    if unit is not None:
        rank = rank * places.spread(unit[places.block_query])
    worth /= rank + beta * _ideal_gains(lists, places)
    most = most_hits(lists, k, "attainable", None)
    return np.minimum(divide(lists.sum(places.query, worth), most), 1)  # rounded


# A row of a low grade may leave a rank with a high cumulative gain.
@metric(q_measure, improves_by="highest", range=ZERO_TO_ONE)
@explained
def q_measure_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Cutoff = None,
    beta: Beta = 1.0,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Q-measure: average precision blended with cumulative gain.

    Higher is better; 1 means that the items are in order of their grades. With R relevant
    items, :math:`C(i)` relevant items and cumulative gain :math:`cg(i)` down to rank i, and
    :math:`cg^*(i)` that of the best order,

    .. math:: Q@k = \frac{1}{\min(R, k)} \sum_{i=1}^{k}
              [\text{item at rank } i \text{ is relevant}] \cdot
              \frac{C(i) + \beta\, cg(i)}{i + \beta\, cg^*(i)}

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
    beta : float, default=1.0
        Weight of cumulative gain against the count of relevant items; 0 or more, and near
        0 it is average precision.
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
    mean_average_precision_score : The limit of small ``beta``.
    ndcg_score : Discounts by rank instead.

    Notes
    -----
    Undefined (NaN) for a query without relevant items.

    References
    ----------
    .. [1] T. Sakai, "New performance metrics based on multigrade relevance: their
       application to question answering", NTCIR-4, 2004.

    Examples
    --------
    >>> from sklearn_rank.metrics import q_measure_score
    >>> score = q_measure_score([0, 2, 1], [3, 2, 1], groups=["q"] * 3)
    >>> round(score, 4)  # ((1 + 2) / (2 + 3) + (2 + 3) / (3 + 3)) / 2
    0.7167
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"k": k, "beta": beta}
    return mean_score(q_measure_score, rows, own, ties, replace_undefined_by)


def _scale_grades(lists: RankedLists) -> tuple[np.ndarray, np.ndarray | None]:
    """Return grades, and for each query the number that replaces 1 (if None, it is 1).

    Both are divided by a power of two where sums of large grades would overflow.
    """
    full = lists.whole()
    exponent = power_of_query(full, full.grade)
    if exponent is None:
        return lists.grade, None
    exponent = np.maximum(exponent, 0)
    with np.errstate(under="ignore"):
        return np.ldexp(lists.grade, -exponent[lists.query]), np.ldexp(1.0, -exponent)


def _reward(
    grade: np.ndarray, unit: np.ndarray | None, places: Places, beta: float
) -> np.ndarray:
    """Return [relevant item here] × (hits + beta × gain down to here), in expectation."""
    gain = np.bincount(places.row_block, grade[places.rows], len(places.block_query))
    blocks_of_query = np.bincount(places.block_query)
    total = accumulate_within(np.add, gain, blocks_of_query[blocks_of_query > 0])
    size, n_hits = places.size, places.n_hits
    hit_value = 1 if unit is None else unit[places.block_query]
    own = hit_value * n_hits + beta * gain
    above = hit_value * places.hits_above + beta * (total - gain)
    # A hit here and one, or its gain, at each place of the tie group above: pairs of rows.
    another = own / size * chance_of_another(places)
    return expect_at_hit(places, (n_hits * above + own) / size, another)


def _ideal_gains(lists: RankedLists, places: Places) -> np.ndarray:
    """Return the best cumulative gain at the rank of each place."""
    lists = lists.whole()
    _, best, _ = lists.ideal_list(_scale_grades(lists)[0], None)
    n_nonzero = lists.sum(lists.query)
    ideal = accumulate_within(np.add, best, n_nonzero[n_nonzero > 0])
    last = np.minimum(places.rank, places.spread(n_nonzero[places.block_query]))
    first = lists.starts[:-1]
    last += places.spread(first[places.block_query] - 1)
    return ideal[last]
