"""Write rows in any order to disk in parts with whole queries."""

import os
import platform
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from sklearn_rank._ids._codes import begins_label
from sklearn_rank._ids._encode import as_vector
from sklearn_rank._per_query_tables._frame_libraries import column_of, library_of
from sklearn_rank._validation import check_installed
from sklearn_rank._warn import warn_caller
from sklearn_rank.distributed._budget import Budget, too_large
from sklearn_rank.distributed._hashes import parts_of
from sklearn_rank.distributed._sources import gathered

# Begins the name of a folder; the number of the process follows.
_OURS = f"sklearn_rank_{platform.node()}_"
# Files written at the same time; a part that is still too large is split again.
N_PARTS = 32


def spilled(
    tables: Iterable[Any], query: Any, budget: Budget, folder: Path, attempt: int = 0
) -> Generator[Any, None, None]:
    """Yield the rows of tables in parts with whole queries, as pyarrow Tables."""
    if attempt == 0:
        _warn_of_left(folder)
    with TemporaryDirectory(prefix=f"{_OURS}{os.getpid()}_", dir=folder) as scratch:
        for path, n_rows in _split(tables, query, budget, Path(scratch), attempt):
            most = budget.most_rows(next(_batches(path)))
            if most is None or n_rows <= most:
                yield _pyarrow().concat_tables(_batches(path))
            else:
                _check_several(path, query, n_rows, most)
                yield from spilled(_batches(path), query, budget, folder, attempt + 1)
            path.unlink()


def _warn_of_left(folder: Path) -> None:
    """Warn of folders left by ended processes; do not remove them."""
    if os.name != "posix":
        return  # where checking whether a process runs might end it
    left = [path for path in folder.glob(f"{_OURS}*") if _is_left(path)]
    if left:
        warn_caller(
            f"A process ended before it removed {len(left)} folder(s) of rows in `spill`, "
            f"such as {str(left[0])!r}; delete those that are not needed."
        )


def _is_left(path: Path) -> bool:
    """Return whether the process that made a folder has ended."""
    number = path.name.removeprefix(_OURS).split("_")[0]
    if not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except OSError as error:  # a process of another user runs, too
        return isinstance(error, ProcessLookupError)
    return False


def _split(
    tables: Iterable[Any], query: Any, budget: Budget, folder: Path, attempt: int
) -> list[tuple[Path, int]]:
    """Write the rows to one file a part; return the files and their numbers of rows."""
    pa = _pyarrow()
    writers: dict[int, Any] = {}
    schema = None  # of the first table; numbers of others may be narrower
    counts = [0] * N_PARTS
    paths = [folder / f"{part}.arrow" for part in range(N_PARTS)]
    try:
        for frame in gathered(tables, budget.rows_at_once):
            table = _plain(library_of(frame).to_arrow(frame))
            schema = table.schema if schema is None else schema
            part = parts_of(column_of(table, query), N_PARTS, attempt)
            order = np.argsort(part, kind="stable")
            table = table.take(order)
            bounds = np.searchsorted(part[order], np.arange(N_PARTS + 1))
            for number in np.flatnonzero(np.diff(bounds)).tolist():
                rows = table.slice(bounds[number], bounds[number + 1] - bounds[number])
                rows = rows.cast(schema)
                with _naming(folder.parent):
                    if number not in writers:
                        writers[number] = pa.ipc.new_stream(str(paths[number]), schema)
                    writers[number].write_table(rows)
                counts[number] += rows.num_rows
    finally:
        with _naming(folder.parent):
            for writer in writers.values():
                writer.close()
    return [(paths[number], counts[number]) for number in sorted(writers)]


@contextmanager
def _naming(folder: Path) -> Iterator[None]:
    """Name the folder in errors of writing, such as a full disk."""
    try:
        yield
    except OSError as error:
        what = os.strerror(error.errno) if error.errno else str(error)
        advice = "rows cannot be written; give `spill` another folder, with more room"
        raise OSError(error.errno, f"{what}: {advice}", str(folder)) from error


def _plain(table: Any) -> Any:
    """Return the table with dictionaries decoded, since they differ between tables."""
    pa = _pyarrow()
    fields = [
        field.with_type(field.type.value_type)
        if pa.types.is_dictionary(field.type)
        else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))


def _batches(path: Path) -> Iterator[Any]:
    with _pyarrow().OSFile(str(path)) as file, _pyarrow().ipc.open_stream(file) as batches:
        for batch in batches:
            yield _pyarrow().Table.from_batches([batch])


def _check_several(path: Path, query: Any, n_rows: int, most: int) -> None:
    """Raise if a part that does not fit is a single query, which cannot be split."""
    first = None
    for batch in _batches(path):
        labels = as_vector(column_of(batch, query), name="query")
        first = labels[0] if first is None else first
        if labels[0] != first or begins_label(labels)[1:].any():
            return
    raise too_large(first, n_rows, most)


def _pyarrow() -> Any:
    check_installed("pyarrow.ipc", "arrow", "`spill`")
    import pyarrow.ipc

    return pyarrow
