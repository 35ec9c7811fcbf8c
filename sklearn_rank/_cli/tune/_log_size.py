"""How large a log is to recommenders, and above which size one is left out of a search.

Without imports that are slow to load, for the names are needed to read the arguments.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class LogSize:
    """What the time of a fit and its score grows with."""

    n_rows: int
    n_items: int
    # The squared number of users of an item, summed over all items: the multiplications
    # that the similarities of all users take.
    n_user_pairs: int

    @classmethod
    def of(cls, X: Any) -> "LogSize":
        """Return the size of a log, a table."""
        pairs = X[["user", "item"]].drop_duplicates()
        n_users_of_item = pairs["item"].value_counts().astype("int64")
        return cls(len(X), len(n_users_of_item), int((n_users_of_item**2).sum()))

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
