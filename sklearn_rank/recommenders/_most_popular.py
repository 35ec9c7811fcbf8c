"""The most popular items that are left for a row: a walk down one sorted list."""

from dataclasses import dataclass

import numpy as np

from sklearn_rank._base._runs import starts_of
from sklearn_rank.recommenders._pairs import Pairs


@dataclass(frozen=True, eq=False)
class PopularityOrder:
    """Items that may be recommended, most popular first; ties as in `items_`."""

    items: np.ndarray
    place: np.ndarray  # of each item in `items`; the length of `items` for others

    @classmethod
    def of(cls, popularity: np.ndarray) -> "PopularityOrder":
        return cls._of_items(np.argsort(-popularity, kind="stable"), len(popularity))

    @classmethod
    def _of_items(cls, items: np.ndarray, n_items: int) -> "PopularityOrder":
        place = np.full(n_items, len(items), dtype=np.intp)
        place[items] = np.arange(len(items))
        return cls(items, place)

    def only(self, allowed: np.ndarray) -> "PopularityOrder":
        """Return the order of the allowed items."""
        n_items = len(self.place)
        is_allowed = np.zeros(n_items, dtype=bool)
        is_allowed[allowed] = True
        return self._of_items(self.items[is_allowed[self.items]], n_items)

    @property
    def holds_all(self) -> bool:
        return len(self.items) == len(self.place)

    def holds(self, items: np.ndarray) -> np.ndarray:
        """Return which of the items are in the order."""
        return self.place[items] < len(self.items)


def most_popular(order: PopularityOrder, k: int, taken: Pairs) -> np.ndarray:
    """Return for each row the first k items that are not taken, then -1.

    The j-th item left is at place j plus the number of taken items before it. So the cost
    depends on the number of taken pairs, not of all pairs.
    """
    n_rows, n_items = taken.n_rows, len(order.items)
    place = order.place[taken.item]
    if n_rows == 1:  # the general way takes longer
        near = order.items[: k + len(place)]
        left = np.delete(near, place[place < len(near)])[:k]
        return np.append(left, np.full(k - len(left), -1))[None]
    is_near = place < np.minimum(k + taken.n_of_row, n_items)[taken.row]
    key = np.sort(taken.row[is_near] * n_items + place[is_near])
    key = key[np.diff(key, prepend=-1) > 0]  # a pair may be listed twice
    row, place = np.divmod(key, max(n_items, 1))
    starts = starts_of(np.bincount(row, minlength=n_rows))
    n_left_before = place - (np.arange(len(row)) - starts[row])
    is_near = n_left_before < k
    cell = row[is_near] * k + n_left_before[is_near]
    n_taken_before = np.bincount(cell, minlength=n_rows * k).reshape(n_rows, k)
    place = np.arange(k) + n_taken_before.cumsum(axis=1)
    return np.append(order.items, -1)[np.minimum(place, n_items)]


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
    row, place = np.nonzero(short >= 0)
    taken = Pairs(row, short[row, place], len(short))
    if hidden is not None:
        taken = Pairs.union([taken, hidden.of_rows(lacks)], len(short))
    others = most_popular(order, columns.shape[1], taken)
    n_found = np.count_nonzero(short >= 0, axis=1)[:, None]
    place = np.maximum(np.arange(columns.shape[1]) - n_found, 0)
    others = np.take_along_axis(others, place, axis=1)
    columns[lacks] = np.where(short >= 0, short, others)
