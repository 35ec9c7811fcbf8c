"""Join relevant and recommended items into rows for metrics.

Entries of both sides are sorted by keys, integers that pack

    user | item | place

where an item of a user's list has its place in the list, and a relevant item comes after
the list. Neighbors of one user and one item are then a hit, first the entry of the list,
or an item that is named twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklearn_rank._base._ids import Codes
from sklearn_rank._base._label_checks import duplicate_item_error
from sklearn_rank._base._labels import as_vector
from sklearn_rank._base._messages import warn_misleading
from sklearn_rank._base._runs import (
    MATCHED_ENTRIES,
    cut_runs,
    empty_keys,
    last_field,
    leading_field,
    order_by_codes,
    pack_keys,
    ranges,
    repeats_but_last,
    starts_of,
    width_of,
)
from sklearn_rank._ranking._judgments import NEVER_POOLED, GradesOfLists
from sklearn_rank._ranking._low_is_best import describe_rising_lists
from sklearn_rank.inputs._unmatched_ids import (
    Side,
    check_kinds,
    check_some_match,
    warn_of_unlike_sides,
)
from sklearn_rank.typing import Bunch, Floats, Integers

# What inputs return. Requested items are a key only, because ``items()`` is a method.


class JudgedRows(Bunch):
    """Rows of queries, for the metrics."""

    y_true: Floats
    y_score: Floats
    groups: NDArray[Any]
    subtopics: NDArray[Any]


class RunRows(Bunch):
    """Rows of queries with a score of each run, for their fusion."""

    X: Floats
    y: Floats
    groups: NDArray[Any]
    runs: list[Any]


class ItemsToJudge(Bunch):
    """Items to judge."""

    groups: NDArray[Any]
    rank: Integers
    n_runs: Integers
    probability: Floats  # with a budget


class JudgedUnits(Bunch):
    """One grade per unit."""

    y_true: Floats
    n_raters: Integers
    units: NDArray[Any]
    groups: NDArray[Any]
    alpha: float


# The order of rows: users one after the other, each list before what it missed.


class Layout(NamedTuple):
    """The rows of users: each has items in a list, and relevant items that it missed."""

    sizes: np.ndarray  # rows of each user
    starts: np.ndarray  # first row of each user
    missed: np.ndarray  # rows of missed items
    absent: np.ndarray  # rows of users with nothing

    @property
    def n_rows(self) -> int:
        return int(self.sizes.sum())

    def is_listed(self) -> np.ndarray:
        """Return whether each row is of an item in a list."""
        is_listed = np.ones(self.n_rows, dtype=bool)
        is_listed[self.missed] = False
        is_listed[self.absent] = False
        return is_listed

    def arrange(self, of_lists: np.ndarray, of_missed: np.ndarray) -> np.ndarray:
        """Return codes of rows from those of lists and of what was missed.

        The row of a user with nothing, which is not retrieved, has some code.
        """
        codes = np.zeros(self.n_rows, dtype=np.result_type(of_lists, of_missed))
        codes[self.is_listed()] = of_lists
        codes[self.missed] = of_missed
        return codes

    def scores(self, of_lists: np.ndarray | None = None) -> np.ndarray:
        """Return the scores of items in lists, by default minus their ranks; else -inf."""
        # Each user's first row less the row; wrong for what was missed, but faster for all.
        score = np.repeat(self.starts - 1.0, self.sizes)
        score -= np.arange(self.n_rows)
        if of_lists is not None:
            score[self.is_listed()] = of_lists
        score[self.missed] = -np.inf
        score[self.absent] = -np.inf
        return score


def arrange_rows(list_sizes: np.ndarray, n_missed: np.ndarray) -> Layout:
    """Return the rows of users with so many items in their lists, and so many missed.

    A user with neither gets one row that is neither relevant nor retrieved, so that
    metrics count the user as undefined and do not forget it.
    """
    n_items = list_sizes + n_missed
    sizes = np.maximum(n_items, 1)
    starts = starts_of(sizes)[:-1]
    missed = ranges(starts + list_sizes, n_missed)
    return Layout(sizes, starts, missed, starts[n_items == 0])


class _UserChunk(NamedTuple):
    """The entries of one side that belong to some of the users."""

    name: str
    users: np.ndarray
    sizes: np.ndarray  # entries of each user
    starts: np.ndarray  # the first entry of each user
    item: np.ndarray


class _Hits(NamedTuple):
    """The relevant items of lists."""

    user: np.ndarray
    position: np.ndarray  # in the user's list, counted from 0
    met: np.ndarray  # the place among all relevant items


def match_sides(
    truth: Side,
    lists: Side,
    users: np.ndarray,
    ids: Codes,
    *,
    return_items: bool = False,
    by_number: bool = False,
    noun: str = "user",
    are_scored: bool = False,
) -> JudgedRows:
    """Return y_true, y_score and groups: rows by user, each list before what it missed.

    And `items` where they are asked for. Groups are the users and items their ids or,
    `by_number`, places of users and codes of items. `are_scored` says that lists are in the
    order given, whatever their scores.
    """
    check_kinds(truth, lists, users, ids)
    hits = _find_hits(truth, lists, users, ids)
    if not by_number:  # a scorer knows more of its items
        n_hits = len(hits.user)
        if n_hits or not check_some_match(truth, lists, ids):
            warn_of_unlike_sides(truth, lists, users, ids, n_hits, noun)
    of_users = np.bincount(hits.user, minlength=len(users))
    layout = arrange_rows(lists.sizes, truth.sizes - of_users)
    is_missed = np.ones(len(truth.item), dtype=bool)
    is_missed[hits.met] = False
    rows = JudgedRows(
        y_true=_row_grades(layout, truth, hits, is_missed).view(GradesOfLists),
        y_score=layout.scores(lists.value),
        groups=np.repeat(np.arange(len(users)) if by_number else users, layout.sizes),
    )
    if are_scored and lists.value is not None:

        def is_relevant() -> np.ndarray:
            return rows.y_true[layout.is_listed()] > 0

        text = describe_rising_lists(lists.name, lists.value, lists.sizes, is_relevant)
        if text:
            warn_misleading(text)
    if return_items:
        items = layout.arrange(lists.item, truth.item[is_missed])
        of_rows = items if by_number else ids.labels_of(items)
        rows["items"] = as_vector(of_rows, name="items")
    return rows


def side_by_user(
    name: str, user: np.ndarray, item: np.ndarray, value: np.ndarray | None, n_users: int
) -> Side:
    """Return a side from entries in any order; a user's entries keep theirs."""
    sizes = np.bincount(user, minlength=n_users)
    if (user[1:] >= user[:-1]).all():
        return Side(name, sizes, item, value)
    order = order_by_codes([user], [n_users])
    return Side(name, sizes, item[order], None if value is None else value[order])


def _row_grades(
    layout: Layout, truth: Side, hits: _Hits, is_missed: np.ndarray
) -> np.ndarray:
    """Return the grade of every row."""
    grade = np.full(layout.n_rows, NEVER_POOLED)
    hit = layout.starts[hits.user] + hits.position
    grade[layout.missed] = 1.0 if truth.value is None else truth.value[is_missed]
    grade[hit] = 1.0 if truth.value is None else truth.value[hits.met]
    return grade


def _find_hits(truth: Side, lists: Side, users: np.ndarray, ids: Codes) -> _Hits:
    """Return the relevant items of all lists; raise where an item is named twice."""
    parts, truth_starts = [_Hits(*np.zeros((3, 0), dtype=np.intp))], starts_of(truth.sizes)
    for first, relevant, listed in _cut_chunks(truth, lists, users):
        user, index, entry = _equal_pairs(relevant, listed, ids.n_codes)
        list_size = listed.sizes[user]
        in_list, met = index < list_size, entry - list_size
        is_hit = in_list & (met >= 0)
        if not is_hit.all():
            advice = (
                "Or give duplicates='first' (the list closes up) or 'miss' (the place "
                "counts as a miss, as in Kaggle's MAP@k)."
            )
            _check_once(listed, user, index, ~is_hit & in_list, ids, advice)
            advice = "Or give duplicates='first'."
            _check_once(relevant, user, index - list_size, ~is_hit, ids, advice)
        user += first
        parts.append(_Hits(user, index, met + truth_starts[user]))
    return _Hits(*map(np.concatenate, zip(*parts, strict=True)))


def _cut_chunks(
    truth: Side, lists: Side, users: np.ndarray
) -> Iterator[tuple[int, _UserChunk, _UserChunk]]:
    """Cut the users into runs with about as many entries as fit into the cache.

    Yields the first user of a run, and the run's part of both sides.
    """
    truth_bounds, list_bounds = starts_of(truth.sizes), starts_of(lists.sizes)
    for first, last in cut_runs(truth_bounds + list_bounds, MATCHED_ENTRIES):
        run = slice(first, last)
        relevant = _take_chunk(truth, users[run], run, truth_bounds)
        yield first, relevant, _take_chunk(lists, users[run], run, list_bounds)


def _take_chunk(
    side: Side, users: np.ndarray, run: slice, bounds: np.ndarray
) -> _UserChunk:
    start, stop = bounds[run.start], bounds[run.stop]
    item = side.item[start:stop]
    return _UserChunk(side.name, users, side.sizes[run], bounds[run] - start, item)


def _equal_pairs(
    truth: _UserChunk, lists: _UserChunk, n_codes: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the user and the two places of each two entries with the same item.

    The places of relevant items follow those of the list.
    """
    n_users, n_listed = len(lists.sizes), len(lists.item)
    most_places = int((lists.sizes + truth.sizes).max())
    widths = width_of(n_users), width_of(n_codes), width_of(most_places)
    keys = empty_keys(n_listed + len(truth.item), widths)
    _write_keys(keys[:n_listed], lists, np.zeros(n_users, dtype=np.intp), widths)
    _write_keys(keys[n_listed:], truth, lists.sizes, widths)
    keys.sort()
    again = np.flatnonzero(repeats_but_last(keys, widths[-1]))
    first, second = keys[again], keys[again + 1]
    user, index = leading_field(first, widths), last_field(first, widths[-1])
    return user, index, last_field(second, widths[-1])


def _write_keys(
    keys: np.ndarray, part: _UserChunk, first_place: np.ndarray, widths: tuple[int, ...]
) -> None:
    """Write the keys of one side; its entries of a user have places from `first_place`."""
    pack_keys((None, part.item, None), widths, keys)
    # Some of these may be negative; the row offset corrects it.
    user, index = np.arange(len(part.sizes)), first_place - part.starts
    first_key = pack_keys((user, None, index), widths, empty_keys(len(user), widths))
    keys += first_key.repeat(part.sizes)
    keys += np.arange(len(keys), dtype=keys.dtype)


def _check_once(
    part: _UserChunk,
    user: np.ndarray,
    index: np.ndarray,
    is_twice: np.ndarray,
    ids: Codes,
    advice: str,
) -> None:
    """Raise for the first item that is named twice, if any is."""
    if not is_twice.any():
        return
    entries = (part.starts[user] + index)[is_twice]
    of_user = part.users[user[is_twice][entries.argmin()]]
    item = ids.label(part.item[entries.min()])
    if not part.name.isidentifier():  # not of a function that has `duplicates`
        advice = ""
    elif item == -1:
        advice += " If it fills empty places, give filler=-1."
    raise duplicate_item_error(f"`{part.name}`", item, of_user, advice=advice)
