"""Metrics of data larger than memory: functions for engines, and their summary."""

from sklearn_rank.distributed._as_per_query_scores import as_per_query_scores
from sklearn_rank.distributed._scorer import QueryScorer
from sklearn_rank.distributed._summarize import summarize
from sklearn_rank.distributed._user_lists import UserLists

__all__ = ["QueryScorer", "UserLists", "as_per_query_scores", "summarize"]
