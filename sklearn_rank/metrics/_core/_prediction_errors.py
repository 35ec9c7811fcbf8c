"""Ratings and predictions by query, for rating errors."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._base._exact_sum import sums_within
from sklearn_rank._base._labels import encode_labels
from sklearn_rank._base._numbers import (
    as_floats,
    check_finite,
    check_query_weight,
    is_sparse,
)
from sklearn_rank._ranking._rows import Queries, Rows, read_rows


@dataclass(frozen=True, eq=False)
class RatingErrors:
    """Ratings minus predictions, with the query of each, in the order of the labels.

    Without groups each row is a query of its own.
    """

    queries: Queries
    error: np.ndarray
    query: np.ndarray | None  # of each error; if None, each has one of its own

    def mean(self, of_row: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Return the mean over the rows of each query, and the numbers of rows."""
        if self.query is None:
            return of_row, None
        n_rows = np.bincount(self.query).astype(np.float64)
        return sums_within(self.query, of_row, len(n_rows)) / n_rows, n_rows


def read_ratings(
    y_true: Any,
    y_score: Any,
    groups: Any,
    sample_weight: Any,
    *,
    by_query: bool,
    rows: Rows | None = None,
) -> RatingErrors:
    """Return the ratings; they need `groups` only where values `by_query` are asked for.

    `rows` are those of ranking metrics, where the same input was read for them before.
    """
    truth, score = _read_dense(y_true, "y_true"), _read_dense(y_score, "y_score")
    truth, score = _match_shapes(truth, score)
    if groups is None and truth.ndim == 1 and not by_query:
        weight = check_query_weight(sample_weight, len(truth), "row")
        queries = Queries(np.arange(len(truth)), weight=weight)
        return RatingErrors(queries, truth - score, None)
    if rows is None:  # ratings may be negative, which grades may not be
        rows = read_rows(np.zeros(truth.shape), score, groups, sample_weight)
    error = (truth - score).ravel()
    if groups is None:
        query = np.repeat(np.arange(truth.shape[0]), truth.shape[1])
    else:
        query = encode_labels(groups, name="groups")[1]
    return RatingErrors(rows.queries, error, query)


def _match_shapes(truth: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return both in one shape; a column beside a vector is taken for a vector."""
    if {truth.ndim, score.ndim} == {1, 2}:
        both = (truth, score)
        truth, score = (
            values[:, 0] if values.shape[1:] == (1,) else values for values in both
        )
    if truth.shape != score.shape or truth.ndim not in (1, 2):
        raise ValueError(
            f"`y_true` has shape {truth.shape}, but `y_score` has {score.shape}; rating "
            "errors need one prediction for each rating, in one or two dimensions."
        )
    if truth.size == 0:
        raise ValueError(
            f"`y_true` is empty, got shape {truth.shape}; nothing can be scored."
        )
    return truth, score


def _read_dense(values: Any, name: str) -> np.ndarray:
    if is_sparse(values):
        raise ValueError(f"Rating errors need a dense `{name}`, got a sparse matrix.")
    numbers = as_floats(values, name)
    check_finite(name, numbers)
    return numbers
