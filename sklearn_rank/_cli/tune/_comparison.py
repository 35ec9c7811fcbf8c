"""The best of each family and the baselines, on the rows held out."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import pandas as pd
from sklearn.base import BaseEstimator, clone

from sklearn_rank._cli._metric import CUTOFFS, Report, Rows, curves, reports
from sklearn_rank._cli._paired import PairedDifference, compare_with_tuned
from sklearn_rank._cli.tune._contenders import TUNED, Contender
from sklearn_rank._cli.tune._means import Mean, means_of
from sklearn_rank._cli.tune._periods import Periods
from sklearn_rank._cli.tune._recommenders import BASELINES
from sklearn_rank._cli.tune._scorer import RelevantRowsScorer
from sklearn_rank.experiments._as_python import as_python
from sklearn_rank.inputs import from_frames


@dataclass(frozen=True)
class RecommenderComparison:
    """What the tuned model, the best of other families and the baselines score.

    The models are "tuned", "popularity", mostly "time_decayed_popularity", and families.
    """

    metric: str
    lower_is_better: bool  # then the scores are negated, the means not
    held_out: str  # what the rows are called
    model: str  # the tuned one, as Python
    chosen: str | None  # the baseline that the tuned model is
    baselines: dict[str, str]  # baseline -> as Python
    titles: dict[str, str]  # model -> in words
    scores: dict[str, float]  # model -> metric
    means: dict[str, Mean]  # model -> metric with its interval
    report: dict[str, Report]  # model -> metric -> mean, ...
    against: dict[str, PairedDifference]  # other model -> the tuned one compared with it
    curve_metric: str
    curves: dict[str, list[float]]  # model -> the metric at k = 1, 2, ...

    def beats(self, baseline: str) -> bool:
        """Return whether the tuned model scores higher than a baseline."""
        return self.scores[TUNED] > self.scores[baseline]

    @property
    def shown(self) -> list[str]:
        """The models without the baseline that the tuned one is, best first."""
        names = [name for name in self.scores if name != self.chosen]
        return sorted(names, key=lambda name: self.scores[name], reverse=True)


def compare(
    contenders: Mapping[str, Contender],
    periods: Periods,
    scorer: RelevantRowsScorer,
    columns: Mapping[str, str],
) -> RecommenderComparison:
    """Return what the models score on the rows held out.

    `columns` are those of the log, for the models as Python.
    """
    models = {name: contender.model for name, contender in contenders.items()}
    tuned = contenders[TUNED]
    chosen = tuned.family if tuned.family in BASELINES else None
    metric = scorer.named
    values = {
        name: scorer.per_query(model, periods.test, periods.y_test)
        for name, model in models.items()
    }
    sign = -1 if metric.lower_is_better else 1
    cutoffs = [k for k in CUTOFFS if k <= len(tuned.model.items_)]
    rows = _rows(models, periods, cutoffs[-1])
    curve_metric, of_models = curves(metric, rows, cutoffs[-1])
    return RecommenderComparison(
        metric=scorer.metric,
        lower_is_better=metric.lower_is_better,
        held_out=periods.way.held_out,
        model=as_python(with_columns(tuned.model, columns)),
        chosen=chosen,
        baselines={
            name: as_python(with_columns(models[name], columns))
            for name in BASELINES
            if name in models
        },
        titles={name: contender.title for name, contender in contenders.items()},
        scores={name: sign * of.mean()[metric.name] for name, of in values.items()},
        means=means_of(metric.name, values, sign, chosen),
        report=reports(rows, cutoffs),
        against=compare_with_tuned(values),
        curve_metric=curve_metric,
        curves=of_models,
    )


def with_columns(model: BaseEstimator, columns: Mapping[str, str]) -> BaseEstimator:
    """Return the model, not fitted, for the columns of the log."""
    used = [role for role in columns if getattr(model, role, None) is not None]
    return clone(model).set_params(**{role: columns[role] for role in used})


def _rows(
    models: Mapping[str, BaseEstimator], periods: Periods, length: int
) -> dict[str, Rows]:
    """Return for each model its lists of that length as rows."""
    grades = 1.0 if periods.y_test is None else periods.y_test
    truth = periods.test[["user", "item"]].assign(grade=grades)
    # Of an item that a user has more than once, the highest grade counts, as in the scorer.
    truth = truth.sort_values("grade", ascending=False, kind="stable")
    truth = truth.drop_duplicates(["user", "item"])
    users = truth["user"].unique()
    rows_of = partial(
        from_frames, truth, user="user", item="item", relevance="grade", rank="rank"
    )
    names = {"query": "user"}
    return {
        name: dict(rows_of(pd.DataFrame(model.rank(users, length)).rename(columns=names)))
        for name, model in models.items()
    }
