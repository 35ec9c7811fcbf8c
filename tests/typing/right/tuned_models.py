"""Tune models, compare models, look at what comes back."""

from typing import Any, assert_type

import pandas as pd
from sklearn.linear_model import Ridge

from sklearn_rank.datasets import make_interactions, make_ranking
from sklearn_rank.experiments import (
    ModelEvaluation,
    ModelTuning,
    default_models,
    evaluate_models,
    tune_models,
)
from sklearn_rank.rankers import GroupRanker
from sklearn_rank.recommenders import EASERecommender, PopularityRecommender

log = make_interactions(150, 100, 3000, random_state=0, as_frame=True)
models: dict[str, Any] = {
    "ease": (EASERecommender(), {"regularization": [10.0, 100.0]}),
    "popular": PopularityRecommender(),
}
tuned = tune_models(log, time="time", models=models, metrics="ndcg@5", n_splits=2)
assert_type(tuned, ModelTuning)
assert_type(tuned.best_name_, str)
assert_type(tuned.candidates, pd.DataFrame)
assert_type(tuned.means, dict[str, dict[str, float]])
print(tuned.best_params_, tuned.best_estimator_)

X, y, groups = make_ranking(n_queries=60, random_state=0)
fitted = {
    str(alpha): GroupRanker(Ridge(alpha)).fit(X[:600], y[:600], groups=groups[:600])
    for alpha in (0.1, 10.0)
}
later = groups > groups[600]
found = evaluate_models(
    fitted, X[later], y[later], groups=groups[later], metrics=["ndcg@5"]
)
assert_type(found, ModelEvaluation)
assert_type(found.to_frame(), pd.DataFrame)
print(sorted(default_models(log, time="time", names=["ease"])))
