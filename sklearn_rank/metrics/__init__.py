"""Ranking metrics, several of them at once, scorers for scikit-learn's tools, pictures."""

from sklearn_rank.metrics._blended import q_measure_score
from sklearn_rank.metrics._cascade import expected_reciprocal_rank_score
from sklearn_rank.metrics._confusion import (
    accuracy_at_k_score,
    fallout_at_k_score,
    judged_at_k_score,
)
from sklearn_rank.metrics._conventions import conventions
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._curve import precision_recall_at_k_curve
from sklearn_rank.metrics._cutoff import (
    f1_at_k_score,
    precision_at_k_score,
    recall_at_k_score,
)
from sklearn_rank.metrics._gain import cg_score, dcg_score, ndcg_score
from sklearn_rank.metrics._goal import insq_score, inst_score
from sklearn_rank.metrics._hits import hit_rate_at_k_score, r_precision_score
from sklearn_rank.metrics._inferred import inferred_average_precision_score
from sklearn_rank.metrics._pairwise import bpref_score, roc_auc_per_query_score
from sklearn_rank.metrics._persistence import (
    rank_biased_precision_residual,
    rank_biased_precision_score,
)
from sklearn_rank.metrics._plot._metric_at_k import MetricAtKDisplay
from sklearn_rank.metrics._plot._per_query import PerQueryDisplay
from sklearn_rank.metrics._plot._precision_recall import PrecisionRecallAtKDisplay
from sklearn_rank.metrics._position import (
    mean_average_precision_score,
    mean_rank_score,
    mean_reciprocal_rank_score,
)
from sklearn_rank.metrics._propensity import (
    ips_hit_rate_at_k_score,
    ips_ndcg_score,
    ips_recall_at_k_score,
)
from sklearn_rank.metrics._recommender_scorer import make_recommender_scorer
from sklearn_rank.metrics._report import ranking_report
from sklearn_rank.metrics._sampled import (
    sampled_per_query_scores,
    sampled_ranking_scores,
)
from sklearn_rank.metrics._scorer import make_ranking_scorer
from sklearn_rank.metrics._several import per_query_scores, ranking_scores

__all__ = [
    "MetricAtKDisplay",
    "PerQueryDisplay",
    "PerQueryScores",
    "PrecisionRecallAtKDisplay",
    "accuracy_at_k_score",
    "bpref_score",
    "cg_score",
    "conventions",
    "dcg_score",
    "expected_reciprocal_rank_score",
    "f1_at_k_score",
    "fallout_at_k_score",
    "hit_rate_at_k_score",
    "inferred_average_precision_score",
    "insq_score",
    "inst_score",
    "ips_hit_rate_at_k_score",
    "ips_ndcg_score",
    "ips_recall_at_k_score",
    "judged_at_k_score",
    "make_ranking_scorer",
    "make_recommender_scorer",
    "mean_average_precision_score",
    "mean_rank_score",
    "mean_reciprocal_rank_score",
    "ndcg_score",
    "per_query_scores",
    "precision_at_k_score",
    "precision_recall_at_k_curve",
    "q_measure_score",
    "r_precision_score",
    "rank_biased_precision_residual",
    "rank_biased_precision_score",
    "ranking_report",
    "ranking_scores",
    "recall_at_k_score",
    "roc_auc_per_query_score",
    "sampled_per_query_scores",
    "sampled_ranking_scores",
]
