"""The cutoff of a metric is no string."""

from sklearn_rank.metrics import ndcg_score

print(ndcg_score([1, 0], [2.0, 1.0], groups=["q", "q"], k=2))
print(ndcg_score([1, 0], [2.0, 1.0], groups=["q", "q"], k="2"))  # wrong
