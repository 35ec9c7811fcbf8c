"""Chances of items to be shown, and the size of the catalogue, for system metrics."""

from functools import partial
from typing import Annotated, Any

import numpy as np

from sklearn_rank._arrays._runs import begins_run
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank._validation import shorten
from sklearn_rank.metrics._core._declare import metric
from sklearn_rank.metrics._core._parameters import Cutoff, Integer
from sklearn_rank.metrics._families._shown_items import chance_to_be_shown

# Declares metrics of the whole catalogue; in 2-D the input has its size.
of_catalogue = partial(metric, rows="shown", whole=("n_items",))

Rank = Annotated[int, Integer()]
CatalogueSize = Annotated[int | None, Integer(none="the columns of the 2-D form")]


def chances_to_be_shown(lists: RankedLists, k: Cutoff) -> Any:
    """Return, for each item of a list, its chance to be on one of the first k ranks."""
    return of_items(lists, *chance_to_be_shown(lists, k))


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


def of_items(lists: RankedLists, rows: np.ndarray, amount: np.ndarray) -> Any:
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
