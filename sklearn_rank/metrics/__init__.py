"""Ranking metrics, several of them at once, and scorers for scikit-learn's tools."""

from sklearn_rank.metrics._cutoff import (
    f1_at_k_score,
    precision_at_k_score,
    recall_at_k_score,
)
from sklearn_rank.metrics._gain import cg_score, dcg_score, ndcg_score
from sklearn_rank.metrics._hits import hit_rate_at_k_score, r_precision_score
from sklearn_rank.metrics._position import (
    mean_average_precision_score,
    mean_reciprocal_rank_score,
)
from sklearn_rank.metrics._report import (
    per_query_scores,
    ranking_report,
    ranking_scores,
)

__all__ = [
    "cg_score",
    "dcg_score",
    "f1_at_k_score",
    "hit_rate_at_k_score",
    "mean_average_precision_score",
    "mean_reciprocal_rank_score",
    "ndcg_score",
    "per_query_scores",
    "precision_at_k_score",
    "r_precision_score",
    "ranking_report",
    "ranking_scores",
    "recall_at_k_score",
]
