"""What metrics of shown items share: histories, means and chances."""

from functools import partial

import numpy as np
from scipy import sparse

from sklearn_rank._base._label_checks import show_id
from sklearn_rank._ranking._ranked_lists import RankedLists, defined_where_relevant, divide
from sklearn_rank._ranking._rows import QueryError
from sklearn_rank.metrics._core._evaluate import metric
from sklearn_rank.metrics._core._parameters import Cutoff, MinRelevance
from sklearn_rank.metrics._families._cumulative_gain import Discount, discounts

# Declares metrics of what is shown, relevant or not.
shown_metric = partial(metric, rows="shown")


def histories_of(matrix: sparse.csr_array, users: np.ndarray) -> sparse.csr_array:
    """Return the items of some users, none for those without a row (-1)."""
    kept = np.flatnonzero(users >= 0)
    rows = (np.ones(len(kept)), (kept, users[kept]))
    return sparse.csr_array(rows, shape=(len(users), matrix.shape[0])) @ matrix


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
    mean = mean_of_shown(lists, values, k, discount)
    return defined_where_relevant(mean, lists, min_relevance)


def shown_rows(lists: RankedLists, k: Cutoff) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows that may be on the first k ranks, and their chances to be there."""
    places = lists.every_place(k)
    return places.rows, (places.length / places.size)[places.row_block]


def items_of_queries(
    lists: RankedLists,
    rows: np.ndarray,
    items: np.ndarray,
    n_items: int,
    weight: np.ndarray | float = 1.0,
) -> sparse.csr_array:
    """Return the weights of rows as a matrix queries × items, given the item of any row.

    Unknown items (-1) have the last column.
    """
    starts = lists.query[rows].searchsorted(np.arange(lists.n_queries + 1))
    columns = np.where(items[rows] < 0, n_items - 1, items[rows])
    cells = (np.full(len(rows), weight), columns, starts)
    return sparse.csr_array(cells, shape=(lists.n_queries, n_items))


def check_known(
    lists: RankedLists, is_known: np.ndarray, rows: np.ndarray, what: str, end: str = ""
) -> None:
    """Raise if a part of the catalogue does not cover the item of one of these rows."""
    wrong = rows[~is_known[rows]]
    if len(wrong):
        item = lists.labels("items")[lists.column("items")[wrong[0]]]
        raise QueryError(
            f"`{what}` does not cover item {show_id(item)} of query {{query}}; give "
            f"{what} of all items that are shown{end}.",
            int(lists.query[wrong[0]]),
        )
