"""Rankers as ordinary scikit-learn estimators."""

from typing import TYPE_CHECKING

from sklearn_rank._hints._explain import explain_missing as _explain_missing

if TYPE_CHECKING:
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

# The file of each name, loaded when the name is first used.
_FILES = {
    "boosting_metric": "_boosting_metric",
    "fuse_runs": "_fuse_runs",
    "GroupRanker": "_group_ranker",
    "PairwiseRanker": "_pairwise_ranker",
    "QueryFeatures": "_query_features",
    "RankFusion": "_rank_fusion",
}

_explain_missing(__name__, _FILES)
