"""Recommenders as scikit-learn estimators."""

from sklearn_rank.recommenders._base import RecommenderMixin
from sklearn_rank.recommenders._factorization import MatrixFactorizationRecommender
from sklearn_rank.recommenders._popularity import PopularityRecommender

__all__ = [
    "MatrixFactorizationRecommender",
    "PopularityRecommender",
    "RecommenderMixin",
]
