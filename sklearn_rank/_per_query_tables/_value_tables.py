"""Read tables of values per query that engines returned."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np

from sklearn_rank._ids._encode import as_vector
from sklearn_rank._per_query_tables._columns_of_tables import BY, GROUP, ROWS, STATE, WEIGHT
from sklearn_rank._per_query_tables._frame_libraries import (
    column_of,
    is_table,
    library_of,
    package_of,
)
from sklearn_rank._per_query_tables._repeats import in_order
from sklearn_rank._per_query_tables._states import summary_of
from sklearn_rank._validation import as_floats, check_finite, shorten
from sklearn_rank._values._missing import plain_array
from sklearn_rank.metrics._core._metric import NamedMetric
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._core._range import ANY, Range
from sklearn_rank.metrics._core._summaries import Summary
from sklearn_rank.metrics._names._registry import parse_metric

# The tolerance for rounding of values beyond their range.
BEYOND = 1e-9


@dataclass(frozen=True, eq=False)
class Values:
    """The content of a table of values, with queries sorted by label."""

    names: list[str]  # of all metrics, in the order of the columns
    scores: PerQueryScores
    of_all: dict[str, Summary] = field(default_factory=dict)
    n_rows: int | None = None
    segment: np.ndarray | None = None


def joined(values: Any) -> Any:
    """Return one table of one or several."""
    if not isinstance(values, list | tuple):
        return values
    if not values:
        raise ValueError("`values` is empty; give at least one table.")
    library = library_of(values[0], "values")
    return library.concatenate(values) if len(values) > 1 else values[0]


# Advice for tables that are not in memory.
_ELSEWHERE = {
    "dask": "call its compute()",
    "pyspark": "call its toPandas() or toArrow()",
    "duckdb": "give its to_arrow_reader()",
    "polars": "call its collect()",
}


def is_elsewhere(values: Any) -> bool:
    """Return whether this is a table, or a Dask array, that is not in memory."""
    # An object of these packages with neither is an iterator of batches.
    has_rows = any(hasattr(type(values), name) for name in ("columns", "compute"))
    return package_of(values) in _ELSEWHERE and has_rows and not is_table(values)


def is_on_ray(values: Any) -> bool:
    """Return whether this is a Dataset of Ray, whose length is unknown."""
    return package_of(values) == "ray" and hasattr(values, "iter_batches")


def tables_of(values: Any, name: str = "values") -> Iterator[Any]:
    """Yield tables one after the other, never all in memory."""
    if is_on_ray(values):
        return iter(values.iter_batches(batch_size=None, batch_format="pyarrow"))
    if is_elsewhere(values):
        raise TypeError(
            f"`{name}` must be in memory, or one table after the other, got a "
            f"{type(values).__name__}: {_ELSEWHERE[package_of(values)]}, or if they do not "
            "fit into memory write them as Parquet and give pyarrow.dataset.dataset(path)."
        )
    if hasattr(values, "to_batches"):
        return iter(values.to_batches())
    if not isinstance(values, Iterable) or isinstance(values, str | dict | np.ndarray):
        raise TypeError(
            f"`{name}` must be a table, as a QueryScorer returns it, or an iterable of "
            f"tables, got {shorten(values)}."
        )
    return iter(values)


def are_values(found: Any) -> bool:
    """Return whether this is a table of values per query in memory, or a list of these."""
    table = found[0] if isinstance(found, list | tuple) and found else found
    return is_table(table) and GROUP in library_of(table).names(table)


def read_values(table: Any, by: Any = None) -> Values:
    """Read a table; `by` is the column of segments."""
    names = library_of(table, "values").names(table)
    segment = None if by is None else f"{BY}{by}"
    _check_has(names, segment, by)
    labels, order = in_order(column_of(table, GROUP))
    of_all, scores, weights = {}, {}, {}
    metrics = _metrics_in(names)
    for column, named in metrics.items():
        if column.startswith(STATE):
            of_all[named.name] = _merged(named, column_of(table, column))
            continue
        scores[named.name] = _floats(table, column)[order]
        if WEIGHT + column in names:
            weights[named.name] = _floats(table, WEIGHT + column)[order]
    per_query = [named for named in metrics.values() if named.name in scores]
    return Values(
        [named.name for named in metrics.values()],
        PerQueryScores(
            labels,
            scores,
            weights,
            lower_is_better=[named.name for named in per_query if named.lower_is_better],
            summaries={n.name: n.summary.shown(np.empty(0))[1] for n in per_query},
            ranges={n.name: _range_of(n, scores[n.name]) for n in per_query},
        ),
        of_all,
        _n_rows(table) if ROWS in names else None,
        None if segment is None else as_vector(column_of(table, segment), name="by")[order],
    )


def _range_of(named: NamedMetric, values: np.ndarray) -> Range:
    """Return the range of a metric; unknown if a value replaces undefined ones."""
    low, high = named.range.low, named.range.high
    is_beyond = (values < low - BEYOND) | (values > high + BEYOND)
    return ANY if is_beyond.any() else named.range


def _check_has(names: list, segment: str | None, by: Any) -> None:
    """Raise if the column of labels or of segments is missing."""
    for name, made in ((GROUP, ""), (segment, f" with by={by!r}")):
        if name is not None and name not in names:
            raise ValueError(
                f"`values` has no column {name!r}, but {shorten(names)}; give what a "
                f"QueryScorer{made} returned."
            )
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise ValueError(f"`values` has column {twice[0]!r} twice; leave one out.")


def _metrics_in(names: list) -> dict[str, NamedMetric]:
    """Return the metric of each column that has values or states of one."""
    columns = (
        name
        for name in names
        if name not in (GROUP, ROWS) and not str(name).startswith((BY, WEIGHT))
    )
    return {column: _metric(column) for column in columns}


def columns_of_metrics(names: list) -> dict[str, str]:
    """Return the column of each metric that has values of queries."""
    _check_has(names, None, None)
    metrics = _metrics_in(names).items()
    return {named.name: name for name, named in metrics if not name.startswith(STATE)}


def scores_of(values: Any) -> PerQueryScores:
    """Return the values of all queries, of one table or several."""
    return read_values(joined(values)).scores


def _metric(name: Any) -> NamedMetric:
    """Return the metric of a column of values or states."""
    try:
        return parse_metric(name.removeprefix(STATE) if isinstance(name, str) else name)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Column {shorten(name)} of `values` is not the name of a metric; leave it "
            f"out.  {error}"
        ) from error


def _n_rows(table: Any) -> int:
    counts = _floats(table, ROWS)
    check_finite(ROWS, counts)
    # Of Python's integers, whose sum is always finite.
    return sum(map(int, counts.tolist()))


def _floats(table: Any, name: str) -> np.ndarray:
    return as_floats(plain_array(column_of(table, name)), name)


def _merged(named: NamedMetric, states: Any) -> Summary:
    found = (
        summary_of(state, named.summary)
        for state in plain_array(states)
        if isinstance(state, bytes)
    )
    return reduce(type(named.summary).merge, found, named.summary)
