"""Recommending for all users, beside the top-k of `implicit` on the same factors."""

import os
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank.datasets import make_interactions
from sklearn_rank.recommenders import ImplicitRecommender
from tests.benchmarks.case import Case, Task
from tests.benchmarks.peers import imported

__all__ = ["CASES"]

PEER = "implicit's recommend"


def all_users(scale: int) -> Case:
    """The ids of online_retail where SKLEARN_RANK_DATA has it, else made-up ones."""
    als = imported("implicit.als")
    pairs, source = _pairs()
    size = f"{source}, 10 items for each user, 64 factors"
    if als is None:
        return Case("recommend", size, Task("needs implicit", dict), [Task(PEER, None)])
    # As implicit asks for: it starts its own threads, one a core.
    one_thread = imported("threadpoolctl").threadpool_limits
    with one_thread(1, "blas"):
        model = als.AlternatingLeastSquares(64, iterations=3, random_state=0)
    ours = ImplicitRecommender(model).fit(pairs)
    seen = sparse.csr_matrix(ours.interactions_, dtype=np.float32)
    users = np.arange(len(ours.users_))

    def theirs() -> tuple[np.ndarray, np.ndarray]:
        with one_thread(1, "blas"):
            return ours.model_.recommend(users, seen, N=10)

    def run() -> tuple[np.ndarray, np.ndarray]:
        return ours.recommend(ours.users_, 10, return_scores=True)

    def mean_score(found: tuple[Any, np.ndarray]) -> dict[str, float]:
        return {"mean score": float(np.mean(found[1], where=np.isfinite(found[1])))}

    peer = Task(PEER, theirs, mean_score, tolerance=1e-6, limit=1.0)
    return Case("recommend", size, Task("recommend", run, mean_score), [peer])


def _pairs() -> tuple[Any, str]:
    folder, pandas = os.environ.get("SKLEARN_RANK_DATA"), imported("pandas")
    if not folder or pandas is None:
        made = make_interactions(4_000, 3_500, 400_000, random_state=0)
        return np.column_stack([made.user, made.item]), "made-up log"
    path = Path(folder) / "online_retail.csv.gz"
    log = pandas.read_csv(path, dtype={"StockCode": str})
    return log[["CustomerID", "StockCode"]], "online_retail"


CASES = {"recommend": all_users}
