"""`similar_items`, and scores that are sums over a sparse matrix items × items."""

from __future__ import annotations

import operator
from functools import partial
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted

from sklearn_rank._base._known_ids import KnownIds, known_ids, read_ids
from sklearn_rank._base._validation import check_integer, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.recommenders._item_products import ItemProducts
from sklearn_rank.recommenders._list_maker import ListMaker, Scoring
from sklearn_rank.recommenders._pairs import Pairs
from sklearn_rank.recommenders._recommender_mixin import RecommenderMixin
from sklearn_rank.typing import Floats, Integers, Labels, Matrix


@explained
class SimilarItemsMixin:
    """Adds `similar_items` to a recommender that has `score_similar_items`."""

    items_: np.ndarray
    popularity_: np.ndarray
    _popularity_order: Any
    _check_scores: Any

    @overload
    def similar_items(
        self, items: Labels, k: int = 10, *, return_scores: Literal[False] = False
    ) -> NDArray[Any]: ...

    @overload
    def similar_items(
        self, items: Labels, k: int = 10, *, return_scores: Literal[True]
    ) -> tuple[NDArray[Any], Floats]: ...

    def similar_items(
        self, items: Labels, k: int = 10, *, return_scores: bool = False
    ) -> NDArray[Any] | tuple[NDArray[Any], Floats]:
        """Return the items most similar to each of some items.

        Parameters
        ----------
        items : array-like of item ids, shape (n_given,)
            Items in `items_`.
        k : int, default=10
            Length of each list, less than the number of items in `items_`.
        return_scores : bool, default=False
            Return the scores as well.

        Returns
        -------
        similar : ndarray of shape (n_given, k)
            Item ids, best first, in the type of `items_`; never the given item. Equal
            scores are ordered by popularity, then as in `items_`.
        scores : ndarray of shape (n_given, k)
            Only with ``return_scores=True``; 0 for an item that the model does not relate
            to the given one. See `score_similar_items`.

        Raises
        ------
        ValueError
            If an id is missing or not in `items_`, or there are not so many other items.
        TypeError
            If an id is of a type that none of those in `fit` can equal.
        """
        check_is_fitted(self)
        codes = _find_known_items(known_ids(self, "items_"), items)
        k = _check_length(k, len(self.items_))

        def score(rows: np.ndarray) -> Any:
            return self._check_scores(self.score_similar_items(codes[rows]), rows)

        def itself(rows: np.ndarray) -> Pairs:
            return Pairs(np.arange(len(rows)), codes[rows], len(rows))

        lists = ListMaker(len(codes), k, self.popularity_, self._popularity_order, itself)
        lists.fill_by_score(np.arange(len(codes)), Scoring(score))
        similar = self.items_[lists.columns]
        return (similar, lists.best) if return_scores else similar

    def score_similar_items(self, items: np.ndarray) -> Matrix:
        """Return how similar all items are to each given one; each model has its own."""
        raise NotImplementedError


@explained
class ItemProductsMixin(SimilarItemsMixin):
    """Score users by a sparse matrix, items × items, that `fit_interactions` learns."""

    # The attribute that holds the matrix.
    _matrix_name: str
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
        matrix, weights = getattr(self, self._matrix_name), vars(self).get("interactions_")
        make = partial(ItemProducts, matrix, self._popularity_order)
        self._products = self._keep(weights, "products", matrix, make, operator.is_)

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


def _find_known_items(all_items: KnownIds, items: Any) -> np.ndarray:
    items = read_ids(items, name="items")
    codes = all_items.find(items, name="items")
    unknown = items[codes < 0].tolist()
    if unknown:
        raise ValueError(
            f"{len(unknown)} of {len(items)} id(s) in `items` were not in the data of "
            f"`fit`, such as {shorten(unknown[0])}."
        )
    return codes


def _check_length(k: Any, n_all: int) -> int:
    k = check_integer("k", k)
    if k >= n_all:
        raise ValueError(
            f"`k` is {k}, but an item has only {n_all - 1} other(s) beside it; lower `k`."
        )
    return k
