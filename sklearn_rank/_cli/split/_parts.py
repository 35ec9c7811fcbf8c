"""Parts of a log as files in its format, with all that its rows have."""

import gzip
import io
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sklearn_rank._cli._csv import lines_of_rows
from sklearn_rank._cli._input_files import open_lines
from sklearn_rank._cli._run_files import is_parquet

# Of the files, longer ones first.
ENDINGS = (".csv.gz", ".csv", ".tsv", ".parquet")


def ending_of(path: str) -> str:
    """Return the ending of the files: that of the log, where it is known."""
    if is_parquet(path):
        return ".parquet"
    return next((end for end in ENDINGS if path.lower().endswith(end)), ".csv")


def files_of(path: str, parts: Sequence[np.ndarray]) -> list[bytes]:
    """Return files, each with some rows of a log, in its order."""
    if is_parquet(path):
        return _parquet_files(path, parts)
    files = _csv_files(path, parts)
    if ending_of(path) == ".csv.gz":
        # Without the time, so that equal parts are equal files.
        files = [gzip.compress(file, mtime=0) for file in files]
    return files


def _csv_files(path: str, parts: Sequence[np.ndarray]) -> list[bytes]:
    """Copy the lines of the rows as they are: separators, quotes and all."""
    starts = np.fromiter(lines_of_rows(path), np.int64)
    part_of_row = np.full(len(starts), -1)
    for part, rows in enumerate(parts):
        part_of_row[rows + 1] = part
    files = [io.StringIO(newline="") for _ in parts]
    everywhere = dict(enumerate(files))
    for place, text in _rows(path, starts):
        # The first row has the names.
        for part in everywhere if place == 0 else (part_of_row[place],):
            if part >= 0:
                files[part].write(text)
    return [file.getvalue().encode() for file in files]


def _rows(path: str, starts: np.ndarray) -> Iterator[tuple[int, str]]:
    """Yield the place of a row and the text of one of its lines."""
    place = -1
    with open_lines(path) as file:
        lines = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        for number, line in enumerate(lines, 1):
            if place + 1 < len(starts) and number == starts[place + 1]:
                place += 1
            if place >= 0 and line.strip(" \t\r\n"):
                yield place, line if line.endswith(("\n", "\r")) else f"{line}\n"
        lines.detach()


def _parquet_files(path: str, parts: Sequence[np.ndarray]) -> list[bytes]:
    from pyarrow import parquet

    table: Any = parquet.read_table(path)
    files = []
    for rows in parts:
        file = io.BytesIO()
        parquet.write_table(table.take(rows), file)
        files.append(file.getvalue())
    return files
