"""Exposure of groups of items: the shares of attention that they get."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, overload

import numpy as np

from sklearn_rank._ranking._quotients import divide
from sklearn_rank._ranking._rank import ranked_blocks
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank._ranking._read_rows import read_rows
from sklearn_rank._ranking._rows import Rows
from sklearn_rank._validation import check_option
from sklearn_rank.metrics._core._columns_beside import read_columns, shape_of
from sklearn_rank.metrics._core._item_groups import ITEM_GROUPS, GroupShares
from sklearn_rank.metrics._core._paired_arguments import check_arguments_paired
from sklearn_rank.metrics._core._parameters import Cutoff, Share, ShownTies
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._families._attention import Attention, mean_attention
from sklearn_rank.metrics._names._registry import METRICS
from sklearn_rank.typing import Labels, Matrix

_TIES = ("average", "first")


@overload
def group_exposure(
    y_true: Matrix,
    y_score: Matrix,
    *,
    item_groups: Labels | Matrix,
    groups: Labels | None = None,
    k: Cutoff = None,
    discount: Attention = "log",
    persistence: Share = 0.5,
    ties: ShownTies = "average",
    per: Literal["system"] = "system",
) -> dict[Any, float]: ...


@overload
def group_exposure(
    y_true: Matrix,
    y_score: Matrix,
    *,
    item_groups: Labels | Matrix,
    groups: Labels | None = None,
    k: Cutoff = None,
    discount: Attention = "log",
    persistence: Share = 0.5,
    ties: ShownTies = "average",
    per: Literal["query"],
) -> PerQueryScores: ...


def group_exposure(
    y_true: Matrix,
    y_score: Matrix,
    *,
    item_groups: Labels | Matrix,
    groups: Labels | None = None,
    k: Cutoff = None,
    discount: Attention = "log",
    persistence: Share = 0.5,
    ties: ShownTies = "average",
    per: Literal["system", "query"] = "system",
) -> dict[Any, float] | PerQueryScores:
    r"""Share of the attention of users that each group of items gets.

    No share is better by itself, so this is not a score: compare it with the target share
    of a group, as :func:`awrf_at_k_score` does. The share of group g is

    .. math:: \epsilon_g = \frac{\sum_{i=1}^{k} a(i) \, [d_i \in g]}{\sum_{i=1}^{k} a(i)}

    where a is the ``discount`` of rank i.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, which have no effect. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    item_groups : array-like of shape (n_rows,), (n_items,) or with n_groups columns
        Group of each row's item, labels of any type, or the share of the item in each
        group: columns that add up to 1. In 2-D one per item.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    k : int or None, default=None
        Cutoff: ranks below it do not count. None takes the whole list.
    discount : str or callable, default="log"
        Attention to rank i: "log", 1 / log_2(i + 1); "jarvelin", 1 / max(1, log_2(i));
        "reciprocal", 1 / i; "geometric", ``persistence`` to the power of i - 1; or a
        function that maps an array of ranks to factors of 0 or more that do not increase.
    persistence : float, default=0.5
        Probability of going on to the next item, with ``discount="geometric"``.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order.
    per : {"system", "query"}, default="system"
        Whether to add up the attention of all queries, or to return shares of each.

    Returns
    -------
    exposure : dict of group to float, or PerQueryScores
        The share of each group; their sum is 1; NaN if nothing is shown. With
        ``per="query"`` values per query, under the names of the groups.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`.

    See Also
    --------
    awrf_at_k_score : The distance to a target.
    expected_exposure : Exposure of single items, over several rankings.

    Notes
    -----
    Ties are exact: the rows of a tied block share the attention to its places.

    References
    ----------
    .. [1] A. Singh, T. Joachims, "Fairness of exposure in rankings", KDD 2018.

    Examples
    --------
    >>> from sklearn_rank.metrics import group_exposure
    >>> rows = {"y_true": [1, 1, 0, 1], "y_score": [4, 3, 2, 1], "groups": ["q"] * 4}
    >>> item_groups = ["large", "large", "small", "small"]
    >>> found = group_exposure(**rows, item_groups=item_groups, discount="reciprocal")
    >>> {group: round(share, 6) for group, share in found.items()}
    {'large': 0.72, 'small': 0.28}
    """
    check_option("per", per, ("system", "query"))
    given: dict[str, Any] = {"k": k, "discount": discount, "persistence": persistence}
    given = METRICS["awrf"].checked(given)
    given_columns = {"item_groups": item_groups}
    check_arguments_paired(y_true, y_score, groups, None, given_columns)
    columns = read_columns([ITEM_GROUPS], given_columns, shape_of(y_true))
    rows = read_rows(y_true, y_score, groups, None, columns=columns)
    groups_of = [GroupShares.of(lists) for lists in views_of_all(rows, ties)]
    amounts = np.concatenate([_amounts(one, **given) for one in groups_of], axis=1)
    names = groups_of[0].names
    if per == "system":
        *total, of_all = amounts.sum(axis=1, keepdims=True)
        return {
            name: float(divide(amount, of_all)[0])
            for name, amount in zip(names, total, strict=True)
        }
    *by_query, of_all = amounts
    return PerQueryScores(
        rows.queries.labels,
        {
            str(name): rows.queries.by_label(divide(amount, of_all))
            for name, amount in zip(names, by_query, strict=True)
        },
    )


def views_of_all(rows: Rows, ties: Any) -> Iterator[RankedLists]:
    """Yield all ranked rows, some queries at a time."""
    check_option("ties", ties, _TIES)
    for block in ranked_blocks(rows, ties, every_row=True):
        yield block.all


def _amounts(groups: GroupShares, k: Any, discount: Any, persistence: float) -> np.ndarray:
    """Return the attention to each group, and last to all, a column a query."""
    lists = groups.lists
    places = lists.every_place(k)
    amount = mean_attention(places, discount, persistence)[places.row_block]
    query = lists.query[places.rows]
    weighted = [amount * weight for weight in groups.weights(places.rows)]
    return np.array([lists.sum(query, values) for values in (*weighted, amount)])
