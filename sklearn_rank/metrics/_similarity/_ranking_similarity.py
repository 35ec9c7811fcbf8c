"""Similarity of two lists of each user: overlap, footrule and rank-biased overlap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from sklearn_rank._base._messages import keep_warnings
from sklearn_rank._base._runs import ranges, starts_of
from sklearn_rank._base._validation import (
    check_given,
    check_integer,
    check_option,
    check_real,
    is_iterable,
    shorten,
)
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._parameters import ZERO_TO_ONE
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._similarity._two_lists import (
    Grid,
    RankedSide,
    TwoLists,
    mean_over_users,
    read_two_lists,
)
from sklearn_rank.typing import ArrayLike, ItemLists, Labels, Undefined

# Overlap and footrule of the first ranks of two lists.


@explained
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
    left, right = _chances_in_top(lists.left, k), _chances_in_top(lists.right, k)
    n_users = len(lists.users)
    user = lists.left.user[lists.in_left]
    common = np.bincount(user, left[lists.in_left] * right[lists.in_right], n_users)
    sizes = [np.minimum(side.sizes, k) for side in (lists.left, lists.right)]
    total = np.full(n_users, float(k))
    if denominator == "union":
        total = sizes[0] + sizes[1] - common
    return common / np.where(sizes[0] + sizes[1] > 0, total, np.nan)


def _chances_in_top(side: RankedSide, k: int) -> np.ndarray:
    """Return the chance of each item to be on the first k ranks."""
    return np.clip((k - side.first + 1) / (side.last - side.first + 1), 0, 1)


@explained
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
    value, name = footrules(lists, k), f"footrule@{k}"
    return mean_over_users(name, value, lists, sample_weight, replace_undefined_by)


def footrules(lists: TwoLists, k: int) -> np.ndarray:
    """Return the footrule of each user.

    The distance of two ranks is the number of depths at which one list shows the item and
    the other does not, so that the sum over items follows from the overlaps at depths.
    """
    left, right = lists.left, lists.right
    n_users = len(lists.users)
    # Below the end of the longer list, nothing changes.
    depths = np.minimum(np.maximum(left.sizes, right.sizes), k)
    grid = Grid(starts_of(depths), depths)
    overlap = grid.sum(*lists.ranks_of_common())
    common = np.bincount(np.arange(n_users).repeat(depths), overlap, n_users)
    shared = np.bincount(left.user[lists.in_left], minlength=n_users)
    common += shared * (k - depths)
    # The sums of the numbers of items that the lists show to depths 1, ..., k.
    sizes = np.minimum([left.sizes, right.sizes], k)
    total = (sizes * (sizes + 1) / 2 + sizes * (k - sizes)).sum(axis=0)
    return 2 * common / np.where(total > 0, total, np.nan)


# Rank-biased overlap: how alike two lists are, the first ranks above all.


Variant = Literal["extrapolated", "min", "max", "residual", "truncated", "normalized"]
OverlapTies = Literal["average", "corrected", "equal"]
_VARIANTS, TIES = get_args(Variant), get_args(OverlapTies)


@explained
def rank_biased_overlap_score(
    a: ItemLists | ArrayLike,
    b: ItemLists | ArrayLike,
    *,
    groups: Labels | None = None,
    p: float = 0.9,
    variant: Variant = "extrapolated",
    ties: OverlapTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Rank-biased overlap (RBO) of two lists of each user.

    Higher is more alike; 1 means that both lists are the same. It is undefined if both
    lists are empty, and 0 if one is, but 1 by "max" and "residual", or less where the other
    one has ties. The lists may be those of two models, of one model at two times, or of a
    person and a model. Agreement is measured at each depth d, and depths have geometric
    weights:

    .. math:: RBO = (1 - p) \sum_{d=1}^{\infty} p^{d-1} \frac{|A_d \cap B_d|}{d}

    where :math:`A_d` has the first d items of a list. Lists end, and ``variant`` says what
    is assumed of the ranks below.

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
    p : float, default=0.9
        Weight of a depth against that of the one above, between 0 and 1. With 0.9 the first
        10 ranks have 86% of the weight.
    variant : str, default="extrapolated"
        "extrapolated" assumes that lists go on to agree as they do at their ends; "min" and
        "max" assume the worst and the best, and "residual" is their difference.
        "truncated" stops at the end of the longer list, so that equal lists do not reach
        1, and "normalized" divides this by the weight of the ranks that it has.
    ties : {"average", "corrected", "equal"}, default="average"
        Treatment of tied items: the mean agreement over all orders, at each depth; this
        mean, normalized so that a list agrees with itself; or the same rank for all of
        them, as in sports.
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
    overlap_at_k_score : The overlap of the first k ranks.
    ranking_similarity : Several measures at once, a value for each user.

    Notes
    -----
    High agreement does not mean that two models are good; low agreement at equal nDCG is a
    reason to blend them. 1 minus the overlap with the list of last week is temporal
    diversity.

    With ``ties="average"`` the value is the mean over all orders if both lists are equally
    long. If they are not, "min", "truncated" and "normalized" still are that mean;
    "extrapolated", "max" and "residual" assume ranks below the shorter list as [2]_ does,
    from mean agreements, and may differ from it.

    References
    ----------
    .. [1] W. Webber, A. Moffat, J. Zobel, "A similarity measure for indefinite rankings",
       ACM Transactions on Information Systems 28(4), 2010.
    .. [2] M. Corsi, J. Urbano, "The treatment of ties in rank-biased overlap", SIGIR 2024.

    Examples
    --------
    >>> from sklearn_rank.metrics import rank_biased_overlap_score
    >>> one, other = {"ann": ["tea", "jam", "rice"]}, {"ann": ["jam", "tea", "salt"]}
    >>> round(rank_biased_overlap_score(one, other), 6)
    0.63
    """
    p = check_real("p", p, "a number between 0 and 1", above=0, below=1)
    check_option("variant", variant, _VARIANTS)
    check_option("ties", ties, TIES)
    lists = read_two_lists(a, b, groups)
    value = rank_biased_overlaps(lists, p, variant, ties)
    return mean_over_users("rbo", value, lists, sample_weight, replace_undefined_by)


def rank_biased_overlaps(lists: TwoLists, p: float, variant: str, ties: str) -> np.ndarray:
    """Return the overlap of each user."""
    depths = _Depths.compute(lists, ties)
    of_variant = {
        "extrapolated": _extrapolated,
        "min": _lowest,
        "max": _highest,
        "residual": lambda depths, p: _highest(depths, p) - _lowest(depths, p),
        "truncated": _truncated,
        "normalized": _normalized,
    }[variant]
    # Sums of rounded terms may be above 1, or below 0, in their last digits.
    value = np.clip(of_variant(depths, p), 0.0, 1.0)
    return np.where(depths.long == 0, np.nan, value)


@dataclass(frozen=True, eq=False)
class _Depths:
    """Of each user the depths 1, ..., l, where the longer list ends, in a row."""

    short: np.ndarray  # length of each user's shorter list
    long: np.ndarray  # and of the longer one
    user: np.ndarray  # of each depth
    depth: np.ndarray
    overlap: np.ndarray  # X: expected number of common items
    total: np.ndarray  # what the overlap is divided by
    unseen: np.ndarray  # V: mean share of the items that only the longer list has
    possible: np.ndarray  # U: of these, what the shorter one could still have

    @classmethod
    def compute(cls, lists: TwoLists, ties: str) -> _Depths:
        """Return the depths of two lists."""
        left, right = lists.left, lists.right
        if ties == "equal":  # all are there from the first rank of a group on
            left, right = (replace(side, last=side.first) for side in (left, right))
            lists = replace(lists, left=left, right=right)
        short = np.minimum(left.sizes, right.sizes)
        long = np.maximum(left.sizes, right.sizes)
        grid, sides = Grid(starts_of(long), long), [left, right]
        user, depth = np.arange(len(long)).repeat(long), ranges(1, long)
        here, there = (_total(side, grid, ties, user, depth) for side in sides)
        total = (here + there) / 2 if ties == "equal" else np.sqrt(here * there)
        alone = _items_only_in_longer(sides, [lists.in_left, lists.in_right])
        share = grid.sum(alone.user, alone.first, alone.last)
        count = grid.sum(alone.user, alone.first, alone.first)
        rank = ranges(1, alone.sizes) + short[alone.user]
        return cls(
            short,
            long,
            user,
            depth,
            grid.sum(*lists.ranks_of_common()),
            total,
            np.divide(share, count, out=np.zeros(len(share)), where=count > 0),
            grid.sum(alone.user, alone.first, alone.last, rank, rank),
        )

    def sum(self, values: np.ndarray) -> np.ndarray:
        """Return the sum over the depths of each user."""
        return np.bincount(self.user, values, len(self.long))

    def value_at(self, values: np.ndarray, depth: np.ndarray) -> np.ndarray:
        """Return the value of each user at a depth, 0 at depth 0."""
        at_depth = np.zeros(len(depth))
        has = depth > 0
        at_depth[has] = values[(starts_of(self.long)[:-1] + depth - 1)[has]]
        return at_depth


def _total(
    side: RankedSide, grid: Grid, ties: str, user: np.ndarray, depth: np.ndarray
) -> np.ndarray:
    """Return what one list adds to the denominator of the agreement at each depth."""
    if ties == "average":
        return depth.astype(float)
    if ties == "equal":
        total = grid.sum(side.user, side.first, side.last)
    else:
        total = grid.sum(side.user, side.first, side.last, side.first, side.last)
    # Below its end a list is taken to go on without ties.
    return np.where(depth > side.sizes[user], depth, total)


def _items_only_in_longer(sides: list[RankedSide], common: list[np.ndarray]) -> RankedSide:
    """Return the items of longer lists that the shorter ones do not have, by user."""
    alone = []
    for side, opposite, places in zip(sides, sides[::-1], common, strict=True):
        keeps = np.ones(len(side.item), dtype=bool)
        keeps[places] = False
        is_longer = side.sizes > opposite.sizes
        alone.append(side.select(keeps & is_longer[side.user]))
    order = np.argsort(np.concatenate([side.user for side in alone]), kind="stable")
    return RankedSide(
        alone[0].sizes + alone[1].sizes,
        *(
            np.concatenate([getattr(side, name) for side in alone])[order]
            for name in ("item", "first", "last")
        ),
    )


def _truncated(depths: _Depths, p: float) -> np.ndarray:
    weight = (1 - p) * p ** (depths.depth - 1.0)
    return depths.sum(weight * depths.overlap / depths.total)


def _normalized(depths: _Depths, p: float) -> np.ndarray:
    weight = (1 - p) * p ** (depths.depth - 1.0)
    total = depths.sum(weight)
    return _truncated(depths, p) / np.where(total > 0, total, 1)


def _extrapolated(depths: _Depths, p: float) -> np.ndarray:
    agreement = depths.overlap / depths.total
    at_short = depths.value_at(agreement, depths.short)
    beyond = np.maximum(depths.depth - depths.short[depths.user], 0)
    unseen = beyond * at_short[depths.user] * depths.unseen
    value = (depths.overlap + unseen) / depths.total
    seen = depths.sum((1 - p) * p ** (depths.depth - 1.0) * value)
    at_end = depths.value_at(depths.overlap, depths.long)
    at_end = at_end + (depths.long - depths.short) * at_short
    return seen + at_end / np.maximum(depths.long, 1) * p ** depths.long.astype(float)


def _lowest(depths: _Depths, p: float) -> np.ndarray:
    below = -np.log1p(-p) - depths.sum(p ** (depths.depth * 1.0) / depths.depth)
    at_end = depths.value_at(depths.overlap, depths.long)
    return _truncated(depths, p) + (1 - p) / p * at_end * below


def _highest(depths: _Depths, p: float) -> np.ndarray:
    seen = depths.overlap + depths.possible
    total = depths.sum(p ** depths.depth.astype(float) * seen / depths.total)
    at_end = depths.value_at(depths.overlap, depths.long)
    short, long = depths.short, depths.long
    full = np.rint(long + short - at_end).astype(np.intp)
    user, depth = np.arange(len(long)).repeat(full - long), ranges(long + 1, full - long)
    share = (2 * depth - (long + short - at_end)[user]) / depth
    total += np.bincount(user, share * p ** depth.astype(float), len(long))
    return (1 - p) / p * (total + p ** (full + 1.0) / (1 - p))


# Several measures of how alike two lists of each user are.


_MEASURES_AT_K: dict[str, Callable[[TwoLists, int], np.ndarray]] = {
    "overlap": lambda lists, k: overlaps(lists, k, "k"),
    "jaccard": lambda lists, k: overlaps(lists, k, "union"),
    "footrule": footrules,
}


@explained
@keep_warnings
def ranking_similarity(
    a: ItemLists | ArrayLike,
    b: ItemLists | ArrayLike,
    *,
    groups: Labels | None = None,
    metrics: str | Sequence[str] = ("rbo", "overlap@10"),
    p: float = 0.9,
    ties: OverlapTies = "average",
) -> PerQueryScores:
    """How alike two lists of each user are, by several measures.

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
    metrics : str or sequence of str, default=("rbo", "overlap@10")
        ``"rbo"``, extrapolated; ``"overlap@k"``, ``"jaccard@k"`` and ``"footrule@k"`` with
        a number for k.
    p : float, default=0.9
        Weight of a depth against that of the one above, in ``"rbo"``.
    ties : {"average", "corrected", "equal"}, default="average"
        Treatment of tied items in ``"rbo"``; the others take the mean over all orders.

    Returns
    -------
    scores : PerQueryScores
        Each measure of each user; ``mean()`` is that over users. NaN if both lists are
        empty.

    Raises
    ------
    ValueError
        If a list has a duplicate item, a user is missing from one of the two, or a
        parameter is unknown.
    TypeError
        If one argument is a mapping and the other a sequence, or an entry is not a list.

    See Also
    --------
    rank_biased_overlap_score : The first ranks weigh most.
    overlap_at_k_score : The share of the first k ranks in common.
    footrule_at_k_score : How near items are to their ranks in the other list.

    Examples
    --------
    >>> from sklearn_rank.metrics import ranking_similarity
    >>> one, other = {"ann": list("abcde")}, {"ann": list("badfc")}
    >>> found = ranking_similarity(one, other, metrics=["rbo", "overlap@5", "footrule@5"])
    >>> {name: round(mean, 4) for name, mean in found.mean().items()}
    {'rbo': 0.7236, 'overlap@5': 0.8, 'footrule@5': 0.7333}
    """
    p = check_real("p", p, "a number between 0 and 1", above=0, below=1)
    check_option("ties", ties, TIES)
    cutoffs = {name: _cutoff(name) for name in _names(metrics)}
    lists = read_two_lists(a, b, groups)
    values = {
        name: rank_biased_overlaps(lists, p, "extrapolated", ties)
        if k is None
        else _MEASURES_AT_K[name.partition("@")[0]](lists, k)
        for name, k in cutoffs.items()
    }
    return PerQueryScores(lists.users, values, ranges=dict.fromkeys(values, ZERO_TO_ONE))


def _names(metrics: Any) -> list[str]:
    needed = "a name such as 'rbo', or a sequence of names"
    check_given("metrics", metrics, is_iterable(metrics), needed)
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"`metrics` must have names, got {shorten(name)}.")
    if not names or len(set(names)) < len(names):
        raise ValueError(f"`metrics` must name measures, each once, got {names}.")
    return names


def _cutoff(name: str) -> int | None:
    """Return the cutoff that is in a name; None without one."""
    measure, at, k = name.partition("@")
    if name == "rbo":
        return None
    if measure not in _MEASURES_AT_K or not (at and k.isascii() and k.isdigit()):
        check_option("metrics", name, ["rbo", *(f"{base}@10" for base in _MEASURES_AT_K)])
    return check_integer("k", int(k))
