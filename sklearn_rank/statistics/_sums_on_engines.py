"""Comparisons of tables on an engine, which joins them and returns sums."""

import pickle
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sklearn_rank._ids._encode import as_list, as_vector
from sklearn_rank._per_query_tables._columns_of_tables import GROUP, WEIGHT
from sklearn_rank._per_query_tables._engines import (
    MODEL,
    is_on_engine,
    states_of_queries,
    type_of_labels,
)
from sklearn_rank._per_query_tables._frame_libraries import package_of
from sklearn_rank._per_query_tables._repeats import cut
from sklearn_rank._per_query_tables._value_tables import columns_of_metrics
from sklearn_rank._validation import shorten
from sklearn_rank.metrics._core._range import Range
from sklearn_rank.statistics._metric_rows import Pairs
from sklearn_rank.statistics._options import Options
from sklearn_rank.statistics._read_scores import wanted_metrics
from sklearn_rank.statistics._streams import common_queries, other_queries
from sklearn_rank.statistics._sums import MetricSums, sums_of_blocks


@dataclass
class _PartSums:
    """The result of a worker: the sums of its queries, or an error."""

    sums: list[MetricSums]
    left: dict[Hashable, tuple[int, Any]]  # queries missing from some models
    n_cut: int = 0
    cut: Any = None
    error: ValueError | None = None


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
    state_of = partial(
        _state_of,
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
    states = states_of_queries(list(scores.values()), sources, state_of)
    return _merged([pickle.loads(state) for state in states])


def _state_of(
    tables: Iterator[Any], models: Sequence[Hashable], names: Sequence[str], sums_of: Any
) -> bytes | None:
    """Return the result for a partition, None if it has no rows."""
    import pandas as pd

    frames = [table for table in tables if len(table)]
    if not frames:
        return None
    # An engine would bury an error of the data below its own; it is raised afterwards.
    try:
        part = _part(pd.concat(frames, ignore_index=True), models, names, sums_of)
    except ValueError as error:
        part = _PartSums([], {}, error=error)
    return pickle.dumps(part)


def _part(
    table: Any, models: Sequence[Hashable], names: Sequence[str], sums_of: Any
) -> _PartSums:
    again = table.loc[table.duplicated([MODEL, "c0"]), "c0"].drop_duplicates()
    if len(again):
        return _PartSums([], {}, len(again), _first_label(again))
    columns = [f"c{number}" for number in range(len(names))]
    sides = {
        name: table.loc[table[MODEL] == place, columns].set_axis(names, axis=1)
        for place, name in enumerate(models)
    }
    block, left = common_queries(sides)
    shown = {name: (len(labels), _first_label(labels)) for name, labels in left.items()}
    return _PartSums(sums_of([block] if block else []), shown)


def _first_label(labels: Any) -> Any:
    return as_list(as_vector(labels[:1], name=GROUP))[0]


def _merged(parts: Sequence[_PartSums]) -> list[MetricSums]:
    """Return the sums of all parts; raise the error of any part."""
    n_cut = sum(part.n_cut for part in parts)
    if n_cut:
        raise cut(next(part.cut for part in parts if part.n_cut), n_cut)
    for part in parts:
        if part.error is not None:
            raise part.error
    counts: Counter = Counter()
    examples: dict[Hashable, Any] = {}
    for part in parts:
        for name, (n_queries, label) in part.left.items():
            counts[name] += n_queries
            examples.setdefault(name, label)
    if counts:
        raise other_queries(dict(counts), examples)
    found = [part.sums for part in parts if part.sums]
    if not found:
        return []
    first, *others = found
    for of_part in others:
        for sums, more in zip(first, of_part, strict=True):
            sums.merge(more)
    return first
