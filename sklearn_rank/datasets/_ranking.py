"""Synthetic queries with graded documents."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from sklearn_rank._base._machine import require_memory
from sklearn_rank._base._validation import (
    check_given,
    check_integer,
    check_option,
    check_real,
)
from sklearn_rank._hints._explain import explained
from sklearn_rank.typing import Floats, Integers, RandomState

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
    informative features by an amount of its own that says nothing about worth. So
    documents can be compared within a query only: a model that ranks does better
    than one that predicts the grade from the features alone. In some queries,
    mostly short ones, no document is relevant.

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
    n_queries, smallest, largest, n_features, n_informative = _check_sizes(
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


def _check_sizes(n_queries, query_size, n_features, n_informative) -> tuple[int, ...]:
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
