"""Values by item computed from popularity, cached per catalogue."""

import numpy as np

from sklearn_rank._arrays._runs import begins_run, starts_where
from sklearn_rank.metrics._core._catalogue import Catalogue, once
from sklearn_rank.metrics._families._shown_items import Count


def counts_of(catalogue: Catalogue, count: Count) -> np.ndarray:
    """Return how many users, or interactions, each item has."""
    return catalogue.popularity if count == "users" else catalogue.counts


def total_of(catalogue: Catalogue, count: Count) -> float:
    """Return the number of users, or of all interactions; at least 1."""
    total = catalogue.n_users if count == "users" else catalogue.counts.sum()
    return max(float(total), 1.0)


def bits(catalogue: Catalogue, count: Count) -> np.ndarray:
    """Return for each item -log2 of its share of users or interactions; NaN without any."""

    def derive() -> np.ndarray:
        counts, total = counts_of(catalogue, count), total_of(catalogue, count)
        known = np.where(counts > 0, counts, np.nan)
        return np.log2(total) - np.log2(known)

    return once(catalogue, ("bits", count), derive)


def shares_without(catalogue: Catalogue) -> np.ndarray:
    """Return for each item the share of users who do not have it."""
    return once(
        catalogue,
        ("shares without",),
        lambda: 1 - catalogue.popularity / catalogue.n_users,
    )


def percentiles(catalogue: Catalogue) -> np.ndarray:
    """Return the middle rank of each item by users, over the items that have any."""

    def derive() -> np.ndarray:
        popularity = catalogue.popularity
        known = np.sort(popularity[popularity > 0])
        below = known.searchsorted(popularity, side="left")
        upto = known.searchsorted(popularity, side="right")
        middle = (below + upto + 1) / 2
        return np.where(popularity > 0, middle / max(len(known), 1), 0.0)

    return once(catalogue, ("percentiles",), derive)


def tail(catalogue: Catalogue, head: float) -> np.ndarray:
    """Return the chance of each item to be outside the head.

    The head is the fewest items with that share of all interactions. Of items that are
    equally popular, each has the same chance to be in it.
    """

    def derive() -> np.ndarray:
        counts = catalogue.counts
        if not counts.any():
            return np.ones(len(counts))
        order = np.argsort(-counts, kind="stable")
        ordered = counts[order]
        held = np.cumsum(ordered)
        least = head * held[-1] * (1 - 1e-12)  # sums are rounded
        n_head = min(int(held.searchsorted(least)) + 1, len(held))
        starts = starts_where(begins_run(ordered))
        sizes = np.diff(starts)
        within = np.clip(n_head - starts[:-1], 0, sizes) / np.maximum(sizes, 1)
        outside = np.empty(len(counts))
        outside[order] = np.repeat(1 - within, sizes)
        return outside

    return once(catalogue, ("tail", head), derive)


def popularity_ranks(catalogue: Catalogue) -> np.ndarray:
    """Return the rank of each item by interactions: 1 the most popular, ties alike.

    The rank of an item without interactions is infinite.
    """

    def derive() -> np.ndarray:
        counts = catalogue.counts
        _, codes = np.unique(-counts, return_inverse=True)
        return np.where(counts > 0, codes + 1.0, np.inf)

    return once(catalogue, ("popularity ranks",), derive)
