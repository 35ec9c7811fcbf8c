"""QueryScorer: metrics as a function of a table that holds whole queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from typing import Any, Self

import numpy as np

from sklearn_rank._base._labels import encode_labels
from sklearn_rank._base._numbers import as_floats
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._judgments import JUDGED, knowledge_of_rows
from sklearn_rank.distributed._frame_libraries import column_of
from sklearn_rank.distributed._sources import Reader, RowsReader, TablesReader
from sklearn_rank.distributed._table_function import TableFunction, TableWork
from sklearn_rank.distributed._value_tables import (
    BY,
    GROUP,
    JUDGMENTS,
    ROWS,
    metric_columns,
    value_column_types,
)
from sklearn_rank.metrics._core._catalogue import Catalogue
from sklearn_rank.metrics._core._evaluate import Evaluation, evaluate
from sklearn_rank.metrics._core._known_items import check_catalogue, check_has_ids
from sklearn_rank.metrics._core._metric import BoundMetric
from sklearn_rank.metrics._core._parameters import MinRelevance
from sklearn_rank.metrics._core._query_functions import names_of_functions
from sklearn_rank.metrics._core._registry import (
    COLUMNS,
    bind,
    canonical_name,
    load_families,
)
from sklearn_rank.metrics._core._report import read_segments
from sklearn_rank.metrics._core._side_columns import check_columns as check_keywords
from sklearn_rank.typing import Metrics, Ties


@dataclass(eq=False)
class TableScorer(TableWork):
    """The metrics, and the reader of the tables."""

    wanted: list[BoundMetric]
    reader: Reader
    by: Any
    catalogue: Catalogue | None

    def __post_init__(self) -> None:
        """Raise for metrics that tables do not suffice for; choose the columns."""
        check_catalogue(self.wanted, self.catalogue)
        for bound in self.wanted:
            _check_whole(bound, self.catalogue)
            check_has_ids(bound, self.catalogue)
        reader = self.reader
        self.query = reader.query
        judged = any(bound.metric.unjudged == "refused" for bound in self.wanted)
        segments = {} if self.by is None else {"by": self.by}
        self.columns = {**reader.columns, **segments}
        self.labels = [reader.query, *segments.values()]
        self.never_null = [*reader.never_null(judged=judged), *segments]
        self._weighs = "sample_weight" in reader.columns

    def column_types(self, of_labels: Any) -> dict[Any, Any]:
        """Return the type of each column of the values; those of labels are given."""
        group, *segment = of_labels
        by = {} if self.by is None else {f"{BY}{self.by}": segment[0]}
        return value_column_types(self.wanted, group, by, weighs=self._weighs)

    def queries(self, result: Any) -> Any:
        """Return the labels of the values."""
        return column_of(result, GROUP)

    def compute(self, table: Any) -> dict[Any, np.ndarray]:
        """Return the columns of the values of a table that has rows."""
        read = self.reader.read(table)
        y_true, y_score = read.pop("y_true"), read.pop("y_score")
        groups, weight = read.pop("groups"), read.pop("sample_weight", None)
        # Of all queries some weigh something; those of this table need not.
        is_weighed = weight is None or np.any(as_floats(weight, "sample_weight"))
        weight = weight if is_weighed else None
        rows = y_true, y_score, groups, weight, read
        options: Any = {"by_query": True, "catalogue": self.catalogue, "is_part": True}
        evaluation = evaluate(self.wanted, *rows, **options)
        evaluation = evaluation if is_weighed else _set_weights_to_zero(evaluation)
        have_values = [bound for bound in evaluation.wanted if bound.summary.per_query]
        values = replace(evaluation, wanted=have_values).per_query()
        query = column_of(table, self.reader.query)
        labels, codes = encode_labels(query, name="query")
        columns: dict[Any, np.ndarray] = {
            GROUP: labels,
            ROWS: np.bincount(codes, minlength=len(labels)),
        }
        if any(bound.metric.unjudged == "needed" for bound in self.wanted):
            columns[JUDGMENTS] = np.full(len(labels), JUDGED if "pooled" in read else 0)
            knowledge = knowledge_of_rows(as_floats(y_true, "y_true"))
            np.maximum.at(columns[JUDGMENTS], codes, knowledge)
        if self.by is not None:
            segments, of_each = read_segments(values, column_of(table, self.by), query)
            columns[f"{BY}{self.by}"] = segments[of_each]
        for bound in evaluation.wanted:
            columns |= metric_columns(bound, values, evaluation, weighs=self._weighs)
        return columns


def _set_weights_to_zero(evaluation: Evaluation) -> Evaluation:
    """Return an evaluation where no query weighs anything."""
    nothing = np.zeros(len(evaluation.queries.labels))
    weights: dict[str, np.ndarray | None] = {
        name: nothing if weight is None else 0 * weight
        for name, weight in evaluation.weights.items()
    }
    empty = {bound.name: bound.summary for bound in evaluation.wanted}
    of_all = {name: empty[name] for name in evaluation.of_all}
    return replace(evaluation, weights=weights, of_all=of_all)


def _check_whole(bound: BoundMetric, catalogue: Catalogue | None) -> None:
    """Raise if a default would be computed from a part instead of the whole data."""
    for name in bound.metric.from_data:
        if name == "n_items" and catalogue is not None and catalogue.n_items:
            continue
        if bound.parameters[name] is None:
            word, at, k = bound.definition.partition("@")
            raise ValueError(
                f"Metric {bound.name!r} takes `{name}` from the whole data, which is "
                f"unknown in a part; give it: '{word}({name}=...){at}{k}'."
            )


@explained
class QueryScorer(TableFunction):
    """Metrics as a function of a table with whole queries, for engines that map tables.

    A table of values, with one row per query, comes out of it: the same values, bit for
    bit, that :func:`~sklearn_rank.metrics.per_query_scores` has for all rows at once. The
    engine brings the rows of a query together, before or while it maps the function; then
    :func:`summarize` computes means of the values, and detects split queries.

    It can be pickled and is sent to workers as it is.

    Parameters
    ----------
    metrics : str, callable or sequence of these
        Names and functions as in :func:`~sklearn_rank.metrics.ranking_scores`. Parameters
        that the whole data would decide have to be given: ``"err(max_grade=4)@10"``.
    groups : str
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
        Lowest relevant grade, for metrics with this parameter. If None, any above 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        Treatment of ties: the mean over all orders, lowest or highest grades first, or the
        given order. "first" needs an engine that keeps the order of rows.
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
        That of ``subtopics`` holds a list in each row: the subtopics it is relevant to.

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
    has), ``by.<column>`` where `by` is given, one column per metric, and
    ``weight.<metric>`` where weights are in play.

    A metric of a whole system, such as coverage, has no values of queries: one row per
    table has in ``state.<metric>`` what :func:`summarize` merges. Metrics such as bpref
    need to know what was judged irrelevant. A part may have relevant items alone, so
    ``judgments`` has what its rows say, and :func:`summarize` asks all parts together.

    Missing values (null) in `groups`, `y_score` and, unless all metrics accept unjudged
    rows, `y_true` are errors: engines keep null as a label of its own.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_rank.distributed import QueryScorer, summarize
    >>> rows = pd.DataFrame(
    ...     {"user": [1, 1, 2, 2], "grade": [0, 1, 1, 0], "score": [4.0, 3.0, 2.0, 1.0]}
    ... )
    >>> score = QueryScorer("mrr", groups="user", y_true="grade", y_score="score")
    >>> score
    QueryScorer('mrr', groups='user', y_true='grade', y_score='score')
    >>> values = pd.concat([score(rows[:2]), score(rows[2:])])
    >>> values["mrr"].tolist()
    [0.5, 1.0]
    >>> print(summarize(values))
            mean  std error  queries  undefined
    mrr   0.7500     0.2500        2          0
    """

    _table: TableScorer

    def __init__(
        self,
        metrics: Metrics,
        *,
        groups: str,
        y_true: str,
        y_score: str,
        sample_weight: str | None = None,
        by: str | None = None,
        min_relevance: MinRelevance = None,
        ties: Ties = "average",
        replace_undefined_by: float = np.nan,
        convention: str | None = None,
        catalogue: Catalogue | None = None,
        **columns: str,
    ) -> None:
        keywords = {n: v for n, v in locals().items() if n not in ("self", "columns")}
        load_families()
        check_keywords(columns, COLUMNS, "QueryScorer()", signature(QueryScorer).parameters)
        reader = RowsReader(groups, y_true, y_score, sample_weight, columns)
        self._initialize(QueryScorer, {**keywords, **columns}, reader)

    @classmethod
    def from_tables(
        cls,
        metrics: Metrics,
        *,
        user: str,
        item: str,
        marker: str,
        relevance: str | None = None,
        score: str | None = None,
        rank: str | None = None,
        by: str | None = None,
        min_relevance: MinRelevance = None,
        ties: Ties = "average",
        replace_undefined_by: float = np.nan,
        convention: str | None = None,
        catalogue: Catalogue | None = None,
    ) -> Self:
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
            Column with the grades of pairs. If None, each pair has grade 1.
        score : str, default=None
            Column with the scores of recommended items, higher is better.
        rank : str, default=None
            Column with the ranks of recommended items, lower is better. One of `score` and
            `rank` is needed.
        by : str, default=None
            Column of segments, the same in all rows of a user.
        min_relevance : float, default=None
            Lowest relevant grade, for metrics with this parameter. If None, any above 0.
        ties : {"average", "worst", "best", "first"}, default="average"
            Treatment of ties, as in :class:`QueryScorer`.
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
        keywords = {name: value for name, value in locals().items() if name != "cls"}
        reader = TablesReader(user, item, marker, relevance, score, rank)
        scorer = cls.__new__(cls)
        scorer._initialize(QueryScorer.from_tables, keywords, reader)
        return scorer

    def _initialize(self, maker: Callable[..., Any], keywords: Any, reader: Reader) -> None:
        """Bind the metrics, and keep the call for `pickle` and `repr`."""
        self._maker, self._given = maker, keywords
        names = ("min_relevance", "ties", "replace_undefined_by", "convention")
        options = {name: keywords[name] for name in names}
        wanted = bind(keywords["metrics"], **options, leaves_out=np.nan)
        functions = names_of_functions(wanted)
        if functions:
            raise ValueError(
                f"{functions[0]!r} is your own function, and a column of values has only "
                "the name of its metric. Name a metric, or use per_query_scores."
            )
        for bound in wanted:
            if bound.definition != canonical_name(bound.name):
                raise ValueError(
                    f"{bound.name!r} is a new name of {bound.definition!r}, and a column "
                    "of values has only the name of its metric. Give the metric alone."
                )
        reader.check(wanted)
        self._table = TableScorer(wanted, reader, keywords["by"], keywords["catalogue"])

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what makes it again in another process."""
        return partial(self._maker, **self._given), ()

    def __repr__(self) -> str:
        """Return the call that makes it, without what has its default."""
        parameters = signature(self._maker).parameters
        options = [
            f"{name}={value!r}"
            for name, value in self._given.items()
            if name != "metrics"
            and (name not in parameters or repr(value) != repr(parameters[name].default))
        ]
        arguments = ", ".join([repr(self._given["metrics"]), *options])
        return f"{self._maker.__qualname__}({arguments})"
