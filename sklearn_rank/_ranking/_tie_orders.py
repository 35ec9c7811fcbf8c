"""All orders of tied rows, for a metric whose mean over them has no closed form."""

from math import comb

import numpy as np

from sklearn_rank._ranking._queries import QueryError
from sklearn_rank._ranking._tied_places import Places

MOST_ORDERS = 10_000

# A probability, the hits as (rank, gain), and the rows of each gain that are still to come.
Order = tuple[float, tuple[tuple[int, float], ...], tuple[int, ...]]


def check_number_of_orders(places: Places, gain: np.ndarray, blocks: np.ndarray) -> None:
    """Raise if the tied rows of a query have more than `MOST_ORDERS` orders.

    `blocks` are those with rows of different gain.
    """
    n_orders, previous = 1, -1
    for block in blocks.tolist():
        query = places.block_query[block]
        gains = gain[places.rows[_run(places.row_block, block)]]
        n_without = places.size[block] - len(gains)
        counts = [int(n_without), *np.unique(gains, return_counts=True)[1].tolist()]
        of_block = _count_orders(counts, int(places.length[block]))
        n_orders = of_block * (n_orders if query == previous else 1)
        previous = query
        if n_orders > MOST_ORDERS:
            raise QueryError(
                f"Query {{query}} has more than {MOST_ORDERS} orders of tied rows, too "
                "many for ties='average' of a metric without closed form. Break the ties, "
                "set a smaller `k`, or choose ties='worst'.",
                int(query),
            )


def _count_orders(counts: list[int], length: int) -> int:
    """Return the number of words of some length, given how often each letter may stand.

    Numbers above `MOST_ORDERS` need not be exact.
    """
    counts, total = sorted(counts, reverse=True), sum(counts)
    for count in counts:
        # Places of one letter alone: of how many, nearest to half of the word.
        fewest, most = max(length - (total - count), 0), min(count, length)
        n_here = min(max(length // 2, fewest), most)
        if min(n_here, length - n_here) > 7 or comb(length, n_here) > MOST_ORDERS:
            return MOST_ORDERS + 1  # 16! / (8! 8!) are more
    words = [int(n <= counts[0]) for n in range(length + 1)]
    for count in counts[1:]:
        # Words of the letters so far, with h of this one at any places.
        words = [
            min(
                sum(comb(n, h) * words[n - h] for h in range(min(count, n) + 1)),
                MOST_ORDERS + 1,
            )
            for n in range(length + 1)
        ]
        if words[length] > MOST_ORDERS:
            break
    return words[length]


def all_orders(
    places: Places, gain: np.ndarray, query: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the probability of each order of a query; order, rank and gain of its hits.

    Rows of one score and one gain cannot be told apart, nor rows below the cutoff.
    """
    orders: list[Order] = [(1.0, (), ())]
    for block in range(*_run(places.block_query, query).indices(len(places.block_query))):
        ranks = places.rank[_run(places.block, block)]
        gains = gain[places.rows[_run(places.row_block, block)]]
        of_block = _orders_of_block(ranks, int(places.size[block]), gains)
        orders = [
            (chance * other, (*hits, *others), ())
            for chance, hits, _ in orders
            for other, others, _ in of_block
        ]
    hits = np.array([hit for order in orders for hit in order[1]]).reshape(-1, 2)
    number = np.repeat(np.arange(len(orders)), [len(order[1]) for order in orders])
    return np.array([order[0] for order in orders]), number, hits[:, 0], hits[:, 1]


def _run(ascending: np.ndarray, value: int) -> slice:
    """Return where a value is."""
    return slice(*np.searchsorted(ascending, [value, value + 1]))


def _orders_of_block(ranks: np.ndarray, size: int, gains: np.ndarray) -> list[Order]:
    """Return the orders of a block, rank by rank."""
    values, counts = np.unique(gains, return_counts=True)
    finished: list[Order] = []
    orders: list[Order] = [(1.0, (), tuple(counts.tolist()))]
    for offset, rank in enumerate(ranks.tolist()):
        longer = [
            following
            for order in orders
            for following in _one_rank_longer(order, rank, size - offset, values.tolist())
        ]
        finished += [order for order in longer if not any(order[2])]
        orders = [order for order in longer if any(order[2])]
    return finished + orders


def _one_rank_longer(
    order: Order, rank: int, rows_left: int, values: list[float]
) -> list[Order]:
    """Return what may follow: a row without gain, or one of each gain that is left."""
    chance, hits, left = order
    n_without = rows_left - sum(left)
    following = [(chance * n_without / rows_left, hits, left)] if n_without else []
    for place, (value, count) in enumerate(zip(values, left, strict=True)):
        if count:
            fewer = (*left[:place], count - 1, *left[place + 1 :])
            here = (*hits, (rank, value))
            following.append((chance * count / rows_left, here, fewer))
    return following
