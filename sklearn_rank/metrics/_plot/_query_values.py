"""Values per query for a display: those that a metric finds, or those that are known."""

from typing import Any

from sklearn_rank._validation import shorten, suggest
from sklearn_rank.metrics._core._evaluate import Evaluation, evaluate
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._names._bind import bind

METRIC = "ndcg@10"


def evaluated(
    y_true: Any,
    y_score: Any,
    groups: Any,
    *,
    metric: Any = METRIC,
    min_relevance: Any = None,
    ties: Any = "average",
    replace_undefined_by: Any = "warn",
    convention: Any = None,
    items: Any = None,
    catalogue: Any = None,
    **_: Any,
) -> Evaluation:
    """Return what the metric finds; what only the picture depends on is left aside."""
    wanted = bind(
        [metric],
        min_relevance=min_relevance,
        ties=ties,
        replace_undefined_by=replace_undefined_by,
        convention=convention,
    )
    return evaluate(
        wanted,
        y_true,
        y_score,
        groups,
        columns={"items": items},
        by_query=True,
        catalogue=catalogue,
    )


def check_scores(parameter: str, given: Any, kinds: Any) -> None:
    """Raise unless a parameter has values per query."""
    if not isinstance(given, kinds):
        raise TypeError(
            f"`{parameter}` must be values as per_query_scores and "
            f"cross_validate_per_query return them, got {shorten(given)}."
        )


def metric_in(found: PerQueryScores, metric: Any) -> str:
    """Return the name of the metric, the only one if none is named."""
    if metric is None and len(found.scores) == 1:
        return next(iter(found.scores))
    if metric is None:
        raise ValueError(
            f"`found` has the metrics {list(found.scores)}; name one of them as `metric`."
        )
    if not isinstance(metric, str) or metric not in found.scores:
        raise ValueError(
            f"There are no values of metric {shorten(metric)}. "
            f"{suggest(metric, list(found.scores))}"
        )
    return metric
