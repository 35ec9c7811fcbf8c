"""Metrics on sampled negatives, corrected to the full catalogue."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any, Literal

import numpy as np
from scipy.linalg import qr, solve
from scipy.optimize import lsq_linear
from scipy.special import gammaln

from sklearn_rank._base._machine import require_memory
from sklearn_rank._base._messages import keep_warnings
from sklearn_rank._base._runs import CHUNK_CHANCES
from sklearn_rank._base._validation import check_integer, check_option, check_real
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._keys import RankedRows
from sklearn_rank._ranking._places import hit_chance
from sklearn_rank._ranking._ranked_lists import RankedLists, defined_where_relevant
from sklearn_rank._ranking._rows import QueryError
from sklearn_rank.metrics._core._evaluate import evaluate
from sklearn_rank.metrics._core._metric import BoundMetric, bind_to_input
from sklearn_rank.metrics._core._parameters import UNBOUNDED, MinRelevance
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._core._registry import bind
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Metrics, Ties, Undefined

# Estimate full-catalogue metrics from sampled ranks.


# Limits of the table of probabilities, sample ranks by catalogue ranks: a gigabyte and a
# few minutes.
MOST_ITEMS = 10_000_000
_BYTES_AN_ITEM = 120  # as measured
MOST_SAMPLED = 5_000
MOST_CELLS = 1_000_000_000

MetricsByRank = Callable[[np.ndarray], np.ndarray]


def _interpolate_at_expected_rank(
    metrics_of: MetricsByRank, n_items: int, n_negatives: int, gamma: float
) -> np.ndarray:
    above = np.arange(n_negatives + 1) * ((n_items - 1) / n_negatives)
    lower = np.minimum(above.astype(np.int64), n_items - 2)
    at_lower, at_upper = metrics_of(lower), metrics_of(lower + 1)
    return at_lower + (at_upper - at_lower) * (above - lower)[:, None]


def _least_squares(
    metrics_of: MetricsByRank, n_items: int, n_negatives: int, gamma: float
) -> np.ndarray:
    exact, width = metrics_of(np.arange(n_items)), n_negatives + 1
    triangle = np.zeros((0, width + exact.shape[1]))
    for ranks, chance in _chances(len(exact), n_negatives):
        rows = np.vstack([triangle, np.column_stack([chance, exact[ranks]])])
        triangle = qr(rows, mode="r", overwrite_a=True)[0][: rows.shape[1]]
    sides = triangle[:width, width:].T
    columns = [
        _solve_bounded(triangle[:width, :width], side, column.min(), column.max())
        for side, column in zip(sides, exact.T, strict=True)
    ]
    return np.column_stack(columns)


def _solve_bounded(
    matrix: np.ndarray, side: np.ndarray, lowest: float, highest: float
) -> np.ndarray:
    """Return the least squares solution with all values from lowest to highest."""
    if lowest == highest:
        return np.full(len(side), lowest)
    return lsq_linear(matrix, side, (lowest, highest), method="bvls").x


def _bias_variance(
    metrics_of: MetricsByRank, n_items: int, n_negatives: int, gamma: float
) -> np.ndarray:
    """Return the solution of ((1 - gamma) A'A + gamma diag(A'1)) E = A'M.

    If all ranks in the catalogue are equally likely, so are all ranks in the sample: A'1 is
    constant.
    """
    exact, width = metrics_of(np.arange(n_items)), n_negatives + 1
    gram, side = np.zeros((width, width)), np.zeros((width, exact.shape[1]))
    for ranks, chance in _chances(len(exact), n_negatives):
        gram += chance.T @ chance
        side += chance.T @ exact[ranks]
    system = (1 - gamma) * gram
    system[np.diag_indices(width)] += gamma * len(exact) / width
    return solve(system, side, assume_a="pos")


def _chances(n_items: int, n_negatives: int) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield catalogue ranks, and the probabilities of 0, 1, ... sampled rows above."""
    step = max(CHUNK_CHANCES // (n_negatives + 1), 1)
    log_factorial = gammaln(np.arange(n_items) + 1)
    for start in range(0, n_items, step):
        above = np.arange(start, min(start + step, n_items))[:, None]
        chance = _hypergeometric(above, n_negatives, log_factorial)
        yield slice(start, start + len(above)), chance


def _hypergeometric(
    above: np.ndarray, n_negatives: int, log_factorial: np.ndarray
) -> np.ndarray:
    """Return the probabilities that the sample has 0, 1, ... of the `above` higher items.

    `log_factorial` is a table up to the number of irrelevant items.
    """
    sampled = np.arange(n_negatives + 1)
    below = len(log_factorial) - 1 - above
    possible = (sampled <= above) & (n_negatives - sampled <= below)
    log = -log_factorial[sampled] - log_factorial[n_negatives - sampled]
    log = log - log_factorial[np.maximum(above - sampled, 0)]
    log -= log_factorial[np.maximum(below - n_negatives + sampled, 0)]
    log[~possible] = -np.inf
    chance = np.exp(log - log.max(axis=1, keepdims=True))
    return chance / chance.sum(axis=1, keepdims=True)


Estimator = Literal["bias_variance", "least_squares", "rank"]
ESTIMATORS = {
    "bias_variance": _bias_variance,
    "least_squares": _least_squares,
    "rank": _interpolate_at_expected_rank,
}


# Metrics on sampled negatives, corrected to the full catalogue.


@explained
def sampled_ranking_scores(
    y_true: Matrix,
    y_score: Matrix,
    *,
    n_negatives: int,
    n_items: int,
    groups: Labels | None = None,
    metrics: Metrics = ("ndcg@10",),
    estimator: Estimator = "bias_variance",
    gamma: float = 0.1,
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> dict[str, float]:
    r"""Full-catalogue metrics, estimated from one relevant item among sampled ones.

    nDCG@10 of a relevant item among 100 sampled irrelevant items is not nDCG@10 over the
    whole catalogue, and may order models differently. This function estimates the metric
    over the whole catalogue from the rank in the sample. Rank all items instead if you can.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    n_negatives : int
        Number of irrelevant items sampled for each query, uniformly and without
        replacement.
    n_items : int
        Number of items that a full evaluation would rank for each query, including the
        relevant one: more than ``n_negatives``.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    metrics : str, callable or sequence of these, default=("ndcg@10",)
        Names such as ``"hit_rate@10"``, ``"mrr"``, ``"ndcg@10"``; functions of this module,
        with their defaults.
    estimator : {"bias_variance", "least_squares", "rank"}, default="bias_variance"
        Estimate of the metric from the rank in the sample, see Notes.
    gamma : float, default=0.1
        Weight of the variance in ``estimator="bias_variance"``, above 0 and up to 1.
    min_relevance : float, default=None
        Lowest relevant grade, for metrics with this parameter. If None, any above 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        Treatment of ties: the mean over all orders, lowest or highest grades first, or the
        given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Weight of each query in the mean; in 1-D one value per row, equal within a query.
    replace_undefined_by : float or "warn", default="warn"
        Value of a query for which the metric is undefined. "warn" leaves it out of the mean
        with an ``UndefinedMetricWarning``, NaN without one.

    Returns
    -------
    scores : dict of str to float
        The mean over queries of each metric, under its name.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if ``n_negatives`` is not less than
        ``n_items``, a query has more than one relevant row, or one and another number of
        irrelevant rows than ``n_negatives``, a relevant row was not retrieved, or the
        catalogue is too large for the estimator.

    See Also
    --------
    sampled_per_query_scores : The values of the queries.
    ranking_scores : Metrics of complete rankings, and of samples without correction.

    Notes
    -----
    Each query needs one relevant row and ``n_negatives`` others; queries without a relevant
    row are undefined. If a user has several relevant items, give each its own query and its
    own sample. Grades do not matter, only whether a row is relevant.

    Let M(r) be the metric if the relevant item has rank r in the catalogue of n items, and
    let s be its rank among m sampled items and itself. Then s - 1 is hypergeometric: m
    items are drawn from n - 1, and r - 1 of these are ranked higher. The estimators of [1]_
    replace M(r) by a function E(s):

    - ``"rank"``: :math:`M(1 + (s - 1) (n - 1) / m)`, the metric at the unbiased estimate of
      the rank, linear between ranks. Simple; unbiased for metrics that are linear in the
      rank (AUC, mean rank), and far too high for rank 1.
    - ``"least_squares"``: minimal bias, the least mean over all ranks r alike of the square
      of the mean of E(s) given r, less M(r); with values no higher or lower than M has.
    - ``"bias_variance"``: the trade-off of bias and variance, the least mean over all ranks
      r alike of that square plus ``gamma`` times the variance of E(s) given r. Without
      bounds: values may leave the range of M. With ``gamma=1`` it is the mean of M(r) given
      s when all ranks are alike beforehand, which pulls good models toward the mean of
      all; with less it is less biased, and varies more.

    If all irrelevant items are sampled, all three are exact. The cost of ``"rank"`` depends
    on ``n_negatives`` alone. The others go through the catalogue for each rank in the
    sample: they take up to 10 million items, 5000 sampled, and a product of both up to
    10**9.

    References
    ----------
    .. [1] W. Krichene, S. Rendle, "On sampled metrics for item recommendation", KDD 2020;
       Communications of the ACM 65(7), 2022.

    Examples
    --------
    >>> from sklearn_rank.metrics import ranking_scores, sampled_ranking_scores
    >>> rows = {"y_true": [0, 1, 0, 0], "y_score": [4, 3, 2, 1], "groups": ["q"] * 4}
    >>> ranking_scores(**rows, metrics="mrr")
    {'mrr': 0.5}
    >>> sampled_ranking_scores(
    ...     **rows, metrics="mrr", n_negatives=3, n_items=31, estimator="rank"
    ... )  # the rank 1 + 1 * 30 / 3
    {'mrr': 0.09090909090909091}
    """
    arguments = metrics, ties, replace_undefined_by, None, min_relevance
    wanted = bind(*arguments, counts_beside=True)
    corrected = _correct_metrics(wanted, n_negatives, n_items, estimator, gamma)
    evaluation = evaluate(corrected, y_true, y_score, groups, sample_weight)
    return evaluation.results()


@explained
@keep_warnings
def sampled_per_query_scores(
    y_true: Matrix,
    y_score: Matrix,
    *,
    n_negatives: int,
    n_items: int,
    groups: Labels | None = None,
    metrics: Metrics = ("ndcg@10",),
    estimator: Estimator = "bias_variance",
    gamma: float = 0.1,
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
) -> PerQueryScores:
    """Full-catalogue metrics, estimated from sampled items, for each query.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    n_negatives : int
        Number of irrelevant items sampled for each query, uniformly and without
        replacement.
    n_items : int
        Number of items that a full evaluation would rank for each query, including the
        relevant one: more than ``n_negatives``.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    metrics : str, callable or sequence of these, default=("ndcg@10",)
        Names such as ``"hit_rate@10"``, ``"mrr"``, ``"ndcg@10"``; functions of this module,
        with their defaults.
    estimator : {"bias_variance", "least_squares", "rank"}, default="bias_variance"
        Estimate of the metric from the rank in the sample, see
        :func:`sampled_ranking_scores`.
    gamma : float, default=0.1
        Weight of the variance in ``estimator="bias_variance"``, above 0 and up to 1.
    min_relevance : float, default=None
        Lowest relevant grade, for metrics with this parameter. If None, any above 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        Treatment of ties: the mean over all orders, lowest or highest grades first, or the
        given order.

    Returns
    -------
    scores : PerQueryScores
        ``groups``: the label of each query, sorted (in the 2-D form the number of each
        row). ``scores``: dict of metric name to an array with one value per query, NaN if
        the metric is undefined. ``mean()``, ``standard_error()`` and ``to_frame()``
        summarize them; ``difference`` compares two models.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if ``n_negatives`` is not less than
        ``n_items``, a query has more than one relevant row, or one and another number of
        irrelevant rows than ``n_negatives``, a relevant row was not retrieved, or the
        catalogue is too large for the estimator.

    See Also
    --------
    sampled_ranking_scores : The means of these values.

    Examples
    --------
    >>> from sklearn_rank.metrics import sampled_per_query_scores
    >>> rows = {"y_true": [0, 1, 1, 0], "y_score": [4, 3, 2, 1], "groups": [8, 8, 9, 9]}
    >>> found = sampled_per_query_scores(
    ...     **rows, metrics="mrr", n_negatives=1, n_items=10, estimator="rank"
    ... )
    >>> found.groups.tolist(), found.scores["mrr"].tolist()
    ([8, 9], [0.1, 1.0])
    """
    wanted = bind(metrics, ties, np.nan, min_relevance=min_relevance, counts_beside=True)
    corrected = _correct_metrics(wanted, n_negatives, n_items, estimator, gamma)
    return evaluate(corrected, y_true, y_score, groups).per_query()


def _correct_metrics(
    wanted: list[BoundMetric], n_negatives: Any, n_items: Any, estimator: Any, gamma: Any
) -> list[BoundMetric]:
    """Return metrics of a sample that estimate the full-catalogue metrics."""
    check_option("estimator", estimator, ESTIMATORS)
    n_negatives, n_items = _check_sizes(estimator, n_negatives, n_items)
    gamma = check_real("gamma", gamma, "a number in (0, 1]", above=0, most=1)
    for bound in wanted:
        if bound.metric.rows != "relevant" or bound.metric.columns:
            raise ValueError(
                f"Metric {bound.name!r} depends on more than the rank of the relevant "
                "item, or not on it, so it cannot be corrected. Leave it out."
            )

    def metrics_of(above: np.ndarray) -> np.ndarray:
        return np.column_stack([_metric_by_rank(bound, above, n_items) for bound in wanted])

    @cache
    def estimates() -> np.ndarray:
        return ESTIMATORS[estimator](metrics_of, n_items, n_negatives, gamma)

    return [
        _estimate_metric(bound, index, n_negatives, estimates)
        for index, bound in enumerate(wanted)
    ]


def _estimate_metric(
    bound: BoundMetric, index: int, n_negatives: int, estimates: Callable[[], np.ndarray]
) -> BoundMetric:
    """Return the metric with a kernel that looks up estimates by sampled rank."""

    def kernel(lists: RankedLists) -> Any:
        min_relevance = bound.parameters.get("min_relevance")
        has_relevant = _check_sample(lists, min_relevance, n_negatives)
        by_rank = estimates()[:, index] if has_relevant else np.zeros(1)
        value = _look_up_estimate(lists, by_rank, min_relevance)
        # Weights of queries are computed from the sample.
        return (value, bound.run(lists)[1]) if bound.summary.weighs else value

    # The kernel uses the relevant row at any rank. An estimate with a small bias may be
    # outside the range of the metric.
    own: Any = {"kernel": kernel, "from_data": (), "range": UNBOUNDED}
    metric = replace(bound.metric, below_k=True, all_items=False, **own)
    return replace(bound, metric=metric)


def _check_sizes(estimator: str, n_negatives: Any, n_items: Any) -> tuple[int, int]:
    n_negatives = check_integer("n_negatives", n_negatives)
    n_items = check_integer("n_items", n_items, minimum=2)
    if n_negatives >= n_items:
        raise ValueError(
            f"`n_negatives` is {n_negatives}, but of `n_items` = {n_items} at most "
            f"{n_items - 1} are irrelevant; `n_items` is the size of the catalogue."
        )
    cells = n_items * (n_negatives + 1)
    is_large = n_items > MOST_ITEMS or n_negatives > MOST_SAMPLED or cells > MOST_CELLS
    if estimator != "rank" and is_large:
        raise ValueError(
            f"estimator={estimator!r} goes through every rank of the catalogue for every "
            f"rank of the sample, which is too much for `n_items` = {n_items} and "
            f"`n_negatives` = {n_negatives}: at most {MOST_ITEMS} items, {MOST_SAMPLED} "
            f"sampled, and {MOST_CELLS} for n_items * (n_negatives + 1). Rank all items, "
            "or use estimator='rank', whose cost depends on `n_negatives` alone."
        )
    if estimator != "rank":
        require_memory(
            _BYTES_AN_ITEM * n_items,
            f"estimator={estimator!r} with `n_items` = {n_items:,}",
            "Use estimator='rank', or rank all items.",
        )
    return n_negatives, n_items


def _metric_by_rank(bound: BoundMetric, above: np.ndarray, n_items: int) -> np.ndarray:
    """Return the metric for each number of catalogue items above the relevant one."""
    query, sizes = np.arange(len(above)), np.full(len(above), n_items)
    ones = np.ones(len(above), dtype=np.intp)
    lists = RankedLists(
        n_items=sizes,
        n_retrieved=sizes,
        ranked=RankedRows(query, above, above, ones, above, np.ones(len(above))),
    )
    if "min_relevance" in bound.parameters:
        bound = bound.with_parameters(min_relevance=None)
    value = bind_to_input(bound, max_grade=1.0).run(lists)
    return value[0] if bound.summary.weighs else value


def _look_up_estimate(
    lists: RankedLists, by_rank: np.ndarray, min_relevance: float | None
) -> np.ndarray:
    """Return the value at the rank of the relevant row, the mean over ranks if it ties."""
    places = lists.places(None, min_relevance)
    value = lists.sum(places.query, hit_chance(places) * by_rank[places.rank - 1])
    return defined_where_relevant(value, lists, min_relevance)


def _check_sample(
    lists: RankedLists, min_relevance: float | None, n_negatives: int
) -> bool:
    """Return whether any query has a relevant row.

    Raise if a query has several, or one that was not retrieved, or another sample size.
    """
    is_relevant = lists.is_relevant(min_relevance)
    is_found = is_relevant & (lists.above < lists.n_retrieved[lists.query])
    n_relevant, n_found = (lists.sum(lists.query[mask]) for mask in (is_relevant, is_found))
    is_wrong = (n_relevant != 1) | (n_found != 1) | (lists.n_retrieved != n_negatives + 1)
    is_wrong &= n_relevant > 0
    if is_wrong.any():
        query = int(np.argmax(is_wrong))
        raise QueryError(
            f"Query {{query}} has {n_relevant[query]} relevant rows, {n_found[query]} of "
            "them retrieved (with a score above -inf), and "
            f"{lists.n_retrieved[query] - n_found[query]} irrelevant rows retrieved; a "
            f"sample is corrected for one relevant row among `n_negatives` = {n_negatives} "
            "others. Give each relevant row a query and a sample of its own.",
            query,
        )
    return bool(is_relevant.any())
