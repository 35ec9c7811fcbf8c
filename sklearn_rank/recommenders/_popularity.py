"""PopularityRecommender: the same items for everybody."""

import numpy as np
from sklearn.base import BaseEstimator

from sklearn_rank.recommenders._base import RecommenderMixin

__all__ = ["PopularityRecommender"]


class PopularityRecommender(RecommenderMixin, BaseEstimator):
    """Recommend the most popular items, the baseline every recommender has to beat.

    Parameters
    ----------
    user, item : int or str, default=0 and 1
        Columns of X with the ids of users and items, by position or name.

    Attributes
    ----------
    users_, items_ : ndarray
        Ids in the training data, sorted.
    seen_ : csr_array of bool, shape (n_users, n_items)
        True for the pairs of the training data.
    popularity_ : ndarray of shape (n_items,)
        Mean weight that a user gives an item.

    Examples
    --------
    >>> from sklearn_rank.recommenders import PopularityRecommender
    >>> X = [["ann", "tea"], ["bob", "tea"], ["bob", "milk"], ["eve", "cake"],
    ...      ["kim", "milk"], ["kim", "tea"]]
    >>> recommender = PopularityRecommender().fit(X)
    >>> recommender.recommend(["ann", "somebody new"], n_items=2).tolist()
    [['milk', 'cake'], ['tea', 'milk']]
    """

    def __init__(self, *, user=0, item=1):
        self.user = user
        self.item = item

    def fit_interactions(self, interactions):
        """Learn nothing more: `fit` has counted `popularity_`.

        Parameters
        ----------
        interactions : csr_array of shape (n_users, n_items)
            Weights of the pairs.
        """

    def score_histories(self, histories):
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

    def score_pairs(self, users, items):
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
