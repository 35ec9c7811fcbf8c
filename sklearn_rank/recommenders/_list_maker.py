"""Lists of recommendations, made for chunks of users in turn, and ranks in them."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._base._machine import require_memory
from sklearn_rank._base._runs import rows_per_chunk, starts_of
from sklearn_rank._base._threads import run_in_threads, threads_for
from sklearn_rank.recommenders._candidates import (
    Candidates,
    best_proposals,
    check_proposals,
)
from sklearn_rank.recommenders._item_products import UnseenScores
from sklearn_rank.recommenders._pairs import Pairs, PopularityOrder, fill_up, most_popular
from sklearn_rank.recommenders._top_k import (
    has_buckets,
    pair_scorer,
    top_k_of_pairs,
    top_k_of_scores,
    top_k_unseen,
)

# From this many bytes on, the free memory is checked.
_LARGE_BYTES = 2**28
# The work on a chunk needs a few times the memory of its stored entries.
_STORED_WORK_FACTOR = 4
# Chunks of a thread after which the size of chunks can change.
_CHUNKS_PER_THREAD = 16
# A multiplication takes as long as the work on so many bytes of scores, about.
_BYTES_PER_PRODUCT = 8
# Cells (users × items) of a chunk for which a recommender proposes lists.
_PROPOSED_CELLS = 2**23

ScoreRows = Callable[[np.ndarray], Any]
SeenOfRows = Callable[[np.ndarray], Pairs]
ItemsAndScores = tuple[np.ndarray, np.ndarray]  # items and scores of lists
Proposer = Callable[[np.ndarray, int, sparse.csr_array], ItemsAndScores]


@dataclass(frozen=True, eq=False)
class Scoring:
    """Functions that score all items for some rows; if one returns None, `exactly` is used.

    `exactly` returns a dense array or a CSR array, `approximately` returns
    `ApproximateScores`, and `unseen` returns `UnseenScores`.
    """

    exactly: ScoreRows
    approximately: ScoreRows | None = None
    unseen: ScoreRows | None = None
    is_threaded: bool = False  # whether several chunks can be scored at the same time


@dataclass(eq=False)
class ListMaker:
    """Find the best items of users from their scores, or those that are most popular.

    The best items of a chunk of users come from dense scores, approximate scores, stored
    scores of a sparse matrix, scores of unseen items, or the list of popular items. Or the
    recommender proposes lists itself.
    """

    n_users: int
    k: int
    popularity: np.ndarray
    order: PopularityOrder
    seen: SeenOfRows | None  # what rows may not get, None for nothing
    candidates: Candidates = field(default_factory=Candidates)

    def __post_init__(self) -> None:
        _require_memory(self.n_users, self.k)
        self.columns = np.empty((self.n_users, self.k), dtype=np.intp)
        self.best = np.empty((self.n_users, self.k))

    def fill_by_score(self, rows: np.ndarray, scoring: Scoring) -> None:
        """Make the lists of `rows` from their scores for all items."""
        size, n_threads = rows_per_chunk(8 * len(self.popularity)), 1
        fill = partial(self._fill_chunk, scoring=scoring)
        while len(rows):
            n_rows = size * (1 if n_threads == 1 else _CHUNKS_PER_THREAD * n_threads)
            block, rows = rows[:n_rows], rows[n_rows:]
            chunks = [block[first : first + size] for first in range(0, len(block), size)]
            bytes_a_row = sum(run_in_threads(fill, chunks, n_threads)) / len(block)
            size = rows_per_chunk(bytes_a_row)
            if scoring.is_threaded:
                n_threads = threads_for(bytes_a_row * len(rows) / _BYTES_PER_PRODUCT)

    def _fill_chunk(self, chunk: np.ndarray, scoring: Scoring) -> int:
        """Make the lists of some rows, and return the bytes of their scores."""
        scores = self._score_unseen(chunk, scoring)
        if scores is not None:
            seen: Any = self.seen
            best = top_k_unseen(scores, self.k, self.order, lambda rows: seen(chunk[rows]))
        else:
            hidden = self._hidden(chunk)
            scores = self._score(chunk, scoring, hidden)
            best = self._best(chunk, scores, hidden)
        self._write(chunk, *best)
        return _count_bytes(scores)

    def with_order(self, popularity: np.ndarray, order: PopularityOrder) -> "ListMaker":
        """Return a maker of the same lists for users who have seen nothing."""
        maker = copy(self)
        maker.popularity, maker.order, maker.seen = popularity, order, None
        return maker

    def fill_by_popularity(self, rows: np.ndarray) -> None:
        """Make the lists of `rows` of the most popular items."""
        n_cells = max(self.k, 64)
        if self.candidates.offered is not None or self.candidates.excluded:
            n_cells = len(self.popularity)
        size = rows_per_chunk(_STORED_WORK_FACTOR * 8 * n_cells)
        for first in range(0, len(rows), size):
            chunk = rows[first : first + size]
            hidden = self._hidden(chunk)
            if self.candidates.offered is not None:
                best = self._best_offered(
                    chunk, hidden, lambda pairs: self.popularity[pairs.item]
                )
            else:
                items = most_popular(self.order, self.k, hidden)
                best = items, np.where(items >= 0, self.popularity[items], -np.inf)
            self._write(chunk, *best)

    def fill_by_proposal(self, rows: np.ndarray, propose: Proposer, owner: Any) -> None:
        """Make the lists of `rows` from proposals of a recommender."""
        n_items = len(self.popularity)
        size = max(1, _PROPOSED_CELLS // n_items)
        for first in range(0, len(rows), size):
            chunk = rows[first : first + size]
            hidden = self._hidden_or_not_offered(chunk)
            best = propose(chunk, self.k, hidden.as_matrix(n_items))
            items, scores = check_proposals(owner, best, len(chunk), n_items)
            items, scores = best_proposals(items, scores, self.k, hidden, n_items)
            fill_up(items, self.order, hidden)
            self._write(chunk, items, scores)

    @property
    def _has_all_items(self) -> bool:
        return self.order.has_all_items and self.candidates.offered is None

    def _score_unseen(self, rows: np.ndarray, scoring: Scoring) -> UnseenScores | None:
        hides_seen_alone = self.seen is not None and not self.candidates.excluded
        if not (scoring.unseen and hides_seen_alone and self._has_all_items):
            return None
        return scoring.unseen(rows)

    def _score(self, rows: np.ndarray, scoring: Scoring, hidden: Pairs) -> Any:
        has_few_hidden = has_buckets(len(self.popularity), self.k, hidden)
        if scoring.approximately and self._has_all_items and has_few_hidden:
            return scoring.approximately(rows)
        return scoring.exactly(rows)

    def _best(self, rows: np.ndarray, scores: Any, hidden: Pairs) -> ItemsAndScores:
        if self.candidates.offered is not None:
            return self._best_offered(rows, hidden, pair_scorer(scores))
        return top_k_of_scores(scores, self.k, self.order, hidden)

    def _write(self, rows: np.ndarray, items: np.ndarray, best: np.ndarray) -> None:
        if self.candidates.excluded:  # shown only if nothing else is left
            fill_up(items, self.order, Pairs.union(self._excluded(rows), len(rows)))
        fill_up(items, self.order)
        self.columns[rows], self.best[rows] = items, best

    def _hidden(self, rows: np.ndarray) -> Pairs:
        seen = [] if self.seen is None else [self.seen(rows)]
        return Pairs.union([*seen, *self._excluded(rows)], len(rows))

    def _excluded(self, rows: np.ndarray) -> list[Pairs]:
        return [excluded.take(rows) for excluded in self.candidates.excluded]

    def _hidden_or_not_offered(self, rows: np.ndarray) -> Pairs:
        hidden = self._hidden(rows)
        if self._has_all_items:
            return hidden
        may_be_shown = np.zeros((len(rows), len(self.popularity)), dtype=bool)
        if self.candidates.offered is None:
            may_be_shown[:, self.order.items] = True
        else:
            offered = self.candidates.offered.take(rows)
            may_be_shown[offered.row, offered.item] = self.order.contains(offered.item)
        may_be_shown[hidden.row, hidden.item] = False
        row, item = np.nonzero(~may_be_shown)
        return Pairs(row, item, len(rows))

    def _best_offered(
        self, rows: np.ndarray, hidden: Pairs, score: Callable[[Pairs], np.ndarray]
    ) -> ItemsAndScores:
        """Return the best of the candidates of each row."""
        assert self.candidates.offered is not None
        offered = self.candidates.offered.take(rows)
        stays = ~hidden.contains(offered.row, offered.item, len(self.popularity))
        stays &= self.order.contains(offered.item)
        pairs = Pairs(offered.row[stays], offered.item[stays], len(rows))
        return top_k_of_pairs(pairs, score(pairs), self.k, self.order)


def check_model_scores(recommender: Any, scores: Any, shape: tuple[int, int]) -> Any:
    """Return scores as an array or a CSR array of floats; raise unless all are finite."""
    name = type(recommender).__name__
    scores = scores.tocsr() if sparse.issparse(scores) else np.asarray(scores)
    if scores.shape != shape:
        raise ValueError(
            f"{name} must return one row of scores per user and one column per item, "
            f"shape {shape}, got {scores.shape}."
        )
    if scores.dtype not in (np.float32, np.float64):
        scores = scores.astype(np.float64)
    values = scores.data if sparse.issparse(scores) else scores
    # The sum is finite unless a score is not, or the sum overflows.
    if not np.isfinite(values.sum()) and not np.isfinite(values).all():
        raise ValueError(f"{name} returned scores that are not finite.")
    return scores


def _count_bytes(scores: Any) -> int:
    if sparse.issparse(scores):
        return _STORED_WORK_FACTOR * (scores.data.nbytes + scores.indices.nbytes)
    return scores.nbytes * (_STORED_WORK_FACTOR if isinstance(scores, UnseenScores) else 1)


def _require_memory(n_users: int, k: int) -> None:
    n_bytes = 16 * n_users * k  # an item and a score
    if n_bytes > _LARGE_BYTES:
        require_memory(
            n_bytes,
            f"Recommending {k:,} items to {n_users:,} users",
            "Lower `k`, or pass a part of the users at a time.",
        )


# Ranks of pairs in lists of all items, counted without making the lists.


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
