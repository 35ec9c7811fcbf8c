"""The grid search of recommenders, over folds in time."""

from argparse import Namespace
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._grid_search import fit_search
from sklearn_rank._cli.tune._candidates import grid_of, popularity
from sklearn_rank._cli.tune._periods import JUDGED, is_relevant
from sklearn_rank.model_selection import LeaveLastOut, TimeSplit


def search_best(
    X: pd.DataFrame,
    y: np.ndarray | None,
    models: tuple[str, ...],
    scorer: Callable,
    options: Namespace,
) -> GridSearchCV:
    """Return the fitted search, its best candidate fitted again on all of X."""
    splitter = _splitter(options)
    folds = _check_folds(splitter, X, y, options)
    grid = grid_of(models, X, y, _smallest_train(X, folds))

    def score(estimator: Any, X: Any, y: Any = None) -> float:
        relevant = is_relevant(y, len(X), options.min_relevance)
        return scorer(estimator, X[relevant], None if y is None else y[relevant])

    pipeline = Pipeline([("recommender", popularity())])
    return fit_search(pipeline, grid, score, splitter, options, X=X, y=y)


def _splitter(options: Namespace) -> TimeSplit | LeaveLastOut:
    if options.cv == "last":
        return LeaveLastOut(n_splits=options.folds, **JUDGED)
    # As long as the last period, but at least half of the rows stay for training.
    test_size = min(options.holdout, 0.5 / options.folds)
    return TimeSplit(n_splits=options.folds, test_size=test_size, **JUDGED)


def _check_folds(
    splitter: TimeSplit | LeaveLastOut,
    X: pd.DataFrame,
    y: np.ndarray | None,
    options: Namespace,
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the rows of each fold, so that what is wrong comes up before the search."""
    try:
        folds = list(splitter.split(X))
    except ValueError as error:
        raise InputError(
            f"The training period cannot be cut into --folds {options.folds} by "
            f"--cv {options.cv}: {error}"
        ) from error
    relevant = is_relevant(y, len(X), options.min_relevance)
    if not all(relevant[test].any() for _, test in folds):
        raise InputError(
            f"One of --folds {options.folds} has no relevant row; take fewer folds, or "
            "lower --min-relevance."
        )
    return folds


def _smallest_train(X: pd.DataFrame, folds: list[tuple[np.ndarray, np.ndarray]]) -> int:
    """Return the fewest users or items that a fold trains on."""
    return min(
        X[column].iloc[train].nunique() for train, _ in folds for column in ("user", "item")
    )
