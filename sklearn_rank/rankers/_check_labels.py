"""Labels of queries that cannot be meant: one for each row, or values of a feature."""

from typing import Any

import numpy as np

from sklearn_rank._misleading import ENOUGH, warn_misleading
from sklearn_rank._tables._columns import has_column, is_position, take_column
from sklearn_rank.rankers._groups import as_columns
from sklearn_rank.rankers._query_rows import QueryRows

# A position stays where columns move, as some are left out.
_MOVED = "a step before may have moved the column. Pass groups by metadata routing."


def check_labels(rows: QueryRows, X: Any, columns: Any, *, needs_pairs: bool) -> None:
    """Warn of labels that cannot be meant; raise where then nothing can be learned.

    `columns` are those of X that make a query, `needs_pairs` is whether the estimator
    learns from several rows of a query.
    """
    n_queries, n_rows = len(rows.labels), len(rows.y)
    if n_queries < ENOUGH:
        return
    text = next(filter(None, (_fraction(X, column) for column in as_columns(columns))), "")
    if n_queries == n_rows:
        lone = (
            f"`groups` has {n_queries} labels for {n_rows} rows; one row cannot be ranked."
        )
        text = f"{lone} {text or 'Give all rows of a query one label.'}"
        if needs_pairs:
            raise ValueError(text)
    if text:
        warn_misleading(text)


def _fraction(X: Any, column: Any) -> str:
    """Return what to say of a position with numbers that are not whole, '' of others."""
    if not (is_position(column) and has_column(X, column)):
        return ""
    values = np.asarray(take_column(X, column, name="groups"))
    if values.dtype.kind == "O":
        found = [v for v in values if isinstance(v, float) and not v.is_integer()]
    else:
        found = values[values != np.floor(values)] if values.dtype.kind == "f" else []
    if len(found) == 0:
        return ""
    return f"`groups={column}` holds {found[0]:.4g}, which is not a label; {_MOVED}"
