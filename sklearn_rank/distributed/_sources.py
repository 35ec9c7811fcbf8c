"""Sources of streams: tables with equal columns, one after the other."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from sklearn_rank._base._labels import as_vector, encode_labels
from sklearn_rank._base._numbers import plain_array
from sklearn_rank._base._validation import check_option, shorten
from sklearn_rank.distributed._frame_libraries import (
    column_of,
    is_table,
    library_of,
    n_rows_of,
    package_of,
)
from sklearn_rank.distributed._value_tables import tables_of
from sklearn_rank.inputs import from_frames
from sklearn_rank.inputs._columns import take_rows
from sklearn_rank.metrics._core._metric import BoundMetric

# Datasets of pyarrow, read in batches.


def is_dataset(given: Any) -> bool:
    """Return whether this is a Dataset of pyarrow, or of a library that follows it."""
    return hasattr(given, "schema") and hasattr(given, "scanner")


def batches_of(
    files: Any, columns: Sequence[str], *, bounded: bool
) -> Iterator[tuple[Any, str | None]]:
    """Yield batches with the needed columns, and the file of each if known.

    `bounded` says whether to read them in little memory.
    """
    options = _low_memory_options(files) if bounded else {}
    scanner = files.scanner(columns=list(columns), **options)
    if not hasattr(scanner, "scan_batches"):
        yield from ((batch, None) for batch in scanner.to_batches())
        return
    from pyarrow import ArrowException

    path = None
    try:
        for tagged in scanner.scan_batches():
            path = getattr(tagged.fragment, "path", None)
            yield tagged.record_batch, path
    except (OSError, ArrowException) as error:
        _raise_with_file(files, columns, path)
        raise error


def count_rows(files: Any) -> int:
    """Return the number of rows of all files from their footers."""
    from pyarrow import ArrowException

    try:
        return int(files.count_rows())
    except (OSError, ArrowException) as error:
        _raise_with_file(files, [], None)
        raise error


def _low_memory_options(files: Any) -> dict[str, Any]:
    """Return options to read a Dataset with few waiting tables and no whole row groups."""
    from pyarrow import dataset

    options = {"use_threads": False, "batch_size": 2**16}
    options |= {"batch_readahead": 0, "fragment_readahead": 0}
    if isinstance(getattr(files, "format", None), dataset.ParquetFileFormat):
        options["fragment_scan_options"] = dataset.ParquetFragmentScanOptions(
            use_buffered_stream=True, pre_buffer=False
        )
    return options


def _raise_with_file(files: Any, columns: Sequence[str], path: str | None) -> None:
    """Raise the error of the first unreadable file after the last one read."""
    from pyarrow import ArrowException

    paths = list(getattr(files, "files", []))
    last = paths.index(path) if path in paths else 0
    for file in list(files.get_fragments())[last:]:
        try:
            for _ in file.to_batches(schema=files.schema, columns=list(columns)):
                pass
        except (OSError, ArrowException) as error:
            kind = OSError if isinstance(error, OSError) else ValueError
            raise kind(
                f"Cannot read {getattr(file, 'path', None)!r}: "
                f"{str(error).strip().rstrip('.')}. The file must be complete and have the "
                "types of the Dataset; write it again."
            ) from error


# The columns of a table as arguments of metrics: rows, or two tables in one.

Arguments = dict[str, Any]


@dataclass(frozen=True)
class RowsReader:
    """Rows of queries: one item per row, with its grade and its score."""

    query: Any
    y_true: Any
    y_score: Any
    sample_weight: Any
    side_columns: dict[str, Any]  # further columns

    def check(self, wanted: Iterable[BoundMetric]) -> None:
        """Raise if a metric needs a column that is not named."""
        for bound in wanted:
            for column in bound.metric.needed_columns:
                if column.name not in self.side_columns:
                    raise ValueError(
                        f"Metric {bound.name!r} needs `{column.name}`, {column.holds}: "
                        f"name its column, {column.name}='...'."
                    )

    @property
    def columns(self) -> dict[str, Any]:
        """The columns by parameter, that of queries first."""
        columns = {"groups": self.query, "y_true": self.y_true, "y_score": self.y_score}
        if self.sample_weight is not None:
            columns["sample_weight"] = self.sample_weight
        return {**columns, **self.side_columns}

    def never_null(self, *, judged: bool) -> list[str]:
        """Return the parameters of columns without nulls."""
        names = [name for name in self.columns if name not in ("y_true", "pooled")]
        return ["y_true", *names] if judged else names

    def read(self, table: Any) -> Arguments:
        """Return the arguments of metrics."""
        read = {
            name: plain_array(column_of(table, column))
            for name, column in self.columns.items()
        }
        if "subtopics" in read:
            read["subtopics"] = _subtopic_matrix(
                read["subtopics"], self.side_columns["subtopics"]
            )
        return read


def _subtopic_matrix(lists: np.ndarray, name: Any) -> sparse.csr_array:
    """Return which rows have which subtopic, given a list of subtopics per row."""
    for row, topics in enumerate(lists):
        if not isinstance(topics, list | tuple | np.ndarray):
            raise TypeError(
                f"Column {name!r}, which is `subtopics`, must hold a list of subtopics in "
                f"each row, empty for none, got {shorten(topics)} in row {row} of its part."
            )
    ends = np.cumsum([0, *map(len, lists)])
    labels = list(chain.from_iterable(lists))
    encoded: Any = encode_labels(labels, name="subtopics") if labels else ([], [])
    distinct, codes = encoded
    shape = (len(lists), max(len(distinct), 1))
    return sparse.csr_array((np.ones(len(codes)), codes, ends), shape=shape)


@dataclass(frozen=True)
class TablesReader:
    """Held-out pairs and recommended lists in one table; `marker` is True of pairs."""

    user: Any
    item: Any
    marker: Any
    relevance: Any
    score: Any
    rank: Any

    def __post_init__(self) -> None:
        if (self.score is None) == (self.rank is None):
            raise ValueError(
                "Name the column that orders the recommendations: either `score=` or "
                f"`rank=`; got score={self.score!r}, rank={self.rank!r}."
            )

    def check(self, wanted: Iterable[BoundMetric]) -> None:
        """Raise if a metric needs judgments, which lists do not have."""
        for bound in wanted:
            if bound.metric.unjudged == "needed":
                raise ValueError(
                    f"Metric {bound.name!r} needs to know what was judged irrelevant, "
                    "which pairs do not say; score rows, with NaN for those unjudged."
                )

    @property
    def query(self) -> Any:
        """The column of users."""
        return self.user

    @property
    def columns(self) -> dict[str, Any]:
        """The columns by parameter, that of users first."""
        columns = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {name: column for name, column in columns.items() if column is not None}

    def never_null(self, *, judged: bool) -> list[str]:
        """Return the parameters of columns without nulls."""
        return ["user", "item", "marker"]

    def read(self, table: Any) -> Arguments:
        """Return the arguments of metrics, for users of both tables or of one."""
        is_pair = read_marks(column_of(table, self.marker), "marker")
        library = library_of(table)
        ids = [self.user, self.item]
        pairs = ids if self.relevance is None else [*ids, self.relevance]
        lists = [*ids, self.score if self.rank is None else self.rank]
        pair_rows, list_rows = (
            library.select(take_rows(table, np.flatnonzero(is_one)), columns)
            for is_one, columns in ((is_pair, pairs), (~is_pair, lists))
        )
        arguments = {n: c for n, c in self.columns.items() if n != "marker"}
        return dict(from_frames(pair_rows, list_rows, **arguments, return_items=True))


Reader: TypeAlias = RowsReader | TablesReader


def read_marks(column: Any, name: str) -> np.ndarray:
    """Return where a column of booleans is True."""
    marks = as_vector(column, name=name)
    for mark in np.unique(marks).tolist():
        check_option(name, bool(mark) if mark in (0, 1) else mark, (True, False))
    return marks.astype(bool)


@dataclass
class Source:
    """Tables one after the other, with the needed columns, checked when they are read.

    `bounded` says whether to read a Dataset in little memory.
    """

    source: Any
    columns: Sequence
    select: Callable[[Any], Any]
    bounded: bool = False
    first: Any = None  # the first table that was seen

    def __post_init__(self) -> None:
        """Read one table as several."""
        self.source = [self.source] if is_table(self.source) else self.source

    def check_readable_again(self) -> None:
        """Raise if a second pass would find no tables."""
        source = self.source
        if not (callable(source) or is_dataset(source)) and _tables_in(source) is source:
            raise ValueError(
                f"`partitions` reads the source once for each part, but this "
                f"{type(source).__name__} can be read only once: give a Dataset, a list or "
                "a callable that returns an iterable of tables, or use `spill`."
            )

    def tables(self) -> Iterator[Any]:
        """Yield the tables that have rows, with columns of the same types."""
        source: Any = self.source
        if is_dataset(source):
            self._check_table(source.schema.empty_table(), 0)
        elif isinstance(source, list | tuple):
            for number, frame in enumerate(source):
                self._check_table(frame, number, may_widen=True)
        for number, (frame, file) in enumerate(self._open_tables()):
            try:
                seen = self._check_table(frame, number)
            except (TypeError, ValueError) as error:
                if file is None:
                    raise
                raise type(error)(f"In {file!r}: {error}") from error
            if n_rows_of(seen):
                yield seen

    def _open_tables(self) -> Iterator[tuple[Any, str | None]]:
        """Yield the tables of the source, each with its file if known."""
        source = self.source() if callable(self.source) else self.source
        if is_dataset(source):
            yield from batches_of(source, self.columns, bounded=self.bounded)
        else:
            yield from ((table, None) for table in _tables_in(source))

    def _check_table(self, frame: Any, number: int, *, may_widen: bool = False) -> Any:
        """Return the needed columns in the types of those before; raise if they differ."""
        frame, library = self.select(frame), library_of(frame)
        if self.first is None:
            self.first = take_rows(frame, slice(0, 0))
        if library is not library_of(self.first):
            raise TypeError(
                f"The tables of `source` must be of one library, got one of "
                f"{package_of(self.first)} and one of {package_of(frame)}."
            )
        narrower: dict[Any, Any] = {}
        for name, expected, dtype in zip(
            self.columns,
            library.types(self.first, self.columns),
            library.types(frame, self.columns),
            strict=True,
        ):
            if expected == dtype:
                continue
            if _is_wider(expected, dtype):
                narrower[name] = expected
            elif may_widen and _is_wider(dtype, expected):
                self.first = library.cast(self.first, {name: dtype})
            else:
                raise TypeError(
                    f"The tables of `source` have different types in column {name!r}: "
                    f"{expected} in the first one and {dtype} in table {number}; cast to "
                    "one type."
                )
        return library.cast(frame, narrower) if narrower else frame


def _tables_in(source: Any) -> Iterator[Any]:
    needed = "an iterable of tables, a pyarrow Dataset, or a callable that returns these"
    return tables_of(source, "source", needed)


def _is_wider(first: Any, second: Any) -> bool:
    """Return whether the first type holds all values of the second, and more."""
    kinds = [str(dtype).replace("large_string", "string64") for dtype in (first, second)]
    (kind, size), (other_kind, other_size) = (
        re.split(r"(?=\d|$)", k, maxsplit=1) for k in kinds
    )
    is_known = kind.lower() in ("int", "uint", "string")
    return is_known and kind == other_kind and int(size or 0) > int(other_size or 0)


def gather_rows(tables: Iterable[Any], at_once: Callable[[Any], int]) -> Iterator[Any]:
    """Yield the rows in tables of about as many rows as fit."""
    held: list = []
    n_held = 0
    for table in tables:
        most = at_once(table)
        for start in range(0, n_rows_of(table), most):
            part = take_rows(table, slice(start, start + most))
            held.append(part)
            n_held += n_rows_of(part)
            if n_held >= most:
                yield library_of(part).concatenate(held) if len(held) > 1 else part
                held, n_held = [], 0
    if held:
        yield library_of(held[0]).concatenate(held)
