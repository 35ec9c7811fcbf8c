"""Means and their errors as a report, of all queries and of their segments."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sklearn_rank._base._label_checks import value_of_each
from sklearn_rank._base._labels import as_list, as_vector, encode_labels
from sklearn_rank._base._messages import warn_caller
from sklearn_rank._base._runs import starts_of
from sklearn_rank._base._text import align_columns
from sklearn_rank._base._validation import (
    check_integer,
    check_level,
    check_option,
    hold_text,
    import_pandas,
)
from sklearn_rank.metrics._core._mean_intervals import average_of, deciding_text
from sklearn_rank.metrics._core._side_columns import is_by_query, look_up_queries
from sklearn_rank.metrics._core._summaries import Summary

# Segments of queries, such as those of users of one country.


@dataclass(frozen=True)
class Intervals:
    """Intervals of the means of metrics: their level, and which means few decide."""

    level: float
    deciding: dict[str, tuple[int, int]] = field(default_factory=dict)

    def compute(self, scores: Any, name: str, segment: str = "") -> tuple[float, float]:
        """Return the interval of a mean, NaN for a single query and without values."""
        if name not in scores.scores:
            return np.nan, np.nan
        average = average_of(scores, name)
        low, high, _, n_deciding = average.interval(self.level)
        self.deciding[name + segment] = n_deciding, average.estimate.shares.n
        return low, high

    def warn_of_few(self) -> None:
        """Warn of means that few queries decide."""
        warn_caller(*deciding_text(self.deciding, "take more queries"))


@dataclass
class ReportRow:
    """A row of a report: one metric on some queries."""

    mean: float
    standard_error: float
    queries: int
    undefined: int
    interval: tuple[float, float] | None = None

    @classmethod
    def from_summary(
        cls, summary: Summary, interval: tuple[float, float] | None = None
    ) -> "ReportRow":
        """Return the row of a metric, with its interval if that is asked for."""
        numbers = summary.result(), summary.standard_error()
        return cls(*numbers, summary.n, summary.undefined, interval)

    def cells(self) -> dict[str, float]:
        """Return what the row says, by the names of the columns."""
        cells: dict[str, float] = {"mean": self.mean, "standard_error": self.standard_error}
        if self.interval is not None:
            cells["low"], cells["high"] = self.interval
        return {**cells, "queries": self.queries, "undefined": self.undefined}


def report_rows(
    summaries: Mapping[str, Summary],
    scores: Any = None,
    intervals: Intervals | None = None,
    segment: str = "",
) -> dict[str, ReportRow]:
    """Return the row of each metric; intervals are those of scores."""
    if intervals is None:
        return {
            name: ReportRow.from_summary(summary) for name, summary in summaries.items()
        }
    return {
        name: ReportRow.from_summary(summary, intervals.compute(scores, name, segment))
        for name, summary in summaries.items()
    }


@dataclass
class Difference:
    """The difference of the extreme segments; queries are independent."""

    highest: Any
    lowest: Any
    mean: float
    standard_error: float
    ratio: float  # of the two means, NaN where the lower one is 0


@dataclass
class Segments:
    """Each segment of queries, and the difference of the extremes, if there are two."""

    rows: dict[Any, ReportRow]
    difference: Difference | None


def compare_segments(
    found: Any, by: Any, groups: Any, intervals: Intervals | None
) -> dict[str, Segments]:
    """Return the segments of each metric.

    `by` has a value per row, in 2-D per query, or is a mapping or a Series by query.
    """
    labels, codes = read_segments(found, by, groups)
    rows = {}
    for code, label in enumerate(as_list(labels)):
        part = found.of(codes == code)
        rows[label] = report_rows(part.summaries(), part, intervals, f" of {label}")
    return {
        name: build_segments({label: of_all[name] for label, of_all in rows.items()})
        for name in found.scores
    }


def build_segments(rows: dict[Any, ReportRow]) -> Segments:
    """Return the segments of one metric, and the difference of the extremes."""
    defined = {label: row for label, row in rows.items() if not np.isnan(row.mean)}
    if len(defined) < 2:
        return Segments(rows, None)
    highest = max(defined, key=lambda label: defined[label].mean)
    # The last of equal ones: where all are equal, two segments are compared.
    lowest = min(reversed(defined), key=lambda label: defined[label].mean)
    high, low = defined[highest], defined[lowest]
    error = float(np.hypot(high.standard_error, low.standard_error))
    if len(defined) > 2:
        error = float("nan")  # the values chose the two, so that it would be too small
    ratio = float(high.mean / low.mean) if low.mean else float("nan")
    difference = Difference(highest, lowest, high.mean - low.mean, error, ratio)
    return Segments(rows, difference)


def read_segments(found: Any, by: Any, groups: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels of segments and the segment of each query."""
    n_rows = len(found) if groups is None else len(as_vector(groups, name="groups"))
    queries = as_list(found.groups)
    if isinstance(by, Mapping) or is_by_query(by, queries, n_rows, groups):
        return encode_labels(look_up_queries("by", by, queries, "segment"), name="by")
    segment = as_vector(by, name="by")
    if len(segment) != n_rows:
        needed = "query" if groups is None else "row, the same for all rows of a query"
        raise ValueError(
            f"`by` has {len(segment)} values, but needs {n_rows}: one per {needed}."
        )
    labels, codes = encode_labels(segment, name="by")
    if groups is None:
        return labels, codes
    query = encode_labels(groups, name="groups")[1]
    starts = starts_of(np.bincount(query))
    codes = codes[np.argsort(query, kind="stable")]
    shown, label = labels.__getitem__, queries.__getitem__
    return labels, value_of_each("by", codes, starts, label, shown=shown)


# Forms of a report.

# More decimals than a float has.
MOST_DIGITS = 17
# A report goes on as far to the right as it needs.
UNLIMITED_WIDTH = 10**6
TITLES = {"standard_error": "std error"}


@dataclass(frozen=True)
class ReportForm:
    """Whether a report is text, a dict or a data frame, and for whom it is made."""

    digits: int
    output_dict: bool
    as_frame: bool
    function: str

    def __post_init__(self) -> None:
        if check_integer("digits", self.digits, minimum=0) > MOST_DIGITS:
            raise ValueError(f"`digits` must be {MOST_DIGITS} at most, got {self.digits}.")
        check_option("output_dict", self.output_dict, (True, False))
        check_option("as_frame", self.as_frame, (True, False))

    def format(
        self, rows: Mapping[str, ReportRow], segments: Mapping[str, Segments] | None = None
    ) -> Any:
        """Return the report of these rows, with a row for each segment if there are any."""
        if segments is not None:
            return self._by_segment(rows, segments)
        table = {name: row.cells() for name, row in rows.items()}
        if self.output_dict:
            return table
        if not self.as_frame:
            return "\n".join(align_columns(self.table(rows), UNLIMITED_WIDTH))
        frame = self._pandas().DataFrame.from_dict(table, orient="index")
        return frame.rename_axis("metric")

    def _by_segment(
        self, rows: Mapping[str, ReportRow], segments: Mapping[str, Segments]
    ) -> Any:
        """Return the report; below the row of all queries is a row for each segment."""
        if self.output_dict:
            return {
                name: {
                    **row.cells(),
                    "segments": {
                        k: segment.cells() for k, segment in segments[name].rows.items()
                    },
                    "difference": _difference_as_dict(segments[name]),
                }
                for name, row in rows.items()
            }
        listed = list_rows(rows, segments)
        if self.as_frame:
            pd = self._pandas()
            keys = [[name for name, _, _ in listed], [label for _, label, _ in listed]]
            keys = [hold_text(of_all) for of_all in keys]
            index = pd.MultiIndex.from_arrays(keys, names=["metric", "segment"])
            return pd.DataFrame([row.cells() for _, _, row in listed], index=index)
        lines = align_columns(self.table(rows, segments), UNLIMITED_WIDTH)
        return "\n".join([*lines, *notes_of_segments(segments)])

    def table(
        self, rows: Mapping[str, ReportRow], segments: Mapping[str, Segments] | None = None
    ) -> list[list[str]]:
        """Return the cells of a table of these rows and segments, and the titles above."""
        if segments is None:
            return self.lines(rows.items())
        width = max(len(name) for name in rows)
        return self.lines(
            (f"{name if row is rows[name] else '':{width}}  {label}", row)
            for name, label, row in list_rows(rows, segments)
        )

    def lines(self, rows: Iterable[tuple[str, ReportRow]]) -> list[list[str]]:
        """Return the cells of a table of these rows, and the titles above."""
        lines: list[list[str]] = []
        for name, row in rows:
            cells = row.cells()
            lines = lines or [["", *(TITLES.get(title, title) for title in cells)]]
            shown = (
                f"{value:.{self.digits}f}" if isinstance(value, float) else str(value)
                for value in cells.values()
            )
            lines.append([name, *shown])
        return lines

    def _pandas(self) -> Any:
        return import_pandas(f"{self.function}(as_frame=True)")


def read_intervals(level: Any) -> Intervals | None:
    """Return how intervals are made, None if there are to be none."""
    return None if level is None else Intervals(check_level(level, ", or None"))


def notes_of_segments(segments: Mapping[str, Segments] | None) -> list[str]:
    """Return why a difference of segments has no error, if one has none."""
    if any(len(of_metric.rows) > 2 for of_metric in (segments or {}).values()):
        return [
            "The segments of this difference were chosen by their values; a standard error "
            "would be too small."
        ]
    return []


def _difference_as_dict(segments: Segments) -> dict[str, Any] | None:
    return None if segments.difference is None else vars(segments.difference)


def list_rows(
    rows: Mapping[str, ReportRow], segments: Mapping[str, Segments] | None
) -> list[tuple[str, Any, ReportRow]]:
    """Return each metric, its segment, "all" first, and the row."""
    return [
        (name, label, row)
        for name, of_all in rows.items()
        for label, row in [
            ("all", of_all),
            *(_list_rows(segments[name]) if segments else ()),
        ]
    ]


def _list_rows(segments: Segments) -> list[tuple[Any, ReportRow]]:
    """Return one row per segment, and one for the difference of the extremes."""
    rows = list(segments.rows.items())
    difference = segments.difference
    if difference is None:
        return rows
    both = [segments.rows[label] for label in (difference.highest, difference.lowest)]
    n_queries = sum(row.queries for row in both)
    n_undefined = sum(row.undefined for row in both)
    name = f"{difference.highest} - {difference.lowest}"
    # The values chose the extremes, so that an interval would not cover what it should.
    none = None if both[0].interval is None else (np.nan, np.nan)
    return [
        *rows,
        (
            name,
            ReportRow(
                difference.mean, difference.standard_error, n_queries, n_undefined, none
            ),
        ),
    ]
