"""Errors of system-wide metrics by a bootstrap over users."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self, Unpack

import numpy as np
from scipy import stats
from sklearn.utils import check_random_state

from sklearn_rank._base._machine import require_memory
from sklearn_rank._base._messages import keep_warnings
from sklearn_rank._base._validation import Check, check_integer, check_level
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._evaluate import evaluate
from sklearn_rank.metrics._core._metric import BoundMetric
from sklearn_rank.metrics._core._parameters import Range, ShownTies
from sklearn_rank.metrics._core._registry import bind
from sklearn_rank.metrics._core._summaries import ItemSummary, Summary, SystemSummary
from sklearn_rank.statistics._result_rows import SystemInterval
from sklearn_rank.typing import Columns, Labels, Matrix, Metrics, RandomState


@explained
@keep_warnings
def system_confidence_interval(
    y_true: Matrix,
    y_score: Matrix,
    *,
    metrics: Metrics,
    groups: Labels | None = None,
    ties: ShownTies = "average",
    confidence_level: float = 0.95,
    n_resamples: int = 199,
    random_state: RandomState = None,
    **columns: Unpack[Columns],
) -> dict[str, SystemInterval]:
    """Confidence intervals of system-wide metrics, such as coverage and Gini.

    These metrics are not means over users, so they have no standard error of a mean. Here
    users are resampled with replacement, each with the whole list; the spread of the metric
    is its error. The rows are sorted once.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, as :func:`ranking_scores` takes them.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    metrics : str, callable or sequence of these
        Metrics of all lists together, such as ``"coverage(n_items=1000)@10"``.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order.
    confidence_level : float, default=0.95
        Probability that an interval covers the true value.
    n_resamples : int, default=199
        Number of resamples.
    random_state : int, RandomState instance or None, default=None
        Seed of the resamples.
    **columns : array-like
        Values aligned with rows that metrics need, such as ``items``.

    Returns
    -------
    intervals : dict of str to Bunch
        For each metric ``value``, ``standard_error``, ``low``, ``high`` and ``n_queries``.

    Raises
    ------
    ValueError
        If a metric is a mean over users, there are fewer than two users, or a parameter is
        out of range.

    See Also
    --------
    confidence_interval : Intervals of means over users.

    Notes
    -----
    A resample has some users several times and lacks others, so it has a lower coverage and
    personalization than the data. The interval is therefore not made of percentiles: it is
    the value plus or minus standard errors by the normal distribution, within the range of
    the metric.

    The error of the
    coverage of all users is somewhat too small, because a resample cannot show new items;
    that of ``at_users`` for at most half of the users is nearly right.

    References
    ----------
    .. [1] B. Efron, R. Tibshirani, "An introduction to the bootstrap", 1993.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_rank.statistics import system_confidence_interval
    >>> y_score = np.random.default_rng(0).normal(size=(50, 30))
    >>> interval = system_confidence_interval(
    ...     np.zeros((50, 30)), y_score, metrics="gini@5", random_state=0
    ... )["gini@5"]
    >>> print(f"{interval.value:.3f} [{interval.low:.3f}, {interval.high:.3f}]")
    0.207 [0.157, 0.257]
    """
    level = check_level(confidence_level)
    n_resamples = check_integer("n_resamples", n_resamples, minimum=2)
    generator = check_random_state(random_state)
    wanted = bind(metrics, ties=ties, replace_undefined_by=np.nan)
    collecting = [_bind_collector(bound) for bound in wanted]
    evaluation = evaluate(collecting, y_true, y_score, groups, None, columns)
    n_queries = len(evaluation.queries.labels)
    if n_queries < 2:
        raise ValueError(f"There are {n_queries} user(s); an interval needs two.")
    require_memory(
        16 * n_resamples * n_queries,
        f"`n_resamples` = {n_resamples:,} of {n_queries:,} users",
        "Lower `n_resamples`.",
    )
    chances = np.full(n_queries, 1 / n_queries)
    drawn = generator.multinomial(n_queries, chances, size=n_resamples)
    factor = stats.norm.ppf((1 + level) / 2)
    summaries, weights = evaluation.summaries(), drawn.astype(float)
    return {
        bound.name: _system_interval(summaries[bound.name], weights, factor, bound.range)
        for bound in wanted
    }


@dataclass(frozen=True, eq=False)
class _CollectedParts(SystemSummary):
    """The results of a kernel for each block, which can be summed over any users."""

    inner: Summary
    parts: tuple = ()
    n: int = 0  # users
    undefined: int = 0  # no user is left out

    @property
    def checks(self) -> Mapping[str, Check]:
        """The parameters of the summary."""
        return self.inner.checks

    def bound(self, parameters: Mapping[str, Any]) -> Self:
        """Return it with the parameters of the summary."""
        return replace(self, inner=self.inner.bound(parameters))

    def add(self, found: Any, weight: np.ndarray | None = None) -> Self:
        """Return it with more users."""
        return replace(self, parts=(*self.parts, found), n=self.n + found[0])

    def merge(self, other: Self) -> Self:
        """Return it with the users of both."""
        return replace(self, parts=self.parts + other.parts, n=self.n + other.n)

    def join_parts(self) -> tuple:
        """Return all parts as one: the number of users, and user, item and amount."""
        n, user, *rest = zip(*self.parts, strict=True)
        first = np.cumsum(n) - n
        users = np.concatenate([of + start for of, start in zip(user, first, strict=True)])
        return self.n, users, *map(np.concatenate, rest)


def _bind_collector(bound: BoundMetric) -> BoundMetric:
    if bound.metric.summary.per_query:
        raise ValueError(
            f"{bound.name!r} is a mean over users, whose error ranking_report shows; pass "
            "its values of users to confidence_interval."
        )
    if not isinstance(bound.metric.summary, ItemSummary):
        raise ValueError(
            f"{bound.name!r} is not a metric of shown items; name one, such as 'gini@10'."
        )
    summary = _CollectedParts(bound.metric.summary)
    return replace(bound, metric=replace(bound.metric, summary=summary))


def _system_interval(
    collected: Any, drawn: np.ndarray, factor: float, bounds: Range
) -> SystemInterval:
    joined = collected.join_parts()
    value = collected.inner.add(joined).result()
    resampled = [collected.inner.add(joined, weight).result() for weight in drawn]
    error = float(np.std(resampled, ddof=1))
    low, high = bounds.clip((value - factor * error, value + factor * error))
    return SystemInterval(
        value=value,
        standard_error=error,
        low=float(low),
        high=float(high),
        n_queries=collected.n,
    )
