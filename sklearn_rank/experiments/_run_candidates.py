"""The runs of candidates on folds: one of each model in turn, until the time is up."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from math import ceil
from threading import Lock
from time import monotonic
from typing import Any

import numpy as np
from joblib import cpu_count, parallel_config
from sklearn.utils.parallel import Parallel, delayed

from sklearn_rank._base._messages import warn_caller
from sklearn_rank.experiments._fold_scores import FoldScore, FoldScores
from sklearn_rank.experiments._progress_lines import ProgressLines
from sklearn_rank.experiments._read_data import TuningOptions
from sklearn_rank.experiments._search_space import Candidate

# The share of the candidates of a model that halving keeps for the next fold.
KEPT = 1 / 3

Candidates = Sequence[Candidate]

# A callback with done, total, share, model and score; True stops the search.
Progress = Callable[..., Any]


@dataclass
class CandidateRun:
    """The scores and failures of the candidates."""

    by_fold: list[dict[int, FoldScore]]  # one dict per candidate, by fold
    failures: dict[int, Exception] = field(default_factory=dict)  # by candidate
    was_stopped: bool = False

    def mean(self, candidate: int, metric: str, folds: Iterable[int]) -> float:
        """Return the mean of a candidate over folds, NaN where one is missing."""
        by_fold = self.by_fold[candidate]
        scores = [by_fold[f].scores[metric] if f in by_fold else np.nan for f in folds]
        return float(np.mean(scores))


@dataclass
class Runner:
    """Runs candidates on folds, one candidate of each model in turn."""

    candidates: Candidates
    scores: FoldScores
    options: TuningOptions
    first: int  # this candidate ignores the time budget
    progress: Progress | None
    # Then some of each model have to be finished; else those that share work follow one
    # another.
    may_stop: bool
    lines: ProgressLines

    def __post_init__(self) -> None:
        """Start the clock of the time budget."""
        budget = self.options.time_budget
        self.may_stop = self.may_stop or budget is not None
        self._end = np.inf if budget is None else monotonic() + budget
        self.run = CandidateRun([{} for _ in self.candidates])
        self._lock = Lock()
        self._done, self._total = 0, 0
        self._cost_done, self._cost = 0.0, 0.0

    def run_grid(self) -> CandidateRun:
        """Run all candidates on all folds."""
        folds = range(len(self.scores.folds))
        alive = range(len(self.candidates))
        self._expect(dict.fromkeys(alive, len(folds)))
        if self.may_stop:
            order = order_breadth_first(self.candidates, alive)
            self._run_jobs([(candidate, fold) for candidate in order for fold in folds])
        else:
            for fold in folds:
                self._run_fold(alive, fold)
        self.lines.end()
        return self.run

    def run_halving(self, metric: str) -> CandidateRun:
        """Run all on the newest fold, the best third of each model on two, and so on."""
        n_folds = len(self.scores.folds)
        alive = list(range(len(self.candidates)))
        self._expect(_count_folds_of_halving(self.candidates, n_folds))
        done: list[int] = []
        for fold in reversed(range(n_folds)):
            self._run_fold(alive, fold)
            done.append(fold)
            alive = self._keep_best(alive, metric, done)
        self.lines.end()
        return self.run

    def _run_fold(self, alive: Iterable[int], fold: int) -> None:
        """Run candidates on a fold; model by model if nothing may stop the search."""
        if self.may_stop:
            batches = [list(order_breadth_first(self.candidates, alive))]
        else:
            batches = [
                sorted(own, key=self._order_of_work)
                for own in group_cheap_first(self.candidates, alive)
            ]
            order = [candidate for own in batches for candidate in own]
            if n_threads(self.options.n_jobs) > 1:  # jobs of several models run at once
                batches = [order]
        for batch in batches:
            self._run_jobs([(candidate, fold) for candidate in batch])
            if not self.may_stop:
                self.scores.forget_models()
        if not self.may_stop:
            self.scores.forget()

    def _order_of_work(self, candidate: int) -> tuple:
        """Return a key that sorts candidates so that those that share work are neighbors.

        Of equal weights the one with most neighbors is first: the others need the nearest
        of them.
        """
        estimator = self.candidates[candidate].space.estimator
        params = {**vars(estimator), **self.candidates[candidate].params}
        n_neighbors = params.get("n_neighbors")
        n = n_neighbors if isinstance(n_neighbors, int) else 0
        names = getattr(estimator, "_weighed_by", ())
        return *(str(params.get(name)) for name in names), -n, candidate

    def _keep_best(self, alive: list[int], metric: str, folds: list[int]) -> list[int]:
        kept: list[int] = []
        for members in group_by_model(self.candidates, alive).values():
            means = [self.run.mean(candidate, metric, folds) for candidate in members]
            best = np.argsort(-np.array(means), kind="stable")  # NaN comes last
            kept += [members[index] for index in best[: ceil(KEPT * len(members))]]
        return sorted(kept)

    def _expect(self, folds: dict[int, int]) -> None:
        """Record the expected work: the number of folds by candidate."""
        self._total = sum(folds.values())
        self._cost = sum(self.candidates[c].space.cost * n for c, n in folds.items())
        of_model: Counter[str] = Counter()
        for candidate, n in folds.items():
            of_model[self.candidates[candidate].space.name] += n
        self.lines.begin("Tuning", of_model)

    def _run_jobs(self, jobs: list[tuple[int, int]]) -> None:
        """Run pairs of a candidate and a fold, several at the same time."""
        with use_threads(self.options.n_jobs):
            Parallel()(delayed(self._run_job)(candidate, fold) for candidate, fold in jobs)

    def _run_job(self, candidate: int, fold: int) -> None:
        score = None
        if candidate not in self.run.failures:
            if not self._may_start(candidate):
                return
            try:
                score = self.scores.score(self.candidates[candidate].make(), fold)
                self.run.by_fold[candidate][fold] = score
            except Exception as error:
                if self.options.stops_at_error:
                    raise
                with self._lock:
                    self.run.failures.setdefault(candidate, error)
        self._advance(candidate, fold, score)

    def _may_start(self, candidate: int) -> bool:
        if candidate == self.first:
            return True
        if monotonic() >= self._end:
            self.run.was_stopped = True
        return not self.run.was_stopped

    def _advance(self, candidate: int, fold: int, fold_score: FoldScore | None) -> None:
        space = self.candidates[candidate].space
        with self._lock:
            self._done += 1
            self._cost_done += space.cost
            share = min(self._cost_done / self._cost, 1.0)
            score = np.nan if fold_score is None else next(iter(fold_score.scores.values()))
            self.lines.add(
                space.name,
                self.candidates[candidate].words,
                -score if self.scores.measures.main.lower_is_better else score,
                share=share,
                fold=f", fold {fold + 1}",
            )
            if self.progress is None:
                return
            wants_to_stop = self.progress(
                done=self._done,
                total=self._total,
                share=share,
                model=space.name,
                score=score,
            )
            self.run.was_stopped |= wants_to_stop is True


def group_by_model(candidates: Candidates, indices: Iterable[int]) -> dict[str, list[int]]:
    """Return indices of candidates by the name of their model."""
    models: dict[str, list[int]] = {}
    for index in indices:
        models.setdefault(candidates[index].space.name, []).append(index)
    return models


def order_breadth_first(candidates: Candidates, alive: Iterable[int]) -> Iterator[int]:
    """Yield one candidate of each model in turn, those of cheap models first."""
    for one_of_each in zip_longest(*group_cheap_first(candidates, alive)):
        yield from (index for index in one_of_each if index is not None)


def group_cheap_first(candidates: Candidates, alive: Iterable[int]) -> list[list[int]]:
    """Return indices of candidates by model, those of cheap models first."""
    models = group_by_model(candidates, alive).values()
    return sorted(models, key=lambda own: candidates[own[0]].space.cost)


def _count_folds_of_halving(candidates: Candidates, n_folds: int) -> Counter:
    """Return the number of folds that halving runs for each candidate.

    Candidates of a model have the same cost, so it does not matter which go on.
    """
    folds: Counter[int] = Counter()
    for members in group_by_model(candidates, range(len(candidates))).values():
        n_alive = len(members)
        for _ in range(n_folds):
            folds.update(members[:n_alive])
            n_alive = ceil(KEPT * n_alive)
    return folds


def use_threads(n_jobs: int | None) -> Any:
    """Return the setting for joblib.

    Threads are used because the fits spend their time in compiled code, share one table,
    and report progress.
    """
    return parallel_config(backend="threading", n_jobs=n_threads(n_jobs))


def n_threads(n_jobs: int | None) -> int:
    """Return the number of parallel fits; more than the cores would only take memory."""
    n_cores, wanted = cpu_count(), 1 if n_jobs is None else n_jobs
    return max(n_cores + 1 + wanted, 1) if wanted < 0 else min(wanted, n_cores)


def warn_of_failures(candidates: Candidates, run: CandidateRun) -> None:
    """Warn of candidates that could not be fitted or scored, once per model."""
    for name, indices in group_by_model(candidates, sorted(run.failures)).items():
        error = run.failures[indices[0]]
        warn_caller(
            f"{name}: {len(indices)} of its candidates failed, the first with "
            f"{type(error).__name__}: {error}. The search went on without them; "
            "error_score='raise' stops it."
        )
