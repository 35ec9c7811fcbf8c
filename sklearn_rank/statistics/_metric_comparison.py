"""The comparisons of one metric: a row for each pair of models, and its verdict."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sklearn_rank._base._messages import clustered
from sklearn_rank._base._validation import shorten
from sklearn_rank.metrics._core._bounded_mean import BoundedMean, Ends
from sklearn_rank.metrics._core._clusters import (
    ROUNDING,
    Clusters,
    Estimate,
    Shares,
    differences,
    standard_deviation,
    t_interval,
)
from sklearn_rank.metrics._core._mean_intervals import (
    FEW_DIFFERENT,
    MANY_DIFFERENT,
    WIDENED,
    blend_with_exact,
    keep_sign,
    skewness_of,
    widen_interval,
)
from sklearn_rank.metrics._core._parameters import UNBOUNDED, Range
from sklearn_rank.statistics._intervals_of_means import (
    AnyTimeMean,
    check_each_query_bets,
    few_clusters_warning,
    interval_of_mean,
    t_test,
)
from sklearn_rank.statistics._options import Options, unbounded_error
from sklearn_rank.statistics._randomization import Flips
from sklearn_rank.statistics._read_scores import Scores
from sklearn_rank.statistics._repeat_spread import (
    RepeatSpread,
    add_repeats,
    average_of_repeats,
    columns_of_repeats,
    share_of_skewness,
)

# Verdicts on a difference by its interval and a margin. An interval of zero width comes
# from equal values, and other queries may differ: it shows nothing about a margin, and at
# 0 it shows nothing at all.


def verdict_of(
    low: float, high: float, margin: float | None, *, lower_is_better: bool
) -> str:
    """Return "better", "worse", "equivalent" or "undecided".

    The margin is the smallest difference that matters, None without one.
    """
    if math.isnan(low) or math.isnan(high):
        return "undecided"
    if low == high and (margin is not None or low == 0):
        return "undecided"
    if lower_is_better:
        low, high = -high, -low
    least = 0.0 if margin is None else margin
    if low > least:
        return "better"
    if high < -least:
        return "worse"
    return "equivalent" if -least <= low and high <= least else "undecided"


# Rows of a comparison of one metric, and warnings for few clusters.

Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class PairedEstimate:
    """The estimate of the difference of two models."""

    means: tuple[float, float]  # of the model and its baseline
    difference: Estimate
    deviation: float  # of the differences, without weights
    n_up: int
    n_down: int
    n_different: int  # clusters
    bounded: Callable[[Range], BoundedMean] | None = None  # if values are known
    skewness: Callable[[], float] = float  # of the error
    repeats: Sequence[RepeatSpread | None] = ()  # of the model and its baseline, if any


class MetricRows:
    """The rows of one metric, from estimates of values or of sums."""

    def __init__(self, name: str, models: Sequence[Any], options: Options):
        self.name = name
        self.models = models
        self.options = options
        self.lower_is_better = False
        self.range: Range = UNBOUNDED
        self.level = options.confidence_level  # of the interval of each difference
        self.messages: list[str] = []
        self.n_undefined = 0
        # Queries that count and for which all models have a value:
        self.n_queries = 0
        self.n_clusters = 0
        self.shares = Shares.equal(0)
        self.are_plain = True  # each query is a cluster, and all count alike

    def read(self, scores: Scores) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
        """Return the values of queries that count and for which all models have one.

        Also which queries these are, the number of missing values of each model, and
        whether models lack the values of different queries.
        """
        self.lower_is_better = self.name in scores.lower_is_better
        self.range = scores.ranges.get(self.name, UNBOUNDED)
        values, weight = scores.values[self.name], scores.weights[self.name]
        is_missing = np.isnan(values)
        is_used = ~np.logical_or.reduce(is_missing, axis=1)
        if weight is not None:
            is_used, is_missing = is_used & (weight > 0), is_missing[weight != 0]
        self.n_undefined = int(np.count_nonzero(is_missing.any(axis=1)))
        are_unlike = self.n_undefined and (is_missing != is_missing[:, :1]).any()
        used = values if is_used.all() else values[is_used]
        return used, is_used, is_missing.sum(axis=0), bool(are_unlike)

    def warn_of_unlike(self, n_missing: np.ndarray) -> None:
        """Record a warning about queries for which only some models are undefined."""
        counts = dict(zip(self.models, n_missing.tolist(), strict=True))
        self.messages.append(
            f"Models are undefined for different queries in {self.name!r} "
            f"({shorten(counts)}); all {self.n_undefined} are left out for all models. "
            "Pass replace_undefined_by=0 to per_query_scores if they should count as 0."
        )

    def check_clusters(self, fewest: int) -> None:
        """Raise for fewer clusters than a comparison needs."""
        if self.n_clusters < fewest:
            raise ValueError(
                f"All models have a value of {self.name!r} for "
                f"{clustered(self.n_queries, 'query', self.n_clusters)}; a comparison "
                "needs two that are independent."
            )

    def warn_of_few(self, rows: Sequence[dict[str, Any]]) -> None:
        """Record a warning if Student's t has few or unequal clusters."""
        if all(row["interval"] not in ("t", WIDENED) for row in rows):
            return
        units = "queries" if self.n_clusters == self.n_queries else "clusters of queries"
        advice, alpha = "take more", 1 - self.options.confidence_level
        if self.options.test in ("auto", "t"):
            advice = 'use test="randomization", and more queries'
            if 2.0 ** (1 - self.n_clusters) > alpha:  # the least p of sign flips
                advice = (
                    f"{self.n_clusters} {units} cannot decide at {alpha:.2g}; add queries"
                )
        about = repr(self.name), units, advice
        self.messages += few_clusters_warning(self.shares, *about)

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
        self, estimates: Sequence[Estimate], ends: Sequence[Ends]
    ) -> dict[str, list]:
        """Return the mean of each model with its error and interval, as columns."""
        clipped = [map(float, self.range.clip(interval)) for interval in ends]
        lows, highs = map(list, zip(*clipped, strict=True))
        return {
            "metric": [self.name] * len(estimates),
            "model": list(self.models),
            "mean": [estimate.value for estimate in estimates],
            "standard_error": [estimate.error for estimate in estimates],
            "low": lows,
            "high": highs,
        }

    def row_of(self, first: int, second: int, paired: PairedEstimate) -> dict[str, Any]:
        """Return the row of a pair by Student's t, without the corrected p-value."""
        row = {
            "metric": self.name,
            "model": self.models[first],
            "baseline": self.models[second],
            "n_queries": self.n_queries,
            "n_clusters": self.n_clusters,
            **dict(zip(("mean", "mean_baseline"), paired.means, strict=True)),
        }
        row |= self._estimate_columns(paired) | self._count_columns(paired)
        if paired.repeats:
            row |= columns_of_repeats(paired.deviation, paired.repeats)
        self.set_interval(row, (row["low"], row["high"]), row["interval"])
        return row

    def set_interval(self, row: dict[str, Any], ends: Ends, method: str) -> None:
        """Set an interval, limited to the range of differences, and its verdict."""
        row["low"], row["high"] = map(float, self.range.of_differences().clip(ends))
        row["interval"] = method
        limits, lower = (row["low"], row["high"], self.options.margin), self.lower_is_better
        row["verdict"] = verdict_of(*limits, lower_is_better=lower)

    def _estimate_columns(self, paired: PairedEstimate) -> dict[str, Any]:
        """Return the difference of the means, its interval and its t test."""
        options, estimate, baseline = self.options, paired.difference, paired.means[1]
        mean, error, df = estimate.value, estimate.error, estimate.df
        level, alternative = self.level, options.alternative
        low, high = t_interval(mean, error, df, level, alternative)
        statistic, p_value = t_test(mean, error, df, alternative)
        method = "t"
        bounds = self.range.of_differences()
        if self._is_bounded(paired):
            assert paired.bounded is not None
            exact, method = paired.bounded(bounds), "exact"
            if options.test == "anytime":
                exact, method = AnyTimeMean(**vars(exact)), "anytime"
            low, high = exact.interval(level, alternative)
            p_value = exact.p_value(alternative)
        elif self._is_widened(paired):
            low, high = self._widen((low, high), paired)
            method = WIDENED
        return {
            "difference": mean,
            "relative_difference": mean / baseline if baseline else math.nan,
            "sd": paired.deviation,
            "standard_error": error,
            **estimate.columns(),
            "low": low,
            "high": high,
            "effect_size": self._effect_size(mean, paired.deviation),
            "statistic": statistic,
            "p_value": p_value,
            "p_adjusted": math.nan,
            "interval": method,
        }

    def _is_bounded(self, paired: PairedEstimate) -> bool:
        """Return whether the interval is by bounds: for any time, or as few differ."""
        is_known = self.range.is_bounded and paired.bounded is not None
        is_needed = self.options.test in ("exact", "anytime")
        if is_needed and not is_known:
            raise unbounded_error("test", str(self.options.test), repr(self.name))
        if self.options.test != "auto" or not is_known:
            return is_needed
        is_rare = paired.n_different < min(FEW_DIFFERENT, self.n_clusters / 2)
        return is_rare or paired.difference.error == 0

    def _is_widened(self, paired: PairedEstimate) -> bool:
        """Return whether the interval is Student's, for a verdict by a margin."""
        options = self.options
        is_judged = options.test == "auto" and options.margin is not None
        has_spread = paired.n_different >= FEW_DIFFERENT and paired.difference.error > 0
        return is_judged and has_spread

    def _widen(self, ends: Ends, paired: PairedEstimate) -> Any:
        """Return the interval for a verdict; p and the side of 0 stay those of t."""
        arguments = self.level, self.options.alternative
        wider = widen_interval(ends, paired.difference, paired.skewness(), *arguments)
        n_different = paired.n_different
        are_few = n_different < min(MANY_DIFFERENT, self.n_clusters / 2)
        if are_few and self.range.is_bounded and paired.bounded is not None:
            exact = paired.bounded(self.range.of_differences())
            wider = blend_with_exact(wider, exact.interval(*arguments), n_different)
        return keep_sign(wider, ends)

    def _count_columns(self, paired: PairedEstimate) -> dict[str, float]:
        """Return the numbers of differing queries and clusters, and the smallest p."""
        up, down, n_different = paired.n_up, paired.n_down, paired.n_different
        both = 1 if self.options.alternative == "two-sided" else 0
        return {
            "better": down if self.lower_is_better else up,
            "equal": self.n_queries - up - down,
            "worse": up if self.lower_is_better else down,
            "n_different": n_different,
            "smallest_p": min(1.0, 2.0 ** (both - n_different)),  # of all sign flips
        }

    def _effect_size(self, mean: float, deviation: float) -> float:
        if not self.are_plain:
            return math.nan
        if deviation == 0:
            return math.copysign(math.inf, mean) if mean else math.nan
        return mean / deviation


class MetricComparison(MetricRows):
    """One metric of all models on the queries for which all have a value."""

    def __init__(
        self, name: str, scores: Scores, codes: np.ndarray | None, options: Options
    ):
        super().__init__(name, scores.models, options)
        self.values, is_used, n_missing, are_unlike = self.read(scores)
        if are_unlike:
            self.warn_of_unlike(n_missing)
        self.clusters = Clusters.from_used(codes, scores.weights[name], is_used)
        self.n_queries = self.clusters.n_queries
        self.n_clusters = self.clusters.n_clusters if self.n_queries else 0
        self.are_plain = self.clusters.are_plain
        self.shares = self.clusters.shares
        if options.test == "anytime":
            check_each_query_bets("test", self.clusters)
        # By the index of the model, of those with several repeats:
        self.repeats = {
            index: RepeatSpread.from_values(table[is_used], self.clusters.weight)
            for index, table in scores.repeats.get(name, {}).items()
        }

    def means(self) -> dict[str, Any]:
        """Return the mean of each model with its interval, as columns."""
        clusters = self.clusters
        test, level = self.options.test, self.options.confidence_level
        method = str(test) if test in ("t", "exact", "anytime") else "auto"
        estimates = list(self.estimates)
        ends = [
            interval_of_mean(column, clusters, mean, self.range, method, level)[:2]
            for column, mean in zip(self.values.T, estimates, strict=True)
        ]
        for index, spread in self.repeats.items():
            column = self.values[:, index]
            average = average_of_repeats(column, clusters, self.range, spread)
            by = average.by_t if method == "t" else average.interval
            estimates[index], ends[index] = average.estimate, by(level)[:2]
        return self.means_of(estimates, ends)

    @cached_property
    def estimates(self) -> list[Estimate]:
        """The mean of each model with its error."""
        return [self.clusters.estimate(column) for column in self.values.T]

    def rows(self, pairs: Pairs) -> list[dict[str, Any]]:
        """Return a row for each pair, without the corrected p-value."""
        self.check_clusters(2 if self.repeats else self.options.fewest)
        rows = [self._row(first, second) for first, second in pairs]
        if self.options.test == "randomization":
            columns = self.flips(pairs).test_each(self.options.random_state, self.level)
            tested = np.transpose(columns).tolist()
            for row, (p, low, high) in zip(rows, tested, strict=True):
                row["p_value"] = p if row["n_different"] else 1.0
                self.set_interval(row, (low, high), "flips")
        self.warn_of_few(rows)
        return rows

    def flips(self, pairs: Pairs) -> Flips:
        """Return the sign flips of the pairs."""
        arguments = self.options.alternative, self.options.n_resamples
        return Flips(self.values, self.clusters, pairs, *arguments)

    def _row(self, first: int, second: int) -> dict[str, Any]:
        left, right = self.values[:, first], self.values[:, second]
        means = self.estimates[first].value, self.estimates[second].value
        spreads = [self.repeats.get(index) for index in (first, second)]
        paired = self._paired(left, right, means, spreads if self.repeats else ())
        row = self.row_of(first, second, paired)
        test = self.options.test
        if callable(test):
            row["p_value"], row["statistic"] = self._by_callable(test, left, right)
        self.warn_of_constant(row)
        return row

    def _paired(
        self,
        left: np.ndarray,
        right: np.ndarray,
        means: Ends,
        repeats: Sequence[RepeatSpread | None],
    ) -> PairedEstimate:
        clusters, difference = self.clusters, differences(left, right)
        sums = clusters.sums(difference)
        estimate = clusters.estimate(difference)
        n_up = int(np.count_nonzero(difference > 0))
        n_down = int(np.count_nonzero(difference < 0))
        if clusters.are_plain:
            deviation = estimate.error * math.sqrt(clusters.n_queries)
            n_different = n_up + n_down
        else:
            deviation = standard_deviation(difference)
            sizes = clusters.sums(np.abs(difference))
            n_different = int(np.count_nonzero(np.abs(sums) > ROUNDING * sizes))
        weights, counts = clusters.weights, (n_up, n_down, n_different)
        with_repeats = add_repeats(
            estimate, [spread for spread in repeats if spread is not None]
        )
        share = share_of_skewness(estimate, with_repeats)
        return PairedEstimate(
            *(means, with_repeats, deviation, *counts),
            bounded=None
            if repeats
            else lambda bounds: BoundedMean.from_sums(sums, weights(), bounds),
            skewness=lambda: share * skewness_of(sums - estimate.value * weights()),
            repeats=repeats,
        )

    def _by_callable(
        self, test: Callable, left: np.ndarray, right: np.ndarray
    ) -> tuple[float, float]:
        """Return the p-value and the statistic of a user's test."""
        if not self.clusters.are_plain:
            raise ValueError(
                "`test` is a callable, which has no weights and treats each row as a "
                "query of its own; use 't' or 'randomization' with weights, clusters or "
                "queries in several folds."
            )
        result = test(left, right)
        p_value = getattr(result, "pvalue", result)
        try:
            p_value = float(p_value)
        except (TypeError, ValueError) as error:
            raise TypeError(
                "`test` must return a p-value or something that has a `pvalue`, got "
                f"{shorten(result)}."
            ) from error
        if not (math.isnan(p_value) or 0 <= p_value <= 1):
            raise ValueError(f"`test` must return p from 0 to 1, got {shorten(p_value)}.")
        return p_value, float(getattr(result, "statistic", math.nan))
