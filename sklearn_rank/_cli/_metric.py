"""The metric of --metric: read, cut at each length, on average and for each list.

All that the command line asks of metrics beyond the public functions is in this file.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rank._cli._errors import InputError
from sklearn_rank.metrics import per_query_scores, ranking_scores
from sklearn_rank.metrics._rating import RatingError
from sklearn_rank.metrics._registry import NamedMetric, parse_metric

CUTOFFS = (1, 5, 10, 20)

# y_true, y_score and groups of one model.
Rows = dict[str, Any]


def read_metric(text: str) -> NamedMetric:
    """Return a ranking metric, which has judged two rows by now."""
    try:
        metric = parse_metric(text)
        if not isinstance(metric.metric, RatingError):
            rows = {"y_true": [1, 0], "y_score": [0.0, 0.0], "groups": [0, 0]}
            values_of_lists(metric, rows)
    except (ValueError, TypeError, ArithmeticError) as error:
        raise InputError(f"--metric {text}: {error}") from error
    if isinstance(metric.metric, RatingError):
        raise InputError(
            f"--metric {text} judges predicted ratings, but here is an order to judge; "
            "name a ranking metric, such as ndcg@10."
        )
    return metric


def cutoff_of(metric: NamedMetric) -> int | None:
    """Return the k of a metric."""
    return metric.parameters.get("k")


def at_each_k(metric: NamedMetric, longest: int) -> tuple[str, list[NamedMetric]]:
    """Return the metric at k = 1, 2, ..., and its name; nDCG where it knows no cutoff."""
    if "k" not in metric.parameters:
        metric = parse_metric("ndcg")
    name = metric.name.partition("@")[0]
    return name, [
        replace(metric, name=f"{name}@{k}", parameters={**metric.parameters, "k": k})
        for k in range(1, longest + 1)
    ]


def means(metrics: list[NamedMetric], rows: Rows) -> list[float]:
    """Return the mean of each metric over the lists."""
    return list(ranking_scores(**rows, metrics=metrics).values())


def values_of_lists(metric: NamedMetric, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """Return the group of each list and its value, NaN where the metric is undefined."""
    values = per_query_scores(**rows, metrics=[metric])
    return np.asarray(values.groups), values.scores[metric.name]
