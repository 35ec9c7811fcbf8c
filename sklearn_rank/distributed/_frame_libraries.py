"""One interface to tables of pandas, polars and pyarrow.

A library is imported only when one of its tables is seen.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from sklearn_rank._base._labels import as_list
from sklearn_rank.inputs._columns import batch_as_table, find_column, names_of

# Types of columns, as Arrow calls them.
FLOAT, INTEGER, BYTES, TEXT = "float64", "int64", "binary", "utf8"


class _Pandas:
    """What is done with the tables of pandas; the other libraries do the same."""

    def types(self, frame: Any, names: Sequence) -> tuple:
        """Return the types of some columns."""
        import pandas as pd

        dtypes = [frame[name].dtype for name in names]
        return tuple(
            dtype.categories.dtype if isinstance(dtype, pd.CategoricalDtype) else dtype
            for dtype in dtypes
        )

    def n_bytes(self, frame: Any) -> int:
        """Return how much memory the values take."""
        return int(frame.memory_usage(index=False).sum())

    def to_arrow(self, frame: Any) -> Any:
        """Return the same as a pyarrow Table."""
        import pyarrow as pa

        return pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata()

    def select(self, frame: Any, names: Sequence) -> Any:
        """Return some of the columns."""
        return frame[list(names)]

    def concatenate(self, frames: Sequence) -> Any:
        """Return the rows of all tables, one after the other."""
        import pandas as pd

        return pd.concat(frames, ignore_index=True)

    def cast(self, frame: Any, types: Mapping[Any, Any]) -> Any:
        """Return the table with other types of some columns."""
        return frame.astype(dict(types))

    def make(self, columns: Mapping[str, np.ndarray], types: Mapping[str, Any]) -> Any:
        """Return a table; a type is one of the words above or one of the library."""
        import pandas as pd

        dtypes = _resolve_types(types, {BYTES: "object", TEXT: "object"})
        return pd.DataFrame(
            {name: pd.Series(of, dtype=dtypes[name]) for name, of in columns.items()}
        )


class _Polars(_Pandas):
    def types(self, frame: Any, names: Sequence) -> tuple:
        return tuple(frame.schema[name] for name in names)

    def n_bytes(self, frame: Any) -> int:
        return int(frame.estimated_size())

    def to_arrow(self, frame: Any) -> Any:
        return frame.to_arrow()

    def concatenate(self, frames: Sequence) -> Any:
        import polars as pl

        return pl.concat(frames)

    def cast(self, frame: Any, types: Mapping[Any, Any]) -> Any:
        return frame.cast(dict(types))

    def make(self, columns: Mapping[str, np.ndarray], types: Mapping[str, Any]) -> Any:
        import polars as pl

        words = {FLOAT: pl.Float64, INTEGER: pl.Int64, BYTES: pl.Binary, TEXT: pl.String}
        dtypes = _resolve_types(types, words)
        series = []
        for name, values in columns.items():
            plain = as_list(values) if values.dtype.kind in "OUS" else values
            series.append(pl.Series(name, plain).cast(dtypes[name]))
        return pl.DataFrame(series)


class _Arrow:
    def types(self, frame: Any, names: Sequence) -> tuple:
        import pyarrow as pa

        types = [frame.schema.field(name).type for name in names]
        is_coded = pa.types.is_dictionary
        return tuple(dtype.value_type if is_coded(dtype) else dtype for dtype in types)

    def n_bytes(self, frame: Any) -> int:
        return int(frame.nbytes)

    def to_arrow(self, frame: Any) -> Any:
        return batch_as_table(frame)

    def select(self, frame: Any, names: Sequence) -> Any:
        return batch_as_table(frame).select(list(names))

    def concatenate(self, frames: Sequence) -> Any:
        import pyarrow as pa

        return pa.concat_tables([batch_as_table(frame) for frame in frames])

    def cast(self, frame: Any, types: Mapping[Any, Any]) -> Any:
        table = batch_as_table(frame)
        for name, dtype in types.items():
            position = table.schema.get_field_index(name)
            table = table.set_column(position, name, table.column(position).cast(dtype))
        return table

    def make(self, columns: Mapping[str, np.ndarray], types: Mapping[str, Any]) -> Any:
        import pyarrow as pa

        arrays = {}
        for name, values in columns.items():
            dtype = types[name]
            array = pa.array(values) if len(values) else pa.array([], dtype)
            arrays[name] = array if array.type == dtype else array.cast(dtype)
        return pa.table(arrays)


def _resolve_types(types: Mapping[str, Any], words: Mapping[str, Any]) -> dict[str, Any]:
    """Return types of a library for those that are words."""
    is_word = {name: isinstance(dtype, str) for name, dtype in types.items()}
    return {n: words.get(kind, kind) if is_word[n] else kind for n, kind in types.items()}


Library: TypeAlias = _Pandas | _Polars | _Arrow
_LIBRARIES: dict[str, Library] = {
    "pandas": _Pandas(),
    "polars": _Polars(),
    "pyarrow": _Arrow(),
}
# The names of their classes.
_TABLES = ("DataFrame", "Table", "RecordBatch")
# Advice for tables that are not in memory.
_ADVICE_BY_PACKAGE = {
    "dask": "map it over the partitions: frame.shuffle(query).map_partitions(scorer, "
    "meta=scorer.meta(frame))",
    "pyspark": "map it over the partitions: frame.repartition(query).mapInPandas("
    "scorer.iterate, scorer.schema(frame))",
    "ray": "map it over the blocks: data.repartition(n, keys=[query]).map_batches(scorer, "
    "batch_format='pyarrow', batch_size=None)",
    "duckdb": "call its to_arrow_reader(), or to_arrow_table()",
}


def package_of(value: Any) -> str:
    """Return the name of the package that a value comes from."""
    names = [kind.__module__.partition(".")[0] for kind in type(value).__mro__]
    names = [name.lstrip("_") for name in names]
    matching = [name for name in names if name in _LIBRARIES or name in _ADVICE_BY_PACKAGE]
    return matching[0] if matching else names[0]


def is_table(value: Any) -> bool:
    """Return whether this is a table in memory."""
    return any(
        kind.__name__ in _TABLES and kind.__module__.partition(".")[0] in _LIBRARIES
        for kind in type(value).__mro__
    )


def library_of(frame: Any, name: str = "frame") -> Library:
    """Return the library of a table; raise if it is not a table in memory."""
    package = package_of(frame)
    if is_table(frame):
        return _LIBRARIES[package]
    advice = _ADVICE_BY_PACKAGE.get(package, "")
    if not advice and hasattr(type(frame), "collect"):
        advice = "call its collect()"
    raise TypeError(
        f"`{name}` must be a pandas or polars DataFrame, a pyarrow Table or RecordBatch, "
        f"got {type(frame).__name__}{advice and '; '}{advice}."
    )


def check_columns(frame: Any, columns: Mapping[str, Any], name: str = "frame") -> None:
    """Raise if a table lacks a column; `columns` has the parameter of each."""
    library_of(frame, name)  # raises for what is not a table
    for parameter, column in columns.items():
        find_column(column, names_of(frame) or (), parameter=parameter, of=f"the {name}")


def column_of(frame: Any, name: Any) -> Any:
    """Return a column of a table."""
    return frame.column(name) if package_of(frame) == "pyarrow" else frame[name]


def arrow_strings(column: Any) -> Any:
    """Return a column of strings, none missing, as an Arrow array; None for others."""
    package = package_of(column)
    if package == "pandas":
        if getattr(column.dtype, "storage", None) != "pyarrow":
            return None
    elif package != "pyarrow":
        return None
    import pyarrow as pa

    strings = pa.array(column) if package == "pandas" else column
    if strings.null_count or not (
        pa.types.is_string(strings.type) or pa.types.is_large_string(strings.type)
    ):
        return None
    strings = strings.cast(pa.large_string())  # one array may have more than 2 GB
    return strings.combine_chunks() if isinstance(strings, pa.ChunkedArray) else strings


def n_rows_of(frame: Any) -> int:
    """Return the number of rows."""
    return frame.num_rows if package_of(frame) == "pyarrow" else len(frame)


def check_no_null(frame: Any, columns: Mapping[str, Any]) -> None:
    """Raise if a value is missing; `columns` has the parameter of each."""
    for parameter, column in columns.items():
        values = column_of(frame, column)
        if not getattr(values, "null_count", True):  # which Arrow knows
            continue
        is_null = np.asarray(values.isna() if hasattr(values, "isna") else values.is_null())
        if is_null.any():
            raise ValueError(
                f"Column {column!r}, which is `{parameter}`, has {is_null.sum()} missing "
                f"value(s) (null), the first in row {is_null.argmax()} of its part of the "
                "data; drop or fill these rows before they are scored."
            )


def match_frame_type(frame: Any, table: Any) -> Any:
    """Return a pyarrow Table as a RecordBatch if the frame is one."""
    if type(frame).__name__ != "RecordBatch":
        return table
    import pyarrow as pa

    columns = [column.combine_chunks() for column in table.columns]
    return pa.RecordBatch.from_arrays(columns, schema=table.schema)
