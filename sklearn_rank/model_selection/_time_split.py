"""Splitters that hold out windows of time, or rows of users."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from sklearn_rank._base._validation import check_given, check_option, check_real
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._interaction_log import Log
from sklearn_rank.inputs._times import Times, plain_number
from sklearn_rank.model_selection._interaction_splitter import InteractionSplitter
from sklearn_rank.model_selection._leave_out import Holdout, count_share
from sklearn_rank.typing import Duration, Moment, RandomState

# Windows of global time: where train ends and test begins, fold by fold.

DEFAULT_TEST_SIZE = 0.2


class Window(NamedTuple):
    """One fold: train is [train_start, train_stop), test is [test_start, test_stop)."""

    train_start: float
    train_stop: float
    test_start: float
    test_stop: float

    def masks(self, times: Times) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows of train and of test; neither may be empty."""
        train = _mask_between(times.values, self.train_start, self.train_stop)
        test = _mask_between(times.values, self.test_start, self.test_stop)
        advice = "raise `train_size`, or lower `gap` or `n_splits`"
        _check_any(train, "train period", times, *self[:2], advice)
        advice = "raise `test_size`, lower `n_splits`, or move `cutoff`"
        _check_any(test, "test window", times, *self[2:], advice)
        return train, test

    def in_gap(self, times: Times) -> np.ndarray:
        """Return the rows that lie between train and test."""
        return _mask_between(times.values, self.train_stop, self.test_start)


def _check_any(
    rows: np.ndarray, period: str, times: Times, start: float, stop: float, advice: str
) -> None:
    if not rows.any():
        raise ValueError(
            f"No row lies in the {period} from {times.show(start)} up to "
            f"{times.show(stop)}; {advice}."
        )


def is_share(size: Any) -> bool:
    """Return whether a size is a share of the rows and not a duration."""
    return isinstance(size, float) and 0 < size < 1


def check_window(splitter: Any) -> None:
    """Check and normalize the sizes of a splitter by time."""
    length = "a share below 1 or a duration above 0"
    for name, needed, limits in (
        ("test_size", length, {"above": 0}),
        ("train_size", length, {"above": 0}),
        ("gap", "a duration >= 0", {"least": 0}),
        ("cutoff", "a point in time", {}),
    ):
        value = getattr(splitter, name)
        if value is not None or name in ("test_size", "gap"):
            setattr(splitter, name, _check_size(name, value, needed, **limits))
    test_size = splitter.test_size
    has_share = is_share(test_size) and test_size != DEFAULT_TEST_SIZE
    if splitter.cutoff is not None and has_share:
        raise ValueError(
            f"`test_size={test_size!r}` is a share of the rows, but with `cutoff` the "
            "test is all that follows it; leave `test_size` out or give a duration."
        )


def _check_size(name: str, value: Any, needed: str, **limits: float) -> Any:
    """Return a number within the limits of `check_real`, any other size as it is."""
    check_given(name, value, not isinstance(value, bool | np.bool_ | None), needed)
    # NumPy counts its timedelta64 among the integers.
    if not isinstance(value, Real) or isinstance(value, np.timedelta64):
        return value
    check_real(name, value, needed, **limits)
    return plain_number(name, value, needed)


def find_windows(splitter: Any, times: Times, n_splits: int) -> list[Window]:
    """Return the windows of the folds, oldest first."""
    test_size, gap = splitter.test_size, splitter.gap
    n_rows = len(times.values)
    if n_splits >= max(n_rows, 2):
        raise ValueError(
            f"`n_splits={n_splits}` windows and the train before them need a row each, but "
            f"there are {n_rows} row(s); lower `n_splits`."
        )
    first, last = times.values.min().item(), times.values.max().item()
    if splitter.cutoff is not None:
        edges = _edges_by_cutoff(times, first, last, splitter.cutoff, n_splits, test_size)
    elif is_share(test_size):
        edges = _edges_by_share(times, last, n_splits, test_size)
    else:
        edges = _edges_by_duration(times, first, last, n_splits, test_size)
    pause = times.duration(gap, name="gap")
    windows = []
    for start, stop in pairwise(edges):
        train_stop = start - pause
        _check_room(times, first, start, train_stop, gap, n_splits)
        begin = _train_start(times, first, train_stop, splitter.train_size)
        windows.append(Window(begin, train_stop, start, stop))
    return windows


def _edges_by_share(times: Times, last: float, n_splits: int, share: float) -> list:
    n_rows = len(times.values)
    n_test = int(count_share(share, n_rows))
    if n_test * n_splits >= n_rows:
        raise ValueError(
            f"`n_splits={n_splits}` windows of `test_size={share}` take {n_test} rows "
            f"each, of {n_rows} in all, which leaves none to train on; lower either."
        )
    places = [n_rows - step * n_test for step in range(n_splits, 0, -1)]
    starts = np.partition(times.values, places)[places].tolist()
    _check_distinct(times, starts, "test_size")
    return [*starts, times.first_after(last)]


def _edges_by_duration(
    times: Times, first: float, last: float, n_splits: int, test_size: Any
) -> list:
    length = _check_duration(times, test_size, name="test_size")
    if last - n_splits * length < first:
        raise ValueError(
            f"`n_splits={n_splits}` windows of `test_size={test_size!r}` exceed "
            f"the period of `times`, {_show_period(times, first, last)}; lower one of them."
        )
    starts = [times.first_after(last - step * length) for step in range(n_splits, 0, -1)]
    return [*starts, times.first_after(last)]


def _edges_by_cutoff(
    times: Times, first: float, last: float, cutoff: Any, n_splits: int, test_size: Any
) -> list:
    begin = times.moment(cutoff, name="cutoff")
    if not first < begin <= last:
        raise ValueError(
            f"`cutoff={cutoff!r}` must lie after the first and not after the last of "
            f"`times` ({_show_period(times, first, last)})."
        )
    if not is_share(test_size):
        length = _check_duration(times, test_size, name="test_size")
        return [begin + step * length for step in range(n_splits + 1)]
    later = times.values[times.values >= begin]
    places = [step * len(later) // n_splits for step in range(1, n_splits)]
    starts = [begin, *np.partition(later, places)[places].tolist()] if places else [begin]
    _check_distinct(times, starts, "cutoff")
    return [*starts, times.first_after(last)]


def _train_start(times: Times, first: float, stop: float, train_size: Any) -> float:
    if train_size is None:
        return first
    if not is_share(train_size):
        return stop - _check_duration(times, train_size, name="train_size")
    earlier = times.values[times.values < stop]
    n_train = int(count_share(train_size, len(times.values)))
    if n_train >= len(earlier):
        return first
    start = len(earlier) - n_train
    return np.partition(earlier, start)[start].item()


def _check_distinct(times: Times, starts: list, name: str) -> None:
    for start, later in pairwise(starts):
        if start >= later:
            raise ValueError(
                f"Two windows would begin at {times.show(later)}, as many rows have "
                f"that time; lower `n_splits`, or change `{name}`."
            )


def _check_room(
    times: Times, first: float, start: float, train_stop: float, gap: Any, n_splits: int
) -> None:
    if train_stop <= first:
        raise ValueError(
            f"Nothing is left to train on before {times.show(start)} less `gap={gap!r}`, "
            f"as times begin at {times.show(first)}; lower `gap`, `test_size` or "
            f"`n_splits={n_splits}`."
        )


def _check_duration(times: Times, size: Any, *, name: str) -> float:
    length = times.duration(size, name=name)
    if length <= 0:
        raise ValueError(f"`{name}` must be longer than nothing, got {size!r}.")
    return length


def _show_period(times: Times, first: float, last: float) -> str:
    return f"{times.show(first)} to {times.show(last)}"


def _mask_between(values: np.ndarray, start: float, stop: float) -> np.ndarray:
    inside = values >= start
    inside &= values < stop
    return inside


@explained
@dataclass(eq=False, repr=False)
class TimeSplit(InteractionSplitter):
    """Hold out everything that happens in a window of time, for all users at once.

    Train is what happened before the window: the only split in which nothing of the
    future is known, neither of the user nor of the rest of the world [1]_. Rows after
    the window are in neither. The windows of several folds do not overlap and come
    oldest first; train grows from fold to fold, or slides with `train_size`.

    Every train row is earlier than every test row: equal times are never cut apart.

    Parameters
    ----------
    n_splits : int, default=1
        Number of windows.
    test_size : float, timedelta or str, default=0.2
        Length of a window. A float above 0 and below 1 is a share of all rows, rounded up
        to whole rows and then to whole runs of equal times. Windows are counted back from
        the last time, which is inside the last window.

        Anything else is a duration: a number in the unit of numeric times (an int is time,
        never a count of rows); for datetimes a `datetime.timedelta`, `numpy.timedelta64`,
        `pandas.Timedelta` or a string that pandas reads, such as `"7D"`.
    train_size : float, timedelta or str, default=None
        Length of train: a share of all rows (at least that many, the newest) or a
        duration, as for `test_size`. If None, everything before the window.
    gap : number, timedelta or str, default=0
        Duration that is left out between train and test; never a share. Every train row
        is earlier than every test row by more than `gap`.
    cutoff : number, date, datetime or str, default=None
        Where the first window begins. With the default `test_size` all rows from there
        on are held out, in `n_splits` windows of about as many rows; a duration in
        `test_size` gives the length of each window. A string is ISO 8601; without time
        zone it is in the time zone of `times`. If None, windows are counted from the end.
    user, item, time : int or str, default=None
        Columns of X: position or name. If None, passed as metadata `users`, `items`,
        `times`; else the columns named ``user`` or ``user_id``, ``item`` or ``item_id``.
        Users and items are read only by the filters that follow.
    cold_users, cold_items : {"keep", "drop", "only"}, default="keep"
        What happens to test rows whose user (item) has no row in that fold's train.
        ``"only"`` drops all others, to judge new users, sessions or new items alone.
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
        When train or test of a fold is empty, when the windows take all the rows or are
        longer than the period, when `cutoff` lies outside it, when a time is missing or
        when numbers since 1970 are in several units.
    TypeError
        When times are not numbers, dates or datetimes, or durations do not fit them.

    See Also
    --------
    UserTimeSplit : The same for users that are new after training.
    sklearn.model_selection.TimeSeriesSplit : Counts rows, which must be sorted.

    References
    ----------
    .. [1] Y. Ji, A. Sun, J. Zhang and C. Li (2023). A critical study on data leakage in
       recommender system offline evaluation. ACM Transactions on Information Systems
       41(3), arXiv:2010.11060.

    Examples
    --------
    >>> from sklearn_rank.model_selection import TimeSplit
    >>> log = [["ann", 1], ["bob", 2], ["ann", 2], ["ann", 3], ["bob", 4], ["cy", 5]]
    >>> for train, test in TimeSplit(n_splits=2, test_size=1, time=1).split(log):
    ...     print(train, test)
    [0 1 2 3] [4]
    [0 1 2 3 4] [5]
    >>> for train, test in TimeSplit(cutoff=3, gap=1, time=1).split(log):
    ...     print(train, test)
    [0] [3 4 5]
    """

    _uses = ("times",)

    n_splits: int = 1
    test_size: Duration = DEFAULT_TEST_SIZE
    train_size: Duration | None = None
    gap: Duration = 0
    cutoff: Moment | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_window(self)

    def _iter_folds(self, log: Log) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for window in self._find_windows(log):
            yield window.masks(log.times)

    def _find_windows(self, log: Log) -> list[Window]:
        """Return the window of each fold."""
        return find_windows(self, log.times, self.n_splits)


# Rows of users: whole folds of them, or their last rows in a window.


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
    """Hold out users and a later period at once: new users of the future.

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
