"""PopularityRecommender: the same items for all users."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from scipy import sparse

from sklearn_rank._base._sklearn import BaseEstimator
from sklearn_rank.recommenders._recommender_mixin import RecommenderMixin
from sklearn_rank.typing import Floats, Integers


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

    def fit_interactions(self, interactions: sparse.csr_array) -> None:
        """Learn nothing more: `fit` has counted `popularity_`.

        Parameters
        ----------
        interactions : csr_array of shape (n_users, n_items)
            Weights of the pairs.
        """

    def score_histories(self, histories: sparse.csr_array) -> Floats:
        """Return the popularity of all items, the same for each row.

        Parameters
        ----------
        histories : csr_array of shape (n_histories, n_items)
            Weights of the items each user has.

        Returns
        -------
        scores : ndarray of shape (n_histories, n_items)
            Read-only.
        """
        return np.broadcast_to(
            self.popularity_, (histories.shape[0], len(self.popularity_))
        )

    def score_pairs(self, users: Integers, items: Integers) -> Floats:
        """Return the popularity of the item of each pair.

        Parameters
        ----------
        users, items : ndarray of int, shape (n_pairs,)
            Positions in `users_` and in `items_`.

        Returns
        -------
        scores : ndarray of shape (n_pairs,)
            Popularity.
        """
        return self.popularity_[items]

    def _has_popularity_scores(self) -> bool:
        # Not if a subclass scores in another way.
        return self._is_scored_by(PopularityRecommender, "score_users", "score_histories")
