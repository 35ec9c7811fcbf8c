"""default_models: the models that tune_models tries, as a dict to change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from typing import Any

from scipy import sparse
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from sklearn_rank._base._label_checks import check_paired
from sklearn_rank._base._validation import check_installed, is_iterable, shorten, suggest
from sklearn_rank._hints._explain import explained, words
from sklearn_rank.experiments._default_recommenders import (
    POPULARITY,
    RECOMMENDER_NAMES,
    RECOMMENDERS,
    LogSummary,
    Values,
    check_can_try,
    describe_known_recommender,
    recommenders_to_try,
    usual_recommender_names,
)
from sklearn_rank.experiments._log_splits import read_interactions, summarize_log
from sklearn_rank.experiments._read_data import (
    Columns,
    TuningOptions,
    find_columns,
    read_rows,
)
from sklearn_rank.experiments._search_space import SearchSpace, read_search_space
from sklearn_rank.inputs._columns import count_rows
from sklearn_rank.rankers import GroupRanker, PairwiseRanker
from sklearn_rank.typing import ArrayLike, Column, Labels, Table

# Estimator and grid by name.
Models = dict[str, tuple[Any, Any]]
# Names of models that are checked; None for the usual ones.
Names = list[str] | None


@explained
def default_models(
    X: Table,
    y: ArrayLike | None = None,
    *,
    groups: Labels | Column | None = None,
    user: Column | None = None,
    item: Column | None = None,
    time: Column | None = None,
    exclude_seen: bool = True,
    names: Sequence[str] | None = None,
) -> Models:
    """Return the models that `tune_models` tries, with the values of their parameters.

    They are a plain dict; edit it before passing it to :func:`tune_models`.

    Parameters
    ----------
    X : {array-like, sparse matrix, dataframe} of shape (n_rows, n_columns)
        Interactions, or the rows of queries.
    y : array-like of shape (n_rows,), default=None
        Ratings of interactions, or grades of rows.
    groups : array-like of shape (n_rows,), str or int, default=None
        Query of each row, or the column of X that holds it: the models are rankers.
    user, item : str or int, default=None
        Columns of X: the models are recommenders. If None, the columns named ``user`` or
        ``user_id``, ``item`` or ``item_id``, where there are no groups.
    time : str or int, default=None
        Column of X with the time of each interaction. Without it no
        time-decayed model is tried.
    exclude_seen : bool, default=True
        Whether recommenders leave out items that users already have.
    names : sequence of str, default=None
        Models to return. Recommenders: ``"popularity"`` (plain, and fading where there are
        times), ``"factorization"``, ``"user_neighbors"``, ``"neighbors"``, ``"nmf"``,
        ``"ease"``, ``"slim"``, ``"implicit"``, ``"two_stages"`` where there are times, and
        ``"repeats"`` with ``exclude_seen=False``, too. Rankers: ``"lightgbm"``,
        ``"xgboost"``, ``"catboost"``, ``"pairwise"``, ``"pointwise"``. If None, those that
        need no further package, as far as the size of a log allows; two stages need 20,000
        rows.

    Returns
    -------
    models : dict of str to tuple
        Of each model the estimator and its grid, a dict or a list of dicts from parameter
        to values. Cheap ones come first.

    Raises
    ------
    ValueError
        If a name is unknown, or if both or neither of `groups` and `user`, `item` are
        there.
    ImportError
        If a model is named whose package is not installed.

    See Also
    --------
    tune_models : Searches over them.

    Notes
    -----
    Half-lives are round numbers from a thousandth to a third of the time that the log
    covers: all of them for popularity, the three longest for each other model, with the
    usual values of its other parameters. With these `recency` is tried, too. `tune_models`
    itself makes half-lives for the rows that it trains on.

    Examples
    --------
    >>> from sklearn_rank.datasets import make_interactions
    >>> from sklearn_rank.experiments import default_models
    >>> log = make_interactions(random_state=0, as_frame=True)
    >>> models = default_models(log, names=["neighbors", "ease"])
    >>> models["ease"][1]
    {'regularization': [30, 100, 300, 1000], 'weighting': ['binary']}
    """
    X = read_rows(X)
    check_paired({"X": X, "y": y, "groups": groups})
    columns = find_columns(X, groups, user, item, time, None)
    names = read_names(names, columns, exclude_seen)
    if columns is None:
        return ranker_models(X, names)[0]
    data = read_interactions(X, y, columns, None)
    return recommender_models(summarize_log(data, [], exclude_seen), names)[0]


def recommender_models(log: LogSummary, names: Names) -> tuple[Models, list[str]]:
    """Return recommenders to try, and remarks on those left out."""
    names, remarks = (names, []) if names is not None else usual_recommender_names(log)
    return recommenders_to_try(names, log), remarks


def ranker_models(X: Any, names: Names) -> tuple[Models, list[str]]:
    """Return rankers to try, and remarks on those left out."""
    count_rows(X, name="X")
    names, remarks = (names, []) if names is not None else usual_ranker_names(X)
    return rankers_to_try(names), remarks


@dataclass(frozen=True)
class ModelChoice:
    """The models of a search as far as they do not depend on the data."""

    names: Names = None  # default models; all, if there are no spaces either
    spaces: Sequence[SearchSpace] = ()
    keys: Mapping[str, str] = field(default_factory=dict)  # own names of default models


def read_models(options: TuningOptions, columns: Columns | None) -> ModelChoice:
    """Check the argument `models`."""
    models = options.models
    if not isinstance(models, Mapping):
        return ModelChoice(read_names(models, columns, options.exclude_seen))
    if not models:
        raise ValueError("`models` is empty; give at least one model, or None.")
    keys = {model: key for key, model in models.items() if isinstance(model, str)}
    own = {key: model for key, model in models.items() if not isinstance(model, str)}
    names = read_names(list(keys), columns, options.exclude_seen) if keys else None
    spaces = [read_search_space(*entry, options.n_candidates) for entry in own.items()]
    return ModelChoice(names, spaces, keys)


def recommender_spaces(log: LogSummary, models: ModelChoice) -> dict[str, list]:
    """Return the recommenders to search over, as `_make_search_spaces` does."""
    made = _make_search_spaces(
        models,
        partial(recommender_models, log),
        recommenders_to_try([POPULARITY], log),
        lambda space: describe_known_recommender(space, log.size),
    )
    return {**made, "spaces": [log.adapt(space) for space in made["spaces"]]}


def ranker_spaces(X: Any, models: ModelChoice) -> dict[str, list]:
    """Return the rankers to search over, as `_make_search_spaces` does."""
    usual = partial(ranker_models, X)
    return _make_search_spaces(models, usual, rankers_to_try([]), describe_known_ranker)


def _make_search_spaces(
    models: ModelChoice,
    usual: Callable[[Names], tuple[Mapping[str, Any], list[str]]],
    baselines: Mapping[str, Any],
    describe: Callable[[SearchSpace], SearchSpace],
) -> dict[str, list]:
    """Return the search spaces, baselines to add, and remarks on models left out."""
    spaces = list(models.spaces)
    left_out: list[str] = []
    if models.names is not None or not spaces:
        made, left_out = usual(models.names)
        spaces += [
            replace(
                describe(read_search_space(name, model)), name=models.keys.get(name, name)
            )
            for name, model in made.items()
        ]
    own = {space.name for space in spaces}
    added = [read_search_space(*item) for item in baselines.items() if item[0] not in own]
    return {
        "spaces": [describe(space) for space in spaces],
        "added": [describe(space) for space in added],
        "left_out": left_out,
    }


def read_names(names: Any, columns: Columns | None, exclude_seen: bool) -> Names:
    """Check names of recommenders, or of rankers where no columns of a log are named."""
    if names is None:
        return None
    is_log = columns is not None
    names = _check_known(names, RECOMMENDER_NAMES if is_log else RANKER_NAMES)
    for name in names:
        if columns is not None:
            check_can_try(name, columns.get("time"), exclude_seen)
            package, extra = RECOMMENDERS[name].package, "recommenders"
        else:
            package, extra = _TUNED[RANKER_NAMES[name][0]].package, "rankers"
        check_installed(package, extra, f"The model {name!r}")
    return names


def _check_known(names: Any, usual: Any) -> list[str]:
    if isinstance(names, str) or not is_iterable(names):
        kind = type(names).__name__
        own = f'; for your model give {{"{kind}": model}}' if hasattr(names, "fit") else ""
        raise TypeError(
            f"Names of models must be a list, such as {list(usual)[:2]}, got "
            f"{shorten(names)}{own}."
        )
    names = list(names)
    if not names:
        raise ValueError(f"The list of models is empty; name some of {list(usual)}.")
    for name in names:
        if not isinstance(name, str) or name not in usual:
            options = suggest(name, usual, meant=words().model(str(name), usual))
            raise ValueError(f"There is no model {shorten(name)}. {options}")
    return names


# The rankers that are tried by default or by name.

SHRINKAGE = [0.03, 0.1, 0.3]
TREES = [50, 200]


@dataclass(frozen=True)
class DefaultRanker:
    """A ranker that can be tuned."""

    title: str
    # Makes it as it comes, but silent, in one thread and with a fixed seed: the search
    # runs several at a time.
    make: Callable[[], Any]
    grid: Values
    package: str | None = None
    is_baseline: bool = False


# The booster of each package, and what makes it silent and repeatable in one thread.
_BOOSTERS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "lightgbm": ("LGBMRanker", {"n_jobs": 1, "random_state": 0, "verbose": -1}),
    "xgboost": ("XGBRanker", {"n_jobs": 1, "random_state": 0}),
    "catboost": (
        "CatBoostRanker",
        {
            "thread_count": 1,
            "random_seed": 0,
            "verbose": False,
            "allow_writing_files": False,
        },
    ),
}


def _make_booster(package: str) -> Any:
    class_name, params = _BOOSTERS[package]
    return GroupRanker(getattr(import_module(package), class_name)(**params))


def _scale(ranker: Any) -> Any:
    return make_pipeline(StandardScaler(with_mean=False), ranker)


def _boosting_grid(n_trees: str, **shape: list) -> Values:
    grid: Values = {"learning_rate": SHRINKAGE, n_trees: TREES, **shape}
    return {f"estimator__{name}": values for name, values in grid.items()}


def _boosted_ranker(package: str, n_trees: str, **shape: list) -> DefaultRanker:
    grid = _boosting_grid(n_trees, **shape)
    return DefaultRanker(package, partial(_make_booster, package), grid, package)


EQUAL = "equal"
UNTUNED = "untuned_"  # before the name of a model

_TUNED = {
    "lightgbm": _boosted_ranker("lightgbm", "n_estimators", num_leaves=[7, 31]),
    "xgboost": _boosted_ranker("xgboost", "n_estimators", max_depth=[3, 6]),
    "catboost": _boosted_ranker("catboost", "iterations", depth=[3, 6]),
    "pairwise": DefaultRanker(
        "pairwise",
        # The primal problem: it has fewer unknowns, features instead of pairs.
        lambda: _scale(PairwiseRanker(LinearSVC(dual=False), random_state=0)),
        {"pairwiseranker__estimator__C": [1e-5, 1e-4, 1e-3, 0.01, 0.1]},
    ),
    "pointwise_ridge": DefaultRanker(
        "pointwise, ridge",
        lambda: _scale(GroupRanker(Ridge())),
        {"groupranker__estimator__alpha": [1, 10, 100, 1000, 10_000]},
    ),
    "pointwise_trees": DefaultRanker(
        "pointwise, trees",
        lambda: GroupRanker(HistGradientBoostingRegressor(random_state=0)),
        _boosting_grid("max_iter", max_leaf_nodes=[7, 31]),
    ),
}
# The entries of _TUNED that a name asks for; the first one is tried untuned, too.
RANKER_NAMES: Mapping[str, tuple[str, ...]] = {
    **{name: (name,) for name in (*_BOOSTERS, "pairwise")},
    "pointwise": ("pointwise_trees", "pointwise_ridge"),
}


def _untuned_ranker(name: str) -> DefaultRanker:
    first = _TUNED[RANKER_NAMES[name][0]]
    title = f"{name}, untuned"
    return DefaultRanker(title, first.make, {}, first.package, is_baseline=True)


RANKERS: Mapping[str, DefaultRanker] = {
    EQUAL: DefaultRanker(
        "all scores equal", lambda: GroupRanker(DummyRegressor()), {}, is_baseline=True
    ),
    **{UNTUNED + name: _untuned_ranker(name) for name in RANKER_NAMES},
    **_TUNED,
}


def usual_ranker_names(X: Any) -> tuple[list[str], list[str]]:
    """Return the models that need no optional package, and remarks on those left out."""
    usual = [
        name for name, (first, *_) in RANKER_NAMES.items() if not _TUNED[first].package
    ]
    if not sparse.issparse(X):
        return usual, []
    remark = (
        "Left out: pointwise, whose trees need a dense X. "
        "Name pointwise in `models` with X.toarray() to try it."
    )
    return [name for name in usual if name != "pointwise"], [remark]


def rankers_to_try(names: list[str]) -> dict[str, tuple[Any, Any]]:
    """Return estimator and grid by name.

    They are all scores equal, and of each model one untuned and one or two to tune.
    """
    wanted = [EQUAL, *(UNTUNED + name for name in names)]
    # Ridge before trees, which take longer.
    wanted += [part for part in _TUNED if any(part in RANKER_NAMES[name] for name in names)]
    return {name: (RANKERS[name].make(), RANKERS[name].grid) for name in wanted}


def describe_known_ranker(space: SearchSpace) -> SearchSpace:
    """Return the space with the usual words, if it is a default of that name."""
    usual = RANKERS.get(space.name)
    if usual is None or not (usual.package or type(usual.make()) is type(space.estimator)):
        return space
    return replace(space, title=usual.title, is_baseline=usual.is_baseline)
