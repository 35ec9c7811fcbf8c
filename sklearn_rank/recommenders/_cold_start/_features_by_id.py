"""Features of items or of users as one matrix, joined with the ids of a log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._base._ids import KnownIds, read_ids, unknown_ids_error
from sklearn_rank._base._labels import encode_labels
from sklearn_rank._base._messages import warn_caller
from sklearn_rank._base._numbers import check_finite
from sklearn_rank._base._validation import check_given, shorten
from sklearn_rank.recommenders._pair_weights import replace_data
from sklearn_rank.recommenders._rerank import unit_vectors
from sklearn_rank.recommenders._two_stages._feature_table import FeatureTable

# The products of all features take longer than a recommender with more of them.
MOST_FEATURES = 5_000
# Of a deviation, relative to the mean; it is the root of that of a square.
_ROUNDING = 1e-7


@dataclass(frozen=True, eq=False)
class FeaturesById:
    """Ids of the log and of the tables, sorted, and their features."""

    labels: np.ndarray
    places: np.ndarray  # of the ids of the log among the labels
    features: Any  # labels × features, dense or CSR; rows of length 1 or 0

    @classmethod
    def read(cls, given: Any, known: np.ndarray, *, name: str) -> FeaturesById:
        """Return the features of a table, or of several; known ids are those of the log.

        Columns other than of 0 and 1 are scaled by known ids.
        """
        labels, places = known, np.arange(len(known))
        several = given if isinstance(given, list) else [given]
        tables = [] if given is None else [_read_table(table, name) for table in several]
        codes: list[np.ndarray] = []
        for ids, _ in tables:
            known_ids = KnownIds(labels)
            positions = known_ids.find(ids, name=name)
            if not np.isin(positions, places).any():
                raise unknown_ids_error(name, ids, known)
            both, former, code = known_ids.add_new(ids, positions)
            labels = both.labels
            places, codes = former[places], [*(former[old] for old in codes), code]
        n_features = sum(values.shape[1] for _, values in tables)
        if n_features > MOST_FEATURES:
            raise ValueError(
                f"`{name}` has {n_features:,} features, more than {MOST_FEATURES:,}; bring "
                "them down with sklearn.decomposition.TruncatedSVD."
            )
        is_known = np.zeros(len(labels), dtype=bool)
        is_known[places] = True
        described = np.unique(np.concatenate([*codes, []]).astype(int))
        _warn_of_few(is_known[described], known, name)
        parts = [
            _spread(_scaled(values, is_known[code]), code, len(labels))
            for (_, values), code in zip(tables, codes, strict=True)
        ]
        if any(map(sparse.issparse, parts)):
            joined = sparse.csr_array(sparse.hstack(parts))
            return cls(labels, places, unit_vectors(joined))
        joined = np.column_stack([np.empty((len(labels), 0)), *parts])
        length = np.sqrt(np.einsum("ij,ij->i", joined, joined))[:, None]
        return cls(labels, places, joined / np.where(length > 0, length, 1.0))


def _read_table(table: Any, name: str) -> tuple[np.ndarray, Any]:
    """Return the ids and the values of a table."""
    if isinstance(table, FeatureTable):
        if table._time is not None:
            raise ValueError(
                f"`{name}` has a FeatureTable with `time`, but here features hold at all "
                "times; give the newest row of each id, without `time`."
            )
        return table._ids, table._values
    needed = "a FeatureTable(frame, id=...), (ids, matrix), or a list of these"
    check_given(name, table, isinstance(table, tuple) and len(table) == 2, needed)
    ids, values = read_ids(table[0], name=name), table[1]
    is_sparse = sparse.issparse(values)
    values = (sparse.csr_array if is_sparse else np.asarray)(values, dtype=np.float64)
    if values.ndim != 2 or len(ids) != values.shape[0]:
        raise ValueError(
            f"The matrix in `{name}` must have a row for each of the {len(ids):,} ids, got "
            f"shape {values.shape}."
        )
    labels, codes = encode_labels(ids, name=name)
    if len(labels) < len(ids):
        twice = labels[np.argmax(np.bincount(codes) > 1)]
        raise ValueError(f"`{name}` repeats an id, {shorten(twice)}; give each id once.")
    numbers = values.data if is_sparse else values
    check_finite(name, np.where(np.isnan(numbers), 0.0, numbers))
    return ids, replace_data(values, np.nan_to_num(numbers)) if is_sparse else values


def _scaled(values: Any, is_known: np.ndarray) -> Any:
    """Return columns other than of 0 and 1 with mean 0 and deviation 1 over known ids.

    Columns of a sparse matrix keep their mean. What is missing, and a column of one value,
    becomes 0.
    """
    if sparse.issparse(values):
        columns = values.tocsc()
        column = np.arange(columns.shape[1]).repeat(np.diff(columns.indptr))
        is_other = np.bincount(column, ~np.isin(columns.data, (0, 1)), columns.shape[1])
        warm = values[np.flatnonzero(is_known)]
        mean, square = warm.mean(axis=0), warm.multiply(warm).mean(axis=0)
        deviation = np.sqrt(np.maximum(square - mean**2, 0))
        factor = np.where(is_other > 0, _reciprocal(deviation, mean), 1.0)
        return sparse.csr_array(values @ sparse.diags_array(factor))
    is_missing = np.isnan(values)
    is_other = ~(is_missing | np.isin(values, (0, 1))).all(axis=0)
    counted = ~is_missing[is_known]
    n = np.maximum(counted.sum(axis=0), 1)
    warm = np.where(counted, values[is_known], 0.0)
    mean = warm.sum(axis=0) / n
    deviation = np.sqrt((np.where(counted, warm - mean, 0.0) ** 2).sum(axis=0) / n)
    scaled = np.where(is_other, (values - mean) * _reciprocal(deviation, mean), values)
    return np.where(is_missing, 0.0, scaled)


def _reciprocal(deviation: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Return 1 / deviation, 0 where it is a rounding error of a column of one value."""
    varies = deviation > _ROUNDING * np.abs(mean)
    return np.where(varies, 1 / np.where(varies, deviation, 1.0), 0.0)


def _spread(values: Any, code: np.ndarray, n_rows: int) -> Any:
    """Return the rows at their codes; other rows are 0."""
    if sparse.issparse(values):
        entries = np.ones(len(code)), (code, np.arange(len(code)))
        return sparse.csr_array(entries, shape=(n_rows, len(code))) @ values
    spread = np.zeros((n_rows, values.shape[1]))
    spread[code] = values
    return spread


def _warn_of_few(is_known: np.ndarray, ids_of_log: np.ndarray, name: str) -> None:
    n_found = np.count_nonzero(is_known)
    if len(is_known) and 2 * n_found < len(ids_of_log):
        warn_caller(
            f"`{name}` has only {n_found:,} of {len(ids_of_log):,} ids of the log, so the "
            "features of the others are 0. Are these all?"
        )
