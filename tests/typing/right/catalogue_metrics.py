"""Metrics that know more of items and users than the lists show."""

from typing import assert_type

import numpy as np

from sklearn_rank.metrics import (
    Catalogue,
    intra_list_distance_at_k_score,
    novelty_at_k_score,
    ranking_scores,
)

log = [["ann", "tea"], ["ann", "jam"], ["bob", "tea"]]
catalogue = Catalogue.from_interactions(log)
assert_type(catalogue, Catalogue)

shown = {"y_true": [1, 0, 0, 1], "y_score": [2, 1, 2, 1]}
users, items = ["ann", "ann", "bob", "bob"], ["tea", "jam", "jam", "tea"]
found = ranking_scores(
    shown["y_true"],
    shown["y_score"],
    groups=users,
    items=items,
    metrics=["ndcg@2", "novelty@2"],
    catalogue=catalogue,
)
assert_type(found["novelty@2"], float)
print(
    novelty_at_k_score(
        shown["y_true"],
        shown["y_score"],
        groups=users,
        items=items,
        popularity={"tea": 2, "jam": 1},
        n_users=2,
        k=2,
    )
)
print(
    intra_list_distance_at_k_score(
        np.eye(2),
        np.eye(2),
        features=np.array([[0.0, 1.0], [1.0, 1.0]]),
        k=2,
        distance=lambda one, other: abs(one - other),
    )
)
