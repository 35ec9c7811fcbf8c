"""New rows and dislikes for a fitted recommender."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rank._base._known_ids import known_ids, read_ids
from sklearn_rank._base._labels import as_list
from sklearn_rank.inputs._interaction_log import CodedLabels, Log, PairOrder
from sklearn_rank.inputs._last_times import renewed
from sklearn_rank.inputs._times import read_times
from sklearn_rank.recommenders._histories import decay_weights
from sklearn_rank.recommenders._log_weights import (
    age_rows,
    count_rows,
    put_in_order,
    times_of,
)
from sklearn_rank.recommenders._pair_weights import as_weights
from sklearn_rank.recommenders._pairs import Pairs
from sklearn_rank.recommenders._read_pairs import read_dislikes, read_pairs


def add_rows(model: Any, X: Any, y: Any) -> np.ndarray:
    """Add rows; return the items of ignored rows."""
    users, items = read_pairs(model, X, reset=False)
    weights, times = as_weights(y, len(X)), times_of(model, X)
    codes = known_ids(model, "items_").find(items, name="item")
    is_known = codes >= 0
    ignored = items[~is_known]
    if not is_known.any():
        return ignored
    users, ids = users[is_known], known_ids(model, "users_")
    positions = ids.find(users, name="user")
    model.users_, former, users = ids.with_new(users, positions)
    rows = users, codes[is_known], weights[is_known]
    if model._last_times is not None:
        of_rows = is_known, users, len(model.users_)
        model._last_times = renewed(model._last_times, X, former, *of_rows)
    if times is not None:
        times = replace(times, values=times.values[is_known])
    _add_counts(model, former, rows, times)
    if times is not None and model._needs_order():
        before = model.history_
        earlier = replace(read_times(before.times), zone=times.zone)
        events = former[before.users], before.items, before.weights
        users, items, weights = _append_columns(events, rows)
        sides = CodedLabels(model.users_, users), CodedLabels(model.items_, items)
        log = Log(len(users), users=sides[0], items=sides[1], y=weights)
        put_in_order(model, log, earlier.joined(times))
    model._prepare_lists()
    model.update_users(former, np.unique(users))
    model._prepare_scores()
    if model.new_users_ is not None:
        model.new_users_ = copy(model.new_users_)
        model.new_users_._add(X, y)
    return ignored


def _add_counts(model: Any, former: np.ndarray, rows: tuple, times: Any) -> None:
    decay, factor = age_rows(model, times)
    pairs, counts, newest = Pairs.from_matrix(model._counted), model._counted.data, None
    if decay is not None:
        rows = *rows[:2], rows[2] * decay
        counts = decay_weights(counts, factor)
        newest = np.append(decay_weights(model._newest, factor), decay)
    former_rows = former[pairs.row], pairs.item, counts
    users, items, counts = _append_columns(former_rows, rows)
    shape = len(model.users_), len(model.items_)
    count_rows(model, PairOrder.from_codes(users, items, shape), counts, newest)


def add_dislikes(model: Any, dislikes: Any) -> None:
    users, items = read_dislikes(model, dislikes)
    known_ids(model, "users_").find(users, name="users in dislikes")
    known_ids(model, "items_").find(items, name="items in dislikes")
    of_user = dict(model.dislikes_)
    for user, item in zip(as_list(users), as_list(items), strict=True):
        of_user[user] = (*of_user.get(user, ()), item)
    model.dislikes_ = of_user


def find_dislikes(model: Any, users: Any) -> dict[Any, tuple]:
    if not model.dislikes_:
        return {}
    asked = as_list(read_ids(users, name="users"))
    return {user: model.dislikes_[user] for user in asked if user in model.dislikes_}


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
