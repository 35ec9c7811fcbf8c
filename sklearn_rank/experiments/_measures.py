"""Judge models by the metrics of the call, and report the usual ones beside them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank.experiments._data_part import DataPart
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._metric import NamedMetric
from sklearn_rank.metrics._core._per_query import with_scores
from sklearn_rank.metrics._core._segments import Row
from sklearn_rank.metrics._names._registry import parse_metric, parse_metrics
from sklearn_rank.metrics._results._ranking_report import REPORTED, at_each_cutoff

CUTOFFS = (1, 5, 10, 20)


@dataclass(frozen=True)
class Judged:
    """What one model scores on the rows to judge by, never negated."""

    values: PerQueryScores  # of the metrics asked for that have a value a query
    means: dict[str, float]  # of all metrics asked for
    report: dict[str, dict[str, float]]  # usual metric -> mean, standard error, ...
    curve: list[float]  # means of the first metric at k = 1, 2, ...


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
        return self._at(1).name_without_cutoff

    def scores(self, estimator: Any, part: DataPart, rows: np.ndarray) -> dict[str, float]:
        """Return the means on rows of a fold, negated if lower is better."""
        means = self._means(estimator, part, rows)
        lower = self.lower_is_better
        return {name: -mean if name in lower else mean for name, mean in means.items()}

    def judge(self, estimator: Any, part: DataPart, k: int | None = None) -> Judged:
        """Return what a model scores on the rows of a part that count.

        Lists are at most `k` long, all of them where it is known.
        """
        cutoffs = [at for at in CUTOFFS if k is None or at <= k]
        report = at_each_cutoff(parse_metrics(REPORTED), cutoffs)
        curve = [self._at(at) for at in range(1, cutoffs[-1] + 1)]
        asked = self._per_query
        everything = {named.name: named for named in (*report, *curve, *asked)}
        scorer = self.scorer.with_metrics(list(everything.values()))
        found = part.score(scorer.per_query, estimator, self.scorer)
        summaries = found.summaries()
        first = found.scores.get(self.main.name, np.zeros(len(found)))
        means = found.of(~np.isnan(first)).mean()
        scores = {
            n.name: np.where(np.isnan(first), np.nan, found.scores[n.name]) for n in asked
        }
        values = with_scores(found, scores)
        if self._whole:
            means |= self._whole_means(estimator, part, None)
        return Judged(
            values,
            {name: means[name] for name in self.names},
            {n.name: Row.of(n.name, summaries[n.name]).cells() for n in report},
            [means[named.name] for named in curve],
        )

    @property
    def _per_query(self) -> list[NamedMetric]:
        """The metrics that have a value for each user or query."""
        return [named for named in self.scorer.named if named.summary.per_query]

    @property
    def _whole(self) -> list[NamedMetric]:
        """The metrics that have one value for all users or queries together."""
        return [named for named in self.scorer.named if not named.summary.per_query]

    def _means(self, estimator: Any, part: DataPart, rows: np.ndarray) -> dict[str, float]:
        """Return the means, of the queries for which each metric is defined."""
        means: dict[str, float] = {}
        if self._per_query:
            some = self.scorer.with_metrics(self._per_query)
            means |= part.score(some.per_query, estimator, self.scorer, rows).mean()
        if self._whole:
            means |= self._whole_means(estimator, part, rows)
        return {name: means[name] for name in self.names}

    def _whole_means(
        self, estimator: Any, part: DataPart, rows: np.ndarray | None
    ) -> dict[str, float]:
        """Return the metrics that have one value for all queries together."""
        scorer = self.scorer.with_metrics(self._whole)
        scores = part.score(scorer, estimator, self.scorer, rows)
        lower = self.lower_is_better
        return {name: -one if name in lower else one for name, one in scores.items()}

    def _at(self, k: int) -> NamedMetric:
        """Return the first metric at a cutoff; nDCG if it has none or is not per query."""
        takes_k = self.main.metric.takes_k and self.main.summary.per_query
        return (self.main if takes_k else parse_metric("ndcg")).at(k)
