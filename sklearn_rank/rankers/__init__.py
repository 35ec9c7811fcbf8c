"""Rankers as ordinary scikit-learn estimators."""

from sklearn_rank._hints._explain import explain_missing as _explain_missing
from sklearn_rank.rankers._boosting_metric import boosting_metric
from sklearn_rank.rankers._fuse_runs import fuse_runs
from sklearn_rank.rankers._group_ranker import GroupRanker
from sklearn_rank.rankers._pairwise_ranker import PairwiseRanker
from sklearn_rank.rankers._query_features import QueryFeatures
from sklearn_rank.rankers._rank_fusion import RankFusion

__all__ = [
    "GroupRanker",
    "PairwiseRanker",
    "QueryFeatures",
    "RankFusion",
    "boosting_metric",
    "fuse_runs",
]

_explain_missing(__name__)
