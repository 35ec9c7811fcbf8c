"""SLIMRecommender: a sparse linear item-item model."""

from __future__ import annotations

import os
import warnings
from contextlib import nullcontext
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import enet_path
from sklearn.utils.parallel import Parallel, delayed

from sklearn_rank._base._messages import warn_caller
from sklearn_rank._base._runs import CHUNK_PRODUCTS, cut_runs, sizes_of, starts_of
from sklearn_rank._base._sklearn import BaseEstimator
from sklearn_rank._base._validation import check_integer, check_real
from sklearn_rank._hints._explain import explained
from sklearn_rank.recommenders._item_products import count_products, dense_gram
from sklearn_rank.recommenders._pair_weights import check_largest_weight
from sklearn_rank.recommenders._recommender_mixin import RecommenderMixin
from sklearn_rank.recommenders._similar_items import ItemProductsMixin
from sklearn_rank.recommenders._similarity import Cosine, nearest_items, rows_of_items

# Products of larger weights, or their sums, may overflow.
_LARGEST_WEIGHT = 1e100
# Items of one job of a process: some tenths of a second of work.
_ITEMS_PER_JOB = 500
# For fewer items, starting processes takes longer than the work.
_MANY_ITEMS = 10_000
# Of a neighbor: its similarity, its product and both indices, at least.
_BYTES_OF_ONE = 32
# Products of all items are kept in an array of this size at most, of 8,192 items.
_DENSE_BYTES = 2**29
# In a search those of each item and its nearest ones, too, in arrays of this size.
_MOST_KEPT_BYTES = 2**26

# Items that did not converge are counted instead. Threads of a process share the filters
# of warnings: if each set its own, they would undo each other's.
_without_warnings = partial(
    warnings.catch_warnings, action="ignore", category=ConvergenceWarning
)


@explained
@dataclass(eq=False, repr=False)
class SLIMRecommender(ItemProductsMixin, RecommenderMixin, BaseEstimator):
    """Recommend by an elastic net of every item on its nearest items (SLIM).

    The score of an item is a weighted sum over the items the user has, as in
    `EASERecommender`. Weights are positive, and most are 0 [1]_. Only the `n_neighbors`
    items nearest by cosine may have any, which the paper calls fsSLIM. The model keeps
    nothing dense of all pairs of items, and `fit` does so for at most 8,192 items: it
    serves catalogues that are too large for `EASERecommender`.

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
    n_neighbors : int, default=100
        Items that may speak for an item; all others where the catalogue is smaller.
    max_iter : int, default=1000
        Rounds over the weights of an item after which to give up. A warning counts the
        items.
    tol : float, default=1e-4
        Duality gap at which weights are good enough, relative to ``||x||²``, > 0.
    n_jobs : int, default=None
        Processes of joblib that solve items where there are at least 10,000; fewer are
        solved before processes have started. If None, 1, unless in a
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
        The one for new users, fitted; if None, they get what is popular.

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
        """Solve for the weights. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        interactions : csr_array of shape (n_users, n_items)
            Weights of the pairs.
        """
        alpha = check_real("alpha", self.alpha, "a number > 0", above=0)
        needed = "a number > 0 and at most 1"
        share = check_real("l1_ratio", self.l1_ratio, needed, above=0, most=1)
        n_neighbors = check_integer("n_neighbors", self.n_neighbors)
        max_iter = check_integer("max_iter", self.max_iter)
        tol = check_real("tol", self.tol, "a number > 0", above=0)
        check_largest_weight(self, interactions, _LARGEST_WEIGHT)
        order, n_jobs = self._fitted.weights.popularity.order, self.n_jobs

        keep = partial(self._keep, interactions)

        def solve() -> sparse.csr_array:
            wanted = n_neighbors, Cosine(), order, keep
            nearest = nearest_items(interactions, *wanted, bytes_of_one=_BYTES_OF_ONE)
            gram, n_users = products_of(interactions, nearest, keep), interactions.shape[0]
            nets = ElasticNets(alpha, gram, nearest, n_users, share, max_iter, tol)
            if self._is_in_search and nets.has_few_products():
                products = keep("slim_products", n_neighbors, nets.read_products)
                nets = nets._replace(products=products)
            return nets.solve(n_jobs)

        inputs = alpha, n_neighbors, share, max_iter, tol
        self.item_weights_ = keep("slim", inputs, solve)


# An elastic net of each item on a few others, from the products of their columns.


def needed_gram(
    item_users: sparse.csr_array, nearest: sparse.csr_array
) -> sparse.csr_array:
    """Return the products of items that appear in one regression.

    A regression has an item and its nearest ones. The products of all pairs of items that
    share a user would be far more. Each pair is there once, in the row of the item with
    fewer users: popular items, which are near to many, then have no long rows to search.
    """
    user_items = item_users.T.tocsr()
    together = (nearest + sparse.eye_array(nearest.shape[0])).astype(bool)
    together = together.astype(np.float32).tocsr()
    of_item = together.T.tocsr()
    rank = np.argsort(np.argsort(sizes_of(item_users.indptr), kind="stable"))
    work = count_products(item_users, user_items) + count_products(of_item, together)
    parts = []
    for first, last in cut_runs(starts_of(work), CHUNK_PRODUCTS):
        is_needed = of_item[first:last] @ together
        is_needed.data[:] = 1  # SciPy would sort bool entries
        products = (item_users[first:last] @ user_items).multiply(is_needed).tocsr()
        own = rank[first:last].repeat(sizes_of(products.indptr))
        products.data[own > rank[products.indices]] = 0
        products.eliminate_zeros()
        parts.append(products)
    gram = sparse.vstack(parts, format="csr")
    gram.sort_indices()
    return gram


def products_of(
    interactions: sparse.csr_array, nearest: sparse.csr_array, keep: Any
) -> np.ndarray | sparse.csr_array:
    """Return the products of all items, which are quickest to read, or the needed ones."""
    if 8 * nearest.shape[0] ** 2 <= _DENSE_BYTES:
        return keep("gram", None, lambda: dense_gram(interactions))
    return needed_gram(rows_of_items(interactions), nearest)


class ElasticNets(NamedTuple):
    """An elastic net for each item, on the items nearest to it."""

    alpha: float
    gram: np.ndarray | sparse.csr_array
    nearest: sparse.csr_array
    n_samples: int
    l1_ratio: float
    max_iter: int
    tol: float
    products: list[np.ndarray] | None = None  # of each item; if None, they are read for it

    def has_few_products(self) -> bool:
        """Return whether the fits of a search can keep the products of each item."""
        n_items, sizes = self.gram.shape[0], sizes_of(self.nearest.indptr) + 1
        n_bytes = 8 * int((sizes.astype(np.int64) ** 2).sum())
        return n_items < _MANY_ITEMS and n_bytes <= _MOST_KEPT_BYTES

    def read_products(self) -> list[np.ndarray]:
        """Return the products of each item and its nearest ones."""
        return [self.products_of_item(item) for item in range(self.gram.shape[0])]

    def products_of_item(self, item: int) -> np.ndarray:
        """Return the products of the items nearest to one, and of itself as the last."""
        if self.products is not None:
            return self.products[item]
        start, end = self.nearest.indptr[item : item + 2]
        return _read_products(self.gram, np.append(self.nearest.indices[start:end], item))

    def solve(self, n_jobs: int | None) -> sparse.csr_array:
        """Return the weights of each item's nearest ones, as its column."""
        n_items = self.gram.shape[0]
        size = n_items
        if n_items >= _MANY_ITEMS and effective_n_jobs(n_jobs) > 1:
            size = _ITEMS_PER_JOB
        jobs = [
            (self, start, min(start + size, n_items), os.getpid())
            for start in range(0, n_items, size)
        ]
        with _without_warnings():
            if len(jobs) > 1:
                # Processes, since most of the time is spent in Python.
                solved = Parallel(n_jobs=n_jobs)(delayed(_solve_some)(*job) for job in jobs)
            else:
                solved = [_solve_some(*job) for job in jobs]
        n_open = sum(n for _, n in solved)
        if n_open:
            warn_caller(
                f"The weights of {n_open} of {n_items} item(s) have not converged "
                f"after max_iter={self.max_iter} rounds; raise `max_iter` or `alpha`.",
                category=ConvergenceWarning,
            )
        return _as_columns(np.concatenate([of for of, _ in solved]), self.nearest)


def _as_columns(weights: np.ndarray, nearest: sparse.csr_array) -> sparse.csr_array:
    rows = sparse.csr_array((weights, nearest.indices, nearest.indptr), nearest.shape)
    columns = rows.T.tocsr()
    columns.eliminate_zeros()
    return columns


def _solve_some(
    nets: ElasticNets, first: int, last: int, caller: int
) -> tuple[np.ndarray, int]:
    """Return the weights of some items, and how many did not converge.

    `caller` is the process that asks, which has set its own filters of warnings.
    """
    nearest = nets.nearest
    starts = nearest.indptr[first : last + 1] - nearest.indptr[first]
    weights, n_open = np.empty(starts[-1]), 0
    # Checking the parameters for each item would double the time.
    filters = nullcontext() if os.getpid() == caller else _without_warnings()
    with config_context(skip_parameter_validation=True), filters:
        for item, start, end in zip(
            range(first, last), starts[:-1], starts[1:], strict=True
        ):
            if start == end:
                continue
            solution, has_converged = _solve(nets, nets.products_of_item(item))
            weights[start:end] = solution
            n_open += not has_converged
    return weights, n_open


def _read_products(gram: np.ndarray | sparse.csr_array, together: np.ndarray) -> np.ndarray:
    """Return the products of some items."""
    if isinstance(gram, np.ndarray):
        cells = together.astype(np.intp)
        # This takes half of the time of an index array for rows and one for columns.
        return gram.reshape(-1).take((cells * len(gram))[:, None] + cells, mode="clip")
    half = gram[np.ix_(together, together)].toarray()
    products = half + half.T
    np.fill_diagonal(products, half.diagonal())
    return products


def _solve(nets: ElasticNets, products: np.ndarray) -> tuple[np.ndarray, bool]:
    """Return the weights of the items near to the last one, and whether they converged.

    Each solution starts from 0, and does not depend on others.
    """
    squares = products[-1, -1]
    l1 = nets.alpha * nets.l1_ratio * nets.n_samples
    l2 = nets.alpha * (1 - nets.l1_ratio) * nets.n_samples
    # With these products, scikit-learn reads only the number of rows of X, by which it
    # multiplies the penalties, and the length of y.
    _, weights, gaps, _ = enet_path(
        np.zeros((1, len(products) - 1), order="F"),
        np.sqrt([squares]),
        precompute=np.ascontiguousarray(products[:-1, :-1]),
        Xy=products[:-1, -1].copy(),
        alphas=[l1 + l2],
        l1_ratio=l1 / (l1 + l2),
        max_iter=nets.max_iter,
        tol=nets.tol,
        positive=True,
        check_input=False,
        return_n_iter=True,
    )
    return weights[:, 0], bool(gaps[0] <= nets.tol * squares)
