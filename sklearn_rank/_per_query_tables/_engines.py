"""Tables of values that stay on an engine, Dask or Spark: workers return states of parts.

States are bytes, because engines pickle what they send.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from sklearn_rank._per_query_tables._columns_of_tables import GROUP
from sklearn_rank._per_query_tables._frame_libraries import package_of
from sklearn_rank._per_query_tables._repeats import cut

# A function of the tables of a partition, pandas DataFrames.
StateOf = Callable[[Iterator[Any]], bytes | None]

MODEL = "model"  # the column with the index of the table of a row


def is_on_engine(values: Any) -> bool:
    """Return whether this is a DataFrame of Dask or of Spark."""
    map_tables = {"dask": "map_partitions", "pyspark": "mapInPandas"}
    method = map_tables.get(package_of(values))
    return method is not None and hasattr(values, method) and hasattr(values, "columns")


def states_of(values: Any, state_of: StateOf) -> list[bytes]:
    """Return the states of all partitions; raise for a duplicate label."""
    of_engine = {"dask": _of_dask, "pyspark": _of_spark}[package_of(values)]
    states, n_repeated, label = of_engine(values, state_of)
    if n_repeated:
        raise cut(label, n_repeated)
    return states


def states_of_queries(
    tables: Sequence[Any], columns: Sequence[Sequence], state_of: StateOf
) -> list[bytes]:
    """Return the states of parts that have all rows of their queries, from all tables.

    The column `MODEL` has the index of the table; the other columns are numbered, that of
    queries first. A column without a name holds ones.
    """
    sides_of, by_query = {
        "dask": (_side_of_dask, _by_query_of_dask),
        "pyspark": (_side_of_spark, _by_query_of_spark),
    }[package_of(tables[0])]
    sides = [
        sides_of(table, place, names)
        for place, (table, names) in enumerate(zip(tables, columns, strict=True))
    ]
    return by_query(sides, state_of)


def type_of_labels(values: Any) -> Any:
    """Return the type of the column of labels."""
    if package_of(values) == "dask":
        return values.dtypes[GROUP]
    return values.schema[GROUP].dataType


def _of_dask(values: Any, state_of: StateOf) -> tuple[list[bytes], int, Any]:
    import dask

    states = _mapped_by_dask(values, state_of)
    counts = values.groupby(GROUP).size(split_out=values.npartitions)
    repeated = counts[counts > 1]
    one = repeated.head(1, npartitions=-1, compute=False)
    # All at once, so that the values are computed once.
    found, n_repeated, one = dask.compute(states, repeated.size, one)
    return _known(found["state"]), int(n_repeated), one.index[0] if n_repeated else None


def _mapped_by_dask(values: Any, state_of: StateOf) -> Any:
    import pandas as pd

    meta = pd.DataFrame({"state": pd.Series([], dtype="object")})
    return values.map_partitions(partial(_one_state, state_of=state_of), meta=meta)


def _one_state(table: Any, state_of: StateOf) -> Any:
    """Return the state of a partition of Dask, which is one table."""
    import pandas as pd

    return pd.DataFrame({"state": [state_of(iter([table]))]}, dtype="object")


def _known(states: Any) -> list[bytes]:
    return [bytes(state) for state in states if state is not None]


def _side_of_dask(table: Any, place: int, names: Sequence) -> Any:
    return table.map_partitions(_side, place=place, names=names)


def _side(table: Any, place: int, names: Sequence) -> Any:
    columns = {
        f"c{number}": 1.0 if name is None else table[name]
        for number, name in enumerate(names)
    }
    return table[[]].assign(**{MODEL: place}, **columns)


def _by_query_of_dask(sides: Sequence[Any], state_of: StateOf) -> list[bytes]:
    from dask import dataframe

    together = dataframe.concat(list(sides)).shuffle("c0")
    return _known(_mapped_by_dask(together, state_of).compute()["state"])


def _of_spark(values: Any, state_of: StateOf) -> tuple[list[bytes], int, Any]:
    # Without the cache Spark would compute the values for the states and again for the
    # labels.
    is_kept = values.storageLevel.useMemory or values.storageLevel.useDisk
    kept = values if is_kept else values.persist()
    names = kept.columns
    plain = _plain(kept)
    try:
        states = _mapped_by_spark(plain, partial(_renamed, names=names, state_of=state_of))
        counts = plain.groupBy(f"c{names.index(GROUP)}").count()
        repeated = counts.filter("count > 1")
        n_repeated = repeated.count()
        label = repeated.first()[0] if n_repeated else None
    finally:
        if not is_kept:
            kept.unpersist()
    return states, n_repeated, label


def _plain(values: Any) -> Any:
    """Return columns by number: Spark reads a point in a name as a field of a struct."""
    return values.toDF(*(f"c{number}" for number in range(len(values.columns))))


def _mapped_by_spark(values: Any, state_of: StateOf) -> list[bytes]:
    mapped = values.mapInPandas(partial(_states, state_of=state_of), "state BINARY")
    return _known(row["state"] for row in mapped.collect())


def _renamed(tables: Iterator[Any], names: list[str], state_of: StateOf) -> bytes | None:
    return state_of(table.set_axis(names, axis=1) for table in tables)


def _states(tables: Iterator[Any], state_of: StateOf) -> Iterator[Any]:
    """Yield the state of a partition of Spark, which is several tables or none."""
    import pandas as pd

    state = state_of(tables)
    if state is not None:
        yield pd.DataFrame({"state": [state]})


def _side_of_spark(table: Any, place: int, names: Sequence) -> Any:
    from pyspark.sql.functions import col, lit

    known = table.columns
    columns = [
        (lit(1.0) if name is None else col(f"c{known.index(name)}")).alias(f"c{number}")
        for number, name in enumerate(names)
    ]
    return _plain(table).select(lit(place).alias(MODEL), *columns)


def _by_query_of_spark(sides: Sequence[Any], state_of: StateOf) -> list[bytes]:
    together, *others = sides
    for side in others:
        together = together.union(side)
    return _mapped_by_spark(together.repartition("c0"), state_of)
