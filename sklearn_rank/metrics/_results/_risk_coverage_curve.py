"""The risk-coverage curve: the risk of a system that answers only where it is sure."""

from __future__ import annotations

from sklearn_rank._hints._explain import THRESHOLD, explain_keywords
from sklearn_rank.metrics._core._parameters import MinRelevance
from sklearn_rank.metrics._core._risk_coverage import RiskByPlace
from sklearn_rank.metrics._names._read_losses import read_losses
from sklearn_rank.typing import ArrayLike, Confidence, Floats, Labels, Matrix, Ties


@explain_keywords(threshold=THRESHOLD)
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
        Confidence of each query, as in :func:`aurc_score`. None: the highest score.
    metric : str, default="ndcg@10"
        Metric from 0 to 1 of an answered query.
    min_relevance : float, default=None
        Lowest grade that is relevant. None: any grade greater than 0.
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
    found = read_losses(*rows, sample_weight)
    places = RiskByPlace.compute(found.confidence, found.loss, found.weight)
    return *places.curve(), found.confidence[places.order][places.ends]
