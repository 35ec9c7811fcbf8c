"""Scores that are sums over a sparse matrix items × items, and similar factors."""

from __future__ import annotations

import operator
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from sklearn_rank._hints._explain import explained
from sklearn_rank.recommenders._item_products import ItemProducts
from sklearn_rank.recommenders._recommender_mixin import RecommenderMixin
from sklearn_rank.typing import Integers


@explained
class ItemProductsMixin:
    """Score users by a sparse matrix, items × items, that `fit_interactions` learns."""

    # The attribute that holds the matrix.
    _matrix_name: str
    _fitted: Any
    _is_scored_by: Any
    _keep: Any

    _adds_up = True

    def score_histories(self, histories: sparse.csr_array) -> sparse.csr_array:
        """Sum the item weights. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        histories : csr_array of shape (n_histories, n_items)
            Weights of the items each user has.

        Returns
        -------
        scores : csr_array of shape (n_histories, n_items)
            At least 0.
        """
        return histories @ getattr(self, self._matrix_name)

    def score_similar_items(self, items: Integers) -> sparse.csr_array:
        """Return the learned weights of some items for all items.

        Parameters
        ----------
        items : ndarray of int, shape (n_given,)
            Positions in `items_`.

        Returns
        -------
        scores : csr_array of shape (n_given, n_items)
            Rows of the learned matrix; 0 for items without a weight.
        """
        return getattr(self, self._matrix_name)[items]

    def _prepare_scores(self):
        matrix, weights = getattr(self, self._matrix_name), self._fitted.weights
        make = partial(ItemProducts, matrix, weights.popularity.order)
        products = weights.interactions, "products", matrix, make, operator.is_
        self._products = self._keep(*products)

    def _unseen_scorer(self, histories):
        # The attribute may have been replaced.
        is_own = self._products.matrix is getattr(self, self._matrix_name)
        if is_own and self._is_scored_in_threads():
            return partial(self._products.score_unseen, histories)
        return None

    def _is_scored_in_threads(self):
        is_own = self._is_scored_by(ItemProductsMixin, "score_histories")
        return is_own and self._is_scored_by(RecommenderMixin, "score_users")


def cosines(factors: np.ndarray, rows: Integers) -> np.ndarray:
    """Return the cosines of these rows with all rows; zero vectors score 0."""
    largest = np.abs(factors).max(axis=1, keepdims=True, initial=0.0)
    unit = normalize(factors / np.where(largest > 0, largest, 1.0))
    return unit[rows] @ unit.T
