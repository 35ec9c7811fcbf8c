"""Overlap of the first ranks of two lists."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sklearn_rank._validation import check_integer, check_option
from sklearn_rank.metrics._similarity._mean import mean_over_users
from sklearn_rank.metrics._similarity._read_two_lists import read_two_lists
from sklearn_rank.metrics._similarity._two_lists import RankedSide, TwoLists
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
    one, other = _shares(lists.one, k), _shares(lists.other, k)
    n_users = len(lists.users)
    user = lists.one.user[lists.in_one]
    common = np.bincount(user, one[lists.in_one] * other[lists.in_other], n_users)
    shown = [np.minimum(side.sizes, k) for side in (lists.one, lists.other)]
    total = np.full(n_users, float(k))
    if denominator == "union":
        total = shown[0] + shown[1] - common
    return common / np.where(shown[0] + shown[1] > 0, total, np.nan)


def _shares(side: RankedSide, k: int) -> np.ndarray:
    """Return the chance of each item to be on the first k ranks."""
    return np.clip((k - side.first + 1) / (side.last - side.first + 1), 0, 1)
