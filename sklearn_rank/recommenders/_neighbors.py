"""ItemNeighborsRecommender: items similar to the items a user has."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Literal

from scipy import sparse

from sklearn_rank._surroundings._bases import BaseEstimator
from sklearn_rank._validation import check_integer
from sklearn_rank.recommenders._item_products_mixin import ItemProductsMixin
from sklearn_rank.recommenders._recommender_mixin import RecommenderMixin
from sklearn_rank.recommenders._row_weights import row_weights
from sklearn_rank.recommenders._similarity import nearest_items


@dataclass(eq=False, repr=False)
class ItemNeighborsRecommender(ItemProductsMixin, RecommenderMixin, BaseEstimator):
    """Recommend the nearest neighbors of the items a user has.

    Items are similar when the same users have them. The score of an item is the sum,
    over the items of the user, of the weight of that item times its similarity to the
    scored item, if that is one of its `n_neighbors` nearest items [1]_.

    Similarities come from sparse products, a few megabytes of them at a time; what is
    kept are `n_neighbors` entries for each item.

    Parameters
    ----------
    n_neighbors : int, default=50
        Neighbors kept for each item; all other items where the catalogue is smaller.
    weighting : {"binary", "log", "sum"}, default="binary"
        How much a pair counts: 1 if its weights `y` sum to more than 0, the logarithm of
        1 + sum, or the sum.
    half_life : float, timedelta or str, default=None
        Age at which an interaction counts half, as in `PopularityRecommender`; what users
        did lately then counts more. With ``weighting="binary"`` a pair counts as its
        newest interaction does. None: all count alike.
    time : int or str, default=None
        Column of X with the time of each interaction, by position or name. Needed where
        `half_life` or `recency` is given.
    reference_time : number, date, datetime or str, default=None
        Moment from which ages count, as in `PopularityRecommender`.
    recency : float, default=None
        Place in the history of a user, from the newest row back, at which a row counts
        half when the user is scored; rows of one moment, such as a basket, share a place.
        The model learns as without. Needs `time`. None: the order does not matter.
    exclude_seen : bool, default=True
        Whether `recommend` leaves out what the user has in the training data. False
        serves repeat purchases.
    new_users : "popularity" or recommender, default="popularity"
        What unknown users get: the most popular items, or the list of another recommender,
        such as one of what is popular lately, ``PopularityRecommender(half_life="10D",
        time="time")``. It is cloned, and fitted on the columns of this one.
    user, item : int or str, default=None
        Columns of X with the ids of users and items, by position or name. None: those
        named ``user`` or ``user_id`` and ``item`` or ``item_id``; of arrays the first two.
    similarity : {"cosine", "jaccard", "tfidf", "bm25"}, default="cosine"
        ``"cosine"`` of the weights users give two items; ``"jaccard"``, the users who
        have both among those who have either, whatever the weights; ``"tfidf"``, the
        cosine after scikit-learn's TfidfTransformer, to which an item is a document and
        a user a word: users with many items count less; ``"bm25"``, the product of the
        Okapi BM25 weights [2]_ of such documents, which is not normalized (see Notes).
    k1, b : float, default=1.2 and 0.75
        Only with ``"bm25"``: how soon a larger weight of a pair adds no more, > 0, and
        how much the weights of an item with many users count less, from 0 to 1.

    Attributes
    ----------
    similarity_ : csr_array of shape (n_items, n_items)
        Row: an item; stored: the similarities of its nearest neighbors. Of equal ones
        the more popular is kept. An item is not its own neighbor.
    user_column_, item_column_ : str or int
        The columns of users and items: their names, or positions where X has no names.
    users_, items_ : ndarray
        Ids in the training data, sorted.
    seen_ : csr_array of bool, shape (n_users, n_items)
        True for the pairs of the training data.
    popularity_ : ndarray of shape (n_items,)
        Mean weight that a user gives an item: the scores of unknown users.
    new_users_ : recommender or None
        The one for new users, fitted; None: they get what is popular.

    Notes
    -----
    The BM25 weight of a pair of weight `w` is::

        w * (k1 + 1) / (w + k1 * (1 - b + b * L / mean L)) * log(n_items / (1 + n))

    with `L` the sum of the weights of the item and `n` the number of items of the user.
    This is `bm25_weight` of the library `implicit`.

    References
    ----------
    .. [1] M. Deshpande, G. Karypis: Item-based top-N recommendation algorithms, ACM
       Transactions on Information Systems 22, 2004.
    .. [2] S. Robertson, H. Zaragoza: The probabilistic relevance framework: BM25 and
       beyond, Foundations and Trends in Information Retrieval 3, 2009.

    Examples
    --------
    >>> from sklearn_rank.recommenders import ItemNeighborsRecommender
    >>> X = [["ann", "tea"], ["ann", "milk"], ["bob", "tea"], ["bob", "milk"],
    ...      ["eve", "beer"], ["eve", "chips"], ["kim", "beer"]]
    >>> recommender = ItemNeighborsRecommender(similarity="jaccard").fit(X)
    >>> recommender.recommend(["kim"], k=1, return_scores=True)
    (array([['chips']], dtype=...), array([[0.5]]))
    """

    n_neighbors: int = 50
    _: KW_ONLY
    similarity: Literal["cosine", "jaccard", "tfidf", "bm25"] = "cosine"
    k1: float = 1.2
    b: float = 0.75

    similarity_: sparse.csr_array = field(init=False)

    _matrix_name = "similarity_"

    def fit_interactions(self, interactions: sparse.csr_array) -> None:
        """Find the nearest neighbors of each item.

        Parameters
        ----------
        interactions : csr_array of shape (n_users, n_items)
            Weights of the pairs.
        """
        n_neighbors = check_integer("n_neighbors", self.n_neighbors)
        weights = row_weights(self.similarity, self.k1, self.b)
        item_users = interactions.T.tocsr()
        item_users.eliminate_zeros()
        tie_rank = self._popularity_order.place
        self.similarity_ = nearest_items(item_users, n_neighbors, weights, tie_rank)
