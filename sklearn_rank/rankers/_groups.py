"""What all rankers do with groups: find them, leave out their column, score by query."""

import copy
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from sklearn_rank._tables._columns import (
    column_or_metadata,
    drop_column,
    has_column,
    is_position,
)
from sklearn_rank._validation import shorten
from sklearn_rank.metrics import ndcg_score
from sklearn_rank.rankers._queries import as_table


class GroupsMixin:
    """Groups of a ranker that has a parameter `groups` and a method `predict`."""

    # Requested by default, so that passing `groups` is all a user has to do.
    __metadata_request__fit: ClassVar = {"groups": True}
    __metadata_request__score: ClassVar = {"groups": True}

    groups: Any
    predict: Callable
    n_features_in_: int
    feature_names_in_: np.ndarray

    def score(self, X, y, groups=None, sample_weight=None):
        """Return the mean nDCG over queries, with linear gain and no cutoff.

        Higher is better, 1 is a perfect order. It is
        :func:`sklearn_rank.metrics.ndcg_score` of the predictions: queries without a
        relevant row are left out, with a warning.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_rows, n_features)
            Rows to rank.
        y : array-like of shape (n_rows,)
            Grades, 0 or more.
        groups : array-like of shape (n_rows,), default=None
            The query of each row. None: the column of X that the parameter `groups`
            names.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of queries: one a row, the same for all rows of a query.

        Returns
        -------
        score : float
            Mean nDCG.
        """
        scores = self.predict(X)
        X = as_table(X, owner=type(self).__name__)
        column = self.groups if self._has_groups(X) else None
        groups = self._find_groups(X, groups, column)
        return ndcg_score(y, scores, groups=groups, sample_weight=sample_weight)

    def _find_groups(self, X: Any, groups: Any, column: Any) -> Any:
        """Return the query of each row, passed or from a column of X."""
        if groups is None and column is not None and X.shape[1] < 2:
            raise ValueError(
                f"X has {X.shape[1]} feature(s) (shape={X.shape}) while a minimum of 2 is "
                f"required: the column `groups={shorten(column)}` and one to learn from."
            )
        found = column_or_metadata(X, groups, column, name="groups", parameter="groups")
        if found is None:
            owner = type(self).__name__
            raise ValueError(
                f"{owner} needs `groups`, the query of each row. Pass `groups=` (in "
                "cross-validation after sklearn.set_config(enable_metadata_routing=True)), "
                f"or name a column of X: {owner}(..., groups='column')."
            )
        return found

    def _learn_columns(self, X: Any) -> Any:
        """Remember the columns of X; return X without the column of groups."""
        validate_data(self, X, skip_check_array=True)
        self._fitted_with_groups = self.groups is not None and has_column(X, self.groups)
        if not self._fitted_with_groups:
            return X
        return drop_column(X, self.groups, name="groups")

    def _check_columns(self, X: Any) -> Any:
        """Return X without the column of groups; its other columns must be as in fit."""
        check_is_fitted(self)
        X = as_table(X, owner=type(self).__name__)
        has_groups = self._has_groups(X)
        if has_groups and not self._fitted_with_groups:
            X, has_groups = drop_column(X, self.groups, name="groups"), False
        is_lean = self._fitted_with_groups and not has_groups
        expected = self._without_groups() if is_lean else self
        validate_data(expected, X, reset=False, skip_check_array=True)
        return drop_column(X, self.groups, name="groups") if has_groups else X

    def _has_groups(self, X: Any) -> bool:
        if is_position(self.groups):
            # A position cannot tell: what is left out shows in the number of columns.
            return self._fitted_with_groups and X.shape[1] != self.n_features_in_ - 1
        return self.groups is not None and has_column(X, self.groups)

    def _without_groups(self) -> Any:
        """Return a copy of self that was fitted without the column of groups."""
        lean = copy.copy(self)
        lean.n_features_in_ -= 1
        if hasattr(self, "feature_names_in_"):
            names = list(self.feature_names_in_)
            counted = is_position(self.groups)
            del names[self.groups if counted else names.index(self.groups)]
            lean.feature_names_in_ = np.array(names, dtype=object)
        return lean
