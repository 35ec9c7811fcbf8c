"""The winner of the search beside the baselines, on the period held out."""

from collections.abc import Mapping
from dataclasses import dataclass

from sklearn.base import BaseEstimator, clone

from sklearn_rank._cli._metric import (
    CUTOFFS,
    Report,
    Rows,
    curves,
    cut_at,
    reports,
)
from sklearn_rank._cli._paired import PairedDifference, compare_with_tuned
from sklearn_rank._cli._python import as_python
from sklearn_rank._cli.tune._baselines import which_baseline
from sklearn_rank._cli.tune._periods import Periods
from sklearn_rank._cli.tune._scorer import RelevantRowsScorer
from sklearn_rank.metrics._scorers._held_out import read_held_out, rows_of_recommender


@dataclass(frozen=True)
class RecommenderComparison:
    """What the tuned model and the baselines score on the last period.

    The models are "tuned", "popularity" and mostly "time_decayed_popularity".
    """

    metric: str
    lower_is_better: bool  # then the scores are negated
    model: str  # the tuned one, as Python
    chosen: str | None  # the baseline that the tuned model is
    baselines: dict[str, str]  # baseline -> as Python
    scores: dict[str, float]  # model -> metric
    report: dict[str, Report]  # model -> metric -> mean, ...
    against: dict[str, PairedDifference]  # baseline -> the tuned model compared with it
    curve_metric: str
    curves: dict[str, list[float]]  # model -> the metric at k = 1, 2, ...

    def beats(self, baseline: str) -> bool:
        """Return whether the tuned model scores higher than a baseline."""
        return self.scores["tuned"] > self.scores[baseline]


def compare(
    tuned: BaseEstimator,
    baselines: dict[str, BaseEstimator],
    periods: Periods,
    scorer: RelevantRowsScorer,
    columns: Mapping[str, str],
) -> RecommenderComparison:
    """Return what the winner and the baselines score on the last period.

    `columns` are those of the log, for the models as Python.
    """
    models = {"tuned": tuned, **baselines}
    n_items = len(tuned.items_)
    cutoffs = [k for k in CUTOFFS if k <= n_items]
    metric, longest = scorer.named, cutoffs[-1]
    # Lists are compared at a cutoff, so that they need not hold the whole catalogue.
    of_lists = metric if metric.k else cut_at(metric, longest)
    rows = _rows(models, periods, max(longest, min(of_lists.k or 0, n_items)))
    curve_metric, of_models = curves(metric, rows, longest)
    return RecommenderComparison(
        metric=scorer.metric,
        lower_is_better=metric.lower_is_better,
        model=_as_python(tuned, columns),
        chosen=which_baseline(tuned),
        baselines={name: _as_python(model, columns) for name, model in baselines.items()},
        scores={
            name: scorer(model, periods.test, periods.y_test)["score"]
            for name, model in models.items()
        },
        report=reports(rows, cutoffs),
        against=compare_with_tuned(of_lists, rows),
        curve_metric=curve_metric,
        curves=of_models,
    )


def _as_python(model: BaseEstimator, columns: Mapping[str, str]) -> str:
    """Return the call that makes the model, for the columns of the log."""
    used = [role for role in columns if getattr(model, role, None) is not None]
    return as_python(clone(model).set_params(**{role: columns[role] for role in used}))


def _rows(
    models: Mapping[str, BaseEstimator], periods: Periods, length: int
) -> dict[str, Rows]:
    """Return for each model its lists of that length as rows."""
    held_out = read_held_out(periods.test, periods.y_test, user="user", item="item")
    return {
        name: dict(rows_of_recommender(model, held_out, length))
        for name, model in models.items()
    }
