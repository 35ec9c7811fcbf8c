"""FactorsMixin: scores that are products of the factors of users and items."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_rank._validation import without_class
from sklearn_rank.recommenders._rough import rough_scorer
from sklearn_rank.recommenders._similar_items import SimilarItemsMixin, cosines
from sklearn_rank.typing import Floats, Integers


@without_class
class FactorsMixin(SimilarItemsMixin):
    """Adds scores to a recommender that has factors, and an offset of each item."""

    user_factors_: Floats
    item_factors_: Floats
    item_offset_: Floats
    _scores_as: Any

    def score_users(self, users: Integers) -> Floats:
        """Return the products of factors of known users and all items.

        Parameters
        ----------
        users : ndarray of int, shape (n_users,)
            Positions in `users_`.

        Returns
        -------
        scores : ndarray of shape (n_users, n_items)
            Products, with the offset of the item.
        """
        return self._decode(self.user_factors_[users])

    def score_pairs(self, users: Integers, items: Integers) -> Floats:
        """Return the products of factors of single pairs.

        Parameters
        ----------
        users, items : ndarray of int, shape (n_pairs,)
            Positions in `users_` and in `items_`.

        Returns
        -------
        scores : ndarray of shape (n_pairs,)
            Products, with the offset of the item.
        """
        factors = self.user_factors_[users], self.item_factors_[items]
        return np.einsum("ij,ij->i", *factors) + self.item_offset_[items]

    def score_similar_items(self, items: Integers) -> Floats:
        """Return the cosines of the factors of some items and of all.

        Parameters
        ----------
        items : ndarray of int, shape (n_given,)
            Positions in `items_`.

        Returns
        -------
        scores : ndarray of shape (n_given, n_items)
            From -1 to 1; 0 where an item has no factors but 0.
        """
        return cosines(self.item_factors_, items)

    def _rough_scorer(self):
        if not self._scores_as(FactorsMixin, "score_users", "score_pairs"):
            return None
        return rough_scorer(self)

    def _decode(self, factors: np.ndarray) -> np.ndarray:
        return factors @ self.item_factors_.T + self.item_offset_
