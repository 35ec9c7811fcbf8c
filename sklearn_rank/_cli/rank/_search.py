"""The grid search of rankers, over folds of whole queries."""

from argparse import Namespace

import sklearn
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import Pipeline

from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._grid_search import fit_search
from sklearn_rank._cli.rank._queries import Queries
from sklearn_rank._cli.rank._rankers import default_ranker, grid_of
from sklearn_rank._cli.rank._scorer import Judge


def search_best(train: Queries, judge: Judge, options: Namespace) -> GridSearchCV:
    """Return the fitted search, its best candidate fitted again on all queries."""
    splitter = GroupKFold(options.folds)
    _check_folds(splitter, train, judge)
    pipeline = Pipeline([("model", default_ranker(options.model))])
    data = {"X": train.X, "y": train.y, "groups": train.groups}
    grid = grid_of(options.model)
    with sklearn.config_context(enable_metadata_routing=True):
        return fit_search(pipeline, grid, judge, splitter, options, **data)


def _check_folds(splitter: GroupKFold, train: Queries, judge: Judge) -> None:
    n_folds, n_queries = splitter.get_n_splits(), len(train.sizes)
    if n_folds > n_queries:
        raise InputError(
            f"--folds {n_folds} are more than the {n_queries} queries of {train.source!r}; "
            "take fewer folds."
        )
    is_judged = judge.judged_rows(train.y, train.groups)
    for _, test in splitter.split(train.X, groups=train.groups):
        if not is_judged[test].any():
            raise InputError(
                f"One of --folds {n_folds} has no query for which {judge.named.name} is "
                "defined; take fewer folds."
            )
