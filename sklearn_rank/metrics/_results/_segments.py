"""Metrics by segment of queries, such as the country of a user or the length of a query."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._labels._encode import as_list, as_vector, encode_labels
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._core._summaries import Summary


@dataclass
class Row:
    """What a report says of one metric and some queries."""

    mean: float
    standard_error: float
    queries: int
    undefined: int

    @classmethod
    def of(cls, summary: Summary) -> "Row":
        """Return the row of a summary."""
        return cls(summary.result(), summary.standard_error(), summary.n, summary.undefined)


@dataclass
class Difference:
    """How far the extremes of the segments are apart; queries are independent."""

    highest: Any
    lowest: Any
    mean: float
    standard_error: float


@dataclass
class Segments:
    """Each segment of queries, and the difference of the extremes, if there are two."""

    rows: dict[Any, Row]
    difference: Difference | None


def by_segment(found: PerQueryScores, by: Any, groups: Any) -> dict[str, Segments]:
    """Return the segments of each metric; `by` has a value a row, or a query in 2-D."""
    labels, codes = segment_of_query(found, by, groups)
    parts = {
        label: found.of(codes == code).summaries()
        for code, label in enumerate(as_list(labels))
    }
    return {
        name: segments_of({k: s[name] for k, s in parts.items()}) for name in found.scores
    }


def segments_of(summaries: dict[Any, Summary]) -> Segments:
    """Return the segments of one metric, and the difference of the extremes."""
    rows = {label: Row.of(summary) for label, summary in summaries.items()}
    known = {label: row for label, row in rows.items() if not np.isnan(row.mean)}
    if len(known) < 2:
        return Segments(rows, None)
    highest = max(known, key=lambda label: known[label].mean)
    lowest = min(known, key=lambda label: known[label].mean)
    high, low = known[highest], known[lowest]
    error = float(np.hypot(high.standard_error, low.standard_error))
    return Segments(rows, Difference(highest, lowest, high.mean - low.mean, error))


def segment_of_query(
    found: PerQueryScores, by: Any, groups: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels of segments and the segment of each query."""
    segment = as_vector(by, name="by")
    n_rows = len(found) if groups is None else len(as_vector(groups, name="groups"))
    if len(segment) != n_rows:
        needed = "query" if groups is None else "row, the same for all rows of a query"
        raise ValueError(
            f"`by` has {len(segment)} values, but there are {n_rows}; give one a {needed}."
        )
    labels, codes = encode_labels(segment, name="by")
    if groups is None:
        return labels, codes
    query = encode_labels(groups, name="groups")[1]
    of_query = np.empty(len(found), dtype=np.intp)
    of_query[query] = codes
    differs = of_query[query] != codes
    if differs.any():
        row = int(np.argmax(differs))
        both = as_list(labels[[of_query[query[row]], codes[row]]])
        raise ValueError(
            "`by` is one segment a query, but it differs within query "
            f"{as_list(found.groups[[query[row]]])[0]!r}: {both[0]!r} and {both[1]!r}; "
            "give all rows of a query the same."
        )
    return labels, of_query
