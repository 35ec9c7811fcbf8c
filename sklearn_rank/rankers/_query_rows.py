"""The rows of one fit, brought together by query."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import column_or_1d

from sklearn_rank._base._label_checks import value_of_each
from sklearn_rank._base._labels import advice_for_sizes, encode_labels
from sklearn_rank._base._messages import warn_misleading
from sklearn_rank._base._numbers import (
    NotNumbers,
    as_numbers,
    check_finite,
    check_in_memory,
)
from sklearn_rank._base._runs import begins_run, sizes_of, starts_where
from sklearn_rank.inputs._columns import (
    batch_as_table,
    numbers_of_rows,
    require_rows,
    take_rows,
)
from sklearn_rank.inputs._fitted_queries import FittedQueries

# CatBoost's pairs of a better and a worse row, by the numbers of rows; and their weights.
PAIR_ARGUMENTS = ("pairs", "pairs_weight")


@dataclass(frozen=True, eq=False)
class QueryRows:
    """Rows in which those of a query lie together."""

    X: Any
    y: np.ndarray
    query: np.ndarray  # of each row: 0, 0, ..., 1, ..., never decreasing
    labels: np.ndarray  # of each query, as the user gave it
    weight: np.ndarray | None  # of each row
    extra: Mapping[str, Any]  # other arguments of fit; sorted if one value per row
    index: np.ndarray  # of each row in what the user gave

    @property
    def sizes(self) -> np.ndarray:
        """Rows of each query."""
        return np.bincount(self.query)

    def queries(self) -> FittedQueries:
        """Return the queries for those who score the estimator."""
        return FittedQueries(self.labels, self.sizes)

    def label(self, query: int) -> Any:
        """Return the label of a query for messages, as a Python object."""
        return self.labels[[query]].tolist()[0]

    def warn_of_one_query(self) -> None:
        """Warn if all rows are of one query, which is usually a mistake."""
        if len(self.labels) == 1:
            warn_misleading(
                f"All {len(self.y)} rows are of one query ({self.label(0)!r}), so every "
                "item is compared with every other; check `groups`."
            )

    def take(self, rows: np.ndarray) -> "QueryRows":
        """Return some of the rows, given in ascending order."""
        kept, query = np.unique(self.query[rows], return_inverse=True)
        return self._take(rows, query, self.labels[kept])

    def query_weight(self) -> np.ndarray | None:
        """Return one weight per query; raise if the weights differ within one."""
        if self.weight is None:
            return None
        starts = starts_where(begins_run(self.query))
        return value_of_each("sample_weight", self.weight, starts, self.label)

    def shared_arguments(self) -> dict[str, Any]:
        """Return the other arguments of fit without one value per row."""
        return {n: v for n, v in self.extra.items() if not self._is_by_row(n, v)}

    def _take(self, rows: np.ndarray, query: np.ndarray, labels: Any) -> "QueryRows":
        return replace(
            self,
            X=take_rows(self.X, rows),
            y=self.y[rows],
            query=query,
            labels=labels,
            weight=None if self.weight is None else self.weight[rows],
            index=self.index[rows],
            extra={
                name: take_rows(value, rows) if self._is_by_row(name, value) else value
                for name, value in self.extra.items()
            }
            | _pairs_of_rows(self.extra, rows, len(self.y)),
        )

    def _is_by_row(self, name: str, value: Any) -> bool:
        """Return whether an argument of fit has one value per row, by its length.

        So scikit-learn decides it too; but held-out rows may be as many by chance.
        """
        if name.startswith("eval_") or name.endswith("_eval_set") or name in PAIR_ARGUMENTS:
            return False
        if hasattr(value, "shape"):
            return len(value.shape) > 0 and value.shape[0] == len(self.y)
        return isinstance(value, list | tuple) and len(value) == len(self.y)


def _pairs_of_rows(
    extra: Mapping[str, Any], rows: np.ndarray, n_rows: int
) -> dict[str, Any]:
    """Return the pairs whose rows are both taken, with the new row numbers."""
    if extra.get("pairs") is None:
        return {}
    number = np.full(n_rows, -1)
    number[rows] = np.arange(len(rows))
    pairs = number[np.asarray(extra["pairs"])]
    kept = np.flatnonzero((pairs >= 0).all(axis=1))
    weights = extra.get("pairs_weight")
    weights = None if weights is None else take_rows(weights, kept)
    return {"pairs": pairs[kept], "pairs_weight": weights}


def rows_by_query(
    X: Any, y: Any, groups: Any, sample_weight: Any, extra: Mapping[str, Any], *, owner: str
) -> QueryRows:
    """Check the arguments of `fit` and return its rows by query.

    Rows whose queries already lie together stay where they are, so that a library fits
    what it would have fitted without us. Otherwise queries are sorted by label, and the
    rows of a query keep their order.
    """
    n_rows = X.shape[0]
    labels, codes = encode_groups(groups, n_rows)
    grades = _as_grades(y, n_rows, owner=owner)
    weight = _as_weights(sample_weight, n_rows)
    rows = QueryRows(X, grades, codes, labels, weight, extra, np.arange(n_rows))
    if (np.diff(codes) >= 0).all():
        return rows
    starts = starts_where(begins_run(codes))
    of_run = codes[starts[:-1]]
    if len(of_run) == len(labels):
        query = np.repeat(np.arange(len(of_run)), sizes_of(starts))
        return replace(rows, query=query, labels=labels[of_run])
    order = np.argsort(codes, kind="stable")
    return rows._take(order, codes[order], labels)


def as_table(X: Any, *, owner: str) -> Any:
    """Return X as a frame, a 2-D array or a CSR matrix, or say what is wrong with it."""
    X = _convert_table(X)
    if len(X.shape) != 2:
        raise ValueError(
            f"Expected 2D array, got {len(X.shape)}D array instead: X must have one row "
            f"per item and one column per feature, got shape {X.shape}. Reshape your data."
        )
    if getattr(getattr(X, "dtype", None), "kind", "") == "c":
        raise ValueError(f"Complex data not supported: X has dtype {X.dtype}.")
    if X.shape[0] == 0:
        raise ValueError(
            f"Found array with 0 sample(s) (shape={X.shape}) while a minimum of 1 is "
            f"required by {owner}."
        )
    return X


def _convert_table(X: Any) -> Any:
    check_in_memory(X, "X")
    if hasattr(X, "columns"):
        return batch_as_table(X)  # scikit-learn reads no names of a RecordBatch
    if not sparse.issparse(X):
        try:
            table = np.asarray(X)
        except ValueError as error:
            raise ValueError(
                "X must have one row per item and one column per feature, all rows of one "
                f"length and each value a single one. {error}"
            ) from error
        # Rows of strings and numbers would all become strings.
        return np.asarray(X, dtype=object) if table.dtype.kind in "US" else table
    # LightGBM and CatBoost take SciPy's matrices, not its newer sparse arrays, and CatBoost
    # wants indices of 32 bits, which this constructor makes wherever they suffice.
    X = X.tocsr()
    return sparse.csr_matrix((X.data, X.indices, X.indptr), shape=X.shape)


def _as_grades(y: Any, n_rows: int, *, owner: str) -> np.ndarray:
    if y is None:
        raise ValueError(f"{owner} requires y to be passed, but the target y is None.")
    try:
        grades = as_numbers(y, "y")
    except ValueError as error:
        if not isinstance(error.__cause__, NotNumbers):
            raise
        advice = "Map labels to grades: {'bad': 0, 'good': 1}."
        raise ValueError(f"{error} {advice}") from error
    if grades.dtype.kind == "b":
        grades = grades.astype(np.intp)
    grades = column_or_1d(grades, warn=True)
    require_rows(grades, n_rows, name="y")
    check_finite("y", grades)
    return grades


def _as_weights(sample_weight: Any, n_rows: int) -> np.ndarray | None:
    if sample_weight is None:
        return None
    weight = as_numbers(sample_weight, "sample_weight")
    if weight.ndim == 0:
        weight = np.full(n_rows, weight)
    weight = numbers_of_rows(weight, n_rows, name="sample_weight")
    check_finite("sample_weight", weight)
    return weight


def encode_groups(groups: Any, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels of queries, and the place in them of each row's."""
    labels, codes = encode_labels(groups, name="groups")
    if len(codes) != n_rows:
        advice = advice_for_sizes(labels[codes], n_rows, name="groups")
        require_rows(codes, n_rows, name="groups", advice=advice)
    return labels, codes
