"""SLIMRecommender: a sparse linear item-item model."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field

from scipy import sparse

from sklearn_rank._surroundings._bases import BaseEstimator
from sklearn_rank._validation import check_integer, check_real
from sklearn_rank.recommenders._elastic_nets import ElasticNets, needed_gram
from sklearn_rank.recommenders._item_products_mixin import ItemProductsMixin
from sklearn_rank.recommenders._pair_weights import check_largest_weight
from sklearn_rank.recommenders._recommender_mixin import RecommenderMixin
from sklearn_rank.recommenders._row_weights import Cosine
from sklearn_rank.recommenders._similarity import nearest_items

# Products of larger weights, or their sums, may overflow.
_LARGEST_WEIGHT = 1e100


@dataclass(eq=False, repr=False)
class SLIMRecommender(ItemProductsMixin, RecommenderMixin, BaseEstimator):
    """Recommend by an elastic net of every item on its nearest items (SLIM).

    The score of an item is a weighted sum over the items the user has, as in
    `EASERecommender`. Weights are positive, and most are 0 [1]_. Only the `n_neighbors`
    items nearest by cosine may have any, which the paper calls fsSLIM; nothing dense of
    all pairs of items is kept, so that the model serves catalogues that are too large for
    `EASERecommender`.

    The weights `w` that speak for an item minimize::

        1 / (2 * n_users) * ||x - X w||² + alpha * l1_ratio * sum(w)
        + alpha * (1 - l1_ratio) / 2 * ||w||²

    with `x` the weights that users give the item and `X` those they give its nearest
    items. This is the objective of scikit-learn's ElasticNet, which divides by the number
    of samples, here of users. So a good `alpha` is far below 1, and the more users,
    the lower: the ridge penalty of `EASERecommender` would be
    ``alpha * (1 - l1_ratio) * n_users``.

    Each item is solved from the products of the columns, once they are there, in a time
    that does not depend on the number of users.

    Parameters
    ----------
    alpha : float, default=0.05
        Strength of both penalties, > 0. Try 0.001 to 0.1 in factors of about 3.
    l1_ratio : float, default=0.01
        Above 0 and at most 1, how much of it is the penalty that makes weights 0. An item
        has no weights at all where its mean product with each other item is at most
        ``alpha * l1_ratio``.
    weighting : {"binary", "log", "sum"}, default="binary"
        How much a pair counts: 1 if its weights `y` sum to more than 0, as in the paper,
        the logarithm of 1 + sum, or the sum.
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
    n_neighbors : int, default=100
        Items that may speak for an item; all others where the catalogue is smaller.
    max_iter : int, default=1000
        Rounds over the weights of an item after which to give up. A warning counts the
        items.
    tol : float, default=1e-4
        Duality gap at which weights are good enough, relative to ``||x||²``, > 0.
    n_jobs : int, default=None
        Processes of joblib that solve items where there are at least 10,000; fewer are
        solved before processes have started. None: 1, unless in a
        `joblib.parallel_config`; -1: all processors.

    Attributes
    ----------
    item_weights_ : csr_array of shape (n_items, n_items)
        Row: the item a user has; column: the item it speaks for. It stores weights > 0, and
        no weight on the diagonal.
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

    References
    ----------
    .. [1] X. Ning, G. Karypis: SLIM: sparse linear methods for top-N recommender systems,
       ICDM 2011.

    Examples
    --------
    >>> from sklearn_rank.recommenders import SLIMRecommender
    >>> X = [["ann", "tea"], ["ann", "milk"], ["bob", "tea"], ["bob", "milk"],
    ...      ["eve", "beer"], ["eve", "chips"], ["kim", "beer"]]
    >>> recommender = SLIMRecommender().fit(X)
    >>> recommender.recommend(["kim"], k=1).tolist()
    [['chips']]
    >>> recommender.recommend_for_items([["tea"]], k=1).tolist()
    [['milk']]
    """

    alpha: float = 0.05
    l1_ratio: float = 0.01
    _: KW_ONLY
    n_neighbors: int = 100
    max_iter: int = 1000
    tol: float = 1e-4
    n_jobs: int | None = None

    item_weights_: sparse.csr_array = field(init=False)

    _matrix_name = "item_weights_"

    def fit_interactions(self, interactions: sparse.csr_array) -> None:
        """Solve for the item weights.

        Parameters
        ----------
        interactions : csr_array of shape (n_users, n_items)
            Weights of the pairs.
        """
        alpha = check_real("alpha", self.alpha, "a number > 0", above=0)
        needed = "a number > 0 and at most 1"
        share = check_real("l1_ratio", self.l1_ratio, needed, above=0, most=1)
        n_neighbors = check_integer("n_neighbors", self.n_neighbors)
        nets = ElasticNets(
            l1=alpha * share * interactions.shape[0],
            l2=alpha * (1 - share) * interactions.shape[0],
            max_iter=check_integer("max_iter", self.max_iter),
            tol=check_real("tol", self.tol, "a number > 0", above=0),
        )
        check_largest_weight(self, interactions, _LARGEST_WEIGHT)
        item_users = interactions.T.tocsr()
        item_users.eliminate_zeros()
        tie_rank = self._popularity_order.place
        # As many bytes again for the products with each neighbor, at least.
        nearest = nearest_items(
            item_users, n_neighbors, Cosine(), tie_rank, bytes_of_one=32
        )
        gram = needed_gram(item_users, nearest)
        self.item_weights_ = nets.solve(gram, nearest, self.n_jobs)
