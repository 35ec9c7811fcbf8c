"""Rows of a comparison of one metric, and warnings for few clusters."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._validation import shorten
from sklearn_rank.metrics._core._range import ANY, Range
from sklearn_rank.metrics._core._shares import Estimate, Shares
from sklearn_rank.statistics._exact import BoundedMean, are_few
from sklearn_rank.statistics._interval_verdict import verdict_of
from sklearn_rank.statistics._options import Options, not_bounded
from sklearn_rank.statistics._randomization import told_of_few_flips
from sklearn_rank.statistics._t import t_interval, t_test, told_of_few

Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Paired:
    """The estimate of the difference of two models."""

    mean: float  # of the first model
    mean_baseline: float
    difference: Estimate
    deviation: float  # of the differences, without weights
    n_up: int
    n_down: int
    n_different: int  # clusters
    bounded: Callable[[Range], BoundedMean] | None = None  # if values are known


class MetricRows:
    """The rows of one metric, from estimates of values or of sums."""

    def __init__(self, name: str, models: Sequence[Any], options: Options):
        self.name = name
        self.models = models
        self.options = options
        self.lower_is_better = False
        self.range: Range = ANY
        self.level = options.confidence_level  # of the interval of each difference
        self.messages: list[str] = []
        self.n_undefined = 0
        # Queries that count and for which all models have a value:
        self.n_queries = 0
        self.n_clusters = 0
        self.shares = Shares.equal(0)
        self.are_plain = True  # each query is a cluster, and all count alike

    def warn_of_unlike(self, n_missing: np.ndarray) -> None:
        """Record a warning about queries for which only some models are undefined."""
        counts = dict(zip(self.models, n_missing.tolist(), strict=True))
        self.messages.append(
            f"Models are undefined for different queries in {self.name!r} "
            f"({shorten(counts)}); all {self.n_undefined} are left out for all models. "
            "Pass replace_undefined_by=0 to per_query_scores if they should count as 0."
        )

    def check_clusters(self) -> None:
        """Raise for fewer than two clusters."""
        if self.n_clusters < 2:
            raise ValueError(
                f"{self.name!r} has {self.n_queries} queries in {self.n_clusters} "
                "cluster(s) that count and for which all models have a value; a "
                "comparison needs two clusters."
            )

    def warn_of_few(self, rows: Sequence[dict[str, Any]]) -> None:
        """Record a warning if Student's t has few or unequal clusters."""
        if all(row["interval"] != "t" for row in rows):
            return
        is_t = self.options.test in ("auto", "t")
        advice = 'use test="randomization", and more queries' if is_t else "take more"
        self.messages += told_of_few(
            self.shares, repr(self.name), "clusters of queries", advice
        )

    def warn_of_few_flips(self, n_comparisons: int) -> None:
        """Record a warning if there are too few random flips for a significant p."""
        self.messages += told_of_few_flips(self.options, self.n_clusters, n_comparisons)

    def warn_of_constant(self, row: dict[str, Any]) -> None:
        """Record a warning if all differences are equal."""
        is_t = self.options.test in ("auto", "t") and row["interval"] == "t"
        if not (is_t and math.isinf(row["statistic"])):
            return
        self.messages.append(
            f"All differences of {row['model']} to {row['baseline']} in {self.name!r} are "
            f"{row['difference']:g}, so that their error is 0 and p is by the formula "
            f"{row['p_value']:g}; the honest one is that of all sign flips, "
            f"{row['smallest_p']:.2g}."
        )

    def means_of(
        self, estimates: Sequence[Estimate], ends: Sequence[tuple[float, float]]
    ) -> dict[str, list]:
        """Return the mean of each model with its error and interval, as columns."""
        clipped = [map(float, self.range.clip(interval)) for interval in ends]
        lows, highs = map(list, zip(*clipped, strict=True))
        return {
            "metric": [self.name] * len(estimates),
            "model": list(self.models),
            "mean": [found.value for found in estimates],
            "standard_error": [found.error for found in estimates],
            "low": lows,
            "high": highs,
        }

    def row_of(self, first: int, second: int, paired: Paired) -> dict[str, Any]:
        """Return the row of a pair by Student's t, without the corrected p-value."""
        row = {
            "metric": self.name,
            "model": self.models[first],
            "baseline": self.models[second],
            "n_queries": self.n_queries,
            "n_clusters": self.n_clusters,
            "mean": paired.mean,
            "mean_baseline": paired.mean_baseline,
        }
        row |= self._estimated(paired)
        row |= self._counted(paired)
        self.set_interval(row, (row["low"], row["high"]), row["interval"])
        return row

    def set_interval(
        self, row: dict[str, Any], ends: tuple[float, float], method: str
    ) -> None:
        """Set an interval, limited to the range of differences, and its verdict."""
        if method != "t":
            ends = self.range.of_differences().clip(ends)
        row["low"], row["high"] = map(float, ends)
        row["interval"] = method
        row["verdict"] = verdict_of(
            row["low"],
            row["high"],
            self.options.margin,
            lower_is_better=self.lower_is_better,
        )

    def _estimated(self, paired: Paired) -> dict[str, Any]:
        """Return the difference of the means, its interval and its t test."""
        options, found, baseline = self.options, paired.difference, paired.mean_baseline
        mean, error, df = found.value, found.error, found.df
        level, alternative = self.level, options.alternative
        low, high = t_interval(mean, error, df, level, alternative)
        statistic, p_value = t_test(mean, error, df, alternative)
        method = "t"
        bounds = self.range.of_differences()
        if self._is_exact(paired):
            assert paired.bounded is not None
            exact = paired.bounded(bounds)
            low, high = exact.interval(level, alternative)
            p_value, method = exact.p_value(alternative), "exact"
        return {
            "difference": mean,
            "relative_difference": mean / baseline if baseline else math.nan,
            "sd": paired.deviation,
            "standard_error": error,
            **found.columns(),
            "low": low,
            "high": high,
            "effect_size": self._effect_size(mean, paired.deviation),
            "statistic": statistic,
            "p_value": p_value,
            "p_adjusted": math.nan,
            "interval": method,
        }

    def _is_exact(self, paired: Paired) -> bool:
        """Return whether the interval is exact: few clusters differ, or all equally."""
        is_known = self.range.is_bounded and paired.bounded is not None
        if self.options.test == "exact" and not is_known:
            raise not_bounded("test", repr(self.name))
        if self.options.test != "auto" or not is_known:
            return self.options.test == "exact"
        is_rare = are_few(paired.n_different, self.n_clusters)
        return is_rare or paired.difference.error == 0

    def _counted(self, paired: Paired) -> dict[str, float]:
        """Return the numbers of differing queries and clusters, and the smallest p."""
        up, down = paired.n_up, paired.n_down
        return {
            "better": down if self.lower_is_better else up,
            "equal": self.n_queries - up - down,
            "worse": up if self.lower_is_better else down,
            "n_different": paired.n_different,
            "smallest_p": _smallest_p(paired.n_different, self.options.alternative),
        }

    def _effect_size(self, mean: float, deviation: float) -> float:
        if not self.are_plain:
            return math.nan
        if deviation == 0:
            return math.copysign(math.inf, mean) if mean else math.nan
        return mean / deviation


def _smallest_p(n_different: int, alternative: str) -> float:
    """Return the smallest p that flips of this many differing clusters can reach."""
    both = 1 if alternative == "two-sided" else 0
    return min(1.0, 2.0 ** (both - n_different))
