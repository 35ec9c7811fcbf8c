"""The most popular items that are left for a row: a walk down one sorted list."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sklearn_rank._base._runs import starts_of
from sklearn_rank.recommenders._pairs import Pairs


@dataclass(frozen=True, eq=False)
class PopularityOrder:
    """Items that may be recommended, most popular first; ties as in `items_`."""

    items: np.ndarray
    rank: np.ndarray  # of each item in `items`; the length of `items` for others

    @classmethod
    def from_popularity(cls, popularity: np.ndarray) -> "PopularityOrder":
        return cls._from_items(np.argsort(-popularity, kind="stable"), len(popularity))

    @classmethod
    def _from_items(cls, items: np.ndarray, n_items: int) -> "PopularityOrder":
        rank = np.full(n_items, len(items), dtype=np.intp)
        rank[items] = np.arange(len(items))
        return cls(items, rank)

    def restrict(self, allowed: np.ndarray) -> "PopularityOrder":
        """Return the order of the allowed items."""
        n_items = len(self.rank)
        is_allowed = np.zeros(n_items, dtype=bool)
        is_allowed[allowed] = True
        return self._from_items(self.items[is_allowed[self.items]], n_items)

    @property
    def has_all_items(self) -> bool:
        return len(self.items) == len(self.rank)

    def contains(self, items: np.ndarray) -> np.ndarray:
        """Return which of the items are in the order."""
        return self.rank[items] < len(self.items)


@dataclass(frozen=True, eq=False)
class Popularity:
    """How popular each item is, and the order by it."""

    values: np.ndarray

    @cached_property
    def order(self) -> PopularityOrder:
        return PopularityOrder.from_popularity(self.values)


def most_popular(order: PopularityOrder, k: int, taken: Pairs) -> np.ndarray:
    """Return for each row the first k items that are not taken, then -1.

    The j-th item left is at rank j plus the number of taken items before it. So the cost
    depends on the number of taken pairs, not of all pairs.
    """
    n_rows, n_items = taken.n_rows, len(order.items)
    rank = order.rank[taken.item]
    if n_rows == 1:  # the general way takes longer
        near = order.items[: k + len(rank)]
        left = np.delete(near, rank[rank < len(near)])[:k]
        return np.append(left, np.full(k - len(left), -1))[None]
    is_near = rank < np.minimum(k + taken.n_per_row, n_items)[taken.row]
    key = np.sort(taken.row[is_near] * n_items + rank[is_near])
    key = key[np.diff(key, prepend=-1) > 0]  # a pair may be listed twice
    row, rank = np.divmod(key, max(n_items, 1))
    starts = starts_of(np.bincount(row, minlength=n_rows))
    n_left_before = rank - (np.arange(len(row)) - starts[row])
    is_near = n_left_before < k
    cell = row[is_near] * k + n_left_before[is_near]
    n_taken_before = np.bincount(cell, minlength=n_rows * k).reshape(n_rows, k)
    rank = np.arange(k) + n_taken_before.cumsum(axis=1)
    return np.append(order.items, -1)[np.minimum(rank, n_items)]


def fill_up(
    columns: np.ndarray, order: PopularityOrder, hidden: Pairs | None = None
) -> None:
    """Replace -1 at the end of rows by the most popular items that a row lacks.

    Hidden items are not used: -1 stays if too few others are left.
    """
    lacks = (columns[:, -1] < 0).nonzero()[0]
    if not len(lacks):
        return
    short = columns[lacks]
    row, column = np.nonzero(short >= 0)
    taken = Pairs(row, short[row, column], len(short))
    if hidden is not None:
        taken = Pairs.union([taken, hidden.take_rows(lacks)], len(short))
    fillers = most_popular(order, columns.shape[1], taken)
    n_found = np.count_nonzero(short >= 0, axis=1)[:, None]
    column = np.maximum(np.arange(columns.shape[1]) - n_found, 0)
    fillers = np.take_along_axis(fillers, column, axis=1)
    columns[lacks] = np.where(short >= 0, short, fillers)
