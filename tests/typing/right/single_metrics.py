"""Metrics of lists, arrays and frames are numbers."""

from typing import assert_type

import numpy as np
import pandas as pd

from sklearn_rank.metrics import (
    coverage_at_k_score,
    mean_average_precision_score,
    ndcg_score,
    precision_at_k_score,
    rank_biased_precision_score,
)

y_true, y_score = [0, 1, 1, 0], [0.1, 0.4, 0.2, 0.9]
groups = ["a", "a", "b", "b"]

assert_type(ndcg_score(y_true, y_score, groups=groups, k=2), float)
assert_type(precision_at_k_score(np.array(y_true), np.array(y_score), groups=groups), float)
rows = pd.DataFrame({"query": groups, "grade": y_true, "score": y_score})
found = mean_average_precision_score(rows["grade"], rows["score"], groups=rows["query"])
assert_type(found, float)
print(f"{found:.3f}", round(ndcg_score([[1, 0, 0]], [[3, 2, 1]], ties="worst"), 3))
print(rank_biased_precision_score(y_true, y_score, groups=groups, replace_undefined_by=0))
print(coverage_at_k_score([[1, 0], [0, 1]], [[2, 1], [1, 2]], k=1, n_items=10) + 0.5)
