"""Total: sums of values per query, of one table or of a stream of tables."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np

from sklearn_rank._base._labels import as_list, encode_labels
from sklearn_rank._base._validation import import_pandas
from sklearn_rank.distributed._engines import compute_by_query, is_on_engine
from sklearn_rank.distributed._frame_libraries import column_of, is_table
from sklearn_rank.distributed._value_tables import (
    GROUP,
    SeenLabels,
    Values,
    join_tables,
    read_values,
    tables_of,
)
from sklearn_rank.metrics._core._summaries import Summary
from sklearn_rank.metrics._core._undefined import fill_undefined

Summaries = dict[str, Summary]


@dataclass(eq=False, repr=False)
class Total:
    """Summaries of all queries, and of each segment of them."""

    summaries: Summaries
    segments: dict[Any, Summaries]
    n_rows: int | None

    @classmethod
    def compute(cls, values: Values, fill: Any) -> "Total":
        """Return those of one table."""
        scores = values.scores
        for name, of_queries in scores.scores.items():
            scores.scores[name] = fill_undefined(of_queries, fill)
        segments = {}
        if values.segment is not None:
            for name in values.of_all:
                raise ValueError(
                    f"Metric {name!r} has one value for all queries, not one for each, and "
                    "so none of a segment; leave `by` out, or the column of this metric."
                )
            labels, codes = encode_labels(values.segment, name="by")
            segments = {
                label: scores.of(codes == code).summaries()
                for code, label in enumerate(as_list(labels))
            }
        found: Summaries = {**scores.summaries(), **values.of_all}
        return cls({name: found[name] for name in values.names}, segments, values.n_rows)

    def merge(self, other: "Total") -> "Total":
        """Return those of two tables."""
        if list(self.summaries) != list(other.summaries):
            raise ValueError(
                f"The tables of `values` have different metrics: {list(self.summaries)} "
                f"and {list(other.summaries)}; give tables of one scorer."
            )
        segments = dict(self.segments)
        for label, summaries in other.segments.items():
            mine = segments.get(label)
            segments[label] = (
                summaries if mine is None else _merge_summaries(mine, summaries)
            )
        is_known = self.n_rows is not None and other.n_rows is not None
        return Total(
            _merge_summaries(self.summaries, other.summaries),
            segments,
            self.n_rows + other.n_rows if is_known else None,  # type: ignore[operator]
        )

    def sort_segments(self) -> "Total":
        """Return the sums with the segments sorted by label."""
        labels = list(self.segments)
        labels = as_list(encode_labels(labels, name="by")[0]) if labels else []
        segments = {label: self.segments[label] for label in labels}
        return Total(self.summaries, segments, self.n_rows)


def _merge_summaries(one: Summaries, other: Summaries) -> Summaries:
    return {name: summary.merge(other[name]) for name, summary in one.items()}


def total_of(values: Any, by: Any = None, fill: Any = np.nan) -> Total:
    """Return the sums of values in one table, several tables, or on an engine."""
    if is_table(values) or isinstance(values, list | tuple):
        return Total.compute(read_values(join_tables(values), by), fill)
    if is_on_engine(values):
        return _total_on_engine(values, by, fill)
    return _total_of_stream(tables_of(values), by, fill)


def _total_on_engine(values: Any, by: Any, fill: Any) -> Total:
    """Return the sums of a table that stays where it is."""
    names = list(values.columns)
    # Checks the columns, and is what a table without rows adds up to.
    empty = import_pandas("summarize").DataFrame({name: np.empty(0) for name in names})
    total = Total.compute(read_values(empty, by), fill)
    columns = [GROUP, *(name for name in names if name != GROUP)]
    found_of = partial(_total_of_part, names=columns, by=by, fill=fill)
    parts = compute_by_query([values], [columns], found_of)
    return reduce(Total.merge, parts, total).sort_segments()


def _total_of_part(table: Any, names: list, by: Any, fill: Any) -> Total:
    """Return what the rows of a worker add up to."""
    plain = table[[f"c{number}" for number in range(len(names))]].set_axis(names, axis=1)
    return Total.compute(read_values(plain, by), fill)


def _total_of_stream(tables: Iterator[Any], by: Any, fill: Any) -> Total:
    """Return the sums of tables that are not kept."""
    total, seen = None, SeenLabels()
    for table in tables:
        one = Total.compute(read_values(table, by), fill)
        total = one if total is None else total.merge(one)
        seen.add(column_of(table, GROUP))
    if total is None:
        raise ValueError("`values` has no tables; give at least one.")
    return total.sort_segments()
