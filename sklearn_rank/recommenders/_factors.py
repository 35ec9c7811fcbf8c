"""FactorsRecommender and its mixin: scores are products of factors of users and items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

import numpy as np
from scipy import sparse

from sklearn_rank._base._labels import as_vector, encode_labels, find_labels
from sklearn_rank._base._numbers import as_floats, check_finite, has_rows
from sklearn_rank._base._sklearn import BaseEstimator
from sklearn_rank._base._validation import check_given, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.recommenders._recommender_mixin import RecommenderMixin
from sklearn_rank.recommenders._similar_items import cosines
from sklearn_rank.recommenders._top_k import approximate_scorer
from sklearn_rank.typing import ArrayLike, DataFrame, Floats, Integers, SupportsArray


@explained
class FactorsMixin:
    """Adds scores to a recommender that has factors, and an offset of each item."""

    user_factors_: Floats
    item_factors_: Floats
    item_offset_: Floats
    _is_scored_by: Any

    def score_users(self, users: Integers) -> Floats:
        """Multiply the factors. The package calls it with positions; it checks nothing.

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
        """Multiply the factors. The package calls it with positions; it checks nothing.

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

    def _approximate_scorer(self):
        if not self._is_scored_by(FactorsMixin, "score_users", "score_pairs"):
            return None
        return approximate_scorer(self)

    def _decode(self, factors: np.ndarray) -> np.ndarray:
        return factors @ self.item_factors_.T + self.item_offset_


@explained
@dataclass(eq=False, repr=False)
class FactorsRecommender(FactorsMixin, RecommenderMixin, BaseEstimator):
    """Recommend by factors that were fitted elsewhere, such as by Spark's ALS.

    The score of a pair is the product of its factors. `fit` learns no factors: it reads
    from the log which items users have, and how popular these are. The scores of known
    users, and of all items, are then those of the library that fitted the factors.

    Parameters
    ----------
    user_factors, item_factors : mapping, Series or DataFrame
        A vector of each user and of each item: by id, or with ids as the index. They have
        the same length. Of Spark's ALS: ``model.userFactors.toPandas().set_index("id")\
["features"]``.
    exclude_seen : bool, default=True
        Whether `recommend` leaves out items that users have, unless it is told otherwise.
    new_users : "popularity" or recommender, default="popularity"
        What unknown users get: popular items, or lists of a recommender that is cloned and
        fitted with this one.
    user, item : int or str, default=None
        Columns of X with the ids, by position or name. If None, those named ``user`` or
        ``user_id`` and ``item`` or ``item_id``; for arrays the first two.

    Attributes
    ----------
    user_factors_ : ndarray of shape (n_users, n_factors)
        Factors in the order of `users_`; zeros of users who have none, so that they get
        popular items.
    item_factors_ : ndarray of shape (n_items, n_factors)
        Factors in the order of `items_`.
    item_offset_ : ndarray of shape (n_items,)
        Zeros.
    user_column_, item_column_ : str or int
        The columns of users and items.
    users_, items_ : ndarray
        Sorted ids of the log.
    seen_, interactions_, histories_ : csr_array of shape (n_users, n_items)
        Pairs of the log, and their weights.
    popularity_ : ndarray of shape (n_items,)
        Share of the users who have the item.
    dislikes_ : dict
        Of users that `update` was told about, the items they do not want to see.
    new_users_ : recommender or None
        The one for new users, fitted.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns of X, where it has any.

    Raises
    ------
    ValueError
        By `fit`: if an item of the log has no factors, or factors are of unlike lengths or
        not finite.

    See Also
    --------
    MatrixFactorizationRecommender : Fits factors with scikit-learn.
    ImplicitRecommender : Fits factors with implicit.

    Notes
    -----
    `recommend_for_items` raises: how factors follow from a history is known only to what
    fitted them.

    The last bits of a score may differ between one user and many: a BLAS rounds a product
    by its shape.

    Examples
    --------
    >>> from sklearn_rank.recommenders import FactorsRecommender
    >>> users = {"ann": [1.0, 0.0], "bob": [0.0, 1.0]}
    >>> items = {"tea": [0.9, 0.1], "jam": [0.2, 0.8], "nut": [0.5, 0.4]}
    >>> log = [["ann", "tea"], ["bob", "jam"], ["bob", "nut"]]
    >>> FactorsRecommender(users, items).fit(log).recommend(["ann"], k=2).tolist()
    [['nut', 'jam']]
    """

    user_factors: Mapping[Any, ArrayLike] | DataFrame | SupportsArray
    item_factors: Mapping[Any, ArrayLike] | DataFrame | SupportsArray
    weighting: Literal["binary"] = field(default="binary", init=False)
    half_life: None = field(default=None, init=False)
    time: None = field(default=None, init=False)
    reference_time: None = field(default=None, init=False)
    recency: None = field(default=None, init=False)

    def fit_interactions(self, interactions: sparse.csr_array) -> None:
        """Look up the factors. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        interactions : csr_array of shape (n_users, n_items)
            Weights of the pairs.
        """
        self.user_factors_, _ = _read_factors(self, "user")
        self.item_factors_, is_known = _read_factors(self, "item")
        if not is_known.all():
            first = self.items_[np.argmin(is_known)]
            raise ValueError(
                f"{np.count_nonzero(~is_known)} of {len(is_known)} item(s) of X are not in "
                f"`item_factors`, such as {shorten(first)}; drop their rows."
            )
        lengths = self.user_factors_.shape[1], self.item_factors_.shape[1]
        if lengths[0] != lengths[1]:
            raise ValueError(
                f"`user_factors` have {lengths[0]} numbers each, but `item_factors` "
                f"{lengths[1]}; give those of one model."
            )
        self.item_offset_ = np.zeros(len(self.items_))

    def update_users(self, former: Integers, changed: Integers) -> None:
        """Look up user factors. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        former : ndarray of int, shape (n_former_users,)
            Where those who were in `users_` are now.
        changed : ndarray of int, shape (n_changed,)
            Who has new rows.
        """
        self.user_factors_, _ = _read_factors(self, "user")

    def score_histories(self, histories: sparse.csr_array) -> NoReturn:
        """Raise: no model is here. The package calls it with positions; it checks nothing.

        The model that fitted the factors would be needed.

        Parameters
        ----------
        histories : csr_array of shape (n_histories, n_items)
            Weights of the items each user has.
        """
        raise TypeError(
            "FactorsRecommender cannot score users by their items, as it does not know how "
            "their factors were fitted; give their factors, and call recommend()."
        )


def _read_factors(recommender: Any, role: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the factors of ids, zeros for missing ones, and a mask of known ids."""
    name = f"{role}_factors"
    factors, ids = getattr(recommender, name), getattr(recommender, f"{role}s_")
    is_table = hasattr(factors, "index") and hasattr(factors, "to_numpy")
    needed = "a mapping, Series or DataFrame of vectors by id"
    check_given(name, factors, is_table or isinstance(factors, Mapping), needed)
    if is_table:
        labels, vectors = factors.index, factors.to_numpy().tolist()
    else:
        labels, vectors = list(factors), list(factors.values())
    lengths = {len(vector) if has_rows(vector) else 0 for vector in vectors}
    if len(lengths) != 1 or 0 in lengths:
        raise ValueError(f"`{name}` must hold vectors of one length, at least one.")
    table = as_floats(vectors, name)
    check_finite(name, table)
    distinct, codes = encode_labels(as_vector(labels, name=name), name=name)
    if len(distinct) < len(codes):
        raise ValueError(f"`{name}` has an id more than once; give each once.")
    row = np.empty(len(distinct), dtype=np.intp)
    row[codes] = np.arange(len(codes))
    code = find_labels(distinct, ids, name=name)
    is_known = code >= 0
    return np.where(is_known[:, np.newaxis], table[row[code]], 0.0), is_known
