"""Bounds of metrics over all judgments of unjudged rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._base._label_checks import check_arguments_paired
from sklearn_rank._base._labels import encode_labels
from sklearn_rank._base._numbers import as_floats, as_numbers, exact_as_floats
from sklearn_rank._base._runs import ranges
from sklearn_rank._base._validation import check_real
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._judgments import Judgments, read_judgments
from sklearn_rank.metrics._core._evaluate import Evaluation, evaluate
from sklearn_rank.metrics._core._metric import ABSTAINED, BoundMetric, bind_to_input
from sklearn_rank.metrics._core._misleading_input import warn_unless_reversed
from sklearn_rank.metrics._core._parameters import MinRelevance
from sklearn_rank.metrics._core._per_query import PerQueryScores, replace_scores
from sklearn_rank.metrics._core._registry import bind
from sklearn_rank.metrics._core._summaries import fill_undefined
from sklearn_rank.typing import ArrayLike, Bunch, Labels, Matrix, Metrics, Ties, Undefined

_Scores = dict[str, np.ndarray]


class Bounds(Bunch):
    """Lowest and highest values per query over all judgments of unjudged rows."""

    lower: PerQueryScores
    upper: PerQueryScores
    irrelevant: PerQueryScores
    judged_only: PerQueryScores


@explained
def unjudged_bounds(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    metrics: Metrics = ("ndcg@10",),
    min_relevance: MinRelevance = None,
    relevance: float | None = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = np.nan,
) -> Bounds:
    """Lowest and highest value of metrics over all judgments of unjudged rows.

    Judgments are incomplete. Each unjudged row could be irrelevant (0) or relevant
    (``relevance``), and over all these possibilities a query has a lowest and a highest
    value. Both are exact, also for "recall", "map" and "ndcg", whose denominators count all
    relevant rows.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_items)
        Grades, 0 or more; above 0 is relevant. NaN is unjudged, and so is -0.0, with which
        functions such as :func:`from_item_lists` mark items without a judgment.
    y_score : array-like of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf`` is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    metrics : str, callable or sequence of these, default=("ndcg@10",)
        Names such as ``"hit_rate@10"``, ``"mrr"``, ``"ndcg@10"``; functions of this module,
        with their defaults.
    min_relevance : float, default=None
        Lowest relevant grade, for metrics with this parameter. If None, any above 0.
    relevance : float, default=None
        Grade of an unjudged row that is relevant. If None, the highest in ``y_true``.
    ties : {"average", "worst", "best", "first"}, default="average"
        Treatment of ties: the mean over all orders, lowest or highest grades first, or the
        given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Weight of each query in the mean; in 1-D one value per row, equal within a query.
    replace_undefined_by : float, default=np.nan
        Value of a query for which the metric is undefined.

    Returns
    -------
    bounds : Bunch
        Four PerQueryScores: ``lower`` and ``upper``; ``irrelevant``, if no unjudged row is
        relevant; and ``judged_only``, of lists without the unjudged rows (condensed lists),
        which may be outside the bounds.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if the bounds of a metric are not known, no
        grade is above 0 and ``relevance`` is None, or ``relevance`` is lower than
        ``min_relevance``.

    See Also
    --------
    sklearn_rank.inputs.fill_unjudged : Two passes, enough for "precision", "dcg" or "mrr".
    rank_biased_precision_residual : The width of such bounds in closed form.

    Notes
    -----
    Take a metric that never falls if a relevant row moves up. If m unjudged rows of a query
    are relevant, it is highest if they are the first m, and lowest if they are the last m.
    The bounds are the extremes over all m. A query with U unjudged rows is evaluated up to
    2 U times: 50 queries with 1000 rows that are mostly unjudged take as long as 100,000
    judged queries.

    An unjudged row has one of two grades. With grades in between, "ndcg" may be above its
    upper bound, and "q_measure" above or below. "q_measure" needs the highest grade as
    ``relevance``. Tied rows change nothing: the bounds are exact for all ``ties``.

    Some metrics raise an error: those that depend on more than grades and ranks (items,
    propensities, subtopics), that handle unjudged rows themselves ("bpref"), or that weight
    queries by judgments ("pooled_recall"); and "map" with ``denominator="retrieved"``,
    which may fall if a relevant row moves up.

    If ``replace_undefined_by`` is NaN, bounds cover only the possibilities for which a
    query is defined. The mean of the lowest values is the lowest mean if
    ``replace_undefined_by`` is a number, or if each query has a judged relevant row.

    References
    ----------
    .. [1] A. Moffat, J. Zobel, "Rank-biased precision for measurement of retrieval
       effectiveness", ACM Transactions on Information Systems 27(1), 2008.
    .. [2] T. Sakai, "Alternatives to Bpref", SIGIR 2007 (condensed lists).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_rank.metrics import unjudged_bounds
    >>> y_true, y_score = [[1, np.nan, 0, np.nan]], [[4, 3, 2, 1]]
    >>> found = unjudged_bounds(y_true, y_score, metrics="recall@2")
    >>> found.lower.mean()["recall@2"], found.upper.mean()["recall@2"]
    (0.5, 1.0)
    """
    wanted = bind(metrics, ties, replace_undefined_by, min_relevance=min_relevance)
    _check_known(wanted)
    check_arguments_paired(y_true, y_score, groups, sample_weight)
    grades = as_floats(y_true, "y_true")
    is_meant = isinstance(y_true, Judgments)
    grades, _ = read_judgments(grades, "unjudged_bounds", is_meant=is_meant)
    is_unjudged = np.isnan(grades)
    highest = float(grades.max(initial=0, where=~is_unjudged))
    relevance = _read_relevance(relevance, highest)
    wanted = [bind_to_input(bound, max(highest, relevance)) for bound in wanted]
    _check_grades(wanted, relevance, highest)
    none_relevant = np.where(is_unjudged, 0.0, grades)
    result = evaluate(wanted, none_relevant, y_score, groups, sample_weight, by_query=True)
    _check_weights(result)
    irrelevant = result.per_query()
    rows = _RowsByScore.sort(irrelevant.groups, grades, y_score, groups)
    lower, upper = _extremes(wanted, rows, relevance, irrelevant.scores)
    return Bounds(
        lower=replace_scores(irrelevant, lower),
        upper=replace_scores(irrelevant, upper),
        irrelevant=irrelevant,
        judged_only=replace_scores(irrelevant, _scores_of_judged(wanted, rows)),
    )


def _read_relevance(relevance: Any, highest: float) -> float:
    if relevance is not None:
        return check_real("relevance", relevance, "a finite number above 0", above=0)
    if highest == 0:
        raise ValueError(
            "`y_true` has no grade above 0; give `relevance`, the grade of a relevant row."
        )
    return highest


def _check_known(wanted: Sequence[BoundMetric]) -> None:
    """Raise for metrics with unknown bounds."""
    for bound in wanted:
        why = _why_unknown(bound)
        if why:
            raise ValueError(f"The bounds of {bound.name!r} are not known: {why}.")


def _why_unknown(bound: BoundMetric) -> str:
    metric = bound.metric
    if metric.rows != "relevant" or metric.columns or not metric.summary.per_query:
        return "it depends on more than the ranks of relevant rows"
    if metric.unjudged == "needed":
        return "it handles unjudged rows itself"
    if bound.replace_undefined_by == ABSTAINED:
        return "`replace_undefined_by` is 'abstained', which depends on what is relevant"
    if bound.improves_by == "none":
        return "it may fall if a relevant row moves up"
    return ""


def _check_grades(wanted: Sequence[BoundMetric], relevance: float, highest: float) -> None:
    for bound in wanted:
        lowest = bound.parameters.get("min_relevance")
        if lowest is not None and relevance < lowest:
            raise ValueError(
                f"`relevance` is {relevance:g}, but {bound.name!r} counts grades from "
                f"{lowest:g}: no unjudged row would be relevant. Raise it."
            )
        if bound.improves_by == "highest" and relevance < highest:
            raise ValueError(
                f"The bounds of {bound.name!r} are known for the highest grade alone: "
                f"`relevance` is {relevance:g}, but `y_true` has the grade {highest:g}."
            )


def _check_weights(evaluation: Evaluation) -> None:
    for bound in evaluation.wanted:
        if evaluation.weights[bound.name] is not evaluation.queries.weight:
            raise ValueError(
                f"The bounds of {bound.name!r} are not known: its mean has weights of "
                "queries that depend on the judgments."
            )


class _RowsByScore(NamedTuple):
    """The rows of each query, sorted by score."""

    labels: np.ndarray  # of the queries
    query: np.ndarray
    grade: np.ndarray  # NaN is unjudged
    score: np.ndarray
    n_unjudged: np.ndarray  # of each query
    number: np.ndarray  # from 0, of each unjudged row in its query; -1 for judged rows

    @classmethod
    def sort(cls, labels: np.ndarray, grades: np.ndarray, y_score: Any, groups: Any) -> Any:
        """Return the rows of checked input."""
        score = exact_as_floats(as_numbers(y_score, "y_score"))
        if groups is None:
            query = np.arange(len(labels)).repeat(grades.shape[1])
        else:
            query = encode_labels(groups, name="groups")[1]
        grade, score = grades.ravel(), score.ravel()
        order = np.lexsort((-score, query))  # stable: tied rows stay as given
        query, grade, score = query[order], grade[order], score[order]
        is_unjudged = np.isnan(grade)
        n_unjudged = np.bincount(query[is_unjudged], minlength=len(labels))
        number = np.full(len(grade), -1)
        number[is_unjudged] = ranges(0, n_unjudged)
        return cls(labels, query, grade, score, n_unjudged, number)

    def evaluate(
        self, wanted: Sequence[BoundMetric], grade: np.ndarray, keeps: np.ndarray
    ) -> tuple[np.ndarray, _Scores]:
        """Return the queries of some rows, and their values with other grades."""
        query = self.query[keeps]
        rows = grade[keeps], self.score[keeps], self.labels[query]
        evaluation = evaluate(wanted, *rows, by_query=True, warn=warn_unless_reversed)
        return np.unique(query), evaluation.per_query().scores


def _extremes(
    wanted: Sequence[BoundMetric], rows: _RowsByScore, relevance: float, start: _Scores
) -> tuple[_Scores, _Scores]:
    """Return the lowest and the highest values of queries, including those of `start`."""
    lower = {name: values.copy() for name, values in start.items()}
    upper = {name: values.copy() for name, values in start.items()}
    for is_relevant, keeps in _candidate_judgments(rows):
        grade = np.where(is_relevant, relevance, np.where(rows.number < 0, rows.grade, 0.0))
        queries, scores = rows.evaluate(wanted, grade, keeps)
        for name, values in scores.items():
            lower[name][queries] = np.fmin(lower[name][queries], values)
            upper[name][queries] = np.fmax(upper[name][queries], values)
    return lower, upper


def _candidate_judgments(rows: _RowsByScore) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield which unjudged rows are relevant, and the affected rows.

    The affected rows are those of queries with at least as many unjudged rows.
    """
    n_unjudged = rows.n_unjudged[rows.query]
    for m in range(1, int(rows.n_unjudged.max(initial=0)) + 1):
        is_unjudged = rows.number >= 0
        yield is_unjudged & (rows.number < m), n_unjudged >= m
        if (n_unjudged > m).any():
            yield is_unjudged & (rows.number >= n_unjudged - m), n_unjudged > m


def _scores_of_judged(wanted: Sequence[BoundMetric], rows: _RowsByScore) -> _Scores:
    """Return the values of lists without the unjudged rows."""
    undefined = np.full(len(rows.labels), np.nan)
    values = {
        n.name: fill_undefined(undefined, n.replace_undefined_by).copy() for n in wanted
    }
    is_judged = rows.number < 0
    if is_judged.any():
        queries, scores = rows.evaluate(wanted, rows.grade, is_judged)
        for name, of_judged in scores.items():
            values[name][queries] = of_judged
    return values
