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
from sklearn_rank._validation import as_numbers

__all__ = ["RATING_ERRORS", "RatingError", "rating_error", "rating_error_per_query"]


@dataclass(frozen=True)
class RatingError:
    """An error of predicted ratings, over all rows, whatever their query."""

    name: str
    function: Callable[..., float]
    row_error: Callable[[np.ndarray], np.ndarray]
    of_mean: Callable[[np.ndarray], np.ndarray]
    lower_is_better: bool = True


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


def rating_error(
    error: RatingError, y_true: Any, y_score: Any, sample_weight: Any
) -> float:
    """Return the error over all rows (and, in the 2-D form, columns)."""
    truth, score = _dense(y_true, "y_true"), _dense(y_score, "y_score")
    if sample_weight is not None and truth.ndim == 2:
        sample_weight = np.repeat(sample_weight, truth.shape[1])
    truth, score = truth.reshape(-1), score.reshape(-1)
    return float(error.function(truth, score, sample_weight=sample_weight))


def rating_error_per_query(
    error: RatingError, y_true: Any, y_score: Any, groups: Any
) -> np.ndarray:
    """Return the error over the rows of each query, in the order of the labels."""
    truth, score = _dense(y_true, "y_true"), _dense(y_score, "y_score")
    row_error = error.row_error(truth - score)
    if truth.ndim == 2:
        return error.of_mean(row_error.mean(axis=1))
    codes = encode_labels(groups, name="groups")[1]
    return error.of_mean(np.bincount(codes, row_error) / np.bincount(codes))


def _dense(values: Any, name: str) -> np.ndarray:
    if sparse.issparse(values):
        raise ValueError(f"Rating errors need a dense `{name}`, got a sparse matrix.")
    return as_numbers(values, name).astype(np.float64)
