"""Pandas arguments that are paired by position: their labels may not contradict that."""

import sys
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._validation import shorten

# With more labels only a sample is compared: all would cost more than 3 % of a metric.
_LOOKED_AT = 2**10


class _Labels(NamedTuple):
    """The labels of an argument along one axis."""

    name: str
    index: Any
    place: str  # the expression that has the labels
    put: str  # the expression that brings the argument into an order


def check_paired(
    given: Mapping[str, Any], by_column: Mapping[str, Any] | None = None
) -> None:
    """Raise where arguments with a value a row have the same labels in two orders.

    Those in `by_column` are paired by column: frames, and what has one value a column.
    Different sets of labels are allowed: the rows of a fold and a fresh Series.
    """
    _check_orders(_by_row(given), "one index", "row")
    if by_column:
        _check_orders(_by_column(by_column), "the same columns", "column")


def check_paired_with_labels(
    labels: np.ndarray | None, given: Mapping[str, Any], *, strict: bool = False
) -> None:
    """Raise where arguments have the labels of queries, `groups`, in another order.

    `strict`: where they have other labels, too, unless these are those of a fresh Series.
    """
    found = list(_by_row(given))
    if not found or labels is None:
        return
    own = _Labels("groups", sys.modules["pandas"].Index(labels), "groups", "")
    _check_orders([own, *found], "one index", "row")
    if strict:
        _check_same([own, *(one for one in found if not _is_fresh(one.index, own.index))])


def check_same_labels(given: Mapping[str, Any]) -> None:
    """Raise unless pandas arguments with a value a unit have the same labels."""
    found = list(_by_row(given))
    _check_orders(found, "one index", "row")
    _check_same(found)


def _check_same(found: list[_Labels]) -> None:
    for other in found[1:]:
        one = found[0]
        if len(one.index) == len(other.index) and not one.index.equals(other.index):
            raise ValueError(
                f"{one.name} and {other.name} have other labels "
                f"({_first_difference(one, other, 'row')}), and values are matched by "
                "place. Bring both into one order, and pass to_numpy()."
            )


def _is_fresh(index: Any, labels: Any) -> bool:
    """Return whether an index counts from zero, and not as the labels do."""
    return _counts_from_zero(index) and not _are_one_set(index, labels)


def _by_row(given: Mapping[str, Any]) -> Iterable[_Labels]:
    for name, values in given.items():
        if _is_pandas(values):
            yield _Labels(name, values.index, f"{name}.index", f"{name}.loc[{{}}]")


def _by_column(given: Mapping[str, Any]) -> Iterable[_Labels]:
    for name, values in given.items():
        if _is_pandas(values) and values.ndim == 2:
            yield _Labels(name, values.columns, f"{name}.columns", f"{name}[{{}}]")
        else:
            yield from _by_row({name: values})


def _is_pandas(values: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(values, pandas.Series | pandas.DataFrame)


def _check_orders(found: Iterable[_Labels], what: str, where: str) -> None:
    found = list(found)
    labeled = [
        one
        for one in found
        if not _counts_from_zero(one.index)
        or sum(other.index.is_(one.index) for other in found) > 1  # of one table
    ]
    for other in labeled[1:]:
        one = labeled[0]
        if _seem_same(one, other) or not _are_one_set(one.index, other.index):
            continue
        advice = "to_numpy()"
        if one.index.is_unique:
            advice = f"{other.put.format(one.place)}, or to_numpy()"
        raise ValueError(
            f"{one.name} and {other.name} have {what} in two orders "
            f"({_first_difference(one, other, where)}), and {where}s are paired by "
            f"position. Use {advice} if they are in one order already."
        )


def _counts_from_zero(index: Any) -> bool:
    """Return whether an index has the default labels of pandas."""
    is_range = isinstance(index, sys.modules["pandas"].RangeIndex)
    return is_range and index.start == 0 and index.step == 1


def _seem_same(one: _Labels, other: _Labels) -> bool:
    """Return whether labels are the same, many of them judged by some.

    What puts rows in another order moves nearly all of them.
    """
    step = len(one.index) // _LOOKED_AT + 1
    return one.index is other.index or one.index[::step].equals(other.index[::step])


def _are_one_set(one: Any, other: Any) -> bool:
    """Return whether two indexes have the same labels, each as often."""
    codes, labels = one.append(other).factorize()
    sides = codes[: len(one)], codes[len(one) :]
    counts = [np.bincount(side + 1, minlength=len(labels) + 1) for side in sides]
    return np.array_equal(counts[0], counts[1])


def _first_difference(one: _Labels, other: _Labels, where: str) -> str:
    codes, _ = one.index.append(other.index).factorize()
    n_rows = len(one.index)
    place = int(np.argmax(codes[:n_rows] != codes[n_rows:]))
    labels = [
        shorten(index[place : place + 1].tolist()[0]) for index in (one.index, other.index)
    ]
    return f"{where} {place}: {', '.join(labels)}"
