"""tune_models: search over models on folds, and judge the best of each on held-out rows."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sklearn_rank._text._wording import counted
from sklearn_rank._validation import check_integer, check_option, check_real, shorten
from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.experiments._default_models import ranker_models, recommender_models
from sklearn_rank.experiments._families import (
    Family,
    check_distributions,
    read_family,
    with_columns,
)
from sklearn_rank.experiments._finalists import (
    finalists_of,
    fit_finalists,
    judge_finalists,
)
from sklearn_rank.experiments._fold_scores import FoldScores
from sklearn_rank.experiments._hold_outs import read_hold_out
from sklearn_rank.experiments._interactions import check_size, read_interactions
from sklearn_rank.experiments._log_task import (
    check_newest,
    cut_log,
    facts_of,
    folds_of,
    judge_given,
)
from sklearn_rank.experiments._measures import Judged, Measures
from sklearn_rank.experiments._model_tuning import ModelTuning
from sklearn_rank.experiments._parts import Part
from sklearn_rank.experiments._query_task import (
    cut_queries,
    folds_of_queries,
    read_queries,
    summary_of,
)
from sklearn_rank.experiments._ranker_families import EQUAL, as_known_ranker, rankers_to_try
from sklearn_rank.experiments._read_data import (
    Columns,
    check_in_memory,
    columns_of,
    groups_of,
    measures_of,
)
from sklearn_rank.experiments._recommender_families import (
    BASELINES,
    NMF_STEPS,
    POPULARITY,
    as_known_recommender,
    recommenders_to_try,
)
from sklearn_rank.experiments._run_candidates import (
    OnProgress,
    Run,
    Runner,
    breadth_first,
    warn_of_failures,
)
from sklearn_rank.experiments._search import SearchResult
from sklearn_rank.experiments._split_summary import SplitSummary

SEARCHES = ("grid", "halving")
FEW_STEPS = f"Maximum number of iterations {NMF_STEPS} reached"


def tune_models(
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    user: Any = None,
    item: Any = None,
    time: Any = None,
    models: Any = None,
    metrics: Any = "ndcg@10",
    min_relevance: float | None = None,
    cv: Any = None,
    n_splits: int = 3,
    test_size: float | None = 0.2,
    test: Any = None,
    search: str = "grid",
    n_candidates: int | None = None,
    time_budget: float | None = None,
    refit: bool = True,
    error_score: Any = np.nan,
    n_jobs: int | None = None,
    memory: Any = None,
    on_progress: OnProgress | None = None,
    random_state: Any = 0,
) -> ModelTuning:
    """Tune recommenders or rankers, and say which is really best.

    Rows are held out. On the rest, each candidate of each model is fitted and scored on
    folds. The best of each model, and simple baselines, are fitted on all of the rest and
    judged on the rows held out, user by user or query by query. The folds choose; the rows
    held out judge, and never choose.

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
        Columns of X: the models are recommenders. None: the columns named ``user`` or
        ``user_id``, ``item`` or ``item_id``, where there are no groups. They are never
        guessed by place.
    time : str or int, default=None
        Column of X with the time of each interaction.
    models : dict, sequence of str or None, default=None
        A dict from name to an estimator, or to a tuple of an estimator and its grid. Or
        some names of :func:`default_models`; None: all of these. Baselines are judged
        always: popularity, plain and with the best half-life; for rankers all scores
        equal.
    metrics : str, callable, sequence of these, or scorer, default="ndcg@10"
        What decides; further metrics are shown beside it. Or a scorer of
        :func:`make_recommender_scorer` or :func:`make_ranking_scorer`, which says
        candidates, exclusions and columns itself.
    min_relevance : float, default=None
        Lowest rating of an interaction that counts as relevant. None: any above 0.
    cv : {"time", "last", "random", "user"} or splitter, default=None
        Folds of a log: windows of time, the last rows of each user, random rows of each
        user, or some rows of some users. None: ``"time"``. Rankers: folds of whole
        queries. A splitter makes the folds as it does elsewhere.
    n_splits : int, default=3
        Number of folds.
    test_size : float, default=0.2
        Share held out: the newest rows, or by `cv` random ones, or of the users; of
        queries, drawn at random. None holds nothing out and compares nothing.
    test : tuple, default=None
        ``(X, y)`` or ``(X, y, groups)`` to judge on, in place of a share. `y` may be None
        for a log.
    search : {"grid", "halving"}, default="grid"
        Try all candidates on all folds; or all on the newest fold, the best third of each
        model on two, and so on, which takes about half of the fits.
    n_candidates : int, default=None
        Draw so many candidates of each grid, which may then hold distributions.
    time_budget : float, default=None
        Seconds for the search. No fit starts later; only candidates that finished all
        folds count. The first one always runs to its end.
    refit : bool, default=True
        Whether to fit the winner on all rows of X, as ``best_estimator_``.
    error_score : nan or "raise", default=np.nan
        NaN records a candidate that raises, with a warning a model, and goes on.
    n_jobs : int, default=None
        Fits that run at once, in threads. None is 1, -1 as many as there are cores.
        Results do not depend on it.
    memory : str or joblib.Memory, default=None
        Where scores of candidates and folds are kept, so that a second run fits only what
        is new.
    on_progress : callable, default=None
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
        If X is not in memory, or `metrics` is no metric or scorer of this package.
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
    Held-out rows of users without a past, and rows that repeat an item of their user, do
    not count: no model could be told from another by them. p-values are of paired t tests
    of all pairs, corrected by Holm.

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
    given = {name: value for name, value in locals().items() if name not in _DATA}
    plan = plan_tuning(X, y, groups=groups, test=test, **given)
    return plan.run(on_progress)


# Arguments that hold data, or what is no setting.
_DATA = ("X", "y", "groups", "test", "on_progress")


@dataclass(frozen=True)
class TuningPlan:
    """All that a search needs; what is wrong with the arguments came up already."""

    whole: Part
    train: Part
    test: Part | None
    split: SplitSummary | None  # None where nothing is held out
    folds: list[tuple[np.ndarray, np.ndarray]]  # rows of train
    folds_are: str  # of what the folds are, in words
    measures: Measures
    families: list[Family]  # in the order in which results show them
    added: list[Family]  # baselines that nobody asked for, which are judged all the same
    left_out: list[str]  # remarks on models that are not tried
    n_items: int | None  # the longest list, where it is known
    arguments: Mapping[str, Any]

    def run(self, on_progress: OnProgress | None = None) -> ModelTuning:
        """Return what the search and the judgment find."""
        with warnings.catch_warnings():
            # The NMF of default_models takes so few steps on purpose.
            warnings.filterwarnings("ignore", FEW_STEPS, ConvergenceWarning)
            if self.n_items is not None:
                # What no candidate can hit is counted in `split_`.
                warnings.simplefilter("ignore", MisleadingScoreWarning)
            return self._run(on_progress)

    def _run(self, on_progress: OnProgress | None) -> ModelTuning:
        found, added = self._search(on_progress)
        finalists = finalists_of(found, added)
        judged, models = {}, {}
        if self.test is not None:
            models = fit_finalists(
                finalists,
                self.train,
                self.measures,
                self.arguments["n_jobs"],
                stops_at_error=self._stops_at_error,
            )
            judged = self._judge(models, self.test)
        best = None
        if self.arguments["refit"]:
            winner = found.candidates[found.best_index]
            best = self.whole.fit(winner.make(), self.measures.scorer)
        return ModelTuning(
            judged,
            search=found,
            finalists=finalists,
            settings=self._settings(),
            split=self.split,
            left_out=self.left_out,
            models=models,
            best_estimator=best,
        )

    @property
    def _stops_at_error(self) -> bool:
        return isinstance(self.arguments["error_score"], str)

    def _judge(self, models: Mapping[str, Any], test: Part) -> dict[str, Judged]:
        n_jobs = self.arguments["n_jobs"]
        return judge_finalists(models, test, self.measures, self.n_items, n_jobs)

    def _search(
        self, on_progress: OnProgress | None
    ) -> tuple[SearchResult, SearchResult | None]:
        """Return what was found of the candidates, and of baselines nobody asked for."""
        n_candidates, seed = self.arguments["n_candidates"], self.arguments["random_state"]
        own = [c for f in self.families for c in f.candidates(n_candidates, seed)]
        others = [c for f in self.added for c in f.candidates(None, seed)]
        runner = Runner(
            [*own, *others],
            FoldScores(self.train, self.folds, self.measures, self.arguments["memory"]),
            n_jobs=self.arguments["n_jobs"],
            time_budget=self.arguments["time_budget"],
            stops_at_error=self._stops_at_error,
            on_progress=on_progress,
            first=next(breadth_first(own, range(len(own)))),
        )
        metric = self.measures.main.name
        is_grid = self.arguments["search"] == "grid"
        run = runner.grid() if is_grid else runner.halving(metric)
        _check_some_worked(own, run)
        warn_of_failures(runner.candidates, run, stacklevel=4)
        found = SearchResult(own, _part_of(run, 0, len(own)), self.measures.names, self._n)
        if not others:
            return found, None
        rest = _part_of(run, len(own), len(others))
        return found, SearchResult(others, rest, self.measures.names, self._n)

    @property
    def _n(self) -> int:
        return len(self.folds)

    def _settings(self) -> dict[str, Any]:
        given = {k: v for k, v in self.arguments.items() if k not in ("models", "memory")}
        return {
            **given,
            "models": [family.name for family in self.families],
            "metrics": self.measures.names,
            "lower_is_better": sorted(self.measures.lower_is_better),
            "curve_metric": self.measures.curve_metric,
            "unit": "user" if self.n_items is not None else "query",
            "folds_are": self.folds_are,
            "confidence_level": 0.95,
        }


def plan_tuning(X: Any, y: Any, *, groups: Any, test: Any, **given: Any) -> TuningPlan:
    """Read the data and the arguments; raise where something is wrong with them."""
    _check_arguments(given, test)
    X = check_in_memory(X)
    metrics = given["metrics"]
    columns = columns_of(X, groups, given["user"], given["item"], given["time"], metrics)
    measures = measures_of(metrics, columns)
    if columns is None:
        return _plan_queries(X, y, groups_of(X, groups, metrics), test, measures, given)
    return _plan_log(X, y, columns, test, measures, given)


def _plan_log(
    X: Any,
    y: Any,
    columns: Columns,
    test: Any,
    measures: Measures,
    given: dict[str, Any],
) -> TuningPlan:
    seed, share, cv = given["random_state"], given["test_size"], given["cv"]
    hold_out = read_hold_out(cv, columns.get("time"))
    if not hold_out.uses_times and columns.get("time") is not None:
        columns = {name: columns[name] for name in ("user", "item")}
    data = read_interactions(X, y, columns, given["min_relevance"])
    check_size(data)
    check_newest(data)
    train, judged, split = data, None, None
    if test is not None:
        X_test, y_test = (*test, None)[:2]
        read = read_interactions(
            check_in_memory(X_test), y_test, columns, given["min_relevance"]
        )
        judged, split = judge_given(data, read)
    elif share is not None:
        train, judged, split = cut_log(data, hold_out, share, seed)
    folds = folds_of(train, hold_out, cv, given["n_splits"], share, seed)
    facts = facts_of(train, folds)
    made = given["models"]
    left_out: list[str] = []
    if not isinstance(made, Mapping):
        made, left_out = recommender_models(facts, made)
    families = [
        as_known_recommender(with_columns(family, facts.columns), facts.size)
        for family in _families(made, given)
    ]
    baselines = recommenders_to_try([POPULARITY], facts)
    own = {family.name for family in families}
    added = [
        as_known_recommender(read_family(name, one), facts.size)
        for name, one in baselines.items()
        if name not in own
    ]
    assert {family.name for family in added} <= set(BASELINES)
    return TuningPlan(
        whole=data.part(),
        train=train.part(),
        test=None if judged is None else judged.part(),
        split=split,
        folds=folds,
        folds_are=hold_out.folds,
        measures=measures,
        families=families,
        added=added,
        left_out=left_out,
        n_items=facts.size.n_items,
        arguments=given,
    )


def _plan_queries(
    X: Any, y: Any, groups: Any, test: Any, measures: Measures, given: dict[str, Any]
) -> TuningPlan:
    if isinstance(given["cv"], str):
        raise ValueError(
            f"`cv={given['cv']!r}` cuts a log; of queries give a splitter such as "
            "GroupKFold(5), or None."
        )
    if given["min_relevance"] is not None:
        raise ValueError(
            "`min_relevance` goes with a log; for rankers name it in the metric, such as "
            f"'map(min_relevance={given['min_relevance']:g})'."
        )
    data = read_queries(X, y, groups, measures.main)
    train, judged, split = data, None, None
    if test is not None:
        if len(test) != 3:
            raise ValueError(
                f"`test` needs (X, y, groups) for rankers, got {len(test)} values."
            )
        X_test, y_test, groups_test = test
        X_test = check_in_memory(X_test)
        judged = read_queries(X_test, y_test, groups_test, measures.main)
        split = summary_of(data, judged, None)
    elif given["test_size"] is not None:
        train, judged, split = cut_queries(data, given["test_size"], given["random_state"])
    folds = folds_of_queries(train, given["cv"], given["n_splits"], measures.main)
    made = given["models"]
    left_out: list[str] = []
    if not isinstance(made, Mapping):
        made, left_out = ranker_models(X, made)
    families = [as_known_ranker(family) for family in _families(made, given)]
    added = []
    if EQUAL not in made:
        equal = rankers_to_try([])[EQUAL]
        added = [as_known_ranker(read_family(EQUAL, equal))]
    return TuningPlan(
        whole=data.part,
        train=train.part,
        test=None if judged is None else judged.part,
        split=split,
        folds=folds,
        folds_are=" of whole queries",
        measures=measures,
        families=families,
        added=added,
        left_out=left_out,
        n_items=None,
        arguments=given,
    )


def _families(made: Mapping[str, Any], given: dict[str, Any]) -> list[Family]:
    if not made:
        raise ValueError("`models` is empty; give at least one model, or None.")
    families = [read_family(name, one) for name, one in made.items()]
    check_distributions(families, given["n_candidates"])
    return families


def _check_arguments(given: dict[str, Any], test: Any) -> None:
    check_integer("n_splits", given["n_splits"])
    check_option("search", given["search"], SEARCHES)
    if given["test_size"] is not None:
        needed = "a share above 0 and below 1, or None"
        check_real("test_size", given["test_size"], needed, above=0, below=1)
    if test is not None and not (isinstance(test, tuple | list) and len(test) in (2, 3)):
        raise TypeError(
            "`test` must be (X, y) or (X, y, groups), got " + shorten(test) + "."
        )
    if given["n_candidates"] is not None:
        check_integer("n_candidates", given["n_candidates"])
    if given["time_budget"] is not None:
        needed = "a number of seconds, 0 or more, or None"
        if check_real("time_budget", given["time_budget"], needed) < 0:
            raise ValueError(
                f"`time_budget` must be {needed}, got {shorten(given['time_budget'])}."
            )
    error_score = given["error_score"]
    is_nan = isinstance(error_score, float) and np.isnan(error_score)
    if not is_nan and error_score != "raise":
        raise ValueError(
            f"`error_score` must be nan or 'raise', got {shorten(error_score)}."
        )


def _check_some_worked(own: Sequence[Any], run: Run) -> None:
    """Raise the first error where nothing but baselines is left."""
    failed = [place for place in sorted(run.failures) if place < len(own)]
    tuned = [i for i, candidate in enumerate(own) if not candidate.family.is_baseline]
    if failed and (
        set(tuned or range(len(own))) <= set(failed)
        or not any(len(run.found[i]) for i in range(len(own)))
    ):
        error = run.failures[failed[0]]
        error.add_note(
            f"{counted(len(failed), 'candidate')} failed, the first of "
            f"{own[failed[0]].family.name!r}; no model but baselines is left."
        )
        raise error


def _part_of(run: Run, start: int, n: int) -> Run:
    """Return what became of some candidates."""
    failures = {
        place - start: error
        for place, error in run.failures.items()
        if start <= place < start + n
    }
    return Run(run.found[start : start + n], failures, run.was_stopped)
