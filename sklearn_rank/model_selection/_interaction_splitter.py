"""What all splitters share: where columns come from, filters, and whole queries."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from sklearn_rank._base._distinct_labels import slots_of_rows
from sklearn_rank._base._labels import encode_labels
from sklearn_rank._base._messages import warn_misleading
from sklearn_rank._base._runs import begins_run, empty_keys, pack_keys, width_of
from sklearn_rank._base._sklearn import BaseCrossValidator
from sklearn_rank._base._validation import check_integer, check_option, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._coded_labels import CodedLabels
from sklearn_rank.inputs._columns import check_column, take_column
from sklearn_rank.inputs._interaction_log import Log, read_log, table_of
from sklearn_rank.inputs._times import find_far_rows
from sklearn_rank.typing import (
    Column,
    Integers,
    KeepDropOrOnly,
    KeepOrDrop,
    Labels,
    Table,
    Times,
)

# Filters of test rows: users and items that train knows, and new pairs.


def kept_test_rows(
    log: Log, train: np.ndarray, test: np.ndarray, filters: Mapping[str, str]
) -> np.ndarray:
    """Return the mask `test` without the rows that the filters take out.

    `filters` has "drop" or "only" of those that take some out.
    """
    kept = test.copy()
    for name, labels in (("cold_users", log.users), ("cold_items", log.items)):
        if name in filters and labels is not None:
            is_known = labels.present(train)[labels.codes]
            kept &= is_known if filters[name] == "drop" else ~is_known
    if "seen_items" in filters and kept.any():
        kept[repeated_pairs(log, train, kept)] = False
    return kept


def repeated_pairs(log: Log, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Return the rows of test whose user and item occur together in train."""
    rows = np.flatnonzero(test)
    tested = _pair_keys(log, rows)
    wanted = np.sort(tested)
    is_seen = np.zeros(len(wanted), dtype=bool)
    # Most pairs of train fall in a slot without test pairs, and need no search.
    slot_bits = (8 * len(wanted)).bit_length()
    is_possible = np.zeros(1 << slot_bits, dtype=bool)
    is_possible[slots_of_rows([wanted], slot_bits)] = True
    # In portions, so that no array as long as train is needed beside the log.
    for part in np.array_split(np.flatnonzero(train), 1 + len(train) // 1_000_000):
        pairs = _pair_keys(log, part)
        pairs = np.sort(pairs[is_possible[slots_of_rows([pairs], slot_bits)]])
        index = np.minimum(np.searchsorted(wanted, pairs), len(wanted) - 1)
        is_seen[index[wanted[index] == pairs]] = True
    return rows[is_seen[np.searchsorted(wanted, tested)]]


def _pair_keys(log: Log, rows: np.ndarray) -> np.ndarray:
    """Return a key for the user and the item of each row."""
    widths = width_of(len(log.users.values)), width_of(len(log.items.values))
    codes = log.users.codes[rows], log.items.codes[rows]
    return pack_keys(codes, widths, empty_keys(len(rows), widths))


# Whole queries as the units that a splitter holds out, in place of rows.


def read_queries(X: Any, column: Any, *, name: str) -> CodedLabels:
    """Return the query of each row, from a column of X."""
    if X is None:
        raise ValueError(
            f"`{name}={shorten(column)}` names a column of X, but X is None; pass X."
        )
    table, _ = table_of(X, None)
    return CodedLabels(*encode_labels(take_column(table, column, name=name), name=name))


def log_of_queries(log: Log, queries: CodedLabels, *, uses: Collection[str]) -> Log:
    """Return the log with one row per query: its user, item and time of the last row.

    So a query is in train only if it had ended before the test began. Of users and items,
    those that the splitter uses must be one for all rows of a query.
    """
    n_queries, times = len(queries.values), log.times
    if times is not None:
        order = np.lexsort((times.values, queries.codes))
        is_last = begins_run(queries.codes[order][::-1])[::-1]
        times = replace(times, values=times.values[order[is_last]])
    labels: dict[str, Any] = {
        name: _labels_of_queries(getattr(log, name), queries, name, is_used=name in uses)
        for name in ("users", "items")
        if getattr(log, name) is not None
    }
    return Log(n_queries, **labels, times=times)


def _labels_of_queries(
    labels: CodedLabels, queries: CodedLabels, name: str, *, is_used: bool
) -> CodedLabels:
    of_query = np.empty(len(queries.values), dtype=labels.codes.dtype)
    of_query[queries.codes] = labels.codes
    differs = of_query[queries.codes] != labels.codes
    if is_used and differs.any():
        (query,) = queries.values[queries.codes[[np.argmax(differs)]]].tolist()
        raise ValueError(
            f"Query {query!r} of `keep_together` has rows of several {name}, so it cannot "
            "be held out with one of them; give a column whose queries are of one "
            f"{name.removesuffix('s')} each."
        )
    return replace(labels, codes=of_query)


def count_cut_queries(queries: CodedLabels, train: np.ndarray, test: np.ndarray) -> int:
    """Return how many queries have rows in train and in test."""
    return int(np.count_nonzero(queries.present(train) & queries.present(test)))


@dataclass(eq=False, repr=False, kw_only=True)
class SplitterParameters:
    """The parameters that all splitters of a log share."""

    user: Column | None = None
    item: Column | None = None
    time: Column | None = None
    cold_users: KeepDropOrOnly = "keep"
    cold_items: KeepDropOrOnly = "keep"
    seen_items: KeepOrDrop = "keep"
    keep_together: Column | None = None


@explained
class InteractionSplitter(SplitterParameters, BaseCrossValidator):
    """Splitter of a log by user, item and time; subclasses say which rows a fold holds.

    They give `_uses`, what they need of a row, and `_iter_folds(log)`, which yields the
    masks (train, test) of each fold.
    """

    __metadata_request__split: ClassVar[dict[str, bool]] = dict.fromkeys(
        ("groups", "users", "items", "times"), True
    )

    n_splits: int
    _uses: tuple[str, ...] = ("users", "times")
    _least_splits = 1

    def __post_init__(self) -> None:
        for name in _FILTERS:
            options = ("keep", "drop") if name == "seen_items" else ("keep", "drop", "only")
            check_option(name, getattr(self, name), options)
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
            {"users": groups if users is None else users, "items": items, "times": times},
            {"users": self.user, "items": self.item, "times": self.time},
            needed=self._needed(),
            owner=type(self).__name__,
        )
        far = None if log.times is None else find_far_rows(log.times)
        if far is not None:
            text = (
                "Drop or correct them: a window at the end may have almost only these rows."
            )
            warn_misleading(f"{far.describe()} {text}")
        filters = self._filters()
        units, unit_of_row = self._find_units(X, log)
        for fold, parts in enumerate(self._iter_folds(units)):
            train, test = (part[unit_of_row] for part in parts)
            kept = kept_test_rows(log, train, test, filters)
            if not kept.any():
                _raise_nothing_left(fold, int(np.count_nonzero(test)), filters)
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

    def _find_units(self, X: Any, log: Log) -> tuple[Log, Any]:
        """Return a log of what is held out as a whole, rows or queries, and their place.

        The place is that of each row among the rows of the log.
        """
        if self.keep_together is None:
            return log, slice(None)
        queries = read_queries(X, self.keep_together, name="keep_together")
        return log_of_queries(log, queries, uses=self._uses), queries.codes

    def _needed(self) -> set[str]:
        return {*self._uses, *(role for name in self._filters() for role in _FILTERS[name])}

    def _filters(self) -> dict[str, str]:
        """Return those that take rows out, and whether by "drop" or "only"."""
        values = {name: getattr(self, name) for name in _FILTERS}
        return {name: value for name, value in values.items() if value != "keep"}


_FILTERS = {
    "cold_users": ("users",),
    "cold_items": ("items",),
    "seen_items": ("users", "items"),
}


def _raise_nothing_left(fold: int, n_test: int, filters: dict[str, str]) -> None:
    options = " and ".join(f"{name}={filters[name]!r}" for name in sorted(filters))
    raise ValueError(
        f"With {options} none of the {n_test} test row(s) of fold {fold} is left; set one "
        "of them to 'keep', or give that fold more train rows (fewer splits, smaller test)."
    )
