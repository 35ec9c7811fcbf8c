"""The size of a log for recommenders, and the limits above which they are left out."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class LogSize:
    """What the time of a fit and its score grows with."""

    n_rows: int
    n_items: int
    # The squared number of users of an item, summed over all items: the multiplications
    # that the similarities of all users take.
    n_user_pairs: int

    @classmethod
    def of(cls, user: np.ndarray, item: np.ndarray) -> "LogSize":
        """Return the size of a log, given by the codes of the user and item of each row."""
        base = int(item.max(initial=0)) + 1
        pairs = np.unique(user.astype(np.int64) * base + item)
        n_users = np.bincount(pairs % base).astype(np.int64)
        return cls(len(user), int(np.count_nonzero(n_users)), int((n_users**2).sum()))

    @property
    def user_pairs_a_row(self) -> float:
        """Return the mean over rows: a row of a popular item takes longer."""
        return self.n_user_pairs / self.n_rows


@dataclass(frozen=True)
class Limit:
    """Size above which a fit and its score take half a minute, or gigabytes."""

    most: int
    size: Callable[[LogSize], int]
    reason: str  # in words, with the size

    def reason_against(self, log: LogSize) -> str | None:
        """Return why a log is too large in words, None where it is not."""
        size = self.size(log)
        if size <= self.most:
            return None
        return f"{self.reason.format(f'{size:,}')} (tried up to {self.most:,})"


def most_items(most: int) -> Limit:
    """Return a limit for what keeps a matrix of items by items, or solves each item."""
    reason = "takes long and much memory for {} items"
    return Limit(most, lambda log: log.n_items, reason)


def most_user_pairs(most: int) -> Limit:
    """Return a limit for what compares all users who have an item in common."""
    reason = "takes long for {} pairs of users with an item in common, once for each item"
    return Limit(most, lambda log: log.n_user_pairs, reason)
