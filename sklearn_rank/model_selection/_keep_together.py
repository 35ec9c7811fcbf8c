"""Whole queries as the units that a splitter holds out, in place of rows."""

from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rank._labels._encode import encode_labels
from sklearn_rank._runs import begins_run
from sklearn_rank._tables._columns import take_column
from sklearn_rank._tables._log import Labels, Log
from sklearn_rank._validation import shorten


def queries_of_rows(X: Any, column: Any, *, name: str) -> Labels:
    """Return the query of each row, from a column of X."""
    if X is None:
        raise ValueError(
            f"`{name}={shorten(column)}` names a column of X, but X is None; pass X."
        )
    return Labels(*encode_labels(take_column(X, column, name=name), name=name))


def log_of_queries(log: Log, queries: Labels, *, needs_users: bool) -> Log:
    """Return the log with a row a query: its user, and the time of its last row.

    So a query is in train only if it had ended before the test began.
    """
    n_queries = len(queries.values)
    users, times = None, log.times
    if log.users is not None:
        of_query = np.empty(n_queries, dtype=log.users.codes.dtype)
        of_query[queries.codes] = log.users.codes
        if needs_users:
            _check_users(of_query, log, queries)
        users = replace(log.users, codes=of_query)
    if times is not None:
        order = np.lexsort((times.values, queries.codes))
        is_last = begins_run(queries.codes[order][::-1])[::-1]
        times = replace(times, values=times.values[order[is_last]])
    return Log(n_queries, users=users, times=times)


def _check_users(of_query: np.ndarray, log: Log, queries: Labels) -> None:
    differs = of_query[queries.codes] != log.users.codes
    if differs.any():
        (query,) = queries.values[queries.codes[[np.argmax(differs)]]].tolist()
        raise ValueError(
            f"Query {query!r} of `keep_together` has rows of several users, so it cannot "
            "be held out with one of them; give a column whose queries are of one user "
            "each."
        )


def count_cut(queries: Labels, train: np.ndarray, test: np.ndarray) -> int:
    """Return how many queries have rows in train and in test."""
    return int(np.count_nonzero(queries.present(train) & queries.present(test)))
