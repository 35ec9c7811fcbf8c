"""What a gate asks of a baseline: common queries, values, and the margin by default."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from sklearn_rank._base._messages import shorten
from sklearn_rank.metrics import PerQueryScores

MARGIN = 0.05


def common_queries(
    old: Sequence[Any], new: Sequence[Any], update: str, n_changed: int = 0
) -> tuple[list[Any], list[str]]:
    """Return the queries of both sides, and notes on others; raise if these are many.

    `update` names the option that writes the baseline; `n_changed` queries are on neither
    side, as their judgments have changed.
    """
    before, after = dict.fromkeys(old), dict.fromkeys(new)
    for queries, distinct in ((old, before), (new, after)):
        if len(distinct) < len(queries):
            again = next(query for query, n in Counter(queries).items() if n > 1)
            raise ValueError(f"The query {shorten(again)} is there twice; name each once.")
    come = [query for query in after if query not in before]
    gone = [query for query in before if query not in after]
    common = [query for query in after if query in before]
    most = max(len(before), len(after)) + n_changed
    if not common or 2 * len(common) < most:
        examples = (
            f" (such as {shorten(come[0])} and {shorten(gone[0])})" if come and gone else ""
        )
        raise ValueError(
            f"The baseline and the results have {len(common)} of {most} queries in common"
            f"{', with the same judgments' if n_changed else ''}{examples}; write the "
            f"baseline again with {update} if this is meant."
        )
    notes = []
    if come:
        notes.append(
            f"{_queries(len(come), 'new ')} without a baseline, such as "
            f"{shorten(come[0])}: left out, {update} adds them."
        )
    if gone:
        notes.append(
            f"{_queries(len(gone))} of the baseline not among the results, such as "
            f"{shorten(gone[0])}: left out, {update} drops them."
        )
    return common, notes


def _queries(n: int, kind: str = "") -> str:
    return f"{n:,} {kind}{'query' if n == 1 else 'queries'}"


def take_queries(values: PerQueryScores, queries: Iterable[Hashable]) -> PerQueryScores:
    """Return the values of these queries, in their order."""
    position = {query: number for number, query in enumerate(values.groups.tolist())}
    return values.of(np.array([position[query] for query in queries], dtype=int))


def finds_nothing(values: PerQueryScores, metrics: Iterable[str]) -> bool:
    """Return whether a metric is undefined everywhere, or 0 though high is better."""
    return any(
        np.isnan(values.scores[metric]).all()
        or (
            metric not in values.lower_is_better
            and not np.nanmax(np.abs(values.scores[metric]))
        )
        for metric in metrics
    )


def default_margin(values: PerQueryScores, metrics: Iterable[str], option: str) -> float:
    """Return the margin of metrics from 0 to 1; raise for others."""
    for metric in metrics:
        range_of_metric = values._range_of(metric)
        if (range_of_metric.low, range_of_metric.high) != (0.0, 1.0):
            raise ValueError(f"{option} is needed: {metric} is not a metric from 0 to 1.")
    return MARGIN
