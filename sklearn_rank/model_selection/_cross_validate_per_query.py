"""Cross-validation that keeps the value of every query, not the mean of every fold."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter

from sklearn_rank._base._labels import encode_labels
from sklearn_rank._base._messages import (
    add_texts,
    call_keeping_texts,
    keep_warnings,
    warn_misleading,
)
from sklearn_rank._base._numbers import as_numbers, has_rows
from sklearn_rank._base._validation import check_given, check_mapping, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._coded_labels import CodedLabels
from sklearn_rank.inputs._columns import (
    count_rows,
    is_position,
    require_rows,
    take_column,
    take_rows,
)
from sklearn_rank.inputs._fitted_queries import CUT_QUERIES, describe_cut_queries
from sklearn_rank.inputs._interaction_log import count_rows_of
from sklearn_rank.metrics import make_ranking_scorer, make_recommender_scorer
from sklearn_rank.metrics._core._per_query import PerQueryScores, join_results
from sklearn_rank.metrics._scorers._inside_estimators import (
    has_recommender,
    queries_of_ranker,
)
from sklearn_rank.metrics._scorers._metric_scorer import MetricScorer
from sklearn_rank.model_selection._describe_split import (
    check_splitter,
    find_usual_column,
    is_iterable_of_folds,
    read_folds,
)
from sklearn_rank.model_selection._interaction_splitter import (
    InteractionSplitter,
    count_cut_queries,
)
from sklearn_rank.typing import ArrayLike, Column, Estimator, Folds, Labels, Metrics, Table

# One fold: fit on some rows, score on others, with the metadata of these rows.


class RoutedMetadata(NamedTuple):
    """Which metadata go to the splitter, to `fit` and to the scorer."""

    split: Mapping[str, Any]
    fit: Mapping[str, Any]
    score: Mapping[str, Any]

    @property
    def groups(self) -> Any:
        """The query of each row, if the scorer takes it."""
        return self.score.get("groups")


def route_metadata(
    owner: str, estimator: Any, scorer: Any, cv: Any, groups: Any, params: Mapping[str, Any]
) -> RoutedMetadata:
    """Return what goes where; `owner` is the function that errors name."""
    metadata = params if groups is None else {"groups": groups, **params}
    if get_config()["enable_metadata_routing"]:
        return _route_by_requests(owner, estimator, scorer, cv, metadata)
    groups = metadata.get("groups")
    fits_groups = has_fit_parameter(estimator, "groups") and groups is not None
    fit = metadata if fits_groups else params
    score = {"groups": groups} if hasattr(scorer, "groups") else {}
    return RoutedMetadata({"groups": groups}, fit, score)


def _route_by_requests(
    owner: str, estimator: Any, scorer: Any, cv: Any, metadata: Mapping[str, Any]
) -> RoutedMetadata:
    def map_fit(method: str) -> MethodMapping:
        return MethodMapping().add(caller="fit", callee=method)

    router = MetadataRouter(owner=owner)
    router.add(splitter=cv, method_mapping=map_fit("split"))
    router.add(estimator=estimator, method_mapping=map_fit("fit"))
    router.add(scorer=scorer, method_mapping=map_fit("score"))
    routed = process_routing(router, "fit", **metadata)
    return RoutedMetadata(routed.splitter.split, routed.estimator.fit, routed.scorer.score)


@dataclass(frozen=True)
class RoutedData:
    """The rows of all folds, and the metadata that go with them."""

    X: Any
    y: Any
    routed: RoutedMetadata

    def fit(self, estimator: Any, rows: np.ndarray) -> Any:
        """Return the estimator, fitted on some rows."""
        estimator.fit(*self._take(rows), **self._metadata(self.routed.fit, rows))
        return estimator

    def score(self, score: Callable, estimator: Any, rows: np.ndarray) -> Any:
        """Return what `score`, a scorer or a method of it, finds on some rows."""
        metadata = {n: value for n, value in self.routed.score.items() if value is not None}
        return score(estimator, *self._take(rows), **self._metadata(metadata, rows))

    def _take(self, rows: np.ndarray) -> Iterator[Any]:
        """Yield the rows of X, and of y if there is one."""
        for values in (self.X,) if self.y is None else (self.X, self.y):
            yield take_rows(values, rows)

    def _metadata(self, metadata: Mapping[str, Any], rows: np.ndarray) -> dict[str, Any]:
        """Return values of rows for some rows only, and anything else as it is."""
        n_rows = count_rows_of(self.X)
        return {
            name: take_rows(value, rows)
            if has_rows(value) and count_rows(value, name="params") == n_rows
            else value
            for name, value in metadata.items()
        }


@explained
@keep_warnings
def cross_validate_per_query(
    estimator: Estimator,
    X: Table,
    y: ArrayLike | None = None,
    *,
    metrics: Metrics | MetricScorer = ("ndcg@10",),
    groups: Labels | Column | None = None,
    user: Column | None = None,
    item: Column | None = None,
    convention: str | None = None,
    cv: Folds | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: Mapping[str, Any] | None = None,
    pre_dispatch: int | str = "2*n_jobs",
) -> PerQueryScores:
    """Cross-validate a ranker or recommender and return the values of all queries.

    `cross_validate` and `GridSearchCV` weigh folds, however many queries these hold.
    Confidence intervals and tests need the queries themselves: here are those of all folds,
    each with its label and its fold. Two estimators that are given the same `cv` get their
    values in the same order, so they can be compared query by query.

    Parameters
    ----------
    estimator : estimator
        A ranker, or any estimator that scores rows; or a recommender, which is asked for
        lists unless `y` and `groups` are given. Pipelines and searches as well. It is
        cloned for every fold.
    X : {array-like, sparse matrix, dataframe} of shape (n_rows, n_columns)
        Rows to fit and to rank; interactions for a recommender.
    y : array-like of shape (n_rows,) or (n_queries, n_items), default=None
        Relevance grades. Recommenders need none.
    metrics : str, callable, sequence of these, or scorer, default=("ndcg@10",)
        Names such as ``"ndcg@10"`` or functions of :mod:`sklearn_rank.metrics`. Or the
        scorer of a search, from :func:`make_ranking_scorer` or
        :func:`make_recommender_scorer`: it says how to score, its ``response_method``,
        ``min_relevance``, columns, or what may be recommended.
    groups : array-like of shape (n_rows,), str or int, default=None
        Query of each row, or the column of X that holds it, by name or by position. If
        None, the columns that the scorer names, or else the ranker. The splitter gets it
        too, and so does the estimator if its `fit` has a parameter ``groups``; with
        metadata routing, each gets what it requests.
    user, item : str or int, default=None
        Columns of X with the user and the item of each row: ask the estimator to recommend,
        and compare with the held-out rows. If None, as :func:`make_recommender_scorer`
        finds them.
    convention : str, default=None
        A library whose definitions to follow, one of
        :data:`~sklearn_rank.metrics.conventions`. A scorer says itself which.
    cv : int, cross-validation splitter or iterable, default=None
        How to split, as in `cross_validate`. Take one that keeps queries whole, such as
        ``GroupKFold``, or a splitter of this package.
    n_jobs : int, default=None
        Folds that run at once, as in `cross_validate`.
    verbose : int, default=0
        How much joblib reports.
    params : dict, default=None
        With metadata routing: metadata for the estimator, the scorer and the splitter.
        Without it: arguments of the estimator's `fit`. Values with one entry per row are
        split like the rows.
    pre_dispatch : int or str, default="2*n_jobs"
        Folds that are handed out at once, as in `cross_validate`.

    Returns
    -------
    scores : PerQueryScores
        With one entry for each query of each fold, ordered by fold and then by label:

        groups : ndarray
            Label of the query or user (in the 2-D form of y the number of the row).
        fold : ndarray of int
            Number of the fold, from 0.
        scores : dict of str to ndarray
            Values of each metric, as the metric defines them (never negated); NaN where it
            is undefined for a query.

        ``mean()`` and ``standard_error()`` are over all of them, ``difference(other)``
        compares two estimators, ``to_frame()`` makes a table of it.

    Raises
    ------
    ValueError
        If a metric is unknown, or groups are missing. Errors of an estimator are raised as
        they are, never scored.
    TypeError
        If `metrics` is a scorer that is not of this package.

    Warns
    -----
    MisleadingScoreWarning
        If rows of a query are in train and test of the same fold, unless the queries are
        the users of a splitter of this package, which splits users on purpose.

    See Also
    --------
    sklearn_rank.metrics.per_query_scores : The same for one ranking.

    Notes
    -----
    Where all folds have the same number of queries and none is undefined, the mean of the
    values is that of `cross_validate`, except for the sign if lower is better. A query that
    is in the test rows of several folds has one value for each; these values are not
    independent.

    ``sample_weight`` can weigh the rows in fitting; with metadata routing, a scorer that
    requests it weighs the queries in ``mean()``. What depends on all data, such as the
    highest grade of `y` for "err" and "rbp", is the same in all folds.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.model_selection import GroupKFold
    >>> from sklearn_rank.datasets import make_ranking
    >>> from sklearn_rank.model_selection import cross_validate_per_query
    >>> X, y, groups = make_ranking(n_queries=30, random_state=0)
    >>> found = cross_validate_per_query(
    ...     Ridge(), X, y, metrics=["ndcg@10", "mrr"], groups=groups, cv=GroupKFold(3)
    ... )
    >>> found.groups.shape, found.fold.max().item(), list(found.scores)
    ((30,), 2, ['ndcg@10', 'mrr'])
    """
    is_estimator = hasattr(estimator, "fit") and not isinstance(estimator, type)
    check_given("estimator", estimator, is_estimator, "an estimator with `fit`")
    # With y and groups a recommender may be asked to rank the rows themselves.
    is_asked_for_lists = has_recommender(estimator) and (y is None or groups is None)
    scorer = _as_scorer(metrics, user, item, convention, is_asked_for_lists)
    check_splitter(cv)
    n_rows = count_rows_of(X)
    if y is not None:
        count_rows(y, name="y")
    X, y = indexable(X, y)
    splits: Any = cv
    if is_iterable_of_folds(cv):
        splits = list(read_folds(splits, n_rows))
    splitter = check_cv(splits, y, classifier=is_classifier(estimator))
    scorer = fix_parameters(scorer, y)
    scorer = scorer.silent_on(CUT_QUERIES)  # here the folds themselves are known
    groups = _query_of_rows(estimator, X, scorer, groups)
    holds = "values by name of argument"
    params = check_mapping("params", params, holds)
    are_names = all(isinstance(name, str) for name in params)
    check_given("params", params, are_names, f"a dict of {holds}")
    owner = "cross_validate_per_query"
    routed = route_metadata(owner, estimator, scorer, splitter, groups, params)
    if routed.groups is not None:
        require_rows(routed.groups, n_rows, name="groups")
    folds = list(
        read_folds(splitter.split(X, y, **_splitter_metadata(splitter, routed)), n_rows)
    )
    if routed.groups is not None and not _is_splitting_users(splitter, X, routed):
        _warn_of_cut_queries(routed.groups, folds, splitter)
    data = RoutedData(X, y, routed)
    parts = Parallel(n_jobs=n_jobs, verbose=verbose, pre_dispatch=pre_dispatch)(
        delayed(call_keeping_texts)(
            _values_of_fold, clone(estimator), scorer, data, train, test
        )
        for train, test in folds
    )
    for _, texts in parts:
        add_texts(texts)
    values = [of_fold for of_fold, _ in parts]
    sizes = [len(of_fold) for of_fold in values]
    return join_results(values, np.repeat(np.arange(len(values)), sizes))


def _as_scorer(
    metrics: Any, user: Any, item: Any, convention: Any, is_asked_for_lists: bool
) -> Any:
    has_columns = user is not None or item is not None
    if isinstance(metrics, MetricScorer):
        if has_columns or convention is not None:
            raise ValueError(
                "`metrics` is a scorer, which has its columns and its convention itself; "
                "leave out `user` and `item`, and `convention`."
            )
        return metrics
    if callable(metrics) and not inspect.isfunction(metrics):
        raise TypeError(
            f"`metrics` got {shorten(metrics)}, which has no values per query; give names "
            "such as 'ndcg@10', functions of sklearn_rank.metrics, or a scorer from "
            "make_ranking_scorer or make_recommender_scorer."
        )
    options = {} if convention is None else {"convention": convention}
    if has_columns or is_asked_for_lists:
        return make_recommender_scorer(metrics, user=user, item=item, **options)
    return make_ranking_scorer(metrics, **options)


def fix_parameters(scorer: Any, *grades: Any) -> Any:
    """Fix parameters that depend on the whole data, so that folds are comparable."""
    if not getattr(scorer, "needs_max_grade", False):
        return scorer
    return scorer.with_max_grade(max(map(_highest_grade, grades)))


def _highest_grade(y: Any) -> float:
    grades = np.ones(1) if y is None else as_numbers(y, "y", or_sparse=True)
    grades = grades.data if sparse.issparse(grades) else grades
    return float(np.fmax.reduce(grades, axis=None, initial=0))


def _query_of_rows(estimator: Any, X: Any, scorer: Any, groups: Any) -> Any:
    if groups is None:
        groups = getattr(scorer, "groups", None)
    if groups is None and hasattr(scorer, "groups"):
        return queries_of_ranker(estimator, X)
    if isinstance(groups, str) or is_position(groups):
        return take_column(X, groups, name="groups")
    return groups


def _splitter_metadata(cv: Any, routed: RoutedMetadata) -> Mapping[str, Any]:
    """Return the metadata of the splitter: without groups if it names users itself."""
    if not isinstance(cv, InteractionSplitter) or cv.user is None:
        return routed.split
    return {name: value for name, value in routed.split.items() if name != "groups"}


def _is_splitting_users(cv: Any, X: Any, routed: RoutedMetadata) -> bool:
    """Return whether the queries are the users that a splitter divides on purpose."""
    if not isinstance(cv, InteractionSplitter):
        return False
    users, column = routed.split.get("users"), cv.user
    if users is None and column is None:
        # Groups are another name for users, where a splitter asks for these.
        if "users" in cv._uses:
            return True
        column = find_usual_column(X, "users", is_needed=False)
        if column is None:
            return False
    if users is None:
        users = take_column(X, column, name="user")
    user, query = (
        encode_labels(values, name=name)[1]
        for name, values in (("users", users), ("groups", routed.groups))
    )
    n_pairs = len(np.unique(np.column_stack([user, query]), axis=0))
    return n_pairs == query.max() + 1 == user.max() + 1


def _warn_of_cut_queries(
    groups: Any, folds: list[tuple[np.ndarray, np.ndarray]], cv: Any
) -> None:
    """Warn of the fold with most queries that have rows in train and in test."""
    queries = CodedLabels(*encode_labels(groups, name="groups"))
    n_cut = [count_cut_queries(queries, train, test) for train, test in folds]
    worst = int(np.argmax(n_cut))
    if not n_cut[worst]:
        return
    advice = "Use GroupKFold."
    if isinstance(cv, InteractionSplitter):
        advice = "Name their column in the splitter: keep_together= or, for users, user=."
    n_queries = int(np.count_nonzero(queries.present(folds[worst][1])))
    if text := describe_cut_queries(n_cut[worst], n_queries, advice):
        warn_misleading(text)


def _values_of_fold(
    estimator: Any, scorer: Any, data: RoutedData, train: np.ndarray, test: np.ndarray
) -> PerQueryScores:
    values = data.score(scorer.per_query, data.fit(estimator, train), test)
    has_no_groups = data.routed.groups is None and hasattr(scorer, "groups")
    if np.ndim(data.y) == 2 and has_no_groups:
        values.groups = test[values.groups]
    return values
