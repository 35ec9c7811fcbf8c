"""What metrics of shown items share: histories, means, popularity and chances."""

from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
from scipy import sparse

from sklearn_rank._base._exact_sum import sums_within
from sklearn_rank._base._label_checks import show_id
from sklearn_rank._base._runs import begins_run, sizes_of, starts_where
from sklearn_rank._base._validation import Integer, shorten
from sklearn_rank._ranking._places import Places
from sklearn_rank._ranking._ranked_lists import RankedLists, defined_where_relevant, divide
from sklearn_rank._ranking._rows import QueryError
from sklearn_rank._ranking._tied_ranks import hypergeometric
from sklearn_rank.metrics._core._catalogue import Catalogue, derive_once
from sklearn_rank.metrics._core._evaluate import metric
from sklearn_rank.metrics._core._known_items import KnownItems
from sklearn_rank.metrics._core._parameters import Cutoff, MinRelevance
from sklearn_rank.metrics._families._cumulative_gain import Discount, discounts

# Histories of users.


def histories_of(matrix: sparse.csr_array, users: np.ndarray) -> sparse.csr_array:
    """Return the items of some users, none for those without a row (-1)."""
    known = np.flatnonzero(users >= 0)
    rows = (np.ones(len(known)), (known, users[known]))
    return sparse.csr_array(rows, shape=(len(users), matrix.shape[0])) @ matrix


def mean_over_history(
    catalogue: KnownItems, users: np.ndarray, table: np.ndarray
) -> np.ndarray:
    """Return the mean of a value of items over the history of each user; NaN without."""
    items = histories_of(catalogue.catalogue.history, users)
    return divide(items @ table, sizes_of(items.indptr).astype(float))


def has_items(
    catalogue: KnownItems,
    name: str,
    matrix: sparse.csr_array,
    users: np.ndarray,
    items: np.ndarray,
) -> np.ndarray:
    """Return whether each user has the item beside it; -1 means no user, or no item.

    `name` is that of the matrix in the catalogue.
    """
    n_items = matrix.shape[1]

    def keys_of_pairs() -> np.ndarray:
        row = np.repeat(np.arange(matrix.shape[0]), sizes_of(matrix.indptr))
        keys = row * np.int64(n_items) + matrix.indices
        return keys if matrix.has_sorted_indices else np.sort(keys)

    keys = derive_once(catalogue.catalogue, ("pairs", name), keys_of_pairs)
    if len(keys) == 0:
        return np.zeros(len(users), dtype=bool)
    wanted = users * np.int64(n_items) + items
    place = np.minimum(keys.searchsorted(wanted), len(keys) - 1)
    return (keys[place] == wanted) & (users >= 0) & (items >= 0)


# Means over the items on the first k ranks.

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
    hypergeometric, because at most one tie group of a query goes across. Orders without a
    known value do not count; without other orders it is undefined.
    """
    places = lists.every_place(k)
    values, known = np.where(is_known, values, 0.0), is_known.astype(float)
    if places.tied is None or (places.length == places.size).all():
        total = lists.sum(places.query, places.share(values))
        return divide(total, lists.sum(places.query, places.share(known)))
    n_known = _sum_tie_groups(places, known)
    total = _sum_tie_groups(places, values)
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


def _sum_tie_groups(places: Places, values: np.ndarray) -> np.ndarray:
    return sums_within(places.row_block, values[places.rows], len(places.size))


def shown_rows(lists: RankedLists, k: Cutoff) -> tuple[np.ndarray, np.ndarray]:
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


def check_known_items(
    lists: RankedLists, catalogue: KnownItems, is_unknown: np.ndarray, k: Cutoff
) -> None:
    """Raise if an item that may be shown is unknown."""
    rows, _ = shown_rows(lists, k)
    wrong = rows[is_unknown[rows]]
    if len(wrong):
        item = lists.labels("items")[lists.column("items")[wrong[0]]]
        raise QueryError(
            f"Item {show_id(item)} of query {{query}} is unknown: no user of the catalogue "
            "has it. Give its popularity, or set `unknown`.",
            int(lists.query[wrong[0]]),
        )


# Values of items that follow from popularity, computed once per catalogue.


def counts_of(catalogue: Catalogue, count: Count) -> np.ndarray:
    """Return how many users, or interactions, each item has."""
    return catalogue.popularity if count == "users" else catalogue.counts


def total_of(catalogue: Catalogue, count: Count) -> float:
    """Return the number of users, or of all interactions; at least 1."""
    total = catalogue.n_users if count == "users" else catalogue.counts.sum()
    return max(float(total), 1.0)


def self_information(catalogue: Catalogue, count: Count) -> np.ndarray:
    """Return for each item -log2 of its share of users or interactions; NaN without any."""

    def derive() -> np.ndarray:
        counts, total = counts_of(catalogue, count), total_of(catalogue, count)
        known = np.where(counts > 0, counts, np.nan)
        return np.log2(total) - np.log2(known)

    return derive_once(catalogue, ("bits", count), derive)


def shares_without(catalogue: Catalogue) -> np.ndarray:
    """Return for each item the share of users who do not have it."""
    return derive_once(
        catalogue, ("shares without",), lambda: 1 - catalogue.popularity / catalogue.n_users
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

    return derive_once(catalogue, ("percentiles",), derive)


def tail_chances(catalogue: Catalogue, head: float) -> np.ndarray:
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

    return derive_once(catalogue, ("tail", head), derive)


def popularity_ranks(catalogue: Catalogue) -> np.ndarray:
    """Return the rank of each item by interactions: 1 the most popular, ties alike.

    The rank of an item without interactions is infinite.
    """

    def derive() -> np.ndarray:
        counts = catalogue.counts
        _, codes = np.unique(-counts, return_inverse=True)
        return np.where(counts > 0, codes + 1.0, np.inf)

    return derive_once(catalogue, ("popularity ranks",), derive)


# System metrics: one value for the lists of all users.

# Declares metrics of the whole catalogue; in 2-D the input has its size.
catalogue_metric = partial(metric, rows="shown", from_data=("n_items",))

Rank = Annotated[int, Integer()]
CatalogueSize = Annotated[int | None, Integer(none="the columns of the 2-D form")]


def chances_to_be_shown(lists: RankedLists, k: Cutoff) -> Any:
    """Return, for each item of a list, its chance to be on one of the first k ranks."""
    return item_amounts(lists, *shown_rows(lists, k))


def chances_of_items_once(lists: RankedLists, k: Cutoff) -> Any:
    """Return the chances to be shown; raise if a list repeats an item."""
    found = _, query, item, _ = chances_to_be_shown(lists, k)
    order = np.lexsort((item, query))
    again = np.flatnonzero(~begins_run(query[order], item[order]))
    if len(again):
        label = lists.labels("items")[item[order[again[0]]]]
        raise ValueError(
            f"`items` has {shorten(label)} twice in one query, and the metric counts the "
            "lists that show an item; keep one row."
        )
    return found


def item_amounts(lists: RankedLists, rows: np.ndarray, amount: np.ndarray) -> Any:
    """Return the input of summaries of items, given an amount for some rows."""
    return lists.n_queries, lists.query[rows], lists.column("items")[rows], amount


def size_of_catalogue(n_items: int | None, n_shown: int, metric: str) -> int:
    """Return the number of items in the catalogue; raise if unknown."""
    if n_items is None:
        raise ValueError(
            f"`n_items` is needed for {metric!r}, the number of items in the catalogue: "
            f"those that no list shows count too. Give n_items=1000 to the function, or "
            f"in a name '{metric}(n_items=1000)@10', or a `catalogue`. In the 2-D form it "
            "is the number of columns."
        )
    if n_items < n_shown:
        raise ValueError(
            f"`n_items` is {n_items}, but lists show {n_shown} different items; count all "
            "items that can be shown."
        )
    return n_items
