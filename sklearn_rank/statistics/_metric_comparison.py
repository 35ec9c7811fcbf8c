"""The comparisons of one metric: a row for each pair of models."""

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from sklearn_rank._validation import shorten
from sklearn_rank.metrics._core._clusters import (
    Clusters,
    differences,
    standard_deviation,
)
from sklearn_rank.metrics._core._range import ANY
from sklearn_rank.metrics._core._shares import ROUNDING, Estimate
from sklearn_rank.statistics._exact import BoundedMean, interval_of_mean
from sklearn_rank.statistics._metric_rows import MetricRows, Paired, Pairs
from sklearn_rank.statistics._options import Options
from sklearn_rank.statistics._randomization import Flips
from sklearn_rank.statistics._read_scores import Scores


class MetricComparison(MetricRows):
    """One metric of all models on the queries for which all have a value."""

    def __init__(
        self, name: str, scores: Scores, codes: np.ndarray | None, options: Options
    ):
        super().__init__(name, scores.models, options)
        self.lower_is_better = name in scores.lower_is_better
        self.range = scores.ranges.get(name, ANY)
        values, weight = scores.values[name], scores.weights[name]
        is_used, is_missing = used_and_missing(values, weight)
        self.n_undefined = int(np.count_nonzero(is_missing.any(axis=1)))
        if are_unlike(is_missing):
            self.warn_of_unlike(is_missing.sum(axis=0))
        self.values = values if is_used.all() else values[is_used]
        self.clusters = Clusters.of_used(codes, weight, is_used)
        self.n_queries = self.clusters.n_queries
        self.n_clusters = self.clusters.n_clusters if self.n_queries else 0
        self.are_plain = self.clusters.are_plain
        self.shares = self.clusters.shares
        self.check_clusters()

    def means(self) -> dict[str, Any]:
        """Return the mean of each model with its interval, as columns."""
        clusters = self.clusters
        test, level = self.options.test, self.options.confidence_level
        method = test if test in ("auto", "exact") else "t"
        found = self.estimates
        ends = [
            interval_of_mean(one, clusters, mean, self.range, method, level)[:2]
            for one, mean in zip(self.values.T, found, strict=True)
        ]
        return self.means_of(found, ends)

    @cached_property
    def estimates(self) -> list[Estimate]:
        """The mean of each model with its error."""
        return [self.clusters.estimate(one) for one in self.values.T]

    def rows(self, pairs: Pairs) -> list[dict[str, Any]]:
        """Return a row for each pair, without the corrected p-value."""
        rows = [self._row(first, second) for first, second in pairs]
        if self.options.test == "randomization":
            found = self.flips(pairs).tests(self.options.random_state, self.level)
            for row, one in zip(rows, np.transpose(found).tolist(), strict=True):
                row["p_value"] = one[0] if row["n_different"] else 1.0
                self.set_interval(row, (one[1], one[2]), "flips")
        self.warn_of_few(rows)
        return rows

    def flips(self, pairs: Pairs) -> Flips:
        """Return the sign flips of the pairs."""
        return Flips(
            self.values,
            self.clusters,
            pairs,
            self.options.alternative,
            self.options.n_resamples,
        )

    def _row(self, first: int, second: int) -> dict[str, Any]:
        one, other = self.values[:, first], self.values[:, second]
        means = self.estimates[first].value, self.estimates[second].value
        row = self.row_of(first, second, self._paired(one, other, *means))
        if callable(self.options.test):
            row["p_value"], row["statistic"] = self._by_callable(
                self.options.test, one, other
            )
        self.warn_of_constant(row)
        return row

    def _paired(
        self, one: np.ndarray, other: np.ndarray, mean: float, mean_baseline: float
    ) -> Paired:
        clusters, difference = self.clusters, differences(one, other)
        sums = clusters.sums(difference)
        found = clusters.estimate(difference)
        n_up = int(np.count_nonzero(difference > 0))
        n_down = int(np.count_nonzero(difference < 0))
        if clusters.are_plain:
            deviation = found.error * math.sqrt(clusters.n_queries)
            n_different = n_up + n_down
        else:
            deviation = standard_deviation(difference)
            sizes = clusters.sums(np.abs(difference))
            n_different = int(np.count_nonzero(np.abs(sums) > ROUNDING * sizes))
        return Paired(
            mean,
            mean_baseline,
            found,
            deviation,
            n_up,
            n_down,
            n_different,
            lambda bounds: BoundedMean.of(sums, clusters.weights(), bounds),
        )

    def _by_callable(
        self, test: Callable, one: np.ndarray, other: np.ndarray
    ) -> tuple[float, float]:
        """Return the p-value and the statistic of a user's test."""
        if not self.clusters.are_plain:
            raise ValueError(
                "`test` is a callable, which has no weights and treats each row as a "
                "query of its own; use 't' or 'randomization' with weights, clusters or "
                "queries in several folds."
            )
        found = test(one, other)
        p_value = getattr(found, "pvalue", found)
        try:
            p_value = float(p_value)
        except (TypeError, ValueError) as error:
            raise TypeError(
                "`test` must return a p-value or something that has a `pvalue`, got "
                f"{shorten(found)}."
            ) from error
        if not (math.isnan(p_value) or 0 <= p_value <= 1):
            raise ValueError(
                f"`test` must return a p-value from 0 to 1, got {shorten(p_value)}."
            )
        return p_value, float(getattr(found, "statistic", math.nan))


def used_and_missing(
    values: np.ndarray, weight: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return which queries count, and which models lack a value of a query with weight."""
    is_missing = np.isnan(values)
    is_used = ~np.logical_or.reduce(is_missing, axis=1)
    if weight is None:
        return is_used, is_missing
    return is_used & (weight > 0), is_missing[weight != 0]


def are_unlike(is_missing: np.ndarray) -> bool:
    """Return whether models lack the values of different queries."""
    return bool(is_missing.any()) and bool((is_missing != is_missing[:, :1]).any())
