"""ItemChances: the probability with which each list shows each item, system-wide."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from sklearn_rank._arrays._exact_sum import ExactSums
from sklearn_rank._arrays._runs import begins_run
from sklearn_rank._ids._encode import encode_labels
from sklearn_rank.metrics._core._join_labels import join_labels
from sklearn_rank.metrics._core._parameters import Check, checks_of
from sklearn_rank.metrics._core._summaries import OfAllQueries

_CODES = np.empty(0, dtype=np.intp)
_NUMBERS = np.empty(0)
_NO_SUMS = np.empty((1, 0))


@dataclass(frozen=True, eq=False)
class ItemChances(OfAllQueries):
    """The number of lists that show an item with each probability.

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
    parts: np.ndarray = field(default_factory=lambda: _NO_SUMS)  # of each entry, its lists
    n: int = 0
    parts_of_all: np.ndarray = field(default_factory=lambda: np.zeros((1, 1)))  # all lists
    undefined: int = 0
    given: Mapping[str, Any] = field(default_factory=dict)  # parameters of `of`

    @property
    def checks(self) -> Mapping[str, Check]:
        """The parameters of `of`, and what these may be."""
        return checks_of(self.of)

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
        return np.bincount(self.item, self.lists * self.chance, len(self.labels))

    def bound(self, parameters: Mapping[str, Any]) -> Self:
        """Return the chances with the parameters of what is made of them."""
        return replace(self, given={name: parameters[name] for name in self.checks})

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
        if len(self.labels) == 0 or len(other.labels) == 0:
            only = other if len(self.labels) == 0 else self
            return replace(only, n=n, parts_of_all=parts_of_all)
        joined = join_labels([self.labels, other.labels], name="items")
        labels, codes = encode_labels(joined, name="items")
        of_self, of_other = np.split(codes, [len(self.labels)])
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
            self, labels=labels, item=item[first], chance=chance[first], parts=sums.parts
        )

    def labeled(self, labels: np.ndarray) -> Self:
        """Return the chances of items that were codes, by their labels."""
        return replace(self, labels=labels[self.labels])

    def result(self) -> float:
        """Return the number that is made of the chances."""
        return float(self.of(self, **self.given))
