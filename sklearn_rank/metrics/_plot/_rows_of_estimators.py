"""Rows for a display: the predictions of fitted estimators for the rows of X."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from sklearn_rank._base._labels import as_list, as_vector, encode_labels
from sklearn_rank._ranking._rows import read_rows
from sklearn_rank.inputs._columns import take_column, take_rows
from sklearn_rank.metrics._core._clusters import Estimate, shares_of
from sklearn_rank.metrics._core._evaluate import Evaluation
from sklearn_rank.metrics._core._mean_intervals import Average, average_of
from sklearn_rank.metrics._core._misleading_input import find_longest_list
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._scorers._held_out import read_held_out, rows_of_recommender
from sklearn_rank.metrics._scorers._inside_estimators import (
    columns_of_log,
    find_recommender,
    has_recommender,
    queries_of_ranker,
)
from sklearn_rank.metrics._scorers._ranking_scorer import check_rows
from sklearn_rank.metrics._scorers._recommender_protocol import (
    length_of_lists,
    training_data_of,
)
from sklearn_rank.metrics._scorers._responses import RESPONSES, compute_response
from sklearn_rank.typing import Bunch

# Queries held out by several folds: evaluated in each fold, but one cluster.


class FoldLabels(NamedTuple):
    """The label and the fold of each query of a cross-validation.

    A label in several folds is several queries, each with a name of its own.
    """

    query_index: dict[Any, int]  # by the name of a query
    labels: np.ndarray
    fold: np.ndarray

    def label(self, found: PerQueryScores) -> PerQueryScores:
        """Return values by name with labels and folds."""
        places = [self.query_index[name] for name in as_list(found.groups)]
        return found._relabeled(self.labels[places], self.fold[places])


def name_queries(folds: Sequence[Any]) -> tuple[np.ndarray, FoldLabels | None]:
    """Return a unique name for the query of each row, and the label and fold of each name.

    `folds` has the labels of the rows of each fold. If no label is in several folds, names
    are the labels, and there is nothing to look up.
    """
    parts = [as_vector(labels, name="groups") for labels in folds]
    labels, codes = encode_labels(np.concatenate(parts), name="groups")
    fold_of_row = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    query, of_row = np.unique(fold_of_row * len(labels) + codes, return_inverse=True)
    fold, code = np.divmod(query, len(labels))
    if len(np.unique(code)) == len(code):
        return labels[codes], None
    listed = as_list(labels)
    each = zip(code.tolist(), fold.tolist(), strict=True)
    names = [f"{listed[label]} in fold {number}" for label, number in each]
    if len(set(names)) < len(names):  # (1,) and "(1,)" are two labels
        names = [f"{name} (query {i})" for i, name in enumerate(names)]
    index = {name: i for i, name in enumerate(names)}
    return np.array(names)[of_row], FoldLabels(index, labels[code], fold)


def number_queries(tests: Sequence[np.ndarray]) -> FoldLabels | None:
    """Return the label and fold of each query in the 2-D form, by row number.

    The label of a query is its row in X, from `tests`.
    """
    labels = np.concatenate(tests)
    if len(np.unique(labels)) == len(labels):
        return None
    fold = np.repeat(np.arange(len(tests)), [len(test) for test in tests])
    return FoldLabels({number: number for number in range(len(labels))}, labels, fold)


def averages_of(
    evaluation: Evaluation, held_out: FoldLabels | None
) -> tuple[dict[str, Average], float | None]:
    """Return the mean of each metric, and the equivalent number of clusters.

    If None, each query is a cluster. The error of a metric of all queries is NaN.
    """
    averages = {
        name: Average(Estimate(summary.result(), math.nan, shares_of(summary)))
        for name, summary in evaluation.summaries().items()
    }
    scores = evaluation.with_values().per_query()
    scores = scores if held_out is None else held_out.label(scores)
    averages |= {name: average_of(scores, name) for name in scores.scores}
    shares = [averages[name].estimate.shares for name in scores.scores]
    unlike = (of for of in shares if held_out is not None or of.df < of.n - 1)
    return averages, next((of.df + 1 for of in unlike), None)


class RowsToDraw(NamedTuple):
    """The data to evaluate estimators on: a table, and its columns by name or position.

    Lists of recommenders have `k` items (if None, all), with their ids if `return_items`.
    """

    X: Any
    y: Any
    groups: Any
    user: Any
    item: Any
    k: int | None
    return_items: bool

    def score(self, estimator: Any) -> Bunch:
        """Return y_true, y_score and groups of a fitted ranker or recommender.

        `_unit` is "user" for a recommender.
        """
        check_rows("The display", self.X)
        if isinstance(estimator, BaseEstimator):
            check_is_fitted(estimator)
        if self.groups is None and has_recommender(estimator):
            return self._score_recommender(estimator)
        if self.y is None:
            raise ValueError("`y`, the relevance of each row, is needed for a ranker.")
        labels = self._read_groups()
        if labels is None:
            labels = queries_of_ranker(estimator, self.X)
        if labels is None and np.ndim(self.y) == 1:
            raise ValueError(
                "`groups`, the query of each row, is needed: give one label per row, or "
                "the column of X that has the labels, by name or position."
            )
        score = compute_response(estimator, self.X, self.y, RESPONSES, labels)
        return Bunch(y_true=self.y, y_score=score, groups=labels)

    def score_folds(self, cv_results: Any) -> Bunch:
        """Return the held-out rows of all folds, each scored by the estimator of its fold.

        `_held_out` has the labels and folds of the queries if folds share some of them.
        """
        is_dict = isinstance(cv_results, Mapping)
        missing = {"estimator", "indices"}.difference(cv_results if is_dict else ())
        if missing:
            raise ValueError(
                "`cv_results` must come from cross_validate(..., return_estimator=True, "
                f"return_indices=True); it lacks {sorted(missing)}."
            )
        labels, folds = self._read_groups(), []
        tests = cv_results["indices"]["test"]
        for estimator, test in zip(cv_results["estimator"], tests, strict=True):
            X, y, groups = (
                None if rows is None else take_rows(rows, test)
                for rows in (self.X, self.y, labels)
            )
            folds.append(self._replace(X=X, y=y, groups=groups).score(estimator))
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
        if "_unit" in folds[0]:
            rows["_unit"] = folds[0]["_unit"]
        return rows

    def _read_groups(self) -> Any:
        is_column = isinstance(self.groups, str | int | np.integer)
        return take_column(self.X, self.groups, name="groups") if is_column else self.groups

    def _score_recommender(self, estimator: Any) -> Bunch:
        recommender = find_recommender(estimator)
        catalogue = training_data_of(recommender).items
        k = max(length_of_lists(recommender, self.k, catalogue), 1)
        user, item = columns_of_log(
            estimator, self.X, self.user, self.item, owner="The display", kind="display"
        )
        held_out = read_held_out(self.X, self.y, user=user, item=item)
        rows = rows_of_recommender(recommender, held_out, k, return_items=self.return_items)
        rows.groups = held_out.users[rows.groups]
        rows._unit = "user"
        return rows


def longest_list(y_true: Any, y_score: Any, groups: Any) -> int:
    """Return the number of rows retrieved for the query with most of them."""
    rows = read_rows(y_true, y_score, groups, None, judged_for="the picture")
    return max(find_longest_list(rows), 1)


def name_of(estimator: Any) -> str:
    """Return the name of an estimator in pictures; for a search, of its best one."""
    return type(getattr(estimator, "best_estimator_", estimator)).__name__
