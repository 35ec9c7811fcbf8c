"""Write parts of a log as files in its format, with all columns."""

import gzip
import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from sklearn_rank._cli.reading._columns import is_parquet
from sklearn_rank._cli.reading._csv import CsvFormat, encoding_of, texts_of_rows

# Endings of the files, longer ones first.
ENDINGS = (".csv.gz", ".csv", ".tsv", ".parquet")


def ending_of(path: str) -> str:
    """Return the ending of the files: the ending of the log if it is known."""
    if is_parquet(path):
        return ".parquet"
    return next((end for end in ENDINGS if path.lower().endswith(end)), ".csv")


def files_of(path: str, parts: Sequence[np.ndarray], csv: CsvFormat) -> list[bytes]:
    """Return files, each with some rows of a log in its order."""
    if is_parquet(path):
        return _parquet_files(path, parts)
    files = _csv_files(path, parts, csv)
    if ending_of(path) == ".csv.gz":
        # Without a time stamp, so that equal parts are equal files.
        files = [gzip.compress(file, mtime=0) for file in files]
    return files


def _csv_files(path: str, parts: Sequence[np.ndarray], csv: CsvFormat) -> list[bytes]:
    """Copy the lines of the rows unchanged, with separators and quotes."""
    part_of_row = np.full(max(int(rows.max()) for rows in parts) + 1, -1)
    for part, of_part in enumerate(parts):
        part_of_row[of_part] = part
    contents = [io.BytesIO() for _ in parts]
    encoding = encoding_of(path, csv) or "utf-8"
    files = [io.TextIOWrapper(file, encoding=encoding, newline="") for file in contents]
    rows = texts_of_rows(path, csv)
    names = next(rows)
    for file in files:
        file.write(names)
    for part, row in zip(part_of_row.tolist(), rows, strict=False):
        if part >= 0:
            files[part].write(row)
    for file in files:
        file.flush()
    return [content.getvalue() for content in contents]


def _parquet_files(path: str, parts: Sequence[np.ndarray]) -> list[bytes]:
    from pyarrow import parquet

    table: Any = parquet.read_table(path)
    files = []
    for rows in parts:
        file = io.BytesIO()
        parquet.write_table(table.take(rows), file)
        files.append(file.getvalue())
    return files
