"""TuningPlan: all that a search needs, and the search and judgment themselves."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from sklearn_rank._text._wording import counted
from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.experiments._data_part import DataPart, Folds
from sklearn_rank.experiments._families import (
    Family,
)
from sklearn_rank.experiments._finalists import (
    finalists_of,
    fit_finalists,
    judge_finalists,
)
from sklearn_rank.experiments._fold_scores import FoldScores
from sklearn_rank.experiments._measures import Measures
from sklearn_rank.experiments._model_tuning import ModelTuning
from sklearn_rank.experiments._recommender_families import (
    NMF_STEPS,
)
from sklearn_rank.experiments._run_candidates import (
    CandidateRun,
    Progress,
    Runner,
    breadth_first,
    warn_of_failures,
)
from sklearn_rank.experiments._search_candidates import SearchResult
from sklearn_rank.experiments._split_summary import SplitSummary

FEW_STEPS = f"Maximum number of iterations {NMF_STEPS} reached"


@dataclass(frozen=True)
class TuningPlan:
    """All that a search needs; the arguments are checked already."""

    whole: DataPart
    train: DataPart
    test: DataPart | None
    split: SplitSummary | None  # None where nothing is held out
    folds: Folds  # rows of train
    folds_are: str  # what the folds consist of, in words
    measures: Measures
    families: list[Family]  # in the order in which results show them
    added: list[Family]  # baselines to judge that `models` does not name
    left_out: list[str]  # remarks on models that are not tried
    k: int | None  # the longest list, where it is known
    arguments: Mapping[str, Any]

    def __post_init__(self) -> None:
        if self.arguments["choose"] == "one-se" and self._n < 2:
            raise ValueError(
                "`choose` one-se needs two folds or more, for a standard error; got "
                f"{counted(self._n, 'fold')}. Raise `n_splits`, or choose the best."
            )

    def run(self, progress: Progress | None = None) -> ModelTuning:
        """Run the search, and judge the finalists."""
        with warnings.catch_warnings():
            # The NMF of default_models takes so few steps on purpose.
            warnings.filterwarnings("ignore", FEW_STEPS, ConvergenceWarning)
            if self.k is not None:
                # `split_` counts the items that no candidate knows.
                warnings.simplefilter("ignore", MisleadingScoreWarning)
            return self._run(progress)

    def _run(self, progress: Progress | None) -> ModelTuning:
        found, added = self._search(progress)
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
            judged = judge_finalists(
                models, self.test, self.measures, self.k, self.arguments["n_jobs"]
            )
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

    def _search(
        self, progress: Progress | None
    ) -> tuple[SearchResult, SearchResult | None]:
        """Return the results of the candidates, and of the added baselines."""
        n_candidates, seed = self.arguments["n_candidates"], self.arguments["random_state"]
        own = [c for f in self.families for c in f.candidates(n_candidates, seed)]
        others = [c for f in self.added for c in f.candidates(None, seed)]
        runner = Runner(
            [*own, *others],
            FoldScores(self.train, self.folds, self.measures, self.arguments["memory"]),
            n_jobs=self.arguments["n_jobs"],
            time_budget=self.arguments["time_budget"],
            stops_at_error=self._stops_at_error,
            progress=progress,
            first=next(breadth_first(own, range(len(own)))),
        )
        metric = self.measures.main.name
        is_grid = self.arguments["search"] == "grid"
        run = runner.grid() if is_grid else runner.halving(metric)
        _check_some_worked(own, run)
        warn_of_failures(runner.candidates, run)
        told = self.measures.names, self._n
        part, choose = _part_of(run, 0, len(own)), self.arguments["choose"]
        found = SearchResult(own, part, *told, choose)
        if not others:
            return found, None
        rest = _part_of(run, len(own), len(others))
        return found, SearchResult(others, rest, *told)

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
            "unit": "user" if self.k is not None else "query",
            "folds_are": self.folds_are,
            "confidence_level": 0.95,
        }


def _check_some_worked(own: Sequence[Any], run: CandidateRun) -> None:
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


def _part_of(run: CandidateRun, start: int, n: int) -> CandidateRun:
    """Return the run of some candidates."""
    failures = {
        place - start: error
        for place, error in run.failures.items()
        if start <= place < start + n
    }
    return CandidateRun(run.found[start : start + n], failures, run.was_stopped)
