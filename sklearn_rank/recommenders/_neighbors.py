"""ItemNeighborsRecommender: items similar to the items a user has."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from sklearn_rank._memory import require_memory
from sklearn_rank._validation import check_integer, check_option
from sklearn_rank.recommenders._base import RecommenderMixin
from sklearn_rank.recommenders._top_k import batches, rank_by_popularity, top_k

# From the similarities' numerators of some rows of items, and their first row.
Finish = Callable[[np.ndarray, int], np.ndarray]


class ItemNeighborsRecommender(RecommenderMixin, BaseEstimator):
    """Recommend the nearest neighbors of the items a user has.

    Items are similar when the same users have them. The score of an item is the sum,
    over the items of the user, of the weight of that item times its similarity to the
    item scored, as far as it is among its `n_neighbors` nearest [1]_.

    Similarities come from sparse products, a few megabytes of them at a time; what is
    kept are `n_neighbors` entries for each item.

    Parameters
    ----------
    n_neighbors : int, default=50
        Neighbors kept for each item; all other items where the catalog is smaller.
    similarity : {"cosine", "jaccard", "tfidf"}, default="cosine"
        ``"cosine"`` of the weights users give two items; ``"jaccard"``, the users who
        have both among those who have either, whatever the weights; ``"tfidf"``, the
        cosine after scikit-learn's TfidfTransformer, to which an item is a document and
        a user a word: users with many items count less.
    weighting : {"sum", "log", "binary"}, default="sum"
        How much a pair of several rows counts: the sum of its weights, the logarithm of
        1 + sum, or 1.
    user, item : int or str, default=0 and 1
        Columns of X with the ids of users and items, by position or name.

    Attributes
    ----------
    similarity_ : csr_array of shape (n_items, n_items)
        Row: an item; stored: the similarities of its nearest neighbors. Of equal ones
        the more popular is kept. An item is not its own neighbor.
    users_, items_ : ndarray
        Ids in the training data, sorted.
    seen_ : csr_array of bool, shape (n_users, n_items)
        True for the pairs of the training data.
    popularity_ : ndarray of shape (n_items,)
        Mean weight that a user gives an item: the scores of unknown users.

    References
    ----------
    .. [1] M. Deshpande, G. Karypis: Item-based top-N recommendation algorithms, ACM
       Transactions on Information Systems 22, 2004.

    Examples
    --------
    >>> from sklearn_rank.recommenders import ItemNeighborsRecommender
    >>> X = [["ann", "tea"], ["ann", "milk"], ["bob", "tea"], ["bob", "milk"],
    ...      ["eve", "beer"], ["eve", "chips"], ["kim", "beer"]]
    >>> recommender = ItemNeighborsRecommender(similarity="jaccard").fit(X)
    >>> recommender.recommend(["kim"], n_items=1, return_scores=True)
    (array([['chips']], dtype=...), array([[0.5]]))
    """

    def __init__(
        self, n_neighbors=50, *, similarity="cosine", weighting="sum", user=0, item=1
    ):
        self.n_neighbors = n_neighbors
        self.similarity = similarity
        self.weighting = weighting
        self.user = user
        self.item = item

    def fit_interactions(self, interactions):
        """Find the nearest neighbors of each item.

        Parameters
        ----------
        interactions : csr_array of shape (n_users, n_items)
            Weights of the pairs.
        """
        n_neighbors = check_integer("n_neighbors", self.n_neighbors)
        check_option("similarity", self.similarity, _SIMILARITIES)
        item_users = interactions.T.tocsr()
        item_users.eliminate_zeros()
        item_users, finish = _SIMILARITIES[self.similarity](item_users)
        tie_rank = rank_by_popularity(self.popularity_)
        self.similarity_ = _nearest(item_users, finish, n_neighbors, tie_rank)

    def score_histories(self, histories):
        """Return the summed similarities to the items each user has.

        Parameters
        ----------
        histories : csr_array of shape (n_histories, n_items)
            Weights of the items each user has.

        Returns
        -------
        scores : csr_array of shape (n_histories, n_items)
            At least 0.
        """
        return histories @ self.similarity_


def _nearest(
    item_users: Any, finish: Finish, n_neighbors: int, tie_rank: np.ndarray
) -> sparse.csr_array:
    n_items = item_users.shape[0]
    k = min(n_neighbors, n_items - 1)
    require_memory(
        16 * n_items * k,
        f"Keeping {k:,} neighbors of each of {n_items:,} items",
        "Lower `n_neighbors`.",
    )
    columns = np.empty((n_items, k), dtype=np.intp)
    nearest = np.empty((n_items, k))
    for batch in batches(n_items if k else 0, n_items):
        products = (item_users[batch] @ item_users.T).toarray()
        similarity = finish(products, batch.start)
        rows = np.arange(len(similarity))
        similarity[rows, batch.start + rows] = -np.inf
        columns[batch], nearest[batch] = top_k(similarity, k, tie_rank)
    rows = np.repeat(np.arange(n_items), k)
    kept = sparse.coo_array(
        (nearest.ravel(), (rows, columns.ravel())), shape=(n_items, n_items)
    ).tocsr()
    kept.eliminate_zeros()
    return kept


def _cosine(item_users: sparse.csr_array) -> tuple[Any, Finish]:
    return normalize(_scaled(item_users)), _as_it_is


def _tfidf(item_users: sparse.csr_array) -> tuple[Any, Finish]:
    return TfidfTransformer().fit_transform(_scaled(item_users)), _as_it_is


def _scaled(item_users: sparse.csr_array) -> sparse.csr_array:
    """Return the rows divided by powers of 2, which changes neither cosines nor digits.

    The squares of weights such as 1e200 are no floats, those of 1e-200 are 0.
    """
    largest = item_users.max(axis=1).toarray().ravel()
    exponent = np.repeat(np.frexp(largest)[1], np.diff(item_users.indptr))
    data = np.ldexp(item_users.data, -exponent)
    shared = data, item_users.indices, item_users.indptr
    return sparse.csr_array(shared, shape=item_users.shape)


def _as_it_is(products: np.ndarray, start: int) -> np.ndarray:
    return products


def _jaccard(item_users: sparse.csr_array) -> tuple[Any, Finish]:
    n_users = np.diff(item_users.indptr)
    item_users.data = np.ones_like(item_users.data)

    def shared_of_either(shared: np.ndarray, start: int) -> np.ndarray:
        one = n_users[start : start + len(shared), np.newaxis]
        # Items without users share none: 0 of 1 instead of 0 of 0.
        return shared / np.maximum(one + n_users - shared, 1)

    return item_users, shared_of_either


_SIMILARITIES = {"cosine": _cosine, "jaccard": _jaccard, "tfidf": _tfidf}
