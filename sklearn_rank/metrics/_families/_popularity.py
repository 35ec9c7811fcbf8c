"""Popularity of shown items: numbers of users, ranks, and the long tail."""

from __future__ import annotations

from typing import Any, Literal, Unpack

import numpy as np

from sklearn_rank._ranking._ranked_lists import RankedLists, divide
from sklearn_rank.metrics._core._evaluate import metric
from sklearn_rank.metrics._core._keywords import ItemsAtK
from sklearn_rank.metrics._core._known_items import (
    COUNTS,
    HISTORY,
    POPULARITY,
    POPULARITY_BY_COUNT,
    KnownItems,
)
from sklearn_rank.metrics._core._parameters import Cutoff, Range, Share
from sklearn_rank.metrics._core._summaries import Ratio
from sklearn_rank.metrics._families._shown_items import (
    Count,
    counts_of,
    mean_of_shown,
    mean_over_history,
    percentiles,
    tail_chances,
)
from sklearn_rank.typing import Counts, ItemsOfUsers, Matrix

__all__ = [
    "long_tail_at_k_score",
    "popularity_at_k_score",
    "popularity_lift_at_k_score",
    "popularity_percentile_at_k_score",
]


def popularity(
    lists: RankedLists,
    catalogue: KnownItems,
    k: Cutoff,
    count: Count,
    normalize: Literal["total", "max", None],
) -> Any:
    """Return the mean popularity of the first k ranks, per query."""
    counts = counts_of(catalogue.catalogue, count)
    found = mean_of_shown(lists, catalogue.values(lists, counts, 0.0), k)
    if normalize is None:
        return found
    whole = counts.sum() if normalize == "total" else counts.max(initial=0)
    return divide(found, np.full(len(found), float(whole)))


@metric(
    popularity,
    rows="shown",
    parts=POPULARITY_BY_COUNT,
    lower_is_better=True,
    range=Range(0.0, np.inf, "that of the most popular item"),
)
def popularity_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    popularity: Counts,
    count: Count = "users",
    normalize: Literal["total", "max", None] | None = None,
    **common: Unpack[ItemsAtK],
) -> float:
    r"""Popularity at ``k``: how many users have the items that are shown.

    Lower is better: a model that shows all users the same popular items scores high. With
    U(i) users who have item i in the training data, and n items shown on the first ``k``
    ranks,

    .. math:: \frac{1}{n} \sum_{i=1}^{n} U(i)

    which is also called average recommendation popularity (ARP).

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Grades, 0 or more; above 0 is relevant, NaN is unjudged. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    popularity : mapping, Series or array-like of shape (n_items,) or (n_rows,)
        Number of users of each item in the training data: by id, or a value for each column
        in 2-D, for each row in 1-D. Missing items have 0.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, in 2-D of each column's. None: values of items are given for
        each column in 2-D, for each row in 1-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    count : {"users", "interactions"}, default="users"
        Whether the users or the interactions of an item are counted. A catalogue has both;
        ``popularity`` holds the chosen one.
    normalize : {"total", "max"}, default=None
        Divide by the sum over all items, or by that of the most popular item; they have to
        be given by id or by column. None: the count itself.
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
        For bad input, see :ref:`errors`; and if a popularity is negative.

    See Also
    --------
    novelty_at_k_score : The same in bits, where higher is better.
    popularity_percentile_at_k_score : The rank of items by popularity.
    popularity_lift_at_k_score : Against what the user had before.

    Notes
    -----
    Undefined (NaN) for a query without shown items. An unknown item counts 0. Relevance has
    no effect.

    References
    ----------
    .. [1] H. Yin, B. Cui, J. Li, J. Yao, C. Chen, "Challenging the Long Tail
       Recommendation", VLDB 2012.
    .. [2] H. Abdollahpouri, R. Burke, B. Mobasher, "Managing Popularity Bias in Recommender
       Systems with Personalized Re-ranking", FLAIRS 2019.

    Examples
    --------
    >>> from sklearn_rank.metrics import popularity_at_k_score
    >>> users, items = ["ann", "ann", "bob", "bob"], ["tea", "jam", "tea", "oat"]
    >>> rows = {"y_true": [0, 1, 0, 0], "y_score": [2, 1, 2, 1], "groups": users}
    >>> popularity = {"tea": 4, "jam": 2, "oat": 1}
    >>> popularity_at_k_score(**rows, items=items, popularity=popularity, k=2)
    2.75
    """


def popularity_lift(
    lists: RankedLists,
    catalogue: KnownItems,
    k: Cutoff,
    average: Literal["users", "ratio"],
) -> Any:
    """Return the lift of popularity over the history per query, and its weight."""
    table = catalogue.catalogue.popularity
    shown = mean_of_shown(lists, catalogue.values(lists, table, 0.0), k)
    before = mean_over_history(catalogue, catalogue.users(lists), table)
    before[before == 0] = np.nan
    return shown / before - 1, before if average == "ratio" else None


@metric(
    popularity_lift,
    rows="shown",
    parts=(POPULARITY, HISTORY),
    summary=Ratio(),
    lower_is_better=True,
    range=Range(-1.0, np.inf),
)
def popularity_lift_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    popularity: Counts,
    history: ItemsOfUsers,
    average: Literal["users", "ratio"] = "users",
    **common: Unpack[ItemsAtK],
) -> float:
    r"""Popularity lift at ``k``: how much more popular lists are than histories.

    0 means that a user is shown items as popular as those before, 1 twice as popular; below
    0 they are less popular. Lower is better if popular items are shown too much. With the n
    items L shown on the first ``k`` ranks and the items H of the user's history,

    .. math:: \frac{\frac{1}{n} \sum_{i \in L} U(i)}{\frac{1}{|H|} \sum_{i \in H} U(i)} - 1

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Grades, 0 or more; above 0 is relevant, NaN is unjudged. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    popularity : mapping, Series or array-like of shape (n_items,) or (n_rows,)
        Number of users of each item in the training data: by id, or a value for each column
        in 2-D, for each row in 1-D. Missing items have 0.
    history : mapping or {array-like, sparse matrix} of shape (n_queries, n_items)
        Items of each user in the training data: a mapping of each user to ids or, in 2-D, a
        matrix whose nonzero entries count.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, in 2-D of each column's. None: values of items are given for
        each column in 2-D, for each row in 1-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    average : {"users", "ratio"}, default="users"
        Take the mean over users, or the ratio of the two means over users less 1, which is
        the lift of group average popularity (GAP).
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
        For bad input, see :ref:`errors`; and if a popularity is negative.

    See Also
    --------
    popularity_at_k_score : The popularity of what is shown.
    calibration_at_k_score : The same question for categories.

    Notes
    -----
    Undefined (NaN) for a user without history, or without shown items. A mean of ratios is
    not the ratio of means: users of rare items count much in the former.

    References
    ----------
    .. [1] H. Abdollahpouri, M. Mansoury, R. Burke, B. Mobasher, "The Connection Between
       Popularity Bias, Calibration, and Fairness in Recommendation", RecSys 2020.

    Examples
    --------
    >>> from sklearn_rank.metrics import popularity_lift_at_k_score
    >>> users, items = ["ann", "ann", "bob", "bob"], ["tea", "jam", "tea", "oat"]
    >>> rows = {"y_true": [0, 1, 0, 0], "y_score": [2, 1, 2, 1], "groups": users}
    >>> popularity = {"tea": 4, "jam": 2, "oat": 1}
    >>> history = {"ann": ["jam"], "bob": ["tea"]}
    >>> popularity_lift_at_k_score(
    ...     **rows, items=items, popularity=popularity, history=history, k=2
    ... )
    0.0625
    """


def popularity_percentile(lists: RankedLists, catalogue: KnownItems, k: Cutoff) -> Any:
    """Return the mean percentile of the first k ranks by popularity, per query."""
    table = percentiles(catalogue.catalogue)
    return mean_of_shown(lists, catalogue.values(lists, table, 0.0), k)


@metric(popularity_percentile, rows="shown", parts=(POPULARITY,), lower_is_better=True)
def popularity_percentile_at_k_score(
    y_true: Matrix, y_score: Matrix, *, popularity: Counts, **common: Unpack[ItemsAtK]
) -> float:
    r"""Popularity percentile at ``k``: the rank by popularity of the items shown.

    Lower is better; 1 would mean that only the most popular item is shown. It has the same
    scale for every catalogue. With R(i) the rank of item i by its users, from 1 for the
    fewest, among the M items that have any, and n items shown on the first ``k`` ranks,

    .. math:: \frac{1}{n} \sum_{i=1}^{n} \frac{R(i)}{M}

    Items with equally many users share the middle of their ranks.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Grades, 0 or more; above 0 is relevant, NaN is unjudged. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    popularity : mapping, Series or array-like of shape (n_items,) or (n_rows,)
        Number of users of each item in the training data: by id, or a value for each column
        in 2-D, for each row in 1-D. Missing items have 0.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, in 2-D of each column's. None: values of items are given for
        each column in 2-D, for each row in 1-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
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
        For bad input, see :ref:`errors`; and if a popularity is negative.

    See Also
    --------
    popularity_at_k_score : The popularity itself.
    long_tail_at_k_score : The share of items outside the head.

    Notes
    -----
    Undefined (NaN) for a query without shown items. An unknown item counts 0. All items of
    the training data have to be given, by id or by column.

    References
    ----------
    .. [1] M. D. Ekstrand, V. Mahant, "Sturgeon and the Cool Kids: Problems with Random
       Decoys for Top-N Recommender Evaluation", FLAIRS 2017.

    Examples
    --------
    >>> from sklearn_rank.metrics import popularity_percentile_at_k_score
    >>> users, items = ["ann", "ann", "bob", "bob"], ["tea", "jam", "tea", "oat"]
    >>> rows = {"y_true": [0, 1, 0, 0], "y_score": [2, 1, 2, 1], "groups": users}
    >>> popularity = {"tea": 4, "jam": 2, "oat": 1, "rye": 1}
    >>> popularity_percentile_at_k_score(
    ...     **rows, items=items, popularity=popularity, k=2
    ... )
    0.78125
    """


def long_tail(lists: RankedLists, catalogue: KnownItems, k: Cutoff, head: Share) -> Any:
    """Return the share of the first k ranks outside the head, per query."""
    table = tail_chances(catalogue.catalogue, head)
    return mean_of_shown(lists, catalogue.values(lists, table, 1.0), k)


@metric(long_tail, rows="shown", parts=(COUNTS,))
def long_tail_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    popularity: Counts,
    head: Share = 0.8,
    **common: Unpack[ItemsAtK],
) -> float:
    r"""Long tail at ``k``: the share of the items shown that are not among the head.

    Higher is better; 1 means that no popular item is shown. The head is the fewest items
    that hold the share ``head`` of all interactions in the training data. With n items
    shown on the first ``k`` ranks,

    .. math:: \frac{1}{n} \sum_{i=1}^{n} [\text{item } i \text{ is not in the head}]

    which is also called average percentage of long tail items (APLT).

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Grades, 0 or more; above 0 is relevant, NaN is unjudged. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    popularity : mapping, Series or array-like of shape (n_items,) or (n_rows,)
        Number of interactions of each item in the training data: by id, or a value for each
        column in 2-D, for each row in 1-D. Missing items have 0.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, in 2-D of each column's. None: values of items are given for
        each column in 2-D, for each row in 1-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    head : float, default=0.8
        Share of all interactions that the head holds, between 0 and 1.
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
        For bad input, see :ref:`errors`; and if a popularity is negative.

    See Also
    --------
    popularity_percentile_at_k_score : Without a border between head and tail.
    novelty_at_k_score : How few users know the items.

    Notes
    -----
    Undefined (NaN) for a query without shown items. An unknown item is in the tail. If
    equally popular items are on the border of the head, each counts its chance to be
    outside, so their order has no effect. All items of the training data have to be given,
    by id or by column.

    References
    ----------
    .. [1] H. Abdollahpouri, R. Burke, B. Mobasher, "Controlling Popularity Bias in
       Learning-to-Rank Recommendation", RecSys 2017.

    Examples
    --------
    >>> from sklearn_rank.metrics import long_tail_at_k_score
    >>> users, items = ["ann", "ann", "bob", "bob"], ["tea", "jam", "tea", "oat"]
    >>> rows = {"y_true": [0, 1, 0, 0], "y_score": [2, 1, 2, 1], "groups": users}
    >>> popularity = {"tea": 8, "jam": 1, "oat": 1}
    >>> long_tail_at_k_score(**rows, items=items, popularity=popularity, k=2)
    0.5
    """
