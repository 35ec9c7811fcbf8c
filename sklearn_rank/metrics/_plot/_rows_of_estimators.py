"""Rows for a display: what fitted estimators predict for the rows of X."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from sklearn_rank._arrays._runs import sizes_of
from sklearn_rank._ranking._read_rows import read_rows
from sklearn_rank._tables._columns import take_column, take_rows
from sklearn_rank.metrics._plot._fold_labels import name_queries, number_queries
from sklearn_rank.metrics._scorers._find_recommender import (
    columns_of_log,
    find_recommender,
    recommends,
)
from sklearn_rank.metrics._scorers._held_out import read_held_out, rows_of_recommender
from sklearn_rank.metrics._scorers._inside_estimators import queries_of_ranker
from sklearn_rank.metrics._scorers._protocol import training_data_of
from sklearn_rank.metrics._scorers._ranking_scorer import check_rows
from sklearn_rank.metrics._scorers._responses import (
    RESPONSES,
    check_no_class,
    response_to,
)


def rows_of_estimator(
    estimator: Any,
    X: Any,
    y: Any,
    groups: Any,
    *,
    user: Any,
    item: Any,
    k: int | None,
    response_method: Any = RESPONSES,
    return_items: bool = False,
) -> Bunch:
    """Return y_true, y_score and groups of a fitted ranker or recommender."""
    check_no_class(estimator)
    check_rows("The display", X)
    if isinstance(estimator, BaseEstimator):
        check_is_fitted(estimator)
    if groups is None and recommends(estimator):
        return _rows_of_recommender(estimator, X, y, user, item, k, return_items)
    if y is None:
        raise ValueError("`y`, the relevance of each row, is needed to judge a ranker.")
    labels = _labels(X, groups)
    if labels is None:
        labels = queries_of_ranker(estimator, X)
    if labels is None and np.ndim(y) == 1:
        raise ValueError(
            "`groups` is needed to tell which rows are ranked together: give one label a "
            "row, or the column of X that holds them, by name or position."
        )
    score = response_to(estimator, X, y, response_method, labels)
    return Bunch(y_true=y, y_score=score, groups=labels)


def rows_of_cv(
    cv_results: Any,
    X: Any,
    y: Any,
    groups: Any,
    *,
    user: Any,
    item: Any,
    k: int | None,
    return_items: bool = False,
) -> Bunch:
    """Return the held-out rows of all folds, each judged by the estimator of its fold.

    `_held_out` is what is known of their queries, if a fold shares some with another one.
    """
    is_dict = isinstance(cv_results, Mapping)
    missing = {"estimator", "indices"}.difference(cv_results if is_dict else ())
    if missing:
        raise ValueError(
            "`cv_results` must come from cross_validate(..., return_estimator=True, "
            f"return_indices=True); it lacks {sorted(missing)}."
        )
    labels = _labels(X, groups)
    folds = []
    tests = cv_results["indices"]["test"]
    for estimator, test in zip(cv_results["estimator"], tests, strict=True):
        in_fold = [None if v is None else take_rows(v, test) for v in (X, y, labels)]
        rows = rows_of_estimator(
            estimator,
            *in_fold,
            user=user,
            item=item,
            k=k,
            return_items=return_items,
        )
        folds.append(rows)
    if folds[0].groups is None:
        names, held_out = None, number_queries(tests)
    else:
        names, held_out = name_queries([fold.groups for fold in folds])
    rows = Bunch(
        y_true=np.concatenate([np.asanyarray(fold.y_true) for fold in folds]),
        y_score=np.concatenate([np.asarray(fold.y_score) for fold in folds]),
        groups=names,
        _held_out=held_out,
    )
    if "items" in folds[0]:
        rows["items"] = np.concatenate([fold["items"] for fold in folds])
    return rows


def longest_list(y_true: Any, y_score: Any, groups: Any) -> int:
    """Return the number of rows retrieved for the query with most of them."""
    rows = read_rows(y_true, y_score, groups, None, judged_for="the picture")
    n_rows = sizes_of(rows.starts)
    n_retrieved = n_rows if rows.n_missed is None else n_rows - rows.n_missed
    return max(int(n_retrieved.max()), 1)


def name_of(estimator: Any) -> str:
    """Return the name under which an estimator is drawn; of a search, that of its best."""
    return type(getattr(estimator, "best_estimator_", estimator)).__name__


def _labels(X: Any, groups: Any) -> Any:
    is_column = isinstance(groups, str | int | np.integer)
    return take_column(X, groups, name="groups") if is_column else groups


def _rows_of_recommender(
    estimator: Any,
    X: Any,
    y: Any,
    user: Any,
    item: Any,
    k: int | None,
    return_items: bool,
) -> Bunch:
    recommender = find_recommender(estimator)
    catalogue = training_data_of(recommender).items
    if k is None and catalogue is None:
        raise TypeError(
            f"{type(recommender).__name__} has no `items_`, so its whole catalogue cannot "
            "be ranked; draw a metric with a cutoff, such as 'ndcg@10'."
        )
    lengths = (k, None if catalogue is None else len(catalogue))
    k = max(min(length for length in lengths if length is not None), 1)
    user, item = columns_of_log(
        estimator, X, user, item, owner="The display", kind="display"
    )
    held_out = read_held_out(X, y, user=user, item=item)
    rows = rows_of_recommender(recommender, held_out, k, return_items=return_items)
    rows.groups = held_out.users[rows.groups]
    return rows
