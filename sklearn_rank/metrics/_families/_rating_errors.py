"""Rating errors beside the ranking metrics: scikit-learn's definitions, by name."""

from typing import Any

import numpy as np
from sklearn.metrics import mean_absolute_error, mean_squared_error, root_mean_squared_error

from sklearn_rank.metrics._core._metric import Metric
from sklearn_rank.metrics._core._parameters import ZERO_OR_MORE
from sklearn_rank.metrics._core._prediction_errors import RatingErrors
from sklearn_rank.metrics._core._summaries import Ratio


def mae(ratings: RatingErrors) -> Any:
    """Return the mean absolute error per query, and its number of rows."""
    return ratings.mean(np.abs(ratings.error))


def mse(ratings: RatingErrors) -> Any:
    """Return the mean squared error per query, and its number of rows."""
    return ratings.mean(np.square(ratings.error))


_DECLARATION: dict[str, Any] = {
    "rows": "rated",
    "range": ZERO_OR_MORE,
    "lower_is_better": True,
}
_ROOT_OF_MEAN = Ratio("root of squares")

METRICS = (
    Metric("mae", mean_absolute_error, mae, summary=Ratio(), **_DECLARATION),
    Metric("mse", mean_squared_error, mse, summary=Ratio(), **_DECLARATION),
    Metric("rmse", root_mean_squared_error, mse, summary=_ROOT_OF_MEAN, **_DECLARATION),
)
