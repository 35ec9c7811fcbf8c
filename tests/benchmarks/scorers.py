"""What a scorer costs in a search, beside the prediction that it asks for."""

from functools import partial

import numpy as np
from sklearn.base import BaseEstimator

from sklearn_rank.metrics import make_ranking_scorer, ranking_scores
from tests.benchmarks.case import Case, Task
from tests.benchmarks.data import make_queries
from tests.benchmarks.flat import FIVE

__all__ = ["CASES"]


class Known(BaseEstimator):
    """A fitted estimator that predicts in no time: its scores are a column of X."""

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return X[:, 1]


def scorer(n_rows: int, scale: int) -> Case:
    """Five metrics by a scorer, beside the same by a function and beside one metric."""
    n_rows = n_rows // scale if scale < n_rows else n_rows
    data = make_queries(n_rows, max(n_rows // 100, 1))
    X = np.column_stack([data.groups, data.y_score])
    number = max(50_000 // n_rows, 1)

    def score(metric: str | tuple[str, ...]) -> Task:
        wanted = list(metric) if isinstance(metric, tuple) else metric
        call = make_ranking_scorer(wanted, groups=0)
        name = "one metric" if isinstance(metric, str) else "scorer of five"
        run = partial(call, Known(), X, data.y_true)
        values = dict if isinstance(metric, tuple) else None
        return Task(name, run, values, number=number)

    def function() -> dict[str, float]:
        return ranking_scores(*data.arrays[:2], groups=data.groups, metrics=FIVE)

    peers = [
        Task("ranking_scores of the five", function, dict, limit=1.5, number=number),
        score("ndcg@10"),
    ]
    peers[1].limit = 2.0
    size = f"{n_rows:,} rows in {n_rows // 100:,} queries, groups a column of X"
    return Case(f"scorer-{n_rows}", size, score(FIVE), peers)


CASES = {f"scorer-{n_rows}": partial(scorer, n_rows) for n_rows in (1_000, 100_000)}
