"""Ids of users and items: find those that `fit` has seen, and number those of two sides."""

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import chain
from operator import iconcat
from typing import Any, TypeGuard

import numpy as np

from sklearn_rank._base._label_checks import (
    KINDS,
    comparable_kinds,
    incomparable_ids_error,
    kind_of,
    kinds,
    show_with_type,
)
from sklearn_rank._base._labels import (
    as_list,
    as_python_value,
    as_strings,
    as_vector,
    ascends_strictly,
    encode_labels,
    find_labels,
    index_of,
    look_up,
    number_by_hash,
    report_unhashable,
    warn_if_rounded,
    with_python_moments,
)
from sklearn_rank._base._numbers import (
    check_missing,
    check_values,
    first_missing,
    has_rows,
    is_missing,
    is_number,
    plain_array,
)
from sklearn_rank._base._runs import CHUNK_OBJECTS
from sklearn_rank._base._validation import check_given, shorten

# The type of ids by the kind of their array, with standard equality.
_PLAIN = {"i": int, "U": str}
# Labels added to a dict in the time of one search for a string.
_LABELS_A_SEARCH = 16


def read_ids(values: Any, *, name: str) -> np.ndarray:
    """Return ids as a 1-D array; raise for NaN and infinite numbers."""
    check_given(name, values, has_rows(values), "a list or array of ids")
    ids = as_vector(values, name=name)
    if ids.dtype.kind == "f":
        advice = "NaN and inf are not ids; drop such rows"
        check_values(name, ids, ~np.isfinite(ids), "invalid", advice)
    return ids


@dataclass(frozen=True, eq=False)
class KnownIds:
    """Sorted distinct ids that `fit` has seen, with a lookup.

    Numbers and strings are found by binary search, also strings that are objects. Others
    are found by a dict, which is made at the first lookup.
    """

    labels: np.ndarray
    _kinds: set[str] = field(init=False)
    _are_strings: bool = field(init=False)

    def __post_init__(self) -> None:
        labels = self.labels
        are_strings = labels.dtype.kind == "O" and ascends_strictly(labels)
        vars(self).update(_kinds=comparable_kinds(labels), _are_strings=are_strings)

    def __reduce__(self) -> tuple:
        """Pickle the labels alone: the rest follows from them."""
        return KnownIds, (self.labels,)

    def find(self, values: Any, *, name: str) -> np.ndarray:
        """Return the index of each id among the known ones, -1 if unknown.

        An id of a type that can equal none of the known ones is an error, not an unknown
        id: for example a string among numbers.
        """
        if (code := self._code_of_one(values)) is not None:
            return np.array([code])
        ids = read_ids(values, name=name)
        codes = self._codes(ids, name)
        is_unknown = codes < 0
        if is_unknown.any():
            missing = is_unknown.copy()
            missing[missing] = [is_missing(label) for label in ids[missing].tolist()]
            check_missing(name, missing)
        self._check_kinds(ids, is_unknown, name)
        return codes

    def _code_of_one(self, values: Any) -> int | None:
        """Return the index of one known number or string, four times as fast as `find`."""
        if type(values) is not list or len(values) != 1:
            return None
        labels, label = self.labels, values[0]
        kind = "U" if self._are_strings else labels.dtype.kind
        is_plain = type(label) is _PLAIN.get(kind) and len(labels) > 0
        is_plain = is_plain and labels[0] <= label <= labels[-1]
        code = labels.searchsorted(label) if is_plain else None
        return int(code) if code is not None and labels[code] == label else None

    def _codes(self, ids: np.ndarray, name: str) -> np.ndarray:
        kind = self.labels.dtype.kind
        if self._are_strings and _are_strings(ids):
            if _LABELS_A_SEARCH * len(ids) > len(self.labels):
                return find_labels(self.labels, ids, name=name)
            ids = ids.astype(object, copy=False)
            code = np.minimum(np.searchsorted(self.labels, ids), len(self.labels) - 1)
            return np.where(self.labels[code] == ids, code, -1)
        ids = _cast_to_type(self.labels, ids)
        if kind == "M" or ids.dtype.kind == kind != "O":
            return find_labels(self.labels, ids, name=name)
        return look_up(self._index, ids, name=name)

    def add_new(
        self, ids: np.ndarray, codes: np.ndarray
    ) -> tuple["KnownIds", np.ndarray, np.ndarray]:
        """Return (all ids, the index of each known label, the index of each id).

        `codes` are what `find` returns for the ids.
        """
        is_new = codes < 0
        new = _cast_to_type(self.labels, ids[is_new])
        if not len(new):
            return self, np.arange(len(self.labels)), codes
        if new.dtype.kind == self.labels.dtype.kind != "O":
            together: Any = np.concatenate([self.labels, new])
        else:
            together = as_list(self.labels) + as_list(new)
        if self.labels.dtype.kind == "O":
            together = np.fromiter(together, dtype=object)
        labels, places = encode_labels(together, name="ids")
        places_of_labels, places_of_new = np.split(places, [len(self.labels)])
        places_of_ids = places_of_labels[codes]
        places_of_ids[is_new] = places_of_new
        return KnownIds(labels), places_of_labels, places_of_ids

    @cached_property
    def _index(self) -> dict[Any, int]:
        return index_of(self.labels)

    def _check_kinds(self, ids: np.ndarray, is_unknown: np.ndarray, name: str) -> None:
        """Raise for an id of a kind that the known ids lack."""
        own = self._kinds
        foreign = kinds(ids) - own if len(self.labels) else set()
        # Other classes define their own equality. NumPy's durations equal integers in some
        # versions, but are not integers.
        surely_foreign = foreign & set(KINDS) if own <= set(KINDS) else set()
        for row in range(len(ids)) if foreign else ():
            if kinds(ids[[row]]) <= (foreign if is_unknown[row] else surely_foreign):
                raise incomparable_ids_error(
                    f"Ids in `{name}` are of another type",
                    f"{show_with_type(ids[row])} in row {row}",
                    f"{show_with_type(self.labels[0])} in the data of `fit`",
                )


def unknown_ids_error(name: str, ids: np.ndarray, known: np.ndarray) -> ValueError:
    """Return the error for a table whose ids are not those of the log."""
    return ValueError(
        f"None of the ids in `{name}` is in the log; they look like {shorten(ids[0])}, "
        f"those of the log like {shorten(known[0])}."
    )


def _are_strings(ids: np.ndarray) -> bool:
    """Return whether ids are strings, and not of a class with its own equality."""
    return ids.dtype.kind == "U" or (
        ids.dtype.kind == "O" and set(map(type, ids.tolist())) == {str}
    )


def _cast_to_type(labels: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Return ids in the type of the labels if that changes no value."""
    if labels.dtype.kind == "U" and ids.dtype.kind == "O" and _are_strings(ids):
        strings = as_strings(ids.tolist())
        return ids if strings is None else strings
    kind = labels.dtype.kind
    if kind in "if" and ids.dtype.kind in "biuf" and ids.dtype.kind != kind:
        numbers = ids.astype(np.float64)
        is_whole = (np.abs(numbers) < 2**53) & (np.trunc(numbers) == numbers)
        return ids.astype(f"{kind}8") if is_whole.all() else ids
    return ids


# Ids of two sides as integer codes, equal for equal ids.

# Integer ids in a span up to this size need no table: codes have 32 bits.
_WIDEST_SPAN = 2**32


@dataclass(frozen=True, eq=False)
class Codes:
    """Two arrays of ids as codes in range(n_codes)."""

    left: np.ndarray
    right: np.ndarray
    n_codes: int
    labels: list | np.ndarray | None  # of each code; if None, the code itself, from `low`
    low: int = 0
    repeats: np.ndarray | None = None  # the codes that the last ones repeat

    def label(self, code: Any) -> Any:
        """Return the id of a code, as errors show it."""
        code = self._repeated(np.array([code]))[0]
        return as_python_value(
            self.low + int(code) if self.labels is None else self.labels[code]
        )

    def labels_of(self, codes: np.ndarray) -> np.ndarray | list:
        """Return the ids of some codes."""
        codes = self._repeated(codes)
        if self.labels is None:
            return codes.astype(np.int64) + self.low
        if isinstance(self.labels, np.ndarray):
            return self.labels[codes]
        return [self.labels[code] for code in codes.tolist()]

    def _repeated(self, codes: np.ndarray) -> np.ndarray:
        """Return the codes, those that repeat others as these."""
        if self.repeats is None or not len(self.repeats):
            return codes
        first = self.n_codes - len(self.repeats)
        is_repeat = codes >= first
        codes = codes.copy()
        codes[is_repeat] = self.repeats[codes[is_repeat] - first]
        return codes

    def codes_of(self, ids: np.ndarray | list) -> np.ndarray:
        """Return the codes of other ids, -1 for unknown ones."""
        if self.labels is not None:
            labels, ids = (with_python_moments(_as_list(i)) for i in (self.labels, ids))
            code = {label: code for code, label in enumerate(labels)}
            return np.fromiter((code.get(i, -1) for i in ids), int, len(ids))
        if isinstance(ids, list):
            return np.array([*map(self._code_of_number, ids)], dtype=int)
        is_code = (ids >= self.low) & (ids < self.low + self.n_codes)
        return np.where(is_code, ids.astype(np.int64) - self.low, -1)

    def _code_of_number(self, label: Any) -> int:
        is_finite = is_number(type(label)) and not is_missing(label) and abs(label) < np.inf
        code = int(label) - self.low if is_finite else -1
        return code if 0 <= code < self.n_codes and code + self.low == label else -1

    def missing(self) -> list[int]:
        """Return the codes of None, NaN, NaT and pandas.NA."""
        if self.labels is None or _is_array(self.labels, "iuUS"):
            return []
        labels = _as_list(self.labels)
        if first_missing(labels) is None:
            return []
        return [code for code, label in enumerate(labels) if is_missing(label)]

    def are_text(self) -> bool:
        """Return whether all ids are strings."""
        return self.labels is not None and kinds(self.labels) == {"strings"}

    def sample(self, codes: np.ndarray) -> list:
        """Return one id of each kind among those of the codes, in order of appearance."""
        if len(codes) == 0:
            return []
        codes = self._repeated(codes)
        labels = [self.label(codes[0])]
        if self.labels is not None and len(kinds(self.labels)) > 1:
            distinct = (self.labels[code] for code in np.flatnonzero(np.bincount(codes)))
            labels += {kind_of(label): label for label in distinct}.values()
        return labels


def flatten_ids(rows: Any, types: set[type]) -> np.ndarray | list:
    """Return the ids of all rows: an array of integers or strings, or a list of others.

    `types` are those of the rows.
    """
    if isinstance(rows, np.ndarray):
        return as_ids(rows.ravel())
    if types == {np.ndarray} and len({row.dtype.kind for row in rows}) == 1:
        return as_ids(np.concatenate(rows))
    for code, dtype in (("i", np.int32), ("q", np.int64)):
        try:
            return np.frombuffer(_pack_integers(rows, code), dtype)
        except (struct.error, TypeError):
            continue
    return list(chain.from_iterable(rows))


def as_ids(values: Any, name: str = "ids") -> np.ndarray | list:
    """Return an array or Series of ids as int64 or strings, or as a list of others."""
    vector = np.asarray(plain_array(values))
    if vector.dtype.kind in "US":
        return vector
    warn_if_rounded(vector, name)
    if vector.dtype.kind in "ib" or _holds_int64(vector):
        return vector.astype(np.int64, copy=False)
    # tolist() would make integers of nanoseconds.
    return list(vector) if vector.dtype.kind in "mM" else vector.tolist()


def encode_ids(left: np.ndarray | list, right: np.ndarray | list) -> Codes:
    """Return the codes of both, the same code for the same id."""
    if not len(left) and not len(right):
        return Codes(np.zeros(0, int), np.zeros(0, int), 1, None)  # of a row without id
    if _is_array(left, "US") or _is_array(right, "US"):
        return _encode_strings(left, right)
    if isinstance(left, list) or isinstance(right, list):
        return _encode_objects(_as_list(left), _as_list(right))
    both = [ids for ids in (left, right) if len(ids)]
    low = min((int(ids.min()) for ids in both), default=0)
    high = max((int(ids.max()) for ids in both), default=0)
    low = 0 if low >= 0 and high < _WIDEST_SPAN else low
    if high - low < _WIDEST_SPAN:
        return Codes(
            _subtract_low(low, left), _subtract_low(low, right), high - low + 1, None, low
        )
    labels, codes = np.unique(np.concatenate([left, right]), return_inverse=True)
    return Codes(codes[: len(left)], codes[len(left) :], len(labels), labels)


def check_hashable(name: str, value: Any, needed: str) -> None:
    """Raise unless `value` can be an id or a name: an array or a list cannot."""
    try:
        hash(value)
    except TypeError as error:
        raise TypeError(f"`{name}` must be {needed}, got {shorten(value)}.") from error


def check_not_by_identity(left: Iterable, right: Iterable, noun: str) -> None:
    """Raise if both sides have objects that equal only themselves, and share none."""
    sides = [
        [each for each in side if _is_by_identity(type(each))] for side in (left, right)
    ]
    if all(sides) and set(map(id, sides[0])).isdisjoint(map(id, sides[1])):
        raise TypeError(
            f"{noun}s such as {shorten(sides[0][0])} are compared by identity, and no "
            "object is on both sides; pass ids, such as numbers or strings."
        )


def _is_by_identity(kind: type) -> bool:
    return kind.__hash__ is object.__hash__


def _pack_integers(rows: Sequence, code: str) -> bytearray:
    """Return the bytes of all ids as C integers; raise for other values.

    Unlike np.array and np.fromiter, struct refuses 1.5, "1" and None, and is faster.
    """
    packed = bytearray()
    for start in range(0, len(rows), CHUNK_OBJECTS):
        ids: list = reduce(iconcat, rows[start : start + CHUNK_OBJECTS], [])
        packed += struct.pack(f"{len(ids)}{code}", *ids)
    return packed


def _subtract_low(low: int, ids: np.ndarray) -> np.ndarray:
    """Return integers less `low`, which lie in a span of 32 bits."""
    # Differences that wrap around in unsigned arithmetic are right.
    codes = ids.view(np.uint32) if ids.dtype == np.int32 else ids.astype(np.uint32)
    return codes - np.uint32(low % 2**32) if low else codes


def _as_list(ids: np.ndarray | list) -> list:
    return ids if isinstance(ids, list) else ids.tolist()


def _is_array(ids: Any, kinds: str) -> TypeGuard[np.ndarray]:
    """Return whether ids are an array of one of these kinds of NumPy."""
    return isinstance(ids, np.ndarray) and ids.dtype.kind in kinds


def _encode_strings(left: np.ndarray | list, right: np.ndarray | list) -> Codes:
    """Return the codes of ids that are an array of strings or bytes on one side."""
    sides: list = [left, right]
    for position, ids in enumerate(sides):
        strings = as_strings(ids) if isinstance(ids, list) else None
        sides[position] = ids if strings is None else strings
    if not any(all(_is_array(side, kind) for side in sides) for kind in "US"):
        return _encode_objects(_as_list(left), _as_list(right))
    labels, codes = encode_labels(np.concatenate(sides), name="ids")
    return Codes(codes[: len(left)], codes[len(left) :], max(len(labels), 1), labels)


def _encode_objects(left: list, right: list) -> Codes:
    with report_unhashable("Item ids", chain(left, right)):
        numbers, codes = number_by_hash(left, right)
    labels = list(numbers)
    if any(map(_is_by_identity, set(map(type, labels)))):
        check_not_by_identity(left, right, "Item id")
    alike = with_python_moments(labels)
    if alike is not labels:
        # A moment of NumPy and an equal one of Python have two hashes, and so two codes.
        numbers, [again] = number_by_hash(alike)
        codes = [again[of_side] for of_side in codes]
        label_of_code = dict(zip(again.tolist(), labels, strict=True))
        labels = [label_of_code[code] for code in range(len(numbers))]
    return Codes(codes[0], codes[1], max(len(labels), 1), labels)


def _holds_int64(vector: np.ndarray) -> bool:
    """Return whether unsigned or float values are integers that int64 holds exactly."""
    if vector.dtype.kind == "u":
        return len(vector) == 0 or vector.max() < 2**63
    if vector.dtype.kind != "f":
        return False
    return bool(np.all((np.trunc(vector) == vector) & (np.abs(vector) < 2**53)))
