"""What a fitted model holds, as JSON and arrays: values of the types named here alone.

To read them calls constructors of these types with such values, and nothing else.
"""

import io
import json
from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from importlib import import_module
from inspect import signature
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from sklearn_rank._ids._known_ids import KnownIds
from sklearn_rank._tables._fitted_queries import FittedQueries
from sklearn_rank._tables._times import Times
from sklearn_rank._validation import shorten
from sklearn_rank.recommenders._item_products import ItemProducts
from sklearn_rank.recommenders._most_popular import PopularityOrder
from sklearn_rank.recommenders._ordered_histories import OrderedHistories
from sklearn_rank.recommenders._similarity import SimilarRows

# The public estimators of these modules may be in a file: none of them runs what it holds.
MODULES = (
    "sklearn_rank.recommenders",
    "sklearn_rank.rankers",
    "sklearn.decomposition",
    "sklearn.linear_model",
    "sklearn.pipeline",
    "sklearn.preprocessing",
)
# Their parts, which hold values of the same types.
PARTS = {part.__name__: part for part in (FittedQueries, OrderedHistories, Times)}
# What follows from the rest: `_prepare_lists` and `_prepare_scores` make it again.
DERIVED = (KnownIds, PopularityOrder, ItemProducts, SimilarRows)
# How attributes begin that hold the callbacks of a fit.
CALLBACKS = "_skl_"

_JSON = (type(None), bool, int, float, str)
_SEQUENCES = {kind.__name__: kind for kind in (tuple, frozenset)}
_SCALARS: dict[type, tuple[Callable, Callable]] = {
    bytes: (bytes.hex, bytes.fromhex),
    date: (date.isoformat, date.fromisoformat),
    datetime: (datetime.isoformat, datetime.fromisoformat),
    timedelta: (
        lambda one: [one.days, one.seconds, one.microseconds],
        lambda parts: timedelta(*parts),
    ),
    Decimal: (str, Decimal),
    UUID: (str, UUID),
    ZoneInfo: (str, ZoneInfo),
    timezone: (
        lambda one: one.utcoffset(None).total_seconds(),
        lambda seconds: timezone(timedelta(seconds=seconds)),
    ),
}
_SCALAR_OF = {kind.__name__: read for kind, (_, read) in _SCALARS.items()}
_SPARSE = {
    kind.__name__: kind
    for kind in (
        sparse.csr_array,
        sparse.csc_array,
        sparse.csr_matrix,
        sparse.csc_matrix,
    )
}


class ValueWriter:
    """Writes arrays into entries of a zip file, and returns the rest as JSON.

    Arrays that share their memory are written once. `add` takes the name of an entry and
    a function that writes to its file.
    """

    def __init__(self, add: Callable[[str, Callable[[Any], Any]], None]):
        self._add = add
        self._entries: dict[tuple, tuple[str, np.ndarray]] = {}
        self._objects: dict[int, int] = {}

    def as_json(self, value: Any, place: str) -> Any:
        """Return a value as JSON; `place` says in errors where it is."""
        if type(value) in _JSON:
            return value
        if type(value) is list:
            return self._each(value, place)
        tag, content = self._tagged(value, type(value), place)
        return {tag: content}

    def _tagged(self, value: Any, kind: type, place: str) -> tuple[str, Any]:
        name = kind.__name__
        if _SEQUENCES.get(name) is kind:
            return name, self._each(value, place)
        if kind is dict:
            return name, [self._each(pair, place) for pair in value.items()]
        if kind in _SCALARS:
            write, read = _SCALARS[kind]
            # Not equal where it has a time zone by name, for example.
            if repr(read(write(value))) == repr(value):
                return name, write(value)
        if isinstance(value, np.generic) and value.dtype.kind in "biufcmMUS":
            return "scalar", [value.dtype.str, value.tobytes().hex()]
        if kind in (np.ndarray, np.memmap) and value.dtype.kind in "biufcmMUSO":
            return "array", self._entry_of(value, place)
        if _SPARSE.get(name) is kind:
            parts = value.data, value.indices, value.indptr
            return name, [list(value.shape), *(self._entry_of(one, place) for one in parts)]
        public = public_name(kind)
        if public is not None:
            return "object", self._object(value, public, place)
        raise TypeError(
            f"A model file cannot hold `{place}`, {shorten(value)} of the class "
            f"{kind.__module__}.{kind.__qualname__}: only numbers, text, dates, arrays and "
            f"estimators of {', '.join(MODULES)}. Keep this model by joblib.dump, a "
            "pickle, whose code runs when it is loaded."
        )

    def _object(self, owner: Any, name: str, place: str) -> list:
        """Return an object by its contents, or by its number where it was before."""
        if id(owner) in self._objects:
            return [self._objects[id(owner)]]
        contents = self._contents(owner, place)
        self._objects[id(owner)] = len(self._objects)
        return [name, *contents]

    def _contents(self, owner: Any, place: str) -> list[dict[str, Any]]:
        """Return the parameters of an estimator, and what else it keeps."""
        values = owner._asdict() if isinstance(owner, tuple) else vars(owner)
        contents: list[dict[str, Any]] = [{}, {}]
        parameters = parameters_of(type(owner))
        for name in sorted(values, key=lambda name: name not in parameters):
            value = values[name]
            if not isinstance(value, DERIVED) and not name.startswith(CALLBACKS):
                inside = f"{place}.{name}" if place else name
                contents[name not in parameters][name] = self.as_json(value, inside)
        return contents

    def _each(self, values: Iterable, place: str) -> list:
        return [
            value if type(value) in _JSON else self.as_json(value, place)
            for value in values
        ]

    def _entry_of(self, array: np.ndarray, place: str) -> str:
        """Return the name of the entry with an array, which is written where it is new."""
        memory = array.__array_interface__["data"][0]
        key = memory, array.dtype, array.shape, array.strides
        if key not in self._entries:
            ending = "json" if array.dtype.kind == "O" else "npy"
            name = f"{len(self._entries)}.{ending}"
            self._entries[key] = name, array  # kept, so that its memory is not used again
            if ending == "json":
                content = [list(array.shape), self._each(array.ravel().tolist(), place)]
                self._add(name, lambda file: file.write(json_bytes(content)))
            else:
                self._add(
                    name,
                    lambda file: np.lib.format.write_array(file, array, allow_pickle=False),
                )
        return self._entries[key][0]


class StoredValueError(ValueError):
    """A file holds what this release cannot make; the message says what, after its name."""


class ValueReader:
    """Reads what `ValueWriter` wrote.

    `entry` returns the bytes of an entry by its name. `check` is given the name of each
    class before one is made.
    """

    def __init__(self, entry: Callable[[str], bytes], check: Callable[[str], None]):
        self._entry = entry
        self._check = check
        self._arrays: dict[str, np.ndarray] = {}
        self._matrices: dict[str, Any] = {}
        self._objects: list[Any] = []
        self._by_tag: dict[str, Callable[[Any], Any]] = {
            "dict": lambda pairs: {self.value(k): self.value(v) for k, v in pairs},
            "scalar": lambda parts: np.frombuffer(bytes.fromhex(parts[1]), parts[0])[0],
            "array": self._array,
            "object": lambda parts: self._object(*parts),
        }

    def value(self, written: Any) -> Any:
        """Return the value that JSON stands for."""
        if type(written) is list:
            return self._each(written)
        if type(written) is not dict:
            return written
        [(tag, content)] = written.items()
        if tag in _SEQUENCES:
            return _SEQUENCES[tag](self._each(content))
        if tag in _SPARSE:
            return self._matrix(tag, content)
        if tag in _SCALAR_OF:
            return _SCALAR_OF[tag](content)
        return self._by_tag[tag](content)

    def _each(self, written: list) -> list:
        return [self.value(one) if type(one) in (dict, list) else one for one in written]

    def _array(self, name: str) -> np.ndarray:
        if name not in self._arrays:
            content = self._entry(name)
            if name.endswith(".json"):
                shape, written = json.loads(content)
                values = np.fromiter(self._each(written), dtype=object)
                self._arrays[name] = values.reshape(shape)
            else:
                self._arrays[name] = np.lib.format.read_array(
                    io.BytesIO(content), allow_pickle=False
                )
        return self._arrays[name]

    def _matrix(self, kind: str, content: list) -> Any:
        # Attributes that were one matrix are so again.
        key = f"{kind} {content}"
        if key not in self._matrices:
            shape, *names = content
            parts = tuple(self._array(name) for name in names)
            matrix = _SPARSE[kind](parts, shape=shape)
            matrix.check_format(full_check=True)  # what SciPy trusts when it multiplies
            self._matrices[key] = matrix
        return self._matrices[key]

    def _object(self, name: Any, *contents: dict) -> Any:
        if not contents:
            return self._objects[name]
        kind = class_of(name)
        self._check(name)
        parameters, learned = (
            {one: self.value(value) for one, value in written.items()}
            for written in contents
        )
        unknown = sorted(parameters.keys() - parameters_of(kind))
        if unknown:
            raise StoredValueError(
                f"gives {name} the parameter {unknown[0]!r}, which it does not have here"
            )
        made = kind(**parameters) if parameters else kind.__new__(kind)
        if learned:
            vars(made).update(learned)
        if "popularity_" in learned:  # else of a model within it, where it has one
            made._prepare_lists()
            made._prepare_scores()
        self._objects.append(made)
        return made


def parameters_of(kind: type) -> set[str]:
    """Return what a constructor takes; of parts of models only where it sets all of it."""
    is_made = issubclass(kind, BaseEstimator | tuple)
    return set(signature(kind).parameters) if is_made else set()


def public_name(kind: type) -> str | None:
    """Return the name of a class that a file may hold, None for others."""
    if PARTS.get(kind.__name__) is kind:
        return kind.__name__
    for module in MODULES:
        if getattr(import_module(module), kind.__name__, None) is kind:
            return f"{module}.{kind.__name__}"
    return None


def class_of(name: str) -> Any:
    """Return the class of a public name; raise where a file may not hold it."""
    if name in PARTS:
        return PARTS[name]
    module, _, own = name.rpartition(".")
    public = import_module(module) if module in MODULES else None
    kind = getattr(public, own, None) if own in getattr(public, "__all__", ()) else None
    if not isinstance(kind, type) or not issubclass(kind, BaseEstimator):
        raise StoredValueError(f"names {name!r}, which is no model that a file may hold")
    return kind


def json_bytes(value: Any) -> bytes:
    """Return JSON without blanks."""
    return json.dumps(value, separators=(",", ":")).encode()
