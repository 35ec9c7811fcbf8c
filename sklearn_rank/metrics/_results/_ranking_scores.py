"""Several metrics from one sort: means, and values per query."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from sklearn_rank._base._messages import keep_warnings
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._catalogue import Catalogue
from sklearn_rank.metrics._core._evaluate import evaluate
from sklearn_rank.metrics._core._parameters import MinRelevance
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._core._registry import bind, check_keywords
from sklearn_rank.typing import ArrayLike, Columns, Labels, Matrix, Metrics, Ties, Undefined


@explained
def ranking_scores(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    metrics: Metrics = ("ndcg@10",),
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
    convention: str | None = None,
    catalogue: Catalogue | None = None,
    **columns: Unpack[Columns],
) -> dict[str, float]:
    """Several metrics of one ranking, from one sort.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    metrics : str, callable or sequence of these, default=("ndcg@10",)
        Names such as ``"map"``, ``"ndcg@10"``, ``"ndcg(gain='exponential')@10"``; functions
        of this module, with their defaults; ``"mae"``, ``"mse"``, ``"rmse"`` for errors of
        ratings over all rows. Case is ignored, and common aliases work, such as ``"P@5"``,
        ``"hr@10"``, ``"recip_rank"``; results have the name that was asked for, or that of
        a mapping ``{name: metric}``. Your own function ``f(y_true, y_score)`` is called for
        each query (:func:`make_metric`).
    min_relevance : float, default=None
        Lowest relevant grade, for metrics with this parameter. If None, any above 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        Treatment of ties: the mean over all orders, lowest or highest grades first, or the
        given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Weight of each query in the mean; in 1-D one value per row, equal within a query.
    replace_undefined_by : float, "warn" or "abstained", default="warn"
        Value of a query for which the metric is undefined. "warn" leaves it out of the mean
        with an ``UndefinedMetricWarning``, NaN without one. With "abstained" a query
        without relevant rows has 1 if nothing was retrieved, else 0.
    convention : str, default=None
        A library whose definitions to follow, one of :data:`conventions`. It sets the
        parameters that the names leave open, the cutoff among them, and ``ties`` and
        ``replace_undefined_by`` too where these have their defaults.
    catalogue : Catalogue, default=None
        Data about items and users, for metrics of shown items, such as ``"novelty@10"``.
    **columns : array-like
        Values aligned with rows that metrics need beside grades and scores: ``propensity``
        for the metrics of logged feedback (``"ips_ndcg@10"``), ``pooled`` for inferred
        average precision, ``items`` (ids) for metrics of shown items.

    Returns
    -------
    scores : dict of str to float
        The mean over queries of each metric, under its name.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if a name or a parameter in it is unknown.

    See Also
    --------
    per_query_scores : The values of the queries.
    ranking_report : A table, with standard errors.

    Examples
    --------
    >>> from sklearn_rank.metrics import ranking_scores
    >>> y_true, y_score = [0, 1, 0, 1, 0], [5, 4, 3, 2, 1]
    >>> ranking_scores(y_true, y_score, groups=["q"] * 5, metrics=["mrr", "recall@3"])
    {'mrr': 0.5, 'recall@3': 0.5}
    """
    check_keywords(columns, ranking_scores)
    wanted = bind(metrics, ties, replace_undefined_by, convention, min_relevance)
    rows = (y_true, y_score, groups, sample_weight, columns)
    evaluation = evaluate(wanted, *rows, catalogue=catalogue)
    return evaluation.results()


@explained
@keep_warnings
def per_query_scores(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    metrics: Metrics = ("ndcg@10",),
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = np.nan,
    convention: str | None = None,
    catalogue: Catalogue | None = None,
    **columns: Unpack[Columns],
) -> PerQueryScores:
    """Several metrics of one ranking, a value for each query.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    metrics : str, callable or sequence of these, default=("ndcg@10",)
        Names such as ``"map"``, ``"ndcg@10"``, ``"ndcg(gain='exponential')@10"``; functions
        of this module, with their defaults; ``"mae"``, ``"mse"``, ``"rmse"`` for errors of
        ratings over all rows. Case is ignored, and common aliases work, such as ``"P@5"``,
        ``"hr@10"``, ``"recip_rank"``; results have the name that was asked for, or that of
        a mapping ``{name: metric}``. Your own function ``f(y_true, y_score)`` is called for
        each query (:func:`make_metric`).
    min_relevance : float, default=None
        Lowest relevant grade, for metrics with this parameter. If None, any above 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        Treatment of ties: the mean over all orders, lowest or highest grades first, or the
        given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Weight of each query in the mean; in 1-D one value per row, equal within a query.
    replace_undefined_by : float or "abstained", default=np.nan
        Value of a query for which the metric is undefined. With "abstained" a query without
        relevant rows has 1 if nothing was retrieved, else 0.
    convention : str, default=None
        A library whose definitions to follow, as in :func:`ranking_scores`. Two calls show
        the queries that two libraries score differently.
    catalogue : Catalogue, default=None
        Data about items and users, for metrics of shown items, such as ``"novelty@10"``.
    **columns : array-like
        Values aligned with rows that metrics need, as in :func:`ranking_scores`.

    Returns
    -------
    scores : PerQueryScores
        ``groups``: the label of each query, sorted (in the 2-D form the number of each
        row). ``scores``: dict of metric name to an array with one value per query, NaN if
        the metric is undefined. ``mean()``, ``standard_error()`` and ``to_frame()``
        summarize them; ``difference`` compares two models.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if a name or a parameter in it is unknown.

    See Also
    --------
    ranking_scores : The means of these values.

    Notes
    -----
    The parameters are those of :func:`ranking_scores`. Weights do not change the values;
    ``mean()`` uses them.

    Examples
    --------
    >>> from sklearn_rank.metrics import per_query_scores
    >>> found = per_query_scores(
    ...     [0, 1, 1, 0], [4, 3, 2, 1], groups=["a", "a", "b", "b"], metrics="mrr"
    ... )
    >>> found.groups.tolist(), found.scores["mrr"].tolist()
    (['a', 'b'], [0.5, 1.0])
    """
    check_keywords(columns, per_query_scores)
    arguments = metrics, ties, replace_undefined_by, convention, min_relevance
    wanted = bind(*arguments, leaves_out=np.nan)
    rows = (y_true, y_score, groups, sample_weight, columns)
    evaluation = evaluate(wanted, *rows, by_query=True, catalogue=catalogue)
    return evaluation.per_query()
