"""Comparisons from sums, of tables read one after the other or on an engine."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from typing import Any

import numpy as np

from sklearn_rank._base._validation import shorten
from sklearn_rank.distributed._engines import (
    TABLE_INDEX,
    compute_by_query,
    first_label,
    is_on_engine,
    type_of_labels,
)
from sklearn_rank.distributed._frame_libraries import package_of
from sklearn_rank.distributed._value_tables import GROUP, WEIGHT, columns_of_metrics
from sklearn_rank.metrics._core._bounded_mean import BoundedMean
from sklearn_rank.metrics._core._clusters import differences
from sklearn_rank.metrics._core._mean_intervals import (
    MANY_DIFFERENT,
    ShapeSums,
    estimate_of,
    skewness_of_sums,
    sum_of_cubes,
)
from sklearn_rank.metrics._core._parameters import Range
from sklearn_rank.metrics._core._summaries import Mean
from sklearn_rank.statistics._metric_comparison import MetricRows, PairedEstimate, Pairs
from sklearn_rank.statistics._options import Options
from sklearn_rank.statistics._read_scores import Scores, choose_metrics, read_scores
from sklearn_rank.statistics._streams import Chunk, common_queries, other_queries_error


def sum_chunks(
    blocks: Iterable[Chunk],
    metrics: Any,
    pairs: Pairs,
    options: Options,
    value_range: Range | None = None,
) -> list["MetricSums"]:
    """Return the sums of each metric over the queries of all blocks."""
    merged: list[MetricSums] = []
    for block in blocks:
        read = read_scores(block, metrics, None, None).with_range(value_range)
        sums = [MetricSums(name, read, pairs, options) for name in read.values]
        merged = merge_sums(merged, sums)
    return merged


def merge_sums(merged: list["MetricSums"], more: list["MetricSums"]) -> list["MetricSums"]:
    """Return the sums of both, where the first may be of no queries."""
    for sums, added in zip(merged, more, strict=bool(merged)):
        sums.merge(added)
    return merged or more


def finish_sums(found: list["MetricSums"]) -> list["MetricSums"]:
    """Check the sums of all queries and return them."""
    if not found:
        raise ValueError("`scores` has tables without rows only; give values of queries.")
    for sums in found:
        sums.finish()
    return found


def check_sums_suffice(wanted: Sequence[str], instead: str, **of_queries: Any) -> None:
    """Raise for options that need the values of all queries at once.

    `wanted` names these options, `of_queries` are columns beside the values.
    """
    columns = [f"`{name}`" for name, value in of_queries.items() if value is not None]
    refused = [*wanted, *columns]
    if refused:
        raise ValueError(
            f"{refused[0]} needs the values of all queries at once, and tables that are "
            "read one after the other, or stay on an engine, are not kept; use "
            f"{instead} with the labels and weights in the tables, or give tables in "
            "memory, 8 bytes per query, metric and model: collect them with compute() in "
            "Dask, toPandas() in Spark."
        )


@dataclass
class _PairSums:
    """Sums of the differences of two models."""

    weighted: Mean
    plain: Mean
    cubes: Fraction  # of weighted differences
    n_up: int
    n_down: int
    different: tuple[float, ...]  # the first of them

    @classmethod
    def compute(cls, difference: np.ndarray, weight: np.ndarray | None) -> "_PairSums":
        plain = Mean().add(difference)
        return cls(
            plain if weight is None else Mean().add(difference, weight),
            plain,
            sum_of_cubes(difference if weight is None else weight * difference),
            int(np.count_nonzero(difference > 0)),
            int(np.count_nonzero(difference < 0)),
            tuple(difference[difference != 0][:MANY_DIFFERENT].tolist()),
        )

    def merge(self, other: "_PairSums") -> None:
        """Add the sums of other queries."""
        self.weighted = self.weighted.merge(other.weighted)
        self.plain = self.plain.merge(other.plain)
        self.cubes += other.cubes
        self.n_up += other.n_up
        self.n_down += other.n_down
        self.different = (self.different + other.different)[:MANY_DIFFERENT]

    def skewness(self) -> float:
        """Return the skewness of the error."""
        return skewness_of_sums(self.weighted, self.cubes)

    def bounded(self, bounds: Range) -> BoundedMean:
        """Return the input of exact intervals if few clusters differ or all are equal."""
        n_equal = self.plain.n - self.n_up - self.n_down
        values, counts = np.array(self.different[:1]), np.array([float(self.plain.n)])
        if n_equal or len(set(self.different)) > 1:
            values, repeats = np.unique([*self.different, 0.0], return_counts=True)
            counts = repeats + (values == 0) * (n_equal - 1.0)
        return BoundedMean(values, np.ones(len(values)), counts, bounds)


class MetricSums(MetricRows):
    """One metric of all models: sums over the queries for which all have a value."""

    def __init__(self, name: str, scores: Scores, pairs: Pairs, options: Options):
        super().__init__(name, scores.models, options)
        values, is_used, self.n_missing, self.are_unlike = self.read(scores)
        weight = scores.weights[name]
        self.are_plain = weight is None
        weight = None if weight is None else weight[is_used]
        self.n_queries = len(values)
        self.of_models = [Mean().add(column, weight) for column in values.T]
        self.shapes = [ShapeSums.compute(column, weight) for column in values.T]
        self.of_pairs = {}
        for first, second in pairs:
            gaps = differences(values[:, first], values[:, second])
            self.of_pairs[first, second] = _PairSums.compute(gaps, weight)

    def merge(self, other: "MetricSums") -> None:
        """Add the sums of other queries."""
        if not other.range.is_bounded:
            self.range = other.range
        self.n_undefined += other.n_undefined
        self.n_missing += other.n_missing
        self.are_unlike |= other.are_unlike
        self.n_queries += other.n_queries
        both = zip(self.of_models, other.of_models, strict=True)
        self.of_models = [mean.merge(more) for mean, more in both]
        both_shapes = zip(self.shapes, other.shapes, strict=True)
        self.shapes = [shape.merge(more) for shape, more in both_shapes]
        for pair, sums in self.of_pairs.items():
            sums.merge(other.of_pairs[pair])

    def finish(self) -> None:
        """Check the queries after all were added."""
        self.n_clusters = self.n_queries
        self.shares = estimate_of(self.of_models[0]).shares
        if self.are_unlike:
            self.warn_of_unlike(self.n_missing)

    def means(self) -> dict[str, Any]:
        """Return the mean of each model with its interval, as columns."""
        both = zip(self.shapes, self.of_models, strict=True)
        averages = [shape.average(mean, self.range) for shape, mean in both]
        level, is_t = self.options.confidence_level, self.options.test == "t"
        ends = [(of.by_t(level) if is_t else of.interval(level))[:2] for of in averages]
        return self.means_of([average.estimate for average in averages], ends)

    def rows(self, pairs: Pairs) -> list[dict[str, Any]]:
        """Return a row for each pair, without the corrected p-value."""
        self.check_clusters(self.options.fewest)
        rows = []
        for first, second in pairs:
            sums = self.of_pairs[first, second]
            means = self.of_models[first].result(), self.of_models[second].result()
            deviation = estimate_of(sums.plain).error * math.sqrt(sums.plain.n)
            counts = sums.n_up, sums.n_down, sums.n_up + sums.n_down
            paired = PairedEstimate(
                *(means, estimate_of(sums.weighted), deviation, *counts),
                bounded=sums.bounded if self.are_plain else None,
                skewness=sums.skewness,
            )
            rows.append(self.row_of(first, second, paired))
            self.warn_of_constant(rows[-1])
        self.warn_of_few(rows)
        return rows


# Tables on an engine, which joins them and returns sums.

# Sums over queries of all models; the number of queries of some only, and one of them.
_SumsOfPart = tuple[list[MetricSums], dict[Hashable, tuple[int, Any]]]


def has_engine_tables(scores: Mapping[Hashable, Any]) -> bool:
    """Return whether an engine has the values; raise unless it has those of all models."""
    engines = {name: package_of(v) for name, v in scores.items() if is_on_engine(v)}
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
    types = {name: type_of_labels(table) for name, table in scores.items()}
    (first, expected), *rest = types.items()
    for name, own in rest:
        if own != expected:
            raise TypeError(
                f"The labels in column {GROUP!r} have the type {expected} for "
                f"{shorten(first)} and {own} for {shorten(name)}; cast them to one type, "
                "as engines join labels of one type only."
            )


def sum_on_engine(
    scores: Mapping[Hashable, Any],
    metrics: Any,
    pairs: Pairs,
    options: Options,
    value_range: Range | None,
) -> list[MetricSums]:
    """Return the sums of each metric over all queries, joined by the engine."""
    tables = scores.items()
    by_model = {name: columns_of_metrics(list(table.columns)) for name, table in tables}
    _check_types(scores)
    wanted = choose_metrics(metrics, {name: list(by_model[name]) for name in by_model})
    weighed = [
        metric
        for metric in wanted
        if any(WEIGHT + by_model[name][metric] in table.columns for name, table in tables)
    ]
    sources = []
    for name, table in tables:
        present, column = set(table.columns), by_model[name]
        weights: list[Any] = [WEIGHT + column[metric] for metric in weighed]
        weights = [weight if weight in present else None for weight in weights]
        sources.append([GROUP, *(column[metric] for metric in wanted), *weights])
    names = [GROUP, *wanted, *(WEIGHT + metric for metric in weighed)]
    settings: Any = {"pairs": pairs, "options": options, "value_range": value_range}
    sums_of = partial(sum_chunks, metrics=wanted, **settings)
    found_of = partial(_sum_part, models=list(scores), names=names, sums_of=sums_of)
    return _merge_parts(compute_by_query(list(scores.values()), sources, found_of))


def _sum_part(
    table: Any, models: Sequence[Hashable], names: Sequence[str], sums_of: Any
) -> _SumsOfPart:
    """Return the sums over queries of all models, and what is left of the others."""
    columns = [f"c{number}" for number in range(len(names))]
    sides = {
        name: table.loc[table[TABLE_INDEX] == index, columns].set_axis(names, axis=1)
        for index, name in enumerate(models)
    }
    block, left = common_queries(sides)
    examples = {name: (len(labels), first_label(labels)) for name, labels in left.items()}
    return sums_of([block] if block else []), examples


def _merge_parts(parts: Sequence[_SumsOfPart]) -> list[MetricSums]:
    """Return the sums of all workers; raise where a query has values of some models."""
    unmatched: dict[Hashable, tuple[int, Any]] = {}
    for _, left in parts:
        for name, (n_queries, label) in left.items():
            n_before, label = unmatched.get(name, (0, label))
            unmatched[name] = n_before + n_queries, label
    if unmatched:
        raise other_queries_error(unmatched)
    return reduce(merge_sums, [sums for sums, _ in parts if sums], [])
