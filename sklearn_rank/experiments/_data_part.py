"""Rows to fit on or to judge by, and one fit and score of an estimator on them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.model_selection import KFold
from sklearn.utils.validation import has_fit_parameter

from sklearn_rank._tables._columns import count_rows, take_rows
from sklearn_rank.model_selection._fit_folds import Routed, fit_on, route, score_on

# Of each fold the rows to fit on and to judge by.
Folds = list[tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class DataPart:
    """Some rows of the data."""

    X: Any
    y: Any = None
    groups: Any = None
    counts: np.ndarray | None = None  # mask of the rows to judge by; None: all

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return count_rows(self.X, name="X")

    def take(self, rows: np.ndarray) -> "DataPart":
        """Return some of the rows."""
        y, groups, counts = (
            None if values is None else take_rows(values, rows)
            for values in (self.y, self.groups, self.counts)
        )
        return DataPart(take_rows(self.X, rows), y, groups, counts)

    def fit(self, estimator: Any, scorer: Any, rows: np.ndarray | None = None) -> Any:
        """Return the estimator, fitted on the rows, or on all."""
        rows = np.arange(self.n_rows) if rows is None else rows
        with _routing_for(estimator):
            return fit_on(estimator, self.X, self.y, rows, self._route(estimator, scorer))

    def score(
        self,
        score: Callable,
        estimator: Any,
        scorer: Any,
        rows: np.ndarray | None = None,
    ) -> Any:
        """Return what `score`, the scorer or a method of it, finds on rows that count."""
        rows = np.arange(self.n_rows) if rows is None else rows
        rows = rows if self.counts is None else rows[self.counts[rows]]
        with _routing_for(estimator):
            routed = self._route(estimator, scorer)
            return score_on(score, estimator, self.X, self.y, rows, routed)

    def _route(self, estimator: Any, scorer: Any) -> Routed:
        return route("tune_models", estimator, scorer, KFold(), self.groups, {})


@contextmanager
def _routing_for(estimator: Any) -> Iterator[None]:
    """Route groups through estimators that do not take them themselves: pipelines."""
    if has_fit_parameter(estimator, "groups"):
        yield
        return
    with config_context(enable_metadata_routing=True):
        yield
