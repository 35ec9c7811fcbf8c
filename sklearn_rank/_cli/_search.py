"""The grid search over popularity and matrix factorisations."""

from argparse import Namespace
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from joblib import parallel_config
from sklearn.decomposition import TruncatedSVD
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from sklearn_rank._cli._arguments import InputError
from sklearn_rank._cli._periods import JUDGED, is_relevant
from sklearn_rank._cli._progress import show_progress
from sklearn_rank.model_selection import LeaveLastOut, TimeSplit
from sklearn_rank.recommenders import (
    MatrixFactorizationRecommender,
    PopularityRecommender,
)

__all__ = ["candidate_table", "popularity", "search_best"]

N_COMPONENTS = "recommender__estimator__n_components"
WEIGHTING = "recommender__weighting"
COMPONENTS = (4, 8, 16, 32, 64, 128)
WEIGHTINGS = ("binary", "log")
# With hardly any weight but 1 the weightings are the same model.
FEW_REPEATS = 0.05


def popularity() -> PopularityRecommender:
    """Return the baseline."""
    return PopularityRecommender(user="user", item="item")


def search_best(
    X: pd.DataFrame, y: np.ndarray | None, scorer: Callable, options: Namespace
) -> GridSearchCV:
    """Return the fitted search, its best candidate fitted again on all of X."""
    splitter = _splitter(options)
    folds = _check_folds(splitter, X, y, options)
    grid = _grid(X, y, _smallest_train(X, folds))
    n_fits = options.folds * sum(
        int(np.prod([len(values) for values in part.values()])) for part in grid
    )
    with show_progress(f"Tuning by {options.metric}", n_fits) as advance:

        def score(estimator: Any, X: Any, y: Any = None) -> float:
            relevant = is_relevant(y, len(X), options.min_relevance)
            value = scorer(estimator, X[relevant], None if y is None else y[relevant])
            advance()
            return value

        search = GridSearchCV(
            Pipeline([("recommender", popularity())]),
            grid,
            scoring=score,
            cv=splitter,
            n_jobs=options.jobs,
            error_score="raise",
        )
        # Threads: the fits spend their time in NumPy, share one log, and can tell the
        # progress bar that they are done.
        with parallel_config(backend="threading"):
            return search.fit(X, y)


def candidate_table(search: GridSearchCV) -> pd.DataFrame:
    """Return a row a candidate, best first: mean and spread over the folds."""
    results = search.cv_results_
    parameters = pd.DataFrame(results["params"])
    folds = [f"split{fold}_test_score" for fold in range(search.n_splits_)]
    table = {
        "candidate": [_describe(params) for params in results["params"]],
        "n_components": parameters[N_COMPONENTS].astype("Int64"),
        "weighting": parameters[WEIGHTING],
        "mean_test_score": results["mean_test_score"],
        "std_test_score": results["std_test_score"],
        "rank_test_score": results["rank_test_score"],
        **{fold: results[fold] for fold in folds},
        "mean_fit_time": results["mean_fit_time"],
        "mean_score_time": results["mean_score_time"],
    }
    return pd.DataFrame(table).sort_values(
        "rank_test_score", kind="stable", ignore_index=True
    )


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


def _grid(X: pd.DataFrame, y: np.ndarray | None, smallest: int) -> list[dict]:
    components = [n for n in COMPONENTS if n < smallest] or [1]
    has_weights = y is not None or X.duplicated(["user", "item"]).mean() > FEW_REPEATS
    factorisation = MatrixFactorizationRecommender(
        TruncatedSVD(random_state=0), weighting="binary", user="user", item="item"
    )
    return [
        {"recommender": [popularity()]},
        {
            "recommender": [factorisation],
            N_COMPONENTS: components,
            WEIGHTING: WEIGHTINGS if has_weights else WEIGHTINGS[:1],
        },
    ]


def _describe(params: dict[str, Any]) -> str:
    if WEIGHTING not in params:
        return "popularity"
    return (
        f"matrix factorisation, {params[N_COMPONENTS]} components, "
        f"{params[WEIGHTING]} weights"
    )
