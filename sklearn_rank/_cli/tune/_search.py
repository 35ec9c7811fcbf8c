"""The grid search of recommenders, over folds in time."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._grid_search import fit_search
from sklearn_rank._cli.tune._candidates import grid_of
from sklearn_rank._cli.tune._periods import SPLITTER_OPTIONS
from sklearn_rank._cli.tune._scorer import RelevantRowsScorer
from sklearn_rank.model_selection import LeaveLastOut, TimeSplit
from sklearn_rank.recommenders import PopularityRecommender


@dataclass(frozen=True)
class RecommenderSearch:
    """A grid search, once it knows its candidates and the rows to train on."""

    scorer: RelevantRowsScorer
    cv: str  # "time" or "last"
    n_folds: int
    holdout: float  # share of the rows in the last period
    n_jobs: int

    def fit(
        self, models: tuple[str, ...], X: pd.DataFrame, y: np.ndarray | None
    ) -> GridSearchCV:
        """Return the fitted search, its best candidate fitted again on all of X."""
        splitter = self._splitter()
        folds = self._check_folds(splitter, X, y)
        grid = grid_of(models, X, y, _smallest_train(X, folds))
        # Each candidate takes the place of the recommender.
        pipeline = Pipeline([("recommender", PopularityRecommender())])
        return fit_search(
            pipeline, grid, self.scorer, splitter, self.n_jobs, "score", X=X, y=y
        )

    def _splitter(self) -> TimeSplit | LeaveLastOut:
        if self.cv == "last":
            return LeaveLastOut(n_splits=self.n_folds, **SPLITTER_OPTIONS)
        # As long as the last period, but at least half of the rows stay for training.
        test_size = min(self.holdout, 0.5 / self.n_folds)
        return TimeSplit(n_splits=self.n_folds, test_size=test_size, **SPLITTER_OPTIONS)

    def _check_folds(
        self, splitter: TimeSplit | LeaveLastOut, X: pd.DataFrame, y: np.ndarray | None
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the rows of each fold; what is wrong comes up before the search."""
        try:
            folds = list(splitter.split(X))
        except ValueError as error:
            raise InputError(
                f"The training period cannot be cut into --folds {self.n_folds} by "
                f"--cv {self.cv}: {error}"
            ) from error
        is_relevant = self.scorer.relevant_rows(X, y)
        if not all(is_relevant[test].any() for _, test in folds):
            raise InputError(
                f"One of --folds {self.n_folds} has no relevant row; take fewer folds, or "
                "lower --min-relevance."
            )
        return folds


def _smallest_train(X: pd.DataFrame, folds: list[tuple[np.ndarray, np.ndarray]]) -> int:
    """Return the fewest users or items that a fold trains on."""
    return min(
        X[column].iloc[train].nunique() for train, _ in folds for column in ("user", "item")
    )
