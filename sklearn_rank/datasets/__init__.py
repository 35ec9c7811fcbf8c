"""Synthetic data for examples, tests and benchmarks."""

from sklearn_rank._hints._missing_names import explain_missing as _explain_missing
from sklearn_rank.datasets._clicks import make_click_log
from sklearn_rank.datasets._make_interactions import make_interactions
from sklearn_rank.datasets._ranking import make_ranking

__all__ = ["make_click_log", "make_interactions", "make_ranking"]

_explain_missing(__name__)
