"""The grid search of rankers, over folds of whole queries."""

import sklearn
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import Pipeline

from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._grid_search import fit_search
from sklearn_rank._cli.rank._candidates import grid_of
from sklearn_rank._cli.rank._queries import Queries
from sklearn_rank._cli.rank._rankers import RANKERS
from sklearn_rank._cli.rank._scorer import DefinedQueriesScorer


def search_best(
    model: str, train: Queries, scorer: DefinedQueriesScorer, n_folds: int, n_jobs: int
) -> GridSearchCV:
    """Return the fitted search, its best candidate fitted again on all queries."""
    splitter = GroupKFold(n_folds)
    _check_folds(splitter, train, scorer)
    pipeline = Pipeline([("model", RANKERS[model].make())])
    data = {"X": train.X, "y": train.y, "groups": train.groups}
    with sklearn.config_context(enable_metadata_routing=True):
        return fit_search(pipeline, grid_of(model), scorer, splitter, n_jobs, **data)


def _check_folds(
    splitter: GroupKFold, train: Queries, scorer: DefinedQueriesScorer
) -> None:
    n_folds, n_queries = splitter.get_n_splits(), len(train.sizes)
    if n_folds > n_queries:
        raise InputError(
            f"--folds {n_folds} are more than the {n_queries} queries of {train.source!r}; "
            "take fewer folds."
        )
    is_defined = scorer.defined_rows(train.y, train.groups)
    for _, test in splitter.split(train.X, groups=train.groups):
        if not is_defined[test].any():
            raise InputError(
                f"One of --folds {n_folds} has no query for which {scorer.named.name} is "
                "defined; take fewer folds."
            )
