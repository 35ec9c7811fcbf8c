"""Expected exposure: whether items of equal relevance get equal attention."""

from __future__ import annotations

from typing import Any, NamedTuple, Unpack

import numpy as np

from sklearn_rank._base._exact_sum import sums_within
from sklearn_rank._base._runs import begins_run
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank.metrics._core._evaluate import metric
from sklearn_rank.metrics._core._keywords import Shown
from sklearn_rank.metrics._core._parameters import Range, Share
from sklearn_rank.metrics._families._cumulative_gain import (
    Attention,
    attention,
    mean_attention,
)
from sklearn_rank.typing import Matrix

__all__ = [
    "expected_exposure_disparity_score",
    "expected_exposure_loss_score",
    "expected_exposure_relevance_score",
]


def exposure_of_rows(
    lists: RankedLists, discount: Attention, persistence: float
) -> np.ndarray:
    """Return the attention that each row is expected to get."""
    places = lists.every_place(None)
    exposure = np.zeros(len(lists.row))
    exposure[places.rows] = mean_attention(places, discount, persistence)[places.row_block]
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
    beside: np.ndarray  # of each query: squares of what its other cells deserve


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
    n_graded = lists.sum(lists.query[grade > 0])
    ranks = np.arange(1, int(lists.n_items.max()) + 1)
    until = np.append(0.0, np.cumsum(attention(discount, persistence, ranks)))
    n_zeros = np.maximum(lists.n_items - n_graded, 1)
    of_zero = (until[lists.n_items] - until[n_graded]) / n_zeros
    deserved = np.where(grade > 0, deserved, of_zero[lists.query])
    return _Exposures(got, deserved, n_others * of_zero**2)


def expected_exposure_loss(
    lists: RankedLists, discount: Attention, persistence: Share
) -> Any:
    """Return the squared distance of exposure from equal exposure, per query."""
    found = _exposures(lists, discount, persistence)
    return _sum_retrieved(lists, (found.got - found.deserved) ** 2) + found.beside


def expected_exposure_disparity(
    lists: RankedLists, discount: Attention, persistence: Share
) -> Any:
    """Return the sum of squared exposures, per query."""
    return _sum_retrieved(lists, _exposures(lists, discount, persistence).got ** 2)


def expected_exposure_relevance(
    lists: RankedLists, discount: Attention, persistence: Share
) -> Any:
    """Return the sum of products of exposure and equal exposure, per query."""
    found = _exposures(lists, discount, persistence)
    return _sum_retrieved(lists, found.got * found.deserved)


def _sum_retrieved(lists: RankedLists, values: np.ndarray) -> np.ndarray:
    """Return the sum per query; rows that are not retrieved have no order."""
    return sums_within(lists.query, values, lists.n_queries)


@metric(
    expected_exposure_loss,
    "eel",
    rows="all",
    lower_is_better=True,
    range=Range(0.0, np.inf, "the distance of the most unequal exposure"),
)
def expected_exposure_loss_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    discount: Attention = "geometric",
    persistence: Share = 0.5,
    **common: Unpack[Shown],
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


@metric(
    expected_exposure_disparity,
    "eed",
    rows="all",
    lower_is_better=True,
    range=Range(0.0, np.inf, "the sum of squares of the exposure of one order"),
)
def expected_exposure_disparity_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    discount: Attention = "geometric",
    persistence: Share = 0.5,
    **common: Unpack[Shown],
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


@metric(
    expected_exposure_relevance,
    "eer",
    rows="all",
    range=Range(0.0, np.inf, "the sum of squares of exposure by relevance"),
)
def expected_exposure_relevance_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    discount: Attention = "geometric",
    persistence: Share = 0.5,
    **common: Unpack[Shown],
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
