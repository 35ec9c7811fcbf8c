"""Read parts of a catalogue, by id or by position."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_rank._base._label_checks import check_comparable, check_no_duplicates, show_id
from sklearn_rank._base._labels import as_vector, encode_labels, find_labels, join_labels
from sklearn_rank._base._machine import require_columns
from sklearn_rank._base._numbers import (
    as_array,
    as_floats,
    as_numbers,
    check_finite,
    check_values,
    has_rows,
    is_missing,
    is_sparse,
    number_vector,
)
from sklearn_rank._base._runs import starts_of
from sklearn_rank._base._validation import check_given, shorten
from sklearn_rank.inputs._columns import column_names, named_column

if TYPE_CHECKING:
    from scipy import sparse


class PartById(NamedTuple):
    """A part, and the id of each of its rows; if None, row i belongs to item i."""

    labels: np.ndarray | None
    values: Any


class UserItems(NamedTuple):
    """The items of each user."""

    users: np.ndarray | None  # label of each row; if None, its number
    matrix: sparse.csr_array  # users × items, of ones


class Items:
    """The items or users of a catalogue, in the order given, and how ids are found."""

    def __init__(self, labels: np.ndarray, name: str = "items"):
        self.labels = labels
        self._sorted, codes = encode_labels(labels, name=name)
        if len(self._sorted) < len(labels):
            check_no_duplicates(codes, lambda row: _repeated_name_error(labels[row], name))
        self._order = np.append(np.argsort(codes), -1)  # the last is for unknown ids

    def find(self, labels: np.ndarray, *, name: str) -> np.ndarray:
        """Return the index of each id among the items, -1 if unknown."""
        position = find_labels(self._sorted, labels, name=name)
        if (position < 0).all():
            words = f"Ids in `{name}` are of another type than those of the catalogue"
            both = (f"`{name}`", "the catalogue")
            check_comparable(labels, self._sorted, both, words=words)
        return self._order[position]


def _repeated_name_error(label: Any, name: str) -> ValueError:
    return ValueError(f"`{name}` names {show_id(label)} more than once; name each once.")


def read_by_id(values: Any, name: str) -> PartById:
    """Return a part with the id of each row, if it has ids.

    Mappings have ids, and so have a Series and a DataFrame of pandas: the index.
    """
    if isinstance(values, PartById):
        return values
    if isinstance(values, Mapping):
        return PartById(as_vector(list(values), name=name), list(values.values()))
    column = named_column(column_names(values), "item", name=name)
    if column is not None:
        by_id = "" if hasattr(values, "iloc") else "to_pandas()."
        raise ValueError(
            f"`{name}` has ids in the column {column!r}, but needs them as the index; "
            f"use {by_id}set_index({column!r})."
        )
    if hasattr(values, "iloc"):
        return PartById(as_vector(values.index, name=name), values)
    needed = "a mapping or a Series by id, or an array with one row per item"
    check_given(name, values, is_sparse(values) or has_rows(values), needed)
    return PartById(None, values)


def require_ids(values: Any, name: str) -> PartById:
    """Return a part with the id of each row; raise if it has no ids."""
    part = read_by_id(values, name)
    if part.labels is None:
        raise ValueError(
            f"`{name}` needs the id of each item, as the items of folds differ from those "
            "of the whole log; give a mapping, Series or DataFrame by id."
        )
    return part


def unite_labels(parts: Iterable[PartById]) -> np.ndarray | None:
    """Return the sorted ids of some parts; None if no part has ids."""
    label_arrays = [part.labels for part in parts if part.labels is not None]
    if not label_arrays:
        return None
    joined = (
        join_labels(label_arrays, name="items")
        if len(label_arrays) > 1
        else label_arrays[0]
    )
    return encode_labels(joined, name="items")[0]


def count_rows(part: PartById) -> int:
    """Return the number of rows of a part."""
    values = part.values
    return values.shape[0] if hasattr(values, "shape") else len(values)


def align_part(
    part: PartById, items: Items | None, name: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return for each item whether the part has it, and in which row.

    A part by position has a row for each item.
    """
    n_rows = count_rows(part)
    if part.labels is None:
        if items is not None and len(items.labels) != n_rows:
            raise ValueError(
                f"`{name}` has {n_rows} row(s), but there are {len(items.labels)} items; "
                "give a row for each in the order of `items`, or a mapping, Series or "
                "DataFrame by id."
            )
        return np.ones(n_rows, dtype=bool), np.arange(n_rows)
    assert items is not None
    position = items.find(part.labels, name=name)
    row = np.full(len(items.labels), -1)
    row[position[position >= 0]] = np.flatnonzero(position >= 0)
    return row >= 0, row


def read_counts(part: PartById, items: Items | None, name: str) -> np.ndarray:
    """Return the count of each item, 0 if the part lacks it."""
    has, row = align_part(part, items, name)
    values = number_vector(name, part.values, "one number per item", least=0)
    values = values.astype(np.float64)
    check_finite(name, values)
    check_values(name, values, values < 0, "negative", "counts are 0 or more")
    return np.where(has, values[row], 0.0) if len(values) else np.zeros(len(row))


def read_features(part: PartById, items: Items | None, name: str = "features") -> Any:
    """Return features, one row per item, dense or CSR; each item must have some."""
    has, row = align_part(part, items, name)
    if not has.all():
        assert items is not None
        first = items.labels[int(np.argmin(has))]
        raise ValueError(
            f"`features` does not cover the catalogue: {int((~has).sum())} of {len(has)} "
            f"items have no row, the first {show_id(first)}; give a row for each item."
        )
    values = part.values
    values = as_array(values, name) if isinstance(values, list) else values
    table = as_numbers(values, name, or_sparse=True)
    if table.ndim != 2:
        raise ValueError(
            "`features` needs one row per item and one column per feature, got shape "
            f"{table.shape}."
        )
    check_finite(name, table.data if is_sparse(table) else table)
    return table[row].astype(np.float64)


def read_distances(part: Any, items: Items | None) -> Any:
    """Return a function of two items, or a square matrix in the order of the items."""
    if callable(part):
        return part
    part = read_by_id(part, "distance")
    has, row = align_part(part, items, "distance")
    table = as_numbers(part.values, "distance").astype(np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not has.all():
        raise ValueError(
            "`distance` must be a function of two items, or a square matrix with a row "
            f"and a column for each of {len(has)} items, got shape {table.shape}."
        )
    check_finite("distance", table)
    return table[np.ix_(row, row)]


def compute_distances(
    function: Callable, labels: np.ndarray, one: np.ndarray, other: np.ndarray
) -> np.ndarray:
    """Return the distances of pairs of codes, given a function of two of the labels.

    It is called once for each two items, the one of the lower code first.
    """
    low, high = np.sort([one, other], axis=0)
    keys, pair = np.unique(low * np.int64(len(labels)) + high, return_inverse=True)
    pairs = zip(*divmod(keys, len(labels)), strict=True)
    values = [function(*labels[[i, j]].tolist()) for i, j in pairs]
    distances = as_floats(values, "distance(i, j)")
    if distances.ndim != 1:
        raise ValueError(
            f"`distance` must return a number for two ids, got {shorten(values[0])}."
        )
    check_finite("distance(i, j)", distances)
    return distances[pair]


def read_user_items(given: Any, users: Any, items: Items | None, name: str) -> UserItems:
    """Return the items of users: from a mapping of user to ids, or a matrix."""
    if isinstance(given, UserItems):
        return given
    if isinstance(given, Mapping):
        return _read_mapping(given, items, name)
    labels = None if users is None else as_vector(users, name="users")
    matrix = as_numbers(given, name, or_sparse=True)
    if matrix.ndim != 2:
        raise ValueError(
            f"`{name}` must be a matrix users × items or a mapping of each user to ids, "
            f"got shape {matrix.shape}."
        )
    if items is not None and matrix.shape[1] != len(items.labels):
        raise ValueError(
            f"`{name}` has {matrix.shape[1]} columns, but there are {len(items.labels)} "
            "items; give a column for each."
        )
    if labels is not None and len(labels) != matrix.shape[0]:
        raise ValueError(
            f"`users` has {len(labels)} labels, but `{name}` has {matrix.shape[0]} rows; "
            "give one per row."
        )
    require_columns(matrix.shape[1], name)
    return UserItems(labels, _binarize(matrix))


def ids_of_users(given: Any, name: str) -> PartById:
    """Return the ids of a mapping of users to ids, which has no rows of its own."""
    if not isinstance(given, Mapping):
        return PartById(None, ())
    return PartById(_concatenate_ids(given, name)[0], ())


def _concatenate_ids(ids_of_users: Mapping, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the ids of all users, one after the other, and how many each has."""
    lists = [list(ids) if isinstance(ids, Set) else ids for ids in ids_of_users.values()]
    for user, ids in zip(ids_of_users, lists, strict=True):
        if not has_rows(ids):
            raise TypeError(
                f"`{name}` must map each user to a list of ids, got {shorten(ids)} for "
                f"user {shorten(user)}."
            )
    sizes = np.array([len(ids) for ids in lists], dtype=np.intp)
    ids = list(
        chain.from_iterable(
            as_vector(ids_of_user, name=name).tolist() for ids_of_user in lists
        )
    )
    return as_vector(ids, name=name), sizes


def _read_mapping(ids_of_users: Mapping, items: Items | None, name: str) -> UserItems:
    from scipy import sparse

    assert items is not None
    ids, sizes = _concatenate_ids(ids_of_users, name)
    position = items.find(ids, name=name) if len(ids) else np.zeros(0, dtype=np.intp)
    user = np.repeat(np.arange(len(sizes)), sizes)[position >= 0]
    position = position[position >= 0]
    shape = (len(sizes), len(items.labels))
    pairs = sparse.coo_array((np.ones(len(user)), (user, position)), shape=shape)
    return UserItems(as_vector(list(ids_of_users), name="users"), _binarize(pairs.tocsr()))


def _binarize(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return 1 for each pair that is stored and not 0, by user and item."""
    from scipy import sparse

    matrix = sparse.csr_array(matrix, dtype=np.float64)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    ones = np.ones(len(matrix.data))
    return sparse.csr_array((ones, matrix.indices, matrix.indptr), shape=matrix.shape)


class Categories(NamedTuple):
    """The categories, and the share of each item in each category."""

    shares: sparse.csr_array  # items × categories; rows sum to 1, or hold nothing
    names: np.ndarray


def read_categories(part: PartById, items: Items | None) -> Categories:
    """Return the categories of each item, among which it shares its weight."""
    from scipy import sparse

    has, row = align_part(part, items, "categories")
    values = part.values
    if len(getattr(values, "shape", ())) == 2:  # frames of polars have no `ndim`
        return _read_category_matrix(values, has, row)
    listed = values.tolist() if hasattr(values, "tolist") else list(values)
    of_items = [_list_categories(listed[r]) if r >= 0 else [] for r in row.tolist()]
    flat = list(chain.from_iterable(of_items))
    if not flat:
        raise ValueError("`categories` is empty: no item has a category.")
    names, codes = encode_labels(as_vector(flat, name="categories"), name="categories")
    sizes = np.array([len(categories) for categories in of_items], dtype=np.intp)
    shape = (len(of_items), len(names))
    matrix = sparse.csr_array((np.ones(len(codes)), codes, starts_of(sizes)), shape=shape)
    return _share_weights(matrix, names)


def _list_categories(value: Any) -> list:
    """Return the categories of one item; an empty list for a missing value."""
    if isinstance(value, list | tuple | Set | np.ndarray):
        return list(np.atleast_1d(value) if isinstance(value, np.ndarray) else value)
    return [] if is_missing(value) else [value]


def _read_category_matrix(values: Any, has: np.ndarray, row: np.ndarray) -> Categories:
    from scipy import sparse

    names = getattr(values, "columns", None)
    table = as_numbers(values, "categories", or_sparse=True)
    check_finite("categories", table.data if is_sparse(table) else table)
    matrix = sparse.csr_array(table, dtype=np.float64)
    if not matrix.shape[0]:
        raise ValueError("`categories` is empty: no item has a category.")
    if matrix.data.min(initial=0) < 0:
        raise ValueError(
            "`categories` has negative values; weights of categories are 0 or more."
        )
    require_columns(matrix.shape[1], "categories")
    is_known = sparse.diags_array(has.astype(float))
    names = np.arange(matrix.shape[1]) if names is None else names
    labels = as_vector(names, name="columns")
    return _share_weights(sparse.csr_array(is_known @ matrix[row]), labels)


def _share_weights(matrix: sparse.csr_array, names: np.ndarray) -> Categories:
    from scipy import sparse

    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    total = matrix.sum(axis=1)
    scale = np.divide(1.0, total, out=np.zeros(len(total)), where=total > 0)
    return Categories(sparse.csr_array(sparse.diags_array(scale) @ matrix), names)
