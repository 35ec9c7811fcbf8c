"""Calibration: categories of lists compared with those of users."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank.metrics._core._declare import metric
from sklearn_rank.metrics._core._known_items import CATEGORIES, HISTORY, KnownItems
from sklearn_rank.metrics._core._parameters import Cutoff, Share, ShownTies
from sklearn_rank.metrics._core._range import ZERO_OR_MORE
from sklearn_rank.metrics._families._category_shares import (
    blocks_of_queries,
    normalized,
    shares_of_shown,
    sums_of_shares,
)
from sklearn_rank.metrics._families._histories import histories_of
from sklearn_rank.typing import (
    ArrayLike,
    CategoriesOfItems,
    ItemsOfUsers,
    Labels,
    Matrix,
    Undefined,
)

__all__ = [
    "calibration_at_k_score",
]


Divergence = Literal["kl", "jensen_shannon", "hellinger"]


def calibration(
    lists: RankedLists,
    catalogue: KnownItems,
    k: Cutoff,
    divergence: Divergence,
    alpha: Share,
) -> Any:
    """Return the divergence of the first k ranks from the history, per query."""
    weights, shares = shares_of_shown(lists, catalogue, k, None)
    users, history = catalogue.users(lists), catalogue.catalogue.history
    found = np.full(lists.n_queries, np.nan)
    for some in blocks_of_queries(lists, shares):
        had = histories_of(history, users[some])
        p, has_past = normalized(sums_of_shares(had, shares))
        q, has_list = normalized(sums_of_shares(weights[some], shares))
        apart = _apart(p, q, divergence, alpha)
        found[some] = np.where(has_past & has_list, apart, np.nan)
    return found


def _apart(
    p: np.ndarray, q: np.ndarray, divergence: Divergence, alpha: float
) -> np.ndarray:
    if divergence == "hellinger":
        return np.sqrt(((np.sqrt(p) - np.sqrt(q)) ** 2).sum(axis=1) / 2)
    if divergence == "jensen_shannon":
        middle = (p + q) / 2
        return (_relative_entropy(p, middle) + _relative_entropy(q, middle)) / 2
    return _relative_entropy(p, (1 - alpha) * q + alpha * p)


def _relative_entropy(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the sum of p ln(p / q); rounding may make it negative, which becomes 0."""
    ratio = np.divide(p, q, out=np.ones_like(p), where=p > 0)
    return np.maximum((p * np.log(ratio)).sum(axis=1), 0)


@metric(
    calibration,
    rows="shown",
    parts=(CATEGORIES, HISTORY),
    lower_is_better=True,
    range=ZERO_OR_MORE,
)
def calibration_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    categories: CategoriesOfItems,
    history: ItemsOfUsers,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: Cutoff = 10,
    divergence: Divergence = "kl",
    alpha: Share = 0.01,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Calibration at ``k``: how far the categories of a list are from the user's own.

    Lower is better; 0 means that a user who had 70 drinks and 30 spreads is shown items in
    the same proportion. With p(c) the share of category c in the history of the user and
    q(c) its share in the first ``k`` ranks,

    .. math:: KL(p \| \tilde q) = \sum_c p(c) \ln \frac{p(c)}{\tilde q(c)},
              \qquad \tilde q(c) = (1 - \alpha) q(c) + \alpha p(c)

    An item of several categories shares its weight among them.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Grades, 0 or more; above 0 is relevant, NaN is unjudged. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    categories : mapping, Series or {array-like, sparse matrix}
        Category of each item or a list of several: by id, or one for each column in 2-D,
        for each row in 1-D; or a matrix of weights, a row per item.
    history : mapping or {array-like, sparse matrix} of shape (n_queries, n_items)
        Items of each user in the training data: a mapping of each user to ids or, in 2-D, a
        matrix whose nonzero entries count.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, in 2-D of each column's. None: values of items are given for
        each column in 2-D, for each row in 1-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    divergence : {"kl", "jensen_shannon", "hellinger"}, default="kl"
        The Kullback-Leibler divergence above; the Jensen-Shannon divergence of p and q, at
        most ln 2; or the Hellinger distance, at most 1.
    alpha : float, default=0.01
        Share of p that is mixed into q for "kl", between 0 and 1. Without it the divergence
        would be infinite for a missing category.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order. No order is best,
        because relevance has no effect.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Weight of each query in the mean; in 1-D one value per row, equal within a query.
    replace_undefined_by : float or "warn", default="warn"
        Value of a query for which the metric is undefined. "warn" leaves it out of the mean
        with an ``UndefinedMetricWarning``, NaN without one.

    Returns
    -------
    score : float
        Mean over the queries; NaN if undefined for all of them.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if no item has a category.

    See Also
    --------
    category_entropy_at_k_score : How even categories are, whatever users had.
    popularity_lift_at_k_score : The same question for popularity.

    Notes
    -----
    Undefined (NaN) for a user whose history has no category, and if no item with a category
    is shown. If rows tie across rank ``k``, q is the expected share. The first two
    divergences are in nats.

    References
    ----------
    .. [1] H. Steck, "Calibrated Recommendations", RecSys 2018.

    Examples
    --------
    >>> from sklearn_rank.metrics import calibration_at_k_score
    >>> users, items = ["ann", "ann", "bob", "bob"], ["tea", "jam", "tea", "oat"]
    >>> rows = {"y_true": [0, 1, 0, 0], "y_score": [2, 1, 2, 1], "groups": users}
    >>> categories = {"tea": "drinks", "jam": "spreads", "oat": "drinks"}
    >>> history = {"ann": ["tea", "jam"], "bob": ["oat"]}
    >>> calibration_at_k_score(
    ...     **rows, items=items, categories=categories, history=history, k=2
    ... )
    0.0
    """
