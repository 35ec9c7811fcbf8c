"""Several repeats of one system: how its mean varies from time to time.

Values are y[q, r] = mean + query[q] + repeat[r] + rest[q, r]. The variance between queries
counts what varies by query only, so that of repeats is added, with the degrees of freedom
of F. E. Satterthwaite, "An approximate distribution of estimates of variance components",
Biometrics Bulletin 2, 1946, as R. K. Burdick and F. A. Graybill, "Confidence intervals on
variance components", 1992, use them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._base._labels import as_list
from sklearn_rank._base._messages import shorten
from sklearn_rank._base._numbers import as_floats
from sklearn_rank.distributed._value_tables import are_values
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._clusters import ROUNDING, Clusters, Estimate
from sklearn_rank.metrics._core._mean_intervals import FEW_DIFFERENT, Average
from sklearn_rank.metrics._core._parameters import UNBOUNDED, Range
from sklearn_rank.statistics._streams import is_stream

# Repeats never take more of the variance between queries than leaves this share.
LEAST_SHARE = 0.25
# What scores know of the lists of each model.
OF_MODELS = ("longest_lists", "without_list")


class Repeat(NamedTuple):
    """The name of one repeat of a model."""

    model: Any
    number: int

    def __repr__(self) -> str:
        return f"{self.model!r}, repeat {self.number}"


def split_repeats(models: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the scores of models with an entry for each repeat of a model."""
    columns: dict[Any, Any] = {}
    for model, values in models.items():
        repeats = repeats_of(f"scores[{model!r}]", values)
        if len(repeats) == 1:
            columns[model] = repeats[0]
        else:
            columns |= {Repeat(model, n): each for n, each in enumerate(repeats, 1)}
    return columns


def repeats_of(name: str, values: Any) -> list[Any]:
    """Return the values of each repeat of a model: a list of results, or columns."""
    if are_values(values) or is_stream(values):
        return [values]
    is_list = isinstance(values, list | tuple) and len(values) > 0
    if is_list and all(isinstance(each, PerQueryScores | Mapping) for each in values):
        return list(values)
    if isinstance(values, Mapping):
        by_metric = {metric: repeats_of(name, column) for metric, column in values.items()}
        sizes = {metric: len(repeats) for metric, repeats in by_metric.items()}
        if len(set(sizes.values())) > 1:
            raise ValueError(f"`{name}` needs equal repeats of its metrics, got {sizes}.")
        if set(sizes.values()) <= {1}:
            return [values]
        rows = zip(*by_metric.values(), strict=True)
        return [dict(zip(by_metric, row, strict=True)) for row in rows]
    is_table = is_list and isinstance(values[0], list | tuple | np.ndarray)
    if not is_table and getattr(values, "ndim", 1) != 2:
        return [values]
    table = values if hasattr(values, "iloc") else as_floats(values, name)
    n_queries, n_repeats = table.shape if table.ndim == 2 else (1, 0)
    if n_repeats > n_queries:
        raise ValueError(
            f"`{name}` must have one value per query, or a row per query and a column per "
            f"repeat, got {n_repeats} repeats of {n_queries} queries; give "
            "np.transpose(values) if these are the other way round."
        )
    columns = table.iloc if hasattr(table, "iloc") else table
    return [columns[:, number] for number in range(n_repeats)] or [values]


def average_repeats(scores: Any) -> dict[str, Any]:
    """Return what scores have with one column per model, the mean over its repeats."""
    columns: dict[Any, list[int]] = {}
    for index, name in enumerate(scores.models):
        columns.setdefault(_model_of(name), []).append(index)
    if len(columns) == len(scores.models):
        return {}
    values, repeats = {}, {}
    for metric, table in scores.values.items():
        _check_cells(metric, table, columns, scores.labels)
        # Sorted, so that the order of repeats does not matter.
        means = [np.sort(table[:, of], axis=1).mean(axis=1) for of in columns.values()]
        values[metric] = np.array(means).T
        tables = enumerate(table[:, of] for of in columns.values())
        repeats[metric] = {index: of for index, of in tables if of.shape[1] > 1}
    sizes = {name: _largest(getattr(scores, name)) for name in OF_MODELS}
    return {"models": list(columns), "values": values, "repeats": repeats, **sizes}


def _check_cells(
    metric: str, table: np.ndarray, columns: Mapping[Any, list[int]], labels: Any
) -> None:
    """Raise if a query has a value in some repeats of a model only."""
    for model, of in columns.items():
        is_missing = np.isnan(table[:, of])
        is_partly = is_missing.any(axis=1) & ~is_missing.all(axis=1)
        if is_partly.any():
            row = int(is_partly.argmax())
            query = row if labels is None else as_list(labels)[row]
            raise ValueError(
                f"{metric!r} of {shorten(model)} has no value of query {shorten(query)} in "
                f"repeat {int(is_missing[row].argmax()) + 1}, but in others; give each "
                "query a value in every repeat, or leave the query out."
            )


def _model_of(name: Any) -> Any:
    return name.model if isinstance(name, Repeat) else name


def _largest(sizes: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the largest size by model."""
    largest: dict[Any, Any] = {}
    for name, size in sizes.items():
        model = _model_of(name)
        largest[model] = max(size, largest.get(model, size))
    return largest


def check_takes_repeats(option: str, value: Any, valid: Sequence[Any]) -> None:
    """Raise for an option that has no form for several repeats."""
    if value not in valid:
        raise ValueError(
            f"`{option}` {shorten(value)} has no form for several repeats of a model; use "
            f"{' or '.join(map(repr, valid))}."
        )


@dataclass(frozen=True)
class RepeatSpread:
    """The mean squares of a system, between its repeats and of the rest."""

    n_queries: int
    n_repeats: int
    n_effective: float  # the equivalent number of queries that weigh alike
    of_repeats: float
    of_rest: float

    @classmethod
    def from_values(cls, values: np.ndarray, weight: np.ndarray | None) -> RepeatSpread:
        """Return those of values, a row per query and a column per repeat."""
        n_queries, n_repeats = values.shape
        share = np.full(n_queries, 1 / n_queries)
        if weight is not None:
            share = weight / weight.sum()
        n_effective = n_queries if weight is None else float(1 / (share**2).sum())
        deviations = values - values.mean(axis=1, keepdims=True)
        deviations[np.abs(deviations) <= ROUNDING * np.abs(values)] = 0
        of_repeats = n_effective * float(np.var(share @ deviations, ddof=1))
        rest = float(((deviations - deviations.mean(axis=0)) ** 2).sum())
        of_rest = rest / max((n_queries - 1) * (n_repeats - 1), 1)
        return cls(n_queries, n_repeats, n_effective, of_repeats, of_rest)

    @property
    def between(self) -> float:
        """The variance between repeats as wholes; below 0 by chance."""
        return (self.of_repeats - self.of_rest) / self.n_effective

    @property
    def added(self) -> float:
        """What the variance of the mean over repeats has beside that of queries."""
        added = self.between / self.n_repeats
        return max(added, 0.0) if self.n_repeats == 2 else added

    @property
    def doubt(self) -> float:
        """The squares of its parts over their degrees of freedom."""
        if self.added <= 0:
            return 0.0
        size, free = self.n_effective * self.n_repeats, self.n_repeats - 1
        of_rest = (self.of_rest / size) ** 2 / ((self.n_queries - 1) * free)
        return (self.of_repeats / size) ** 2 / free + of_rest


def add_repeats(estimate: Estimate, spreads: Sequence[RepeatSpread]) -> Estimate:
    """Return an estimate over queries whose error is also that of repeats."""
    if not spreads:
        return estimate
    of_queries, df = estimate.error**2, estimate.df
    variance = of_queries + sum(spread.added for spread in spreads)
    variance = max(variance, LEAST_SHARE * of_queries, 0.0)
    doubt = of_queries**2 / df + sum(spread.doubt for spread in spreads)
    if doubt > 0:
        df = min(max(variance**2 / doubt, 1.0), df)
    return Estimate(estimate.value, math.sqrt(variance), replace(estimate.shares, df=df))


def share_of_skewness(of_queries: Estimate, estimate: Estimate) -> float:
    """Return the skewness of an error with repeats over that of queries alone."""
    return (of_queries.error / estimate.error) ** 3 if estimate.error > 0 else 1.0


def average_of_repeats(
    values: np.ndarray, clusters: Clusters, bounds: Range, spread: RepeatSpread
) -> Average:
    """Return the mean over queries and repeats; `values` are means over repeats."""
    of_queries = Average.from_values(values, clusters, UNBOUNDED)
    estimate = add_repeats(of_queries.estimate, [spread])
    share = share_of_skewness(of_queries.estimate, estimate)
    return Average(estimate, bounds, of_queries.skewness * share)


def columns_of_repeats(
    deviation: float, repeats: Sequence[RepeatSpread | None]
) -> dict[str, Any]:
    """Return the repeats of both sides, and the standard deviations of a difference."""
    spreads = [spread for spread in repeats if spread is not None]
    of_rest = sum(spread.of_rest / spread.n_repeats for spread in spreads)
    variances = {
        "query": deviation**2 - of_rest,
        "repeat": sum(max(spread.between, 0.0) for spread in spreads),
        "rest": sum(spread.of_rest for spread in spreads),
    }
    return {
        "n_repeats": tuple(1 if spread is None else spread.n_repeats for spread in repeats),
        "repeat_sd": tuple(
            math.nan if of is None else math.sqrt(of.of_repeats / of.n_effective)
            for of in repeats
        ),
        "components": {name: math.sqrt(max(of, 0.0)) for name, of in variances.items()},
    }


def error_of_repeats(
    n_repeats: Sequence[int], deviations: Sequence[float]
) -> tuple[float, float]:
    """Return the error of a sum over fixed queries of the means of sides, and its df.

    A mean over these queries is one value of each repeat. The degrees of freedom are those
    of B. L. Welch, "The generalization of 'Student's' problem", Biometrika 34, 1947. A side
    with one repeat is taken to vary as the other one does.
    """
    variances = [
        (deviation**2 / n, n - 1)
        for n, deviation in zip(n_repeats, deviations, strict=True)
        if n > 1
    ]
    if not variances:
        return 0.0, 1.0
    if len(variances) < len(n_repeats):
        (of_mean, free), *_ = variances
        return math.sqrt(of_mean * (free + 2)), free
    total = sum(of_mean for of_mean, _ in variances)
    doubt = sum(of_mean**2 / free for of_mean, free in variances)
    return math.sqrt(total), total**2 / doubt if doubt else min(f for _, f in variances)


def notes_on_repeats(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what rows of pairs say of repeats."""
    notes, once = [], []
    for row in rows:
        if "n_repeats" not in row:
            continue
        pair, sd = f"{row['model']} - {row['baseline']}", row["components"]
        sides = dict(zip((row["model"], row["baseline"]), row["n_repeats"], strict=True))
        if max(sides.values()) > 1:
            notes.append(
                f"{pair}: {' and '.join(map(str, sides.values()))} repeats; SD between "
                f"queries {sd['query']:.3f}, between repeats {sd['repeat']:.3f}, rest "
                f"{sd['rest']:.3f}."
            )
        if row["n_different"] < FEW_DIFFERENT:
            notes.append(
                f"{pair}: only {row['n_different']} of {row['n_queries']:,} queries "
                "differ, and repeats have no exact interval: this one may be too narrow."
            )
        once += [model for model, n in sides.items() if n == 1]
    return notes + [
        f"{model} was run once: how it varies from time to time is not in the interval."
        for model in dict.fromkeys(once)
    ]
