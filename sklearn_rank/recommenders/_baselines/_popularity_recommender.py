"""PopularityRecommender: the most popular items, of all or by categories."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from scipy import sparse

from sklearn_rank._base._runs import sizes_of
from sklearn_rank._base._sklearn import BaseEstimator
from sklearn_rank.metrics._core._catalogue import Catalogue
from sklearn_rank.recommenders._recommender_mixin import RecommenderMixin
from sklearn_rank.recommenders._rerank import mean_shares, shares_of_items, shares_of_users
from sklearn_rank.typing import CategoriesOfItems, DataFrame, Floats, Integers


@dataclass(eq=False, repr=False)
class PopularityRecommender(RecommenderMixin, BaseEstimator):
    """Recommend the most popular items, the baseline every recommender has to beat.

    Parameters
    ----------
    weighting : {"binary", "log", "sum"}, default="binary"
        How much a pair counts: 1 if its weights `y` sum to more than 0, the logarithm of
        1 + sum, or the sum. With ``"binary"`` an item is as popular as it has
        users.
    half_life : float, timedelta or str, default=None
        Time after which an interaction counts half, so that what was popular lately
        ranks higher: a number in the unit of `time`, or for datetimes a
        `datetime.timedelta`, `numpy.timedelta64`, `pandas.Timedelta` or a string such as
        ``"30D"``. If None, all count alike.
    time : int or str, default=None
        Column of X with the time of each interaction, by position or name: numbers,
        dates or datetimes. Needed where `half_life` is given.
    reference_time : number, date, datetime or str, default=None
        Moment from which ages count, in the unit of `time`, or such as ``"2024-01-31"``;
        no row may be after it. A later one makes all weights smaller by one factor, which
        changes no list here. If None, the newest row, unless it is so far after all others
        that these would count next to nothing, which is an error.
    exclude_seen : bool, default=True
        Whether `recommend` leaves out what the user has in the training data. False
        serves repeat purchases.
    user, item : int or str, default=None
        Columns of X with the ids of users and items, by position or name. If None, those
        named ``user`` or ``user_id`` and ``item`` or ``item_id``; of arrays the first two.
    categories : mapping, Series, DataFrame or Catalogue, default=None
        Category of each item or a list of several, by id; or a frame of their weights, with
        a row per item. Items of a category then count more for users who have more of it
        than others, as in the notes. If None, all users get the same.

    Attributes
    ----------
    user_column_, item_column_ : str or int
        The columns of users and items: their names, or positions where X has no names.
    users_, items_ : ndarray
        Ids in the training data, sorted.
    seen_ : csr_array of bool, shape (n_users, n_items)
        True for the pairs of the training data.
    popularity_ : ndarray of shape (n_items,)
        Mean weight that a user gives an item, aged interactions counting less.

    Notes
    -----
    With `categories` the score of an item is its popularity times the sum over categories
    of ``share in the item * share in the items of the user / mean share of users``. Items
    without a category score 0. Users without one get the popular items.

    Examples
    --------
    >>> from sklearn_rank.recommenders import PopularityRecommender
    >>> X = [["ann", "tea"], ["bob", "tea"], ["bob", "milk"], ["eve", "cake"],
    ...      ["kim", "milk"], ["kim", "tea"]]
    >>> recommender = PopularityRecommender().fit(X)
    >>> recommender.recommend(["ann", "somebody new"], k=2).tolist()
    [['milk', 'cake'], ['tea', 'milk']]

    Cake is what the last days were about:

    >>> X = [["ann", "tea", 1], ["bob", "tea", 2], ["eve", "cake", 30]]
    >>> recommender = PopularityRecommender(half_life=7, time=2).fit(X)
    >>> recommender.recommend(["somebody new"], k=2).tolist()
    [['cake', 'tea']]
    """

    new_users: Literal["popularity"] = field(default="popularity", init=False)
    recency: None = field(default=None, init=False)
    categories: CategoriesOfItems | DataFrame | Catalogue | None = field(
        default=None, kw_only=True
    )

    def fit_interactions(self, interactions: sparse.csr_array) -> None:
        """Read the categories; `fit` has counted `popularity_`.

        Parameters
        ----------
        interactions : csr_array of shape (n_users, n_items)
            Weights of the pairs.
        """
        shares = self._shares = shares_of_items(self.categories, self.items_)
        if shares is not None:
            mean = mean_shares(shares_of_users(interactions, shares))
            weight = np.divide(1, mean, out=np.zeros_like(mean), where=mean > 0)
            self._lifts = sparse.csr_array(shares[:-1] @ sparse.diags_array(weight))

    def score_histories(self, histories: sparse.csr_array) -> Floats:
        """Return the popularity of all items; with `categories` as in the notes.

        Parameters
        ----------
        histories : csr_array of shape (n_histories, n_items)
            Weights of the items each user has.

        Returns
        -------
        scores : ndarray of shape (n_histories, n_items)
            Without `categories` the same in each row, and read-only.
        """
        if self.categories is not None:
            tastes = shares_of_users(histories, self._shares)
            lifts = (tastes @ self._lifts.T).toarray()
            lifts[sizes_of(tastes.indptr) == 0] = 1.0
            return lifts * self.popularity_
        shape = histories.shape[0], len(self.popularity_)
        return np.broadcast_to(self.popularity_, shape)

    def score_pairs(self, users: Integers, items: Integers) -> Floats:
        """Return the scores of single pairs.

        Parameters
        ----------
        users, items : ndarray of int, shape (n_pairs,)
            Positions in `users_` and in `items_`.

        Returns
        -------
        scores : ndarray of shape (n_pairs,)
            Popularity of the item; with `categories` as in the notes.
        """
        if self.categories is not None:
            return super().score_pairs(users, items)
        return self.popularity_[items]

    def _has_popularity_scores(self) -> bool:
        # Not if a subclass scores in another way.
        is_own = self._is_scored_by(PopularityRecommender, "score_users", "score_histories")
        return is_own and self.categories is None
