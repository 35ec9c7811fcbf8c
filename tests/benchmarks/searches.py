"""Fits of recommenders, and searches whose candidates share their work.

A search of several candidates is compared with a search of the first one.
"""

import os
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from scipy import sparse

from sklearn_rank.datasets import make_interactions
from sklearn_rank.experiments import tune_models
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    SLIMRecommender,
)
from tests.benchmarks.case import Case, Task
from tests.benchmarks.data import make_pairs, make_pairs_like
from tests.benchmarks.peers import imported

__all__ = ["CASES"]

RECENCY = {"recency": [1.0, 2.0, 5.0, 20.0]}
Grids = list[dict[str, list]]


def search(model: Any, grids: Grids, limit: float, scale: int) -> Case:
    """Candidates of one fold, beside the first of them."""
    n_users, n_items = max(2_000 // scale, 100), max(1_000 // scale, 50)
    n_rows = min(50 * n_users, n_users * n_items // 10)
    log = make_interactions(n_users, n_items, n_rows, random_state=0, as_frame=True)

    def run(grids: Grids) -> Any:
        models = {"model": (model, grids)}
        options = {"n_splits": 1, "test_size": None, "refit": False}
        return tune_models(log, time="time", models=models, **options)

    def first_score(found: Any) -> dict[str, float]:
        return {"first candidate": float(found.cv_results_["mean_test_score"][0])}

    first = [{name: values[:1] for name, values in grids[0].items()}]
    peer = Task("the first candidate", partial(run, first), first_score, 0.0, limit)
    n_candidates = sum(len(values) for grid in grids for values in grid.values())
    size = f"{n_rows:,} rows, one fold, {n_candidates} candidates"
    task = Task("all candidates", partial(run, grids), first_score)
    name = f"tune-{type(model).__name__.removesuffix('Recommender').lower()}"
    return Case(name, size, task, [peer], most_repeats=5)


def tune_text_ids(scale: int) -> Case:
    """A search whose ids are text, beside the same with integers."""
    n_rows, n_items = 400_000 // scale, 40_000 // scale
    rng = np.random.default_rng(0)
    columns = rng.integers(0, n_rows // 20, n_rows), rng.integers(0, n_items, n_rows)
    # As wide as the largest, so that they sort as the integers do.
    names = [np.strings.zfill(column.astype(str), 6).tolist() for column in columns]
    logs = [pd.DataFrame(dict(zip("ui", ids, strict=True))) for ids in (columns, names)]

    def run(log: pd.DataFrame) -> Any:
        options = {"n_splits": 1, "refit": False, "models": ["popularity"]}
        log = log.assign(time=np.arange(n_rows))
        return tune_models(log, user="u", item="i", time="time", **options)

    def mean(found: Any) -> dict[str, float]:
        return {"popularity": found.means["popularity"]["ndcg@10"]}

    peer = Task("ids are integers", partial(run, logs[0]), mean, 0.0, 2.0)
    size = f"{n_rows:,} rows, {n_items:,} items"
    task = Task("ids are text", partial(run, logs[1]), mean)
    return Case("tune-text-ids", size, task, [peer], most_repeats=3)


def fit_neighbors(shape: str, limit: float, scale: int) -> Case:
    """Fifty neighbors by cosine, beside other libraries on one thread, and in two."""
    pairs = make_pairs_like(shape, scale)
    library = imported("implicit.nearest_neighbours")
    model = ItemNeighborsRecommender()
    matrix = sparse.csr_matrix(model.fit(pairs).interactions_)

    def theirs() -> None:
        with warnings.catch_warnings(action="ignore"):  # it converts what it made
            library.CosineRecommender(K=51, num_threads=1).fit(matrix, show_progress=False)

    other = imported("skrecsys.recommendation")
    others = other and partial(other.ItemKNNRecommender(50, n_jobs=1).fit, pairs)
    peers = [
        Task("implicit's CosineRecommender", library and theirs, limit=limit),
        Task("skrecsys's ItemKNNRecommender", others),
        Task("the same in two threads", _in_threads(2, partial(model.fit, pairs))),
    ]
    task = Task("one thread", _in_threads(1, partial(model.fit, pairs)))
    size = f"{len(pairs):,} rows, {matrix.shape[1]:,} items"
    return Case(f"fit-neighbors-{shape}", size, task, peers, most_repeats=5)


def fit_slim(scale: int) -> Case:
    """The elastic nets of all items, beside the search for neighbors."""
    pairs = make_pairs(1_000 // scale)
    peer = Task("item neighbors", partial(ItemNeighborsRecommender().fit, pairs), limit=6.0)
    size = f"{len(pairs):,} rows, {1_000 // scale:,} items"
    task = Task("SLIM", partial(SLIMRecommender().fit, pairs))
    return Case("fit-slim", size, task, [peer], most_repeats=3)


def lists_in_threads(model: Any, n_items: int, scale: int) -> Case:
    """Lists for all users, in one thread and in two."""
    n_items //= scale
    model.fit(make_pairs(n_items))

    def total(found: tuple[np.ndarray, np.ndarray]) -> dict[str, float]:
        return {"sum": float(np.sum(found[1], where=np.isfinite(found[1])))}

    def run(n_threads: int) -> Callable[[], Any]:
        return _in_threads(
            n_threads, lambda: model.recommend(model.users_, return_scores=True)
        )

    name = f"threads-{type(model).__name__.removesuffix('Recommender').lower()}-{n_items}"
    peer = Task("one thread", run(1), total, 0.0)
    size = f"{len(model.users_):,} users, {n_items:,} items"
    return Case(name, size, Task("two threads", run(2), total), [peer])


def _in_threads(n_threads: int, run: Callable[[], Any]) -> Callable[[], Any]:
    variable = {"SKLEARN_RANK_NUM_THREADS": str(n_threads)}
    return mock.patch.dict(os.environ, variable)(run)


ITEMS = (
    ItemNeighborsRecommender(time="time"),
    [{"n_neighbors": [10, 20, 50, 100, 200, 500]}, RECENCY],
)
SLIM = SLIMRecommender(time="time"), [{"alpha": [0.01, 0.03, 0.05, 0.1]}, RECENCY]
EASE = EASERecommender(time="time"), [{"recency": [None, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0]}]
CASES = {
    "tune-itemneighbors": partial(search, *ITEMS, 4.0),
    "tune-slim": partial(search, *SLIM, 4.5),
    "tune-ease": partial(search, *EASE, 3.0),
    "tune-text-ids": tune_text_ids,
    "fit-neighbors-dense": partial(fit_neighbors, "dense", 1.12),
    "fit-neighbors-thin": partial(fit_neighbors, "thin", 1.3),
    "fit-slim": fit_slim,
    "threads-ease-3000": partial(lists_in_threads, EASERecommender(), 3_000),
}
for n_items in (5_000, 20_000):
    CASES[f"threads-itemneighbors-{n_items}"] = partial(
        lists_in_threads, ItemNeighborsRecommender(), n_items
    )
