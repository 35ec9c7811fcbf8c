"""The rows of users, sorted by time."""

from dataclasses import dataclass

import numpy as np

from sklearn_rank._arrays._runs import begins_run, sizes_of, starts_of
from sklearn_rank._tables._times import Times


@dataclass(frozen=True, eq=False)
class OrderedHistories:
    """Rows of a log by user, time and row number, repeated pairs included.

    The rows of user `u` are those from ``starts[u]`` to ``starts[u + 1]``.
    """

    starts: np.ndarray
    items: np.ndarray  # positions in `items_`
    times: np.ndarray  # numbers or datetime64
    weights: np.ndarray

    @classmethod
    def of_lists(
        cls, row: np.ndarray, items: np.ndarray, weights: np.ndarray, n_lists: int
    ) -> "OrderedHistories":
        """Return histories of ordered lists; each item has its own moment."""
        starts = starts_of(np.bincount(row, minlength=n_lists))
        return cls(starts, items, np.arange(len(items)), weights)

    @property
    def users(self) -> np.ndarray:
        """The user of each row, a position in `users_`."""
        sizes = sizes_of(self.starts)
        return np.arange(len(sizes)).repeat(sizes)

    def moments(self) -> np.ndarray:
        """Return the number of the user and moment of each row, ascending from 0."""
        return np.cumsum(begins_run(self.users, self.times)) - 1

    def places(self) -> np.ndarray:
        """Return the number of later moments of the same user for each row."""
        moments = self.moments()
        ends = np.append(moments, moments.max(initial=-1) + 1)[self.starts[1:]]
        return (ends - 1).repeat(sizes_of(self.starts)) - moments


def order_histories(
    users: np.ndarray, items: np.ndarray, weights: np.ndarray, times: Times
) -> tuple[OrderedHistories, np.ndarray]:
    """Return the histories of rows of a log, and the row of each entry."""
    order = np.lexsort((times.values, users))
    columns = items[order], times.labels(times.values[order]), weights[order]
    return OrderedHistories(starts_of(np.bincount(users)), *columns), order
