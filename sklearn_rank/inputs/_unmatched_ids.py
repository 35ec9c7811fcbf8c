"""Detect ids of two sides that never match: other types, other spelling, several in one.

Certain mistakes raise. Possible mistakes, such as items in no list, warn.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._base._label_checks import (
    incomparable_ids_error,
    kind_of,
    kinds,
    show_id,
    show_with_type,
)
from sklearn_rank._base._labels import (
    as_list,
    as_python_value,
    as_vector,
    check_one_type,
    join_labels,
)
from sklearn_rank._base._messages import LEAST_TO_WARN, shorten, warn_misleading
from sklearn_rank._base._two_sides import Codes, check_not_by_identity

# Of so few users or items, two that look alike are evidence, and so many that are unlike.
_LEAST_ALIKE = 2
_LEAST_UNLIKE = 5
_NO_LETTER = re.compile(r"[\W_]")
_NOTHING = object()


@dataclass(frozen=True, eq=False)
class Side:
    """Entries by user (and rank), users in an order that both sides have."""

    name: str  # of the argument, for errors
    sizes: np.ndarray  # entries of each user
    item: np.ndarray  # code of each entry's item
    value: np.ndarray | None  # grade (None: 1), or score (None: minus the rank)

    def owner(self) -> np.ndarray:
        """Return the user of each entry, as a position."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


def check_common_users(
    one: Sequence | np.ndarray,
    other: Sequence | np.ndarray,
    names: Sequence[str],
    noun: str = "user",
) -> None:
    """Raise if two sides have no users in common; warn, or pass, if there are few.

    Two users or more are enough if two labels look alike.
    """
    one, other = (list(map(as_python_value, side)) for side in (one, other))
    check_not_by_identity(one, other, noun.capitalize())
    n_users = min(len(one), len(other))
    if n_users < _LEAST_ALIKE:
        return
    alike = find_alike(one, other)
    pair = " and ".join(map(shorten, alike or (one[0], other[0])))
    text = f"`{names[0]}` and `{names[1]}` have no {noun} in common, such as {pair}."
    if alike or n_users >= LEAST_TO_WARN:
        raise ValueError(f"{text} Convert the labels of one side.")
    if n_users >= _LEAST_UNLIKE:
        warn_misleading(f"{text} Check the labels of both sides.")


def add_queries(queries: Any, labels: np.ndarray, noun: str = "query") -> np.ndarray:
    """Return the labels with those of further queries; raise if `queries` lacks one."""
    if queries is None:
        return labels
    named = dict.fromkeys(as_list(as_vector(queries, name="queries")))
    known = as_list(labels)
    others = [label for label in known if label not in named]
    if others:
        raise ValueError(
            f"`queries` lacks {len(others)} of {len(known)} labels of the input, such as "
            f"{noun} {show_id(others[0])}; give all of them, or drop these rows."
        )
    present = set(known)
    more = [label for label in named if label not in present]
    if not more:
        return labels
    return join_labels([labels, as_vector(more, name="queries")], name="queries")


def check_users_numbered(
    users: Sequence | np.ndarray,
    one: np.ndarray,
    other: np.ndarray,
    names: Sequence[str],
    noun: str = "user",
) -> None:
    """Raise if two sides have no users in common, by their numbers.

    Users are numbered as they first appear in the one side, and then in the other.
    """
    n_one = int(one.max(initial=-1)) + 1
    if len(other) and other.min() >= n_one:
        check_common_users(users[:n_one], users[n_one:], names, noun)


def check_kinds(truth: Side, lists: Side, users: np.ndarray, ids: Codes) -> None:
    """Raise if half of the items of a side have a type that the other side lacks.

    Raise for a number and its text, too.
    """
    of_truth, of_lists = (kinds(ids.sample(side.item)) for side in (truth, lists))
    if not of_truth or not of_lists or len(of_truth | of_lists) == 1:
        return
    for side, foreign, other in (
        (truth, of_truth - of_lists, lists),
        (lists, of_lists - of_truth, truth),
    ):
        codes, place = np.unique(side.item, return_inverse=True)
        of_code = [kind_of(ids.label(code)) in foreign for code in codes]
        is_foreign = np.array(of_code)[place]
        is_half = 2 * np.count_nonzero(is_foreign) >= len(is_foreign)
        if is_foreign.all() or (is_half and len(is_foreign) >= LEAST_TO_WARN):
            entry = int(np.argmax(is_foreign))
            raise incomparable_ids_error(
                "Item ids cannot be compared",
                _describe_entry(side, entry, users, ids),
                _describe_entry(other, 0, users, ids),
                count=f"{np.count_nonzero(is_foreign)} of {len(is_foreign)} ids in "
                f"`{side.name}` are {kind_of(ids.label(side.item[entry]))}",
            )
    distinct = ids.labels_of(np.arange(ids.n_codes))
    check_one_type(f"`{truth.name}` and `{lists.name}`", distinct)


def _describe_entry(side: Side, entry: int, users: np.ndarray, ids: Codes) -> str:
    place = np.searchsorted(np.cumsum(side.sizes), entry, side="right")
    user, item = as_python_value(users[place]), ids.label(side.item[entry])
    return f"`{side.name}` of user {shorten(user)} has item {show_with_type(item)}"


def check_some_match(truth: Side, lists: Side, ids: Codes) -> None:
    """Warn if two sides share no items; raise for several ids in one.

    For sides without a hit.
    """
    of_truth, of_lists = np.unique(truth.item), np.unique(lists.item)
    is_small = len(of_truth) < _LEAST_ALIKE or not len(of_lists)
    if is_small or np.isin(of_truth, of_lists, assume_unique=True).any():
        return
    relevant, listed = (list(map(ids.label, codes)) for codes in (of_truth, of_lists))
    alike = find_alike(relevant, listed)
    if len(relevant) >= LEAST_TO_WARN:
        _check_single(truth.name, relevant, lists.name, listed)
        _check_single(lists.name, listed, truth.name, relevant)
    elif alike is None:
        return
    pair = "; ".join(map(shorten, alike or (relevant[0], listed[0])))
    warn_misleading(
        f"None of {len(relevant)} items in `{truth.name}` is in a list of `{lists.name}` "
        f"({pair}), so every score is 0. Check zeros, spaces, types."
    )


def _check_single(name: str, labels: list, other_name: str, others: list) -> None:
    """Raise if an id contains several ids of the other side, separated by spaces."""
    known = set(others)
    for label in labels:
        parts = label.split() if isinstance(label, str) else []
        if len(parts) > 1 and not known.isdisjoint(parts):
            raise ValueError(
                f"Ids such as {shorten(label)} in `{name}` hold several of `{other_name}`. "
                f"Split each, as {shorten(label)}.split() does; a column of pandas by "
                ".str.split(), and then .explode()."
            )


def find_alike(one: Iterable, other: Iterable) -> tuple[Any, Any] | None:
    """Return a label of each side, of two that look alike; None if none do."""
    looks = {_normalize_label(label): label for label in reversed(list(other))}
    pairs = ((label, looks.get(_normalize_label(label), _NOTHING)) for label in one)
    return next((pair for pair in pairs if pair[1] is not _NOTHING), None)


def _normalize_label(label: Any) -> Any:
    """Return the letters and digits of text, without capitals and zeros in front."""
    if not isinstance(label, str):
        return label
    text = _NO_LETTER.sub("", label)
    return text.lstrip("0").casefold() if text else label
