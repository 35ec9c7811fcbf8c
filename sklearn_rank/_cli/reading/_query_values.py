"""Read tables of values per query, such as `evaluate --values` writes."""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._cli._errors import InputError, quote_value
from sklearn_rank._cli.reading._csv import CsvFormat, guard_path
from sklearn_rank._cli.reading._id_tables import (
    as_text,
    drop_incomplete,
    locate_row,
    note_dropped,
    read_number_column,
    read_table,
)
from sklearn_rank._cli.reading._run_files import is_json, is_trec
from sklearn_rank.distributed._value_tables import (
    BY,
    ROWS,
    STATE,
    WEIGHT,
    is_beyond_range,
    scores_by_metric,
)
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._metric import BoundMetric
from sklearn_rank.metrics._core._per_query import FOLD
from sklearn_rank.metrics._core._registry import canonical_name, has_metric, parse_metric
from sklearn_rank.statistics._gate_model import describe_changes

# Columns of lists, which are tables of another kind.
OF_LISTS = ("item", "item_id", "rank")


def read_value_tables(
    options: Namespace, runs: Mapping[str, str], growing: Sequence[str] = ()
) -> tuple[dict[str, PerQueryScores], list[str]]:
    """Return the values of each run, for the same queries, and notes for users.

    The last query of a file that is `growing` is left out of the others.
    """
    notes: list[str] = []
    csv = CsvFormat.from_options(options)
    scores = {name: _read_values(path, csv, notes) for name, path in runs.items()}
    queries = {name: set(values.groups.tolist()) for name, values in scores.items()}
    missing = [set().union(*queries.values()) - queries[name] for name in growing]
    unfinished = [*set().union(*(lacking for lacking in missing if len(lacking) == 1))]
    if unfinished:
        for name, values in scores.items():
            scores[name] = values.of(~np.isin(values.groups, unfinished))
    (first, values), *_ = scores.items()
    for name, path in runs.items():
        changes = describe_changes(values.groups.tolist(), scores[name].groups.tolist())
        if changes:
            raise InputError(
                f"{runs[first]!r} and {path!r} have different queries: {changes}. "
                "Means of different queries do not compare."
            )
    used = options.metric or next(iter(scores.values())).scores
    notes += [
        f"{name!r} is not a metric of this package: higher is taken as better."
        for name in used
        if not has_metric(name)
    ]
    return scores, notes


@guard_path
def _read_values(path: str, csv: CsvFormat, notes: list[str]) -> PerQueryScores:
    """Return the values of a file whose first column has the queries."""
    if is_json(path) or is_trec(path):
        raise _error_of_lists(path, "it has lists")
    rows = read_table(path, _find_columns, csv)
    label, *names = map(str, rows)
    rows, dropped, _ = drop_incomplete(repr(path), rows, {label: label})
    notes += note_dropped(path, dropped)
    labels = as_text(rows[label].astype(rows[label].cat.categories.dtype))
    numbers = {name: _read_column(path, rows[name], name, csv) for name in names}
    fold = numbers.pop(FOLD, None)
    is_again = pd.DataFrame({"query": labels, FOLD: 0 if fold is None else fold})
    if is_again.duplicated().any():
        again = quote_value(labels[is_again.duplicated()].iloc[0])
        raise _error_of_lists(path, f"query {again} is in several rows")
    weights = {
        canonical_name(name.removeprefix(WEIGHT)): numbers.pop(name)
        for name in names
        if name.startswith(WEIGHT)
    }
    scores = {canonical_name(name): values for name, values in numbers.items()}
    metrics = [parse_metric(name) for name in scores if has_metric(name)]
    for metric in metrics:
        _check_range(path, metric, scores[metric.name], rows.index, csv)
    return scores_by_metric(metrics, labels.to_numpy(object), scores, weights, fold)


def _check_range(
    path: str, metric: BoundMetric, values: Any, rows: pd.Index, csv: CsvFormat
) -> None:
    is_beyond = is_beyond_range(metric, values)
    if is_beyond.any():
        row = int(np.argmax(is_beyond))
        raise InputError(
            f"Column {metric.name!r} of {path!r} has {values[row]:g} in "
            f"{locate_row(path, int(rows[row]), csv)}, but the metric is {metric.range}."
        )


def _find_columns(path: str, columns: list) -> dict[str, int]:
    """Return the column of queries and those of numbers by name."""
    names = list(map(str, columns))
    of_lists = [name for name in names[1:] if name in OF_LISTS]
    if of_lists:
        raise _error_of_lists(path, f"it has a column {of_lists[0]!r}")
    places = {
        name: index
        for index, name in enumerate(names)
        if index == 0 or (name != ROWS and not name.startswith((BY, STATE)))
    }
    spelled = list(map(canonical_name, names))
    if len(places) < 2 or len(set(spelled)) < len(spelled):
        raise InputError(
            f"{path!r} has the columns {', '.join(map(repr, names))}; a table of values "
            "has the query in the first one and one for each metric, each once."
        )
    return places


def _error_of_lists(path: str, why: str) -> InputError:
    return InputError(
        "Name what is relevant with one of --qrels (TREC) and --truth (a table): "
        f"{path!r} is not a table with one row of values per query, since {why}."
    )


def _read_column(path: str, column: pd.Series, name: str, csv: CsvFormat) -> Any:
    """Return the numbers of a column; NaN is an undefined value, as an empty cell is."""
    texts = column.cat.categories
    defined = column.cat.remove_categories(texts[texts.astype(str).str.lower() == "nan"])
    read = read_number_column(path, defined.dropna(), name, csv)
    return read.reindex(column.index).to_numpy(np.float64)
