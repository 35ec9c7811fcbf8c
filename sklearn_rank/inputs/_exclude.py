"""Drop excluded and repeated items."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._arrays._runs import begins_run
from sklearn_rank._ids._agree import check_comparable
from sklearn_rank._ids._encode import with_python_moments
from sklearn_rank._ids._two_sides import Codes
from sklearn_rank._text._wording import shorten
from sklearn_rank.inputs._per_user import check_users_comparable, read_per_user
from sklearn_rank.inputs._side import Side

DUPLICATES = ("raise", "first")


class UserItemPairs(NamedTuple):
    """Pairs of a user, by number, and an item, by code."""

    user: np.ndarray
    item: np.ndarray


def read_excluded(
    exclude: Any, users: Any, n_users: int, ids: Codes, name: str
) -> UserItemPairs:
    """Return the excluded pairs of users and items that the other arguments name.

    `users` are the labels in the order of their numbers; None: they are their positions.
    `name` is that of the argument beside.
    """
    if exclude is None:
        return UserItemPairs(*np.empty((2, 0), dtype=np.int64))
    excluded = read_per_user(exclude, name="exclude", single=True)
    if users is None and excluded.users is None and len(excluded.sizes) != n_users:
        raise ValueError(
            f"`exclude` has {len(excluded.sizes)} users, but there are {n_users}. "
            "Sequences are matched by position; a mapping needs no entry for users "
            "without excluded items."
        )
    if users is not None and excluded.users is None:
        raise TypeError(
            f"`exclude` must be a mapping from user to items, got {shorten(exclude)}."
        )
    number = _numbers(excluded.users, range(n_users) if users is None else users, name)
    flat = excluded.flat_ids()
    known = ids.sample(ids.one) + ids.sample(ids.other)
    check_comparable(flat, known, ("`exclude`", "another argument"))
    user, item = np.repeat(number, excluded.sizes), ids.codes_of(flat)
    is_known = (user >= 0) & (item >= 0)
    return UserItemPairs(user[is_known], item[is_known])


def _numbers(excluded: list | None, users: Any, name: str) -> np.ndarray:
    """Return the number of each user with excluded items, -1 if unknown."""
    if excluded is None:
        return np.arange(len(users))
    excluded, users = (with_python_moments(list(side)) for side in (excluded, users))
    check_users_comparable(excluded, users, ("exclude", name))
    number = {user: place for place, user in enumerate(users)}
    return np.fromiter((number.get(user, -1) for user in excluded), int, len(excluded))


def is_excluded(user: np.ndarray, item: np.ndarray, excluded: UserItemPairs) -> np.ndarray:
    """Return whether each pair of user and item is excluded; some pairs are."""
    items, code = np.unique(excluded.item, return_inverse=True)
    place = np.minimum(items.searchsorted(item), len(items) - 1)
    found = np.isin(user * len(items) + place, excluded.user * len(items) + code)
    return found & (items[place] == item)


def choose(side: Side, duplicates: str, excluded: UserItemPairs) -> Side:
    """Return the side without excluded items and, if "first", with each item once.

    Of an item that a user has several times the entry with the highest score or grade
    stays, and without scores the one with the first place.
    """
    if len(excluded.user):
        side = _only(side, np.flatnonzero(~is_excluded(side.owner(), side.item, excluded)))
    if duplicates == "first":
        side = _only(side, _first_of_each(side))
    return side


def _first_of_each(side: Side) -> np.ndarray:
    owner = side.owner()
    worth = () if side.value is None else (-side.value,)  # NaN is sorted last
    order = np.lexsort((*worth, side.item, owner))
    return np.sort(order[begins_run(owner[order], side.item[order])])


def _only(side: Side, kept: np.ndarray) -> Side:
    """Return a side with some of its entries, in their order."""
    return replace(
        side,
        sizes=np.bincount(side.owner()[kept], minlength=len(side.sizes)),
        item=side.item[kept],
        value=None if side.value is None else side.value[kept],
    )
