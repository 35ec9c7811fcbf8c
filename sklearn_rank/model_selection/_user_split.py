"""UserKFold and UserTimeSplit: whole users are held out."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from sklearn_rank._base._validation import check_given, check_option
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._interaction_log import Log
from sklearn_rank.model_selection._holdout import Holdout
from sklearn_rank.model_selection._interaction_splitter import InteractionSplitter
from sklearn_rank.model_selection._time_split import (
    DEFAULT_TEST_SIZE,
    Window,
    check_window,
    find_windows,
)
from sklearn_rank.typing import Duration, Moment, RandomState


@explained
@dataclass(eq=False, repr=False)
class UserKFold(InteractionSplitter):
    """Hold out whole users, each in one fold.

    Without `holdout` all rows of a fold's users are its test, as in scikit-learn's
    `GroupKFold`. With it only those rows are; the other rows of the same users are
    dropped (strong generalization), or kept in train with `fold_in=True`, for models
    that recommend only to users they have trained on (weak generalization).

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    holdout : Last, Random or None, default=None
        Which rows of a test user are the test. If None, all of them. A user too short for
        it has no test row.
    fold_in : bool, default=False
        Whether the other rows of the test users are in train. Needs `holdout`.
    shuffle : bool, default=False
        False: users with most rows first, each goes to the fold with the fewest rows so
        far, as in `GroupKFold`. True: folds of random users, of equal numbers.
    random_state : int, RandomState instance or None, default=None
        Where the draws of `shuffle` and of `holdout=Random(...)` come from. An int gives
        the same folds in every call, which scikit-learn's halving searches ask for.
    user, item, time : int or str, default=None
        Columns of X: position or name. If None, passed as metadata `users` (or `groups`),
        `items`, `times`; else the columns named ``user`` or ``user_id``, ``item`` or
        ``item_id``. Times are read only by `Last`, items only by the filters
        that follow.
    cold_users, cold_items : {"keep", "drop", "only"}, default="keep"
        What happens to test rows whose user (item) has no row in that fold's train.
        ``"only"`` drops all others, to judge new users, sessions or new items alone.
        Without `fold_in` all test users are cold.
    seen_items : {"keep", "drop"}, default="keep"
        What happens to test rows whose user and item occur together in that fold's
        train.
    keep_together : int or str, default=None
        Column of X with the query of each row, such as a session. No query is cut: all its
        rows are in train, in test or in neither. `holdout` counts queries, not rows;
        without it no query of one user is cut. If None, rows are held out one by one.

    Raises
    ------
    ValueError
        When there are fewer users than folds, or when a fold has no test row.

    See Also
    --------
    UserTimeSplit : New users in a later period.
    sklearn.model_selection.GroupKFold : The same without holdout and filters.

    Notes
    -----
    Train may hold rows of other users that are later than the test rows. `UserTimeSplit`
    rules that out.

    Examples
    --------
    >>> from sklearn_rank.model_selection import Last, UserKFold
    >>> log = [["ann", 1], ["bob", 2], ["ann", 2], ["ann", 3], ["bob", 4], ["cy", 5]]
    >>> for train, test in UserKFold(n_splits=2, user=0).split(log):
    ...     print(train, test)
    [1 4 5] [0 2 3]
    [0 2 3] [1 4 5]
    >>> splitter = UserKFold(2, holdout=Last(1), fold_in=True, user=0, time=1)
    >>> for train, test in splitter.split(log):
    ...     print(train, test)
    [0 1 2 4 5] [3]
    [0 1 2 3 5] [4]
    """

    _least_splits = 2

    n_splits: int = 5
    holdout: Holdout | None = None
    fold_in: bool = False
    shuffle: bool = False
    random_state: RandomState = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_switches(fold_in=self.fold_in, shuffle=self.shuffle)
        holdout = self.holdout
        needed = "Last(test_size), Random(test_size) or None"
        check_given("holdout", holdout, isinstance(holdout, Holdout | None), needed)
        if self.fold_in and holdout is None:
            raise ValueError(
                "`fold_in=True` keeps the rows that `holdout` leaves, but `holdout` is "
                "None; give one, such as Last(1)."
            )
        self._uses = ("users",) if holdout is None else holdout._uses

    def _iter_folds(self, log: Log) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        random = check_random_state(self.random_state)
        size = np.bincount(log.users.codes)
        fold_of_user = _assign_folds(size, self.n_splits, self.shuffle, random)
        fold_of_row = fold_of_user[log.users.codes]
        held_out = True if self.holdout is None else self.holdout._hold_out(log, random)
        for fold in range(self.n_splits):
            of_fold = fold_of_row == fold
            test = of_fold & held_out
            if not test.any():
                raise ValueError(
                    f"No user of fold {fold} has more rows than `holdout={self.holdout}` "
                    "holds out; lower its number, or `n_splits`."
                )
            yield ~test if self.fold_in else ~of_fold, test


@explained
@dataclass(eq=False, repr=False)
class UserTimeSplit(InteractionSplitter):
    """Hold out users and a later period at once: new users in the world of tomorrow.

    The test rows of a fold are those of its users in the window of time. Train is what
    the other users did before the window, and with `fold_in=True` also what the fold's
    users did before it. All other rows are in neither. Every train row is earlier than
    every test row, and without `fold_in` train and test share no user.

    The folds divide the users who have rows in the window. Users who have none are
    never tested, so their earlier rows are in train in every fold.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds of users, at least 2; all have the same window of time.
    cutoff : number, date, datetime or str, default=None
        Where the window begins. With the default `test_size` it lasts to the end; a
        duration in `test_size` gives its length. If None, it is counted from the end.
    test_size : float, timedelta or str, default=0.2
        Length of the window, a share of all rows or a duration, as in `TimeSplit`.
    fold_in : bool, default=False
        Whether the earlier rows of the test users are in train.
    train_size : float, timedelta or str, default=None
        Length of the train period, a share of all rows or a duration, as in `TimeSplit`.
        If None, everything before the window.
    gap : number, timedelta or str, default=0
        Duration that is left out between train and test, as in `TimeSplit`.
    shuffle : bool, default=False
        False: users with most rows in the window first, each goes to the fold with the
        fewest so far. True: folds of random users, of equal numbers.
    random_state : int, RandomState instance or None, default=None
        Where the draws of `shuffle` come from. An int gives the same folds in every
        call, which scikit-learn's halving searches ask for.
    user, item, time : int or str, default=None
        Columns of X: position or name. If None, passed as metadata `users` (or `groups`),
        `items`, `times`; else the columns named ``user`` or ``user_id``, ``item`` or
        ``item_id``. Items are read only by the filters that follow.
    cold_users, cold_items : {"keep", "drop", "only"}, default="keep"
        What happens to test rows whose user (item) has no row in that fold's train.
        ``"only"`` drops all others, to judge new users, sessions or new items alone.
        Without `fold_in` all test users are cold.
    seen_items : {"keep", "drop"}, default="keep"
        What happens to test rows whose user and item occur together in that fold's
        train.
    keep_together : int or str, default=None
        Column of X with the query of each row, such as a session. No query is cut: all its
        rows are in train, in test or in neither. A query is where its last row is, and
        shares are shares of the queries. If None, rows are held out one by one.

    Raises
    ------
    ValueError
        When fewer users than folds have rows in the window, or when a fold has nothing
        to train on; otherwise as in `TimeSplit`.

    See Also
    --------
    TimeSplit : The same period for all users.
    UserKFold : Users without regard to time.

    Examples
    --------
    >>> from sklearn_rank.model_selection import UserTimeSplit
    >>> log = [["ann", 1], ["bob", 2], ["ann", 2], ["ann", 3], ["bob", 4], ["cy", 1]]
    >>> for train, test in UserTimeSplit(2, cutoff=3, user=0, time=1).split(log):
    ...     print(train, test)
    [1 5] [3]
    [0 2 5] [4]
    """

    _least_splits = 2

    n_splits: int = 5
    cutoff: Moment | None = None
    test_size: Duration = DEFAULT_TEST_SIZE
    fold_in: bool = False
    train_size: Duration | None = None
    gap: Duration = 0
    shuffle: bool = False
    random_state: RandomState = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_window(self)
        _check_switches(fold_in=self.fold_in, shuffle=self.shuffle)

    def _iter_folds(self, log: Log) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        earlier, later = find_windows(self, log.times, n_splits=1)[0].masks(log.times)
        fold_of_row = self._fold_of_user(log, later)[log.users.codes]
        for fold in range(self.n_splits):
            of_fold = fold_of_row == fold
            train = earlier if self.fold_in else earlier & ~of_fold
            if not train.any():
                raise ValueError(
                    f"Nothing is left to train on in fold {fold}: only its users have rows "
                    "before the window; raise `n_splits` or set `fold_in=True`."
                )
            yield train, later & of_fold

    def _find_windows(self, log: Log) -> list[Window]:
        """Return the window of each fold: all have the same."""
        return find_windows(self, log.times, n_splits=1) * self.n_splits

    def _fold_of_user(self, log: Log, later: np.ndarray) -> np.ndarray:
        """Return the fold of each user, -1 for those without rows in the window."""
        size = np.bincount(log.users.codes[later], minlength=len(log.users.values))
        fold, random = np.full(len(size), -1), check_random_state(self.random_state)
        sizes = size[size > 0]
        fold[size > 0] = _assign_folds(sizes, self.n_splits, self.shuffle, random)
        return fold


def _check_switches(**switches: object) -> None:
    for name, value in switches.items():
        check_option(name, value, (True, False))


def _assign_folds(
    size: np.ndarray, n_splits: int, shuffle: bool, random: np.random.RandomState
) -> np.ndarray:
    """Return the fold of each user, who has `size` rows."""
    if len(size) < n_splits:
        raise ValueError(
            f"`n_splits={n_splits}` folds need as many users with rows to test, found "
            f"{len(size)}; lower `n_splits`."
        )
    if not shuffle:
        return _balance_folds(size, n_splits)
    fold = np.empty(len(size), dtype=np.intp)
    parts = np.array_split(random.permutation(len(size)), n_splits)
    fold[np.concatenate(parts)] = np.repeat(np.arange(n_splits), [*map(len, parts)])
    return fold


def _balance_folds(size: np.ndarray, n_splits: int) -> np.ndarray:
    """Give each user, largest first, to the fold with the fewest rows so far."""
    fold = np.empty(len(size), dtype=np.intp)
    lightest_first = [(0, number) for number in range(n_splits)]
    for user in np.argsort(-size, kind="stable").tolist():
        n_rows, number = lightest_first[0]
        fold[user] = number
        heapq.heapreplace(lightest_first, (n_rows + int(size[user]), number))
    return fold
