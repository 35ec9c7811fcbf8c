"""Sums over items at each depth of the lists of users."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._arrays._runs import ranges


@dataclass(frozen=True, eq=False)
class Grid:
    """Where the depths of each user begin, and how many there are."""

    starts: np.ndarray
    sizes: np.ndarray

    def sum(
        self,
        user: np.ndarray,
        first: np.ndarray,
        last: np.ndarray,
        other_first: Any = 1,
        other_last: Any = 1,
    ) -> np.ndarray:
        """Return the sum of c(e, d) of some items, or of products of two, at each depth.

        c is 0 above the first rank of a group of ties, 1 from the last one on.
        """
        total = np.zeros(int(self.starts[-1]) + 1)
        begin, full = np.maximum(first, other_first), np.maximum(last, other_last)
        end = np.minimum(full, self.sizes[user] + 1)
        in_reach = full <= self.sizes[user]
        np.add.at(total, self.starts[user[in_reach]] + full[in_reach] - 1, 1.0)
        total = np.cumsum(total)[:-1]
        # Differences must not cross users.
        before = np.append(0.0, total)[self.starts[:-1]]
        total -= before.repeat(self.sizes)
        n = np.maximum(end - begin, 0)
        item, depth = np.arange(len(user)).repeat(n), ranges(begin, n)
        share = np.ones(len(item))
        for low, high in ((first, last), (other_first, other_last)):
            low, high = (np.broadcast_to(rank, user.shape)[item] for rank in (low, high))
            share *= np.minimum((depth - low + 1) / (high - low + 1), 1)
        np.add.at(total, self.starts[user[item]] + depth - 1, share)
        return total
