"""Comparisons of tables on an engine, which joins them and returns sums."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from functools import partial, reduce
from typing import Any

from sklearn_rank._per_query_tables._columns_of_tables import GROUP, WEIGHT
from sklearn_rank._per_query_tables._engines import (
    MODEL,
    first_label,
    is_on_engine,
    parts_of_queries,
    type_of_labels,
)
from sklearn_rank._per_query_tables._frame_libraries import package_of
from sklearn_rank._per_query_tables._value_tables import columns_of_metrics
from sklearn_rank._validation import shorten
from sklearn_rank.metrics._core._range import Range
from sklearn_rank.statistics._metric_rows import Pairs
from sklearn_rank.statistics._options import Options
from sklearn_rank.statistics._read_scores import wanted_metrics
from sklearn_rank.statistics._streams import common_queries, other_queries
from sklearn_rank.statistics._sums import MetricSums, merged, sums_of_blocks

# Sums over queries of all models; the number of queries of some only, and one of them.
_FoundOfPart = tuple[list[MetricSums], dict[Hashable, tuple[int, Any]]]


def are_on_engines(scores: Mapping[Hashable, Any]) -> bool:
    """Return whether an engine has the values; raise unless it has those of all models."""
    engines = {name: package_of(one) for name, one in scores.items() if is_on_engine(one)}
    if not engines:
        return False
    if len(engines) < len(scores) or len(set(engines.values())) > 1:
        raise TypeError(
            "`scores` must have the values of all models on one engine, or all in memory, "
            f"got those of {shorten(engines)} on engines; collect these with compute() in "
            "Dask, toPandas() in Spark."
        )
    return True


def _check_types(scores: Mapping[Hashable, Any]) -> None:
    """Raise if the labels of models have different types, which engines cannot join."""
    types = {name: type_of_labels(one) for name, one in scores.items()}
    (first, known), *others = types.items()
    for name, found in others:
        if found != known:
            raise TypeError(
                f"The labels in column {GROUP!r} have the type {known} for "
                f"{shorten(first)} and {found} for {shorten(name)}; cast them to one type, "
                "as engines join labels of one type only."
            )


def summed_on_engine(
    scores: Mapping[Hashable, Any],
    metrics: Any,
    pairs: Pairs,
    options: Options,
    value_range: Range | None,
) -> list[MetricSums]:
    """Return the sums of each metric over all queries, joined by the engine."""
    by_model = {
        name: columns_of_metrics(list(table.columns)) for name, table in scores.items()
    }
    _check_types(scores)
    wanted = wanted_metrics(metrics, {name: list(one) for name, one in by_model.items()})
    weighed = [
        metric
        for metric in wanted
        if any(
            WEIGHT + by_model[name][metric] in table.columns
            for name, table in scores.items()
        )
    ]
    sources = []
    for name, table in scores.items():
        known, column = set(table.columns), by_model[name]
        weights: list[Any] = [WEIGHT + column[metric] for metric in weighed]
        weights = [weight if weight in known else None for weight in weights]
        sources.append([GROUP, *(column[metric] for metric in wanted), *weights])
    names = [GROUP, *wanted, *(WEIGHT + metric for metric in weighed)]
    found_of = partial(
        _part,
        models=list(scores),
        names=names,
        sums_of=partial(
            sums_of_blocks,
            metrics=wanted,
            pairs=pairs,
            options=options,
            value_range=value_range,
        ),
    )
    return _merged(parts_of_queries(list(scores.values()), sources, found_of))


def _part(
    table: Any, models: Sequence[Hashable], names: Sequence[str], sums_of: Any
) -> _FoundOfPart:
    """Return the sums over queries of all models, and what is left of the others."""
    columns = [f"c{number}" for number in range(len(names))]
    sides = {
        name: table.loc[table[MODEL] == place, columns].set_axis(names, axis=1)
        for place, name in enumerate(models)
    }
    block, left = common_queries(sides)
    shown = {name: (len(labels), first_label(labels)) for name, labels in left.items()}
    return sums_of([block] if block else []), shown


def _merged(parts: Sequence[_FoundOfPart]) -> list[MetricSums]:
    """Return the sums of all workers; raise where a query has values of some models."""
    counts: Counter = Counter()
    examples: dict[Hashable, Any] = {}
    for _, left in parts:
        for name, (n_queries, label) in left.items():
            counts[name] += n_queries
            examples.setdefault(name, label)
    if counts:
        raise other_queries(dict(counts), examples)
    return reduce(merged, [sums for sums, _ in parts if sums], [])
