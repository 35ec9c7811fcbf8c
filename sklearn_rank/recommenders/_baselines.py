"""The least that a recommender has to beat: popular items, random ones, repeats."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from scipy import sparse

from sklearn_rank._base._runs import begins_run, sizes_of
from sklearn_rank._base._sklearn import BaseEstimator
from sklearn_rank._base._validation import check_integer, check_share
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._catalogue import Catalogue
from sklearn_rank.recommenders._histories import recency_of_rows
from sklearn_rank.recommenders._pair_weights import (
    apply_weighting,
    count_pairs,
    replace_data,
)
from sklearn_rank.recommenders._pairs import Popularity
from sklearn_rank.recommenders._recommender_mixin import RecommenderMixin
from sklearn_rank.recommenders._reranking_recommender import (
    mean_shares,
    shares_of_items,
    shares_of_users,
)
from sklearn_rank.typing import CategoriesOfItems, DataFrame, Floats, Integers, Matrix

# PopularityRecommender: the most popular items, of all or by categories.


@explained
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
        named ``user`` or ``user_id`` and ``item`` or ``item_id``; for arrays the first two.
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
        """Read the categories. The package calls it with positions; it checks nothing.

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
        """Score by popularity. The package calls it with positions; it checks nothing.

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
        """Score pairs. The package calls it with positions; it checks nothing.

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


# RandomRecommender: random items, by a seed and the place of the user.


@explained
@dataclass(eq=False, repr=False)
class RandomRecommender(RecommenderMixin, BaseEstimator):
    """Recommend random items, the least that a recommender has to beat.

    The scores of a user are a random order of all items, the same in each call. They
    depend on `random_state` and on the place of the user in `users_`, not on the log. All
    unknown users, and users given by their items, have one order.

    Parameters
    ----------
    random_state : int, default=0
        Seed, >= 0.
    exclude_seen : bool, default=True
        Whether `recommend` leaves out what the user has in the training data.
    user, item : int or str, default=None
        Columns of X with the ids of users and items, by position or name. If None, those
        named ``user`` or ``user_id`` and ``item`` or ``item_id``; for arrays the first two.

    Attributes
    ----------
    user_column_, item_column_ : str or int
        The columns of users and items: their names, or positions where X has no names.
    users_, items_ : ndarray
        Ids in the training data, sorted.
    seen_ : csr_array of bool, shape (n_users, n_items)
        True for the pairs of the training data.
    popularity_ : ndarray of shape (n_items,)
        Share of the users who have an item.

    Examples
    --------
    >>> from sklearn_rank.recommenders import RandomRecommender
    >>> X = [["ann", "tea"], ["bob", "tea"], ["bob", "milk"], ["eve", "cake"]]
    >>> model = RandomRecommender().fit(X)
    >>> model.recommend(["ann"], k=2).tolist() == model.recommend(["ann"], k=2).tolist()
    True
    """

    random_state: int = 0
    weighting: Literal["binary"] = field(default="binary", init=False)
    half_life: None = field(default=None, init=False)
    time: None = field(default=None, init=False)
    reference_time: None = field(default=None, init=False)
    recency: None = field(default=None, init=False)
    new_users: Literal["popularity"] = field(default="popularity", init=False)

    def fit_interactions(self, interactions: sparse.csr_array) -> None:
        """Check the seed. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        interactions : csr_array of shape (n_users, n_items)
            Weights of the pairs.
        """
        check_integer("random_state", self.random_state, minimum=0)

    def score_users(self, users: Integers) -> Floats:
        """Return random orders. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        users : ndarray of int, shape (n_users,)
            Positions in `users_`.

        Returns
        -------
        scores : ndarray of shape (n_users, n_items)
            The numbers from 0 to n_items - 1.
        """
        seed, n_items = int(self.random_state), len(self.items_)
        generators = (np.random.default_rng([seed, user]) for user in users)
        orders = [generator.permutation(n_items) for generator in generators]
        return np.array(orders, dtype=np.float64).reshape(len(users), n_items)

    def score_histories(self, histories: sparse.csr_array) -> Floats:
        """Return random orders. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        histories : csr_array of shape (n_histories, n_items)
            Weights of the items each user has.

        Returns
        -------
        scores : ndarray of shape (n_histories, n_items)
            The same in each row.
        """
        return self.score_users(np.full(histories.shape[0], len(self.users_)))

    def update_users(self, former: Integers, changed: Integers) -> None:
        """Do nothing. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        former : ndarray of int, shape (n_former_users,)
            Where those who were in `users_` are now.
        changed : ndarray of int, shape (n_changed,)
            Who has new rows.
        """

    def _popularity_for_new_users(self) -> Popularity:
        return Popularity(self.score_users(np.array([len(self.users_)]))[0])

    def _warn_of_unknown_users(self, n_users: int) -> None:
        """Do not warn: users have random lists, known or not."""


# RepeatRecommender: items that a user takes again and again.


@explained
@dataclass(eq=False, repr=False)
class RepeatRecommender(RecommenderMixin, BaseEstimator):
    """Recommend what a user takes often and took lately, and what is popular.

    For repeat purchases, such as groceries and supplies. The score of an item is the sum of
    two parts: in how many visits the user took it, recent visits counting more [1]_, and
    its popularity. Each part is divided by its highest value for the user, and
    `popularity_share` says how they are mixed. The rows of a user at one moment, such as a
    basket, are one visit.

    Parameters
    ----------
    recency : float, default=10.0
        Visits after which a visit counts half. If None, all visits count alike.
    popularity_share : float, default=0.3
        Share of popularity in the score, from 0 to 1.
    weighting : {"binary", "log", "sum"}, default="binary"
        How much a visit with an item counts: 1 if its weights `y` sum to more than 0, the
        logarithm of 1 + sum, or the sum. Likewise a pair in the popularity of its item.
    half_life : float, timedelta or str, default=None
        Age at which an interaction counts half in the popularity of items, as in
        `PopularityRecommender`. If None, all count alike.
    time : int or str, default=None
        Column of X with the time of each interaction, by position or name: numbers,
        dates or datetimes. Always needed.
    reference_time : number, date, datetime or str, default=None
        Moment from which ages count, as in `PopularityRecommender`.
    exclude_seen : bool, default=False
        Whether `recommend` leaves out what the user has in the training data. True leaves
        the popular items alone.
    new_users : "popularity" or recommender, default="popularity"
        What unknown users get: the most popular items, or the list of another recommender,
        which is cloned, and fitted on the columns of this one.
    user, item : int or str, default=None
        Columns of X with the ids of users and items, by position or name. If None, those
        named ``user`` or ``user_id`` and ``item`` or ``item_id``; for arrays the first two.

    Attributes
    ----------
    histories_ : csr_array of shape (n_users, n_items)
        The visits of each user with each item, recent ones counting more.
    history_ : OrderedHistories
        The rows by user and time, as in `RecommenderMixin`.
    user_column_, item_column_ : str or int
        The columns of users and items: their names, or positions where X has no names.
    users_, items_ : ndarray
        Ids in the training data, sorted.
    seen_ : csr_array of bool, shape (n_users, n_items)
        True for the pairs of the training data.
    popularity_ : ndarray of shape (n_items,)
        Mean weight that a user gives an item: the scores of unknown users.
    new_users_ : recommender or None
        The one for new users, fitted; if None, they get what is popular.

    References
    ----------
    .. [1] H. Hu, X. He, J. Gao, Z.-L. Zhang: Modeling personalized item frequency
       information for next-basket recommendation, SIGIR 2020.

    Examples
    --------
    >>> from sklearn_rank.recommenders import RepeatRecommender
    >>> X = [["ann", "milk", 1], ["ann", "tea", 1], ["ann", "milk", 2], ["bob", "tea", 2],
    ...      ["bob", "cake", 3], ["eve", "tea", 3]]
    >>> recommender = RepeatRecommender(time=2).fit(X)
    >>> recommender.recommend(["ann", "bob"], k=2).tolist()
    [['milk', 'tea'], ['tea', 'cake']]
    >>> recommender.recommend_for_items([["cake", "tea", "cake"]], k=1).tolist()
    [['cake']]
    """

    recency: float = 10.0
    popularity_share: float = 0.3
    exclude_seen: bool = field(default=False, kw_only=True)

    def fit_interactions(self, interactions: sparse.csr_array) -> None:
        """Learn nothing more. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        interactions : csr_array of shape (n_users, n_items)
            Weights of the pairs.
        """
        check_share("popularity_share", self.popularity_share)

    def score_histories(self, histories: sparse.csr_array) -> Matrix:
        """Score by visits. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        histories : csr_array of shape (n_histories, n_items)
            Visits with each item.

        Returns
        -------
        scores : ndarray of shape (n_histories, n_items)
            From 0 to 1.
        """
        return self._visit_scores(histories).toarray() + self._popularity_scores()

    def _visit_scores(self, histories: sparse.csr_array) -> sparse.csr_array:
        highest = histories.max(axis=1).toarray().ravel()
        highest = np.where(highest > 0, highest, 1.0).repeat(sizes_of(histories.indptr))
        share = histories.data / highest
        return replace_data(histories, (1 - self.popularity_share) * share)

    def _popularity_scores(self) -> np.ndarray:
        highest = self.popularity_.max()
        return self.popularity_share * self.popularity_ / (highest if highest > 0 else 1.0)

    def _score_parts(self, row, column):
        history = self.histories_[[row]]
        is_item = history.indices == column
        parts = self._visit_scores(history).data[is_item]
        constant = float(self._popularity_scores()[column])
        return history.indices[is_item], history.data[is_item], parts, constant

    def _has_order_weights(self) -> bool:
        return True

    def _weigh_histories(self, history, decay=None):
        # Ages change popularity only: the taste of a user who pauses does not fade.
        n_items, moments = len(self.items_), history.moments()
        first = begins_run(moments).nonzero()[0]
        rows = moments, history.items, history.weights
        counted = count_pairs(*rows, (len(first), n_items))
        visits = apply_weighting(counted, self.weighting)
        counts = recency_of_rows(history, self.recency)[first]
        starts = np.append(moments, len(first))[history.starts]
        entries = counts, np.arange(len(first)), starts
        of_users = sparse.csr_array(entries, shape=(len(starts) - 1, len(first)))
        histories = of_users @ visits
        histories.sort_indices()
        return histories
