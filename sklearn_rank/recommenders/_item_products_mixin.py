"""Scores that are sums over the items of a user, from a sparse matrix of items."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from sklearn_rank._validation import without_class
from sklearn_rank.recommenders._item_products import ItemProducts
from sklearn_rank.recommenders._recommender_mixin import RecommenderMixin
from sklearn_rank.recommenders._similar_items import SimilarItemsMixin
from sklearn_rank.typing import Integers


@without_class
class ItemProductsMixin(SimilarItemsMixin):
    """Score users by a sparse matrix, items x items, that `fit_interactions` learns."""

    # The attribute that holds the matrix.
    _matrix_name: str
    _scores_as: Any

    _adds_up = True

    def score_histories(self, histories: sparse.csr_array) -> sparse.csr_array:
        """Return the sums of the learned weights over the items of each user.

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
        matrix = getattr(self, self._matrix_name)
        self._products = ItemProducts(matrix, self._popularity_order)

    def _unseen_scorer(self, histories):
        is_own = self._scores_as(ItemProductsMixin, "score_histories")
        if is_own and self._scores_as(RecommenderMixin, "score_users"):
            return self._products.scorer(histories, getattr(self, self._matrix_name))
        return None
