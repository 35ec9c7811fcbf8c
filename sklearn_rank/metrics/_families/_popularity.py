"""How popular the shown items are, and how new they are to users."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from sklearn_rank._base._exact_sum import sums_within
from sklearn_rank._base._runs import begins_run, starts_where
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._ranked_lists import Places, RankedLists, divide
from sklearn_rank._ranking._tied_ranks import hypergeometric
from sklearn_rank.metrics._core._catalogue import Catalogue, derive_once
from sklearn_rank.metrics._core._evaluate import mean_score
from sklearn_rank.metrics._core._known_items import (
    COUNTS,
    HISTORY,
    N_USERS,
    N_USERS_BY_COUNT,
    POPULARITY,
    POPULARITY_BY_COUNT,
    KnownItems,
)
from sklearn_rank.metrics._core._parameters import (
    ZERO_TO_ONE,
    Cutoff,
    MinRelevance,
    Range,
    Share,
    ShownTies,
    up_to,
)
from sklearn_rank.metrics._core._summaries import Ratio
from sklearn_rank.metrics._families._mean_value import OptionalDiscount
from sklearn_rank.metrics._families._shown_items import (
    check_known,
    histories_of,
    mean_of_relevant,
    mean_of_shown,
    shown_metric,
    shown_rows,
)
from sklearn_rank.typing import ArrayLike, Counts, ItemsOfUsers, Labels, Matrix, Undefined

__all__ = [
    "efd_at_k_score",
    "epc_at_k_score",
    "long_tail_at_k_score",
    "novelty_at_k_score",
    "popularity_at_k_score",
    "popularity_lift_at_k_score",
    "popularity_percentile_at_k_score",
]

Unknown = Literal["one_user", "skip", "zero", "error"]
Count = Literal["users", "interactions"]
Normalize = Literal["total", "max", None]

# Values of items that follow from popularity.


def _counts_of(catalogue: Catalogue, count: Count) -> np.ndarray:
    """Return how many users, or interactions, each item has."""
    return catalogue.popularity if count == "users" else catalogue.counts


def _total_of(catalogue: Catalogue, count: Count) -> float:
    """Return the number of users, or of all interactions; at least 1."""
    total = catalogue.n_users if count == "users" else catalogue.counts.sum()
    return max(float(total), 1.0)


@derive_once
def _self_information(catalogue: Catalogue, count: Count) -> np.ndarray:
    """Return for each item -log2 of its share of users or interactions; NaN without any."""
    counts, total = _counts_of(catalogue, count), _total_of(catalogue, count)
    positive = np.where(counts > 0, counts, np.nan)
    return np.log2(total) - np.log2(positive)


@derive_once
def _shares_without(catalogue: Catalogue) -> np.ndarray:
    """Return for each item the share of users who do not have it."""
    return 1 - catalogue.popularity / catalogue.n_users


@derive_once
def _percentiles(catalogue: Catalogue) -> np.ndarray:
    """Return the middle rank of each item by users, over the items that have any."""
    popularity = catalogue.popularity
    ascending = np.sort(popularity[popularity > 0])
    below, upto = (ascending.searchsorted(popularity, side) for side in ("left", "right"))
    return np.where(popularity > 0, (below + upto + 1) / 2 / max(len(ascending), 1), 0.0)


@derive_once
def _tail_chances(catalogue: Catalogue, head: float) -> np.ndarray:
    """Return the chance of each item to be outside the head.

    The head is the fewest items with that share of all interactions. Of items that are
    equally popular, each has the same chance to be in it.
    """
    counts = catalogue.counts
    if not counts.any():
        return np.ones(len(counts))
    order = np.argsort(-counts, kind="stable")
    ordered = counts[order]
    held = np.cumsum(ordered)
    least = head * held[-1] * (1 - 1e-12)  # sums are rounded
    n_head = min(int(held.searchsorted(least)) + 1, len(held))
    starts = starts_where(begins_run(ordered))
    sizes = np.diff(starts)
    within = np.clip(n_head - starts[:-1], 0, sizes) / sizes
    outside = np.empty(len(counts))
    outside[order] = np.repeat(1 - within, sizes)
    return outside


# Popularity of shown items: numbers of users, ranks, and the long tail.


def popularity(
    lists: RankedLists, catalogue: KnownItems, k: Cutoff, count: Count, normalize: Normalize
) -> Any:
    """Return the mean popularity of the first k ranks, per query."""
    counts = _counts_of(catalogue.catalogue, count)
    mean = mean_of_shown(lists, catalogue.values(lists, counts, 0.0), k)
    if normalize is None:
        return mean
    scale = counts.sum() if normalize == "total" else counts.max(initial=0)
    return divide(mean, np.full(len(mean), float(scale)))


@shown_metric(
    popularity,
    parts=POPULARITY_BY_COUNT,
    lower_is_better=True,
    range=up_to("that of the most popular item"),
)
@explained
def popularity_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    popularity: Counts,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: Cutoff = 10,
    count: Count = "users",
    normalize: Literal["total", "max", None] | None = None,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
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
        Id of each row's item, in 2-D of each column's. If None, values of items are given
        for each column in 2-D, for each row in 1-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    count : {"users", "interactions"}, default="users"
        Whether the users or the interactions of an item are counted. A catalogue has both;
        ``popularity`` holds the chosen one.
    normalize : {"total", "max"}, default=None
        Divide by the sum over all items, or by that of the most popular item; they have to
        be given by id or by column. If None, the count itself.
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
    rows = y_true, y_score, groups, sample_weight
    own = {
        "popularity": popularity,
        "items": items,
        "k": k,
        "count": count,
        "normalize": normalize,
    }
    return mean_score(popularity_at_k_score, rows, own, ties, replace_undefined_by)


def popularity_lift(
    lists: RankedLists, catalogue: KnownItems, k: Cutoff, average: Literal["users", "ratio"]
) -> Any:
    """Return the lift of popularity over the history per query, and its weight."""
    table = catalogue.catalogue.popularity
    shown = mean_of_shown(lists, catalogue.values(lists, table, 0.0), k)
    items = histories_of(catalogue.catalogue.history, catalogue.users(lists))
    before = divide(items @ table, np.diff(items.indptr).astype(float))
    before[before == 0] = np.nan
    return shown / before - 1, before if average == "ratio" else None


@shown_metric(
    popularity_lift,
    parts=(POPULARITY, HISTORY),
    summary=Ratio(),
    lower_is_better=True,
    range=Range(-1.0, np.inf),
)
@explained
def popularity_lift_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    popularity: Counts,
    history: ItemsOfUsers,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: Cutoff = 10,
    average: Literal["users", "ratio"] = "users",
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
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
        Id of each row's item, in 2-D of each column's. If None, values of items are given
        for each column in 2-D, for each row in 1-D.
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
    rows = y_true, y_score, groups, sample_weight
    own = {
        "popularity": popularity,
        "history": history,
        "items": items,
        "k": k,
        "average": average,
    }
    return mean_score(popularity_lift_at_k_score, rows, own, ties, replace_undefined_by)


def popularity_percentile(lists: RankedLists, catalogue: KnownItems, k: Cutoff) -> Any:
    """Return the mean percentile of the first k ranks by popularity, per query."""
    table = _percentiles(catalogue.catalogue)
    return mean_of_shown(lists, catalogue.values(lists, table, 0.0), k)


@shown_metric(
    popularity_percentile, parts=(POPULARITY,), lower_is_better=True, range=ZERO_TO_ONE
)
@explained
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
        Id of each row's item, in 2-D of each column's. If None, values of items are given
        for each column in 2-D, for each row in 1-D.
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
    rows = y_true, y_score, groups, sample_weight
    own = {"popularity": popularity, "items": items, "k": k}
    return mean_score(
        popularity_percentile_at_k_score, rows, own, ties, replace_undefined_by
    )


def long_tail(lists: RankedLists, catalogue: KnownItems, k: Cutoff, head: Share) -> Any:
    """Return the share of the first k ranks outside the head, per query."""
    table = _tail_chances(catalogue.catalogue, head)
    return mean_of_shown(lists, catalogue.values(lists, table, 1.0), k)


@shown_metric(long_tail, parts=(COUNTS,), range=ZERO_TO_ONE)
@explained
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
        Id of each row's item, in 2-D of each column's. If None, values of items are given
        for each column in 2-D, for each row in 1-D.
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
    rows = y_true, y_score, groups, sample_weight
    own = {"popularity": popularity, "items": items, "k": k, "head": head}
    return mean_score(long_tail_at_k_score, rows, own, ties, replace_undefined_by)


# Novelty: how few users know the shown items, or the relevant ones among them.


def _mean_of_known(
    lists: RankedLists, values: np.ndarray, is_known: np.ndarray, k: Cutoff
) -> np.ndarray:
    """Return the mean of the known values alone, in expectation over orders of ties.

    If ties go across rank k, the number of known values shown is random. It is
    hypergeometric, because at most one tie group of a query goes across. Orders without a
    known value do not count; without other orders it is undefined.
    """
    places = lists.every_place(k)
    values, mask = np.where(is_known, values, 0.0), is_known.astype(float)
    if places.tied is None or (places.length == places.size).all():
        total = lists.sum(places.query, places.share(values))
        return divide(total, lists.sum(places.query, places.share(mask)))
    n_known = _sum_tie_groups(places, mask)
    total = _sum_tie_groups(places, values)
    is_cut = places.length < places.size
    uncut = np.where(is_cut, 0.0, n_known), np.where(is_cut, 0.0, total)
    n_whole, total_whole = (lists.sum(places.block_query, each) for each in uncut)
    result = divide(total_whole, n_whole)
    cut = np.flatnonzero(is_cut & (n_known > 0))
    query = places.block_query[cut]
    hits = n_known[cut].astype(np.intp)
    case, drawn, chance = hypergeometric(places.size[cut], hits, places.length[cut])
    n = n_whole[query][case] + drawn
    mean = (total[cut] / n_known[cut])[case]
    counts = np.where(n > 0, chance, 0.0)
    worth = np.divide(total_whole[query][case] + drawn * mean, n, where=n > 0, out=mean * 0)
    by_case = [np.bincount(case, each, len(cut)) for each in (counts * worth, counts)]
    result[query] = divide(*by_case)
    return result


def _sum_tie_groups(places: Places, values: np.ndarray) -> np.ndarray:
    return sums_within(places.row_block, values[places.rows], len(places.size))


def novelty(
    lists: RankedLists,
    catalogue: KnownItems,
    k: Cutoff,
    count: Count,
    unknown: Unknown,
    normalize: bool,
    average: Literal["users", "items"],
) -> Any:
    """Return the mean novelty of the first k ranks per query, and the weight of each."""
    most = np.log2(_total_of(catalogue.catalogue, count))
    values = catalogue.values(lists, _self_information(catalogue.catalogue, count), np.nan)
    is_known = ~np.isnan(values)
    if unknown == "error":
        rows, _ = shown_rows(lists, k)
        check_known(lists, is_known, rows, "popularity", ", or set `unknown`")
    values = np.where(is_known, values, most if unknown == "one_user" else 0.0)
    n_counted = np.asarray(lists.n_shown(k), dtype=float)
    if unknown != "skip":
        mean = mean_of_shown(lists, values, k)
    elif average == "users":
        mean = _mean_of_known(lists, values, is_known, k)
    else:  # sums over all items are expectations, whatever the order
        share = mean_of_shown(lists, is_known.astype(float), k)
        mean = divide(mean_of_shown(lists, values, k), share)
        n_counted = n_counted * share
    if normalize:
        mean = divide(mean, np.full(len(mean), most))
    if average == "users":
        return mean, None
    return mean, np.where(n_counted > 0, n_counted, np.nan)


def _range(normalize: bool) -> Range:
    if normalize:
        return ZERO_TO_ONE
    return Range(0.0, np.inf, "log2 of the number of users", "bits")


@shown_metric(
    novelty, parts=(*POPULARITY_BY_COUNT, N_USERS_BY_COUNT), summary=Ratio(), range=_range
)
@explained
def novelty_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    popularity: Counts,
    n_users: int | None = None,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: Cutoff = 10,
    count: Count = "users",
    unknown: Unknown = "one_user",
    normalize: bool = False,
    average: Literal["users", "items"] = "users",
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Novelty at ``k``: how few users know the items that are shown, in bits.

    Higher is better, as it is more novel: an item that half of the users have counts 1 bit,
    one that a thousandth has counts about 10. With U(i) of N users who have item i in the
    training data, and n items shown on the first ``k`` ranks,

    .. math:: \frac{1}{n} \sum_{i=1}^{n} -\log_2 \frac{U(i)}{N}

    which is also called mean inverse user frequency, or surprisal.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Grades, 0 or more; above 0 is relevant, NaN is unjudged. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    popularity : mapping, Series or array-like of shape (n_items,) or (n_rows,)
        Number of users of each item in the training data: by id, or a value for each column
        in 2-D, for each row in 1-D. Missing items have 0.
    n_users : int, default=None
        Number of users in the training data, if users are counted.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, in 2-D of each column's. If None, values of items are given
        for each column in 2-D, for each row in 1-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    count : {"users", "interactions"}, default="users"
        Whether the users or the interactions of an item are counted. A catalogue has both;
        ``popularity`` holds the chosen one.
    unknown : {"one_user", "skip", "zero", "error"}, default="one_user"
        Value of an item without users: that of an item with a single user; no value, so
        that the mean is over the others; 0; or an error.
    normalize : bool, default=False
        Divide by the novelty of an item that a single user has, log2(N), so that 1 is the
        highest value.
    average : {"users", "items"}, default="users"
        Take the mean over users, or over all items shown to anybody.
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
        For bad input, see :ref:`errors`; and if a popularity is negative or above
        ``n_users``.

    See Also
    --------
    popularity_at_k_score : The mean popularity of the items shown.
    efd_at_k_score : Novelty of relevant items alone, by rank.
    Catalogue : Holds the popularity of items for several metrics.

    Notes
    -----
    Undefined (NaN) for a query without shown items; with ``unknown="skip"`` also without
    known ones. Relevance has no effect. Take the popularity from the data that the model
    was fitted to.

    References
    ----------
    .. [1] T. Zhou, Z. Kuscsik, J. Liu, M. Medo, J. R. Wakeling, Y. Zhang, "Solving the
       apparent diversity-accuracy dilemma of recommender systems", PNAS 107 (10), 2010.
    .. [2] P. Castells, S. Vargas, J. Wang, "Novelty and Diversity Metrics for Recommender
       Systems: Choice, Discovery and Relevance", DDR workshop at ECIR 2011.

    Examples
    --------
    >>> from sklearn_rank.metrics import novelty_at_k_score
    >>> users, items = ["ann", "ann", "bob", "bob"], ["tea", "jam", "tea", "oat"]
    >>> rows = {"y_true": [0, 1, 0, 0], "y_score": [2, 1, 2, 1], "groups": users}
    >>> popularity = {"tea": 4, "jam": 2, "oat": 1}
    >>> novelty_at_k_score(**rows, items=items, popularity=popularity, n_users=4, k=2)
    0.75
    """
    rows = y_true, y_score, groups, sample_weight
    own = {
        "popularity": popularity,
        "n_users": n_users,
        "items": items,
        "k": k,
        "count": count,
        "unknown": unknown,
        "normalize": normalize,
        "average": average,
    }
    return mean_score(novelty_at_k_score, rows, own, ties, replace_undefined_by)


def epc(
    lists: RankedLists,
    catalogue: KnownItems,
    k: Cutoff,
    discount: OptionalDiscount,
    min_relevance: MinRelevance,
) -> Any:
    """Return the expected popularity complement of the first k ranks, per query."""
    values = catalogue.values(lists, _shares_without(catalogue.catalogue), 1.0)
    return mean_of_relevant(lists, values, k, discount, min_relevance)


@shown_metric(epc, parts=(POPULARITY, N_USERS), range=ZERO_TO_ONE)
@explained
def epc_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    popularity: Counts,
    n_users: int | None = None,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: Cutoff = 10,
    discount: OptionalDiscount = "log",
    min_relevance: MinRelevance = None,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Expected popularity complement (EPC) at ``k``: novelty of relevant items by rank.

    Higher is better: the share of users who do not have the relevant items shown, with most
    weight on the first ranks. With U(i) of N users who have item i in the training data, n
    items shown on the first ``k`` ranks and d the discount of a rank,

    .. math:: \frac{\sum_{i=1}^{n} d_i [\text{item } i \text{ is relevant}]
              \left(1 - \frac{U(i)}{N}\right)}{\sum_{i=1}^{n} d_i}

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Grades, 0 or more; above 0 is relevant, NaN is unjudged. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    popularity : mapping, Series or array-like of shape (n_items,) or (n_rows,)
        Number of users of each item in the training data: by id, or a value for each column
        in 2-D, for each row in 1-D. Missing items have 0.
    n_users : int, default=None
        Number of users in the training data, if users are counted.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, in 2-D of each column's. If None, values of items are given
        for each column in 2-D, for each row in 1-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    discount : {"log", "jarvelin", "reciprocal"} or callable, default="log"
        Weight of rank i: 1 / log2(i + 1); or 1 / max(1, log2(i)); or 1 / i; or a function
        that maps an array of ranks to factors of 0 or more that do not increase. If None,
        equal weights.
    min_relevance : float, default=None
        Lowest grade that is relevant. If None, any grade greater than 0.
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
        For bad input, see :ref:`errors`; and if a popularity is negative or above
        ``n_users``.

    See Also
    --------
    efd_at_k_score : The same in bits.
    novelty_at_k_score : Whether relevant or not.

    Notes
    -----
    Undefined (NaN) for a query without relevant items, or without shown items. An unknown
    item counts as an item without users.

    References
    ----------
    .. [1] S. Vargas, P. Castells, "Rank and Relevance in Novelty and Diversity Metrics for
       Recommender Systems", RecSys 2011.

    Examples
    --------
    >>> from sklearn_rank.metrics import epc_at_k_score
    >>> users, items = ["ann", "ann", "bob", "bob"], ["tea", "jam", "tea", "oat"]
    >>> rows = {"y_true": [0, 1, 0, 0], "y_score": [2, 1, 2, 1], "groups": users}
    >>> popularity = {"tea": 4, "jam": 2, "oat": 1}
    >>> epc = epc_at_k_score(
    ...     **rows, items=items, popularity=popularity, n_users=4, k=2, discount=None,
    ...     replace_undefined_by=0,
    ... )
    >>> epc
    0.125
    """
    rows = y_true, y_score, groups, sample_weight
    own = {
        "popularity": popularity,
        "n_users": n_users,
        "items": items,
        "k": k,
        "discount": discount,
        "min_relevance": min_relevance,
    }
    return mean_score(epc_at_k_score, rows, own, ties, replace_undefined_by)


def efd(
    lists: RankedLists,
    catalogue: KnownItems,
    k: Cutoff,
    discount: OptionalDiscount,
    min_relevance: MinRelevance,
) -> Any:
    """Return the expected free discovery of the first k ranks, per query."""
    table = _self_information(catalogue.catalogue, "interactions")
    values = catalogue.values(lists, table, np.nan)
    rarest = np.fmax.reduce(table, initial=0.0)
    values = np.where(np.isnan(values), rarest, values)
    return mean_of_relevant(lists, values, k, discount, min_relevance)


@shown_metric(efd, parts=(COUNTS,), range=up_to("the bits of the rarest item"))
@explained
def efd_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    popularity: Counts,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: Cutoff = 10,
    discount: OptionalDiscount = "log",
    min_relevance: MinRelevance = None,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Expected free discovery (EFD) at ``k``: bits of relevant items by rank.

    Higher is better: the rarity of the relevant items shown, with most weight on the first
    ranks. With c(i) of I interactions in the training data with item i, n items shown on
    the first ``k`` ranks and d the discount of a rank,

    .. math:: \frac{\sum_{i=1}^{n} d_i [\text{item } i \text{ is relevant}]
              \left(-\log_2 \frac{c(i)}{I}\right)}{\sum_{i=1}^{n} d_i}

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
        Id of each row's item, in 2-D of each column's. If None, values of items are given
        for each column in 2-D, for each row in 1-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    discount : {"log", "jarvelin", "reciprocal"} or callable, default="log"
        Weight of rank i: 1 / log2(i + 1); or 1 / max(1, log2(i)); or 1 / i; or a function
        that maps an array of ranks to factors of 0 or more that do not increase. If None,
        equal weights.
    min_relevance : float, default=None
        Lowest grade that is relevant. If None, any grade greater than 0.
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
    epc_at_k_score : The same as a share of users.
    novelty_at_k_score : Whether relevant or not.

    Notes
    -----
    Undefined (NaN) for a query without relevant items, or without shown items. An unknown
    item counts as much as the rarest known one. All items of the training data have to be
    given, by id or by column.

    References
    ----------
    .. [1] S. Vargas, P. Castells, "Rank and Relevance in Novelty and Diversity Metrics for
       Recommender Systems", RecSys 2011.

    Examples
    --------
    >>> from sklearn_rank.metrics import efd_at_k_score
    >>> users, items = ["ann", "ann", "bob", "bob"], ["tea", "jam", "tea", "oat"]
    >>> rows = {"y_true": [0, 1, 0, 0], "y_score": [2, 1, 2, 1], "groups": users}
    >>> popularity = {"tea": 4, "jam": 2, "oat": 2}
    >>> efd_at_k_score(
    ...     **rows, items=items, popularity=popularity, k=2, discount=None,
    ...     replace_undefined_by=0,
    ... )
    0.5
    """
    rows = y_true, y_score, groups, sample_weight
    own = {
        "popularity": popularity,
        "items": items,
        "k": k,
        "discount": discount,
        "min_relevance": min_relevance,
    }
    return mean_score(efd_at_k_score, rows, own, ties, replace_undefined_by)
