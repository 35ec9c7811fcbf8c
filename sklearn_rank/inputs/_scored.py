"""Recommended items with scores: mappings from item to score, and pairs of these."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sklearn_rank._arrays._runs import starts_of
from sklearn_rank._ids._two_sides import flatten_ids
from sklearn_rank._misleading import ENOUGH, warn_misleading
from sklearn_rank._text._wording import shorten
from sklearn_rank._values._number_arrays import exact_as_floats, is_number, number_array
from sklearn_rank.inputs._per_user import PerUser

Ids = np.ndarray | list


def ids_and_scores(lists: PerUser, relevant: Ids) -> tuple[Ids, np.ndarray | None]:
    """Return the recommended ids of all users, and their scores; None: best first.

    `relevant` are the relevant ids. If these are tuples, then so are the recommended ones,
    unless the first of a pair is a tuple itself. Ids are pairs only if all of them are.
    """
    ids = lists.flat_ids()
    has_mappings = any(issubclass(kind, Mapping) for kind in lists.types)
    if has_mappings and any(isinstance(row, Mapping) and row for row in lists.rows):
        return ids, _scores(lists, [score for row in lists.rows for score in _values(row)])
    if not _are_pairs(ids, relevant):
        return ids, None
    items = [pair[0] for pair in ids]
    scores = _scores(lists, [pair[1] for pair in ids])
    _check_order(lists, scores)
    return flatten_ids([items], {list}), scores


def _check_order(lists: PerUser, scores: np.ndarray) -> None:
    """Warn if scores ascend, as distances do: the highest score ranks first.

    Mappings have no listed order that means something.
    """
    bounds = starts_of(lists.sizes)
    several = lists.sizes > 1
    first, last = bounds[:-1][several], bounds[1:][several] - 1
    if len(first) < ENOUGH or not (scores[first] < scores[last]).all():
        return
    owner = lists.owner()
    if ((scores[1:] < scores[:-1]) & (owner[1:] == owner[:-1])).any():
        return
    warn_misleading(
        f"All {len(first)} lists of `{lists.name}` ascend in score, but the highest "
        "score ranks first. Give distances as -distance."
    )


def _values(row: Any) -> Any:
    """Return the scores of one user's items; without any, a list will do."""
    if isinstance(row, Mapping):
        return row.values()
    if len(row):
        raise TypeError(
            f"Some users have mappings from item to score, and another {shorten(row)}; "
            "give all items a score, or none."
        )
    return ()


def _is_pair(entry: Any) -> bool:
    is_two = isinstance(entry, tuple | list) and len(entry) == 2
    return is_two and is_number(type(entry[1]))


def _are_pairs(ids: Ids, relevant: Ids) -> bool:
    if not isinstance(ids, list) or not ids or not all(map(_is_pair, ids)):
        return False
    if isinstance(ids[0], list) or isinstance(ids[0][0], tuple):
        return True
    return not any(isinstance(each, tuple) for each in relevant)


def _scores(lists: PerUser, scores: list) -> np.ndarray:
    needed = "numbers, or -inf for an item that was not retrieved"
    # NaN compares as False.
    return exact_as_floats(
        lists.numbers(scores, "score", needed, lambda s: s < np.inf, read=number_array)
    )
