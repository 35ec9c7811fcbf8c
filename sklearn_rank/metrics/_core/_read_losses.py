"""Read the losses and the confidence of queries, for curves, reports and thresholds."""

from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._base._validation import check_option
from sklearn_rank._ranking._ties import TIES
from sklearn_rank.metrics._core._evaluate import evaluate
from sklearn_rank.metrics._core._metric import BoundMetric
from sklearn_rank.metrics._core._registry import METRICS, load_families
from sklearn_rank.metrics._core._summaries import warn_of_undefined


class Losses(NamedTuple):
    """Queries with a loss and a weight, in the order of their labels."""

    metric: str
    labels: np.ndarray
    loss: np.ndarray
    confidence: np.ndarray
    is_answerable: np.ndarray
    weight: np.ndarray


def read_losses(
    y_true: Any,
    y_score: Any,
    groups: Any,
    confidence: Any,
    metric: Any,
    min_relevance: Any,
    ties: Any,
    sample_weight: Any = None,
) -> Losses:
    """Return the losses of queries, with their confidence.

    It warns of queries whose loss is undefined.
    """
    check_option("ties", ties, TIES)
    load_families()
    record = METRICS["aurc"]
    arguments = {"metric": metric, "k": None, "min_relevance": min_relevance}
    parameters = record.checked(record.parameters | arguments)
    bound = BoundMetric(parameters["metric"], record, parameters, ties=ties)
    columns = {"confidence": confidence}
    evaluation = evaluate([bound], y_true, y_score, groups, sample_weight, columns)
    summary: Any = evaluation.of_all[bound.name]
    warn_of_undefined({bound.name: summary.undefined}, len(evaluation.queries.labels))
    is_used = evaluation.queries.by_label(summary.is_used)
    table = (evaluation.queries.by_label(row)[is_used] for row in summary.table)
    loss, sure, is_answerable, weight = table
    labels = evaluation.queries.labels[is_used]
    return Losses(bound.name, labels, loss, sure, is_answerable > 0, weight)
