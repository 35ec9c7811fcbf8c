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

from sklearn_rank._base._runs import LIST_CELLS
from sklearn_rank._base._sklearn import BaseEstimator
from sklearn_rank._base._validation import check_integer, check_option, check_share
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._catalogue import Catalogue
from sklearn_rank.recommenders._candidates import best_proposals
from sklearn_rank.recommenders._list_maker import ItemsAndScores, ListMaker, Proposer
from sklearn_rank.recommenders._most_popular import most_popular
from sklearn_rank.recommenders._pairs import Pairs
from sklearn_rank.recommenders._read_pairs import check_recommender
from sklearn_rank.recommenders._recommender_mixin import RecommenderMixin
from sklearn_rank.recommenders._rerank import (
    distances_of_items,
    mean_shares,
    order_candidates,
    shares_of_items,
    shares_of_users,
    unit_vectors,
)
from sklearn_rank.typing import CategoriesOfItems, DataFrame, Floats, Integers

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
