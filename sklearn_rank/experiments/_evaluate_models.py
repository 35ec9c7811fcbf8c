"""evaluate_models: compare fitted models on the same held-out rows."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Literal

import numpy as np

from sklearn_rank._base._label_checks import check_paired
from sklearn_rank._base._labels import as_list, as_vector
from sklearn_rank._base._messages import keep_warnings
from sklearn_rank._base._validation import check_level, check_option, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.experiments._fold_scores import DataPart
from sklearn_rank.experiments._log_splits import describe_unused, read_interactions
from sklearn_rank.experiments._model_evaluation import ModelEvaluation
from sklearn_rank.experiments._progress_lines import ProgressLines
from sklearn_rank.experiments._query_splits import read_queries
from sklearn_rank.experiments._read_data import (
    check_jobs,
    find_columns,
    read_groups,
    read_measures,
    read_rows,
)
from sklearn_rank.experiments._search_candidates import evaluate_finalists
from sklearn_rank.inputs._columns import take_column
from sklearn_rank.inputs._interaction_log import table_of
from sklearn_rank.metrics._scorers._metric_scorer import MetricScorer
from sklearn_rank.typing import ArrayLike, Column, Labels, Metrics, Table


@explained
@keep_warnings
def evaluate_models(
    models: Mapping[str, Any],
    X: Table,
    y: ArrayLike | None = None,
    *,
    groups: Labels | Column | None = None,
    user: Column | None = None,
    item: Column | None = None,
    metrics: Metrics | MetricScorer = ("ndcg@10",),
    min_relevance: float | None = None,
    baseline: str | None = None,
    by: Column | None = None,
    confidence_level: float = 0.95,
    n_jobs: int | None = None,
    verbose: Literal[0, 1, 2] = 0,
) -> ModelEvaluation:
    """Compare fitted models on rows that they have not seen.

    Parameters
    ----------
    models : mapping of str to estimator
        Fitted models by name: recommenders, or estimators that score the rows of queries.
        Models of other libraries and pipelines as well.
    X : {array-like, sparse matrix, dataframe} of shape (n_rows, n_columns)
        Interactions, or rows of queries, that no model was fitted to.
    y : array-like of shape (n_rows,), default=None
        Ratings of interactions, or grades of rows, which rankers need.
    groups : array-like of shape (n_rows,), str or int, default=None
        Query of each row, or the column of X that holds it: the models are rankers.
    user, item : str or int, default=None
        Columns of X: the models are recommenders. If None, the columns named ``user`` or
        ``user_id``, ``item`` or ``item_id``, where there are no groups.
    metrics : str, callable, sequence of these, or scorer, default=("ndcg@10",)
        What models are judged by; the first metric orders them.
    min_relevance : float, default=None
        Lowest rating of an interaction that counts as relevant. If None, any above 0.
    baseline : str, default=None
        Name of the model that ``comparison`` compares all others with. If None, all pairs.
    by : str or int, default=None
        Column of X with a segment of each user or query, for ``segments()``.
    confidence_level : float, default=0.95
        Probability that an interval covers the true mean.
    n_jobs : int, default=None
        Models that are judged at once, in threads.
    verbose : {0, 1, 2}, default=0
        What is written on the standard error meanwhile. 0: nothing. 1: one line that is
        renewed on a terminal, and a line per model elsewhere. 2: a line per model.

    Returns
    -------
    found : ModelEvaluation
        ``print`` shows the models with intervals.

    Raises
    ------
    ValueError
        If there is no model, a name or metric is unknown, or both or neither of `groups`
        and `user`, `item` are there.
    NotFittedError
        If a model is not fitted.
    TypeError
        If X is not in memory, or a model has no method that `metrics` can judge.

    Warns
    -----
    MisleadingScoreWarning
        As the scorers warn, for example if most rows repeat what a model learned from.

    See Also
    --------
    tune_models : Searches first.
    sklearn_rank.statistics.compare_models : The same from values per query.

    Examples
    --------
    >>> from sklearn_rank.datasets import make_interactions
    >>> from sklearn_rank.experiments import evaluate_models
    >>> from sklearn_rank.model_selection import train_valid_test_split
    >>> from sklearn_rank.recommenders import EASERecommender, PopularityRecommender
    >>> log = make_interactions(random_state=0, as_frame=True)
    >>> rows = log.index < 40_000
    >>> models = {"EASE": EASERecommender(), "popular": PopularityRecommender()}
    >>> models = {name: model.fit(log[rows]) for name, model in models.items()}
    >>> found = evaluate_models(models, log[~rows], metrics=["ndcg@10", "coverage@10"])
    >>> found.best_on_test
    'EASE'
    """
    if not isinstance(models, Mapping) or not models:
        raise ValueError(
            f"`models` must be a dict from name to fitted model, got {shorten(models)}."
        )
    if baseline is not None:
        check_option("baseline", baseline, models)
    level = check_level(confidence_level)
    check_jobs(n_jobs)
    check_option("verbose", verbose, (0, 1, 2))
    X = read_rows(X)
    check_paired({"X": X, "y": y, "groups": groups})
    columns = find_columns(X, groups, user, item, None, metrics)
    measures = read_measures(metrics, columns, table_of(X, y)[1])
    k = None
    if columns is None:
        labels = read_groups(X, groups, metrics)
        part = read_queries(X, y, labels, measures.main).part
    else:
        part = read_interactions(X, y, columns, min_relevance)
        labels = part.X.users.values[part.X.users.codes]
        # Lists are at most as long as the shortest known catalogue.
        sizes = [len(model.items_) for model in models.values() if hasattr(model, "items_")]
        k = min(sizes, default=None)
    segment_of = None if by is None else _segments(part, by, labels)
    lines = ProgressLines(verbose, measures.main)
    evaluated = evaluate_finalists(models, part, measures, k, n_jobs, lines)
    return ModelEvaluation(
        evaluated,
        settings={
            "metrics": measures.names,
            "lower_is_better": sorted(measures.lower_is_better),
            "curve_metric": measures.curve_metric,
            "unit": "query" if columns is None else "user",
            "confidence_level": level,
            "baseline": baseline,
            "min_relevance": min_relevance,
            "unused": describe_unused(part.X),
        },
        models=models,
        segment_of=segment_of,
    )


def _segments(part: DataPart, by: Any, labels: Any) -> dict[Hashable, Any]:
    """Return the segment of each user or query; it must be one."""
    X, _ = table_of(part.X, None)
    segments = as_list(as_vector(take_column(X, by, name="by"), name="by"))
    by_segment: dict[Hashable, Any] = {}
    for label, segment in zip(as_list(np.asarray(labels)), segments, strict=True):
        if by_segment.setdefault(label, segment) != segment:
            raise ValueError(
                f"`by={shorten(by)}` is one segment per user or query, but "
                f"{shorten(label)} has {by_segment[label]!r} and {segment!r}."
            )
    return by_segment
