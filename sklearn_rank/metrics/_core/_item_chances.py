"""ItemChances: the probability with which each list shows each item, system-wide."""

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from sklearn_rank._arrays._exact_sum import ExactSums
from sklearn_rank._arrays._runs import begins_run
from sklearn_rank._ids._encode import encode_labels
from sklearn_rank.metrics._core._join_labels import join_labels
from sklearn_rank.metrics._core._summaries import OfItems


@dataclass(frozen=True, eq=False)
class ItemChances(OfItems):
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
        of_one = ExactSums.of(np.zeros(len(of_all), dtype=np.intp), of_all, 1)
        new = replace(self, n=n, parts_of_all=of_one.parts)
        return self.merge(new._with(labels, codes, chance, ExactSums(lists[np.newaxis])))

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
        lists = ExactSums(self.parts).and_then(ExactSums(other.parts))
        both = replace(self, n=n, parts_of_all=parts_of_all)
        return both._with(labels, item, chance, lists)

    def _with(
        self, labels: np.ndarray, item: np.ndarray, chance: np.ndarray, lists: ExactSums
    ) -> Self:
        """Return the chances with these entries, those of an item and a chance added up."""
        order = np.lexsort((chance, item))
        begins = begins_run(item[order], chance[order])
        entry = np.empty(len(order), dtype=np.intp)
        entry[order] = np.cumsum(begins) - 1
        first = order[begins]
        sums = lists.summed(entry, len(first))
        return replace(
            self, items=labels, item=item[first], chance=chance[first], parts=sums.parts
        )
