"""Values that stay on Dask or Spark: a state of each partition, and labels that repeat."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from sklearn_rank._per_query_tables._columns_of_tables import GROUP
from sklearn_rank._per_query_tables._frame_libraries import package_of
from sklearn_rank._per_query_tables._repeats import cut

# A function of the tables of a partition, pandas DataFrames.
StateOf = Callable[[Iterator[Any]], bytes | None]


def is_on_engine(values: Any) -> bool:
    """Return whether this is a DataFrame of Dask or of Spark."""
    map_tables = {"dask": "map_partitions", "pyspark": "mapInPandas"}
    method = map_tables.get(package_of(values))
    return method is not None and hasattr(values, method) and hasattr(values, "columns")


def states_of(values: Any, state_of: StateOf) -> list[bytes]:
    """Return the states of all partitions; raise where a label stands more than once."""
    of_engine = {"dask": _of_dask, "pyspark": _of_spark}[package_of(values)]
    states, n_repeated, label = of_engine(values, state_of)
    if n_repeated:
        raise cut(label, n_repeated)
    return [bytes(state) for state in states]


def _of_dask(values: Any, state_of: StateOf) -> tuple[list, int, Any]:
    import dask
    import pandas as pd

    meta = pd.DataFrame({"state": pd.Series([], dtype="object")})
    states = values.map_partitions(partial(_one_state, state_of=state_of), meta=meta)
    counts = values.groupby(GROUP).size(split_out=values.npartitions)
    repeated = counts[counts > 1]
    one = repeated.head(1, npartitions=-1, compute=False)
    # All at once, so that the values are computed once.
    found, n_repeated, one = dask.compute(states, repeated.size, one)
    return found["state"].tolist(), int(n_repeated), one.index[0] if n_repeated else None


def _one_state(table: Any, state_of: StateOf) -> Any:
    """Return the state of a partition of Dask, which is one table."""
    import pandas as pd

    return pd.DataFrame({"state": [state_of(iter([table]))]}, dtype="object")


def _of_spark(values: Any, state_of: StateOf) -> tuple[list, int, Any]:
    # Spark would compute the values once for the states and once for the labels.
    is_kept = values.storageLevel.useMemory or values.storageLevel.useDisk
    kept = values if is_kept else values.persist()
    names = kept.columns
    # A point in a name would be that of a column in another.
    plain = kept.toDF(*(f"c{number}" for number in range(len(names))))
    states_in = partial(_states, names=names, state_of=state_of)
    try:
        mapped = plain.mapInPandas(states_in, "state BINARY")
        states = [row["state"] for row in mapped.collect()]
        counts = plain.groupBy(f"c{names.index(GROUP)}").count()
        repeated = counts.filter("count > 1")
        n_repeated = repeated.count()
        label = repeated.first()[0] if n_repeated else None
    finally:
        if not is_kept:
            kept.unpersist()
    return states, n_repeated, label


def _states(tables: Iterator[Any], names: list[str], state_of: StateOf) -> Iterator[Any]:
    """Yield the state of a partition of Spark, which is several tables or none."""
    import pandas as pd

    state = state_of(table.set_axis(names, axis=1) for table in tables)
    if state is not None:
        yield pd.DataFrame({"state": [state]})
