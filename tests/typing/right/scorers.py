"""Scorers in the tools of scikit-learn."""

from typing import assert_type

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, cross_validate

from sklearn_rank.datasets import make_interactions, make_ranking
from sklearn_rank.metrics import make_ranking_scorer, make_recommender_scorer, ndcg_score
from sklearn_rank.rankers import GroupRanker
from sklearn_rank.recommenders import PopularityRecommender

X, y, groups = make_ranking(n_queries=40, random_state=0)
assert_type(X, NDArray[np.float64])
rows = np.column_stack([groups, X])
model = GroupRanker(Ridge(), groups=0).fit(rows, y)

score = make_ranking_scorer("ndcg@5", groups=0)
assert_type(score(model, rows, y), float)
several = make_ranking_scorer(["ndcg@5", ndcg_score], groups=0)
assert_type(several(model, rows, y), dict[str, float])
print(cross_validate(model, rows, y, groups=groups, scoring=score, cv=GroupKFold(3)))

log = make_interactions(60, 40, 600, random_state=0, as_frame=True)
recommender = PopularityRecommender().fit(log[:400])
hits = make_recommender_scorer("hit_rate@5", user="user", item="item")
assert_type(hits(recommender, log[400:]), float)
both = make_recommender_scorer(["hit_rate@5", "ndcg@5"], user="user", item="item")
assert_type(both(recommender, log[400:]), dict[str, float])
