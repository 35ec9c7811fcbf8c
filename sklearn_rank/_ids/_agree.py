"""Check that ids of two sides can be equal and that none is duplicated; explain errors."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sklearn_rank._ids._encode import plain
from sklearn_rank._ids._kinds import kinds, kinds_in, with_type
from sklearn_rank._text._wording import shorten
from sklearn_rank.exceptions import IncomparableIdsError


def show(label: Any) -> str:
    """Return an id as errors show it: a Python value rather than a NumPy scalar."""
    return shorten(plain(label))


def incomparable(
    words: str, one: str, other: str, *, noun: str = "id", count: str = ""
) -> IncomparableIdsError:
    """Return the error for an id of each side that can never be equal.

    `words` begin it, and `one` and `other` say who has which id.
    """
    return IncomparableIdsError(
        f"{words}: {one} and {other}, which can never be equal{count and f' ({count})'}. "
        f"Convert the {noun}s of one side to the type of the other."
    )


def check_comparable(
    one: Sequence | np.ndarray,
    other: Sequence | np.ndarray,
    names: Sequence[str],
    *,
    noun: str = "item",
    words: str = "Item ids cannot be compared",
) -> None:
    """Raise if no id of one side can equal one of the other.

    The other side may be the known labels of `find_labels`.
    """
    if len(one) == 0 or len(other) == 0 or kinds(one) & kinds_in(other):
        return
    has = (
        f"{name} has {noun} {with_type(side[0])}"
        for name, side in zip(names, (one, other), strict=True)
    )
    raise incomparable(words, *has, noun="id" if noun == "item" else noun)


def check_once(codes: np.ndarray, explain: Callable[[int], ValueError]) -> None:
    """Raise for a duplicate code; `explain` makes the error of the first duplicate."""
    order = np.argsort(codes, kind="stable")
    again = order[1:][codes[order[1:]] == codes[order[:-1]]]
    if len(again):
        raise explain(int(again.min()))


def named_twice(
    where: str,
    item: Any,
    user: Any,
    *,
    nouns: tuple[str, str] = ("item", "user"),
    advice: str = "",
) -> ValueError:
    """Return the error for a duplicate item of a user."""
    noun, of = nouns
    return ValueError(
        f"{where} has {noun} {show(item)} twice for {of} {show(user)}; each {noun} may be "
        f"named once a {of}. Remove the duplicates.{advice and ' '}{advice}"
    )
