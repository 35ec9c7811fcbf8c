"""Logs of interactions in files: which rows are used, and why others are not."""

import csv
import io
import os
import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sklearn_rank._base._messages import quantity
from sklearn_rank._base._text import escape_controls
from sklearn_rank._base._validation import check_installed, suggest
from sklearn_rank._cli._errors import InputError, quote_value, report_errors_as_options
from sklearn_rank._cli.files._golden_sets import errors_as_options
from sklearn_rank._cli.files._parsed_columns import (
    LARGEST,
    NOTHING_READ,
    READERS,
    Python,
    ReadColumn,
    read_numbers,
)
from sklearn_rank.datasets import make_interactions, read_log
from sklearn_rank.inputs import InteractionLog
from sklearn_rank.inputs._columns import named_column
from sklearn_rank.inputs._reading._bytes import Content, read_content
from sklearn_rank.inputs._reading._forms import SEPARATORS, parse
from sklearn_rank.inputs._times import Times, check_units, find_far_rows

EMBEDDED_LOG = "the embedded log"
# Endings of public data sets, whose files have no line of names.
PUBLIC = (".zip", ".dat", ".data")
# With this share of bad rows it is the wrong column.
MOST_BAD = 0.5


class CsvText(NamedTuple):
    """The text of a CSV file, which tells the lines of rows."""

    text: str
    separator: str


def place_of(text: CsvText | None, row: int) -> str:
    """Return the place of a row in words; rows count from 0."""
    if text is None:
        return f"row {row + 1}"
    lines = io.StringIO(text.text, newline="")
    reader, start = csv.reader(lines, delimiter=text.separator), 1
    for cells in reader:
        if len(cells) > 1 or (cells and (cells[0].strip() or not cells[0])):
            row -= 1
        if row < -1:
            break
        start = reader.line_num + 1
    return f"line {start}"


@dataclass(frozen=True)
class LogFile:
    """Rows of a log, and what was left out of the file."""

    source: str  # in messages
    columns: dict[str, str]  # by role: user, item, and time and rating where used
    frame: pd.DataFrame  # all rows and columns of the file
    rows: np.ndarray  # the positions of those that are used
    dropped: dict[str, str]  # by column, why others are not
    n_dropped: dict[str, int]
    read_as: str  # how times were read, where a note is needed
    python: dict[str, Python]  # by role, the call that reads a column alike
    log: InteractionLog
    text: CsvText | None  # of a CSV file

    def take(self, rows: np.ndarray) -> "LogFile":
        """Return some of the rows, by their position among those that are used."""
        return LogFile(**{**vars(self), "rows": self.rows[rows], "log": self.log[rows]})

    def describe(self) -> str:
        """Describe the rows that were read and dropped, as lines of text."""
        log = self.log
        n_users, n_items = len(log.users_), len(log.items_)
        lines = [
            f"Read {escape_controls(self.source)}: {quantity(len(self.frame), 'row')}",
            *(f"  dropped {reason}" for reason in self.dropped.values()),
            f"  {quantity(len(self.rows), 'row')} of {quantity(n_users, 'user')} and "
            f"{quantity(n_items, 'item')}{f', {log.period}' if log.period else ''}",
        ]
        if self.read_as:
            lines.append(f"  times were read as {self.read_as}")
        n_repeated = len(self.rows) - len(np.unique(self.pairs()))
        if n_repeated:
            share = n_repeated / len(self.rows)
            lines.append(f"  {share:.1%} repeat an earlier user–item pair")
        return "\n".join(lines)

    def pairs(self) -> np.ndarray:
        """Return a number for the user and the item of each row."""
        users, items = self.log.users, self.log.items
        return users.codes.astype(np.int64) * len(items.values) + items.codes

    def summary(self) -> dict[str, Any]:
        """Return in numbers what was read and dropped."""
        log = self.log
        times = log.times
        ends = [None, None] if times is None else [times.values.min(), times.values.max()]
        first, last = (None if times is None else times.show(end) for end in ends)
        return {
            "source": self.source,
            "rows_read": len(self.frame),
            "dropped": self.n_dropped,
            "rows": len(self.rows),
            "users": len(log.users_),
            "items": len(log.items_),
            "first_time": first,
            "last_time": last,
        }

    def far_rows(self) -> str | None:
        """Describe rows that are dated far after all others, if there are any."""
        far = None if self.log.times is None else find_far_rows(self.log.times)
        if far is None:
            return None
        where = place_of(self.text, int(self.rows[far.row]))
        return far.describe(f"Column {self.columns['time']!r}", where)


def read_log_file(
    path: str | None, wanted: Mapping[str, str | None], without_times: str = ""
) -> LogFile:
    """Read and check a log, the embedded one if there is no path.

    `wanted` has the names of columns by role: user, item, and perhaps time and rating; None
    is the usual name. `without_times` names the options for a log without times.
    """
    source = EMBEDDED_LOG if path is None else path
    frame, text = _read_frame(path)
    columns = _find_columns(source, frame, wanted, without_times)
    is_used = np.ones(len(frame), dtype=bool)
    read: dict[str, ReadColumn] = {}
    dropped, n_dropped = {}, {}
    for role, name in columns.items():
        try:
            codes, labels = pd.factorize(frame[name])
        except TypeError as error:
            raise InputError(
                f"Column {name!r} needs one value per row, but it holds lists or the like."
            ) from error
        if role == "time":
            _check_units(read_numbers(pd.Index(labels), "bM"), codes, name, text)
        column = READERS[role](pd.Index(labels), name) if len(labels) else NOTHING_READ
        # The code of a missing value is -1: the last one.
        is_bad = np.append(pd.isna(column.values), True)[codes] & is_used
        n_used, n_bad = int(is_used.sum()), int(is_bad.sum())
        is_used &= ~is_bad  # a row counts for one reason only
        read[role] = column._replace(values=column.values[codes])
        if not n_bad:
            continue
        is_wrong = is_bad & (codes >= 0) if role == "time" else is_bad
        n_dropped[name] = n_bad
        dropped[name] = f"{quantity(n_bad, 'row')} where column {name!r} is empty"
        if role in ("time", "rating") and is_wrong.any():
            first = int(np.argmax(is_wrong))
            value = "empty" if codes[first] < 0 else quote_value(labels[codes[first]])
            where = place_of(text, first)
            if n_bad >= MOST_BAD * n_used:
                raise InputError(
                    f"Column {name!r} needs {_needed(role, column)}, but in {where} it is "
                    f"{value} (number of bad rows: {n_bad:,})."
                )
            dropped[name] = (
                f"{quantity(n_bad, 'row')} where column {name!r} is not a {role}, such as "
                f"{value} in {where}"
            )
        if not is_used.any():
            break
    rows = np.flatnonzero(is_used)
    if not len(rows):
        raise InputError(f"{source} has no complete row: {', '.join(dropped.values())}.")
    used = {columns[role]: of.values[rows] for role, of in read.items() if role != "rating"}
    with report_errors_as_options({}):
        log = InteractionLog(
            pd.DataFrame(used),
            read["rating"].values[rows] if "rating" in read else None,
            user=columns["user"],
            item=columns["item"],
            time=columns.get("time"),
        )
    return LogFile(
        source=source,
        columns=columns,
        frame=frame,
        rows=rows,
        dropped=dropped,
        n_dropped=n_dropped,
        read_as=read["time"].read_as if "time" in read else "",
        python={role: of.python for role, of in read.items() if of.python},
        log=log,
        text=text,
    )


# The table of a file.


def _read_frame(path: str | None) -> tuple[pd.DataFrame, CsvText | None]:
    """Return all rows and columns of a file, and the text of a CSV file."""
    if path is None:
        return make_interactions(2000, 1000, 100_000, random_state=0, as_frame=True), None
    if os.path.isdir(path) or path.lower().endswith(PUBLIC):
        # A zip may also hold one table, and no public data set.
        own_table = (InputError,) if path.lower().endswith(".zip") else ()
        with suppress(*own_table), report_errors_as_options({"source": repr(path)}):
            return read_log(path).frame, None
    with errors_as_options():
        content = read_content(path, "log")
        if content.data.startswith(b"PAR1"):
            return _read_parquet(content), None
        if content.data.lstrip()[:1] not in (b"{", b"["):
            return _read_csv(content)
        value = parse(content).value
    records = value if isinstance(value, list) else []
    objects = [getattr(record, "fields", record) for record in records]
    if not objects or not all(isinstance(fields, Mapping) for fields in objects):
        raise InputError(f"{content.name} is not a list of objects, one for each row.")
    return pd.DataFrame(objects), None


def _read_parquet(content: Content) -> pd.DataFrame:
    check_installed("pyarrow", "arrow", "A parquet file")
    try:
        return pd.read_parquet(io.BytesIO(content.data)).reset_index(drop=True)
    except Exception as error:  # pyarrow and pandas raise many kinds for damaged files
        raise InputError(
            f"{content.name} is not a complete parquet file: {error}"
        ) from error


def _read_csv(content: Content) -> tuple[pd.DataFrame, CsvText]:
    """Return the cells as text: 007 stays 007, and NA is a name."""
    text = content.text()
    text = text if "\n" in text else text.replace("\r", "\n")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InputError(f"Line {line} of {content.name} has a NUL character: not text.")
    head = next((line for line in io.StringIO(text) if line.strip()), None)
    if head is None:
        raise InputError(f"{content.name} is empty.")
    separator = max(SEPARATORS, key=head.count)
    names = next(csv.reader([head], delimiter=separator))
    again = next((name for name in names if names.count(name) > 1), None)
    if again is not None:
        n = names.count(again)
        raise InputError(f"{content.name} has {n} columns named {again!r}; rename them.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(
                io.StringIO(text, newline=""),
                sep=separator,
                dtype=str,
                index_col=False,
                keep_default_na=False,  # only an empty cell is missing
                na_values=[""],
            )
    except (ValueError, pd.errors.ParserWarning) as error:
        raise InputError(
            f"Cannot read {content.name}: {error}. Quote cells that hold the separator."
        ) from error
    return frame, CsvText(text, separator)


def _find_columns(
    source: str,
    frame: pd.DataFrame,
    wanted: Mapping[str, str | None],
    without_times: str = "",
) -> dict[str, str]:
    """Return the columns by role; raise for one that is missing, or has two roles."""
    names = [str(name) for name in frame.columns]
    frame.columns = pd.Index(names)
    if not len(frame):
        raise InputError(f"{source} has column names but no rows.")
    columns: dict[str, str] = {}
    for role, asked in wanted.items():
        name = asked or role
        if asked is None and role not in names and role in ("user", "item"):
            with report_errors_as_options({"user": "--user", "item": "--item"}):
                name = named_column(names, role, name=source) or role
        if name not in names:
            advice = (
                f" For a log without times take {without_times}." if role == "time" else ""
            )
            taken = {asked or role for role, asked in wanted.items()}
            free = [column for column in names if column not in taken]
            if len(names) == 1:
                advice = " Separators are comma, semicolon, tab and bar."
            raise InputError(
                f"{source} has no column {name!r}; name one with --{role}. "
                f"{suggest(name, free)}{advice}"
            )
        for other_role, column in columns.items():
            if column == name:
                raise InputError(
                    f"--{other_role} and --{role} both name the column {name!r}; name two."
                )
        columns[role] = name
    return columns


def _check_units(
    numbers: np.ndarray, codes: np.ndarray, name: str, text: CsvText | None
) -> None:
    """Raise if numbers are in several units; the rarer one would be dropped."""
    rows = np.flatnonzero(np.append(np.isfinite(numbers), False)[codes])
    if len(rows):
        locate = partial(_place_among, text, rows)
        check_units(Times(numbers[codes[rows]]), f"Column {name!r}", locate)


def _place_among(text: CsvText | None, rows: np.ndarray, position: int) -> str:
    return place_of(text, int(rows[position]))


def _needed(role: str, column: "ReadColumn") -> str:
    """Return what a column needs, in words."""
    number = f"a number up to {LARGEST:.0e}"
    if role == "rating":
        return f"a number from 0 to {LARGEST:.0e}"
    if pd.isna(column.values).all():
        return f"a time: {number}, or a date such as 2024-01-31"
    kind = number if column.values.dtype.kind in "fiu" else "a date such as 2024-01-31"
    return f"one kind of time in all rows, here {kind}"
