"""Catalogue: data about items, users and histories."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from sklearn_rank._base._label_checks import show_id
from sklearn_rank._base._labels import as_vector, encode_labels
from sklearn_rank._base._validation import check_integer
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._columns import pair_columns, take_column
from sklearn_rank.metrics._core._catalogue_parts import (
    Categories,
    Items,
    PartById,
    UserItems,
    count_rows,
    ids_of_users,
    read_by_id,
    read_categories,
    read_counts,
    read_distances,
    read_features,
    read_user_items,
    unite_labels,
)
from sklearn_rank.typing import (
    CategoriesOfItems,
    Column,
    Counts,
    Distances,
    Features,
    ItemsOfUsers,
    Labels,
    Table,
)

_BY_ITEM = ("popularity", "counts", "features", "categories")
_BY_USER = ("history", "reference")
_READERS = {"popularity": read_counts, "counts": read_counts, "features": read_features}


@explained
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Catalogue:
    """Data about items and users, for metrics of shown items.

    Novelty needs the number of users of each item, diversity needs features of items. All
    parts are optional; a metric raises an error for a missing one. Take the popularity of
    items from the training data, not from the test data.

    Parameters
    ----------
    items : array-like of shape (n_items,), default=None
        Ids of the items. If None, the ids in the other parts; if these are arrays, items
        have no ids and are the columns of a 2-D input.
    n_users : int, default=None
        Number of users. If None, the number in ``history``, unknown if an item has more.
    popularity : mapping, Series or array-like of shape (n_items,), default=None
        Number of users of each item: by id, or in the order of ``items``. A missing id
        counts 0. If None, from ``history``.
    counts : mapping, Series or array-like of shape (n_items,), default=None
        Number of interactions of each item. If None, the number of users.
    features : mapping, DataFrame or {array-like, sparse matrix} of shape \
(n_items, n_features), default=None
        Features of each item: by id, or in the order of ``items``.
    categories : mapping, Series or {array-like, sparse matrix} of shape \
(n_items,) or (n_items, n_categories), default=None
        Category of each item, or a list of several; or a matrix of their weights.
    distance : callable or array-like of shape (n_items, n_items), default=None
        Distance of two items: a function of two ids, or a square matrix.
    users : array-like of shape (n_users,), default=None
        The user of each row of ``history``. If None, rows are the queries of a 2-D input.
    history : mapping or {array-like, sparse matrix} of shape (n_users, n_items), \
default=None
        Items of each user in the training data: a mapping of users to ids, or a matrix
        whose nonzero entries count.
    reference : mapping or {array-like, sparse matrix} of shape (n_users, n_items), \
default=None
        Items that each user expects, such as the recommendations of a simple model; for
        unexpectedness.

    Raises
    ------
    ValueError
        If a count is negative or not finite, an item is named twice, items without
        features are left, or parts are of different lengths.
    TypeError
        If a part is of another kind, or ids of types that can never be equal.

    See Also
    --------
    ranking_scores : Takes it as ``catalogue``.
    make_recommender_scorer : Builds it from the fitted recommender.

    Examples
    --------
    >>> from sklearn_rank.metrics import Catalogue
    >>> Catalogue(popularity={"tea": 2, "jam": 1}, n_users=2)
    Catalogue(2 items, 2 users: popularity)
    """

    items: NDArray[Any] | None = None
    n_users: Any = None
    popularity: Any = None  # arrays or sparse, each or None
    counts: Any = None
    features: Any = None
    categories: Any = None
    distance: Any = None
    users: NDArray[Any] | None = None
    history: Any = None
    reference: Any = None
    _index: Items | None = field(default=None, init=False)
    _references: UserItems | None = field(default=None, init=False)
    _categories: Categories | None = field(default=None, init=False)
    _known: dict = field(default_factory=dict, init=False)

    if TYPE_CHECKING:  # as given; the types above are those of the attributes

        def __init__(
            self,
            *,
            items: Labels | None = None,
            n_users: int | None = None,
            popularity: Counts | None = None,
            counts: Counts | None = None,
            features: Features | None = None,
            categories: CategoriesOfItems | None = None,
            distance: Distances | None = None,
            users: Labels | None = None,
            history: ItemsOfUsers | None = None,
            reference: ItemsOfUsers | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        parts = {
            name: read_by_id(getattr(self, name), name)
            for name in _BY_ITEM
            if getattr(self, name) is not None
        }
        self._set("_index", self._read_items(parts))
        index = self._index
        self._set("items", None if index is None else index.labels)
        for name, read in _READERS.items():
            if name in parts:
                self._set(name, read(parts[name], index, name))
        if "categories" in parts:
            self._set("_categories", read_categories(parts["categories"], index))
            self._set("categories", self._categories.shares)  # type: ignore[union-attr]
        self._read_users()
        self._check_lengths()
        if self.distance is not None:
            self._set("distance", read_distances(self.distance, index))
        self._complete()

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _read_items(self, parts: dict[str, PartById]) -> Items | None:
        if self.items is not None:
            return Items(as_vector(self.items, name="items"))
        further_labels = [ids_of_users(getattr(self, name), name) for name in _BY_USER]
        if self.distance is not None and not callable(self.distance):
            further_labels.append(read_by_id(self.distance, "distance"))
        labels = unite_labels([*parts.values(), *further_labels])
        without = [name for name, part in parts.items() if part.labels is None]
        if labels is not None and without:
            raise ValueError(
                f"`{without[0]}` has no ids, but other parts have; give `items`, the id "
                "of each of its rows, or a mapping, Series or DataFrame by id."
            )
        return None if labels is None else Items(labels)

    def _read_users(self) -> None:
        index = self._index
        if self.history is not None:
            user_items = read_user_items(self.history, self.users, index, "history")
            self._set("users", user_items.users)
            self._set("history", user_items.matrix)
        if self.reference is not None:
            user_items = read_user_items(self.reference, self.users, index, "reference")
            self._set("_references", user_items)

    def _check_lengths(self) -> int | None:
        """Return the number of items; raise if parts disagree."""
        lengths = {
            name: part.shape[0]
            for name in _BY_ITEM
            if (part := getattr(self, name)) is not None
        }
        if self.history is not None:
            lengths["history"] = self.history.shape[1]
        if self._references is not None:
            lengths["reference"] = self._references.matrix.shape[1]
        if self.distance is not None and not callable(self.distance):
            lengths["distance"] = count_rows(read_by_id(self.distance, "distance"))
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"`{name}` {size}" for name, size in lengths.items())
            raise ValueError(
                f"The parts of a catalogue need a value for each item, got {listed}."
            )
        if self.items is not None:
            return len(self.items)
        return next(iter(lengths.values()), None)

    def _complete(self) -> None:
        """Compute missing parts from others, and check that numbers agree."""
        if self.history is not None:
            if self.popularity is None:
                self._set("popularity", np.asarray(self.history.sum(axis=0), dtype=float))
            # Histories may be of a part of the users whom popularity counts.
            n_histories = self.history.shape[0]
            if self.n_users is None and self.popularity.max(initial=1) <= n_histories:
                self._set("n_users", n_histories)
        if self.counts is None:
            self._set("counts", self.popularity)
        if self.n_users is None:
            return
        self._set("n_users", check_integer("n_users", self.n_users))
        if self.popularity is not None and self.popularity.max(initial=0) > self.n_users:
            position = int(self.popularity.argmax())
            raise ValueError(
                f"{self._label(position)!r} has {self.popularity[position]:g} users, but "
                f"there are {self.n_users} in all; `n_users` is the number of all users, "
                "and popularity counts the users of an item, not its rows."
            )

    @classmethod
    def from_interactions(
        cls,
        log: Table,
        *,
        user: Column | None = None,
        item: Column | None = None,
        items: Labels | None = None,
        features: Features | None = None,
        categories: CategoriesOfItems | None = None,
        distance: Distances | None = None,
    ) -> Self:
        """Return the catalogue of a log: popularity, numbers of rows, histories.

        Parameters
        ----------
        log : {array-like, dataframe} of shape (n_rows, n_columns)
            The training data, one interaction a row; rows may repeat a pair.
        user, item : str or int, default=None
            Columns of the log, by name or by position. If None, those named ``user`` or
            ``user_id`` and ``item`` or ``item_id``; for arrays the first two.
        items : array-like of shape (n_items,), default=None
            The id of each item, also of those that no row of the log has, such as new
            ones: these have 0 users. If None, the items of the log, sorted.
        features, categories, distance : object, default=None
            As in the constructor: by id, or in the order of `items`.

        Returns
        -------
        catalogue : Catalogue
            With the items, and with the users of the log, sorted.

        Raises
        ------
        ValueError
            If the log lacks a column, an id is missing, the log has an item that `items`
            lacks, or as in the constructor.

        Examples
        --------
        >>> from sklearn_rank.metrics import Catalogue
        >>> log = [["ann", "tea"], ["ann", "tea"], ["bob", "tea"], ["bob", "jam"]]
        >>> catalogue = Catalogue.from_interactions(log)
        >>> catalogue.items.tolist(), catalogue.popularity.tolist()
        (['jam', 'tea'], [1.0, 2.0])
        >>> catalogue.counts.tolist(), catalogue.n_users
        ([1.0, 3.0], 2)
        >>> with_new = Catalogue.from_interactions(log, items=["tea", "jam", "oil"])
        >>> with_new.popularity.tolist()
        [2.0, 1.0, 0.0]
        """
        from scipy import sparse

        user, item = pair_columns(log, user, item, name="`log`")
        users, user_codes = encode_labels(take_column(log, user, name="user"), name="user")
        logged_items, item_codes = encode_labels(
            take_column(log, item, name="item"), name="item"
        )
        items = logged_items if items is None else as_vector(items, name="items")
        if items is not logged_items:
            item_codes = _find_indices(items, logged_items)[item_codes]
        shape = (len(users), len(items))
        pairs = (np.ones(len(user_codes)), (user_codes, item_codes))
        return cls(
            items=items,
            users=users,
            counts=np.bincount(item_codes, minlength=len(items)).astype(float),
            history=sparse.coo_array(pairs, shape=shape).tocsr(),
            features=features,
            categories=categories,
            distance=distance,
        )

    @property
    def n_items(self) -> int:
        """The number of items, 0 if unknown."""
        return self._check_lengths() or 0

    @property
    def category_names(self) -> np.ndarray | None:
        """The name of each category."""
        return None if self._categories is None else self._categories.names

    def _label(self, position: int) -> Any:
        """Return the id of an item, or its number if items have no ids."""
        label = position if self.items is None else self.items[position]
        return label.item() if isinstance(label, np.generic) else label

    def __repr__(self) -> str:
        """Return the sizes of its parts."""
        names = ("popularity", "features", "categories", "distance", *_BY_USER)
        held = ", ".join(name for name in names if has_part(self, name))
        users = "" if self.n_users is None else f", {self.n_users} users"
        return f"Catalogue({self.n_items} items{users}: {held or 'nothing'})"


def _find_indices(items: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the index in `items` of each item of a log."""
    index = Items(items).find(labels, name="log")
    lacking = labels[index < 0]
    if len(lacking):
        raise ValueError(
            f"`log` has {len(lacking)} item(s) that `items` lacks, the first "
            f"{show_id(lacking[0])}; add them to `items`, or leave their rows out."
        )
    return index


def has_part(catalogue: Catalogue | None, name: str) -> bool:
    """Return whether there is a catalogue, and it has the part."""
    return getattr(catalogue, name, None) is not None


def references_of(catalogue: Catalogue) -> UserItems:
    """Return the items that each user expects."""
    assert catalogue._references is not None
    return catalogue._references


def find_items(catalogue: Catalogue, items: np.ndarray) -> np.ndarray:
    """Return the index of each id among the items, -1 if unknown."""
    assert catalogue._index is not None
    return catalogue._index.find(items, name="items")


def derive_once(derive: Callable[..., Any]) -> Callable[..., Any]:
    """Let a catalogue keep what a function derives from it and some words."""

    def find(catalogue: Catalogue, *words: Any) -> Any:
        key = (derive.__name__, *words)
        if key not in catalogue._known:
            catalogue._known[key] = derive(catalogue, *words)
        return catalogue._known[key]

    return find
