"""Check metrics that need all items of the catalogue against lists that end earlier."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from sklearn_rank._arrays._blocks import VALUES
from sklearn_rank._ranking._judgments import GradesOfCatalogue
from sklearn_rank._ranking._rows import Rows
from sklearn_rank.metrics._core._metric import NamedMetric


def check_lists_do_not_end(wanted: Iterable[NamedMetric], y_true: Any, rows: Rows) -> None:
    """Raise if a metric of all items is given lists that end.

    Then relevant items are in no list, and every other row is an item of a list, -0.0.
    """
    needing = [
        named
        for named in wanted
        if named.metric.all_items and named.parameters["n_items"] is None
    ]
    if not needing or rows.n_missed is None or isinstance(y_true, GradesOfCatalogue):
        return
    n_unlisted = _count_unlisted(rows)
    if n_unlisted:
        named = needing[0]
        size = "n_items=" if named.is_called else f"'{named.metric.name}(n_items=...)'"
        raise ValueError(
            f"{named.name} needs all items of the catalogue, but {n_unlisted:,} relevant "
            f"item(s) are in no list. Give {size}, the size of the catalogue, or use a "
            "metric of the first ranks, such as 'ndcg@10'."
        )


def _count_unlisted(rows: Rows) -> int:
    """Return the number of relevant items outside all lists; 0 if rows are not lists."""
    grade = getattr(rows, "grade", None)
    if not isinstance(grade, np.ndarray) or grade.dtype.kind != "f":
        return 0
    has_zeros = False
    for start in range(0, len(grade), VALUES):  # the first rows mostly decide
        part = grade[start : start + VALUES]
        signs = np.signbit(part[part == 0])
        if not signs.all():
            return 0
        has_zeros = has_zeros or len(signs) > 0
    if not has_zeros:
        return 0
    return int(np.count_nonzero((rows.score == -np.inf) & (grade > 0)))
