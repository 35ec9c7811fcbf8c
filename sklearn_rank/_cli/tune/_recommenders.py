"""The recommenders that can be tried: a line for each, and the values to try.

Whatever is slow to load is imported where it is used, for the names are needed to read
the arguments.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

COLUMNS = {"user": "user", "item": "item"}

# Candidates for a step of a pipeline: "" is the recommender, "__name" a parameter of it.
Grid = list[dict[str, list]]


@dataclass(frozen=True)
class Training:
    """What the values to try depend on."""

    half_lives: list
    weightings: list[str]
    components: list[int]


@dataclass(frozen=True)
class Recommender:
    """A recommender that can be tried."""

    title: str
    class_name: str
    grid: Callable[[Any, Training], Grid]  # of the class
    # Above so many items a fit takes a minute or gigabytes: EASE inverts a matrix of items
    # by items, neighbors are found in one.
    most_items: float = float("inf")
    package: str | None = None  # if it has one, it is tried only where it is asked for

    def candidates(self, training: Training) -> Grid:
        """Return the candidates of this recommender."""
        from sklearn_rank import recommenders

        return self.grid(getattr(recommenders, self.class_name), training)


def _popularity(popularity: Any, training: Training) -> Grid:
    grid: Grid = [{"": [popularity(**COLUMNS)]}]
    if training.half_lives:
        decayed = popularity(time="time", **COLUMNS)
        grid.append({"": [decayed], "__half_life": training.half_lives})
    return grid


def _factorization(factorization: Any, training: Training) -> Grid:
    from sklearn.decomposition import TruncatedSVD

    return [
        {
            "": [factorization(TruncatedSVD(random_state=0), **COLUMNS)],
            "__estimator__n_components": training.components,
            "__weighting": training.weightings,
        }
    ]


def _neighbors(neighbors: Any, training: Training) -> Grid:
    return [
        {
            "": [neighbors(**COLUMNS)],
            "__n_neighbors": [10, 20, 50, 200],
            "__similarity": ["cosine", "tfidf"],
            "__weighting": training.weightings,
        }
    ]


def _ease(ease: Any, training: Training) -> Grid:
    return [
        {
            "": [ease(**COLUMNS)],
            "__regularization": [30, 100, 300, 1000],
            "__weighting": training.weightings,
        }
    ]


def _implicit(implicit: Any, training: Training) -> Grid:
    from implicit.als import AlternatingLeastSquares

    als = AlternatingLeastSquares(random_state=0, num_threads=1)
    return [
        {
            "": [implicit(als, **COLUMNS)],
            "__model__factors": [32, 128],
            "__model__regularization": [1, 10],
            "__weighting": training.weightings,
        }
    ]


RECOMMENDERS = {
    "popularity": Recommender("popularity", "PopularityRecommender", _popularity),
    "factorization": Recommender(
        "matrix factorization", "MatrixFactorizationRecommender", _factorization
    ),
    "neighbors": Recommender(
        "item neighbors", "ItemNeighborsRecommender", _neighbors, most_items=20_000
    ),
    "ease": Recommender("EASE", "EASERecommender", _ease, most_items=5_000),
    "implicit": Recommender(
        "ALS of implicit", "ImplicitRecommender", _implicit, package="implicit"
    ),
}
# The values of parameters in words.
VALUES = {
    "half_life": "half-life {}",
    "n_components": "{} components",
    "n_neighbors": "{} nearest",
    "similarity": "by {}",
    "factors": "{} factors",
    "regularization": "regularization {}",
    "weighting": "{} weights",
}
