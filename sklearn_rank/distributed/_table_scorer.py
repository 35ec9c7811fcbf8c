"""Metrics as a function of a table."""

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
    column_of,
)
from sklearn_rank._validation import as_floats
from sklearn_rank.distributed._readers import Reader
from sklearn_rank.distributed._table_function import TableWork
from sklearn_rank.metrics._core._catalogue import Catalogue
from sklearn_rank.metrics._core._evaluate import Evaluation, check_catalogue, evaluate
from sklearn_rank.metrics._core._known_items import check_has_ids
from sklearn_rank.metrics._core._metric import NamedMetric
from sklearn_rank.metrics._core._segments import segment_of_query


class TableScorer(TableWork):
    """The metrics, and the reader of the tables."""

    def __init__(
        self,
        wanted: list[NamedMetric],
        reader: Reader,
        by: Any,
        catalogue: Any,
    ):
        check_catalogue(wanted, catalogue)
        for named in wanted:
            _check_whole(named, catalogue)
            check_has_ids(named, catalogue)
        self.query = reader.query
        judged = any(named.metric.unjudged == "refused" for named in wanted)
        segments = {} if by is None else {"by": by}
        self.columns = {**reader.columns, **segments}
        self.labels = [reader.query, *segments.values()]
        self.never_null = [*reader.never_null(judged=judged), *segments]
        self.wanted = wanted
        self._reader = reader
        self._by = by
        self._catalogue = catalogue
        self._weighs = "sample_weight" in reader.columns

    def types(self, of_labels: Any) -> dict[Any, Any]:
        """Return the type of each column of the values; those of labels are given."""
        group, *segment = of_labels
        by = {} if self._by is None else {f"{BY}{self._by}": segment[0]}
        return types_of(self.wanted, group, by, weighs=self._weighs)

    def queries(self, result: Any) -> Any:
        """Return the labels of the values."""
        return column_of(result, GROUP)

    def found(self, table: Any) -> dict[Any, np.ndarray]:
        """Return the columns of the values of a table that has rows."""
        read = self._reader.read(table)
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
        query = column_of(table, self._reader.query)
        labels, codes = encode_labels(query, name="query")
        columns: dict[Any, np.ndarray] = {
            GROUP: labels,
            ROWS: np.bincount(codes, minlength=len(labels)),
        }
        if self._by is not None:
            segments, of_each = segment_of_query(values, column_of(table, self._by), query)
            columns[f"{BY}{self._by}"] = segments[of_each]
        for named in found.wanted:
            columns |= columns_of(named, values, found, weighs=self._weighs)
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
    """Raise if a default would be computed from a part instead of the whole data."""
    for name in named.metric.whole:
        if name == "n_items" and catalogue is not None and catalogue.n_items:
            continue
        if named.parameters[name] is None:
            word, at, k = named.name.partition("@")
            raise ValueError(
                f"Metric {named.name!r} takes `{name}` from the whole data, which is "
                f"unknown in a part; give it: '{word}({name}=...){at}{k}'."
            )
