"""Check labels: which can be equal, which repeat, and which are paired by position."""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import product
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._base._labels import as_python_value
from sklearn_rank._base._messages import shorten, warn_misleading
from sklearn_rank._base._numbers import is_grid
from sklearn_rank._base._runs import sizes_of
from sklearn_rank.exceptions import IncomparableIdsError

# The kinds of labels: labels of two kinds are never equal.

# By the first that fits, types whose values may be equal.
KINDS: dict[str, tuple[type, ...]] = {
    "durations": (timedelta, np.timedelta64),  # timedelta64 is an integer type
    "numbers": (Number, np.bool_),
    "strings": (str,),
    "bytes": (bytes,),
    "datetimes": (datetime, np.datetime64),
    "dates": (date,),
    "tuples": (tuple,),
}
_STEPS_OF_DATES = ("Y", "M", "W", "D")


def kinds(labels: Iterable) -> set[str]:
    """Return the kinds of labels: labels of different kinds are never equal."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind != "O":
        return {kind_of(labels[0])} if len(labels) else set()
    labels = list(labels)
    types = set(map(type, labels))
    label_kinds = {_kind_of_type(label) for label in types - {np.datetime64}}
    if np.datetime64 in types:
        label_kinds |= {kind_of(label) for label in labels if type(label) is np.datetime64}
    return label_kinds


def kind_of(label: Any) -> str:
    """Return the kind of one label."""
    if isinstance(label, np.datetime64):
        is_date = np.datetime_data(label.dtype)[0] in _STEPS_OF_DATES
        return "dates" if is_date else "datetimes"
    return _kind_of_type(type(label))


def comparable_kinds(labels: np.ndarray | Iterable) -> set[str]:
    """Return the kinds of labels that `find_labels` may find among these.

    Dates and datetimes are compared as moments if the known ones are NumPy's.
    """
    is_of_moments = isinstance(labels, np.ndarray) and labels.dtype.kind == "M"
    return {"dates", "datetimes"} if is_of_moments else kinds(labels)


def show_with_type(label: Any) -> str:
    """Return how errors show a label beside one of another type."""
    label = as_python_value(label)
    return f"{shorten(label)} ({type(label).__name__})"


def _kind_of_type(label_type: type) -> str:
    for kind, types in KINDS.items():
        if issubclass(label_type, types):
            return kind
    return f"{label_type.__module__}.{label_type.__qualname__}"


# Arguments are paired by position, and labels of pandas may not contradict that.


class _PandasLabels(NamedTuple):
    """The labels of an argument along one axis."""

    name: str
    index: Any
    expression: str  # the expression that has the labels
    put: str  # the expression that brings the argument into an order


def check_paired(
    arguments: Mapping[str, Any], by_column: Mapping[str, Any] | None = None
) -> None:
    """Raise if arguments with one value per row have the same labels in two orders.

    Those in `by_column` are paired by column: frames, and what has one value per column.
    Different sets of labels are allowed: the rows of a fold and a fresh Series.
    """
    _check_orders(_row_labels(arguments), "one index", "row")
    if by_column:
        _check_orders(_column_labels(by_column), "the same columns", "column")


def check_rows_paired(arguments: Mapping[str, Any]) -> None:
    """Raise if arguments with one value per row have the same labels in two orders.

    Warn where one of them has the default labels of pandas: either it is fresh, or the
    others were shuffled. For data, such as X, y and groups; predictions often are fresh.
    """
    indexes = list(_row_labels(arguments))
    _check_orders(indexes, "one index", "row")
    for first, second in product(indexes, indexes):
        if not _counts_from_zero(first.index) or first.index.equals(second.index):
            continue
        sides = [arguments[first.name], arguments[second.name]]
        are_constant = [side.ndim == 1 and side.nunique() < 2 for side in sides]
        if _are_one_set(first.index, second.index) and not any(are_constant):
            series = second.name if sides[1].ndim == 1 else first.name
            warn_misleading(
                f"`{first.name}` counts its rows from 0, and `{second.name}` has these "
                f"labels in another order ({_first_difference(first, second, 'row')}); "
                "rows are paired by position. If they belong together by label, give "
                f"{second.put.format(first.expression)}; if not, {series}.to_numpy()."
            )
            return


def check_arguments_paired(
    y_true: Any,
    y_score: Any,
    groups: Any = None,
    sample_weight: Any = None,
    columns: Mapping[str, Any] | None = None,
) -> None:
    """Raise if pandas arguments have the same labels in different orders.

    In the 2-D form a frame has queries as rows and items as columns; others have a value
    per item, or a value per cell.
    """
    rows = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight}
    side_columns = {} if columns is None else columns
    if groups is not None or not (_is_grid(y_true) or _is_grid(y_score)):
        check_paired({**rows, "groups": groups, **side_columns})
        return
    cells = {
        name: values
        for name, values in side_columns.items()
        if getattr(values, "ndim", 1) == 2
    }
    check_paired({**rows, **cells}, {"y_true": y_true, "y_score": y_score, **side_columns})


def _is_grid(values: Any) -> bool:
    return hasattr(values, "shape") and is_grid(values.shape)


def check_paired_with_labels(
    labels: np.ndarray | None, arguments: Mapping[str, Any], *, strict: bool = False
) -> None:
    """Raise where arguments have the labels of queries, `groups`, in another order.

    `strict`: where they have different labels, too, unless these are of a fresh Series.
    """
    indexes = list(_row_labels(arguments))
    if not indexes or labels is None:
        return
    own = _PandasLabels("groups", sys.modules["pandas"].Index(labels), "groups", "")
    _check_orders([own, *indexes], "one index", "row")
    if strict:
        _check_same(
            [
                own,
                *(
                    labeled
                    for labeled in indexes
                    if not _is_fresh(labeled.index, own.index)
                ),
            ]
        )


def check_same_labels(arguments: Mapping[str, Any]) -> None:
    """Raise unless pandas arguments with one value per unit have the same labels."""
    indexes = list(_row_labels(arguments))
    _check_orders(indexes, "one index", "row")
    _check_same(indexes)


def _check_same(indexes: list[_PandasLabels]) -> None:
    for second in indexes[1:]:
        first = indexes[0]
        if len(first.index) == len(second.index) and not first.index.equals(second.index):
            raise ValueError(
                f"{first.name} and {second.name} have different labels "
                f"({_first_difference(first, second, 'row')}), and values are matched by "
                "position. Bring both into one order, and pass to_numpy()."
            )


def _is_fresh(index: Any, labels: Any) -> bool:
    """Return whether an index counts from zero, and not as the labels do."""
    return _counts_from_zero(index) and not _are_one_set(index, labels)


def _row_labels(arguments: Mapping[str, Any]) -> Iterable[_PandasLabels]:
    for name, values in arguments.items():
        if _is_pandas(values):
            yield _PandasLabels(name, values.index, f"{name}.index", f"{name}.loc[{{}}]")


def _column_labels(arguments: Mapping[str, Any]) -> Iterable[_PandasLabels]:
    for name, values in arguments.items():
        if _is_pandas(values) and values.ndim == 2:
            yield _PandasLabels(name, values.columns, f"{name}.columns", f"{name}[{{}}]")
        else:
            yield from _row_labels({name: values})


def _is_pandas(values: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(values, pandas.Series | pandas.DataFrame)


def _check_orders(indexes: Iterable[_PandasLabels], shared_labels: str, unit: str) -> None:
    indexes = list(indexes)
    labeled = [
        first
        for first in indexes
        if not _counts_from_zero(first.index)
        or sum(second.index.is_(first.index) for second in indexes) > 1  # of one table
    ]
    for second in labeled[1:]:
        first = labeled[0]
        if first.index.equals(second.index) or not _are_one_set(first.index, second.index):
            continue
        advice = "to_numpy()"
        if first.index.is_unique:
            advice = f"{second.put.format(first.expression)}, or to_numpy()"
        raise ValueError(
            f"{first.name} and {second.name} have {shared_labels} in two orders "
            f"({_first_difference(first, second, unit)}), and {unit}s are paired by "
            f"position. Use {advice} if they are in one order already."
        )


def _counts_from_zero(index: Any) -> bool:
    """Return whether an index has the default labels of pandas."""
    is_range = isinstance(index, sys.modules["pandas"].RangeIndex)
    return is_range and index.start == 0 and index.step == 1


def _number_labels(left: Any, right: Any) -> list[np.ndarray]:
    """Return numbers of the labels of two indexes, equal for equal labels."""
    return np.split(left.append(right).factorize()[0], [len(left)])


def _are_one_set(left: Any, right: Any) -> bool:
    """Return whether two indexes have the same labels, each as often."""
    sides = _number_labels(left, right)
    return np.array_equal(np.sort(sides[0]), np.sort(sides[1]))


def _first_difference(left: _PandasLabels, right: _PandasLabels, unit: str) -> str:
    sides = left.index, right.index
    position = int(np.argmax(np.not_equal(*_number_labels(*sides))))
    labels = (shorten(index[position : position + 1].tolist()[0]) for index in sides)
    return f"{unit} {position}: {', '.join(labels)}"


# Ids of two sides.


def show_id(label: Any) -> str:
    """Return an id as errors show it: a Python value rather than a NumPy scalar."""
    return shorten(as_python_value(label))


def incomparable_ids_error(
    words: str,
    left: str,
    right: str,
    *,
    noun: str = "id",
    count: str = "",
    advice: str | None = None,
) -> IncomparableIdsError:
    """Return the error for an id of each side that can never be equal.

    `words` begin it, and `left` and `right` say who has which id.
    """
    if advice is None:
        advice = f"Convert the {noun}s of one side to the type of the other."
    return IncomparableIdsError(
        f"{words}: {left} and {right}, which can never be equal{count and f' ({count})'}. "
        f"{advice}"
    )


def advise_conversion(numbers: list, texts: list, as_text: str) -> str | None:
    """Return what to do with numbers beside text, the ids of two sides; None if unknown.

    They may be the text without quotes, or positions in a list of the ids. `as_text` is an
    expression for the numbers as text.
    """
    ids = set(texts)
    if any(str(number) in ids for number in numbers):
        return f"Make both text: {as_text}." if as_text else None
    if all(number % 1 == 0 and -1 <= number < len(ids) for number in numbers):
        return (
            "Convert the ids of one side to the type of the other; positions in a list of "
            "ids by ids[position], not by str."
        )
    return None


def check_comparable(
    left: Sequence | np.ndarray,
    right: Sequence | np.ndarray,
    names: Sequence[str],
    *,
    noun: str = "item",
    words: str = "Item ids cannot be compared",
) -> None:
    """Raise if no id of one side can equal one of the other.

    The other side may be the known labels of `find_labels`.
    """
    if len(left) == 0 or len(right) == 0 or kinds(left) & comparable_kinds(right):
        return
    sides = (
        f"{name} has {noun} {show_with_type(side[0])}"
        for name, side in zip(names, (left, right), strict=True)
    )
    raise incomparable_ids_error(words, *sides, noun="id" if noun == "item" else noun)


def check_no_duplicates(codes: np.ndarray, explain: Callable[[int], ValueError]) -> None:
    """Raise for a duplicate code; `explain` makes the error of the first duplicate."""
    order = np.argsort(codes, kind="stable")
    repeated = order[1:][codes[order[1:]] == codes[order[:-1]]]
    if len(repeated):
        raise explain(int(repeated.min()))


def value_of_each(
    name: str,
    values: np.ndarray,
    starts: np.ndarray,
    labels: Callable[[int], Any],
    noun: str = "query",
    shown: Callable[[Any], Any] = as_python_value,
) -> np.ndarray:
    """Return the value of each run of rows, such as a query; raise where it differs.

    `labels` gives the label of a run, and `shown` what errors show for a value.
    """
    first_values = values[starts[:-1]]
    of_run = np.repeat(first_values, sizes_of(starts))
    differs = (values != of_run) & (of_run == of_run)
    if differs.any():
        row = int(np.argmax(differs))
        label = labels(int(np.searchsorted(starts, row, side="right")) - 1)
        first, second = (show_id(shown(value)) for value in (of_run[row], values[row]))
        raise ValueError(
            f"`{name}` differs within {noun} {show_id(label)} ({first} and {second}), but "
            f"is one value per {noun}; give all rows of a {noun} the same."
        )
    return first_values


def duplicate_item_error(
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
        f"{where} has {noun} {show_id(item)} twice for {of} {show_id(user)}; each {noun} "
        f"may be named once per {of}. Remove the duplicates.{advice and ' '}{advice}"
    )
