"""Two rankings of each user as two lists: from lists of ids, or from scores."""

from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rank._arrays._runs import begins_run, sizes_of, starts_of, starts_where
from sklearn_rank._ids._encode import encode_labels
from sklearn_rank._validation import as_numbers, check_values
from sklearn_rank._values._missing import plain_array
from sklearn_rank._values._number_arrays import exact_as_floats
from sklearn_rank.metrics._similarity._two_lists import (
    RankedSide,
    TwoLists,
    two_lists_of_ids,
)


def read_two_lists(a: Any, b: Any, groups: Any = None) -> TwoLists:
    """Return the lists of two mappings or sequences over users, or of two scores.

    Scores are a value a row with `groups`, or without a 2-D array of floats.
    """
    if groups is not None:
        return _of_flat_scores(a, b, groups)
    lists = _of_grids(a, b) if _are_scores(a, b) else two_lists_of_ids(a, b)
    if not len(lists.users):
        raise ValueError("`a` and `b` have no users; give the lists of at least one.")
    return lists


def _of_flat_scores(a: Any, b: Any, groups: Any) -> TwoLists:
    users, user = encode_labels(groups, name="groups")
    one, other = as_numbers(a, "a"), as_numbers(b, "b")
    for name, scores in (("a", one), ("b", other)):
        if scores.shape != user.shape:
            raise ValueError(
                f"`{name}` has shape {scores.shape}, but `groups` has {len(user)} rows; "
                "with `groups`, give one score a row."
            )
    found = _two_lists_of_scores(one, other, user, users)
    return replace(found, user_of_row=user)


def _of_grids(a: Any, b: Any) -> TwoLists:
    one, other = as_numbers(a, "a"), as_numbers(b, "b")
    if one.shape != other.shape:
        raise ValueError(
            f"`a` has shape {one.shape}, but `b` has {other.shape}; 2-D scores need a row "
            "a user and a column an item in both."
        )
    n_users, n_items = one.shape
    user = np.arange(n_users).repeat(n_items)
    return _two_lists_of_scores(one.ravel(), other.ravel(), user, np.arange(n_users))


def _are_scores(a: Any, b: Any) -> bool:
    """Return whether 2-D arrays are scores rather than ids; raise where both may be."""
    kinds = _kind_of_array(a), _kind_of_array(b)
    if "whole floats" in kinds and "fractions" not in kinds and "none" not in kinds:
        name = "ab"[kinds.index("whole floats")]
        raise ValueError(
            f"`{name}` is a 2-D array of floats that are all whole numbers, which may be "
            "ids or scores. Pass ids as integers or in lists, and scores flat, with "
            "`groups`."
        )
    return "fractions" in kinds


def _kind_of_array(values: Any) -> str:
    """Return what numbers a 2-D array holds; "none" where these must be ids."""
    is_grid = isinstance(values, np.ndarray) and values.ndim == 2
    array = np.asarray(plain_array(values)) if is_grid else np.empty(0, dtype=object)
    if array.dtype.kind in "iu":
        return "integers"
    if array.dtype.kind != "f":
        return "none"
    is_missing = np.isnan(array)
    is_id = np.isfinite(array) & (np.trunc(array) == array)
    if not (is_id | is_missing).all():
        return "fractions"
    # No score is missing, but a list of ids may end early.
    return "none" if is_missing.any() else "whole floats"


def _two_lists_of_scores(
    one: np.ndarray, other: np.ndarray, user: np.ndarray, users: np.ndarray
) -> TwoLists:
    """Return the lists of two scores of the same rows."""
    left, right = (
        _ranked_rows(_checked(scores, name), user, len(users))
        for name, scores in (("a", one), ("b", other))
    )
    _, in_one, in_other = np.intersect1d(
        left.item, right.item, assume_unique=True, return_indices=True
    )
    return TwoLists(users, left, right, in_one, in_other)


def _checked(scores: np.ndarray, name: str) -> np.ndarray:
    wrong = np.isnan(scores) | (scores == np.inf)
    advice = "scores must be numbers, or -inf for what is not in the list"
    check_values(name, scores, wrong, "invalid", advice)
    return exact_as_floats(scores)


def _ranked_rows(scores: np.ndarray, user: np.ndarray, n_users: int) -> RankedSide:
    """Return the rows of each user by score; equal scores tie."""
    row = np.flatnonzero(scores > -np.inf)
    row = row[np.lexsort((-scores[row], user[row]))]
    sizes = np.bincount(user[row], minlength=n_users)
    starts = starts_where(begins_run(user[row], scores[row]))
    n_tied = sizes_of(starts)
    first = starts[:-1].repeat(n_tied) - starts_of(sizes)[user[row]] + 1
    return RankedSide(sizes, row, first, first + n_tied.repeat(n_tied) - 1)
