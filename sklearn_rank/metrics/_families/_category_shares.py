"""Categories of shown items: expected shares, and chances to be in a list."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._arrays._blocks import LIST_CELLS
from sklearn_rank._arrays._exact_sum import sums_within
from sklearn_rank._arrays._runs import ranges
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank.metrics._core._known_items import KnownItems
from sklearn_rank.metrics._core._parameters import Cutoff
from sklearn_rank.metrics._families._shown_items import chance_to_be_shown, items_of_queries


def shares_of_shown(
    lists: RankedLists, catalogue: KnownItems, k: Cutoff, rank_weight: float | None
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return the weights of shown items, queries × items, and items × categories.

    Rank r has the weight rank_weight ** (r - 1), or 1. Tied rows have the mean weight of
    their ranks.
    """
    shares = _with_unknown(catalogue.catalogue.categories)
    rows, weight = chance_to_be_shown(lists, k)
    if rank_weight is not None:
        places = lists.every_place(k)
        of_place = float(rank_weight) ** (places.rank - 1.0)
        of_block = np.bincount(places.block, of_place, len(places.block_query))
        weight = (of_block / places.size)[places.row_block]
    items, shape = catalogue.items(lists)[rows], (lists.n_queries, shares.shape[0])
    return items_of_queries(lists.query[rows], items, weight, shape), shares


def _with_unknown(shares: sparse.csr_array) -> sparse.csr_array:
    """Return the shares with a last row of zeros, for unknown items."""
    return sparse.vstack([shares, sparse.csr_array((1, shares.shape[1]))]).tocsr()


def sums_of_shares(weights: sparse.csr_array, shares: sparse.csr_array) -> np.ndarray:
    """Return the product of both; each sum is rounded once, so its order has no effect."""
    n_queries, n_categories = weights.shape[0], shares.shape[1]
    query = np.repeat(np.arange(n_queries), np.diff(weights.indptr))
    sizes = np.diff(shares.indptr)[weights.indices]
    entries = ranges(shares.indptr[weights.indices], sizes)
    cells = query.repeat(sizes) * n_categories + shares.indices[entries]
    amounts = weights.data.repeat(sizes) * shares.data[entries]
    sums = sums_within(cells, amounts, n_queries * n_categories)
    return sums.reshape(n_queries, n_categories)


def blocks_of_queries(lists: RankedLists, shares: sparse.csr_array) -> Iterator[slice]:
    """Yield slices of queries whose table of queries × categories fits in a block."""
    step = max(LIST_CELLS // max(shares.shape[1], 1), 1)
    for first in range(0, lists.n_queries, step):
        yield slice(first, min(first + step, lists.n_queries))


def normalized(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rows scaled to the sum 1, and whether their sum was positive."""
    total = weight.sum(axis=1, keepdims=True)
    return np.divide(weight, total, out=weight * 0, where=total > 0), total[:, 0] > 0


def chance_of_categories(
    lists: RankedLists, catalogue: KnownItems, k: Cutoff
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield queries, and the chance of each category to be on their first k ranks.

    If m of t tied rows are shown and h of the t have a category, the chance that no shown
    row has it is C(t - h, m) / C(t, m).
    """
    shares = _with_unknown(catalogue.catalogue.categories)
    has = (shares > 0).astype(float)
    places, n_queries = lists.every_place(k), lists.n_queries
    rows, items = places.rows, catalogue.items(lists)[places.rows]
    is_cut = (places.length < places.size)[places.row_block]
    size, shown = (np.zeros(n_queries, dtype=np.intp) for _ in range(2))
    cut = places.length < places.size
    size[places.block_query[cut]] = places.size[cut]
    shown[places.block_query[cut]] = places.length[cut]
    shape = (n_queries, shares.shape[0])
    whole, part = (
        items_of_queries(
            lists.query[rows[chosen]], items[chosen], np.ones(chosen.sum()), shape
        )
        for chosen in (~is_cut, is_cut)
    )
    for some in blocks_of_queries(lists, shares):
        surely = (whole[some] @ has).toarray() > 0
        tied = (part[some] @ has).toarray()
        yield some, np.where(surely, 1.0, 1 - _missed(tied, size[some], shown[some]))


def _missed(n_with: np.ndarray, size: np.ndarray, shown: np.ndarray) -> Any:
    """Return the chance that no shown row has the category."""
    missed = np.ones_like(n_with)
    for step in range(int(shown.max(initial=0))):
        drawn = step < shown
        left = np.maximum(size - step, 1)[:, np.newaxis]
        factor = np.maximum(left - n_with, 0) / left
        missed = np.where(drawn[:, np.newaxis], missed * factor, missed)
    return missed
