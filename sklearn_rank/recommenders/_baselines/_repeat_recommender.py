"""RepeatRecommender: items that a user takes again and again."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from sklearn_rank._base._runs import begins_run, sizes_of
from sklearn_rank._base._sklearn import BaseEstimator
from sklearn_rank._base._validation import check_share
from sklearn_rank.recommenders._log_parameters import recency_of_rows
from sklearn_rank.recommenders._pair_weights import (
    apply_weighting,
    count_pairs,
    replace_data,
)
from sklearn_rank.recommenders._recommender_mixin import RecommenderMixin
from sklearn_rank.typing import Matrix


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
        named ``user`` or ``user_id`` and ``item`` or ``item_id``; of arrays the first two.

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
        """Learn nothing more: `fit` has counted visits and popularity.

        Parameters
        ----------
        interactions : csr_array of shape (n_users, n_items)
            Weights of the pairs.
        """
        check_share("popularity_share", self.popularity_share)

    def score_histories(self, histories: sparse.csr_array) -> Matrix:
        """Return the mixture of visits and popularity for users given by their visits.

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
