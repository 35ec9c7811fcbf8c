"""ItemNeighborsRecommender: items similar to the items a user has."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from sklearn_rank._blocks import PRODUCTS
from sklearn_rank._memory import require_memory
from sklearn_rank._runs import cut_runs, sizes_of, starts_of
from sklearn_rank._validation import check_integer, check_option
from sklearn_rank.recommenders._base import RecommenderMixin
from sklearn_rank.recommenders._top_k import rank_by_popularity

# From the similarities' numerators of some items, and the first of these items.
Finish = Callable[[sparse.csr_array, int], sparse.csr_array]


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
        Neighbors kept for each item; all other items where the catalogue is smaller.
    similarity : {"cosine", "jaccard", "tfidf"}, default="cosine"
        ``"cosine"`` of the weights users give two items; ``"jaccard"``, the users who
        have both among those who have either, whatever the weights; ``"tfidf"``, the
        cosine after scikit-learn's TfidfTransformer, to which an item is a document and
        a user a word: users with many items count less.
    weighting : {"sum", "log", "binary"}, default="sum"
        How much a pair of several rows counts: the sum of its weights, the logarithm of
        1 + sum, or 1.
    half_life : float, timedelta or str, default=None
        Age at which an interaction counts half, as in `PopularityRecommender`; what users
        did lately then counts more. With ``weighting="binary"`` a pair counts as its
        newest interaction does. None: all count alike.
    time : int or str, default=None
        Column of X with the time of each interaction, by position or name. Needed where
        `half_life` is given.
    exclude_seen : bool, default=True
        Whether `recommend` leaves out what the user has in the training data. False
        serves repeat purchases.
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
        self,
        n_neighbors=50,
        *,
        similarity="cosine",
        weighting="sum",
        half_life=None,
        time=None,
        exclude_seen=True,
        user=0,
        item=1,
    ):
        self.n_neighbors = n_neighbors
        self.similarity = similarity
        self.weighting = weighting
        self.half_life = half_life
        self.time = time
        self.exclude_seen = exclude_seen
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
    """Return the similarities of each item to its nearest neighbors.

    Only items that share a user are looked at, so that the cost follows these pairs.
    """
    n_items = item_users.shape[0]
    k = min(n_neighbors, n_items - 1)
    require_memory(
        16 * n_items * k,
        f"Keeping {k:,} neighbors of each of {n_items:,} items",
        "Lower `n_neighbors`.",
    )
    user_items = item_users.T.tocsr()
    parts = [
        _best_of_rows(
            finish(item_users[first:last] @ user_items, first), first, k, tie_rank
        )
        for first, last in cut_runs(starts_of(_n_products(item_users)), PRODUCTS)
    ]
    return sparse.vstack(parts, format="csr")


def _n_products(item_users: sparse.csr_array) -> np.ndarray:
    """Return the number of multiplications that the products of each row take."""
    n_items_of_user = np.bincount(item_users.indices, minlength=item_users.shape[1])
    before = starts_of(n_items_of_user[item_users.indices])
    return sizes_of(before[item_users.indptr])


def _best_of_rows(
    similarity: sparse.csr_array, first: int, k: int, tie_rank: np.ndarray
) -> sparse.csr_array:
    """Return the k highest stored entries of each row, without an item's own.

    `first` is the item of the first row.
    """
    row = np.arange(similarity.shape[0]).repeat(sizes_of(similarity.indptr))
    column, value = similarity.indices, similarity.data
    keeps = (column != row + first) & (value > 0)
    row, column, value = row[keeps], column[keeps], value[keeps]
    starts = starts_of(np.bincount(row, minlength=similarity.shape[0]))
    is_best = np.ones(len(row), dtype=bool)
    for one in np.flatnonzero(sizes_of(starts) > k).tolist():
        part = slice(starts[one], starts[one + 1])
        is_best[part] = _are_best(value[part], tie_rank[column[part]], k)
    entries = value[is_best], (row[is_best], column[is_best])
    return sparse.coo_array(entries, shape=similarity.shape).tocsr()


def _are_best(values: np.ndarray, tie_rank: np.ndarray, k: int) -> np.ndarray:
    """Return which values are the k highest; of equal ones those of the lowest rank."""
    last = np.partition(values, len(values) - k)[len(values) - k]
    is_best = values > last
    tied = np.flatnonzero(values == last)
    vacant = k - np.count_nonzero(is_best)
    is_best[tied[np.argsort(tie_rank[tied])[:vacant]]] = True
    return is_best


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


def _as_it_is(products: sparse.csr_array, first: int) -> sparse.csr_array:
    return products


def _jaccard(item_users: sparse.csr_array) -> tuple[Any, Finish]:
    n_users = np.diff(item_users.indptr)
    item_users.data = np.ones_like(item_users.data)

    def shared_of_either(shared: sparse.csr_array, first: int) -> sparse.csr_array:
        row = np.arange(shared.shape[0]).repeat(sizes_of(shared.indptr)) + first
        shared.data /= n_users[row] + n_users[shared.indices] - shared.data
        return shared

    return item_users, shared_of_either


_SIMILARITIES = {"cosine": _cosine, "jaccard": _jaccard, "tfidf": _tfidf}
