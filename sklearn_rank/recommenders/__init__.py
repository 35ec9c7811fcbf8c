"""Recommenders as scikit-learn estimators."""

from sklearn_rank._hints._explain import explain_missing as _explain_missing
from sklearn_rank.recommenders._baselines import (
    PopularityRecommender,
    RandomRecommender,
    RepeatRecommender,
)
from sklearn_rank.recommenders._cold_start._cold_start_recommender import (
    ColdStartRecommender,
)
from sklearn_rank.recommenders._ease import EASERecommender
from sklearn_rank.recommenders._explanation import Explanation
from sklearn_rank.recommenders._factorization import MatrixFactorizationRecommender
from sklearn_rank.recommenders._factors import FactorsRecommender
from sklearn_rank.recommenders._implicit import ImplicitRecommender
from sklearn_rank.recommenders._model_file import load_model, save_model
from sklearn_rank.recommenders._neighbors import (
    ItemNeighborsRecommender,
    UserNeighborsRecommender,
)
from sklearn_rank.recommenders._recommender_mixin import RecommenderMixin
from sklearn_rank.recommenders._reranking_recommender import RerankingRecommender
from sklearn_rank.recommenders._slim import SLIMRecommender
from sklearn_rank.recommenders._two_stages._feature_table import FeatureTable
from sklearn_rank.recommenders._two_stages._two_stage_recommender import TwoStageRecommender

__all__ = [
    "ColdStartRecommender",
    "EASERecommender",
    "Explanation",
    "FactorsRecommender",
    "FeatureTable",
    "ImplicitRecommender",
    "ItemNeighborsRecommender",
    "MatrixFactorizationRecommender",
    "PopularityRecommender",
    "RandomRecommender",
    "RecommenderMixin",
    "RepeatRecommender",
    "RerankingRecommender",
    "SLIMRecommender",
    "TwoStageRecommender",
    "UserNeighborsRecommender",
    "load_model",
    "save_model",
]

_explain_missing(__name__)
