"""Metrics of a user who wants a given amount of gain: INSQ and INST."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import Annotated, Any

import numpy as np

from sklearn_rank._base._runs import accumulate_within, starts_of
from sklearn_rank._base._validation import Real
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._ranked_lists import (
    Places,
    RankedLists,
    defined_where_relevant,
    divide,
)
from sklearn_rank._ranking._rows import QueryError
from sklearn_rank.metrics._core._evaluate import mean_score, metric
from sklearn_rank.metrics._core._parameters import (
    MOST_TO_SQUARE,
    ZERO_TO_ONE,
    Cutoff,
    MaxGrade,
)
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Ties, Undefined

__all__ = ["insq_score", "inst_score"]


# All orders of tied rows, for a metric whose mean over them has no closed form.

MOST_ORDERS = 10_000

# Its probability, its hits as (rank, gain), and the numbers of rows of each gain left.
Order = tuple[float, tuple[tuple[int, float], ...], tuple[int, ...]]


def list_orders(
    places: Places, gain: np.ndarray, query: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the probability of each order of a query; order, rank and gain of its hits.

    Rows with one score and one gain do not differ, nor do rows below the cutoff.
    """
    orders: list[Order] = [(1.0, (), ())]
    blocks = np.arange(len(places.block_query))[_find_run(places.block_query, query)]
    for block in blocks:
        ranks = places.rank[_find_run(places.block, block)]
        gains = gain[places.rows[_find_run(places.row_block, block)]]
        of_block = _orders_of_tie_group(ranks, int(places.size[block]), gains)
        if len(orders) * len(of_block) > MOST_ORDERS:
            raise QueryError(
                f"Query {{query}} has more than {MOST_ORDERS} orders of tied rows, too "
                "many for ties='average' of a metric without closed form. Break the ties, "
                "set a smaller `k`, or choose ties='worst'.",
                int(query),
            )
        orders = [
            (chance * factor, (*hits, *added), ())
            for chance, hits, _ in orders
            for factor, added, _ in of_block
        ]
    hits = np.array([hit for order in orders for hit in order[1]]).reshape(-1, 2)
    number = np.repeat(np.arange(len(orders)), [len(order[1]) for order in orders])
    return np.array([order[0] for order in orders]), number, hits[:, 0], hits[:, 1]


def _find_run(ascending: np.ndarray, value: int) -> slice:
    """Return where a value is."""
    return slice(*np.searchsorted(ascending, [value, value + 1]))


def _orders_of_tie_group(ranks: np.ndarray, size: int, gains: np.ndarray) -> list[Order]:
    """Return the orders of a tie group, rank by rank, or more than `MOST_ORDERS`."""
    values, counts = np.unique(gains, return_counts=True)
    finished: list[Order] = []
    orders: list[Order] = [(1.0, (), tuple(counts.tolist()))]
    for offset, rank in enumerate(ranks.tolist()):
        left = size - offset
        each = (_extend_order(order, rank, left, values.tolist()) for order in orders)
        longer = list(islice(chain.from_iterable(each), MOST_ORDERS + 1))
        finished += [order for order in longer if not any(order[2])]
        orders = [order for order in longer if any(order[2])]
        if len(finished) + len(orders) > MOST_ORDERS:
            break
    return finished + orders


def _extend_order(
    order: Order, rank: int, rows_left: int, values: list[float]
) -> Iterator[Order]:
    """Yield what may follow: a row without gain, or one of each gain that is left."""
    chance, hits, left = order
    n_without = rows_left - sum(left)
    if n_without:
        yield chance * n_without / rows_left, hits, left
    for index, (value, count) in enumerate(zip(values, left, strict=True)):
        if count:
            fewer = (*left[:index], count - 1, *left[index + 1 :])
            yield chance * count / rows_left, (*hits, (rank, value)), fewer


# Metrics.

DesiredGain = Annotated[
    float, Real("a number >= 0.5, 1e100 at most", least=0.5, most=MOST_TO_SQUARE)
]


def insq(
    lists: RankedLists, k: Cutoff, desired_gain: DesiredGain, max_grade: MaxGrade
) -> Any:
    """Return INSQ per query."""
    from scipy.special import zeta

    share = lists.grade / max_grade
    places = lists.places(k)
    weight = (places.rank + (2 * desired_gain - 1)) ** -2.0 / zeta(2, 2 * desired_gain)
    value = lists.sum(places.query, places.share(share) * weight)
    return defined_where_relevant(value, lists)


@metric(insq, from_data=("max_grade",), unjudged="irrelevant", range=ZERO_TO_ONE)
@explained
def insq_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Cutoff = None,
    desired_gain: DesiredGain = 1.0,
    max_grade: MaxGrade | None = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""INSQ: gain per item of a user who wants ``desired_gain``, with growing patience.

    Higher is better; 1 would be an endless list of items of the highest grade. The more
    items the user wants (T) and the further they have come, the more likely they go on;
    rank i weighs

    .. math:: W_i = \frac{1}{(i + 2T - 1)^2 \, \zeta(2, 2T)}, \quad
              INSQ@k = \sum_{i=1}^{k} W_i \frac{g_i}{g_{max}}

    where the Hurwitz zeta function scales the weights of all ranks to the sum 1.

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
    desired_gain : float, default=1.0
        Gain T that the user hopes for, in items of the highest grade; 0.5 or more.
    max_grade : float, default=None
        Highest possible grade. If None, the highest in ``y_true``.
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
    inst_score : The same for a user who counts what was found.
    rank_biased_precision_score : The same for a user of constant patience.

    Notes
    -----
    Undefined (NaN) for a query without relevant items. Unjudged items count as irrelevant.
    `cwl_eval` cuts the list of weights at rank 1000 and lets these sum to 1: its values are
    higher, with T = 1 by the factor 1.0016.

    References
    ----------
    .. [1] A. Moffat, F. Scholer, P. Thomas, "Models and metrics: IR evaluation as a user
       process", Australasian Document Computing Symposium, 2012.

    Examples
    --------
    >>> from math import pi
    >>> from sklearn_rank.metrics import insq_score
    >>> score = insq_score([0, 1, 0], [3, 2, 1], groups=["q"] * 3)
    >>> round(score, 6), round(1 / 9 / (pi**2 / 6 - 1), 6)
    (0.172283, 0.172283)
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"k": k, "desired_gain": desired_gain, "max_grade": max_grade}
    return mean_score(insq_score, rows, own, ties, replace_undefined_by)


def inst(
    lists: RankedLists, k: Cutoff, desired_gain: DesiredGain, max_grade: MaxGrade
) -> Any:
    """Return INST per query."""
    share = lists.grade / max_grade
    places = lists.places(k)
    several = np.flatnonzero(_has_several_orders(places, share))
    n_queries = len(lists.n_items)
    gain = places.share(share)
    value = _inst_of_hits(places.query, places.rank, gain, n_queries, desired_gain)
    for query in np.unique(places.block_query[several]):
        chance, order, rank, gain = list_orders(places, share, query)
        each = _inst_of_hits(order, rank, gain, len(chance), desired_gain)
        value[query] = chance @ each
    return defined_where_relevant(value, lists)


@metric(inst, from_data=("max_grade",), unjudged="irrelevant", range=ZERO_TO_ONE)
@explained
def inst_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Cutoff = None,
    desired_gain: DesiredGain = 1.0,
    max_grade: MaxGrade | None = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""INST: gain per item of a user who counts up to ``desired_gain``.

    Higher is better; 1 would be an endless list of items of the highest grade. As in INSQ,
    but the user counts: each gain lowers what is still wanted, :math:`T_i = T - (g_1 +
    \dots + g_i) / g_{max}`, and with it the probability of going on from rank i to the next

    .. math:: C_i = \left( \frac{i + T + T_i - 1}{i + T + T_i} \right)^2, \quad
              W_i = \frac{\prod_{j < i} C_j}{\sum_{m=1}^{\infty} \prod_{j < m} C_j}, \quad
              INST@k = \sum_{i=1}^{k} W_i \frac{g_i}{g_{max}}

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
    desired_gain : float, default=1.0
        Gain T that the user hopes for, in items of the highest grade; 0.5 or more.
    max_grade : float, default=None
        Highest possible grade. If None, the highest in ``y_true``.
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
        For bad input, see :ref:`errors`; and if tied rows have more than 10 000 orders.

    See Also
    --------
    insq_score : The same for a user who does not count.
    rank_biased_precision_score : The same for a user of constant patience.

    Notes
    -----
    Undefined (NaN) for a query without relevant items. Unjudged items count as irrelevant,
    and so do items below ``k``. The sum over all ranks is exact: between two relevant items
    the products telescope, and what is left is a difference of two values of the Hurwitz
    zeta function. `cwl_eval` cuts this sum at rank 1000, so that its values are higher,
    mostly by less than 0.2%.

    With ``ties="average"`` the mean has no closed form. It is taken over all
    distinguishable orders of the tied rows, at most 10 000 per query. Break longer ties, or
    choose another value of ``ties``.

    References
    ----------
    .. [1] A. Moffat, P. Bailey, F. Scholer, P. Thomas, "INST: an adaptive metric for
       information retrieval evaluation", Australasian Document Computing Symposium, 2015.

    Examples
    --------
    >>> from math import pi
    >>> from sklearn_rank.metrics import inst_score
    >>> score = inst_score([1, 0, 0], [3, 2, 1], groups=["q"] * 3)
    >>> round(score, 6), round(6 / pi**2, 6)  # weights 1, 1 / 4, 1 / 9, ...
    (0.607927, 0.607927)
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"k": k, "desired_gain": desired_gain, "max_grade": max_grade}
    return mean_score(inst_score, rows, own, ties, replace_undefined_by)


def _has_several_orders(places: Places, gain: np.ndarray) -> np.ndarray:
    """Return which tie groups hold rows of different gain."""
    if len(places.rows) == 0:
        return np.zeros(0, dtype=bool)
    gain = gain[places.rows]
    lowest = np.minimum.reduceat(gain, places.top)
    highest = np.maximum.reduceat(gain, places.top)
    return (places.n_hits < places.size) | (lowest < highest)


def _inst_of_hits(
    query: np.ndarray,
    rank: np.ndarray,
    gain: np.ndarray,
    n_queries: int,
    desired_gain: float,
) -> np.ndarray:
    """Return INST per query, given the hits by query and by rank.

    With c = T + T_i, constant from a hit at rank a to the next, the weight of rank i in
    between is that of rank a times ((a - 1 + c) / (i - 1 + c))**2.
    """
    from scipy.special import zeta

    n_hits = np.bincount(query, minlength=n_queries)
    has_hits = n_hits > 0
    first = starts_of(n_hits)[:-1][has_hits]
    last = first + n_hits[has_hits] - 1
    c = 2 * desired_gain - accumulate_within(np.add, gain, n_hits)
    c_above = _shift(c, first, 2 * desired_gain)
    rank_above = _shift(rank, first, 1)
    fall = ((rank_above - 1 + c_above) / (rank - 1 + c_above)) ** 2
    weight = accumulate_within(np.multiply, fall, n_hits)
    scale_above = _shift(weight, first, 1) * (rank_above - 1 + c_above) ** 2
    begin = _shift(rank, first, 0) + c_above
    between = scale_above * (zeta(2, begin) - zeta(2, rank + c_above))
    below = np.zeros(n_queries)
    scale = weight[last] * (rank[last] - 1 + c[last]) ** 2
    below[has_hits] = scale * zeta(2, rank[last] + c[last])
    total = np.bincount(query, between, n_queries) + below
    gained = np.bincount(query, weight * gain, n_queries)
    return np.where(has_hits, divide(gained, total), 0)


def _shift(values: np.ndarray, first: np.ndarray, initial: float) -> np.ndarray:
    """Return the value before each one, the initial one at the first of each query."""
    before = np.roll(values, 1)
    before[first] = initial
    return before
