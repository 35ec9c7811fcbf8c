"""The winner of the search beside the baselines, on the period held out."""

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV

from sklearn_rank._cli._paired import (
    CUTOFFS,
    Paired,
    at_each_k,
    compare_lists,
    curve,
    cutoff_of,
)
from sklearn_rank._cli._python import as_python
from sklearn_rank._cli.tune._baselines import which_baseline
from sklearn_rank._cli.tune._periods import Periods
from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import ranking_report
from sklearn_rank.metrics._registry import parse_metric


@dataclass(frozen=True)
class Comparison:
    """What the tuned model and the baselines score on the last period.

    The models are "tuned", "popularity" and mostly "time_decayed_popularity".
    """

    metric: str
    lower_is_better: bool  # then the scores are negated
    model: str  # the tuned one, as Python
    chosen: str | None  # the baseline that the tuned model is
    baselines: dict[str, str]  # baseline -> as Python
    scores: dict[str, float]  # model -> metric
    report: dict[str, dict[str, dict[str, Any]]]  # model -> metric -> mean, ...
    against: dict[str, Paired]  # baseline -> the tuned model compared with it
    curve_metric: str
    curves: dict[str, list[float]]  # model -> the metric at k = 1, 2, ...

    def beats(self, baseline: str) -> bool:
        """Return whether the tuned model scores higher than a baseline."""
        return self.scores["tuned"] > self.scores[baseline]


def compare(
    search: GridSearchCV,
    baselines: dict[str, BaseEstimator],
    periods: Periods,
    scorer: Callable,
    options: Namespace,
) -> Comparison:
    """Return what the winner and the baselines score on the last period."""
    tuned = search.best_estimator_.named_steps["recommender"]
    models = {"tuned": tuned, **baselines}
    truth = _relevant_items(periods)
    cutoffs = [k for k in CUTOFFS if k <= len(tuned.items_)]
    named = parse_metric(options.metric)
    at_k = at_each_k(named, cutoffs[-1])
    judge = named if cutoff_of(named) else at_k[-1]
    length = max(cutoffs[-1], min(cutoff_of(judge) or 0, len(tuned.items_)))
    rows = {
        name: from_item_lists(truth, _recommended(model, list(truth), length))
        for name, model in models.items()
    }
    return Comparison(
        metric=options.metric,
        lower_is_better=named.lower_is_better,
        model=_as_python(tuned, options),
        chosen=which_baseline(tuned),
        baselines={name: _as_python(model, options) for name, model in baselines.items()},
        scores={
            name: scorer(model, periods.test, periods.y_test)
            for name, model in models.items()
        },
        report={
            name: ranking_report(**found, k=cutoffs, output_dict=True)
            for name, found in rows.items()
        },
        against={
            name: compare_lists(judge, rows["tuned"], rows[name]) for name in baselines
        },
        curve_metric=at_k[0].name.removesuffix("@1"),
        curves={name: curve(at_k, found) for name, found in rows.items()},
    )


def _as_python(model: BaseEstimator, options: Namespace) -> str:
    """Return the call that makes the model, for the columns of the log."""
    columns = {"user": options.user, "item": options.item}
    if getattr(model, "time", None) is not None:
        columns["time"] = options.time
    return as_python(clone(model).set_params(**columns))


def _relevant_items(periods: Periods) -> dict[int, dict[int, float]]:
    """Return the grade of each relevant item of each user, as the scorer sees them."""
    grades = np.ones(len(periods.test)) if periods.y_test is None else periods.y_test
    columns = (periods.test["user"], periods.test["item"], grades)
    relevant: dict[int, dict[int, float]] = {}
    for user, item, grade in zip(*(column.tolist() for column in columns), strict=True):
        of_user = relevant.setdefault(user, {})
        of_user[item] = max(grade, of_user.get(item, 0.0))
    return relevant


def _recommended(
    model: BaseEstimator, users: list[int], length: int
) -> dict[int, list[int]]:
    """Return the ranked items of each user, without what only fills up a row."""
    items, scores = model.recommend(users, length, return_scores=True)
    kept = ~np.isneginf(scores)
    return {
        user: row[is_kept].tolist()
        for user, row, is_kept in zip(users, items, kept, strict=True)
    }
