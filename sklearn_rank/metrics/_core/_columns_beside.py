"""Further columns of rows that some metrics need."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._ids._encode import as_vector, encode_labels
from sklearn_rank._ranking._queries import SideColumn
from sklearn_rank._validation import (
    as_array,
    as_numbers,
    check_one_a_row,
    shorten,
    suggest,
)

Shape = tuple[int, ...]

# Up to this size, all labels are cheaper than finding the ones that occur.
_ROWS_A_LABEL = 4
_FEW_LABELS = 1024


def _shares(grades: np.ndarray) -> np.ndarray:
    """Return numbers above 0 and up to 1."""
    return 1 / (1 + np.arange(len(grades)) % 4)


@dataclass(frozen=True)
class Column:
    """A column: its name, its content and its reader.

    `read` takes the values, the name and the shape of y_true; it returns a value for each
    row of the flattened input, or for each item of a grid. Metrics of columns without a
    `has_best_order` cannot put tied rows in the best order, or in the worst. `example`
    takes grades of rows and returns values of them, for the page of definitions and for
    tests.
    """

    name: str
    holds: str
    read: Callable[[Any, str, Shape], SideColumn]
    has_best_order: bool = True
    example: Callable[[np.ndarray], Any] = _shares


def shape_of(y_true: Any) -> Shape:
    """Return the shape of what was given, of one dimension or more."""
    shape = y_true.shape if hasattr(y_true, "shape") else as_array(y_true, "y_true").shape
    if not shape:
        raise ValueError(
            "`y_true` must be 1-D with `groups`, or 2-D with a row a query, got "
            f"{shorten(y_true)}."
        )
    return shape


def read_columns(
    needed: Iterable[Column],
    given: Mapping[str, Any],
    shape: Shape,
    *,
    rows_are_items: bool = False,
) -> dict[str, SideColumn]:
    """Return the columns that metrics need; raise if one is missing.

    Without ids, items are the columns of a grid and, if `rows_are_items`, the rows of the
    flat form.
    """
    are_known = rows_are_items or is_grid(shape)
    return {
        column.name: column.read(_given(column, given, are_known), column.name, shape)
        for column in needed
    }


def _given(column: Column, given: Mapping[str, Any], items_are_known: bool) -> Any:
    values = given.get(column.name)
    if values is None and not (column is ITEMS and items_are_known):
        raise ValueError(
            f"`{column.name}` is needed, {column.holds}: one value a row. Give it by name, "
            "beside y_true and y_score."
        )
    return values


def check_columns(
    given: Iterable[str], known: Iterable[str], who: str, others: Iterable[str] = ()
) -> None:
    """Raise for a keyword that is not a column; `others` are known too."""
    columns = sorted(known)
    for name in given:
        if name not in columns:
            near = suggest(name, [*others, *columns])
            raise TypeError(f"{who} has no parameter {name!r}. {near}")


def is_grid(shape: Shape) -> bool:
    return len(shape) == 2 and shape[1] != 1


def read_numbers(values: Any, name: str, shape: Shape) -> SideColumn:
    """Return a column of numbers: one a row, or in the 2-D form one an item or a cell."""
    if sparse.issparse(values):
        raise TypeError(
            f"`{name}` must be dense: a value for each row, or in the 2-D form one for "
            f"each item, shape (n_items,), got a sparse {type(values).__name__}."
        )
    numbers = as_numbers(values, name)
    if not is_grid(shape):
        check_one_a_row(name, numbers, shape)
    elif numbers.shape not in (shape, shape[1:]):
        raise ValueError(
            f"`{name}` has shape {numbers.shape}, but `y_true` has {shape}; give one value "
            f"an item, shape {shape[1:]}, or one a cell, shape {shape}."
        )
    return SideColumn(numbers)


def _read_items(values: Any, name: str, shape: Shape) -> SideColumn:
    """Return the codes of items and their labels; without, columns or rows are items."""
    if isinstance(values, SideColumn):  # a scorer may have codes already
        return values
    if values is None:
        return SideColumn(np.arange(shape[1] if is_grid(shape) else shape[0]))
    vector = as_vector(values, name=name)
    expected = shape[1:] if is_grid(shape) else shape[:1]
    if vector.shape != expected:
        raise ValueError(
            f"`{name}` has {len(vector)} values, but `y_true` has shape {shape}; give one "
            "item a row, or in the 2-D form one a column."
        )
    return _numbered(vector) or _encoded(vector, name)


def _encoded(vector: np.ndarray, name: str) -> SideColumn:
    labels, codes = encode_labels(vector, name=name)
    return SideColumn(codes, labels)


def _numbered(vector: np.ndarray) -> SideColumn | None:
    """Return integers in a small span as codes that count from the lowest of them.

    Some codes may have no row. None for other ids, and for those beyond int64.
    """
    if vector.dtype.kind not in "iu" or len(vector) == 0:
        return None
    lowest, highest = int(vector.min()), int(vector.max())
    if highest - lowest > len(vector) // _ROWS_A_LABEL + _FEW_LABELS or highest >= 2**63:
        return None
    labels = np.arange(lowest, highest + 1, dtype=vector.dtype)
    codes = vector.astype(np.intp, copy=False)
    return SideColumn(codes if lowest == 0 else codes - lowest, labels)


ITEMS = Column(
    "items",
    "the id of each row's item",
    _read_items,
    example=lambda grades: np.arange(len(grades)),
)
