"""The columns of values as Spark is told of them."""

from typing import Any

from sklearn_rank._per_query_tables._frame_libraries import BYTES, FLOAT, INTEGER
from sklearn_rank._validation import shorten, suggest, times_named
from sklearn_rank.distributed._table_scorer import TableScorer

_TYPES = {FLOAT: "DOUBLE", INTEGER: "BIGINT", BYTES: "BINARY"}


def spark_schema(table: TableScorer, frame: Any) -> str:
    """Return the columns of the values of a DataFrame of Spark, with their types."""
    if not (hasattr(frame, "columns") and hasattr(frame, "schema")):
        raise TypeError(f"`frame` must be a pyspark DataFrame, got {shorten(frame)}.")
    for parameter, column in table.columns.items():
        if not times_named(column, frame.columns):
            raise ValueError(
                f"`{parameter}={shorten(column)}` is not a column of the DataFrame. "
                f"{suggest(column, frame.columns)}"
            )
    labels = [frame.schema[name].dataType.simpleString() for name in table.labels]
    return ", ".join(
        f"`{name.replace('`', '``')}` {_TYPES.get(kind, kind)}"
        for name, kind in table.types(labels).items()
    )
