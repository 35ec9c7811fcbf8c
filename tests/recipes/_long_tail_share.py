"""Share of what lists show that is not popular."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._ranked_lists import RankedLists, divide
from sklearn_rank.metrics._core._evaluate import mean_score, metric
from sklearn_rank.metrics._core._parameters import ZERO_TO_ONE, Cutoff, ShownTies
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Undefined

__all__ = ["long_tail_share_at_k_score"]


def long_tail_share(lists: RankedLists, k: Cutoff, popular: Any) -> Any:
    """Return the share of unpopular items among those on the first k ranks, per query."""
    places = lists.every_place(k)
    is_unpopular = ~np.isin(lists.labels("items"), list(popular))
    number = is_unpopular[lists.column("items")].astype(float)  # of each row
    total = lists.sum(places.query, places.share(number))
    return divide(total, lists.n_shown(k))


@metric(long_tail_share, rows="shown", range=ZERO_TO_ONE)
@explained
def long_tail_share_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: int | None = 10,
    popular: Labels = (),
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    """Long-tail share at ``k``: the share of shown items that are not popular.

    Higher is better; 1 means that lists show no popular item.
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"items": items, "k": k, "popular": popular}
    return mean_score(long_tail_share_at_k_score, rows, own, ties, replace_undefined_by)
