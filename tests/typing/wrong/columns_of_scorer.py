"""A scorer of tables names columns; it takes no values."""

from sklearn_rank.distributed import QueryScorer

print(QueryScorer("mrr", groups="user", y_true="grade", y_score="score"))
print(QueryScorer("mrr", groups=[1, 1, 2], y_true="grade", y_score="score"))  # wrong
