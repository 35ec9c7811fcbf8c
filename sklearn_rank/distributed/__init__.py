"""Metrics of data larger than memory: functions for engines, and their summary."""

from sklearn_rank._hints._explain import explain_missing as _explain_missing
from sklearn_rank.distributed._query_scorer import QueryScorer
from sklearn_rank.distributed._summarize import as_per_query_scores, summarize
from sklearn_rank.distributed._user_lists import UserLists

__all__ = ["QueryScorer", "UserLists", "as_per_query_scores", "summarize"]

_explain_missing(__name__)
