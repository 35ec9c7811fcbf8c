"""The columns of values as Spark is told of them."""

from typing import Any

from sklearn_rank._per_query_tables._frame_libraries import BYTES, FLOAT, INTEGER
from sklearn_rank._tables._columns import find_column
from sklearn_rank._validation import shorten
from sklearn_rank.distributed._table_scorer import TableScorer

_TYPES = {FLOAT: "DOUBLE", INTEGER: "BIGINT", BYTES: "BINARY"}


def spark_schema(table: TableScorer, frame: Any) -> str:
    """Return the columns of the values of a DataFrame of Spark, with their types."""
    if not (hasattr(frame, "columns") and hasattr(frame, "schema")):
        raise TypeError(f"`frame` must be a pyspark DataFrame, got {shorten(frame)}.")
    for parameter, column in table.columns.items():
        find_column(column, frame.columns, parameter=parameter, of="the DataFrame")
    labels = [frame.schema[name].dataType.simpleString() for name in table.labels]
    return ", ".join(
        f"`{name.replace('`', '``')}` {_TYPES.get(kind, kind)}"
        for name, kind in table.types(labels).items()
    )
