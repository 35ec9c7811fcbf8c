"""Files of labels: a label in each row, or a unit in each row and a column per rater."""

import math
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sklearn_rank._cli._errors import InputError, quote_value
from sklearn_rank.inputs._reading._forms import Parsed, Record, Table

GOOD, BAD = ("pass", "yes", "true", "correct"), ("fail", "no", "false", "incorrect")
WORDS = dict.fromkeys(GOOD, 1.0) | dict.fromkeys(BAD, 0.0)
# The usual columns of each role.
USUAL: dict[str, tuple[str, ...]] = {
    **{"query": ("query",), "unit": ("unit", "item"), "rater": ("rater",)},
    "grade": ("grade", "rating", "label"),
}
_BETWEEN = "\x1f"


def read_labels(parsed: Parsed, options: Namespace) -> tuple[dict[str, Any], list[str]]:
    """Return grades with their units, raters and queries, and notes.

    Units of two queries are two units, even if they have the same name.
    """
    name, rows = parsed.name, _rows_of(parsed)
    columns = list(dict.fromkeys(column for row in rows for column in row.fields))
    notes: list[str] = []
    roles, columns_of_labels = _find_columns(name, columns, rows, options, notes)
    labels: dict[tuple[str, str], list[float]] = {}
    words: dict[str, float] = {}
    for where, fields in rows:
        texts = {role: _text_of(fields, column) for role, column in roles.items()}
        if not all(texts.values()):
            empty = next(role for role, text in texts.items() if not text)
            raise InputError(f"{name} has no {empty} ({roles[empty]!r}) in {where}.")
        unit = _BETWEEN.join([texts.get("query", ""), texts["unit"]])
        for column in columns_of_labels:
            word = _text_of(fields, column).lower()
            number = _as_number(word)
            if number is None:
                raise InputError(
                    f"{name} has {quote_value(fields[column])} in {where} ({column!r}); a "
                    f"label is a number, or one of {', '.join(WORDS)}. If not all columns "
                    "are raters, name those that are: --rater people,gpt."
                )
            graded = labels.setdefault((unit, texts.get("rater", column)), [])
            graded += [] if math.isnan(number) else [number]
            words |= {word: number} if word in WORDS else {}
    if words:
        numbers = {number for graded in labels.values() for number in graded} - {0, 1}
        if numbers:
            raise InputError(
                f"{name} has the labels {next(iter(words))} and {max(numbers):g}; write "
                "all as words, or all as numbers."
            )
        pairs = (f"{word} = {number:g}" for word, number in words.items())
        notes.append(f"Labels as numbers: {', '.join(pairs)}.")
    n_repeated = sum(len(graded) > 1 for graded in labels.values())
    if n_repeated:
        notes.append(f"{n_repeated:,} times a rater repeats a unit: the mean counts.")
    queries = [unit.split(_BETWEEN)[0] for unit, _ in labels]
    return {
        "ratings": [np.mean(graded) if graded else math.nan for graded in labels.values()],
        "units": [unit for unit, _ in labels],
        "raters": [rater for _, rater in labels],
        "groups": queries if "query" in roles else None,
    }, notes


def _rows_of(parsed: Parsed) -> list[Record]:
    """Return the rows of a table, or the objects of a list."""
    rows = parsed.value if isinstance(parsed.value, list) else [parsed.value]
    if isinstance(parsed.value, Table):
        rows = parsed.value.records()
    elif rows and not isinstance(rows[0], Record):
        rows = [Record(f"object {number}", row) for number, row in enumerate(rows, 1)]
    if not rows or not all(isinstance(row.fields, Mapping) for row in rows):
        raise InputError(
            f"{parsed.name} is neither a table below a line of names nor a list of objects."
        )
    return [Record(r.where, {str(n): of for n, of in r.fields.items()}) for r in rows]


def _find_columns(
    name: str,
    columns: Sequence[str],
    rows: Sequence[Record],
    options: Namespace,
    notes: list[str],
) -> tuple[dict[str, str], list[str]]:
    """Return the columns of queries, units and raters, if any, and those of labels."""
    has = f"{name} has the columns {', '.join(columns)}"
    raters: list[str] = []
    asked = {role: getattr(options, role) for role in USUAL}
    if options.rater not in (None, *columns):
        raters = [rater.strip() for rater in options.rater.split(",")]
        asked["rater"] = None
    for role, column in [*asked.items(), *(("rater", rater) for rater in raters)]:
        if column not in (None, *columns):
            raise InputError(f"{has}, but none is {column!r} of --{role}.")
    roles = {role: column for role, column in asked.items() if column is not None}
    for role, usual in USUAL.items():
        column = next((column for column in usual if column in columns), None)
        # Raters with a column each leave no column of raters and labels.
        is_left = role not in roles and not (raters and role in ("rater", "grade"))
        roles |= {role: column} if is_left and column is not None else {}
    first = columns[0] if columns else ""
    if "unit" not in roles and first not in (*asked.values(), *raters, options.reference):
        units = [_text_of(row.fields, first) for row in rows]
        if all(units) and len({*units}) == len(units):
            notes.append(f"Column {first!r} has the units: each value is there once.")
            roles = {role: column for role, column in roles.items() if column != first}
            roles["unit"] = first
    if "unit" not in roles:
        raise InputError(f"{has}; name that of the units with --unit.")
    if ("rater" in roles) != ("grade" in roles):
        lacking = "grade" if "rater" in roles else "rater"
        raise InputError(
            f"{has}; name that of the {lacking}s with --{lacking}, or, if each rater has a "
            "column, all of these: --rater people,gpt."
        )
    free = [column for column in columns if column not in roles.values()]
    if "grade" in roles or raters:
        return roles, [roles.pop("grade")] if "grade" in roles else raters
    texts = [c for c in free if c != options.reference and _has_texts(rows, c)]
    labels = [column for column in free if column not in texts]
    if len(labels) < 2 or not texts:
        return roles, free
    notes.append(f"Columns of text left out: {', '.join(map(repr, texts))}.")
    return roles, labels


def _has_texts(rows: Sequence[Record], column: str) -> bool:
    """Return whether a column has texts that mostly differ, or are all the same."""
    cells = [text.lower() for row in rows if (text := _text_of(row.fields, column))]
    texts = {text for text in cells if _as_number(text) is None}
    are_same = len(texts) == len({*cells}) == 1 < len(cells)
    return are_same or 2 * len(texts) > len(cells)


def _text_of(fields: Mapping[str, Any], column: str) -> str:
    """Return a cell as text, empty if it is missing."""
    value = fields.get(column)
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # as pandas writes a column with gaps
    return "" if value is None or value != value else str(value).strip()


def _as_number(word: str) -> float | None:
    """Return a label as a number, NaN if it is missing, None if it is another text."""
    if word in WORDS or not word:
        return WORDS.get(word, math.nan)
    try:
        number = float(word)
    except ValueError:
        return None
    return None if math.isinf(number) or "_" in word else number
