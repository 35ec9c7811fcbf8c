"""What a recommender knows once it is fitted: one record, replaced as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._base._ids import KnownIds
from sklearn_rank.inputs._interaction_log import LogColumns
from sklearn_rank.inputs._last_times import LastTimes
from sklearn_rank.inputs._times import Times
from sklearn_rank.recommenders._histories import OrderedHistories
from sklearn_rank.recommenders._pairs import Popularity


@dataclass(frozen=True, eq=False)
class Weights:
    """What each pair of user and item counts; matrices users × items."""

    interactions: sparse.csr_array
    seen: sparse.csr_array  # also pairs of weight 0
    popularity: Popularity
    counted: sparse.csr_array  # sums, to which an update adds
    newest: np.ndarray | None = None  # of each pair, the weight of its newest row by age


@dataclass(frozen=True, eq=False)
class Fitted:
    """What `fit` and updates read from logs, beside what the model learns."""

    users: KnownIds
    items: KnownIds
    columns: LogColumns
    weights: Weights
    histories: sparse.csr_array
    history: OrderedHistories | None = None
    past: Times | None = None  # some times of the rows; the reference time is the last
    last_times: LastTimes | None = None  # of each user, where X has times
    new_users: Any = None
    dislikes: Mapping[Any, tuple] = field(default_factory=dict)
    n_updates: int = 0

    def without_users(self) -> Fitted:
        """Return what is known of items."""
        weights = self.weights
        users, histories = KnownIds(self.users.labels[:0]), self.histories[:0]
        newest = None if weights.newest is None else weights.newest[:0]
        matrices = weights.interactions[:0], weights.seen[:0]
        weights = Weights(*matrices, weights.popularity, matrices[0], newest)
        left = replace(self, users=users, weights=weights, histories=histories)
        return replace(left, history=None, last_times=None, dislikes={})


def learned(path: str) -> Any:
    """Return an attribute of recommenders that their fitted record holds."""
    read = attrgetter(path)

    def get(model: Any) -> Any:
        if "_fitted" not in vars(model):
            raise AttributeError(f"{type(model).__name__} is not fitted; call `fit` first.")
        return read(model._fitted)

    return property(get, doc="What `fit` and updates read from logs; read-only.")
