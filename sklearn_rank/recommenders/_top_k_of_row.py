"""The k best items of one row: a fast path for one user."""

import numpy as np

from sklearn_rank.recommenders._most_popular import PopularityOrder

# Values that share a maximum.
_CHUNK = 16
# Chunks per place of a list, so that few of the best share a chunk.
_CHUNKS_A_PLACE = 4


def top_k_of_row(
    scores: np.ndarray, items: np.ndarray | None, k: int, order: PopularityOrder
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return (items, scores) of the k best, as a matrix of one row each.

    `items` holds the items of the scores; None: all items. Hidden items score -inf, and
    items that are not in `items` score 0. Return None if fewer than k items score above
    that. Of equal scores the first in `order` comes first.
    """
    n_chunks = min(len(scores), max(len(scores) // _CHUNK, _CHUNKS_A_PLACE * k))
    if n_chunks < k:
        return None
    size = len(scores) // n_chunks
    highest = np.maximum.reduce(scores[: size * n_chunks].reshape(size, n_chunks))
    highest.partition(n_chunks - k)
    bound = highest[n_chunks - k]
    if not bound > (-np.inf if items is None else 0):
        return None
    entry = (scores >= bound).nonzero()[0]  # at least k
    item = entry if items is None else items[entry]
    negated = -scores[entry].astype(np.float64)
    first = np.lexsort((order.place[item], negated))[:k]
    return item[first][None], -negated[first][None]
