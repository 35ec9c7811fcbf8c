"""Two rankings of the same lists: metrics at several lengths, and list by list."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sklearn_rank.metrics import per_query_scores, ranking_scores
from sklearn_rank.metrics._registry import NamedMetric, parse_metric

CUTOFFS = (1, 5, 10, 20)

# y_true, y_score and groups of one model.
Rows = dict[str, Any]


@dataclass(frozen=True)
class Paired:
    """How one model does list by list, compared with another."""

    metric: str
    better: int
    worse: int
    equal: int
    difference: float  # mean over lists
    standard_error: float


def cutoff_of(named: NamedMetric) -> int | None:
    """Return the k of a metric."""
    return named.parameters.get("k")


def at_each_k(named: NamedMetric, longest: int) -> list[NamedMetric]:
    """Return the metric at k = 1, 2, ...; nDCG where it knows no cutoff."""
    if "k" not in named.parameters:
        named = parse_metric("ndcg")
    text = named.name.partition("@")[0]
    return [
        replace(named, name=f"{text}@{k}", parameters={**named.parameters, "k": k})
        for k in range(1, longest + 1)
    ]


def curve(at_k: list[NamedMetric], rows: Rows) -> list[float]:
    """Return the mean of each metric."""
    return list(ranking_scores(**rows, metrics=at_k).values())


def compare_lists(judge: NamedMetric, one: Rows, other: Rows) -> Paired:
    """Return how one model does, compared with the other."""
    values = [
        per_query_scores(**rows, metrics=[judge]).scores[judge.name]
        for rows in (one, other)
    ]
    sign = -1 if judge.lower_is_better else 1
    difference = sign * np.subtract(*values)
    difference = difference[~np.isnan(difference)]
    spread = np.std(difference, ddof=1) if len(difference) > 1 else np.nan
    return Paired(
        metric=judge.name,
        better=int(np.count_nonzero(difference > 0)),
        worse=int(np.count_nonzero(difference < 0)),
        equal=int(np.count_nonzero(difference == 0)),
        difference=float(difference.mean()),
        standard_error=float(spread / np.sqrt(len(difference))),
    )
