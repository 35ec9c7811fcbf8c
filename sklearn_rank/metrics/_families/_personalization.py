"""Personalization: how different the lists of users are from each other."""

from __future__ import annotations

import numpy as np

from sklearn_rank.metrics._core._declare import metric
from sklearn_rank.metrics._core._item_chances import ItemChances
from sklearn_rank.metrics._core._parameters import ShownTies
from sklearn_rank.metrics._families._system_items import Rank, chances_of_items_once
from sklearn_rank.typing import ArrayLike, Labels, Matrix, Undefined

__all__ = ["personalization_at_k_score"]


def personalization(counts: ItemChances, k: Rank) -> float:
    """Return 1 minus the mean overlap of two users, as a share of k."""
    n = counts.n_lists
    if n <= 1:
        return np.nan
    # Pairs of users who are both shown an item: (sum p)**2 without pairs of one user.
    in_both = (counts.amounts**2).sum() - (counts.lists * counts.chance**2).sum()
    return 1 - in_both / (n * (n - 1)) / k


@metric(chances_of_items_once, rows="shown", summary=ItemChances(personalization))
def personalization_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: Rank = 10,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Personalization at ``k``: how different the lists of two users are.

    Higher is better; 1 means that no two users are shown the same item, 0 that all are
    shown the same ``k`` items. It is one number of all lists together:

    .. math:: 1 - \frac{2}{n (n - 1)} \sum_{u < v} \frac{|L_u \cap L_v|}{k}

    where L_u has the first ``k`` items shown to user u of n users.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, which have no effect. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, as ``from_item_lists(..., return_items=True)`` returns it; in
        2-D one a column. None: the index of the column.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    ties : {"average", "first"}, default="average"
        Treatment of ties: the mean over all orders, or the given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Number of users that each query represents; in 1-D one value per row, equal within a
        query.
    replace_undefined_by : float or "warn", default="warn"
        Value if the metric is undefined. "warn" returns NaN with an
        ``UndefinedMetricWarning``, NaN without one.

    Returns
    -------
    score : float
        One number for all lists together; NaN if undefined.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`.

    See Also
    --------
    coverage_at_k_score : The share of items that are shown.

    Notes
    -----
    Undefined (NaN) for a single user. Ties are exact: users are independent, so two of
    them share an item with the product of their chances to show it. Lists shorter than
    ``k``, and users without a list, overlap less; see :func:`user_coverage_at_k_score`. A
    user with a weight of 2 is two such users. It takes one sum over items, not one over
    pairs of users.

    References
    ----------
    .. [1] T. Zhou, Z. Kuscsik, J.-G. Liu, M. Medo, J. Wakeling, Y.-C. Zhang, "Solving the
       apparent diversity-accuracy dilemma of recommender systems", PNAS 107(10), 2010.

    Examples
    --------
    >>> from sklearn_rank.inputs import from_item_lists
    >>> from sklearn_rank.metrics import personalization_at_k_score
    >>> shown = {"ann": ["tea", "jam"], "bob": ["tea", "milk"]}
    >>> rows = from_item_lists({"ann": ["tea"], "bob": []}, shown, return_items=True)
    >>> personalization_at_k_score(**rows, k=2)
    0.5
    """
