"""Last and Random: which of a user's rows are held out."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sklearn_rank._tables._interaction_log import Log
from sklearn_rank.model_selection._history import check_amount, hold_out


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
