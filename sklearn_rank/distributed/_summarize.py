"""summarize: the report of values per query that engines return."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from sklearn_rank._labels._encode import as_list, encode_labels
from sklearn_rank._validation import check_integer, shorten
from sklearn_rank.distributed._frames import column_of, is_table, package_of
from sklearn_rank.distributed._layout import GROUP
from sklearn_rank.distributed._repeats import SeenLabels
from sklearn_rank.distributed._values import Values, joined, read_values
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._core._summaries import Summary
from sklearn_rank.metrics._core._undefined import check_undefined, filled
from sklearn_rank.metrics._results._report import ReportForm
from sklearn_rank.metrics._results._segments import Row, Segments, segments_of

_ELSEWHERE = {
    "dask": "call its compute()",
    "pyspark": "call its toPandas() or toArrow()",
    "ray": "call its to_pandas()",
}
Summaries = dict[str, Summary]


def summarize(
    values,
    *,
    by=None,
    n_rows=None,
    replace_undefined_by=np.nan,
    digits=4,
    output_dict=False,
    as_frame=False,
):
    """Means, standard errors and counts of values per query that engines return.

    The numbers are those of :func:`~sklearn_rank.metrics.ranking_report` on all rows.

    Parameters
    ----------
    values : DataFrame, Table, sequence or iterable of these, or pyarrow Dataset
        What a :class:`QueryScorer` returned for all queries, in any order. An iterable that
        is no sequence, or a Dataset, may be larger than memory: sums of its tables are
        added, and of each query 8 bytes are kept.
    by : str, default=None
        Column of segments, which the scorer was told to keep. A row for each is added, and
        one for the difference of the highest and the lowest mean.
    n_rows : int, default=None
        How many rows there are. Given, it is an error if other numbers of rows were scored.
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
        If a label stands in the values more than once: then its rows were in several
        tables, and the values are wrong. If rows are missing, or a column is.

    See Also
    --------
    as_per_query_scores : The same values for comparisons and intervals.

    Notes
    -----
    Numbers from one table, or a sequence of them, are those of ``ranking_report`` to the
    last digit: queries are put in the order of their labels before they are added. Numbers
    that are added table by table may differ after 14 digits. So may those of errors of
    ratings with a root, whose squares are made again from the values.

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
    ValueError: 1 query stands in the values more than once, such as 'b': the rows ...
    """
    form = ReportForm(digits, output_dict, as_frame, "summarize")
    if n_rows is not None:
        n_rows = check_integer("n_rows", n_rows, minimum=0)
    fill = check_undefined(replace_undefined_by)
    if is_table(values) or isinstance(values, list | tuple):
        total = _Total.of(read_values(joined(values), by), fill)
    else:
        total = _added(_tables(values), by, fill)
    if n_rows is not None:
        _check_rows(total.n_rows, n_rows)
    rows = {name: Row.of(name, summary) for name, summary in total.summaries.items()}
    return form.of(rows, None if by is None else _segments(total))


class _Total:
    """Summaries of all queries, and of each segment of them."""

    def __init__(
        self, summaries: Summaries, segments: dict[Any, Summaries], n_rows: int | None
    ):
        self.summaries = summaries
        self.segments = segments
        self.n_rows = n_rows

    @classmethod
    def of(cls, values: Values, fill: Any) -> "_Total":
        """Return those of one table."""
        scores = _filled(values.scores, fill)
        segments = {}
        if values.segment is not None:
            _check_per_query(values)
            labels, codes = encode_labels(values.segment, name="by")
            segments = {
                label: scores.of(codes == code).summaries()
                for code, label in enumerate(as_list(labels))
            }
        found: Summaries = {**scores.summaries(), **values.of_all}
        return cls({name: found[name] for name in values.names}, segments, values.n_rows)

    def merge(self, other: "_Total") -> "_Total":
        """Return those of two tables."""
        if list(self.summaries) != list(other.summaries):
            raise ValueError(
                f"The tables of `values` have different metrics: {list(self.summaries)} "
                f"and {list(other.summaries)}; give tables of one scorer."
            )
        segments = dict(self.segments)
        for label, summaries in other.segments.items():
            mine = segments.get(label)
            segments[label] = summaries if mine is None else _merged(mine, summaries)
        is_known = self.n_rows is not None and other.n_rows is not None
        return _Total(
            _merged(self.summaries, other.summaries),
            segments,
            self.n_rows + other.n_rows if is_known else None,  # type: ignore[operator]
        )


def _merged(one: Summaries, other: Summaries) -> Summaries:
    return {name: summary.merge(other[name]) for name, summary in one.items()}


def _filled(scores: PerQueryScores, fill: Any) -> PerQueryScores:
    for name, values in scores.scores.items():
        scores.scores[name] = filled(values, fill)
    return scores


def _tables(values: Any) -> Iterator[Any]:
    """Return tables one after the other."""
    if package_of(values) in _ELSEWHERE and not isinstance(values, Iterator):
        raise TypeError(
            f"`values` must be in memory, got a {type(values).__name__}: "
            f"{_ELSEWHERE[package_of(values)]}, or if they do not fit into memory write "
            "them as Parquet and give pyarrow.dataset.dataset(path)."
        )
    if hasattr(values, "to_batches"):
        return iter(values.to_batches())
    if not isinstance(values, Iterable) or isinstance(values, str | dict | np.ndarray):
        raise TypeError(
            "`values` must be a table, as a QueryScorer returns it, or an iterable of "
            f"tables, got {shorten(values)}."
        )
    return iter(values)


def _added(tables: Iterator[Any], by: Any, fill: Any) -> _Total:
    """Return the sums of tables that are not kept."""
    total, seen = None, SeenLabels()
    for table in tables:
        one = _Total.of(read_values(table, by), fill)
        total = one if total is None else total.merge(one)
        seen.add(column_of(table, GROUP))
    if total is None:
        raise ValueError("`values` has no tables; give at least one.")
    segments = {label: total.segments[label] for label in _in_order(total.segments)}
    return _Total(total.summaries, segments, total.n_rows)


def _in_order(labels: Iterable) -> list:
    return as_list(encode_labels(list(labels), name="by")[0]) if labels else []


def _segments(total: _Total) -> dict[str, Segments]:
    return {
        name: segments_of(name, {label: one[name] for label, one in total.segments.items()})
        for name in total.summaries
    }


def _check_per_query(values: Values) -> None:
    for name in values.of_all:
        raise ValueError(
            f"Metric {name!r} has one value for all queries, not one for each, and so none "
            "of a segment; leave `by` out, or the column of this metric."
        )


def _check_rows(scored: int | None, n_rows: int) -> None:
    if scored is None:
        raise ValueError("`n_rows` needs the column 'rows' that a QueryScorer returns.")
    if scored != n_rows:
        what = "lost" if scored < n_rows else "scored twice"
        raise ValueError(
            f"{scored} rows were scored, but there are {n_rows} (`n_rows`): some were "
            f"{what} on the way; check filters, joins and partitions before the scorer."
        )
