"""What all splitters share: where columns come from, and the cold/seen filters."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sklearn_rank._misleading import warn_misleading
from sklearn_rank._surroundings._bases import BaseCrossValidator
from sklearn_rank._tables._check_times import far_rows
from sklearn_rank._tables._columns import check_column
from sklearn_rank._tables._interaction_log import Log, read_log
from sklearn_rank._validation import check_integer, check_option, without_class
from sklearn_rank.model_selection._filter import kept_test_rows
from sklearn_rank.model_selection._keep_together import log_of_queries, queries_of_rows
from sklearn_rank.typing import Column, Integers, KeepOrDrop, Labels, Table, Times


@dataclass(eq=False, repr=False, kw_only=True)
class SplitterParameters:
    """The parameters that all splitters of a log share."""

    user: Column | None = None
    item: Column | None = None
    time: Column | None = None
    cold_users: KeepOrDrop = "keep"
    cold_items: KeepOrDrop = "keep"
    seen_items: KeepOrDrop = "keep"
    keep_together: Column | None = None


@without_class
class InteractionSplitter(SplitterParameters, BaseCrossValidator):
    """Splitter of a log by user, item and time; subclasses say which rows a fold holds.

    They give `_uses`, what they need of a row, and `_iter_folds(log)`, which yields the
    masks (train, test) of each fold.
    """

    __metadata_request__split: ClassVar[dict[str, bool]] = {
        "groups": True,
        "users": True,
        "items": True,
        "times": True,
    }

    n_splits: int
    _uses: tuple[str, ...] = ("users", "times")
    _least_splits = 1

    def __post_init__(self) -> None:
        for name in _FILTERS:
            check_option(name, getattr(self, name), ("keep", "drop"))
        if self.keep_together is not None:
            check_column("keep_together", self.keep_together)
        self.n_splits = check_integer("n_splits", self.n_splits, minimum=self._least_splits)

    @abstractmethod
    def _iter_folds(self, log: Log) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the masks (train, test) of the rows of each fold."""

    def split(
        self,
        X: Table | None,
        y: object = None,
        groups: Labels | None = None,
        users: Labels | None = None,
        items: Labels | None = None,
        times: Times | None = None,
    ) -> Iterator[tuple[Integers, Integers]]:
        """Yield the rows of train and test of each fold.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_rows, n_columns)
            The rows to split; its columns are read where the constructor names them.
            None where users, items and times are all passed.
        y : ignored
            Present for scikit-learn's sake.
        groups : array-like of shape (n_rows,), default=None
            Another name for `users`, as scikit-learn's tools pass it; `users` wins.
        users : array-like of shape (n_rows,), default=None
            User of each row, instead of a column of X.
        items : array-like of shape (n_rows,), default=None
            Item of each row, instead of a column of X. Read only for `cold_items` and
            `seen_items`.
        times : array-like of shape (n_rows,), default=None
            Time of each row, instead of a column of X: numbers, dates or datetimes.

        Yields
        ------
        train : ndarray of int
            Rows to fit on, ascending.
        test : ndarray of int
            Rows to score on, ascending.
        """
        log = read_log(
            X,
            {
                "users": groups if users is None else users,
                "items": items,
                "times": times,
            },
            {"users": self.user, "items": self.item, "times": self.time},
            needed=self._needed(),
            owner=type(self).__name__,
        )
        far = None if log.times is None else far_rows(log.times)
        if far is not None:
            text = (
                "Drop or correct them: a window at the end may have almost only these rows."
            )
            warn_misleading(f"{far.describe()} {text}")
        dropped = {name for name in _FILTERS if getattr(self, name) == "drop"}
        units, unit_of_row = self._units(X, log)
        for fold, parts in enumerate(self._iter_folds(units)):
            train, test = (part[unit_of_row] for part in parts)
            kept = kept_test_rows(log, train, test, dropped)
            if not kept.any():
                _raise_nothing_left(fold, int(np.count_nonzero(test)), dropped)
            yield np.flatnonzero(train), np.flatnonzero(kept)

    def get_n_splits(
        self, X: object = None, y: object = None, groups: object = None, **params: object
    ) -> int:
        """Return the number of folds.

        Parameters
        ----------
        X, y, groups : ignored
            Present for scikit-learn's sake.
        **params : ignored
            Metadata routed to `split`, which scikit-learn also passes here.

        Returns
        -------
        int
            Number of folds.
        """
        return self.n_splits

    def _units(self, X: Any, log: Log) -> tuple[Log, Any]:
        """Return a log of what is held out as a whole, rows or queries, and their place.

        The place is that of each row among the rows of the log.
        """
        if self.keep_together is None:
            return log, slice(None)
        queries = queries_of_rows(X, self.keep_together, name="keep_together")
        return log_of_queries(log, queries, uses=self._uses), queries.codes

    def _needed(self) -> set[str]:
        needed = set(self._uses)
        for name, columns in _FILTERS.items():
            if getattr(self, name) == "drop":
                needed.update(columns)
        return needed


_FILTERS = {
    "cold_users": ("users",),
    "cold_items": ("items",),
    "seen_items": ("users", "items"),
}


def _raise_nothing_left(fold: int, n_test: int, dropped: set[str]) -> None:
    options = " and ".join(f"{name}='drop'" for name in sorted(dropped))
    raise ValueError(
        f"With {options} none of the {n_test} test row(s) of fold {fold} is left; set one "
        "of them to 'keep', or give that fold more train rows (fewer splits, smaller test)."
    )
