"""implicit: precision, MAP and nDCG at K of binary test rows.

Its precision is one ratio over all users, hits over the sum of min(K, relevant); the
other two are means over users like ours.
"""

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import (
    conventions,
    mean_average_precision_score,
    ndcg_score,
    per_query_scores,
    ranking_scores,
)
from tests.oracles.agreement import agree

evaluation = pytest.importorskip("implicit.evaluation")

N_USERS, N_ITEMS = 80, 20


class FixedRanking:
    """Recommends what it was given: the recommender that implicit asks."""

    def __init__(self, rankings):
        self.rankings = rankings

    def recommend(self, users, user_items, N, **ignored):
        items = self.rankings[users, :N]
        return items, -np.arange(items.shape[1]) * np.ones(items.shape)


def drawn(seed, k=None):
    """Return rows for our metrics, and implicit's values of the same lists.

    Some lists end early, some at once, and some users have nothing relevant. Without k
    implicit takes as many ranks as it does by default.
    """
    rng = np.random.default_rng(seed)
    relevant = rng.random((N_USERS, N_ITEMS)) < 0.2
    relevant[::9] = False
    rankings = rng.permuted(np.tile(np.arange(N_ITEMS), (N_USERS, 1)), axis=1)
    rankings[np.arange(N_ITEMS) >= rng.integers(0, 3 * N_ITEMS, N_USERS)[:, None]] = -1
    theirs = evaluation.ranking_metrics_at_k(
        FixedRanking(rankings.astype(np.int32)),
        sparse.csr_matrix((N_USERS, N_ITEMS)),
        sparse.csr_matrix(relevant.astype(float)),
        **({} if k is None else {"K": k}),
        show_progress=False,
        num_threads=1,
    )
    users = np.flatnonzero(relevant.any(axis=1)).tolist()
    truth = {user: np.flatnonzero(relevant[user]).tolist() for user in users}
    lists = {user: rankings[user, :k].tolist() for user in users}
    return from_item_lists(truth, lists, filler=-1), theirs


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [1, 3, 10, N_ITEMS])
def test_means_over_users(seed, k):
    rows, theirs = drawn(seed, k)
    agree("map@k", "implicit", mean_average_precision_score(**rows, k=k), theirs["map"])
    agree("ndcg@k", "implicit", ndcg_score(**rows, k=k), theirs["ndcg"])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [1, 3, 10, N_ITEMS])
def test_precision_is_one_ratio_over_all_users(seed, k):
    rows, theirs = drawn(seed, k)
    metric = f"recall(denominator='attainable')@{k}"
    each = per_query_scores(**rows, metrics=[metric]).scores[metric]
    n_relevant = np.unique(rows["groups"][rows["y_true"] > 0], return_counts=True)[1]
    ours = np.average(each, weights=np.minimum(n_relevant, k))
    agree(
        "recall(denominator='attainable')@k, pooled", "implicit", ours, theirs["precision"]
    )


def test_convention():
    assert set(conventions["implicit"].metrics) == {"map", "ndcg"}
    rows, theirs = drawn(77, 5)
    ours = ranking_scores(**rows, metrics=["map@5", "ndcg@5"], convention="implicit")
    for name in ["map", "ndcg"]:
        agree(f"{name}@5, convention", "implicit", ours[f"{name}@5"], theirs[name])


def test_convention_without_a_cutoff():
    rows, theirs = drawn(78)
    assert np.unique(rows["groups"], return_counts=True)[1].max() > 10
    ours = ranking_scores(**rows, metrics=["map", "ndcg"], convention="implicit")
    for name, value in ours.items():
        agree(f"{name}, convention", "implicit", value, theirs[name])
