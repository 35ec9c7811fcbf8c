"""Two lists of items for each user, to be compared: their ranks, and what is common."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._labels._encode import encode_labels
from sklearn_rank._runs import begins_run, ranges, sizes_of, starts_of, starts_where
from sklearn_rank._validation import as_numbers, shorten
from sklearn_rank._values._numbers import exact_as_floats
from sklearn_rank.inputs._ids import Codes, encode_ids, plain
from sklearn_rank.inputs._per_user import PerUser, align_users, read_per_user


@dataclass(frozen=True, eq=False)
class Ranked:
    """The lists of one side: items by user and by rank."""

    sizes: np.ndarray  # items of each user
    item: np.ndarray  # code of each item
    first: np.ndarray  # of each item the first rank of those that tie with it
    last: np.ndarray  # and the last

    @property
    def user(self) -> np.ndarray:
        """The user of each item."""
        return np.arange(len(self.sizes)).repeat(self.sizes)

    def of(self, keeps: np.ndarray) -> "Ranked":
        """Return some of the items."""
        sizes = np.bincount(self.user[keeps], minlength=len(self.sizes))
        return Ranked(sizes, self.item[keeps], self.first[keeps], self.last[keeps])


@dataclass(frozen=True, eq=False)
class TwoLists:
    """Both lists of each user, and where the items are that both have."""

    users: np.ndarray
    one: Ranked
    other: Ranked
    in_one: np.ndarray  # places of common items in the one
    in_other: np.ndarray  # places of the same items in the other


def read_two_lists(a: Any, b: Any, groups: Any = None) -> TwoLists:
    """Return the lists of two mappings or sequences over users, or of scores of rows."""
    if groups is not None:
        return _from_scores(a, b, groups)
    left, right = (
        read_per_user(a, name="a", ordered=True),
        read_per_user(b, name="b", ordered=True),
    )
    _check_same_users(left, right)
    users, left, right = align_users(left, right)
    flat, tied = zip(*(_without_sets(side) for side in (left, right)), strict=True)
    ids = encode_ids(*flat)
    codes = (ids.one, ids.other)
    one, other = (
        _ranked(side, code, ids, sizes)
        for side, code, sizes in zip((left, right), codes, tied, strict=True)
    )
    _, in_one, in_other = np.intersect1d(
        one.user * ids.n_codes + one.item,
        other.user * ids.n_codes + other.item,
        assume_unique=True,
        return_indices=True,
    )
    return TwoLists(users, one, other, in_one, in_other)


def _from_scores(a: Any, b: Any, groups: Any) -> TwoLists:
    """Return the lists of two scores of the same rows."""
    users, user = encode_labels(groups, name="groups")
    one, other = (
        _ranked_rows(_scores(values, name, len(user)), user, len(users))
        for values, name in ((a, "a"), (b, "b"))
    )
    _, in_one, in_other = np.intersect1d(
        one.item, other.item, assume_unique=True, return_indices=True
    )
    return TwoLists(users, one, other, in_one, in_other)


def _scores(values: Any, name: str, n_rows: int) -> np.ndarray:
    scores = as_numbers(values, name)
    if scores.shape != (n_rows,):
        raise ValueError(
            f"`{name}` has shape {scores.shape}, but `groups` has {n_rows} rows; with "
            "`groups`, give one score a row."
        )
    wrong = np.isnan(scores) | (scores == np.inf)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"`{name}` has the score {scores[row]:g} in row {row}; scores must be numbers, "
            "or -inf for what is not in the list."
        )
    return exact_as_floats(scores)


def _ranked_rows(scores: np.ndarray, user: np.ndarray, n_users: int) -> Ranked:
    """Return the rows of each user by score; equal scores tie."""
    row = np.flatnonzero(scores > -np.inf)
    row = row[np.lexsort((-scores[row], user[row]))]
    sizes = np.bincount(user[row], minlength=n_users)
    starts = starts_where(begins_run(user[row], scores[row]))
    n_tied = sizes_of(starts)
    first = starts[:-1].repeat(n_tied) - starts_of(sizes)[user[row]] + 1
    return Ranked(sizes, row, first, first + n_tied.repeat(n_tied) - 1)


def _check_same_users(left: PerUser, right: PerUser) -> None:
    if left.in_order or right.in_order:
        return
    for side, other in ((left, right), (right, left)):
        alone = [user for user in side.users or [] if user not in set(other.users or [])]
        if alone:
            shown = ", ".join(shorten(plain(user)) for user in alone[:3])
            raise ValueError(
                f"`{other.name}` has no list of {len(alone)} user(s) of `{side.name}`: "
                f"{shown}; give both lists of each user, an empty one where there is none."
            )


def _without_sets(side: PerUser) -> tuple[Any, np.ndarray | None]:
    """Return the ids, those of sets one by one, and how many each entry has."""
    flat = side.flat_ids()
    if not isinstance(flat, list):
        return flat, None
    is_set = [isinstance(entry, set | frozenset) for entry in flat]
    if not any(is_set):
        return flat, None
    sizes = np.array([len(e) if tied else 1 for e, tied in zip(flat, is_set, strict=True)])
    ids: list = []
    for entry, tied in zip(flat, is_set, strict=True):
        ids.extend(entry if tied else (entry,))
    return ids, sizes


def _ranked(
    side: PerUser, codes: np.ndarray, ids: Codes, sizes: np.ndarray | None
) -> Ranked:
    """Return one side, its items by rank."""
    entries = np.ones(len(codes), dtype=np.intp) if sizes is None else sizes
    n_items = np.add.reduceat(np.append(entries, 0), starts_of(side.sizes)[:-1])
    n_items = np.where(side.sizes > 0, n_items, 0)
    user = np.arange(len(n_items)).repeat(n_items)
    rank = ranges(0, entries)  # place within the entry
    place = np.arange(len(codes)) - starts_of(n_items)[user]
    first = place - rank + 1
    found = Ranked(
        n_items, codes.astype(np.int64), first, first + entries.repeat(entries) - 1
    )
    missing = np.isin(found.item, ids.missing())
    if missing.any():
        found = _without_empty_places(side, found, missing)
    _check_once(side, found, ids)
    return found


def _without_empty_places(side: PerUser, found: Ranked, missing: np.ndarray) -> Ranked:
    user = found.user
    gap = missing[:-1] & ~missing[1:] & (user[1:] == user[:-1])
    if gap.any():
        label = shorten(side.label(int(user[np.argmax(gap)])))
        raise ValueError(
            f"`{side.name}` of user {label} has a missing id before another one; only the "
            "end of a list may be empty."
        )
    return found.of(~missing)


def _check_once(side: PerUser, found: Ranked, ids: Codes) -> None:
    key = found.user * ids.n_codes + found.item
    order = np.argsort(key, kind="stable")
    again = np.flatnonzero(sizes_of(key[order]) == 0)
    if len(again):
        row = int(order[again[0]])
        user, item = side.label(int(found.user[row])), ids.label(found.item[row])
        raise ValueError(
            f"`{side.name}` names item {shorten(item)} of user {shorten(user)} more than "
            "once; each item has one rank."
        )
