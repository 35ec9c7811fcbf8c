"""AURC: the area under the risk-coverage curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank.metrics._core._evaluate import mean_score
from sklearn_rank.metrics._core._evaluate import metric as declare
from sklearn_rank.metrics._core._parameters import ZERO_TO_ONE, Cutoff, MinRelevance
from sklearn_rank.metrics._core._risk_coverage import (
    Adjust,
    Area,
    MetricName,
    RiskCoverage,
    aurc,
    bind_metric_of_losses,
)
from sklearn_rank.metrics._core._side_columns import CONFIDENCE
from sklearn_rank.typing import ArrayLike, Confidence, Labels, Matrix, Ties, Undefined

__all__ = ["aurc_score"]


def losses(
    lists: RankedLists, metric: MetricName, k: Cutoff, min_relevance: MinRelevance
) -> Any:
    """Return the loss of each query, its confidence, and whether it is answerable."""
    bound = bind_metric_of_losses(metric, k, min_relevance)
    part = slice(lists.first, lists.first + lists.n_queries)
    confidence = lists.columns[CONFIDENCE.name].values[part]
    confidence = np.where(lists.n_retrieved > 0, confidence, -np.inf)
    is_answered = confidence > -np.inf
    is_answerable = lists.n_relevant(bound.parameters.get("min_relevance")) > 0
    result = bound.run(lists)
    values = result[0] if isinstance(result, tuple) else result
    unlike = is_answerable != is_answered
    loss = np.where(is_answerable & is_answered, 1 - values, unlike)
    return loss, confidence, is_answerable


@declare(
    losses,
    "aurc",
    columns=(CONFIDENCE,),
    summary=RiskCoverage(aurc),
    lower_is_better=True,
    unjudged="irrelevant",
    below_k=True,
    improves_by="none",
    range=ZERO_TO_ONE,
)
@explained
def aurc_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    confidence: Confidence | None = None,
    metric: str = "ndcg",
    k: Cutoff = 10,
    min_relevance: MinRelevance = None,
    area: Area = "selective",
    adjust: Adjust = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Area under the risk-coverage curve, for systems that may answer nothing.

    Lower is better; 0 means that no answered query has a loss. Queries are answered from
    the most confident one on, and the risk is the mean loss of those answered so far. The
    area is the mean risk over all coverages:

    .. math:: AURC = \frac{1}{n} \sum_{i=1}^{n} \frac{1}{i} \sum_{j=1}^{i} \ell_j

    where the loss of an answered query is 1 - ``metric`` if it has a relevant row, else 1.
    The loss of a query that is not answered is 1 if it has a relevant row, else 0. Such
    queries come last. Queries with the same confidence tie: the area is the mean over all
    orders of them. With weights, n and i are sums of weights.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Grades, 0 or more; above 0 is relevant, NaN is unjudged. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    confidence : array-like, mapping or Series, default=None
        Confidence of each query, higher is surer: one value per row, equal within a query;
        in 2-D one per query; or by query. If None, the highest score. A query without a
        retrieved row, or with ``-inf``, is not answered.
    metric : str, default="ndcg"
        Metric from 0 to 1 of an answered query. A cutoff in it replaces ``k``.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    min_relevance : float, default=None
        Lowest grade that is relevant. If None, any grade greater than 0.
    area : {"selective", "joint"}, default="selective"
        "selective" is AURC [1]_. "joint" is AUGRC [2]_, the area under the risk times the
        coverage, so that an error counts alike at each coverage.
    adjust : {"excess", "normalized"} or None, default=None
        "excess" subtracts the area of the best order of the same losses. "normalized" is
        the excess over that of a random order: 0 is best, 1 is random, NaN if all losses
        are equal.
    ties : {"average", "worst", "best", "first"}, default="average"
        Treatment of ties: the mean over all orders, lowest or highest grades first, or the
        given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Number of users that each query represents; in 1-D one value per row, equal within a
        query.
    replace_undefined_by : float or "warn", default="warn"
        Value if the metric is undefined. "warn" returns NaN with an
        ``UndefinedMetricWarning``, NaN without one.

    Returns
    -------
    score : float
        One number for all lists together; NaN if undefined.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`.

    See Also
    --------
    risk_coverage_curve : The curve.

    References
    ----------
    .. [1] Y. Geifman, G. Uziel, R. El-Yaniv, "Bias-reduced uncertainty estimation for deep
       neural classifiers", ICLR 2019.
    .. [2] J. Traub et al., "Overcoming common flaws in the evaluation of selective
       classification systems", NeurIPS 2024.

    Examples
    --------
    >>> from sklearn_rank.metrics import aurc_score
    >>> y_true = [1, 0, 0, 0, 1, 0]  # query "b" has no relevant row
    >>> y_score = [0.9, 0.2, 0.4, 0.3, 0.8, 0.1]
    >>> groups = ["a", "a", "b", "b", "c", "c"]
    >>> round(aurc_score(y_true, y_score, groups=groups, metric="hit_rate@1"), 4)
    0.1111
    """
    rows = y_true, y_score, groups, sample_weight
    own = {
        "confidence": confidence,
        "metric": metric,
        "k": k,
        "min_relevance": min_relevance,
        "area": area,
        "adjust": adjust,
    }
    return mean_score(aurc_score, rows, own, ties, replace_undefined_by)
