"""Read the losses and the confidence of queries, for curves, reports and thresholds."""

from typing import Any

import numpy as np

from sklearn_rank._base._messages import warn_caller
from sklearn_rank._base._validation import check_option
from sklearn_rank._ranking._places import TIES
from sklearn_rank.metrics._core._evaluate import Evaluation, evaluate
from sklearn_rank.metrics._core._metric import BoundMetric
from sklearn_rank.metrics._core._undefined import warn_of_undefined
from sklearn_rank.metrics._names._registry import METRICS


def read_losses(
    y_true: Any,
    y_score: Any,
    groups: Any,
    confidence: Any,
    metric: Any,
    min_relevance: Any,
    ties: Any,
    sample_weight: Any = None,
) -> tuple[Evaluation, np.ndarray]:
    """Return the evaluation, and a table with one column per query, in label order.

    Its rows are loss, confidence, whether a query is answerable, and weight. It warns of
    queries whose loss is undefined, and if all have the same confidence.
    """
    check_option("ties", ties, TIES)
    record = METRICS["aurc"]
    given = {"metric": metric, "k": None, "min_relevance": min_relevance}
    parameters = record.checked(record.parameters | given)
    named = BoundMetric(parameters["metric"], record, parameters, ties=ties)
    columns = {"confidence": confidence}
    found = evaluate([named], y_true, y_score, groups, sample_weight, columns)
    summary: Any = found.of_all[named.name]
    warn_of_undefined({named.name: summary.undefined}, len(found.queries.labels))
    answered = summary.table[1][summary.is_used & (summary.table[1] > -np.inf)]
    if len(answered) > 1 and answered.min() == answered.max():
        warn_caller(
            f"All answered queries have the same confidence, {answered[0]:g}, so that none "
            "is answered before another. Lists without scores have the top score -1: give "
            "scores, or `confidence`."
        )
    return found, np.array([found.queries.by_label(row) for row in summary.table])
