"""The recommenders that are tried, the values of their parameters, and their names."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.decomposition import TruncatedSVD

from sklearn_rank._cli._format import counted
from sklearn_rank._cli.tune._arguments import MODELS
from sklearn_rank._cli.tune._half_lives import half_lives
from sklearn_rank._validation import require
from sklearn_rank.recommenders import (
    EASERecommender,
    ImplicitRecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
)

COLUMNS = {"user": "user", "item": "item"}
HALF_LIFE = "recommender__half_life"
COMPONENTS = (4, 8, 16, 32, 64, 128)
WEIGHTINGS = ("binary", "log")
# With hardly any weight but 1 the weightings are the same model.
FEW_REPEATS = 0.05
# Above so many items a fit takes a minute or gigabytes: EASE inverts a matrix of items by
# items, neighbors are found in one.
MOST_ITEMS = {"ease": 5_000, "neighbors": 20_000}
TITLES = {
    "popularity": "popularity",
    "factorization": "matrix factorization",
    "neighbors": "item neighbors",
    "ease": "EASE",
    "implicit": "ALS of implicit",
}
VALUES = {
    "half_life": "half-life {}",
    "n_components": "{} components",
    "n_neighbors": "{} nearest",
    "similarity": "by {}",
    "factors": "{} factors",
    "regularization": "regularization {}",
    "weighting": "{} weights",
}


@dataclass(frozen=True)
class Training:
    """What the values to try depend on."""

    half_lives: list
    weightings: list[str]
    components: list[int]


def popularity() -> PopularityRecommender:
    """Return popularity, which counts every row alike."""
    return PopularityRecommender(**COLUMNS)


def time_decayed() -> PopularityRecommender:
    """Return popularity that counts old rows less, once it is given a half-life."""
    return PopularityRecommender(time="time", **COLUMNS)


def choose_models(
    wanted: tuple[str, ...] | None, n_items: int
) -> tuple[tuple[str, ...], list[str]]:
    """Return the names of the models to try, and remarks on those left out.

    Without a wish these are the models that need no optional package and that fit the
    number of items.
    """
    if wanted is not None:
        if "implicit" in wanted:
            _check_implicit()
        return wanted, []
    usual = [name for name in MODELS if name != "implicit"]
    too_large = [name for name in usual if n_items > MOST_ITEMS.get(name, n_items)]
    remarks = [
        f"Left out: {TITLES[name]}, which takes long and much memory for "
        f"{counted(n_items, 'item')} (tried up to {MOST_ITEMS[name]:,}). "
        f"Name {name} in --models to try it all the same."
        for name in too_large
    ]
    return tuple(name for name in usual if name not in too_large), remarks


def grid_of(
    models: tuple[str, ...], X: pd.DataFrame, y: np.ndarray | None, smallest: int
) -> list[dict[str, list]]:
    """Return the candidates for a search over the step "recommender" of a pipeline.

    `smallest` is the fewest users or items that a fold trains on.
    """
    has_weights = y is not None or X.duplicated(["user", "item"]).mean() > FEW_REPEATS
    training = Training(
        half_lives=half_lives(X["time"]),
        weightings=list(WEIGHTINGS if has_weights else WEIGHTINGS[:1]),
        components=[n for n in COMPONENTS if n < smallest] or [1],
    )
    return [
        {"recommender" + key: values for key, values in part.items()}
        for model in models
        for part in GRIDS[model](training)
    ]


def model_of(params: dict[str, Any]) -> str:
    """Return the title of the model among the parameters of a candidate."""
    if HALF_LIFE in params:
        return "time-decayed popularity"
    return TITLES[NAMES[type(params["recommender"])]]


def describe(params: dict[str, Any]) -> str:
    """Return a candidate in words."""
    words = [
        VALUES[key.rpartition("__")[2]].format(value)
        for key, value in params.items()
        if key != "recommender"
    ]
    return ", ".join([model_of(params), *words])


def _popularity(training: Training) -> list[dict[str, list]]:
    grid: list[dict[str, list]] = [{"": [popularity()]}]
    if training.half_lives:
        grid.append({"": [time_decayed()], "__half_life": training.half_lives})
    return grid


def _factorization(training: Training) -> list[dict[str, list]]:
    svd = TruncatedSVD(random_state=0)
    return [
        {
            "": [MatrixFactorizationRecommender(svd, **COLUMNS)],
            "__estimator__n_components": training.components,
            "__weighting": training.weightings,
        }
    ]


def _neighbors(training: Training) -> list[dict[str, list]]:
    return [
        {
            "": [ItemNeighborsRecommender(**COLUMNS)],
            "__n_neighbors": [10, 20, 50, 200],
            "__similarity": ["cosine", "tfidf"],
            "__weighting": training.weightings,
        }
    ]


def _ease(training: Training) -> list[dict[str, list]]:
    return [
        {
            "": [EASERecommender(**COLUMNS)],
            "__regularization": [30, 100, 300, 1000],
            "__weighting": training.weightings,
        }
    ]


def _implicit(training: Training) -> list[dict[str, list]]:
    from implicit.als import AlternatingLeastSquares

    als = AlternatingLeastSquares(random_state=0, num_threads=1)
    return [
        {
            "": [ImplicitRecommender(als, **COLUMNS)],
            "__model__factors": [32, 128],
            "__model__regularization": [1, 10],
            "__weighting": training.weightings,
        }
    ]


def _check_implicit() -> None:
    try:
        import implicit  # noqa: F401
    except ImportError as error:
        raise require("implicit", "recommenders", "--models implicit") from error


GRIDS: dict[str, Callable[[Training], list[dict[str, list]]]] = {
    "popularity": _popularity,
    "factorization": _factorization,
    "neighbors": _neighbors,
    "ease": _ease,
    "implicit": _implicit,
}
NAMES: dict[type, str] = {
    PopularityRecommender: "popularity",
    MatrixFactorizationRecommender: "factorization",
    ItemNeighborsRecommender: "neighbors",
    EASERecommender: "ease",
    ImplicitRecommender: "implicit",
}
