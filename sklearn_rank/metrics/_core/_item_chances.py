"""What lists show of items: chances of all items, and shares of groups of items."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, Self, get_args

import numpy as np

from sklearn_rank._base._exact_sum import ExactSums, sums_within
from sklearn_rank._base._labels import as_list, as_vector, encode_labels, join_labels
from sklearn_rank._base._numbers import as_array, as_numbers, is_sparse
from sklearn_rank._base._runs import begins_run
from sklearn_rank._base._validation import check_real, shorten
from sklearn_rank._ranking._ranked_lists import RankedLists, divide
from sklearn_rank._ranking._rows import SideColumn
from sklearn_rank.metrics._core._side_columns import Column, Shape, is_grid
from sklearn_rank.metrics._core._summaries import ItemSummary


@dataclass(frozen=True, eq=False)
class ItemChances(ItemSummary):
    """The number of lists that show an item with each probability.

    Sums of amounts are not enough for the chance that no list, or two of some lists, show
    an item. Without ties all chances are 1, and each item has one entry.

    A kernel returns the number of queries and, for each row that is shown, the query, the
    item and the chance. A weight of two is a query twice.
    """

    # Of each entry: the place of its item in `items`, ascending, and the chance. `parts`
    # has the number of its lists.
    item: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    chance: np.ndarray = field(default_factory=lambda: np.empty(0))
    parts_of_all: np.ndarray = field(default_factory=lambda: np.zeros((1, 1)))  # all lists

    @property
    def lists(self) -> np.ndarray:
        """How many lists show the item with the chance, of each entry."""
        return ExactSums(self.parts).result()

    @property
    def n_lists(self) -> float:
        """The number of queries with their weights."""
        return float(ExactSums(self.parts_of_all).result()[0])

    @property
    def amounts(self) -> np.ndarray:
        """How many lists are expected to show each item."""
        return np.bincount(self.item, self.lists * self.chance, len(self.items))

    def add(self, found: Any, weight: np.ndarray | None = None) -> Self:
        """Return the chances with those of more queries."""
        n, query, item, chance = found
        lists, of_all = np.ones(len(item)), np.ones(n)
        if weight is not None:
            n, of_all = int(np.count_nonzero(weight)), weight
            lists = weight[query]
            has_weight = lists != 0
            item, chance, lists = item[has_weight], chance[has_weight], lists[has_weight]
        labels, codes = np.unique(item, return_inverse=True)
        of_one = ExactSums.build(np.zeros(len(of_all), dtype=np.intp), of_all, 1)
        new = replace(self, n=n, parts_of_all=of_one.parts)
        return self.merge(
            new._add_entries(labels, codes, chance, ExactSums(lists[np.newaxis]))
        )

    def merge(self, other: Self) -> Self:
        """Return the chances of both; items are the same where their labels are."""
        of_all = ExactSums(self.parts_of_all).merge(ExactSums(other.parts_of_all))
        n, parts_of_all = self.n + other.n, of_all.parts
        if len(self.items) == 0 or len(other.items) == 0:
            only = other if len(self.items) == 0 else self
            return replace(only, n=n, parts_of_all=parts_of_all)
        joined = join_labels([self.items, other.items], name="items")
        labels, codes = encode_labels(joined, name="items")
        of_self, of_other = np.split(codes, [len(self.items)])
        item = np.concatenate([of_self[self.item], of_other[other.item]])
        chance = np.concatenate([self.chance, other.chance])
        lists = ExactSums(self.parts).followed_by(ExactSums(other.parts))
        both = replace(self, n=n, parts_of_all=parts_of_all)
        return both._add_entries(labels, item, chance, lists)

    def _add_entries(
        self, labels: np.ndarray, item: np.ndarray, chance: np.ndarray, lists: ExactSums
    ) -> Self:
        """Return the chances with these entries, those of an item and a chance added up."""
        order = np.lexsort((chance, item))
        begins = begins_run(item[order], chance[order])
        entry = np.empty(len(order), dtype=np.intp)
        entry[order] = np.cumsum(begins) - 1
        first = order[begins]
        sums = lists.sum_groups(entry, len(first))
        return replace(
            self, items=labels, item=item[first], chance=chance[first], parts=sums.parts
        )


# Groups of items, such as sellers, and their target shares.

# The tolerance for the sum of rounded shares.
_ROUNDING = 1e-6

TargetWord = Literal["catalogue", "candidates", "relevant"]
TARGET_WORDS = get_args(TargetWord)


@dataclass(frozen=True, eq=False)
class GroupsOfItems(SideColumn):
    """The group of each row's item, or its share in each group, one column per group."""

    is_catalog: bool = False  # whether there is one for each item of a grid


def _read_groups(values: Any, name: str, shape: Shape) -> GroupsOfItems:
    """Return the groups of items: one per row, or in the 2-D form one per item."""
    has_columns = is_grid(shape)
    n_needed, each = (shape[1], "item") if has_columns else (shape[0], "row")
    dense = values.toarray() if is_sparse(values) else values
    n_dimensions = dense.ndim if hasattr(dense, "ndim") else as_array(dense, name).ndim
    if n_dimensions == 2:
        groups = as_numbers(dense, name).astype(np.float64)
        names = getattr(values, "columns", range(groups.shape[1]))
        labels = as_vector(list(names), name=name)
        _check_shares(name, groups)
    else:
        labels, groups = encode_labels(as_vector(dense, name=name), name=name)
    if len(groups) != n_needed:
        raise ValueError(
            f"`{name}` has {len(groups)} value(s), but there are {n_needed} {each}s; "
            f"give the group of each {each}'s item, or its share in each group."
        )
    return GroupsOfItems(groups, labels, has_columns)


def _check_shares(name: str, shares: np.ndarray) -> None:
    wrong = ~((shares >= 0).all(axis=1) & (np.abs(shares.sum(axis=1) - 1) <= _ROUNDING))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"`{name}` has {int(wrong.sum())} row(s) that are not shares, the first row "
            f"{row}: {shorten(shares[row].tolist())}; the shares of an item in all groups "
            "are 0 or more and add up to 1."
        )


ITEM_GROUPS = Column(
    "item_groups",
    "the group of each row's item",
    _read_groups,
    has_best_order=False,
    example=lambda grades: np.where(np.arange(len(grades)) == 0, "a", "b"),
)


@dataclass(frozen=True)
class ShareCheck:
    """The shares of groups: a word, or a mapping of each group to its share."""

    def check(self, name: str, value: Any) -> Any:
        """Return the value, a mapping as a dict of floats."""
        words = ", ".join(map(repr, TARGET_WORDS))
        needed = f"{words}, or a mapping of each group to its share"
        if isinstance(value, str) and value in TARGET_WORDS:
            return value
        if not isinstance(value, Mapping):
            problem = "is needed" if value is None else f"got {shorten(value)}"
            raise ValueError(
                f"`{name}` {problem}: {needed}. Fairness has no neutral default. "
                f"In a name write for example \"awrf({name}='relevant')@10\"."
            )
        needed = "a number of 0 or more"
        shares = {
            label: check_real(f"{name}[{label!r}]", share, needed, above=-1)
            for label, share in value.items()
        }
        total = sum(shares.values())
        if min(shares.values(), default=0) < 0 or not abs(total - 1) <= _ROUNDING:
            raise ValueError(
                f"`{name}` has shares that add up to {total:.6g}, got {shorten(value)}; "
                "give each group a share of 0 or more, 1 in all."
            )
        return shares


Target = Annotated[TargetWord | Mapping[Any, float], ShareCheck()]


@dataclass(frozen=True, eq=False)
class GroupShares:
    """Groups of the rows of some lists, and those that only the target has."""

    lists: RankedLists
    names: list  # of all groups
    n_own: int  # the first of them are those of rows

    @classmethod
    def from_lists(cls, lists: RankedLists, target: Any = None) -> "GroupShares":
        """Return the groups of lists and of a target."""
        names = as_list(lists.labels("item_groups"))
        wanted = target if isinstance(target, dict) else ()
        return cls(lists, list(dict.fromkeys([*names, *wanted])), len(names))

    def weights(self, rows: np.ndarray | slice = slice(None)) -> Iterator[np.ndarray]:
        """Yield for each group the share of each of some rows' items in it."""
        values = self.lists.columns["item_groups"].values
        position = self.lists.row[rows] % len(values)
        for group in range(len(self.names)):
            if group >= self.n_own:
                yield np.zeros(len(position))
            elif values.ndim == 1:
                yield (values[position] == group).astype(np.float64)
            else:
                yield values[position, group]

    def shares(self, rows: np.ndarray | slice, amount: np.ndarray) -> list[np.ndarray]:
        """Return the share of each group in an amount of some rows, per query."""
        query, n = self.lists.query[rows], self.lists.n_queries
        total = sums_within(query, amount, n)
        weights = self.weights(rows)
        return [divide(sums_within(query, amount * weight, n), total) for weight in weights]

    def target(self, target: Any) -> list[np.ndarray]:
        """Return the share that each group should have, per query."""
        lists = self.lists
        if isinstance(target, dict):
            self._check_names(target)
            return [np.full(lists.n_queries, target[name]) for name in self.names]
        # The columns of a sparse grid are candidates, also where a cell has no row.
        lacks_cells = lists.n_items.sum() > len(lists.row)
        if target == "catalogue" or (target == "candidates" and lacks_cells):
            return self._groups_of_catalog()
        rows = np.flatnonzero(lists.is_relevant()) if target == "relevant" else slice(None)
        return self.shares(rows, np.ones(len(lists.row[rows])))

    def _check_names(self, target: dict) -> None:
        missing = [name for name in self.names if name not in target]
        if missing:
            raise ValueError(
                f"`target` has no share for group {missing[0]!r}, but some items have it; "
                f"got {shorten(target)}. Give it a share, if only 0."
            )

    def _groups_of_catalog(self) -> list[np.ndarray]:
        column = self.lists.columns["item_groups"]
        if not getattr(column, "is_catalog", False):
            raise ValueError(
                "`target` is 'catalogue', which is known in the 2-D form only, where the "
                "columns are the items; give a mapping of each group to its share in the "
                "catalogue, or target='candidates' for the rows of each query."
            )
        values = column.values
        if values.ndim == 1:
            shares = np.bincount(values, minlength=self.n_own) / len(values)
        else:
            shares = values.mean(axis=0)
        return [np.full(self.lists.n_queries, share) for share in shares]
