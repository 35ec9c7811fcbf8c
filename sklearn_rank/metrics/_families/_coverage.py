"""How many items of the catalogue all lists show together, and how evenly."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from sklearn_rank._base._runs import begins_run
from sklearn_rank._base._validation import Integer, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank.metrics._core._evaluate import mean_score
from sklearn_rank.metrics._core._item_chances import ItemChances
from sklearn_rank.metrics._core._parameters import (
    ZERO_TO_ONE,
    Cutoff,
    Range,
    Share,
    ShownTies,
)
from sklearn_rank.metrics._core._summaries import ItemCounts
from sklearn_rank.metrics._families._cumulative_gain import Attention, mean_attention
from sklearn_rank.metrics._families._shown_items import shown_metric, shown_rows
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Undefined

__all__ = [
    "coverage_at_k_score",
    "entropy_at_k_score",
    "exposure_gini_at_k_score",
    "gini_at_k_score",
    "personalization_at_k_score",
    "user_coverage_at_k_score",
]

# Declares metrics of the whole catalogue; in 2-D the input has its size.
_catalogue_metric = partial(shown_metric, from_data=("n_items",))

Rank = Annotated[int, Integer()]
CatalogueSize = Annotated[int | None, Integer(none="the columns of the 2-D form")]
Users = Annotated[int | None, Integer(none="all users")]


def chances_to_be_shown(lists: RankedLists, k: Cutoff) -> Any:
    """Return, for each item of a list, its chance to be on one of the first k ranks."""
    return item_amounts(lists, *shown_rows(lists, k))


def chances_of_items_once(lists: RankedLists, k: Cutoff) -> Any:
    """Return the chances to be shown; raise if a list repeats an item."""
    shown_chances = _, query, item, _ = chances_to_be_shown(lists, k)
    order = np.lexsort((item, query))
    again = np.flatnonzero(~begins_run(query[order], item[order]))
    if len(again):
        label = lists.labels("items")[item[order[again[0]]]]
        raise ValueError(
            f"`items` has {shorten(label)} twice in one query, and the metric counts the "
            "lists that show an item; keep one row."
        )
    return shown_chances


def item_amounts(lists: RankedLists, rows: np.ndarray, amount: np.ndarray) -> Any:
    """Return the input of summaries of items, given an amount for some rows."""
    return lists.n_queries, lists.query[rows], lists.column("items")[rows], amount


def size_of_catalogue(n_items: int | None, n_shown: int, metric: str) -> int:
    """Return the number of items in the catalogue; raise if unknown."""
    if n_items is None:
        raise ValueError(
            f"`n_items` is needed for {metric!r}, the number of items in the catalogue: "
            f"those that no list shows count too. Give n_items=1000 to the function, or "
            f"in a name '{metric}(n_items=1000)@10', or a `catalogue`. In the 2-D form it "
            "is the number of columns."
        )
    if n_items < n_shown:
        raise ValueError(
            f"`n_items` is {n_items}, but lists show {n_shown} different items; count all "
            "items that can be shown."
        )
    return n_items


# What the lists of all users show together: coverage and personalization.


def chances(lists: RankedLists, k: Cutoff, at_users: Users) -> Any:
    """Return, for each item of a list, its chance to be on one of the first k ranks."""
    of_lists = chances_to_be_shown if at_users is None else chances_of_items_once
    return of_lists(lists, k)


def coverage(
    counts: ItemChances,
    k: Cutoff,
    n_items: CatalogueSize,
    at_users: Users,
    denominator: Literal["catalogue", "attainable"],
) -> float:
    """Return the expected number of items that some list shows, over that of all items."""
    most: float = size_of_catalogue(n_items, len(counts.items), "coverage")
    n_lists = counts.n_lists if at_users is None else at_users
    if denominator == "attainable" and k is not None:
        most = min(most, n_lists * k)
    return (1 - _chance_to_be_missed(counts, at_users)).sum() / most if most else np.nan


def _chance_to_be_missed(counts: ItemChances, m: int | None) -> np.ndarray:
    """Return the chance of each item to be in no list, or in none of m drawn ones.

    If x of n lists show it, that is C(n - x, m) / C(n, m).
    """
    if m is None:
        with np.errstate(divide="ignore"):
            log = counts.lists * np.log1p(-counts.chance)
        return np.exp(np.bincount(counts.item, log, len(counts.items)))
    n = _count_whole_lists(counts, m)
    drawn = np.arange(n)
    # A factor below 0 comes after a factor of 0.
    missed = np.append(1.0, np.cumprod(np.maximum(n - m - drawn, 0) / (n - drawn)))
    is_certain = counts.chance >= 1
    certain = np.bincount(counts.item, counts.lists * is_certain, len(counts.items))
    certain = np.rint(certain).astype(np.intp)
    of_item = missed[certain]
    if is_certain.all():
        return of_item
    open_entries = np.flatnonzero(~is_certain)
    items, first = np.unique(counts.item[open_entries], return_index=True)
    by_key: dict[tuple, float] = {}  # many items have the same chances
    for item, entries in zip(items, np.split(open_entries, first[1:]), strict=True):
        chances, lists = counts.chance[entries], counts.lists[entries]
        key = (certain[item], chances.tobytes(), lists.tobytes())
        if key not in by_key:
            shares = _chances_of_counts(chances, lists)
            by_key[key] = float(shares @ missed[certain[item] :][: len(shares)])
        of_item[item] = by_key[key]
    return of_item


def _count_whole_lists(counts: ItemChances, m: int) -> int:
    n = round(counts.n_lists)
    if n != counts.n_lists or (counts.lists != np.rint(counts.lists)).any():
        raise ValueError(
            "`at_users` draws users, so weights must be whole numbers of users; "
            "leave out `sample_weight` or `at_users`."
        )
    if m > n:
        raise ValueError(
            f"`at_users` is {m}, but there are {n} users to draw from; give {n} or less."
        )
    return n


def _chances_of_counts(chances: np.ndarray, lists: np.ndarray) -> np.ndarray:
    """Return the probabilities that 0, 1, ... of the lists show an item."""
    from scipy.stats import binom

    shares = np.ones(1)
    for chance, n in zip(chances, np.rint(lists).astype(np.intp), strict=True):
        shares = np.convolve(shares, binom.pmf(np.arange(n + 1), n, chance))
    return shares


@_catalogue_metric(chances, summary=ItemChances(coverage), range=ZERO_TO_ONE)
@explained
def coverage_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: Cutoff = 10,
    n_items: int | None = None,
    at_users: Users = None,
    denominator: Literal["catalogue", "attainable"] = "catalogue",
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Coverage at ``k``: the share of the catalogue that the lists of all users show.

    Higher is better; 1 means that each item of the catalogue is on the first ``k`` ranks of
    some list. It is one number of all lists together, not a mean over users:

    .. math:: C@k = \frac{|\bigcup_u L_u|}{N}

    where L_u has the first ``k`` items shown to user u, and N is ``n_items``.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, which have no effect. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, as ``from_item_lists(..., return_items=True)`` returns it; in
        2-D one per column. If None, the index of the column.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    n_items : int, default=None
        Number of items in the catalogue, shown or not. In 2-D, None is the number of
        columns.
    at_users : int, default=None
        Expected coverage of this many users, drawn without replacement, to compare data of
        different sizes: more users cover more. If None, all users.
    denominator : {"catalogue", "attainable"}, default="catalogue"
        Divide by the number of items of the catalogue; or by the highest number of items
        that the lists can show with length ``k``, if it is smaller.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Number of users that each query represents; in 1-D one value per row, equal within a
        query.
    replace_undefined_by : float or "warn", default="warn"
        Value if the metric is undefined. "warn" returns NaN with an
        ``UndefinedMetricWarning``, NaN without one.

    Returns
    -------
    score : float
        One number for all lists together; NaN if undefined.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if ``n_items`` is missing or less than what is
        shown, or ``at_users`` more than there are.

    See Also
    --------
    gini_at_k_score : How unevenly lists show the items.
    user_coverage_at_k_score : How many users have a list.

    Notes
    -----
    Always defined. Ties are exact, also with ``at_users``: users are independent, and a
    user shows an item of a tied block with the share of its rows that are within ``k``. A
    user with a weight of 2 is two such users. Lists shorter than ``k`` show fewer items.

    References
    ----------
    .. [1] J. Herlocker, J. Konstan, L. Terveen, J. Riedl, "Evaluating collaborative
       filtering recommender systems", ACM Transactions on Information Systems 22(1), 2004.
    .. [2] S. Hurlbert, "The nonconcept of species diversity: a critique and alternative
       parameters", Ecology 52(4), 1971.

    Examples
    --------
    >>> from sklearn_rank.inputs import from_item_lists
    >>> from sklearn_rank.metrics import coverage_at_k_score
    >>> shown = {"ann": ["tea", "jam"], "bob": ["tea", "milk"], "eve": ["tea"]}
    >>> bought = {"ann": ["tea"], "bob": ["jam"], "eve": ["salt"]}
    >>> rows = from_item_lists(bought, shown, return_items=True)
    >>> coverage_at_k_score(**rows, k=2, n_items=6)
    0.5
    >>> round(coverage_at_k_score(**rows, k=2, n_items=6, at_users=1), 6)
    0.277778
    """
    rows = y_true, y_score, groups, sample_weight
    own = {
        "items": items,
        "k": k,
        "n_items": n_items,
        "at_users": at_users,
        "denominator": denominator,
    }
    return mean_score(coverage_at_k_score, rows, own, ties, replace_undefined_by)


def has_list(lists: RankedLists, k: Rank, length: Literal["full", "any"]) -> Any:
    """Return 1 for each query whose list is long enough, else 0."""
    needed = k if length == "full" else 1
    return (lists.n_shown(k) >= needed).astype(float)


@shown_metric(has_list, "user_coverage", range=ZERO_TO_ONE)
@explained
def user_coverage_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    k: Rank = 10,
    length: Literal["full", "any"] = "full",
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""User coverage at ``k``: the share of users who have a full list, or any.

    Higher is better; 1 means that each user is shown ``k`` items. It detects a model that
    knows few users or filters too much. Many other metrics are undefined for users without
    a list, and leave them out.

    .. math:: UC@k = \frac{|\{u : n_u \ge k\}|}{|\text{users}|}

    where user u is shown :math:`n_u` items; with ``length="any"`` one item is enough.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, which have no effect. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    length : {"full", "any"}, default="full"
        Which lists count: those with ``k`` items, or those with at least one.
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
    coverage_at_k_score : The share of items that are shown.

    Notes
    -----
    Always defined: each user counts 1 or 0. A user without any row is unknown and does not
    count. Ties change nothing.

    References
    ----------
    .. [1] M. Ge, C. Delgado-Battenfeld, D. Jannach, "Beyond accuracy: evaluating
       recommender systems by coverage and serendipity", RecSys 2010.

    Examples
    --------
    >>> from sklearn_rank.inputs import from_item_lists
    >>> from sklearn_rank.metrics import user_coverage_at_k_score
    >>> shown = {"ann": ["tea", "jam"], "bob": ["milk"], "eve": []}
    >>> rows = from_item_lists({user: ["tea"] for user in shown}, shown)
    >>> round(user_coverage_at_k_score(**rows, k=2), 6)
    0.333333
    >>> round(user_coverage_at_k_score(**rows, k=2, length="any"), 6)
    0.666667
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"k": k, "length": length}
    return mean_score(user_coverage_at_k_score, rows, own, ties, replace_undefined_by)


# Personalization.


def personalization(counts: ItemChances, k: Rank) -> float:
    """Return 1 minus the mean overlap of two users, as a share of k."""
    n = counts.n_lists
    if n <= 1:
        return np.nan
    # Pairs of users who are both shown an item: (sum p)**2 without pairs of one user.
    in_both = (counts.amounts**2).sum() - (counts.lists * counts.chance**2).sum()
    return 1 - in_both / (n * (n - 1)) / k


@shown_metric(
    chances_of_items_once, summary=ItemChances(personalization), range=ZERO_TO_ONE
)
@explained
def personalization_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: Rank = 10,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Personalization at ``k``: how different the lists of two users are.

    Higher is better; 1 means that no two users are shown the same item, 0 that all are
    shown the same ``k`` items. It is one number of all lists together:

    .. math:: 1 - \frac{2}{n (n - 1)} \sum_{u < v} \frac{|L_u \cap L_v|}{k}

    where L_u has the first ``k`` items shown to user u of n users.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, which have no effect. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, as ``from_item_lists(..., return_items=True)`` returns it; in
        2-D one per column. If None, the index of the column.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Number of users that each query represents; in 1-D one value per row, equal within a
        query.
    replace_undefined_by : float or "warn", default="warn"
        Value if the metric is undefined. "warn" returns NaN with an
        ``UndefinedMetricWarning``, NaN without one.

    Returns
    -------
    score : float
        One number for all lists together; NaN if undefined.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`.

    See Also
    --------
    coverage_at_k_score : The share of items that are shown.

    Notes
    -----
    Undefined (NaN) for a single user. Ties are exact: users are independent, so two of
    them share an item with the product of their chances to show it. Lists shorter than
    ``k``, and users without a list, overlap less; see :func:`user_coverage_at_k_score`. A
    user with a weight of 2 is two such users. It takes one sum over items, not one over
    pairs of users.

    References
    ----------
    .. [1] T. Zhou, Z. Kuscsik, J.-G. Liu, M. Medo, J. Wakeling, Y.-C. Zhang, "Solving the
       apparent diversity-accuracy dilemma of recommender systems", PNAS 107(10), 2010.

    Examples
    --------
    >>> from sklearn_rank.inputs import from_item_lists
    >>> from sklearn_rank.metrics import personalization_at_k_score
    >>> shown = {"ann": ["tea", "jam"], "bob": ["tea", "milk"]}
    >>> rows = from_item_lists({"ann": ["tea"], "bob": []}, shown, return_items=True)
    >>> personalization_at_k_score(**rows, k=2)
    0.5
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"items": items, "k": k}
    return mean_score(personalization_at_k_score, rows, own, ties, replace_undefined_by)


# Concentration: how unevenly the lists of all users show the items of the catalogue.


def gini(counts: ItemCounts, n_items: CatalogueSize) -> float:
    """Return the Gini index of the amounts of items; items never shown have 0."""
    return _gini(counts, n_items, "gini")


def exposure_gini(counts: ItemCounts, n_items: CatalogueSize) -> float:
    """Return the Gini index of sums of attention."""
    return _gini(counts, n_items, "exposure_gini")


def _gini(counts: ItemCounts, n_items: CatalogueSize, name: str) -> float:
    n = size_of_catalogue(n_items, len(counts.items), name)
    total = counts.amounts.sum()
    if total == 0:
        return np.nan
    rank = np.arange(n - len(counts.amounts), n) + 1
    return ((2 * rank - n - 1) * np.sort(counts.amounts)).sum() / (n * total)


def entropy(counts: ItemCounts, n_items: CatalogueSize, normalize: bool) -> float:
    """Return the entropy of the shares of items, in bits or over that of equal shares."""
    total = counts.amounts.sum()
    if total == 0:
        return np.nan
    shares = counts.amounts[counts.amounts > 0] / total
    bits = -(shares * np.log2(shares)).sum() + 0.0
    if not normalize:
        return bits
    n = size_of_catalogue(n_items, len(counts.items), "entropy")
    return bits / np.log2(n) if n > 1 else np.nan


def exposure(lists: RankedLists, k: Cutoff, discount: Attention, persistence: Share) -> Any:
    """Return the expected attention to each item of a list."""
    places = lists.every_place(k)
    return item_amounts(lists, places.rows, mean_attention(places, discount, persistence))


@_catalogue_metric(
    chances_to_be_shown, summary=ItemCounts(gini), lower_is_better=True, range=ZERO_TO_ONE
)
@explained
def gini_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: Cutoff = 10,
    n_items: int | None = None,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Gini index at ``k``: how unevenly lists show the items of the catalogue.

    Lower is better; 0 means that all items of the catalogue are shown equally often, and a
    value near 1 that all users see the same few. It is one number of all lists together:

    .. math:: G@k = \frac{\sum_{j=1}^{N} (2j - N - 1) x_{(j)}}{N \sum_j x_j}

    where :math:`x_{(1)} \le x_{(2)} \le \ldots` are how often the N items are on the first
    ``k`` ranks, 0 for those that no list shows.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, which have no effect. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, as ``from_item_lists(..., return_items=True)`` returns it; in
        2-D one per column. If None, the index of the column.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    n_items : int, default=None
        Number of items in the catalogue, shown or not. In 2-D, None is the number of
        columns.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Number of users that each query represents; in 1-D one value per row, equal within a
        query.
    replace_undefined_by : float or "warn", default="warn"
        Value if the metric is undefined. "warn" returns NaN with an
        ``UndefinedMetricWarning``, NaN without one.

    Returns
    -------
    score : float
        One number for all lists together; NaN if undefined.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if ``n_items`` is missing or less than what is
        shown.

    See Also
    --------
    exposure_gini_at_k_score : The same with more weight on the first ranks.
    entropy_at_k_score : Another view of it, in bits.

    Notes
    -----
    Undefined (NaN) if no list shows an item. Under ties it is the Gini index of how often
    each item is *expected* to be shown, which is not the mean over all orders [2]_; without
    ties both are the same. Some libraries divide by N - 1 instead of N, return 1 minus it,
    or leave out the items that no list shows.

    References
    ----------
    .. [1] G. Adomavicius, Y. Kwon, "Improving aggregate recommendation diversity using
       ranking-based techniques", IEEE Transactions on Knowledge and Data Engineering 24(5),
       2012.
    .. [2] F. Diaz, B. Mitra, M. Ekstrand, A. Biega, B. Carterette, "Evaluating stochastic
       rankings with expected exposure", CIKM 2020.

    Examples
    --------
    >>> from sklearn_rank.inputs import from_item_lists
    >>> from sklearn_rank.metrics import gini_at_k_score
    >>> shown = {"ann": ["tea", "jam"], "bob": ["tea", "milk"]}
    >>> rows = from_item_lists({"ann": ["tea"], "bob": []}, shown, return_items=True)
    >>> gini_at_k_score(**rows, k=2, n_items=4)
    0.375
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"items": items, "k": k, "n_items": n_items}
    return mean_score(gini_at_k_score, rows, own, ties, replace_undefined_by)


@_catalogue_metric(
    exposure, summary=ItemCounts(exposure_gini), lower_is_better=True, range=ZERO_TO_ONE
)
@explained
def exposure_gini_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: Cutoff = 10,
    discount: Attention = "log",
    persistence: Share = 0.85,
    n_items: int | None = None,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Exposure Gini at ``k``: how unevenly the attention of users falls on the items.

    Lower is better; 0 means that all items of the catalogue get the same attention, and a
    value near 1 that few items get all of it. It is one number of all lists together:

    .. math:: \frac{\sum_{j=1}^{N} (2j - N - 1) x_{(j)}}{N \sum_j x_j}, \quad
              x_i = \sum_{u} [r_{ui} \le k] \, d(r_{ui})

    where r_ui is the rank of item i in the list of user u, d the ``discount``, and the N
    sums x, 0 for items that no list shows, are in ascending order.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, which have no effect. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, as ``from_item_lists(..., return_items=True)`` returns it; in
        2-D one per column. If None, the index of the column.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    discount : str or callable, default="log"
        Attention to rank i: "log", 1 / log_2(i + 1); "jarvelin", 1 / max(1, log_2(i));
        "reciprocal", 1 / i; "geometric", ``persistence`` to the power of i - 1; or a
        function that maps an array of ranks to factors of 0 or more that do not increase.
    persistence : float, default=0.85
        Probability of going on to the next item, with ``discount="geometric"``.
    n_items : int, default=None
        Number of items in the catalogue, shown or not. In 2-D, None is the number of
        columns.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Number of users that each query represents; in 1-D one value per row, equal within a
        query.
    replace_undefined_by : float or "warn", default="warn"
        Value if the metric is undefined. "warn" returns NaN with an
        ``UndefinedMetricWarning``, NaN without one.

    Returns
    -------
    score : float
        One number for all lists together; NaN if undefined.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if ``n_items`` is missing or less than what is
        shown.

    See Also
    --------
    gini_at_k_score : The same with each rank alike.

    Notes
    -----
    Undefined (NaN) if no list shows an item. Under ties it is the Gini index of the
    *expected* exposure of each item [1]_, which is not the mean over all orders; without
    ties both are the same.

    References
    ----------
    .. [1] F. Diaz, B. Mitra, M. Ekstrand, A. Biega, B. Carterette, "Evaluating stochastic
       rankings with expected exposure", CIKM 2020.

    Examples
    --------
    >>> from sklearn_rank.inputs import from_item_lists
    >>> from sklearn_rank.metrics import exposure_gini_at_k_score
    >>> shown = {"ann": ["tea", "jam"], "bob": ["tea", "milk"]}
    >>> rows = from_item_lists({"ann": ["tea"], "bob": []}, shown, return_items=True)
    >>> exposure_gini_at_k_score(**rows, k=2, discount="reciprocal", n_items=4)
    0.5
    """
    rows = y_true, y_score, groups, sample_weight
    own = {
        "items": items,
        "k": k,
        "discount": discount,
        "persistence": persistence,
        "n_items": n_items,
    }
    return mean_score(exposure_gini_at_k_score, rows, own, ties, replace_undefined_by)


def _range_of_entropy(normalize: bool) -> Range:
    return ZERO_TO_ONE if normalize else Range(0.0, np.inf, "log2 of the number of items")


@_catalogue_metric(
    chances_to_be_shown, summary=ItemCounts(entropy), range=_range_of_entropy
)
@explained
def entropy_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: Cutoff = 10,
    normalize: bool = False,
    n_items: int | None = None,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Entropy at ``k``: how evenly lists show the items, in bits.

    Higher is better; 0 means that lists show a single item, and b bits that they are as
    even as if they showed :math:`2^b` items equally often. It is one number of all lists
    together:

    .. math:: H@k = - \sum_i p_i \log_2 p_i, \quad p_i = \frac{x_i}{\sum_j x_j}

    where :math:`x_i` is how often item i is on the first ``k`` ranks.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, which have no effect. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, as ``from_item_lists(..., return_items=True)`` returns it; in
        2-D one per column. If None, the index of the column.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    normalize : bool, default=False
        Divide by the logarithm of ``n_items``, so that the highest value is 1.
    n_items : int, default=None
        Number of items in the catalogue, shown or not. In 2-D, None is the number of
        columns.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Number of users that each query represents; in 1-D one value per row, equal within a
        query.
    replace_undefined_by : float or "warn", default="warn"
        Value if the metric is undefined. "warn" returns NaN with an
        ``UndefinedMetricWarning``, NaN without one.

    Returns
    -------
    score : float
        One number for all lists together; NaN if undefined.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if ``normalize`` is True and ``n_items`` is
        missing or less than what is shown.

    See Also
    --------
    gini_at_k_score : Another view of it, which counts items that no list shows.

    Notes
    -----
    Undefined (NaN) if no list shows an item, or if normalized in a catalogue of one item.
    Under ties it is the entropy of how often each item is *expected* to be shown [2]_,
    which is not the mean over all orders; without ties both are the same.

    References
    ----------
    .. [1] G. Shani, A. Gunawardana, "Evaluating recommendation systems", Recommender
       Systems Handbook, 2011.
    .. [2] F. Diaz, B. Mitra, M. Ekstrand, A. Biega, B. Carterette, "Evaluating stochastic
       rankings with expected exposure", CIKM 2020.

    Examples
    --------
    >>> from sklearn_rank.inputs import from_item_lists
    >>> from sklearn_rank.metrics import entropy_at_k_score
    >>> shown = {"ann": ["tea", "jam"], "bob": ["tea", "milk"]}
    >>> rows = from_item_lists({"ann": ["tea"], "bob": []}, shown, return_items=True)
    >>> entropy_at_k_score(**rows, k=2)
    1.5
    >>> entropy_at_k_score(**rows, k=2, normalize=True, n_items=8)
    0.5
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"items": items, "k": k, "normalize": normalize, "n_items": n_items}
    return mean_score(entropy_at_k_score, rows, own, ties, replace_undefined_by)
