"""Ranking metrics, several of them at once, scorers for scikit-learn's tools, pictures."""

from sklearn_rank._hints._missing_names import explain_missing as _explain_missing
from sklearn_rank.metrics._core._catalogue import *
from sklearn_rank.metrics._core._per_query import *
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
from sklearn_rank.metrics._names._conventions import *
from sklearn_rank.metrics._plot._metric_at_k import *
from sklearn_rank.metrics._plot._per_query_display import *
from sklearn_rank.metrics._plot._precision_recall_display import *
from sklearn_rank.metrics._plot._ranks_display import *
from sklearn_rank.metrics._plot._segment_display import *
from sklearn_rank.metrics._plot._trade_off_display import *
from sklearn_rank.metrics._results._curves import *
from sklearn_rank.metrics._results._explain_difference import *
from sklearn_rank.metrics._results._exposure import *
from sklearn_rank.metrics._results._label_propensity import *
from sklearn_rank.metrics._results._ranking_report import *
from sklearn_rank.metrics._results._ranking_scores import *
from sklearn_rank.metrics._results._risk_coverage_curve import *
from sklearn_rank.metrics._results._sampled_scores import *
from sklearn_rank.metrics._results._unjudged_bounds import *
from sklearn_rank.metrics._scorers._ranking_scorer import *
from sklearn_rank.metrics._scorers._recommender_scorer import *
from sklearn_rank.metrics._similarity._ap_correlation import *
from sklearn_rank.metrics._similarity._ranking_similarity import *

__all__ = sorted(name for name in dir() if not name.startswith("_"))

_explain_missing(__name__)
