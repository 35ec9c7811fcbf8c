"""Grades of several raters, from a table or one grade per row."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._base._label_checks import (
    check_no_duplicates,
    check_same_labels,
    value_of_each,
)
from sklearn_rank._base._labels import as_list, as_vector, encode_labels
from sklearn_rank._base._messages import shorten
from sklearn_rank._base._numbers import (
    NotNumbers,
    check_finite,
    check_missing,
    float_array,
    is_missing,
    plain_array,
)
from sklearn_rank._base._runs import starts_of
from sklearn_rank._base._validation import check_length

# A long frame has one row per grade, with its unit and its rater.

# The default names of the columns.
_UNIT, _RATER, _GRADES = "unit", "rater", ("rating", "grade")


def read_long_frame(
    ratings: Any, units: Any, raters: Any, groups: Any
) -> tuple[Any, Any, Any, Any]:
    """Return the columns of a long frame; of other input, what was given.

    A frame is long if `units` and `raters` name its columns, or its columns have the usual
    names. Its grades are the column that is left.
    """
    of_pyarrow: Any = getattr(ratings, "column_names", None)
    columns = list(of_pyarrow or getattr(ratings, "columns", ()))
    if units is None and raters is None and {_UNIT, _RATER} <= set(columns):
        units, raters = _UNIT, _RATER
    arguments = {"units": units, "raters": raters, "groups": groups}
    roles = {role: name for role, name in arguments.items() if isinstance(name, str)}
    for role, name in roles.items():
        if name not in columns:
            raise ValueError(
                f"`{role}={name!r}` names a column, but `ratings` has "
                f"{shorten(columns) if columns else 'no names of columns'}."
            )
    if not {"units", "raters"} <= set(roles):
        return ratings, units, raters, ratings[groups] if "groups" in roles else groups
    unused = [name for name in columns if name not in roles.values()]
    candidates = [name for name in unused if name in _GRADES]
    candidates = candidates if len(candidates) == 1 else unused
    if len(candidates) != 1:
        raise ValueError(
            f"`ratings` needs one column of grades beside {list(roles.values())}, but has "
            f"{shorten(candidates)}; call one 'rating', or leave the others out."
        )
    vectors = {role: ratings[name] for role, name in roles.items()}
    return (ratings[candidates[0]], *(arguments | vectors).values())


# Fewer rows than these may have equal sums by chance.
_MANY_UNITS = 10


@dataclass(frozen=True, eq=False)
class RaterGrades:
    """Who gave which grade to what: codes of each grade that was given, by unit."""

    unit: np.ndarray
    rater: np.ndarray
    grade: np.ndarray
    units: np.ndarray  # labels
    raters: np.ndarray
    grades: np.ndarray  # distinct ones, sorted
    unit_of_row: np.ndarray  # of each row of the input, with a grade or without
    groups: Any = None  # the query of each row of the input, if given

    @property
    def are_numbers(self) -> bool:
        """Whether grades are numbers, not names."""
        return self.grades.dtype.kind == "f"

    def per_unit(self) -> np.ndarray:
        """Return the number of grades of each unit."""
        return np.bincount(self.unit, minlength=len(self.units))

    def take(self, keeps: np.ndarray) -> "RaterGrades":
        """Return some of the grades."""
        names = ("unit", "rater", "grade")
        return replace(self, **{name: getattr(self, name)[keeps] for name in names})

    @property
    def transposed(self) -> "RaterGrades":
        """The grades with units and raters exchanged."""
        order = np.argsort(self.rater, kind="stable")
        turned = replace(self, unit=self.rater, rater=self.unit).take(order)
        return replace(turned, units=self.raters, raters=self.units)

    def at_least(self, grade: float) -> "RaterGrades":
        """Return 1 for each grade from this one on, 0 for each below."""
        if not self.are_numbers:
            raise ValueError("`min_relevance` needs grades that are numbers, not names.")
        is_relevant = (self.grades >= grade).astype(np.intp)
        return replace(self, grade=is_relevant[self.grade], grades=np.array([0.0, 1.0]))


def read_ratings(
    ratings: Any, *, units: Any = None, raters: Any = None, groups: Any = None
) -> RaterGrades:
    """Return grades from a table with one column per rater, or from one grade per row."""
    ratings, units, raters, groups = read_long_frame(ratings, units, raters, groups)
    values = _read_grades(ratings)
    if values.ndim == 2 and units is None:
        _check_no_counts(values)
        if raters is None and hasattr(ratings, "columns"):
            raters = list(ratings.columns)
        rater_grades = _from_table(values, raters)
    elif values.ndim == 1 and units is not None and raters is not None:
        rater_grades = _from_rows(values, ratings, units, raters)
    else:
        raise ValueError(
            "`ratings` must have one row per unit and one column per rater, or one grade "
            f"per row with `units` and `raters`; got shape {values.shape}"
            + (" with `units`." if units is not None else ".")
        )
    if len(rater_grades.unit) == 0:
        raise ValueError("`ratings` has no grade: all values are missing.")
    return replace(rater_grades, groups=groups)


def check_numbers(ratings: RaterGrades, level: str) -> None:
    """Raise unless the grades can have the level."""
    if level != "nominal" and not ratings.are_numbers:
        grades = as_list(ratings.grades)
        name = next((grade for grade in grades if isinstance(grade, str)), grades[0])
        raise ValueError(
            f"`ratings` has the grade {shorten(name)}; names go with level='nominal' only, "
            f"got {level!r}. If each row is one grade, name the columns of its unit and "
            "rater by `units` and `raters`."
        )
    if level == "ratio" and ratings.grades[0] < 0:
        raise ValueError(
            f"`ratings` has {ratings.grades[0]:g}; level='ratio' needs grades of 0 or more."
        )


def queries_of_units(ratings: RaterGrades) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels of queries, and the query of each unit as a code."""
    labels, of_row = encode_labels(ratings.groups, name="groups")
    unit = ratings.unit_of_row
    check_length("groups", of_row, len(unit))
    order, starts = np.argsort(unit, kind="stable"), starts_of(np.bincount(unit))
    unit_of, query_of = ratings.units.__getitem__, labels.__getitem__
    return labels, value_of_each("groups", of_row[order], starts, unit_of, "unit", query_of)


def _read_grades(ratings: Any) -> np.ndarray:
    """Return grades as floats, NaN where missing, or names as objects."""
    if hasattr(ratings, "tocsr"):
        raise ValueError(
            "`ratings` is a sparse matrix, where a missing grade would be read as 0; pass "
            "one grade per row, with `units` and `raters`."
        )
    try:
        values = float_array(ratings, "`ratings`")
    except NotNumbers:
        return np.array(plain_array(ratings), dtype=object)
    is_given = ~np.isnan(values)
    check_finite("ratings", np.where(is_given, values, 0))
    return values


def _check_no_counts(values: np.ndarray) -> None:
    """Raise for a table of units by grades that counts the raters of each grade."""
    n_units, n_grades = values.shape
    if n_units < _MANY_UNITS or n_grades < 2 or values.dtype.kind != "f":
        return
    n_graded = values[0].sum()
    if not n_graded >= 2 or (values.sum(axis=1) != n_graded).any():
        return
    is_constant = (values == values[:, :1]).all(axis=1)
    if (values < 0).any() or (values % 1).any() or 2 * is_constant.sum() >= n_units:
        return
    raise ValueError(
        f"`ratings` of shape {values.shape} looks like counts: each row sums to "
        f"{n_graded:g}. Give one column per rater: [np.repeat(np.arange({n_grades}), row) "
        f"for row in np.asarray(ratings, int)], with your grades for the numbers. If "
        "these are grades, add a column of NaN, a rater without grades."
    )


def _from_table(values: np.ndarray, raters: Any) -> RaterGrades:
    n_units, n_raters = values.shape
    names = np.arange(n_raters) if raters is None else as_vector(raters, name="raters")
    if len(names) != n_raters:
        raise ValueError(
            f"`raters` has {len(names)} names for {n_raters} columns; name each once."
        )
    check_no_duplicates(
        encode_labels(names, name="raters")[1],
        lambda column: ValueError(
            f"`ratings` has several columns of rater {shorten(as_list(names)[column])}; "
            "give each one column, or one grade per row with `units` and `raters`."
        ),
    )
    is_given = _is_given(values)
    unit, rater = np.nonzero(is_given)
    grades, grade = _encode_grades(values[is_given])
    rows = np.arange(n_units)
    return RaterGrades(unit, rater, grade, rows, names, grades, rows)


def _from_rows(values: np.ndarray, ratings: Any, units: Any, raters: Any) -> RaterGrades:
    labels: list[np.ndarray] = []
    codes: list[np.ndarray] = []
    check_same_labels({"ratings": ratings, "units": units, "raters": raters})
    for name, argument in (("units", units), ("raters", raters)):
        vector = as_vector(argument, name=name)
        check_length(name, vector, len(values), "grade")
        check_missing(name, np.array([is_missing(label) for label in vector.tolist()]))
        distinct, code = encode_labels(vector, name=name)
        labels.append(distinct)
        codes.append(code)
    row = np.flatnonzero(_is_given(values))
    row = row[np.argsort(codes[0][row], kind="stable")]
    grades, grade = _encode_grades(values[row])
    result = RaterGrades(
        codes[0][row], codes[1][row], grade, labels[0], labels[1], grades, codes[0]
    )
    check_no_duplicates(
        result.unit * len(result.raters) + result.rater,
        lambda at: ValueError(
            f"Rater {shorten(as_list(result.raters)[result.rater[at]])} grades unit "
            f"{shorten(as_list(result.units)[result.unit[at]])} more than once; keep one "
            "grade of each rater and unit."
        ),
    )
    return result


def _is_given(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind == "f":
        return ~np.isnan(values)
    missing = [is_missing(value) for value in values.ravel().tolist()]
    return ~np.array(missing, dtype=bool).reshape(values.shape)


def _encode_grades(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if values.dtype.kind == "f":
        return np.unique(values, return_inverse=True)
    return encode_labels(values, name="ratings")


class GradeCounts(NamedTuple):
    """How often each unit has each grade, by unit, for what occurs."""

    unit: np.ndarray
    grade: np.ndarray
    times: np.ndarray

    @classmethod
    def build(cls, ratings: RaterGrades) -> "GradeCounts":
        """Count the grades of each unit."""
        n_grades = len(ratings.grades)
        key, times = np.unique(ratings.unit * n_grades + ratings.grade, return_counts=True)
        return cls(key // n_grades, key % n_grades, times)
