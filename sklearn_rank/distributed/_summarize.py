"""Values per query that engines return: a report of them, and one object of all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any, Literal, TypedDict, Unpack, overload

import numpy as np

from sklearn_rank._base._labels import as_list, encode_labels
from sklearn_rank._base._validation import check_integer, import_pandas
from sklearn_rank._hints._explain import explained
from sklearn_rank.distributed._engines import compute_by_query, is_on_engine
from sklearn_rank.distributed._frame_libraries import column_of, is_table
from sklearn_rank.distributed._value_tables import (
    GROUP,
    SeenLabels,
    Values,
    check_judgments,
    join_tables,
    read_values,
    scores_of,
    tables_of,
)
from sklearn_rank.metrics._core._mean_intervals import ShapeSums
from sklearn_rank.metrics._core._parameters import UNBOUNDED, Range
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._core._report import (
    ReportForm,
    ReportRow,
    Segments,
    build_segments,
)
from sklearn_rank.metrics._core._summaries import Summary, check_undefined, fill_undefined
from sklearn_rank.typing import DataFrame, PandasFrame, Tables

Summaries = dict[str, Summary]


@dataclass(eq=False, repr=False)
class Total:
    """Summaries of all queries, and of each segment of them."""

    summaries: Summaries
    segments: dict[Any, Summaries]
    n_rows: int | None
    judgments: int
    shapes: dict[str, ShapeSums]  # what intervals of means need besides
    ranges: dict[str, Range]

    @classmethod
    def compute(cls, values: Values, fill: Any) -> Total:
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
        by_name: Summaries = {**scores.summaries(), **values.of_all}
        shapes = {
            name: ShapeSums.compute(of_queries, scores.weights[name])
            for name, of_queries in scores.scores.items()
        }
        ranges = {name: scores._range_of(name) for name in scores.scores}
        summaries = {name: by_name[name] for name in values.names}
        return cls(summaries, segments, values.n_rows, values.judgments, shapes, ranges)

    def merge(self, other: Total) -> Total:
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
            max(self.judgments, other.judgments),
            {name: of.merge(other.shapes[name]) for name, of in self.shapes.items()},
            {
                name: bounds if bounds == other.ranges[name] else UNBOUNDED
                for name, bounds in self.ranges.items()
            },
        )

    def finished(self) -> Total:
        """Return the sums of all parts with segments sorted by label; check judgments."""
        check_judgments(self.judgments, self.summaries)
        labels = list(self.segments)
        labels = as_list(encode_labels(labels, name="by")[0]) if labels else []
        segments = {label: self.segments[label] for label in labels}
        return replace(self, segments=segments)


def _merge_summaries(first: Summaries, second: Summaries) -> Summaries:
    return {name: summary.merge(second[name]) for name, summary in first.items()}


def total_of(values: Any, by: Any = None, fill: Any = np.nan) -> Total:
    """Return the sums of values in one table, several tables, or on an engine."""
    if is_table(values) or isinstance(values, list | tuple):
        return Total.compute(read_values(join_tables(values), by), fill).finished()
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
    return reduce(Total.merge, parts, total).finished()


def _total_of_part(table: Any, names: list, by: Any, fill: Any) -> Total:
    """Return what the rows of a worker add up to."""
    plain = table[[f"c{number}" for number in range(len(names))]].set_axis(names, axis=1)
    return Total.compute(read_values(plain, by), fill)


def _total_of_stream(tables: Iterator[Any], by: Any, fill: Any) -> Total:
    """Return the sums of tables that are not kept."""
    total, seen = None, SeenLabels()
    for table in tables:
        part = Total.compute(read_values(table, by), fill)
        total = part if total is None else total.merge(part)
        seen.add(column_of(table, GROUP))
    if total is None:
        raise ValueError("`values` has no tables; give at least one.")
    return total.finished()


class _SummaryOptions(TypedDict, total=False):
    by: str | None
    n_rows: int | None
    replace_undefined_by: float
    digits: int


@overload
def summarize(
    values: Tables,
    *,
    by: str | None = None,
    n_rows: int | None = None,
    replace_undefined_by: float = np.nan,
    digits: int = 4,
    output_dict: Literal[False] = False,
    as_frame: Literal[False] = False,
) -> str: ...


@overload
def summarize(
    values: Tables, *, output_dict: Literal[True], **options: Unpack[_SummaryOptions]
) -> dict[str, dict[str, Any]]: ...


@overload
def summarize(
    values: Tables, *, as_frame: Literal[True], **options: Unpack[_SummaryOptions]
) -> PandasFrame: ...


@explained
def summarize(
    values: Tables,
    *,
    by: str | None = None,
    n_rows: int | None = None,
    replace_undefined_by: float = np.nan,
    digits: int = 4,
    output_dict: bool = False,
    as_frame: bool = False,
) -> str | dict[str, dict[str, Any]] | PandasFrame:
    """Means, standard errors and counts of values per query that engines return.

    The numbers are those of :func:`~sklearn_rank.metrics.ranking_report` on all rows.

    Parameters
    ----------
    values : DataFrame, Table, sequence or iterable of these, or pyarrow Dataset
        What a :class:`QueryScorer` returned for all queries, in any order. An iterable that
        is not a sequence, or a Dataset, may be larger than memory: only sums and 8 bytes
        per query are kept. A DataFrame of Dask or Spark stays on its engine, which returns
        sums of its partitions and finds duplicate labels.
    by : str, default=None
        Column of segments, which the scorer must keep. The report gets a row for each, and
        one for the difference of the highest and the lowest mean.
    n_rows : int, default=None
        Number of rows; raises an error if another number was scored.
    replace_undefined_by : float, default=np.nan
        Value of a query for which the metric is undefined. With NaN the mean leaves these
        queries out, and the report counts them.
    digits : int, default=4
        Decimals in the table, 17 at most.
    output_dict : bool, default=False
        Return a dict instead of text.
    as_frame : bool, default=False
        Return a pandas DataFrame instead of text.

    Returns
    -------
    report : str, dict or DataFrame
        As :func:`~sklearn_rank.metrics.ranking_report` returns it.

    Raises
    ------
    ValueError
        If a label is in the values more than once: then its rows were in several tables,
        and the values are wrong. If rows are missing, or a column is; or if a metric needs
        to know what was judged irrelevant, and no row of all parts says so.

    See Also
    --------
    as_per_query_scores : The same values for comparisons and intervals.

    Notes
    -----
    Numbers from one table, or a sequence of them, are those of ``ranking_report`` to the
    last digit: queries are put in the order of their labels before they are added. Numbers
    that are added table by table, or by an engine, may differ after 14 digits. So may those
    of errors of ratings with a root, whose squares are made again from the values.

    Spark keeps the values of its DataFrame (``persist``) until both the sums and the labels
    were read, unless they are kept already.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_rank.distributed import summarize
    >>> values = pd.DataFrame({"group": ["b", "a"], "rows": [2, 2], "mrr": [1.0, 0.5]})
    >>> print(summarize(values, n_rows=4))
            mean  std error  queries  undefined
    mrr   0.7500     0.2500        2          0
    >>> summarize(values.iloc[[0, 1, 0]])
    Traceback (most recent call last):
        ...
    ValueError: 1 query is in the values more than once, such as 'b': the rows ...
    """
    form = ReportForm(digits, output_dict, as_frame, "summarize")
    if n_rows is not None:
        n_rows = check_integer("n_rows", n_rows, minimum=0)
    fill = check_undefined(replace_undefined_by)
    total = total_of(values, by, fill)
    if n_rows is not None:
        _check_rows(total.n_rows, n_rows)
    summaries = total.summaries.items()
    rows = {name: ReportRow.from_summary(summary) for name, summary in summaries}
    return form.format(rows, None if by is None else _segments(total))


def _segments(total: Total) -> dict[str, Segments]:
    parts = total.segments.items()
    return {
        name: build_segments(
            {label: ReportRow.from_summary(part[name]) for label, part in parts}
        )
        for name in total.summaries
    }


def _check_rows(scored: int | None, n_rows: int) -> None:
    if scored is None:
        raise ValueError("`n_rows` needs the column 'rows' that a QueryScorer returns.")
    if scored != n_rows:
        outcome = "lost" if scored < n_rows else "scored twice"
        raise ValueError(
            f"{scored} rows were scored, but there are {n_rows} (`n_rows`): some were "
            f"{outcome} on the way; check filters, joins and partitions before the scorer."
        )


@explained
def as_per_query_scores(values: DataFrame | Sequence[DataFrame]) -> PerQueryScores:
    """Values per query as engines return them, ready for comparisons and intervals.

    :func:`~sklearn_rank.statistics.compare_models` takes such tables as they are.

    Parameters
    ----------
    values : pandas or polars DataFrame, pyarrow Table, or sequence of these
        What a :class:`QueryScorer` returned for all queries, in any order.

    Returns
    -------
    scores : PerQueryScores
        The values, with their weights, in the order of the labels. Metrics of a whole
        system are left out.

    Raises
    ------
    ValueError
        If a query is there more than once, because its rows were in several tables; if a
        column is missing, or is not the name of a metric.

    See Also
    --------
    summarize : Means, errors and counts.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_rank.distributed import as_per_query_scores
    >>> values = pd.DataFrame({"group": ["b", "a"], "rows": [2, 2], "mrr": [1.0, 0.5]})
    >>> as_per_query_scores(values).mean()
    {'mrr': 0.75}
    """
    return scores_of(values)
