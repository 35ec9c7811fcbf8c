"""Pairs of user and item with grades against lists of items, one for each user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._base._labels import as_vector
from sklearn_rank._base._numbers import check_missing
from sklearn_rank._base._runs import begins_run, order_by_codes
from sklearn_rank._base._two_sides import Codes, as_ids, encode_ids
from sklearn_rank.inputs._item_lists import without_empty_places
from sklearn_rank.inputs._match import JudgedRows, match_sides
from sklearn_rank.inputs._per_user import PerUser, read_per_user
from sklearn_rank.inputs._unmatched_ids import Side


@dataclass(frozen=True, eq=False)
class ListPositions:
    """Ranked lists of users, whose items are known by their places in a catalogue."""

    sizes: np.ndarray  # items of each user
    place: np.ndarray  # of each item, by user and by rank
    catalogue: np.ndarray  # the id of each place

    @classmethod
    def joined(
        cls, parts: Sequence[ListPositions], rows: Sequence[np.ndarray], n_users: int
    ) -> ListPositions:
        """Return the lists of all users from those of parts of them, at least one."""
        user = np.concatenate(
            [some.repeat(part.sizes) for part, some in zip(parts, rows, strict=True)]
        )
        order = np.argsort(user, kind="stable")
        place = np.concatenate([part.place for part in parts])[order]
        return cls(np.bincount(user, minlength=n_users), place, parts[0].catalogue)


def rows_of_lists(
    users: np.ndarray,
    user: np.ndarray,
    item: np.ndarray,
    grade: np.ndarray,
    lists: Any,
    *,
    return_items: bool = False,
) -> JudgedRows:
    """Return rows for the metrics from relevant pairs and a ranked list for each user.

    Groups are places of users. `user` is the place of each pair's user among `users`,
    ascending. Of an item that a user has more than once, the first counts.
    """
    ranked = read_lists(lists, len(users))._replace(users=users.tolist())
    ids = encode_ids(as_ids(item), ranked.flat_ids())
    listed = without_empty_places(ranked, ids, None)
    rows = _match_lists(users, user, grade, ids, listed, return_items)
    if return_items:
        rows["items"] = as_vector(ids.labels_of(rows["items"]), name="items")
    return rows


def rows_of_positions(
    users: np.ndarray,
    user: np.ndarray,
    grade: np.ndarray,
    lists: ListPositions,
    item: np.ndarray,
    labels: np.ndarray,
    *,
    return_items: bool = False,
) -> JudgedRows:
    """Return what `rows_of_lists` returns, where items are codes, and stay so.

    `item` holds codes: places in the catalogue, and after these what it lacks. `labels`
    are the ids of all codes.
    """
    ids = Codes(item, lists.place, max(len(labels), 1), labels)
    listed = Side("recommend()", lists.sizes, lists.place, None)
    rows = _match_lists(users, user, grade, ids, listed, return_items)
    if return_items:
        check_missing("items", np.isin(rows["items"], ids.missing()))
    return rows


def _match_lists(
    users: np.ndarray,
    user: np.ndarray,
    grade: np.ndarray,
    ids: Codes,
    listed: Side,
    return_items: bool,
) -> JudgedRows:
    first = _first_of_pairs(user, ids.one, len(users), ids.n_codes)
    sizes = np.bincount(user[first], minlength=len(users))
    truth = Side("X", sizes, ids.one[first], grade[first])
    return match_sides(truth, listed, users, ids, return_items=return_items, by_number=True)


def read_lists(lists: Any, n_users: int) -> PerUser:
    """Return what `recommend` returned; raise unless it is a list for each user."""
    ranked = read_per_user(lists, name="recommend()", ordered=True)
    if len(ranked.sizes) != n_users:
        raise ValueError(
            f"recommend() returned {len(ranked.sizes)} lists for {n_users} users; it must "
            "return one for each."
        )
    return ranked


def _first_of_pairs(
    user: np.ndarray, code: np.ndarray, n_users: int, n_codes: int
) -> np.ndarray:
    """Return the first row of each pair of user and item, in the order of the rows."""
    order = order_by_codes([user, code], [n_users, n_codes])
    return np.sort(order[begins_run(user[order], code[order])])
