"""default_models: the models that tune_models tries, as a dict to change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn_rank._tables._columns import count_rows
from sklearn_rank._validation import is_iterable, shorten, suggest
from sklearn_rank.experiments._log_rows import read_interactions
from sklearn_rank.experiments._log_task import facts_of
from sklearn_rank.experiments._ranker_families import (
    NAMES as RANKER_NAMES,
)
from sklearn_rank.experiments._ranker_families import (
    rankers_to_try,
    usual_ranker_names,
)
from sklearn_rank.experiments._read_data import check_in_memory, columns_of
from sklearn_rank.experiments._recommender_families import (
    NAMES as RECOMMENDER_NAMES,
)
from sklearn_rank.experiments._recommender_families import (
    LogFacts,
    recommenders_to_try,
    usual_names,
)
from sklearn_rank.typing import ArrayLike, Column, Labels, Table

Models = dict[str, tuple[Any, Any]]


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

    It is an ordinary dict, to add to, to drop from and to change before
    :func:`tune_models` gets it.

    Parameters
    ----------
    X : {array-like, sparse matrix, dataframe} of shape (n_rows, n_columns)
        Interactions, or the rows of queries.
    y : array-like of shape (n_rows,), default=None
        Ratings of interactions, or grades of rows.
    groups : array-like of shape (n_rows,), str or int, default=None
        Query of each row, or the column of X that holds it: the models are rankers.
    user, item : str or int, default=None
        Columns of X: the models are recommenders. None: the columns named ``user`` or
        ``user_id``, ``item`` or ``item_id``, where there are no groups.
    time : str or int, default=None
        Column of X with the time of each interaction. Without it nothing fades.
    exclude_seen : bool, default=True
        Whether recommenders leave out items that users already have.
    names : sequence of str, default=None
        Models to return. Recommenders: ``"popularity"`` (plain, and fading where there are
        times), ``"factorization"``, ``"user_neighbors"``, ``"neighbors"``, ``"nmf"``,
        ``"ease"``, ``"slim"``, ``"implicit"``, ``"two_stages"`` where there are times, and
        ``"repeats"`` with ``exclude_seen=False``, too. Rankers: ``"lightgbm"``,
        ``"xgboost"``, ``"catboost"``, ``"pairwise"``, ``"pointwise"``. None: those that
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
    X = check_in_memory(X)
    columns = columns_of(X, groups, user, item, time, None)
    if columns is None:
        return ranker_models(X, names)[0]
    data = read_interactions(X, y, columns, None)
    return recommender_models(facts_of(data, [], exclude_seen), names)[0]


def recommender_models(
    facts: LogFacts, names: Sequence[str] | None
) -> tuple[Models, list[str]]:
    """Return recommenders to try, and remarks on those left out."""
    names, remarks = (names, []) if names is not None else usual_names(facts)
    return recommenders_to_try(_checked(names, RECOMMENDER_NAMES), facts), remarks


def ranker_models(X: Any, names: Sequence[str] | None) -> tuple[Models, list[str]]:
    """Return rankers to try, and remarks on those left out."""
    count_rows(X, name="X")
    names, remarks = (names, []) if names is not None else usual_ranker_names(X)
    return rankers_to_try(_checked(names, RANKER_NAMES)), remarks


def _checked(names: Any, known: Any) -> list[str]:
    if isinstance(names, str) or not is_iterable(names):
        raise TypeError(
            f"Names of models must be a list, such as {list(known)[:2]}, got "
            f"{shorten(names)}."
        )
    names = list(names)
    if not names:
        raise ValueError(f"No model is named; name some of {list(known)}.")
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise ValueError(f"There is no model {shorten(name)}. {suggest(name, known)}")
    return names
