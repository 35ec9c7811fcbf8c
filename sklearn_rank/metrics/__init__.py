"""Ranking metrics, several of them at once, scorers for scikit-learn's tools, pictures."""

from typing import TYPE_CHECKING

from sklearn_rank._hints._explain import explain_missing as _explain_missing
from sklearn_rank.metrics._core._families import FAMILIES as _FAMILIES

if TYPE_CHECKING:
    from sklearn_rank.metrics._core._catalogue import Catalogue
    from sklearn_rank.metrics._core._conventions import conventions
    from sklearn_rank.metrics._core._per_query import PerQueryScores
    from sklearn_rank.metrics._core._query_functions import make_metric
    from sklearn_rank.metrics._families._auc import *
    from sklearn_rank.metrics._families._aurc import *
    from sklearn_rank.metrics._families._categories import *
    from sklearn_rank.metrics._families._coverage import *
    from sklearn_rank.metrics._families._cumulative_gain import *
    from sklearn_rank.metrics._families._diversity import *
    from sklearn_rank.metrics._families._fair_exposure import *
    from sklearn_rank.metrics._families._incomplete_judgments import *
    from sklearn_rank.metrics._families._insq_inst import *
    from sklearn_rank.metrics._families._intent_aware import *
    from sklearn_rank.metrics._families._interpolated_precision import *
    from sklearn_rank.metrics._families._mean_value import *
    from sklearn_rank.metrics._families._popularity import *
    from sklearn_rank.metrics._families._precision_recall import *
    from sklearn_rank.metrics._families._propensity import *
    from sklearn_rank.metrics._families._q_measure import *
    from sklearn_rank.metrics._families._rank_biased_precision import *
    from sklearn_rank.metrics._families._reciprocal_rank_map import *
    from sklearn_rank.metrics._plot._at_k_display import (
        MetricAtKDisplay,
        PrecisionRecallAtKDisplay,
    )
    from sklearn_rank.metrics._plot._per_query_display import PerQueryDisplay
    from sklearn_rank.metrics._plot._ranks_display import RanksDisplay
    from sklearn_rank.metrics._plot._risk_coverage_display import RiskCoverageDisplay
    from sklearn_rank.metrics._plot._segment_display import MetricBySegmentDisplay
    from sklearn_rank.metrics._plot._trade_off_display import TradeOffDisplay
    from sklearn_rank.metrics._results._curves import (
        interpolated_precision_curve,
        precision_recall_at_k_curve,
        risk_coverage_curve,
    )
    from sklearn_rank.metrics._results._difference_explanation import DifferenceExplanation
    from sklearn_rank.metrics._results._explain_difference import explain_difference
    from sklearn_rank.metrics._results._exposure import expected_exposure, group_exposure
    from sklearn_rank.metrics._results._ranking_report import ranking_report
    from sklearn_rank.metrics._results._ranking_scores import (
        per_query_scores,
        ranking_scores,
    )
    from sklearn_rank.metrics._results._sampled_scores import (
        sampled_per_query_scores,
        sampled_ranking_scores,
    )
    from sklearn_rank.metrics._results._unjudged_bounds import unjudged_bounds
    from sklearn_rank.metrics._scorers._ranking_scorer import make_ranking_scorer
    from sklearn_rank.metrics._scorers._recommender_scorer import make_recommender_scorer
    from sklearn_rank.metrics._similarity._ap_correlation import ap_correlation_score
    from sklearn_rank.metrics._similarity._ranking_similarity import (
        footrule_at_k_score,
        overlap_at_k_score,
        rank_biased_overlap_score,
        ranking_similarity,
    )

__all__ = [
    "Catalogue",
    "DifferenceExplanation",
    "MetricAtKDisplay",
    "MetricBySegmentDisplay",
    "PerQueryDisplay",
    "PerQueryScores",
    "PrecisionRecallAtKDisplay",
    "RanksDisplay",
    "RiskCoverageDisplay",
    "TradeOffDisplay",
    "ap_correlation_score",
    "conventions",
    "expected_exposure",
    "explain_difference",
    "footrule_at_k_score",
    "group_exposure",
    "interpolated_precision_curve",
    "make_metric",
    "make_ranking_scorer",
    "make_recommender_scorer",
    "overlap_at_k_score",
    "per_query_scores",
    "precision_recall_at_k_curve",
    "rank_biased_overlap_score",
    "ranking_report",
    "ranking_scores",
    "ranking_similarity",
    "risk_coverage_curve",
    "sampled_per_query_scores",
    "sampled_ranking_scores",
    "unjudged_bounds",
]

# The file of each name, loaded when the name is first used.
_FILES = {
    "_core._catalogue": "Catalogue",
    "_core._conventions": "conventions",
    "_core._per_query": "PerQueryScores",
    "_core._query_functions": "make_metric",
    "_plot._at_k_display": "MetricAtKDisplay PrecisionRecallAtKDisplay",
    "_plot._per_query_display": "PerQueryDisplay",
    "_plot._ranks_display": "RanksDisplay",
    "_plot._risk_coverage_display": "RiskCoverageDisplay",
    "_plot._segment_display": "MetricBySegmentDisplay",
    "_plot._trade_off_display": "TradeOffDisplay",
    "_results._curves": (
        "interpolated_precision_curve precision_recall_at_k_curve risk_coverage_curve"
    ),
    "_results._difference_explanation": "DifferenceExplanation",
    "_results._explain_difference": "explain_difference",
    "_results._exposure": "expected_exposure group_exposure",
    "_results._ranking_report": "ranking_report",
    "_results._ranking_scores": "per_query_scores ranking_scores",
    "_results._sampled_scores": "sampled_per_query_scores sampled_ranking_scores",
    "_results._unjudged_bounds": "unjudged_bounds",
    "_scorers._ranking_scorer": "make_ranking_scorer",
    "_scorers._recommender_scorer": "make_recommender_scorer",
    "_similarity._ap_correlation": "ap_correlation_score",
    "_similarity._ranking_similarity": (
        "footrule_at_k_score overlap_at_k_score rank_biased_overlap_score "
        "ranking_similarity"
    ),
} | {f"_families.{file}": names for file, names in _FAMILIES.items()}
_FILES_OF = {name: file for file, names in _FILES.items() for name in names.split()}
__all__ += [name for names in _FAMILIES.values() for name in names.split()]
__all__.sort()

_explain_missing(__name__, _FILES_OF)
