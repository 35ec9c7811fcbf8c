"""Rating errors beside the ranking metrics: scikit-learn's definitions, by name."""

from functools import partial
from typing import Any

import numpy as np

from sklearn_rank.metrics._core._metric import Metric
from sklearn_rank.metrics._core._parameters import ZERO_OR_MORE
from sklearn_rank.metrics._core._prediction_errors import RatingErrors
from sklearn_rank.metrics._core._registry import register
from sklearn_rank.metrics._core._summaries import Ratio

__all__: list[str] = []  # the functions are scikit-learn's


def mean_absolute_error(y_true: Any, y_pred: Any) -> float:
    """Return that of scikit-learn."""
    from sklearn import metrics

    return metrics.mean_absolute_error(y_true, y_pred)


def mean_squared_error(y_true: Any, y_pred: Any) -> float:
    """Return that of scikit-learn."""
    from sklearn import metrics

    return metrics.mean_squared_error(y_true, y_pred)


def root_mean_squared_error(y_true: Any, y_pred: Any) -> float:
    """Return that of scikit-learn."""
    from sklearn import metrics

    return metrics.root_mean_squared_error(y_true, y_pred)


def mae(ratings: RatingErrors) -> Any:
    """Return the mean absolute error per query, and its number of rows."""
    return ratings.mean(np.abs(ratings.error))


def mse(ratings: RatingErrors) -> Any:
    """Return the mean squared error per query, and its number of rows."""
    return ratings.mean(np.square(ratings.error))


_declare = partial(Metric, rows="rated", range=ZERO_OR_MORE, lower_is_better=True)

METRICS = (
    _declare("mae", mean_absolute_error, mae, summary=Ratio()),
    _declare("mse", mean_squared_error, mse, summary=Ratio()),
    _declare("rmse", root_mean_squared_error, mse, summary=Ratio("root of squares")),
)

for _metric in METRICS:
    register(_metric)
