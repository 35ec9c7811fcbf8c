"""Detect ids of two sides that never match: other types, other spelling, several in one.

Certain mistakes raise. Possible mistakes, such as items in no list, warn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._base._ids import Codes, check_not_by_identity
from sklearn_rank._base._label_checks import (
    advise_conversion,
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
from sklearn_rank._base._numbers import is_number
from sklearn_rank.inputs._look_alikes import MOST_LABELS, describe_look_alikes, find_alike

# Of so few users or items, two that look alike are evidence, and so many that are unlike.
_LEAST_ALIKE = 2
_LEAST_UNLIKE = 5
# Hits that lists of other users would have: without any, the chance is e^-10.
_LEAST_EXPECTED = 10
# By what ids of two sides may differ.
_USUAL = "zeros, spaces, types"
# Hits that a shift of codes adds, in standard errors.
_MOST_ERRORS = 4


@dataclass(frozen=True, eq=False)
class Side:
    """Entries by user (and rank), users in an order that both sides have."""

    name: str  # of the argument, for errors
    sizes: np.ndarray  # entries of each user
    item: np.ndarray  # code of each entry's item
    value: np.ndarray | None  # grade (None: 1), or score (None: minus the rank)
    as_text: str = ""  # how to write the ids as text, if known

    def owner(self) -> np.ndarray:
        """Return the user of each entry, as a position."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


def check_common_users(
    left: Sequence | np.ndarray,
    right: Sequence | np.ndarray,
    names: Sequence[str],
    noun: str = "user",
) -> None:
    """Raise if two sides have no users in common; warn, or pass, if there are few.

    Two users or more are enough if two labels look alike.
    """
    left, right = (list(map(as_python_value, side)) for side in (left, right))
    check_not_by_identity(left, right, noun.capitalize())
    n_users = min(len(left), len(right))
    if n_users < _LEAST_ALIKE:
        return
    alike = find_alike(left, right)
    pair = " and ".join(map(shorten, alike[0] if alike else (left[0], right[0])))
    text = f"`{names[0]}` and `{names[1]}` have no {noun} in common, such as {pair}."
    if alike or n_users >= LEAST_TO_WARN:
        raise ValueError(f"{text} Convert the labels of one side.")
    if n_users >= _LEAST_UNLIKE:
        warn_misleading(f"{text} Check the labels of both sides.")


def add_queries(queries: Any, labels: np.ndarray, noun: str = "query") -> np.ndarray:
    """Return the labels with those of further queries; raise if `queries` lacks one."""
    if queries is None:
        return labels
    wanted = dict.fromkeys(as_list(as_vector(queries, name="queries")))
    own = as_list(labels)
    missing = [label for label in own if label not in wanted]
    if missing:
        raise ValueError(
            f"`queries` lacks {len(missing)} of {len(own)} labels of the input, such as "
            f"{noun} {show_id(missing[0])}; give all of them, or drop these rows."
        )
    present = set(own)
    more = [label for label in wanted if label not in present]
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
    for side, foreign, facing in (
        (truth, of_truth - of_lists, lists),
        (lists, of_lists - of_truth, truth),
    ):
        codes, inverse = np.unique(side.item, return_inverse=True)
        of_code = [kind_of(ids.label(code)) in foreign for code in codes]
        is_foreign = np.array(of_code)[inverse]
        is_half = 2 * np.count_nonzero(is_foreign) >= len(is_foreign)
        if is_foreign.all() or (is_half and len(is_foreign) >= LEAST_TO_WARN):
            entry = int(np.argmax(is_foreign))
            raise incomparable_ids_error(
                "Item ids cannot be compared",
                _describe_entry(side, entry, users, ids),
                _describe_entry(facing, 0, users, ids),
                count=f"{np.count_nonzero(is_foreign)} of {len(is_foreign)} ids in "
                f"`{side.name}` are {kind_of(ids.label(side.item[entry]))}",
                advice=_advise_conversion(side, facing, ids),
            )
    distinct = ids.labels_of(np.arange(ids.n_codes))
    check_one_type(f"`{truth.name}` and `{lists.name}`", distinct)


def _advise_conversion(side: Side, opposite: Side, ids: Codes) -> str | None:
    """Return what to do with numbers on one side and text on the other; else None."""
    labels = [list(map(ids.label, np.unique(own.item))) for own in (side, opposite)]
    are_text = [all(isinstance(each, str) for each in of_side) for of_side in labels]
    numbers, texts = labels if are_text[1] else labels[::-1]
    if are_text[0] == are_text[1] or not all(is_number(type(each)) for each in numbers):
        return None
    return advise_conversion(numbers, texts, (side if are_text[1] else opposite).as_text)


def _describe_entry(side: Side, entry: int, users: np.ndarray, ids: Codes) -> str:
    row = np.searchsorted(np.cumsum(side.sizes), entry, side="right")
    user, item = as_python_value(users[row]), ids.label(side.item[entry])
    return f"`{side.name}` of user {shorten(user)} has item {show_with_type(item)}"


def check_some_match(truth: Side, lists: Side, ids: Codes) -> bool:
    """Warn if two sides share no items, and return whether; raise for several ids in one.

    For sides without a hit.
    """
    of_truth, of_lists = np.unique(truth.item), np.unique(lists.item)
    is_small = len(of_truth) < _LEAST_ALIKE or not len(of_lists)
    if is_small or np.isin(of_truth, of_lists, assume_unique=True).any():
        return False
    relevant, listed = (list(map(ids.label, codes)) for codes in (of_truth, of_lists))
    alike, names = find_alike(relevant, listed), (f"`{truth.name}`", f"`{lists.name}`")
    if len(relevant) >= LEAST_TO_WARN:
        _check_single(truth.name, relevant, lists.name, listed)
        _check_single(lists.name, listed, truth.name, relevant)
    elif not alike:
        return False
    sides = relevant, listed
    around = None if alike else describe_look_alikes("item", names, sides, lambda: sides)
    pair = alike[0] if alike else (relevant[0], listed[0])
    example = "" if around else f" ({'; '.join(map(shorten, pair))})"
    advice = around or f"Check {_difference(*pair) if alike else _USUAL}."
    warn_misleading(
        f"None of {len(relevant)} items in {names[0]} is in a list of {names[1]}{example}, "
        f"so every score is 0. {advice}"
    )
    return True


def _difference(left: str, right: str) -> str:
    """Return by what two labels that look alike may differ."""
    if left.casefold() == right.casefold():
        return "capitals"
    is_usual = left.strip().lstrip("0") == right.strip().lstrip("0")
    return _USUAL if is_usual else "capitals, marks, accents, '.0'"


def _check_single(name: str, labels: list, other_name: str, other_labels: list) -> None:
    """Raise if an id contains several ids of the other side, separated by spaces."""
    partners = set(other_labels)
    for label in labels:
        parts = label.split() if isinstance(label, str) else []
        if len(parts) > 1 and not partners.isdisjoint(parts):
            raise ValueError(
                f"Ids such as {shorten(label)} in `{name}` hold several of `{other_name}`. "
                f"Split each, as {shorten(label)}.split() does; a column of pandas by "
                ".str.split(), and then .explode()."
            )


# Ids that match in part, or by accident.


def warn_of_unlike_sides(
    truth: Side, lists: Side, users: np.ndarray, ids: Codes, n_hits: int, noun: str
) -> None:
    """Warn if users or items of two sides look alike, or match as if by accident."""
    names = f"`{truth.name}`", f"`{lists.name}`"
    here, there = truth.sizes > 0, lists.sizes > 0
    texts: list[str | None] = []
    if users.dtype.kind in "UO" and (here != there).any():
        alone = users[here & ~there][:MOST_LABELS], users[there & ~here][:MOST_LABELS]
        lists_of = as_list(alone[0]), as_list(alone[1])

        def all_users() -> tuple[list, list]:
            return as_list(users[here]), as_list(users[there])

        texts.append(describe_look_alikes(noun, names, lists_of, all_users))
    if ids.labels is None:
        texts.append(_describe_first_codes(truth, lists, ids, n_hits))
    elif len(truth.item) and len(lists.item):
        occurs = np.zeros((2, ids.n_codes), dtype=bool)
        occurs[0, truth.item] = occurs[1, lists.item] = True
        is_alone = occurs & ~occurs[::-1]

        def labels_of(mask: np.ndarray) -> list:
            labels = ids.labels_of(np.flatnonzero(mask)[:MOST_LABELS])
            return labels if isinstance(labels, list) else as_list(labels)

        if is_alone.any(axis=1).all():
            lists_of = labels_of(is_alone[0]), labels_of(is_alone[1])

            def all_items() -> tuple[list, list]:
                return labels_of(occurs[0]), labels_of(occurs[1])

            texts.append(describe_look_alikes("item", names, lists_of, all_items))
    if not n_hits and not any(texts):
        texts.append(_describe_no_hit(truth, lists, here & there))
    for text in filter(None, texts):
        warn_misleading(text)


def _describe_no_hit(truth: Side, lists: Side, has_both: np.ndarray) -> str | None:
    """Describe that no list has a hit, where lists of other users would have some."""
    n_users = int(np.count_nonzero(has_both))
    if n_users < LEAST_TO_WARN:
        return None
    items = [side.item[has_both[side.owner()]] for side in (truth, lists)]
    codes, code = np.unique(np.concatenate(items), return_inverse=True)
    of_truth, of_lists = np.split(code, [len(items[0])])
    n_lists = np.bincount(of_lists, minlength=len(codes)).astype(float)
    expected = np.bincount(of_truth, minlength=len(codes)) @ n_lists / n_users
    if expected < _LEAST_EXPECTED:
        return None
    return (
        f"No list of {n_users:,} users has a relevant item, where lists given to users at "
        f"random would have {expected:,.0f}: users or items are paired wrongly. Check "
        "codes that begin at 0 or 1, and the order of users."
    )


def _describe_first_codes(truth: Side, lists: Side, ids: Codes, n_hits: int) -> str | None:
    """Describe items that are positions from 0 on one side, and from 1 on the other."""
    if not len(truth.item) or not len(lists.item):
        return None
    ranges = [
        (int(side.item.min()) + ids.low, int(side.item.max()) + ids.low, side)
        for side in (truth, lists)
    ]
    (first, last, low), (second, end, high) = sorted(ranges, key=lambda of: of[:2])
    size = last - first + 1
    is_shifted = (first, second, end) == (0, 1, last + 1) and size >= LEAST_TO_WARN
    if not is_shifted or any(2 * len(np.unique(s.item)) <= size for s in (truth, lists)):
        return None
    keys = [
        side.owner() * (size + 2) + side.item.astype(np.int64) - (side is high)
        for side in (low, high)
    ]
    n_shifted = len(np.intersect1d(keys[0], keys[1]))
    if n_shifted - n_hits <= _MOST_ERRORS * (n_shifted + n_hits) ** 0.5:
        return None
    return (
        f"Items of `{high.name}` are {second} to {end}, and of `{low.name}` {first} to "
        f"{last}. If both are positions, subtract 1 in `{high.name}`."
    )
