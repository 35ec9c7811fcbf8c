"""Whole queries as the units that a splitter holds out, in place of rows."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rank._arrays._runs import begins_run
from sklearn_rank._ids._encode import encode_labels
from sklearn_rank._tables._columns import take_column
from sklearn_rank._tables._interaction_log import CodedLabels, Log
from sklearn_rank._validation import shorten


def queries_of_rows(X: Any, column: Any, *, name: str) -> CodedLabels:
    """Return the query of each row, from a column of X."""
    if X is None:
        raise ValueError(
            f"`{name}={shorten(column)}` names a column of X, but X is None; pass X."
        )
    return CodedLabels(*encode_labels(take_column(X, column, name=name), name=name))


def log_of_queries(log: Log, queries: CodedLabels, *, uses: Collection[str]) -> Log:
    """Return the log with a row a query: its user and item, and the time of its last row.

    So a query is in train only if it had ended before the test began. Of users and items,
    those that the splitter uses must be one for all rows of a query.
    """
    n_queries, times = len(queries.values), log.times
    if times is not None:
        order = np.lexsort((times.values, queries.codes))
        is_last = begins_run(queries.codes[order][::-1])[::-1]
        times = replace(times, values=times.values[order[is_last]])
    labels = {
        name: _of_queries(getattr(log, name), queries, name, is_used=name in uses)
        for name in ("users", "items")
        if getattr(log, name) is not None
    }
    return Log(n_queries, **labels, times=times)


def _of_queries(
    labels: CodedLabels, queries: CodedLabels, name: str, *, is_used: bool
) -> CodedLabels:
    of_query = np.empty(len(queries.values), dtype=labels.codes.dtype)
    of_query[queries.codes] = labels.codes
    differs = of_query[queries.codes] != labels.codes
    if is_used and differs.any():
        (query,) = queries.values[queries.codes[[np.argmax(differs)]]].tolist()
        raise ValueError(
            f"Query {query!r} of `keep_together` has rows of several {name}, so it cannot "
            "be held out with one of them; give a column whose queries are of one "
            f"{name.removesuffix('s')} each."
        )
    return replace(labels, codes=of_query)


def count_cut(queries: CodedLabels, train: np.ndarray, test: np.ndarray) -> int:
    """Return how many queries have rows in train and in test."""
    return int(np.count_nonzero(queries.present(train) & queries.present(test)))
