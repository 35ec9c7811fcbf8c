"""Read columns of a CSV file; reject files that pandas would misread."""

import codecs
import csv
import io
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from itertools import chain, islice
from stat import S_ISDIR, S_ISREG
from typing import Any, Concatenate, ParamSpec, TypeVar

import pandas as pd
from pandas.api.types import union_categoricals

from sklearn_rank._base._files import UnpackingError, open_unpacked
from sklearn_rank._base._messages import quantity
from sklearn_rank._cli._errors import InputError, quote_value

P = ParamSpec("P")
R = TypeVar("R")
# Endings of compressed files; their bytes decide.
PACKED = (".gz", ".bz2", ".xz", ".zip")
# Models hold numbers in single precision, and square and sum them in double precision.
LARGEST = 1e30
UTF_8 = "utf-8-sig"
SEPARATORS = (",", ";", "\t")
# The longest line, in characters: a file without line breaks must not fill memory.
LONGEST_LINE = 2**20
# Text takes far more memory than category codes.
ROWS_AT_ONCE = 1_000_000


def check_file(path: str, needed: str) -> None:
    """Raise unless the file exists."""
    try:
        kind = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError(
            f"There is no file {path!r}; check the name and the folder."
        ) from error
    except OSError as error:
        raise InputError(f"Cannot read {path!r}: {error.strerror or error}.") from error
    if S_ISDIR(kind):
        raise InputError(f"{path!r} is a folder; name {needed} in it.")
    if not S_ISREG(kind):
        # A pipe may be endless, and can be read only once.
        raise InputError(f"{path!r} is not a regular file; save its content in {needed}.")


@contextmanager
def refuse_changes(*paths: str | None) -> Iterator[None]:
    """Raise if a file that the block reads more than once changes in the meantime."""
    before = [_file_state(path) for path in paths]
    try:
        yield
    finally:
        # What a changed file raises may be anything; an interrupt has another cause.
        if not isinstance(sys.exception(), KeyboardInterrupt):
            for path, state in zip(paths, before, strict=True):
                if path is not None and _file_state(path) != state:
                    raise changed_error(path)


def guard_path(read: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Return a function that reads a path more than once, and refuses changes of it."""

    @wraps(read)
    def guarded(path: Any, *arguments: P.args, **options: P.kwargs) -> R:
        with refuse_changes(path):
            return read(path, *arguments, **options)

    return guarded


def changed_error(path: str) -> InputError:
    """Return the error for a file that changed between two reads."""
    return InputError(
        f"{path!r} changed while it was read; nothing was written. Copy it first, or run "
        "again."
    )


def _file_state(path: str | None) -> tuple[int, ...] | None:
    """Return what tells one state of a file from another; None if there is no file."""
    if path is None:
        return None
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


@contextmanager
def open_lines(path: str) -> Iterator[Any]:
    """Open a binary file, compressed or not; errors in reading become an InputError."""
    try:
        with open_unpacked(path) as lines:
            yield lines
    except UnpackingError as error:
        raise InputError(f"Cannot read {path!r}: {error}.") from error
    except OSError as error:
        raise InputError(f"Cannot read {path!r}: {error.strerror or error}.") from error


def find_torn_line(path: str, encoding: str | None) -> int | None:
    """Return where the last line of a text begins if it has no line end; None if it has.

    JSON, tables of other forms and what is packed or not there have none either.
    """
    is_text = not path.lower().endswith((".json", ".parquet", ".pq"))
    if not (is_text and os.path.isfile(path) and "\n".encode(encoding or "utf-8") == b"\n"):
        return None
    with open_lines(path) as file:
        if not isinstance(file, io.BufferedReader):
            return None
        start = max(0, file.seek(0, os.SEEK_END) - LONGEST_LINE)
        file.seek(start)
        end = file.read()
    line = end.rfind(b"\n") + 1
    return start + line if end[line:].strip() else None


@dataclass(frozen=True)
class CsvFormat:
    """The separator and encoding of a CSV file; if None, detected, and UTF-8."""

    separator: str | None = None
    encoding: str | None = None

    @classmethod
    def from_options(cls, options: Namespace) -> "CsvFormat":
        """Return the values of --sep and --encoding."""
        return cls(options.sep, options.encoding)


AS_USUAL = CsvFormat()


def read_csv(
    path: str,
    find_columns: Callable[[list[str]], Mapping[str, int]],
    csv_format: CsvFormat = AS_USUAL,
) -> pd.DataFrame:
    """Return the columns by role, each as categories of text.

    `find_columns` maps roles to places among the names in the first line.
    """
    with _open_csv(path, csv_format) as (separator, lines):
        rows = _iterate_rows(path, lines, separator)
        _, names = next(rows)
        places = find_columns(names)
        if not places:
            return pd.DataFrame()
        _check_lengths(path, rows, names)
    resolved = CsvFormat(separator, detect_encoding(path, csv_format))
    parts = _read_parts(path, resolved, len(names), sorted(places.values()))
    return pd.DataFrame(
        {
            # Sorted like the categories of a single part.
            role: union_categoricals([p[index] for p in parts], sort_categories=True)
            for role, index in places.items()
        }
    )


def detect_format(path: str, csv_format: CsvFormat) -> CsvFormat:
    """Return the separator of a file, and its encoding, None for UTF-8."""
    with _open_csv(path, csv_format) as (separator, _):
        return CsvFormat(separator, detect_encoding(path, csv_format))


def detect_encoding(path: str, csv_format: CsvFormat) -> str | None:
    """Return the encoding of a file, None for UTF-8.

    The commands write UTF-8, also for a log in another encoding. Text of another encoding
    is hardly ever valid UTF-8 beyond ASCII.
    """
    encoding = csv_format.encoding
    return None if encoding is None or _is_utf_8(path, encoding) else encoding


def _is_utf_8(path: str, encoding: str) -> bool:
    """Return whether a file is UTF-8 that the named encoding would misread."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    is_misread = b"user,item\n".decode(encoding, "replace") != "user,item\n"
    with open_lines(path) as file:
        try:
            while part := file.read(LONGEST_LINE):
                text = decoder.decode(part)
                # UTF-16 text has NUL bytes.
                if "\0" in text:
                    return False
                is_misread = is_misread or not text.isascii()
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return is_misread


def line_of_row(path: str, row: int, csv_format: CsvFormat = AS_USUAL) -> int:
    """Return the number of the line where a row starts; rows count from 0."""
    # The first line has the names.
    with _open_csv(path, csv_format) as (separator, lines):
        return next(islice(_iterate_rows(path, lines, separator), row + 1, None))[0]


def iterate_row_texts(path: str, csv_format: CsvFormat) -> Iterator[str]:
    """Yield each row as it is written, the line of names first."""
    read: list[str] = []
    with _open_csv(path, csv_format) as (separator, lines):
        for _ in _iterate_rows(path, _collect_lines(lines, read), separator):
            while len(read) > 1 and not read[0].strip(" \t\r\n"):
                del read[0]  # an empty line before the row
            text = "".join(read)
            yield text if text.endswith(("\n", "\r")) else f"{text}\n"
            read.clear()


def _collect_lines(lines: Iterable[str], read: list[str]) -> Iterator[str]:
    for line in lines:
        read.append(line)
        yield line


def _read_parts(
    path: str, csv_format: CsvFormat, n_columns: int, places: list[int]
) -> list[pd.DataFrame]:
    with open_lines(path) as file:
        try:
            parts = pd.read_csv(
                file,
                sep=csv_format.separator,
                header=0,
                names=range(n_columns),
                usecols=places,
                index_col=False,
                # Not "category": it would take 007 for the number 7.
                dtype=str,
                # "NA" is a country and a name: only an empty cell is missing.
                keep_default_na=False,
                na_values=[""],
                encoding=csv_format.encoding or UTF_8,
                chunksize=ROWS_AT_ONCE,
            )
            return [part.astype("category") for part in parts]
        except ValueError as error:
            raise InputError(f"Cannot read {path!r}: {error}") from error


@contextmanager
def _open_csv(
    path: str, csv_format: CsvFormat = AS_USUAL
) -> Iterator[tuple[str, Iterable[str]]]:
    """Open a file; yield its separator and its lines."""
    encoding = detect_encoding(path, csv_format)
    with open_lines(path) as file:
        text = io.TextIOWrapper(file, encoding=encoding or UTF_8, newline="")
        lines = _iterate_lines(path, text)
        try:
            before, first = _skip_empty_lines(path, lines)
            separator = _detect_separator_in(first, csv_format.separator)
            yield separator, chain(before, [first], lines)
        except UnicodeError as error:
            name = encoding or "UTF-8"
            why = getattr(error, "reason", error)
            raise InputError(
                f"{path!r} is not {name} text ({why}); save it as UTF-8 or "
                "parquet, or name its encoding with --encoding."
            ) from error


def _iterate_lines(path: str, text: io.TextIOWrapper) -> Iterator[str]:
    number = 0
    while line := text.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE:
            raise InputError(
                f"Line {number} of {path!r} has {LONGEST_LINE:,} characters or more; "
                "needed is a CSV file with one row per line."
            )
        if "\0" in line:
            raise InputError(
                f"Line {number} of {path!r} holds a NUL character, which is not text: get "
                "the file again, or name its encoding, such as --encoding utf-16-le."
            )
        yield line


def _skip_empty_lines(path: str, lines: Iterator[str]) -> tuple[list[str], str]:
    """Return the empty lines at the start and the first line with text."""
    before: list[str] = []
    for line in lines:
        if line.strip(" \t\r\n"):
            return before, line
        before.append(line)
    raise InputError(f"{path!r} is empty.")


def _detect_separator_in(line: str, preferred: str | None) -> str:
    """Return the preferred separator if the line has it, else one that it has."""
    separators = SEPARATORS if preferred is None else (preferred, *SEPARATORS)
    for separator in separators:
        if len(next(csv.reader([line], delimiter=separator))) > 1:
            return separator
    return separators[0]


def _iterate_rows(
    path: str, lines: Iterable[str], separator: str
) -> Iterator[tuple[int, list[str]]]:
    """Yield the first line of each row, and its cells; empty lines are not rows."""
    # The empty line at the end falls into the last cell if its quotes are still open.
    reader = csv.reader(chain(lines, [""]), delimiter=separator)
    start, cells = 1, []
    try:
        for cells in reader:
            if cells and not _is_blank(cells):
                yield start, cells
            start = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"Cannot read line {start} of {path!r}: {error}.") from error
    if cells:
        raise InputError(
            f"Cannot read {path!r}: the quotes around {quote_value(cells[-1])} are not "
            "closed."
        )


def _is_blank(cells: list[str]) -> bool:
    """Return whether a line is blank; pandas skips these too."""
    return len(cells) == 1 and cells[0] != "" and not cells[0].strip(" \t")


def _check_lengths(
    path: str, rows: Iterable[tuple[int, list[str]]], names: list[str]
) -> None:
    for start, cells in rows:
        if len(cells) > len(names) and any(map(str.strip, cells[len(names) :])):
            raise InputError(
                f"Line {start} of {path!r} has {quantity(len(cells), 'cell')}, but the "
                f"first line names {quantity(len(names), 'column')}: "
                f"{quote_value(','.join(cells))}. Put quotes around cells with a separator."
            )
