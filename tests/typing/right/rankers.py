"""Rankers: they fit, score and rank as estimators do."""

from typing import Any, assert_type

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression, Ridge

from sklearn_rank.datasets import make_ranking
from sklearn_rank.rankers import GroupRanker, PairwiseRanker, boosting_metric

X, y, groups = make_ranking(n_queries=30, random_state=0)
model = GroupRanker(Ridge()).fit(X, y, groups=groups)
assert_type(model, GroupRanker)
assert_type(model.predict(X), NDArray[np.float64])
assert_type(model.score(X, y, groups=groups), float)
table = model.rank(X, groups=groups, k=3)
assert_type(table, dict[str, NDArray[Any]])
print(pd.DataFrame(table))

frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])]).assign(query=groups)
pairwise = PairwiseRanker(LogisticRegression(), groups="query", random_state=0)
print(pairwise.fit(frame, pd.Series(y)).coef_.shape, pairwise.n_pairs_)
several = GroupRanker(Ridge(), groups=["query"])
print(several.fit(frame, y, sample_weight=np.ones(len(y))).score(frame, y))
print(boosting_metric("map@10", library="lightgbm"))
