"""Tables that are not in memory: how they are recognized, and how to read them."""

from typing import Any

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
}


def check_in_memory(value: Any, name: str) -> None:
    """Raise if a value is a table, or a column of one, whose rows are not in memory."""
    for kind in type(value).__mro__:
        package = kind.__module__.partition(".")[0].lstrip("_")
        way = _WAYS.get((package, kind.__name__))
        if way is not None:
            name = name.strip("`")
            raise TypeError(
                f"`{name}` is a {package} {kind.__name__}, which is not in memory; pass "
                f"{name}.{way}. For rows that do not fit, score lists with "
                "sklearn_rank.distributed."
            )
