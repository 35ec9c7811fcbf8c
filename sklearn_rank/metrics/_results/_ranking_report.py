"""A table of several metrics: means, standard errors, numbers of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Self, Unpack, overload

import numpy as np

from sklearn_rank._base._text import align_columns
from sklearn_rank._base._validation import check_integer, check_option, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank.metrics._core._catalogue import Catalogue
from sklearn_rank.metrics._core._evaluate import Evaluation, evaluate
from sklearn_rank.metrics._core._metric import BoundMetric, Metric
from sklearn_rank.metrics._core._parameters import MinRelevance
from sklearn_rank.metrics._core._registry import bind, check_keywords, parse_metrics
from sklearn_rank.metrics._core._report import (
    ReportForm,
    compare_segments,
    read_intervals,
    report_rows,
)
from sklearn_rank.metrics._core._summaries import SystemSummary
from sklearn_rank.typing import (
    ArrayLike,
    Columns,
    Labels,
    Matrix,
    Metrics,
    PandasFrame,
    Ties,
    Undefined,
)

# The most cutoffs that a table or a picture can show.
MOST_CUTOFFS = 1000

CUTOFFS = (1, 5, 10)
DEFAULT_METRICS = ("precision", "recall", "hit_rate", "mrr", "map", "ndcg")


class _Report(Columns, total=False):
    groups: Labels | None
    metrics: Metrics
    k: int | ArrayLike
    min_relevance: MinRelevance
    ties: Ties
    sample_weight: ArrayLike | None
    replace_undefined_by: Undefined
    convention: str | None
    catalogue: Catalogue | None
    by: Labels | Mapping[Any, Any] | None
    confidence_level: float | None
    support: bool
    digits: int


@overload
def ranking_report(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    metrics: Metrics = DEFAULT_METRICS,
    k: int | ArrayLike = CUTOFFS,
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = np.nan,
    convention: str | None = None,
    catalogue: Catalogue | None = None,
    by: Labels | Mapping[Any, Any] | None = None,
    confidence_level: float | None = None,
    support: bool = False,
    digits: int = 4,
    output_dict: Literal[False] = False,
    as_frame: Literal[False] = False,
    **columns: Unpack[Columns],
) -> str: ...


@overload
def ranking_report(
    y_true: Matrix,
    y_score: Matrix,
    *,
    output_dict: Literal[True],
    as_frame: bool = False,
    **options: Unpack[_Report],
) -> dict[str, dict[str, Any]]: ...


@overload
def ranking_report(
    y_true: Matrix, y_score: Matrix, *, as_frame: Literal[True], **options: Unpack[_Report]
) -> PandasFrame: ...


@explained
def ranking_report(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    metrics: Metrics = DEFAULT_METRICS,
    k: int | ArrayLike = CUTOFFS,
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = np.nan,
    convention: str | None = None,
    catalogue: Catalogue | None = None,
    by: Labels | Mapping[Any, Any] | None = None,
    confidence_level: float | None = None,
    support: bool = False,
    digits: int = 4,
    output_dict: bool = False,
    as_frame: bool = False,
    **columns: Unpack[Columns],
) -> str | dict[str, dict[str, Any]] | PandasFrame:
    """Table of metrics with their standard errors and the queries behind them.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    metrics : str, callable or sequence of these, default=("precision", "recall", ...)
        Names and functions as in :func:`ranking_scores`. A metric that takes a cutoff and
        is named without one gives one row for each of ``k``.
    k : int or sequence of int, default=(1, 5, 10)
        Cutoffs of the metrics that are named without one, 1000 at most.
    min_relevance : float, default=None
        Lowest relevant grade, for metrics with this parameter. If None, any above 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        Treatment of ties: the mean over all orders, lowest or highest grades first, or the
        given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Weight of each query in the mean; in 1-D one value per row, equal within a query.
    replace_undefined_by : float or "abstained", default=np.nan
        Value of a query for which the metric is undefined. With NaN the mean leaves out
        these queries, and the report counts them. With "abstained" a query without relevant
        rows has 1 if nothing was retrieved, else 0.
    convention : str, default=None
        A library whose definitions to follow, as in :func:`ranking_scores`.
    catalogue : Catalogue, default=None
        Data about items and users, for metrics of shown items, such as ``"novelty@10"``.
    by : array-like of shape (n_rows,) or (n_queries,), mapping or Series, default=None
        Segment of each query, such as the country of a user: a mapping or a pandas Series
        by query, or in 1-D one value per row, alike within a query. The report has a row
        for each segment, and one for the difference of the highest and the lowest mean.
    confidence_level : float, default=None
        Probability that an interval covers the true mean, such as 0.95: the report has
        ``low`` and ``high`` of the interval of
        :func:`~sklearn_rank.statistics.confidence_interval`, within the range of the
        metric. If None, no intervals.
    support : bool, default=False
        Whether to report the numbers of queries and of their items, too: retrieved,
        relevant, and both (``num_q``, ``num_ret``, ``num_rel`` and ``num_rel_ret`` of
        trec_eval). A DataFrame has them in ``attrs["support"]``.
    digits : int, default=4
        Decimals in the table, 17 at most.
    output_dict : bool, default=False
        Return a dict instead of text.
    as_frame : bool, default=False
        Return a pandas DataFrame instead of text, which has ``to_latex()`` and
        ``to_markdown()``.
    **columns : array-like
        Values aligned with rows that metrics need, as in :func:`ranking_scores`.

    Returns
    -------
    report : str, dict or DataFrame
        The table; or for each metric its ``mean``, ``standard_error`` (of the mean over
        queries, NaN for a single query), ``queries`` (behind the mean) and ``undefined``
        (queries left out of it), with a ``confidence_level`` also ``low`` and ``high``.
        With ``by`` also ``segments``, the same of each segment, and ``difference``:
        ``highest`` and ``lowest`` segment, ``mean``, ``standard_error``, and the ``ratio``
        of the two means; None if fewer than two segments have a mean. It has no interval,
        because the same values chose the two segments. With ``support``, a dict has these
        numbers as ``"support"``.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if a name or a parameter in it is unknown.

    See Also
    --------
    ranking_scores : The means alone.
    sklearn_rank.statistics.confidence_interval : Other intervals, and clusters of queries.
    sklearn_rank.statistics.compare_models : Whether one model is better than another; the
        intervals of two means do not show it.

    Examples
    --------
    >>> from sklearn_rank.metrics import ranking_report
    >>> y_true, y_score = [0, 1, 0, 1, 1, 0], [6, 5, 4, 3, 2, 1]
    >>> groups = ["a", "a", "a", "b", "b", "b"]
    >>> print(ranking_report(y_true, y_score, groups=groups, k=2, metrics=["mrr", "ndcg"]))
              mean  std error  queries  undefined
    mrr@2   0.7500     0.2500        2          0
    ndcg@2  0.8155     0.1845        2          0

    By segment of queries:

    >>> country = {"a": "AT", "b": "DE"}
    >>> rows = {"y_true": y_true, "y_score": y_score, "groups": groups}
    >>> print(ranking_report(**rows, k=2, metrics="mrr", by=country))
                      mean  std error  queries  undefined
    mrr@2  all      0.7500     0.2500        2          0
           AT       0.5000        nan        1          0
           DE       1.0000        nan        1          0
           DE - AT  0.5000        nan        2          0

    With intervals of the means:

    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, groups = make_ranking(n_queries=60, random_state=0)
    >>> rows = {"y_true": y, "y_score": X[:, 0], "groups": groups}
    >>> print(ranking_report(**rows, metrics="ndcg", k=10, confidence_level=0.95))
               mean  std error       low      high  queries  undefined
    ndcg@10  0.4267     0.0280    0.3706    0.4840       60          0

    With the numbers of items:

    >>> print(ranking_report(**rows, metrics="ndcg", k=10, support=True))
               mean  std error  queries  undefined
    ndcg@10  0.4267     0.0280       60          0
    <BLANKLINE>
    queries               60
    retrieved           1489
    relevant             715
    relevant retrieved   715
    """
    form = ReportForm(digits, output_dict, as_frame, "ranking_report")
    check_option("support", support, (True, False))
    check_keywords(columns, ranking_report)
    parameters = metrics, ties, replace_undefined_by, convention, min_relevance
    wanted = bind(*parameters, leaves_out=np.nan, counts_beside=support)
    are_fixed = all(bound.is_cutoff_fixed for bound in wanted)
    if k is not CUTOFFS and cutoffs_of(k) and are_fixed:
        raise ValueError(
            f"`k` has no effect: {', '.join(repr(bound.name) for bound in wanted)} give "
            "their cutoffs, or take none. Leave `k` out, or write names without cutoffs."
        )
    wanted = expand_cutoffs(wanted, k)
    counted = [count_items(min_relevance, ties)] if support else []
    data = (y_true, y_score, groups, sample_weight, columns)
    options: Any = {"by_query": by is not None, "catalogue": catalogue}
    evaluation = evaluate([*wanted, *counted], *data, **options)
    numbers = pop_support(evaluation) if support else {}
    intervals, scores = read_intervals(confidence_level), None
    if intervals is not None:
        scores = evaluation.with_values().per_query()
    rows = report_rows(evaluation.summaries(), scores, intervals)
    segments = None
    if by is not None:
        segments = compare_segments(evaluation.per_query(), by, groups, intervals)
    if intervals is not None:
        intervals.warn_of_few()
    report = form.format(rows, segments)
    return add_support(report, numbers) if support else report


def expand_cutoffs(metrics: Sequence[BoundMetric], k: Any) -> list[BoundMetric]:
    """Return the metrics; those with a cutoff but no given one, once for each k."""
    cutoffs = cutoffs_of(k)
    wanted: list[Any] = []
    for bound in metrics:
        if bound.is_cutoff_fixed:
            wanted.append(bound)
        elif cutoffs:
            wanted += [bound.with_cutoff(cutoff) for cutoff in cutoffs]
        else:
            raise ValueError(f"`k` is empty, but {bound.name!r} needs a cutoff; give one.")
    return parse_metrics(wanted)


def cutoffs_of(k: Any) -> list[int]:
    """Return one cutoff or several as a list of integers."""
    is_sized = hasattr(k, "__len__") and getattr(k, "ndim", 1) == 1
    if is_sized and not isinstance(k, str | bytes | Mapping):
        check_number_of_cutoffs(k, len(k))
    else:
        k = [k]
    return [check_integer("k", cutoff) for cutoff in k]


def check_number_of_cutoffs(k: Any, count: int) -> None:
    """Raise if there are more cutoffs than a table or a picture can show."""
    if count > MOST_CUTOFFS:
        raise ValueError(
            f"`k` has {count} cutoffs, got {shorten(k)}; give {MOST_CUTOFFS} at most, such "
            "as k=[1, 10, 100]."
        )


# The support of a report: numbers of queries and of retrieved and relevant items.

SUPPORT_NAME = "support"


def count_support(lists: RankedLists, min_relevance: MinRelevance) -> Any:
    """Return the numbers of retrieved and of relevant items, and of those that are both."""
    is_relevant = lists.is_relevant(min_relevance)
    is_hit = is_relevant & (lists.above < lists.n_retrieved[lists.query])
    hits = lists.sum(lists.query[is_hit])
    return np.array([lists.n_retrieved, lists.n_relevant(min_relevance), hits])


@dataclass(frozen=True, eq=False)
class Support(SystemSummary):
    """Numbers of queries and of their items, without weights."""

    n: int = 0
    undefined: int = 0
    retrieved: int = 0
    relevant: int = 0
    relevant_retrieved: int = 0

    def add(self, found: Any, weight: np.ndarray | None = None) -> Self:
        """Return the counts with those of more queries."""
        retrieved, relevant, both = map(int, found.sum(axis=1))
        return self.merge(type(self)(found.shape[1], 0, retrieved, relevant, both))

    def merge(self, other: Self) -> Self:
        """Return the sums of both."""
        names = [field.name for field in fields(self)]
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        return replace(self, **sums)

    def cells(self) -> dict[str, int]:
        """Return the counts by their names in reports."""
        return {
            "queries": self.n,
            "retrieved": self.retrieved,
            "relevant": self.relevant,
            "relevant_retrieved": self.relevant_retrieved,
        }


SUPPORT = Metric(
    SUPPORT_NAME, count_support, count_support, summary=Support(), unjudged="irrelevant"
)


def count_items(min_relevance: float | None, ties: str) -> BoundMetric:
    """Return the metric that counts the items of a report."""
    relevance = SUPPORT.checks["min_relevance"].check("min_relevance", min_relevance)
    return BoundMetric(SUPPORT_NAME, SUPPORT, {"min_relevance": relevance}, ties=ties)


def pop_support(evaluation: Evaluation) -> dict[str, int]:
    """Remove the counts from the evaluation, and return them."""
    counted = evaluation.of_all.pop(SUPPORT_NAME)
    evaluation.wanted = [bound for bound in evaluation.wanted if bound.name != SUPPORT_NAME]
    assert isinstance(counted, Support)
    return counted.cells()


def add_support(report: Any, numbers: Mapping[str, int]) -> Any:
    """Return a report (text, dict or DataFrame) with the counts."""
    if isinstance(report, str):
        lines = [[name.replace("_", " "), str(count)] for name, count in numbers.items()]
        return "\n".join([report, "", *align_columns(lines)])
    if isinstance(report, dict):
        return {**report, SUPPORT_NAME: dict(numbers)}
    report.attrs[SUPPORT_NAME] = dict(numbers)
    return report
