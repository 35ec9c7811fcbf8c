"""What can be streamed: tables one after the other, of like columns, as often as needed."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from sklearn_rank._per_query_tables._frame_libraries import (
    is_table,
    library_of,
    n_rows_of,
    package_of,
)
from sklearn_rank._validation import shorten


class Source:
    """Tables one after the other, with the needed columns, checked when they are read."""

    def __init__(self, given: Any, columns: Sequence, check: Callable[[Any], None]):
        self._given = [given] if is_table(given) else given
        self._columns = columns
        self._check = check
        self.first: Any = None  # the first table that was seen

    def check_readable_again(self) -> None:
        """Raise where a second pass would find nothing."""
        given = self._given
        if not callable(given) and iter(_opened(given, self._columns)) is given:
            raise ValueError(
                f"`partitions` reads the source once for each part, but this "
                f"{type(given).__name__} can be read only once: give a Dataset, a list or "
                "a callable that returns an iterable of tables, or use `spill`."
            )

    def tables(self) -> Iterator[Any]:
        """Yield the tables that have rows."""
        if hasattr(self._given, "schema") and hasattr(self._given, "scanner"):
            self._see(self._given.schema.empty_table())
        for frame in _opened(self._given, self._columns):
            self._see(frame)
            if n_rows_of(frame):
                yield library_of(frame).select(frame, self._columns)

    def _see(self, frame: Any) -> None:
        """Check a table, and that its columns are like those of the first one."""
        self._check(frame)
        library = library_of(frame)
        if self.first is None:
            rows = library.rows(frame, slice(0, 0))
            self.first = library.select(rows, self._columns)
            return
        if library is not library_of(self.first):
            raise TypeError(
                f"The tables of `source` must be of one library, got one of "
                f"{package_of(self.first)} and one of {package_of(frame)}."
            )
        theirs = library.types(self.first, self._columns)
        for name, one, other in zip(
            self._columns, theirs, library.types(frame, self._columns), strict=True
        ):
            if one != other:
                raise TypeError(
                    f"The tables of `source` have unlike types in column {name!r}: {one} "
                    f"in the first one and {other} in another; cast them to one type, as "
                    "labels of unlike types are never equal."
                )


def _opened(given: Any, columns: Sequence) -> Iterable:
    """Return the tables of what was given: once more, where it can be read again."""
    if callable(given):
        given = given()
    if hasattr(given, "to_batches"):
        is_dataset = hasattr(given, "scanner")  # of a part of the columns
        return given.to_batches(columns=list(columns)) if is_dataset else given.to_batches()
    if isinstance(given, Iterable) and not isinstance(given, str | dict | np.ndarray):
        return given
    raise TypeError(
        "`source` must be an iterable of tables, a pyarrow Dataset, or a callable that "
        f"returns one of these, got {shorten(given)}."
    )


def gathered(tables: Iterable[Any], at_once: Callable[[Any], int]) -> Iterator[Any]:
    """Yield the rows of tables in tables of about as many rows as fit at once."""
    held: list = []
    n_held = 0
    for table in tables:
        library, most = library_of(table), at_once(table)
        for start in range(0, n_rows_of(table), most):
            part = library.rows(table, slice(start, start + most))
            held.append(part)
            n_held += n_rows_of(part)
            if n_held >= most:
                yield library.concatenate(held) if len(held) > 1 else part
                held, n_held = [], 0
    if held:
        yield library_of(held[0]).concatenate(held)
