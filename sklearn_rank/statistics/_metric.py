"""The comparisons of one metric: a row a pair of models."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sklearn_rank._validation import shorten
from sklearn_rank.metrics._core._clusters import (
    ROUNDING,
    Clusters,
    differences,
    standard_deviation,
)
from sklearn_rank.metrics._core._range import ANY
from sklearn_rank.statistics._options import Options
from sklearn_rank.statistics._randomization import Flips, told_of_few_flips
from sklearn_rank.statistics._read import Scores
from sklearn_rank.statistics._t import t_interval, t_test
from sklearn_rank.statistics._verdict import verdict_of

# With fewer clusters Student's t relies on the shape of the differences.
FEW_CLUSTERS = 10

Pairs = Sequence[tuple[int, int]]


class MetricComparison:
    """One metric of all models on the queries for which each has a value."""

    def __init__(self, name: str, scores: Scores, codes: np.ndarray, options: Options):
        self.name = name
        self.models = scores.models
        self.options = options
        self.lower_is_better = name in scores.lower_is_better
        self.range = scores.ranges.get(name, ANY)
        self.messages: list[str] = []
        values, weight = scores.values[name], scores.weights[name]
        is_missing = np.isnan(values)
        is_used = ~is_missing.any(axis=1)
        if weight is not None:
            is_used &= weight > 0
            is_missing = is_missing[weight != 0]
        self.n_undefined = int(np.count_nonzero(is_missing.any(axis=1)))
        self._warn_of_unlike(is_missing)
        self.values = values[is_used]
        if weight is not None:
            weight = weight[is_used] / weight[is_used].max(initial=1e-300)
        self.clusters = Clusters.of(codes[is_used], weight)
        self._check_clusters()

    def _warn_of_unlike(self, is_missing: np.ndarray) -> None:
        if (is_missing != is_missing[:, :1]).any():
            counts = dict(zip(self.models, is_missing.sum(axis=0).tolist(), strict=True))
            self.messages.append(
                f"Models are undefined for different queries in {self.name!r} "
                f"({shorten(counts)}); all {self.n_undefined} are left out for all models. "
                "Pass replace_undefined_by=0 to per_query_scores if they should count as 0."
            )

    def _check_clusters(self) -> None:
        n_queries, n_clusters = self.clusters.n_queries, 0
        if n_queries:
            n_clusters = self.clusters.n_clusters
        if n_clusters < 2:
            raise ValueError(
                f"{self.name!r} has {n_queries} queries in {n_clusters} cluster(s) that "
                "count and for which all models have a value; a comparison needs two "
                "clusters."
            )
        if n_clusters < FEW_CLUSTERS:
            is_t = self.options.test == "t"
            advice = 'use test="randomization", and more queries' if is_t else "take more"
            self.messages.append(
                f"{self.name!r} has {n_clusters} clusters of queries; intervals by "
                f"Student's t are rough below {FEW_CLUSTERS}: {advice}."
            )

    def means(self) -> dict[str, Any]:
        """Return the mean of each model with its interval, as columns."""
        columns: dict[str, list] = {
            name: []
            for name in ("metric", "model", "mean", "standard_error", "low", "high")
        }
        for model, values in zip(self.models, self.values.T, strict=True):
            mean = self.clusters.mean(values)
            error = self.clusters.standard_error(values)
            interval = t_interval(
                mean, error, self.clusters.n_clusters - 1, self.options.confidence_level
            )
            row = (self.name, model, mean, error, *map(float, self.range.clip(interval)))
            for column, value in zip(columns.values(), row, strict=True):
                column.append(value)
        return columns

    def rows(self, pairs: Pairs) -> list[dict[str, Any]]:
        """Return a row a pair, without the corrected p-value."""
        rows = [self._row(first, second) for first, second in pairs]
        if self.options.test == "randomization":
            p_values = self.flips(pairs).p_values(self.options.random_state)
            for row, p_value in zip(rows, p_values.tolist(), strict=True):
                row["p_value"] = p_value if row["n_different"] else 1.0
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
        difference = differences(one, other)
        row = {
            "metric": self.name,
            "model": self.models[first],
            "baseline": self.models[second],
            "n_queries": self.clusters.n_queries,
            "n_clusters": self.clusters.n_clusters,
            "mean": self.clusters.mean(one),
            "mean_baseline": self.clusters.mean(other),
        }
        row |= self._estimated(difference, row["mean_baseline"])
        row |= self._counted(difference)
        row["verdict"] = verdict_of(
            row["low"],
            row["high"],
            self.options.margin,
            lower_is_better=self.lower_is_better,
        )
        if callable(self.options.test):
            row["p_value"], row["statistic"] = self._by_callable(
                self.options.test, one, other
            )
        elif math.isinf(row["statistic"]) and self.options.test == "t":
            self._warn_of_constant(row)
        return row

    def _estimated(self, difference: np.ndarray, baseline: float) -> dict[str, float]:
        """Return the difference of the means, its interval and its t test."""
        clusters, options = self.clusters, self.options
        mean, error = clusters.mean(difference), clusters.standard_error(difference)
        df = clusters.n_clusters - 1
        low, high = t_interval(
            mean, error, df, options.confidence_level, options.alternative
        )
        statistic, p_value = t_test(mean, error, df, options.alternative)
        deviation = standard_deviation(difference)
        return {
            "difference": mean,
            "relative_difference": mean / baseline if baseline else math.nan,
            "sd": deviation,
            "standard_error": error,
            "low": low,
            "high": high,
            "effect_size": self._effect_size(mean, deviation),
            "statistic": statistic,
            "p_value": p_value,
            "p_adjusted": math.nan,
        }

    def _counted(self, difference: np.ndarray) -> dict[str, float]:
        """Return how many queries and clusters differ, and what flips of them can find."""
        n_up = int(np.count_nonzero(difference > 0))
        n_down = int(np.count_nonzero(difference < 0))
        sums = self.clusters.sums(difference)
        sizes = self.clusters.sums(np.abs(difference))
        n_different = int(np.count_nonzero(np.abs(sums) > ROUNDING * sizes))
        return {
            "better": n_down if self.lower_is_better else n_up,
            "equal": len(difference) - n_up - n_down,
            "worse": n_up if self.lower_is_better else n_down,
            "n_different": n_different,
            "smallest_p": _smallest_p(n_different, self.options.alternative),
        }

    def _effect_size(self, mean: float, deviation: float) -> float:
        if not self.clusters.are_plain:
            return math.nan
        if deviation == 0:
            return math.copysign(math.inf, mean) if mean else math.nan
        return mean / deviation

    def _warn_of_constant(self, row: dict[str, Any]) -> None:
        self.messages.append(
            f"All differences of {row['model']} to {row['baseline']} in {self.name!r} are "
            f"{row['difference']:g}, so that their error is 0 and p is by the formula "
            f"{row['p_value']:g}; the honest one is that of all sign flips, "
            f"{row['smallest_p']:.2g}."
        )

    def _by_callable(
        self, test: Callable, one: np.ndarray, other: np.ndarray
    ) -> tuple[float, float]:
        """Return the p-value and the statistic of a user's test."""
        if not self.clusters.are_plain:
            raise ValueError(
                "`test` is a callable, which knows no weights and takes each row for "
                "another query; use 't' or 'randomization' with weights, clusters or "
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

    def warn_of_few_flips(self, n_comparisons: int) -> None:
        """Keep a warning if random flips are too few for any p to be small enough."""
        n_clusters = self.clusters.n_clusters
        self.messages += told_of_few_flips(self.options, n_clusters, n_comparisons)


def _smallest_p(n_different: int, alternative: str) -> float:
    """Return the smallest p that flips of so many differing clusters can have."""
    both = 1 if alternative == "two-sided" else 0
    return min(1.0, 2.0 ** (both - n_different))
