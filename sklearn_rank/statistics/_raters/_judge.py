"""Means from a judge's values for all queries and human values for a sample."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, overload

import numpy as np

from sklearn_rank._base._label_checks import check_paired_with_labels, check_same_labels
from sklearn_rank._base._labels import encode_labels, find_labels
from sklearn_rank._base._messages import clustered, keep_warnings, warn_caller
from sklearn_rank._base._numbers import as_floats
from sklearn_rank._base._validation import check_level, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._clusters import Clusters, Estimate, Shares, is_constant
from sklearn_rank.metrics._core._mean_intervals import FEW_DIFFERENT
from sklearn_rank.metrics._core._parameters import UNBOUNDED, ZERO_TO_ONE, Range
from sklearn_rank.statistics._intervals_of_means import (
    BoundedMean,
    Ends,
    few_clusters_warning,
    t_columns,
)
from sklearn_rank.statistics._options import check_value_range, check_within
from sklearn_rank.statistics._raters._control_variates import (
    LEAST_SHARE,
    LEAST_SHARE_OF_ALL,
    inverse_chances,
    subtract_controls,
)
from sklearn_rank.statistics._read_scores import (
    check_arithmetic,
    cluster_codes,
    read_query_values,
)
from sklearn_rank.statistics._result_rows import JudgedMean
from sklearn_rank.typing import ArrayLike, ClusterLabels

# With fewer human queries intervals cover less often than their level.
FEW_HUMAN = 50
# With fewer human values that differ from the judge, the error allows for unseen ones.
FEW_GUARDED = 5
# With fewer human values for each of several judges, weights are chance.
FEWEST_PER_JUDGE = 5
ENDS = ("mean", "low", "high")
ORDER = "The order is judge_assisted_mean(human, judge)."


@overload
def judge_assisted_mean(
    human: PerQueryScores,
    judge: PerQueryScores | Sequence[PerQueryScores],
    *,
    probability: ArrayLike | None = None,
    clusters: ClusterLabels | None = None,
    value_range: Sequence[float] | None = None,
    confidence_level: float = 0.95,
) -> dict[str, JudgedMean]: ...


@overload
def judge_assisted_mean(
    human: ArrayLike,
    judge: ArrayLike,
    *,
    probability: ArrayLike | None = None,
    clusters: ClusterLabels | None = None,
    value_range: Sequence[float] | None = None,
    confidence_level: float = 0.95,
) -> JudgedMean: ...


@explained
@keep_warnings
def judge_assisted_mean(
    human: Any,
    judge: Any,
    *,
    probability: ArrayLike | None = None,
    clusters: ClusterLabels | None = None,
    value_range: Sequence[float] | None = None,
    confidence_level: float = 0.95,
) -> JudgedMean | dict[str, JudgedMean]:
    r"""Mean over queries from a judge's values for all and human values for some.

    Grades of a judge, such as a language model, are cheap and biased; human ones of a
    random sample of the queries measure the bias. Of N queries, the judge gives i the value
    :math:`f_i`. People give it :math:`y_i`, if it is in the sample, where it has the chance
    :math:`\pi_i`. With :math:`h_i = 1 / \pi_i` in the sample and 0 outside:

    .. math::

        \hat\theta = \frac{1}{N} \sum_{i = 1}^N \left[ h_i y_i
        + \lambda_i (1 - h_i) f_i + \kappa_i (1 - h_i) \right]

    The weight :math:`\lambda_i` of the judge and :math:`\kappa_i` are those of the smallest
    error, by least squares over all queries but those of the cluster of i. So the mean is
    unbiased even if the judge is wrong, a better judge makes the interval narrower, and a
    useless one hardly makes it wider. Several judges have a weight each.

    Parameters
    ----------
    human : array-like of shape (n_queries,) or PerQueryScores
        Value of each query by human grades, NaN for those that are not in the sample; or
        scores of the queries in the sample alone, matched by label.
    judge : array-like of shape (n_queries,) or (n_queries, n_judges), or scores
        Value of each query by the grades of the judge, NaN where both are undefined; for
        several judges a column each, or a list of PerQueryScores. All values may be
        differences of two models, which gives that of their means.
    probability : float or array-like of shape (n_queries,), default=None
        Chance of each query of `judge` to be in the sample, or one for all; only those of
        queries with a human value are read. If None, the share of the sample.
    clusters : array-like of shape (n_queries,) or dict, default=None
        Cluster of each query of `judge`, as in :func:`compare_models`.
    value_range : (float, float), default=None
        The lowest and the highest possible value, such as (0, 1) for pass rates. If None,
        the range of the metric, which is unknown for arrays.
    confidence_level : float, default=0.95
        Probability that an interval covers the true mean.

    Returns
    -------
    estimate : Bunch or dict of str to Bunch
        `mean`, `standard_error`, `df`, `n_effective` and `largest_cluster` (of
        :func:`confidence_interval`; at most those of the clusters with human values),
        `low`, `high`, `n_queries`, `n_human`, `judge_mean`, `bias` (of the judge) and
        `weight` (of the judge, by all queries: 0 is people alone, 1 trusts the judge up to
        its bias). For several judges the last three are arrays. For PerQueryScores one for
        each metric of all.

    Raises
    ------
    ValueError
        If the judge has no value for a query with a human one, as if the two were
        exchanged, or one of several judges has none; if there are fewer than two human
        values, or five for each of several judges; if a human value is outside
        `value_range`; or if a probability of a query with a human value is missing, or not
        above 0 and at most 1.

    Warns
    -----
    UserWarning
        If fewer than 50 queries or clusters have a human value, or the clusters are too
        unequal; or if all human values are ends of the range, such as passes and fails, and
        fewer than ten differ from the judge.

    See Also
    --------
    partly_judged_scores : For single rows that people judge, not whole queries.
    confidence_interval : The mean of human values alone.

    Notes
    -----
    The sample must be random: people who choose which queries to grade bias the result. The
    mean is that of [1]_ with the weight of [2]_, but each query has the weight without its
    own cluster. A judge whose values are all the same, or a combination of those of judges
    before it, has the weight 0.

    The error over clusters and its degrees of freedom are those of :func:`compare_models`;
    these are at most those of the clusters with human values.

    A judge that hardly ever errs may make no error in the sample. So :math:`SE^2` is larger
    by :math:`(b - a)^2 / m^2` for m human values, if all of them are ends a and b of the
    range, and fewer than five are more than half of it away from their fit by the judge: as
    if two more of half weight differed by the whole range, up and down, as [3]_ do.

    If all m are equal, the interval contains that of people alone. Arrays of 0 and 1 count
    as within (0, 1). With a known range the mean and the interval are within it.

    References
    ----------
    .. [1] A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan and T. Zrnic,
           "Prediction-powered inference", Science 382, 2023.
    .. [2] A. N. Angelopoulos, J. C. Duchi and T. Zrnic, "PPI++: efficient
           prediction-powered inference", 2023.
    .. [3] D. G. Bonett and R. M. Price, "Adjusted Wald confidence interval for a difference
           of binomial proportions based on paired data", Journal of Educational and
           Behavioral Statistics 37, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_rank.statistics import confidence_interval, judge_assisted_mean
    >>> rng = np.random.default_rng(0)
    >>> true = rng.uniform(size=2000)
    >>> judge = true + 0.1 + rng.normal(0, 0.05, 2000)
    >>> human = np.where(np.arange(2000) < 100, true, np.nan)
    >>> found = judge_assisted_mean(human, judge)
    >>> round(found.low, 3), round(found.high, 3), round(found.bias, 3)
    (0.483, 0.515, 0.102)
    >>> alone = confidence_interval(human)
    >>> round(alone.low, 3), round(alone.high, 3)
    (0.487, 0.609)
    """
    level, bounds = check_level(confidence_level), check_value_range(value_range)
    is_list = isinstance(judge, list | tuple) and len(judge) > 0
    each = [human, *judge] if is_list else [human, judge]
    are_scores = {isinstance(values, PerQueryScores) for values in each}
    side_columns = {"clusters": clusters, "probability": probability}
    if are_scores == {False}:
        check_same_labels({"human": human, "judge": judge, **side_columns})
        values = human, judge, None
        return estimate_mean("values", *values, bounds or UNBOUNDED, side_columns, level)
    if len(are_scores) > 1:
        raise ValueError("Give both `human` and `judge` as scores, or both as arrays.")
    first, *rest = (scores._spelled_as(human.definitions) for scores in each[1:])
    judges = [first, *map(first.align, rest)]
    everybody = [human, *judges]
    shared = [name for name in first.scores if all(name in s.scores for s in everybody)]
    if not shared:
        raise ValueError(
            f"The scores have no metric in common: {list(human.scores)} by people and "
            f"{', '.join(str(list(scores.scores)) for scores in judges)} by the judge."
        )
    check_paired_with_labels(first.groups, side_columns, strict=True)
    index = _match_queries(human, first)
    estimates = {}
    for name in shared:
        check_arithmetic(name, first)
        if any(scores.weights[name] is not None for scores in everybody):
            raise ValueError(
                f"The queries of {name!r} have weights, which a judge-assisted mean does "
                "not take; score them without `sample_weight`."
            )
        of_all = np.full(len(first), np.nan)
        of_all[index] = human.scores[name]
        by_judge = [scores.scores[name] for scores in judges]
        values = of_all, np.column_stack(by_judge) if is_list else by_judge[0], first.groups
        within = bounds or human._range_of(name)
        estimates[name] = estimate_mean(name, *values, within, side_columns, level)
    return estimates


def _match_queries(human: PerQueryScores, judge: PerQueryScores) -> np.ndarray:
    """Return the index among the judge's queries of each human one."""
    for scores in (human, judge):
        labels, codes = encode_labels(scores.groups, name="groups")  # last, of the judge
        if len(labels) < len(codes):
            raise ValueError(
                "A query is in the scores more than once; give each query once."
            )
    found_at = find_labels(labels, human.groups, name="groups")
    if (found_at < 0).any():
        missing = human.groups[found_at < 0].tolist()
        raise ValueError(
            f"{len(missing)} queries with human grades are not among those of the judge, "
            f"such as {shorten(missing[0])}; the judge must grade all queries. {ORDER}"
        )
    order = np.empty(len(codes), dtype=np.intp)
    order[codes] = np.arange(len(codes))
    return order[found_at]


def estimate_mean(
    name: str,
    human: Any,
    judge: Any,
    labels: Any,
    bounds: Range,
    side_columns: Mapping[str, Any],
    level: float,
) -> JudgedMean:
    """Return the estimate of one metric, and its warnings."""
    judges = as_floats(judge, "judge")
    are_several = judges.ndim == 2
    of_each = judges.T if are_several and judges.size else [judge]
    judges = np.column_stack([read_query_values(values, "judge") for values in of_each])
    human = read_query_values(human, "human")
    if len(human) != len(judges):
        advice = "give both one value per query, NaN where there is no human value"
        if judges.shape[1] == len(human):
            advice = "give a column for each judge, as np.column_stack(judge) has"
        raise ValueError(
            f"`human` has {len(human)} values and `judge` {len(judges)}; {advice}."
        )
    codes = cluster_codes(side_columns["clusters"], labels, len(judges))
    is_human, is_lacking = ~np.isnan(human), np.isnan(judges)
    is_used = ~is_lacking.all(axis=1)
    n_lacking = int(np.count_nonzero((is_human | is_used) & is_lacking.any(axis=1)))
    if n_lacking:
        lack = "with a human value and none of the judge, who must grade all queries"
        if judges.shape[1] > 1:
            lack = "that a judge has no value of; each judge must grade all queries"
        raise ValueError(
            f"`{name}` has {n_lacking} queries {lack}. {ORDER} Where a metric is undefined "
            "for the judge, give `replace_undefined_by` to both, or leave the query out of "
            "both."
        )
    if bounds.is_bounded:
        check_within("human", human[is_human], bounds)
    share = np.count_nonzero(is_human) / max(int(np.count_nonzero(is_used)), 1)
    h = inverse_chances(side_columns["probability"], is_human, share, "query")[is_used]
    codes = np.arange(len(judges)) if codes is None else codes
    human, judges, is_human = human[is_used], judges[is_used], is_human[is_used]
    codes = np.unique(codes[is_used], return_inverse=True)[1]
    n_human = int(np.count_nonzero(is_human))
    n_clusters = len(np.unique(codes[is_human]))
    if n_clusters < 2:
        raise ValueError(
            f"`{name}` has {clustered(n_human, 'human value', n_clusters)}; it needs two "
            "that are independent."
        )
    n_judges = judges.shape[1]
    if n_judges > 1 and n_clusters < FEWEST_PER_JUDGE * n_judges:
        units = "human values" if n_clusters == n_human else "clusters with human values"
        raise ValueError(
            f"{n_judges} judges need {FEWEST_PER_JUDGE * n_judges} {units}, got "
            f"{n_clusters}; pass their mean."
        )
    values, keeps = h * np.where(is_human, human, 0.0), _tells_more(judges)
    used = judges[:, keeps]
    controls = np.column_stack([1 - h, used - h[:, None] * used])
    (values,), slopes = subtract_controls(values[None], controls[None], codes)
    estimate = Clusters.from_codes(codes, None).estimate(values)
    shares = Shares.from_weights(np.unique(codes[is_human], return_counts=True)[1])
    shares = min(estimate.shares, shares, key=lambda shares: shares.df)
    estimate = Estimate(estimate.value, estimate.error, shares)
    gaps = np.abs(values[is_human] - estimate.value) / h[is_human]
    stand_for = Clusters.from_codes(codes[is_human], None).sums(h[is_human])
    people = human[is_human]
    estimate, ends, n_different = _guard(estimate, people, gaps, stand_for, bounds, level)
    columns = t_columns(estimate, level)
    columns |= {"low": min(columns["low"], ends[0]), "high": max(columns["high"], ends[1])}
    within = {"mean": estimate.value, **columns}
    within |= {name: float(np.clip(within[name], bounds.low, bounds.high)) for name in ENDS}
    errors = (judges - human[:, None])[is_human].T
    weights = np.zeros(n_judges)
    weights[keeps] -= slopes[1:]
    of_judges = {
        "judge_mean": np.array([Clusters(len(judges)).mean(of) for of in judges.T]),
        "bias": np.array([Clusters(n_human).mean(of) for of in errors]),
        "weight": weights,
    }
    judged_mean = JudgedMean(
        **within,
        n_queries=len(judges),
        n_human=n_human,
        **{name: of if are_several else of.item() for name, of in of_judges.items()},
    )
    if n_clusters >= FEW_HUMAN:
        units = "clusters with human values"
        warn_caller(*few_clusters_warning(estimate.shares, repr(name), units, "grade more"))
    else:
        warn_caller(
            f"`{name}` has human values of {n_clusters} queries or clusters; below "
            f"{FEW_HUMAN} intervals cover less often than their level. Grade more."
        )
    if n_different < FEW_DIFFERENT:
        advice = "" if bounds.is_bounded else ", and give `value_range`, such as (0, 1)"
        who, whose = ("judges together", "their") if n_judges > 1 else ("judge", "its")
        warn_caller(
            f"`{name}` has {n_different} of {n_human} human values that differ from the "
            f"{who}; below {FEW_DIFFERENT} little is known of {whose} errors. Grade more, "
            f"compare the interval with confidence_interval of the human values{advice}."
        )
    return judged_mean


def _tells_more(judges: np.ndarray) -> np.ndarray:
    """Return which judges are neither constant nor a combination of those before them."""
    centered = judges - judges.mean(axis=0)
    size = np.linalg.norm(centered, axis=0)
    varies = size > LEAST_SHARE_OF_ALL * np.linalg.norm(judges, axis=0)
    scaled = np.divide(centered, size, out=np.zeros_like(judges), where=varies)
    roots = np.linalg.qr(scaled, mode="r")  # their products are those of the columns
    ends = range(1, judges.shape[1] + 1)
    ranks = [np.linalg.matrix_rank(roots[:, :end], LEAST_SHARE) for end in ends]
    return np.diff(ranks, prepend=0) > 0


def _guard(
    estimate: Estimate,
    people: np.ndarray,
    gaps: np.ndarray,
    stand_for: np.ndarray,
    bounds: Range,
    level: float,
) -> tuple[Estimate, Ends, float]:
    """Return the estimate with an error that allows for unseen errors of the judge.

    Of the human values, `gaps` are how far each is from its fit by the judge, and
    `stand_for` how many queries each cluster of them stands for. Return also the interval
    of people alone if all have one value, and how many values differ from the judge. That
    is infinite, as no error is rare, if values are not just the ends of their range.
    """
    span = bounds if bounds.is_bounded else ZERO_TO_ONE
    ends, width = (math.inf, -math.inf), span.high - span.low
    if not np.isin(people, (span.low, span.high)).all():
        return estimate, ends, math.inf
    n_different = int(np.count_nonzero(gaps > width / 2))
    if n_different < FEW_GUARDED:
        unseen = width / Shares.from_weights(stand_for).n_effective
        estimate = replace(estimate, error=math.hypot(estimate.error, unseen))
    if bounds.is_bounded and is_constant(people):
        alone = BoundedMean.from_sums(people[0] * stand_for, stand_for, bounds)
        ends = alone.interval(level)
    return estimate, ends, n_different
