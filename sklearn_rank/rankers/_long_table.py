"""Ranked rows as a long table: a row for each item of a query, best first."""

from typing import Any

import numpy as np

from sklearn_rank._arrays._runs import begins_run, ranges, sizes_of, starts_where
from sklearn_rank._ids._encode import as_vector, encode_labels


def ranked_rows(
    groups: Any, items: Any, scores: np.ndarray, k: int | None
) -> dict[str, np.ndarray]:
    """Return the columns of the table; queries come as they first occur.

    Rows of equal scores keep their order.
    """
    labels, codes = encode_labels(groups, name="groups")
    items = np.arange(len(codes)) if items is None else as_vector(items, name="items")
    for name, values in (("groups", codes), ("items", items)):
        if len(values) != len(scores):
            raise ValueError(
                f"`{name}` has {len(values)} values, but X has {len(scores)} rows; give "
                "one value a row."
            )
    first = np.full(len(labels), len(codes))
    np.minimum.at(first, codes, np.arange(len(codes)))
    order = np.lexsort((-scores, first[codes]))
    sizes = sizes_of(starts_where(begins_run(codes[order])))
    rank = ranges(1, sizes)
    if k is not None:
        order, rank = order[rank <= k], rank[rank <= k]
    return {
        "query": labels[codes[order]],
        "item": items[order],
        "rank": rank,
        "score": scores[order],
    }
