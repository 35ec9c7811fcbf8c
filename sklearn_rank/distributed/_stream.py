"""Process data larger than memory in parts with whole queries."""

import math
import os
import platform
import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from sklearn_rank._base._label_checks import show_id
from sklearn_rank._base._labels import as_vector, begins_label
from sklearn_rank._base._messages import shorten, warn_caller
from sklearn_rank._base._runs import starts_where
from sklearn_rank._base._validation import (
    LARGEST_INTEGER,
    check_installed,
    check_integer,
    count_named,
)
from sklearn_rank.distributed._frame_libraries import column_of, library_of, n_rows_of
from sklearn_rank.distributed._label_hashes import assign_parts
from sklearn_rank.distributed._sources import Source, gather_rows
from sklearn_rank.inputs._columns import take_rows

# Rows scored together if memory allows; more would not be faster.
ROWS_AT_ONCE = 2**19

# The measured bytes per row beside its values, and the number of copies of the values: as
# read, as whole queries, and as arrays.
_WORK, _COPIES = 160, 3

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_UNITS |= {"KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}


def read_bytes(memory: Any, name: str = "memory") -> int | None:
    """Return a number of bytes from a number or a text such as "1.5GB"."""
    if memory is None:
        return None
    n_bytes = 0
    if isinstance(memory, str):
        match = re.fullmatch(r"\s*(\d+\.?\d*)\s*([KMGT]?I?)B?\s*", memory.upper())
        n_bytes = int(float(match[1]) * _UNITS.get(match[2], 0)) if match else 0
    elif isinstance(memory, int) and not isinstance(memory, bool):
        n_bytes = memory
    if n_bytes < 1:
        raise ValueError(
            f"`{name}` must be a positive number of bytes, or text such as '1GB' or "
            f"'512MB', got {shorten(memory)}."
        )
    # More than any memory, and the largest exact float.
    return min(n_bytes, LARGEST_INTEGER)


@dataclass(frozen=True)
class StreamPlan:
    """How to gather the rows of a query, and the bound in bytes; None for no bound."""

    query: Any  # the column
    sorted_by: Any
    partitions: int | None
    spill: Path | None
    n_bytes: int | None

    def most_rows(self, table: Any) -> float:
        """Return the number of rows like those of a table that fit."""
        if self.n_bytes is None:
            return math.inf
        of_values = library_of(table).n_bytes(table) / max(n_rows_of(table), 1)
        return max(int(self.n_bytes / (_COPIES * of_values + _WORK)), 1)

    def rows_at_once(self, table: Any) -> int:
        """Return the number of rows to gather before scoring."""
        # Half for the gathered rows, and half for the query that is carried over.
        return max(int(min(ROWS_AT_ONCE, self.most_rows(table) / 2)), 1)

    def labels(self, table: Any) -> np.ndarray:
        """Return the query of each row."""
        return as_vector(column_of(table, self.query), name="query")


def query_too_large_error(label: Any, n_rows: int, most: float) -> ValueError:
    """Return the error for a query that has more rows than fit."""
    return ValueError(
        f"Query {show_id(label)} alone has {n_rows} rows or more, and `memory` has room "
        f"for {most}. Raise it, or shorten long lists: rows that are relevant or "
        "within the cutoff are enough."
    )


# Rows in any order, written to disk in parts with whole queries.

# Begins the name of a folder; the number of the process follows.
_FOLDER_PREFIX = f"sklearn_rank_{platform.node()}_"
# Files written at the same time; a part that is still too large is split again.
N_PARTS = 32


def spill_rows(
    tables: Iterable[Any], plan: StreamPlan, folder: Path, attempt: int = 0
) -> Generator[Any, None, None]:
    """Yield the rows of tables in parts with whole queries, as pyarrow Tables."""
    if attempt == 0:
        _warn_of_abandoned(folder)
    name = f"{_FOLDER_PREFIX}{os.getpid()}_"
    with TemporaryDirectory(prefix=name, dir=folder) as scratch:
        for path, n_rows in _write_parts(tables, plan, Path(scratch), attempt):
            most = plan.most_rows(next(_batches(path)))
            if n_rows <= most:
                yield _pyarrow().concat_tables(_batches(path))
            else:
                _check_several(path, plan.query, n_rows, most)
                yield from spill_rows(_batches(path), plan, folder, attempt + 1)
            path.unlink()


def _warn_of_abandoned(folder: Path) -> None:
    """Warn of folders left by ended processes; do not remove them."""
    if os.name != "posix":
        return  # where checking whether a process runs might end it
    left = [path for path in folder.glob(f"{_FOLDER_PREFIX}*") if _is_abandoned(path)]
    if left:
        warn_caller(
            f"A process ended before it removed {len(left)} folder(s) of rows in `spill`, "
            f"such as {str(left[0])!r}; delete those that are not needed."
        )


def _is_abandoned(path: Path) -> bool:
    """Return whether the process that made a folder has ended."""
    number = path.name.removeprefix(_FOLDER_PREFIX).split("_")[0]
    if not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except OSError as error:  # a process of another user runs, too
        return isinstance(error, ProcessLookupError)
    return False


def _write_parts(
    tables: Iterable[Any], plan: StreamPlan, folder: Path, attempt: int
) -> list[tuple[Path, int]]:
    """Write the rows to one file per part; return the files and their numbers of rows."""
    pa = _pyarrow()
    writers: dict[int, Any] = {}
    schema = None  # of the first table; numbers of others may be narrower
    counts = [0] * N_PARTS
    paths = [folder / f"{part}.arrow" for part in range(N_PARTS)]
    try:
        for frame in gather_rows(tables, plan.rows_at_once):
            table = _decode_dictionaries(library_of(frame).to_arrow(frame))
            schema = table.schema if schema is None else schema
            part = assign_parts(column_of(table, plan.query), N_PARTS, attempt)
            order = np.argsort(part, kind="stable")
            table = table.take(order)
            bounds = np.searchsorted(part[order], np.arange(N_PARTS + 1))
            for number in np.flatnonzero(np.diff(bounds)).tolist():
                rows = table.slice(bounds[number], bounds[number + 1] - bounds[number])
                rows = rows.cast(schema)
                with _name_folder_in_errors(folder.parent):
                    if number not in writers:
                        writers[number] = pa.ipc.new_stream(str(paths[number]), schema)
                    writers[number].write_table(rows)
                counts[number] += rows.num_rows
    finally:
        with _name_folder_in_errors(folder.parent):
            for writer in writers.values():
                writer.close()
    return [(paths[number], counts[number]) for number in sorted(writers)]


@contextmanager
def _name_folder_in_errors(folder: Path) -> Iterator[None]:
    """Name the folder in errors of writing, such as a full disk."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        advice = "rows cannot be written; give `spill` another folder, with more room"
        raise OSError(error.errno, f"{reason}: {advice}", str(folder)) from error


def _decode_dictionaries(table: Any) -> Any:
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


def _check_several(path: Path, query: Any, n_rows: int, most: float) -> None:
    """Raise if a part that does not fit is a single query, which cannot be split."""
    first = None
    for batch in _batches(path):
        labels = as_vector(column_of(batch, query), name="query")
        first = labels[0] if first is None else first
        if labels[0] != first or begins_label(labels)[1:].any():
            return
    raise query_too_large_error(first, n_rows, most)


def _pyarrow() -> Any:
    check_installed("pyarrow.ipc", "arrow", "`spill`")
    import pyarrow.ipc

    return pyarrow


# Tables with whole queries, by the way in which the rows of a query come together.

Tables = Generator[Any, None, None]


def choose_plan(
    query: Any, sorted_by: Any, partitions: Any, spill: Any, memory: Any
) -> StreamPlan:
    """Return the chosen plan; raise unless exactly one is chosen."""
    plans = {"sorted_by": sorted_by, "partitions": partitions, "spill": spill}
    chosen = [name for name, value in plans.items() if value is not None]
    if len(chosen) != 1:
        got = " and ".join(chosen) if chosen else "none of them"
        raise ValueError(
            "Say how the rows of a query come together, by one of `sorted_by` (they follow "
            "each other), `partitions` (the source is read once for each part of the "
            f"queries) and `spill` (a folder for rows in any order); got {got}."
        )
    if sorted_by is not None and not count_named(sorted_by, [query]):
        raise ValueError(
            f"`sorted_by` is {shorten(sorted_by)}, but queries are in column {query!r}: "
            f"only rows sorted by {query!r} have all rows of a query next to each other."
        )
    if partitions is not None:
        partitions = check_integer("partitions", partitions)
    if spill is not None:
        if not isinstance(spill, str | os.PathLike) or not Path(spill).is_dir():
            raise ValueError(f"`spill` must be a folder that exists, got {shorten(spill)}.")
        spill = Path(spill)
    return StreamPlan(query, sorted_by, partitions, spill, memory)


def whole_query_tables(source: Source, plan: StreamPlan) -> Tables:
    """Yield tables with whole queries."""
    if plan.sorted_by is not None:
        return _sorted_tables(source, plan)
    if plan.spill is not None:
        return spill_rows(source.tables(), plan, plan.spill)
    return _tables_by_passes(source, plan, plan.partitions or 1)


def _sorted_tables(source: Source, plan: StreamPlan) -> Tables:
    """Yield consecutive queries; carry over the last one."""
    carried = None
    for table in gather_rows(source.tables(), plan.rows_at_once):
        if carried is not None:
            table = library_of(table).concatenate([carried, table])
        start = _start_of_last(column_of(table, plan.query), n_rows_of(table))
        if start:
            yield take_rows(table, slice(0, start))
        carried = take_rows(table, slice(start, None))
        most = plan.most_rows(carried)
        if n_rows_of(carried) > most:
            raise query_too_large_error(plan.labels(carried)[0], n_rows_of(carried), most)
    if carried is not None:
        yield carried


def _start_of_last(labels: Any, n_rows: int) -> int:
    """Return the first row of the last query."""
    size = min(1024, n_rows)
    while True:
        tail = as_vector(labels[n_rows - size :], name="query")
        starts = starts_where(begins_label(tail))
        if len(starts) > 2:
            return n_rows - size + int(starts[-2])
        if size == n_rows:
            return 0
        size = min(8 * size, n_rows)


def _tables_by_passes(source: Source, plan: StreamPlan, n_parts: int) -> Tables:
    """Yield the queries of one part after the other, each from a pass over all rows."""
    source.check_readable_again()
    for part in range(n_parts):
        held, n_held = [], 0
        for table in source.tables():
            of_row = assign_parts(column_of(table, plan.query), n_parts)
            rows = np.flatnonzero(of_row == part)
            if not len(rows):
                continue
            held.append(take_rows(table, rows))
            n_held += n_rows_of(held[-1])
            most = plan.most_rows(held[-1])
            if n_held > most:
                labels = plan.labels(library_of(table).concatenate(held))
                raise _part_too_large_error(labels, n_parts, most)
        if held:
            yield library_of(held[0]).concatenate(held)


def _part_too_large_error(labels: np.ndarray, n_parts: int, most: float) -> ValueError:
    if not np.any(begins_label(labels)[1:]):
        return query_too_large_error(labels[0], len(labels), most)
    return ValueError(
        f"One of {n_parts} parts has more than the {most} rows that `memory` has room "
        "for; raise `partitions`, or `memory`."
    )
