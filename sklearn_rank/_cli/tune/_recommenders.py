"""The recommenders that can be tried: a row for each, with the values to try.

Cheap ones are tried first, equally cheap ones in this order. Whatever is slow to load is
imported where it is used, for the names are needed to read the arguments.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn_rank._cli.tune._log_size import Limit, LogSize, most_items, most_user_pairs

COLUMNS = {"user": "user", "item": "item"}

# Candidates for a step of a pipeline: "" is the recommender, "__name" a parameter of it.
Grid = list[dict[str, list]]


@dataclass(frozen=True)
class Training:
    """What the values to try depend on."""

    half_lives: list
    weightings: list[str]
    smallest: int  # the fewest users or items that a fold trains on

    def components(self, wanted: tuple[int, ...]) -> list[int]:
        """Return the numbers of components that a fold has room for."""
        return [n for n in wanted if n < self.smallest] or [1]


@dataclass(frozen=True)
class Recommender:
    """A recommender that can be tried."""

    title: str
    class_name: str
    grid: Callable[[Any, Training], Grid]  # of the class
    # Processor time of a fit and its score, as a multiple of popularity, for the time left;
    # measured on 260,000 purchases of 3,700 items.
    cost: float
    limit: Limit | None = None  # EASE inverts a matrix, SLIM solves a problem an item
    # Pairs of users a row of that log, where the time grows with them.
    user_pairs_a_row: float | None = None
    package: str | None = None  # if it has one, it is tried only where it is asked for
    inner: str | None = None  # class of the estimator inside, where that tells it apart

    def cost_on(self, size: LogSize) -> float:
        """Return the cost on a log of this size."""
        if self.user_pairs_a_row is None:
            return self.cost
        return self.cost * max(1.0, size.user_pairs_a_row / self.user_pairs_a_row)

    def candidates(self, training: Training) -> Grid:
        """Return the candidates of this recommender."""
        from sklearn_rank import recommenders

        return self.grid(getattr(recommenders, self.class_name), training)

    def is_class_of(self, model: Any) -> bool:
        """Return whether a model is one of these."""
        if type(model).__name__ != self.class_name:
            return False
        if self.class_name == "PopularityRecommender":
            return (model.time is None) == (self.grid is _popularity)
        return self.inner is None or type(model.estimator).__name__ == self.inner


def _weighted(**values: list) -> Callable[[Any, Training], Grid]:
    """Return the candidates of a recommender that takes weights: all these values."""

    def grid(recommender: Any, training: Training) -> Grid:
        return [
            {
                "": [recommender(**COLUMNS)],
                **{f"__{name}": tried for name, tried in values.items()},
                "__weighting": training.weightings,
            }
        ]

    return grid


def _popularity(popularity: Any, training: Training) -> Grid:
    return [{"": [popularity(**COLUMNS)]}]


def _time_decayed(popularity: Any, training: Training) -> Grid:
    if not training.half_lives:
        return []
    decayed = popularity(time="time", **COLUMNS)
    return [{"": [decayed], "__half_life": training.half_lives}]


def _factorization(factorization: Any, training: Training) -> Grid:
    from sklearn.decomposition import TruncatedSVD

    return [
        {
            "": [factorization(TruncatedSVD(random_state=0), **COLUMNS)],
            "__estimator__n_components": training.components((4, 8, 16, 32, 64, 128)),
            "__weighting": training.weightings,
        }
    ]


def _slim(slim: Any, training: Training) -> Grid:
    # Binary weights alone, as in the paper: each further value takes minutes.
    alphas = [0.01, 0.05, 0.1]
    return [{"": [slim(**COLUMNS)], "__alpha": alphas, "__n_neighbors": [50, 100]}]


def _nmf(factorization: Any, training: Training) -> Grid:
    from sklearn.decomposition import NMF

    # Converged that far the lists no longer change; more steps take as much again.
    nmf = NMF(random_state=0, tol=1e-3, max_iter=50)
    return [
        {
            "": [factorization(nmf, **COLUMNS)],
            "__estimator__n_components": training.components((8, 32)),
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


POPULARITY = "popularity"
TIME_DECAYED = "time_decayed_popularity"
# What "popularity" of --models stands for.
BASELINES = (POPULARITY, TIME_DECAYED)

RECOMMENDERS = {
    POPULARITY: Recommender("popularity", "PopularityRecommender", _popularity, cost=1),
    TIME_DECAYED: Recommender(
        "time-decayed popularity", "PopularityRecommender", _time_decayed, cost=1
    ),
    "factorization": Recommender(
        "matrix factorization",
        "MatrixFactorizationRecommender",
        _factorization,
        cost=4,
        inner="TruncatedSVD",
    ),
    "user_neighbors": Recommender(
        "user neighbors",
        "UserNeighborsRecommender",
        _weighted(n_neighbors=[20, 50, 200], similarity=["cosine", "tfidf"]),
        cost=5,
        limit=most_user_pairs(2_000_000_000),
        user_pairs_a_row=115,
    ),
    "neighbors": Recommender(
        "item neighbors",
        "ItemNeighborsRecommender",
        _weighted(n_neighbors=[10, 20, 50, 200], similarity=["cosine", "tfidf"]),
        cost=6,
    ),
    "nmf": Recommender("NMF", "MatrixFactorizationRecommender", _nmf, cost=6, inner="NMF"),
    "ease": Recommender(
        "EASE",
        "EASERecommender",
        _weighted(regularization=[30, 100, 300, 1000]),
        cost=20,
        limit=most_items(5_000),
    ),
    "slim": Recommender(
        "SLIM", "SLIMRecommender", _slim, cost=70, limit=most_items(10_000)
    ),
    "implicit": Recommender(
        "ALS of implicit", "ImplicitRecommender", _implicit, cost=20, package="implicit"
    ),
}
# Of --models.
NAMES = tuple(name for name in RECOMMENDERS if name != TIME_DECAYED)
# The values of parameters in words; of others the name stands before the value.
VALUES = {
    "half_life": "half-life {}",
    "n_components": "{} components",
    "n_neighbors": "{} nearest",
    "similarity": "by {}",
    "factors": "{} factors",
    "regularization": "regularization {}",
    "weighting": "{} weights",
}
