"""Synthetic logs, and synthetic queries with graded documents."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypedDict, Unpack, overload

import numpy as np
from sklearn.utils import check_random_state

from sklearn_rank._base._machine import require_memory
from sklearn_rank._base._validation import (
    check_given,
    check_integer,
    check_option,
    check_real,
    check_share,
    import_pandas,
    shorten,
)
from sklearn_rank._hints._explain import explained
from sklearn_rank.typing import Bunch, Floats, Integers, Moment, PandasFrame, RandomState

# A log of users, items and times.


# Popularity is held constant within one of these parts of the period, so that each
# part needs one table of cumulative weights and not one per row.
N_PARTS = 12
# A share of the users was there before the log starts, as in any log cut from a longer
# one; the others join until shortly before its end.
SHARE_OF_OLD_USERS, LAST_JOIN = 0.3, 0.95
# How long an item is in fashion, as a share of the period.
FASHION_LENGTH = 0.25
# Flattens the head of Zipf's law (Mandelbrot 1953), for no item gets a tenth of a log.
HEAD = 10
# Share of the draws that may hit any item, so that every item can be used at all.
CURIOSITY = 0.02
# Dirichlet parameters; well below 1 they give most of the weight to one or two tastes.
TASTES_OF_A_USER, TASTES_OF_AN_ITEM = 0.05, 0.02
# Ten thousand years.
_MOST_DAYS = 3_652_425


class _LogOptions(TypedDict, total=False):
    n_tastes: int
    taste_strength: float
    popularity_exponent: float
    drift: float
    repeat_share: float
    start: Moment
    n_days: int
    random_state: RandomState


@overload
def make_interactions(
    n_users: int = 1000,
    n_items: int = 1000,
    n_interactions: int = 50_000,
    *,
    n_tastes: int = 16,
    taste_strength: float = 0.9,
    popularity_exponent: float = 1.0,
    drift: float = 0.3,
    repeat_share: float = 0.02,
    start: Moment = "2024-01-01",
    n_days: int = 365,
    as_frame: Literal[False] = False,
    random_state: RandomState = None,
) -> Bunch: ...


@overload
def make_interactions(
    n_users: int = 1000,
    n_items: int = 1000,
    n_interactions: int = 50_000,
    *,
    as_frame: Literal[True],
    **options: Unpack[_LogOptions],
) -> PandasFrame: ...


@explained
def make_interactions(
    n_users: int = 1000,
    n_items: int = 1000,
    n_interactions: int = 50_000,
    *,
    n_tastes: int = 16,
    taste_strength: float = 0.9,
    popularity_exponent: float = 1.0,
    drift: float = 0.3,
    repeat_share: float = 0.02,
    start: Moment = "2024-01-01",
    n_days: int = 365,
    as_frame: bool = False,
    random_state: RandomState = None,
) -> Bunch | PandasFrame:
    """
    Make an implicit feedback log: one row for each time a user used an item.

    The log has what makes real logs hard. A few items get most rows. Users are of different
    activity and join over time, so the end of the log has users that its beginning does not
    know. Each user mixes a few latent tastes, which shared items reveal: a personalized
    model can beat the ranking by popularity.

    Popularity and tastes change over time: a model that looks into the future scores too
    well. There are no dislikes.

    Parameters
    ----------
    n_users : int, default=1000
        Number of users, numbered from 0. Each has at least one row.
    n_items : int, default=1000
        Number of items, numbered from 0 in no particular order. Items without a user are
        not in the log.
    n_interactions : int, default=50_000
        Number of rows; at least `n_users`, and at most a quarter of
        ``n_users * n_items``, since no user knows most of a catalogue.
    n_tastes : int, default=16
        Number of latent tastes.
    taste_strength : float, default=0.9
        Share of the rows, from 0 to 1, in which a user follows a taste of his or her
        own; in the others the user follows the crowd. With 0 no model can beat
        popularity.
    popularity_exponent : float, default=1.0
        From 0 (all items alike) to 10: the item at place `r` in the order of
        popularity is picked in proportion to ``(r + 10) ** -popularity_exponent``
        (the law of Zipf and Mandelbrot).
    drift : float, default=0.3
        How much popularity and tastes change over the period: from 0 (not at all)
        to 1 (an item out of fashion is not used, and at the end of the period
        a user's tastes have nothing to do with those at its start).
    repeat_share : float, default=0.02
        Share of the rows, from 0 to less than 1, in which a user returns to an item he
        or she has used before. All other rows are new pairs of a user and an item.
    start : str, date or datetime, default="2024-01-01"
        Beginning of the log.
    n_days : int, default=365
        Length of the log in days, at most ten thousand years.
    as_frame : bool, default=False
        Whether to return a pandas DataFrame.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same log in every call.

    Returns
    -------
    Bunch or pandas.DataFrame
        Rows in order of time. A Bunch of arrays, each of shape (n_interactions,):
        `user` and `item` (int64), `time` (datetime64[s]). With ``as_frame=True``
        a DataFrame with these columns.

    Raises
    ------
    ValueError
        If a number is out of its range, or if `n_interactions` does not fit
        `n_users` and `n_items`.
    ImportError
        If ``as_frame=True`` and pandas is not installed.

    See Also
    --------
    make_ranking : Graded documents of queries, for learning to rank.

    Notes
    -----
    An item's popularity and a user's activity are independent of their numbers.
    A million rows take about two seconds.

    Examples
    --------
    >>> from sklearn_rank.datasets import make_interactions
    >>> log = make_interactions(100, 50, 1000, random_state=0)
    >>> log.user.shape, log.item.shape
    ((1000,), (1000,))
    >>> bool((log.time[:-1] <= log.time[1:]).all())
    True
    """
    check_option("as_frame", as_frame, (True, False))
    n_users, n_items, n_interactions, n_tastes, n_days = _check_sizes(
        n_users, n_items, n_interactions, n_tastes, n_days
    )
    exponent, needed = popularity_exponent, "a number from 0 to 10"
    exponent = check_real("popularity_exponent", exponent, needed, least=0, most=10)
    taste_strength = check_share("taste_strength", taste_strength)
    drift = check_share("drift", drift)
    needed = "a number from 0 to < 1"
    repeat_share = check_real("repeat_share", repeat_share, needed, least=0, below=1)
    beginning = _as_second(start)
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31, size=4))
    world = _make_world(rng, n_users, n_items, n_tastes, exponent, taste_strength, drift)
    n_repeats = min(round(repeat_share * n_interactions), n_interactions - n_users)
    rows = _draw_new_pairs(rng, world, n_interactions - n_repeats)
    again = rng.integers(len(rows.user), size=n_repeats)
    later = rng.uniform(rows.time[again], 1.0)
    rows = _join_rows(rows, _LogRows(rows.user[again], rows.item[again], later))
    return _as_log(rows, beginning, n_days, as_frame)


class _World(NamedTuple):
    """What does not change from row to row: who the users and items are."""

    join: np.ndarray  # (n_users,) when a user joins, as a share of the period
    activity: np.ndarray  # (n_users,) cumulative: how likely a row is a user's
    tastes: np.ndarray  # (2, n_users, n_tastes) cumulative: at first, and later on
    affinity: np.ndarray  # (n_tastes + 1, n_items) what a taste, and the crowd, likes
    popularity: np.ndarray  # (n_items,)
    fashion: np.ndarray  # (n_items,) when an item is most popular
    taste_strength: float
    drift: float


class _LogRows(NamedTuple):
    user: np.ndarray
    item: np.ndarray
    time: np.ndarray  # as a share of the period


def _join_rows(first: _LogRows, second: _LogRows) -> _LogRows:
    return _LogRows(*map(np.concatenate, zip(first, second, strict=True)))


def _check_sizes(n_users, n_items, n_interactions, n_tastes, n_days) -> tuple[int, ...]:
    n_users = check_integer("n_users", n_users)
    n_items = check_integer("n_items", n_items, minimum=4)
    n_interactions = check_integer("n_interactions", n_interactions)
    n_tastes = check_integer("n_tastes", n_tastes)
    n_days = check_integer("n_days", n_days)
    if not n_users <= n_interactions <= n_users * n_items // 4:
        raise ValueError(
            f"`n_interactions` must be from {n_users} (one row per user) to "
            f"{n_users * n_items // 4} (a quarter of n_users * n_items), "
            f"got {n_interactions}; change it, or raise `n_items`."
        )
    if n_days > _MOST_DAYS:
        raise ValueError(f"`n_days` must be at most {_MOST_DAYS:,}, got {n_days}.")
    require_memory(
        8 * (3 * n_interactions + 2 * n_users * n_tastes + n_items * n_tastes),
        f"A log of {n_interactions:,} rows, {n_users:,} users and {n_items:,} items of "
        f"{n_tastes:,} tastes",
        "Lower `n_interactions`, `n_users`, `n_items` or `n_tastes`.",
    )
    return n_users, n_items, n_interactions, n_tastes, n_days


def _make_world(
    rng, n_users, n_items, n_tastes, popularity_exponent, taste_strength, drift
) -> _World:
    is_new_user = rng.random(n_users) >= SHARE_OF_OLD_USERS
    join = is_new_user * rng.uniform(0, LAST_JOIN, n_users)
    activity = rng.lognormal(sigma=1.0, size=n_users) * (1 - join)
    tastes = rng.dirichlet(np.full(n_tastes, TASTES_OF_A_USER), size=(2, n_users))
    liked_by = rng.dirichlet(np.full(n_tastes, TASTES_OF_AN_ITEM), size=n_items).T
    popularity = (rng.permutation(n_items) + 1.0 + HEAD) ** -popularity_exponent
    fashion = rng.uniform(-FASHION_LENGTH, 1 + FASHION_LENGTH, n_items)
    affinity = np.vstack([_add_floor(liked_by), np.ones(n_items)])
    popularity = _add_floor(popularity / popularity.sum())
    users = join, _cumulate(activity), _cumulate(tastes)
    return _World(*users, affinity, popularity, fashion, taste_strength, drift)


def _add_floor(weights: np.ndarray) -> np.ndarray:
    return (1 - CURIOSITY) * weights + CURIOSITY * weights.mean()


def _draw_new_pairs(rng, world: _World, n_rows: int) -> _LogRows:
    """Draw rows until there are `n_rows` different pairs of a user and an item."""
    n_items = len(world.popularity)
    # The first row of each user is the reason for joining.
    users = np.arange(len(world.join))
    times = world.join + (world.join == 0) * rng.random(len(users)) * 0.5
    rows = _LogRows(users, _draw_items(rng, world, users, times), times)
    while len(rows.user) < n_rows:
        n_more = 2 * (n_rows - len(rows.user)) + 100
        users = _draw_columns(rng, world.activity, np.zeros(n_more, dtype=np.int64))
        times = rng.uniform(world.join[users], 1.0)
        more = _LogRows(users, _draw_items(rng, world, users, times), times)
        both = _join_rows(rows, more)
        _, first = np.unique(both.user * n_items + both.item, return_index=True)
        first = np.sort(first)[:n_rows]
        rows = _LogRows(*(column[first] for column in both))
    return rows


def _draw_items(rng, world: _World, users: np.ndarray, times: np.ndarray) -> np.ndarray:
    taste = _draw_tastes(rng, world, users, times)
    part = (times * N_PARTS).astype(np.int64)
    items = np.empty(len(users), dtype=np.int64)
    for this_part in np.unique(part):
        in_part = part == this_part
        ago = (this_part + 0.5) / N_PARTS - world.fashion
        in_fashion = _add_floor(np.exp(-((ago / FASHION_LENGTH) ** 2)))
        popularity = world.popularity * (1 - world.drift + world.drift * in_fashion)
        liked = _cumulate(world.affinity * popularity)
        items[in_part] = _draw_columns(rng, liked, taste[in_part])
    return items


def _draw_tastes(rng, world: _World, users: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return the taste each row follows; one more than the last taste is the crowd."""
    _, n_users, n_tastes = world.tastes.shape
    has_changed = rng.random(len(users)) < world.drift * times
    tastes = world.tastes.reshape(-1, n_tastes)
    taste = _draw_columns(rng, tastes, has_changed * n_users + users)
    follows_taste = rng.random(len(users)) < world.taste_strength
    return np.where(follows_taste, taste, n_tastes)


def _cumulate(weights: np.ndarray) -> np.ndarray:
    total = np.cumsum(np.atleast_2d(weights), axis=-1)
    return total / total[..., -1:]


def _draw_columns(rng, cumulative: np.ndarray, row: np.ndarray) -> np.ndarray:
    """Draw a column for each entry of `row`, by the cumulative weights of that row.

    Row i is moved up by i, which makes one ascending table of all rows: one search
    for all draws.
    """
    n_rows, n_columns = cumulative.shape
    table = (cumulative + np.arange(n_rows)[:, np.newaxis]).ravel()
    positions = np.searchsorted(table, row + rng.random(len(row)), side="right")
    # i + random() may round up to i + 1.
    return np.minimum(positions - row * n_columns, n_columns - 1)


def _as_second(start: Any) -> np.datetime64:
    needed = f"`start` must be a date or time such as '2024-01-01', got {shorten(start)}."
    try:
        second = np.datetime64(start, "s")
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(needed) from error
    if np.isnat(second):
        raise ValueError(needed)
    return second


def _as_log(rows: _LogRows, start: np.datetime64, n_days: int, as_frame: bool) -> Any:
    order = np.argsort(rows.time, kind="stable")
    seconds = (rows.time[order] * n_days * 86_400).astype("timedelta64[s]")
    users, items = rows.user[order], rows.item[order]
    times = start + seconds
    if not as_frame:
        return Bunch(user=users, item=items, time=times)
    pd = import_pandas("make_interactions(as_frame=True)")
    return pd.DataFrame({"user": users, "item": items, "time": times})


# Queries with graded documents.


# Shares of the grades 0 to 4: most documents are of no use, few are perfect, as in the
# public learning-to-rank collections.
SHARES = (0.52, 0.25, 0.13, 0.07, 0.03)


@explained
def make_ranking(
    n_queries: int = 100,
    query_size: tuple[int, int] = (5, 40),
    n_features: int = 10,
    *,
    n_informative: int = 5,
    query_effect: float = 1.0,
    noise: float = 0.5,
    shuffle: bool = False,
    random_state: RandomState = None,
) -> tuple[Floats, Integers, Integers]:
    """
    Make queries whose documents carry grades from 0 to 4, for learning to rank.

    The worth of a document is a weighted sum of its informative features, plus noise;
    grades cut the worth of all documents into five ranges. Each query then moves its
    informative features by an amount of its own that says nothing about worth.

    So documents can be compared within a query only: a model that ranks does better than
    one that predicts the grade from the features alone. In some queries, mostly short ones,
    no document is relevant.

    Parameters
    ----------
    n_queries : int, default=100
        Number of queries.
    query_size : tuple of int (smallest, largest), default=(5, 40)
        Documents in a query; sizes between the two, both included, are equally likely.
    n_features : int, default=10
        Number of features.
    n_informative : int, default=5
        Number of features, at random places, that the worth depends on. The others
        are noise.
    query_effect : float, default=1.0
        Standard deviation, in units of that of the features within a query, of what
        a query adds to its informative features. 0 makes all documents comparable.
    noise : float, default=0.5
        Standard deviation of the noise, in units of that of the weighted sum. 0 lets
        a linear model rank without error.
    shuffle : bool, default=False
        Whether to shuffle the rows, so that those of a query are not together.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same data in every call.

    Returns
    -------
    X : ndarray of shape (n_rows, n_features)
        Features, one row per document.
    y : ndarray of shape (n_rows,)
        Grades, integers from 0 to 4. About half of them are 0 and 3 in 100 are 4.
    groups : ndarray of shape (n_rows,)
        The query of each row, numbered from 0; ascending unless ``shuffle=True``.

    Raises
    ------
    ValueError
        If a number is out of its range.

    See Also
    --------
    make_interactions : A synthetic log of users, items and times, for recommenders.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, groups = make_ranking(3, (2, 4), random_state=0)
    >>> X.shape == (len(y), 10) and len(y) == len(groups)
    True
    >>> sizes = np.bincount(groups)
    >>> bool((sizes >= 2).all() and (sizes <= 4).all())
    True
    """
    check_option("shuffle", shuffle, (True, False))
    n_queries, smallest, largest, n_features, n_informative = _check_sizes_of_queries(
        n_queries, query_size, n_features, n_informative
    )
    effect = check_real("query_effect", query_effect, "a number >= 0", least=0)
    noise = check_real("noise", noise, "a number >= 0", least=0)
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31, size=4))
    sizes = rng.integers(smallest, largest + 1, size=n_queries)
    groups = np.repeat(np.arange(n_queries), sizes)
    X = rng.normal(size=(len(groups), n_features))
    informative = rng.permutation(n_features)[:n_informative]
    weights = rng.normal(size=n_informative)
    worth = X[:, informative] @ (weights / np.linalg.norm(weights))
    worth += noise * rng.normal(size=len(worth))
    y = np.searchsorted(np.quantile(worth, np.cumsum(SHARES)[:-1]), worth)
    moved = effect * rng.normal(size=(n_queries, n_informative))
    X[:, informative] += moved[groups]
    order = rng.permutation(len(y)) if shuffle else slice(None)
    return X[order], y[order], groups[order]


def _check_sizes_of_queries(
    n_queries, query_size, n_features, n_informative
) -> tuple[int, ...]:
    """Return the four as Python's integers, `query_size` as two."""
    n_queries = check_integer("n_queries", n_queries)
    n_features = check_integer("n_features", n_features)
    n_informative = check_integer("n_informative", n_informative)
    if n_informative > n_features:
        raise ValueError(
            f"`n_informative` must be at most `n_features` ({n_features}), "
            f"got {n_informative}."
        )
    are_two = isinstance(query_size, tuple | list) and len(query_size) == 2
    check_given("query_size", query_size, are_two, "two integers (smallest, largest)")
    smallest = check_integer("query_size[0]", query_size[0])
    largest = check_integer("query_size[1]", query_size[1], minimum=smallest)
    require_memory(
        8 * n_queries * smallest * (n_features + 3),
        f"{n_queries:,} queries of {smallest:,} or more rows of {n_features:,} features",
        "Lower `n_queries`, `query_size` or `n_features`.",
    )
    return n_queries, smallest, largest, n_features, n_informative
