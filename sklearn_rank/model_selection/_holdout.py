"""Last, LastShare and Random: which of a user's rows are held out."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sklearn_rank._tables._interaction_log import Log
from sklearn_rank._validation import check_integer, check_real
from sklearn_rank.model_selection._history import check_amount, hold_out


@dataclass(frozen=True)
class Last:
    """Hold out the newest rows of each user, for `UserKFold`.

    Parameters
    ----------
    n : int, default=1
        Rows of a user that are held out. Of users with no row beyond those none is.

    See Also
    --------
    LastShare : A share of the rows instead of a number.
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

    n: int = 1

    _uses: ClassVar[tuple[str, ...]] = ("users", "times")

    def __post_init__(self):
        object.__setattr__(self, "n", check_integer("n", self.n))

    def _hold_out(self, log: Log, random: np.random.RandomState) -> np.ndarray:
        return hold_out(log.users.codes, log.times.values, self.n)


@dataclass(frozen=True)
class LastShare:
    """Hold out the newest share of each user's rows, for `UserKFold`.

    Parameters
    ----------
    p : float, default=0.2
        Share of a user's rows that is held out, above 0 and below 1, rounded up to whole
        rows. Of users with no row beyond those none is.

    See Also
    --------
    Last : A number of rows instead of a share.

    Examples
    --------
    >>> from sklearn_rank.model_selection import LastShare, UserKFold
    >>> users, times = ["ann", "ann", "ann", "bob", "bob"], [1, 2, 3, 1, 2]
    >>> splitter = UserKFold(n_splits=2, holdout=LastShare(0.5))
    >>> for train, test in splitter.split(None, users=users, times=times):
    ...     print(train, test)
    [3 4] [1 2]
    [0 1 2] [4]
    """

    p: float = 0.2

    _uses: ClassVar[tuple[str, ...]] = ("users", "times")

    def __post_init__(self):
        p = check_real("p", self.p, "a share above 0 and below 1", above=0, below=1)
        object.__setattr__(self, "p", p)

    def _hold_out(self, log: Log, random: np.random.RandomState) -> np.ndarray:
        return hold_out(log.users.codes, log.times.values, self.p)


@dataclass(frozen=True)
class Random:
    """Hold out random rows of each user, for `UserKFold`, whose `random_state` draws them.

    Parameters
    ----------
    n : int or float, default=1
        Rows of a user that are held out: a number, or as float above 0 and below 1 that
        share of the user's rows, rounded up. Of users with no row beyond those none is.

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

    n: int | float = 1

    _uses: ClassVar[tuple[str, ...]] = ("users",)

    def __post_init__(self):
        object.__setattr__(self, "n", check_amount("n", self.n))

    def _hold_out(self, log: Log, random: np.random.RandomState) -> np.ndarray:
        keys = random.random_sample(log.n_rows)
        return hold_out(log.users.codes, keys, self.n)


Holdout = Last | LastShare | Random
