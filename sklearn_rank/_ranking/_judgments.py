"""Judgments in `y_true`: relevant, irrelevant, unjudged, or never pooled.

- A grade of 0 or more: the row is judged.
- NaN: the row was in the pool of rows to judge, but is unjudged.
- -0.0: the row was never in the pool, as most rows of a run and of implicit feedback.

Metrics that ask only what is relevant take -0.0 for the zero it is, at no cost. To metrics
of judgments it is not the zero that somebody gave.
"""

from typing import Any

import numpy as np

from sklearn_rank._base._numbers import as_array, as_numbers, check_one_per_row

NEVER_POOLED = -0.0


class Judgments(np.ndarray):
    """Grades whose NaN and -0.0 are intended, so metrics accept them."""


class GradesOfLists(np.ndarray):
    """Grades of rows made from lists: items outside all lists may have no row.

    What is made of them are plain arrays.
    """

    def __array_wrap__(self, array, context=None, return_scalar=False):
        """Return the results of functions as plain arrays."""
        return array[()] if return_scalar else np.asarray(array)

    def __repr__(self):
        """Return the text of a plain array."""
        return repr(np.asarray(self))


class GradesOfCatalogue(GradesOfLists):
    """Grades of the lists of a recommender, which have the needed length."""


def read_judgments(
    grades: Any, needed_for: str, *, is_meant: bool
) -> tuple[Any, np.ndarray]:
    """Return grades with NaN for unjudged rows, and the positions of never pooled rows.

    These are flat positions, ascending. `is_meant` says that the grades are `Judgments`, or
    a part of grades whose judgments are asked for elsewhere. Raise if no judgments are
    known.
    """
    stored = grades if isinstance(grades, np.ndarray) else grades.data
    never = (stored == 0) & np.signbit(stored)
    if not never.any():
        return grades, np.zeros(0, dtype=np.intp)
    grades = _as_dense(grades)
    never = (grades == 0) & np.signbit(grades)
    if not (is_meant or (knowledge_of_rows(grades) == JUDGED).any()):
        raise unknown_judgments_error(needed_for)
    return np.where(never, np.nan, grades), np.flatnonzero(never)


# What rows tell of judgments: nothing, that some were never pooled, or which were judged.
UNASKED, UNKNOWN, JUDGED = 0, 1, 2


def knowledge_of_rows(grades: np.ndarray) -> np.ndarray:
    """Return what each row tells; the highest number is what rows tell together."""
    is_zero = grades == 0
    is_known = np.isnan(grades) | (is_zero & ~np.signbit(grades))
    return np.where(is_known, JUDGED, np.where(is_zero, UNKNOWN, UNASKED))


def unknown_judgments_error(needed_for: str) -> ValueError:
    """Return the error for rows that tell nothing of what was judged irrelevant."""
    return ValueError(
        f"{needed_for} needs to distinguish judged irrelevant rows from unjudged ones, "
        "but `y_true` has no judged irrelevant row: it comes from relevant items "
        "alone. Give the judged irrelevant items too, with grade 0, or leave "
        f"{needed_for} out."
    )


def _as_dense(grades: Any) -> np.ndarray:
    """Return grades as an array; toarray() would lose the sign of stored zeros."""
    if isinstance(grades, np.ndarray):
        return grades
    dense, stored = np.zeros(grades.shape, dtype=grades.dtype), grades.tocoo()
    dense[stored.row, stored.col] = stored.data
    return dense


def mark_never_pooled(y_true: Any, pooled: Any) -> Judgments:
    """Return grades that mark rows with `pooled` False as never pooled."""
    grade = _as_dense(as_numbers(y_true, "y_true", or_sparse=True)).astype(np.float64)
    pooled = as_array(pooled, "pooled")
    if pooled.dtype != bool:
        raise TypeError(f"`pooled` must hold booleans, got dtype {pooled.dtype}.")
    check_one_per_row("pooled", pooled, grade.shape)
    pooled = pooled.reshape(grade.shape)
    is_wrong = (grade > 0) & ~pooled
    if is_wrong.any():
        place = tuple(map(int, np.argwhere(is_wrong)[0]))
        where = place[0] if len(place) == 1 else place
        raise ValueError(
            f"`pooled` is False at {where}, where `y_true` is {grade[place]}: what was "
            "judged relevant was in the pool. Set it to True there."
        )
    return np.where(pooled, grade, NEVER_POOLED).view(Judgments)
