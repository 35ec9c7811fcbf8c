"""Recommending for many users, beside `implicit`, `skrecsys` and plain loops."""

import os
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import cache, partial
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._base._ids import KnownIds
from sklearn_rank.datasets import make_interactions
from sklearn_rank.recommenders import (
    ImplicitRecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
)
from tests.benchmarks.case import Case, Task
from tests.benchmarks.data import make_pairs, make_pairs_like
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


def _some(users: np.ndarray) -> np.ndarray:
    return np.random.default_rng(0).permutation(users)[:5_000]


def _size(n_items: int) -> str:
    return f"made-up log of {n_items:,} items, 10 items for each of 5,000 users"


def neighbors(shape: str, limit: float, scale: int) -> Case:
    """From histories times similarities, beside another library of estimators."""
    pairs = make_pairs_like(shape, scale)
    ours = ItemNeighborsRecommender().fit(pairs)
    users = _some(ours.users_)
    library = imported("skrecsys.recommendation")
    theirs = library and library.ItemKNNRecommender(n_neighbors=50, n_jobs=1).fit(pairs)
    run = theirs and (lambda: theirs.recommend(users, n_recommendations=10))
    histories = ours.interactions_[np.searchsorted(ours.users_, users)]
    peers = [
        Task("skrecsys's ItemKNNRecommender", run, limit=limit),
        Task("the sparse product alone", lambda: histories @ ours.similarity_),
    ]
    task = Task("neighbors", lambda: ours.recommend(users, 10))
    size = _size(len(ours.items_))
    return Case(f"recommend-neighbors-{shape}", size, task, peers)


def one_user(n_items: int, scale: int) -> Case:
    """A call for one user by item neighbors, which must take less than 0.3 ms."""
    ours = ItemNeighborsRecommender().fit(make_pairs(n_items // scale))
    user = ours.users_[77:78].tolist()
    task = Task("one user", lambda: ours.recommend(user, 10), number=200)
    return Case("recommend-one", f"{n_items // scale:,} items", task, limit_ms=0.3)


def one_of(n_users: int, scale: int) -> Case:
    """A call for one user with a text id, beside numbers, few users and implicit."""
    n_users = n_users // scale
    text, numbers = _by_text(n_users), _by_number(n_users)
    few = _by_text(10_000 // scale)
    peers = [
        Task("ids that are numbers", _one_list(numbers), number=200, limit=1.5),
        Task(f"one of {10_000 // scale:,} users", _one_list(few), number=200, limit=1.5),
        Task(PEER, _one_by_implicit(numbers), number=200, limit=2.0),
    ]
    task = Task("text ids", _one_list(text), number=200)
    size = f"{n_users:,} users, 5,000 items, 20 neighbors"
    return Case(f"recommend-one-of-{n_users}", size, task, peers, limit_ms=0.08)


def batch_of_text(n_users: int, scale: int) -> Case:
    """A call for 2,000 users with text ids, beside one with numbers."""
    n_users //= scale
    text, numbers = _by_text(n_users), _by_number(n_users)
    as_text = _batch(text)
    task = Task("text ids", lambda: text.recommend(as_text))
    peer = Task(
        "ids that are numbers", lambda: numbers.recommend(_batch(numbers)), limit=1.5
    )
    size = f"2,000 of {n_users:,} users, 5,000 items, 20 neighbors"
    return Case(f"recommend-text-ids-{n_users}", size, task, [peer])


@cache
def _by_number(n_users: int) -> ItemNeighborsRecommender:
    log = make_interactions(n_users, 5_000, 9 * n_users, random_state=0)
    return ItemNeighborsRecommender(20).fit(np.column_stack([log.user, log.item]))


@cache
def _by_text(n_users: int) -> ItemNeighborsRecommender:
    """The same model, whose users have text ids."""
    model = copy(_by_number(n_users))
    users = np.array([f"user {user:07}" for user in model.users_.tolist()])
    model._fitted = replace(model._fitted, users=KnownIds(users))
    return model


def _batch(model: ItemNeighborsRecommender) -> list:
    return np.random.default_rng(0).permutation(model.users_)[:2_000].tolist()


def _one_list(model: ItemNeighborsRecommender) -> Callable[[], Any]:
    users = cycle(_batch(model))
    return lambda: model.recommend([next(users)], return_scores=True)


def _one_by_implicit(ours: ItemNeighborsRecommender) -> Callable[[], Any] | None:
    library = imported("implicit.nearest_neighbours")
    if library is None:
        return None
    model = library.CosineRecommender(K=20)
    histories = sparse.csr_matrix(ours.interactions_)
    model.fit(histories, show_progress=False)
    users = cycle(np.random.default_rng(0).permutation(len(ours.users_))[:2_000].tolist())

    def run() -> Any:
        user = next(users)
        return model.recommend(user, histories[user], N=10)

    return run


def popular(n_items: int, half_life: float | None, scale: int) -> Case:
    """A plain loop over one sorted list, with a set of the items that each user has."""
    n_items //= scale
    pairs = make_pairs(n_items)
    timed = np.column_stack([pairs, np.arange(len(pairs))])
    share = None if half_life is None else half_life * len(pairs)
    ours = PopularityRecommender(half_life=share, time=2).fit(timed)
    users = _some(ours.users_).tolist()
    seen: dict[int, set[int]] = {}
    for user, item in pairs.tolist():
        seen.setdefault(user, set()).add(item)
    ranked = ours.items_[np.argsort(-ours.popularity_, kind="stable")].tolist()

    def loop() -> list[list[int]]:
        return [_first_unseen(ranked, seen[user]) for user in users]

    name = "recommend-popular" if half_life is None else "recommend-lately-popular"
    task = Task("popular items", lambda: ours.recommend(users, 10))
    peer = Task("a plain loop", loop, limit=1.5)
    return Case(f"{name}-{n_items}", _size(n_items), task, [peer])


def _first_unseen(ranked: list[int], seen: set[int]) -> list[int]:
    shown = []
    for item in ranked:
        if item not in seen:
            shown.append(item)
            if len(shown) == 10:
                break
    return shown


def factors(n_items: int | str, scale: int) -> Case:
    """Factors of float32 from `implicit`, beside its own top-k on one thread."""
    if isinstance(n_items, str):  # a shape, of users with many items
        pairs = make_pairs_like(n_items, scale)
    else:
        pairs = make_pairs(n_items // scale)
    als, name = imported("implicit.als"), f"recommend-factors-{n_items}"
    size = len(np.unique(pairs[:, 1]))
    if als is None:
        return Case(name, _size(size), Task("needs implicit", dict), [Task(PEER, None)])
    model = als.AlternatingLeastSquares(64, iterations=1, random_state=0, num_threads=1)
    ours = ImplicitRecommender(model).fit(pairs)
    return _beside_implicit(name, size, ours, ours.model_)


def decomposition(n_items: int, scale: int) -> Case:
    """TruncatedSVD's factors of float64, beside implicit's top-k of the same as float32."""
    n_items //= scale
    als, name = imported("implicit.als"), f"recommend-svd-{n_items}"
    if als is None:
        return Case(name, _size(n_items), Task("needs implicit", dict), [Task(PEER, None)])
    ours = MatrixFactorizationRecommender().fit(make_pairs(n_items))
    model = als.AlternatingLeastSquares(ours.user_factors_.shape[1], num_threads=1)
    model.user_factors = ours.user_factors_.astype(np.float32)
    model.item_factors = np.ascontiguousarray(ours.item_factors_, dtype=np.float32)
    return _beside_implicit(name, n_items, ours, model)


def _beside_implicit(name: str, n_items: int, ours: Any, model: Any) -> Case:
    users = _some(np.arange(len(ours.users_)))
    seen = sparse.csr_matrix(ours.interactions_, dtype=np.float32)[users]
    task = Task("factors", lambda: ours.recommend(ours.users_[users], 10))
    peer = Task(PEER, lambda: model.recommend(users, seen, N=10), limit=1.0)
    return Case(name, _size(n_items), task, [peer], most_repeats=5)


SIZES = (5_000, 20_000, 50_000)
CASES = (
    {"recommend": all_users, "recommend-one": partial(one_user, 20_000)}
    | {f"recommend-one-of-{n}": partial(one_of, n) for n in (100_000, 1_000_000)}
    | {f"recommend-text-ids-{n}": partial(batch_of_text, n) for n in (10_000, 100_000)}
    | {"recommend-neighbors-dense": partial(neighbors, "dense", 1.3)}
    | {"recommend-neighbors-thin": partial(neighbors, "thin", 2.3)}
    | {f"recommend-popular-{n}": partial(popular, n, None) for n in SIZES}
    | {f"recommend-lately-popular-{n}": partial(popular, n, 0.1) for n in SIZES}
    | {f"recommend-factors-{n}": partial(factors, n) for n in (1_000, *SIZES, "dense")}
    | {f"recommend-svd-{n}": partial(decomposition, n) for n in (1_000, *SIZES)}
)
