"""Compare models on the same queries: differences, intervals, tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from sklearn_rank._base._label_checks import check_paired_with_labels, check_same_labels
from sklearn_rank._base._messages import keep_warnings, warn_caller
from sklearn_rank._base._validation import check_option, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._mean_intervals import WIDENED, keep_sign
from sklearn_rank.metrics._core._parameters import Range
from sklearn_rank.statistics._gate_rules import GateRules
from sklearn_rank.statistics._metric_comparison import MetricComparison, Pairs
from sklearn_rank.statistics._model_comparison import ModelComparison
from sklearn_rank.statistics._options import (
    CORRECTIONS,
    Options,
    check_value_range,
    set_corrected,
)
from sklearn_rank.statistics._randomization import few_flips_warning
from sklearn_rank.statistics._read_scores import (
    ValuesOfModel,
    cluster_codes,
    named_models,
    read_models,
    read_scores,
)
from sklearn_rank.statistics._repeat_spread import check_takes_repeats
from sklearn_rank.statistics._streams import has_streams, iterate_chunks
from sklearn_rank.statistics._sums import (
    MetricSums,
    check_sums_suffice,
    finish_sums,
    has_engine_tables,
    sum_chunks,
    sum_on_engine,
)
from sklearn_rank.statistics._units import (
    check_unit_of_margin,
    warn_of_mixed_units,
    warn_of_repeated_labels,
)
from sklearn_rank.typing import (
    Alternative,
    ArrayLike,
    ClusterLabels,
    Correction,
    DataFrame,
    Labels,
    RandomState,
)


@explained
@keep_warnings
def compare_models(
    scores: Mapping[str, ValuesOfModel] | DataFrame,
    *,
    baseline: str | None = None,
    metrics: str | Sequence[str] | None = None,
    groups: Labels | None = None,
    clusters: ClusterLabels | None = None,
    sample_weight: ArrayLike | None = None,
    test: Literal["auto", "t", "randomization", "exact", "anytime"]
    | Callable[..., Any] = "auto",
    value_range: Sequence[float] | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    correction: Correction = "holm",
    family: Literal["metric", "all"] = "metric",
    margin: float | None = None,
    intervals: Literal["each", "simultaneous"] = "each",
    n_resamples: int = 9999,
    random_state: RandomState = None,
) -> ModelComparison:
    r"""Compare models by their values per query: differences, intervals, tests.

    The query (or user) is the unit, and models are compared in pairs on the same queries.
    With the difference :math:`d_i` of query i to the baseline, its weight :math:`w_i` (1 by
    default) and G clusters, :math:`S_c` and :math:`W_c` being the sums of
    :math:`w_i d_i` and :math:`w_i` in cluster c and W the sum of all weights:

    .. math::

        \bar d = \frac{1}{W} \sum_c S_c, \qquad h_c = \frac{W_c}{W}, \qquad
        SE^2 = \sum_c \frac{(S_c - \bar d\, W_c)^2}{W^2 (1 - h_c)}, \qquad
        t = \bar d / SE

    with the degrees of freedom of Bell and McCaffrey [5]_,

    .. math::

        df = \frac{1}{\sum_c h_c^2 + (\sum_c a_c)^2 - \sum_c a_c^2}, \qquad
        a_c = \frac{h_c^2}{1 - h_c}

    which are G - 1 if all clusters have the same weight. If each query is its own cluster
    and all have the same weight, this is the paired t test.

    Parameters
    ----------
    scores : dict or DataFrame
        The values of each of two or more models, by name. A DataFrame has a column per
        model. Queries are matched by label, arrays by position.

        - A result of :func:`~sklearn_rank.metrics.per_query_scores` or
          :func:`~sklearn_rank.model_selection.cross_validate_per_query`, matched by fold
          too.
        - A dict from query to value, or from query to a dict from metric to value as
          pytrec_eval returns it.
        - An array of shape (n_queries,), or a dict from metric to array.
        - A table of values that a :class:`~sklearn_rank.distributed.QueryScorer` returned,
          or a list of these.
        - A stream of such tables (an iterator, a pyarrow Dataset or one of Ray), which
          keeps only sums, or a DataFrame of Dask or Spark, summed by the engine.

        A model that does not answer alike each time has several repeats: a list of results,
        or an array of shape (n_queries, n_repeats).
    baseline : str, default=None
        Name of the model that all others are compared with. If None, all pairs.
    metrics : str or sequence of str, default=None
        Metrics to compare. If None, all, which must be the same for each model.
    groups : array-like of shape (n_queries,), default=None
        Labels of the queries if `scores` has arrays.
    clusters : array-like of shape (n_queries,) or dict, default=None
        Cluster of each query, or of each label: a coarser unit, such as the user of several
        queries or the day. If None, the label, so a query in several folds is one cluster.
    sample_weight : array-like of shape (n_queries,), default=None
        Weight of each query, in the order of the first model. If None, the weights that are
        in the results, if any.
    test : {"auto", "t", "randomization", "exact", "anytime"} or callable, default="auto"
        Method for p-values and intervals, by name or as ``f(a, b)``, which takes the values
        of two models without NaN and returns a p-value or an object with a ``pvalue``.

        - "t": Student's t.
        - "randomization": random sign flips of clusters; exact if at most `n_resamples` + 1
          flips exist.
        - "exact": bounds that hold even if few values differ, as in
          :func:`confidence_interval`.
        - "anytime": bets, which hold at every number of queries, so that you may stop at
          any time.
        - "auto": "exact" if fewer than ten clusters and fewer than half differ, or all by
          the same number; else "t".
    value_range : (float, float), default=None
        The lowest and the highest possible value of a model. If None, the range of the
        metric, which is unknown for arrays; without a range "auto" is "t".
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        "greater": the model has the larger value, whatever the direction of the metric. The
        interval is then one-sided as well.
    confidence_level : float, default=0.95
        Probability that an interval covers the true difference. See `intervals`.
    correction : {"holm", "bonferroni", "fdr_bh", "max_t", None}, default="holm"
        Correction of p-values for the number of comparisons: Holm, Bonferroni, false
        discovery rate (Benjamini-Hochberg), or the largest t over all models under the same
        flips, which needs a baseline.
    family : {"metric", "all"}, default="metric"
        Comparisons that are corrected together: those of each metric, or all. "max_t" needs
        "metric".
    margin : float, default=None
        Smallest difference that matters, in units of the metric. See `verdict` below. With
        ``test="auto"`` it widens intervals of Student's t, as below.
    intervals : {"each", "simultaneous"}, default="each"
        Whether the confidence level holds for each interval alone or for all that are
        corrected together: by Bonferroni's level, also for Holm, or by the largest t. Under
        Bonferroni and "max_t" the corrected p is at most 1 - confidence level exactly if
        the interval excludes 0. Holm finds more; the text marks these.
    n_resamples : int, default=9999
        Number of random flips; the smallest p-value is 1 / (n_resamples + 1).
    random_state : int, RandomState instance or None, default=None
        Seed of the flips.

    Returns
    -------
    comparison : ModelComparison
        A row for each metric and pair, as text, by ``row()`` or ``to_frame()``. Differences
        are model - baseline, never negated. The `verdict` is by the interval: "better" if
        all of it is above the margin (0 without one), "worse" if below -margin,
        "equivalent" if within, else "undecided"; in the direction of the metric. An
        interval of zero width shows nothing about a margin.

    Raises
    ------
    ValueError
        If there are fewer than two models or clusters; if models have different queries or
        metrics; if a name is unknown or a number out of range; if a weight is negative; if
        `test` is "anytime" with clusters, weights, a label twice, "max_t" or no known
        range; if a query has a value in some repeats only, or `test` is neither "auto" nor
        "t", or `correction` "max_t", with repeats.

    Warns
    -----
    UserWarning
        If models are undefined for different queries; if there are fewer than ten clusters,
        or very unequal ones; if no number of flips could be significant; if all differences
        are equal.

    See Also
    --------
    confidence_interval : The mean of one model.
    compare_candidates : Compares candidates of a search by their means of folds.
    plan_evaluation : The number of queries and repeats that a comparison needs.

    Notes
    -----
    A query counts if all compared models have a value, so that all rows are about the same
    queries; ``n_undefined`` counts the others. Differences within rounding are 0.

    With ``test="randomization"`` the p-value is the share of flips whose sum is at least as
    large; the data counts as one flip, so p is never 0. The interval contains the
    differences that flips do not reject [7]_, is limited to the range of the metric, and is
    unbounded for five clusters or fewer. With a callable the interval is by Student's t.

    With ``test="anytime"`` evaluate some queries, look, and stop as soon as the verdict is
    there; else call again with more. The interval has the means against which bets with 64
    fixed stakes win less than :math:`2 / \alpha` [9]_. Take queries in random order: a set
    that is sorted by date or difficulty makes it wrong, and nothing shows that.

    It needs 10 to 30% more queries than one planned look if the difference is one margin
    away, a third of them if it is two margins away, and 333 if nothing differs, the margin
    is 0.02 and values are from 0 to 1.

    With a margin, ``test="auto"`` and ten differing clusters or more, the interval of
    Student's t is widened, so that skewed or rare differences are not called equivalent too
    often. With its residuals r of clusters and the quantile z of t, an end moves outward by

    .. math::

        s = \frac{2 z^2 + 1}{6} \, g \, SE, \qquad
        g = \frac{\sum_c r_c^3}{(\sum_c r_c^2)^{3/2}}

    the low end if s is negative, else the high end [8]_. If the range is known, and d < 50
    and fewer than half of the clusters differ, an end is at least as far out as the mean of
    this one and the exact bound with the weight (50 - d) / 40.

    If Student's excludes 0, the end next to 0 stops there, so the interval agrees with p,
    which does not change. The intervals of the means of models are those of
    :func:`confidence_interval`.

    For several repeats their mean counts, and the interval is about other queries and other
    repeats. With Q queries, the difference :math:`d_q` of the means of repeats, and for
    each model s the mean squares MSR of its :math:`R_s` repeats and MSE of the rest,

    .. math::

        V = \frac{\mathrm{var}(d)}{Q} + \sum_s x_s, \qquad
        x_s = \frac{MSR_s - MSE_s}{Q R_s}

    is the squared error, at least a quarter of its first term, and :math:`x_s \ge 0` for
    two repeats. Its degrees of freedom are Satterthwaite's, from 1 to Q - 1 [10]_. The
    shift for a margin is multiplied by :math:`(\mathrm{var}(d) / (Q V))^{3/2}`. Rows then
    have `n_repeats` and `components`. A model with one repeat counts as one that never
    varies; a note says so.

    A stream of tables may be larger than memory. It keeps 8 bytes per query, and all values
    of queries that some models have not shown yet: give the queries of each model in about
    the same order, such as files with the same partitions. With weights :math:`1 / (1 - h)`
    is :math:`1 + h + h^2` there, else digits after the 14th may differ.

    DataFrames of Dask and Spark are shuffled by label, and only sums come back: the numbers
    equal those of a stream of tables to the last digit. Flips, clusters and ``movers()``
    need all values in memory.

    With values from cross-validation, intervals are about these fitted models, not about
    the training procedure. No test can correct for a choice made on the same queries:
    compare the winner of a search on held-out queries.

    Student's t and randomization keep their level where rank tests do not [1]_ [2]_; Holm's
    correction for several models is recommended by [3]_, the p-value of random flips by
    [4]_. By other criteria, and for the question whether two whole distributions are equal,
    Wilcoxon's test has more power [6]_.

    References
    ----------
    .. [1] J. Urbano, H. Lima and A. Hanjalic, "Statistical significance testing in
           information retrieval: an empirical analysis of type I, type II and type III
           errors", SIGIR 2019.
    .. [2] N. Ihemelandu and M. D. Ekstrand, "Inference at scale: significance testing for
           large search and recommendation experiments", SIGIR 2023.
    .. [3] L. Boytsov, A. Belova and P. Westfall, "Deciding on an adjustment for
           multiplicity in IR experiments", SIGIR 2013.
    .. [4] B. Phipson and G. K. Smyth, "Permutation p-values should never be zero",
           Statistical Applications in Genetics and Molecular Biology 9(1), 2010.
    .. [5] R. M. Bell and D. F. McCaffrey, "Bias reduction in standard errors for linear
           regression with multi-stage samples", Survey Methodology 28(2), 2002.
    .. [6] J. Parapar, D. E. Losada, M. A. Presedo-Quindimil and A. Barreiro, "Using score
           distributions to compare statistical significance tests for information retrieval
           evaluation", JASIST 71(1), 2020.
    .. [7] J. A. Hartigan, "Using subsample values as typical values", Journal of the
           American Statistical Association 64, 1969.
    .. [8] N. J. Johnson, "Modified t tests and confidence intervals for asymmetrical
           populations", Journal of the American Statistical Association 73, 1978.
    .. [9] I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by
           betting", Journal of the Royal Statistical Society B 86, 2024.
    .. [10] R. K. Burdick and F. A. Graybill, "Confidence intervals on variance components",
           1992.

    Examples
    --------
    >>> from sklearn_rank.datasets import make_ranking
    >>> from sklearn_rank.metrics import per_query_scores
    >>> from sklearn_rank.statistics import compare_models
    >>> X, y, groups = make_ranking(n_queries=60, random_state=0)
    >>> scores = {
    ...     name: per_query_scores(y, X[:, column], groups=groups, metrics="ndcg@10")
    ...     for column, name in enumerate(["price", "sales", "age"])
    ... }
    >>> print(compare_models(scores, baseline="price"))
    ndcg@10, 60 queries; difference to price; t test, p corrected by Holm over 2
             mean  difference        95% interval       p  better  equal  worse
    sales  0.5270     +0.1003  [+0.0530, +0.1477]  0.0002      40      0     20
    price  0.4267
    age    0.3779     -0.0487  [-0.0993, +0.0018]  0.0587      20      0     40
    Intervals are not adjusted for multiple comparisons.
    """
    from sklearn.utils import check_random_state  # the gate does without scikit-learn

    tested = test, alternative, confidence_level, correction, family, margin
    flips = n_resamples, check_random_state(random_state)
    options = Options(*tested, *flips, intervals)
    side_columns = {"groups": groups, "clusters": clusters, "sample_weight": sample_weight}
    bounds = check_value_range(value_range)
    estimated = estimate_metrics(scores, options, baseline, metrics, bounds, side_columns)
    comparison = estimated.compare(baseline)
    messages = (text for metric in estimated.metrics for text in metric.messages)
    warn_caller(*dict.fromkeys(messages))
    return comparison


# No columns beside the values.
NO_COLUMNS = dict.fromkeys(("groups", "clusters", "sample_weight"))


def estimate_metrics(
    scores: Any,
    options: Options,
    baseline: Any = None,
    metrics: Any = None,
    value_range: Range | None = None,
    side_columns: Mapping[str, Any] = NO_COLUMNS,
    rules: GateRules | None = None,
) -> EstimatedMetrics:
    """Return the estimates of each metric; `side_columns` are beside the values.

    `rules` has margins, ranges and directions by metric.
    """
    if has_streams(scores):
        wanted = [f"`test={shorten(options.test)}`"] * (options.test not in ("auto", "t"))
        wanted += ["`correction='max_t'`"] * (options.correction == "max_t")
        check_sums_suffice(wanted, "test='t'", **side_columns)
        by_model = read_models(scores)
        pairs = _choose_pairs(list(by_model), baseline, options)
        if has_engine_tables(by_model):
            sums = sum_on_engine(by_model, metrics, pairs, options, value_range)
        else:
            blocks = iterate_chunks(by_model)
            sums = sum_chunks(blocks, metrics, pairs, options, value_range)
        return EstimatedMetrics(finish_sums(sums), pairs, options, {})
    check_same_labels({**named_models(scores), **side_columns})
    groups, clusters, weight = side_columns.values()
    read = read_scores(scores, metrics, groups, weight).with_range(value_range)
    read = read if rules is None else rules.apply(read)
    if groups is None:
        check_paired_with_labels(read.labels, side_columns, strict=True)
    if groups is None and clusters is None:
        for name, values in named_models(scores).items():
            warn_of_repeated_labels(name, values)
    of_metric = {
        name: replace(options, margin=read.margins.get(name, options.margin))
        for name in read.values
    }
    for name, values in read.values.items():
        check_unit_of_margin(name, of_metric[name].margin, values, read.ranges.get(name))
        if name not in read.ranges:
            warn_of_mixed_units(read.models, values.T)
    if read.repeats:
        check_takes_repeats("test", options.test, ("auto", "t"))
        corrections = [name for name in CORRECTIONS if name != "max_t"]
        check_takes_repeats("correction", options.correction, corrections)
    pairs = _choose_pairs(read.models, baseline, options)
    codes = cluster_codes(clusters, read.labels, read.n_queries)
    comparisons = [MetricComparison(name, read, codes, o) for name, o in of_metric.items()]
    of_queries = {
        "labels": np.arange(read.n_queries) if read.labels is None else read.labels,
        "values": {
            metric: dict(zip(read.models, values.T, strict=True))
            for metric, values in read.values.items()
        },
    }
    lists: dict[str, Mapping[Any, Any]]
    lists = {"longest_lists": read.longest_lists, "without_list": read.without_list}
    return EstimatedMetrics(comparisons, pairs, options, of_queries, lists)


@dataclass(frozen=True, eq=False)
class EstimatedMetrics:
    """Estimates of each metric, the pairs to compare, and the values of queries if kept."""

    metrics: Sequence[MetricComparison | MetricSums]
    pairs: Pairs
    options: Options
    of_queries: Mapping[str, Any]
    lists: Mapping[str, Mapping[Any, Any]] | None = None  # what is known of lists, by model

    def compare(self, baseline: Any = None) -> ModelComparison:
        """Return the result with corrected p-values and the values of queries."""
        options, metrics = self.options, self.metrics
        if options.intervals == "simultaneous":
            n = len(self.pairs) * (len(metrics) if options.family == "all" else 1)
            for metric in metrics:
                metric.level = 1 - options.alpha / n
        rows = [metric.rows(self.pairs) for metric in metrics]
        self.correct(rows)
        means = [metric.means() for metric in metrics]
        methods = {row["interval"] for of_metric in rows for row in of_metric}
        method = methods.pop() if len(methods) == 1 else "auto"
        settings = options.settings() | {"baseline": baseline, "interval": method}
        settings |= {key: values for key, values in (self.lists or {}).items() if values}
        return ModelComparison(
            [row for of_metric in rows for row in of_metric],
            means={name: [v for part in means for v in part[name]] for name in means[0]},
            n_undefined={metric.name: metric.n_undefined for metric in metrics},
            lower_is_better={metric.name for metric in metrics if metric.lower_is_better},
            settings=settings,
            **self.of_queries,
        )

    def correct(self, rows: list[list[dict]]) -> None:
        """Set the corrected p-values."""
        options, is_one = self.options, self.options.family == "all"
        if options.correction == "max_t":
            if is_one and len(rows) > 1:
                raise ValueError(
                    "`correction` 'max_t' is within a metric; with family='all' use 'holm'."
                )
            for metric, of_metric in zip(self.metrics, rows, strict=True):
                assert isinstance(metric, MetricComparison)
                self._correct_by_max_t(metric, of_metric)
        else:
            for family in [[row for part in rows for row in part]] if is_one else rows:
                set_corrected(family, options.correction)
        in_family = sum(map(len, rows)) if is_one else len(self.pairs)
        for metric in self.metrics:
            metric.messages += few_flips_warning(options, metric.n_clusters, in_family)

    def _correct_by_max_t(self, metric: MetricComparison, rows: list[dict]) -> None:
        options = self.options
        flips, level = metric.flips(self.pairs), options.confidence_level
        corrected = np.transpose(flips.max_t(options.random_state, level)).tolist()
        for row, (p_adjusted, low, high) in zip(rows, corrected, strict=True):
            row["p_adjusted"] = p_adjusted
            if options.intervals != "simultaneous":
                continue
            wider = min(low, row["low"]), max(high, row["high"])
            if row["interval"] == "exact":  # few differ; t ignores that
                low, high = wider
            elif row["interval"] == WIDENED:
                low, high = keep_sign(wider, (low, high))
            metric.set_interval(row, (low, high), "max_t")


def _choose_pairs(
    models: list[Any], baseline: Any, options: Options
) -> list[tuple[int, int]]:
    """Return the indices of each model and of its baseline."""
    if baseline is None:
        if options.correction == "max_t":
            raise ValueError(
                "`correction` 'max_t' flips all differences to one model; give `baseline`."
            )
        return [(later, first) for first, later in combinations(range(len(models)), 2)]
    best = "The best model on the same queries is not a fixed baseline."
    is_best = isinstance(baseline, str) and baseline == "best"
    check_option("baseline", baseline, models, otherwise=best if is_best else "")
    baseline_index = models.index(baseline)
    return [(i, baseline_index) for i in range(len(models)) if i != baseline_index]
