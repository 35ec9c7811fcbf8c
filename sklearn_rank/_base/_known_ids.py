"""Ids of users and items: check them, and find those that `fit` has seen."""

from functools import cached_property
from typing import Any

import numpy as np

from sklearn_rank._base._label_checks import (
    KINDS,
    comparable_kinds,
    incomparable_ids_error,
    kinds,
    show_with_type,
)
from sklearn_rank._base._labels import (
    as_list,
    as_strings,
    as_vector,
    ascends_strictly,
    encode_labels,
    find_labels,
    index_of,
    look_up,
)
from sklearn_rank._base._numbers import check_missing, check_values, has_rows, is_missing
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


class KnownIds:
    """Sorted distinct ids that `fit` has seen, with a lookup.

    Numbers and strings are found by binary search, also strings that are objects. Others
    are found by a dict, which is made at the first lookup.
    """

    def __init__(self, labels: np.ndarray):
        self.labels = labels
        self._kinds = comparable_kinds(labels)
        self._are_strings = labels.dtype.kind == "O" and ascends_strictly(labels)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle nothing: the estimator has the labels, and the rest follows from them."""
        return {}

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
        is_plain = type(label) is _PLAIN.get(kind) and labels[0] <= label <= labels[-1]
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

    def with_new(self, ids: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return (all labels, the index of each known label, the index of each id).

        `codes` are what `find` returns for the ids.
        """
        is_new = codes < 0
        new = _cast_to_type(self.labels, ids[is_new])
        if not len(new):
            return self.labels, np.arange(len(self.labels)), codes
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
        return labels, places_of_labels, places_of_ids

    @cached_property
    def _index(self) -> dict[Any, int]:
        return index_of(self.labels)

    def _check_kinds(self, ids: np.ndarray, is_unknown: np.ndarray, name: str) -> None:
        """Raise for an id of a kind that the known ids lack."""
        own = self._kinds
        foreign = kinds(ids) - own
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


def known_ids(estimator: Any, attribute: str) -> KnownIds:
    """Return the ids in an attribute of a fitted estimator, cached.

    They are read again if the attribute is another array, for example after unpickling.
    """
    labels, own = getattr(estimator, attribute), f"_known_{attribute}"
    ids_of_labels = vars(estimator).get(own)
    if ids_of_labels is None or vars(ids_of_labels).get("labels") is not labels:
        ids_of_labels = KnownIds(labels)
        setattr(estimator, own, ids_of_labels)
    return ids_of_labels


def unknown_ids_error(name: str, ids: np.ndarray, known: np.ndarray) -> ValueError:
    """Return the error for a table of other ids than those of the log."""
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
