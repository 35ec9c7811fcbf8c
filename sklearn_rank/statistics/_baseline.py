"""What a gate asks of a baseline: values of the queries that both sides have."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rank._base._messages import shorten
from sklearn_rank._base._validation import check_given
from sklearn_rank.distributed._value_tables import scores_by_metric
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._clusters import ROUNDING
from sklearn_rank.metrics._core._registry import has_metric, parse_metric
from sklearn_rank.statistics._read_scores import LABEL_COLUMNS, UNNAMED, label_values


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
        if 2 * (len(common) + n_changed) >= most:
            which = "all" if n_changed == most else f"{n_changed:,} of"
            raise ValueError(
                f"The judgments of {which} {most:,} queries have changed since the "
                f"baseline: ids renamed? Write it again with {update} if this is meant."
            )
        examples = (
            f" (such as {shorten(come[0])} and {shorten(gone[0])})" if come and gone else ""
        )
        raise ValueError(
            f"The baseline and the results have {len(common)} of {most} queries in common"
            f"{examples}; write the baseline again with {update} if this is meant."
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


def read_values(values: Any) -> PerQueryScores:
    """Return values per query of a mapping or of a table of pandas, labeled by text.

    A mapping is from query to value, or from metric to such a mapping; the queries of a
    table are in a column such as "query", or else in its index.
    """
    if not isinstance(values, PerQueryScores):
        if isinstance(values, Mapping):
            values = label_values("values", values)
        elif hasattr(values, "columns"):
            column = next((name for name in values.columns if name in LABEL_COLUMNS), None)
            labels = values.index if column is None else values[column]
            names = [name for name in values.columns if name != column]
            columns = {str(name): values[name].to_numpy() for name in names}
            values = PerQueryScores(list(labels), columns)
        elif hasattr(values, "index") and hasattr(values, "to_numpy"):
            name = UNNAMED if values.name is None else str(values.name)
            values = PerQueryScores(list(values.index), {name: values.to_numpy()})
        needed = (
            "a result of per_query_scores, a dict from query to value or from metric to "
            "such a dict, or a Series or DataFrame with queries as its index"
        )
        check_given("values", values, isinstance(values, PerQueryScores), needed)
        ours = [
            replace(parse_metric(name), name=name)
            for name in values.scores
            if has_metric(name)
        ]
        values = scores_by_metric(ours, values.groups, values.scores, values.weights)
    labels = [str(label) for label in values.groups.tolist()]
    return values._relabeled(labels, values.fold)


def _queries(n: int, kind: str = "") -> str:
    return f"{n:,} {kind}{'query' if n == 1 else 'queries'}"


def take_queries(values: PerQueryScores, queries: Iterable[Hashable]) -> PerQueryScores:
    """Return the values of these queries, in their order."""
    position = {query: number for number, query in enumerate(values.groups.tolist())}
    return values.of(np.array([position[query] for query in queries], dtype=int))


def describe_change(
    old: PerQueryScores, new: PerQueryScores, names: Mapping[str, str]
) -> list[str]:
    """Return lines with the old and the new mean of metrics over the queries of both.

    `names` has the metrics by the names to show.
    """
    queries = set(old.groups.tolist())
    common = [query for query in new.groups.tolist() if query in queries]
    if not common:
        return []
    old, new = take_queries(old, common), take_queries(new, common)
    lines = []
    for name, metric in names.items():
        before, after = old.scores[metric], new.scores[metric]
        is_lower = metric in new.lower_is_better
        losses = after - before if is_lower else before - after
        # The values of a file are rounded.
        n_worse = int((losses > ROUNDING * np.maximum(1, np.abs(before))).sum())
        means = [f"{np.nanmean(values):.4f}" for values in (before, after)]
        lines.append(
            f"{name}: the mean of these queries was {means[0]}, and is {means[1]}; "
            f"{n_worse:,} of {len(common):,} {'rose' if is_lower else 'fell'}."
        )
    return lines
