"""The picture of three models on the page on comparisons."""

from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge

from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.statistics import compare_models

X, y, groups = make_ranking(n_queries=200, random_state=0)
train, test = groups < 80, groups >= 80
rows = {"groups": groups[test], "metrics": "ndcg@10"}
models = {
    "linear": Ridge(),
    "shrunk": Ridge(alpha=300),
    "forest": RandomForestRegressor(20, random_state=0),
}
scores = {}
for name, model in models.items():
    predicted = model.fit(X[train], y[train]).predict(X[test])
    scores[name] = per_query_scores(y[test], predicted, **rows)
compare_models(scores, baseline="linear").plot()
