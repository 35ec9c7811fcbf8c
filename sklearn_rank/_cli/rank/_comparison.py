"""The winner of the search on test queries, beside the model untuned and equal scores."""

from argparse import Namespace
from dataclasses import dataclass
from typing import Any

import numpy as np
import sklearn
from sklearn.model_selection import GridSearchCV

from sklearn_rank._cli._paired import (
    CUTOFFS,
    Paired,
    Rows,
    at_each_k,
    compare_lists,
    curve,
)
from sklearn_rank._cli.rank._queries import Queries
from sklearn_rank._cli.rank._rankers import default_ranker, model_of
from sklearn_rank._cli.rank._scorer import Judge
from sklearn_rank.metrics import ranking_report


@dataclass(frozen=True)
class Comparison:
    """What the tuned model, the same untuned, and equal scores get on the test queries."""

    metric: str
    lower_is_better: bool
    chosen: str  # title of the winner without its values
    means: dict[str, float]  # model -> metric
    report: dict[str, dict[str, dict[str, Any]]]  # model -> metric -> mean, ...
    against: dict[str, Paired]  # other model -> the tuned one compared with it
    curve_metric: str
    curves: dict[str, list[float]]  # model -> the metric at k = 1, 2, ...
    test_scores: np.ndarray  # what the tuned model predicts for each row


def compare(
    search: GridSearchCV, train: Queries, test: Queries, judge: Judge, options: Namespace
) -> Comparison:
    """Return what the winner, the model untuned and equal scores get on the test rows."""
    scores = {
        "tuned": search.best_estimator_.predict(test.X),
        "untuned": _predict_untuned(train, test, options),
        "equal": np.zeros(len(test.y)),
    }
    judged = judge.judged_rows(test.y, test.groups)
    rows = {name: _rows(test, found, judged) for name, found in scores.items()}
    at_k = at_each_k(judge.named, CUTOFFS[-1])
    everywhere = np.ones(len(test.y), dtype=bool)
    return Comparison(
        metric=options.metric,
        lower_is_better=judge.named.lower_is_better,
        chosen=model_of(options.model, search.best_params_),
        means={name: curve([judge.named], found)[0] for name, found in rows.items()},
        report={
            name: ranking_report(
                **_rows(test, found, everywhere), k=CUTOFFS, output_dict=True
            )
            for name, found in scores.items()
        },
        against={
            other: compare_lists(judge.named, rows["tuned"], rows[other])
            for other in ("untuned", "equal")
        },
        curve_metric=at_k[0].name.removesuffix("@1"),
        curves={name: curve(at_k, found) for name, found in rows.items()},
        test_scores=scores["tuned"],
    )


def _predict_untuned(train: Queries, test: Queries, options: Namespace) -> np.ndarray:
    with sklearn.config_context(enable_metadata_routing=True):
        model = default_ranker(options.model).fit(train.X, train.y, groups=train.groups)
    return model.predict(test.X)


def _rows(test: Queries, scores: np.ndarray, kept: np.ndarray) -> Rows:
    return {
        "y_true": test.y[kept],
        "y_score": scores[kept],
        "groups": test.groups[kept],
    }
