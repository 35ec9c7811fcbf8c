"""Ties have four names."""

from sklearn_rank.metrics import precision_at_k_score

print(precision_at_k_score([1, 0], [1.0, 1.0], groups=[1, 1], ties="worst"))
print(precision_at_k_score([1, 0], [1.0, 1.0], groups=[1, 1], ties="lowest"))  # wrong
