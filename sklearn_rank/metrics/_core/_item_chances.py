"""ItemChances: how many lists show each item with which chance, for a whole system."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from sklearn_rank._labels._encode import encode_labels
from sklearn_rank.metrics._core._join_labels import join_labels
from sklearn_rank.metrics._core._parameters import Check, checks_of
from sklearn_rank.metrics._core._summaries import OfAllQueries

_CODES = np.empty(0, dtype=np.intp)
_NUMBERS = np.empty(0)


@dataclass(frozen=True, eq=False)
class ItemChances(OfAllQueries):
    """How many lists show an item with a chance, for each item and each of its chances.

    Where sums of amounts do not say enough: the chance that none of some lists shows an
    item, or that two of them do, needs the chances. Without ties these are all 1, and
    there is one entry an item.

    A kernel returns the number of queries and, of all that is shown, the query, the item
    and the chance. `of` makes one number of it, as in `ItemCounts`. A weight of two is a
    query twice.
    """

    of: Callable[..., float]
    labels: np.ndarray = field(default_factory=lambda: _CODES)  # of each item
    item: np.ndarray = field(default_factory=lambda: _CODES)  # of each entry, ascending
    chance: np.ndarray = field(default_factory=lambda: _NUMBERS)  # of each entry
    lists: np.ndarray = field(default_factory=lambda: _NUMBERS)  # of each entry, how many
    n: int = 0
    n_lists: float = 0.0  # the same with weights
    undefined: int = 0
    given: Mapping[str, Any] = field(default_factory=dict)  # parameters of `of`

    @property
    def checks(self) -> Mapping[str, Check]:
        """The parameters of `of`, and what these may be."""
        return checks_of(self.of)

    @property
    def amounts(self) -> np.ndarray:
        """How many lists are expected to show each item."""
        return np.bincount(self.item, self.lists * self.chance, len(self.labels))

    def bound(self, parameters: Mapping[str, Any]) -> Self:
        """Return the chances with the parameters of what is made of them."""
        return replace(self, given={name: parameters[name] for name in self.checks})

    def add(self, found: Any, weight: np.ndarray | None = None) -> Self:
        """Return the chances with those of more queries."""
        n, query, item, chance = found
        n_lists, lists = float(n), np.ones(len(item))
        if weight is not None:
            n, n_lists = int(np.count_nonzero(weight)), float(weight.sum())
            lists = weight[query]
            has_weight = lists != 0
            item, chance, lists = item[has_weight], chance[has_weight], lists[has_weight]
        labels, codes = np.unique(item, return_inverse=True)
        return self.merge(self._of(labels, codes, chance, lists, n, n_lists))

    def merge(self, other: Self) -> Self:
        """Return the chances of both; items are the same where their labels are."""
        n, n_lists = self.n + other.n, self.n_lists + other.n_lists
        if len(self.labels) == 0 or len(other.labels) == 0:
            only = other if len(self.labels) == 0 else self
            return replace(only, n=n, n_lists=n_lists)
        joined = join_labels([self.labels, other.labels], name="items")
        labels, codes = encode_labels(joined, name="items")
        of_self, of_other = np.split(codes, [len(self.labels)])
        item = np.concatenate([of_self[self.item], of_other[other.item]])
        chance = np.concatenate([self.chance, other.chance])
        lists = np.concatenate([self.lists, other.lists])
        return self._of(labels, item, chance, lists, n, n_lists)

    def _of(
        self,
        labels: np.ndarray,
        item: np.ndarray,
        chance: np.ndarray,
        lists: np.ndarray,
        n: int,
        n_lists: float,
    ) -> Self:
        """Return entries, those of one item and one chance added up."""
        order = np.lexsort((chance, item))
        item, chance, lists = item[order], chance[order], lists[order]
        begins = np.ones(len(item), dtype=bool)
        begins[1:] = (item[1:] != item[:-1]) | (chance[1:] != chance[:-1])
        entry = np.cumsum(begins) - 1
        return replace(
            self,
            labels=labels,
            item=item[begins],
            chance=chance[begins],
            lists=np.bincount(entry, lists, int(begins.sum())),
            n=n,
            n_lists=n_lists,
        )

    def labeled(self, labels: np.ndarray) -> Self:
        """Return the chances of items that were codes, by their labels."""
        return replace(self, labels=labels[self.labels])

    def result(self) -> float:
        """Return the number that is made of the chances."""
        return float(self.of(self, **self.given))
