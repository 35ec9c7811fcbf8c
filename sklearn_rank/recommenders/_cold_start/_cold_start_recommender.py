"""ColdStartRecommender: items and users that are known by their features alone."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from sklearn.base import clone

from sklearn_rank._base._ids import KnownIds, read_ids, unknown_ids_error
from sklearn_rank._base._labels import encode_labels
from sklearn_rank._base._messages import warn_caller
from sklearn_rank._base._numbers import check_finite
from sklearn_rank._base._runs import sizes_of
from sklearn_rank._base._sklearn import BaseEstimator
from sklearn_rank._base._validation import check_given, check_real, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.recommenders._explanation import no_sum_error
from sklearn_rank.recommenders._fitted import Weights
from sklearn_rank.recommenders._pair_weights import count_pairs, replace_data
from sklearn_rank.recommenders._pairs import Pairs, Popularity, read_item_lists
from sklearn_rank.recommenders._read_pairs import check_recommender, read_pairs
from sklearn_rank.recommenders._recommender_mixin import RecommenderMixin
from sklearn_rank.recommenders._reranking_recommender import shares_attributes, unit_vectors
from sklearn_rank.recommenders._two_stages._feature_table import FeatureTable
from sklearn_rank.typing import Floats, Integers, Matrix

# Features of items or of users as one matrix, joined with the ids of a log.


# The products of all features take longer than a recommender with more of them.
MOST_FEATURES = 5_000
# Of a deviation, relative to the mean; it is the root of that of a square.
_ROUNDING = 1e-7


@dataclass(frozen=True, eq=False)
class FeaturesById:
    """Ids of the log and of the tables, sorted, and their features."""

    labels: np.ndarray
    places: np.ndarray  # of the ids of the log among the labels
    features: Any  # labels × features, dense or CSR; rows of length 1 or 0

    @classmethod
    def read(cls, given: Any, known: np.ndarray, *, name: str) -> FeaturesById:
        """Return the features of a table, or of several; known ids are those of the log.

        Columns other than of 0 and 1 are scaled by known ids.
        """
        labels, places = known, np.arange(len(known))
        several = given if isinstance(given, list) else [given]
        tables = [] if given is None else [_read_table(table, name) for table in several]
        codes: list[np.ndarray] = []
        for ids, _ in tables:
            known_ids = KnownIds(labels)
            positions = known_ids.find(ids, name=name)
            if not np.isin(positions, places).any():
                raise unknown_ids_error(name, ids, known)
            both, former, code = known_ids.add_new(ids, positions)
            labels = both.labels
            places, codes = former[places], [*(former[old] for old in codes), code]
        n_features = sum(values.shape[1] for _, values in tables)
        if n_features > MOST_FEATURES:
            raise ValueError(
                f"`{name}` has {n_features:,} features, more than {MOST_FEATURES:,}; bring "
                "them down with sklearn.decomposition.TruncatedSVD."
            )
        is_known = np.zeros(len(labels), dtype=bool)
        is_known[places] = True
        described = np.unique(np.concatenate([*codes, []]).astype(int))
        _warn_of_few(is_known[described], known, name)
        parts = [
            _spread(_scaled(values, is_known[code]), code, len(labels))
            for (_, values), code in zip(tables, codes, strict=True)
        ]
        if any(map(sparse.issparse, parts)):
            joined = sparse.csr_array(sparse.hstack(parts))
            return cls(labels, places, unit_vectors(joined))
        joined = np.column_stack([np.empty((len(labels), 0)), *parts])
        length = np.sqrt(np.einsum("ij,ij->i", joined, joined))[:, None]
        return cls(labels, places, joined / np.where(length > 0, length, 1.0))


def _read_table(table: Any, name: str) -> tuple[np.ndarray, Any]:
    """Return the ids and the values of a table."""
    if isinstance(table, FeatureTable):
        if table._time is not None:
            raise ValueError(
                f"`{name}` has a FeatureTable with `time`, but here features hold at all "
                "times; give the newest row of each id, without `time`."
            )
        return table._ids, table._values
    needed = "a FeatureTable(frame, id=...), (ids, matrix), or a list of these"
    check_given(name, table, isinstance(table, tuple) and len(table) == 2, needed)
    ids, values = read_ids(table[0], name=name), table[1]
    is_sparse = sparse.issparse(values)
    values = (sparse.csr_array if is_sparse else np.asarray)(values, dtype=np.float64)
    if values.ndim != 2 or len(ids) != values.shape[0]:
        raise ValueError(
            f"The matrix in `{name}` must have a row for each of the {len(ids):,} ids, got "
            f"shape {values.shape}."
        )
    labels, codes = encode_labels(ids, name=name)
    if len(labels) < len(ids):
        twice = labels[np.argmax(np.bincount(codes) > 1)]
        raise ValueError(f"`{name}` repeats an id, {shorten(twice)}; give each id once.")
    numbers = values.data if is_sparse else values
    check_finite(name, np.where(np.isnan(numbers), 0.0, numbers))
    return ids, replace_data(values, np.nan_to_num(numbers)) if is_sparse else values


def _scaled(values: Any, is_known: np.ndarray) -> Any:
    """Return columns other than of 0 and 1 with mean 0 and deviation 1 over known ids.

    Columns of a sparse matrix keep their mean. What is missing, and a column of one value,
    becomes 0.
    """
    if sparse.issparse(values):
        columns = values.tocsc()
        column = np.arange(columns.shape[1]).repeat(np.diff(columns.indptr))
        is_other = np.bincount(column, ~np.isin(columns.data, (0, 1)), columns.shape[1])
        warm = values[np.flatnonzero(is_known)]
        mean, square = warm.mean(axis=0), warm.multiply(warm).mean(axis=0)
        deviation = np.sqrt(np.maximum(square - mean**2, 0))
        factor = np.where(is_other > 0, _reciprocal(deviation, mean), 1.0)
        return sparse.csr_array(values @ sparse.diags_array(factor))
    is_missing = np.isnan(values)
    is_other = ~(is_missing | np.isin(values, (0, 1))).all(axis=0)
    counted = ~is_missing[is_known]
    n = np.maximum(counted.sum(axis=0), 1)
    warm = np.where(counted, values[is_known], 0.0)
    mean = warm.sum(axis=0) / n
    deviation = np.sqrt((np.where(counted, warm - mean, 0.0) ** 2).sum(axis=0) / n)
    scaled = np.where(is_other, (values - mean) * _reciprocal(deviation, mean), values)
    return np.where(is_missing, 0.0, scaled)


def _reciprocal(deviation: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Return 1 / deviation, 0 where it is a rounding error of a column of one value."""
    varies = deviation > _ROUNDING * np.abs(mean)
    return np.where(varies, 1 / np.where(varies, deviation, 1.0), 0.0)


def _spread(values: Any, code: np.ndarray, n_rows: int) -> Any:
    """Return the rows at their codes; other rows are 0."""
    if sparse.issparse(values):
        entries = np.ones(len(code)), (code, np.arange(len(code)))
        return sparse.csr_array(entries, shape=(n_rows, len(code))) @ values
    spread = np.zeros((n_rows, values.shape[1]))
    spread[code] = values
    return spread


def _warn_of_few(is_known: np.ndarray, ids_of_log: np.ndarray, name: str) -> None:
    n_found = np.count_nonzero(is_known)
    if len(is_known) and 2 * n_found < len(ids_of_log):
        warn_caller(
            f"`{name}` has only {n_found:,} of {len(ids_of_log):,} ids of the log, so the "
            "features of the others are 0. Are these all?"
        )


# The recommender.


# The penalty of features of users, relative to that of items.
_OF_USERS = 10


@explained
@shares_attributes("exclude_seen", "time", stage="recommender")
@shares_attributes("n_features_in_", "feature_names_in_")
class ColdStartRecommender(RecommenderMixin, BaseEstimator):
    """Recommend items that nobody has yet, and to users who are known by features alone.

    Another recommender scores the items of the log, the warm ones. A ridge regression of
    these scores on the features of the items, for each user, then scores the cold items:
    those in the table that are not in the log [1]_. It is linear, so one small matrix
    serves any recommender that scores all items, and warm items keep their scores.

    Cold items compete by guesses. A small `regularization` shows them more often and puts
    warm items in worse order. To recommend among new items alone, pass them as ``items=``
    of `recommend`.

    Parameters
    ----------
    recommender : RecommenderMixin
        Scores the items of the log; any recommender of this package that scores all items.
        It is cloned. Its parameters are searched as ``recommender__...``.
    item_features : FeatureTable, (ids, matrix) or list of these, default=None
        What is known of items: a table without times, or ids and a dense or sparse matrix
        with a row per id. If None, no item is cold.

        Columns with values other than 0 and 1 are standardized by the items of the log
        (those of a sparse matrix keep their mean), missing values are 0, and then each row
        is divided by its length.
    user_features : FeatureTable, (ids, matrix) or list of these, default=None
        What is known of users, likewise. Users in the table without a row in the log get
        scores by a regression of the weights of all users, less `popularity_`, on their
        features. Other new users get what `new_users` of the recommender says, cold items
        last. If None, all unknown users are such.
    regularization : float, default=10.0
        Strength of the ridge penalty, > 0; ten times as much for users.

    Attributes
    ----------
    recommender_ : RecommenderMixin
        The fitted recommender.
    is_cold_ : ndarray of bool, shape (n_items,)
        Items without a row in the log of `fit`.
    users_, items_ : ndarray
        Ids in the training data and in the tables, sorted.
    user_column_, item_column_ : str or int
        The columns of users and items: their names, or positions where X has no names.
    seen_ : csr_array of bool, shape (n_users, n_items)
        True for the pairs of the training data.
    popularity_ : ndarray of shape (n_items,)
        That of `recommender_`; 0 for cold items, so that they come last among equal scores.

    Raises
    ------
    ValueError
        From `fit`, if no features are given, a table shares no id with the log, repeats
        one, has times or more than 5,000 features, or `regularization` is not above 0; or
        as the recommender raises.
    TypeError
        From `fit`, if `recommender` is not a recommender of this package, or makes lists in
        two stages: then put this one inside.

    Warns
    -----
    UserWarning
        If fewer than half of the items (users) of the log are in the table.

    See Also
    --------
    FeatureTable : Features from a frame.
    sklearn_rank.model_selection.TimeSplit : ``cold_items="only"`` judges new items alone.

    Notes
    -----
    With F the features of warm items, C those of cold ones, S the scores of warm items and
    X the weights of users::

        scores of cold items = S F (F'F + regularization * I)^-1 C'
        scores of a new user of features f
            = popularity + f (U'U + 10 * regularization * I)^-1 U' (X - popularity)

    with U the features of the users of the log. `update` makes rows of cold items seen, but
    they shape scores only after `fit`.

    References
    ----------
    .. [1] Z. Gantner, L. Drumond, C. Freudenthaler, S. Rendle, L. Schmidt-Thieme: Learning
       attribute-to-feature mappings for cold-start recommendations, ICDM 2010.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_rank.recommenders import (
    ...     ColdStartRecommender, FeatureTable, ItemNeighborsRecommender
    ... )
    >>> X = [["ann", "tea"], ["ann", "mate"], ["bob", "tea"], ["bob", "mate"],
    ...      ["eve", "beer"], ["eve", "chips"], ["kim", "beer"], ["kim", "chips"]]
    >>> shelf = {"tea": "hot", "mate": "hot", "beer": "pub", "chips": "pub", "cocoa": "hot"}
    >>> frame = pd.DataFrame(shelf.items(), columns=["item", "kind"])
    >>> table = FeatureTable(frame, id="item")
    >>> model = ColdStartRecommender(ItemNeighborsRecommender(), table).fit(X)
    >>> model.items_[model.is_cold_].tolist()
    ['cocoa']
    >>> model.recommend(["ann", "eve"], k=1).tolist()
    [['cocoa'], ['mate']]
    >>> model.predict([["ann", "cocoa"], ["eve", "cocoa"]]).round(3).tolist()
    [0.167, 0.0]
    """

    recommender_: RecommenderMixin
    is_cold_: NDArray[np.bool_]
    _is_made_of_users = True

    def __init__(
        self,
        recommender: RecommenderMixin,
        item_features: FeatureTable | tuple[Any, Matrix] | list[Any] | None = None,
        user_features: FeatureTable | tuple[Any, Matrix] | list[Any] | None = None,
        *,
        regularization: float = 10.0,
    ) -> None:
        self.recommender = recommender
        self.item_features = item_features
        self.user_features = user_features
        self.regularization = regularization

    def score_users(self, users: Integers) -> Floats:
        """Score known users. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        users : ndarray of int, shape (n_users,)
            Positions in `users_`.

        Returns
        -------
        scores : ndarray of shape (n_users, n_items)
            Scores of the recommender for warm items, and predictions for cold ones.
        """
        inner = self._inner_users[users]
        rows = np.flatnonzero(inner >= 0)
        scores = np.empty((len(users), len(self.items_)))
        if len(rows):
            warm = self.recommender_.score_users(inner[rows])
            scores[rows] = self._spread(self.recommender_._check_scores(warm, rows))
        rows = np.flatnonzero(inner < 0)
        if len(rows):
            features = self._user_rows[self._row_of_user[users[rows]]]
            warm = self._usual_weights + np.asarray(features @ self._weights_by_feature)
            scores[rows] = self._spread(warm)
        return scores

    def score_histories(self, histories: sparse.csr_array) -> Floats:
        """Score histories. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        histories : csr_array of shape (n_histories, n_items)
            Weights of the items each user has; those of cold items are ignored.

        Returns
        -------
        scores : ndarray of shape (n_histories, n_items)
            As those of `score_users`.
        """
        warm = self.recommender_.score_histories(histories[:, self._warm_items])
        rows = np.arange(histories.shape[0])
        return self._spread(self.recommender_._check_scores(warm, rows))

    def _spread(self, warm: Any) -> np.ndarray:
        """Return the scores of all items from those of warm ones."""
        scores = np.empty((warm.shape[0], len(self.items_)))
        scores[:, self._warm_items] = warm.toarray() if sparse.issparse(warm) else warm
        by_feature = warm.astype(np.float64) @ self._scores_to_features
        scores[:, self.is_cold_] = by_feature @ self._cold_features.T
        return scores

    def _learn(self, X: Any, y: Any) -> None:
        check_recommender("recommender", self.recommender)
        if not self.recommender._has_lists_of_scores():
            name = type(self.recommender).__name__
            raise TypeError(
                f"{name} makes lists in two stages and has no scores of all items; write "
                f"{name}(ColdStartRecommender(...), ...), the other way round."
            )
        if self.item_features is None and self.user_features is None:
            raise ValueError(
                "Features are missing; give `item_features=FeatureTable(frame, id=...)`, "
                "or `user_features`."
            )
        needed = "a number > 0"
        penalty = check_real("regularization", self.regularization, needed, above=0)
        inner = self.recommender_ = clone(self.recommender).fit(X, y)
        items = FeaturesById.read(self.item_features, inner.items_, name="item_features")
        users = FeaturesById.read(self.user_features, inner.users_, name="user_features")
        self._warm_items = items.places
        self.is_cold_ = np.ones(len(items.labels), dtype=bool)
        self.is_cold_[self._warm_items] = False
        of_warm = _as_dense(items.features[self._warm_items])
        self._scores_to_features = _solve_ridge(of_warm, penalty).T
        self._cold_features = items.features[self.is_cold_]
        self._learn_users(users, _OF_USERS * penalty)
        self._row_of_user = np.arange(len(users.labels))
        self._place_users(users.places)
        ids, nobody = KnownIds(users.labels), np.empty(0, dtype=np.intp)
        of_items = KnownIds(items.labels)
        self._fitted = replace(inner._fitted, items=of_items, last_times=None)
        self._count_seen(ids, nobody, nobody)

    def _learn_users(self, users: FeaturesById, penalty: float) -> None:
        """Learn what users of a feature have beside the usual; keep a last row of 0."""
        inner = self.recommender_
        warm = _as_dense(users.features[users.places])
        solved = _solve_ridge(warm, penalty)
        usual = self._usual_weights = inner.popularity_
        self._weights_by_feature = np.asarray((inner.interactions_.T @ solved.T).T)
        self._weights_by_feature -= np.outer(solved.sum(axis=1), usual)
        nothing = np.zeros((1, warm.shape[1]))
        is_sparse = sparse.issparse(users.features)
        stacked = (sparse.vstack if is_sparse else np.vstack)([users.features, nothing])
        self._user_rows = sparse.csr_array(stacked) if is_sparse else stacked

    def _place_users(self, places: np.ndarray) -> None:
        """Keep the position in `recommender_` of each user, -1 for others."""
        self._inner_users = np.full(len(self._row_of_user), -1)
        self._inner_users[places] = np.arange(len(places))

    def _count_seen(self, ids: KnownIds, users: np.ndarray, items: np.ndarray) -> None:
        """Take what users have from `recommender_`, and add pairs of cold items."""
        inner, shape = self.recommender_, (len(ids.labels), len(self.is_cold_))
        position = np.empty(len(inner.users_), dtype=np.intp)
        is_inner = self._inner_users >= 0
        position[self._inner_users[is_inner]] = np.flatnonzero(is_inner)

        def widen(matrix: sparse.csr_array) -> sparse.csr_array:
            pairs = Pairs.from_matrix(matrix)
            row, item = position[pairs.row], self._warm_items[pairs.item]
            return count_pairs(row, item, matrix.data, shape)

        interactions = histories = widen(inner.interactions_)
        if inner.histories_ is not inner.interactions_:
            histories = widen(inner.histories_)
        seen = Pairs.from_matrix(inner.seen_)
        row, item = position[seen.row], self._warm_items[seen.item]
        pairs = Pairs(np.append(row, users), np.append(item, items), shape[0])
        popularity = self._append_cold(inner.popularity_)
        weights = Weights(interactions, pairs.as_matrix(shape[1]), popularity, interactions)
        new_users = inner.new_users_
        changes = {"weights": weights, "histories": histories, "new_users": new_users}
        self._fitted = replace(self._fitted, users=ids, history=None, **changes)
        popularity_of_new = inner._popularity_for_new_users().values
        self._popularity_of_new = self._append_cold(popularity_of_new)

    def _append_cold(self, warm: np.ndarray) -> Popularity:
        """Return the popularity of all items from that of warm items; 0 for cold ones."""
        values = np.zeros(len(self.is_cold_))
        values[self._warm_items] = warm
        return Popularity(values)

    def _popularity_for_new_users(self) -> Popularity:
        return self._popularity_of_new

    def _histories_of_lists(self, item_lists: Any) -> sparse.csr_array:
        warm = self.recommender_._histories_of_lists(item_lists)
        lists, items, _ = read_item_lists(item_lists, self._fitted.items, None)
        # Cold items of a list are seen, and weigh nothing.
        is_added = self.is_cold_[items] & (sizes_of(warm.indptr) > 0)[lists]
        pairs = Pairs.from_matrix(warm)
        row = np.append(pairs.row, lists[is_added])
        item = np.append(self._warm_items[pairs.item], items[is_added])
        weights = np.append(warm.data, np.zeros(np.count_nonzero(is_added)))
        return count_pairs(row, item, weights, (warm.shape[0], len(self.items_)))

    def _add(self, X: Any, y: Any) -> np.ndarray:
        self.recommender_ = copy(self.recommender_)
        self.recommender_._add(X, y)
        users, items = read_pairs(self, X)
        codes = self._fitted.items.find(items, name="item")
        is_cold = (codes >= 0) & self.is_cold_[codes]
        old = Pairs.from_matrix(self.seen_)
        was_cold = self.is_cold_[old.item]
        old_rows, old_items = old.row[was_cold], old.item[was_cold]
        ids, former, inner = self._join_users(self._fitted.users, self.recommender_.users_)
        ids, after, new_rows = self._join_users(ids, users[is_cold])
        self._place_users(after[inner])
        rows = np.append(after[former[old_rows]], new_rows)
        self._count_seen(ids, rows, np.append(old_items, codes[is_cold]))
        return items[codes < 0]

    def _join_users(
        self, former_ids: KnownIds, ids: np.ndarray
    ) -> tuple[KnownIds, np.ndarray, np.ndarray]:
        """Add users; return all, and the positions of former users and of the ids."""
        joined = former_ids.add_new(ids, former_ids.find(ids, name="user"))
        rows = np.full(len(joined[0].labels), -1)  # the last row, of no features
        rows[joined[1]] = self._row_of_user
        self._row_of_user = rows
        return joined

    def _score_parts(self, row: int, column: int) -> Any:
        inner: Any = self.recommender_
        own = self._inner_users[row]
        if own < 0:  # by features alone
            nothing = np.empty(0)
            score = self.score_pairs(np.array([row]), np.array([column]))[0]
            return nothing.astype(np.intp), nothing, nothing, float(score)
        warm_column = int(np.searchsorted(self._warm_items, column))
        if not self.is_cold_[column]:
            items, weights, parts, constant = inner._score_parts(own, warm_column)
            return self._warm_items[items], weights, parts, constant
        if not inner._adds_up:
            raise no_sum_error(inner)
        history = inner.histories_[[own]]
        by_feature = inner.score_similar_items(history.indices) @ self._scores_to_features
        cold = np.cumsum(self.is_cold_)[column] - 1
        parts = _as_dense(self._cold_features[[cold]]) @ by_feature.T
        items, weights = self._warm_items[history.indices], history.data
        return items, weights, weights * parts[0], 0.0


def _as_dense(features: Any) -> np.ndarray:
    return features.toarray() if sparse.issparse(features) else features


def _solve_ridge(features: np.ndarray, penalty: float) -> np.ndarray:
    """Return (F'F + penalty * I)^-1 F'."""
    if not features.shape[1]:
        return features.T
    gram = features.T @ features
    gram[np.diag_indices_from(gram)] += penalty
    return linalg.solve(gram, features.T, assume_a="pos")
