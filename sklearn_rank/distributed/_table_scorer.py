"""Metrics as a function of a table, whatever columns they are read from."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rank._ids._encode import encode_labels
from sklearn_rank._per_query_tables._columns_of_tables import (
    BY,
    GROUP,
    ROWS,
    columns_of,
    types_of,
)
from sklearn_rank._per_query_tables._frame_libraries import (
    check_columns,
    check_no_null,
    column_of,
    library_of,
    n_rows_of,
)
from sklearn_rank._validation import as_floats
from sklearn_rank.distributed._readers import Reader
from sklearn_rank.metrics._core._catalogue import Catalogue
from sklearn_rank.metrics._core._evaluate import Evaluation, check_catalogue, evaluate
from sklearn_rank.metrics._core._known_items import check_has_ids
from sklearn_rank.metrics._core._metric import NamedMetric
from sklearn_rank.metrics._results._segments import segment_of_query


class TableScorer:
    """The metrics that are wanted, and the reader of the tables."""

    def __init__(self, wanted: list[NamedMetric], reader: Reader, by: Any, catalogue: Any):
        check_catalogue(wanted, catalogue)
        for named in wanted:
            _check_whole(named, catalogue)
            check_has_ids(named, catalogue)
        self.wanted = wanted
        self.reader = reader
        self.by = by
        self._catalogue = catalogue
        self.weighs = "sample_weight" in reader.columns
        self._judged = any(named.metric.unjudged == "refused" for named in wanted)

    @property
    def columns(self) -> dict[str, Any]:
        """All columns that are read, by the parameters that name them."""
        named = self.reader.columns
        return named if self.by is None else {**named, "by": self.by}

    @property
    def labels(self) -> list:
        """The columns whose values the table of values has too."""
        return [self.reader.query] if self.by is None else [self.reader.query, self.by]

    def types(self, of_labels: Any) -> dict[Any, Any]:
        """Return the type of each column of the values; those of labels are given."""
        group, *segment = of_labels
        by = {} if self.by is None else {f"{BY}{self.by}": segment[0]}
        return types_of(self.wanted, group, by, weighs=self.weighs)

    def check(self, frame: Any) -> None:
        """Raise where a column is missing, or has missing values."""
        columns = self.columns
        check_columns(frame, columns)
        never_null = self.reader.never_null(judged=self._judged)
        names = never_null if self.by is None else [*never_null, "by"]
        check_no_null(frame, {name: columns[name] for name in names})

    def needed(self, frame: Any) -> Any:
        """Return the columns that are read, of a RecordBatch as a Table."""
        self.check(frame)
        return library_of(frame).select(frame, list(dict.fromkeys(self.columns.values())))

    def values(self, table: Any) -> Any:
        """Return the values per query of a table with the needed columns."""
        library = library_of(table)
        types = self.types(library.types(table, self.labels))
        found: Mapping = {name: np.empty(0) for name in types}
        return library.make(self._found(table) if n_rows_of(table) else found, types)

    def as_first(self, values: Any, first: Any) -> Any:
        """Return values as a table of the library of the first table that was read."""
        library = library_of(first)
        if library is library_of(values):
            return values
        types = self.types(library.types(first, self.labels))
        columns = {name: np.asarray(column_of(values, name)) for name in types}
        return library.make(columns, types)

    def _found(self, table: Any) -> dict[Any, np.ndarray]:
        read = self.reader.read(table)
        y_true, y_score = read.pop("y_true"), read.pop("y_score")
        groups, weight = read.pop("groups"), read.pop("sample_weight", None)
        # Of all queries some weigh something; those of this table need not.
        is_weighed = weight is None or np.any(as_floats(weight, "sample_weight"))
        weight = weight if is_weighed else None
        found = evaluate(
            self.wanted,
            y_true,
            y_score,
            groups,
            weight,
            read,
            by_query=True,
            catalogue=self._catalogue,
        )
        found = found if is_weighed else _without_weight(found)
        have_values = [named for named in found.wanted if named.summary.per_query]
        values = replace(found, wanted=have_values).per_query()
        query = column_of(table, self.reader.query)
        labels, codes = encode_labels(query, name="query")
        columns: dict[Any, np.ndarray] = {
            GROUP: labels,
            ROWS: np.bincount(codes, minlength=len(labels)),
        }
        if self.by is not None:
            segments, of_each = segment_of_query(values, column_of(table, self.by), query)
            columns[f"{BY}{self.by}"] = segments[of_each]
        for named in found.wanted:
            columns |= columns_of(named, values, found, weighs=self.weighs)
        return columns


def _without_weight(found: Evaluation) -> Evaluation:
    """Return what was found where no query weighs anything."""
    nothing = np.zeros(len(found.queries.labels))
    weights: dict[str, np.ndarray | None] = {
        name: nothing if weight is None else 0 * weight
        for name, weight in found.weights.items()
    }
    empty = {named.name: named.summary for named in found.wanted}
    of_all = {name: empty[name] for name in found.of_all}
    return replace(found, weights=weights, of_all=of_all)


def _check_whole(named: NamedMetric, catalogue: Catalogue | None) -> None:
    """Raise where a part of the data would decide what the whole should."""
    for name in named.metric.whole:
        if name == "n_items" and catalogue is not None and catalogue.n_items:
            continue
        if named.parameters[name] is None:
            word, at, k = named.name.partition("@")
            raise ValueError(
                f"Metric {named.name!r} takes `{name}` from the whole data, of which a "
                f"part knows nothing; give it: '{word}({name}=...){at}{k}'."
            )
