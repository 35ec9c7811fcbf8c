"""Detect input whose scores cannot mean what they seem to mean."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from sklearn_rank._base._messages import LEAST_TO_WARN, warn_caller, warn_misleading
from sklearn_rank._base._runs import run_starts, sizes_of
from sklearn_rank._ranking._judgments import GradesOfCatalogue, GradesOfLists
from sklearn_rank._ranking._low_is_best import is_name_of_distances, is_name_of_ranks
from sklearn_rank._ranking._rows import Rows, ScatteredRows, StoredRows
from sklearn_rank.metrics._core._metric import BoundMetric

# Metrics that need all items of the catalogue, given lists that end earlier.


# The tolerance for a rounded quotient above 1.
_ROUNDING = 1e-9


def warn_of_values_above_best(name: str, values: np.ndarray, labels: np.ndarray) -> None:
    """Warn if a query's list is better than its ideal list."""
    is_above = values > 1 + _ROUNDING
    if is_above.any():
        query = int(np.nanargmax(values))
        warn_caller(
            f"{name}: {int(is_above.sum())} value(s) above 1, the highest "
            f"{values[query]:.6g} (query {labels[query]}). The ideal list of more than "
            "eight relevant documents is found step by step, and need not be the best; "
            "these lists are better. Values stay as they are."
        )


def check_lists_do_not_end(wanted: Iterable[BoundMetric], y_true: Any, rows: Rows) -> None:
    """Raise if a metric of all items is given lists that end.

    Then relevant items are in no list, and every other row is an item of a list, -0.0.
    """
    of_all = [bound for bound in wanted if bound.metric.all_items]
    needing = [bound for bound in of_all if bound.parameters["n_items"] is None]
    if not needing or rows.n_missed is None or isinstance(y_true, GradesOfCatalogue):
        return
    n_unlisted = _count_unlisted(rows)
    if n_unlisted:
        bound = needing[0]
        size = "n_items=" if bound.is_called else f"'{bound.metric.name}(n_items=...)'"
        raise ValueError(
            f"{bound.name} needs all items of the catalogue, but {n_unlisted:,} "
            f"relevant item(s) are in no list. Give {size}, the size of the catalogue, or "
            "use a metric of the first ranks, such as 'ndcg@10'."
        )


def find_longest_list(rows: Rows) -> int:
    """Return the largest number of rows of a query that were retrieved."""
    n_missed = 0 if rows.n_missed is None else rows.n_missed
    return int((sizes_of(rows.starts) - n_missed).max(initial=0))


def _count_unlisted(rows: Rows) -> int:
    """Return the number of relevant items outside all lists; 0 if rows are not lists."""
    grade = getattr(rows, "grade", None)
    if not isinstance(grade, np.ndarray) or grade.dtype.kind != "f":
        return 0
    is_zero = grade == 0
    if not is_zero.any() or not np.signbit(grade)[is_zero].all():
        return 0
    return int(np.count_nonzero((rows.score == -np.inf) & (grade > 0)))


# Scores and grades that look exchanged or reversed, and input in which no order is wrong.

# Takes the subject of a warning, which a scorer may leave out, and its text.
WarnOf = Callable[[str, str], None]

# Labels and grades are of these; scores of a model hardly ever all are.
_USUAL_GRADES = range(5)
_HIGHEST_GRADE = 20
# With fewer rows, few scores may all happen to be such numbers.
_LEAST_TO_COMPARE = 4
# The first rows to look at: mostly their grades differ, and no order is reversed.
_VERY_FIRST_ROWS, _FIRST_ROWS = 2**9, 2**12
_REVERSED = "reversed"


def warn_of_subject(subject: str, text: str) -> None:
    """Warn of a subject."""
    warn_misleading(text)


def warn_unless_reversed(subject: str, text: str) -> None:
    """Warn of a subject, but not of orders that are tried out."""
    if subject != _REVERSED:
        warn_misleading(text)


def warn_if_nothing_retrieved(is_answered: np.ndarray, warn: WarnOf) -> None:
    """Warn if none of two queries or more has a retrieved row."""
    if len(is_answered) >= 2 and not is_answered.any():
        warn(
            "nothing retrieved",
            f"None of {len(is_answered):,} queries has a retrieved row: all scores "
            "are -inf, or all lists are empty, so nothing was ranked. Check that the run "
            "is the right one.",
        )


def warn_if_misleading(
    wanted: Iterable[BoundMetric],
    y_true: Any,
    y_score: Any,
    rows: Rows,
    warn: WarnOf,
    *,
    is_2d: bool,
) -> None:
    """Warn if scores and grades look exchanged or reversed, or if no order is wrong.

    Also if a Series of scores is named like what is best if small, and may be such.
    Rows made from lists, and input with rows that were not retrieved, get no warning: there
    the choice of the items is judged.
    """
    judging = [
        bound
        for bound in wanted
        if bound.metric.rows == "relevant"
        and bound.metric.unjudged != "needed"
        and bound.summary.per_query
    ]
    are_lists = isinstance(y_true, GradesOfLists) or isinstance(rows, StoredRows)
    if not judging or rows.n_missed is not None or are_lists:
        return
    name = getattr(y_score, "name", None)
    if isinstance(name, str):
        _warn_of_name(name, rows, warn)
    n_queries = len(rows.starts) - 1
    have_several = rows.starts[-1] > n_queries
    are_shares = rows.min_grade > 0 and rows.max_grade < 1
    if have_several and are_shares and _are_exchanged(rows):
        warn(
            "exchanged",
            "All values of y_true are between 0 and 1, as probabilities are, and all of "
            "y_score are 0, 1, 2, 3 or 4, as grades are. The grades come first.",
        )
    elif is_2d and have_several and _are_ids(rows):
        warn(
            "ids",
            "y_true and y_score are whole numbers that differ within each row, from "
            f"{rows.min_grade:g} to {rows.max_grade:g} in y_true. If they are ids, give "
            "from_item_lists(y_true, y_score) of sklearn_rank.inputs.",
        )
    elif n_queries >= LEAST_TO_WARN or (is_2d and n_queries > 1 and not have_several):
        _warn_of_orders(judging, rows, warn)


def _warn_of_name(name: str, rows: Rows, warn: WarnOf) -> None:
    """Warn of scores in a Series that is named like ranks or distances."""
    if is_name_of_distances(name, rows.score):
        warn(
            _REVERSED,
            f"`y_score` ranks the largest first, and is named {name!r}, like what is best "
            "if small. Give -y_score.",
        )
        return
    scattered = rows.scattered()
    query = np.repeat(np.arange(len(rows.starts) - 1), np.diff(rows.starts))
    score = rows.score
    if scattered is not None:
        score, _, query = scattered
    if is_name_of_ranks(name, score, query):
        warn(
            _REVERSED,
            f"`y_score`, named {name!r}, has the ranks of each query's items, but the "
            "highest score ranks first. Give -y_score.",
        )


def _are_exchanged(rows: Rows) -> bool:
    """Return whether the grades look like probabilities, and the scores like grades."""
    if len(rows.score) < _LEAST_TO_COMPARE:
        return False
    grade = rows.grades(slice(0, len(rows.score)))
    has_many = len(rows.starts) > LEAST_TO_WARN
    if not has_many and len(np.unique(grade)) < len(grade):
        return False
    return bool(
        rows.score.max() > rows.score.min() and np.isin(rows.score, _USUAL_GRADES).all()
    )


def _are_ids(rows: Rows) -> bool:
    """Return whether grades and scores of a grid look like ids of items."""
    if rows.max_grade <= _HIGHEST_GRADE:
        return False
    if rows.min_grade < 1 and not np.diff(_sorted_sides(rows, 1)[0]).all():
        return False  # most grids have a grade twice
    sides = _sorted_sides(rows, len(rows.starts) - 1)
    if not all(bool((side % 1 == 0).all() and np.diff(side).all()) for side in sides):
        return False
    # Ranks from 0 are of the same numbers on both sides.
    are_other = (sides[0] != sides[1]).any(axis=1)
    return bool(rows.min_grade >= 1 or 2 * are_other.sum() >= len(are_other))


def _sorted_sides(rows: Rows, n_queries: int) -> list[np.ndarray]:
    """Return the grades and the scores of the first queries of a grid, each row sorted."""
    part = slice(0, int(rows.starts[n_queries]))
    sides = rows.grades(part), rows.scores(part)
    return [np.sort(side.reshape(n_queries, -1), axis=1) for side in sides]


def _warn_of_orders(judging: list[BoundMetric], rows: Rows, warn: WarnOf) -> None:
    """Warn if no order can be wrong, or if the given order seems to be reversed."""
    n_queries = len(rows.starts) - 1
    if rows.starts[-1] == n_queries:
        warn(
            "one row per query",
            f"All {n_queries:,} queries have one row, so no order of y_score can be wrong. "
            "Check groups; for arrays of shape (n, 1) pass y.ravel() with groups.",
        )
        return
    if rows.min_grade > 0:
        _warn_of_no_irrelevant_row(judging, rows, warn)
    auc = _mean_auc_if_reversed(judging, rows)
    if auc is not None:
        are_shares = rows.score.min() >= 0 and rows.score.max() <= 1
        probability = ", or predict_proba(X)[:, 1]" if are_shares else ""
        warn(
            _REVERSED,
            f"Relevant rows score below the others (AUC {auc:.2f}), and the highest score "
            f"ranks first. Give -distance or -rank{probability}.",
        )


def _mean_auc_if_reversed(judging: list[BoundMetric], rows: Rows) -> float | None:
    """Return the mean AUC of queries if it is significantly below 1/2.

    All rows are read only if the first ones are suspicious, and most of these only if the
    very first ones are. Both have about one limit of the mean.
    """
    grades = [bound.parameters.get("min_relevance") for bound in judging]
    lowest = next(iter([grade for grade in grades if grade is not None]), None)
    n_queries = len(rows.starts) - 1
    looks = np.searchsorted(rows.starts, (_VERY_FIRST_ROWS, _FIRST_ROWS), side="right") - 1
    n_very_first, first = np.maximum(looks, 1).tolist()
    n_very_first = min(max(n_very_first, LEAST_TO_WARN), first)
    very_first = {n_very_first: 0.7} if n_very_first >= LEAST_TO_WARN else {}
    mean = np.nan
    for n, n_errors in (very_first | {first: 2, n_queries: 4}).items():
        auc = _auc_of_first_queries(rows, n, lowest)
        if n < first and len(auc) < LEAST_TO_WARN / 2:
            continue  # too few to tell
        if len(auc) < (LEAST_TO_WARN if n == n_queries else 1):
            return None
        mean = auc.mean()
        error = auc.std(ddof=1) / np.sqrt(len(auc)) if len(auc) > 1 else 0.0
        if not mean < 0.5 - n_errors * error:
            return None
    return float(mean)


def _auc_of_first_queries(rows: Rows, n_queries: int, lowest: float | None) -> np.ndarray:
    """Return the AUC of those of the first queries that have relevant and other rows."""
    starts = rows.starts[: n_queries + 1]
    sizes, scattered = np.diff(starts), rows.scattered()
    if scattered is None:
        part = slice(0, int(starts[-1]))
        score, grade = rows.scores(part), rows.grades(part)
        query = np.repeat(np.arange(n_queries), sizes)
    else:  # only these rows are sorted by query
        row = np.flatnonzero(scattered[2] < n_queries)
        score, grade, query = (column[row] for column in scattered)
    order = np.lexsort((score, query))
    score, grade, query = score[order], grade[order], query[order]
    is_relevant = grade > 0 if lowest is None else grade >= lowest
    ties = run_starts(query, score)
    middle = np.repeat((ties[1:] + ties[:-1] + 1) / 2, np.diff(ties)) - starts[query]
    of_relevant = np.where(is_relevant, middle, 0.0)
    n_relevant = np.bincount(query[is_relevant], minlength=n_queries)
    n_pairs = n_relevant * (sizes - n_relevant)
    n_below = np.bincount(query, of_relevant, n_queries) - n_relevant * (n_relevant + 1) / 2
    return n_below[n_pairs > 0] / n_pairs[n_pairs > 0]


def _warn_of_no_irrelevant_row(
    judging: list[BoundMetric], rows: Rows, warn: WarnOf
) -> None:
    # Beside a column, such as propensity, rows of one grade differ.
    judging = [bound for bound in judging if not bound.metric.columns]
    blind = [bound for bound in judging if bound.parameters.get("min_relevance", 0) is None]
    may_set = " or set min_relevance." if blind else " with grade 0."
    graded = [bound for bound in judging if "min_relevance" not in bound.parameters]
    if graded and not _grades_differ(rows):
        blind += graded
    if blind:
        names = ", ".join(bound.name for bound in blind)
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
    n_rows = len(rows.grade)
    return any(_first_grades_differ(rows, min(n, n_rows)) for n in (_FIRST_ROWS, n_rows))


def _first_grades_differ(rows: Rows, n_rows: int) -> bool:
    grade = rows.grade[:n_rows]
    if not isinstance(rows, ScatteredRows):
        changes = np.flatnonzero(grade[1:] != grade[:-1]) + 1
        return bool((rows.starts[rows.starts.searchsorted(changes)] != changes).any())
    assert rows.groups.of_row is not None
    query = rows.groups.of_row[:n_rows]
    any_grade = np.empty(len(rows.starts) - 1)
    any_grade[query] = grade
    return bool((any_grade[query] != grade).any())
