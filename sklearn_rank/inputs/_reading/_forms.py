"""The form of a file by its content: JSON, YAML, CSV, Parquet, or lines of TREC."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

import numpy as np

from sklearn_rank._base._messages import shorten
from sklearn_rank._base._validation import missing_package_error
from sklearn_rank.inputs._reading._bytes import Content, FileError, check_size, read_content
from sklearn_rank.inputs._reading._trec_lines import first_fields, is_trec

SEPARATORS = "\t,;|"
_COMMENTS = ("//", "#")
_YAML = {".yaml", ".yml"}
# Golden sets have fewer levels of lists and objects.
DEPTH = 100
# Nine lines of aliases can stand for a thousand million of repeated parts.
_MOST_PARTS = 1_000_000


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
            Record(_describe_place(where), dict(zip(self.names, row, strict=True)))
            for row, where in rows
        ]


def _describe_place(where: Any) -> str:
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
        if _deepest(content.value, _inside_json) is not None:
            raise too_deep(name, "its values")
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


def too_deep(name: str, where: str) -> FileError:
    """Return the error of a file with too many levels."""
    return FileError(f"{name} is nested too deep in {where}; {DEPTH} levels are enough.")


def _deepest(value: Any, parts_of: Callable[[Any], Iterable[Any]]) -> Any:
    """Return a part of a value beyond the levels, or that aliases repeat too often.

    A part is visited once in a level, however often it stands there.
    """
    level = {id(value): (value, 1)}
    for _ in range(DEPTH):
        below: dict[int, tuple[Any, int]] = {}
        for holder, times in level.values():
            for part in parts_of(holder):
                below[id(part)] = part, below.get(id(part), (part, 0))[1] + times
        if not below:
            return None
        level = below
        if sum(times - 1 for _, times in level.values()) > _MOST_PARTS:
            break
    return next(iter(level.values()))[0]


def _inside_json(value: Any) -> list[Any]:
    parts = value.values() if isinstance(value, dict) else value
    return [part for part in parts if isinstance(part, list | dict)]


def _unique_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError(_name_twice([field for field, _ in pairs]))
    return fields


def _name_twice(names: list[Any]) -> str:
    again = next(field for field in names if names.count(field) > 1)
    return f"{shorten(again)} is twice in one object, so a value would be lost"


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number of JSON")


def _read_json(name: str, text: str) -> Any:
    """Return the value of a JSON text, or the records of JSON Lines."""
    decoder = json.JSONDecoder(
        object_pairs_hook=_unique_object, parse_constant=_refuse_constant
    )
    kept = re.sub(r"\A(?:[ \t\r]*(?:(?://|#)[^\n]*)?\n)+", "", text)
    above, number = text.count("\n", 0, len(text) - len(kept)), 0
    kept = kept.lstrip(" \t\r").rstrip()
    records: list[Record] = []
    try:
        value, end = decoder.raw_decode(kept)
        if end == len(kept):
            if _deepest(value, _inside_json) is not None:
                raise RecursionError
            _check_text(kept, value)
            return value
        for number, line in enumerate(kept.split("\n"), above + 1):
            record = line.strip()
            if record and not record.startswith(_COMMENTS):
                value = decoder.decode(record)
                _check_text(record, value)
                if record.count("{") + record.count("[") > DEPTH and (
                    _deepest(value, _inside_json) is not None
                ):
                    raise RecursionError
                records.append(Record(f"line {number}", value))
    except RecursionError as error:
        where = number or _deep_line(kept, above)
        raise too_deep(name, f"line {where}") from error
    except json.JSONDecodeError as error:
        where = number or above + error.lineno
        message = f"{error.msg.removesuffix(' starting at')}, column {error.colno}"
        raise FileError(f"{name} is not JSON in line {where}: {message}.") from error
    except ValueError as error:  # a name twice, a constant, a number of too many digits
        at = number or next(_signs(kept, above, "NaN|Infinity"), ("", 0))[1]
        line = f" in line {at}" if at else ""
        raise FileError(f"{name} is not JSON{line}: {error}.") from error
    return records


def _check_text(text: str, value: Any) -> None:
    """Raise if escapes stand for halves of characters, which no file can hold."""
    if "\\ud" in text or "\\uD" in text:
        json.dumps(value, ensure_ascii=False).encode()


def _signs(text: str, above: int, pattern: str) -> Iterator[tuple[str, int]]:
    """Yield the matches outside of strings, and their lines."""
    line = above + 1
    for match in re.finditer(rf'"(?:[^"\\]|\\.)*"|\n|{pattern}', text):
        line += match[0] == "\n"
        if match[0][0] not in '"\n':
            yield match[0], line


def _deep_line(text: str, above: int) -> int:
    """Return the number of the line with the first bracket beyond the levels."""
    depth = 0
    for sign, line in _signs(text, above, r"[][{}]"):
        depth += 1 if sign in "[{" else -1
        if depth > DEPTH:
            return line
    return above + 1


def _read_yaml(name: str, text: str) -> Any:
    try:
        import yaml
    except ImportError as error:
        raise missing_package_error("yaml", "cli", f"{name}, a YAML file,") from error

    def parts_of(node: Any) -> Iterable[Any]:
        if not isinstance(node, yaml.MappingNode):
            return node.value if isinstance(node, yaml.SequenceNode) else ()
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        if len(set(keys)) < len(keys):
            line = node.start_mark.line + 1
            raise FileError(f"{name} is not YAML in line {line}: {_name_twice(keys)}.")
        return [part for pair in node.value for part in pair]

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        node = loader.get_single_node()
        deepest = None if node is None else _deepest(node, parts_of)
        if deepest is not None:
            line = f"line {deepest.start_mark.line + 1}, or repeats too much by aliases"
            raise too_deep(name, line)
        return None if node is None else loader.construct_document(node)
    except RecursionError as error:
        raise too_deep(name, "a line") from error
    except (yaml.YAMLError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{name} is not YAML: {' '.join(str(error).split())}.") from error
    finally:
        loader.dispose()


def _read_parquet(name: str, data: bytes) -> Table:
    try:
        from pyarrow import ArrowException, parquet, types
    except ImportError as error:
        raise missing_package_error(
            "pyarrow", "arrow", f"{name}, a Parquet file,"
        ) from error
    try:
        about = parquet.read_metadata(io.BytesIO(data))
        check_size(name, 8 * about.num_rows * about.num_columns, len(data))
        table = parquet.read_table(io.BytesIO(data))
    except (ArrowException, OSError) as error:
        text = " ".join(str(error).split())
        raise FileError(f"{name} is not a whole Parquet file: {text}") from error
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
    while names and not names[-1]:  # as spreadsheets end lines
        names.pop()
    n_names = len(names)
    for row, where in zip(rows, places, strict=True):
        if len(row) < n_names or any(row[n_names:]):
            raise FileError(
                f"{name} has {len(row)} fields in line {where}, but {n_names} in line "
                f"{places[0]}; quote cells that hold the separator."
            )
        del row[n_names:]
    again = {field for field in names if names.count(field) > 1}
    if again:
        raise FileError(f"{name} has two columns {min(again)!r} in line {places[0]}.")
    return _filled(name, Table(names, rows[1:], places[1:]))


def _filled(name: str, table: Table) -> Table:
    if not table.rows:
        raise FileError(
            f"{name} has no row below line 1, {shorten(table.names)}; write a line of "
            "names, then rows."
        )
    return table


def read_document_map(file: Any) -> dict[str, str]:
    """Return the document of each id, from a table of two columns with a line of names."""
    parsed = parse(read_content(file, "document_map"))
    if not isinstance(parsed.value, Table) or len(parsed.value.names) != 2:
        raise FileError(
            f"{parsed.name} is not a table with two columns, an id and that of its "
            "document, below a line of names."
        )
    return {str(item): str(document) for item, document in parsed.value.rows}
