"""The form of a file by its content: JSON, YAML, CSV, Parquet, or lines of TREC."""

import csv
import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

import numpy as np

from sklearn_rank._base._messages import shorten
from sklearn_rank._base._validation import missing_package_error
from sklearn_rank.inputs._reading._bytes import Content, FileError
from sklearn_rank.inputs._reading._trec_lines import first_fields, is_trec

SEPARATORS = "\t,;|"
_COMMENTS = ("//", "#")
_YAML = {".yaml", ".yml"}
# More levels of lists and objects are no golden set.
DEPTH = 100


class Record(NamedTuple):
    """An object, and its place in the file in words."""

    where: str
    fields: Mapping[Any, Any]


class Table(NamedTuple):
    """Rows below names, and the place of each: the number of its line, or words."""

    names: list[Any]
    rows: list[list[Any]]
    places: list[Any]
    floats: Mapping[Any, np.ndarray] = MappingProxyType({})  # of Parquet, by name

    def records(self, most: int | None = None) -> list[Record]:
        """Return the first rows as records."""
        rows = zip(self.rows[:most], self.places, strict=False)
        return [
            Record(_in_words(where), dict(zip(self.names, row, strict=True)))
            for row, where in rows
        ]


def _in_words(where: Any) -> str:
    return where if isinstance(where, str) else f"line {where}"


@dataclass(frozen=True)
class Parsed:
    """What a file holds: a Table, Records, another value of JSON, or lines of TREC."""

    content: Content
    value: Any = None
    is_trec: bool = False

    @property
    def name(self) -> str:
        """The name of the file in messages."""
        return self.content.name


def parse(content: Content) -> Parsed:
    """Find the form of a file by its content, and parse it unless it is of TREC."""
    name, data = content.name, content.data
    if content.value is not None:
        return Parsed(content, content.value)
    if data.startswith(b"PAR1"):
        return Parsed(content, _read_parquet(name, data))
    if content.endings & _YAML:
        return Parsed(content, _read_yaml(name, content.text()))
    fields = first_fields(data)
    if is_trec(fields):
        return Parsed(content, fields, is_trec=True)
    text = content.text()
    body = _after_comments(text)
    if not body:
        raise FileError(f"{name} is empty: it has no line 1.")
    if body[0] in "{[":
        return Parsed(content, _read_json(name, text))
    return Parsed(content, _read_table(name, text))


def _after_comments(text: str) -> str:
    """Return the start of the first line that is neither blank nor a comment."""
    for line in io.StringIO(text):
        start = line.strip()
        if start and not start.startswith(_COMMENTS):
            return start
    return ""


def _unique_object(name: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [field for field, _ in pairs]
        again = next(field for field in names if names.count(field) > 1)
        raise FileError(
            f"{name} has {shorten(again)} twice in one object, so a value would be lost; "
            "leave one."
        )
    return fields


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number of JSON")


def _read_json(name: str, text: str) -> Any:
    """Return the value of a JSON text, or the records of JSON Lines."""
    hook = partial(_unique_object, name)
    decoder = json.JSONDecoder(object_pairs_hook=hook, parse_constant=_refuse_constant)
    kept = re.sub(r"\A(?:[ \t\r]*(?:(?://|#)[^\n]*)?\n)+", "", text)
    above, number = text.count("\n", 0, len(text) - len(kept)), 0
    kept = kept.lstrip(" \t\r").rstrip()
    records: list[Record] = []
    try:
        value, end = decoder.raw_decode(kept)
        if end == len(kept):
            return value
        for number, line in enumerate(kept.split("\n"), above + 1):
            record = line.strip()
            if record and not record.startswith(_COMMENTS):
                records.append(Record(f"line {number}", decoder.decode(record)))
    except FileError:
        raise
    except RecursionError as error:
        raise FileError(f"{name} is nested too deep; {DEPTH} levels are enough.") from error
    except json.JSONDecodeError as error:
        where = number or above + error.lineno
        raise FileError(f"{name} is not JSON in line {where}: {error.msg}.") from error
    except ValueError as error:  # a constant, or a number of too many digits
        where = number or above + 1
        raise FileError(f"{name} is not JSON in line {where}: {error}.") from error
    return records


def _read_yaml(name: str, text: str) -> Any:
    try:
        import yaml
    except ImportError as error:
        raise missing_package_error("yaml", "cli", f"{name}, a YAML file,") from error
    try:
        return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except RecursionError as error:
        raise FileError(f"{name} is nested too deep; {DEPTH} levels are enough.") from error
    except (yaml.YAMLError, ValueError) as error:
        raise FileError(f"{name} is not YAML: {' '.join(str(error).split())}.") from error


def _read_parquet(name: str, data: bytes) -> Table:
    try:
        from pyarrow import ArrowException, parquet, types
    except ImportError as error:
        raise missing_package_error(
            "pyarrow", "arrow", f"{name}, a Parquet file,"
        ) from error
    try:
        table = parquet.read_table(io.BytesIO(data))
    except (ArrowException, OSError) as error:
        raise FileError(f"{name} is not a whole Parquet file: {error}") from error
    columns = [column.to_pylist() for column in table.columns]
    places = [f"row {number}" for number in range(1, table.num_rows + 1)]
    rows = [list(row) for row in zip(*columns, strict=True)]
    floats = {
        name: column.to_numpy()
        for name, column in zip(table.column_names, table.columns, strict=True)
        if types.is_floating(column.type)
    }
    return _filled(name, Table(table.column_names, rows, places, floats))


def _read_table(name: str, text: str) -> Table:
    head = _after_comments(text) if text.lstrip().startswith("//") else text.lstrip()
    head = head.split("\n", 1)[0]
    separator = max(SEPARATORS, key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[list[str]] = []
    places: list[int] = []
    start = 1
    try:
        for row in reader:
            if row and (len(row) > 1 or row[0].strip()):
                rows.append(row)
                places.append(start)
            start = reader.line_num + 1
    except csv.Error as error:
        raise FileError(f"{name} is not CSV in line {start}: {error}.") from error
    names = [cell.strip() for cell in rows[0]]
    for row, where in zip(rows, places, strict=True):
        if len(row) != len(names):
            raise FileError(
                f"{name} has {len(row)} fields in line {where}, but {len(names)} in line "
                f"{places[0]}; quote cells that hold the separator."
            )
    again = {field for field in names if names.count(field) > 1}
    if again:
        raise FileError(f"{name} has two columns {min(again)!r} in line {places[0]}.")
    return _filled(name, Table(names, rows[1:], places[1:]))


def _filled(name: str, table: Table) -> Table:
    if not table.rows:
        raise FileError(
            f"{name} has no row below line 1, {shorten(table.names)}; needed is a line of "
            "names, then rows."
        )
    return table
