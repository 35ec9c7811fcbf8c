"""Recommenders of the neighbors of items, and of the neighbors of users."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Literal

import numpy as np
from scipy import sparse

from sklearn_rank._base._runs import sizes_of
from sklearn_rank._base._sklearn import BaseEstimator
from sklearn_rank._base._validation import check_integer, check_option, check_real, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._kept import Kept
from sklearn_rank.recommenders._list_maker import ScoreRows
from sklearn_rank.recommenders._log_weights import LogParameters
from sklearn_rank.recommenders._pair_weights import replace_data
from sklearn_rank.recommenders._pairs import PopularityOrder, take_rows
from sklearn_rank.recommenders._recommender_mixin import RecommenderMixin
from sklearn_rank.recommenders._similar_items import ItemProductsMixin
from sklearn_rank.recommenders._similarity import (
    SimilarRows,
    Walk,
    check_walk,
    first_of_rows,
    has_as_many,
    nearest_items,
    row_weights,
    self_similarities,
    share_rows,
)
from sklearn_rank.typing import Integers

# Of the neighbors of all users that the fits of a search share.
_MOST_KEPT_BYTES = 2**29


@explained
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
        newest interaction does. If None, all count alike.
    time : int or str, default=None
        Column of X with the time of each interaction, by position or name. Needed where
        `half_life` or `recency` is given.
    reference_time : number, date, datetime or str, default=None
        Moment from which ages count, as in `PopularityRecommender`.
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
    similarity : {"cosine", "jaccard", "tfidf", "bm25", "walk"}, default="cosine"
        Similarity of two items.

        - ``"cosine"``: that of the weights that users give the two items.
        - ``"jaccard"``: the users who have both among those who have either, whatever the
          weights.
        - ``"tfidf"``: the cosine after scikit-learn's TfidfTransformer, where an item is a
          document and a user a word: users with many items count less.
        - ``"bm25"``: the product of the Okapi BM25 weights [2]_ of such documents, which is
          not normalized.
        - ``"walk"``: random steps from an item to one of its users, and on to one of the
          items of this user; popular items are divided down (see Notes).
    k1, b : float, default=1.2 and 0.75
        Only with ``"bm25"``: how soon a larger weight of a pair adds no more, > 0, and
        how much the weights of an item with many users count less, from 0 to 1.
    alpha, beta : float, default=0.5 and 0.3
        Only with ``"walk"``, >= 0: the power of the chance of each step, and how much less
        a popular item counts. ``beta=0`` is P3alpha [3]_, else it is RP3beta [4]_.
    keep : {"history", "candidate", "both"}, default="history"
        Whether each item that a user has speaks for its `n_neighbors` nearest items, or
        each item that is scored listens to its nearest ones, as in [1]_. ``"both"`` keeps
        the nearest items of each item that a user has, and then, for each item that is
        scored, those `n_neighbors` that say most. Try all three.
    normalize : bool, default=False
        Whether the neighbors of an item that a user has share a weight of 1: each row of
        `similarity_` is divided by its sum, with ``keep="both"`` before the second choice.
        ``similarity="walk"`` with ``keep="both"`` and ``normalize=True`` is RP3beta as
        evaluations define it, such as [5]_.
    self_weight : bool, default=False
        Whether an item of the user also speaks for itself, as similar as its formula says,
        beside its neighbors. For items that are taken again, in sessions or repeat
        purchases, with ``exclude_seen=False`` and `recency`.

    Attributes
    ----------
    similarity_ : csr_array of shape (n_items, n_items)
        Row: an item that a user has; column: an item that it speaks for. No row has more
        than `n_neighbors` entries, with ``keep="candidate"`` no column, with ``"both"``
        neither; of equal ones the more popular are kept. The diagonal is 0 unless
        `self_weight` is True. It is not among `n_neighbors`, nor in the sum of a row.
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

    Notes
    -----
    The BM25 weight of a pair of weight `w` is::

        w * (k1 + 1) / (w + k1 * (1 - b + b * L / mean L)) * log(n_items / (1 + n))

    with `L` the sum of the weights of the item and `n` the number of items of the user.
    This is `bm25_weight` of the library `implicit`.

    The similarity ``"walk"`` of item i, which the user has, to item j is::

        sum over users u of (w_ui / p_i) ** alpha * (w_uj / d_u) ** alpha / p_j ** beta

    with `w` the weights of pairs, `p` their sum over the users of an item, and `d` over the
    items of a user. It is not symmetric.

    References
    ----------
    .. [1] M. Deshpande, G. Karypis: Item-based top-N recommendation algorithms, ACM
       Transactions on Information Systems 22, 2004.
    .. [2] S. Robertson, H. Zaragoza: The probabilistic relevance framework: BM25 and
       beyond, Foundations and Trends in Information Retrieval 3, 2009.
    .. [3] C. Cooper, S. H. Lee, T. Radzik, Y. Siantos: Random walks in recommender systems:
       exact computation and simulations, WWW 2014 Companion.
    .. [4] B. Paudel, F. Christoffel, C. Newell, A. Bernstein: Updatable, accurate, diverse,
       and scalable recommendations for interactive applications, ACM Transactions on
       Interactive Intelligent Systems 7, 2017.
    .. [5] M. Ferrari Dacrema, P. Cremonesi, D. Jannach: Are we really making much progress?
       A worrying analysis of recent neural recommendation approaches, RecSys 2019.

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
    similarity: Literal["cosine", "jaccard", "tfidf", "bm25", "walk"] = "cosine"
    k1: float = 1.2
    b: float = 0.75
    alpha: float = 0.5
    beta: float = 0.3
    keep: Literal["history", "candidate", "both"] = "history"
    normalize: bool = False
    self_weight: bool = False

    similarity_: sparse.csr_array = field(init=False)

    _matrix_name = "similarity_"
    _weighed_by = *LogParameters._weighed_by, "similarity", "k1", "b", "alpha", "beta"

    def fit_interactions(self, interactions: sparse.csr_array) -> None:
        """Find the neighbors. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        interactions : csr_array of shape (n_users, n_items)
            Weights of the pairs.
        """
        check_option("keep", self.keep, ("history", "candidate", "both"))
        check_option("normalize", self.normalize, (True, False))
        check_option("self_weight", self.self_weight, (True, False))
        weights = row_weights(self.similarity, self.k1, self.b, walk=self._walk)
        n_neighbors = check_integer("n_neighbors", self.n_neighbors)
        order = self._fitted.weights.popularity.order
        keep = partial(self._keep, interactions)
        similarity = nearest_items(interactions, n_neighbors, weights, order, keep)
        own = np.zeros(len(order.items))
        if self.self_weight:
            own = self_similarities(interactions, weights)
        if self.similarity == "walk":
            item_sums = interactions.sum(axis=0)
            similarity, own = self._scale_walks(similarity, own, item_sums)
        if self.keep == "candidate":
            similarity = similarity.T.tocsr()
        if self.normalize:
            similarity, own = share_rows(similarity, own)
        if self.keep == "both":
            columns = first_of_rows(similarity.T.tocsr(), n_neighbors, order.rank)
            similarity = columns.T.tocsr()
        if self.self_weight:
            similarity = sparse.csr_array(similarity + sparse.diags_array(own))
        self.similarity_ = similarity

    def _walk(self) -> Walk:
        alpha = check_real("alpha", self.alpha, "a finite number >= 0", least=0)
        beta = check_real("beta", self.beta, "a finite number >= 0", least=0)
        return Walk(alpha, alpha if self.keep == "candidate" else beta)

    def _scale_walks(
        self, products: sparse.csr_array, own: np.ndarray, item_sums: np.ndarray
    ) -> tuple[sparse.csr_array, np.ndarray]:
        """Return similarities from products where a power of the row was left out.

        `own` has the products of rows with themselves.
        """
        power = self.beta - self.alpha
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            factors = item_sums ** (-power if self.keep == "candidate" else power)
            data = products.data * factors.repeat(sizes_of(products.indptr))
            own = np.where(own > 0, own * factors, 0.0)
        return replace_data(products, check_walk(data)), check_walk(own)


@explained
@dataclass(eq=False, repr=False)
class UserNeighborsRecommender(RecommenderMixin, BaseEstimator):
    """Recommend what the nearest neighbors of a user have.

    Users are similar when they have the same items. The score of an item is the sum, over
    the `n_neighbors` users nearest to a user, of their similarity times the weight they
    give the item [1]_. A user is not their own neighbor.

    `fit` only weighs the rows of the users. Neighbors are searched when lists are asked
    for, and are not kept. The time for one user grows with the sum, over the items of the
    user, of the number of users who have the item; for lists of all users, with the sum
    over all items of that number squared.

    A user given by items, in `recommend_for_items`, may be near to any user of the training
    data.

    Parameters
    ----------
    n_neighbors : int, default=50
        Users to sum over; all others where there are fewer.
    weighting : {"binary", "log", "sum"}, default="binary"
        How much a pair counts: 1 if its weights `y` sum to more than 0, the logarithm of
        1 + sum, or the sum.
    half_life : float, timedelta or str, default=None
        Age at which an interaction counts half, as in `PopularityRecommender`; what users
        did lately then counts more. With ``weighting="binary"`` a pair counts as its
        newest interaction does. If None, all count alike.
    time : int or str, default=None
        Column of X with the time of each interaction, by position or name. Needed where
        `half_life` or `recency` is given.
    reference_time : number, date, datetime or str, default=None
        Moment from which ages count, as in `PopularityRecommender`.
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
    similarity : {"cosine", "jaccard", "tfidf", "bm25"}, default="cosine"
        ``"cosine"`` of the weights two users give items; ``"jaccard"``, the items both
        have among those either has, whatever the weights; ``"tfidf"``, the cosine after
        scikit-learn's TfidfTransformer, to which a user is a document and an item a
        word: items with many users count less; ``"bm25"``, the product of the Okapi BM25
        weights of such documents, as in `ItemNeighborsRecommender`.
    k1, b : float, default=1.2 and 0.75
        Only with ``"bm25"``: how soon a larger weight of a pair adds no more, > 0, and
        how much the weights of a user with many items count less, from 0 to 1.

    Attributes
    ----------
    interactions_ : csr_array of shape (n_users, n_items)
        Weights of the pairs, which neighbors give to items.
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

    Notes
    -----
    Of equally similar users the one with more items is the nearer, then the first in
    `users_`.

    References
    ----------
    .. [1] J. L. Herlocker, J. A. Konstan, A. Borchers, J. Riedl: An algorithmic framework
       for performing collaborative filtering, SIGIR 1999.

    Examples
    --------
    >>> from sklearn_rank.recommenders import UserNeighborsRecommender
    >>> X = [["ann", "tea"], ["ann", "milk"], ["bob", "tea"], ["bob", "milk"],
    ...      ["eve", "beer"], ["eve", "chips"], ["kim", "beer"]]
    >>> recommender = UserNeighborsRecommender(similarity="jaccard").fit(X)
    >>> recommender.recommend(["kim"], k=1, return_scores=True)
    (array([['chips']], dtype=...), array([[0.5]]))
    >>> recommender.recommend_for_items([["tea"]], k=1).tolist()
    [['milk']]
    """

    n_neighbors: int = 50
    _: KW_ONLY
    similarity: Literal["cosine", "jaccard", "tfidf", "bm25"] = "cosine"
    k1: float = 1.2
    b: float = 0.75

    _is_made_of_users = True
    _weighed_by = *LogParameters._weighed_by, "similarity", "k1", "b"

    def fit_interactions(self, interactions: sparse.csr_array) -> None:
        """Learn nothing more. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        interactions : csr_array of shape (n_users, n_items)
            Weights of the pairs.
        """
        n_neighbors = check_integer("n_neighbors", self.n_neighbors)
        self._n_neighbors = min(n_neighbors, len(self.users_))
        if self.recency is not None and self.similarity == "jaccard":
            raise ValueError(
                "similarity='jaccard' counts the items of a user alike, whatever their "
                f"weights, so `recency={shorten(self.recency)}` would change nothing. Give "
                "another similarity, or recency=None."
            )

    def _prepare_scores(self):
        weights = row_weights(self.similarity, self.k1, self.b)
        users = _positive_weights(self.interactions_)
        inputs = self.similarity, self.k1, self.b

        def weigh() -> SimilarRows:
            order = PopularityOrder.from_popularity(sizes_of(users.indptr))
            rows = SimilarRows(users, weights, order.rank)
            rows.kept = Kept() if self._is_in_search else None
            return rows

        self._users = self._keep(self.interactions_, "similar_users", inputs, weigh)

    def update_users(self, former: Integers, changed: Integers) -> None:
        """Learn all rows again. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        former : ndarray of int, shape (n_former_users,)
            Where those who were in `users_` are now.
        changed : ndarray of int, shape (n_changed,)
            Who has new rows.
        """
        self.fit_interactions(self.interactions_)

    def score_histories(self, histories: sparse.csr_array) -> sparse.csr_array:
        """Score by neighbors. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        histories : csr_array of shape (n_histories, n_items)
            Weights of the items each user has.

        Returns
        -------
        scores : csr_array of shape (n_histories, n_items)
            At least 0.
        """
        return self._nearest(histories, None) @ self.interactions_

    def score_users(self, users: Integers) -> sparse.csr_array:
        """Score by neighbors. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        users : ndarray of int, shape (n_users,)
            Positions in `users_`.

        Returns
        -------
        scores : csr_array of shape (n_users, n_items)
            At least 0.
        """
        histories = take_rows(self.histories_, users)
        return self._nearest(histories, users) @ self.interactions_

    def _users_scorer(self, codes: np.ndarray) -> ScoreRows:
        kept, wanted = self._users.kept, self._n_neighbors
        if kept is None or 12 * len(codes) * wanted > _MOST_KEPT_BYTES:
            return super()._users_scorer(codes)
        # The neighbors of all users, which other candidates need too.
        is_known = codes >= 0
        users, row_of_user = codes[is_known], is_known.cumsum() - 1

        def find() -> tuple:
            histories = _positive_weights(take_rows(self.histories_, users))
            return self.histories_, self._users.nearest(histories, wanted, users)

        key = id(self.histories_), users.tobytes(), wanted
        _, rows = kept.get("nearest_users", key, find, suffices=has_as_many)
        nearest = first_of_rows(rows, wanted, self._users.rank)
        return lambda rows: take_rows(nearest, row_of_user[rows]) @ self.interactions_

    def _nearest(
        self, histories: sparse.csr_array, own: np.ndarray | None
    ) -> sparse.csr_array:
        near = self._users.nearest(_positive_weights(histories), self._n_neighbors, own)
        return first_of_rows(near, self._n_neighbors, self._users.rank)


def _positive_weights(histories: sparse.csr_array) -> sparse.csr_array:
    """Return the stored weights above 0; others do not make users similar."""
    if histories.data.all():
        return histories
    positive = histories.copy()
    positive.eliminate_zeros()
    return positive
