"""The winner of the search on test queries, beside the model untuned and equal scores."""

from dataclasses import dataclass

import numpy as np
import sklearn
from sklearn.model_selection import GridSearchCV

from sklearn_rank._cli._metric import CUTOFFS, Report, Rows, curves, reports
from sklearn_rank._cli._paired import PairedDifference, compare_with_tuned
from sklearn_rank._cli.rank._candidates import title_of
from sklearn_rank._cli.rank._queries import Queries
from sklearn_rank._cli.rank._rankers import RANKERS
from sklearn_rank._cli.rank._scorer import DefinedQueriesScorer
from sklearn_rank.metrics import per_query_scores


@dataclass(frozen=True)
class RankerComparison:
    """What the tuned model, the same untuned, and equal scores get on the test queries."""

    metric: str
    lower_is_better: bool
    chosen: str  # title of the winner without its values
    means: dict[str, float]  # model -> metric
    report: dict[str, Report]  # model -> metric -> mean, ...
    against: dict[str, PairedDifference]  # other model -> the tuned one compared with it
    curve_metric: str
    curves: dict[str, list[float]]  # model -> the metric at k = 1, 2, ...
    test_scores: np.ndarray  # what the tuned model predicts for each row


def compare(
    model: str,
    search: GridSearchCV,
    train: Queries,
    test: Queries,
    scorer: DefinedQueriesScorer,
) -> RankerComparison:
    """Return what the winner, the model untuned and equal scores get on the test rows."""
    scores = {
        "tuned": search.best_estimator_.predict(test.X),
        "untuned": _predict_untuned(model, train, test),
        "equal": np.zeros(len(test.y)),
    }
    everywhere = np.ones(len(test.y), dtype=bool)
    is_defined = scorer.defined_rows(test.y, test.groups)
    rows = _rows(test, scores, is_defined)
    metric = scorer.named
    curve_metric, of_models = curves(metric, rows, CUTOFFS[-1])
    values = {n: per_query_scores(**of, metrics=[metric]) for n, of in rows.items()}
    return RankerComparison(
        metric=scorer.metric,
        lower_is_better=metric.lower_is_better,
        chosen=title_of(model, search.best_params_),
        means={name: float(of.mean()[metric.name]) for name, of in values.items()},
        report=reports(_rows(test, scores, everywhere), CUTOFFS),
        against=compare_with_tuned(values),
        curve_metric=curve_metric,
        curves=of_models,
        test_scores=scores["tuned"],
    )


def _predict_untuned(model: str, train: Queries, test: Queries) -> np.ndarray:
    with sklearn.config_context(enable_metadata_routing=True):
        untuned = RANKERS[model].make().fit(train.X, train.y, groups=train.groups)
    return untuned.predict(test.X)


def _rows(
    test: Queries, scores: dict[str, np.ndarray], kept: np.ndarray
) -> dict[str, Rows]:
    """Return for each model the rows that the mask names."""
    truth = {"y_true": test.y[kept], "groups": test.groups[kept]}
    return {model: {**truth, "y_score": of[kept]} for model, of in scores.items()}
