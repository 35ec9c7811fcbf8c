"""Side columns: values of rows that some metrics need beside grades and scores."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sklearn_rank._base._label_checks import show_id, value_of_each
from sklearn_rank._base._labels import as_list, as_vector, encode_labels, places_as_text
from sklearn_rank._base._machine import require_columns
from sklearn_rank._base._messages import warn_caller
from sklearn_rank._base._numbers import (
    as_array,
    as_floats,
    as_numbers,
    check_one_per_row,
    is_grid,
    is_sparse,
)
from sklearn_rank._base._runs import sizes_of
from sklearn_rank._base._validation import shorten
from sklearn_rank._hints._explain import words
from sklearn_rank._ranking._rows import Rows, SideColumn, StoredRows

Shape = tuple[int, ...]

# Up to this size, all labels are cheaper than finding the ones that occur.
_ROWS_A_LABEL = 4
_FEW_LABELS = 1024


def _example_shares(grades: np.ndarray) -> np.ndarray:
    """Return numbers above 0 and up to 1."""
    return 1 / (1 + np.arange(len(grades)) % 4)


@dataclass(frozen=True)
class Column:
    """A column: its name, its content and its reader.

    `read` takes the values, the name and the shape of y_true; it returns a value for each
    row of the flattened input, or for each item of a grid. Metrics of columns without a
    `has_best_order` cannot put tied rows in the best order, or in the worst. `example`
    takes grades of rows and returns values of them, for the page of definitions and for
    tests. An optional one has values where none are given.
    """

    name: str
    holds: str
    read: Callable[[Any, str, Shape], SideColumn]
    has_best_order: bool = True
    example: Callable[[np.ndarray], Any] = _example_shares
    is_optional: bool = False


def shape_of(y_true: Any) -> Shape:
    """Return the shape of what was given, of one dimension or more."""
    shape = y_true.shape if hasattr(y_true, "shape") else as_array(y_true, "y_true").shape
    if not shape:
        raise ValueError(
            "`y_true` must be 1-D with `groups`, or 2-D with one row per query, got "
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
        column.name: column.read(_take_given(column, given, are_known), column.name, shape)
        for column in needed
    }


def _take_given(column: Column, arguments: Mapping[str, Any], items_are_known: bool) -> Any:
    values = arguments.get(column.name)
    if values is None and not (column is ITEMS and items_are_known):
        of_lists = "; for lists from_item_lists(..., return_items=True)"
        raise ValueError(
            f"`{column.name}` is needed, {column.holds}: one value per row. Give it by "
            f"name, beside y_true and y_score{of_lists if column is ITEMS else ''}."
        )
    return values


def is_by_query(by: Any, queries: list, n_rows: int, groups: Any) -> bool:
    """Return whether the index of a Series has queries, and not places of rows."""
    if not hasattr(by, "iloc") or hasattr(by, "columns"):
        return False
    return len(by) != n_rows or (groups is None and set(by.index) == set(queries))


def look_up_queries(name: str, given: Any, labels: list, unit: str) -> list:
    """Return what a mapping or a Series by query has for each query, which is a `unit`."""
    of_label = dict(given.items())
    if len(of_label) < len(given):
        twice = show_id(given.index[given.index.duplicated()][0])
        raise ValueError(f"`{name}` has {twice} twice in its index; give each once.")
    missing = [label for label in labels if label not in of_label]
    if missing:
        raise ValueError(
            f"`{name}` lacks {len(missing)} of {len(labels)} queries, such as "
            f"{show_id(missing[0])}; give each a {unit}."
        )
    return [of_label[label] for label in labels]


def check_columns(
    given: Iterable[str], known: Iterable[str], who: str, others: Iterable[str] = ()
) -> None:
    """Raise for a keyword that is not a column; `others` are known too."""
    columns = sorted(known)
    unknown = [name for name in given if name not in columns]
    if unknown:
        raise TypeError(words().unknown_keywords(who, [*others, *columns], unknown))


def read_numbers(values: Any, name: str, shape: Shape) -> SideColumn:
    """Return numbers: one per row, or in the 2-D form one per item or per cell."""
    if is_sparse(values):
        raise TypeError(
            f"`{name}` must be dense: a value for each row, or in the 2-D form one for "
            f"each item, shape (n_items,), got a sparse {type(values).__name__}."
        )
    numbers = as_numbers(values, name)
    if not is_grid(shape):
        check_one_per_row(name, numbers, shape)
    elif numbers.shape not in (shape, shape[1:]):
        raise ValueError(
            f"`{name}` has shape {numbers.shape}, but `y_true` has {shape}; give one value "
            f"per item, shape {shape[1:]}, or one per cell, shape {shape}."
        )
    return SideColumn(numbers)


def _read_items(values: Any, name: str, shape: Shape) -> SideColumn:
    """Return the codes of items and their labels; without, columns or rows are items."""
    if isinstance(values, SideColumn):  # a scorer may have codes already
        return values
    if values is None:
        if not is_grid(shape):
            return SideColumn(np.arange(shape[0]))
        require_columns(shape[1], "y_true")
        return SideColumn(np.arange(shape[1]))
    vector = as_vector(values, name=name)
    expected = shape[1:] if is_grid(shape) else shape[:1]
    if vector.shape != expected:
        raise ValueError(
            f"`{name}` has {len(vector)} values, but `y_true` has shape {shape}; give one "
            "item per row, or in the 2-D form one per column."
        )
    return _number_items(vector) or _encode_items(vector, name)


def _encode_items(vector: np.ndarray, name: str) -> SideColumn:
    labels, codes = encode_labels(vector, name=name)
    return SideColumn(codes, labels)


def _number_items(vector: np.ndarray) -> SideColumn | None:
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


def order_ties_by_item(rows: Rows) -> Rows:
    """Return rows with tied scores in descending order of the text of their items."""
    items = rows.columns["items"]
    labels = items.values if items.labels is None else items.labels
    cell = rows.cells if isinstance(rows, StoredRows) else np.arange(len(rows.score))
    of_row = places_as_text(labels)[items.values[cell % len(items.values)]]
    order = np.lexsort((of_row, rows.score))
    score = np.empty(len(order))
    score[order] = np.arange(len(order))
    return replace(rows, score=np.where(rows.score == -np.inf, -np.inf, score))


# Subtopics: relevance of a row to each of several intents, as columns of y_true.


def _read_subtopics(values: Any, name: str, shape: Shape) -> SideColumn:
    """Return which rows are relevant to which subtopics, as a sparse matrix."""
    from scipy import sparse

    if shape[1:] not in {(), (1,)}:
        raise ValueError(
            f"`{name}` need rows, one per document of a query, with `groups`, but `y_true` "
            f"has shape {shape} without `groups`; give y_score and groups of shape "
            "(n_rows,)."
        )
    numbers = as_numbers(values, name, or_sparse=True)
    if numbers.ndim != 2 or numbers.shape[0] != shape[0]:
        raise ValueError(
            f"`{name}` has shape {numbers.shape}, but there are {shape[0]} rows; give a "
            "row for each, with a column for each subtopic."
        )
    matrix = sparse.csr_array(numbers)
    matrix.sum_duplicates()
    wrong = ~(matrix.data >= 0)
    if wrong.any():
        entry = int(np.argmax(wrong))
        row = int(np.searchsorted(matrix.indptr, entry, side="right")) - 1
        raise ValueError(
            f"`{name}` has {int(wrong.sum())} value(s) that are negative or missing, the "
            f"first {matrix.data[entry]} in row {row}; relevance to a subtopic is 0 or "
            "more."
        )
    matrix.data = (matrix.data > 0).astype(np.float64)
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return SideColumn(matrix)


SUBTOPICS = Column(
    "subtopics",
    "the relevance of each row to each subtopic, in the columns of y_true or by itself",
    _read_subtopics,
    has_best_order=False,
    example=lambda grades: np.sign(grades)[:, None],
)


def take_subtopics(
    y_true: Any, groups: Any, columns: Mapping[str, Any]
) -> tuple[Any, Mapping[str, Any]]:
    """Return y_true with one value per row, and the columns with its subtopics.

    A row is as relevant as to the subtopic to which it is most relevant.
    """
    subtopics, shape = columns.get("subtopics"), shape_of(y_true)
    if subtopics is None:
        if groups is None or len(shape) != 2:
            return y_true, columns  # and reading the columns says what is missing
        by_subtopic = SUBTOPICS.read(y_true, "y_true", shape[:1])
        return highest_grades(y_true), {**columns, "subtopics": by_subtopic.values}
    _check_relevant(y_true, SUBTOPICS.read(subtopics, "subtopics", shape))
    return y_true, columns


def highest_grades(subtopics: Any) -> np.ndarray:
    """Return the highest value of each row."""
    numbers = as_numbers(subtopics, "y_true", or_sparse=True)
    if numbers.shape[1] == 0:
        return np.zeros(numbers.shape[0])
    highest = numbers.max(axis=1)
    return highest.toarray().ravel() if is_sparse(highest) else highest


def _check_relevant(y_true: Any, subtopics: SideColumn) -> None:
    """Raise where a row has a subtopic and is not relevant: it would not be seen."""
    grade = np.ravel(as_numbers(y_true, "y_true"))
    matrix: Any = subtopics.values
    wrong = (np.diff(matrix.indptr) > 0) & ~(grade > 0)
    if wrong.any():
        raise ValueError(
            f"Row {int(np.argmax(wrong))} is relevant to a subtopic, but its `y_true` is "
            f"{grade[np.argmax(wrong)]}; a row that is relevant to a subtopic is relevant. "
            "Or give the subtopics as the columns of `y_true`."
        )


# The confidence of each query: its top score, or what users give.

CONFIDENCE = Column(
    "confidence",
    "the confidence of each query, the same for all of its rows",
    read_numbers,
    example=np.ones_like,
    is_optional=True,
)


def add_confidence(rows: Rows, given: Any, groups: Any) -> Rows:
    """Return the rows with the confidence of each query, in the order of the rows.

    It warns if all have the same, so that no query is answered before another.
    """
    top = _top_scores(rows)
    confidence = top if given is None else _read_confidence(rows, given, groups)
    is_missing = np.isnan(confidence)
    if is_missing.any():
        label = rows.queries.label_of(int(np.argmax(is_missing)))
        raise ValueError(
            f"`confidence` of query {show_id(label)} is NaN; give a number to each query, "
            "-inf for one that is not answered."
        )
    answered = confidence[(top > -np.inf) & (confidence > -np.inf)]
    if len(answered) > 1 and answered.min() == answered.max():
        warn_caller(
            f"All answered queries have the same confidence, {answered[0]:g}, so that none "
            "is answered before another. Lists without scores have the top score -1: give "
            "scores, or `confidence`."
        )
    return replace(rows, columns={**rows.columns, CONFIDENCE.name: SideColumn(confidence)})


def _top_scores(rows: Rows) -> np.ndarray:
    top = np.full(len(rows.starts) - 1, -np.inf)
    has_rows = sizes_of(rows.starts) > 0
    scores = rows.scores(slice(None))
    top[has_rows] = np.maximum.reduceat(scores, rows.starts[:-1][has_rows])
    return top


def _read_confidence(rows: Rows, confidence: Any, groups: Any) -> np.ndarray:
    queries, n_rows = rows.queries, int(rows.starts[-1])
    labels = as_list(queries.labels)
    if isinstance(confidence, Mapping) or is_by_query(confidence, labels, n_rows, groups):
        listed = look_up_queries("confidence", confidence, labels, "number")
        return queries.by_row(as_floats(listed, "confidence"))
    values = as_floats(confidence, "confidence")
    n_needed, unit = (len(labels), "query") if groups is None else (n_rows, "row")
    if values.shape != (n_needed,):
        raise ValueError(
            f"`confidence` has shape {values.shape}, but `y_true` needs one value per "
            f"{unit}, shape ({n_needed},); or give a mapping by query."
        )
    if groups is None:
        return values
    by_row = values[rows.origin(np.arange(n_rows))]
    return value_of_each("confidence", by_row, rows.starts, queries.label_of)
