"""Tables of values per query: how `evaluate -o` writes them, and how they are read."""

import csv
import io
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from sklearn_rank._cli._errors import InputError, quote_value
from sklearn_rank._cli._golden_sets import JUDGMENTS
from sklearn_rank._cli._output_files import STDOUT, write_file
from sklearn_rank._cli._printing import print_result
from sklearn_rank.distributed._value_tables import (
    BY,
    ROWS,
    STATE,
    WEIGHT,
    is_beyond_range,
    scores_by_metric,
)
from sklearn_rank.inputs._reading._forms import Parsed, Table
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._per_query import FOLD
from sklearn_rank.metrics._core._registry import canonical_name, has_metric, parse_metric


def read_values(parsed: Parsed, notes: list[str]) -> tuple[PerQueryScores, dict[str, str]]:
    """Return the values of a file by query, and the digests of judgments, if any."""
    table = parsed.value
    assert isinstance(table, Table)
    label, *names = map(str, table.names)
    columns = dict(zip(names, [*zip(*table.rows, strict=True)][1:], strict=True))
    rows = [number for number, row in enumerate(table.rows) if row[0] not in (None, "")]
    if len(rows) < len(table.rows):
        notes.append(
            f"{len(table.rows) - len(rows)} rows of {parsed.name} left out: column "
            f"{label!r} is empty."
        )
    labels = [str(table.rows[row][0]) for row in rows]
    digests = columns.pop(JUDGMENTS, None)
    columns = {
        name: column
        for name, column in columns.items()
        if name != ROWS and not name.startswith((BY, STATE))
    }
    numbers = {
        name: np.array([_number(parsed, table, name, row, column[row]) for row in rows])
        for name, column in columns.items()
    }
    fold = numbers.pop(FOLD, None)
    keys = labels if fold is None else [*zip(labels, fold.tolist(), strict=True)]
    again = (
        next(
            (key for position, key in enumerate(keys) if key in set(keys[:position])), None
        )
        if len(set(keys)) < len(keys)
        else None
    )
    if again is not None:
        raise InputError(
            f"{parsed.name} has query {quote_value(again)} in several rows, so it is not a "
            "table of values; of lists name what is relevant with --truth."
        )
    weights = {
        canonical_name(name.removeprefix(WEIGHT)): numbers.pop(name)
        for name in list(numbers)
        if name.startswith(WEIGHT)
    }
    scores = {canonical_name(name): of for name, of in numbers.items()}
    if not scores or len(scores) < len(numbers):
        raise InputError(
            f"{parsed.name} has the columns {', '.join(map(repr, table.names))}; a table "
            "of values has the query in the first one and one for each metric, each once."
        )
    measured = [parse_metric(name) for name in scores if has_metric(name)]
    for metric in measured:
        is_beyond = is_beyond_range(metric, scores[metric.name])
        if is_beyond.any():
            row = int(np.argmax(is_beyond))
            raise InputError(
                f"Column {metric.name!r} of {parsed.name} has "
                f"{scores[metric.name][row]:g} in {_place(table, rows[row])}, but the "
                f"metric is {metric.range}."
            )
    unknown = [name for name in scores if not has_metric(name)]
    notes += [
        f"{name!r} is not a metric of this package: higher is taken as better."
        for name in unknown
    ]
    values = scores_by_metric(measured, np.array(labels, object), scores, weights, fold)
    by_query = (
        {} if digests is None else {labels[n]: digests[r] for n, r in enumerate(rows)}
    )
    return values, by_query


def _number(parsed: Parsed, table: Table, name: str, row: int, cell: Any) -> float:
    try:
        return float("nan") if cell in (None, "") else float(cell)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"Column {name!r} of {parsed.name} needs a number, but in {_place(table, row)} "
            f"it is {quote_value(cell)}."
        ) from error


def _place(table: Table, row: int) -> str:
    where = table.places[row]
    return where if isinstance(where, str) else f"line {where}"


def values_as_csv(
    values: PerQueryScores,
    names: Mapping[str, str],
    more: Mapping[str, Mapping[str, str]] | None = None,
) -> bytes:
    """Return a table of values per query: the query, a column for each metric, and more."""
    more = more or {}
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["query", *names, *more])
    columns = [values.scores[metric].tolist() for metric in names.values()]
    for query, *numbers in zip(values.groups.tolist(), *columns, strict=True):
        cells = ["" if math.isnan(value) else repr(round(value, 12)) for value in numbers]
        table.writerow([query, *cells, *(of.get(query, "") for of in more.values())])
    return text.getvalue().encode()


def write_values(
    path: str,
    values: PerQueryScores,
    names: Mapping[str, str],
    more: Mapping[str, Mapping[str, str]] | None = None,
) -> None:
    """Write a table of values per query into a file, or to stdout for "-"."""
    if not names:
        raise InputError(
            "--output needs a metric that has a value of each list, such as ndcg@10."
        )
    table = values_as_csv(values, names, more)
    if path == STDOUT:
        print_result(table.decode().rstrip("\n"))
        return
    write_file(path, table)
