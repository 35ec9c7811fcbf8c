"""Sources of streams: tables with equal columns, one after the other."""

import re
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
from sklearn_rank.distributed._dataset_files import batches_of, is_dataset


class Source:
    """Tables one after the other, with the needed columns, checked when they are read.

    `bounded` says whether to read a Dataset in little memory.
    """

    def __init__(
        self,
        given: Any,
        columns: Sequence,
        check: Callable[[Any], None],
        *,
        bounded: bool = False,
    ):
        self._given = [given] if is_table(given) else given
        self._columns = columns
        self._check = check
        self._bounded = bounded
        self.first: Any = None  # the first table that was seen

    def check_readable_again(self) -> None:
        """Raise if a second pass would find no tables."""
        given = self._given
        if not (callable(given) or is_dataset(given)) and iter(_tables_in(given)) is given:
            raise ValueError(
                f"`partitions` reads the source once for each part, but this "
                f"{type(given).__name__} can be read only once: give a Dataset, a list or "
                "a callable that returns an iterable of tables, or use `spill`."
            )

    def tables(self) -> Iterator[Any]:
        """Yield the tables that have rows, with columns of the same types."""
        given: Any = self._given
        if is_dataset(given):
            self._see(given.schema.empty_table(), 0)
        elif isinstance(given, list | tuple):
            for number, frame in enumerate(given):
                self._see(frame, number, may_widen=True)
        for number, (frame, file) in enumerate(self._opened()):
            try:
                seen = self._see(frame, number)
            except (TypeError, ValueError) as error:
                if file is None:
                    raise
                raise type(error)(f"In {file!r}: {error}") from error
            if n_rows_of(seen):
                yield seen

    def _opened(self) -> Iterator[tuple[Any, str | None]]:
        """Yield the tables of the source, each with its file if known."""
        given = self._given() if callable(self._given) else self._given
        if is_dataset(given):
            yield from batches_of(given, self._columns, bounded=self._bounded)
        else:
            yield from ((table, None) for table in _tables_in(given))

    def _see(self, frame: Any, number: int, *, may_widen: bool = False) -> Any:
        """Return the needed columns in the types of those before; raise if they differ."""
        self._check(frame)
        library = library_of(frame)
        frame = library.select(frame, self._columns)
        if self.first is None:
            self.first = library.rows(frame, slice(0, 0))
        if library is not library_of(self.first):
            raise TypeError(
                f"The tables of `source` must be of one library, got one of "
                f"{package_of(self.first)} and one of {package_of(frame)}."
            )
        narrower: dict[Any, Any] = {}
        for name, known, found in zip(
            self._columns,
            library.types(self.first, self._columns),
            library.types(frame, self._columns),
            strict=True,
        ):
            if known == found:
                continue
            if _is_wider(known, found):
                narrower[name] = known
            elif may_widen and _is_wider(found, known):
                self.first = library.cast(self.first, {name: found})
            else:
                raise TypeError(
                    f"The tables of `source` have unlike types in column {name!r}: {known} "
                    f"in the first one and {found} in table {number}, counted from 0; cast "
                    "them to one type, as labels of unlike types are never equal."
                )
        return library.cast(frame, narrower) if narrower else frame


def _tables_in(given: Any) -> Iterable:
    if hasattr(given, "to_batches"):
        return given.to_batches()
    if isinstance(given, Iterable) and not isinstance(given, str | dict | np.ndarray):
        return given
    raise TypeError(
        "`source` must be an iterable of tables, a pyarrow Dataset, or a callable that "
        f"returns one of these, got {shorten(given)}."
    )


def _is_wider(one: Any, other: Any) -> bool:
    """Return whether a type holds the same values as another, and more of them."""
    kinds = [str(dtype).replace("large_string", "string64") for dtype in (one, other)]
    (kind, size), (other_kind, other_size) = (
        re.split(r"(?=\d|$)", k, maxsplit=1) for k in kinds
    )
    is_known = kind.lower() in ("int", "uint", "string")
    return is_known and kind == other_kind and int(size or 0) > int(other_size or 0)


def gathered(tables: Iterable[Any], at_once: Callable[[Any], int]) -> Iterator[Any]:
    """Yield the rows in tables of about as many rows as fit."""
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
