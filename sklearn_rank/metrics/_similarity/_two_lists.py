"""Two lists of ids for each user, to be compared: their ranks, and what is common."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._arrays._runs import ranges, starts_of
from sklearn_rank._ids._agree import check_comparable, check_once, named_twice, show
from sklearn_rank._ids._two_sides import Codes, encode_ids
from sklearn_rank._validation import shorten
from sklearn_rank.inputs._per_user import PerUser, align_users, read_per_user


@dataclass(frozen=True, eq=False)
class RankedSide:
    """The lists of one side: items by user and by rank."""

    sizes: np.ndarray  # items of each user
    item: np.ndarray  # code of each item
    first: np.ndarray  # of each item the first rank of those that tie with it
    last: np.ndarray  # and the last

    @property
    def user(self) -> np.ndarray:
        """The user of each item."""
        return np.arange(len(self.sizes)).repeat(self.sizes)

    def of(self, keeps: np.ndarray) -> "RankedSide":
        """Return some of the items."""
        sizes = np.bincount(self.user[keeps], minlength=len(self.sizes))
        return RankedSide(sizes, self.item[keeps], self.first[keeps], self.last[keeps])


@dataclass(frozen=True, eq=False)
class TwoLists:
    """Both lists of each user, and where the items are that both have."""

    users: np.ndarray
    one: RankedSide
    other: RankedSide
    in_one: np.ndarray  # places of common items in the one
    in_other: np.ndarray  # places of the same items in the other
    user_of_row: np.ndarray | None = None  # where they come from scores with groups


def two_lists_of_ids(a: Any, b: Any) -> TwoLists:
    """Return the lists of two mappings or sequences over users."""
    left, right = (
        read_per_user(a, name="a", ordered=True),
        read_per_user(b, name="b", ordered=True),
    )
    _check_same_users(left, right)
    users, left, right = align_users(left, right)
    flat, tied = zip(*(_without_ties(side) for side in (left, right)), strict=True)
    ids = encode_ids(*flat)
    codes = (ids.one, ids.other)
    one, other = (
        _ranked(side, code, ids, sizes)
        for side, code, sizes in zip((left, right), codes, tied, strict=True)
    )
    check_comparable(ids.sample(one.item), ids.sample(other.item), ("`a`", "`b`"))
    _, in_one, in_other = np.intersect1d(
        one.user * ids.n_codes + one.item,
        other.user * ids.n_codes + other.item,
        assume_unique=True,
        return_indices=True,
    )
    return TwoLists(users, one, other, in_one, in_other)


def _check_same_users(left: PerUser, right: PerUser) -> None:
    if left.users is None or right.users is None:
        return
    for side, other in ((left, right), (right, left)):
        known = set(other.users or ())
        alone = [user for user in side.users or () if user not in known]
        if alone:
            shown = ", ".join(show(user) for user in alone[:3])
            raise ValueError(
                f"`{other.name}` has no list of {len(alone)} user(s) of `{side.name}`: "
                f"{shown}; give both lists of each user, an empty one if needed."
            )


def _without_ties(side: PerUser) -> tuple[Any, np.ndarray | None]:
    """Return the ids, those that tie one by one, and how many each entry has."""
    flat = side.flat_ids()
    if not isinstance(flat, list):
        return flat, None
    # An array has an id in each place, which may be a tuple, as those of recommend().
    kinds = (set, frozenset) if side.types == {np.ndarray} else (tuple, set, frozenset)
    tie = [isinstance(entry, kinds) for entry in flat]
    if not any(tie):
        return flat, None
    sizes = np.array([len(e) if tied else 1 for e, tied in zip(flat, tie, strict=True)])
    ids: list = []
    for entry, tied in zip(flat, tie, strict=True):
        ids.extend(entry if tied else (entry,))
    return ids, sizes


def _ranked(
    side: PerUser, codes: np.ndarray, ids: Codes, sizes: np.ndarray | None
) -> RankedSide:
    """Return one side, its items by rank."""
    entries = np.ones(len(codes), dtype=np.intp) if sizes is None else sizes
    n_items = np.add.reduceat(np.append(entries, 0), starts_of(side.sizes)[:-1])
    n_items = np.where(side.sizes > 0, n_items, 0)
    user = np.arange(len(n_items)).repeat(n_items)
    rank = ranges(0, entries)  # place within the entry
    place = np.arange(len(codes)) - starts_of(n_items)[user]
    first = place - rank + 1
    found = RankedSide(
        n_items, codes.astype(np.int64), first, first + entries.repeat(entries) - 1
    )
    missing = np.isin(found.item, ids.missing())
    if missing.any():
        found = _without_empty_places(side, found, missing)
    check_once(
        found.user * ids.n_codes + found.item,
        lambda row: named_twice(
            f"`{side.name}`", ids.label(found.item[row]), side.label(int(found.user[row]))
        ),
    )
    return found


def _without_empty_places(
    side: PerUser, found: RankedSide, missing: np.ndarray
) -> RankedSide:
    user = found.user
    gap = missing[:-1] & ~missing[1:] & (user[1:] == user[:-1])
    if gap.any():
        label = shorten(side.label(int(user[np.argmax(gap)])))
        raise ValueError(
            f"`{side.name}` of user {label} has a missing id before another one; only the "
            "end of a list may be empty."
        )
    return found.of(~missing)
