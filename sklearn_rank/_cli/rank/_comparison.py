"""The winner of the search on test queries, beside the model untuned and equal scores."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sklearn
from sklearn.model_selection import GridSearchCV

from sklearn_rank._cli._metric import CUTOFFS, Rows, at_each_k, means
from sklearn_rank._cli._paired import PairedDifference, compare_lists
from sklearn_rank._cli.rank._candidates import title_of
from sklearn_rank._cli.rank._queries import Queries
from sklearn_rank._cli.rank._rankers import RANKERS
from sklearn_rank._cli.rank._scorer import DefinedQueriesScorer
from sklearn_rank.metrics import ranking_report


@dataclass(frozen=True)
class RankerComparison:
    """What the tuned model, the same untuned, and equal scores get on the test queries."""

    metric: str
    lower_is_better: bool
    chosen: str  # title of the winner without its values
    means: dict[str, float]  # model -> metric
    report: dict[str, dict[str, dict[str, Any]]]  # model -> metric -> mean, ...
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
    is_defined = scorer.defined_rows(test.y, test.groups)
    rows = {name: _rows(test, found, is_defined) for name, found in scores.items()}
    metric = scorer.named
    curve_metric, at_k = at_each_k(metric, CUTOFFS[-1])
    everywhere = np.ones(len(test.y), dtype=bool)
    return RankerComparison(
        metric=scorer.metric,
        lower_is_better=metric.lower_is_better,
        chosen=title_of(model, search.best_params_),
        means={name: means([metric], found)[0] for name, found in rows.items()},
        report={
            name: ranking_report(
                **_rows(test, found, everywhere), k=CUTOFFS, output_dict=True
            )
            for name, found in scores.items()
        },
        against={
            other: compare_lists(metric, rows["tuned"], rows[other])
            for other in ("untuned", "equal")
        },
        curve_metric=curve_metric,
        curves={name: means(at_k, found) for name, found in rows.items()},
        test_scores=scores["tuned"],
    )


def _predict_untuned(model: str, train: Queries, test: Queries) -> np.ndarray:
    with sklearn.config_context(enable_metadata_routing=True):
        untuned = RANKERS[model].make().fit(train.X, train.y, groups=train.groups)
    return untuned.predict(test.X)


def _rows(test: Queries, scores: np.ndarray, kept: np.ndarray) -> Rows:
    return {
        "y_true": test.y[kept],
        "y_score": scores[kept],
        "groups": test.groups[kept],
    }
