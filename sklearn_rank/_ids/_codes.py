"""Integer codes for distinct values, with a fast path for each kind of label."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from numbers import Real
from operator import lt
from typing import Any

import numpy as np

from sklearn_rank._arrays._runs import begins_run
from sklearn_rank._ids._distinct import codes_of_rows
from sklearn_rank._ids._strings import differ_from_above, integer_columns
from sklearn_rank._validation import check_missing
from sklearn_rank._values._missing import first_missing, is_missing
from sklearn_rank.exceptions import IncomparableIdsError


def begins_label(vector: np.ndarray) -> np.ndarray:
    """Return whether each row differs from the row above it; the first does."""
    if vector.dtype.kind in "US":
        return differ_from_above(vector)
    try:
        return begins_run(vector)
    except (TypeError, ValueError):
        # Comparing pandas.NA gives no truth value: take each row as a run of its own.
        return np.ones(len(vector), dtype=bool)


def ascends_strictly(vector: np.ndarray) -> bool:
    """Return whether integers or strings ascend strictly; False for other types."""
    if vector.dtype.kind != "O":
        return vector.dtype.kind in "iuUS" and bool((vector[1:] > vector[:-1]).all())
    labels = vector.tolist()
    if not labels or not isinstance(labels[0], str) or set(map(type, labels)) != {str}:
        return False
    return all(map(lt, labels, labels[1:]))


def codes_of(
    vector: np.ndarray, *, name: str, whole: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return (labels, codes): the distinct values in order, and the index of each row.

    `vector` holds one value of each run of `whole`; errors count the rows of `whole`.
    """
    kind = vector.dtype.kind
    if kind == "O":
        return _codes_of_objects(vector, name=name, whole=whole)
    if kind in "iu":
        return _codes_of_integers(vector)
    if kind in "US":
        return _codes_of_strings(vector)
    if kind in "fcMm" and _is_missing_in(vector).any():
        check_missing(name, _is_missing_in(whole))
    return np.unique(vector, return_inverse=True)


def _is_missing_in(vector: np.ndarray) -> np.ndarray:
    return np.isnan(vector) if vector.dtype.kind in "fc" else np.isnat(vector)


def _codes_of_integers(vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Look values up in a table if their range is not much larger than their number."""
    if len(vector) == 0:
        return vector, np.zeros(0, dtype=np.intp)
    lowest, values = vector.min(), _above_lowest(vector)
    span = int(values.max()) + 1
    if span > 4 * len(vector) + 1024:
        chosen, codes = codes_of_rows([values])
        return vector[chosen], codes
    place = values.view(np.intp)
    is_label = np.zeros(span, dtype=bool)
    is_label[place] = True
    found = np.flatnonzero(is_label)
    labels = found.astype(vector.dtype) + lowest  # of its type
    if len(found) == span:
        return labels, place
    code = np.empty(span, dtype=np.intp)
    code[found] = np.arange(len(found))
    return labels, code[place]


def _above_lowest(values: np.ndarray) -> np.ndarray:
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
    vector: np.ndarray, *, name: str, whole: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    if ascends_strictly(vector):
        return vector, np.arange(len(vector))
    seen: defaultdict[Any, int] = defaultdict(count().__next__)
    with hashing_labels(name):
        codes = np.fromiter(map(seen.__getitem__, vector.tolist()), np.intp, len(vector))
    if first_missing(seen) is not None:
        check_missing(name, np.fromiter(map(is_missing, whole.tolist()), bool))
    ordered = _sorted_if_possible(list(seen), name)
    place = np.empty(len(seen), dtype=np.intp)
    place[np.fromiter(map(seen.__getitem__, ordered), np.intp)] = np.arange(len(seen))
    labels = np.empty(len(seen), dtype=object)
    labels[:] = ordered
    return labels, place[codes]


@contextmanager
def hashing_labels(name: str) -> Iterator[None]:
    """Say what labels must be if one is a list or the like."""
    try:
        yield
    except TypeError as error:
        raise TypeError(
            f"`{name}` must hold labels such as numbers or strings; {error}."
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
