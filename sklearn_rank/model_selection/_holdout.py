"""Last and Random: which of a user's rows are held out."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sklearn_rank._base._validation import check_integer, check_real
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._interaction_log import Log

# Each user's rows in order of time, counted from the newest.


def count_newer(users: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Return how many rows of the same user come after each row, by `keys`.

    Rows with equal keys keep their order. `users` are codes from 0.
    """
    order = np.lexsort((keys, users))
    small = np.int32 if len(users) <= np.iinfo(np.int32).max else np.int64
    length = np.bincount(users)
    newer = np.repeat(np.cumsum(length).astype(small), length)
    newer -= np.arange(1, len(users) + 1, dtype=small)
    placed = np.empty_like(newer)
    placed[order] = newer
    return placed


def check_amount(name: str, value: object) -> float:
    """Return a number of rows as int, or a share of them as float; else raise."""
    if isinstance(value, float | np.floating):
        needed = "a share above 0 and below 1, or a number of rows (int)"
        return check_real(name, value, needed, above=0, below=1)
    return check_integer(name, value)


def count_held_out(amount: float, length: np.ndarray) -> np.ndarray:
    """Return how many of each user's rows `amount` is: so many, or a share of them.

    More than any user has is as good as all that the longest history has.
    """
    if isinstance(amount, float):
        return count_share(amount, length)
    return np.full(len(length), min(amount, length.max()))


def count_share(share: float, n_rows: Any) -> Any:
    """Return that share of a number of rows (or of each of several), rounded up."""
    # Rounded first: 0.07 * 100 is a little more than 7 in binary.
    rounded_up = np.ceil(np.round(share * n_rows, 9))
    return np.maximum(rounded_up, np.minimum(n_rows, 1)).astype(np.intp)


def hold_out(users: np.ndarray, keys: np.ndarray, amount: float) -> np.ndarray:
    """Return the mask of the last `amount` rows of each user who has more, by `keys`."""
    length = np.bincount(users)
    held_out = count_held_out(amount, length)
    held_out[held_out >= length] = 0
    return count_newer(users, keys) < held_out[users]


@dataclass(frozen=True)
class Holdout(ABC):
    """A number or a share of the rows of each user."""

    test_size: int | float = 1

    _uses: ClassVar[tuple[str, ...]]

    def __post_init__(self) -> None:
        object.__setattr__(self, "test_size", check_amount("test_size", self.test_size))

    @abstractmethod
    def _hold_out(self, log: Log, random: np.random.RandomState) -> np.ndarray:
        """Return the mask of the rows that are held out."""


@explained
@dataclass(frozen=True)
class Last(Holdout):
    """Hold out the newest rows of each user, for `UserKFold`.

    Parameters
    ----------
    test_size : int or float, default=1
        Rows of a user that are held out: a number, or as float above 0 and below 1 that
        share of the user's rows, rounded up. Users with no row beyond those keep all.

    See Also
    --------
    LeaveLastOut : Holds out rows of all users.

    Examples
    --------
    >>> from sklearn_rank.model_selection import Last, UserKFold
    >>> users, times = ["ann", "ann", "ann", "bob", "bob"], [1, 2, 3, 1, 2]
    >>> splitter = UserKFold(n_splits=2, holdout=Last(1))
    >>> for train, test in splitter.split(None, users=users, times=times):
    ...     print(train, test)
    [3 4] [2]
    [0 1 2] [4]
    """

    _uses: ClassVar[tuple[str, ...]] = ("users", "times")

    def _hold_out(self, log: Log, random: np.random.RandomState) -> np.ndarray:
        return hold_out(log.users.codes, log.times.values, self.test_size)


@explained
@dataclass(frozen=True)
class Random(Holdout):
    """Hold out random rows of each user, for `UserKFold`, whose `random_state` draws them.

    Parameters
    ----------
    test_size : int or float, default=1
        Rows of a user that are held out: a number, or as float above 0 and below 1 that
        share of the user's rows, rounded up. Users with no row beyond those keep all.

    See Also
    --------
    LeaveRandomOut : Holds out rows of all users.

    Examples
    --------
    >>> from sklearn_rank.model_selection import Random, UserKFold
    >>> users = ["ann", "ann", "ann", "bob", "bob"]
    >>> splitter = UserKFold(n_splits=2, holdout=Random(1), random_state=0)
    >>> for train, test in splitter.split(None, users=users):
    ...     print(train, test)
    [3 4] [1]
    [0 1 2] [3]
    """

    _uses: ClassVar[tuple[str, ...]] = ("users",)

    def _hold_out(self, log: Log, random: np.random.RandomState) -> np.ndarray:
        keys = random.random_sample(log.n_rows)
        return hold_out(log.users.codes, keys, self.test_size)
