"""QueryScorer: metrics as a function of a table that holds whole queries."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import Any, Self

import numpy as np

from sklearn_rank.distributed._readers import Reader, RowsReader, TablesReader
from sklearn_rank.distributed._table_function import TableFunction
from sklearn_rank.distributed._table_scorer import TableScorer
from sklearn_rank.metrics._core._catalogue import Catalogue
from sklearn_rank.metrics._core._columns_beside import check_columns as check_keywords
from sklearn_rank.metrics._core._metric import NamedMetric
from sklearn_rank.metrics._core._parameters import MinRelevance
from sklearn_rank.metrics._names._bind import bind
from sklearn_rank.metrics._names._registry import COLUMNS
from sklearn_rank.typing import Metrics, Ties


class QueryScorer(TableFunction):
    """Metrics as a function of a table with whole queries, for engines that map tables.

    A table of values, with one row a query, comes out of it: the same values, bit for bit,
    that :func:`~sklearn_rank.metrics.per_query_scores` has for all rows at once. The engine
    brings the rows of a query together, before or while it maps the function; then
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
        Lowest relevant grade, for metrics with this parameter. None: any above 0.
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
    has), ``by.<column>`` where `by` is given, one column a metric, and ``weight.<metric>``
    where weights are in play. A metric of a whole system, such as coverage, has no values
    of queries: ``state.<metric>`` has, once a table, what :func:`summarize` merges.

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
        given = {n: one for n, one in locals().items() if n not in ("self", "columns")}
        check_keywords(columns, COLUMNS, "QueryScorer()", signature(QueryScorer).parameters)
        given = {**given, **columns}
        wanted = _bound(given)
        for named in wanted:
            for column in named.metric.columns:
                if column.name not in columns:
                    raise ValueError(
                        f"Metric {named.name!r} needs `{column.name}`, {column.holds}: "
                        f"name its column, {column.name}='...'."
                    )
        reader = RowsReader(groups, y_true, y_score, sample_weight, columns)
        self._set(QueryScorer, given, wanted, reader)

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
        given = {name: value for name, value in locals().items() if name != "cls"}
        for named in _bound(given):
            if named.metric.unjudged == "needed":
                raise ValueError(
                    f"Metric {named.name!r} needs to know what was judged irrelevant, "
                    "which pairs and lists do not have part by part; score rows, with NaN "
                    "in `y_true` for rows without a judgment."
                )
        reader = TablesReader(user, item, marker, relevance, score, rank)
        scorer = cls.__new__(cls)
        scorer._set(QueryScorer.from_tables, given, _bound(given), reader)
        return scorer

    def _set(
        self,
        maker: Callable[..., Any],
        given: dict[str, Any],
        wanted: list[NamedMetric],
        reader: Reader,
    ) -> None:
        self._maker = maker
        self._given = given
        self._table = TableScorer(wanted, reader, given["by"], given["catalogue"])

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what makes it again in another process."""
        return partial(self._maker, **self._given), ()

    def __repr__(self) -> str:
        """Return the call that makes it, without what has its default."""
        known = signature(self._maker).parameters
        given = [
            f"{name}={value!r}"
            for name, value in self._given.items()
            if name != "metrics"
            and (name not in known or repr(value) != repr(known[name].default))
        ]
        arguments = ", ".join([repr(self._given["metrics"]), *given])
        return f"{self._maker.__qualname__}({arguments})"


def _bound(given: dict[str, Any]) -> list[NamedMetric]:
    return bind(
        given["metrics"],
        min_relevance=given["min_relevance"],
        ties=given["ties"],
        replace_undefined_by=given["replace_undefined_by"],
        convention=given["convention"],
        leaves_out=np.nan,
    )
