"""Precision and recall at every cutoff, and interpolated, averaged over queries."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, Self

import numpy as np

from sklearn_rank._base._exact_sum import ExactSums, as_float, exact_sum
from sklearn_rank._base._numbers import as_numbers
from sklearn_rank._base._validation import check_integer, check_option, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._places import hit_chance
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank._ranking._ties import TIES
from sklearn_rank.metrics._core._evaluate import evaluate
from sklearn_rank.metrics._core._metric import BoundMetric, Metric
from sklearn_rank.metrics._core._parameters import Cutoff, MinRelevance
from sklearn_rank.metrics._core._read_losses import read_losses
from sklearn_rank.metrics._core._registry import METRICS, load_families
from sklearn_rank.metrics._core._risk_coverage import RiskByPlace
from sklearn_rank.metrics._core._summaries import (
    WARN,
    SystemSummary,
    check_undefined,
    warn_of_undefined,
)
from sklearn_rank.metrics._families._interpolated_precision import ELEVEN_LEVELS, Rounding
from sklearn_rank.typing import (
    ArrayLike,
    Confidence,
    Floats,
    Integers,
    Labels,
    Matrix,
    Ties,
    Undefined,
)

# The largest cutoff above the length of every list.
_MOST_CUTOFFS = 1_000_000


@explained
def precision_recall_at_k_curve(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    max_k: int | None = None,
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> tuple[Floats, Floats, Integers]:
    """Precision and recall at k = 1, ..., ``max_k``, averaged over queries.

    Point k is the mean over queries for lists of k items. Higher is better; the area under
    it is ``sklearn.metrics.auc(recall, precision)``.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    max_k : int, default=None
        Largest cutoff. If None, the length of the longest list. Above it, precision falls
        as 1 / k and recall is constant; ``max_k`` may then be at most 1,000,000.
    min_relevance : float, default=None
        Lowest grade that is relevant. If None, any grade greater than 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        Treatment of ties: the mean over all orders, lowest or highest grades first, or the
        given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Weight of each query in the mean; in 1-D one value per row, equal within a query.
    replace_undefined_by : float or "warn", default="warn"
        Value of a query for which the metric is undefined. "warn" leaves it out of the mean
        with an ``UndefinedMetricWarning``, NaN without one.

    Returns
    -------
    precision : ndarray of shape (max_k,)
        Mean of precision at each k.
    recall : ndarray of shape (max_k,)
        Mean of recall at each k; it does not decrease.
    k : ndarray of shape (max_k,)
        The cutoffs 1, 2, ..., ``max_k``.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if ``max_k`` is above 1,000,000 and above the
        length of the longest list.

    See Also
    --------
    precision_at_k_score : One point of the curve.
    sklearn.metrics.precision_recall_curve : One list, at each threshold of the score.

    Examples
    --------
    >>> from sklearn_rank.metrics import precision_recall_at_k_curve
    >>> precision, recall, k = precision_recall_at_k_curve(
    ...     [0, 1, 0, 1], [4, 3, 2, 1], groups=["q"] * 4
    ... )
    >>> precision.round(2).tolist(), recall.tolist(), k.tolist()
    ([0.0, 0.5, 0.33, 0.5], [0.0, 0.5, 0.5, 1.0], [1, 2, 3, 4])
    """
    max_k = check_integer("max_k", max_k, none="the longest list")
    check_option("ties", ties, TIES)
    fill = check_undefined(replace_undefined_by)
    parameters = CURVE.checked({"k": max_k, "min_relevance": min_relevance})
    bound = BoundMetric("the curve", CURVE, parameters, ties=ties)
    evaluation = evaluate([bound], y_true, y_score, groups, sample_weight)
    sums: CurveSums = evaluation.of_all["the curve"]  # type: ignore[assignment]
    longest = max(sums.longest, 1)
    n_cutoffs = longest if max_k is None else max_k
    if n_cutoffs > max(longest, _MOST_CUTOFFS):
        raise ValueError(
            f"`max_k` is {max_k}, but the longest list has {longest} rows; below its end "
            "precision falls as 1 / k and recall stays. Leave `max_k` out to end there, or "
            f"give {_MOST_CUTOFFS} at most."
        )
    if fill == WARN:
        undefined = {"precision and recall": sums.undefined}
        warn_of_undefined(undefined, sums.n + sums.undefined)
    return *sums.means(n_cutoffs, fill), np.arange(1, n_cutoffs + 1)


class HitsByRank(NamedTuple):
    """The probability of a hit at each rank, and the number of relevant items."""

    n_relevant: np.ndarray  # of each query
    longest: int  # list
    query: np.ndarray  # of each place
    rank: np.ndarray
    chance: np.ndarray  # probability of a hit


def hits_by_rank(lists: RankedLists, k: Cutoff, min_relevance: MinRelevance) -> Any:
    """Return the probability of a hit at each rank of each query."""
    places = lists.places(k, min_relevance)
    n_relevant = lists.n_relevant(min_relevance)
    longest = int(lists.n_retrieved.max(initial=0))
    return HitsByRank(n_relevant, longest, places.query, places.rank, hit_chance(places))


@dataclass(frozen=True, eq=False)
class CurveSums(SystemSummary):
    """Sums by rank of weighted hits, and of hits over relevant items."""

    hits: ExactSums = field(default_factory=ExactSums)
    recalled: ExactSums = field(default_factory=ExactSums)
    weight: Fraction = Fraction(0)  # of the queries with relevant items
    undefined_weight: Fraction = Fraction(0)
    n: int = 0
    undefined: int = 0
    longest: int = 0

    def add(self, found: HitsByRank, weight: np.ndarray | None = None) -> Self:
        """Return the sums with those of more queries."""
        weight = np.ones(len(found.n_relevant)) if weight is None else weight
        is_defined, counts = found.n_relevant > 0, weight > 0
        both = is_defined, ~is_defined
        hits = found.chance * weight[found.query]
        recalled = hits / found.n_relevant[found.query]
        n_ranks = int(found.rank.max(initial=0))
        sums = (ExactSums.build(found.rank - 1, part, n_ranks) for part in (hits, recalled))
        weights = (exact_sum(weight[chosen]) for chosen in both)
        numbers = (int(np.count_nonzero(chosen & counts)) for chosen in both)
        more: list[Any] = [*sums, *weights, *numbers, found.longest]
        return self.merge(type(self)(*more))

    def merge(self, other: Self) -> Self:
        """Return the sums of both."""
        hits, recalled = self.hits.merge(other.hits), self.recalled.merge(other.recalled)
        names = ("weight", "undefined_weight", "n", "undefined")
        added = {name: getattr(self, name) + getattr(other, name) for name in names}
        longest = max(self.longest, other.longest)
        return type(self)(hits, recalled, longest=longest, **added)

    def means(self, n_cutoffs: int, fill: float | str) -> tuple[np.ndarray, np.ndarray]:
        """Return mean precision and recall at each cutoff, undefined ones as `fill`."""
        sums = self.hits.result(), self.recalled.result()
        hits, recalled = (
            np.pad(part[:n_cutoffs], (0, max(n_cutoffs - len(part), 0))) for part in sums
        )
        weight, filled = as_float(self.weight), 0.0
        if not (isinstance(fill, str) or np.isnan(fill)):
            weight = as_float(self.weight + self.undefined_weight)
            filled = as_float(self.undefined_weight) * fill
        if weight == 0:
            return np.full(n_cutoffs, np.nan), np.full(n_cutoffs, np.nan)
        precision = np.cumsum(hits) / np.arange(1, n_cutoffs + 1)
        return (precision + filled) / weight, (np.cumsum(recalled) + filled) / weight


CURVE = Metric(
    "precision_recall_at_k", precision_recall_at_k_curve, hits_by_rank, summary=CurveSums()
)


@explained
def interpolated_precision_curve(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    recall_levels: ArrayLike = ELEVEN_LEVELS,
    rounding: Rounding = "up",
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> tuple[Floats, Floats]:
    """Interpolated precision at levels of recall, averaged over queries.

    The recall-precision curve of information retrieval. Higher is better; it never rises.
    The mean over its eleven default levels is :func:`eleven_point_precision_score`.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    recall_levels : array-like of shape (n_levels,), default=(0.0, 0.1, ..., 1.0)
        Shares of the relevant items, from 0 to 1.
    rounding : {"up", "nine_tenths", "nearest"}, default="up"
        Rounding of ``level * R`` for R relevant items to a whole number: up; ``int(level *
        R + 0.9)`` in floats, as in `trec_eval` 9; or to the nearest, as in `trec_eval` 10.
    min_relevance : float, default=None
        Lowest grade that is relevant. If None, any grade greater than 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        Treatment of ties: the mean over all orders, lowest or highest grades first, or the
        given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Weight of each query in the mean; in 1-D one value per row, equal within a query.
    replace_undefined_by : float or "warn", default="warn"
        Value of a query for which the metric is undefined. "warn" leaves it out of the mean
        with an ``UndefinedMetricWarning``, NaN without one.

    Returns
    -------
    precision : ndarray of shape (n_levels,)
        Mean of interpolated precision at each level.
    recall : ndarray of shape (n_levels,)
        The levels.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if a level is not from 0 to 1, or too many
        rows tie for an exact mean.

    See Also
    --------
    interpolated_precision_score : One point of the curve.
    precision_recall_at_k_curve : Precision and recall at each cutoff.

    Examples
    --------
    >>> from sklearn_rank.metrics import interpolated_precision_curve
    >>> precision, recall = interpolated_precision_curve(
    ...     [1, 0, 1, 0], [4, 3, 2, 1], groups=["q"] * 4, recall_levels=[0, 0.5, 1]
    ... )
    >>> precision.round(2).tolist(), recall.tolist()
    ([1.0, 1.0, 0.67], [0.0, 0.5, 1.0])
    """
    check_option("ties", ties, TIES)
    fill = check_undefined(replace_undefined_by)
    levels = _levels(recall_levels)
    load_families()
    record = METRICS["interpolated_precision"]
    parameters = record.checked({"rounding": rounding, "min_relevance": min_relevance})
    shared: dict[str, Any] = {"ties": ties, "replace_undefined_by": fill}
    wanted = [
        BoundMetric(str(level), record, {"recall_level": level, **parameters}, **shared)
        for level in dict.fromkeys(levels.tolist())
    ]
    evaluation = evaluate(wanted, y_true, y_score, groups, sample_weight)
    summaries = evaluation.summaries()
    if fill == WARN:
        undefined = {"interpolated precision": next(iter(summaries.values())).undefined}
        warn_of_undefined(undefined, len(evaluation.queries.labels))
    means = {name: summary.result() for name, summary in summaries.items()}
    return np.array([means[str(level)] for level in levels.tolist()]), levels


def _levels(recall_levels: object) -> np.ndarray:
    levels = as_numbers(recall_levels, "recall_levels") + 0.0  # -0.0 is 0
    if levels.ndim != 1 or len(levels) == 0 or not ((levels >= 0) & (levels <= 1)).all():
        raise ValueError(
            "`recall_levels` must be several numbers from 0 to 1, got "
            f"{shorten(recall_levels)}."
        )
    return levels


# The risk-coverage curve: the risk of a system that answers only where it is sure.


@explained
def risk_coverage_curve(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    confidence: Confidence | None = None,
    metric: str = "ndcg@10",
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
) -> tuple[Floats, Floats, Floats]:
    """Risk and coverage of a system that answers the queries it is sure of.

    A point for each distinct confidence: the system answers if its confidence is at least
    that high. The loss of a query is that of :func:`aurc_score`.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    confidence : array-like, mapping or Series, default=None
        Confidence of each query, as in :func:`aurc_score`. If None, the highest score.
    metric : str, default="ndcg@10"
        Metric from 0 to 1 of an answered query.
    min_relevance : float, default=None
        Lowest grade that is relevant. If None, any grade greater than 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        Treatment of ties: the mean over all orders, lowest or highest grades first, or the
        given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Weight of each query in the mean; in 1-D one value per row, equal within a query.

    Returns
    -------
    risk : ndarray of shape (n_thresholds,)
        Mean loss of the answered queries.
    coverage : ndarray of shape (n_thresholds,)
        Share of queries that are answered. The last is 1: queries that are not answered
        come last, with the threshold ``-inf``.
    threshold : ndarray of shape (n_thresholds,)
        Confidence from which on queries are answered, descending.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`.

    See Also
    --------
    aurc_score : The area under this curve.

    Examples
    --------
    >>> from sklearn_rank.metrics import risk_coverage_curve
    >>> risk, coverage, threshold = risk_coverage_curve(
    ...     [[1, 0], [0, 0], [1, 0]], [[0.9, 0.2], [0.4, 0.3], [0.8, 0.1]]
    ... )
    >>> risk.round(4).tolist(), coverage.round(4).tolist(), threshold.tolist()
    ([0.0, 0.0, 0.3333], [0.3333, 0.6667, 1.0], [0.9, 0.8, 0.4])
    """
    rows = y_true, y_score, groups, confidence, metric, min_relevance, ties
    losses = read_losses(*rows, sample_weight)
    places = RiskByPlace.compute(losses.confidence, losses.loss, losses.weight)
    return *places.curve(), losses.confidence[places.order][places.ends]
