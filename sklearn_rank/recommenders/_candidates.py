"""Items that may be recommended to users, and proposals of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._base._ids import KnownIds, read_ids
from sklearn_rank._base._labels import as_list
from sklearn_rank._base._messages import quantity
from sklearn_rank._base._validation import check_integer, shorten
from sklearn_rank.recommenders._fitted import Fitted
from sklearn_rank.recommenders._pairs import Pairs, PopularityOrder, find_in_lists
from sklearn_rank.recommenders._updates import find_dislikes


@dataclass(frozen=True, eq=False)
class ItemsOfRows:
    """Items of each row; a list that rows share is stored once."""

    lists: sparse.csr_array  # lists × items, True where an item is in a list
    list_of_row: np.ndarray

    def take(self, rows: np.ndarray) -> Pairs:
        return Pairs.from_rows(self.lists, self.list_of_row[rows])


@dataclass(frozen=True, eq=False)
class Candidates:
    """Items that may be recommended, to all users and to single users.

    `allowed` holds positions of items, ascending; if None, all items.
    """

    allowed: np.ndarray | None = None
    unknown: Sequence[Any] = ()  # what `items` has, and the data of `fit` lacks
    offered: ItemsOfRows | None = None  # a row gets only these
    excluded: tuple[ItemsOfRows, ...] = ()  # a row never gets these

    @property
    def has_all(self) -> bool:
        return self.allowed is None and self.offered is None and not self.excluded

    def restrict(self, order: PopularityOrder) -> PopularityOrder:
        """Return the order of the items that all users may get."""
        return order if self.allowed is None else order.restrict(self.allowed)


def read_candidates(fitted: Fitted, users: Any, items: Any, exclude: Any) -> Candidates:
    """Return what `items` and `exclude` allow; `users` is None if they have no ids.

    Unknown candidates are ignored, such as new items of a shop. Raise if all are
    unknown.
    """
    disliked = {} if users is None else find_dislikes(fitted, users)
    if items is None and exclude is None and not disliked:
        return Candidates()
    offered, excluded = None, []
    if isinstance(items, Mapping):
        offered = _items_of_users(fitted, users, items, name="items")
        items = None
    if isinstance(exclude, Mapping):
        excluded.append(_items_of_users(fitted, users, exclude, name="exclude"))
        exclude = None
    if disliked:
        excluded.append(_items_of_users(fitted, users, disliked, name="dislikes"))
    allowed, unknown = _allowed_items(fitted.items, items, exclude)
    return Candidates(allowed, unknown, offered, tuple(excluded))


def check_length(k: Any, n_allowed: int, n_all: int, unknown: Sequence[Any]) -> int:
    """Return `k`; raise if fewer different items are allowed."""
    k = check_integer("k", k)
    if n_allowed == 0:
        raise ValueError(
            "No item may be recommended: `exclude` has all items of the training data, or "
            "all of those in `items`."
        )
    if k > n_allowed:
        items = quantity(len(unknown), "unknown item")
        such = f"`items` has {items}, such as {shorten(unknown[0])}. " if unknown else ""
        raise ValueError(
            f"{such}`k` is {k}, but only {n_allowed} of {n_all} item(s) may be "
            "recommended; lower `k`."
        )
    return k


def _allowed_items(
    all_items: KnownIds, items: Any, exclude: Any
) -> tuple[np.ndarray | None, list[Any]]:
    """Return the positions of the allowed items, and the unknown ones of `items`."""
    unknown: list[Any] = []
    if items is None and exclude is None:
        return None, unknown
    allowed = np.arange(len(all_items.labels))
    if items is not None:
        codes = all_items.find(items, name="items")
        allowed = np.unique(codes[codes >= 0])
        if (codes < 0).any():
            unknown = as_list(read_ids(items, name="items")[codes < 0])
        _require_known(all_items, len(codes), len(allowed))
    if exclude is not None:
        allowed = np.setdiff1d(allowed, all_items.find(exclude, name="exclude"))
    return allowed, unknown


def _require_known(all_items: KnownIds, n_asked: int, n_known: int) -> None:
    if n_known == 0:
        raise ValueError(
            f"None of the {n_asked} item(s) in `items` was in the data of `fit`; ids there "
            f"look like {all_items.labels[:1].tolist()[0]!r}. Give None to allow all."
        )


def _items_of_users(
    fitted: Fitted, users: Any, lists: Mapping, *, name: str
) -> ItemsOfRows:
    if users is None:
        raise TypeError(
            f"`{name}` must be a list or array of ids here, got a mapping: users who are "
            "given by their items have no ids."
        )
    asked = as_list(read_ids(users, name="users"))
    missing = [user for user in asked if user not in lists]
    if missing:
        # Raise if the keys are of a type that can never equal a user.
        fitted.users.find(list(lists), name=f"keys of {name}")
    if missing and name == "items":
        raise ValueError(
            f"`items` has no candidates for {len(missing)} of {len(asked)} user(s), such "
            f"as {', '.join(map(shorten, missing[:3]))}; give each user a list, or one"
            " list to all."
        )
    nothing: tuple = ()
    listed = [lists.get(user, nothing) for user in asked]
    distinct = _by_identity(listed)
    number = {key: i for i, key in enumerate(distinct)}
    all_items = fitted.items
    matrix = _lists_as_matrix(all_items, list(distinct.values()), name=name)
    if name == "items" and matrix.shape[0] and matrix.nnz == 0:
        # Users who are not asked for may have known candidates.
        every = list(_by_identity(lists.values()).values())
        if n_asked := sum(map(len, every)):
            n_known = _lists_as_matrix(all_items, every, name=name).nnz
            _require_known(all_items, n_asked, n_known)
    list_of_row = np.array([number[id(ids)] for ids in listed], dtype=np.intp)
    return ItemsOfRows(matrix, list_of_row)


def _by_identity(lists: Iterable[Any]) -> dict[int, Any]:
    """Return each list once: users of one store share a list, which is read once."""
    return {id(ids): ids for ids in lists}


def _lists_as_matrix(
    all_items: KnownIds, lists: Sequence[Any], *, name: str
) -> sparse.csr_array:
    """Return a matrix of lists × items, True if a known item is in a list."""
    as_lists = (list(part) if isinstance(part, set | frozenset) else part for part in lists)
    ids = [read_ids(part, name=name) for part in as_lists]
    row, codes = find_in_lists(all_items, ids, name=name)
    is_known = codes >= 0
    pairs = Pairs(row[is_known], codes[is_known], len(lists))
    return pairs.as_matrix(len(all_items.labels))


# Lists of items that a recommender proposes.


def check_proposals(
    recommender: Any, found: Any, n_rows: int, n_items: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return checked (items, scores); raise unless the items are positions in `items_`."""
    name = f"{type(recommender).__name__}.propose"
    if not (isinstance(found, tuple) and len(found) == 2):
        raise TypeError(f"{name} must return (items, scores), got {shorten(found)}.")
    items, scores = np.asarray(found[0]), np.asarray(found[1], dtype=np.float64)
    if items.shape != scores.shape or items.ndim != 2 or len(items) != n_rows:
        raise ValueError(
            f"{name} must return items and scores of one shape, one row per user "
            f"({n_rows}), got {items.shape} and {scores.shape}."
        )
    are_integers = items.dtype.kind in "iu"
    wrong = items[(items < -1) | (items >= n_items)] if are_integers else items.ravel()
    if len(wrong) or not are_integers:
        raise ValueError(
            f"{name} must return positions in `items_`, integers from 0 to {n_items - 1}, "
            f"or -1 for nothing, got {shorten(wrong[:3].tolist())}."
        )
    if np.isnan(scores).any() or np.isposinf(scores).any():
        raise ValueError(
            f"{name} returned scores that are neither finite nor -inf (not retrieved)."
        )
    ascending = np.sort(items, axis=1)
    is_repeated = (np.diff(ascending, axis=1) == 0) & (ascending[:, 1:] >= 0)
    if is_repeated.any():
        row = int(np.argmax(is_repeated.any(axis=1)))
        raise ValueError(f"{name} returned an item twice in row {row}.")
    return items.astype(np.intp), scores


def best_proposals(
    items: np.ndarray, scores: np.ndarray, k: int, hidden: Pairs, n_items: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return (items, scores) of the k best proposals that are not hidden, then -1, -inf.

    Of equal scores the first proposal comes first.
    """
    row = np.arange(len(items)).repeat(items.shape[1])
    is_hidden = hidden.contains(row, items.ravel(), n_items).reshape(items.shape)
    scores = np.where((items < 0) | is_hidden, -np.inf, scores)
    first = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    best = np.full((len(items), k), -np.inf)
    best[:, : first.shape[1]] = np.take_along_axis(scores, first, axis=1)
    columns = np.full((len(items), k), -1)
    columns[:, : first.shape[1]] = np.take_along_axis(items, first, axis=1)
    columns[np.isneginf(best)] = -1
    return columns, best
