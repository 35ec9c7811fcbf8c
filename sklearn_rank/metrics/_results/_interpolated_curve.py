"""Interpolated precision at several levels of recall, averaged over queries."""

from __future__ import annotations

import numpy as np

from sklearn_rank._ranking._ties import TIES
from sklearn_rank._validation import as_numbers, check_option, shorten
from sklearn_rank.metrics._core._evaluate import evaluate
from sklearn_rank.metrics._core._metric import NamedMetric
from sklearn_rank.metrics._core._parameters import MinRelevance
from sklearn_rank.metrics._core._undefined import (
    WARN,
    check_undefined,
    warn_of_undefined,
)
from sklearn_rank.metrics._families._interpolated_precision import Rounding
from sklearn_rank.metrics._names._registry import METRICS
from sklearn_rank.typing import ArrayLike, Floats, Labels, Matrix, Ties, Undefined

ELEVEN = tuple(level / 10 for level in range(11))


def interpolated_precision_curve(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    recall_levels: ArrayLike = ELEVEN,
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
        Lowest grade that is relevant. None: any grade greater than 0.
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
    record = METRICS["interpolated_precision"]
    others = {"rounding": rounding, "min_relevance": min_relevance}
    named = [
        NamedMetric(
            str(level),
            record,
            record.checked({"recall_level": level, **others}),
            ties=ties,
            replace_undefined_by=fill,
        )
        for level in dict.fromkeys(levels.tolist())
    ]
    found = evaluate(named, y_true, y_score, groups, sample_weight)
    summaries = found.summaries()
    if fill == WARN:
        undefined = {"interpolated precision": next(iter(summaries.values())).undefined}
        warn_of_undefined(undefined, len(found.queries.labels))
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
