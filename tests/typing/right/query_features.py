"""Features within queries, and the fusion of several runs."""

from typing import assert_type

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from sklearn_rank.datasets import make_ranking
from sklearn_rank.rankers import GroupRanker, QueryFeatures, RankFusion

X, y, groups = make_ranking(n_queries=30, random_state=0)
rows = np.column_stack([groups, X])
features = QueryFeatures(("rank", "zscore"), groups=0)
model = GroupRanker(make_pipeline(features, Ridge()), groups=0).fit(rows, y)
print(model.score(rows, y))
print(QueryFeatures(["minmax"], append=False).fit_transform(X, groups=groups).shape)

fusion = RankFusion("comb_sum", weights="learned", normalization="z_score", metric="map")
fused = fusion.fit(X[:, :3], y, groups=groups)
assert_type(fused, RankFusion)
assert_type(fused.predict(X[:, :3], groups=groups), NDArray[np.float64])
assert_type(fused.weights_, NDArray[np.float64])
print(
    RankFusion(weights=[1, 2], rrf_k=20)
    .fit(X[:, :2], groups=groups)
    .score(X[:, :2], y, groups=groups)
)
