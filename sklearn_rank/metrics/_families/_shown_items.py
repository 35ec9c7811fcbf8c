"""Means over the items on the first k ranks, for metrics of shown items."""

from typing import Literal

import numpy as np
from scipy import sparse

from sklearn_rank._arrays._exact_sum import sums_within
from sklearn_rank._ids._agree import show
from sklearn_rank._ranking._hypergeometric import hypergeometric
from sklearn_rank._ranking._queries import QueryError
from sklearn_rank._ranking._quotients import defined_where_relevant, divide
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank._ranking._tied_places import Places
from sklearn_rank.metrics._core._known_items import KnownItems
from sklearn_rank.metrics._core._parameters import Cutoff, MinRelevance
from sklearn_rank.metrics._families._gain_and_discount import Discount, discounts

Unknown = Literal["one_user", "skip", "zero", "error"]
Count = Literal["users", "interactions"]


def mean_of_shown(
    lists: RankedLists, values: np.ndarray, k: Cutoff, discount: Discount | None = None
) -> np.ndarray:
    """Return the mean of a value of each row over the first k ranks, per query.

    The discounts are the weights of the ranks. Undefined without shown items.
    """
    places = lists.every_place(k)
    expected = places.share(values)
    if discount is None:
        return divide(lists.sum(places.query, expected), lists.n_shown(k))
    factor = discounts(discount, 2.0, places.rank)
    total = lists.sum(places.query, expected * factor)
    return divide(total, lists.sum(places.query, factor))


def mean_of_relevant(
    lists: RankedLists,
    values: np.ndarray,
    k: Cutoff,
    discount: Discount | None,
    min_relevance: MinRelevance,
) -> np.ndarray:
    """Return the same mean; irrelevant rows count 0."""
    values = np.where(lists.is_relevant(min_relevance), values, 0.0)
    found = mean_of_shown(lists, values, k, discount)
    return defined_where_relevant(found, lists, min_relevance)


def mean_of_known(
    lists: RankedLists, values: np.ndarray, is_known: np.ndarray, k: Cutoff
) -> np.ndarray:
    """Return the mean of the known values alone, in expectation over orders of ties.

    If ties go across rank k, the number of known values shown is random. It is
    hypergeometric, because at most one block of a query goes across. Orders without a known
    value do not count; without other orders it is undefined.
    """
    places = lists.every_place(k)
    values, known = np.where(is_known, values, 0.0), is_known.astype(float)
    if places.tied is None or (places.length == places.size).all():
        total = lists.sum(places.query, places.share(values))
        return divide(total, lists.sum(places.query, places.share(known)))
    n_known = _sum_of_blocks(places, known)
    total = _sum_of_blocks(places, values)
    is_cut = places.length < places.size
    whole = np.where(is_cut, 0.0, n_known), np.where(is_cut, 0.0, total)
    n_whole, total_whole = (lists.sum(places.block_query, each) for each in whole)
    found = divide(total_whole, n_whole)
    cut = np.flatnonzero(is_cut & (n_known > 0))
    query = places.block_query[cut]
    hits = n_known[cut].astype(np.intp)
    case, drawn, chance = hypergeometric(places.size[cut], hits, places.length[cut])
    n = n_whole[query][case] + drawn
    mean = (total[cut] / n_known[cut])[case]
    counts = np.where(n > 0, chance, 0.0)
    worth = np.divide(total_whole[query][case] + drawn * mean, n, where=n > 0, out=mean * 0)
    by_case = [np.bincount(case, each, len(cut)) for each in (counts * worth, counts)]
    found[query] = divide(*by_case)
    return found


def _sum_of_blocks(places: Places, values: np.ndarray) -> np.ndarray:
    return sums_within(places.row_block, values[places.rows], len(places.size))


def chance_to_be_shown(lists: RankedLists, k: Cutoff) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows that may be on the first k ranks, and their chances to be there."""
    places = lists.every_place(k)
    if places.tied is None:
        return places.rows, np.ones(len(places.rows))
    return places.rows, (places.length / places.size)[places.row_block]


def items_of_queries(
    query: np.ndarray, items: np.ndarray, weight: np.ndarray, shape: tuple[int, int]
) -> sparse.csr_array:
    """Return the weights of rows as a matrix queries × items; queries ascend.

    Unknown items (-1) have the last column.
    """
    starts = query.searchsorted(np.arange(shape[0] + 1))
    columns = np.where(items < 0, shape[1] - 1, items)
    return sparse.csr_array((weight, columns, starts), shape=shape)


def refuse_unknown(
    lists: RankedLists, catalogue: KnownItems, is_unknown: np.ndarray, k: Cutoff
) -> None:
    """Raise if an item that may be shown is unknown."""
    rows, _ = chance_to_be_shown(lists, k)
    wrong = rows[is_unknown[rows]]
    if len(wrong):
        item = lists.labels("items")[lists.column("items")[wrong[0]]]
        raise QueryError(
            f"Item {show(item)} of query {{query}} is unknown: no user of the catalogue "
            "has it. Give its popularity, or set `unknown`.",
            int(lists.query[wrong[0]]),
        )
