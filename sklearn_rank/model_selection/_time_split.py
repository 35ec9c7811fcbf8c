"""TimeSplit: everything in a window of time is held out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sklearn_rank._tables._interaction_log import Log
from sklearn_rank.model_selection._interaction_splitter import InteractionSplitter
from sklearn_rank.model_selection._window import (
    DEFAULT_TEST_SIZE,
    Window,
    check_window,
    find_windows,
)
from sklearn_rank.typing import Duration, Moment


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
        Length of a window. A float above 0 and below 1 is a share of all rows, rounded
        up to whole rows and then to whole runs of equal times. Anything else is a
        duration: a number in the unit of numeric times (an int is time, never a count
        of rows); for datetimes a `datetime.timedelta`, `numpy.timedelta64`,
        `pandas.Timedelta` or a string that pandas reads, such as `"7D"`.
        Windows are counted back from the last time, which is inside the last window.
    train_size : float, timedelta or str, default=None
        Length of train: a share of all rows (at least that many, the newest) or a
        duration, as for `test_size`. None: everything before the window.
    gap : number, timedelta or str, default=0
        Duration that is left out between train and test; never a share. Every train row
        is earlier than every test row by more than `gap`.
    cutoff : number, date, datetime or str, default=None
        Where the first window begins. With the default `test_size` all rows from there
        on are held out, in `n_splits` windows of about as many rows; a duration in
        `test_size` gives the length of each window. A string is ISO 8601; without time
        zone it is in the time zone of `times`. None: windows are counted from the end.
    user, item, time : int or str, default=None
        Columns of X: position or name. None: passed as metadata `users`, `items`,
        `times`; else the columns named ``user`` or ``user_id``, ``item`` or ``item_id``.
        Users and items are read only by the filters that follow.
    cold_users, cold_items : {"keep", "drop"}, default="keep"
        What happens to test rows whose user (item) has no row in that fold's train.
    seen_items : {"keep", "drop"}, default="keep"
        What happens to test rows whose user and item occur together in that fold's
        train.
    keep_together : int or str, default=None
        Column of X with the query of each row, such as a session. No query is cut: all its
        rows are in train, in test or in neither. A query is where its last row is, and
        shares are shares of the queries. None: rows are held out one by one.

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
