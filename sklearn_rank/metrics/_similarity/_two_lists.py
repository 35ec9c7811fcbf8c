"""Two lists of each user, to be compared: their ranks, and what is common."""

from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank._base._ids import Codes, encode_ids
from sklearn_rank._base._label_checks import (
    check_comparable,
    check_no_duplicates,
    duplicate_item_error,
    show_id,
)
from sklearn_rank._base._labels import Groups, encode_labels
from sklearn_rank._base._messages import warn_caller
from sklearn_rank._base._numbers import (
    as_numbers,
    check_query_weight,
    check_values,
    exact_as_floats,
    plain_array,
)
from sklearn_rank._base._runs import begins_run, ranges, sizes_of, starts_of, starts_where
from sklearn_rank._base._validation import shorten
from sklearn_rank._ranking._rows import weight_by_label
from sklearn_rank.inputs._per_user import PerUser, align_users, read_per_user
from sklearn_rank.metrics._core._summaries import (
    WARN,
    Mean,
    check_undefined,
    fill_undefined,
)


@dataclass(frozen=True, eq=False)
class Grid:
    """Where the depths of each user begin, and how many there are."""

    starts: np.ndarray
    sizes: np.ndarray

    def sum(
        self,
        user: np.ndarray,
        first: np.ndarray,
        last: np.ndarray,
        other_first: Any = 1,
        other_last: Any = 1,
    ) -> np.ndarray:
        """Return the sum of c(e, d) of some items, or of products of two, at each depth.

        c is 0 above the first rank of a group of ties, 1 from the last one on.
        """
        total = np.zeros(int(self.starts[-1]) + 1)
        begin, full = np.maximum(first, other_first), np.maximum(last, other_last)
        end = np.minimum(full, self.sizes[user] + 1)
        is_full = full <= self.sizes[user]
        np.add.at(total, self.starts[user[is_full]] + full[is_full] - 1, 1.0)
        total = np.cumsum(total)[:-1]
        # Differences must not cross users.
        before = np.append(0.0, total)[self.starts[:-1]]
        total -= before.repeat(self.sizes)
        n = np.maximum(end - begin, 0)
        item, depth = np.arange(len(user)).repeat(n), ranges(begin, n)
        share = np.ones(len(item))
        for low, high in ((first, last), (other_first, other_last)):
            low, high = (np.broadcast_to(rank, user.shape)[item] for rank in (low, high))
            share *= np.minimum((depth - low + 1) / (high - low + 1), 1)
        np.add.at(total, self.starts[user[item]] + depth - 1, share)
        return total


@dataclass(frozen=True, eq=False)
class RankedSide:
    """The lists of one side: items by user and by rank."""

    sizes: np.ndarray  # items of each user
    item: np.ndarray  # code of each item
    first: np.ndarray  # of each item the first rank of those that tie with it
    last: np.ndarray  # and the last

    @property
    def user(self) -> np.ndarray:
        """The user of each item."""
        return np.arange(len(self.sizes)).repeat(self.sizes)

    def select(self, keeps: np.ndarray) -> "RankedSide":
        """Return some of the items."""
        sizes = np.bincount(self.user[keeps], minlength=len(self.sizes))
        return RankedSide(sizes, self.item[keeps], self.first[keeps], self.last[keeps])


@dataclass(frozen=True, eq=False)
class TwoLists:
    """Both lists of each user, and where the items are that both have."""

    users: np.ndarray
    left: RankedSide
    right: RankedSide
    in_left: np.ndarray  # places of common items in the left list
    in_right: np.ndarray  # places of the same items in the right list
    user_of_row: np.ndarray | None = None  # where they come from scores with groups

    def ranks_of_common(self) -> tuple[np.ndarray, ...]:
        """Return the user of each common item, and its first and last rank in both."""
        left, right, here, there = self.left, self.right, self.in_left, self.in_right
        of_left = left.user[here], left.first[here], left.last[here]
        return (*of_left, right.first[there], right.last[there])


def read_two_lists(a: Any, b: Any, groups: Any = None) -> TwoLists:
    """Return the lists of two mappings or sequences over users, or of two scores.

    Scores are one value per row with `groups`, without them a 2-D array of floats.
    """
    if groups is not None:
        return _read_flat_scores(a, b, groups)
    lists = _read_score_grids(a, b) if _are_scores(a, b) else _read_lists_of_ids(a, b)
    if not len(lists.users):
        raise ValueError("`a` and `b` have no users; give the lists of at least one.")
    return lists


def _read_lists_of_ids(a: Any, b: Any) -> TwoLists:
    """Return the lists of two mappings or sequences over users."""
    left = read_per_user(a, name="a", ordered=True)
    right = read_per_user(b, name="b", ordered=True)
    _check_same_users(left, right)
    users, left, right = align_users(left, right)
    (left_id, left_tied), (right_id, right_tied) = map(_without_ties, (left, right))
    ids = encode_ids(left_id, right_id)
    ranked_left = _rank_side(left, ids.left, ids, left_tied)
    ranked_right = _rank_side(right, ids.right, ids, right_tied)
    samples = ids.sample(ranked_left.item), ids.sample(ranked_right.item)
    check_comparable(*samples, ("`a`", "`b`"))
    _, in_left, in_right = np.intersect1d(
        ranked_left.user * ids.n_codes + ranked_left.item,
        ranked_right.user * ids.n_codes + ranked_right.item,
        assume_unique=True,
        return_indices=True,
    )
    return TwoLists(users, ranked_left, ranked_right, in_left, in_right)


def _check_same_users(left: PerUser, right: PerUser) -> None:
    if left.users is None or right.users is None:
        return
    for side, opposite in ((left, right), (right, left)):
        users = set(opposite.users or ())
        alone = [user for user in side.users or () if user not in users]
        if alone:
            examples = ", ".join(show_id(user) for user in alone[:3])
            raise ValueError(
                f"`{opposite.name}` has no list of {len(alone)} user(s) of `{side.name}`: "
                f"{examples}; give both lists of each user, an empty one if needed."
            )


def _without_ties(side: PerUser) -> tuple[Any, np.ndarray | None]:
    """Return the ids, those that tie one by one, and how many each entry has."""
    flat = side.flat_ids()
    if not isinstance(flat, list):
        return flat, None
    # An array has an id in each place, which may be a tuple, as those of recommend().
    kinds = (set, frozenset) if side.types == {np.ndarray} else (tuple, set, frozenset)
    tie = [isinstance(entry, kinds) for entry in flat]
    if not any(tie):
        return flat, None
    tied = [e if is_tie else (e,) for e, is_tie in zip(flat, tie, strict=True)]
    return list(chain.from_iterable(tied)), np.array(list(map(len, tied)))


def _rank_side(
    side: PerUser, codes: np.ndarray, ids: Codes, sizes: np.ndarray | None
) -> RankedSide:
    """Return one side, its items by rank."""
    entries = np.ones(len(codes), dtype=np.intp) if sizes is None else sizes
    n_items = np.add.reduceat(np.append(entries, 0), starts_of(side.sizes)[:-1])
    n_items = np.where(side.sizes > 0, n_items, 0)
    user = np.arange(len(n_items)).repeat(n_items)
    rank = ranges(0, entries)  # place within the entry
    index = np.arange(len(codes)) - starts_of(n_items)[user]
    first = index - rank + 1
    ranked = RankedSide(
        n_items, codes.astype(np.int64), first, first + entries.repeat(entries) - 1
    )
    missing = np.isin(ranked.item, ids.missing())
    if missing.any():
        ranked = _drop_missing_ids(side, ranked, missing)
    check_no_duplicates(
        ranked.user * ids.n_codes + ranked.item,
        lambda row: duplicate_item_error(
            f"`{side.name}`", ids.label(ranked.item[row]), side.label(int(ranked.user[row]))
        ),
    )
    return ranked


def _drop_missing_ids(side: PerUser, ranked: RankedSide, missing: np.ndarray) -> RankedSide:
    user = ranked.user
    gap = missing[:-1] & ~missing[1:] & (user[1:] == user[:-1])
    if gap.any():
        label = shorten(side.label(int(user[np.argmax(gap)])))
        raise ValueError(
            f"`{side.name}` of user {label} has a missing id before another one; only the "
            "end of a list may be empty."
        )
    return ranked.select(~missing)


def _read_flat_scores(a: Any, b: Any, groups: Any) -> TwoLists:
    users, user = encode_labels(groups, name="groups")
    left, right = as_numbers(a, "a"), as_numbers(b, "b")
    for name, scores in (("a", left), ("b", right)):
        if scores.shape != user.shape:
            raise ValueError(
                f"`{name}` has shape {scores.shape}, but `groups` has {len(user)} rows; "
                "with `groups`, give one score per row."
            )
    return replace(_two_lists_of_scores(left, right, user, users), user_of_row=user)


def _read_score_grids(a: Any, b: Any) -> TwoLists:
    left, right = as_numbers(a, "a"), as_numbers(b, "b")
    if left.shape != right.shape:
        raise ValueError(
            f"`a` has shape {left.shape}, but `b` has {right.shape}; 2-D scores need one "
            "row per user and one column per item in both."
        )
    n_users, n_items = left.shape
    user = np.arange(n_users).repeat(n_items)
    return _two_lists_of_scores(left.ravel(), right.ravel(), user, np.arange(n_users))


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
    left_scores: np.ndarray, right_scores: np.ndarray, user: np.ndarray, users: np.ndarray
) -> TwoLists:
    """Return the lists of two scores of the same rows."""
    left = _ranked_rows("a", left_scores, user, len(users))
    right = _ranked_rows("b", right_scores, user, len(users))
    _, in_left, in_right = np.intersect1d(
        left.item, right.item, assume_unique=True, return_indices=True
    )
    return TwoLists(users, left, right, in_left, in_right)


def _ranked_rows(
    name: str, scores: np.ndarray, user: np.ndarray, n_users: int
) -> RankedSide:
    """Return the rows of each user by score; equal scores tie."""
    wrong = np.isnan(scores) | (scores == np.inf)
    advice = "scores must be numbers, or -inf for what is not in the list"
    check_values(name, scores, wrong, "invalid", advice)
    scores = exact_as_floats(scores)
    row = np.flatnonzero(scores > -np.inf)
    row = row[np.lexsort((-scores[row], user[row]))]
    sizes = np.bincount(user[row], minlength=n_users)
    starts = starts_where(begins_run(user[row], scores[row]))
    n_tied = sizes_of(starts)
    first = starts[:-1].repeat(n_tied) - starts_of(sizes)[user[row]] + 1
    return RankedSide(sizes, row, first, first + n_tied.repeat(n_tied) - 1)


# The mean over users of how alike their two lists are.


def mean_over_users(
    name: str,
    values: np.ndarray,
    lists: TwoLists,
    sample_weight: Any,
    replace_undefined_by: Any,
) -> float:
    """Return the mean of the values of users, and warn of those that it leaves out."""
    fill = check_undefined(replace_undefined_by)
    mean = Mean().add(fill_undefined(values, fill), _weights_of(sample_weight, lists))
    if mean.undefined and fill == WARN:
        warn_caller(
            f"{name}: undefined for {mean.undefined} of {len(values)} users, both of "
            "whose lists are empty. The mean leaves them out. Set `replace_undefined_by` "
            "to a number, such as 1.0, to count them, or to NaN to leave them out without "
            "this warning.",
            category=UndefinedMetricWarning,
        )
    return mean.result()


def _weights_of(sample_weight: Any, lists: TwoLists) -> np.ndarray | None:
    """Return one weight per user, from one per row where scores have groups."""
    user = lists.user_of_row
    if sample_weight is None or user is None:
        return check_query_weight(sample_weight, len(lists.users))
    groups = Groups(lists.users, starts_of(np.bincount(user)), None, user)
    return weight_by_label(sample_weight, groups, "user")
