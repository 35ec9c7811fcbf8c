"""Metrics of data larger than memory: functions for engines, and their summary."""

from typing import TYPE_CHECKING

from sklearn_rank._hints._explain import explain_missing as _explain_missing

if TYPE_CHECKING:
    from sklearn_rank.distributed._query_scorer import QueryScorer
    from sklearn_rank.distributed._summarize import as_per_query_scores, summarize
    from sklearn_rank.distributed._user_lists import UserLists

__all__ = ["QueryScorer", "UserLists", "as_per_query_scores", "summarize"]
# The file of each name, loaded when the name is first used.
_FILES = {
    "QueryScorer": "_query_scorer",
    "UserLists": "_user_lists",
    "as_per_query_scores": "_summarize",
    "summarize": "_summarize",
}

_explain_missing(__name__, _FILES)
