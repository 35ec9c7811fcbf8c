"""Rows of each user to leave out: ways to choose them, and splitters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from sklearn_rank._base._validation import check_integer, check_real
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._interaction_log import Log
from sklearn_rank.model_selection._interaction_splitter import InteractionSplitter
from sklearn_rank.typing import RandomState

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


# Splitters.


# Limits the memory of random folds: scikit-learn's tools keep the rows of all folds.
_MOST_FOLDS = 1_000_000


@explained
@dataclass(eq=False, repr=False)
class LeaveLastOut(InteractionSplitter):
    """Hold out each user's newest rows; train on the rows before them.

    Several folds come oldest first: of a user with rows 1 to 9, `test_size=2` and
    `n_splits=2` tests rows 6 and 7 after rows 1 to 5, then rows 8 and 9 after rows 1 to
    7. Rows after those tested are in neither.

    No user's own future is known, but that of others is: another user's train rows may
    be later than this user's test rows. `TimeSplit` rules that out as well.

    Parameters
    ----------
    test_size : int or float, default=1
        Rows of each user and fold that are held out: a number, or as float above 0 and
        below 1 that share of the user's rows, rounded up.
    n_splits : int, default=1
        Number of folds, each of them `test_size` rows further back.
    min_train : int, default=1
        Rows that a user must have before the test rows. Users with fewer are not tested
        in that fold; all of their rows stay in train.
    user, item, time : int or str, default=None
        Columns of X: position or name. If None, passed as metadata `users` (or `groups`),
        `items`, `times`; else the columns named ``user`` or ``user_id``, ``item`` or
        ``item_id``. Items are read only by the filters that follow.
    cold_users, cold_items : {"keep", "drop", "only"}, default="keep"
        What happens to test rows whose user (item) has no row in that fold's train.
        ``"only"`` drops all others, to judge new users, sessions or new items alone.
        A tested user always has some.
    seen_items : {"keep", "drop"}, default="keep"
        What happens to test rows whose user and item occur together in that fold's
        train.
    keep_together : int or str, default=None
        Column of X with the query of each row, such as a session. No query is cut: all its
        rows are in train, in test or in neither. `test_size` counts queries, not rows; the
        newest are those that end last. If None, rows are held out one by one.

    Raises
    ------
    ValueError
        When no user has enough rows, when users and times have unequal lengths, a
        time is missing or numbers since 1970 are in several units.

    See Also
    --------
    LeaveRandomOut : Any rows of each user, where there are no times.
    TimeSplit : Everything after a point in time.

    Notes
    -----
    Rows of a user with equal times keep their order: the later row counts as the newer.

    Examples
    --------
    >>> from sklearn_rank.model_selection import LeaveLastOut
    >>> log = [["ann", 1], ["bob", 2], ["ann", 2], ["ann", 3], ["bob", 4], ["cy", 5]]
    >>> for train, test in LeaveLastOut(user=0, time=1).split(log):
    ...     print(train, test)
    [0 1 2 5] [3 4]
    """

    test_size: float = 1
    n_splits: int = 1
    min_train: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self.test_size = check_amount("test_size", self.test_size)
        self.min_train = check_integer("min_train", self.min_train)

    def _iter_folds(self, log: Log) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        users = log.users.codes
        length = np.bincount(users)
        _check_share(self.test_size, self.n_splits)
        held_out = count_held_out(self.test_size, length)
        # 0 for the newest rows to hold out, 1 for those of the fold before, ...
        step = count_newer(users, log.times.values)
        step //= held_out.astype(step.dtype)[users]
        for fold in reversed(range(self.n_splits)):
            long_enough = length - (fold + 1.0) * held_out >= self.min_train
            if not long_enough.any():
                asked = f"test_size={self.test_size}, n_splits={self.n_splits}"
                raise _too_short_error(f"{asked} and min_train={self.min_train}", length)
            tested = long_enough[users]
            yield ~tested | (step > fold), tested & (step == fold)


@explained
@dataclass(eq=False, repr=False)
class LeaveRandomOut(InteractionSplitter):
    """Hold out random rows of each user; train on that user's other rows.

    For logs without times. Where there are times, the rows that train on the future of
    those tested make scores too good: prefer `LeaveLastOut` or `TimeSplit`. The warning of
    recommender scorers is right then; to keep random rows all the same, ignore
    :class:`~sklearn_rank.exceptions.MisleadingScoreWarning`.

    Parameters
    ----------
    test_size : int or float, default=1
        Rows of each user that are held out: a number, or as float above 0 and below 1
        that share of the user's rows, rounded up. Users with no row beyond those are
        not tested; all of their rows stay in train.
    n_splits : int, default=1
        Number of folds, at most 1,000,000. Each draws again, so that a row may be tested
        more than once.
    random_state : int, RandomState instance or None, default=None
        Where the draws come from. An int gives the same folds in every call, which
        scikit-learn's halving searches ask for.
    user, item, time : int or str, default=None
        Columns of X: position or name. If None, passed as metadata `users` (or `groups`),
        `items`; else the columns named ``user`` or ``user_id``, ``item`` or ``item_id``.
        Items are read only by the filters that follow; times never.
    cold_users, cold_items : {"keep", "drop", "only"}, default="keep"
        What happens to test rows whose user (item) has no row in that fold's train.
        ``"only"`` drops all others, to judge new users, sessions or new items alone.
        A tested user always has some.
    seen_items : {"keep", "drop"}, default="keep"
        What happens to test rows whose user and item occur together in that fold's
        train.
    keep_together : int or str, default=None
        Column of X with the query of each row, such as a session. No query is cut: all its
        rows are in train, in test or in neither. `test_size` counts queries, not rows.
        If None, rows are held out one by one.

    Raises
    ------
    ValueError
        When no user has enough rows.

    See Also
    --------
    LeaveLastOut : The newest rows of each user.

    Notes
    -----
    Where X has a column of times, the scorer of recommenders warns that the model was told
    what came later. That is right here. If it is meant, ignore
    :class:`~sklearn_rank.exceptions.MisleadingScoreWarning`.

    Examples
    --------
    >>> from sklearn_rank.model_selection import LeaveRandomOut
    >>> users = ["ann", "bob", "ann", "ann", "bob", "cy"]
    >>> splitter = LeaveRandomOut(n_splits=2, random_state=3)
    >>> for train, test in splitter.split(None, users=users):
    ...     print(train, test)
    [1 2 3 5] [0 4]
    [0 2 4 5] [1 3]
    """

    _uses = ("users",)

    test_size: float = 1
    n_splits: int = 1
    random_state: RandomState = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.test_size = check_amount("test_size", self.test_size)
        if self.n_splits > _MOST_FOLDS:
            raise ValueError(
                f"`n_splits` must be at most {_MOST_FOLDS:,}, got {self.n_splits}: each "
                "fold is drawn, fitted and kept; lower it."
            )

    def _iter_folds(self, log: Log) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        random = check_random_state(self.random_state)
        for _ in range(self.n_splits):
            keys = random.random_sample(log.n_rows)
            test = hold_out(log.users.codes, keys, self.test_size)
            if not test.any():
                asked = f"test_size={self.test_size}, with a row left to train on"
                raise _too_short_error(asked, np.bincount(log.users.codes))
            yield ~test, test


def _check_share(test_size: float, n_splits: int) -> None:
    """Raise where the folds take all rows of every user, however many these are."""
    if isinstance(test_size, float) and n_splits * test_size >= 1:
        raise ValueError(
            f"No user has enough rows for test_size={test_size} and n_splits={n_splits}: "
            f"{n_splits} x {test_size} of a history leaves none of it to train on. Lower "
            f"`n_splits` to {ceil(1 / test_size) - 1}, or `test_size` below 1/{n_splits}."
        )


def _too_short_error(asked: str, length: np.ndarray) -> ValueError:
    return ValueError(
        f"No user has enough rows for {asked}: the longest history has {length.max()} "
        "row(s). Lower these numbers, or check that the right column holds the users."
    )
