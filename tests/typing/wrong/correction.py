"""Corrections of p-values have four names."""

from sklearn_rank.statistics import compare_models

print(compare_models({"a": [0.1, 0.2, 0.4], "b": [0.3, 0.4, 0.5]}, correction="holm"))
print(compare_models({"a": [0.1], "b": [0.3]}, correction="bonferoni"))  # wrong
