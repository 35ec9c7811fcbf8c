"""Tables of values that stay on an engine, Dask or Spark: workers return states of parts.

States are bytes, because engines pickle what they send.
"""

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sklearn_rank._base._labels import as_list, as_vector
from sklearn_rank.distributed._frame_libraries import package_of
from sklearn_rank.distributed._value_tables import GROUP, split_query_error

# A function of the tables of a partition, pandas DataFrames.
StateOf = Callable[[Iterator[Any]], bytes | None]

TABLE_INDEX = "model"  # the column with the index of the table of a row


def is_on_engine(values: Any) -> bool:
    """Return whether this is a DataFrame of Dask or of Spark."""
    map_tables = {"dask": "map_partitions", "pyspark": "mapInPandas"}
    method = map_tables.get(package_of(values))
    return method is not None and hasattr(values, method) and hasattr(values, "columns")


@dataclass
class _Answer:
    """The result of a worker for its queries, or the error that they cause."""

    result: Any = None
    n_cut: int = 0
    cut: Any = None
    error: ValueError | None = None


def compute_by_query(
    tables: Sequence[Any], columns: Sequence[Sequence], found_of: Callable[[Any], Any]
) -> list[Any]:
    """Return what workers find of parts that have all rows of their queries.

    `found_of` takes the rows of all tables of a part, a DataFrame of pandas. They have the
    number of their table in the column `TABLE_INDEX` and their columns by number, that of
    queries first. A column without a name holds ones.
    """
    sides_of, by_query = {
        "dask": (_number_dask_columns, _map_queries_on_dask),
        "pyspark": (_number_spark_columns, _map_queries_on_spark),
    }[package_of(tables[0])]
    sides = [
        sides_of(table, index, names)
        for index, (table, names) in enumerate(zip(tables, columns, strict=True))
    ]
    states = by_query(sides, partial(_compute_state, found_of=found_of))
    parts = [pickle.loads(state) for state in states if state is not None]
    n_cut = sum(part.n_cut for part in parts)
    if n_cut:
        raise split_query_error(next(part.cut for part in parts if part.n_cut), n_cut)
    for part in parts:
        if part.error is not None:
            raise part.error
    return [part.result for part in parts]


def _compute_state(tables: Iterator[Any], found_of: Callable[[Any], Any]) -> bytes | None:
    """Return what is found of the tables of a partition, pickled; None of no rows."""
    import pandas as pd

    frames = [table for table in tables if len(table)]
    if not frames:
        return None
    table = pd.concat(frames, ignore_index=True)
    again = table.loc[table.duplicated([TABLE_INDEX, "c0"]), "c0"].drop_duplicates()
    if len(again):
        return pickle.dumps(_Answer(n_cut=len(again), cut=first_label(again)))
    # An engine would show an error of the data below its own; it is raised afterwards.
    try:
        part = _Answer(found_of(table))
    except ValueError as error:
        part = _Answer(error=error)
    return pickle.dumps(part)


def first_label(labels: Any) -> Any:
    """Return the first label, as a value of Python."""
    return as_list(as_vector(labels[:1], name=GROUP))[0]


def type_of_labels(values: Any) -> Any:
    """Return the type of the column of labels."""
    if package_of(values) == "dask":
        return values.dtypes[GROUP]
    return values.schema[GROUP].dataType


def _number_dask_columns(table: Any, index: int, names: Sequence) -> Any:
    columns = {
        f"c{number}": 1.0 if name is None else table[name]
        for number, name in enumerate(names)
    }
    return table[[]].assign(**{TABLE_INDEX: index}, **columns)


def _map_queries_on_dask(sides: Sequence[Any], state_of: StateOf) -> list[bytes | None]:
    import pandas as pd
    from dask import dataframe

    together = dataframe.concat(list(sides)).shuffle("c0")
    meta = pd.DataFrame({"state": pd.Series([], dtype="object")})
    mapped = together.map_partitions(_table_of_state, state_of=state_of, meta=meta)
    return mapped.compute()["state"].tolist()


def _table_of_state(*tables: Any, state_of: StateOf) -> Any:
    """Return the state of a partition, which is one table in Dask."""
    import pandas as pd

    return pd.DataFrame({"state": [state_of(iter(tables))]}, dtype="object")


def _states(tables: Iterator[Any], state_of: StateOf) -> Iterator[Any]:
    """Yield the state of a partition of Spark, which is several tables or none."""
    yield _table_of_state(*tables, state_of=state_of)


def _number_spark_columns(table: Any, index: int, names: Sequence) -> Any:
    from pyspark.sql.functions import col, lit

    headers = table.columns
    columns = [
        (lit(1.0) if name is None else col(f"c{headers.index(name)}")).alias(f"c{number}")
        for number, name in enumerate(names)
    ]
    # By number: Spark reads a point in a name as a field of a struct.
    table = table.toDF(*(f"c{number}" for number in range(len(headers))))
    return table.select(lit(index).alias(TABLE_INDEX), *columns)


def _map_queries_on_spark(sides: Sequence[Any], state_of: StateOf) -> list[bytes | None]:
    together, *remaining = sides
    for side in remaining:
        together = together.union(side)
    states = partial(_states, state_of=state_of)
    mapped = together.repartition("c0").mapInPandas(states, "state BINARY")
    return [row["state"] for row in mapped.collect()]
