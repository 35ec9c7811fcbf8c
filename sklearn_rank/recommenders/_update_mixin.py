"""`update`: new rows and dislikes for a fitted recommender."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sklearn_rank._base._known_ids import known_ids, read_ids
from sklearn_rank._base._labels import as_list
from sklearn_rank._base._messages import warn_caller
from sklearn_rank._base._validation import shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._interaction_log import CodedLabels, Log, PairOrder, table_of
from sklearn_rank.inputs._times import read_times
from sklearn_rank.recommenders._log_parameters import decay_weights
from sklearn_rank.recommenders._pair_weights import as_weights
from sklearn_rank.recommenders._pairs import Pairs
from sklearn_rank.recommenders._read_pairs import read_dislikes, read_pairs
from sklearn_rank.typing import ArrayLike, Table


@explained
class UpdateMixin:
    """Adds `update` to a recommender."""

    def update(
        self,
        X: Table | None = None,
        y: ArrayLike | None = None,
        *,
        dislikes: Table | None = None,
    ) -> Self:
        """Add rows and dislikes without fitting again.

        New rows change what users have, the weights of their histories, what is popular,
        and the order of rows in time: all of it is as after `fit` with all rows. What the
        model knows of items stays as `fit` left it, and grows stale; fit again from time
        to time. Users who are new join.

        All of it is replaced at once. Threads that make lists meanwhile serve what there
        was before or what there is now, and nothing between; only one thread may update.

        Parameters
        ----------
        X : DataFrame, ndarray or list of rows, shape (n_interactions, n_columns), \
default=None
            Interactions since `fit`, or since the last update, in the columns that `fit`
            was given. Rows whose item `fit` has not seen are ignored, with a warning.
        y : array-like of shape (n_interactions,), default=None
            Weight of each interaction, as in `fit`.
        dislikes : DataFrame, ndarray or list of rows, shape (n_pairs, 2), default=None
            Users and items that they do not want to see. `recommend` and `rank` show them
            to these users no more, also with ``exclude_seen=False``; nothing else changes.
            Users may be unknown; items that `fit` has not seen are never shown anyway.
            `fit` forgets dislikes.

        Returns
        -------
        self : object
            The recommender.

        Raises
        ------
        ValueError
            If an id is missing, or X, y or their times would be refused by `fit`.
        TypeError
            If there is nothing to add, an id is of a type that none of those in `fit` can
            equal, or times are of another kind than in `fit`.
        NotImplementedError
            If the model keeps something of each user that cannot be found without
            fitting, as BPR of `implicit` does.
        """
        check_is_fitted(self)
        X, y = table_of(X, y)
        if X is None and (dislikes is None or y is not None):
            raise TypeError("`update` needs `X`, rows to add, or `dislikes`.")
        updated: Any = copy(self)
        rows: Any = X
        ignored: Any = () if X is None else updated._add(X, y)
        updated.n_updates_ += X is not None
        if dislikes is not None:
            updated._add_dislikes(dislikes)
        if len(ignored):
            warn_caller(
                f"{len(ignored):,} of {len(rows):,} row(s) have items that `fit` has not "
                f"seen, such as {shorten(ignored.tolist()[0])}: they are ignored. Fit "
                "again to recommend these items."
            )
        self.__dict__ = updated.__dict__
        return self

    def _add(self: Any, X: Any, y: Any) -> np.ndarray:
        """Add rows; return the items of ignored rows."""
        users, items = read_pairs(self, X, reset=False)
        weights, times = as_weights(y, len(X)), self._read_times(X)
        codes = known_ids(self, "items_").find(items, name="item")
        is_known = codes >= 0
        ignored = items[~is_known]
        if not is_known.any():
            return ignored
        users, known = users[is_known], known_ids(self, "users_")
        positions = known.find(users, name="user")
        self.users_, former, users = known.with_new(users, positions)
        rows = users, codes[is_known], weights[is_known]
        if times is not None:
            times = replace(times, values=times.values[is_known])
        self._add_counts(former, rows, times)
        if times is not None and self._needs_order():
            before = self.history_
            earlier = replace(read_times(before.times), zone=times.zone)
            events = former[before.users], before.items, before.weights
            users, items, weights = _append_columns(events, rows)
            sides = CodedLabels(self.users_, users), CodedLabels(self.items_, items)
            log = Log(len(users), users=sides[0], items=sides[1], y=weights)
            self._put_in_order(log, earlier.joined(times))
        self._prepare_lists()
        self.update_users(former, np.unique(users))
        self._prepare_scores()
        if self.new_users_ is not None:
            self.new_users_ = copy(self.new_users_)
            self.new_users_._add(X, y)
        return ignored

    def _add_counts(self: Any, former: np.ndarray, rows: tuple, times: Any) -> None:
        decay, factor = self._decay(times)
        pairs, counts, newest = Pairs.from_matrix(self._counted), self._counted.data, None
        if decay is not None:
            rows = *rows[:2], rows[2] * decay
            counts = decay_weights(counts, factor)
            newest = np.append(decay_weights(self._newest, factor), decay)
        former_rows = former[pairs.row], pairs.item, counts
        users, items, counts = _append_columns(former_rows, rows)
        shape = len(self.users_), len(self.items_)
        self._count(PairOrder.from_codes(users, items, shape), counts, newest)

    def _add_dislikes(self: Any, dislikes: Any) -> None:
        users, items = read_dislikes(self, dislikes)
        known_ids(self, "users_").find(users, name="users in dislikes")
        known_ids(self, "items_").find(items, name="items in dislikes")
        found = dict(self.dislikes_)
        for user, item in zip(as_list(users), as_list(items), strict=True):
            found[user] = (*found.get(user, ()), item)
        self.dislikes_ = found

    def _find_dislikes(self: Any, users: Any) -> dict[Any, tuple]:
        if not self.dislikes_:
            return {}
        asked = as_list(read_ids(users, name="users"))
        return {user: self.dislikes_[user] for user in asked if user in self.dislikes_}


def _append_columns(first: tuple, second: tuple) -> list[np.ndarray]:
    return [np.append(*columns) for columns in zip(first, second, strict=True)]


def move_rows(matrix: np.ndarray, positions: np.ndarray, n_rows: int) -> np.ndarray:
    """Move the rows of a matrix; other rows are 0."""
    moved = np.zeros((n_rows, *matrix.shape[1:]), dtype=matrix.dtype)
    moved[positions] = matrix
    return moved


def take_snapshot(recommender: Any) -> Any:
    """Return a copy that updates by other threads do not change.

    Both share their attributes until an update replaces those of the first.
    """
    current = object.__new__(type(recommender))
    current.__dict__ = recommender.__dict__
    return current
