"""Ids of two sides as integer codes, equal for equal ids."""

import struct
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, count
from operator import iconcat
from typing import Any, TypeGuard

import numpy as np

from sklearn_rank._base._label_checks import kind_of, kinds
from sklearn_rank._base._labels import (
    as_python_value,
    as_strings,
    encode_labels,
    report_unhashable,
    warn_if_rounded,
    with_python_moments,
)
from sklearn_rank._base._messages import shorten
from sklearn_rank._base._numbers import first_missing, is_missing, is_number, plain_array
from sklearn_rank._base._runs import CHUNK_OBJECTS

# Integer ids in a span up to this size need no table: codes have 32 bits.
_WIDEST_SPAN = 2**32


@dataclass(frozen=True, eq=False)
class Codes:
    """Two arrays of ids as codes in range(n_codes)."""

    left: np.ndarray
    right: np.ndarray
    n_codes: int
    labels: list | np.ndarray | None  # of each code; None: the code itself, from `low`
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
    codes, labels = _number_by_hash(left, right)
    if any(map(_is_by_identity, set(map(type, labels)))):
        check_not_by_identity(left, right, "Item id")
    alike = with_python_moments(labels)
    if alike is not labels:
        # A moment of NumPy and an equal one of Python have two hashes, and so two codes.
        (again,), distinct = _number_by_hash(alike)
        codes = [again[of_side] for of_side in codes]
        label_of_code = dict(zip(again.tolist(), labels, strict=True))
        labels = [label_of_code[code] for code in range(len(distinct))]
    return Codes(codes[0], codes[1], max(len(labels), 1), labels)


def _number_by_hash(*sides: list) -> tuple[list[np.ndarray], list]:
    """Return the code of each id, by its hash, and the distinct ids."""
    index: defaultdict = defaultdict(count().__next__)
    with report_unhashable("Item ids", chain(*sides)):
        codes = [
            np.fromiter(map(index.__getitem__, ids), np.int64, len(ids)) for ids in sides
        ]
    return codes, list(index)


def _holds_int64(vector: np.ndarray) -> bool:
    """Return whether unsigned or float values are integers that int64 holds exactly."""
    if vector.dtype.kind == "u":
        return len(vector) == 0 or vector.max() < 2**63
    if vector.dtype.kind != "f":
        return False
    return bool(np.all((np.trunc(vector) == vector) & (np.abs(vector) < 2**53)))
