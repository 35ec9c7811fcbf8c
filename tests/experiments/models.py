"""Recommenders for tests: odd ones, some that break, one that records its rows."""

from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from sklearn_rank.recommenders import PopularityRecommender


class Reversed(PopularityRecommender):
    """Recommends what is least popular, or with `power` above 0 what is most."""

    def __init__(self, user=None, item=None, power=-1.0):
        super().__init__(user=user, item=item)
        self.power = power

    def score_histories(self, histories):
        return self.power * super().score_histories(histories)


class Broken(PopularityRecommender):
    """Fails where it is fitted."""

    def fit(self, X, y=None):
        raise MemoryError("no room")


class Small(PopularityRecommender):
    """Fits the rows of a fold, not all training rows of the log of the tests."""

    def fit(self, X, y=None):
        if len(X) > 7_000:
            raise MemoryError("too many rows")
        return super().fit(X, y)


class Spy(PopularityRecommender):
    """Keeps the rows that any instance was fitted to."""

    rows: ClassVar[list] = []

    def fit(self, X, y=None):
        Spy.rows.append(np.asarray(X.index))
        return super().fit(X, y)


class Bare(BaseEstimator):
    """A recommender of another library: `fit` and `recommend` alone."""

    def fit(self, X, y=None):
        items, counts = np.unique(X["item"], return_counts=True)
        self.order_ = items[np.argsort(-counts, kind="stable")]
        return self

    def recommend(self, users, k):
        return np.tile(self.order_[:k], (len(users), 1))
