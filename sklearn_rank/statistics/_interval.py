"""The mean over queries with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
from sklearn.utils import check_random_state

from sklearn_rank._base._label_checks import check_paired_with_labels, check_same_labels
from sklearn_rank._base._messages import clustered, keep_warnings, warn_caller
from sklearn_rank._base._numbers import check_query_weight
from sklearn_rank._base._validation import check_integer, check_level, check_option
from sklearn_rank._hints._explain import explained
from sklearn_rank.distributed._summarize import Total, total_of
from sklearn_rank.distributed._value_tables import are_values, scores_of
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._clusters import (
    Clusters,
    Estimate,
    Shares,
    is_constant,
    power_of_two,
)
from sklearn_rank.metrics._core._mean_intervals import WIDENED, MeanInterval, deciding_text
from sklearn_rank.metrics._core._parameters import UNBOUNDED, ZERO_TO_ONE, Range
from sklearn_rank.metrics._core._summaries import Mean
from sklearn_rank.statistics._intervals_of_means import (
    acceleration,
    bca_interval,
    check_each_query_bets,
    few_clusters_warning,
    interval_of_mean,
    resampled_means,
)
from sklearn_rank.statistics._options import (
    check_value_range,
    check_within,
    unbounded_error,
)
from sklearn_rank.statistics._read_scores import (
    UNNAMED,
    check_arithmetic,
    check_kind_of_mean,
    cluster_codes,
    read_query_labels,
    read_query_values,
    read_repeats,
)
from sklearn_rank.statistics._repeat_spread import (
    RepeatSpread,
    average_of_repeats,
    check_takes_repeats,
    repeats_of,
)
from sklearn_rank.statistics._result_rows import Interval
from sklearn_rank.statistics._streams import is_stream
from sklearn_rank.statistics._sums import check_sums_suffice
from sklearn_rank.statistics._units import warn_of_repeated_labels
from sklearn_rank.typing import ArrayLike, ClusterLabels, Labels, RandomState, Tables

METHODS = ("auto", "t", "bca", "exact", "anytime")


@overload
def confidence_interval(
    values: PerQueryScores | Sequence[PerQueryScores] | Tables,
    *,
    groups: Labels | None = None,
    clusters: ClusterLabels | None = None,
    sample_weight: ArrayLike | None = None,
    method: Literal["auto", "t", "bca", "exact", "anytime"] = "auto",
    value_range: Sequence[float] | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: RandomState = None,
) -> dict[str, Interval]: ...


@overload
def confidence_interval(
    values: ArrayLike,
    *,
    groups: Labels | None = None,
    clusters: ClusterLabels | None = None,
    sample_weight: ArrayLike | None = None,
    method: Literal["auto", "t", "bca", "exact", "anytime"] = "auto",
    value_range: Sequence[float] | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: RandomState = None,
) -> Interval: ...


@explained
@keep_warnings
def confidence_interval(
    values: ArrayLike | PerQueryScores | Sequence[PerQueryScores] | Tables,
    *,
    groups: Labels | None = None,
    clusters: ClusterLabels | None = None,
    sample_weight: ArrayLike | None = None,
    method: Literal["auto", "t", "bca", "exact", "anytime"] = "auto",
    value_range: Sequence[float] | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: RandomState = None,
) -> Interval | dict[str, Interval]:
    r"""Mean of a metric over queries with its confidence interval.

    By Student's t it is :math:`\bar x \pm t_{1 - \alpha / 2, df} \, SE` with the
    cluster-robust standard error of :func:`compare_models` and its degrees of freedom,
    without clusters and weights :math:`s / \sqrt n` and n - 1. By default it is wider if
    values are skewed or few differ. Reports and pictures show the same interval.

    Parameters
    ----------
    values : array-like, PerQueryScores, list of these, or tables of values
        A value for each query, NaN where the metric is undefined; for several repeats of a
        system, a column or a result for each: the interval is then also for other repeats,
        as in :func:`compare_models`.

        Or what a :class:`~sklearn_rank.distributed.QueryScorer` returned: a table or a list
        of them; for "auto" and "t" also a stream of tables, a pyarrow Dataset, or a
        DataFrame of Dask or Spark, summed without keeping them.
    groups : array-like of shape (n_queries,), default=None
        Labels of the queries of an array; rows of one label are one cluster.
    clusters : array-like of shape (n_queries,) or dict, default=None
        Cluster of each query, or of each label. If None, the label.
    sample_weight : array-like of shape (n_queries,), default=None
        Weight of each query. If None, the weights that are in the scores, if any.
    method : {"auto", "t", "bca", "exact", "anytime"}, default="auto"
        Method of the interval; "exact" and "anytime" need a known range.

        - "t": Student's t.
        - "bca": the bootstrap corrected for bias and acceleration.
        - "exact": holds even if few values differ; for values 0 and 1 it is the interval of
          Clopper and Pearson.
        - "anytime": holds at every number of queries, so that you may look and stop at any
          time.
        - "auto": "exact" if the range is known, and fewer than ten clusters and fewer than
          half differ from the most frequent value, or 0 or 1 is that rare; else Student's
          t, widened as below.
    value_range : (float, float), default=None
        The lowest and the highest possible value. If None, the range of the metric, which
        is unknown for an array.
    confidence_level : float, default=0.95
        Probability that an interval covers the true mean.
    n_resamples : int, default=9999
        Resamples of the bootstrap.
    random_state : int, RandomState instance or None, default=None
        Seed of the bootstrap.

    Returns
    -------
    interval : Bunch or dict of str to Bunch
        `mean`, `standard_error`, `df` (its degrees of freedom), `n_effective` (the
        equivalent number of equal clusters), `largest_cluster` (the share of the heaviest),
        `low`, `high`, `n_queries` (with a value), `n_undefined`, `method` (of the interval:
        "t, widened", "exact", ...) and `value_range` (at whose ends it ends, "unknown" for
        an array without one), and `n_repeats` if there are several; for PerQueryScores or
        tables one for each metric.

    Raises
    ------
    ValueError
        If there are fewer than two clusters, or values that are not numbers; if the mean of
        a metric is not arithmetic; if `method` is "exact" or "anytime" and the range is
        unknown; if it is "anytime" with clusters, weights or a label twice; if it is
        neither "auto" nor "t" with several repeats; if a value is outside `value_range`.

    Warns
    -----
    UserWarning
        If all values are equal and their range is unknown; if there are too few resamples
        for an interval; if clusters are too few, or too unequal; if few queries decide the
        mean.

    See Also
    --------
    compare_models : The difference of two models, which their two intervals do not show.

    Notes
    -----
    The interval is for the mean over queries such as these, for these fitted models. It is
    limited to the range, for PerQueryScores that of the metric, such as 0 to 1. The
    bootstrap draws clusters, [1]_; its acceleration is computed in closed form.

    By "auto" the end of the longer tail is further out than Student's, by the shift of
    :func:`compare_models`.

    If the range is known, and fewer than 50 and fewer than half of the clusters differ from
    the most frequent value, both ends are also the nearer to exact ones the fewer differ.
    Where that makes the interval more than 1.5 times as wide as Student's, only the shift
    is used, and a warning says how many queries decide.

    Exact intervals are those of Gaffke [2]_ with one more unit at the worst value. They
    cover at least at their level: in all simulations, and for 0 and 1 by proof [3]_.
    Thousands of distinct values take a minute. For a stream with weights, exact bounds are
    not used. Any-time intervals are those of :func:`compare_models`.

    References
    ----------
    .. [1] B. Efron, "Better bootstrap confidence intervals", Journal of the American
           Statistical Association 82(397), 1987.
    .. [2] N. Gaffke, "Three test statistics for a nonparametric one-sided hypothesis on the
           mean of a nonnegative variable", Mathematical Methods of Statistics 14, 2005.
    .. [3] C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits
           illustrated in the case of the binomial", Biometrika 26(4), 1934.

    Examples
    --------
    >>> from sklearn_rank.datasets import make_ranking
    >>> from sklearn_rank.metrics import per_query_scores
    >>> from sklearn_rank.statistics import confidence_interval
    >>> X, y, groups = make_ranking(n_queries=60, random_state=0)
    >>> scores = per_query_scores(y, X[:, 0], groups=groups, metrics="ndcg@10")
    >>> found = confidence_interval(scores)["ndcg@10"]
    >>> round(found.mean, 4), round(found.low, 4), round(found.high, 4)
    (0.4267, 0.3706, 0.484)

    Ten hits of ten do not show that all will be:

    >>> found = confidence_interval([1] * 10, method="exact")
    >>> found.mean, round(found.low, 3), found.high
    (1.0, 0.692, 1.0)
    """
    check_option("method", method, METHODS)
    level = check_level(confidence_level)
    check_integer("n_resamples", n_resamples)
    generator = check_random_state(random_state)
    bounds = check_value_range(value_range)
    recipe = _Recipe(method, level, bounds, n_resamples, generator)
    side_columns = {"groups": groups, "clusters": clusters, "sample_weight": sample_weight}
    repeats = repeats_of("values", values)
    if len(repeats) > 1:
        check_takes_repeats("method", method, ("auto", "t"))
        read = read_repeats("values", repeats, groups, sample_weight)
        if groups is None:
            check_paired_with_labels(read.labels, side_columns, strict=True)
        codes = cluster_codes(clusters, read.labels, read.n_queries)
        of_metrics = {
            name: recipe.interval(
                *(name, table[:, 0], codes, read.weights[name]),
                *(read.ranges.get(name, UNBOUNDED), read.repeats[name][0]),
            )
            for name, table in read.values.items()
        }
        are_results = isinstance(repeats[0], PerQueryScores)
        return of_metrics if are_results else of_metrics[UNNAMED]
    (values,) = repeats
    if are_values(values):
        values = scores_of(values)
    if is_stream(values):
        asked = [] if method in ("auto", "t") else [f"`method={method!r}`"]
        check_sums_suffice(asked, "method='t'", **side_columns)
        return _intervals_of_sums(total_of(values), recipe)
    if isinstance(values, PerQueryScores):
        if groups is not None:
            raise ValueError("`groups` goes with an array; the scores have labels already.")
        check_paired_with_labels(values.groups, side_columns, strict=True)
        weight = check_query_weight(sample_weight, len(values))
        return recipe.intervals_of_scores(values, clusters, weight)
    check_same_labels({"values": values, **side_columns})
    numbers = read_query_values(values, "values")
    if groups is None and clusters is None:
        warn_of_repeated_labels("values", values)
    labels = None if groups is None else read_query_labels(groups, len(numbers))
    codes = cluster_codes(clusters, labels, len(numbers))
    weight = check_query_weight(sample_weight, len(numbers))
    return recipe.interval("values", numbers, codes, weight, UNBOUNDED)


@dataclass(frozen=True, eq=False)
class _Recipe:
    """How intervals are made."""

    method: str
    level: float
    value_range: Range | None  # the lowest and the highest possible value
    n_resamples: int
    random_state: np.random.RandomState

    def intervals_of_scores(
        self, scores: PerQueryScores, of_clusters: Any, weight: np.ndarray | None
    ) -> dict[str, Interval]:
        """Return the intervals of all metrics; show their warnings."""
        codes = cluster_codes(of_clusters, scores.groups, len(scores))
        intervals = {}
        for name, of_metric in scores.scores.items():
            check_arithmetic(name, scores)
            values = read_query_values(of_metric, name)
            own = scores.weights[name] if weight is None else weight
            bounds = scores._range_of(name)
            intervals[name] = self.interval(name, values, codes, own, bounds)
        return intervals

    def interval(
        self,
        name: str,
        values: np.ndarray,
        codes: Any,
        weight: Any,
        bounds: Range,
        repeats: np.ndarray | None = None,
    ) -> Interval:
        """Return the interval of one metric; show its warnings."""
        is_used, n_undefined = ~np.isnan(values), int(np.count_nonzero(np.isnan(values)))
        if weight is not None:
            n_undefined = int(np.count_nonzero(~is_used & (weight != 0)))
            is_used &= weight > 0
        used, clusters = values[is_used], Clusters.from_used(codes, weight, is_used)
        n_clusters = clusters.n_clusters if len(used) else 0
        if n_clusters < 2:
            raise _too_few_error(name, len(used), n_clusters)
        counts = len(used), n_undefined
        bounds = bounds if self.value_range is None else self.value_range
        if repeats is not None:
            if self.value_range is not None:
                check_within("values", repeats, self.value_range)
            spread = RepeatSpread.from_values(repeats[is_used], clusters.weight)
            average = average_of_repeats(used, clusters, bounds, spread)
            by = average.interval if self.method == "auto" else average.by_t
            ends, shares = by(self.level), clusters.shares
            interval = _build_interval(
                name, average.estimate, ends, *counts, bounds, shares
            )
            interval["n_repeats"] = spread.n_repeats
            return interval
        estimate = clusters.estimate(used)
        ends = self._find_ends(used, clusters, estimate, bounds)
        return _build_interval(name, estimate, ends, *counts, bounds)

    def _find_ends(
        self, values: np.ndarray, clusters: Clusters, estimate: Estimate, bounds: Range
    ) -> MeanInterval:
        """Return the ends of an interval, and its method."""
        method = self.method
        if self.value_range is not None:
            check_within("values", values, self.value_range)
        if method == "bca":
            ends = bounds.clip(self._bootstrap(values, clusters))
            return MeanInterval(*ends, method, 0)
        if method in ("exact", "anytime") and not bounds.is_bounded:
            if method == "anytime" or not np.isin(values, (0, 1)).all():
                raise unbounded_error("method", method, "these values")
            bounds = ZERO_TO_ONE
        if method == "anytime":
            check_each_query_bets("method", clusters)
        return interval_of_mean(values, clusters, estimate, bounds, method, self.level)

    def _bootstrap(self, values: np.ndarray, clusters: Clusters) -> tuple[float, float]:
        mean = clusters.mean(values)
        if is_constant(values):
            return mean, mean
        scale = power_of_two(values)  # differences and their cubes stay within floats
        deviations = clusters.sums(values / scale - mean / scale)
        weights = clusters.weights()
        means = resampled_means(deviations, weights, self.n_resamples, self.random_state)
        low, high = bca_interval(means, 0.0, acceleration(deviations), self.level)
        return mean + scale * low, mean + scale * high


def _build_interval(
    name: str,
    estimate: Estimate,
    ends: MeanInterval,
    n: int,
    n_undefined: int,
    bounds: Range,
    shares: Shares | None = None,
) -> Interval:
    """Return an interval; show its warnings, by the shares of clusters."""
    shares = estimate.shares if shares is None else shares
    interval = Interval(
        mean=estimate.value,
        standard_error=estimate.error,
        **estimate.columns(),
        low=float(ends.low),
        high=float(ends.high),
        n_queries=n,
        n_undefined=n_undefined,
        method=ends.method,
        value_range="unknown" if bounds == UNBOUNDED else str(bounds),
    )
    counts = {f"`{name}`": (ends.n_deciding, shares.n)}
    advice = "take more queries, or method='exact'"
    warn_caller(*_find_warnings(name, interval, shares), *deciding_text(counts, advice))
    return interval


def _intervals_of_sums(total: Total, recipe: _Recipe) -> dict[str, Interval]:
    """Return the intervals of metrics from their sums, and their warnings."""
    intervals = {}
    for name, mean in total.summaries.items():
        if not isinstance(mean, Mean):
            continue  # of a whole system, not a mean over queries
        check_kind_of_mean(name, mean)
        if mean.n < 2:
            raise _too_few_error(name, mean.n, mean.n)
        bounds = total.ranges[name] if recipe.value_range is None else recipe.value_range
        average, level = total.shapes[name].average(mean, bounds), recipe.level
        ends = average.interval(level) if recipe.method == "auto" else average.by_t(level)
        counts = mean.n, mean.undefined
        intervals[name] = _build_interval(name, average.estimate, ends, *counts, bounds)
    return intervals


def _find_warnings(name: str, interval: Interval, shares: Shares) -> list[str]:
    """Return the warnings of an interval."""
    if math.isnan(interval.low):
        return [
            f"All resamples of `{name}` have a mean on one side of that of the data, so "
            "that there is no interval; increase n_resamples, or use method='t'."
        ]
    if interval.low == interval.high:
        return [
            f"All values of `{name}` are {interval.mean:g}, so that the interval has no "
            "width; other queries may differ. With `value_range`, the lowest and the "
            "highest possible value, there is an honest one."
        ]
    if interval.method not in ("t", WIDENED):
        return []
    units = "queries" if shares.n == interval.n_queries else "clusters of queries"
    return few_clusters_warning(shares, f"`{name}`", units, "take more queries")


def _too_few_error(name: str, n: int, n_clusters: int) -> ValueError:
    values = clustered(n, "value", n_clusters)
    return ValueError(f"`{name}` has {values}; an interval needs two that are independent.")
