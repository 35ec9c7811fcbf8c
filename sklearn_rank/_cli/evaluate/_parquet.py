"""Parquet files, read a few rows at a time."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sklearn_rank._cli.printing._errors import InputError
from sklearn_rank._validation import require, suggest

# Rows that are read at once, and what is read ahead of them.
_ROWS = 2**16


def open_files(path: str) -> Any:
    """Return the rows of a Parquet file, or of all in a folder, as a pyarrow Dataset."""
    try:
        from pyarrow import dataset
    except ImportError as error:
        raise require("pyarrow", "arrow", "`evaluate`") from error
    if not Path(path).exists():
        raise InputError(f"There is no file or folder {path!r}; check the name.")
    # Otherwise row groups, which may be large, are read as a whole.
    options = dataset.ParquetFragmentScanOptions(use_buffered_stream=True, pre_buffer=False)
    form = dataset.ParquetFileFormat(default_fragment_scan_options=options)
    try:
        files = dataset.dataset(path, format=form)
    except (OSError, ValueError) as error:
        raise InputError(
            f"{path!r} is no whole Parquet file, which rows need; lists need TEST, too."
        ) from error
    if not files.files:
        raise InputError(f"Folder {path!r} has no files; name one with Parquet files.")
    return files


def count_rows(files: Any) -> int:
    """Return the number of rows of all files."""
    n_rows = 0
    for file in files.get_fragments():
        with _naming(file):
            n_rows += file.count_rows()
    return n_rows


def read(files: Any, columns: Sequence[str], count: Callable[[int], None]) -> Iterator[Any]:
    """Yield the rows in batches, and tell how many these have."""
    names = files.schema.names
    for column in columns:
        if column not in names:
            raise InputError(
                f"{column!r} is not a column of the files. {suggest(column, names)}"
            )
    wanted = list(dict.fromkeys(columns))
    yield files.schema.empty_table()
    # File by file, for errors of pyarrow do not say which one it is.
    for file in files.get_fragments():
        for batch in _batches(file, files.schema, wanted):
            yield batch
            count(batch.num_rows)


def _batches(file: Any, schema: Any, columns: list[str]) -> Iterator[Any]:
    with _naming(file):
        yield from file.to_batches(
            schema=schema, columns=columns, batch_size=_ROWS, batch_readahead=2
        )


@contextmanager
def _naming(file: Any) -> Iterator[None]:
    from pyarrow import ArrowException

    try:
        yield
    except (OSError, ArrowException) as error:
        raise InputError(
            f"Cannot read {file.path!r}: {str(error).rstrip('.')}. It is no whole Parquet "
            "file, or has other columns than the first one; write it again."
        ) from error
