"""How different the items of a list are from each other and from what users expect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np

from sklearn_rank._base._exact_sum import sums_within
from sklearn_rank._base._runs import sizes_of
from sklearn_rank._base._validation import Integer, check_option
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._ranked_lists import RankedLists, defined_where_relevant, divide
from sklearn_rank.metrics._core._catalogue import Catalogue, derive_once, references_of
from sklearn_rank.metrics._core._evaluate import mean_score
from sklearn_rank.metrics._core._known_items import (
    COUNTS,
    FEATURES,
    HISTORY,
    REFERENCE,
    CataloguePart,
    KnownItems,
)
from sklearn_rank.metrics._core._parameters import (
    ZERO_TO_ONE,
    Cutoff,
    MinRelevance,
    ShownTies,
    up_to,
)
from sklearn_rank.metrics._families._shown_items import (
    ShownPairs,
    check_known,
    distances_of_pairs,
    mean_of_relevant,
    mean_of_shown,
    shown_metric,
    similarity_to_history,
    unit_parts,
)
from sklearn_rank.typing import (
    ArrayLike,
    Counts,
    Distances,
    Features,
    ItemsOfUsers,
    Labels,
    Matrix,
    Undefined,
)

__all__ = [
    "intra_list_distance_at_k_score",
    "novel_share_at_k_score",
    "serendipity_at_k_score",
    "unexpectedness_at_k_score",
]

# Intra-list distance: how different the items of a list are.


_FEATURE_DISTANCES = ("cosine", "hamming", "jaccard")


def _takes_matrix(options: Mapping[str, Any]) -> bool:
    distance = options["distance"]
    return not (distance is None or isinstance(distance, str) or callable(distance))


FEATURES_BY_NAME = FEATURES.when(distance=_FEATURE_DISTANCES)


def _takes_features(options: Mapping[str, Any]) -> bool:
    """Return whether features are needed, or number the items of a function."""
    distance = options["distance"]
    return distance is None or (callable(distance) and options.get("features") is not None)


FEATURES_OR_DISTANCES = replace(
    FEATURES,
    holds="the features of each item, or `distance` of items",
    needed=_takes_features,
    instead="distance",
)
HISTORY_OF_USERS = HISTORY.when(distance=("co_occurrence",))
DISTANCES = CataloguePart("distance", "distance", "the distances of items", _takes_matrix)
PARTS_OF_DISTANCE = (FEATURES_BY_NAME, FEATURES_OR_DISTANCES, HISTORY_OF_USERS, DISTANCES)


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
    if not (isinstance(distance, str) or callable(distance)):
        matrix = catalogue.catalogue.distance
        distance = "cosine" if matrix is None else matrix
    word = distance if isinstance(distance, str) else ""
    if word != "co_occurrence" and not callable(distance):
        check_known(lists, items >= 0, pairs.rows, "features" if word else "distance")
    if word in ("cosine", "co_occurrence"):
        unit = unit_parts(catalogue.catalogue, word)
        # Rounded, the cosine of two equal vectors may be above 1.
        return np.maximum(1 - pairs.mean(pairs.sum_of_products(items, unit)), 0)
    width = catalogue.catalogue.features.shape[1] if word else 1
    return pairs.mean(pairs.sum(distances_of_pairs(lists, catalogue, distance), width))


@shown_metric(
    intra_list_distance, parts=PARTS_OF_DISTANCE, range=up_to("that of the distance")
)
@explained
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
        Id of each row's item, in 2-D of each column's. If None, values of items are given
        for each column in 2-D, for each row in 1-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    distance : str, callable or array-like of shape (n_items, n_items), default=None
        By name, a function of two ids, or a square matrix. If None, the distances of the
        catalogue if it has any, or else "cosine".

        - "cosine": 1 less the cosine of features.
        - "hamming": how many features differ.
        - "jaccard": 1 less the share of features in common, of those that are not 0.
        - "co_occurrence": 1 less the cosine of the users who have the items in ``history``.
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
    rows = y_true, y_score, groups, sample_weight
    own = {
        "features": features,
        "history": history,
        "items": items,
        "k": k,
        "distance": distance,
    }
    return mean_score(intra_list_distance_at_k_score, rows, own, ties, replace_undefined_by)


# What users did not expect: novel, unexpected and serendipitous items.


CatalogueSize = Annotated[int | None, Integer(none="that of the catalogue")]

PARTS_TO_COMPARE = (
    COUNTS.when(unexpected=("popularity_rank",)),
    HISTORY.when(unexpected=("history",)),
    FEATURES.when(unexpected=("history",), similarity=("cosine",)),
)


@derive_once
def _pairs(catalogue: Catalogue, name: str) -> tuple[np.ndarray, int]:
    """Return pairs of a user and an item as ascending integers, and the number of items."""
    matrix = catalogue.history if name == "history" else references_of(catalogue).matrix
    row = np.repeat(np.arange(matrix.shape[0]), sizes_of(matrix.indptr))
    keys = row * np.int64(matrix.shape[1]) + matrix.indices
    return keys if matrix.has_sorted_indices else np.sort(keys), matrix.shape[1]


def _has_items(
    lists: RankedLists, catalogue: KnownItems, name: str, user_of_query: np.ndarray
) -> np.ndarray:
    """Return whether the user of each row has its item, in a matrix of the catalogue."""
    keys, n_items = _pairs(catalogue.catalogue, name)
    users, items = user_of_query[lists.query], catalogue.items(lists)
    if len(keys) == 0:
        return np.zeros(len(users), dtype=bool)
    wanted = users * np.int64(n_items) + items
    nearest = np.minimum(keys.searchsorted(wanted), len(keys) - 1)
    return (keys[nearest] == wanted) & (users >= 0) & (items >= 0)


def novel_share(lists: RankedLists, catalogue: KnownItems, k: Cutoff) -> Any:
    """Return the share of the first k ranks that the user did not have, per query."""
    had = _has_items(lists, catalogue, "history", catalogue.users(lists))
    return mean_of_shown(lists, (~had).astype(float), k)


@shown_metric(novel_share, parts=(HISTORY,), range=ZERO_TO_ONE)
@explained
def novel_share_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    history: ItemsOfUsers,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: Cutoff = 10,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Novel share at ``k``: the share of the items shown that the user did not have.

    Higher is better; 1 means that all items are new to the user, as always if the
    recommender leaves out seen items. With n items shown on the first ``k`` ranks and the
    items H of the user's history,

    .. math:: \frac{1}{n} \sum_{i=1}^{n} [i \notin H]

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Grades, 0 or more; above 0 is relevant, NaN is unjudged. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    history : mapping or {array-like, sparse matrix} of shape (n_queries, n_items)
        Items of each user in the training data: a mapping of each user to ids or, in 2-D, a
        matrix whose nonzero entries count.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, in 2-D of each column's. If None, values of items are given
        for each column in 2-D, for each row in 1-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
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
        For bad input, see :ref:`errors`.

    See Also
    --------
    unexpectedness_at_k_score : Against a list of expected items.
    novelty_at_k_score : Against what all users have.

    Notes
    -----
    Undefined (NaN) for a query without shown items. To a user without history all items are
    new. Relevance has no effect.

    References
    ----------
    .. [1] P. Castells, S. Vargas, J. Wang, "Novelty and Diversity Metrics for Recommender
       Systems: Choice, Discovery and Relevance", DDR workshop at ECIR 2011.

    Examples
    --------
    >>> from sklearn_rank.metrics import novel_share_at_k_score
    >>> users, items = ["ann", "ann", "bob", "bob"], ["tea", "jam", "tea", "oat"]
    >>> rows = {"y_true": [0, 1, 0, 0], "y_score": [2, 1, 2, 1], "groups": users}
    >>> novel_share_at_k_score(**rows, items=items, history={"ann": ["tea"]}, k=2)
    0.75
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"history": history, "items": items, "k": k}
    return mean_score(novel_share_at_k_score, rows, own, ties, replace_undefined_by)


def unexpectedness(lists: RankedLists, catalogue: KnownItems, k: Cutoff) -> Any:
    """Return the share of the first k ranks that the user did not expect, per query."""
    users, expected = catalogue.references(lists), references_of(catalogue.catalogue).matrix
    had = _has_items(lists, catalogue, "reference", users)
    share = mean_of_shown(lists, (~had).astype(float), k)
    n_expected = np.append(np.diff(expected.indptr), 0)[users]
    return np.where(n_expected > 0, share, np.nan)


@shown_metric(unexpectedness, parts=(REFERENCE,), range=ZERO_TO_ONE)
@explained
def unexpectedness_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    reference: ItemsOfUsers,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: Cutoff = 10,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Unexpectedness at ``k``: the share of unexpected items among those shown.

    Higher is better; 1 means that no shown item is expected. Expected items are those that
    a simple model recommends, such as the most popular items. With n items shown on the
    first ``k`` ranks and the expected items E of the user,

    .. math:: \frac{1}{n} \sum_{i=1}^{n} [i \notin E]

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Grades, 0 or more; above 0 is relevant, NaN is unjudged. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    reference : mapping or {array-like, sparse matrix} of shape (n_queries, n_items)
        Items that each user expects: a mapping of each user to ids or, in 2-D, a matrix
        where every entry other than 0 counts.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, in 2-D of each column's. If None, values of items are given
        for each column in 2-D, for each row in 1-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
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
        For bad input, see :ref:`errors`.

    See Also
    --------
    novel_share_at_k_score : Against the user's history.
    serendipity_at_k_score : Of relevant items alone.

    Notes
    -----
    Undefined (NaN) for a user without expected items, or without shown items. Relevance has
    no effect.

    References
    ----------
    .. [1] M. Ge, C. Delgado-Battenfeld, D. Jannach, "Beyond Accuracy: Evaluating
       Recommender Systems by Coverage and Serendipity", RecSys 2010.

    Examples
    --------
    >>> from sklearn_rank.metrics import unexpectedness_at_k_score
    >>> users, items = ["ann", "ann", "bob", "bob"], ["tea", "jam", "tea", "oat"]
    >>> rows = {"y_true": [0, 1, 0, 0], "y_score": [2, 1, 2, 1], "groups": users}
    >>> expected = {"ann": ["tea", "rye"], "bob": ["rye"]}
    >>> unexpectedness_at_k_score(**rows, items=items, reference=expected, k=2)
    0.75
    """
    rows = y_true, y_score, groups, sample_weight
    own = {"reference": reference, "items": items, "k": k}
    return mean_score(unexpectedness_at_k_score, rows, own, ties, replace_undefined_by)


def serendipity(
    lists: RankedLists,
    catalogue: KnownItems,
    k: Cutoff,
    unexpected: Literal["popularity_rank", "history"],
    similarity: Literal["co_occurrence", "cosine"],
    n_items: CatalogueSize,
    min_relevance: MinRelevance,
) -> Any:
    """Return the mean unexpectedness of relevant items on the first k ranks, per query."""
    if unexpected == "history":
        chosen = lists.is_relevant(min_relevance)  # all others count 0
        values = 1 - similarity_to_history(lists, catalogue, similarity, chosen)
        mean = mean_of_relevant(lists, values, k, None, min_relevance)
        n_had = np.diff(catalogue.catalogue.history.indptr)
        has_history = np.append(n_had, 0)[catalogue.users(lists)] > 0
        return np.where(has_history, mean, np.nan)
    size = catalogue.catalogue.n_items if n_items is None else n_items
    ranks = catalogue.values(lists, _popularity_ranks(catalogue.catalogue), np.inf)
    ranks = np.where(np.isinf(ranks), size + 1.0, ranks)
    gaps = _sums_of_gaps(lists, k, np.where(lists.is_relevant(min_relevance), ranks, 1.0))
    mean = divide(gaps, lists.n_shown(k)) / size
    return defined_where_relevant(mean, lists, min_relevance)


@derive_once
def _popularity_ranks(catalogue: Catalogue) -> np.ndarray:
    """Return the rank of each item by interactions: 1 the most popular, ties alike.

    The rank of an item without interactions is infinite.
    """
    _, codes = np.unique(-catalogue.counts, return_inverse=True)
    return np.where(catalogue.counts > 0, codes + 1.0, np.inf)


def _sums_of_gaps(lists: RankedLists, k: Cutoff, ranks: np.ndarray) -> np.ndarray:
    """Return the sum of max(0, rank by popularity - rank) over the first k ranks."""
    places = lists.every_place(k)
    ranks = ranks[places.rows]
    first, n_places, size = (
        each[places.row_block] for each in (places.block_above, places.length, places.size)
    )
    # A row is on each place of its tie group with the same chance: the sum over those
    # places at which it is above its rank by popularity.
    above = np.clip(ranks - 1 - first, 0, n_places)
    total = above * (ranks - 1 - first) - above * (above - 1) / 2
    return sums_within(lists.query[places.rows], total / size, lists.n_queries)


@shown_metric(serendipity, parts=PARTS_TO_COMPARE, range=ZERO_TO_ONE)
@explained
def serendipity_at_k_score(
    y_true: Matrix,
    y_score: Matrix,
    *,
    popularity: Counts | None = None,
    history: ItemsOfUsers | None = None,
    features: Features | None = None,
    groups: Labels | None = None,
    items: Labels | None = None,
    k: Cutoff = 10,
    unexpected: Literal["popularity_rank", "history"] = "popularity_rank",
    similarity: Literal["co_occurrence", "cosine"] = "co_occurrence",
    n_items: int | None = None,
    min_relevance: MinRelevance = None,
    ties: ShownTies = "average",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Serendipity at ``k``: how unexpected the relevant items are that are shown.

    Higher is better. A liked item that the user would have found alone is not a surprise.
    With n items shown on the first ``k`` ranks,

    .. math:: \frac{1}{n} \sum_{i=1}^{n} [\text{item } i \text{ is relevant}] \cdot u(i)

    The unexpectedness u has two definitions. With ``unexpected="popularity_rank"`` it is
    how far the item at rank r is above its rank R by popularity, in a catalogue of N items:
    max(0, R - r) / N. With ``"history"`` it is 1 less the mean similarity of the item to
    those of the user's history.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Grades, 0 or more; above 0 is relevant, NaN is unjudged. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    popularity : mapping, Series or array-like, default=None
        Number of interactions of each item in the training data: by id, or a value for each
        column in 2-D, for each row in 1-D. For ``unexpected="popularity_rank"``.
    history : mapping or {array-like, sparse matrix}, default=None
        Items of each user in the training data: a mapping of each user to ids or, in 2-D, a
        matrix whose nonzero entries count. For options that compare items by their users,
        or with the items of the user.
    features : mapping, DataFrame or {array-like, sparse matrix}, default=None
        Features of each item: by id, or a row for each column in 2-D, for each row in 1-D.
        For options that compare items by their features.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    items : array-like of shape (n_rows,) or (n_items,), default=None
        Id of each row's item, in 2-D of each column's. If None, values of items are given
        for each column in 2-D, for each row in 1-D.
    k : int or None, default=10
        Cutoff: ranks below it do not count. None takes the whole list.
    unexpected : {"popularity_rank", "history"}, default="popularity_rank"
        What makes an item unexpected, see above.
    similarity : {"co_occurrence", "cosine"}, default="co_occurrence"
        Similarity of items for ``unexpected="history"``: the cosine of the users who have
        them, or that of their features.
    n_items : int, default=None
        Number of items that could be shown. If None, the catalogue's size.
    min_relevance : float, default=None
        Lowest grade that is relevant. If None, any grade greater than 0.
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
        For bad input, see :ref:`errors`; and if the part that ``unexpected`` needs is
        missing.

    See Also
    --------
    unexpectedness_at_k_score : Whether relevant or not.
    epc_at_k_score : The popularity of relevant items, by rank.

    Notes
    -----
    Undefined (NaN) for a query without relevant items, for one without shown items, and
    with ``unexpected="history"`` for a user without history. Equally popular items share a
    rank, and the next rank is one more. An item without interactions comes after all
    others.

    References
    ----------
    .. [1] M. Ge, C. Delgado-Battenfeld, D. Jannach, "Beyond Accuracy: Evaluating
       Recommender Systems by Coverage and Serendipity", RecSys 2010.
    .. [2] Y. C. Zhang, D. Ó Séaghdha, D. Quercia, T. Jambor, "Auralist: Introducing
       Serendipity into Music Recommendation", WSDM 2012.

    Examples
    --------
    >>> from sklearn_rank.metrics import serendipity_at_k_score
    >>> users, items = ["ann", "ann", "bob", "bob"], ["tea", "jam", "tea", "oat"]
    >>> rows = {"y_true": [0, 1, 0, 0], "y_score": [2, 1, 2, 1], "groups": users}
    >>> popularity = {"tea": 8, "oat": 4, "rye": 2, "jam": 1}
    >>> serendipity_at_k_score(
    ...     **rows, items=items, popularity=popularity, k=2, replace_undefined_by=0
    ... )
    0.125
    """
    rows = y_true, y_score, groups, sample_weight
    own = {
        "popularity": popularity,
        "history": history,
        "features": features,
        "items": items,
        "k": k,
        "unexpected": unexpected,
        "similarity": similarity,
        "n_items": n_items,
        "min_relevance": min_relevance,
    }
    return mean_score(serendipity_at_k_score, rows, own, ties, replace_undefined_by)
