"""Statistical comparisons, intervals, and the number of queries that they need."""

from sklearn_rank._hints._explain import explain_missing as _explain_missing
from sklearn_rank.statistics._abstention_report import AbstentionReport, abstention_report
from sklearn_rank.statistics._abstention_threshold import abstention_threshold
from sklearn_rank.statistics._compare_candidates import compare_candidates
from sklearn_rank.statistics._compare_models import compare_models
from sklearn_rank.statistics._compare_runs import compare_runs
from sklearn_rank.statistics._comparison_display import ModelComparisonDisplay
from sklearn_rank.statistics._gate_model import ModelGate, gate_model
from sklearn_rank.statistics._interval import confidence_interval
from sklearn_rank.statistics._leagues._model_ranking import ModelRanking
from sklearn_rank.statistics._leagues._model_ranking_display import ModelRankingDisplay
from sklearn_rank.statistics._leagues._rank_models import rank_models
from sklearn_rank.statistics._model_comparison import ModelComparison
from sklearn_rank.statistics._plan_evaluation import plan_evaluation
from sklearn_rank.statistics._raters._judge import judge_assisted_mean
from sklearn_rank.statistics._raters._partly_judged import partly_judged_scores
from sklearn_rank.statistics._raters._rater_agreement import RaterAgreement, rater_agreement
from sklearn_rank.statistics._raters._rater_scores import (
    fleiss_kappa_score,
    krippendorff_alpha_score,
)
from sklearn_rank.statistics._system import system_confidence_interval

__all__ = [
    "AbstentionReport",
    "ModelComparison",
    "ModelComparisonDisplay",
    "ModelGate",
    "ModelRanking",
    "ModelRankingDisplay",
    "RaterAgreement",
    "abstention_report",
    "abstention_threshold",
    "compare_candidates",
    "compare_models",
    "compare_runs",
    "confidence_interval",
    "fleiss_kappa_score",
    "gate_model",
    "judge_assisted_mean",
    "krippendorff_alpha_score",
    "partly_judged_scores",
    "plan_evaluation",
    "rank_models",
    "rater_agreement",
    "system_confidence_interval",
]

_explain_missing(__name__)
