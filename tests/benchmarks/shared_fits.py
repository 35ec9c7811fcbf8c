"""Searches whose candidates share their work, beside searches of one candidate."""

from collections.abc import Callable
from functools import partial
from itertools import islice, product
from typing import Any

import numpy as np

from sklearn_rank.datasets import make_interactions
from sklearn_rank.experiments import tune_models
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    SLIMRecommender,
)
from tests.benchmarks.case import Case, Task

__all__ = ["CASES"]

RECENCY = [None, 2.0, 5.0, 20.0]


def search(model: Any, grids: list[dict[str, list]], limit: float, scale: int) -> Case:
    log = make_interactions(
        2_000 // scale, 1_000 // scale, 100_000 // scale, random_state=0, as_frame=True
    )

    def run(grids: list[dict[str, list]]) -> Callable[[], Any]:
        models = {"model": (model, grids)}
        return partial(
            tune_models,
            log,
            time="time",
            models=models,
            n_splits=1,
            test_size=None,
            refit=False,
        )

    one = [{name: values[:1] for name, values in grids[0].items()}]
    n_candidates = sum(
        len(list(product(*grid.values()))) for grid in grids
    )
    name = f"tune-{type(model).__name__.removesuffix('Recommender')}"
    peer = Task("one candidate", run(one), limit=limit)
    size = f"{len(log):,} rows, one fold, {n_candidates} candidates"
    return Case(name, size, Task("the candidates", run(grids)), [peer], most_repeats=5)
