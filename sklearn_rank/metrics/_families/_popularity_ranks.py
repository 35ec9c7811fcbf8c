"""Where the items that lists show stand when items are ranked by popularity."""

from __future__ import annotations

from typing import Annotated, Any

from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank.metrics._core._declare import metric
from sklearn_rank.metrics._core._known_items import COUNTS, POPULARITY, KnownItems
from sklearn_rank.metrics._core._parameters import Cutoff, Real, ShownTies
from sklearn_rank.metrics._families._popularity_tables import percentiles, tail
from sklearn_rank.metrics._families._shown_items import mean_of_shown
from sklearn_rank.typing import ArrayLike, Counts, Labels, Matrix, Undefined

__all__ = [
    "long_tail_at_k_score",
    "popularity_percentile_at_k_score",
]

Share = Annotated[float, Real("a number between 0 and 1", above=0, below=1)]


def popularity_percentile(lists: RankedLists, catalogue: KnownItems, k: Cutoff) -> Any:
    """Return the mean percentile of the first k ranks by popularity, per query."""
    table = percentiles(catalogue.catalogue)
    return mean_of_shown(lists, catalogue.values(lists, table, 0.0), k)


@metric(popularity_percentile, rows="shown", parts=(POPULARITY,), lower_is_better=True)
def popularity_percentile_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    popularity: Counts,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: Cutoff = 10,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
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
    Undefined (NaN) for a query that nothing is shown to. An unknown item counts 0. All
    items of the training data have to be given, by id or by column.

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
    table = tail(catalogue.catalogue, head)
    return mean_of_shown(lists, catalogue.values(lists, table, 1.0), k)


@metric(long_tail, rows="shown", parts=(COUNTS,))
def long_tail_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    popularity: Counts,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: Cutoff = 10,
    head: Share = 0.8,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
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
    Undefined (NaN) for a query that nothing is shown to. An unknown item is in the tail.
    Where the border goes through items that are equally popular, each counts the chance to
    be outside, so it does not matter in what order they are. All items of the training data
    have to be given, by id or by column.

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
