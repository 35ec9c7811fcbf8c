"""ImplicitRecommender: the models of the library `implicit` as estimators."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from inspect import signature
from typing import Any, Self

import numpy as np
from scipy import sparse

from sklearn_rank._base._sklearn import BaseEstimator
from sklearn_rank._base._validation import check_given, suggest
from sklearn_rank._hints._explain import explained
from sklearn_rank.recommenders._recommender_mixin import RecommenderMixin
from sklearn_rank.recommenders._similar_items import cosines
from sklearn_rank.recommenders._updates import move_rows
from sklearn_rank.typing import Floats, Integers, Matrix


@explained
@dataclass(eq=False, repr=False)
class ImplicitRecommender(RecommenderMixin, BaseEstimator):
    """Recommend by a model of the library `implicit`.

    Takes AlternatingLeastSquares, BayesianPersonalizedRanking and
    LogisticMatrixFactorization, and the item-item models CosineRecommender,
    TFIDFRecommender, BM25Recommender and ItemItemRecommender.

    These models are not scikit-learn estimators. Here the parameters of their constructors
    are read and set as ``model__factors`` and so on, so that they can be tuned; `clone`
    copies the model, and `fit` trains another copy, `model_`. For the same result in each
    run pass the model ``random_state`` and, other than for ALS, ``num_threads=1``.

    Parameters
    ----------
    model : object
        A model of `implicit`, not fitted. It is not modified by `fit`.
    weighting : {"binary", "log", "sum"}, default="binary"
        How much a pair counts: 1 if its weights `y` sum to more than 0, the logarithm of
        1 + sum, or the sum. The model reads it as its confidence in the pair. Pairs of
        weight 0 are not shown to it.
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
    model_ : object
        The fitted model; it knows users and items by their position in `users_` and
        `items_`.
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
    ``recommend_for_items`` works with ALS and the item-item models. The others cannot
    score a user they were not trained with and raise NotImplementedError.

    BayesianPersonalizedRanking of `implicit` draws the items that a user does not have in
    proportion to their popularity, so it learns to show the popular ones less, and the more
    so the more `iterations`.

    On the log of ``make_interactions(random_state=0)``, its last fifth held out, nDCG@10
    fell from 0.197 after 20 iterations to 0.103 after 100, less than the 0.126 of
    popularity; the same model with items drawn alike reached 0.247. Tune `iterations`,
    beginning with few, and compare with `PopularityRecommender`.

    Scores are those of the model. The k best are found here, not by `implicit`, so that
    ties, candidates and ids are treated the same for all recommenders. The last bits of a
    score of a factor model may differ between one user and many: a BLAS rounds a product
    by its shape.

    Examples
    --------
    >>> from implicit.nearest_neighbours import ItemItemRecommender
    >>> from sklearn_rank.recommenders import ImplicitRecommender
    >>> X = [["ann", "tea"], ["ann", "milk"], ["bob", "tea"], ["bob", "milk"],
    ...      ["eve", "beer"], ["eve", "chips"], ["kim", "beer"]]
    >>> recommender = ImplicitRecommender(ItemItemRecommender(K=10))
    >>> recommender.set_params(model__K=5).fit(X).recommend(["kim"], k=1).tolist()
    [['chips']]
    """

    model: Any

    model_: Any = field(init=False)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of this estimator and of the model.

        Parameters
        ----------
        deep : bool, default=True
            Include the parameters of the model, as ``model__<name>``.

        Returns
        -------
        params : dict
            Values by name.
        """
        params = super().get_params(deep=deep)
        if deep:
            of_model = _model_parameters(self.model)
            params |= {f"model__{name}": value for name, value in of_model.items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters of this estimator and, as ``model__<name>``, of the model.

        Parameters
        ----------
        **params : dict
            Values by name.

        Returns
        -------
        self : object
            This estimator.
        """
        nested = [name for name in params if name.startswith("model__")]
        of_model = {name.removeprefix("model__"): params.pop(name) for name in nested}
        super().set_params(**params)
        valid = _model_parameters(self.model)
        for name, value in of_model.items():
            if name not in valid:
                raise ValueError(
                    f"{type(self.model).__name__} has no parameter {name!r}. "
                    f"{suggest(name, valid)}"
                )
            setattr(self.model, name, value)
        return self

    def fit_interactions(self, interactions: sparse.csr_array) -> None:
        """Train a copy. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        interactions : csr_array of shape (n_users, n_items)
            Weights of the pairs.
        """
        # A dependency of `implicit`, which is far slower if BLAS starts its own threads.
        from threadpoolctl import threadpool_limits

        needed = "a model of the library implicit, such as AlternatingLeastSquares()"
        is_model = hasattr(self.model, "fit") and not hasattr(self.model, "get_params")
        check_given("model", self.model, is_model, needed)
        self.model_ = copy.deepcopy(self.model)
        with threadpool_limits(1, "blas"):
            self.model_.fit(_implicit_matrix(interactions), show_progress=False)
        self._adds_up = not _has_factors(self.model_)
        if self.recency is not None:
            self.score_histories(self.histories_[[0]])  # raises if the model cannot

    def _is_scored_by_items(self) -> bool:
        """Return whether known users are scored by their items as well."""
        return self.recency is not None or not _has_factors(self.model_)

    def score_histories(self, histories: sparse.csr_array) -> Matrix:
        """Score histories. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        histories : csr_array of shape (n_histories, n_items)
            Weights of the items each user has.

        Returns
        -------
        scores : {ndarray, csr_array} of shape (n_histories, n_items)
            Scores of the model.
        """
        if not _has_factors(self.model_):
            return histories @ self.model_.similarity
        return self._compute_factors(histories) @ _as_array(self.model_.item_factors).T

    def _compute_factors(self, histories: sparse.csr_array) -> np.ndarray:
        users = np.arange(histories.shape[0])
        try:
            factors = self.model_.recalculate_user(users, _implicit_matrix(histories))
        except NotImplementedError as error:
            raise NotImplementedError(
                f"{type(self.model_).__name__} cannot score users it was not trained "
                "with; use AlternatingLeastSquares or an item-item model, or fit again."
            ) from error
        return _as_array(factors)

    def score_users(self, users: Integers) -> Matrix:
        """Score known users. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        users : ndarray of int, shape (n_users,)
            Positions in `users_`.

        Returns
        -------
        scores : {ndarray, csr_array} of shape (n_users, n_items)
            Scores of the model.
        """
        if self._is_scored_by_items():
            return super().score_users(users)
        factors = _as_array(self.model_.user_factors)[users]
        return factors @ _as_array(self.model_.item_factors).T

    def score_pairs(self, users: Integers, items: Integers) -> Floats:
        """Score pairs. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        users, items : ndarray of int, shape (n_pairs,)
            Positions in `users_` and in `items_`.

        Returns
        -------
        scores : ndarray of shape (n_pairs,)
            Scores of the model.
        """
        if self._is_scored_by_items():
            return super().score_pairs(users, items)
        user_factors = _as_array(self.model_.user_factors)[users]
        item_factors = _as_array(self.model_.item_factors)[items]
        return np.einsum("ij,ij->i", user_factors, item_factors)

    def update_users(self, former: Integers, changed: Integers) -> None:
        """Solve for the users. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        former : ndarray of int, shape (n_former_users,)
            Where those who were in `users_` are now.
        changed : ndarray of int, shape (n_changed,)
            Who has new rows.
        """
        if _has_factors(self.model_):
            solved = self._compute_factors(self.histories_[changed])
            factors = _as_array(self.model_.user_factors)
            factors = move_rows(factors, former, len(self.users_))
            factors[changed] = solved
            self.model_ = copy.copy(self.model_)
            self.model_.user_factors = factors

    def score_similar_items(self, items: Integers) -> Matrix:
        """Return how similar all items are to each given one.

        Parameters
        ----------
        items : ndarray of int, shape (n_given,)
            Positions in `items_`.

        Returns
        -------
        scores : {ndarray, csr_array} of shape (n_given, n_items)
            Similarities of an item-item model, or cosines of the factors of items.
        """
        if not _has_factors(self.model_):
            return self.model_.similarity[items]
        return cosines(_as_array(self.model_.item_factors), items)


def _model_parameters(model: Any) -> dict[str, Any]:
    """Return the constructor's parameters that the model stores."""
    if not hasattr(model, "fit"):
        return {}
    names = signature(type(model)).parameters
    return {name: getattr(model, name) for name in names if hasattr(model, name)}


def _implicit_matrix(interactions: sparse.csr_array) -> sparse.csr_matrix:
    counts = sparse.csr_matrix(interactions, copy=True)
    counts.eliminate_zeros()
    return counts


def _has_factors(model: Any) -> bool:
    return getattr(model, "item_factors", None) is not None


def _as_array(factors: Any) -> np.ndarray:
    # Models on a graphics card keep factors there.
    return factors.to_numpy() if hasattr(factors, "to_numpy") else np.asarray(factors)
