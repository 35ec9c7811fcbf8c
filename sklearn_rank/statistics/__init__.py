"""Statistical comparisons, intervals, and the number of queries that they need."""

from typing import TYPE_CHECKING

from sklearn_rank._hints._explain import explain_missing as _explain_missing

if TYPE_CHECKING:
    from sklearn_rank.statistics._abstention_report import (
        AbstentionReport,
        abstention_report,
    )
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
    from sklearn_rank.statistics._raters._rater_agreement import (
        RaterAgreement,
        rater_agreement,
    )
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

# The file of each name, loaded when the name is first used.
_FILES = {
    "AbstentionReport": "_abstention_report",
    "abstention_report": "_abstention_report",
    "abstention_threshold": "_abstention_threshold",
    "compare_candidates": "_compare_candidates",
    "compare_models": "_compare_models",
    "compare_runs": "_compare_runs",
    "ModelComparisonDisplay": "_comparison_display",
    "ModelGate": "_gate_model",
    "gate_model": "_gate_model",
    "confidence_interval": "_interval",
    "ModelRanking": "_leagues._model_ranking",
    "ModelRankingDisplay": "_leagues._model_ranking_display",
    "rank_models": "_leagues._rank_models",
    "ModelComparison": "_model_comparison",
    "plan_evaluation": "_plan_evaluation",
    "judge_assisted_mean": "_raters._judge",
    "partly_judged_scores": "_raters._partly_judged",
    "RaterAgreement": "_raters._rater_agreement",
    "rater_agreement": "_raters._rater_agreement",
    "fleiss_kappa_score": "_raters._rater_scores",
    "krippendorff_alpha_score": "_raters._rater_scores",
    "system_confidence_interval": "_system",
}

_explain_missing(__name__, _FILES)
