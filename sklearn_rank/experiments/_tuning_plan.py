"""The plan of a search from data and options: what is held out, the folds, the models."""

import warnings
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from sklearn_rank._base._label_checks import check_paired
from sklearn_rank._base._messages import shorten, silence
from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.experiments._default_models import (
    ranker_spaces,
    read_models,
    recommender_spaces,
)
from sklearn_rank.experiments._default_recommenders import NMF_STEPS
from sklearn_rank.experiments._fold_scores import DataPart, Folds, FoldScores, Measures
from sklearn_rank.experiments._hold_outs import SplitSummary
from sklearn_rank.experiments._log_splits import describe_unused, split_log
from sklearn_rank.experiments._model_tuning import ModelTuning
from sklearn_rank.experiments._progress_lines import ProgressLines
from sklearn_rank.experiments._query_splits import split_queries
from sklearn_rank.experiments._read_data import (
    TuningOptions,
    find_columns,
    open_memory,
    read_groups,
    read_measures,
    read_rows,
)
from sklearn_rank.experiments._run_candidates import Progress
from sklearn_rank.experiments._search_candidates import (
    evaluate_finalists,
    fit_finalists,
    search_candidates,
    select_finalists,
)
from sklearn_rank.experiments._search_space import SearchSpace
from sklearn_rank.inputs._interaction_log import table_of

FEW_STEPS = f"Maximum number of iterations {NMF_STEPS} reached"


@dataclass(frozen=True)
class TuningPlan:
    """All that a search needs, checked, and the search itself."""

    all_rows: DataPart
    train: DataPart
    test: DataPart | None
    split: SplitSummary | None  # None where nothing is held out
    folds: Folds  # rows of train
    folds_are: str  # what the folds consist of, in words
    measures: Measures
    spaces: list[SearchSpace]  # in the order of the results
    added: list[SearchSpace]  # baselines to evaluate that `models` does not name
    left_out: list[str]  # remarks on models that are not tried
    k: int | None  # the longest list, where it is known
    options: TuningOptions

    def __post_init__(self) -> None:
        self.options.check_number_of_folds(len(self.folds))

    def run(
        self, progress: Progress | None = None, *, may_stop: bool = False, verbose: int = 0
    ) -> ModelTuning:
        """Run the search, and evaluate the finalists.

        `may_stop` says whether `progress` may stop the search.
        """
        lines = ProgressLines(verbose, self.measures.main)
        # `split_` counts the items that no candidate knows.
        unknown = nullcontext() if self.k is None else silence(MisleadingScoreWarning)
        with unknown, warnings.catch_warnings():
            # The NMF of default_models takes so few steps on purpose.
            warnings.filterwarnings("ignore", FEW_STEPS, ConvergenceWarning)
            return self._run(progress, may_stop, lines)

    def _run(
        self, progress: Progress | None, may_stop: bool, lines: ProgressLines
    ) -> ModelTuning:
        n_candidates, seed = self.options.n_candidates, self.options.random_state
        own = [c for f in self.spaces for c in f.candidates(n_candidates, seed)]
        more = [c for f in self.added for c in f.candidates(None, seed)]
        memory = open_memory(self.options.memory)
        scores = FoldScores(self.train, self.folds, self.measures, memory)
        search, added = search_candidates(
            own, more, scores, self.options, progress, may_stop, lines
        )
        finalists = select_finalists(search, added)
        evaluated, models = {}, {}
        if self.test is not None:
            models = fit_finalists(finalists, self.train, self.measures, self.options)
            evaluated = evaluate_finalists(
                models, self.test, self.measures, self.k, self.options.n_jobs, lines
            )
        best = None
        if self.options.refit:
            winner = search.candidates[search.best_index]
            best = self.all_rows.fit(winner.make(), self.measures.scorer)
        return ModelTuning(
            evaluated,
            search=search,
            finalists=finalists,
            settings=self._settings(),
            split=self.split,
            left_out=self.left_out,
            models=models,
            best_estimator=best,
        )

    def _settings(self) -> dict[str, Any]:
        # Not asdict, which would copy what it holds.
        options = vars(self.options).items()
        return {
            **{k: v for k, v in options if k not in ("models", "memory")},
            "models": [space.name for space in self.spaces],
            "metrics": self.measures.names,
            "lower_is_better": sorted(self.measures.lower_is_better),
            "curve_metric": self.measures.curve_metric,
            "unit": "user" if self.k is not None else "query",
            "folds_are": self.folds_are,
            "unused": describe_unused(self.all_rows.X),
            "confidence_level": 0.95,
        }


def plan_tuning(X: Any, y: Any, *, groups: Any, test: Any, **options: Any) -> TuningPlan:
    """Read the data; raise where something is wrong with them, or with the options."""
    asked = TuningOptions(**options)
    X = read_rows(X)
    check_paired({"X": X, "y": y, "groups": groups})
    metrics = asked.metrics
    columns = find_columns(X, groups, asked.user, asked.item, asked.time, metrics)
    sizes = (3,) if columns is None else (2, 3)
    if test is not None and not (isinstance(test, tuple | list) and len(test) in sizes):
        needed = "(X, y, groups)" if columns is None else "(X, y)"
        raise TypeError(f"`test` must be {needed}, got {shorten(test)}.")
    if test is not None:
        check_paired({f"test[{index}]": values for index, values in enumerate(test)})
        test = read_rows(test[0]), *test[1:]
    data = [(X, y)] if test is None else [(X, y), test[:2]]
    measures = read_measures(metrics, columns, *(table_of(*part)[1] for part in data))
    models = read_models(asked, columns)
    if columns is None:
        _check_options_of_queries(asked)
        labels = read_groups(X, groups, metrics)
        parts = split_queries(X, y, labels, test, measures.main, asked)
        plan = {**parts, **ranker_spaces(X, models), "k": None}
    else:
        parts, log = split_log(X, y, columns, test, asked)
        plan = {**parts, **recommender_spaces(log, models), "k": log.size.n_items}
    return TuningPlan(measures=measures, options=asked, **plan)


def _check_options_of_queries(options: TuningOptions) -> None:
    for name, is_given, advice in (
        ("cv", isinstance(options.cv, str), "give a splitter such as GroupKFold(5)"),
        ("exclude_seen", not options.exclude_seen, "leave it out"),
        ("min_relevance", options.min_relevance is not None, "name it in the metric"),
    ):
        if is_given:
            value = shorten(getattr(options, name))
            raise ValueError(f"`{name}={value}` goes with a log; for rankers {advice}.")
