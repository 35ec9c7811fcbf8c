"""Find the first ranks of long lists of equal length without sorting the rest.

A list is cut into strands: scores at equal distances from each other. The highest score of
each strand takes one reading of the list, and the `depth`-th highest of these, the floor,
is no higher than the `depth`-th highest score of the list. So what is below the floor is
below the first ranks. What is not is ranked as if there were no other rows: hardly more
than `depth` of each list, unless many tie.
"""

from collections.abc import Iterator

import numpy as np

from sklearn_rank._arrays._blocks import LIST_CELLS, RANKED_ROWS
from sklearn_rank._arrays._runs import ranges, sizes_of
from sklearn_rank._ranking._keys import Found, Ranked, rank_run
from sklearn_rank._ranking._rows import Rows

# Lists this many times as long as what is asked of them are not worth sorting. To look at
# a list at all takes as long as some more ranks.
_LONG = 16
_RANKS_OF_A_LOOK = 5

# Where a row of so many has a grade, lists may have none of them on the first ranks.
_FEW_NEEDED = 64

# With so many times more rows at the floor than needed, those without a grade are counted.
_CROWDED = 2


def has_long_lists(n_rows: np.ndarray, depth: int) -> bool:
    """Return whether lists have one length, and much more than `depth`."""
    worth_it = _LONG * (depth + _RANKS_OF_A_LOOK)
    return bool(n_rows[0] > worth_it and (n_rows == n_rows[0]).all())


def rank_first_places(
    rows: Rows, depth: int, *, every_row: bool = False
) -> Iterator[tuple[int, int, Ranked]]:
    """Yield (first, last, their rows with a grade) of some queries after the other.

    Of each query, rows within the first `depth` ranks come first, by rank. The others are
    in no order; they have `depth` rows above, which is to say: at least. With `every_row`,
    rows without a grade are among those within the first ranks. Ties are in no order.
    """
    starts = rows.starts
    length = int(starts[1] - starts[0])
    first, n_cells = 0, RANKED_ROWS
    while first < len(starts) - 1:
        last = min(first + max(n_cells // length, 1), len(starts) - 1)
        part = slice(int(starts[first]), int(starts[last]))
        scores = rows.scores(part).reshape(last - first, length)
        floor = _floor(scores, depth)
        cells, grades = rows.nonzero(part)
        high = _high_cells(scores, floor, None if every_row else cells)
        if every_row:
            cells = np.union1d(cells, high)
            grades = rows.grades(part)[cells]
        found = _rank_high(scores, floor, high, cells, depth)
        starts_here = cells.searchsorted(np.arange(last - first + 1) * length)
        ranked = _in_front(found, cells, grades, starts_here, depth)
        row = ranked.row + part.start
        yield first, last, ranked._replace(query=ranked.query + first, row=row)
        # Scores that are only compared come in larger parts than rows that are ranked.
        n_cells = LIST_CELLS if len(cells) < RANKED_ROWS // 4 else RANKED_ROWS
        first = last


def _floor(scores: np.ndarray, depth: int) -> np.ndarray:
    """Return a score for each list that `depth` of its scores reach, if so many can.

    What was not retrieved, -inf, does not reach it.
    """
    n_lists, length = scores.shape
    # Strands are as many as the scores of `depth` strands.
    n_strands = int(np.sqrt(length * depth))
    whole = length - length % n_strands
    highest = scores[:, :whole].reshape(n_lists, -1, n_strands).max(axis=1)
    rest = highest[:, : length - whole]
    np.maximum(rest, scores[:, whole:], out=rest)
    highest.partition(n_strands - depth, axis=1)
    floor = highest[:, n_strands - depth]
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


def _rank_high(
    scores: np.ndarray, floor: np.ndarray, high: np.ndarray, cells: np.ndarray, depth: int
) -> Found:
    """Return the ranks of those high cells that are among `cells`, tagged by their place.

    What is high is at the floor of its list or above.
    """
    n_lists, length = scores.shape
    score, n_at_floor = scores.ravel()[high], None
    if len(high) > _CROWDED * depth * n_lists:
        list_ = high // length
        is_at_floor = score == floor[list_]
        n_at_floor = np.bincount(list_[is_at_floor], minlength=n_lists)
        keeps = ~is_at_floor | np.isin(high, cells, assume_unique=True)
        high, score = high[keeps], score[keeps]
    place = cells.searchsorted(high)
    tagged = np.flatnonzero(np.append(cells, -1)[place] == high)
    starts = high.searchsorted(np.arange(n_lists + 1) * length)
    found = rank_run(score, tagged, starts)
    found = found._replace(row=place[found.row])
    if n_at_floor is None:
        return found
    is_at_floor = scores.ravel()[cells[found.row]] == floor[found.query]
    tied = np.where(is_at_floor, n_at_floor[found.query], found.tied)
    return found._replace(tied=tied)


def _in_front(
    found: Found, cells: np.ndarray, grades: np.ndarray, starts: np.ndarray, depth: int
) -> Ranked:
    """Return cells and their ranks as far as these were found, the highest in front.

    Cells of list i stand at starts[i]:starts[i + 1], before and after.
    """
    query = np.arange(len(starts) - 1).repeat(sizes_of(starts))
    above, tied = np.full(len(cells), depth), np.ones(len(cells), dtype=np.intp)
    front = ranges(starts[:-1], np.bincount(found.query, minlength=len(starts) - 1))
    above[front], tied[front] = found.above, found.tied
    places, sources = _swaps(front, found.row, len(cells))
    row, grade = cells.copy(), grades.copy()
    row[places], grade[places] = cells[sources], grades[sources]
    return Ranked(query, grade, row, above, tied, above)


def _swaps(
    target: np.ndarray, source: np.ndarray, n_rows: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return places and the rows they get, so that the rows `source` come to `target`.

    Rows that make room go where others came from: each list has as many of both.
    """
    is_source = np.zeros(n_rows, dtype=bool)
    is_source[source] = True
    makes_room = target[~is_source[target]]
    is_source[target] = False
    is_free = np.sort(source[is_source[source]])
    return np.append(target, is_free), np.append(source, makes_room)
