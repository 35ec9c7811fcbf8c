"""Means and their errors as a report: text, a dict or a data frame."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._text._table import aligned
from sklearn_rank._validation import check_integer, check_level, check_option, import_pandas
from sklearn_rank.metrics._core._range import Range
from sklearn_rank.metrics._core._segments import Intervals, Row, Segments

# More decimals than a float has.
MOST_DIGITS = 17
# A report goes on as far to the right as it needs.
UNBROKEN = 10**6
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

    def of(
        self, rows: Mapping[str, Row], segments: Mapping[str, Segments] | None = None
    ) -> Any:
        """Return the report of these rows, with a row for each segment if there are any."""
        if segments is not None:
            return self._by_segment(rows, segments)
        table = {name: row.cells() for name, row in rows.items()}
        if self.output_dict:
            return table
        if not self.as_frame:
            return "\n".join(aligned(self.lines(rows.items()), UNBROKEN))
        frame = self._pandas().DataFrame.from_dict(table, orient="index")
        return frame.rename_axis("metric")

    def _by_segment(self, rows: Mapping[str, Row], segments: Mapping[str, Segments]) -> Any:
        """Return the report; below the row of all queries is a row for each segment."""
        if self.output_dict:
            return {
                name: {
                    **row.cells(),
                    "segments": {k: one.cells() for k, one in segments[name].rows.items()},
                    "difference": _dict_of(segments[name]),
                }
                for name, row in rows.items()
            }
        listed = [
            (name, label, row)
            for name, of_all in rows.items()
            for label, row in [("all", of_all), *_rows_of(segments[name])]
        ]
        if self.as_frame:
            pd = self._pandas()
            keys = [(name, label) for name, label, _ in listed]
            index = pd.MultiIndex.from_tuples(keys, names=["metric", "segment"])
            return pd.DataFrame([row.cells() for _, _, row in listed], index=index)
        width = max(len(name) for name in rows)
        lines = [
            (f"{name if row is rows[name] else '':{width}}  {label}", row)
            for name, label, row in listed
        ]
        return "\n".join(aligned(self.lines(lines), UNBROKEN))

    def lines(self, rows: Iterable[tuple[str, Row]]) -> list[list[str]]:
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


def intervals_at(level: Any, ranges: Mapping[str, Range]) -> Intervals | None:
    """Return how intervals are made, None if there are to be none."""
    if level is None:
        return None
    level = check_level(level, ", or None")
    return Intervals(level, dict(ranges))


def _dict_of(segments: Segments) -> dict[str, Any] | None:
    return None if segments.difference is None else vars(segments.difference)


def _rows_of(segments: Segments) -> list[tuple[Any, Row]]:
    """Return a row a segment, and one for the difference of the extremes."""
    rows = list(segments.rows.items())
    apart = segments.difference
    if apart is None:
        return rows
    both = [segments.rows[label] for label in (apart.highest, apart.lowest)]
    n_queries = sum(row.queries for row in both)
    n_undefined = sum(row.undefined for row in both)
    name = f"{apart.highest} - {apart.lowest}"
    # The values chose the extremes, so that an interval would not cover what it should.
    none = None if both[0].interval is None else (np.nan, np.nan)
    return [
        *rows,
        (name, Row(apart.mean, apart.standard_error, n_queries, n_undefined, none)),
    ]
