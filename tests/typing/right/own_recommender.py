"""A recommender and a metric of one's own, with the package's names for types."""

from typing import Any, Self, assert_type

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from sklearn_rank.metrics import ranking_scores
from sklearn_rank.recommenders import RecommenderMixin
from sklearn_rank.typing import ArrayLike, Column, Duration, Floats, Labels, Metrics


class BoughtTogether(RecommenderMixin, BaseEstimator):  # type: ignore[misc]
    """Counts how often two items are in one history."""

    def __init__(self, *, user: Column | None = None, item: Column | None = None) -> None:
        self.user, self.item = user, item

    def fit_interactions(self, interactions: sparse.csr_array) -> None:
        self.together_ = (interactions.T @ interactions).toarray()

    def score_histories(self, histories: sparse.csr_array) -> Floats:
        return np.asarray(histories @ self.together_, dtype=np.float64)


class Bucket:
    """Takes what splitters take."""

    def __init__(self, length: Duration = "7D") -> None:
        self.length = length

    def fit(self, X: Any, y: Any = None) -> Self:
        return self


def score_all(
    y_true: ArrayLike, runs: dict[str, ArrayLike], groups: Labels, metrics: Metrics
) -> dict[str, float]:
    """Return one metric of several runs."""
    return {
        name: ranking_scores(y_true, run, groups=groups, metrics=metrics)["ndcg"]
        for name, run in runs.items()
    }


model = BoughtTogether().fit(
    [["ann", "tea"], ["ann", "jam"], ["bob", "tea"], ["bob", "oil"]]
)
assert_type(model, BoughtTogether)
assert_type(model.recommend(["ann"], k=1), NDArray[Any])
print(score_all([1, 0], {"one": [2, 1], "other": np.array([1, 2])}, ["q", "q"], "ndcg"))
print(Bucket().fit(None).length)
