"""The k best columns of each row; a fixed order of the columns breaks ties."""

from collections.abc import Iterator

import numpy as np

from sklearn_rank._arrays._blocks import SCORE_BYTES
from sklearn_rank.recommenders._best_of_rows import (
    DENSE_CHUNK,
    best_pairs,
    reach_dense,
    top_k,
)
from sklearn_rank.recommenders._most_popular import PopularityOrder
from sklearn_rank.recommenders._pairs import Pairs
from sklearn_rank.recommenders._rough import RoughScores
from sklearn_rank.recommenders._top_k_of_row import top_k_of_row

# With fewer chunks than this per place of a list, the bound excludes too few scores.
_CHUNKS_A_PLACE = 4
# With more candidates than this per place of a list, a whole row is scored.
_CANDIDATES_A_PLACE = 16


def rows_that_fit(bytes_a_row: float) -> int:
    """Return the number of rows of a block of scores.

    A block is twice the size of the cache: products with few rows would read the factors
    of all items too often.
    """
    return max(1, int(2 * SCORE_BYTES // max(1, bytes_a_row)))


def batches(n_rows: int, n_columns: int) -> list[slice]:
    """Return slices over the rows, each a few megabytes of `n_columns` scores a row."""
    size = max(1, SCORE_BYTES // max(1, 8 * n_columns))
    return [slice(start, start + size) for start in range(0, n_rows, size)]


def blocks_of_users(
    users: np.ndarray, n_items: int
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield (users, rows, places): a block of users, its rows, and the user of each row."""
    order = np.argsort(users, kind="stable")
    distinct, first = np.unique(users[order], return_index=True)
    ends = np.append(first, len(users))
    for batch in batches(len(distinct), n_items):
        block = distinct[batch]
        rows = order[first[batch.start] : ends[batch.start + len(block)]]
        yield block, rows, np.searchsorted(block, users[rows])


def top_k_dense(
    scores: np.ndarray, k: int, order: PopularityOrder, hidden: Pairs
) -> tuple[np.ndarray, np.ndarray]:
    """Return (items, scores) of the k best items of each row that are not hidden.

    Of equal scores the first in `order` comes first. A row with fewer items left ends
    with -1, which score -inf. `scores` are not written to.
    """
    visible = _visible(scores, hidden)
    of_row = None
    if len(scores) == 1 and order.holds_all:
        of_row = top_k_of_row(visible[0], None, k, order)
    if of_row is not None:
        return of_row
    if order.holds_all and has_chunks(scores.shape[1], k, hidden):
        pairs = reach_dense(visible, k)
        return best_pairs(pairs, visible[pairs.row, pairs.item], k, order)
    allowed = np.sort(order.items)
    columns, best = top_k(visible[:, allowed], k, order.place[allowed])
    return np.where(np.isneginf(best), -1, allowed[columns]), best


def top_k_rough(
    rough: RoughScores, k: int, order: PopularityOrder, hidden: Pairs
) -> tuple[np.ndarray, np.ndarray]:
    """Return what `top_k_dense` returns for the exact scores, from rough ones.

    Candidates for the k best are scored exactly. `order` holds all items.
    """
    found = reach_dense(_visible(rough.scores, hidden), k, slack=2 * rough.error)
    is_whole = found.n_of_row > _CANDIDATES_A_PLACE * k  # such as many ties
    stays = ~is_whole[found.row]
    pairs = Pairs(found.row[stays], found.item[stays], found.n_rows)
    items, best = best_pairs(pairs, rough.score_pairs(pairs.row, pairs.item), k, order)
    if len(whole := np.flatnonzero(is_whole)):
        exact = rough.score_rows(whole)
        items[whole], best[whole] = top_k_dense(exact, k, order, hidden.of_rows(whole))
    return items, best


def has_chunks(n_items: int, k: int, hidden: Pairs) -> bool:
    """Return whether rows are long enough for a bound by chunks."""
    n_hidden = len(hidden.row) / max(hidden.n_rows, 1)
    return n_items // DENSE_CHUNK >= _CHUNKS_A_PLACE * k + 2 * n_hidden


def _visible(scores: np.ndarray, hidden: Pairs) -> np.ndarray:
    visible = scores.copy()
    visible[hidden.row, hidden.item] = -np.inf
    return visible
