"""RerankingRecommender: reorder the candidates of a recommender."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from operator import attrgetter
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from sklearn_rank._base._runs import LIST_CELLS, ranges, sizes_of, starts_of
from sklearn_rank._base._sklearn import BaseEstimator
from sklearn_rank._base._validation import check_integer, check_option, check_share, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._catalogue import Catalogue
from sklearn_rank.metrics._core._catalogue_parts import (
    Items,
    PartById,
    compute_distances,
    read_categories,
    read_distances,
    require_ids,
)
from sklearn_rank.recommenders._candidates import best_proposals
from sklearn_rank.recommenders._list_maker import ItemsAndScores, ListMaker, Proposer
from sklearn_rank.recommenders._pairs import Pairs, most_popular
from sklearn_rank.recommenders._read_pairs import check_recommender
from sklearn_rank.recommenders._recommender_mixin import RecommenderMixin
from sklearn_rank.typing import CategoriesOfItems, DataFrame, Floats, Integers

# Orders of candidates: the list of each user grows item by item.


# How much of a user's own shares is mixed into those of the list, as in the metric
# `calibration`: the divergence would be infinite if a category is missing.
_ALPHA = 0.01

# Distances of pairs of items.
PairDistances = Callable[[np.ndarray, np.ndarray], np.ndarray]


def scale_relevance(scores: np.ndarray) -> np.ndarray:
    """Return scores from 0 to 1 within each list, 1 where all are equal; -inf stays."""
    retrieved = ~np.isneginf(scores)
    half = scores / 2  # the span of the largest floats would overflow
    lowest = np.where(retrieved, half, np.inf).min(axis=1, keepdims=True)
    above = np.subtract(half, lowest, out=np.full_like(half, -np.inf), where=retrieved)
    span = above.max(axis=1, keepdims=True, initial=0.0)
    return np.where(span > 0, above / np.where(span > 0, span, 1), above + 1)


def order_greedily(scaled: np.ndarray, worth: Worth, strength: float, k: int) -> np.ndarray:
    """Return the columns of k candidates of each user, best first.

    Each rank goes to the candidate with the highest gain, (1 - strength) * relevance +
    strength * worth; of equal gains to the first. Candidates of relevance -inf come last.
    """
    n_users = len(scaled)
    users, columns = np.arange(n_users), np.empty((n_users, k), dtype=np.intp)
    fixed = _weigh_relevance(scaled, strength)
    for rank in range(k):
        gain = fixed + strength * worth.candidate_worth()
        best = gain.argmax(axis=1)
        columns[:, rank] = best
        fixed[users, best] = -np.inf
        worth.append(best)
    return columns


def _weigh_relevance(scaled: np.ndarray, strength: float) -> np.ndarray:
    """Return the share of relevance in the gain, very low for missing candidates.

    It is above -inf, the gain of items that are already in the list.
    """
    weighted = (1 - strength) * np.maximum(scaled, 0)
    return np.where(np.isneginf(scaled), np.finfo(float).min, weighted)


class CategoryEntries:
    """The categories of candidates, as entries (candidate, category, value)."""

    def __init__(self, shares: sparse.csr_array, items: np.ndarray):
        self.shape = items.shape
        start, size = shares.indptr[items.ravel()], sizes_of(shares.indptr)[items.ravel()]
        entry = ranges(start, size)
        self.starts = starts_of(size)
        self.candidate = np.arange(items.size).repeat(size)
        self.user = self.candidate // max(items.shape[1], 1)
        self.value = shares.data[entry]
        # Positions in a table users × categories.
        self.cell = self.user * shares.shape[1] + shares.indices[entry]

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Return the sum over the entries of each candidate."""
        total = np.bincount(self.candidate, values, int(np.prod(self.shape)))
        return total.reshape(self.shape)

    def take(self, column: np.ndarray) -> np.ndarray:
        """Return the entries of one candidate of each user."""
        candidate = np.arange(len(column)) * self.shape[1] + column
        return ranges(self.starts[candidate], sizes_of(self.starts)[candidate])


class MarginalRelevance:
    """Maximal marginal relevance: the distance from the nearest item of the list.

    `distance` returns the distances from one candidate of each user to all.
    """

    def __init__(self, items: np.ndarray, distance: Callable[[np.ndarray], np.ndarray]):
        self._distance = distance
        self._nearest = np.zeros(items.shape)
        self._is_empty = True

    def candidate_worth(self) -> np.ndarray:
        """Return the distances, 0 if the list is empty."""
        return self._nearest

    def append(self, column: np.ndarray) -> None:
        """Append one candidate to the list of each user."""
        distance = self._distance(column)
        nearest = distance if self._is_empty else np.minimum(self._nearest, distance)
        self._nearest, self._is_empty = nearest, False


def distance_to_all(between: PairDistances, items: np.ndarray) -> Callable:
    """Return a function from one candidate of each user to its distances to all."""

    def distance(column: np.ndarray) -> np.ndarray:
        taken = np.take_along_axis(items, column[:, np.newaxis], axis=1)
        candidates, neighbors = items.ravel(), np.broadcast_to(taken, items.shape).ravel()
        return between(candidates, neighbors).reshape(items.shape)

    return distance


def cosine_distance_to_all(unit: sparse.csr_array, items: np.ndarray) -> Callable:
    """Return such a function for 1 minus the cosine of vectors of length 1."""
    entries, n_cells = CategoryEntries(unit, items), len(items) * unit.shape[1]

    def distance(column: np.ndarray) -> np.ndarray:
        taken, of_taken = np.zeros(n_cells), entries.take(column)
        taken[entries.cell[of_taken]] = entries.value[of_taken]
        return np.maximum(1 - entries.sums(entries.value * taken[entries.cell]), 0)

    return distance


class AspectCoverage:
    """xQuAD: the user's categories that the list does not cover yet.

    The largest share of a user counts 1.
    """

    def __init__(self, entries: CategoryEntries, wanted: np.ndarray):
        self._entries = entries
        largest = wanted.max(axis=1, keepdims=True)
        self._left = (wanted / np.where(largest > 0, largest, 1)).ravel()

    def candidate_worth(self) -> np.ndarray:
        """Return what each candidate covers of what is left."""
        return self._entries.sums(self._left[self._entries.cell] * self._entries.value)

    def append(self, column: np.ndarray) -> None:
        """Append one candidate to the list of each user."""
        taken = self._entries.take(column)
        self._left[self._entries.cell[taken]] *= 1 - self._entries.value[taken]


class CalibrationGain:
    """Calibration: the negative divergence of the list from the shares of the user.

    A candidate changes the terms of its own categories beyond the length of the list, so
    only these are computed for each candidate.
    """

    def __init__(self, entries: CategoryEntries, wanted: np.ndarray):
        self._entries, self._wanted = entries, wanted
        self._total = np.zeros(wanted.shape)
        self._has_some = sizes_of(entries.starts).reshape(entries.shape) > 0
        self._n_taken = np.zeros((len(wanted), 1))
        self._own = wanted.ravel()[entries.cell]
        self._matters = np.flatnonzero(self._own > 0)

    def candidate_worth(self) -> np.ndarray:
        """Return the negative divergence of the list with each candidate."""
        without = self._divergence(np.maximum(self._n_taken, 1))
        longer = self._divergence(self._n_taken + 1)
        entry, n_entries = self._matters, len(self._own)
        own, cell = self._own[entry], self._entries.cell[entry]
        length = self._n_taken[self._entries.user[entry], 0] + 1
        before = _mix_shares(self._total.ravel()[cell] / length, own)
        added = (1 - _ALPHA) * self._entries.value[entry] / length
        change = np.zeros(n_entries)
        change[entry] = own * np.log1p(added / before)
        worth = np.where(self._has_some, self._entries.sums(change) - longer, -without)
        # Lists with equal shares have equal worth, despite rounding.
        return np.round(worth, 12)

    def append(self, column: np.ndarray) -> None:
        """Append one candidate to the list of each user."""
        taken = self._entries.take(column)
        self._total.ravel()[self._entries.cell[taken]] += self._entries.value[taken]
        self._n_taken += np.take_along_axis(self._has_some, column[:, np.newaxis], axis=1)

    def _divergence(self, length: np.ndarray) -> np.ndarray:
        """Return the divergence of lists with these categories and so many items."""
        own = self._wanted
        mixed = _mix_shares(self._total / length, own)
        ratio = np.divide(own, mixed, out=np.ones_like(own), where=own > 0)
        return (own * np.log(ratio)).sum(axis=1, keepdims=True)


def _mix_shares(shares: np.ndarray, own: np.ndarray) -> np.ndarray:
    return (1 - _ALPHA) * shares + _ALPHA * own


# The worth that candidates add to lists besides their relevance.
Worth = MarginalRelevance | AspectCoverage | CalibrationGain


def order_candidates(
    model: Any, items: np.ndarray, scores: np.ndarray, had: sparse.csr_array, k: int
) -> np.ndarray:
    """Return the columns of the first k candidates in the order of a fitted model."""
    scaled = scale_relevance(scores)
    if model.method == "popularity":
        n_users = model._n_users
        worth = 1 - np.log1p(n_users[items]) / np.log1p(n_users.max())
        gain = _weigh_relevance(scaled, model.strength) + model.strength * worth
        return np.argsort(-gain, axis=1, kind="stable")[:, :k]
    return order_greedily(scaled, _worth(model, items, had), model.strength, k)


def _worth(model: Any, items: np.ndarray, had: sparse.csr_array) -> Worth:
    if model._distances is not None:
        between = pair_distances(model._distances, model.items_)
        return MarginalRelevance(items, distance_to_all(between, items))
    if model.method == "mmr":
        return MarginalRelevance(items, cosine_distance_to_all(model._shares, items))
    of_users = shares_of_users(had, model._shares)
    wanted = of_users.toarray()
    wanted[np.diff(of_users.indptr) == 0] = model._mean_shares
    kind = AspectCoverage if model.method == "xquad" else CalibrationGain
    return kind(CategoryEntries(model._shares, items), wanted)


# Categories and distances of the items of a log, in the forms that diversity metrics take.


def shares_of_items(table: Any, items: np.ndarray) -> sparse.csr_array | None:
    """Return the share of each category in each item, and an empty last row.

    None if nothing is given.
    """
    table = _catalogue_part(table, "categories")
    if table is None:
        return None
    part, all_items = require_ids(table, "categories"), Items(items)
    assert part.labels is not None
    is_known = all_items.find(part.labels, name="categories") >= 0
    shares = read_categories(part, all_items).shares if is_known.any() else None
    if shares is None or shares.nnz == 0:
        raise ValueError(
            f"`categories` has none of the {len(items)} items of `fit`, such as "
            f"{shorten(items[0])}; give the categories of each by its id."
        )
    return sparse.vstack([shares, sparse.csr_array((1, shares.shape[1]))]).tocsr()


def distances_of_items(distance: Any, categories: Any, items: np.ndarray) -> Any:
    """Return a function of two ids, or a table by position; None if nothing is given.

    A catalogue may be given as either.
    """
    is_catalogue = isinstance(categories, Catalogue)
    source = categories if distance is None and is_catalogue else distance
    source = _catalogue_part(source, "distance")
    if source is None or callable(source):
        return source
    if isinstance(source, str):
        raise ValueError(
            f"`distance` got {shorten(source)}; give None for 1 less the cosine of "
            "`categories`, a function of two ids, or a square matrix by id."
        )
    part = require_ids(source, "distance")
    table = read_distances(part, Items(items))
    return (table + table.T) / 2


def pair_distances(distances: Any, items: np.ndarray) -> PairDistances:
    """Return a function from positions of items, pair by pair, to their distances."""
    if callable(distances):
        return lambda left, right: compute_distances(distances, items, left, right)
    return lambda left, right: distances[left, right]


def shares_of_users(had: sparse.csr_array, shares: sparse.csr_array) -> sparse.csr_array:
    """Return the share of each category in the items of users, empty for users without."""
    counted = sparse.csr_array(had.astype(bool), dtype=np.float64) @ shares[:-1]
    return _divide_rows(counted, counted.sum(axis=1))


def mean_shares(of_users: sparse.csr_array) -> np.ndarray:
    """Return the mean over users with a category."""
    return of_users.sum(axis=0) / np.count_nonzero(np.diff(of_users.indptr))


def unit_vectors(table: sparse.csr_array) -> sparse.csr_array:
    """Scale rows to length 1; empty rows stay empty."""
    return _divide_rows(table, np.sqrt(table.multiply(table).sum(axis=1)))


def _divide_rows(table: sparse.csr_array, by: np.ndarray) -> sparse.csr_array:
    return sparse.csr_array(sparse.diags_array(1 / np.where(by > 0, by, 1)) @ table)


def _catalogue_part(value: Any, name: str) -> Any:
    """Return a part of a catalogue by id, and anything else as it is."""
    if not isinstance(value, Catalogue):
        return value
    part = getattr(value, name)
    if part is None or callable(part) or value.items is None:
        return part
    return PartById(value.items, part)


# The recommender.


Class = TypeVar("Class", bound=type)


def shares_attributes(*names: str, stage: str = "recommender_") -> Callable[[Class], Class]:
    """Return a decorator for classes with the attributes of their first stage."""

    def decorate(kind: Class) -> Class:
        for name in names:
            read = attrgetter(f"{stage}.{name}")
            setattr(kind, name, property(read, doc=f"Return `{name}` of the first stage."))
        return kind

    return decorate


@explained
@shares_attributes("exclude_seen", "time", stage="recommender")
@shares_attributes(*("n_features_in_", "feature_names_in_", "_histories_of_lists"))
class RerankingRecommender(RecommenderMixin, BaseEstimator):
    """Recommend in another order: more diverse, closer to a user's taste, less popular.

    Another recommender, the first stage, finds `n_candidates` items for each user. They are
    then taken one by one: each place goes to the candidate with the highest sum of
    ``(1 - strength)`` times its relevance, which is its score brought to 0 to 1 within the
    candidates of the user, and ``strength`` times what it adds to the list so far. Of equal
    sums the first of the first stage is taken.

    Parameters
    ----------
    recommender : RecommenderMixin
        The first stage, any recommender of this package. It is cloned.
    method : {"mmr", "xquad", "calibrated", "popularity"}
        What a candidate adds to the list.

        - "mmr", maximal marginal relevance [1]_: its distance from the nearest item of the
          list.
        - "xquad" [2]_: the categories of the user that it has and the list does not cover
          yet. Shares of the user count relative to the largest.
        - "calibrated" [3]_: less the divergence of the categories of the list with it from
          those of the user, as `calibration_at_k_score` measures it.
        - "popularity": 1 less the logarithm of its number of users relative to the most
          popular item.
    strength : float, default=0.3
        From 0, which gives the lists of the first stage, to 1, where relevance does not
        count.
    n_candidates : int, default=100
        How many items of the first stage are put in another order. Those after them keep
        their order, in lists that are longer.
    categories : mapping, Series, DataFrame or Catalogue, default=None
        Category of each item or a list of several, by id; or a frame of their weights, one
        row per item. An item of several shares its weight among them; items that it lacks
        have none. "xquad" and "calibrated" need it, and so does "mmr" without `distance`.
    distance : callable, DataFrame or Catalogue, default=None
        Distance of two items for "mmr", from 0 to 1 to be worth as much as relevance: a
        function of two ids, or a square matrix by id. If None, 1 less the cosine of
        `categories`, or the distances of a `Catalogue` if it has any.

    Attributes
    ----------
    recommender_ : object
        The fitted first stage.
    user_column_, item_column_ : str or int
        The columns of users and items: their names, or positions where X has no names.
    users_, items_ : ndarray
        Ids in the training data, sorted.
    seen_ : csr_array of bool, shape (n_users, n_items)
        True for the pairs of the training data.
    popularity_ : ndarray of shape (n_items,)
        Mean weight that a user gives an item: the scores of unknown users.

    Raises
    ------
    ValueError
        From `fit`, if `strength` is not from 0 to 1, `categories` or `distance` are needed
        and not given, or do not fit the items of the log; or as the first stage raises.
    TypeError
        From `fit`, if `recommender` is not a recommender of this package.

    See Also
    --------
    sklearn_rank.model_selection.RefitWithinError : Chooses the strength in a search.
    sklearn_rank.metrics.intra_list_distance_at_k_score : How diverse lists are.

    Notes
    -----
    The shares of a user's categories are those of the items the user has in the training
    data. Users with none have the mean of all users, and so have those whom `fit` has not
    seen; their candidates are the most popular items.

    The scores of a list are those that the first stage gave its items, the highest first:
    the place decides the order, not the item's own score. `predict` scores pairs as the
    first stage does.

    References
    ----------
    .. [1] J. Carbonell, J. Goldstein, "The Use of MMR, Diversity-Based Reranking for
       Reordering Documents and Producing Summaries", SIGIR 1998.
    .. [2] R. L. T. Santos, C. Macdonald, I. Ounis, "Exploiting Query Reformulations for Web
       Search Result Diversification", WWW 2010.
    .. [3] H. Steck, "Calibrated Recommendations", RecSys 2018.

    Examples
    --------
    >>> from sklearn_rank.recommenders import PopularityRecommender, RerankingRecommender
    >>> X = [["ann", "tea"], ["bob", "tea"], ["cy", "tea"], ["ann", "mate"],
    ...      ["bob", "mate"], ["cy", "jam"], ["dan", "rice"]]
    >>> categories = {"tea": "drinks", "mate": "drinks", "jam": "spreads", "rice": "grain"}
    >>> model = RerankingRecommender(
    ...     PopularityRecommender(), "mmr", strength=0.5, categories=categories
    ... )
    >>> model.fit(X).recommend(["dan"], k=2).tolist()
    [['tea', 'jam']]
    >>> model.set_params(strength=0).fit(X).recommend(["dan"], k=2).tolist()
    [['tea', 'mate']]
    """

    recommender_: RecommenderMixin
    _is_made_of_users = True

    def __init__(
        self,
        recommender: RecommenderMixin,
        method: Literal["mmr", "xquad", "calibrated", "popularity"],
        strength: float = 0.3,
        n_candidates: int = 100,
        categories: CategoriesOfItems | DataFrame | Catalogue | None = None,
        distance: Callable[[Any, Any], float] | DataFrame | Catalogue | None = None,
    ) -> None:
        self.recommender = recommender
        self.method = method
        self.strength = strength
        self.n_candidates = n_candidates
        self.categories = categories
        self.distance = distance

    def score_pairs(self, users: Integers, items: Integers) -> Floats:
        """Score pairs. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        users, items : ndarray of int, shape (n_pairs,)
            Positions in `users_` and in `items_`.

        Returns
        -------
        scores : array-like of shape (n_pairs,)
            Finite scores.
        """
        return self.recommender_.score_pairs(users, items)

    def propose(
        self, users: Integers, k: int, hidden: sparse.csr_array
    ) -> tuple[NDArray[Any], Floats]:
        """Reorder the candidates. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        users : ndarray of int, shape (n_users,)
            Positions in `users_`.
        k : int
            Length of the lists that are wanted.
        hidden : csr_array of bool, shape (n_users, n_items)
            True for the items that may not be in the list of a user.

        Returns
        -------
        items, scores : ndarray of shape (n_users, k)
            Positions in `items_`, -1 for nothing, and scores, -inf for nothing.
        """
        return self._reorder(self.recommender_.propose, users, self.seen_[users], k, hidden)

    def propose_histories(
        self, histories: sparse.csr_array, k: int, hidden: sparse.csr_array
    ) -> tuple[NDArray[Any], Floats]:
        """Reorder the candidates. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        histories : csr_array of shape (n_histories, n_items)
            Weights of the items each user has.
        k : int
            Length of the lists that are wanted.
        hidden : csr_array of bool, shape (n_histories, n_items)
            True for the items that may not be in a list.

        Returns
        -------
        items, scores : ndarray of shape (n_histories, k)
            As `propose` returns them.
        """
        first = self.recommender_.propose_histories
        return self._reorder(first, histories, histories, k, hidden)

    def _proposer_for_lists(self, item_lists: Any, histories: Any) -> Proposer:
        first = self.recommender_._proposer_for_lists(item_lists, histories)
        return lambda rows, k, hidden: self._reorder(
            first, rows, histories[rows], k, hidden
        )

    def _score_parts(self, row: int, column: int) -> Any:
        return self.recommender_._score_parts(row, column)

    def _learn(self, X: Any, y: Any) -> None:
        check_recommender("recommender", self.recommender)
        check_option("method", self.method, ("mmr", "xquad", "calibrated", "popularity"))
        check_share("strength", self.strength)
        check_integer("n_candidates", self.n_candidates)
        self.recommender_ = clone(self.recommender).fit(X, y)
        self._fitted = replace(self.recommender_._fitted)
        self._distances: Any = None
        self._shares: Any = None
        self._mean_shares: Any = None
        if self.method == "mmr":
            sources = self.distance, self.categories
            self._distances = distances_of_items(*sources, self.items_)
        if self.method != "popularity" and self._distances is None:
            self._shares = self._read_shares()
        self._count_users()

    def _count_users(self) -> None:
        self._n_users = self.seen_.sum(axis=0)
        if self._shares is not None:
            self._mean_shares = mean_shares(shares_of_users(self.seen_, self._shares))

    def _add(self, X: Any, y: Any) -> np.ndarray:
        self.recommender_ = copy(self.recommender_)
        ignored = self.recommender_._add(X, y)
        self._fitted = replace(
            self.recommender_._fitted, dislikes=self.dislikes_, n_updates=self.n_updates_
        )
        self._count_users()
        return ignored

    def _read_shares(self) -> sparse.csr_array:
        shares = shares_of_items(self.categories, self.items_)
        if shares is None:
            otherwise = ", or `distance=`" if self.method == "mmr" else ""
            raise ValueError(
                f"`method={self.method!r}` needs the categories of items; give "
                f"`categories=`, a mapping of each item to its category{otherwise}."
            )
        return unit_vectors(shares) if self.method == "mmr" else shares

    def _fill_new(self, lists: ListMaker, rows: np.ndarray) -> None:
        """Reorder popular items for new users, with the mean taste of all users."""
        popularity = self._popularity_for_new_users()

        def propose(rows: np.ndarray, k: int, hidden: sparse.csr_array) -> ItemsAndScores:
            n_wanted, pairs = max(k, self.n_candidates), Pairs.from_matrix(hidden)
            items = most_popular(popularity.order, n_wanted, pairs)
            scores = np.where(items >= 0, popularity.values[items], -np.inf)
            nothing = sparse.csr_array(hidden.shape, dtype=bool)
            return self._reorder(lambda *_: (items, scores), rows, nothing, k, hidden)

        lists.fill_by_proposal(rows, propose, self)

    def _reorder(
        self,
        propose: Callable[[Any, int, sparse.csr_array], ItemsAndScores],
        rows: Any,
        had: sparse.csr_array,
        k: int,
        hidden: sparse.csr_array,
    ) -> ItemsAndScores:
        """Return the first k candidates in the new order, and their scores, descending."""
        n_users, n_items = hidden.shape
        n_wanted = max(k, self.n_candidates)
        items, scores = propose(rows, n_wanted, hidden)
        n_found, pairs = min(n_wanted, n_items), Pairs.from_matrix(hidden)
        items, scores = best_proposals(items, scores, n_found, pairs, n_items)
        columns = np.tile(np.arange(min(k, n_found)), (n_users, 1))
        n = min(self.n_candidates, n_found)
        n_cells = n
        if self._shares is not None:
            n_cells = max(n * (1 + self._shares.nnz // n_items), self._shares.shape[1])
        size = max(1, LIST_CELLS // n_cells)
        for batch in (slice(row, row + size) for row in range(0, n_users, size)):
            lists = items[batch, :n], scores[batch, :n], had[batch]
            columns[batch, :n] = order_candidates(self, *lists, min(k, n))
        scores = np.take_along_axis(scores, columns, axis=1)
        return np.take_along_axis(items, columns, axis=1), -np.sort(-scores, axis=1)
