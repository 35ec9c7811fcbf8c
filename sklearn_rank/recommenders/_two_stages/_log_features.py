"""The rows of a log, and features of items and users from them up to a moment."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._arrays._runs import begins_run, sizes_of
from sklearn_rank._tables._columns import take_rows
from sklearn_rank._tables._times import Times
from sklearn_rank.recommenders._pairs import Pairs

# Half-lives of the counts of rows, in label windows: 1.4 to 98 days for a fortnight.
HALF_LIVES = (0.1, 0.2, 0.7, 2.0, 7.0)

ITEM_FEATURES = [
    "item_users",
    *(f"item_rows_{half_life:g}" for half_life in HALF_LIVES),
    "item_first_age",
    "item_last_age",
]
USER_FEATURES = [
    "user_items",
    "user_visits",
    "user_first_age",
    "user_last_age",
    "user_popularity",
]


@dataclass(frozen=True, eq=False)
class PastRows:
    """Rows of a log; users and items are codes, or their places in other ids."""

    X: Any
    y: Any
    user_ids: np.ndarray
    item_ids: np.ndarray
    users: np.ndarray
    items: np.ndarray
    times: Times

    def take(self, is_taken: np.ndarray) -> "PastRows":
        """Return the rows of a mask."""
        rows = np.flatnonzero(is_taken)
        return replace(
            self,
            X=take_rows(self.X, rows),
            y=None if self.y is None else take_rows(self.y, rows),
            users=self.users[rows],
            items=self.items[rows],
            times=replace(self.times, values=self.times.values[rows]),
        )

    def with_places(self, users: np.ndarray, items: np.ndarray) -> "PastRows":
        """Return the rows with positions of users and items in place of codes."""
        return replace(self, users=users[self.users], items=items[self.items])


def features_of_log(
    log: PastRows, seen: sparse.csr_array, moment: Any, window: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the features of all items, and of all users, at a moment after the rows.

    `seen` has the pairs of the rows, each once. Ages are in windows of labels; those of
    first rows are shares of the log's time, for the logs before windows are shorter.
    """
    n_users, n_items = seen.shape
    ages = (moment - log.times.values).astype(np.float64) / window
    item_users = np.bincount(seen.indices, minlength=n_items).astype(np.float64)
    counts = [
        np.bincount(log.items, np.exp2(-ages / half_life), minlength=n_items)
        for half_life in HALF_LIVES
    ]
    of_items = [item_users, *counts, *_first_and_last(ages, log.items, n_items)]
    size = sizes_of(seen.indptr).astype(np.float64)
    by_user = np.lexsort((log.times.values, log.users))
    is_visit = begins_run(log.users[by_user], log.times.values[by_user])
    visits = np.bincount(log.users[by_user][is_visit], minlength=n_users)
    pairs = Pairs.stored(seen)
    popularity = np.log(item_users)[pairs.item]
    popularity = np.bincount(pairs.row, popularity, minlength=n_users) / size
    ends = _first_and_last(ages, log.users, n_users)
    return np.column_stack(of_items), np.column_stack([size, visits, *ends, popularity])


def _first_and_last(ages: np.ndarray, codes: np.ndarray, n: int) -> list[np.ndarray]:
    first, last = np.zeros(n), np.full(n, np.inf)
    np.maximum.at(first, codes, ages)
    np.minimum.at(last, codes, ages)
    return [first / (ages.max() or 1.0), last]
