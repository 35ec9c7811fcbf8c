"""Rating errors beside the ranking metrics: scikit-learn's own, by name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import (
    mean_absolute_error,
    mean_squared_error,
    root_mean_squared_error,
)

from sklearn_rank._labels import encode_labels
from sklearn_rank._rows import Rows, group_input
from sklearn_rank._validation import (
    as_numbers,
    check_finite,
    check_one_a_row,
    check_weights,
)

__all__ = ["RATING_ERRORS", "RatingError", "Ratings", "read_ratings"]


@dataclass(frozen=True)
class RatingError:
    """An error of predicted ratings, over all rows, whatever their query."""

    name: str
    function: Callable[..., float]
    row_error: Callable[[np.ndarray], np.ndarray]
    of_mean: Callable[[np.ndarray], np.ndarray]
    lower_is_better: bool = True

    def mean(self, ratings: "Ratings") -> float:
        """Return the error over all rows (and, in the 2-D form, columns)."""
        weight = ratings.weight
        truth, score = ratings.truth, ratings.score
        if weight is not None and truth.ndim == 2:
            weight = np.repeat(weight, truth.shape[1])
        error = self.function(truth.ravel(), score.ravel(), sample_weight=weight)
        return float(error)

    def per_query(self, ratings: "Ratings") -> np.ndarray:
        """Return the error over the rows of each query, in the order of the labels."""
        row_error = self.row_error(ratings.truth - ratings.score)
        if row_error.ndim == 2:
            return self.of_mean(row_error.mean(axis=1))
        codes = encode_labels(ratings.groups, name="groups")[1]
        return self.of_mean(np.bincount(codes, row_error) / np.bincount(codes))


def _as_it_is(mean: np.ndarray) -> np.ndarray:
    return mean


RATING_ERRORS = {
    error.name: error
    for error in (
        RatingError("mae", mean_absolute_error, np.abs, _as_it_is),
        RatingError("mse", mean_squared_error, np.square, _as_it_is),
        RatingError("rmse", root_mean_squared_error, np.square, np.sqrt),
    )
}


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings and their predictions, checked: one form, one shape, no missing value."""

    truth: np.ndarray
    score: np.ndarray
    groups: Any  # of each row; None in the 2-D form, and where nobody asks for queries
    labels: np.ndarray  # of each query, in the order of the results
    weight: np.ndarray | None  # of each row of the input


def read_ratings(
    y_true: Any,
    y_score: Any,
    groups: Any,
    sample_weight: Any,
    *,
    by_query: bool,
    rows: Rows | None = None,
) -> Ratings:
    """Return the ratings; they need `groups` only where values `by_query` are asked for.

    `rows` are those of ranking metrics, where the same input was read for them before.
    """
    truth, score = _of_one_shape(_dense(y_true, "y_true"), _dense(y_score, "y_score"))
    if groups is None and truth.ndim == 1 and not by_query:
        weight = _row_weight(sample_weight, truth)
        return Ratings(truth, score, None, np.empty(0), weight)
    if rows is None:
        # Ratings may be negative, which grades may not be.
        grades = np.zeros(truth.shape)
        rows = group_input(grades, score, groups, sample_weight, judged_for="")
    if groups is not None:
        truth, score = truth.ravel(), score.ravel()
    weight = None if sample_weight is None else _floats(sample_weight, "sample_weight")
    return Ratings(truth, score, groups, rows.labels, weight)


def _of_one_shape(truth: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return both in one shape; a column beside a vector is taken for a vector."""
    if {truth.ndim, score.ndim} == {1, 2}:
        truth, score = (
            values[:, 0] if values.shape[1:] == (1,) else values
            for values in (truth, score)
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


def _row_weight(sample_weight: Any, truth: np.ndarray) -> np.ndarray | None:
    if sample_weight is None:
        return None
    weight = _floats(sample_weight, "sample_weight")
    check_one_a_row("sample_weight", weight, truth)
    return check_weights(weight)


def _dense(values: Any, name: str) -> np.ndarray:
    if sparse.issparse(values):
        raise ValueError(f"Rating errors need a dense `{name}`, got a sparse matrix.")
    numbers = _floats(values, name)
    check_finite(name, numbers)
    return numbers


def _floats(values: Any, name: str) -> np.ndarray:
    return as_numbers(values, name).astype(np.float64)
