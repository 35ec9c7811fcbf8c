"""Overlap and footrule of the first ranks of two lists."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sklearn_rank._base._runs import starts_of
from sklearn_rank._base._validation import check_integer, check_option
from sklearn_rank.metrics._similarity._two_lists import (
    Grid,
    RankedSide,
    TwoLists,
    mean_over_users,
    read_two_lists,
)
from sklearn_rank.typing import ArrayLike, ItemLists, Labels, Undefined


def overlap_at_k_score(
    a: ItemLists | ArrayLike,
    b: ItemLists | ArrayLike,
    *,
    groups: Labels | None = None,
    k: int = 10,
    denominator: Literal["k", "union"] = "k",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Overlap of the first ``k`` ranks of two lists of each user.

    Higher is more alike; 1 means that both lists show the same ``k`` items, in any order:

    .. math:: \frac{|A_k \cap B_k|}{k}

    It is undefined if both lists are empty, and 0 if one is. The lists may be those of two
    models, or of one model at two times: 1 minus the overlap with the list of last week is
    temporal diversity.

    Parameters
    ----------
    a : mapping, Series or sequence over users, or array of shape (n_users, k)
        The list of each user: ids, best first. A tuple or set within a list holds ids that
        tie; in an array a tuple is an id. Or scores, the highest first, ``-inf`` for items
        outside the list: one per row with ``groups``, or a 2-D array of floats with a
        column per item.
    b : mapping, Series or sequence over users, or array of shape (n_users, k)
        The other list of each user, in the same form. Mappings are matched by key,
        sequences by position, scores by row.
    groups : array-like of shape (n_rows,), default=None
        User or query of each row, if ``a`` and ``b`` are scores of the same rows.
    k : int, default=10
        Cutoff: ranks below it do not count.
    denominator : {"k", "union"}, default="k"
        Divide by ``k``, or by the items that either list shows (Jaccard).
    sample_weight : array-like of shape (n_users,) or (n_rows,), default=None
        Weight of each user in the mean, in the order of ``a``; with ``groups`` one value
        per row, equal within a user.
    replace_undefined_by : float or "warn", default="warn"
        Value of a user for whom the metric is undefined. "warn" leaves them out of the mean
        with an ``UndefinedMetricWarning``, NaN without one.

    Returns
    -------
    score : float
        Mean over the users; NaN if undefined for all of them.

    Raises
    ------
    ValueError
        If a list has a duplicate item, a user is missing from one of the two, or a
        parameter is unknown.
    TypeError
        If one argument is a mapping and the other a sequence, or an entry is not a list.

    See Also
    --------
    rank_biased_overlap_score : With weights of ranks, and no cutoff.
    footrule_at_k_score : How far items are from their ranks in the other list.
    ranking_similarity : Several measures at once, a value for each user.

    Notes
    -----
    Under ties the overlap is the mean over all orders; "union" is computed from it. Lists
    shorter than ``k`` overlap less.

    References
    ----------
    .. [1] N. Lathia, S. Hailes, L. Capra, X. Amatriain, "Temporal diversity in recommender
       systems", SIGIR 2010.

    Examples
    --------
    >>> from sklearn_rank.metrics import overlap_at_k_score
    >>> last_week = {"ann": ["tea", "jam"], "bob": ["milk", "rice"]}
    >>> today = {"ann": ["jam", "tea"], "bob": ["rice", "salt"]}
    >>> overlap_at_k_score(last_week, today, k=2)
    0.75
    """
    k = check_integer("k", k)
    check_option("denominator", denominator, ("k", "union"))
    lists = read_two_lists(a, b, groups)
    name = f"{'overlap' if denominator == 'k' else 'jaccard'}@{k}"
    value = overlaps(lists, k, denominator)
    return mean_over_users(name, value, lists, sample_weight, replace_undefined_by)


def overlaps(lists: TwoLists, k: int, denominator: str) -> np.ndarray:
    """Return the overlap of each user."""
    one, other = _chances_in_top(lists.one, k), _chances_in_top(lists.other, k)
    n_users = len(lists.users)
    user = lists.one.user[lists.in_one]
    common = np.bincount(user, one[lists.in_one] * other[lists.in_other], n_users)
    shown = [np.minimum(side.sizes, k) for side in (lists.one, lists.other)]
    total = np.full(n_users, float(k))
    if denominator == "union":
        total = shown[0] + shown[1] - common
    return common / np.where(shown[0] + shown[1] > 0, total, np.nan)


def _chances_in_top(side: RankedSide, k: int) -> np.ndarray:
    """Return the chance of each item to be on the first k ranks."""
    return np.clip((k - side.first + 1) / (side.last - side.first + 1), 0, 1)


def footrule_at_k_score(
    a: ItemLists | ArrayLike,
    b: ItemLists | ArrayLike,
    *,
    groups: Labels | None = None,
    k: int = 10,
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Footrule of two lists of each user: how near items are to their ranks in the other.

    Higher is more alike; 1 means that both lists have the same first ``k`` items in the
    same order, 0 that they have none in common:

    .. math:: 1 - \frac{1}{k (k + 1)} \sum_e |r_A(e) - r_B(e)|

    where an item has the rank k + 1 in a list that does not show it. It is undefined if
    both lists are empty, and 0 if one is.

    Parameters
    ----------
    a : mapping, Series or sequence over users, or array of shape (n_users, k)
        The list of each user: ids, best first. A tuple or set within a list holds ids that
        tie; in an array a tuple is an id. Or scores, the highest first, ``-inf`` for items
        outside the list: one per row with ``groups``, or a 2-D array of floats with a
        column per item.
    b : mapping, Series or sequence over users, or array of shape (n_users, k)
        The other list of each user, in the same form. Mappings are matched by key,
        sequences by position, scores by row.
    groups : array-like of shape (n_rows,), default=None
        User or query of each row, if ``a`` and ``b`` are scores of the same rows.
    k : int, default=10
        Cutoff: ranks below it do not count.
    sample_weight : array-like of shape (n_users,) or (n_rows,), default=None
        Weight of each user in the mean, in the order of ``a``; with ``groups`` one value
        per row, equal within a user.
    replace_undefined_by : float or "warn", default="warn"
        Value of a user for whom the metric is undefined. "warn" leaves them out of the mean
        with an ``UndefinedMetricWarning``, NaN without one.

    Returns
    -------
    score : float
        Mean over the users; NaN if undefined for all of them.

    Raises
    ------
    ValueError
        If a list has a duplicate item, a user is missing from one of the two, or a
        parameter is unknown.
    TypeError
        If one argument is a mapping and the other a sequence, or an entry is not a list.

    See Also
    --------
    overlap_at_k_score : The order within the first k does not count.
    ranking_similarity : Several measures at once, a value for each user.

    Notes
    -----
    Under ties it is the mean over all orders. For lists shorter than ``k`` the denominator
    is the sum of lists of their lengths that have nothing in common, so that 0 and 1 mean
    the same.

    References
    ----------
    .. [1] R. Fagin, R. Kumar, D. Sivakumar, "Comparing top k lists", SIAM Journal on
       Discrete Mathematics 17(1), 2003.

    Examples
    --------
    >>> from sklearn_rank.metrics import footrule_at_k_score
    >>> one, other = [["a", "b", "c", "d", "e"]], [["b", "a", "d", "f", "c"]]
    >>> round(footrule_at_k_score(one, other, k=5), 6)
    0.733333
    """
    k = check_integer("k", k)
    lists = read_two_lists(a, b, groups)
    value = footrules(lists, k)
    return mean_over_users(
        f"footrule@{k}", value, lists, sample_weight, replace_undefined_by
    )


def footrules(lists: TwoLists, k: int) -> np.ndarray:
    """Return the footrule of each user.

    The distance of two ranks is the number of depths at which one list shows the item and
    the other does not, so that the sum over items follows from the overlaps at depths.
    """
    one, other = lists.one, lists.other
    n_users = len(lists.users)
    # Below the end of the longer list, nothing changes.
    depths = np.minimum(np.maximum(one.sizes, other.sizes), k)
    grid = Grid(starts_of(depths), depths)
    overlap = grid.sum(
        one.user[lists.in_one],
        one.first[lists.in_one],
        one.last[lists.in_one],
        other.first[lists.in_other],
        other.last[lists.in_other],
    )
    common = np.bincount(np.arange(n_users).repeat(depths), overlap, n_users)
    shared = np.bincount(one.user[lists.in_one], minlength=n_users)
    common += shared * (k - depths)
    shown = sum(_sum_shown(np.minimum(side.sizes, k), k) for side in (one, other))
    total = np.asarray(shown, dtype=float)
    return 2 * common / np.where(total > 0, total, np.nan)


def _sum_shown(size: np.ndarray, k: int) -> np.ndarray:
    """Return the sum of the numbers of items that a list shows to depths 1, ..., k."""
    return size * (size + 1) / 2 + size * (k - size)
