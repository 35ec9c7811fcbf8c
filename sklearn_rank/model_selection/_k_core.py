"""k_core: drop users and items with few rows until all have enough."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sklearn_rank._base._labels import encode_labels
from sklearn_rank._base._runs import order_by_codes, ranges, starts_of
from sklearn_rank._base._validation import check_integer
from sklearn_rank._hints._explain import explained
from sklearn_rank.typing import Labels


@explained
def k_core(
    users: Labels, items: Labels, min_user: int = 5, min_item: int = 5
) -> NDArray[np.bool_]:
    """Return the rows whose users and items have enough rows among those returned.

    Users with fewer than `min_user` rows and items with fewer than `min_item` are left
    out again and again, as each loss may bring others below the bound. What remains is
    the largest set of rows that keeps both bounds; it does not depend on the order.

    Parameters
    ----------
    users, items : array-like of shape (n_rows,)
        User and item of each row.
    min_user : int, default=5
        Rows that a user needs at least. 1: no bound.
    min_item : int, default=5
        Rows that an item needs at least. 1: no bound.

    Returns
    -------
    ndarray of bool of shape (n_rows,)
        Whether each row stays. All False where no core exists.

    Raises
    ------
    ValueError
        When users and items have unequal lengths or missing values, or a bound is not
        positive.

    Notes
    -----
    Rows are counted, so a pair that occurs twice counts twice. To filter what a model
    trains on, apply it to the train rows only: a core found on all rows lets the test
    decide who is trained on.

    Examples
    --------
    >>> from sklearn_rank.model_selection import k_core
    >>> users = ["ann", "ann", "bob", "bob", "cy"]
    >>> items = ["x", "y", "x", "y", "z"]
    >>> k_core(users, items, min_user=2, min_item=2)
    array([ True,  True,  True,  True, False])
    """
    min_user = check_integer("min_user", min_user)
    min_item = check_integer("min_item", min_item)
    _, user_codes = encode_labels(users, name="users")
    _, item_codes = encode_labels(items, name="items")
    if len(user_codes) != len(item_codes):
        raise ValueError(
            f"`users` has {len(user_codes)} value(s) and `items` has {len(item_codes)}; "
            "give both one value per row."
        )
    return _core((user_codes, item_codes), (min_user, min_item))


# Looks at all rows that take as long as the sorts that `_follow_losses` needs, about.
_FULL_TURNS = 8


def _core(
    sides: tuple[np.ndarray, np.ndarray], minima: tuple[int, int]
) -> NDArray[np.bool_]:
    """Return which rows stay, given the codes of users and of items, and their bounds.

    Most logs reach their core in a few turns. Each turn looks at all rows.
    """
    counts = [np.bincount(codes) for codes in sides]
    stays = np.ones(len(sides[0]), dtype=bool)
    for _ in range(_FULL_TURNS):
        leaves = (counts[0] < minima[0])[sides[0]]
        leaves |= (counts[1] < minima[1])[sides[1]]
        leaves &= stays
        if not leaves.any():
            return stays
        stays ^= leaves
        for count, codes in zip(counts, sides, strict=True):
            count -= np.bincount(codes[leaves], minlength=len(count))
    rows = np.flatnonzero(stays)
    users, items = (codes[rows] for codes in sides)
    stays[rows] = _follow_losses((users, items), minima)
    return stays


def _follow_losses(sides: tuple[np.ndarray, ...], minima: tuple[int, int]) -> np.ndarray:
    """Return which rows stay, given the codes of users and of items, and their bounds.

    Users and items leave in turn, with all their rows. Only those that just lost rows are
    counted again, so that the work is linear even if each turn takes a single row.
    """
    counts, orders, starts, short = [], [], [], []
    for codes, minimum in zip(sides, minima, strict=True):
        count = np.bincount(codes)
        counts.append(count)
        orders.append(order_by_codes([codes], [len(count)]))
        starts.append(starts_of(count))
        short.append(np.flatnonzero(count < minimum))
    stays = np.ones(len(sides[0]), dtype=bool)
    side = 0
    while len(short[0]) or len(short[1]):
        codes, facing = short[side], 1 - side
        sizes = starts[side][codes + 1] - starts[side][codes]
        rows = orders[side][ranges(starts[side][codes], sizes)]
        rows = rows[stays[rows]]
        stays[rows] = False
        losers, n_lost = np.unique(sides[facing][rows], return_counts=True)
        before = counts[facing][losers]
        counts[facing][losers] = left = before - n_lost
        is_short = (before >= minima[facing]) & (left < minima[facing])
        short[side] = codes[:0]
        short[facing] = np.concatenate([short[facing], losers[is_short]])
        side = facing
    return stays
