"""The confidence of each query: its top score, or what users give."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rank._base._label_checks import show_id, value_of_each
from sklearn_rank._base._labels import as_list
from sklearn_rank._base._messages import warn_caller
from sklearn_rank._base._numbers import as_floats
from sklearn_rank._base._runs import sizes_of
from sklearn_rank._ranking._rows import Rows, SideColumn
from sklearn_rank.metrics._core._report import is_by_query, look_up_queries
from sklearn_rank.metrics._core._side_columns import Column, read_numbers

CONFIDENCE = Column(
    "confidence",
    "the confidence of each query, the same for all of its rows",
    read_numbers,
    example=np.ones_like,
    is_optional=True,
)


def add_confidence(rows: Rows, given: Any, groups: Any) -> Rows:
    """Return the rows with the confidence of each query, in the order of the rows.

    It warns if all have the same, so that no query is answered before another.
    """
    top = _top_scores(rows)
    found = top if given is None else _read_confidence(rows, given, groups)
    is_missing = np.isnan(found)
    if is_missing.any():
        label = rows.queries.label_of(int(np.argmax(is_missing)))
        raise ValueError(
            f"`confidence` of query {show_id(label)} is NaN; give a number to each query, "
            "-inf for one that is not answered."
        )
    answered = found[(top > -np.inf) & (found > -np.inf)]
    if len(answered) > 1 and answered.min() == answered.max():
        warn_caller(
            f"All answered queries have the same confidence, {answered[0]:g}, so that none "
            "is answered before another. Lists without scores have the top score -1: give "
            "scores, or `confidence`."
        )
    return replace(rows, columns={**rows.columns, CONFIDENCE.name: SideColumn(found)})


def _top_scores(rows: Rows) -> np.ndarray:
    top = np.full(len(rows.starts) - 1, -np.inf)
    has_rows = sizes_of(rows.starts) > 0
    scores = rows.scores(slice(None))
    top[has_rows] = np.maximum.reduceat(scores, rows.starts[:-1][has_rows])
    return top


def _read_confidence(rows: Rows, given: Any, groups: Any) -> np.ndarray:
    queries, n_rows = rows.queries, int(rows.starts[-1])
    labels = as_list(queries.labels)
    if isinstance(given, Mapping) or is_by_query(given, labels, n_rows, groups):
        listed = look_up_queries("confidence", given, labels, "number")
        return queries.by_row(as_floats(listed, "confidence"))
    values = as_floats(given, "confidence")
    n_needed, unit = (len(labels), "query") if groups is None else (n_rows, "row")
    if values.shape != (n_needed,):
        raise ValueError(
            f"`confidence` has shape {values.shape}, but `y_true` needs one value per "
            f"{unit}, shape ({n_needed},); or give a mapping by query."
        )
    if groups is None:
        return values
    by_row = values[rows.origin(np.arange(n_rows))]
    return value_of_each("confidence", by_row, rows.starts, queries.label_of)
