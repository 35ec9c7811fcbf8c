"""Last and Random: which of a user's rows are held out."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sklearn_rank._tables._interaction_log import Log
from sklearn_rank.model_selection._history import check_amount, hold_out


@dataclass(frozen=True)
class Last:
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

    test_size: int | float = 1

    _uses: ClassVar[tuple[str, ...]] = ("users", "times")

    def __post_init__(self):
        _check_size(self)

    def _hold_out(self, log: Log, random: np.random.RandomState) -> np.ndarray:
        return hold_out(log.users.codes, log.times.values, self.test_size)


@dataclass(frozen=True)
class Random:
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

    test_size: int | float = 1

    _uses: ClassVar[tuple[str, ...]] = ("users",)

    def __post_init__(self):
        _check_size(self)

    def _hold_out(self, log: Log, random: np.random.RandomState) -> np.ndarray:
        keys = random.random_sample(log.n_rows)
        return hold_out(log.users.codes, keys, self.test_size)


def _check_size(holdout: Last | Random) -> None:
    size = check_amount("test_size", holdout.test_size)
    object.__setattr__(holdout, "test_size", size)


Holdout = Last | Random
