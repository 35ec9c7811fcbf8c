"""Labels of queries, users and items of any type, as integer codes."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import count, repeat
from numbers import Real
from operator import le, lt
from typing import Any

import numpy as np

from sklearn_rank._base._distinct_labels import (
    codes_of_rows,
    differ_from_above,
    find_rows,
    integer_columns,
)
from sklearn_rank._base._messages import warn_misleading
from sklearn_rank._base._numbers import (
    check_in_memory,
    check_missing,
    first_missing,
    given_shape,
    is_missing,
    plain_array,
    rounds_integers,
)
from sklearn_rank._base._runs import (
    begins_run,
    order_by_codes,
    sizes_of,
    starts_of,
    starts_where,
)
from sklearn_rank.exceptions import IncomparableIdsError

# Codes of distinct values, with a fast path for each kind of label.


def begins_label(vector: np.ndarray) -> np.ndarray:
    """Return whether each row differs from the row above it; the first does."""
    if vector.dtype.kind in "US":
        return differ_from_above(vector)
    try:
        return begins_run(vector)
    except (TypeError, ValueError, ArithmeticError):
        # Comparing missing values gives no truth value: take each row as a run of its own.
        return np.ones(len(vector), dtype=bool)


def starts_of_labels(vector: np.ndarray) -> np.ndarray:
    """Return where runs of equal labels begin, and where the last ends."""
    if vector.dtype.kind in "iub" and len(vector):
        return np.r_[0, (vector[1:] != vector[:-1]).nonzero()[0] + 1, len(vector)]
    return starts_where(begins_label(vector))


def ascends_strictly(vector: np.ndarray) -> bool:
    """Return whether integers or strings ascend strictly; False for other types."""
    if vector.dtype.kind != "O":
        return vector.dtype.kind in "iuUS" and bool((vector[1:] > vector[:-1]).all())
    labels = vector.tolist()
    if not labels or not isinstance(labels[0], str) or set(map(type, labels)) != {str}:
        return False
    return all(map(lt, labels, labels[1:]))


def codes_of(
    vector: np.ndarray, *, name: str, all_values: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return (labels, codes): the distinct values in order, and the index of each row.

    `vector` holds one value of each run of `all_values`, whose rows errors count.
    """
    kind = vector.dtype.kind
    if kind == "O":
        return _codes_of_objects(vector, name=name, all_values=all_values)
    if kind in "iu":
        return _codes_of_integers(vector)
    if kind in "US":
        return _codes_of_strings(vector)
    if kind in "fcMm" and _is_missing_in(vector).any():
        check_missing(name, _is_missing_in(all_values))
    warn_if_rounded(vector, name)
    return np.unique(vector, return_inverse=True)


def warn_if_rounded(vector: np.ndarray, name: str) -> None:
    """Warn if ids are floats so large that one stands for several whole numbers."""
    if vector.dtype.kind != "f" or not len(vector):
        return
    largest = float(np.nanmax(np.abs(vector), initial=0))
    limit = 2 ** (np.finfo(vector.dtype).nmant + 1)
    if limit <= largest < np.inf:
        warn_misleading(
            f"`{name}` has numbers of {vector.dtype} such as {largest:.0f}. From {limit:,} "
            "on they are rounded, so that different ids become equal. Read ids as integers "
            "(in pandas 'Int64', before a join that leaves gaps) or as text."
        )


def _is_missing_in(vector: np.ndarray) -> np.ndarray:
    return np.isnan(vector) if vector.dtype.kind in "fc" else np.isnat(vector)


def _codes_of_integers(vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Look values up in a table if their range is not much larger than their number."""
    if len(vector) == 0:
        return vector, np.zeros(0, dtype=np.intp)
    lowest, values = vector.min(), _subtract_lowest(vector)
    span = int(values.max()) + 1
    if span > 4 * len(vector) + 1024:
        chosen, codes = codes_of_rows([values])
        return vector[chosen], codes
    offset = values.view(np.intp)
    is_label = np.zeros(span, dtype=bool)
    is_label[offset] = True
    label_offsets = np.flatnonzero(is_label)
    labels = label_offsets.astype(vector.dtype) + lowest  # of its type
    if len(label_offsets) == span:
        return labels, offset
    code = np.empty(span, dtype=np.intp)
    code[label_offsets] = np.arange(len(label_offsets))
    return labels, code[offset]


def _subtract_lowest(values: np.ndarray) -> np.ndarray:
    """Return integers minus their minimum; the difference may not fit their own type."""
    wide = values.astype(np.int64 if values.dtype.kind == "i" else np.uint64, copy=False)
    # Read as unsigned, differences that wrap around are right.
    return (wide - wide.min()).view(np.uint64)


def _codes_of_strings(vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    columns = integer_columns(vector)
    if not columns:
        return vector[:1], np.zeros(len(vector), dtype=np.intp)
    chosen, codes = codes_of_rows(columns)
    return vector[chosen], codes


def _codes_of_objects(
    vector: np.ndarray, *, name: str, all_values: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    if ascends_strictly(vector):
        return vector, np.arange(len(vector))
    values = vector.tolist()
    strings = as_strings(values) if _are_many_strings(values) else None
    if strings is not None:
        chosen, codes = codes_of_rows(integer_columns(strings))
        return vector[chosen], codes
    with report_unhashable(f"Values of `{name}`"):
        seen, [codes] = number_by_hash(values)
    if first_missing(seen) is not None:
        check_missing(name, np.fromiter(map(is_missing, all_values.tolist()), bool))
    ordered = _sorted_if_possible(list(seen), name)
    rank = np.empty(len(seen), dtype=np.intp)
    rank[np.fromiter(map(seen.__getitem__, ordered), np.intp)] = np.arange(len(seen))
    labels = np.empty(len(seen), dtype=object)
    labels[:] = ordered
    return labels, rank[codes]


def number_by_hash(*sides: list) -> tuple[dict[Any, int], list[np.ndarray]]:
    """Return the number of each distinct label, by its hash, and that of each row."""
    numbers: defaultdict[Any, int] = defaultdict(count().__next__)
    codes = [np.fromiter(map(numbers.__getitem__, v), np.intp, len(v)) for v in sides]
    return numbers, codes


def _are_many_strings(values: list) -> bool:
    """Return whether values seem to be strings of so many kinds that packing is faster.

    A dict of them does not fit the cache of a processor, and a sort needs no cache.
    """
    sample = values[:: max(len(values) // 1000, 1)]
    are_strings = all(type(value) is str for value in sample)
    return are_strings and len(sample) >= 1000 and 2 * len(set(sample)) > len(sample)


# Attributes of documents with their ids.
_IDS_OF_DOCUMENTS = ("id", "id_", "doc_id", "node_id", "document_id")


@contextmanager
def report_unhashable(where: str, ids: Iterable = ()) -> Iterator[None]:
    """Say what ids and labels must be if one is an array, a list or the like.

    `ids` may be documents, which have an attribute with the id.
    """
    try:
        yield
    except TypeError as error:
        wrong = next((each for each in ids if type(each).__hash__ is None), None)
        own = next((name for name in _IDS_OF_DOCUMENTS if hasattr(wrong, name)), None)
        advice = ""
        if own is not None:
            advice = (
                f" It has the attribute {own!r}: give "
                f"[[d.{own} for d in docs] for docs in y_pred]."
            )
        raise TypeError(
            f"{where} must be hashable, such as numbers, strings or tuples; {error}."
            f"{advice}"
        ) from error


def check_one_type(where: str, labels: Sequence | np.ndarray) -> None:
    """Raise if a number and its text are two of the labels that `where` names.

    Both come from one label of a file that is read in parts, each with its own type.
    """
    texts = {label for label in labels if isinstance(label, str)}
    for label in labels:
        text = str(label).removesuffix(".0")
        if isinstance(label, Real) and text in texts:
            raise IncomparableIdsError(
                f"{text} and {text!r} in {where} are two labels, a number and a string. "
                "Convert all to one type, such as by dtype=str in pandas.read_csv."
            )


def _sorted_if_possible(labels: list, name: str) -> list:
    try:
        return sorted(labels)
    except TypeError:
        check_one_type(f"`{name}`", labels)
    try:
        return sorted(labels, key=lambda label: (type(label).__qualname__, label))
    except TypeError:
        return labels


# The number of labels hashed in the time of one binary search, by kind.
_LABELS_A_SEARCH = {"i": 1, "u": 1, "U": 16, "S": 16}

_MOMENTS = (np.datetime64, np.timedelta64)


def as_vector(values: Any, *, name: str) -> np.ndarray:
    """Return `values` as a 1-D array without changing labels.

    A tuple is one label, and masked values become missing ones.
    """
    if type(values) is np.ndarray and values.ndim == 1:
        return values
    check_in_memory(values, name)
    values = plain_array(values)
    is_list = isinstance(values, list | tuple)
    try:
        vector = _from_list(values) if is_list else np.asarray(values)
    except ValueError as error:  # rows of unequal length
        raise ValueError(
            f"`{name}` must be 1-D, one value per row, got sequences of unequal lengths."
        ) from error
    if vector.ndim == 2 and vector.shape[1] == 1:
        vector = vector[:, 0]
    if vector.ndim != 1:
        # NumPy sees no shape in sparse ones.
        shape = given_shape(values, getattr(values, "shape", vector.shape))
        raise ValueError(f"`{name}` must be 1-D, one value per row, got {shape}.")
    return vector


def _from_list(values: list | tuple) -> np.ndarray:
    """Return labels as an array of their type, or as objects if that would change them."""
    if _are_plain_strings(values):
        return np.array(values)
    kinds = set(map(type, values))
    if kinds == {list} and all(len(row) == 1 for row in values):
        column = [row[0] for row in values]
        if list not in map(type, column):
            return _from_list(column)
    # NumPy would make two strings of [1, "a"], and a matrix of tuples. It drops null
    # characters at the end, and makes floats of integers if some are too large.
    is_kept = len(kinds) < 2 and not any(issubclass(kind, tuple | str) for kind in kinds)
    if is_kept and not (kinds == {bytes} and any(v.endswith(b"\0") for v in values)):
        vector = np.asarray(values)
        return np.array(values, dtype=object) if rounds_integers(vector) else vector
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects


def _are_plain_strings(values: list | tuple) -> bool:
    """Return whether all values are strings, none with a null character at its end."""
    if not values or not isinstance(values[0], str):
        return False
    try:
        text = "".join(values)  # faster than to ask each for its type
    except TypeError:
        return False
    return "\0" not in text or not any(value.endswith("\0") for value in values)


def as_strings(values: list) -> np.ndarray | None:
    """Return strings as a fixed-width array; None if they are not strings or too wide."""
    if not _are_plain_strings(values):
        return None
    width = max(map(len, values))
    is_narrow = width <= 64 or width * len(values) < 4 * sum(map(len, values))
    return np.array(values) if is_narrow else None


def encode_labels(values: Any, *, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return (labels, codes): the distinct labels in order, and each row's index.

    Labels come sorted, so codes do not depend on the order of rows. Labels of several types
    are sorted within each type; unsortable labels keep the order of first appearance.
    """
    vector = as_vector(values, name=name)
    if len(vector) == 0:
        return vector, np.zeros(0, dtype=np.intp)
    begins = begins_label(vector)
    if 2 * np.count_nonzero(begins) > len(vector):  # too short to be worth a copy
        return codes_of(vector, name=name, all_values=vector)
    # Logs and query data are mostly runs: encode each run once.
    starts = starts_where(begins)
    labels, run_codes = codes_of(vector[starts[:-1]], name=name, all_values=vector)
    return labels, np.repeat(run_codes, sizes_of(starts))


def find_labels(labels: np.ndarray, values: Any, *, name: str) -> np.ndarray:
    """Return the index in `labels` of each value, -1 if not found.

    Labels are distinct and, except for objects, sorted.
    """
    vector = as_vector(values, name=name)
    if labels.dtype.kind == "M" and vector.dtype.kind == "O":
        vector = _as_moments(vector, labels.dtype)
    # NumPy compares numbers of different kinds as floats, which rounds large ones.
    if labels.dtype.kind != vector.dtype.kind or labels.dtype.kind == "O":
        return look_up(index_of(labels), vector, name=name)
    if len(labels) == 0:
        return np.full(len(vector), -1, dtype=np.intp)
    if _LABELS_A_SEARCH.get(labels.dtype.kind, 0) * len(vector) > len(labels):
        return _find_many(labels, vector)
    code = np.minimum(labels.searchsorted(vector), len(labels) - 1)
    return np.where(labels[code] == vector, code, -1)


def index_of(labels: np.ndarray) -> dict[Any, int]:
    """Return the index of each label in a dict."""
    return {label: code for code, label in enumerate(with_python_moments(as_list(labels)))}


def look_up(index: dict[Any, int], vector: np.ndarray, *, name: str) -> np.ndarray:
    """Return the index of each value by Python's equality; -1 if not found."""
    values = with_python_moments(as_list(vector))
    with report_unhashable(f"Values of `{name}`"):
        return np.fromiter(map(index.get, values, repeat(-1)), np.intp, len(vector))


def places_as_text(labels: Iterable) -> np.ndarray:
    """Return the place of each label in the ascending order of their texts."""
    texts = list(map(str, labels))
    position = np.empty(len(texts), dtype=np.intp)
    position[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return position


def with_python_moments(values: list) -> list:
    """Return values with Python datetimes: equal ones of NumPy have a different hash."""
    if set(map(type, values)).isdisjoint(_MOMENTS):
        return values
    return [_as_python_moment(v) if isinstance(v, _MOMENTS) else v for v in values]


def as_python_value(label: Any) -> Any:
    """Return a label as errors show it: a Python value rather than a NumPy scalar."""
    if isinstance(label, _MOMENTS):
        return _as_python_moment(label)
    return label.item() if isinstance(label, np.generic) else label


def _find_many(labels: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Find many integers or strings by a hash, which is faster than a search for each."""
    both = np.concatenate([labels, vector])
    if both.dtype.kind in "iu":
        columns = [both.astype(f"{both.dtype.kind}8", copy=False).view(np.uint64)]
    else:
        columns = integer_columns(both)
    label_columns = [column[: len(labels)] for column in columns]
    sought = [column[len(labels) :] for column in columns]
    return (
        find_rows(label_columns, sought)
        if columns
        else np.zeros(len(vector), dtype=np.intp)
    )


def _as_moments(vector: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return dates and datetimes as datetime64, other objects as they are."""
    if not all(isinstance(value, date | np.datetime64) for value in vector):
        return vector
    return vector.astype(np.promote_types(dtype, "M8[us]"))  # a time of day is not a date


def as_list(vector: np.ndarray) -> list:
    """Return the values of a vector as Python objects; durations stay durations."""
    values = vector.tolist()
    if vector.dtype.kind not in "mM" or int not in set(map(type, values)):
        return values
    return [_as_python_moment(value) for value in vector]


def _as_python_moment(value: Any) -> Any:
    """Return a moment or a duration as a Python object, unchanged if Python has no such."""
    unit, _ = np.datetime_data(value.dtype)
    if unit in ("Y", "M"):
        return value
    if unit in ("W", "D"):
        return value.item()  # a date, as `tolist` makes of an array
    microseconds = value.astype(f"{value.dtype.kind}8[us]")
    return microseconds.item() if microseconds == value else value


@dataclass(frozen=True, eq=False)
class Groups:
    """Rows grouped by label.

    Group i has starts[i + 1] - starts[i] rows: in the `order` of the rows by group, these
    are starts[i]:starts[i + 1].
    """

    labels: np.ndarray  # sorted
    starts: np.ndarray
    label_order: np.ndarray | None  # sorts the groups by label; if None, they are sorted
    of_row: np.ndarray | None  # the group of each row; if None, rows lie together

    @cached_property
    def order(self) -> np.ndarray:
        """The stable order of the rows by group."""
        if self.of_row is None:
            return np.arange(self.starts[-1])
        return order_by_codes([self.of_row], [len(self.labels)])


def group_rows(values: Any, *, n_rows: int, name: str = "groups") -> Groups:
    """Group rows by label, as they are or in another order."""
    vector = as_vector(values, name=name)
    if len(vector) != n_rows:
        raise ValueError(
            f"`{name}` has {len(vector)} rows, but `y_true` has {n_rows}; "
            f"give one label per row{advice_for_sizes(vector, n_rows, name=name)}."
        )
    # Comparisons of values that are not numbers may have no truth value.
    begins = starts_of_labels(vector)
    are_short = 2 * (len(begins) - 1) > n_rows
    if are_short and not _ascends(vector):
        starts, runs = np.arange(n_rows + 1), vector  # too short to be worth a copy
    else:
        starts, runs = begins, vector[begins[:-1]]
        if are_short or _ascends(runs):
            return Groups(runs, starts, None, None)
    labels, codes = codes_of(runs, name=name, all_values=vector)
    if len(labels) == len(runs):
        return Groups(labels, starts, np.argsort(codes), None)
    if len(runs) < n_rows:
        codes = codes.repeat(sizes_of(starts))
    return Groups(labels, starts_of(np.bincount(codes)), None, codes)


def advice_for_sizes(vector: np.ndarray, n_rows: int, *, name: str) -> str:
    """Return how sizes of queries become labels of rows; "" if the values are not sizes."""
    if vector.dtype.kind not in "iu" or vector.sum() != n_rows:
        return ""
    return f", such as np.repeat(np.arange({len(vector)}), {name}) for sizes"


def _ascends(vector: np.ndarray) -> bool:
    """Return whether integers or strings are in order; False for other types."""
    if vector.dtype.kind == "O":
        labels = vector.tolist()
        return set(map(type, labels)) == {str} and all(map(le, labels, labels[1:]))
    return vector.dtype.kind in "iub" and bool((vector[1:] >= vector[:-1]).all())


def join_labels(parts: Sequence[np.ndarray], *, name: str) -> np.ndarray:
    """Return the labels of all parts without rounding or conversion to strings."""
    kinds = {part.dtype.kind for part in parts}
    if len(kinds) == 1 or (kinds == {"i", "u"} and np.result_type(*parts).kind in "iu"):
        return np.concatenate(parts)
    labels = [label for part in parts for label in as_list(part)]
    return as_vector(labels, name=name)
