"""What a search over folds found, and the finalists: the best candidate of each model."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.utils.parallel import Parallel, delayed

from sklearn_rank._base._messages import quantity, warn_caller
from sklearn_rank.experiments._fold_scores import DataPart, FoldScores, Judged, Measures
from sklearn_rank.experiments._progress_lines import ProgressLines
from sklearn_rank.experiments._read_data import TuningOptions
from sklearn_rank.experiments._run_candidates import (
    CandidateRun,
    Progress,
    Runner,
    group_by_model,
    order_breadth_first,
    use_threads,
    warn_of_failures,
)
from sklearn_rank.experiments._search_space import Candidate


@dataclass(frozen=True)
class SearchResult:
    """The candidates of a search and what they scored on the folds."""

    candidates: Sequence[Candidate]
    run: CandidateRun
    metrics: Sequence[str]  # the first decides
    n_folds: int
    choose: str = "best"  # or "one-se"

    @property
    def rank(self) -> np.ndarray:
        """The rank of each candidate from 1; those that did not finish come last."""
        return _rank(np.average(self._scores_on_folds(self.metrics[0]), axis=1))

    @property
    def best_index(self) -> int:
        """The index of the winner: the best, or the cheapest of the nearly best."""
        if self.choose == "best":
            return self.first_index
        gap, error = self.gaps
        near, rank = np.flatnonzero(gap <= error).tolist(), self.rank
        return min(near, key=lambda i: (self.candidates[i].space.cost, rank[i]))

    @property
    def first_index(self) -> int:
        """The index of the best candidate."""
        return int(self.rank.argmin())

    @property
    def gaps(self) -> tuple[np.ndarray, np.ndarray]:
        """How far each candidate is behind the best on folds, with the standard error."""
        folds = self._scores_on_folds(self.metrics[0])
        behind = folds[self.first_index] - folds
        gap = np.average(behind, axis=1)
        if self.n_folds < 2:
            return gap, np.full(len(gap), np.nan)
        return gap, behind.std(axis=1, ddof=1) / np.sqrt(self.n_folds)

    @property
    def second_index(self) -> int | None:
        """The index of the best finished candidate of another model, None without one."""
        best = self.candidates[self.first_index].space.name
        is_rival = np.array([c.space.name != best for c in self.candidates])
        near, rank = np.flatnonzero(is_rival & self.is_finished), self.rank
        return min(near.tolist(), key=lambda index: rank[index], default=None)

    @property
    def is_tried(self) -> np.ndarray:
        """Whether each candidate finished at least one fold, or failed."""
        return np.array([bool(scores) for scores in self.run.by_fold]) | self._has_failed

    @property
    def is_finished(self) -> np.ndarray:
        """Whether each candidate finished all folds."""
        return np.array([len(scores) == self.n_folds for scores in self.run.by_fold])

    @property
    def is_left_behind(self) -> np.ndarray:
        """Whether each candidate was tried only on some folds, without a failure."""
        return self.is_tried & ~self.is_finished & ~self._has_failed

    @property
    def _has_failed(self) -> np.ndarray:
        return np.isin(np.arange(len(self.candidates)), list(self.run.failures))

    def mean_of_best(self) -> float:
        """Return the mean over folds of the winner, negated where lower is better."""
        return float(np.average(self._scores_on_folds(self.metrics[0])[self.best_index]))

    def best_by_model(self) -> dict[str, Candidate]:
        """Return the best finished candidate of each model, best first."""
        best: dict[str, Candidate] = {}
        finished = self.is_finished
        for index in np.argsort(self.rank, kind="stable"):
            candidate = self.candidates[index]
            if finished[index]:
                best.setdefault(candidate.space.name, candidate)
        return best

    def cv_results(self, lower_is_better: Collection[str]) -> dict[str, Any]:
        """Return the results as scikit-learn's searches do, with the name of the model."""
        results: dict[str, Any] = self._times("fit_time") | self._times("score_time")
        results |= self._params()
        is_single = len(self.metrics) == 1
        for name in self.metrics:
            key = "score" if is_single else score_key(name, lower_is_better)
            results |= self._scores(name, key)
        return results

    def _params(self) -> dict[str, Any]:
        params = [{"model": c.space.name, **c.params} for c in self.candidates]
        results: dict[str, Any] = {}
        for name in dict.fromkeys(name for row in params for name in row):
            column = np.ma.masked_all(len(params), dtype=object)
            for index, row in enumerate(params):
                if name in row:
                    column[index] = row[name]
            results[f"param_{name}"] = column
        return {**results, "params": params}

    def _scores(self, metric: str, key: str) -> dict[str, Any]:
        folds = self._scores_on_folds(metric)
        means = np.average(folds, axis=1)
        return {
            **{f"split{i}_test_{key}": folds[:, i] for i in range(self.n_folds)},
            f"mean_test_{key}": means,
            f"std_test_{key}": folds.std(axis=1),
            f"rank_test_{key}": _rank(means),
        }

    def _times(self, name: str) -> dict[str, np.ndarray]:
        folds = self._values_on_folds(lambda score: getattr(score, name))
        valid = np.ma.masked_invalid(folds)
        times = {f"mean_{name}": valid.mean(axis=1), f"std_{name}": valid.std(axis=1)}
        return {key: values.filled(np.nan) for key, values in times.items()}

    def _scores_on_folds(self, metric: str) -> np.ndarray:
        """Return the score of each candidate on each fold, NaN if missing."""
        return self._values_on_folds(lambda score: score.scores[metric])

    def _values_on_folds(self, value_of: Any) -> np.ndarray:
        folds = np.full((len(self.candidates), self.n_folds), np.nan)
        for index, scores in enumerate(self.run.by_fold):
            for fold, score in scores.items():
                folds[index, fold] = value_of(score)
        return folds


def score_key(metric: str, lower_is_better: Collection[str]) -> str:
    """Return the key of scores, with the sign that makes higher better."""
    return f"neg_{metric}" if metric in lower_is_better else metric


def _rank(means: np.ndarray) -> np.ndarray:
    """Return ranks from 1, equal ones for equal means; NaN comes last."""
    return rankdata(np.where(np.isnan(means), np.inf, -means), "min").astype(np.int32)


def search_candidates(
    own: Sequence[Candidate],
    others: Sequence[Candidate],
    scores: FoldScores,
    options: TuningOptions,
    progress: Progress | None,
    may_stop: bool,
    lines: ProgressLines,
) -> tuple[SearchResult, SearchResult]:
    """Return the results of the candidates, and of others, the added baselines."""
    first = next(order_breadth_first(own, range(len(own))))
    runner = Runner([*own, *others], scores, options, first, progress, may_stop, lines)
    metric = scores.measures.main.name
    run = runner.run_grid() if options.search == "grid" else runner.run_halving(metric)
    _check_some_finished(own, run)
    warn_of_failures(runner.candidates, run)
    shared = scores.measures.names, len(scores.folds)
    rest = _select_run(run, len(own), len(others))
    return (
        SearchResult(own, _select_run(run, 0, len(own)), *shared, options.choose),
        SearchResult(others, rest, *shared),
    )


def _check_some_finished(own: Sequence[Any], run: CandidateRun) -> None:
    """Raise the first error where nothing but baselines is left."""
    failed = [index for index in sorted(run.failures) if index < len(own)]
    tuned = [i for i, candidate in enumerate(own) if not candidate.space.is_baseline]
    if failed and (
        set(tuned or range(len(own))) <= set(failed)
        or not any(len(run.by_fold[i]) for i in range(len(own)))
    ):
        error = run.failures[failed[0]]
        error.add_note(
            f"{quantity(len(failed), 'candidate')} failed, the first of "
            f"{own[failed[0]].space.name!r}; no model but baselines is left."
        )
        raise error


def _select_run(run: CandidateRun, start: int, n: int) -> CandidateRun:
    """Return the run of some candidates."""
    end, failures = start + n, run.failures.items()
    own = {index - start: error for index, error in failures if start <= index < end}
    return CandidateRun(run.by_fold[start:end], own, run.was_stopped)


# The finalists, fitted on the training rows and evaluated on the rows held out.


def select_finalists(search: SearchResult, added: SearchResult) -> dict[str, Candidate]:
    """Return the best of each model, the winner first; `added` are further baselines."""
    best = search.best_by_model()
    # NumPy has no mean of no candidates.
    more = added.best_by_model() if added.candidates else {}
    models = group_by_model(added.candidates, range(len(added.candidates)))
    for name, indices in models.items():
        # A model with a single candidate needs no finished fold.
        if len(indices) == 1:
            more.setdefault(name, added.candidates[indices[0]])
    return {**best, **more}


def fit_finalists(
    finalists: Mapping[str, Candidate],
    train: DataPart,
    measures: Measures,
    options: TuningOptions,
) -> dict[str, Any]:
    """Return the finalists by name, fitted on the training rows.

    One that cannot be fitted there is left out with a warning.
    """
    with use_threads(options.n_jobs):
        fitted = Parallel()(
            delayed(_fit_candidate)(candidate, train, measures, options.stops_at_error)
            for candidate in finalists.values()
        )
    models = {}
    for name, model in zip(finalists, fitted, strict=True):
        if isinstance(model, Exception):
            warn_caller(
                f"{name} is not evaluated: on all training rows it failed with "
                f"{type(model).__name__}: {model}."
            )
        else:
            models[name] = model
    if not models:
        raise fitted[0]
    return models


def evaluate_finalists(
    models: Mapping[str, Any],
    test: DataPart,
    measures: Measures,
    k: int | None,
    n_jobs: int | None,
    lines: ProgressLines,
) -> dict[str, Judged]:
    """Return what the fitted models score on the rows held out."""
    lines.begin("Evaluating", dict.fromkeys(models, 1))

    def evaluate(name: str) -> Judged:
        judged = measures.evaluate(models[name], test, k)
        lines.add(name, name, judged.means[measures.main.name])
        return judged

    with use_threads(n_jobs):
        evaluated = Parallel()(delayed(evaluate)(name) for name in models)
    lines.end()
    if measures.main.summary.per_query:
        # Whether a metric of the lists is defined for a query depends on the model.
        values = [row.values.scores[measures.main.name] for row in evaluated]
        has_value = ~np.isnan(values).all(axis=0)
        evaluated = [replace(row, values=row.values.of(has_value)) for row in evaluated]
    return dict(zip(models, evaluated, strict=True))


def _fit_candidate(
    candidate: Candidate, train: DataPart, measures: Measures, stops_at_error: bool
) -> Any:
    try:
        return train.fit(candidate.make(), measures.scorer)
    except Exception as error:
        if stops_at_error:
            raise
        return error
