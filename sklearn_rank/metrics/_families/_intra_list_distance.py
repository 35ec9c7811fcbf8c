"""Intra-list distance: how different the items of a list are."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from sklearn_rank._base._validation import check_option
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank.metrics._core._evaluate import metric
from sklearn_rank.metrics._core._known_items import (
    FEATURES,
    HISTORY,
    CataloguePart,
    KnownItems,
)
from sklearn_rank.metrics._core._parameters import Cutoff, Range, ShownTies
from sklearn_rank.metrics._families._distances import (
    ShownPairs,
    check_known,
    distances_by_call,
    distances_in_matrix,
    distances_of_features,
    unit_parts,
)
from sklearn_rank.typing import (
    ArrayLike,
    Distances,
    Features,
    ItemsOfUsers,
    Labels,
    Matrix,
    Undefined,
)

__all__ = [
    "intra_list_distance_at_k_score",
]


_FEATURE_DISTANCES = ("cosine", "hamming", "jaccard")


def _is_matrix(distance: Any) -> bool:
    # A word or a function is a parameter; a matrix is a part of the catalogue.
    return not (distance is None or isinstance(distance, str) or callable(distance))


FEATURES_BY_NAME = FEATURES.when(distance=_FEATURE_DISTANCES)
FEATURES_OR_DISTANCES = replace(
    FEATURES,
    holds="the features of each item, or `distance` of items",
    needed=lambda given: given["distance"] is None,
    instead="distance",
)
HISTORY_OF_USERS = HISTORY.when(distance=("co_occurrence",))
DISTANCES = CataloguePart(
    "distance",
    "distance",
    "the distances of items",
    lambda given: _is_matrix(given["distance"]),
)


class _DistanceCheck:
    """A word, a function of two ids, a square matrix, or None."""

    def check(self, name: str, value: Any) -> Any:
        """Return the value as it is."""
        if value is None or callable(value) or len(getattr(value, "shape", ())) == 2:
            return value
        if isinstance(value, list) and value and isinstance(value[0], list):
            return value
        words = (*_FEATURE_DISTANCES, "co_occurrence")
        check_option(name, value, words, otherwise="Or a function, or a square matrix.")
        return value


Distance = Annotated[str | Distances | None, _DistanceCheck()]


def intra_list_distance(
    lists: RankedLists, catalogue: KnownItems, k: Cutoff, distance: Distance
) -> Any:
    """Return the mean distance of two items on the first k ranks, per query."""
    pairs, items = ShownPairs(lists, k), catalogue.items(lists)
    given = catalogue.catalogue.distance
    if distance is None and given is None:
        distance = "cosine"
    if isinstance(distance, str) and distance in _FEATURE_DISTANCES:
        check_known(lists, items, pairs.rows, "features")
    if isinstance(distance, str) and distance in ("cosine", "co_occurrence"):
        unit = unit_parts(catalogue.catalogue, distance)
        places = np.where(items[pairs.rows] < 0, len(unit.squares) - 1, items[pairs.rows])
        # Rounded, the cosine of two equal vectors may be above 1.
        return np.maximum(1 - pairs.mean(pairs.sum_of_products(places, unit)), 0)
    if isinstance(distance, str):
        between = distances_of_features(lists, catalogue, distance)
        return pairs.mean(pairs.sum(between, catalogue.catalogue.features.shape[1]))
    if callable(distance) or callable(given):
        function = distance if callable(distance) else given
        return pairs.mean(pairs.sum(distances_by_call(lists, function), 1))
    check_known(lists, items, pairs.rows, "distance")
    return pairs.mean(pairs.sum(distances_in_matrix(lists, catalogue, given), 1))


@metric(
    intra_list_distance,
    rows="shown",
    parts=(FEATURES_BY_NAME, FEATURES_OR_DISTANCES, HISTORY_OF_USERS, DISTANCES),
    range=Range(0.0, np.inf, "that of the distance"),
)
def intra_list_distance_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    features: Features | None = None,
    history: ItemsOfUsers | None = None,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: Cutoff = 10,
    distance: Distance = None,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Intra-list distance (ILD) at ``k``: how different the items of a list are.

    Higher is better, as it is more diverse; 0 means that all items shown are alike. With n
    items shown on the first ``k`` ranks and their distances d,

    .. math:: \frac{2}{n (n - 1)} \sum_{i=1}^{n} \sum_{j=i+1}^{n} d(i, j)

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Grades, 0 or more; above 0 is relevant, NaN is unjudged. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    features : mapping, DataFrame or {array-like, sparse matrix}, default=None
        Features of each item: by id, or a row for each column in 2-D, for each row in 1-D.
        For options that compare items by their features.
    history : mapping or {array-like, sparse matrix}, default=None
        Items of each user in the training data: a mapping of each user to ids or, in 2-D, a
        matrix whose nonzero entries count. For options that compare items by their users,
        or with the items of the user.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, in 2-D of each column's. None: values of items are given for
        each column in 2-D, for each row in 1-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    distance : str, callable or array-like of shape (n_items, n_items), default=None
        "cosine", 1 less the cosine of features; "hamming", how many features differ;
        "jaccard", 1 less the share of features in common, of those that are not 0;
        "co_occurrence", 1 less the cosine of the users who have the items in ``history``.
        Or a function of two ids, or a square matrix. None: the distances of the catalogue
        if it has any, or else "cosine".
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
        For bad input, see :ref:`errors`; and if features or distances do not cover the
        items shown.

    See Also
    --------
    category_coverage_at_k_score : How many categories a list has.
    category_entropy_at_k_score : How evenly it has them.

    Notes
    -----
    Undefined (NaN) for a query with fewer than two shown items. An item without any
    feature, or without users, has the distance 1 to all others. If rows tie, it is the
    exact mean over all orders.

    References
    ----------
    .. [1] B. Smyth, P. McClave, "Similarity vs. Diversity", ICCBR 2001.
    .. [2] C.-N. Ziegler, S. M. McNee, J. A. Konstan, G. Lausen, "Improving Recommendation
       Lists Through Topic Diversification", WWW 2005.

    Examples
    --------
    >>> from sklearn_rank.metrics import intra_list_distance_at_k_score
    >>> users, items = ["ann", "ann", "bob", "bob"], ["tea", "jam", "tea", "oat"]
    >>> rows = {"y_true": [0, 1, 0, 0], "y_score": [2, 1, 2, 1], "groups": users}
    >>> features = {"tea": [1, 0], "jam": [0, 1], "oat": [1, 0]}
    >>> intra_list_distance_at_k_score(**rows, items=items, features=features, k=2)
    0.5
    """
