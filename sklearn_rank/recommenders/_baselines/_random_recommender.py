"""RandomRecommender: random items, by a seed and the place of the user."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
from scipy import sparse

from sklearn_rank._base._sklearn import BaseEstimator
from sklearn_rank._base._validation import check_integer
from sklearn_rank.recommenders._most_popular import PopularityOrder
from sklearn_rank.recommenders._recommender_mixin import RecommenderMixin
from sklearn_rank.typing import Floats, Integers


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
        """Check the seed; there is nothing to learn.

        Parameters
        ----------
        interactions : csr_array of shape (n_users, n_items)
            Weights of the pairs.
        """
        check_integer("random_state", self.random_state, minimum=0)

    def score_users(self, users: Integers) -> Floats:
        """Return a random order of all items for each user.

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
        """Return the order of unknown users for each row.

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
        """Do nothing: nothing is kept of users.

        Parameters
        ----------
        former : ndarray of int, shape (n_former_users,)
            Where those who were in `users_` are now.
        changed : ndarray of int, shape (n_changed,)
            Who has new rows.
        """

    def _model_for_new_users(self) -> Any:
        (scores,) = self.score_users(np.array([len(self.users_)]))
        order = PopularityOrder.from_popularity(scores)
        return SimpleNamespace(popularity_=scores, _popularity_order=order)

    def _warn_of_unknown_users(self, n_users: int) -> None:
        """Do not warn: users have random lists, known or not."""
