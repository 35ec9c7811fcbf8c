"""Detect input whose scores cannot mean what they seem to mean."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from sklearn_rank._base._messages import LEAST_TO_WARN, warn_misleading
from sklearn_rank._base._runs import CHUNK_VALUES, sizes_of
from sklearn_rank._ranking._judgments import GradesOfCatalogue, GradesOfLists
from sklearn_rank._ranking._rows import ArrayRows, Rows, ScatteredRows, StoredRows
from sklearn_rank.metrics._core._metric import BoundMetric

# Metrics that need all items of the catalogue, given lists that end earlier.


def check_lists_do_not_end(wanted: Iterable[BoundMetric], y_true: Any, rows: Rows) -> None:
    """Raise if a metric of all items is given lists that end.

    Then relevant items are in no list, and every other row is an item of a list, -0.0.
    """
    needing = [
        named
        for named in wanted
        if named.metric.all_items and named.parameters["n_items"] is None
    ]
    if not needing or rows.n_missed is None or isinstance(y_true, GradesOfCatalogue):
        return
    n_unlisted = _count_unlisted(rows)
    if n_unlisted:
        named = needing[0]
        size = "n_items=" if named.is_called else f"'{named.metric.name}(n_items=...)'"
        raise ValueError(
            f"{named.name} needs all items of the catalogue, but {n_unlisted:,} relevant "
            f"item(s) are in no list. Give {size}, the size of the catalogue, or use a "
            "metric of the first ranks, such as 'ndcg@10'."
        )


def find_longest_list(rows: Rows) -> int:
    """Return the largest number of rows of a query that were retrieved."""
    n_missed = 0 if rows.n_missed is None else rows.n_missed
    return int((sizes_of(rows.starts) - n_missed).max(initial=0))


def longest_if_lists(y_true: Any, rows: Rows) -> int | None:
    """Return the length of the longest list, None for rows that are not made from lists."""
    return find_longest_list(rows) if isinstance(y_true, GradesOfLists) else None


def _count_unlisted(rows: Rows) -> int:
    """Return the number of relevant items outside all lists; 0 if rows are not lists."""
    grade = getattr(rows, "grade", None)
    if not isinstance(grade, np.ndarray) or grade.dtype.kind != "f":
        return 0
    has_zeros = False
    for start in range(0, len(grade), CHUNK_VALUES):  # the first rows mostly decide
        part = grade[start : start + CHUNK_VALUES]
        signs = np.signbit(part[part == 0])
        if not signs.all():
            return 0
        has_zeros = has_zeros or len(signs) > 0
    if not has_zeros:
        return 0
    return int(np.count_nonzero((rows.score == -np.inf) & (grade > 0)))


# Input in which no order is wrong, and grades that look exchanged with scores.

# Takes the subject of a warning, which a scorer gives once, and its text.
WarnOf = Callable[[str, str], None]

# Labels and grades are of these; scores of a model hardly ever all are.
_USUAL_GRADES = range(5)
# The first rows to look at; mostly their grades differ already.
_FIRST_ROWS = 2**12


def warn_of_subject(subject: str, text: str) -> None:
    """Warn of a subject."""
    warn_misleading(text)


def warn_if_no_order_is_wrong(
    wanted: Iterable[BoundMetric], y_true: Any, rows: Rows, warn: WarnOf
) -> None:
    """Warn if every order of the rows has the same score.

    Rows made from lists, and input with rows that were not retrieved, get no warning: there
    the choice of the items is judged.
    """
    judging = [
        named
        for named in wanted
        if named.metric.rows == "relevant"
        and named.metric.unjudged != "needed"
        and named.summary.per_query
    ]
    n_queries = len(rows.starts) - 1
    if not judging or n_queries < LEAST_TO_WARN or rows.n_missed is not None:
        return
    if isinstance(y_true, GradesOfLists) or isinstance(rows, StoredRows):
        return
    if rows.starts[-1] == n_queries:
        warn(
            "one row a query",
            f"All {n_queries:,} queries have one row, so no order of y_score can be wrong. "
            "Check groups; of arrays of shape (n, 1) pass y.ravel() with groups.",
        )
    elif rows.min_grade > 0 and rows.max_grade < 1 and _are_grades(rows.score):
        warn(
            "exchanged",
            "All values of y_true are between 0 and 1, as probabilities are, and all of "
            "y_score are 0, 1, 2, 3 or 4, as grades are. The grades come first.",
        )
    elif rows.min_grade > 0:
        _warn_of_no_irrelevant_row(judging, rows, warn)


def _are_grades(score: np.ndarray) -> bool:
    return bool(np.ptp(score) > 0 and np.isin(score, _USUAL_GRADES).all())


def _warn_of_no_irrelevant_row(
    judging: list[BoundMetric], rows: Rows, warn: WarnOf
) -> None:
    # Beside a column, such as propensity, rows of one grade differ.
    judging = [named for named in judging if not named.metric.columns]
    blind = [named for named in judging if named.parameters.get("min_relevance", 0) is None]
    may_set = " or set min_relevance." if blind else " with grade 0."
    graded = [named for named in judging if "min_relevance" not in named.parameters]
    if graded and not _grades_differ(rows):
        blind += graded
    if blind:
        names = ", ".join(named.name for named in blind)
        n_queries = len(rows.starts) - 1
        warn(
            "no irrelevant row",
            f"All rows of all {n_queries:,} queries are relevant, so every order scores "
            f"the same by {names}. Add the others,{may_set}",
        )


def _grades_differ(rows: Rows) -> bool:
    """Return whether two rows of any query have different grades."""
    if rows.min_grade == rows.max_grade:
        return False
    assert isinstance(rows, ArrayRows | ScatteredRows)
    n_rows = len(rows.grade)
    return any(_first_grades_differ(rows, min(n, n_rows)) for n in (_FIRST_ROWS, n_rows))


def _first_grades_differ(rows: ArrayRows | ScatteredRows, n_rows: int) -> bool:
    grade = rows.grade[:n_rows]
    if isinstance(rows, ScatteredRows):
        assert rows.groups.of_row is not None
        query = rows.groups.of_row[:n_rows]
        order = np.argsort(query, kind="stable")
        query, grade = query[order], grade[order]
        return bool(((query[1:] == query[:-1]) & (grade[1:] != grade[:-1])).any())
    changes = np.flatnonzero(grade[1:] != grade[:-1]) + 1
    return bool((rows.starts[rows.starts.searchsorted(changes)] != changes).any())
