"""Recommenders: all parameters as a user types them."""

from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.linear_model import LogisticRegression

from sklearn_rank.datasets import make_interactions
from sklearn_rank.recommenders import (
    EASERecommender,
    FactorsRecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
    RecommenderMixin,
    RepeatRecommender,
    RerankingRecommender,
    SLIMRecommender,
    TwoStageRecommender,
    UserNeighborsRecommender,
    load_model,
    save_model,
)

log = make_interactions(60, 60, 900, random_state=0, as_frame=True)
popular = PopularityRecommender(half_life="30D", time="time")
models = [
    EASERecommender(50, weighting="log", half_life="90D", time="time", new_users=popular),
    ItemNeighborsRecommender(20, similarity="bm25", k1=1.5, recency=5.0, time="time"),
    UserNeighborsRecommender(similarity="tfidf", exclude_seen=False),
    SLIMRecommender(0.1, n_jobs=1, user="user", item="item"),
    MatrixFactorizationRecommender(TruncatedSVD(4), weighting="sum"),
    RepeatRecommender(
        half_life=30 * 86400.0, time="time", reference_time=datetime(2025, 1, 1)
    ),
    RerankingRecommender(EASERecommender(), "mmr", strength=0.2, n_candidates=20),
    TwoStageRecommender(
        [("ease", EASERecommender()), ("popular", PopularityRecommender())],
        LogisticRegression(),
        time="time",
        label_window="20D",
        n_windows=1,
        random_state=0,
    ),
]
model = EASERecommender().fit(log)
assert_type(model, EASERecommender)
assert_type(model.items_, NDArray[Any])
assert_type(model.predict(log), NDArray[np.float64])
assert_type(model.update(log[:5], dislikes=[[1, 2]]), EASERecommender)
pairs = PopularityRecommender().fit([["ann", "tea"], ["bob", "jam"]], [1.0, 2.0])
FactorsRecommender({"ann": [1.0, 0.0]}, {"tea": np.ones(2), "jam": np.ones(2)})
with TemporaryDirectory() as folder:
    save_model(model, Path(folder) / "model")
    assert_type(load_model(Path(folder) / "model"), RecommenderMixin)
print(pairs.users_, len(models))
