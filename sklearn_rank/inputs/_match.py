"""Join what is relevant with what was recommended, into the rows that metrics take."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.utils import Bunch

from sklearn_rank._sorting import order_by_code
from sklearn_rank._validation import check_option
from sklearn_rank.inputs._ids import Codes, plain

__all__ = ["Side", "match_sides", "side_by_user"]

# Entries that are joined at once: their arrays stay in the processor's cache.
_CHUNK = 2**16


@dataclass(frozen=True, eq=False)
class Side:
    """One side of the comparison: entries by user (and rank), users in a common order."""

    name: str  # of the argument, for errors
    sizes: np.ndarray  # entries of each user
    item: np.ndarray  # code of each entry's item
    value: np.ndarray | None  # grade (None: 1), or score (None: minus the rank)


@dataclass(frozen=True, eq=False)
class _Chunk:
    """The part of both sides that belongs to some of the users."""

    first_user: int
    list_sizes: np.ndarray
    truth_sizes: np.ndarray
    lists: slice
    truth: slice


def match_sides(
    truth: Side, lists: Side, users: np.ndarray, ids: Codes, unjudged: float = 0.0
) -> Bunch:
    """Return y_true, y_score and groups: rows by user, each list before what it missed.

    A user without any entry gets one row that is neither relevant nor retrieved, so
    that metrics count the user as undefined and do not forget it.
    """
    if unjudged == unjudged:  # all but NaN
        check_option("unjudged", unjudged, [0.0, np.nan])
    _check_comparable(truth, lists, users, ids)
    most = len(truth.item) + len(lists.item) + len(users)
    grade, score = np.empty(most), np.empty(most)
    known = np.ones(len(truth.item)) if truth.value is None else truth.value
    sizes, n_rows = [], 0
    for chunk in _chunks(truth, lists):
        hit, met = _find_hits(chunk, truth, lists, users, ids)
        size, of_list, of_missed, missed = _lay_out(chunk, met)
        rows = slice(n_rows, n_rows + int(size.sum()))
        judged = np.full(len(of_list), unjudged)
        judged[hit] = known[chunk.truth][met]
        grade[rows], score[rows] = 0.0, -np.inf
        grade[rows][of_list] = judged
        grade[rows][of_missed] = known[chunk.truth][missed]
        score[rows][of_list] = _scores(chunk, lists)
        sizes.append(size)
        n_rows = rows.stop
    groups = np.repeat(users, np.concatenate(sizes)) if sizes else users
    return Bunch(y_true=grade[:n_rows], y_score=score[:n_rows], groups=groups)


def side_by_user(
    name: str,
    user: np.ndarray,
    item: np.ndarray,
    value: np.ndarray | None,
    n_users: int,
) -> Side:
    """Return a side from entries in any order; a user's entries keep theirs."""
    order = np.argsort(user, kind="stable")
    sizes = np.bincount(user, minlength=n_users)
    return Side(name, sizes, item[order], None if value is None else value[order])


def _chunks(truth: Side, lists: Side) -> Iterator[_Chunk]:
    """Cut the users into runs with about as many entries as fit into the cache."""
    ends_of_lists, ends_of_truth = np.cumsum(lists.sizes), np.cumsum(truth.sizes)
    ends = ends_of_lists + ends_of_truth
    first = list_start = truth_start = 0
    while first < len(ends):
        limit = list_start + truth_start + _CHUNK
        last = max(int(np.searchsorted(ends, limit, side="right")), first + 1)
        last = min(last, first + _CHUNK)
        list_end, truth_end = int(ends_of_lists[last - 1]), int(ends_of_truth[last - 1])
        yield _Chunk(
            first,
            lists.sizes[first:last],
            truth.sizes[first:last],
            slice(list_start, list_end),
            slice(truth_start, truth_end),
        )
        first, list_start, truth_start = last, list_end, truth_end


def _find_hits(
    chunk: _Chunk, truth: Side, lists: Side, users: np.ndarray, ids: Codes
) -> tuple[np.ndarray, np.ndarray]:
    """Return which entries of the lists are relevant, and the entries they meet."""
    listed, relevant = lists.item[chunk.lists], truth.item[chunk.truth]
    n_users, n_listed = len(chunk.list_sizes), len(listed)
    sizes = np.concatenate([chunk.list_sizes, chunk.truth_sizes])
    user = np.repeat(np.tile(np.arange(n_users), 2), sizes)
    keys = user * ids.n_codes
    keys[:n_listed] += listed
    keys[n_listed:] += relevant
    order = order_by_code(keys, n_users * ids.n_codes)
    ordered = keys[order]
    repeated = np.flatnonzero(ordered[1:] == ordered[:-1])
    one, other = order[repeated], order[repeated + 1]
    is_hit = (one < n_listed) & (other >= n_listed)
    if not is_hit.all():
        row = int(one[~is_hit].min())
        side, items = (lists, listed) if row < n_listed else (truth, relevant)
        item = ids.label(items[row if row < n_listed else row - n_listed])
        _raise_twice(side, item, plain(users[chunk.first_user + user[row]]))
    return one, other - n_listed


def _lay_out(
    chunk: _Chunk, met: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return rows per user, where the lists and the missed go, and what was missed."""
    is_missed = np.ones(chunk.truth.stop - chunk.truth.start, dtype=bool)
    is_missed[met] = False
    missed = np.flatnonzero(is_missed)
    n_users = len(chunk.list_sizes)
    user = np.repeat(np.arange(n_users), chunk.truth_sizes)[missed]
    n_missed = np.bincount(user, minlength=n_users)
    size = np.maximum(chunk.list_sizes + n_missed, 1)
    start = np.cumsum(size) - size
    of_list = _ranges(start, chunk.list_sizes)
    of_missed = _ranges(start + chunk.list_sizes, n_missed)
    return size, of_list, of_missed, missed


def _scores(chunk: _Chunk, lists: Side) -> np.ndarray:
    """Return the scores of a chunk's list entries, or minus their ranks."""
    if lists.value is not None:
        return lists.value[chunk.lists]
    return -1.0 - _ranges(np.zeros_like(chunk.list_sizes), chunk.list_sizes)


def _ranges(start: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Return start, start + 1, ... for each pair of a start and a length."""
    before = np.cumsum(length) - length
    return np.repeat(start - before, length) + np.arange(length.sum())


def _raise_twice(side: Side, item: object, user: object) -> None:
    raise ValueError(
        f"`{side.name}` has item {item!r} twice for user {user!r}; each item may be "
        "named once a user. Remove the duplicates."
    )


def _check_comparable(truth: Side, lists: Side, users: np.ndarray, ids: Codes) -> None:
    of_truth, of_lists = ids.kinds(truth.item), ids.kinds(lists.item)
    if not of_truth or not of_lists or of_truth & of_lists:
        return
    shown = []
    for side in (truth, lists):
        user, item = plain(users[np.argmax(side.sizes > 0)]), ids.label(side.item[0])
        shown.append(
            f"`{side.name}` of user {user!r} has item {item!r} ({type(item).__name__})"
        )
    raise ValueError(
        f"Item ids cannot be compared: {' and '.join(shown)}, so nothing can match. "
        "Convert the ids of one side to the type of the other."
    )
