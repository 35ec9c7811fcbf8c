"""What a model scores: on a fold, with an optional cache on disk, or on test rows."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

import joblib
import numpy as np
from sklearn import config_context
from sklearn.model_selection import KFold
from sklearn.utils.validation import has_fit_parameter

from sklearn_rank._base._machine import available_memory
from sklearn_rank._base._shared_work import SharedWork, shared, sharing
from sklearn_rank.inputs._columns import count_rows, take_rows
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._mean_intervals import Average, average_of
from sklearn_rank.metrics._core._metric import BoundMetric
from sklearn_rank.metrics._core._per_query import replace_scores
from sklearn_rank.metrics._core._registry import parse_metric, parse_metrics
from sklearn_rank.metrics._core._report import ReportRow
from sklearn_rank.metrics._results._ranking_report import DEFAULT_METRICS, expand_cutoffs
from sklearn_rank.model_selection._cross_validate_per_query import (
    RoutedData,
    route_metadata,
)
from sklearn_rank.recommenders import RecommenderMixin

# Results that fits on a fold share, and at most a tenth of the memory.
MOST_SHARED_BYTES = 2**29
# What no model of another name needs: what models learn, which takes most of the memory.
_LEARNED = (
    *("decomposition", "ease", "nearest_items", "nearest_users", "products"),
    *("similar_items", "similar_users", "slim", "user_factors"),
)

# Of each fold the rows to fit on and to test on.
Folds = list[tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class DataPart:
    """Some rows of the data."""

    X: Any
    y: Any = None
    groups: Any = None
    counts: np.ndarray | None = None  # mask of the rows to test on; None: all

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return count_rows(self.X, name="X")

    def take(self, rows: np.ndarray) -> "DataPart":
        """Return some of the rows."""
        y, groups, counts = (
            None if values is None else take_rows(values, rows)
            for values in (self.y, self.groups, self.counts)
        )
        return DataPart(take_rows(self.X, rows), y, groups, counts)

    def fit(self, estimator: Any, scorer: Any, rows: np.ndarray | None = None) -> Any:
        """Return the estimator, fitted on the rows, or on all."""
        rows = np.arange(self.n_rows) if rows is None else rows
        with _routing_for(estimator):
            return self._route(estimator, scorer).fit(estimator, rows)

    def score(
        self, score: Callable, estimator: Any, scorer: Any, rows: np.ndarray | None = None
    ) -> Any:
        """Return what `score`, the scorer or a method of it, finds on rows that count."""
        rows = np.arange(self.n_rows) if rows is None else rows
        if self.counts is not None:
            inputs = self.counts, rows
            rows = shared("judged", inputs, lambda: inputs[1][inputs[0][inputs[1]]])
        with _routing_for(estimator):
            return self._route(estimator, scorer).score(score, estimator, rows)

    def _route(self, estimator: Any, scorer: Any) -> RoutedData:
        owner = "tune_models"
        routed = route_metadata(owner, estimator, scorer, KFold(), self.groups, {})
        return RoutedData(self.X, self.y, routed)


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
        return [named.name for named in self.scorer.named]

    @property
    def lower_is_better(self) -> set[str]:
        """The metrics whose lower values are better."""
        return {named.name for named in self.scorer.named if named.lower_is_better}

    @property
    def curve_metric(self) -> str:
        """The metric of the curve, without its cutoff."""
        return self._metric_at(1).name_without_cutoff

    def scores(self, estimator: Any, part: DataPart, rows: np.ndarray) -> dict[str, float]:
        """Return the means on rows of a fold, negated if lower is better."""
        means: dict[str, float] = {}
        if self._per_query:
            some = self.scorer.with_metrics(self._per_query)
            means |= part.score(some.per_query, estimator, self.scorer, rows).mean()
        if self._overall:
            means |= self._overall_means(estimator, part, rows)
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
        everything = {named.name: named for named in (*report, *curve, *asked)}
        scorer = self.scorer.with_metrics(list(everything.values()))
        found = part.score(scorer.per_query, estimator, self.scorer)
        summaries = found.summaries()
        first = found.scores.get(self.main.name, np.zeros(len(found)))
        defined = found.of(~np.isnan(first))
        means = {name: summary.result() for name, summary in defined.summaries().items()}
        scores = {
            n.name: np.where(np.isnan(first), np.nan, found.scores[n.name]) for n in asked
        }
        values = replace_scores(found, scores)
        if self._overall:
            means |= self._overall_means(estimator, part)
        return Judged(
            values,
            {name: means[name] for name in self.names},
            {n.name: ReportRow.from_summary(summaries[n.name]).cells() for n in report},
            [means[named.name] for named in curve],
            [average_of(defined, named.name) for named in curve],
        )

    @property
    def _per_query(self) -> list[BoundMetric]:
        """The metrics that have a value for each user or query."""
        return [named for named in self.scorer.named if named.summary.per_query]

    @property
    def _overall(self) -> list[BoundMetric]:
        """The metrics that have one value for all users or queries together."""
        return [named for named in self.scorer.named if not named.summary.per_query]

    def _overall_means(
        self, estimator: Any, part: DataPart, rows: np.ndarray | None = None
    ) -> dict[str, float]:
        """Return the metrics that have one value for all queries together."""
        scorer = self.scorer.with_metrics(self._overall)
        scores = part.score(scorer, estimator, self.scorer, rows)
        lower = self.lower_is_better
        return {name: -one if name in lower else one for name, one in scores.items()}

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
        """Share nothing yet."""
        functions = [
            bound.name
            for bound in self.measures.scorer.named
            if bound.metric.rows == "function"
        ]
        if functions and self.memory.location is not None:
            raise ValueError(
                f"`memory` cannot tell when your function {functions[0]!r} changes; leave "
                "`memory` out, or name a metric such as 'ndcg@10'."
            )
        self.share_among()

    def share_among(self, candidates: Iterable[tuple[type, dict]] = ()) -> None:
        """Forget what fits shared; `candidates` are those that will be scored next.

        With a cache on disk it is not known which of them will be fitted.
        """
        free = available_memory()
        most = MOST_SHARED_BYTES if free is None else min(MOST_SHARED_BYTES, free // 10)
        is_cached = self.memory.location is not None
        self._work = SharedWork(most, () if is_cached else candidates)

    def forget_models(self) -> None:
        """Forget what models learned, before those of another name are fitted."""
        self._work.forget(_LEARNED)

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
        return joblib.hash((part.X, part.y, part.groups, part.counts, scorer))

    def _run(self, estimator: Any, fold: int) -> FoldScore:
        train, test = self.folds[fold]
        with sharing(self._work if is_safe_to_share(estimator) else None):
            start = perf_counter()
            fitted = self.part.fit(estimator, self.measures.scorer, train)
            middle = perf_counter()
            scores = self.measures.scores(fitted, self.part, test)
            return FoldScore(scores, middle - start, perf_counter() - middle)


def is_safe_to_share(estimator: Any) -> bool:
    """Return whether no part of a recommender can modify what others read.

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
