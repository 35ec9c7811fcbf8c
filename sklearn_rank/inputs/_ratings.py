"""One grade of each item from those of several raters."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sklearn_rank._base._labels import as_list
from sklearn_rank._base._messages import shorten
from sklearn_rank._base._runs import starts_of
from sklearn_rank._base._validation import check_integer, check_option
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._krippendorff_alpha import LEVELS, Level, PairableGrades
from sklearn_rank.inputs._match import JudgedUnits
from sklearn_rank.inputs._rater_grades import (
    GradeCounts,
    RaterGrades,
    check_numbers,
    queries_of_units,
    read_ratings,
)
from sklearn_rank.typing import Labels, Table


@explained
def from_ratings(
    ratings: Table | Labels,
    *,
    units: Labels | str | None = None,
    raters: Labels | str | None = None,
    groups: Labels | str | None = None,
    combine: Literal["median", "mean", "majority"] = "median",
    min_raters: int = 1,
    level: Level = "ordinal",
) -> JudgedUnits:
    """Relevance grades from those of several raters, with how well they agree.

    Parameters
    ----------
    ratings : array-like of shape (n_units, n_raters) or (n_grades,), or DataFrame
        The grade of each unit (such as a query and an item) by each rater, 0 or more; or
        one grade per row, with ``units`` and ``raters``. NaN, None and masked values are
        missing. A long frame has a row a grade: its columns are named by
        ``units``, ``raters`` and ``groups``, and grades are the one that is left.
    units : array-like of shape (n_grades,) or str, default=None
        Unit of each grade, labels of any type, where ``ratings`` has one grade per row; of
        a long frame the name of the column, ``"unit"`` if it has that.
    raters : array-like of shape (n_grades,) or (n_raters,), or str, default=None
        Rater of each grade, or the name of each column; of a long frame the name of the
        column, ``"rater"`` if it has that.
    groups : array-like of shape (n_units,) or (n_grades,), or str, default=None
        Query of each row of ``ratings``, one per unit, or its column.
    combine : {"median", "mean", "majority"}, default="median"
        How grades of a unit become one. The median of an even number is half-way between
        the two in the middle; of grades that are as frequent, "majority" takes the lowest.
    min_raters : int, default=1
        A unit with fewer grades is unjudged: NaN.
    level : {"nominal", "ordinal", "interval", "ratio"}, default="ordinal"
        Distance of grades in alpha.

    Returns
    -------
    judged : Bunch
        `y_true`, the grade of each unit, NaN where too few raters gave one; `n_raters`,
        their number; `units`, the rows of a table, or sorted labels; `groups`, the query
        of each unit, if given; and `alpha`, Krippendorff's, NaN where no unit has two
        grades or all grades are alike.

    Raises
    ------
    ValueError
        If a grade is negative or not a number, a rater grades a unit twice, a unit has two
        queries, or a table looks like counts of grades: the rows of 10 units or more have
        one sum.

    See Also
    --------
    make_pool : What to judge.
    sklearn_rank.statistics.rater_agreement : Alpha with its interval, and by rater.

    Examples
    --------
    >>> from sklearn_rank.inputs import from_ratings
    >>> judged = from_ratings([[0, 0, 1], [2, 3, None], [3, 3, 3], [None, None, None]])
    >>> judged.y_true.tolist()
    [0.0, 2.5, 3.0, nan]
    >>> round(judged.alpha, 3)
    0.796
    """
    check_option("combine", combine, _COMBINE)
    check_option("level", level, LEVELS)
    check_integer("min_raters", min_raters)
    rater_grades = read_ratings(ratings, units=units, raters=raters, groups=groups)
    _check_grades(rater_grades)
    check_numbers(rater_grades, level)
    n_raters = rater_grades.per_unit()
    combined = _COMBINE[combine](rater_grades)
    judged = JudgedUnits(
        y_true=np.where(n_raters >= min_raters, combined, np.nan),
        n_raters=n_raters,
        units=rater_grades.units,
        alpha=np.nan,
    )
    if (n_raters > 1).any():
        judged.alpha = PairableGrades.build(rater_grades, level).alpha()
    if groups is not None:
        labels, query = queries_of_units(rater_grades)
        judged.groups = labels[query]
    return judged


def _check_grades(ratings: RaterGrades) -> None:
    lowest = as_list(ratings.grades)[0]
    if not ratings.are_numbers or lowest < 0:
        grade = f"{lowest:g}" if ratings.are_numbers else shorten(lowest)
        raise ValueError(
            f"`ratings` has the grade {grade}; relevance grades must be numbers >= 0."
        )


def _mean(ratings: RaterGrades) -> np.ndarray:
    total = np.bincount(ratings.unit, ratings.grades[ratings.grade], len(ratings.units))
    n_raters = ratings.per_unit()
    return np.divide(total, n_raters, out=np.full(len(total), np.nan), where=n_raters > 0)


def _median(ratings: RaterGrades) -> np.ndarray:
    n_raters = ratings.per_unit()
    grade = ratings.grade[np.lexsort((ratings.grade, ratings.unit))]
    value = ratings.grades[grade]
    start, is_graded = starts_of(n_raters)[:-1], n_raters > 0
    median = np.full(len(n_raters), np.nan)
    low = value[(start + (n_raters - 1) // 2)[is_graded]]
    high = value[(start + n_raters // 2)[is_graded]]
    median[is_graded] = low + (high - low) / 2
    return median


def _majority(ratings: RaterGrades) -> np.ndarray:
    counts = GradeCounts.build(ratings)
    # The most frequent grade of each unit comes last, of these the lowest.
    order = np.lexsort((-counts.grade, counts.times, counts.unit))
    majority = np.full(len(ratings.units), np.nan)
    last = np.append(counts.unit[order][1:] != counts.unit[order][:-1], True)
    majority[counts.unit[order][last]] = ratings.grades[counts.grade[order][last]]
    return majority


_COMBINE = {"median": _median, "mean": _mean, "majority": _majority}
