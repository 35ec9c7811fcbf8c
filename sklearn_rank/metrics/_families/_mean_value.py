"""Mean of any number of each row over shown items."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np

from sklearn_rank._base._numbers import check_finite
from sklearn_rank._base._validation import FunctionTrial
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank._ranking._rows import SideColumn
from sklearn_rank.metrics._core._evaluate import mean_score
from sklearn_rank.metrics._core._parameters import Cutoff, Range, ShownTies
from sklearn_rank.metrics._core._side_columns import Column, read_numbers
from sklearn_rank.metrics._families._cumulative_gain import Discount, check_discount
from sklearn_rank.metrics._families._shown_items import (
    mean_of_relevant,
    mean_of_shown,
    shown_metric,
)
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Undefined

__all__ = ["mean_value_at_k_score"]


OptionalDiscount = Annotated[
    Literal["log", "jarvelin", "reciprocal", None] | Discount, FunctionTrial(check_discount)
]


def _read_values(values: Any, name: str, shape: tuple[int, ...]) -> SideColumn:
    """Return the values: one per row, or in the 2-D form one per item or per cell."""
    column = read_numbers(values, name, shape)
    check_finite(name, column.values)
    return SideColumn(column.values.astype(float))


VALUES = Column(
    "values",
    "the number of each row to take the mean of",
    _read_values,
    example=lambda grades: np.arange(1, len(grades) + 1) % 2,
)


def mean_value(
    lists: RankedLists, k: Cutoff, discount: OptionalDiscount, relevant_only: bool
) -> Any:
    """Return the mean value of the first k ranks, per query."""
    values = lists.column("values")
    if relevant_only:
        return mean_of_relevant(lists, values, k, discount, None)
    return mean_of_shown(lists, values, k, discount)


@shown_metric(
    mean_value, columns=(VALUES,), range=Range(-np.inf, np.inf, "that of the values")
)
@explained
def mean_value_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    values: Matrix,
    groups: Labels | None = None,
    k: Cutoff = 10,
    discount: OptionalDiscount | None = None,
    relevant_only: bool = False,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Mean value at ``k``: the mean of any number over the first ``k`` items.

    Higher is better for scorers; negate the values if lower is better. Goals beside
    relevance are often a number of each row: price, age, margin, length of a text, or 1 for
    a sponsored item and 0 for another. With n items shown on the first ``k`` ranks,

    .. math:: \frac{\sum_{i=1}^{n} d_i v_i}{\sum_{i=1}^{n} d_i}

    where all weights d are 1 without a ``discount``. A list shorter than ``k`` counts as it
    is.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Grades, 0 or more; above 0 is relevant, NaN is unjudged. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    values : array-like of shape (n_rows,), (n_items,) or (n_queries, n_items)
        Number of each row. In 2-D, one per item, or one per cell in the shape of
        ``y_true``.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    discount : {"log", "jarvelin", "reciprocal"} or callable, default=None
        Weight of rank i: 1 / log2(i + 1); or 1 / max(1, log2(i)); or 1 / i; or a function
        that maps an array of ranks to factors of 0 or more that do not increase. If None,
        equal weights.
    relevant_only : bool, default=False
        Count items that are not relevant 0, in the same denominator.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order. No order is best,
        because relevance has no effect.
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
        For bad input, see :ref:`errors`; and if a value is not finite.

    See Also
    --------
    novelty_at_k_score : The mean novelty of items.
    popularity_at_k_score : Their mean popularity.

    Notes
    -----
    Undefined (NaN) for a query without shown items; with ``relevant_only`` also without
    relevant items. Tied rows share their ranks, so the mean over all orders is exact.

    References
    ----------
    .. [1] P. Castells, S. Vargas, J. Wang, "Novelty and Diversity Metrics for Recommender
       Systems: Choice, Discovery and Relevance", DDR workshop at ECIR 2011.

    Examples
    --------
    >>> from sklearn_rank.metrics import mean_value_at_k_score
    >>> y_true, y_score, price = [0, 1, 0, 1], [4, 3, 2, 1], [10.0, 20.0, 60.0, 5.0]
    >>> mean_value_at_k_score(y_true, y_score, values=price, groups=["q"] * 4, k=3)
    30.0
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"values": values, "k": k, "discount": discount, "relevant_only": relevant_only}
    return mean_score(mean_value_at_k_score, rows, own, ties, replace_undefined_by)
