"""TableFunction: a function of tables with whole queries, for engines and streams."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from os import PathLike
from typing import Any, TypeAlias, TypedDict, TypeVar, Unpack, overload

import numpy as np

from sklearn_rank._base._validation import check_given, import_pandas, is_iterable, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.distributed._frame_libraries import (
    BYTES,
    FLOAT,
    INTEGER,
    TEXT,
    check_columns,
    check_no_null,
    column_of,
    library_of,
    match_frame_type,
    n_rows_of,
    package_of,
)
from sklearn_rank.distributed._sources import Source
from sklearn_rank.distributed._stream import (
    StreamPlan,
    choose_plan,
    read_bytes,
    whole_query_tables,
)
from sklearn_rank.distributed._value_tables import SeenLabels
from sklearn_rank.inputs._columns import find_column
from sklearn_rank.typing import DataFrame, Dataset, PandasFrame

_TYPES = {FLOAT: "DOUBLE", INTEGER: "BIGINT", BYTES: "BINARY", TEXT: "STRING"}

Frame = TypeVar("Frame")
_DatasetSource: TypeAlias = Dataset | Callable[[], Dataset]


class _StreamOptions(TypedDict, total=False):
    sorted_by: str | None
    partitions: int | None
    spill: str | PathLike[str] | None
    memory: int | str | None
    progress: Callable[[int], Any] | None


class TableWork(ABC):
    """The work on a table: the columns it reads, and the result."""

    query: Any  # the column of queries or users, whose rows must be together
    columns: dict[str, Any]  # all that are read, by the parameters that name them
    labels: list  # the columns whose values the result has too, that of queries first
    never_null: list[str]  # the parameters of columns without nulls

    @abstractmethod
    def column_types(self, of_labels: Any) -> dict[Any, Any]:
        """Return the type of each column of the result; those of labels are given."""

    @abstractmethod
    def compute(self, table: Any) -> dict[Any, np.ndarray]:
        """Return the columns of the result for a table that has rows."""

    @abstractmethod
    def queries(self, result: Any) -> Any:
        """Return the queries of a result, each once."""

    @property
    def column_names(self) -> list:
        """The columns that are read, each once."""
        return list(dict.fromkeys(self.columns.values()))

    def check(self, frame: Any) -> None:
        """Raise if a column is missing or has missing values."""
        check_columns(frame, self.columns)
        check_no_null(frame, {name: self.columns[name] for name in self.never_null})

    def select_columns(self, frame: Any) -> Any:
        """Return the columns that are read, of a RecordBatch as a Table."""
        self.check(frame)
        return library_of(frame).select(frame, self.column_names)

    def compute_table(self, table: Any) -> Any:
        """Return the result for a table with the needed columns."""
        library = library_of(table)
        types = self.column_types(library.types(table, self.labels))
        nothing = dict.fromkeys(types, np.empty(0))
        return library.make(self.compute(table) if n_rows_of(table) else nothing, types)

    def convert_like(self, result: Any, first: Any) -> Any:
        """Return a result as a table of the library of the first table that was read."""
        library = library_of(first)
        if library is library_of(result):
            return result
        types = self.column_types(library.types(first, self.labels))
        columns = {name: np.asarray(column_of(result, name)) for name in types}
        return library.make(columns, types)


@explained
class TableFunction:
    """A function of tables that hold whole queries, for engines that map tables.

    Attributes
    ----------
    _table : TableWork
        The work on a table.
    """

    _table: TableWork

    @property
    def __name__(self) -> str:
        """The name of the class, which engines show for a function."""
        return type(self).__qualname__

    @overload
    def __call__(self, *key_and_frame: *tuple[Frame]) -> Frame: ...

    @overload
    def __call__(self, *key_and_frame: *tuple[object, Frame]) -> Frame: ...

    # Spark counts the named arguments: of two the first is the key of the group.
    def __call__(self, *key_and_frame: Any) -> Any:
        """Return the result for a table with whole queries or users.

        Parameters
        ----------
        *key_and_frame : pandas or polars DataFrame, or pyarrow Table or RecordBatch
            All rows of some queries, in any order. The key of a group, which some engines
            give before its table, is not read.

        Returns
        -------
        result : table of the same kind
            In the order of the labels. No rows if the table has none.
        """
        if len(key_and_frame) not in (1, 2):
            raise TypeError(
                f"{self.__name__} takes a table, or a key and a table, got "
                f"{len(key_and_frame)} arguments."
            )
        frame = key_and_frame[-1]
        selected = self._table.select_columns(frame)
        return match_frame_type(frame, self._table.compute_table(selected))

    def iterate(self, frames: Iterable[Frame]) -> Iterator[Frame]:
        """Yield the result for all tables of an iterator together.

        Spark hands over a partition in several tables, which may cut a query. This is the
        function for its ``mapInPandas`` and ``mapInArrow``.

        Parameters
        ----------
        frames : iterable of tables
            The tables of one partition.

        Yields
        ------
        result : table of the same kind
            One for all of them; none if there are no tables.
        """
        check_given("frames", frames, is_iterable(frames), "tables")
        first, tables = None, []
        for frame in frames:
            first = frame if first is None else first
            tables.append(self._table.select_columns(frame))
        if tables:
            joined = library_of(first).concatenate(tables)
            yield match_frame_type(first, self._table.compute_table(joined))

    @overload
    def stream(
        self,
        source: Iterable[Frame] | Callable[[], Iterable[Frame]],
        *,
        sorted_by: str | None = None,
        partitions: int | None = None,
        spill: str | PathLike[str] | None = None,
        memory: int | str | None = None,
        progress: Callable[[int], Any] | None = None,
    ) -> Frame: ...

    @overload
    def stream(self, source: _DatasetSource, **how: Unpack[_StreamOptions]) -> Any: ...

    def stream(
        self,
        source: Any,
        *,
        sorted_by: str | None = None,
        partitions: int | None = None,
        spill: str | PathLike[str] | None = None,
        memory: int | str | None = None,
        progress: Callable[[int], Any] | None = None,
    ) -> Any:
        """Return the result for data larger than memory, on this machine.

        One of `sorted_by`, `partitions` and `spill` says how to gather the rows of a query.

        Parameters
        ----------
        source : iterable of tables, pyarrow Dataset, or callable
            Tables of pandas, polars or pyarrow with columns of the same types; narrower
            integers and strings become those of the first table. From a Dataset only the
            needed columns are read, and with `memory` nothing ahead; a callable returns one
            of the others.
        sorted_by : str, default=None
            The column of queries, if rows of a query are consecutive. One pass; the last
            query of a table is carried over to the next.
        partitions : int, default=None
            Number of parts of the queries, by a hash of their label. `source` is read once
            for each part; nothing is written.
        spill : str or Path, default=None
            A folder with room for the needed columns, for rows in any order. They are
            written there in parts, and removed at the end. One pass; it needs pyarrow.
        memory : int or str, default=None
            Bound in bytes, such as ``"1GB"``, beside Python itself, the source and the
            result. With `spill` parts are split until they fit; a query, or with
            `partitions` a part, that does not fit is an error. If None, no bound.
        progress : callable, default=None
            Called with the number of rows after each scored part.

        Returns
        -------
        result : table of the kind that `source` has
            The order is that of the parts.

        Raises
        ------
        ValueError
            For bad input, see :ref:`errors`; if tables have unlike columns; if a query
            comes a second time, although `sorted_by` says that its rows follow each other.
        """
        arguments = {name: value for name, value in locals().items() if name != "self"}
        tables = list(self.parts(**arguments))
        return library_of(tables[0]).concatenate(tables)

    @overload
    def parts(
        self,
        source: Iterable[Frame] | Callable[[], Iterable[Frame]],
        *,
        sorted_by: str | None = None,
        partitions: int | None = None,
        spill: str | PathLike[str] | None = None,
        memory: int | str | None = None,
        progress: Callable[[int], Any] | None = None,
    ) -> Iterator[Frame]: ...

    @overload
    def parts(
        self, source: _DatasetSource, **how: Unpack[_StreamOptions]
    ) -> Iterator[Any]: ...

    def parts(
        self,
        source: Any,
        *,
        sorted_by: str | None = None,
        partitions: int | None = None,
        spill: str | PathLike[str] | None = None,
        memory: int | str | None = None,
        progress: Callable[[int], Any] | None = None,
    ) -> Iterator[Any]:
        """Return the result of `stream` part by part.

        If the result is large, write each table to a file before the next one is made.

        Parameters
        ----------
        source : iterable of tables, pyarrow Dataset, or callable
            As in `stream`, and so are the other parameters.
        sorted_by : str, default=None
            The column of queries, if rows of a query are consecutive.
        partitions : int, default=None
            In how many parts to take the queries.
        spill : str or Path, default=None
            A folder with room for the needed columns.
        memory : int or str, default=None
            Bytes to stay within.
        progress : callable, default=None
            Called with the number of rows after each scored part.

        Returns
        -------
        results : iterator of tables of the kind that `source` has
            At least one, which has no rows where `source` has none. With `sorted_by` 8
            bytes of each query are kept, to find one that comes a second time.

        Raises
        ------
        ValueError
            As `stream`, those of the parameters before the first table is read.
        """
        query = self._table.query
        if not (progress is None or callable(progress)):
            raise TypeError(f"`progress` must be a function, got {shorten(progress)}.")
        plan = choose_plan(query, sorted_by, partitions, spill, read_bytes(memory))
        return self._scored(source, plan, progress)

    def _scored(
        self, source: Any, plan: StreamPlan, progress: Callable[[int], Any] | None
    ) -> Iterator[Any]:
        table = self._table
        query = table.query
        bounded = plan.n_bytes is not None
        read = Source(source, table.column_names, table.select_columns, bounded=bounded)
        unsorted = f"the rows are not sorted by {query!r}: use `partitions` or `spill`."
        seen = None if plan.sorted_by is None else SeenLabels(unsorted)
        is_empty = True
        with closing(whole_query_tables(read, plan)) as tables:
            for part in tables:
                values, is_empty = table.compute_table(part), False
                if seen is not None:
                    seen.add(table.queries(values))
                yield table.convert_like(values, read.first)
                if progress is not None:
                    progress(n_rows_of(part))
        if read.first is None:
            raise ValueError("`source` has no tables; give one, if only for its columns.")
        if is_empty:
            yield table.compute_table(read.first)

    def schema(self, frame: DataFrame) -> str:
        """Return the columns of the result with their types, as Spark needs them.

        Parameters
        ----------
        frame : pyspark DataFrame
            What is mapped: labels have the types of its columns.

        Returns
        -------
        schema : str
            For ``mapInPandas`` and ``mapInArrow``.
        """
        table = self._table
        data: Any = frame
        is_one = package_of(data) == "pyspark" and hasattr(data, "schema")
        check_given("frame", data, is_one, "a pyspark DataFrame")
        for parameter, column in table.columns.items():
            find_column(column, data.columns, parameter=parameter, of="the DataFrame")
        labels = [data.schema[name].dataType.simpleString() for name in table.labels]
        return ", ".join(
            f"`{name.replace('`', '``')}` {_TYPES.get(kind, kind)}"
            for name, kind in table.column_types(labels).items()
        )

    def meta(self, frame: DataFrame) -> PandasFrame:
        """Return a result without rows, as Dask needs it.

        Parameters
        ----------
        frame : dask or pandas DataFrame
            What is mapped: labels have the types of its columns.

        Returns
        -------
        meta : pandas DataFrame
            For ``map_partitions``.
        """
        pd = import_pandas("meta")
        data: Any = frame
        is_frame = hasattr(getattr(frame, "dtypes", None), "items")
        check_given("frame", frame, is_frame, "a dask or pandas DataFrame")
        dtypes = {name: pd.Series([], dtype=dtype) for name, dtype in data.dtypes.items()}
        empty = pd.DataFrame(dtypes)
        check_columns(empty, self._table.columns)
        return self._table.compute_table(empty)
