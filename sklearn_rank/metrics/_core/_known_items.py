"""Parts of a catalogue that metrics declare, bound to an input."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from sklearn_rank._base._numbers import is_grid
from sklearn_rank._base._validation import check_given
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank._ranking._rows import Rows
from sklearn_rank.metrics._core._catalogue import (
    Catalogue,
    find_items,
    has_part,
    references_of,
)
from sklearn_rank.metrics._core._catalogue_parts import Items, UserItems
from sklearn_rank.metrics._core._side_columns import Shape


def _is_always_needed(parameters: Mapping[str, Any]) -> bool:
    return True


@dataclass(frozen=True)
class CataloguePart:
    """A part of a catalogue that a metric needs, and a keyword of its function.

    `needed` decides by the metric's own parameters; else the keyword does not mean it.
    """

    name: str  # of the keyword
    key: str  # its name in the catalogue
    holds: str
    needed: Callable[[Mapping[str, Any]], bool] = _is_always_needed
    instead: str | None = None  # an alternative part

    def when(self, **values: tuple[str, ...]) -> Self:
        """Return the part, needed only if each parameter has one of these words."""

        def needed(parameters: Mapping[str, Any]) -> bool:
            options = {name: parameters[name] for name in values}
            words = (isinstance(option, str) for option in options.values())
            return all(words) and all(options[name] in values[name] for name in values)

        return replace(self, needed=needed)

    def is_missing(self, parameters: Mapping[str, Any], has: Callable[[str], bool]) -> bool:
        """Return whether a metric with these parameters needs it but it is missing."""
        if not self.needed(parameters) or has(self.key):
            return False
        return self.instead is None or not has(self.instead)


POPULARITY = CataloguePart("popularity", "popularity", "the number of users of each item")
COUNTS = CataloguePart("popularity", "counts", "the number of interactions of each item")
# Of metrics with the parameter `count`.
POPULARITY_BY_COUNT = (
    POPULARITY.when(count=("users",)),
    COUNTS.when(count=("interactions",)),
)
N_USERS = CataloguePart("n_users", "n_users", "the number of users")
N_USERS_BY_COUNT = N_USERS.when(count=("users",))
CATEGORIES = CataloguePart("categories", "categories", "the categories of each item")
HISTORY = CataloguePart("history", "history", "the items of each user in the training data")
FEATURES = CataloguePart("features", "features", "the features of each item")
REFERENCE = CataloguePart("reference", "reference", "the items that each user expects")


def build_catalogue(parts: Iterable[CataloguePart], given: Mapping[str, Any]) -> Catalogue:
    """Return the catalogue of what a metric's function was given piece by piece."""
    needed_parts = (part for part in parts if part.name in given and part.needed(given))
    return Catalogue(**{part.key: given[part.name] for part in needed_parts})


def check_catalogue(wanted: Iterable[Any], catalogue: Any) -> None:
    """Raise unless the catalogue is one, and has what the metrics need."""
    needed = "a Catalogue, such as Catalogue.from_interactions(log)"
    if isinstance(catalogue, Collection | np.ndarray) and len(catalogue):
        needed += f", or 'coverage(n_items={len(catalogue)})@10'"
    check_given("catalogue", catalogue, isinstance(catalogue, Catalogue | None), needed)
    for bound in wanted:
        if bound.metric.parts:
            _check_parts(bound, catalogue)


def _check_parts(bound: Any, catalogue: Catalogue | None) -> None:
    """Raise if the catalogue lacks a part that a metric needs, and say how to give it.

    `named` is the metric with its parameters.
    """
    for part in bound.metric.parts:
        if part.is_missing(bound.parameters, lambda key: has_part(catalogue, key)):
            function = bound.metric.function.__name__
            raise ValueError(
                f"Metric {bound.name!r} needs {part.holds}. Give {function} "
                f"`{part.name}=`, and functions of several metrics a `catalogue=`, such as "
                f"Catalogue.from_interactions(log, ...), with the part `{part.key}`."
            )


def check_has_ids(named: Any, catalogue: Catalogue | None) -> None:
    """Raise if a metric would look up items or users without ids."""
    held = {part.key for part in named.metric.parts if has_part(catalogue, part.key)}
    if catalogue is None or not held:
        return
    labels = {"items": catalogue.items}
    if "history" in held:
        labels["users"] = catalogue.users
    if "reference" in held:
        labels["users of `reference`"] = references_of(catalogue).users
    for noun, ids in labels.items():
        if ids is None:
            raise ValueError(
                f"Metric {named.name!r} looks up {noun} by id, but the catalogue has "
                "none, and a part of the data may have others in another order; give "
                "mappings by id, or the ids as Catalogue(items=..., users=...)."
            )


@dataclass(frozen=True, eq=False)
class KnownItems:
    """A catalogue with the index of each item and query of an input."""

    catalogue: Catalogue
    index: np.ndarray  # for each item code: its index in the catalogue, -1 unknown
    labels: np.ndarray  # of each query, in the order of results
    rows: Rows
    _known: dict = field(default_factory=dict, repr=False)

    def items(self, lists: RankedLists) -> np.ndarray:
        """Return the index of each row's item in the catalogue, -1 if unknown."""
        return lists.cache(
            ("places in the catalogue",), lambda: self.index[lists.column("items")]
        )

    def values(self, lists: RankedLists, table: np.ndarray, unknown: float) -> np.ndarray:
        """Return the value of each row's item, given that of each item.

        A table is looked up once for each distinct item of the input, so it should be the
        same array for all chunks.
        """
        key = (id(table), str(unknown))
        if key not in self._known:
            # A reference to the table keeps its id unique.
            self._known[key] = table, np.append(table, unknown)[self.index]
        return self._known[key][1][lists.column("items")]

    def users(self, lists: RankedLists) -> np.ndarray:
        """Return the row of each query's user in the history, -1 if not found."""
        return self._history_rows[lists.first : lists.first + lists.n_queries]

    def references(self, lists: RankedLists) -> np.ndarray:
        """Return the row of each query's user in the reference, -1 if not found."""
        return self._reference_rows[lists.first : lists.first + lists.n_queries]

    @cached_property
    def _history_rows(self) -> np.ndarray:
        return self._rows_of(UserItems(self.catalogue.users, self.catalogue.history))

    @cached_property
    def _reference_rows(self) -> np.ndarray:
        return self._rows_of(references_of(self.catalogue))

    def _rows_of(self, user_items: UserItems) -> np.ndarray:
        """Return the row of each query's user, queries in the order of the rows."""
        if user_items.users is not None:
            row_of_label = Items(user_items.users, "users").find(self.labels, name="groups")
            return self.rows.queries.by_row(row_of_label)
        n_rows = user_items.matrix.shape[0]
        if n_rows != len(self.labels):
            raise ValueError(
                f"There are items of {n_rows} users without labels, but {len(self.labels)} "
                "queries; give a row for each query in 2-D, or a mapping of each user to "
                "the ids of its items."
            )
        return self.rows.queries.by_row(np.arange(n_rows))


def look_up_items(
    catalogue: Catalogue, rows: Rows, shape: Shape, users: np.ndarray | None = None
) -> KnownItems:
    """Look up the items and queries of an input in a catalogue.

    `users` are the labels of the queries if the input numbers them.
    """
    column = rows.columns["items"]
    labels = rows.queries.labels
    if catalogue.items is not None:
        items = np.arange(shape[1]) if column.labels is None else column.labels
        index = find_items(catalogue, items)
    else:
        index = _look_up_by_position(catalogue, column, shape)
    return KnownItems(catalogue, index, labels if users is None else users[labels], rows)


def _look_up_by_position(catalogue: Catalogue, column: Any, shape: Shape) -> np.ndarray:
    """Return the places of items without ids: the columns, or in 1-D the rows."""
    if catalogue.n_items == 0 and column.labels is not None:
        return np.full(len(column.labels), -1)
    n_items, needed = catalogue.n_items, shape[1] if is_grid(shape) else shape[0]
    if n_items != needed:
        unit = "columns" if is_grid(shape) else "rows"
        raise ValueError(
            f"The catalogue has {n_items} items without ids, but there are {needed} "
            f"{unit}; give one value for each, or a mapping by id and `items`."
        )
    if column.labels is None:
        return np.arange(needed)
    if not is_grid(shape):
        raise ValueError(
            "`items` has ids, but the catalogue has none; give its parts as a mapping, "
            "Series or DataFrame by id, or leave `items` out and give one value per row."
        )
    position = np.full(len(column.labels), -1)
    position[column.values] = np.arange(len(column.values))
    return position
