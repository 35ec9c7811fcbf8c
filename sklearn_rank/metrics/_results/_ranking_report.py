"""A table of several metrics: means, standard errors, numbers of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Self, Unpack, overload

import numpy as np

from sklearn_rank._base._messages import keep_warnings, quantity
from sklearn_rank._base._text import LATEX_ESCAPES, align_columns
from sklearn_rank._base._validation import check_integer, check_option, shorten
from sklearn_rank._display._result import Result
from sklearn_rank._display._section import Section
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank.metrics._core._catalogue import Catalogue
from sklearn_rank.metrics._core._evaluate import Evaluation, evaluate
from sklearn_rank.metrics._core._judged_share import (
    JUDGED_SHARE,
    judgment_notes,
    needed_judgments,
)
from sklearn_rank.metrics._core._metric import BoundMetric, Metric
from sklearn_rank.metrics._core._parameters import MinRelevance
from sklearn_rank.metrics._core._registry import bind, check_keywords, parse_metrics
from sklearn_rank.metrics._core._report import (
    UNLIMITED_WIDTH,
    ReportForm,
    ReportRow,
    Segments,
    compare_segments,
    list_rows,
    notes_of_segments,
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
    k: int | ArrayLike | None
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
    k: int | ArrayLike | None = None,
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
) -> RankingReport: ...


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
@keep_warnings
def ranking_report(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    metrics: Metrics = DEFAULT_METRICS,
    k: int | ArrayLike | None = None,
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
) -> RankingReport | dict[str, dict[str, Any]] | PandasFrame:
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
        Names and functions as in :func:`ranking_scores`.
    k : int or sequence of int, default=None
        Cutoffs, 1000 at most: a metric that takes one and is named without gives one row
        for each. If None, such a metric takes whole lists, and the default metrics have the
        cutoffs 1, 5 and 10.
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
    report : RankingReport, dict or DataFrame
        The table as text, which is a result too: ``warnings``, ``to_frame()``,
        ``to_dict()``, ``to_latex()``. Or for each metric its ``mean``, ``standard_error``
        (of the mean over queries, NaN for a single query), ``queries`` (behind the mean)
        and ``undefined`` (queries left out of it), with a ``confidence_level`` also ``low``
        and ``high``.

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
    asked = bind(*parameters, leaves_out=np.nan, counts_beside=support)
    if k is None:
        wanted = expand_cutoffs(asked, CUTOFFS) if metrics is DEFAULT_METRICS else asked
    elif cutoffs_of(k) and all(bound.is_cutoff_fixed for bound in asked):
        raise ValueError(
            f"`k` has no effect: {', '.join(repr(bound.name) for bound in asked)} give "
            "their cutoffs, or take none. Leave `k` out, or write names without cutoffs."
        )
    else:
        wanted = expand_cutoffs(asked, k)
    counted = [count_items(min_relevance, ties)] if support else []
    data = (y_true, y_score, groups, sample_weight, columns)
    options: Any = {"by_query": by is not None, "catalogue": catalogue}
    judged = needed_judgments(wanted, y_true)
    evaluation = evaluate([*wanted, *counted, *judged], *data, **options)
    numbers = pop_support(evaluation) if support else {}
    notes = [*_notes_of_names(wanted), *_pop_notes(evaluation, judged)]
    intervals, scores = read_intervals(confidence_level), None
    if intervals is not None:
        scores = evaluation.with_values().per_query()
    rows = report_rows(evaluation.summaries(), scores, intervals)
    segments = None
    if by is not None:
        segments = compare_segments(evaluation.per_query(), by, groups, intervals)
    if intervals is not None:
        intervals.warn_of_few()
    if output_dict or as_frame:
        report = form.format(rows, segments)
        return add_support(report, numbers) if support else report
    definitions = {bound.name: bound.definition for bound in wanted}
    notes += notes_of_segments(segments)
    return RankingReport.from_rows(form, rows, segments, definitions, numbers, notes)


@explained
class RankingReport(str, Result):
    """The report of :func:`ranking_report`: a text, and a result with its numbers.

    Examples
    --------
    >>> from sklearn_rank.metrics import ranking_report
    >>> rows = {"y_true": [0, 1, 1, 0], "y_score": [4, 3, 2, 1], "groups": [0, 0, 1, 1]}
    >>> report = ranking_report(**rows, metrics=["recip_rank"])
    >>> print(report)
                  mean  std error  queries  undefined
    recip_rank  0.7500     0.2500        2          0
    recip_rank is mrr.
    >>> report.to_dict()["rows"][0]["definition"], report.warnings
    ('mrr', [])
    """

    _table: dict[str, list[Any]]
    _parts: list[Section]
    _support: dict[str, int]

    @classmethod
    def from_rows(
        cls,
        form: ReportForm,
        rows: Mapping[str, ReportRow],
        segments: Mapping[str, Segments] | None,
        definitions: Mapping[str, str],
        support: Mapping[str, int],
        notes: list[str],
    ) -> Self:
        """Return the report of these rows."""
        counts = [[name.replace("_", " "), str(count)] for name, count in support.items()]
        table = form.table(rows, segments)
        sections = [Section(lines=table, notes=notes)]
        lines = [*align_columns(table, UNLIMITED_WIDTH), *notes]
        if counts:
            sections.append(Section(lines=[["", "number"], *counts]))
            lines += ["", *align_columns(counts)]
        report = cls("\n".join(lines))
        listed = list_rows(rows, segments)
        columns: dict[str, list[Any]] = {"metric": [name for name, _, _ in listed]}
        columns["definition"] = [definitions[name] for name, _, _ in listed]
        if segments is not None:
            columns["segment"] = [label for _, label, _ in listed]
        cells = [row.cells() for _, _, row in listed]
        columns |= {title: [row[title] for row in cells] for title in cells[0]}
        report._table, report._parts = columns, sections
        report._support = dict(support)
        return report

    def __str__(self) -> str:
        """Return the text that ``print`` shows: the report, and its warnings."""
        return "\n".join([self[:], *(f"Warning: {text}" for text in self.warnings)])

    def _columns(self) -> dict[str, list[Any]]:
        return self._table

    def _sections(self) -> list[Section]:
        return self._parts

    def _facts(self) -> dict[str, Any]:
        return {SUPPORT_NAME: self._support} if self._support else {}

    def to_latex(self) -> str:
        """Return the report as a LaTeX table, for the package booktabs.

        Returns
        -------
        table : str
            The lines of a ``tabular``, without notes and support.
        """
        titles, *rows = (
            [cell.translate(LATEX_ESCAPES) for cell in line]
            for line in self._parts[0].lines
        )
        return "\n".join(
            [
                rf"\begin{{tabular}}{{l{'r' * (len(titles) - 1)}}}",
                r"\toprule",
                rf"{' & '.join(titles)} \\",
                r"\midrule",
                *(rf"{' & '.join(row)} \\" for row in rows),
                r"\bottomrule",
                r"\end{tabular}",
            ]
        )


# Notes below a report, which are not warnings.


def _notes_of_names(wanted: Sequence[BoundMetric]) -> list[str]:
    """Return what names mean, if they are not those of this package."""
    return [f"{b.name} is {b.definition}." for b in wanted if b.name != b.definition]


def _pop_notes(evaluation: Evaluation, judged: list[BoundMetric]) -> list[str]:
    """Return notes on queries without a list and on unjudged ranks; drop the latter."""
    n_queries, notes = len(evaluation.queries.labels), []
    answered = evaluation.answered
    if answered is not None and 0 < np.count_nonzero(answered) < n_queries:
        n_unanswered = n_queries - np.count_nonzero(answered)
        notes.append(
            f"There is no list for {n_unanswered:,} of {quantity(n_queries, 'query')}."
        )
    if judged:
        share = evaluation.summaries()[JUDGED_SHARE].result()
        evaluation.wanted = [b for b in evaluation.wanted if b.name != JUDGED_SHARE]
        notes += judgment_notes(judged[0], share, evaluation.longest_list)
    return notes


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
    """Return a report (dict or DataFrame) with the counts."""
    if isinstance(report, dict):
        return {**report, SUPPORT_NAME: dict(numbers)}
    report.attrs[SUPPORT_NAME] = dict(numbers)
    return report
