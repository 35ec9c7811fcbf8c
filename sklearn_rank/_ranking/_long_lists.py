"""The first ranks of long lists of one length, found without sorting the rest.

A list is cut into strands: scores at equal distances from each other. The highest score of
each strand takes one reading of the list, and the `depth`-th highest of these, the floor,
is no higher than the `depth`-th highest score of the list. So what is below the floor is
below the first ranks, and what is above lies in a few strands, which alone are read again.
"""

from collections.abc import Callable, Iterator

import numpy as np

from sklearn_rank._blocks import LIST_CELLS
from sklearn_rank._packed import order_by_codes
from sklearn_rank._ranking._keys import Ranked
from sklearn_rank._runs import ranges, sizes_of

# Lists this many times as long as what is asked of them are not worth sorting.
_LONG = 16

# So many times more strands with the score of the floor than needed are not read again.
_CROWDED = 2


def has_long_lists(n_rows: np.ndarray, depth: int) -> bool:
    """Return whether lists have one length, and much more than `depth`."""
    return bool(n_rows[0] > _LONG * depth and (n_rows == n_rows[0]).all())


def rank_first_places(
    scores_of: Callable[[slice], np.ndarray],
    tagged_of: Callable[[slice], tuple[np.ndarray, np.ndarray]],
    starts: np.ndarray,
    depth: int,
    *,
    every_row: bool = False,
) -> Iterator[tuple[int, int, Ranked]]:
    """Yield (first, last, their tagged rows by rank) of some queries after the other.

    Ties are in no order. Rows below the first `depth` ranks have `depth` rows above, which
    is to say: at least. With `every_row`, those of these without a grade are left out.
    """
    length = int(starts[1] - starts[0])
    step = max(LIST_CELLS // length, 1)
    for first in range(0, len(starts) - 1, step):
        last = min(first + step, len(starts) - 1)
        chunk = slice(int(starts[first]), int(starts[last]))
        cells, grades = tagged_of(chunk)
        scores = scores_of(chunk).reshape(last - first, length)
        query = cells // length
        above, tied = _count_above(scores, cells, query, depth)
        found = (query + first, grades, cells + chunk.start, above, tied)
        if every_row:  # which are many, and few of them are near
            kept = ((above < depth) | (grades != 0)).nonzero()[0]
            query, found = query[kept], tuple(values[kept] for values in found)
        above = found[3]
        order = order_by_codes([query, above], [last - first, depth + 1])
        yield first, last, Ranked(*(values[order] for values in (*found, above)))


def _count_above(
    scores: np.ndarray, cells: np.ndarray, query: np.ndarray, depth: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return how many scores of its list each cell has above it, and tied with it."""
    highest = _highest_of_strands(scores, depth)
    floor = np.partition(highest, -depth, axis=1)[:, -depth]
    score = scores.ravel()[cells]
    above, tied = np.full(len(cells), depth), np.ones(len(cells), dtype=np.intp)
    near = np.flatnonzero(score >= floor[query])
    if len(near):
        lists, of_list = np.unique(query[near], return_inverse=True)
        high = _high_scores(scores, lists, highest[lists], floor[lists], depth)
        found = _compare(*high, floor[lists], of_list, score[near])
        within = found[0] < depth
        above[near[within]], tied[near[within]] = found[0][within], found[1][within]
    return above, tied


def _highest_of_strands(scores: np.ndarray, depth: int) -> np.ndarray:
    """Return the highest score of each strand: column i, i + n_strands, and so on."""
    n_lists, length = scores.shape
    # Strands and what is looked at again, `depth` strands, are about equally many.
    n_strands = int(np.sqrt(length * depth))
    whole = length - length % n_strands
    highest = scores[:, :whole].reshape(n_lists, -1, n_strands).max(axis=1)
    rest = highest[:, : length - whole]
    np.maximum(rest, scores[:, whole:], out=rest)
    return highest


def _high_scores(
    scores: np.ndarray,
    lists: np.ndarray,
    highest: np.ndarray,
    floor: np.ndarray,
    depth: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return the scores of some lists that are not below the floor, and whose they are.

    `lists` are rows of `scores`; lists are counted from 0 in all else. Where most strands
    reach just the floor, return those above alone, and how many of each list are at it.
    """
    is_high, n_at_floor = highest >= floor[:, None], None
    if np.count_nonzero(is_high) > _CROWDED * depth * len(floor):
        of_lists = scores if len(lists) == len(scores) else scores[lists]
        n_at_floor = np.count_nonzero(of_lists == floor[:, None], axis=1)
        is_high = highest > floor[:, None]
    list_, strand = np.nonzero(is_high)
    column = strand[:, None] + np.arange(0, scores.shape[1], highest.shape[1])
    is_inside = column < scores.shape[1]
    column[~is_inside] = 0
    value = scores[lists[list_, None], column]
    is_high = (value >= floor[list_, None]) & is_inside
    return value[is_high], list_.repeat(is_high.sum(axis=1)), n_at_floor


def _compare(
    value: np.ndarray,
    list_: np.ndarray,
    n_at_floor: np.ndarray | None,
    floor: np.ndarray,
    of_list: np.ndarray,
    score: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return how many values of its list are above, and tie with, each of some scores.

    All are at the floor or above, and only these are compared one by one: a few of each
    list, while thousands may lie at the floor.
    """
    is_above = value > floor[list_]
    if n_at_floor is None:
        n_at_floor = np.bincount(list_[~is_above], minlength=len(floor))
    value = value[is_above]
    starts = list_[is_above].searchsorted(np.arange(len(floor) + 1))
    n_above = sizes_of(starts)[of_list]
    above, tied = n_above.copy(), n_at_floor[of_list]
    some = np.flatnonzero(score > floor[of_list])
    lengths = n_above[some]
    one = some.repeat(lengths)
    other = value[ranges(starts[of_list[some]], lengths)]
    above[some] = np.bincount(one, other > score[one], len(score))[some]
    tied[some] = np.bincount(one, other == score[one], len(score))[some]
    return above, tied
