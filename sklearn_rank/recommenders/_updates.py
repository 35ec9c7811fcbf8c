"""New rows and dislikes for a fitted recommender."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rank._base._ids import KnownIds, read_ids
from sklearn_rank._base._labels import as_list
from sklearn_rank.inputs._coded_labels import CodedLabels, PairOrder
from sklearn_rank.inputs._interaction_log import Log
from sklearn_rank.inputs._last_times import update_last_times
from sklearn_rank.inputs._times import read_times
from sklearn_rank.recommenders._fitted import Fitted, Weights
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
    fitted = model._fitted
    users, items = read_pairs(model, X)
    weights, times = as_weights(y, len(X)), times_of(model, X)
    codes = fitted.items.find(items, name="item")
    is_known = codes >= 0
    ignored = items[~is_known]
    if not is_known.any():
        return ignored
    users = users[is_known]
    positions = fitted.users.find(users, name="user")
    ids, former, users = fitted.users.add_new(users, positions)
    rows = users, codes[is_known], weights[is_known]
    last = fitted.last_times
    if last is not None:
        last = update_last_times(last, X, former, is_known, users, len(ids.labels))
    if times is not None:
        times = replace(times, values=times.values[is_known])
    decay, factor, past = age_rows(model, times, fitted.past)
    counted = _add_counts(model, ids, former, rows, decay, factor)
    histories = counted.interactions
    changes = {"weights": counted, "histories": histories, "past": past}
    model._fitted = replace(fitted, users=ids, last_times=last, **changes)
    if times is not None and model._needs_order():
        before = fitted.history
        earlier = replace(read_times(before.times), zone=times.zone)
        events = former[before.users], before.items, before.weights
        users, items, weights = _append_columns(events, rows)
        sides = CodedLabels(ids.labels, users), CodedLabels(model.items_, items)
        log = Log(len(users), users=sides[0], items=sides[1], y=weights)
        put_in_order(model, log, earlier.joined(times))
    model.update_users(former, np.unique(users))
    model._prepare_scores()
    if fitted.new_users is not None:
        newcomers = copy(fitted.new_users)
        newcomers._add(X, y)
        model._fitted = replace(model._fitted, new_users=newcomers)
    return ignored


def _add_counts(
    model: Any, ids: KnownIds, former: np.ndarray, rows: tuple, decay: Any, factor: float
) -> Weights:
    before = model._fitted.weights
    pairs, counts, newest = Pairs.from_matrix(before.counted), before.counted.data, None
    if decay is not None:
        rows = *rows[:2], rows[2] * decay
        counts = decay_weights(counts, factor)
        newest = np.append(decay_weights(before.newest, factor), decay)
    former_rows = former[pairs.row], pairs.item, counts
    users, items, counts = _append_columns(former_rows, rows)
    shape = len(ids.labels), len(model.items_)
    return count_rows(model, PairOrder.from_codes(users, items, shape), counts, newest)


def add_dislikes(model: Any, dislikes: Any) -> None:
    fitted = model._fitted
    users, items = read_dislikes(model, dislikes)
    fitted.users.find(users, name="users in dislikes")
    fitted.items.find(items, name="items in dislikes")
    of_user = dict(fitted.dislikes)
    for user, item in zip(as_list(users), as_list(items), strict=True):
        of_user[user] = (*of_user.get(user, ()), item)
    model._fitted = replace(fitted, dislikes=of_user)


def find_dislikes(fitted: Fitted, users: Any) -> dict[Any, tuple]:
    dislikes = fitted.dislikes
    if not dislikes:
        return {}
    asked = as_list(read_ids(users, name="users"))
    return {user: dislikes[user] for user in asked if user in dislikes}


def _append_columns(first: tuple, second: tuple) -> list[np.ndarray]:
    return [np.append(*columns) for columns in zip(first, second, strict=True)]


def move_rows(matrix: np.ndarray, positions: np.ndarray, n_rows: int) -> np.ndarray:
    """Move the rows of a matrix; other rows are 0."""
    moved = np.zeros((n_rows, *matrix.shape[1:]), dtype=matrix.dtype)
    moved[positions] = matrix
    return moved
