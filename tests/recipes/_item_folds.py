"""ItemKFold: hold out whole items, which train does not know."""

from collections.abc import Iterator

import numpy as np

from sklearn_rank._tables._interaction_log import Log
from sklearn_rank._validation import check_integer
from sklearn_rank.model_selection._interaction_splitter import InteractionSplitter


class ItemKFold(InteractionSplitter):
    """Folds of items: each item is held out once, with all of its rows."""

    _uses = ("items",)  # columns that it reads: users, items, times

    def __init__(
        self,
        n_splits=5,
        *,
        user=None,
        item=None,
        time=None,
        cold_users="keep",
        cold_items="keep",
        seen_items="keep",
    ):
        super().__init__(
            user=user,
            item=item,
            time=time,
            cold_users=cold_users,
            cold_items=cold_items,
            seen_items=seen_items,
        )
        self.n_splits = check_integer("n_splits", n_splits)

    def _iter_folds(self, log: Log) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for fold in range(self.n_splits):
            is_held_out = log.items.codes % self.n_splits == fold
            yield ~is_held_out, is_held_out
