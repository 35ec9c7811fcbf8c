"""The grid search of recommenders, over folds of the training rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV, ParameterGrid
from sklearn.pipeline import Pipeline

from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._format import counted
from sklearn_rank._cli._grid_search import fit_search
from sklearn_rank._cli.tune._candidates import family_of, grid_of
from sklearn_rank._cli.tune._log_size import LogSize
from sklearn_rank._cli.tune._recommenders import RECOMMENDERS
from sklearn_rank._cli.tune._scorer import RelevantRowsScorer
from sklearn_rank._cli.tune._ways import JUDGED_BY, WAYS
from sklearn_rank._tables._check_times import far_rows
from sklearn_rank._tables._times import read_times
from sklearn_rank.recommenders import PopularityRecommender


@dataclass(frozen=True)
class RecommenderSearch:
    """A grid search, once it knows its candidates and the rows to train on."""

    scorer: RelevantRowsScorer
    cv: str  # a key of WAYS
    n_folds: int
    holdout: float  # share of the rows held out in the end
    n_jobs: int

    def fit(
        self, models: tuple[str, ...], X: pd.DataFrame, y: np.ndarray | None
    ) -> GridSearchCV:
        """Return the fitted search, its best candidate fitted again on all of X."""
        splitter = WAYS[self.cv].cut(self.n_folds, self.holdout, **JUDGED_BY)
        folds = self._check_folds(splitter, X, y)
        grid = grid_of(models, X, y, _smallest_train(X, folds))
        # Each candidate takes the place of the recommender.
        pipeline = Pipeline([("recommender", PopularityRecommender())])
        size = LogSize.of(X)
        costs = [
            RECOMMENDERS[family_of(params)].cost_on(size)
            for params in ParameterGrid(grid)
            for _ in folds
        ]
        return fit_search(
            pipeline, grid, self.scorer, splitter, self.n_jobs, "score", costs, X=X, y=y
        )

    def _check_folds(
        self, splitter: Any, X: pd.DataFrame, y: np.ndarray | None
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the rows of each fold; what is wrong comes up before the search."""
        way = WAYS[self.cv]
        self._check_newest(X)
        try:
            folds = list(splitter.split(X))
        except ValueError as error:
            raise InputError(
                f"The {way.training} ({counted(len(X), 'row')} of "
                f"{counted(X['user'].nunique(), 'user')}) cannot be cut into --folds "
                f"{self.n_folds} by --cv {self.cv}: that needs {way.fold_needs}, and in "
                "each fold items that are new to their user. Lower --folds, or change --cv."
            ) from error
        for train, _ in folds:
            self._check_newest(X.iloc[train])
        is_relevant = self.scorer.relevant_rows(X, y)
        if not all(is_relevant[test].any() for _, test in folds):
            raise InputError(
                f"One of --folds {self.n_folds} has no relevant row; take fewer folds, or "
                "lower --min-relevance."
            )
        return folds

    def _check_newest(self, X: pd.DataFrame) -> None:
        """Raise where the rows to train on end just after a long pause of the log."""
        far = far_rows(read_times(X["time"])) if "time" in X else None
        if far is not None:
            raise InputError(
                f"A {WAYS[self.cv].training} of --folds {self.n_folds} and --holdout "
                f"{self.holdout} ends just after a pause that begins at {far.newest}, with "
                f"{counted(far.n, 'row')} from which half-lives would count. Choose "
                "another --holdout or --folds."
            )


def _smallest_train(X: pd.DataFrame, folds: list[tuple[np.ndarray, np.ndarray]]) -> int:
    """Return the fewest users or items that a fold trains on."""
    return min(
        X[column].iloc[train].nunique() for train, _ in folds for column in ("user", "item")
    )
