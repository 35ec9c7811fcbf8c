"""Numbers in any container as arrays: how they are read, and how they are checked."""

import math
import sys
from collections.abc import Collection, Iterable, Mapping, Set
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np

from sklearn_rank._base._messages import shorten

# Tables that are not in memory: how they are recognized, and how to read them.

# How to bring such a table into memory, by the package and the name of its class.
_WAYS = {
    ("dask", "DataFrame"): "compute()",
    ("dask", "Series"): "compute()",
    ("duckdb", "DuckDBPyRelation"): "to_arrow_table()",
    ("ibis", "Column"): "to_pandas()",
    ("ibis", "Table"): "to_pandas()",
    ("polars", "LazyFrame"): "collect()",
    ("pyarrow", "Dataset"): "to_table()",
    ("pyspark", "DataFrame"): "toPandas()",
    ("ray", "Dataset"): "to_pandas()",
    ("sklearn_rank", "InteractionLog"): "to_frame()",
}


def check_in_memory(value: Any, name: str) -> None:
    """Raise if a value is a table, or a column of one, whose rows are not in memory."""
    for kind in type(value).__mro__:
        package = kind.__module__.partition(".")[0].lstrip("_")
        way = _WAYS.get((package, kind.__name__))
        if way is not None:
            name = name.strip("`")
            if package == "sklearn_rank":
                raise TypeError(
                    f"`{name}` is an {kind.__name__}, which recommenders, their scorers "
                    f"and splitters of logs take; pass {name}.{way} here."
                )
            raise TypeError(
                f"`{name}` is a {package} {kind.__name__}, which is not in memory; pass "
                f"{name}.{way}. For rows that do not fit, score lists with "
                "sklearn_rank.distributed."
            )


# Shapes of containers.


def has_rows(values: Any) -> bool:
    """Return whether a value has rows; strings, sets and mappings do not."""
    if hasattr(values, "shape"):
        return isinstance(values.shape, tuple) and len(values.shape) > 0
    is_none = isinstance(values, str | bytes | Mapping | Set | type)
    return hasattr(values, "__len__") and not is_none


def is_grid(shape: tuple[int, ...]) -> bool:
    """Return whether an array of a shape has queries as rows and items as columns."""
    return len(shape) == 2 and shape[1] != 1


# Missing values, and arrays of other libraries.

# Values of these types are never missing; checking each would be slow.
_NEVER_MISSING = {bool, bytes, int, str, tuple}


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, NaT, pandas.NA or masked."""
    pandas = sys.modules.get("pandas")
    if value is None or value is np.ma.masked:
        return True
    if pandas is not None and value is pandas.NA:
        return True
    try:
        differs_from_itself = value != value
    except (TypeError, NotImplementedError):  # tables and columns that cannot be compared
        return False
    except ArithmeticError:  # a signaling NaN of decimal
        return True
    return isinstance(differs_from_itself, bool | np.bool_) and bool(differs_from_itself)


def first_missing(values: Collection) -> int | None:
    """Return the index of the first missing value; None if no value is missing."""
    if set(map(type, values)) <= _NEVER_MISSING:
        return None
    return next((i for i, value in enumerate(values) if is_missing(value)), None)


def plain_array(values: Any) -> Any:
    """Return a masked array, or an array or Series of another library, as a plain array.

    Masked values become missing ones: NaN among floats, NaT among times, None among other
    values, which stay exact. Other objects are returned unchanged.
    """
    if hasattr(values, "to_numpy"):
        for column in values.get_columns() if hasattr(values, "get_columns") else [values]:
            _check_width(column)
        # Arrays of pyarrow copy only on request.
        copy = {"zero_copy_only": False} if hasattr(values, "to_pylist") else {}
        return values.to_numpy(**copy)
    return _fill_masked(values) if isinstance(values, np.ma.MaskedArray) else values


def _check_width(column: Any) -> None:
    """Raise for a column of polars with integers that NumPy does not have."""
    kind = str(getattr(column, "dtype", ""))
    if kind in ("Int128", "UInt128"):
        raise TypeError(
            f"Column {column.name!r} has the type {kind}, which NumPy does not have; cast "
            f"it to {kind.replace('128', '64')}."
        )


def _fill_masked(values: np.ma.MaskedArray) -> np.ndarray:
    plain, mask = np.ma.getdata(values), _mask_of(values)
    if not mask.any():
        return plain
    if plain.dtype.kind in "fc":
        return np.where(mask, np.nan, plain)
    if plain.dtype.kind in "mM":
        return np.where(mask, np.array("NaT", dtype=plain.dtype), plain)
    objects = plain.astype(object)
    objects[mask] = None
    return objects


def _mask_of(values: np.ma.MaskedArray) -> np.ndarray:
    """Return which values are masked; one masked field masks a record."""
    mask: Any = np.ma.getmaskarray(values)
    if mask.dtype.names is None:
        return mask
    return np.any([mask[field] for field in mask.dtype.names], axis=0)


# Numbers as one numeric array, in which different numbers never become equal.

# The `isbuiltin` of the dtypes of ml_dtypes, such as bfloat16. A float of 32 bits holds
# each of their numbers exactly.
REGISTERED = 2
# Integers up to here are floats of 64 bits, exactly.
_EXACT = 2.0**53
# Types whose values are floats as they are; None is NaN.
_FLOATS = {float, np.float64, np.float32, np.float16, bool, np.bool_, type(None)}


# The codes of NumPy's own booleans, integers and floats, which need no conversion.
PLAIN_NUMBERS = "?bhilqpBHILQPefdg"


class NotNumbers(TypeError):
    """Values that should be numbers are not."""


def number_array(values: Any, subject: str) -> np.ndarray:
    """Return dense values as a numeric array of their own type, missing ones as NaN.

    `subject` begins the text of errors. Raises NotNumbers, or a ValueError if no array
    holds all of the numbers without making different ones equal.
    """
    array = _to_numpy(values, subject)
    if array.dtype.isbuiltin == REGISTERED:
        array = array.astype(np.float32)
    if array.dtype.kind == "O":
        return _from_objects(array, subject)
    are_numbers = array.dtype.kind in "biuf"
    # Lists and tables may hold several types, which NumPy has converted to one.
    has_type = hasattr(values, "dtype") or hasattr(values, "type")
    are_odd = isinstance(values, list | tuple) and not are_numbers
    if are_odd or (not has_type and rounds_integers(array)):
        return _from_objects(_as_objects(values), subject)
    if not are_numbers:
        first = shorten(list(array.flat[:1]))  # of an empty array none
        raise NotNumbers(f"{subject} must hold numbers, but has {first}.")
    return array


def float_array(values: Any, subject: str) -> np.ndarray:
    """Return the numbers as 64-bit floats; raise if different ones became equal."""
    exact = number_array(values, subject)
    floats = exact.astype(np.float64, copy=False)
    if floats is not exact and (exact.itemsize > 8 or rounds_integers(floats)):
        _check_distinct(floats.ravel().tolist(), exact.ravel().tolist(), subject)
    return floats


def rounds_integers(array: np.ndarray) -> bool:
    """Return whether floats may be rounded integers."""
    if array.dtype != np.float64 or not array.size:
        return False
    if array.min() > -_EXACT and array.max() < _EXACT:
        return False
    return bool((np.abs(array[np.isfinite(array)]) >= _EXACT).any())


def exact_as_floats(score: np.ndarray) -> np.ndarray:
    """Return scores as floats with the same order and the same ties.

    These are the scores themselves, unless floats would make different ones equal: then
    they are ranks, counted from the lowest, and -inf stays -inf.
    """
    floats = score.astype(np.float64, copy=False)
    if floats is score or not (score.dtype.itemsize > 8 or rounds_integers(floats)):
        return floats
    distinct, rank = np.unique(score, return_inverse=True)
    as_floats = distinct.astype(np.float64)
    if (as_floats[1:] > as_floats[:-1]).all():
        return floats
    return np.where(score == -np.inf, -np.inf, rank)


def is_number(kind: type) -> bool:
    """Return whether the values of a type are real numbers; bool is not."""
    # timedelta64 is a subtype of integers.
    return issubclass(kind, Real | Decimal) and not issubclass(kind, np.timedelta64)


def is_number_text(value: Any) -> bool:
    """Return whether a value is the text of a number."""
    try:
        return isinstance(value, str) and not math.isnan(float(value))
    except ValueError:
        return False


def _to_numpy(values: Any, subject: str) -> np.ndarray:
    check_in_memory(values, subject)
    try:
        return np.asarray(plain_array(values))
    except ValueError as error:  # rows of unequal length
        needed = "must hold one number per row, or rows of one length"
        reason = str(error).rstrip(".")
        raise ValueError(f"{subject} {needed}; {reason}.") from error


def _as_objects(values: Any) -> np.ndarray:
    """Return lists or a table as Python objects, before any rounding."""
    if hasattr(values, "rows"):  # of polars
        values = values.rows()
    if hasattr(values, "to_numpy"):  # of pandas
        return values.to_numpy(dtype=object)
    return np.array(values, dtype=object)


def _from_objects(array: np.ndarray, subject: str) -> np.ndarray:
    flat = array.ravel().tolist()
    if set(map(type, flat)) <= _FLOATS:
        return array.astype(np.float64)
    flat = [np.nan if is_missing(value) else value for value in flat]
    types = set(map(type, flat))
    _check_numbers(flat, types, subject)
    return _exact_array(flat, types, subject).reshape(array.shape)


def _check_numbers(flat: list, types: set[type], subject: str) -> None:
    for kind in types - _FLOATS:
        if not is_number(kind):
            odd = next(value for value in flat if type(value) is kind)
            raise NotNumbers(f"{subject} must hold numbers, but has {shorten(odd)}.")


def _exact_array(flat: list, types: set[type], subject: str) -> np.ndarray:
    try:
        floats = np.array(flat, dtype=np.float64)
    except OverflowError as error:
        raise _beyond_floats_error(subject) from error
    if all(issubclass(kind, Integral) for kind in types):
        if not rounds_integers(floats):
            return floats
        for dtype in (np.int64, np.uint64):
            try:
                return np.array(list(map(int, flat)), dtype=dtype)
            except OverflowError:
                continue
    _check_distinct(floats.tolist(), flat, subject)
    return floats


def _check_distinct(floats: Iterable[float], values: list, subject: str) -> None:
    """Raise if different numbers have become the same float."""
    first: dict[float, Any] = {}
    for as_float, value in zip(floats, values, strict=True):
        if as_float != as_float or first.setdefault(as_float, value) == value:
            continue
        raise ValueError(
            f"{subject} has {shorten(first[as_float])} and {shorten(value)}, which are "
            "equal as floats of 64 bits; pass integers of 64 bits, or ranks."
        )
    if any(abs(as_float) == np.inf != abs(value) for as_float, value in first.items()):
        raise _beyond_floats_error(subject)


def _beyond_floats_error(subject: str) -> ValueError:
    return ValueError(f"{subject} has a number beyond the range of floats (about 1.8e308).")


def weighted_sums(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the weighted sum of each row; those of equal rows are equal.

    A BLAS rounds the product of a row by the place of the row, which breaks ties.
    """
    return (np.ascontiguousarray(rows) * weights).sum(axis=1)


# Sparse matrices as CSR.


def stored_numbers(matrix: Any, subject: str) -> Any:
    """Return a sparse matrix as CSR: columns in order, and each cell once.

    Duplicate entries are summed in a type that holds the sum. The result may share its
    memory with `matrix`. `subject` begins the text of errors.
    """
    from scipy import sparse

    if matrix.ndim != 2:
        raise ValueError(
            f"{subject} is sparse and has {matrix.ndim} dimension(s), shape "
            f"{matrix.shape}; a sparse matrix has one row per query. Call its toarray()."
        )
    if matrix.dtype.kind not in "biuf":
        raise NotNumbers(f"{subject} must hold numbers, got dtype {matrix.dtype}.")
    if matrix.format == "csr":
        stored = sparse.csr_array(matrix)
        if stored.has_canonical_format:
            return stored
    return _sum_duplicates(matrix, subject)


def without_zeros(stored: Any) -> Any:
    """Return a CSR matrix whose stored values all differ from 0."""
    if np.all(stored.data):
        return stored
    stored = stored.copy()
    stored.eliminate_zeros()
    return stored


def _sum_duplicates(matrix: Any, subject: str) -> Any:
    # Some formats sum on conversion to CSR, so the type is changed first.
    wide = {"i": np.int64, "u": np.uint64, "f": np.promote_types(matrix.dtype, np.float64)}
    summed = _sum_cells(matrix, wide.get(matrix.dtype.kind, matrix.dtype))
    # Integers beyond 64 bits come back 2**64 apart from their sum.
    if (
        matrix.dtype.kind in "iu"
        and summed.nnz < matrix.nnz
        and np.any(np.abs(_sum_cells(matrix, np.float64).data - summed.data) > 2.0**62)
    ):
        raise ValueError(
            f"{subject} has duplicate entries, and their sum is beyond 64 bits; remove the "
            "duplicates."
        )
    return summed


def _sum_cells(matrix: Any, dtype: Any) -> Any:
    from scipy import sparse

    matrix = matrix if matrix.format in ("csr", "csc") else matrix.tocoo()
    stored = sparse.csr_array(matrix.astype(dtype, copy=matrix.format == "csr"))
    stored.sum_duplicates()  # sorts the columns of each row, too
    return stored


# Arguments that are arrays, and checks of their values and weights.


def as_array(values: Any, name: str) -> np.ndarray:
    """Return `values` as the array that NumPy makes of them; raise if rows are ragged."""
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(
            f"`{name}` must be an array, got sequences of unequal lengths."
        ) from error


def is_sparse(values: Any) -> bool:
    """Return whether values are a sparse matrix; with one, its module is loaded."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and sparse.issparse(values)


def as_numbers(values: Any, name: str, *, or_sparse: bool = False) -> Any:
    """Return `values` as a numeric array of its own type, missing ones as NaN.

    With `or_sparse`, a sparse matrix of any format becomes CSR with each cell once.
    Different numbers never become equal: where no type can hold them, that is an error.
    """
    has_cells = not isinstance(values, np.ndarray) and is_sparse(values)
    if has_cells and not or_sparse:
        raise ValueError(
            f"`{name}` must be a dense array, got {type(values).__name__}; "
            "pass its toarray()."
        )
    try:
        return (stored_numbers if has_cells else number_array)(values, f"`{name}`")
    except NotNumbers as error:
        raise ValueError(str(error)) from error


def as_floats(values: Any, name: str) -> np.ndarray:
    """Return `values` as an array of floats."""
    return as_numbers(values, name).astype(np.float64, copy=False)


def number_vector(name: str, values: Any, needed: str, *, least: int = 1) -> np.ndarray:
    """Return numbers as a 1-D array of some length; a single column becomes one."""
    vector = as_numbers(values, name)
    if vector.shape[1:] == (1,):
        vector = vector[:, 0]
    if vector.ndim != 1 or len(vector) < least:
        shape = given_shape(values, vector.shape)
        raise ValueError(f"`{name}` must have {needed}, got {shape}.")
    return vector


def given_shape(values: object, shape: tuple) -> str:
    """Return how errors show values of a wrong shape; a single one is shown itself."""
    return f"shape {shape}" if shape else shorten(values)


def check_values(
    name: str, values: np.ndarray, wrong: np.ndarray, what: str, needed: str = ""
) -> None:
    """Raise if some values are `wrong`, with their number, the first and its place."""
    if wrong.any():
        index = tuple(map(int, np.argwhere(wrong)[0]))
        where = index[0] if len(index) == 1 else index
        raise ValueError(
            f"`{name}` has {int(wrong.sum())} {what} value(s), the first at {where}"
            f" ({values[index]}); " + (needed or "drop or replace them") + "."
        )


def check_finite(name: str, values: np.ndarray) -> None:
    """Raise unless all values are numbers, and none is infinite."""
    if np.isfinite(extremes(values)).all():
        return
    check_values(name, values, np.isnan(values), "NaN")
    check_values(name, values, np.isinf(values), "infinite")


def extremes(values: np.ndarray) -> tuple[Any, Any]:
    """Return the lowest and the highest value, 0 without any."""
    return (values.min(), values.max()) if values.size else (0, 0)


def check_missing(name: str, missing: np.ndarray) -> None:
    """Raise where the mask `missing` is True, with the count and the first row."""
    count = int(np.count_nonzero(missing))
    if count:
        raise ValueError(
            f"`{name}` has {count} missing value(s), the first in row "
            f"{int(np.argmax(missing))}; drop these rows or fill the values in."
        )


def check_one_per_row(name: str, values: np.ndarray, shape: tuple[int, ...]) -> None:
    """Raise unless values have the shape of `y_true`; a column counts as a vector."""
    as_vector = shape[:1] if shape[1:] == (1,) else shape
    if values.shape not in (shape, as_vector):
        raise ValueError(
            f"`{name}` has shape {values.shape}, but `y_true` has {shape}; both need one "
            "value per row."
        )


def check_query_weight(
    sample_weight: Any, n_queries: int, unit: str = "query"
) -> np.ndarray | None:
    """Return one weight per query as floats."""
    weight = weight_per_unit(sample_weight, n_queries, unit)
    return None if weight is None else check_weights(weight)


def weight_per_unit(
    sample_weight: Any, n_units: int, unit: str, advice: str = ""
) -> np.ndarray | None:
    """Return one number per unit, in which nothing is missing."""
    if sample_weight is None:
        return None
    weight = as_numbers(sample_weight, "sample_weight")
    if weight.shape != (n_units,):
        raise ValueError(
            f"`sample_weight` needs one weight per {unit}, shape ({n_units},), "
            f"got shape {weight.shape}.{advice}"
        )
    check_missing("sample_weight", np.isnan(weight))
    return weight


def check_weights(weight: np.ndarray) -> np.ndarray:
    """Return weights as floats; raise unless they can weigh something."""
    weight = weight.astype(np.float64)
    if not (weight.min() >= 0 and weight.max() < np.inf):
        raise ValueError("`sample_weight` must be finite and not negative.")
    if weight.max() == 0:
        raise ValueError(
            "`sample_weight` is 0 for every query; at least one must be positive."
        )
    return weight
