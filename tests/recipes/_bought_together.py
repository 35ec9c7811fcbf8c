"""BoughtTogether: items that users have together with those of a history."""

from sklearn.base import BaseEstimator

from sklearn_rank.recommenders import RecommenderMixin


class BoughtTogether(RecommenderMixin, BaseEstimator):
    """Recommend what goes with the items that a user has."""

    def __init__(self, *, weighting="sum", user=None, item=None):
        self.weighting = weighting
        self.user = user
        self.item = item

    def fit_interactions(self, interactions):
        """Count how often users have two items together."""
        self.together_ = interactions.T @ interactions

    def score_histories(self, histories):
        """Add the counts up over the items of each history."""
        return histories @ self.together_
