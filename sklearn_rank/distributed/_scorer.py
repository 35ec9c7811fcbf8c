"""QueryScorer: metrics as a function of a table that holds whole queries."""

from collections.abc import Callable, Iterator
from contextlib import closing
from inspect import signature
from typing import Any

import numpy as np

from sklearn_rank._per_query_tables._columns_of_tables import GROUP
from sklearn_rank._per_query_tables._frame_libraries import (
    BYTES,
    FLOAT,
    INTEGER,
    check_columns,
    column_of,
    library_of,
    like,
    n_rows_of,
)
from sklearn_rank._per_query_tables._repeats import SeenLabels
from sklearn_rank._tables._columns import find_column
from sklearn_rank._validation import is_iterable, shorten
from sklearn_rank.distributed import _stream
from sklearn_rank.distributed._budget import read_bytes
from sklearn_rank.distributed._readers import Reader, RowsReader, TablesReader
from sklearn_rank.distributed._sources import Source
from sklearn_rank.distributed._table_scorer import TableScorer
from sklearn_rank.metrics._core._columns_beside import check_columns as check_keywords
from sklearn_rank.metrics._core._metric import NamedMetric
from sklearn_rank.metrics._core._per_query import import_pandas
from sklearn_rank.metrics._names._bind import bind
from sklearn_rank.metrics._names._registry import COLUMNS

_TYPES = {FLOAT: "DOUBLE", INTEGER: "BIGINT", BYTES: "BINARY"}


class QueryScorer:
    """Metrics as a function of a table with whole queries, for engines that map tables.

    A table of values, with one row a query, comes out of it: the same values, bit for bit,
    that :func:`~sklearn_rank.metrics.per_query_scores` has for all rows at once. The engine
    brings the rows of a query together, before or while it maps the function; then
    :func:`summarize` makes means of the values, and finds queries that were cut.

    It can be pickled and is sent to workers as it is.

    Parameters
    ----------
    metrics : str, callable or sequence of these
        Names and functions as in :func:`~sklearn_rank.metrics.ranking_scores`. Parameters
        that the whole data would decide have to be given: ``"err(max_grade=4)@10"``.
    query : str
        Column of queries or users. Rows of one label are one query.
    y_true : str
        Column of relevance grades, 0 or more.
    y_score : str
        Column of scores, the highest first; ``-inf`` is not retrieved.
    sample_weight : str, default=None
        Column of the weights of queries; the same in all rows of a query.
    by : str, default=None
        Column of segments, such as the country of a user; the same in all rows of a query.
        The values keep it, so that ``summarize(values, by=...)`` can use it.
    min_relevance : float, default=None
        Lowest relevant grade, for metrics with this parameter. None: any above 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        What ties count for: mean over all orders, lowest or highest grades first, as given.
        "first" needs an engine that keeps the order of rows.
    replace_undefined_by : float, default=np.nan
        Value of a query for which the metric is undefined.
    convention : str, default=None
        A library whose definitions to follow, as in
        :func:`~sklearn_rank.metrics.ranking_scores`.
    catalogue : Catalogue, default=None
        What is known of items and users, for metrics such as novelty and coverage. It
        travels to the workers, so it should hold no more than the metrics need.
    **columns : str
        Columns that some metrics need beside these, such as ``propensity`` or ``items``.

    Raises
    ------
    ValueError
        If a metric or a parameter is unknown, if the whole data would decide one, or if a
        metric needs a part that the catalogue lacks.

    See Also
    --------
    summarize : Means, errors and counts of the values.

    Notes
    -----
    The values have the columns ``group`` (the label), ``rows`` (how many rows the query
    has), ``by.<column>`` where `by` is given, one column a metric, and ``weight.<metric>``
    where weights are in play. A metric of a whole system, such as coverage, has no values
    of queries: ``state.<metric>`` has, once a table, what :func:`summarize` merges.

    Missing values (null) in `query`, `y_score` and, unless all metrics accept rows that
    nobody judged, `y_true` are errors: engines keep null as a label of its own.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_rank.distributed import QueryScorer, summarize
    >>> rows = pd.DataFrame(
    ...     {"user": [1, 1, 2, 2], "grade": [0, 1, 1, 0], "score": [4.0, 3.0, 2.0, 1.0]}
    ... )
    >>> score = QueryScorer("mrr", query="user", y_true="grade", y_score="score")
    >>> score
    QueryScorer('mrr', query='user', y_true='grade', y_score='score')
    >>> values = pd.concat([score(rows[:2]), score(rows[2:])])
    >>> values["mrr"].tolist()
    [0.5, 1.0]
    >>> print(summarize(values))
            mean  std error  queries  undefined
    mrr   0.7500     0.2500        2          0
    """

    def __init__(
        self,
        metrics,
        *,
        query,
        y_true,
        y_score,
        sample_weight=None,
        by=None,
        min_relevance=None,
        ties="average",
        replace_undefined_by=np.nan,
        convention=None,
        catalogue=None,
        **columns,
    ):
        check_keywords(columns, COLUMNS, "QueryScorer()", signature(QueryScorer).parameters)
        given = {name: value for name, value in locals().items() if name in _parameters()}
        wanted = _bound(given)
        for named in wanted:
            for column in named.metric.columns:
                if column.name not in columns:
                    raise ValueError(
                        f"Metric {named.name!r} needs `{column.name}`, {column.holds}: "
                        f"name its column, {column.name}='...'."
                    )
        reader = RowsReader(query, y_true, y_score, sample_weight, columns)
        self._set("QueryScorer", {**given, **columns}, wanted, reader)

    @classmethod
    def from_tables(
        cls,
        metrics,
        *,
        user,
        item,
        marker,
        relevance=None,
        score=None,
        rank=None,
        by=None,
        min_relevance=None,
        ties="average",
        replace_undefined_by=np.nan,
        convention=None,
        catalogue=None,
    ):
        """Scorer of held-out pairs and recommended lists, two tables put into one.

        Put one table below the other, with a column that marks the pairs, and bring the
        rows of a user together. A user with relevant items and no list scores 0, and one
        with a list and no relevant items is undefined; neither is lost, as a join would
        lose them.

        Parameters
        ----------
        metrics : str, callable or sequence of these
            Names and functions as in :class:`QueryScorer`.
        user, item : str
            Columns of users and items.
        marker : str
            Column of booleans: True in rows of held-out pairs, False in rows of lists.
        relevance : str, default=None
            Column with the grades of pairs. None: each pair has grade 1.
        score : str, default=None
            Column with the scores of recommended items, higher is better.
        rank : str, default=None
            Column with the ranks of recommended items, lower is better. One of `score` and
            `rank` is needed.
        by : str, default=None
            Column of segments, the same in all rows of a user.
        min_relevance : float, default=None
            Lowest relevant grade, for metrics with this parameter. None: any above 0.
        ties : {"average", "worst", "best", "first"}, default="average"
            What ties count for, as in :class:`QueryScorer`.
        replace_undefined_by : float, default=np.nan
            Value of a query for which the metric is undefined.
        convention : str, default=None
            A library whose definitions to follow.
        catalogue : Catalogue, default=None
            What is known of items and users, as in :class:`QueryScorer`.

        Returns
        -------
        scorer : QueryScorer
            The values are those of :func:`~sklearn_rank.inputs.from_frames` and
            :func:`~sklearn_rank.metrics.per_query_scores`.
        """
        given = {name: value for name, value in locals().items() if name != "cls"}
        for named in _bound(given):
            if named.metric.unjudged == "needed":
                raise ValueError(
                    f"Metric {named.name!r} needs to know what was judged irrelevant, "
                    "which pairs and lists do not tell part by part; score rows, with NaN "
                    "in `y_true` where nobody judged."
                )
        reader = TablesReader(user, item, marker, relevance, score, rank)
        scorer = cls.__new__(cls)
        scorer._set("QueryScorer.from_tables", given, _bound(given), reader)
        return scorer

    def _set(
        self, call: str, given: dict[str, Any], wanted: list[NamedMetric], reader: Reader
    ) -> None:
        self._call = call
        self._given = given
        self._table = TableScorer(wanted, reader, given["by"], given["catalogue"])

    def __reduce__(self):
        """Return what makes it again in another process."""
        return _made, (self._call, self._given)

    def __repr__(self):
        """Return the call that makes it, without what has its default."""
        maker = QueryScorer if self._call == "QueryScorer" else QueryScorer.from_tables
        known = signature(maker).parameters
        given = [
            f"{name}={value!r}"
            for name, value in self._given.items()
            if name != "metrics"
            and (name not in known or repr(value) != repr(known[name].default))
        ]
        return f"{self._call}({', '.join([repr(self._given['metrics']), *given])})"

    def __call__(self, frame):
        """Values per query of a table in which no query is cut.

        Parameters
        ----------
        frame : pandas or polars DataFrame, or pyarrow Table or RecordBatch
            All rows of some queries, in any order.

        Returns
        -------
        values : table of the same kind
            A row a query, in the order of the labels. No rows if `frame` has none.
        """
        return like(frame, self._table.values(self._table.needed(frame)))

    def iterate(self, frames):
        """Values per query of all tables of an iterator together.

        Spark hands over a partition in several tables, which may cut a query. This is the
        function for its ``mapInPandas`` and ``mapInArrow``.

        Parameters
        ----------
        frames : iterable of tables
            The tables of one partition.

        Yields
        ------
        values : table of the same kind
            One for all of them, as the scorer returns it; none if there are no tables.
        """
        if not is_iterable(frames):
            raise TypeError(f"`frames` must be tables, got {shorten(frames)}.")
        first, tables = None, []
        for frame in frames:
            first = frame if first is None else first
            tables.append(self._table.needed(frame))
        if tables:
            joined = library_of(first).concatenate(tables)
            yield like(first, self._table.values(joined))

    def stream(
        self,
        source,
        *,
        sorted_by=None,
        partitions=None,
        spill=None,
        memory=None,
        progress=None,
    ):
        """Values per query of data larger than memory, on this machine.

        One of `sorted_by`, `partitions` and `spill` says how the rows of a query come
        together.

        Parameters
        ----------
        source : iterable of tables, pyarrow Dataset, or callable
            Tables of pandas, polars or pyarrow with columns of the same types; narrower
            integers and strings become those of the first table. A Dataset is asked for
            the needed columns alone, and with `memory` reads nothing ahead; a callable
            returns one of the others.
        sorted_by : str, default=None
            The column of queries, where rows of a query follow each other. One pass; the
            last query of a table is carried over to the next.
        partitions : int, default=None
            In how many parts to take the queries, by a hash of their label. `source` is
            read once for each part; nothing is written.
        spill : str or Path, default=None
            A folder with room for the needed columns, for rows in any order. They are
            written there in parts, and removed in the end. One pass; it needs pyarrow.
        memory : int or str, default=None
            Bytes to stay within, such as ``"1GB"``, beside Python itself, the source and
            the result. With `spill` parts are split until they fit; a query, or with
            `partitions` a part, that does not fit is an error. None: no bound.
        progress : callable, default=None
            Called with a number of rows whenever so many were scored.

        Returns
        -------
        values : table of the kind that `source` has
            A row a query, as the scorer returns it; the order is that of the parts.

        Raises
        ------
        ValueError
            For bad input, see :ref:`errors`; if tables have unlike columns; if a query
            comes a second time, although `sorted_by` says that its rows follow each other.
        """
        found = list(
            self.parts(
                source,
                sorted_by=sorted_by,
                partitions=partitions,
                spill=spill,
                memory=memory,
                progress=progress,
            )
        )
        return library_of(found[0]).concatenate(found)

    def parts(
        self,
        source,
        *,
        sorted_by=None,
        partitions=None,
        spill=None,
        memory=None,
        progress=None,
    ):
        """Values per query as `stream` finds them, one table after the other.

        Where the values themselves are large, write each table before the next one is
        made, as a file of a folder, and give the folder to :func:`summarize`.

        Parameters
        ----------
        source : iterable of tables, pyarrow Dataset, or callable
            As in `stream`, and so are the other parameters.
        sorted_by : str, default=None
            The column of queries, where rows of a query follow each other.
        partitions : int, default=None
            In how many parts to take the queries.
        spill : str or Path, default=None
            A folder with room for the needed columns.
        memory : int or str, default=None
            Bytes to stay within.
        progress : callable, default=None
            Called with a number of rows whenever so many were scored.

        Yields
        ------
        values : table of the kind that `source` has
            At least one, which has no rows where `source` has none. 8 bytes of each query
            are kept, to find one that comes a second time.

        Raises
        ------
        ValueError
            As `stream`, those of the parameters before the first table is read.
        """
        query = self._table.reader.query
        if not (progress is None or callable(progress)):
            raise TypeError(f"`progress` must be a function, got {shorten(progress)}.")
        plan = _stream.choose(query, sorted_by, partitions, spill, read_bytes(memory))
        return self._scored(source, plan, progress or _ignore)

    def _scored(
        self, source: Any, plan: _stream.StreamPlan, progress: Callable[[int], Any]
    ) -> Iterator[Any]:
        table = self._table
        query = table.reader.query
        bounded = plan.budget.n_bytes is not None
        columns = list(dict.fromkeys(table.columns.values()))
        read = Source(source, columns, table.check, bounded=bounded)
        unsorted = f"the rows are not sorted by {query!r}: use `partitions` or `spill`."
        seen = None if plan.sorted_by is None else SeenLabels(unsorted)
        is_empty = True
        with closing(_stream.parts(read, query, plan)) as parts:
            for part in parts:
                values, is_empty = table.values(part), False
                if seen is not None:
                    seen.add(column_of(values, GROUP))
                yield table.as_first(values, read.first)
                progress(n_rows_of(part))
        if read.first is None:
            raise ValueError(
                "`source` has no tables, so that nothing is known of its columns."
            )
        if is_empty:
            yield table.values(read.first)

    def schema(self, frame):
        """Columns of the values with their types, as Spark needs them.

        Parameters
        ----------
        frame : pyspark DataFrame
            What is mapped: labels have the types of its columns.

        Returns
        -------
        schema : str
            For ``mapInPandas`` and ``mapInArrow``.
        """
        return _spark_schema(self._table, frame)

    def meta(self, frame):
        """Table of values without rows, as Dask needs it.

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
        if not (hasattr(frame, "columns") and hasattr(frame, "dtypes")):
            raise TypeError(
                f"`frame` must be a dask or pandas DataFrame, got {shorten(frame)}."
            )
        dtypes = {name: pd.Series([], dtype=dtype) for name, dtype in frame.dtypes.items()}
        empty = pd.DataFrame(dtypes)
        check_columns(empty, self._table.columns)
        return self._table.values(empty)


def _ignore(n_rows: int) -> None:
    """Take a number of rows that nobody asks for."""


def _parameters() -> list[str]:
    named = signature(QueryScorer).parameters.values()
    return [one.name for one in named if one.kind is not one.VAR_KEYWORD]


def _bound(given: dict[str, Any]) -> list[NamedMetric]:
    return bind(
        given["metrics"],
        min_relevance=given["min_relevance"],
        ties=given["ties"],
        replace_undefined_by=given["replace_undefined_by"],
        convention=given["convention"],
        leaves_out=np.nan,
    )


def _made(call: str, given: dict[str, Any]) -> QueryScorer:
    maker = QueryScorer if call == "QueryScorer" else QueryScorer.from_tables
    return maker(**given)


def _spark_schema(table: TableScorer, frame: Any) -> str:
    """Return the columns of the values of a DataFrame of Spark, with their types."""
    if not (hasattr(frame, "columns") and hasattr(frame, "schema")):
        raise TypeError(f"`frame` must be a pyspark DataFrame, got {shorten(frame)}.")
    for parameter, column in table.columns.items():
        find_column(column, frame.columns, parameter=parameter, of="the DataFrame")
    labels = [frame.schema[name].dataType.simpleString() for name in table.labels]
    return ", ".join(
        f"`{name.replace('`', '``')}` {_TYPES.get(kind, kind)}"
        for name, kind in table.types(labels).items()
    )
