"""What a model scores: on a fold, with an optional cache on disk, or on test rows."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from time import perf_counter
from typing import Any

import joblib
import numpy as np
from sklearn import config_context
from sklearn.model_selection import KFold
from sklearn.utils.validation import has_fit_parameter

from sklearn_rank.inputs._columns import take_rows
from sklearn_rank.inputs._interaction_log import Log, count_rows_of, table_of
from sklearn_rank.inputs._kept import Kept
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._mean_intervals import Average, average_of
from sklearn_rank.metrics._core._metric import BoundMetric
from sklearn_rank.metrics._core._per_query import replace_scores
from sklearn_rank.metrics._core._query_functions import names_of_functions
from sklearn_rank.metrics._core._registry import parse_metric, parse_metrics
from sklearn_rank.metrics._core._report import ReportRow
from sklearn_rank.metrics._results._ranking_report import DEFAULT_METRICS, expand_cutoffs
from sklearn_rank.model_selection._cross_validate_per_query import (
    RoutedData,
    route_metadata,
)
from sklearn_rank.recommenders import RecommenderMixin

# Of each fold the rows to fit on and to test on.
Folds = list[tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class DataPart:
    """Some rows of the data."""

    X: Any  # a log, or a table with the y and the groups of its rows
    y: Any = None
    groups: Any = None
    counts: np.ndarray | None = None  # mask of the rows to test on; if None, all

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return count_rows_of(self.X)

    def take(self, rows: np.ndarray) -> "DataPart":
        """Return some of the rows."""
        values = (self.X, self.y, self.groups, self.counts)
        return DataPart(*(None if of is None else take_rows(of, rows) for of in values))

    def log_of(self, rows: np.ndarray) -> Log | None:
        """Return some rows of a log for several fits, None of a table."""
        return self.X[rows]._replace(kept=Kept()) if isinstance(self.X, Log) else None

    def fit(
        self,
        estimator: Any,
        scorer: Any,
        rows: np.ndarray | None = None,
        log: Log | None = None,
    ) -> Any:
        """Return the estimator, fitted on the rows, or on all; `log` are these rows."""
        with _routing_for(estimator):
            if isinstance(self.X, Log) and reads_logs(estimator):
                return estimator.fit(self.X if log is None else log)
            rows = np.arange(self.n_rows) if rows is None else rows
            return self._route(estimator, scorer).fit(estimator, rows)

    def judged(self, rows: np.ndarray | None = None) -> np.ndarray:
        """Return the rows to test on, of some or of all."""
        rows = np.arange(self.n_rows) if rows is None else rows
        return rows if self.counts is None else rows[self.counts[rows]]

    def score(
        self,
        score: Callable,
        estimator: Any,
        scorer: Any,
        rows: np.ndarray | None = None,
        log: Log | None = None,
    ) -> Any:
        """Return what `score`, the scorer or a method of it, finds on rows that count.

        `log` are these rows.
        """
        rows = self.judged(rows)
        with _routing_for(estimator):
            if isinstance(self.X, Log) and reads_logs(estimator):
                return score(estimator, self.X[rows] if log is None else log)
            return self._route(estimator, scorer).score(score, estimator, rows)

    def _route(self, estimator: Any, scorer: Any) -> RoutedData:
        owner = "tune_models"
        routed = route_metadata(owner, estimator, scorer, KFold(), self.groups, {})
        return RoutedData(*table_of(self.X, self.y), routed)


@contextmanager
def _routing_for(estimator: Any) -> Iterator[None]:
    """Route groups through estimators that do not take them themselves: pipelines."""
    if has_fit_parameter(estimator, "groups"):
        yield
        return
    with config_context(enable_metadata_routing=True):
        yield


# The cutoffs of the usual metrics, which are reported beside those of the call.
CUTOFFS = (1, 5, 10, 20)


@dataclass(frozen=True)
class Judged:
    """What one model scores on the test rows, never negated."""

    values: PerQueryScores  # of the metrics asked for that have one per query
    means: dict[str, float]  # of all metrics asked for
    report: dict[str, dict[str, float]]  # usual metric -> mean, standard error, ...
    curve: list[float]  # means of the first metric at k = 1, 2, ...
    curve_averages: list[Average]  # what their intervals depend on


class Measures:
    """The metrics of a scorer; the first one decides."""

    def __init__(self, scorer: Any):
        # A scorer of this package: a MetricScorer with values per query.
        self.scorer = scorer
        self.main = scorer.named[0]

    @property
    def names(self) -> list[str]:
        """The names of the metrics."""
        return [metric.name for metric in self.scorer.named]

    @property
    def lower_is_better(self) -> set[str]:
        """The metrics whose lower values are better."""
        return {metric.name for metric in self.scorer.named if metric.lower_is_better}

    @property
    def curve_metric(self) -> str:
        """The metric of the curve, without its cutoff."""
        return self._metric_at(1).name_without_cutoff

    def scores(
        self, estimator: Any, part: DataPart, rows: np.ndarray, log: Log | None = None
    ) -> dict[str, float]:
        """Return the means on rows of a fold, negated if lower is better."""
        means: dict[str, float] = {}
        if self._per_query:
            scorer = self.scorer.with_metrics(self._per_query)
            means |= part.score(scorer.per_query, estimator, self.scorer, rows, log).mean()
        if self._overall:
            means |= self._overall_means(estimator, part, rows, log)
        lower = self.lower_is_better
        return {name: -means[name] if name in lower else means[name] for name in self.names}

    def evaluate(self, estimator: Any, part: DataPart, k: int | None = None) -> Judged:
        """Return what a model scores on the rows of a part that count.

        Lists are at most `k` long, all of them where it is known.
        """
        cutoffs = [at for at in CUTOFFS if k is None or at <= k]
        report = expand_cutoffs(parse_metrics(DEFAULT_METRICS), cutoffs)
        curve = [self._metric_at(at) for at in range(1, cutoffs[-1] + 1)]
        asked = self._per_query
        everything = {metric.name: metric for metric in (*report, *curve, *asked)}
        scorer = self.scorer.with_metrics(list(everything.values()))
        judged = part.score(scorer.per_query, estimator, self.scorer)
        summaries = judged.summaries()
        first = judged.scores.get(self.main.name, np.zeros(len(judged)))
        defined = judged.of(~np.isnan(first))
        means = {name: summary.result() for name, summary in defined.summaries().items()}
        scores = {
            n.name: np.where(np.isnan(first), np.nan, judged.scores[n.name]) for n in asked
        }
        values = replace_scores(judged, scores)
        if self._overall:
            means |= self._overall_means(estimator, part)
        return Judged(
            values,
            {name: means[name] for name in self.names},
            {n.name: ReportRow.from_summary(summaries[n.name]).cells() for n in report},
            [means[metric.name] for metric in curve],
            [average_of(defined, metric.name) for metric in curve],
        )

    @property
    def _per_query(self) -> list[BoundMetric]:
        """The metrics that have a value for each user or query."""
        return [metric for metric in self.scorer.named if metric.summary.per_query]

    @property
    def _overall(self) -> list[BoundMetric]:
        """The metrics that have one value for all users or queries together."""
        return [metric for metric in self.scorer.named if not metric.summary.per_query]

    def _overall_means(
        self,
        estimator: Any,
        part: DataPart,
        rows: np.ndarray | None = None,
        log: Log | None = None,
    ) -> dict[str, float]:
        """Return the metrics that have one value for all queries together."""
        scorer = self.scorer.with_metrics(self._overall)
        scores = part.score(scorer, estimator, self.scorer, rows, log)
        signed = zip(scorer.named, scores.values(), strict=True)
        return {m.name: -mean if m.lower_is_better else mean for m, mean in signed}

    def _metric_at(self, k: int) -> BoundMetric:
        """Return the first metric at a cutoff; nDCG if it has none or is not per query."""
        takes_k = self.main.metric.takes_k and self.main.summary.per_query
        return (self.main if takes_k else parse_metric("ndcg")).with_cutoff(k)


@dataclass(frozen=True)
class FoldScore:
    """What one fit and its score found."""

    scores: dict[str, float]  # metric -> higher is better
    fit_time: float
    score_time: float


@dataclass
class FoldScores:
    """Fits and scores candidates on folds of a part."""

    part: DataPart
    folds: Folds
    measures: Measures
    memory: Any  # a cache on disk, perhaps without a place

    def __post_init__(self) -> None:
        """Keep no log yet."""
        functions = names_of_functions(self.measures.scorer.named)
        if functions and self.memory.location is not None:
            raise ValueError(
                f"`memory` cannot tell when your function {functions[0]!r} changes; leave "
                "`memory` out, or name a metric such as 'ndcg@10'."
            )
        self._logs: dict[int, tuple[Log | None, Log | None]] = {}
        self._lock = Lock()

    def forget(self) -> None:
        """Forget the logs of folds, and what fits on them shared."""
        self._logs.clear()

    def forget_models(self) -> None:
        """Forget what models learned, before those of another name are fitted."""
        for train, _ in self._logs.values():
            if train is not None and train.kept is not None:
                train.kept.forget(but=("ages", "gram", "history", "order", "weights"))

    def _logs_of(self, fold: int) -> tuple[Log | None, Log | None]:
        """Return the rows of a fold, taken once for all candidates."""
        with self._lock:
            if fold not in self._logs:
                train, test = self.folds[fold]
                rows = train, self.part.judged(test)
                self._logs[fold] = self.part.log_of(rows[0]), self.part.log_of(rows[1])
            return self._logs[fold]

    def score(self, estimator: Any, fold: int) -> FoldScore:
        """Return the scores of an estimator, which is not fitted yet, on a fold."""
        if self.memory.location is None:
            return self._run(estimator, fold)
        cached = self.memory.cache(_fold_score, ignore=["run"])
        return cached(estimator, self._key_of_data, self.folds[fold], fold, run=self._run)

    @cached_property
    def _key_of_data(self) -> str:
        """Hash of all inputs of a score except the estimator and the fold."""
        part = self.part
        scorer = repr(self.measures.scorer)
        X, y = table_of(part.X, part.y)
        return joblib.hash((X, y, part.groups, part.counts, scorer))

    def _run(self, estimator: Any, fold: int) -> FoldScore:
        train, test = self.folds[fold]
        train_log, test_log = self._logs_of(fold)
        start = perf_counter()
        fitted = self.part.fit(estimator, self.measures.scorer, train, train_log)
        middle = perf_counter()
        scores = self.measures.scores(fitted, self.part, test, test_log)
        return FoldScore(scores, middle - start, perf_counter() - middle)


def reads_logs(estimator: Any) -> bool:
    """Return whether a recommender takes a log, and no part of it modifies what it reads.

    Classes of this package do not. Others may, such as a pipeline that scales X in place,
    or a subclass that scales what its base class learned. Within a recommender, those of
    scikit-learn do not either.
    """
    is_recommender = isinstance(estimator, RecommenderMixin)
    if not is_recommender or not _is_of("sklearn_rank", estimator):
        return False
    parts = list(estimator.get_params(deep=True).values())
    for part in parts:
        if isinstance(part, list | tuple):
            parts += part
    return all(
        _is_of("sklearn_rank", part) or _is_of("sklearn", part)
        for part in parts
        if hasattr(part, "fit")
    )


def _is_of(package: str, estimator: Any) -> bool:
    return type(estimator).__module__.partition(".")[0] == package


def _fold_score(
    estimator: Any, key: str, rows: tuple, fold: int, *, run: Callable[..., FoldScore]
) -> FoldScore:
    """Return what `run` finds; the arguments but `run` are the key of the cache."""
    return run(estimator, fold)
