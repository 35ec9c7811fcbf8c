"""Allowed or excluded items, for all users or for each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._ids._agree import check_comparable
from sklearn_rank._ids._encode import as_list, as_vector, encode_labels
from sklearn_rank._tables._columns import take_column
from sklearn_rank._validation import check_given, shorten
from sklearn_rank._values._has_rows import has_rows
from sklearn_rank.inputs._per_user import check_users_comparable, read_per_user
from sklearn_rank.metrics._scorers._protocol import places_of

# The candidates of a user are the items of the user's own held-out rows.
ROWS = "rows"


def read_item_sets(name: str, given: Any, *, user: Any, item: Any) -> Any:
    """Return ids for all users as an array, or a mapping from user to ids.

    A frame, or an array of two columns, has pairs of user and item. A frame is returned
    unchanged if the recommender has to name its columns.
    """
    if given is None or isinstance(given, Mapping):
        return given
    needed = f"{ROWS!r}, " if name == "items" else ""
    needed += "ids for all users, a mapping from user to ids, or pairs (user, item)"
    check_given(name, given, has_rows(given) and not isinstance(given, str), needed)
    if hasattr(given, "columns"):
        if user is None or item is None:
            return given
        return pairs_by_user(given, user=user, item=item)
    if getattr(given, "ndim", 1) == 2:
        if given.shape[1] != 2:
            raise ValueError(
                f"`{name}` must have two columns, user and item, got shape {given.shape}."
            )
        return pairs_by_user(given, user=0, item=1)
    ids = as_vector(given, name=name)
    if len(ids) == 0 and name == "items":
        raise ValueError("`items` is empty: no item may be recommended. None: all.")
    return ids


def pairs_by_user(X: Any, *, user: Any, item: Any) -> dict[Any, np.ndarray]:
    """Return the ids of the items that each user has in the rows of X."""
    users, code = encode_labels(take_column(X, user, name="user"), name="user")
    items = as_vector(take_column(X, item, name="item"), name="item")
    bounds = np.cumsum(np.bincount(code, minlength=len(users)))[:-1]
    parts = np.split(items[np.argsort(code, kind="stable")], bounds)
    return dict(zip(as_list(users), parts, strict=True)) if len(users) else {}


@dataclass(frozen=True, eq=False)
class ItemSets:
    """A set of items for each user, or a single one for all of them."""

    labels: np.ndarray  # ids of the columns
    sets: sparse.csr_array  # of bool; one row if the set is for all
    are_shared: bool

    def of_users(self, users: Any) -> "ItemSets":
        """Return the sets of some users, by index."""
        if self.are_shared:
            return self
        return ItemSets(self.labels, self.sets[users], False)

    def argument(self, users: np.ndarray) -> Any:
        """Return ids for all users, or a mapping from user to ids."""
        ids = self.labels[self.sets.indices]
        if self.are_shared:
            return ids
        parts = np.split(ids, self.sets.indptr[1:-1])
        return dict(zip(as_list(users), parts, strict=True))

    def mask(self) -> np.ndarray:
        """Return which items are in the set for all."""
        found = np.zeros(len(self.labels), dtype=bool)
        found[self.sets.indices] = True
        return found


def item_sets(
    name: str, given: Any, users: np.ndarray, items: np.ndarray | None
) -> ItemSets | None:
    """Return the sets of users, limited to the items of a recommender."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        return _of_ids(given, None, 1, items, name)
    labels = as_list(users)
    check_users_comparable(labels, list(given), ("X", name))
    if name == "items":
        _check_all_have(given, labels)
    chosen = {user: given[user] for user in labels if user in given}
    per_user = read_per_user([chosen.get(user, ()) for user in labels], name=name)._replace(
        users=labels
    )
    return _of_ids(per_user.flat_ids(), per_user.owner(), len(labels), items, name)


def _check_all_have(given: Mapping, users: list) -> None:
    missing = [user for user in users if user not in given]
    if missing:
        raise ValueError(
            f"`items` has no candidates of user {shorten(missing[0])}, nor of "
            f"{len(missing) - 1} other(s) of the {len(users)} users to be scored; a "
            "mapping needs each of them."
        )


def _of_ids(
    ids: Any, owner: np.ndarray | None, n_users: int, items: np.ndarray | None, name: str
) -> ItemSets:
    """Return sets from ids and the index of each id's user; None: they are for all."""
    if items is None:
        labels, code = encode_labels(ids, name=name)
    else:
        labels, code = items, places_of(items, ids, name=name)
        if len(code) and (code < 0).all():
            _check_may_match(name, as_vector(ids, name=name), items)
    known = code >= 0
    row = np.zeros(len(code), dtype=np.intp) if owner is None else owner
    shape = (n_users, len(labels))
    entries = np.ones(np.count_nonzero(known), dtype=bool)
    sets = sparse.csr_array((entries, (row[known], code[known])), shape=shape)
    sets.sum_duplicates()
    return ItemSets(labels, sets, owner is None)


def _check_may_match(name: str, ids: np.ndarray, items: np.ndarray) -> None:
    """Raise if all ids are unknown, unless that may be intended.

    Excluded ids may be unknown, but must have the type of the known ones.
    """
    check_comparable(ids, items, (f"`{name}`", "the data of `fit`"))
    if name == "items":
        raise ValueError(
            f"None of the {len(ids)} candidates in `items` was in the data of `fit`: ids "
            f"look like {_first(ids)} here and like {_first(items)} there."
        )


def _first(ids: np.ndarray) -> str:
    return shorten(as_list(ids[:1])[0])
