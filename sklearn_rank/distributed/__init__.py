"""Metrics of data larger than memory: a function for engines, and what sums it up."""

from sklearn_rank.distributed._scorer import QueryScorer
from sklearn_rank.distributed._summarize import summarize
from sklearn_rank.distributed._values import as_per_query_scores

__all__ = ["QueryScorer", "as_per_query_scores", "summarize"]
