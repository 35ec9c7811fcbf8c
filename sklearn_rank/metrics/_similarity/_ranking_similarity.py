"""Several measures of how alike two lists of each user are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from sklearn_rank._base._validation import (
    check_given,
    check_integer,
    check_option,
    check_real,
    shorten,
)
from sklearn_rank.metrics._core._parameters import ZERO_TO_ONE
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._similarity._overlap import footrules, overlaps
from sklearn_rank.metrics._similarity._rank_biased_overlap import (
    TIES,
    OverlapTies,
    rank_biased_overlaps,
)
from sklearn_rank.metrics._similarity._two_lists import TwoLists, read_two_lists
from sklearn_rank.typing import ArrayLike, ItemLists, Labels

_MEASURES_AT_K: dict[str, Callable[[TwoLists, int], np.ndarray]] = {
    "overlap": lambda lists, k: overlaps(lists, k, "k"),
    "jaccard": lambda lists, k: overlaps(lists, k, "union"),
    "footrule": footrules,
}


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
    found : PerQueryScores
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
    check_given("metrics", metrics, isinstance(metrics, str | Iterable), needed)
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
        check_option("metrics", name, ["rbo", *(f"{known}@10" for known in _MEASURES_AT_K)])
    return check_integer("k", int(k))
