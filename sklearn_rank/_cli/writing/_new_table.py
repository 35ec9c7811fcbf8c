"""Write a table part by part: CSV, compressed or not, or parquet, by its ending."""

import gzip
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pandas as pd

from sklearn_rank._cli.printing._errors import InputError
from sklearn_rank._cli.writing._new_file import check_new_file, new_file
from sklearn_rank._validation import check_installed

Write = Callable[[pd.DataFrame], None]


def is_table(path: str) -> bool:
    """Return whether a file has the ending of a table."""
    return _form_of(path) is not None


def check_new_table(path: str, *, force: bool, inputs: Iterable[str | None] = ()) -> None:
    """Raise unless a table can be written, as `check_new_file` does."""
    form = _form_of(path)
    if form is None:
        raise InputError(f"{path!r} needs an ending for its format: {', '.join(FORMS)}.")
    if form is _parquet:
        _import_parquet()
    check_new_file(path, force=force, inputs=inputs)


@contextmanager
def new_table(path: str, *, force: bool) -> Iterator[Write]:
    """Yield a function that adds rows to a table; the file is written atomically."""
    form = _form_of(path)
    assert form is not None  # check_new_table has checked it
    with new_file(path, force=force) as file, form(file) as write:
        yield write


@contextmanager
def _csv(file: Any, separator: str = ",") -> Iterator[Write]:
    is_first = True

    def write(rows: pd.DataFrame) -> None:
        nonlocal is_first
        form: Any = {"sep": separator, "header": is_first, "lineterminator": "\n"}
        rows.to_csv(file, index=False, mode="wb", **form)
        is_first = False

    yield write


@contextmanager
def _packed_csv(file: Any) -> Iterator[Write]:
    # Without a time stamp, so that equal tables are equal files.
    packed = gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="")
    with packed, _csv(packed) as write:
        yield write


@contextmanager
def _parquet(file: Any) -> Iterator[Write]:
    pyarrow, parquet = _import_parquet()
    writer = None

    def write(rows: pd.DataFrame) -> None:
        nonlocal writer
        schema = None if writer is None else writer.schema
        table = pyarrow.Table.from_pandas(rows, schema, preserve_index=False)
        if writer is None:
            writer = parquet.ParquetWriter(file, table.schema)
        writer.write_table(table)

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()


FORMS = {
    ".csv": _csv,
    ".csv.gz": _packed_csv,
    ".tsv": partial(_csv, separator="\t"),
    ".parquet": _parquet,
    ".pq": _parquet,
}


def _form_of(path: str) -> Any:
    return next((form for end, form in FORMS.items() if path.lower().endswith(end)), None)


def _import_parquet() -> tuple[Any, Any]:
    check_installed("pyarrow.parquet", "arrow", "A parquet file")
    import pyarrow
    from pyarrow import parquet

    return pyarrow, parquet
