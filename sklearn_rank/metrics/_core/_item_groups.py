"""Groups of items, such as sellers, and their target shares."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from scipy import sparse

from sklearn_rank._arrays._exact_sum import sums_within
from sklearn_rank._ids._encode import as_list, as_vector, encode_labels
from sklearn_rank._ranking._queries import SideColumn
from sklearn_rank._ranking._quotients import divide
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank._validation import as_array, as_numbers, check_real, shorten
from sklearn_rank.metrics._core._columns_beside import Column, Shape

# The tolerance for the sum of rounded shares.
_ROUNDING = 1e-6

TARGETS = ("catalogue", "candidates", "relevant")


@dataclass(frozen=True, eq=False)
class GroupsOfItems(SideColumn):
    """The group of each row's item, or its share in each group: a column a group."""

    is_catalog: bool = False  # whether there is one for each item of a grid


def _read_groups(values: Any, name: str, shape: Shape) -> GroupsOfItems:
    """Return the groups of items: one a row, or in the 2-D form one an item."""
    is_grid = len(shape) == 2 and shape[1] != 1
    n_needed, each = (shape[1], "item") if is_grid else (shape[0], "row")
    dense = values.toarray() if sparse.issparse(values) else values
    n_dimensions = dense.ndim if hasattr(dense, "ndim") else as_array(dense, name).ndim
    if n_dimensions == 2:
        shares = as_numbers(dense, name).astype(np.float64)
        names = getattr(values, "columns", range(shares.shape[1]))
        labels = as_vector(list(names), name=name)
        _check_shares(name, shares)
        found = GroupsOfItems(shares, labels, is_grid)
    else:
        labels, codes = encode_labels(as_vector(dense, name=name), name=name)
        found = GroupsOfItems(codes, labels, is_grid)
    if len(found.values) != n_needed:
        raise ValueError(
            f"`{name}` has {len(found.values)} value(s), but there are {n_needed} {each}s; "
            f"give the group of each {each}'s item, or its share in each group."
        )
    return found


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
        words = ", ".join(map(repr, TARGETS))
        needed = f"{words}, or a mapping of each group to its share"
        if isinstance(value, str) and value in TARGETS:
            return value
        if not isinstance(value, Mapping):
            said = "is needed" if value is None else f"got {shorten(value)}"
            raise ValueError(
                f"`{name}` {said}: {needed}. Fairness has no neutral default. "
                f"In a name write for example \"awrf({name}='relevant')@10\"."
            )
        shares = {
            label: check_real(
                f"{name}[{label!r}]", share, "a number of 0 or more", above=-1
            )
            for label, share in value.items()
        }
        total = sum(shares.values())
        if min(shares.values(), default=0) < 0 or not abs(total - 1) <= _ROUNDING:
            raise ValueError(
                f"`{name}` has shares that add up to {total:.6g}, got {shorten(value)}; "
                "give each group a share of 0 or more, 1 in all."
            )
        return shares


Target = Annotated[
    Literal["catalogue", "candidates", "relevant"] | Mapping[Any, float], ShareCheck()
]


@dataclass(frozen=True, eq=False)
class GroupShares:
    """Groups of the rows of some lists, and those that only the target has."""

    lists: RankedLists
    names: list  # of all groups
    n_own: int  # the first of them are those of rows

    @classmethod
    def of(cls, lists: RankedLists, target: Any = None) -> "GroupShares":
        """Return the groups of lists and of a target."""
        names = as_list(lists.labels("item_groups"))
        known = set(names)
        extra = (
            [] if not isinstance(target, dict) else [g for g in target if g not in known]
        )
        return cls(lists, [*names, *extra], len(names))

    def weights(self, rows: np.ndarray | slice = slice(None)) -> Iterator[np.ndarray]:
        """Yield for each group the share of each of some rows' items in it."""
        values = self.lists.columns["item_groups"].values
        place = self.lists.row[rows] % len(values)
        for group in range(len(self.names)):
            if group >= self.n_own:
                yield np.zeros(len(place))
            elif values.ndim == 1:
                yield (values[place] == group).astype(np.float64)
            else:
                yield values[place, group]

    def shares(self, rows: np.ndarray | slice, amount: np.ndarray) -> list[np.ndarray]:
        """Return the share of each group in an amount of some rows, per query."""
        query, n = self.lists.query[rows], self.lists.n_queries
        total = sums_within(query, amount, n)
        return [
            divide(sums_within(query, amount * weight, n), total)
            for weight in self.weights(rows)
        ]

    def target(self, target: Any) -> list[np.ndarray]:
        """Return the share that each group should have, per query."""
        lists = self.lists
        if isinstance(target, dict):
            self._check_names(target)
            return [np.full(lists.n_queries, target[name]) for name in self.names]
        if target == "catalogue" or (target == "candidates" and self._lacks_cells()):
            return self._of_catalog()
        rows = np.flatnonzero(lists.is_relevant()) if target == "relevant" else slice(None)
        return self.shares(rows, np.ones(len(lists.row[rows])))

    def _lacks_cells(self) -> bool:
        """Return whether cells of a sparse grid have no row; its columns are candidates."""
        return bool(self.lists.n_items.sum() > len(self.lists.row))

    def _check_names(self, target: dict) -> None:
        missing = [name for name in self.names if name not in target]
        if missing:
            raise ValueError(
                f"`target` has no share for group {missing[0]!r}, but some items have it; "
                f"got {shorten(target)}. Give it a share, if only 0."
            )

    def _of_catalog(self) -> list[np.ndarray]:
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
