"""What all rankers do with groups: find them, leave out their column, score by query."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import RegressorTags, Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from sklearn_rank._base._label_checks import check_rows_paired
from sklearn_rank._base._labels import as_vector, encode_labels
from sklearn_rank._base._messages import LEAST_TO_WARN, warn_misleading
from sklearn_rank._base._runs import begins_run, ranges, sizes_of, starts_where
from sklearn_rank._base._sklearn import CallbackSupportMixin
from sklearn_rank._base._validation import check_integer, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._columns import (
    can_have_columns,
    column_names,
    column_or_metadata,
    drop_column,
    has_column,
    is_position,
    position_of,
    require_rows,
    take_column,
)
from sklearn_rank.metrics import ndcg_score
from sklearn_rank.rankers._query_rows import QueryRows, as_table, encode_groups
from sklearn_rank.typing import ArrayLike, Labels, Table


@explained
class GroupsMixin(CallbackSupportMixin):
    """Groups of a ranker that has a parameter `groups` and a method `predict`."""

    # Requested by default, so that passing `groups` is all a user has to do.
    __metadata_request__fit: ClassVar = {"groups": True}
    __metadata_request__score: ClassVar = {"groups": True}

    groups: Any
    predict: Callable
    n_features_in_: int
    feature_names_in_: np.ndarray

    def score(
        self,
        X: Table,
        y: ArrayLike,
        groups: Labels | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
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
            The query of each row. If None, the column of X that the parameter `groups`
            names.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of queries: one per row, the same for all rows of a query.

        Returns
        -------
        score : float
            Mean nDCG.

        Warns
        -----
        MisleadingScoreWarning
            If `fit` got other rows of these queries.
        """
        check_rows(X, y, groups, sample_weight)
        scores = self._predict(X, groups)
        groups = self._groups_of(X, groups)
        fitted = getattr(self, "_fitted_queries", None)  # of what has learned
        text = "" if fitted is None else fitted.warning(groups)
        if text:
            warn_misleading(text)
        return ndcg_score(y, scores, groups=groups, sample_weight=sample_weight)

    def rank(
        self,
        X: Table,
        groups: Labels | None = None,
        items: Labels | None = None,
        k: int | None = None,
    ) -> dict[str, NDArray[Any]]:
        """Return the rows in the order of their scores, as a long table.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_rows, n_features)
            Rows to rank.
        groups : array-like of shape (n_rows,), default=None
            The query of each row. If None, what the parameter `groups` names in X.
        items : array-like of shape (n_rows,), default=None
            The item of each row. If None, the number of the row.
        k : int, default=None
            How many rows of each query. If None, all.

        Returns
        -------
        table : dict of str to ndarray
            The columns ``query``, ``item``, ``rank`` (from 1) and ``score``, with queries
            in the order in which they first occur. Rows of equal scores keep their order.
            ``pandas.DataFrame(table)`` and ``polars.DataFrame(table)`` are frames of it.

        Raises
        ------
        ValueError
            If groups are missing, or groups or items are in number not the rows of X.
        """
        k = check_integer("k", k, none="all rows")
        scores = self._predict(X, groups)
        return ranked_rows(self._groups_of(X, groups), items, scores, k)

    def __sklearn_tags__(self) -> Tags:
        # For the tools that take regressors only: their scores are numbers a row. How
        # well these fit the grades is not what a ranker is about.
        tags = super().__sklearn_tags__()  # type: ignore[misc]  # BaseEstimator has it
        tags.estimator_type = "regressor"
        tags.regressor_tags = RegressorTags(poor_score=True)
        tags.target_tags.required = True
        return tags

    def _predict(self, X: Any, groups: Any) -> np.ndarray:
        return self.predict(X)

    def _groups_of(self, X: Any, groups: Any) -> Any:
        """Return the query of each row after `fit`: X may lack the columns of groups."""
        X = as_table(X, owner=type(self).__name__)
        columns = self.groups if self._has_groups(X) else None
        return self._find_groups(X, groups, columns)

    def _codes_of(self, X: Any, groups: Any, n_rows: int) -> np.ndarray:
        """Return the query of each row after `fit`, as a number from 0."""
        return encode_groups(self._groups_of(X, groups), n_rows)[1]

    def _find_groups(self, X: Any, groups: Any, columns: Any) -> Any:
        """Return the query of each row, passed or from columns of X."""
        several = list_group_columns(columns)
        if groups is None and several and can_have_columns(X, several):
            check_has_more(X, columns, "one to learn from")
        is_named = groups is None and len(several) == 1
        advice = self._advise_wrapping(X, several[0]) if is_named else ""
        labels = read_groups(X, groups, columns, advice)
        if labels is None:
            owner = type(self).__name__
            raise ValueError(
                f"{owner} needs `groups`, the query of each row. Name a column of X: "
                f"{owner}(..., groups='column'), or pass `groups=` (in cross-validation "
                "after sklearn.set_config(enable_metadata_routing=True)). A search inside "
                "another one gets no groups without routing: there, split by the column "
                "too, with cv=UserKFold(user='column')."
            )
        return labels

    def _advise_wrapping(self, X: Any, column: Any) -> str:
        """Return how a pipeline keeps a column that X lacks; raise if a step renamed it."""
        if is_position(column) or has_column(X, column) or not hasattr(self, "estimator"):
            return ""
        wrapped = (
            f"{type(self).__name__}(make_pipeline(..., {shorten(self.estimator)}), "
            f"groups={column!r}) takes the column before"
        )
        names = map(str, column_names(X) or ())
        renamed = next((name for name in names if name.endswith(f"__{column}")), None)
        if renamed is None:
            return f"Or {wrapped} steps of a pipeline see it."
        raise ValueError(
            f"X after the first steps has {renamed!r}, not {column!r}: {wrapped} they see "
            "it. Or pass groups by metadata routing: fit(X, y, groups=...)."
        )

    def _queries_in(self, X: Any, *, is_own: bool) -> Any:
        """Return the query of each row if X has the columns that `groups` names, or None.

        An X that is not `is_own` has steps of a pipeline before it, which may move columns.
        """
        columns = list_group_columns(self.groups)
        X = as_table(X, owner=type(self).__name__)
        if any(map(is_position, columns)):
            is_like = X.shape[1] == getattr(self, "n_features_in_", X.shape[1])
            if not is_own or not is_like:
                return None
        return read_groups(X, None, self.groups) if has_group_columns(X, columns) else None

    def _learn_columns(self, X: Any) -> Any:
        """Remember the columns of X; return X without the columns of groups."""
        validate_data(self, X, skip_check_array=True)
        columns = list_group_columns(self.groups)
        is_there = has_group_columns(X, columns)
        self._group_positions = find_positions(X, columns) if is_there else []
        return drop_positions(X, self._group_positions)

    def _check_columns(self, X: Any) -> Any:
        """Return X without the columns of groups; its others must be as in fit."""
        check_is_fitted(self)
        X = as_table(X, owner=type(self).__name__)
        has_groups = self._has_groups(X)
        if has_groups and not self._group_positions:
            X = drop_positions(X, find_positions(X, list_group_columns(self.groups)))
            has_groups = False
        is_lean = bool(self._group_positions) and not has_groups
        expected = self._without_groups() if is_lean else self
        validate_data(expected, X, reset=False, skip_check_array=True)
        return drop_positions(X, self._group_positions) if has_groups else X

    def _has_groups(self, X: Any) -> bool:
        columns = list_group_columns(self.groups)
        if any(map(is_position, columns)):
            # A position cannot tell: what is left out shows in the number of columns.
            lean = self.n_features_in_ - len(self._group_positions)
            return bool(self._group_positions) and X.shape[1] != lean
        return has_group_columns(X, columns)

    def _without_groups(self) -> Any:
        """Return a copy of self that was fitted without the columns of groups."""
        lean = copy.copy(self)
        lean.n_features_in_ -= len(self._group_positions)
        if hasattr(self, "feature_names_in_"):
            names = np.delete(self.feature_names_in_, self._group_positions)
            lean.feature_names_in_ = names
        return lean

    def _fill_group_columns(self, values: Any) -> np.ndarray:
        """Return values of the features with a 0 for each column of groups."""
        values = values.toarray() if sparse.issparse(values) else np.asarray(values)
        for position in self._group_positions:
            values = np.insert(values, position, 0, axis=-1)
        return values


def check_rows(X: Any, y: Any, groups: Any, sample_weight: Any) -> None:
    """Raise or warn if the arguments have the same labels in two orders."""
    rows = {"X": X, "y": y, "groups": groups, "sample_weight": sample_weight}
    check_rows_paired(rows)


def read_groups(X: Any, groups: Any, columns: Any, otherwise: str = "") -> Any:
    """Return groups as passed, or from one column of X, or from several as tuples."""
    if not isinstance(columns, list):
        names = {"name": "groups", "parameter": "groups", "otherwise": otherwise}
        return column_or_metadata(X, groups, columns, **names)
    return _join_labels(X, columns) if groups is None else groups


def list_group_columns(columns: Any) -> list:
    """Return the columns that make a query, none or one or several, as a list."""
    if isinstance(columns, list):
        return columns
    return [] if columns is None else [columns]


def check_has_more(X: Any, columns: Any, needed: str) -> None:
    """Raise unless X can have columns beside those that make a query."""
    least = len(list_group_columns(columns)) + 1
    if X.shape[1] < least:
        raise ValueError(
            f"X has {X.shape[1]} feature(s) (shape={X.shape}) while a minimum of {least} "
            f"is required: the column `groups={shorten(columns)}` and {needed}."
        )


def has_group_columns(X: Any, columns: list) -> bool:
    """Return whether columns make a query, and X has all of them."""
    return bool(columns) and all(has_column(X, column) for column in columns)


def _join_labels(X: Any, columns: list) -> np.ndarray:
    """Return one tuple per row: its values in several columns, none of them missing."""
    if not columns:
        raise ValueError("`groups` is an empty list; name columns of X, or pass groups.")
    parts = (read_groups(X, None, column) for column in columns)
    encoded = [encode_labels(part, name="groups") for part in parts]
    codes = np.column_stack([codes for _, codes in encoded])
    distinct, query = np.unique(codes, axis=0, return_inverse=True)
    per_column = [values[distinct[:, i]].tolist() for i, (values, _) in enumerate(encoded)]
    labels = np.empty(len(distinct), dtype=object)
    labels[:] = list(zip(*per_column, strict=True))
    return labels[np.ravel(query)]


def find_positions(X: Any, columns: list) -> list[int]:
    """Return the positions of columns of X, ascending."""
    return sorted({position_of(X, column, name="groups") for column in columns})


def drop_positions(X: Any, positions: list[int]) -> Any:
    """Return X without the columns at these positions, which ascend."""
    for position in reversed(positions):
        X = drop_column(X, position, name="groups")
    return X


def ranked_rows(
    groups: Any, items: Any, scores: np.ndarray, k: int | None
) -> dict[str, np.ndarray]:
    """Return the columns of the table; queries come as they first occur.

    Rows of equal scores keep their order.
    """
    labels, codes = encode_groups(groups, len(scores))
    items = np.arange(len(codes)) if items is None else as_vector(items, name="items")
    require_rows(items, len(scores), name="items")
    first = np.full(len(labels), len(codes))
    np.minimum.at(first, codes, np.arange(len(codes)))
    order = np.lexsort((-scores, first[codes]))
    sizes = sizes_of(starts_where(begins_run(codes[order])))
    rank = ranges(1, sizes)
    if k is not None:
        order, rank = order[rank <= k], rank[rank <= k]
    return {
        "query": labels[codes[order]],
        "item": items[order],
        "rank": rank,
        "score": scores[order],
    }


# Labels of queries that are a mistake: one for each row, or values of a feature.

# A position stays where columns move, as some are left out.
_MOVED_ADVICE = "a step before may have moved the column. Pass groups by metadata routing."


def check_labels(rows: QueryRows, X: Any, columns: Any, *, needs_pairs: bool) -> None:
    """Warn of labels that are a mistake; raise if nothing can be learned from them.

    `columns` are those of X that make a query, `needs_pairs` is whether the estimator
    learns from several rows of a query.
    """
    n_queries, n_rows = len(rows.labels), len(rows.y)
    if n_queries < LEAST_TO_WARN:
        return
    texts = (_describe_fraction(X, column) for column in list_group_columns(columns))
    text = next(filter(None, texts), "")
    if n_queries == n_rows:
        lone = (
            f"`groups` has {n_queries} labels for {n_rows} rows; one row cannot be ranked."
        )
        text = f"{lone} {text or 'Give all rows of a query one label.'}"
        if needs_pairs:
            raise ValueError(text)
    if text:
        warn_misleading(text)


def _describe_fraction(X: Any, column: Any) -> str:
    """Return what to say of a position with numbers that are not whole, '' of others."""
    if not (is_position(column) and has_column(X, column)):
        return ""
    values = np.asarray(take_column(X, column, name="groups"))
    if values.dtype.kind == "O":
        fractions = [v for v in values if isinstance(v, float) and not v.is_integer()]
    else:
        fractions = values[values != np.floor(values)] if values.dtype.kind == "f" else []
    if len(fractions) == 0:
        return ""
    # Without a value, so that Python shows the same warning of several folds once.
    return f"`groups={column}` holds fractions, which are not labels; {_MOVED_ADVICE}"
