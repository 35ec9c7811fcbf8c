"""Tables of values per query: their columns, and how they are read."""

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import reduce
from typing import Any

import numpy as np

from sklearn_rank._base._label_checks import show_id
from sklearn_rank._base._labels import as_list, as_vector, ascends_strictly, encode_labels
from sklearn_rank._base._numbers import as_floats, check_finite, plain_array
from sklearn_rank._base._validation import check_given, shorten
from sklearn_rank._ranking._judgments import UNKNOWN, unknown_judgments_error
from sklearn_rank.distributed._frame_libraries import (
    BYTES,
    FLOAT,
    INTEGER,
    arrow_strings,
    column_of,
    is_table,
    library_of,
    package_of,
)
from sklearn_rank.distributed._label_hashes import hash_labels
from sklearn_rank.inputs._columns import names_of
from sklearn_rank.metrics._core._evaluate import Evaluation
from sklearn_rank.metrics._core._metric import BoundMetric
from sklearn_rank.metrics._core._parameters import UNBOUNDED, Range
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._core._registry import parse_metric
from sklearn_rank.metrics._core._summaries import Summary

# The columns of a table of values per query: their names and their types.

GROUP, ROWS, JUDGMENTS = "group", "rows", "judgments"
WEIGHT, STATE = "weight.", "state."  # before the name of a metric
BY = "by."  # before the name of the column of segments


def value_column_types(
    wanted: Iterable[BoundMetric], group: Any, segment: Mapping[Any, Any], *, weighs: bool
) -> dict[Any, Any]:
    """Return the type of each column, by name; those of labels are given."""
    wanted = list(wanted)
    types = {GROUP: group, ROWS: INTEGER}
    if any(bound.metric.unjudged == "needed" for bound in wanted):
        types[JUDGMENTS] = INTEGER
    types |= segment
    for bound in wanted:
        if not bound.summary.per_query:
            types[STATE + bound.name] = BYTES
            continue
        types[bound.name] = FLOAT
        if weighs or bound.summary.weighs:
            types[WEIGHT + bound.name] = FLOAT
    return types


def metric_columns(
    named: BoundMetric, values: PerQueryScores, found: Evaluation, *, weighs: bool
) -> dict[str, np.ndarray]:
    """Return the columns of one metric.

    A value of all queries together is in the first row.
    """
    name, n_queries = named.name, len(values)
    if not named.summary.per_query:
        state = np.full(n_queries, None, dtype=object)
        state[0] = summary_to_bytes(found.of_all[name], named.summary)
        return {STATE + name: state}
    columns = {name: values.scores[name]}
    if weighs or named.summary.weighs:
        weight = values.weights[name]
        columns[WEIGHT + name] = np.ones(n_queries) if weight is None else weight
    return columns


# The fields of a summary of all queries are numbers and arrays. They are written as bytes,
# which any table can hold, and without pickle, so that loading a table runs no code; other
# fields come from the metric itself.

_TEXT = ".json"  # after the name of a field whose values are objects
_KEY_SEPARATOR = ":"  # between the name of a field that is a mapping and a key


def summary_to_bytes(summary: Summary, empty: Any) -> bytes:
    """Return the numbers and arrays of a summary as bytes, given an empty summary."""
    arrays: dict[str, np.ndarray] = {}
    for part in fields(summary):  # type: ignore[arg-type]
        value = getattr(summary, part.name)
        if isinstance(value, np.ndarray) and value.dtype.kind == "O":
            text = json.dumps(as_list(value)).encode()
            arrays[part.name + _TEXT] = np.frombuffer(text, dtype=np.uint8)
        elif isinstance(value, np.ndarray | int | float):
            arrays[part.name] = np.asarray(value)
        elif isinstance(value, Mapping):
            # Values that the scorer set, such as the size of the catalogue.
            arrays |= {
                f"{part.name}{_KEY_SEPARATOR}{key}": np.asarray(number)
                for key, number in value.items()
                if isinstance(number, int | float)
            }
        elif value != getattr(empty, part.name):
            raise TypeError(
                f"{type(summary).__name__} cannot be sent: its field {part.name!r} is "
                f"neither a number nor an array, but {type(value).__name__}."
            )
    written = io.BytesIO()
    np.savez_compressed(written, **arrays)  # type: ignore[arg-type]
    return written.getvalue()


def summary_from_bytes(state: bytes, empty: Any) -> Any:
    """Return the summary from its bytes, given an empty summary."""
    values: dict[str, Any] = {}
    with np.load(io.BytesIO(state), allow_pickle=False) as arrays:
        for name in arrays.files:
            array = arrays[name]
            if name.endswith(_TEXT):
                labels = json.loads(array.tobytes().decode())
                values[name.removesuffix(_TEXT)] = as_vector(labels, name="items")
                continue
            part, of, key = name.partition(_KEY_SEPARATOR)
            value = array if array.ndim else array.item()
            old = values.get(part, getattr(empty, part))
            values[part] = {**old, key: value} if of else value
    return replace(empty, **values)


# Queries that are in several tables, whose values are wrong.

BRING_TOGETHER = (
    "bring the rows of a query together before they are scored, with "
    "frame.shuffle(query) in Dask, frame.repartition(query) in Spark, "
    "data.repartition(n, keys=[query]) in Ray."
)


def sort_labels(labels: Any, advice: str = BRING_TOGETHER) -> tuple[np.ndarray, np.ndarray]:
    """Return sorted labels and the index of each; raise for a duplicate."""
    strings = arrow_strings(labels)
    if strings is not None:
        return _sort_strings(strings, advice)
    vector = as_vector(labels, name="group")
    if ascends_strictly(vector):
        return vector, np.arange(len(vector))
    distinct, codes = encode_labels(vector, name="group")
    if len(distinct) < len(codes):
        counts = np.bincount(codes)
        raise split_query_error(
            distinct[np.argmax(counts > 1)], int(np.sum(counts > 1)), advice
        )
    order = np.empty(len(codes), dtype=np.intp)
    order[codes] = np.arange(len(codes))
    return vector[order], order


def _sort_strings(strings: Any, advice: str) -> tuple[np.ndarray, np.ndarray]:
    """Do the same for Arrow strings, which Arrow sorts faster than Python."""
    import pyarrow.compute as pc

    order = pc.array_sort_indices(strings)
    ordered = strings.take(order)
    labels = ordered.to_numpy(zero_copy_only=False)
    is_again = pc.equal(ordered[1:], ordered[:-1]).to_numpy(zero_copy_only=False)
    if is_again.any():
        again = set(labels[1:][is_again].tolist())
        raise split_query_error(min(again), len(again), advice)
    return labels, order.to_numpy().astype(np.intp)


def split_query_error(
    label: Any, n_queries: int, advice: str = BRING_TOGETHER
) -> ValueError:
    """Return the error for split queries, with one of them."""
    several = "1 query is" if n_queries == 1 else f"{n_queries} queries are"
    return ValueError(
        f"{several} in the values more than once, such as {show_id(label)}: the rows were "
        f"in several tables, so that these values are wrong; {advice}"
    )


class SeenLabels:
    """The labels of tables that are not kept, in 8 bytes each.

    Whole numbers are kept as they are. Other labels are hashed to 64 bits; 1e8 distinct
    labels collide in 3 of 10,000 data sets.
    """

    def __init__(self, advice: str = BRING_TOGETHER) -> None:
        self._advice = advice
        # Sorted arrays, each longer than the next: few, and cheap to merge.
        self._seen: list[np.ndarray] = []

    def add(self, labels: Any) -> None:
        """Add the distinct labels of a table; raise if one was seen before."""
        numbers = self.check(labels)
        numbers.sort()
        while self._seen and len(self._seen[-1]) <= len(numbers):
            numbers = np.concatenate([self._seen.pop(), numbers])
            numbers.sort()
        if len(numbers):
            self._seen.append(numbers)

    def check(self, labels: Any) -> np.ndarray:
        """Raise if a label was seen before; return the hashes."""
        vector = as_vector(labels, name="group")
        numbers = hash_labels(vector, hash)
        is_again = np.zeros(len(vector), dtype=bool)
        for seen in self._seen:
            nearest = np.minimum(np.searchsorted(seen, numbers), len(seen) - 1)
            is_again |= seen[nearest] == numbers
        if is_again.any():
            raise split_query_error(
                vector[is_again.argmax()], int(is_again.sum()), self._advice
            )
        return numbers


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
    judgments: int = 0  # what all rows tell of them


def join_tables(values: Any) -> Any:
    """Return one table of one or several."""
    if not isinstance(values, list | tuple):
        return values
    if not values:
        raise ValueError("`values` is empty; give at least one table.")
    library = library_of(values[0], "values")
    return library.concatenate(values) if len(values) > 1 else values[0]


# Advice for tables that are not in memory.
_ADVICE_BY_PACKAGE = {
    "dask": "call its compute()",
    "pyspark": "call its toPandas() or toArrow()",
    "duckdb": "give its to_arrow_reader()",
    "polars": "call its collect()",
}


def is_outside_memory(values: Any) -> bool:
    """Return whether this is a table, or a Dask array, that is not in memory."""
    # An object of these packages with neither is an iterator of batches.
    has_rows = any(hasattr(type(values), name) for name in ("columns", "compute"))
    return package_of(values) in _ADVICE_BY_PACKAGE and has_rows and not is_table(values)


def is_on_ray(values: Any) -> bool:
    """Return whether this is a Dataset of Ray, whose length is unknown."""
    return package_of(values) == "ray" and hasattr(values, "iter_batches")


def tables_of(
    values: Any, name: str = "values", needed: str = "a table or an iterable of tables"
) -> Iterator[Any]:
    """Yield tables one after the other, never all in memory."""
    if is_on_ray(values):
        return iter(values.iter_batches(batch_size=None, batch_format="pyarrow"))
    if is_outside_memory(values):
        raise TypeError(
            f"`{name}` must be in memory, or one table after the other, got a "
            f"{type(values).__name__}: {_ADVICE_BY_PACKAGE[package_of(values)]}, or write "
            "it as Parquet and give pyarrow.dataset.dataset(path)."
        )
    if hasattr(values, "to_batches"):
        return iter(values.to_batches())
    are = isinstance(values, Iterable) and not isinstance(values, str | dict | np.ndarray)
    check_given(name, values, are, needed)
    return iter(values)


def are_values(found: Any) -> bool:
    """Return whether this is a table of values per query in memory, or a list of these."""
    table = found[0] if isinstance(found, list | tuple) and found else found
    return is_table(table) and GROUP in (names_of(table) or ())


def read_values(table: Any, by: Any = None) -> Values:
    """Read a table; `by` is the column of segments."""
    library_of(table, "values")  # raises for what is not a table
    names = names_of(table) or []
    segment = None if by is None else f"{BY}{by}"
    _check_has(names, segment, by)
    labels, order = sort_labels(column_of(table, GROUP))
    of_all, scores, weights = {}, {}, {}
    metrics = _metrics_by_column(names)
    for column, bound in metrics.items():
        if column.startswith(STATE):
            of_all[bound.name] = _merge_states(bound, column_of(table, column))
            continue
        scores[bound.name] = _floats(table, column)[order]
        if WEIGHT + column in names:
            weights[bound.name] = _floats(table, WEIGHT + column)[order]
    per_query = [bound for bound in metrics.values() if bound.name in scores]
    return Values(
        [bound.name for bound in metrics.values()],
        scores_by_metric(per_query, labels, scores, weights),
        of_all,
        _n_rows(table) if ROWS in names else None,
        None if segment is None else as_vector(column_of(table, segment), name="by")[order],
        int(_floats(table, JUDGMENTS).max(initial=0)) if JUDGMENTS in names else 0,
    )


def check_judgments(judgments: int, names: Iterable[str]) -> None:
    """Raise if a metric needs judgments, and no part of the rows shows any."""
    if judgments == UNKNOWN:
        needing = [name for name in names if parse_metric(name).metric.unjudged == "needed"]
        raise unknown_judgments_error(", ".join(needing))


def scores_by_metric(
    known: Iterable[BoundMetric], labels: Any, scores: Any, weights: Any, fold: Any = None
) -> PerQueryScores:
    """Return values with what is known of their metrics: direction, mean and range."""
    metrics = list(known)
    return PerQueryScores(
        labels,
        scores,
        weights,
        fold,
        [bound.name for bound in metrics if bound.lower_is_better],
        summaries={bound.name: bound.summary.shown(np.empty(0))[1] for bound in metrics},
        ranges={bound.name: _range_of(bound, scores[bound.name]) for bound in metrics},
    )


def _range_of(bound: BoundMetric, values: np.ndarray) -> Range:
    """Return the range of a metric; unknown if a value replaces undefined ones."""
    return UNBOUNDED if is_beyond_range(bound, values).any() else bound.range


def is_beyond_range(named: BoundMetric, values: np.ndarray) -> np.ndarray:
    """Return which values the metric cannot have, except for rounding."""
    return (values < named.range.low - BEYOND) | (values > named.range.high + BEYOND)


def _check_has(names: list, segment: str | None, by: Any) -> None:
    """Raise if the column of labels or of segments is missing."""
    for name, made in ((GROUP, ""), (segment, f" with by={by!r}")):
        if name is not None and name not in names:
            raise ValueError(
                f"`values` has no column {name!r}, but {shorten(names)}; give what a "
                f"QueryScorer{made} returned."
            )
    twice = [name for index, name in enumerate(names) if name in names[:index]]
    if twice:
        raise ValueError(f"`values` has column {twice[0]!r} twice; leave one out.")


def _metrics_by_column(names: list) -> dict[str, BoundMetric]:
    """Return the metric of each column that has values or states of one."""
    return {
        name: _metric(name)
        for name in names
        if name not in (GROUP, ROWS, JUDGMENTS) and not str(name).startswith((BY, WEIGHT))
    }


def columns_of_metrics(names: list) -> dict[str, str]:
    """Return the column of each metric that has values of queries."""
    _check_has(names, None, None)
    metrics = _metrics_by_column(names).items()
    return {bound.name: name for name, bound in metrics if not name.startswith(STATE)}


def scores_of(values: Any) -> PerQueryScores:
    """Return the values of all queries, of one table or several."""
    joined = read_values(join_tables(values))
    check_judgments(joined.judgments, joined.names)
    return joined.scores


def _metric(name: Any) -> BoundMetric:
    """Return the metric of a column of values or states."""
    try:
        return parse_metric(name.removeprefix(STATE) if isinstance(name, str) else name)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Column {shorten(name)} of `values` is not the name of a metric. {error}"
        ) from error


def _n_rows(table: Any) -> int:
    counts = _floats(table, ROWS)
    check_finite(ROWS, counts)
    # Of Python's integers, whose sum is always finite.
    return sum(map(int, counts.tolist()))


def _floats(table: Any, name: str) -> np.ndarray:
    return as_floats(plain_array(column_of(table, name)), name)


def _merge_states(bound: BoundMetric, states: Any) -> Summary:
    summaries = (
        summary_from_bytes(state, bound.summary)
        for state in plain_array(states)
        if isinstance(state, bytes)
    )
    return reduce(type(bound.summary).merge, summaries, bound.summary)
