"""Metrics by the names that users give."""

from collections.abc import Callable, Iterable
from typing import Any

from sklearn_rank._cli._errors import InputError
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.metrics._core._metric import BoundMetric
from sklearn_rank.metrics._core._registry import bind, parse_metric

# y_true, y_score and groups of one model.
Rows = dict[str, Any]


def unique_metrics(
    names: Iterable[str], read: Callable[[str], BoundMetric]
) -> list[BoundMetric]:
    """Return the metrics of the names without duplicates (a metric has several names)."""
    return list({metric.name: metric for metric in map(read, names)}.values())


def find_metric(text: str, convention: str | None = None) -> BoundMetric:
    """Return any metric by its name; raise unless the convention has it."""
    try:
        bind(text, convention=convention)
        return parse_metric(text)
    except (ValueError, TypeError, ArithmeticError) as error:
        several = "," in text and "(" not in text
        advice = " For several metrics, repeat --metric." if several else ""
        raise InputError(f"--metric {text}: {error}{advice}") from error


def read_metric(text: str) -> BoundMetric:
    """Return a ranking metric, after it has scored two rows as a test."""
    metric = find_metric(text)
    if metric.metric.parts or metric.metric.needed_columns or not metric.metric.ranks:
        raise InputError(
            f"--metric {text} needs more than grades and scores that order rows, which is "
            "all that there is here; name a ranking metric, such as ndcg@10."
        )
    bound: Any = metric
    try:
        per_query_scores([1, 0], [0.0, 0.0], groups=[0, 0], metrics=bound)
    except (ValueError, TypeError, ArithmeticError) as error:
        raise InputError(f"--metric {text}: {error}") from error
    return metric
