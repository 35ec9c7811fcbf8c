"""ItemKFold: hold out whole items, which train does not know."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sklearn_rank.inputs._interaction_log import Log
from sklearn_rank.model_selection._interaction_splitter import InteractionSplitter


@dataclass(eq=False, repr=False)
class ItemKFold(InteractionSplitter):
    """Folds of items: each item is held out once, with all of its rows."""

    _uses = ("items",)  # columns that it reads: users, items, times

    n_splits: int = 5

    def _iter_folds(self, log: Log) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for fold in range(self.n_splits):
            is_held_out = log.items.codes % self.n_splits == fold
            yield ~is_held_out, is_held_out
