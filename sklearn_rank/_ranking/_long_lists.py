"""Find the first ranks of long lists of equal length without sorting the rest.

One reading of a list finds a floor that is no higher than its `depth`-th highest score. So
what is below the floor is below the first ranks. What is not is ranked as if there were no
other rows: hardly more than `depth` of each list, unless many tie.

Rows below are not ranked. Their grades count in ideal orders and in numbers of relevant
rows, so all rows with a grade are kept beside the first ranks, as they are in the input.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sklearn_rank._arrays._blocks import LIST_CELLS
from sklearn_rank._arrays._floors import floors
from sklearn_rank._arrays._runs import sizes_of
from sklearn_rank._ranking._keys import Ranked, rank_run
from sklearn_rank._ranking._rows import Rows

# Lists this many times as long as what is asked of them are not worth sorting. To look at
# a list at all takes as long as some more ranks.
_LONG = 4
_RANKS_OF_A_LOOK = 5

# Where a row of so many has a grade, lists may have none of them on the first ranks.
_FEW_NEEDED = 64

# With so many times more rows at the floor than needed, those without a grade are counted.
_CROWDED = 2


def has_long_lists(n_rows: np.ndarray, depth: int) -> bool:
    """Return whether lists have one length, and much more than `depth`."""
    worth_it = _LONG * (depth + _RANKS_OF_A_LOOK)
    return bool(n_rows[0] > worth_it and (n_rows == n_rows[0]).all())


class Graded(NamedTuple):
    """All rows with a grade of some queries, by query and in the order of the rows."""

    sizes: np.ndarray  # rows of each query
    grade: np.ndarray
    row: np.ndarray  # among the rows by query, not in the input


def rank_first_places(
    rows: Rows, depth: int, *, every_row: bool = False
) -> Iterator[tuple[int, int, Ranked, Graded]]:
    """Yield (first, last, their first ranks, their rows with a grade) of some queries.

    The first ranks are those of rows with a grade, or with `every_row` of all rows: the
    first `depth` ranks of each query, and hardly more. Ties are in no order.
    """
    starts = rows.starts
    length = int(starts[1] - starts[0])
    n_lists = max(LIST_CELLS // length, 1)
    for first in range(0, len(starts) - 1, n_lists):
        last = min(first + n_lists, len(starts) - 1)
        part = slice(int(starts[first]), int(starts[last]))
        scores = rows.scores(part).reshape(last - first, length)
        floor = _floor(scores, depth)
        cells, grades = rows.nonzero(part)
        high = _high_cells(scores, floor, None if every_row else cells)
        of_high = _grades_at(high, cells, grades, scores.size)
        ranked = _rank_high(scores, floor, high, of_high, None if every_row else depth)
        row = ranked.row + part.start
        sizes = sizes_of(cells.searchsorted(np.arange(last - first + 1) * length))
        graded = Graded(sizes, grades, cells + part.start)
        yield first, last, ranked._replace(query=ranked.query + first, row=row), graded


def _floor(scores: np.ndarray, depth: int) -> np.ndarray:
    """Return a score for each list that `depth` of its scores reach, if so many can.

    What was not retrieved, -inf, does not reach it.
    """
    floor = floors(scores, depth, int(np.sqrt(scores.shape[1] * depth)))
    if scores.dtype.kind != "f":
        return floor
    return np.maximum(floor, np.finfo(scores.dtype).min)


def _high_cells(
    scores: np.ndarray, floor: np.ndarray, needed: np.ndarray | None
) -> np.ndarray:
    """Return the cells at the floor of their list or above.

    Lists may be left out in which none of the `needed` cells (None: all) is that high.
    """
    length = scores.shape[1]
    if needed is None or len(needed) * _FEW_NEEDED > scores.size:
        return np.flatnonzero(scores >= floor[:, None])
    list_ = needed // length
    lists = np.unique(list_[scores.ravel()[needed] >= floor[list_]])
    if 2 * len(lists) > len(floor):
        return np.flatnonzero(scores >= floor[:, None])
    place, column = np.nonzero(scores[lists] >= floor[lists, None])
    return lists[place] * length + column


def _grades_at(
    high: np.ndarray, cells: np.ndarray, grades: np.ndarray, n_cells: int
) -> np.ndarray:
    """Return the grades of high cells, 0 for those that are not among `cells`."""
    if len(cells) == n_cells:
        return grades[high]
    grade = np.zeros(n_cells, dtype=grades.dtype)
    grade[cells] = grades
    return grade[high]


def _rank_high(
    scores: np.ndarray,
    floor: np.ndarray,
    high: np.ndarray,
    grade: np.ndarray,
    depth: int | None,
) -> Ranked:
    """Return the ranks of high cells that have a grade, or of all (`depth` None).

    What is high is at the floor of its list or above.
    """
    n_lists, length = scores.shape
    score, n_at_floor = scores.ravel()[high], None
    is_asked = np.ones(len(high), dtype=bool) if depth is None else grade != 0
    if depth is not None and len(high) > _CROWDED * depth * n_lists:
        list_ = high // length
        is_at_floor = score == floor[list_]
        n_at_floor = np.bincount(list_[is_at_floor], minlength=n_lists)
        keeps = ~is_at_floor | is_asked
        high, score, grade, is_asked = (v[keeps] for v in (high, score, grade, is_asked))
    starts = high.searchsorted(np.arange(n_lists + 1) * length)
    query, row, above, tied, _ = rank_run(score, is_asked.nonzero()[0], starts)
    if n_at_floor is not None:
        tied = np.where(score[row] == floor[query], n_at_floor[query], tied)
    return Ranked(query, grade[row], high[row], above, tied, above)
