"""Ranks of pairs in lists of all items, counted without making the lists."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._base._runs import starts_of
from sklearn_rank.recommenders._list_maker import ListMaker, Scoring
from sklearn_rank.recommenders._most_popular import PopularityOrder
from sklearn_rank.recommenders._pairs import Pairs


class RankCounter(ListMaker):
    """Count how many items are above those of `pairs` in the list of each row.

    `above` is -1 where an item is not in the list, `n_listed` the length of each list. The
    rows of `pairs` ascend.
    """

    def __init__(
        self,
        pairs: Pairs,
        popularity: np.ndarray,
        order: PopularityOrder,
        seen: Callable[[np.ndarray], Pairs] | None,
    ) -> None:
        super().__init__(pairs.n_rows, 1, popularity, order, seen)
        self.items, self.starts = pairs.item, starts_of(pairs.n_per_row)
        self.above = np.full(len(pairs.row), -1)
        self.n_listed = np.full(pairs.n_rows, len(order.items))

    def fill_by_order(self, rows: np.ndarray, order: PopularityOrder) -> None:
        """Count in lists of all items in this order."""
        is_row = np.zeros(len(self.n_listed), dtype=bool)
        is_row[rows] = True
        is_pair = is_row.repeat(np.diff(self.starts))
        self.above[is_pair] = order.rank[self.items[is_pair]]

    def _fill_chunk(self, chunk: np.ndarray, scoring: Scoring) -> int:
        """Count in the lists of some rows, and return the bytes of their scores."""
        hidden = self._hidden(chunk)
        visible = self._visible_scores(chunk, scoring, hidden)
        self.n_listed[chunk] -= hidden.n_per_row
        for row, values in zip(chunk.tolist(), visible, strict=True):
            part = slice(self.starts[row], self.starts[row + 1])
            self.above[part] = _count_above(values, self.items[part], self.order.rank)
        return visible.nbytes

    def _visible_scores(
        self, chunk: np.ndarray, scoring: Scoring, hidden: Pairs
    ) -> np.ndarray:
        unseen = self._score_unseen(chunk, scoring)
        if unseen is not None:
            return unseen.toarray()
        scores: Any = scoring.exactly(chunk)
        visible = scores.toarray() if sparse.issparse(scores) else scores.copy()
        visible[hidden.row, hidden.item] = -np.inf
        return visible


def _count_above(values: np.ndarray, items: np.ndarray, tie_rank: np.ndarray) -> np.ndarray:
    """Return how many values are above those of some items, -1 for items at -inf.

    Of equal values those of a smaller `tie_rank` are above.
    """
    score, rank = values[items][:, None], tie_rank[items][:, None]
    is_above = (values == score) & (tie_rank < rank)
    is_above |= values > score
    # Of bytes, for NumPy adds these faster than it counts truths by row.
    above = is_above.view(np.int8).sum(axis=1, dtype=np.int32)
    return np.where(np.isneginf(score[:, 0]), -1, above)
