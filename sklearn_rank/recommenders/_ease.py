"""EASERecommender: a linear item-item model in closed form."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from sklearn_rank._base._machine import require_memory
from sklearn_rank._base._sklearn import BaseEstimator
from sklearn_rank._base._validation import check_option, check_real
from sklearn_rank._hints._explain import explained
from sklearn_rank.recommenders._item_products import dense_gram
from sklearn_rank.recommenders._pair_weights import check_largest_weight, replace_data
from sklearn_rank.recommenders._recommender_mixin import RecommenderMixin
from sklearn_rank.typing import Integers

# The matrix as float64 and the weights as float32; more if users share many items.
_BYTES_A_PAIR = 12

# Of so many items the fits of a search share the products.
MOST_KEPT_ITEMS = 8192

# Weights are float32 in scores; the sums of their squares are float64.
_LARGEST_WEIGHT = 1e30


@explained
@dataclass(eq=False, repr=False)
class EASERecommender(RecommenderMixin, BaseEstimator):
    """Recommend by a ridge regression of every item on all other items (EASE).

    The score of an item is a weighted sum over the items the user has. The weights
    minimize the squared error of the reconstructed matrix users × items plus
    `regularization` times their squares, where no item may explain itself; they have a
    closed form [1]_. It has one parameter, and is a strong baseline.

    The matrix of item weights is dense. `fit` needs about 24 bytes × n_items² of memory
    and a time that grows with n_items³: seconds for 4,000 items, a minute and 2.4 GB for
    10,000. The number of users hardly matters. Where not even half of this memory is
    available, `fit` says so with a ValueError.

    Parameters
    ----------
    regularization : float, default=100.0
        Strength of the ridge penalty, > 0. The more interactions an item has, the larger
        its best value; try 10 to 1000 in factors of about 3.
    weighting : {"binary", "log", "sum"}, default="binary"
        How much a pair counts: 1 if its weights `y` sum to more than 0, as in the paper,
        the logarithm of 1 + sum, or the sum.
    half_life : float, timedelta or str, default=None
        Age at which an interaction counts half, as in `PopularityRecommender`; what users
        did lately then counts more. With ``weighting="binary"`` a pair counts as its
        newest interaction does. If None, all count alike.
    time : int or str, default=None
        Column of X with the time of each interaction, by position or name. Needed where
        `half_life` or `recency` is given.
    reference_time : number, date, datetime or str, default=None
        Moment from which ages count, as in `PopularityRecommender`. A later one makes all
        weights smaller, and so `regularization` stronger.
    recency : float, default=None
        Place in the history of a user, from the newest row back, at which a row counts
        half when the user is scored; rows of one moment, such as a basket, share a place.
        The model learns as without. Needs `time`. If None, the order does not matter.
    exclude_seen : bool, default=True
        Whether `recommend` leaves out what the user has in the training data. False
        serves repeat purchases.
    new_users : "popularity" or recommender, default="popularity"
        What unknown users get: the most popular items, or the list of another recommender,
        such as one of what is popular lately, ``PopularityRecommender(half_life="10D",
        time="time")``. It is cloned, and fitted on the columns of this one.
    user, item : int or str, default=None
        Columns of X with the ids of users and items, by position or name. If None, those
        named ``user`` or ``user_id`` and ``item`` or ``item_id``; for arrays the first two.
    self_weight : bool, default=False
        Whether an item may also explain itself, as in ridge regression; then so small a
        penalty as to give each item back must be avoided. For items that are taken again,
        in sessions or repeat purchases, with ``exclude_seen=False`` and `recency`.

    Attributes
    ----------
    item_weights_ : ndarray of float32, shape (n_items, n_items)
        Row: the item a user has; column: the item it speaks for. The diagonal is 0 unless
        `self_weight` is True.
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
    .. [1] H. Steck: Embarrassingly shallow autoencoders for sparse data, WWW 2019.

    Examples
    --------
    >>> from sklearn_rank.recommenders import EASERecommender
    >>> X = [["ann", "tea"], ["ann", "milk"], ["bob", "tea"], ["bob", "milk"],
    ...      ["eve", "beer"], ["eve", "chips"], ["kim", "beer"]]
    >>> recommender = EASERecommender(regularization=1.0).fit(X)
    >>> recommender.recommend(["kim"], k=1).tolist()
    [['chips']]
    >>> recommender.recommend_for_items([["tea"]], k=1).tolist()
    [['milk']]
    """

    regularization: float = 100.0
    self_weight: bool = field(default=False, kw_only=True)

    item_weights_: np.ndarray = field(init=False)

    _adds_up = True

    def fit_interactions(self, interactions: sparse.csr_array) -> None:
        """Solve for the weights. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        interactions : csr_array of shape (n_users, n_items)
            Weights of the pairs.
        """
        ridge = check_real("regularization", self.regularization, "a number > 0", above=0)
        n_items = interactions.shape[1]
        require_memory(
            _BYTES_A_PAIR * n_items**2,
            f"EASERecommender's matrix of {n_items:,} x {n_items:,} items",
            "Keep the items with most rows (see k_core), or use ItemNeighborsRecommender "
            "or MatrixFactorizationRecommender, which keep no matrix of all items.",
        )
        check_largest_weight(self, interactions, _LARGEST_WEIGHT)
        check_option("self_weight", self.self_weight, (True, False))

        def solve() -> NDArray[np.float32]:
            made = partial(dense_gram, interactions)
            is_kept = self._is_in_search and n_items <= MOST_KEPT_ITEMS
            gram = self._keep(interactions, "gram", None, made) if is_kept else made()
            return _solve(gram, ridge, self.self_weight, is_shared=is_kept)

        inputs = ridge, self.self_weight
        self.item_weights_ = self._keep(interactions, "ease", inputs, solve)

    def score_histories(self, histories: sparse.csr_array) -> NDArray[Any]:
        """Sum the item weights. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        histories : csr_array of shape (n_histories, n_items)
            Weights of the items each user has.

        Returns
        -------
        scores : ndarray of shape (n_histories, n_items)
            Predicted weights.
        """
        weights = histories.data.astype(np.float32)
        return replace_data(histories, weights) @ self.item_weights_

    def score_similar_items(self, items: Integers) -> NDArray[Any]:
        """Return the weights of some items for all items.

        Parameters
        ----------
        items : ndarray of int, shape (n_given,)
            Positions in `items_`.

        Returns
        -------
        scores : ndarray of shape (n_given, n_items)
            Rows of `item_weights_`.
        """
        return self.item_weights_[items]

    def _is_scored_in_threads(self):
        is_own = self._is_scored_by(EASERecommender, "score_histories")
        return is_own and self._is_scored_by(RecommenderMixin, "score_users")


def _solve(
    gram: np.ndarray, ridge: float, self_weight: bool, *, is_shared: bool
) -> NDArray[np.float32]:
    """Return the item weights; `gram` is overwritten unless it is shared."""
    gram = gram.copy() if is_shared else gram
    gram[np.diag_indices_from(gram)] += ridge
    # It is symmetric, and LAPACK expects columns that are contiguous.
    inverse = _inverse_in_place(gram.T).T
    # B = I - P diag(1 / diag(P)) with P the inverse, equation 8 of the paper; with self
    # weights B = I - ridge * P.
    diagonal = np.diag(inverse).copy()
    divisor = -1 / ridge if self_weight else -diagonal
    weights = np.empty(gram.shape, dtype=np.float32)
    np.divide(inverse, divisor, out=weights, casting="same_kind")
    np.fill_diagonal(weights, 1 - ridge * diagonal if self_weight else 0.0)
    return weights


def _inverse_in_place(matrix: np.ndarray) -> np.ndarray:
    """Invert a positive definite matrix in place.

    It takes a third of the time and half of the memory of `numpy.linalg.inv`.
    """
    factor, failed = linalg.lapack.dpotrf(matrix, lower=1, overwrite_a=1)
    if not failed:
        inverse, failed = linalg.lapack.dpotri(factor, lower=1, overwrite_c=1)
    if failed:
        raise ValueError(
            "The item matrix is numerically singular; raise `regularization` or use "
            "weighting='log' to tame very large weights."
        )
    for row in range(1, len(inverse)):
        inverse[:row, row] = inverse[row, :row]
    return inverse
