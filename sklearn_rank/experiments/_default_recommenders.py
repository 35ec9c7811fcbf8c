"""The recommenders that are tried by default, with the values to try."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.decomposition import NMF, TruncatedSVD
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer

from sklearn_rank import recommenders
from sklearn_rank.experiments._search_space import SearchSpace, with_columns


@dataclass(frozen=True)
class LogSize:
    """What the time of a fit and its score grows with."""

    n_rows: int
    n_items: int
    # The squared number of users of an item, summed over all items: the multiplications
    # that the similarities of all users take.
    n_user_pairs: int

    @classmethod
    def from_codes(cls, user: np.ndarray, item: np.ndarray) -> "LogSize":
        """Return the size of a log, given by the codes of the user and item of each row."""
        base = int(item.max(initial=0)) + 1
        pairs = np.unique(user.astype(np.int64) * base + item)
        n_users = np.bincount(pairs % base).astype(np.int64)
        return cls(len(user), int(np.count_nonzero(n_users)), int((n_users**2).sum()))

    @property
    def user_pairs_a_row(self) -> float:
        """Return the mean over rows: a row of a popular item takes longer."""
        return self.n_user_pairs / self.n_rows


@dataclass(frozen=True)
class Limit:
    """Size above which a fit and its score take half a minute, or gigabytes."""

    most: int
    of: str = "n_items"  # the attribute of LogSize

    def reason_against(self, log: LogSize) -> str | None:
        """Return in words why a log is too large, None if it is not."""
        size = getattr(log, self.of)
        if size <= self.most:
            return None
        return f"{REASONS[self.of].format(f'{size:,}')} (tried up to {self.most:,})"


# Of what keeps a matrix of items by items, or solves each item, and of what compares all
# users who have an item in common.
REASONS = {
    "n_items": "takes long and much memory for {} items",
    "n_user_pairs": (
        "takes long for {} pairs of users with an item in common, once for each item"
    ),
}


Values = dict[str, list[Any]]
Grid = Values | list[Values]

# Models except popularity try only the longest half-lives, this many.
N_HALF_LIVES = 3
# Two stages need this many rows to learn from.
MANY_ROWS = 20_000
# Ranks in the history of a user, the newest row first, at which a row counts half.
RECENCIES = [3, 10]
# After this many steps the lists hardly change; more steps double the time.
NMF_STEPS = 50


@dataclass(frozen=True)
class LogSummary:
    """What the values to try depend on: the columns and the size of a log."""

    columns: Mapping[str, Any]  # parameters of a recommender: user and item
    time: Any  # the column of times; None without times
    half_lives: list
    weightings: list[str]
    smallest: int  # the fewest users or items that a fold trains on
    size: LogSize
    exclude_seen: bool = True  # whether models leave out items that users have

    @property
    def parameters(self) -> dict[str, Any]:
        """The columns as parameters of a recommender that may read times."""
        return {**self.columns, **({} if self.time is None else {"time": self.time})}

    def adapt(self, space: SearchSpace) -> SearchSpace:
        """Return a search space whose estimator has the columns and `exclude_seen`."""
        space = with_columns(space, self.parameters)
        if self.exclude_seen:
            return space
        return replace(space, estimator=_include_seen(space.estimator))

    def make_grid(self, values: Grid, usual: Values) -> Grid:
        """Return a grid of all values, and of the usual ones by age and by recency."""
        every = values if isinstance(values, list) else [values]
        if self.time is None:
            return every if len(every) > 1 else every[0]
        timed: list[Values] = [{**usual, "recency": RECENCIES}]
        if self.half_lives:
            timed.insert(0, {**usual, "half_life": self.half_lives[-N_HALF_LIVES:]})
        return [*every, *timed]

    def components(self, wanted: tuple[int, ...]) -> list[int]:
        """Return the numbers of components that a fold has room for."""
        return [n for n in wanted if n < self.smallest] or [1]


@dataclass(frozen=True)
class DefaultRecommender:
    """A recommender that is tried by default, or if its name is given."""

    title: str
    class_name: str  # in sklearn_rank.recommenders
    # Processor time of a fit and its score, as a multiple of popularity, for the time left;
    # measured on 260,000 purchases of 3,700 items.
    cost: float
    # The values to try; no grid if this log has no value to try.
    grid: Callable[[LogSummary], Grid | None] = lambda log: {}
    inner: Any = None  # the estimator inside
    arguments: Callable[[LogSummary], Mapping[str, Any]] = lambda log: {}
    reads_times: bool = True
    limit: Limit | None = None  # EASE inverts a matrix, SLIM solves one problem per item
    # Pairs of users per row of that log, if the time grows with them.
    user_pairs_a_row: float | None = None
    package: str | None = None  # an optional package: tried only by name
    suits: Callable[[LogSummary], bool] = lambda log: True  # if False: tried only by name

    def make(self, log: LogSummary) -> tuple[Any, Grid | None]:
        """Return the estimator and its grid."""
        columns = log.parameters if self.reads_times else log.columns
        arguments = {**self.arguments(log), **columns}
        if self.inner is not None:
            arguments["estimator"] = clone(self.inner)
        return getattr(recommenders, self.class_name)(**arguments), self.grid(log)

    def matches(self, model: Any) -> bool:
        """Return whether an estimator is of the class that `make` returns."""
        if type(model) is not getattr(recommenders, self.class_name):
            return False
        if self.inner is not None and type(model.estimator) is not type(self.inner):
            return False
        return self.reads_times or model.time is None

    def cost_on(self, size: LogSize) -> float:
        """Return the cost on a log of this size."""
        if self.user_pairs_a_row is None:
            return self.cost
        return self.cost * max(1.0, size.user_pairs_a_row / self.user_pairs_a_row)


def _include_seen(model: Any) -> Any:
    """Return the model, and those within it, such that they recommend seen items."""
    params = model.get_params()
    names = [name for name in params if name.rpartition("__")[2] == "exclude_seen"]
    return clone(model).set_params(**dict.fromkeys(names, False))


def _can_repeat(log: LogSummary) -> bool:
    return not log.exclude_seen and log.time is not None


def check_can_try(name: str, time: Any, exclude_seen: bool) -> None:
    """Raise if a model that is asked for cannot be tried without times, or at all."""
    if name == "repeats" and (exclude_seen or time is None):
        raise ValueError(
            "The model 'repeats' recommends what users took before, by the time of their "
            "visits: give exclude_seen=False and `time`, or leave the model out."
        )
    if name == "two_stages" and time is None:
        raise _no_windows_error()


def _no_windows_error() -> ValueError:
    return ValueError(
        "The model 'two_stages' learns from windows at the end of the log: give "
        "`time`, in a log with several times, or leave the model out."
    )


def _repeat_grid(log: LogSummary) -> Grid:
    values: Values = {"recency": [3, 10, 30], "popularity_share": [0.1, 0.3, 0.5]}
    usual: Values = {"recency": [10], "popularity_share": [0.3]}
    faded = [{**usual, "half_life": log.half_lives}] if log.half_lives else []
    return [values, *faded]


def _has_label_windows(log: LogSummary) -> bool:
    return log.size.n_rows >= MANY_ROWS and len(log.half_lives) > N_HALF_LIVES


def _two_stage_arguments(log: LogSummary) -> dict[str, Any]:
    if len(log.half_lives) <= N_HALF_LIVES:
        raise _no_windows_error()
    *_, recent, window, lasting, _ = log.half_lives
    near = recommenders.ItemNeighborsRecommender(20, similarity="tfidf", half_life=lasting)
    candidates = [
        ("ease", recommenders.EASERecommender(300, half_life=lasting)),
        ("recent", recommenders.PopularityRecommender(half_life=recent)),
        ("near", near),
    ]
    ranker = make_pipeline(
        SimpleImputer(keep_empty_features=True),
        QuantileTransformer(n_quantiles=100, random_state=0),
        LogisticRegression(max_iter=1000),
    )
    return {"candidates": candidates, "ranker": ranker, "label_window": window}


def _half_life_grid(log: LogSummary) -> Grid | None:
    return {"half_life": log.half_lives} if log.half_lives else None


def _components_grid(*wanted: int) -> Callable[[LogSummary], Grid]:
    """Return a function that makes a grid of numbers of components and of weights."""
    name = "estimator__n_components"

    def grid(log: LogSummary) -> Grid:
        values: Values = {name: log.components(wanted), "weighting": log.weightings}
        return log.make_grid(values, {name: log.components((32,))})

    return grid


def _implicit_arguments(log: LogSummary) -> dict[str, Any]:
    from implicit.als import AlternatingLeastSquares

    return {"model": AlternatingLeastSquares(random_state=0, num_threads=1)}


def _weighted_grid(usual: Values, *values: Values) -> Callable[[LogSummary], Grid]:
    """Return a function that makes a grid: all values, and usual ones with times."""

    def grid(log: LogSummary) -> Grid:
        every = [{**row, "weighting": log.weightings} for row in values]
        return log.make_grid(every, usual)

    return grid


def _weigh_repeats(log: LogSummary) -> dict[str, Any]:
    return {} if log.exclude_seen else {"self_weight": True}


POPULARITY = "popularity"
TIME_DECAYED = "time_decayed_popularity"
# The models that the name "popularity" asks for.
BASELINES = (POPULARITY, TIME_DECAYED)

# Random walks as published.
BOTH_SIDES: Values = {
    "similarity": ["walk"],
    "keep": ["both"],
    "normalize": [True],
    "n_neighbors": [100],
}

RECOMMENDERS: Mapping[str, DefaultRecommender] = {
    POPULARITY: DefaultRecommender(
        "popularity", "PopularityRecommender", 1, reads_times=False
    ),
    TIME_DECAYED: DefaultRecommender(
        "time-decayed popularity", "PopularityRecommender", 1, _half_life_grid
    ),
    "factorization": DefaultRecommender(
        "matrix factorization",
        "MatrixFactorizationRecommender",
        4,
        _components_grid(4, 8, 16, 32, 64, 128),
        TruncatedSVD(random_state=0),
    ),
    "user_neighbors": DefaultRecommender(
        "user neighbors",
        "UserNeighborsRecommender",
        5,
        _weighted_grid(
            {"n_neighbors": [200]},
            {"n_neighbors": [20, 50, 200], "similarity": ["cosine", "tfidf"]},
        ),
        limit=Limit(2_000_000_000, "n_user_pairs"),
        user_pairs_a_row=115,
    ),
    "neighbors": DefaultRecommender(
        "item neighbors",
        "ItemNeighborsRecommender",
        6,
        # The last two are what validation sets of Gowalla and MovieLens 1M choose.
        _weighted_grid(
            {"similarity": ["walk"], "keep": ["candidate"], "n_neighbors": [20]},
            {
                "similarity": ["tfidf"],
                "keep": ["history", "candidate"],
                "n_neighbors": [20, 200],
            },
            {
                "similarity": ["walk"],
                "keep": ["candidate"],
                "n_neighbors": [20, 100],
                "beta": [0.1, 0.3],
            },
            {**BOTH_SIDES, "alpha": [0.5], "beta": [0.0]},
            {**BOTH_SIDES, "alpha": [0.8], "beta": [0.45]},
        ),
        arguments=_weigh_repeats,
    ),
    "nmf": DefaultRecommender(
        "NMF",
        "MatrixFactorizationRecommender",
        6,
        _components_grid(8, 32),
        NMF(random_state=0, tol=1e-3, max_iter=NMF_STEPS),
    ),
    "ease": DefaultRecommender(
        "EASE",
        "EASERecommender",
        20,
        _weighted_grid({"regularization": [300]}, {"regularization": [30, 100, 300, 1000]}),
        arguments=_weigh_repeats,
        limit=Limit(5_000),
    ),
    "slim": DefaultRecommender(
        "SLIM",
        "SLIMRecommender",
        70,
        # Binary weights alone, as in the paper: each further value takes minutes.
        lambda log: log.make_grid(
            {"alpha": [0.01, 0.05, 0.1], "n_neighbors": [50, 100]},
            {"alpha": [0.05], "n_neighbors": [100]},
        ),
        limit=Limit(10_000),
    ),
    "two_stages": DefaultRecommender(
        "two stages",
        "TwoStageRecommender",
        200,
        arguments=_two_stage_arguments,
        limit=Limit(5_000),
        suits=_has_label_windows,
    ),
    "implicit": DefaultRecommender(
        "ALS of implicit",
        "ImplicitRecommender",
        20,
        _weighted_grid(
            {"model__factors": [32], "model__regularization": [10]},
            {"model__factors": [32, 128], "model__regularization": [1, 10]},
        ),
        arguments=_implicit_arguments,
        package="implicit",
    ),
    "repeats": DefaultRecommender(
        "repeats", "RepeatRecommender", 3, _repeat_grid, suits=_can_repeat
    ),
}
# Names that may be asked for.
RECOMMENDER_NAMES = tuple(name for name in RECOMMENDERS if name != TIME_DECAYED)
# The values of parameters in words; others are written as name and value.
VALUE_WORDS = {
    "half_life": "half-life {}",
    "recency": "recency {}",
    "n_components": "{} components",
    "n_neighbors": "{} nearest",
    "similarity": "by {}",
    "factors": "{} factors",
    "regularization": "regularization {}",
    "weighting": "{} weights",
}


def usual_recommender_names(log: LogSummary) -> tuple[list[str], list[str]]:
    """Return the models that fit the size of a log, and remarks on those left out.

    They need no optional package.
    """
    kinds = {name: RECOMMENDERS[name] for name in RECOMMENDER_NAMES}
    usual = {n: kind for n, kind in kinds.items() if not kind.package and kind.suits(log)}
    names, remarks = [], []
    for name, kind in usual.items():
        reason = kind.limit and kind.limit.reason_against(log.size)
        if reason:
            remarks.append(
                f"Left out: {kind.title}, which {reason}. "
                f"Name {name} in `models` to try it all the same."
            )
        else:
            names.append(name)
    return names, remarks


def recommenders_to_try(names: list[str], log: LogSummary) -> dict[str, tuple[Any, Any]]:
    """Return estimator and grid by name, those that are cheap on this log first."""
    wanted = {*names, *(BASELINES if POPULARITY in names else ())}
    ordered = sorted(
        (name for name in RECOMMENDERS if name in wanted),
        key=lambda name: RECOMMENDERS[name].cost_on(log.size),
    )
    models = {}
    for name in ordered:
        model, grid = RECOMMENDERS[name].make(log)
        if grid is not None:
            models[name] = model if log.exclude_seen else _include_seen(model), grid
    return models


def describe_known_recommender(space: SearchSpace, size: LogSize) -> SearchSpace:
    """Return the space with the usual words and cost, if it is a default of that name."""
    usual = RECOMMENDERS.get(space.name)
    if usual is None or not usual.matches(space.estimator):
        return space
    return replace(
        space,
        title=usual.title,
        words=VALUE_WORDS,
        cost=usual.cost_on(size),
        is_baseline=space.name in BASELINES,
    )
