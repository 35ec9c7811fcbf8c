"""Exposure of items over several rankings, and of groups of items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from sklearn_rank._base._exact_sum import sums_within
from sklearn_rank._base._label_checks import check_arguments_paired, check_paired
from sklearn_rank._base._labels import encode_labels
from sklearn_rank._base._messages import keep_warnings
from sklearn_rank._base._numbers import as_numbers
from sklearn_rank._base._validation import check_length, check_option
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._rank import rank_chunks
from sklearn_rank._ranking._ranked_lists import RankedLists, divide
from sklearn_rank._ranking._rows import Rows, read_rows
from sklearn_rank.metrics._core._item_chances import ITEM_GROUPS, GroupShares
from sklearn_rank.metrics._core._parameters import Cutoff, Share, ShownTies
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._core._registry import METRICS, load_families
from sklearn_rank.metrics._core._side_columns import read_columns, shape_of
from sklearn_rank.metrics._families._cumulative_gain import Attention, mean_attention
from sklearn_rank.metrics._families._fair_exposure import equal_exposure, exposure_of_rows
from sklearn_rank.typing import Labels, Matrix


@explained
@keep_warnings
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
    parameters: dict[str, Any] = {"k": k, "discount": discount, "persistence": persistence}
    load_families()
    parameters = METRICS["awrf"].checked(parameters)
    given_columns = {"item_groups": item_groups}
    check_arguments_paired(y_true, y_score, groups, None, given_columns)
    columns = read_columns([ITEM_GROUPS], given_columns, shape_of(y_true))
    rows = read_rows(y_true, y_score, groups, None, columns=columns)
    groups_of = [GroupShares.from_lists(lists) for lists in ranked_chunks(rows, ties)]
    parts = [_attention_by_group(group_shares, **parameters) for group_shares in groups_of]
    amounts = np.concatenate(parts, axis=1)
    names = groups_of[0].names
    if per == "system":
        amounts = amounts.sum(axis=1, keepdims=True)
    *of_groups, of_all = amounts
    shares = [divide(amount, of_all) for amount in of_groups]
    if per == "system":
        return {name: float(share[0]) for name, share in zip(names, shares, strict=True)}
    by_label = map(rows.queries.by_label, shares)
    scores = dict(zip(map(str, names), by_label, strict=True))
    return PerQueryScores(rows.queries.labels, scores)


def ranked_chunks(rows: Rows, ties: Any) -> Iterator[RankedLists]:
    """Yield all ranked rows, some queries at a time."""
    check_option("ties", ties, ("average", "first"))
    for block in rank_chunks(rows, ties, every_row=True):
        yield block.all


def _attention_by_group(
    groups: GroupShares, k: Any, discount: Any, persistence: float
) -> np.ndarray:
    """Return the attention to each group, and last to all, one column per query."""
    lists = groups.lists
    places = lists.every_place(k)
    amount = mean_attention(places, discount, persistence)
    query = lists.query[places.rows]
    weighted = [amount * weight for weight in groups.weights(places.rows)]
    return np.array([lists.sum(query, values) for values in (*weighted, amount)])


@explained
@keep_warnings
def expected_exposure(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | tuple[Labels, Labels] | None = None,
    items: Labels | None = None,
    discount: Attention = "geometric",
    persistence: Share = 0.5,
    ties: ShownTies = "average",
) -> PerQueryScores:
    r"""Expected exposure of items over several rankings of each query.

    A stochastic ranker returns a new ranking of a query each time. A single ranking cannot
    show whether equally relevant items get equal attention; the mean attention E over all
    rankings can:

    .. math:: EE\text{-}L = \sum_d (E_d - T_d)^2, \quad
              EE\text{-}D = \sum_d E_d^2, \quad
              EE\text{-}R = \sum_d E_d T_d

    where T is the attention of an item if all orders by relevance are equally likely. Lower
    is better for loss (``"eel"``) and disparity (``"eed"``), higher for relevance
    (``"eer"``).

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Relevance grades, 0 or more; an item has the same grade in all rankings.
    y_score : array-like of shape (n_rows,)
        Scores, the highest first; ``-inf`` is not retrieved.
    groups : array-like of shape (n_rows,) or tuple of two of them
        Query of each row; or a tuple of the query and the draw. Each draw is one ranking.
    items : array-like of shape (n_rows,), default=None
        Id of each row's item, to match items between the rankings of a query. Required with
        draws.
    discount : str or callable, default="geometric"
        Attention to rank i: "log", 1 / log_2(i + 1); "jarvelin", 1 / max(1, log_2(i));
        "reciprocal", 1 / i; "geometric", ``persistence`` to the power of i - 1; or a
        function that maps an array of ranks to factors of 0 or more that do not increase.
    persistence : float, default=0.5
        Probability of going on to the next item, with ``discount="geometric"``.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order.

    Returns
    -------
    scores : PerQueryScores
        ``"eel"``, ``"eed"`` and ``"eer"`` of each query.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if items are missing, or an item has several
        grades in one query, or is in a ranking twice.

    See Also
    --------
    expected_exposure_loss_score : The loss of one ranking with ties.

    Notes
    -----
    An item that is missing from a ranking gets no attention there. T covers the items of
    all rankings of the query. With one ranking per query, ties are exact: the result is the
    mean over all orders.

    References
    ----------
    .. [1] F. Diaz, B. Mitra, M. Ekstrand, A. Biega, B. Carterette, "Evaluating stochastic
       rankings with expected exposure", CIKM 2020.

    Examples
    --------
    >>> from sklearn_rank.metrics import expected_exposure
    >>> found = expected_exposure(
    ...     [1, 1, 0, 0, 1, 1],
    ...     [3, 2, 1, 3, 2, 1],
    ...     groups=(["q"] * 6, [1, 1, 1, 2, 2, 2]),
    ...     items=["r1", "r2", "n1", "n1", "r1", "r2"],
    ... )
    >>> found.mean()
    {'eel': 0.28125, 'eed': 1.09375, 'eer': 1.0}
    """
    parameters: dict[str, Any] = {"discount": discount, "persistence": persistence}
    load_families()
    parameters = METRICS["eel"].checked(parameters)
    check_paired({"y_true": y_true, "y_score": y_score, "items": items})
    labels, query, ranking = _queries_and_rankings(groups)
    rows = read_rows(y_true, y_score, ranking, None)
    item = _items(items, isinstance(groups, tuple), len(query))
    exposure = np.zeros(len(query))
    for lists in ranked_chunks(rows, ties):
        exposure[lists.row] = exposure_of_rows(lists, **parameters)
    n_rankings = np.bincount(np.unique(_pairs(query, ranking)) // (ranking.max() + 1))
    _check_items_once(ranking, item, labels[query])
    pair = _pairs(query, item)
    _, first, codes = np.unique(pair, return_index=True, return_inverse=True)
    grade = np.ravel(as_numbers(y_true, "y_true")).astype(np.float64)
    _check_grades(grade, grade[first][codes], labels[query])
    query = query[first]
    expected = sums_within(codes, exposure, len(first)) / n_rankings[query]
    equal = equal_exposure(query, grade[first], **parameters)
    sums = {"eel": (expected - equal) ** 2, "eed": expected**2, "eer": expected * equal}
    scores = {name: sums_within(query, worth, len(labels)) for name, worth in sums.items()}
    return PerQueryScores(labels, scores, lower_is_better=["eel", "eed"])


def _queries_and_rankings(groups: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the labels of queries, and the query and the ranking of each row."""
    if groups is None or (isinstance(groups, tuple) and len(groups) != 2):
        problem = "is required" if groups is None else f"is a tuple of {len(groups)}"
        raise ValueError(
            f"`groups` {problem}: give the query of each row, or groups=(query, draw) for "
            "several rankings of a query."
        )
    if not isinstance(groups, tuple):
        labels, query = encode_labels(groups, name="groups")
        return labels, query, query
    labels, query = encode_labels(groups[0], name="groups[0]")
    _, draw = encode_labels(groups[1], name="groups[1]")
    check_length("groups[1]", draw, len(query))
    return labels, query, np.unique(_pairs(query, draw), return_inverse=True)[1]


def _pairs(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return first * (second.max(initial=0) + 1) + second


def _items(items: Any, are_drawn: bool, n_rows: int) -> np.ndarray:
    if items is None and are_drawn:
        raise ValueError(
            "`items` is needed, the id of each row's item, to match rankings of a query."
        )
    if items is None:
        return np.arange(n_rows)
    codes = encode_labels(items, name="items")[1]
    check_length("items", codes, n_rows)
    return codes


def _check_items_once(ranking: np.ndarray, item: np.ndarray, labels: np.ndarray) -> None:
    pairs = _pairs(ranking, item)
    _, first, count = np.unique(pairs, return_index=True, return_counts=True)
    if (count > 1).any():
        row = int(first[np.argmax(count > 1)])
        raise ValueError(
            f"A ranking of query {labels[row]} has the item of row {row} more than once; "
            "for several rankings of a query give groups=(query, draw)."
        )


def _check_grades(grade: np.ndarray, expected: np.ndarray, labels: np.ndarray) -> None:
    differs = grade != expected
    if differs.any():
        row = int(np.argmax(differs))
        raise ValueError(
            f"The item of row {row} has grade {grade[row]} in one ranking of query "
            f"{labels[row]} and {expected[row]} in another; give an item one grade "
            "per query."
        )
