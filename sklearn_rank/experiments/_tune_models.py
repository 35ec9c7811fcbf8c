"""tune_models: search over models on folds, and test the best of each on other rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sklearn_rank._base._messages import keep_warnings
from sklearn_rank._base._validation import check_option, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.experiments._model_tuning import ModelTuning
from sklearn_rank.experiments._run_candidates import Progress
from sklearn_rank.experiments._tuning_plan import plan_tuning
from sklearn_rank.metrics._scorers._metric_scorer import MetricScorer
from sklearn_rank.typing import ArrayLike, Column, Folds, Labels, Metrics, Table

if TYPE_CHECKING:
    from joblib import Memory


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
        Ratings of interactions, 0 or more: weights to learn from, grades to judge by. Or
        the grades of rows, which rankers need.
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
        where rows are cut by time; if nothing is left to judge by; if a name is unknown.
        If all models but the baselines fail, the first error is raised.
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
