"""A grid search with its progress on screen, and its candidates as a table."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

import pandas as pd
from joblib import cpu_count, parallel_config
from sklearn.model_selection import GridSearchCV, ParameterGrid
from sklearn.utils.metadata_routing import MetadataRequest
from sklearn.utils.parallel import Parallel

from sklearn_rank._cli._progress import show_progress
from sklearn_rank._validation import require


def check_installed(package: str | None, extra: str, option: str) -> None:
    """Raise if the package that a model needs is missing."""
    if package is None:
        return
    try:
        import_module(package)
    except ImportError as error:
        raise require(package, extra, option) from error


def fit_search(
    estimator: Any,
    grid: list[dict[str, list]],
    scorer: Any,
    cv: Any,
    n_jobs: int,
    refit: bool | str = True,
    costs: Sequence[float] | None = None,
    **data: Any,
) -> GridSearchCV:
    """Return the fitted search, its best candidate fitted again on all rows.

    `scorer.metric` is what the progress shows; `data` are X, y and the metadata for `fit`.
    Of a dict of scores, "score" is what decides. `costs` say for each fit, in the order of
    candidates and then of folds, how much longer it takes than another.
    """
    n_fits = len(ParameterGrid(grid)) * cv.get_n_splits()
    with show_progress(f"Tuning by {scorer.metric}", n_fits, costs) as advance:
        search = GridSearchCV(
            estimator,
            grid,
            scoring=_CountedScorer(scorer, advance),
            cv=cv,
            refit=refit,
            error_score="raise",
        )
        with _threads(n_jobs):
            return search.fit(**data)


def run_jobs(jobs: Iterable[Any], n_jobs: int) -> list[Any]:
    """Return the results of what `delayed` made, several of them at the same time."""
    with _threads(n_jobs):
        return Parallel()(jobs)


def _threads(n_jobs: int) -> AbstractContextManager[Any]:
    """Return the setting for joblib.

    Threads: the fits spend their time in compiled code, share one table, and can tell the
    progress bar that they are done.
    """
    return parallel_config(backend="threading", n_jobs=_n_threads(n_jobs))


def _n_threads(n_jobs: int) -> int:
    """Return the fits at the same time; more than there are cores only take memory."""
    n_cores = cpu_count()
    return n_cores if n_jobs == -1 else min(n_jobs, n_cores)


def candidate_table(
    search: GridSearchCV,
    describe: Callable[[dict[str, Any]], str],
    model_of: Callable[[dict[str, Any]], str],
    beside: Iterable[str] = (),
) -> pd.DataFrame:
    """Return a row a candidate, best first: mean and spread over the folds.

    Of the metrics `beside` the one that decides there is the mean alone.
    """
    results = search.cv_results_
    folds = [f"split{fold}_test_score" for fold in range(search.n_splits_)]
    table = {
        "candidate": [describe(params) for params in results["params"]],
        "model": [model_of(params) for params in results["params"]],
        **_values(results["params"]),
        "mean_test_score": results["mean_test_score"],
        "std_test_score": results["std_test_score"],
        "rank_test_score": results["rank_test_score"],
        **{f"mean_test_{name}": results[f"mean_test_{name}"] for name in beside},
        **{fold: results[fold] for fold in folds},
        "mean_fit_time": results["mean_fit_time"],
        "mean_score_time": results["mean_score_time"],
    }
    return pd.DataFrame(table).sort_values(
        "rank_test_score", kind="stable", ignore_index=True
    )


def _values(candidates: list[dict[str, Any]]) -> dict[str, pd.Series]:
    """Return a column a parameter, empty where a candidate has it not."""
    # A key without "__" is the model itself.
    short = [
        {key.rpartition("__")[2]: value for key, value in params.items() if "__" in key}
        for params in candidates
    ]
    frame = pd.DataFrame(short, index=range(len(short))).convert_dtypes()
    return {str(name): frame[name] for name in frame}


class _CountedScorer:
    """A scorer that says when it is done."""

    def __init__(self, scorer: Any, advance: Callable[[], None]):
        self.scorer = scorer
        self.advance = advance

    def __call__(self, *args: Any, **metadata: Any) -> Any:
        score = self.scorer(*args, **metadata)
        self.advance()
        return score

    def get_metadata_routing(self) -> MetadataRequest:
        return self.scorer.get_metadata_routing()
