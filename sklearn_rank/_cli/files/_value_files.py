"""Tables of values per query: how `evaluate -o` writes them, and how they are read."""

import csv
import io
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rank._cli._errors import InputError, quote_value
from sklearn_rank._cli._printing import print_result
from sklearn_rank._cli.files._golden_sets import JUDGMENTS, OF_LISTS, may_be_value
from sklearn_rank._cli.files._output_files import STDOUT, write_file
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
from sklearn_rank.metrics._core._metric import BoundMetric
from sklearn_rank.metrics._core._per_query import FOLD
from sklearn_rank.metrics._core._registry import canonical_name, has_metric, parse_metric
from sklearn_rank.metrics._core._system_repeats import column_of_repeat, repeat_of_column

DECIMALS = 12  # of values in a table: processors differ in the last digits


def round_values(values: PerQueryScores) -> PerQueryScores:
    """Return the values with the decimals of a table, to compare them with one."""
    for name, column in values.scores.items():
        values.scores[name] = np.array(
            [round(value, DECIMALS) for value in column.tolist()]
        )
    return values


def read_repeats(
    parsed: Parsed, notes: list[str]
) -> tuple[list[PerQueryScores], dict[str, str]]:
    """Return the values of each repeat of a system by query, and the digests."""
    table = parsed.value
    assert isinstance(table, Table)
    first = [0]  # the positions of columns
    later: dict[int, dict[str, int]] = {}  # of each other repeat by metric
    for position, column in enumerate(map(str, table.names[1:]), 1):
        name, number = repeat_of_column(column)
        if number == 1:
            first.append(position)
        else:
            later.setdefault(number, {})[name] = position
    values, digests = read_values(_take(parsed, dict.fromkeys(first)), notes)
    repeats = [values]
    for number, positions in sorted(later.items()):
        if number != len(repeats) + 1 or set(positions) != set(values.scores):
            raise InputError(
                f"{parsed.name} has the columns {_quote(table.names)}; each "
                "metric needs a column for each repeat, such as 'mrr' and 'mrr #2'."
            )
        shared = [
            position
            for position in first[1:]
            if table.names[position] == FOLD
            or str(table.names[position]).startswith(WEIGHT)
        ]
        names = {position: name for name, position in positions.items()}
        of_repeat = dict.fromkeys((0, *shared)) | names
        repeats.append(read_values(_take(parsed, of_repeat), [])[0])
    return repeats, digests


def take_values(
    parsed: Parsed, query: str | None, asked: Sequence[str], notes: list[str]
) -> Parsed:
    """Return a table with its queries first, and without columns of text, which are noted.

    Of metrics that were asked, only their columns are there, if it has all of them.
    """
    table = parsed.value
    if not isinstance(table, Table):
        return parsed
    names = [*map(str, table.names)]
    if query not in (None, *names):
        raise InputError(
            f"{parsed.name} has no column {query!r} of --query; it has: {', '.join(names)}."
        )
    first = 0 if query is None else names.index(query)
    rest = [position for position in range(len(names)) if position != first]
    metrics = {n: canonical_name(repeat_of_column(names[n])[0]) for n in rest}
    wanted = {canonical_name(name) for name in asked}
    if wanted and wanted <= set(metrics.values()):
        kept = [n for n in rest if metrics[n] in wanted or _is_about_queries(names[n])]
    else:
        kept = [
            n for n in rest if _may_have_values(names[n], [row[n] for row in table.rows])
        ]
        left = [names[n] for n in rest if n not in kept]
        note = f"Columns without numbers left out: {_quote(left)}."
        notes += [note] if left and note not in notes else []
    return _take(parsed, dict.fromkeys([first, *kept]))


def _quote(names: Sequence[Any]) -> str:
    return ", ".join(map(repr, names))


def _is_about_queries(name: str) -> bool:
    return name in (FOLD, JUDGMENTS) or name.startswith(WEIGHT)


def _may_have_values(name: str, cells: Sequence[Any]) -> bool:
    """Return whether a column has a number, or has to be there without one."""
    if _is_about_queries(name) or has_metric(name) or name in OF_LISTS:
        return True
    return any(cell not in (None, "") and may_be_value(cell) for cell in cells)


def _take(parsed: Parsed, columns: Mapping[int, str | None]) -> Parsed:
    """Return the table with the columns at some positions, which may have new names."""
    table = parsed.value
    names = [
        table.names[position] if name is None else name
        for position, name in columns.items()
    ]
    rows = [[row[position] for position in columns] for row in table.rows]
    return type(parsed)(parsed.content, table._replace(names=names, rows=rows))


def read_values(parsed: Parsed, notes: list[str]) -> tuple[PerQueryScores, dict[str, str]]:
    """Return the values of a file by query, and the digests of judgments, if any."""
    table = parsed.value
    assert isinstance(table, Table)
    label, *names = map(str, table.names)
    columns = dict(zip(names, [*zip(*table.rows, strict=True)][1:], strict=True))
    rows = [number for number, row in enumerate(table.rows) if row[0] not in (None, "")]
    if not rows:
        raise InputError(
            f"{parsed.name} has no query: column {label!r} is empty. Name another one with "
            "--query."
        )
    if len(rows) < len(table.rows):
        notes.append(
            f"{len(table.rows) - len(rows)} rows of {parsed.name} left out: column "
            f"{label!r} is empty."
        )
    labels = [str(table.rows[row][0]) for row in rows]
    cells = columns.pop(JUDGMENTS, None)
    digests = {} if cells is None else {labels[n]: cells[r] for n, r in enumerate(rows)}
    scores = {
        name: np.array([_number(parsed, table, name, row, column[row]) for row in rows])
        for name, column in columns.items()
        if name != ROWS and not name.startswith((BY, STATE))
    }
    fold = scores.pop(FOLD, None)
    _check_once(parsed, labels, fold)
    weights = {
        name.removeprefix(WEIGHT): scores.pop(name)
        for name in list(scores)
        if name.startswith(WEIGHT)
    }
    if not scores or len(set(map(canonical_name, scores))) < len(scores):
        raise InputError(
            f"{parsed.name} has the columns {_quote(table.names)}; a table "
            "of values has the query in the first one and one for each metric, each once."
        )
    metrics = [
        replace(parse_metric(name), name=name) for name in scores if has_metric(name)
    ]
    _check_ranges(parsed, rows, metrics, scores)
    values = scores_by_metric(metrics, np.array(labels, object), scores, weights, fold)
    return values, digests


def _check_once(parsed: Parsed, labels: list[str], fold: np.ndarray | None) -> None:
    """Raise if a query is there twice, in one fold."""
    keys = labels if fold is None else [*zip(labels, fold.tolist(), strict=True)]
    if len(set(keys)) == len(keys):
        return
    again = next(key for key, n in Counter(keys).items() if n > 1)
    raise InputError(
        f"{parsed.name} has query {quote_value(again)} in several rows, so it is not a "
        "table of values; for lists name what is relevant with --truth, or another column "
        "of queries with --query."
    )


def _check_ranges(
    parsed: Parsed, rows: list[int], metrics: list[BoundMetric], scores: Mapping[str, Any]
) -> None:
    """Raise if a metric cannot have a value."""
    for metric in metrics:
        is_beyond = is_beyond_range(metric, scores[metric.name])
        if is_beyond.any():
            row = int(np.argmax(is_beyond))
            raise InputError(
                f"Column {metric.name!r} of {parsed.name} has "
                f"{scores[metric.name][row]:g} in {_place(parsed.value, rows[row])}, but "
                f"the metric is {metric.range}."
            )


def _number(parsed: Parsed, table: Table, name: str, row: int, cell: Any) -> float:
    try:
        return float("nan") if cell in (None, "") else float(cell)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"Column {name!r} of {parsed.name} needs a number, but in {_place(table, row)} "
            f"it is {quote_value(cell)}. Correct it, or name others with --metric."
        ) from error


def _place(table: Table, row: int) -> str:
    where = table.places[row]
    return where if isinstance(where, str) else f"line {where}"


def values_as_csv(
    repeats: Sequence[PerQueryScores],
    names: Mapping[str, str],
    more: Mapping[str, Mapping[str, str]] | None = None,
) -> bytes:
    """Return a table of values per query: a column for each metric and repeat, and more."""
    more = more or {}
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    columns = {
        column_of_repeat(name, number): values.scores[metric].tolist()
        for number, values in enumerate(repeats, 1)
        for name, metric in names.items()
    }
    table.writerow(["query", *columns, *more])
    for query, *numbers in zip(repeats[0].groups.tolist(), *columns.values(), strict=True):
        cells = [
            "" if math.isnan(value) else repr(round(value, DECIMALS)) for value in numbers
        ]
        table.writerow([query, *cells, *(of.get(query, "") for of in more.values())])
    return text.getvalue().encode()


def write_values(
    path: str,
    repeats: Sequence[PerQueryScores],
    names: Mapping[str, str],
    more: Mapping[str, Mapping[str, str]] | None = None,
) -> None:
    """Write a table of values per query into a file, or to stdout for "-"."""
    if not names:
        raise InputError(
            "--output needs a metric that has a value of each list, such as ndcg@10."
        )
    table = values_as_csv(repeats, names, more)
    if path == STDOUT:
        print_result(table.decode().rstrip("\n"))
        return
    write_file(path, table)
