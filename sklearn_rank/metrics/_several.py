"""Several metrics from one sort: their means, their values per query."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from sklearn_rank._ranked_lists import TIES, score_queries
from sklearn_rank._rows import Rows, group_input
from sklearn_rank._validation import check_option, require
from sklearn_rank.metrics._average import combine_weights, fill_value, warn_of_undefined
from sklearn_rank.metrics._conventions import follow
from sklearn_rank.metrics._metric import Metric
from sklearn_rank.metrics._rating import RatingError, Ratings, read_ratings
from sklearn_rank.metrics._registry import NamedMetric, common_depth, parse_metrics

__all__ = [
    "Evaluated",
    "PerQueryScores",
    "evaluate",
    "filled",
    "given",
    "import_pandas",
    "mean_scores",
    "per_query_scores",
    "ranking_scores",
]


def ranking_scores(
    y_true,
    y_score,
    *,
    groups=None,
    metrics=("ndcg@10",),
    min_relevance=None,
    ties="average",
    sample_weight=None,
    replace_undefined_by="warn",
    convention=None,
):
    """Several metrics of one ranking, from one sort.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    metrics : str, callable or sequence of these, default=("ndcg@10",)
        Names such as ``"map"``, ``"ndcg@10"``, ``"ndcg(gain='exponential')@10"``; functions
        of this module, with their defaults; ``"mae"``, ``"mse"``, ``"rmse"`` for errors of
        ratings over all rows.
    min_relevance : float, default=None
        Lowest relevant grade, for metrics with this parameter. None: any above 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        What ties count for: mean over all orders, lowest or highest grades first, as given.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Weight of each query in the mean; in 1-D one value a row, alike within a query.
    replace_undefined_by : float or "warn", default="warn"
        Value of a query for which the metric is undefined. "warn" leaves it out of the mean
        with an ``UndefinedMetricWarning``, NaN without one.
    convention : str, default=None
        A library whose definitions to follow, one of :data:`conventions`. It sets the
        parameters that the names leave open, the cutoff among them, and ``ties`` and
        ``replace_undefined_by`` too where these have their defaults.

    Returns
    -------
    scores : dict of str to float
        The mean over queries of each metric, under its name.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if a name or a parameter in it is unknown.

    See Also
    --------
    per_query_scores : The same before the mean.
    ranking_report : The same as a table.

    Examples
    --------
    >>> from sklearn_rank.metrics import ranking_scores
    >>> y_true, y_score = [0, 1, 0, 1, 0], [5, 4, 3, 2, 1]
    >>> ranking_scores(y_true, y_score, groups=["q"] * 5, metrics=["mrr", "recall@3"])
    {'mrr': 0.5, 'recall@3': 0.5}
    """
    wanted = parse_metrics(metrics, **given(min_relevance=min_relevance))
    fill = fill_value(replace_undefined_by)
    fills = dict.fromkeys((named.name for named in wanted), fill)
    if convention is not None:
        wanted, fills = follow(convention, wanted, ties, replace_undefined_by)
    scores, undefined, n_queries = mean_scores(
        wanted, y_true, y_score, groups, ties, sample_weight, fills
    )
    # A convention says what undefined queries count, be it that they are left out.
    if convention is None:
        warn_of_undefined(undefined, n_queries, replace_undefined_by, stacklevel=3)
    return scores


def mean_scores(
    wanted: Sequence[NamedMetric],
    y_true: Any,
    y_score: Any,
    groups: Any,
    ties: str,
    sample_weight: Any,
    fills: Mapping[str, float],
) -> tuple[dict[str, float], dict[str, int], int]:
    """Return means, how many undefined queries each leaves out, and the number of queries.

    `fills` holds what an undefined query counts as, for each metric.
    """
    found = evaluate(wanted, y_true, y_score, groups, ties, sample_weight)
    scores, undefined = {}, {}
    for named in wanted:
        if isinstance(named.metric, RatingError):
            scores[named.name] = named.metric.mean(found.the_ratings)
        else:
            values, weight = found.values[named.name], found.weights[named.name]
            mean, n_undefined = named.mean(values, weight, fills[named.name])
            scores[named.name] = mean
            undefined[named.name] = n_undefined
    return scores, undefined, len(found.labels)


def per_query_scores(
    y_true,
    y_score,
    *,
    groups=None,
    metrics=("ndcg@10",),
    min_relevance=None,
    ties="average",
    sample_weight=None,
    replace_undefined_by=np.nan,
):
    """Several metrics of one ranking, a value for each query.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    metrics : str, callable or sequence of these, default=("ndcg@10",)
        Names such as ``"map"``, ``"ndcg@10"``, ``"ndcg(gain='exponential')@10"``; functions
        of this module, with their defaults; ``"mae"``, ``"mse"``, ``"rmse"`` for errors of
        ratings over all rows.
    min_relevance : float, default=None
        Lowest relevant grade, for metrics with this parameter. None: any above 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        What ties count for: mean over all orders, lowest or highest grades first, as given.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Weight of each query in the mean; in 1-D one value a row, alike within a query.
    replace_undefined_by : float, default=np.nan
        Value of a query for which the metric is undefined.

    Returns
    -------
    scores : Bunch
        ``groups``: the label of each query, sorted (in the 2-D form the number of each
        row). ``scores``: dict of metric name to an array with one value a query, NaN where
        the metric is undefined. ``to_frame()`` returns both as a pandas DataFrame.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if a name or a parameter in it is unknown.

    See Also
    --------
    ranking_scores : The means of these values.

    Notes
    -----
    It takes what :func:`ranking_scores` takes. Weights are checked and have no effect: they
    weigh means, not values.

    Examples
    --------
    >>> from sklearn_rank.metrics import per_query_scores
    >>> found = per_query_scores(
    ...     [0, 1, 1, 0], [4, 3, 2, 1], groups=["a", "a", "b", "b"], metrics="mrr"
    ... )
    >>> found.groups.tolist(), found.scores["mrr"].tolist()
    (['a', 'b'], [0.5, 1.0])
    """
    wanted = parse_metrics(metrics, **given(min_relevance=min_relevance))
    fill = fill_value(replace_undefined_by)
    found = evaluate(wanted, y_true, y_score, groups, ties, sample_weight, by_query=True)
    scores = {
        named.name: named.metric.per_query(found.the_ratings)
        if isinstance(named.metric, RatingError)
        else filled(found.values[named.name], fill)
        for named in wanted
    }
    return PerQueryScores(groups=found.labels, scores=scores)


def filled(values: np.ndarray, fill: float) -> np.ndarray:
    """Return values with the undefined ones replaced."""
    return np.where(np.isnan(values), fill, values)


class PerQueryScores(Bunch):
    """Values of metrics per query: labels in `groups`, arrays by name in `scores`."""

    def to_frame(self):
        """Return a pandas DataFrame with a row a query and a column a metric."""
        pd = import_pandas("to_frame")
        return pd.DataFrame(self.scores, index=pd.Index(self.groups, name="group"))


@dataclass
class Evaluated:
    """Values and weights of each ranking metric by name, in the order of the labels.

    And the ratings, if an error of ratings is among the metrics.
    """

    labels: np.ndarray
    values: dict[str, np.ndarray] = field(default_factory=dict)
    weights: dict[str, np.ndarray | None] = field(default_factory=dict)
    ratings: Ratings | None = None

    @property
    def the_ratings(self) -> Ratings:
        """The ratings, where there are any."""
        assert self.ratings is not None
        return self.ratings


def import_pandas(purpose: str) -> Any:
    """Return pandas, or say what needs it and how to install it."""
    try:
        import pandas as pd
    except ImportError as error:
        raise require("pandas", "frames", purpose) from error
    return pd


def given(**parameters: Any) -> dict[str, Any]:
    """Return the parameters that are not None."""
    return {name: value for name, value in parameters.items() if value is not None}


def evaluate(
    wanted: Sequence[NamedMetric],
    y_true: Any,
    y_score: Any,
    groups: Any,
    ties: str,
    sample_weight: Any,
    *,
    by_query: bool = False,
) -> Evaluated:
    """Return all metrics from one reading; rating errors alone need no groups.

    There is one sort for all metrics that take ties alike. Rating errors need groups too
    where values `by_query` are asked for.
    """
    check_option("ties", ties, TIES)
    ranking = [named for named in wanted if isinstance(named.metric, Metric)]
    columns = (y_true, y_score, groups, sample_weight)
    rows = None
    if ranking:
        rows = group_input(
            *columns,
            judged_for=_names(named for named in ranking if not named.unjudged),
            judgments_for=_names(named for named in ranking if named.reads_judgments),
        )
    ratings = None
    if len(ranking) < len(wanted):
        ratings = read_ratings(*columns, by_query=by_query, rows=rows)
    if rows is None:
        assert ratings is not None
        return Evaluated(ratings.labels, ratings=ratings)
    found = Evaluated(rows.labels, ratings=ratings)
    alike: dict[str, list[NamedMetric]] = {}
    for named in ranking:
        alike.setdefault(named.ties or ties, []).append(named)
    for of_these, some in alike.items():
        _add(found, some, rows, of_these)
    return found


def _names(metrics: Iterable[NamedMetric]) -> str:
    return ", ".join(named.name for named in metrics)


def _add(found: Evaluated, wanted: list[NamedMetric], rows: Rows, ties: str) -> None:
    """Add the values and weights of metrics, from one sort of the rows."""
    functions = [
        *(named.per_query for named in wanted),
        *(named.weight for named in wanted),
    ]
    results = score_queries(functions, rows, ties, common_depth(wanted))
    names = [named.name for named in wanted]
    found.values |= zip(names, results[: len(names)], strict=True)
    weights = (combine_weights(weight, rows.weight) for weight in results[len(names) :])
    found.weights |= zip(names, weights, strict=True)
