"""The columns of a table of values per query: their names and their types."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from sklearn_rank._per_query_tables._frame_libraries import BYTES, FLOAT, INTEGER
from sklearn_rank._per_query_tables._states import bytes_of
from sklearn_rank.metrics._core._evaluate import Evaluation
from sklearn_rank.metrics._core._metric import NamedMetric
from sklearn_rank.metrics._core._per_query import PerQueryScores

GROUP, ROWS = "group", "rows"
WEIGHT, STATE = "weight.", "state."  # before the name of a metric
BY = "by."  # before the name of the column of segments


def types_of(
    wanted: Iterable[NamedMetric], group: Any, segment: Mapping[Any, Any], *, weighs: bool
) -> dict[Any, Any]:
    """Return the type of each column, by name; those of labels are given."""
    types = {GROUP: group, ROWS: INTEGER, **segment}
    for named in wanted:
        if not named.summary.per_query:
            types[STATE + named.name] = BYTES
            continue
        types[named.name] = FLOAT
        if weighs or named.summary.weighs:
            types[WEIGHT + named.name] = FLOAT
    return types


def columns_of(
    named: NamedMetric, values: PerQueryScores, found: Evaluation, *, weighs: bool
) -> dict[str, np.ndarray]:
    """Return the columns of one metric.

    A value of all queries together is in the first row.
    """
    name, n_queries = named.name, len(values)
    if not named.summary.per_query:
        state = np.full(n_queries, None, dtype=object)
        state[0] = bytes_of(found.of_all[name], named.summary)
        return {STATE + name: state}
    columns = {name: values.scores[name]}
    if weighs or named.summary.weighs:
        weight = values.weights[name]
        columns[WEIGHT + name] = np.ones(n_queries) if weight is None else weight
    return columns
