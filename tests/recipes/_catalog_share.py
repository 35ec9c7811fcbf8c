"""Catalog share: how much of the catalogue the lists of all users show together."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from sklearn_rank._base._validation import Integer
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank.metrics._core._evaluate import mean_score, metric
from sklearn_rank.metrics._core._parameters import ZERO_TO_ONE, Cutoff, ShownTies
from sklearn_rank.metrics._core._summaries import ItemCounts
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Undefined

__all__ = ["catalog_share_at_k_score"]

CatalogSize = Annotated[int | None, Integer(none="items are counted, not divided")]


def chances_to_be_missed(lists: RankedLists, k: Cutoff) -> Any:
    """Return, for each item of a list, the log of its chance to be on no rank to k."""
    places = lists.every_place(k)
    chance = (places.length / places.size)[places.row_block]  # one per row
    with np.errstate(divide="ignore"):
        missed = np.log1p(-chance)
    rows = places.rows
    return lists.n_queries, lists.query[rows], lists.column("items")[rows], missed


def catalog_share(counts: ItemCounts, n_items: CatalogSize) -> float:
    """Return the expected number of items that some list shows, over that of all items."""
    shown = -np.expm1(counts.amounts).sum()
    return shown if n_items is None else shown / n_items


@metric(
    chances_to_be_missed, rows="shown", summary=ItemCounts(catalog_share), range=ZERO_TO_ONE
)
@explained
def catalog_share_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: Cutoff = 10,
    n_items: int | None = None,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    """Catalog share at ``k``: the share of the catalogue that any list shows.

    Higher is better; 1 means that each item is on the first ``k`` ranks of some list.
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"items": items, "k": k, "n_items": n_items}
    return mean_score(catalog_share_at_k_score, rows, own, ties, replace_undefined_by)
