"""Lists of a recommender for the users of held-out rows."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._base._label_checks import check_comparable
from sklearn_rank._base._labels import as_list, as_vector, encode_labels
from sklearn_rank._base._numbers import has_rows
from sklearn_rank._base._validation import check_given, shorten
from sklearn_rank.inputs._columns import take_column
from sklearn_rank.inputs._item_lists import ListPositions, read_lists
from sklearn_rank.inputs._per_user import check_users_comparable, read_per_user
from sklearn_rank.metrics._scorers._recommender_protocol import (
    RecommenderProtocol,
    find_indices,
    training_data_of,
)

# Allowed or excluded items, for all users or for each.

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
        raise ValueError("`items` is empty: pass the items to recommend, or None for all.")
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

    def select_users(self, users: Any) -> "ItemSets":
        """Return the sets of some users, by index."""
        if self.are_shared:
            return self
        return ItemSets(self.labels, self.sets[users], False)

    def as_argument(self, users: np.ndarray) -> Any:
        """Return ids for all users, or a mapping from user to ids."""
        ids = self.labels[self.sets.indices]
        if self.are_shared:
            return ids
        parts = np.split(ids, self.sets.indptr[1:-1])
        return dict(zip(as_list(users), parts, strict=True))

    def mask(self) -> np.ndarray:
        """Return which items are in the set for all."""
        return self.sets.toarray()[0]


def item_sets(
    name: str, given: Any, users: np.ndarray, items: np.ndarray | None
) -> ItemSets | None:
    """Return the sets of users, limited to the items of a recommender."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        return _sets_from_ids(given, None, 1, items, name)
    labels = as_list(users)
    check_users_comparable(labels, list(given), ("X", name))
    missing = [user for user in labels if user not in given]
    if missing and name == "items":
        raise ValueError(
            f"`items` has no candidates of user {shorten(missing[0])}, nor of "
            f"{len(missing) - 1} other(s) of {len(labels)} users; a mapping needs each."
        )
    nothing: tuple = ()
    chosen = [given.get(user, nothing) for user in labels]
    per_user = read_per_user(chosen, name=name)._replace(users=labels)
    return _sets_from_ids(per_user.flat_ids(), per_user.owner(), len(labels), items, name)


def _sets_from_ids(
    ids: Any, owner: np.ndarray | None, n_users: int, items: np.ndarray | None, name: str
) -> ItemSets:
    """Return sets from ids and the index of each id's user; if None, they are for all."""
    if items is None:
        labels, code = encode_labels(ids, name=name)
    else:
        labels, code = items, find_indices(items, ids, name=name)
        if len(code) and (code < 0).all():
            _check_may_match(name, as_vector(ids, name=name), items)
    is_known = code >= 0
    row = np.zeros(len(code), dtype=np.intp) if owner is None else owner
    shape = (n_users, len(labels))
    entries = np.ones(np.count_nonzero(is_known), dtype=bool)
    sets = sparse.csr_array((entries, (row[is_known], code[is_known])), shape=shape)
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


@dataclass(frozen=True, eq=False)
class ListRequest:
    """Options of a scorer for the lists of a recommender."""

    exclude_seen: bool | None = None  # if None, the default of the recommender
    items: np.ndarray | Mapping | None = None  # candidates, for all users or of each
    exclude: np.ndarray | Mapping | None = None


class ListsOfUsers:
    """Ask a recommender for the lists of users, some at a time."""

    def __init__(self, recommender: Any, users: np.ndarray, request: ListRequest):
        self.protocol = RecommenderProtocol(recommender)
        self.protocol.check_takes(vars(request))
        self.data = training_data_of(recommender)
        self._users = users
        self._exclude_seen = request.exclude_seen
        self._items = item_sets("items", request.items, users, self.data.items)
        self._exclude = item_sets("exclude", request.exclude, users, self.data.items)

    def recommend(self, places: slice, k: int) -> Any:
        """Return a ranked list of at most `k` ids or indices for each user."""
        users = self._users[places]
        items, exclude = _select_users([self._items, self._exclude], places)
        n_allowed = self._count_allowed(users, items, exclude)
        lengths = np.minimum(n_allowed, k)
        is_shared = items is None or items.are_shared
        one_by_one = self.protocol.takes_one_set and not is_shared
        if not one_by_one and (lengths == k).all():
            return self._ask(users, k, items, exclude)
        groups = list(_groups(lengths, one_by_one))
        answers = []
        for rows in groups:
            sets, length = _select_users([items, exclude], rows), int(lengths[rows[0]])
            answers.append(self._ask(users[rows], length, *sets))
        if answers and isinstance(answers[0], ListPositions):
            return ListPositions.joined(answers, groups, len(users))
        nothing = () if self.data.items is None else self.data.items[:0]
        lists: list[Any] = [nothing] * len(users)
        for rows, ranked in zip(groups, answers, strict=True):
            for row, ids in zip(rows, read_lists(ranked, len(rows)).rows, strict=True):
                lists[row] = ids
        return lists

    def count_ranks(
        self, places: slice, user: np.ndarray, item: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Return how many items are above some in lists of all items, and their lengths.

        `user` counts from the first of these users and ascends, `item` has codes of the
        catalogue. Items that are not listed have -1. None where lists are needed to tell.
        """
        items, users = self.data.items, self._users[places]
        if items is None or self._items is not None or self._exclude is not None:
            return None
        above, is_there = np.full(len(item), -1), item < len(items)
        pairs = user[is_there], item[is_there]
        counted = self.protocol.count_ranks(users, *pairs, self._exclude_seen)
        if counted is None:
            return None
        above[is_there], n_listed = counted
        return above, n_listed

    def count_left_out(self, user: np.ndarray, item: np.ndarray) -> int:
        """Return how many pairs are left out because the training data have them.

        `user` has indices of users, ascending, and `item` codes of the catalogue. 0 if
        unknown.
        """
        if not self.protocol.leaves_out_seen(self._exclude_seen):
            return 0
        return self.data.count_seen(self._users, user, item)

    def _ask(
        self, users: np.ndarray, k: int, items: ItemSets | None, exclude: ItemSets | None
    ) -> Any:
        if self.protocol.takes_one_set:
            items, exclude = self._as_candidates(items, exclude)
        try:
            sets = [subset and subset.as_argument(users) for subset in (items, exclude)]
            return self.protocol.ask(users, k, self._exclude_seen, *sets)
        except ValueError as error:
            if self.data.users is not None:
                is_new = find_indices(self.data.users, users, name="users") < 0
                if is_new.any():
                    error.add_note(_NEW_USERS_NOTE.format(np.count_nonzero(is_new)))
            raise

    def _as_candidates(
        self, items: ItemSets | None, exclude: ItemSets | None
    ) -> tuple[ItemSets | None, ItemSets | None]:
        """Return sets for a recommender that takes one set of candidates per call."""
        if items is not None:
            items = ItemSets(items.labels, items.sets, True)
        if exclude is None or not exclude.are_shared or self.data.items is None:
            return items, exclude
        allowed = ~exclude.mask()
        if items is not None:
            allowed &= items.mask()
        return ItemSets(exclude.labels, sparse.csr_array(allowed[np.newaxis]), True), None

    def _count_allowed(
        self, users: np.ndarray, items: ItemSets | None, exclude: ItemSets | None
    ) -> np.ndarray:
        """Return the largest number of items for each user, as far as known."""
        n_users = len(users)
        if self.data.items is None:  # the known items are not listed
            sizes = _NO_LIMIT if items is None else np.diff(items.sets.indptr)
            return np.broadcast_to(sizes, n_users)
        blocked = self._blocked_pairs(users, exclude, len(self.data.items))
        open_to_all = np.ones(len(self.data.items), dtype=np.intp)
        for sets, is_open in ((items, True), (exclude, False)):
            if sets is not None and sets.are_shared:
                open_to_all &= sets.mask() == is_open
        if not open_to_all.any():
            raise ValueError(_NOTHING_ALLOWED)
        if items is None or items.are_shared:
            return open_to_all.sum() - blocked @ open_to_all
        candidates = items.sets.astype(np.intp)
        return candidates @ open_to_all - candidates.multiply(blocked) @ open_to_all

    def _blocked_pairs(
        self, users: np.ndarray, exclude: ItemSets | None, n_items: int
    ) -> sparse.csr_array:
        """Return the pairs that cannot be recommended, as 0 and 1."""
        blocked = sparse.csr_array((len(users), n_items), dtype=bool)
        protocol = self.protocol
        if not protocol.pads_lists and protocol.leaves_out_seen(self._exclude_seen):
            seen = self.data.seen_by(users)
            blocked = blocked if seen is None else seen
        if exclude is not None and not exclude.are_shared:
            blocked = blocked + exclude.sets
        return blocked.astype(np.intp)


_NEW_USERS_NOTE = (
    "{} of the users to be scored are not in the training data. For a recommender that "
    "knows no answer to them, leave them out with the splitter's cold_users='drop'."
)

# The same message as that of the recommenders of this package.
_NOTHING_ALLOWED = (
    "No item may be recommended: `exclude` has all items of the training data, or all of "
    "those in `items`."
)

# Longer than any list.
_NO_LIMIT = np.iinfo(np.intp).max


def _select_users(sets: list[ItemSets | None], users: Any) -> list[ItemSets | None]:
    return [None if subset is None else subset.select_users(users) for subset in sets]


def _groups(lengths: np.ndarray, one_by_one: bool) -> Iterator[np.ndarray]:
    """Yield the indices of users for one call."""
    users = np.flatnonzero(lengths > 0)
    if one_by_one:
        yield from users[:, np.newaxis]
        return
    for length in np.unique(lengths[users]):
        yield np.flatnonzero(lengths == length)
