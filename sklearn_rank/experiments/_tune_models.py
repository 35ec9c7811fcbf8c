"""tune_models, and evaluate_models for models that are fitted."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sklearn_rank._base._label_checks import check_paired
from sklearn_rank._base._labels import as_list, as_vector
from sklearn_rank._base._messages import keep_warnings
from sklearn_rank._base._validation import check_level, check_option, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.experiments._fold_scores import DataPart
from sklearn_rank.experiments._log_splits import describe_unused, read_interactions
from sklearn_rank.experiments._model_evaluation import ModelEvaluation
from sklearn_rank.experiments._model_tuning import ModelTuning
from sklearn_rank.experiments._progress_lines import ProgressLines
from sklearn_rank.experiments._query_splits import read_queries
from sklearn_rank.experiments._read_data import (
    check_jobs,
    find_columns,
    read_groups,
    read_measures,
    read_rows,
)
from sklearn_rank.experiments._run_candidates import Progress
from sklearn_rank.experiments._search_candidates import evaluate_finalists
from sklearn_rank.experiments._tuning_plan import plan_tuning
from sklearn_rank.inputs._columns import take_column
from sklearn_rank.inputs._interaction_log import table_of
from sklearn_rank.metrics._scorers._metric_scorer import MetricScorer
from sklearn_rank.typing import ArrayLike, Column, Folds, Labels, Metrics, Table

if TYPE_CHECKING:
    from joblib import Memory


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
        Metrics of the models; the first one orders them.
    min_relevance : float, default=None
        Lowest rating of an interaction that counts as relevant. If None, any above 0.
    baseline : str, default=None
        Name of the model that ``comparison`` compares all others with. If None, all pairs.
    by : str or int, default=None
        Column of X with a segment of each user or query, for ``segments()``.
    confidence_level : float, default=0.95
        Probability that an interval covers the true mean.
    n_jobs : int, default=None
        Number of models that are evaluated at once, in threads.
    verbose : {0, 1, 2}, default=0
        What is written on the standard error meanwhile. 0: nothing. 1: one line that is
        renewed on a terminal, and a line per model elsewhere. 2: a line per model.

    Returns
    -------
    evaluation : ModelEvaluation
        ``print`` shows the models with intervals.

    Raises
    ------
    ValueError
        If there is no model, a name or metric is unknown, or both or neither of `groups`
        and `user`, `item` are given.
    NotFittedError
        If a model is not fitted.
    TypeError
        If X is not in memory, or a model has no method that `metrics` can evaluate.

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


# Search over models.


@explained
@keep_warnings
def tune_models(
    X: Table,
    y: ArrayLike | None = None,
    *,
    groups: Labels | Column | None = None,
    user: Column | None = None,
    item: Column | None = None,
    time: Column | None = None,
    models: Mapping[str, Any] | Sequence[str] | None = None,
    metrics: Metrics | MetricScorer = "ndcg@10",
    min_relevance: float | None = None,
    exclude_seen: bool = True,
    cv: Literal["time", "last", "random", "user"] | Folds | None = None,
    n_splits: int = 3,
    test_size: float | None = 0.2,
    test: tuple[Any, ...] | None = None,
    search: Literal["grid", "halving"] = "grid",
    choose: Literal["best", "one-se"] = "best",
    n_candidates: int | None = None,
    time_budget: float | None = None,
    refit: bool = True,
    error_score: float | Literal["raise"] = np.nan,
    n_jobs: int | None = None,
    memory: str | PathLike[str] | Memory | None = None,
    verbose: Literal[0, 1, 2] = 0,
    progress: Progress | None = None,
    random_state: int | None = 0,
) -> ModelTuning:
    """Tune recommenders or rankers, and compare the best of each on held-out rows.

    Rows are held out. On the rest, each candidate of each model is fitted and scored on
    folds. The best of each model, and simple baselines, are fitted on all of the rest and
    judged on the rows held out, user by user or query by query. The folds choose. The
    rows held out only evaluate; they never choose.

    Parameters
    ----------
    X : {array-like, sparse matrix, dataframe} of shape (n_rows, n_columns)
        Interactions, a row each, or the rows of queries. Frames of pandas, polars and
        Arrow.
    y : array-like of shape (n_rows,), default=None
        Ratings of interactions, 0 or more: models learn from them as weights, and metrics
        take them as grades. Or the grades of rows, which rankers need.
    groups : array-like of shape (n_rows,), str or int, default=None
        Query of each row, or the column of X that holds it: the models are rankers.
    user, item : str or int, default=None
        Columns of X: the models are recommenders. If None, the columns named ``user`` or
        ``user_id``, ``item`` or ``item_id``, where there are no groups. Columns
        are never inferred from position.
    time : str or int, default=None
        Column of X with the time of each interaction.
    models : dict, sequence of str or None, default=None
        A dict from name to an estimator, to a tuple of an estimator and its grid, or to
        the name of a default model. Or some names of :func:`default_models`; if None, all
        of these. A booster's ranker is put into a
        :class:`~sklearn_rank.rankers.GroupRanker`. Baselines
        are always evaluated: popularity, plain and with the best half-life; for rankers
        all scores equal.
    metrics : str, callable, sequence of these, or scorer, default="ndcg@10"
        What decides; further metrics are shown beside it. Or a scorer of
        :func:`make_recommender_scorer` or :func:`make_ranking_scorer`, which says
        candidates, exclusions and columns itself.
    min_relevance : float, default=None
        Lowest rating of an interaction that counts as relevant. If None, any above 0.
    exclude_seen : bool, default=True
        Whether to leave out items that users already have. False is for repeated purchases:
        rows that repeat an item of their user count, models get ``exclude_seen=False``, and
        :class:`~sklearn_rank.recommenders.RepeatRecommender` is tried where there are
        times.
    cv : {"time", "last", "random", "user"} or splitter, default=None
        Folds of a log: windows of time, the last rows of each user, random rows of each
        user, or some rows of some users. If None, ``"time"``. Rankers: folds of whole
        queries. A splitter makes the folds as it does elsewhere.
    n_splits : int, default=3
        Number of folds.
    test_size : float, default=0.2
        Fraction held out: the newest rows; random rows or users, depending on `cv`; for
        rankers random queries. None holds nothing out and compares nothing.
    test : tuple, default=None
        ``(X, y)`` or ``(X, y, groups)`` to judge on, in place of a share. `y` may be None
        for a log.
    search : {"grid", "halving"}, default="grid"
        Try all candidates on all folds; or all on the newest fold, the best third of each
        model on two, and so on, which takes about half of the fits.
    choose : {"best", "one-se"}, default="best"
        The winner: the candidate with the best mean over folds; or of those within one
        standard error of it the cheapest, as models are ordered by cost, and of these the
        best. The error is that of the paired differences of the folds.
    n_candidates : int, default=None
        Number of candidates to draw from each grid, which may then hold distributions.
    time_budget : float, default=None
        Seconds for the search. No fit starts later; only candidates that finished all
        folds count. The first candidate always completes.
    refit : bool, default=True
        Whether to fit the winner on all rows of X, as ``best_estimator_``.
    error_score : nan or "raise", default=np.nan
        With nan a failure is recorded, with one warning per model, and the search goes on.
    n_jobs : int, default=None
        Fits that run at once, in threads. None is 1, -1 as many as there are cores.
        Results do not depend on it.
    memory : str, path or joblib.Memory, default=None
        Where scores of candidates and folds are kept, so that a second run fits only what
        is new.
    verbose : {0, 1, 2}, default=0
        What is written on the standard error while the search runs. 0: nothing. 1: one line
        that is renewed on a terminal, and a line per model elsewhere. 2: a line per
        candidate and fold.
    progress : callable, default=None
        Called after each fit with the keywords `done`, `total`, `share` (by cost), `model`
        and `score`. Where it returns True, the search stops as by a time budget.
    random_state : int or None, default=0
        Seed of the cut, the folds and the draws.

    Returns
    -------
    tuned : ModelTuning
        ``print`` shows the models with intervals; ``best_estimator_`` is the winner of the
        search.

    Raises
    ------
    ValueError
        If both or neither of `groups` and `user`, `item` are there; if times are missing
        where rows are cut by time; if no row is left to evaluate; if a name is unknown. If
        all models but the baselines fail, the first error is raised.
    TypeError
        If X is not in memory, or `metrics` is not a metric or scorer of this package.
    ImportError
        If a model is named whose package is not installed.

    Warns
    -----
    UserWarning
        If candidates of a model fail.

    See Also
    --------
    default_models : What is tried.
    evaluate_models : Compares models that are fitted already.

    Notes
    -----
    Candidates run breadth first: one of each model in turn, cheap models first. So a time
    budget tries some of every model, and the choice depends on the speed of the machine.
    Held-out rows of users without training rows do not count, because they cannot
    distinguish the models. With `exclude_seen` the same holds for rows that repeat an item
    of their user.
    p-values are of paired t tests of all pairs, corrected by Holm.

    Examples
    --------
    >>> from sklearn_rank.datasets import make_interactions
    >>> from sklearn_rank.experiments import tune_models
    >>> log = make_interactions(300, 200, 10_000, random_state=0, as_frame=True)
    >>> tuned = tune_models(log, time="time", models=["neighbors"])
    >>> tuned.best_name_
    'neighbors'
    >>> tuned.best_estimator_.recommend([7], 3).shape
    (1, 3)
    """
    arguments = dict(locals())
    progress, verbose = arguments.pop("progress"), arguments.pop("verbose")
    check_option("verbose", verbose, (0, 1, 2))
    if not (progress is None or callable(progress)):
        raise TypeError(f"`progress` must be a function, got {shorten(progress)}.")
    return plan_tuning(**arguments).run(
        progress, may_stop=progress is not None, verbose=verbose
    )
