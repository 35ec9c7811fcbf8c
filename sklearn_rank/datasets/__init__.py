"""Synthetic data, and readers of public logs."""

from sklearn_rank._hints._explain import explain_missing as _explain_missing
from sklearn_rank.datasets._clicks import make_click_log
from sklearn_rank.datasets._logs import fetch_movielens, read_log
from sklearn_rank.datasets._synthetic import make_interactions, make_ranking

__all__ = [
    "fetch_movielens",
    "make_click_log",
    "make_interactions",
    "make_ranking",
    "read_log",
]

_explain_missing(__name__)
