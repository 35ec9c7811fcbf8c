"""Subtopics: relevance of a row to each of several intents, as columns of y_true."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._ranking._queries import SideColumn
from sklearn_rank._validation import as_numbers
from sklearn_rank.metrics._core._columns_beside import Column, Shape, shape_of


def _read_subtopics(values: Any, name: str, shape: Shape) -> SideColumn:
    """Return which rows are relevant to which subtopics, as a sparse matrix."""
    if shape[1:] not in {(), (1,)}:
        raise ValueError(
            f"`{name}` need rows, one a document of a query, with `groups`, but `y_true` "
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
    needed: Iterable[Column], y_true: Any, groups: Any, columns: Mapping[str, Any]
) -> tuple[Any, Mapping[str, Any]]:
    """Return y_true with one value a row, and the columns with its subtopics.

    A row is as relevant as to the subtopic to which it is most relevant.
    """
    if SUBTOPICS not in needed:
        return y_true, columns
    given, shape = columns.get("subtopics"), shape_of(y_true)
    if given is None:
        if groups is None or len(shape) != 2:
            return y_true, columns  # and reading the columns says what is missing
        by_subtopic = SUBTOPICS.read(y_true, "y_true", shape[:1])
        return highest_of(y_true), {**columns, "subtopics": by_subtopic.values}
    _check_relevant(y_true, SUBTOPICS.read(given, "subtopics", shape))
    return y_true, columns


def highest_of(subtopics: Any) -> np.ndarray:
    """Return the highest value of each row."""
    numbers = as_numbers(subtopics, "y_true", or_sparse=True)
    if numbers.shape[1] == 0:
        return np.zeros(numbers.shape[0])
    highest = numbers.max(axis=1)
    return highest.toarray().ravel() if sparse.issparse(highest) else highest


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
