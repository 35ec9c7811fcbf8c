"""Fitted models as JSON and arrays; only values of the types named here.

Reading calls only constructors of these types, with such values.
"""

import io
import json
import math
from collections.abc import Callable, Iterable
from dataclasses import is_dataclass
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from functools import cache
from importlib import import_module
from inspect import signature
from typing import IO, Any
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from sklearn_rank._base._ids import KnownIds
from sklearn_rank._base._validation import shorten
from sklearn_rank.inputs._fitted_queries import FittedQueries
from sklearn_rank.inputs._interaction_log import LogColumns
from sklearn_rank.inputs._times import Times
from sklearn_rank.rankers._fusion import Fusion
from sklearn_rank.recommenders._fitted import Fitted, Weights
from sklearn_rank.recommenders._histories import OrderedHistories
from sklearn_rank.recommenders._item_products import ItemProducts
from sklearn_rank.recommenders._pairs import Popularity
from sklearn_rank.recommenders._similarity import SimilarRows
from sklearn_rank.recommenders._two_stages._feature_table import FeatureTable
from sklearn_rank.recommenders._two_stages._first_stage import FirstStage

# A file may hold public estimators of these modules: they do not run code that they hold.
ALLOWED_MODULES = (
    *("sklearn_rank.recommenders", "sklearn_rank.rankers", "sklearn.decomposition"),
    *("sklearn.impute", "sklearn.linear_model", "sklearn.pipeline"),
    "sklearn.preprocessing",
)
# Their parts, which hold values of the same types; of a record its fields.
_PARTS = (
    *(FeatureTable, FirstStage, Fitted, FittedQueries, Fusion, KnownIds, LogColumns),
    *(OrderedHistories, Popularity, Times, Weights),
)
STORED_PARTS = {part.__name__: part for part in _PARTS}
# Derived values: `_prepare_scores` computes them after loading.
DERIVED_TYPES = (ItemProducts, SimilarRows)
# Shapes of learned numbers: u users, i items, f factors.
_SHAPES = {
    **dict.fromkeys(("interactions_", "seen_", "histories_", "counted"), "ui"),
    **dict.fromkeys(("item_weights_", "similarity_"), "ii"),
    **dict.fromkeys(("popularity_", "item_offset_", "_n_users"), "i"),
    **{"user_factors_": "uf", "item_factors_": "if", "components_": "fi"},
}
# What users call the parts of the fitted record.
_ATTRIBUTES = {f"_fitted.{side}.labels": f"{side}_" for side in ("users", "items")}
# Prefix of attributes that hold the callbacks of a fit.
CALLBACK_PREFIX = "_skl_"

_JSON_TYPES = (type(None), bool, int, float, str)
_SEQUENCE_TYPES = (tuple, frozenset)
_SCALAR_TYPES: dict[type, tuple[Callable, Callable]] = {
    bytes: (bytes.hex, bytes.fromhex),
    date: (date.isoformat, date.fromisoformat),
    datetime: (datetime.isoformat, datetime.fromisoformat),
    timedelta: (
        lambda duration: [duration.days, duration.seconds, duration.microseconds],
        lambda parts: timedelta(*parts),
    ),
    Decimal: (str, Decimal),
    UUID: (str, UUID),
    ZoneInfo: (str, ZoneInfo),
    timezone: (
        lambda zone: zone.utcoffset(None).total_seconds(),
        lambda seconds: timezone(timedelta(seconds=seconds)),
    ),
}
_SPARSE_NAMES = ("csr_array", "csc_array", "csr_matrix", "csc_matrix")
_SPARSE_TYPES = {name: getattr(sparse, name) for name in _SPARSE_NAMES}


class ValueWriter:
    """Writes arrays into entries of a zip file, and returns the rest as JSON.

    Arrays that share their memory are written once. `add` takes the name of an entry and
    its bytes.
    """

    def __init__(self, add: Callable[[str, Any], None]):
        self._add = add
        self._entries: dict[tuple, tuple[str, np.ndarray]] = {}
        self._objects: dict[int, int] = {}

    def write(self, value: Any, path: str) -> Any:
        """Return a value as JSON; `path` names its attribute in errors."""
        if type(value) in _JSON_TYPES:
            return value
        if type(value) is list:
            return self._write_each(value, path)
        tag, content = self._tag(value, type(value), path)
        return {tag: content}

    def _tag(self, value: Any, kind: type, path: str) -> tuple[str, Any]:
        name = kind.__name__
        if kind in _SEQUENCE_TYPES:
            return name, self._write_each(value, path)
        if kind is dict:
            return name, [self._write_each(pair, path) for pair in value.items()]
        if kind in _SCALAR_TYPES:
            write, read = _SCALAR_TYPES[kind]
            # Not equal for a named time zone, for example.
            if repr(read(write(value))) == repr(value):
                return name, write(value)
        if isinstance(value, np.generic) and value.dtype.kind in "biufcmMUS":
            return "scalar", [value.dtype.str, value.tobytes().hex()]
        if isinstance(value, np.dtype) and value.kind in "biufcmMUSO":
            return "dtype", value.str
        if kind in (np.ndarray, np.memmap) and value.dtype.kind in "biufcmMUSO":
            backward = [axis for axis, step in enumerate(value.strides) if step < 0]
            if backward:  # as SciPy's decompositions return them
                forward = np.flip(value, tuple(backward))
                return "flipped", [self._write_array(forward, path), backward]
            return "array", self._write_array(value, path)
        if _SPARSE_TYPES.get(name) is kind:
            parts = value.data, value.indices, value.indptr
            return name, [*value.shape, *(self._write_array(part, path) for part in parts)]
        public = public_name(kind)
        if public is not None:
            return "object", self._write_object(value, public, path)
        raise TypeError(
            f"A model file cannot hold `{_ATTRIBUTES.get(path, path)}`, {shorten(value)} "
            f"of the class {kind.__module__}.{kind.__qualname__}: only numbers, text, "
            f"dates, arrays and estimators of {', '.join(ALLOWED_MODULES)}. Save this "
            "model with joblib.dump, as a pickle, whose code runs when it is loaded."
        )

    def _write_object(self, owner: Any, name: str, path: str) -> list:
        """Return an object by its contents, or by its number if it was written before."""
        if id(owner) in self._objects:
            return [self._objects[id(owner)]]
        kind = type(owner)
        parameters = constructor_parameters(kind)
        is_record = not issubclass(kind, BaseEstimator) and parameters
        values = {n: getattr(owner, n) for n in parameters} if is_record else vars(owner)
        if values.get("memory") is not None:
            raise TypeError(
                f"A model file cannot hold {name} with `memory`, a folder that a later fit "
                "would write into; set memory=None."
            )
        given_values: dict[str, Any] = {}
        learned: dict[str, Any] = {}
        # In the order of reading, which determines the numbers of objects.
        for field in sorted(values, key=lambda field: field not in parameters):
            is_derived = isinstance(values[field], DERIVED_TYPES)
            if not is_derived and not field.startswith(CALLBACK_PREFIX):
                written = self.write(values[field], f"{path}.{field}" if path else field)
                (given_values if field in parameters else learned)[field] = written
        self._objects[id(owner)] = len(self._objects)
        return [name, given_values, learned]

    def _write_each(self, values: Iterable, path: str) -> list:
        return [self.write(value, path) for value in values]

    def _write_array(self, array: np.ndarray, path: str) -> str:
        """Return the name of an array's entry; write it if it is new."""
        memory = array.__array_interface__["data"][0]
        key = memory, array.dtype, array.shape, array.strides
        if key not in self._entries:
            ending = "json" if array.dtype.kind == "O" else "npy"
            name = f"{len(self._entries)}.{ending}"
            self._entries[key] = name, array  # kept, so that its memory is not used again
            if ending == "json":
                values = self._write_each(array.ravel().tolist(), path)
                self._add(name, json_bytes([list(array.shape), values]))
            else:
                file = io.BytesIO()
                # In the order of its memory: products of other layouts round otherwise.
                contiguous = array if array.flags.forc else array.copy(order="K")
                np.lib.format.write_array(file, contiguous, allow_pickle=False)
                self._add(name, file.getvalue())  # a buffer may outlive its file
        return self._entries[key][0]


class StoredValueError(ValueError):
    """A file holds what this release cannot read; the message follows the file's name."""


class ValueReader:
    """Reads what `ValueWriter` wrote.

    `entry` returns the bytes of an entry by its name. `check` is given the name of each
    class before one is made.
    """

    def __init__(self, entry: Callable[[str], bytes], check: Callable[[str], None]):
        self._entry = entry
        self._check = check
        self._objects: list[Any] = []
        # Objects that shared an array or matrix share it again.
        self._array = cache(self._read_array)
        self._matrix = cache(self._read_matrix)

        def sequence(kind: type) -> Callable:
            return lambda values: kind(self._read_each(values))

        def matrix(kind: type) -> Callable:
            return lambda content: self._matrix(kind, *content)

        self._readers: dict[str, Callable[[Any], Any]] = {
            **{kind.__name__: read for kind, (_, read) in _SCALAR_TYPES.items()},
            **{kind.__name__: sequence(kind) for kind in _SEQUENCE_TYPES},
            **{name: matrix(kind) for name, kind in _SPARSE_TYPES.items()},
            "dict": lambda pairs: {self.read(k): self.read(v) for k, v in pairs},
            "scalar": lambda parts: np.frombuffer(bytes.fromhex(parts[1]), parts[0])[0],
            "dtype": np.dtype,
            "array": self._array,
            "flipped": lambda parts: np.flip(self._array(parts[0]), parts[1]),
            "object": lambda parts: self._read_object(*parts),
        }

    def read(self, written: Any) -> Any:
        """Return the value of some JSON."""
        if type(written) is list:
            return self._read_each(written)
        if type(written) is not dict:
            return written
        [(tag, content)] = written.items()
        return self._readers[tag](content)

    def _read_each(self, written: list) -> list:
        return [self.read(part) if type(part) in (dict, list) else part for part in written]

    def _read_array(self, name: str) -> np.ndarray:
        content = self._entry(name)
        if name.endswith(".npy"):
            return _read_npy(io.BytesIO(content), len(content))
        shape, written = json.loads(content)
        return np.fromiter(self._read_each(written), dtype=object).reshape(shape)

    def _read_matrix(self, kind: type, n_rows: int, n_columns: int, *names: str) -> Any:
        parts = tuple(map(self._array, names))
        matrix: Any = kind(parts, shape=(n_rows, n_columns))
        matrix.check_format(full_check=True)  # SciPy does not check this when it multiplies
        return matrix

    def _read_object(self, name: Any, *contents: dict) -> Any:
        if not contents:
            return self._objects[name]
        kind = find_class(name)
        self._check(name)
        parameters, learned = (
            {parameter: self.read(value) for parameter, value in written.items()}
            for written in contents
        )
        if parameters.get("memory") is not None:  # a folder, which a fit would create
            raise StoredValueError(f"gives {name} a `memory`, which no model file may hold")
        unknown = sorted(parameters.keys() - constructor_parameters(kind))
        if unknown:
            raise StoredValueError(
                f"gives {name} the parameter {unknown[0]!r}, which it does not have here"
            )
        made = kind(**parameters) if parameters else kind.__new__(kind)
        if learned:
            vars(made).update(learned)
        if "_fitted" in learned:
            _check_numbers(made)
            made._prepare_scores()
        self._objects.append(made)
        return made


def _check_numbers(made: Any) -> None:
    """Raise if numbers do not fit the ids or each other, or are not finite.

    With them `recommend` would fail, or give nonsense.
    """
    sizes = {"u": len(made.users_), "i": len(made.items_)}
    owners = made, made._fitted.weights, vars(made).get("estimator_")
    values = {n: getattr(part, n) for part in owners for n in _SHAPES if hasattr(part, n)}
    for name in sorted(values):
        value = values[name]
        needed = tuple(map(sizes.setdefault, _SHAPES[name], value.shape))
        if value.ndim != len(_SHAPES[name]) or value.shape != needed:
            raise ValueError(
                f"`{name}` has the shape {value.shape}, not as `users_`, "
                "`items_` and the other arrays need it"
            )
        numbers = value.data if sparse.issparse(value) else value
        is_number = numbers.dtype.kind in "biuf"
        # The extremes of finite numbers are finite; they need no memory.
        bounds = [numbers.min(), numbers.max()] if is_number and numbers.size else []
        if not is_number or not np.isfinite(bounds).all():
            raise ValueError(f"`{name}` has values that are not finite numbers")


def _read_npy(file: IO[bytes], n_bytes: int) -> np.ndarray:
    """Return the array of a file, which is as large as its header says."""
    np.lib.format.read_magic(file)
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    n_needed = math.prod(shape) * dtype.itemsize
    if n_needed != n_bytes - file.tell() and not dtype.hasobject:
        raise ValueError(f"an array needs {n_needed} bytes but does not have that many")
    file.seek(0)
    return np.lib.format.read_array(file, allow_pickle=False)


def constructor_parameters(kind: type) -> set[str]:
    """Return the parameters of a constructor; none for other parts."""
    is_made = issubclass(kind, BaseEstimator | tuple) or is_dataclass(kind)
    return set(signature(kind).parameters) if is_made else set()


def public_name(kind: type) -> str | None:
    """Return the name of a class that a file may hold, None for others."""
    if STORED_PARTS.get(kind.__name__) is kind:
        return kind.__name__
    for module in ALLOWED_MODULES:
        if getattr(import_module(module), kind.__name__, None) is kind:
            return f"{module}.{kind.__name__}"
    return None


def find_class(name: str) -> Any:
    """Return the class of a public name; raise if a file may not hold it."""
    if name in STORED_PARTS:
        return STORED_PARTS[name]
    module, _, own = name.rpartition(".")
    public = import_module(module) if module in ALLOWED_MODULES else None
    kind = getattr(public, own, None) if own in getattr(public, "__all__", ()) else None
    if not isinstance(kind, type) or not issubclass(kind, BaseEstimator):
        raise StoredValueError(f"names {name!r}, which is not a model that a file can hold")
    return kind


def json_bytes(value: Any) -> bytes:
    """Return JSON without white space."""
    return json.dumps(value, separators=(",", ":")).encode()
