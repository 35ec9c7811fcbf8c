"""Process data larger than memory in parts with whole queries."""

import os
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sklearn_rank._arrays._runs import starts_where
from sklearn_rank._ids._codes import begins_label
from sklearn_rank._ids._encode import as_vector
from sklearn_rank._per_query_tables._frame_libraries import column_of, library_of, n_rows_of
from sklearn_rank._validation import check_integer, shorten, times_named
from sklearn_rank.distributed._budget import Budget, too_large
from sklearn_rank.distributed._hashes import parts_of
from sklearn_rank.distributed._sources import Source, gathered
from sklearn_rank.distributed._spill import spilled

Tables = Generator[Any, None, None]


@dataclass(frozen=True)
class StreamPlan:
    """How to gather the rows of a query, and the bound in bytes."""

    sorted_by: Any
    partitions: int | None
    spill: Path | None
    budget: Budget


def choose(
    query: Any, sorted_by: Any, partitions: Any, spill: Any, memory: Any
) -> StreamPlan:
    """Return the chosen plan; raise unless exactly one is chosen."""
    given = {"sorted_by": sorted_by, "partitions": partitions, "spill": spill}
    chosen = [name for name, value in given.items() if value is not None]
    if len(chosen) != 1:
        got = " and ".join(chosen) if chosen else "none of them"
        raise ValueError(
            "Say how the rows of a query come together, by one of `sorted_by` (they follow "
            "each other), `partitions` (the source is read once for each part of the "
            f"queries) and `spill` (a folder for rows in any order); got {got}."
        )
    if sorted_by is not None and not times_named(sorted_by, [query]):
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
    return StreamPlan(sorted_by, partitions, spill, Budget(memory))


def parts(source: Source, query: Any, plan: StreamPlan) -> Tables:
    """Yield tables with whole queries."""
    if plan.sorted_by is not None:
        return _runs(source, query, plan.budget)
    if plan.spill is not None:
        return spilled(source.tables(), query, plan.budget, plan.spill)
    return _passes(source, query, plan.budget, plan.partitions or 1)


def _runs(source: Source, query: Any, budget: Budget) -> Tables:
    """Yield consecutive queries; carry over the last one."""
    carried = None
    for table in gathered(source.tables(), budget.rows_at_once):
        library = library_of(table)
        if carried is not None:
            table = library.concatenate([carried, table])
        start = _start_of_last(column_of(table, query), n_rows_of(table))
        if start:
            yield library.rows(table, slice(0, start))
        carried = library.rows(table, slice(start, None))
        most = budget.most_rows(carried)
        if most is not None and n_rows_of(carried) > most:
            labels = as_vector(column_of(carried, query), name="query")
            raise too_large(labels[0], n_rows_of(carried), most)
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


def _passes(source: Source, query: Any, budget: Budget, n_parts: int) -> Tables:
    """Yield the queries of one part after the other, each from a pass over all rows."""
    source.check_readable_again()
    for part in range(n_parts):
        held, n_held = [], 0
        for table in source.tables():
            library = library_of(table)
            is_in = parts_of(column_of(table, query), n_parts) == part
            if not is_in.any():
                continue
            held.append(library.rows(table, is_in))
            n_held += n_rows_of(held[-1])
            most = budget.most_rows(held[-1])
            if most is not None and n_held > most:
                raise _too_many(library.concatenate(held), query, n_parts, most)
        if held:
            yield library_of(held[0]).concatenate(held)


def _too_many(table: Any, query: Any, n_parts: int, most: int) -> ValueError:
    labels = as_vector(column_of(table, query), name="query")
    if not np.any(begins_label(labels)[1:]):
        return too_large(labels[0], len(labels), most)
    return ValueError(
        f"One of {n_parts} parts has more than the {most} rows that `memory` has room "
        "for; raise `partitions`, or `memory`."
    )
