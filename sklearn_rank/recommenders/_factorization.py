"""MatrixFactorizationRecommender: any scikit-learn decomposition as a recommender."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.utils.sparsefuncs import mean_variance_axis

from sklearn_rank._base._sklearn import BaseEstimator
from sklearn_rank._base._validation import check_given
from sklearn_rank._hints._explain import explained
from sklearn_rank.recommenders._factors import FactorsMixin
from sklearn_rank.recommenders._recommender_mixin import RecommenderMixin
from sklearn_rank.recommenders._updates import move_rows
from sklearn_rank.typing import Estimator, Floats, Integers

_DEFAULT_COMPONENTS = 50


@explained
@dataclass(eq=False, repr=False)
class MatrixFactorizationRecommender(FactorsMixin, RecommenderMixin, BaseEstimator):
    """Recommend by a scikit-learn decomposition of the matrix users × items.

    The estimator factorizes the matrix of weights, pairs without interaction counting
    as 0, and the score of a pair is its entry in the reconstructed matrix. With
    TruncatedSVD, the default, this is PureSVD [1]_.

    Parameters
    ----------
    estimator : estimator, default=None
        Any decomposition of `sklearn.decomposition` with `fit_transform` and
        `components_` that takes sparse data, such as TruncatedSVD, NMF or MiniBatchNMF.
        It is cloned. If None, ``TruncatedSVD(n_components=50, random_state=0)``, with
        fewer components where the data have fewer users or items. To tune, pass an
        estimator and name its parameters: ``estimator__n_components``.
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

    Attributes
    ----------
    estimator_ : estimator
        The fitted decomposition.
    user_factors_ : ndarray of shape (n_users, n_components)
        Factors of the users.
    item_factors_ : ndarray of shape (n_items, n_components)
        Factors of the items; the score of a pair is the product of its factors, plus
        `item_offset_`.
    item_offset_ : ndarray of shape (n_items,)
        0, or what a decomposition that centers its data, such as PCA, adds to an item.
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
    The last bits of a score may differ between one user and many: a BLAS rounds a product
    by its shape.

    References
    ----------
    .. [1] P. Cremonesi, Y. Koren, R. Turrin: Performance of recommender algorithms on
       top-N recommendation tasks, RecSys 2010.

    Examples
    --------
    >>> from sklearn.decomposition import NMF
    >>> from sklearn_rank.recommenders import MatrixFactorizationRecommender
    >>> X = [["ann", "tea"], ["ann", "milk"], ["bob", "tea"], ["bob", "milk"],
    ...      ["eve", "beer"], ["eve", "chips"], ["kim", "beer"]]
    >>> recommender = MatrixFactorizationRecommender(NMF(n_components=2))
    >>> recommender.fit(X).recommend(["kim"], k=1).tolist()
    [['chips']]
    >>> recommender.recommend_for_items([["tea"]], k=1).tolist()
    [['milk']]
    """

    estimator: Estimator | None = None

    estimator_: Any = field(init=False)

    def fit_interactions(self, interactions: sparse.csr_array) -> None:
        """Factorize the matrix. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        interactions : csr_array of shape (n_users, n_items)
            Weights of the pairs.
        """
        if interactions.shape[1] < 2:
            raise ValueError(
                f"A factorization needs at least 2 items, got {interactions.shape[1]} "
                f"in {interactions.nnz} sample(s)."
            )
        keep = partial(self._keep, interactions)
        self.estimator_, self.user_factors_ = _decompose(self.estimator, interactions, keep)
        if self.recency is not None:
            self.user_factors_ = self.estimator_.transform(self.histories_)
        n_components = self.user_factors_.shape[1]
        self.item_factors_, self.item_offset_ = _decoder(self.estimator_, n_components)
        for factors in (self.user_factors_, self.item_factors_):
            if not np.isfinite(factors).all():
                raise ValueError(
                    f"{type(self.estimator_).__name__} found factors that are not finite; "
                    f"the largest weight is {interactions.data.max():g}. Divide `y`, or "
                    "use weighting='log' or 'binary'."
                )

    def score_histories(self, histories: sparse.csr_array) -> Floats:
        """Reconstruct the rows. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        histories : csr_array of shape (n_histories, n_items)
            Weights of the items each user has.

        Returns
        -------
        scores : ndarray of shape (n_histories, n_items)
            Reconstructed weights.
        """
        return self._decode(self.estimator_.transform(histories))

    def update_users(self, former: Integers, changed: Integers) -> None:
        """Solve for the users. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        former : ndarray of int, shape (n_former_users,)
            Where those who were in `users_` are now.
        changed : ndarray of int, shape (n_changed,)
            Who has new rows.
        """
        self.user_factors_ = move_rows(self.user_factors_, former, len(self.users_))
        self.user_factors_[changed] = self.estimator_.transform(self.histories_[changed])


def _decompose(
    estimator: Any, interactions: sparse.csr_array, keep: Any
) -> tuple[Any, Floats]:
    """Return the fitted decomposition, and the factors of users."""
    made = _make_decomposition(estimator, interactions.shape)

    def fit() -> tuple[Any, Floats]:
        return made, _fit_user_factors(made, interactions)

    params = made.get_params()
    if not isinstance(params.get("random_state"), Integral) or not all(
        isinstance(value, int | float | str | None) for value in params.values()
    ):
        return fit()  # it may draw other numbers each time
    return keep("decomposition", (type(made), params), fit)


def _make_decomposition(estimator: Any, shape: tuple[int, int]) -> Any:
    if estimator is None:
        return TruncatedSVD(min(_DEFAULT_COMPONENTS, *shape), random_state=0)
    needed = "a decomposition with fit_transform and components_, such as TruncatedSVD()"
    check_given("estimator", estimator, hasattr(estimator, "fit_transform"), needed)
    return clone(estimator)


def _fit_user_factors(estimator: Any, interactions: sparse.csr_array) -> np.ndarray:
    """Fit the decomposition and return the factors of users."""
    _, variance = mean_variance_axis(interactions, axis=0)
    # If all users are equal, some decompositions divide the explained variance by a total
    # of 0. This attribute is not used; factors that are not finite raise later.
    with np.errstate(invalid=None if variance.any() else "ignore"):
        return estimator.fit_transform(interactions)


def _decoder(estimator: Any, n_components: int) -> tuple[np.ndarray, np.ndarray]:
    """Return (item factors, offset) of the map from factors to items.

    `inverse_transform` undoes centering and whitening too. It is an affine map, which
    its values at 0 and at the unit vectors determine.
    """
    if not hasattr(estimator, "inverse_transform"):
        return estimator.components_.T, np.zeros(estimator.components_.shape[1])
    corners = np.vstack([np.zeros(n_components), np.eye(n_components)])
    offset, *units = estimator.inverse_transform(corners)
    return (np.array(units) - offset).T, offset
