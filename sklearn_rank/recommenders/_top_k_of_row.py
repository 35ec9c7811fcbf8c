"""The k best items of one row: what a call for one user waits for."""

import numpy as np

from sklearn_rank.recommenders._most_popular import PopularityOrder

# Values of which the highest is taken together.
_CHUNK = 16
# Chunks for each place of a list: most of the best then lie in chunks of their own.
_CHUNKS_A_PLACE = 4


def top_k_of_row(
    scores: np.ndarray, items: np.ndarray | None, k: int, order: PopularityOrder
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return (items, scores) of the k best, as a matrix of one row each.

    `items` are those that the scores are of; None: all. What scores -inf is hidden, and
    items that are not among these score 0: with fewer than k visible ones above that, the
    answer is None. Of equal scores the first in `order` comes first.
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
    entry = (scores >= bound).nonzero()[0]  # k at least
    item = entry if items is None else items[entry]
    negated = -scores[entry].astype(np.float64)
    first = np.lexsort((order.place[item], negated))[:k]
    return item[first][None], -negated[first][None]
