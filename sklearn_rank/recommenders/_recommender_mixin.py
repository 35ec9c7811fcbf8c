"""RecommenderMixin: what every recommender shares."""

from __future__ import annotations

import operator
from collections.abc import Hashable
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from sklearn_rank._base._known_ids import known_ids
from sklearn_rank._base._messages import warn_caller
from sklearn_rank._base._sklearn import CallbackSupportMixin, fit_task, with_callbacks
from sklearn_rank._base._validation import check_given, check_option, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._interaction_log import Kept, keep, table_of
from sklearn_rank.inputs._last_times import LastTimes, last_times_of
from sklearn_rank.recommenders._explanation import Explanation, explain_score, no_sum_error
from sklearn_rank.recommenders._histories import OrderedHistories
from sklearn_rank.recommenders._list_maker import check_model_scores
from sklearn_rank.recommenders._lists_mixin import ListsMixin
from sklearn_rank.recommenders._log_weights import (
    age_rows,
    count_rows,
    put_in_order,
    times_of,
)
from sklearn_rank.recommenders._most_popular import PopularityOrder
from sklearn_rank.recommenders._pairs import Pairs, take_rows
from sklearn_rank.recommenders._read_pairs import (
    clone_with_columns,
    read_pairs,
    read_training_log,
)
from sklearn_rank.recommenders._top_k import pair_scorer, user_chunks
from sklearn_rank.recommenders._updates import add_dislikes, add_rows, take_snapshot
from sklearn_rank.typing import ArrayLike, Floats, Integers, Matrix, Table

# Values of `new_users`: the default, and an example for errors.
_POPULAR = "popularity"
_EXAMPLE = 'PopularityRecommender(half_life="10D", time="time")'
# Attributes with one row per user.
USER_ATTRIBUTES = {"users_", "seen_", "interactions_", "histories_", "user_factors_"}


@explained
class RecommenderMixin(ListsMixin, CallbackSupportMixin):
    """All parts of a recommender except its model, for scikit-learn's `BaseEstimator`.

    A subclass defines two methods; `fit`, `predict`, `recommend` and
    `recommend_for_items` come from here, with checks, ids, batches and fallbacks:

    - ``fit_interactions(interactions)`` learns from the weights users × items;
    - ``score_histories(histories)`` returns the scores of all items for users given by
      such rows of weights.

    Both matrices are CSR arrays. Scores may be dense or sparse. In sparse scores an item
    without an entry scores 0; lists are then made from the entries alone, so that their
    cost does not grow with the number of items. No entry may be there twice.

    A model that keeps something per user, such as factors,
    also overrides ``score_users(users)``, and for `update` ``update_users(former,
    changed)``; one that can score a pair without scoring all items overrides
    ``score_pairs(users, items)``.

    A model of the order in which users took items adds ``fit_histories(history)``, which
    is called after `fit_interactions` with `history_`; it needs the parameter ``time``.

    A recommender that makes lists in another way, such as from candidates of other
    recommenders, writes ``propose(users, k, hidden)`` in place of `score_histories`, which
    returns the items of each user and their scores, and ``score_pairs`` for `predict`. With
    ``propose_histories(histories, k, hidden)`` it has `recommend_for_items`.

    The constructor of the subclass should take ``user=None`` and
    ``item=None``, the columns of the ids by position or name. If None, those named ``user``
    or ``user_id`` and ``item`` or ``item_id``; of arrays the first two. It may take any of

    - ``weighting="binary"``: what a pair counts. ``"sum"`` adds the weights of its rows
      up, ``"log"`` takes ``log(1 + sum)`` and ``"binary"`` makes every sum above 0 a 1;
    - ``half_life=None``, ``time=None`` and ``reference_time=None``: what a row counts by
      its age;
    - ``recency=None``, with `time`: what a row counts by its place in the history of a
      user, when the user is scored;
    - ``exclude_seen=True``: whether `recommend` leaves out what users have already;
    - ``new_users="popularity"``: or the recommender whose lists and scores unknown users
      get.

    Inherit from this class before `BaseEstimator`.

    Attributes
    ----------
    user_column_, item_column_ : str or int
        The columns of users and items: their names, or positions where X has no names.
    users_ : ndarray of shape (n_users,)
        Ids of the users in the training data, sorted.
    items_ : ndarray of shape (n_items,)
        Ids of the items in the training data, sorted. They keep their type.
    seen_ : csr_array of bool, shape (n_users, n_items)
        True for the pairs of the training data.
    interactions_ : csr_array of shape (n_users, n_items)
        Weight of each of these pairs, from which the model learns.
    histories_ : csr_array of shape (n_users, n_items)
        Weights by which users are scored: `interactions_`, unless `recency` is given.
    history_ : OrderedHistories
        Where `recency` is given or `fit_histories` is there: the rows by user, time and row
        number. ``history_.items``, ``times`` and ``weights`` have one value per row; those
        of user `u` are from ``history_.starts[u]`` to ``history_.starts[u + 1]``, the
        newest last.
    popularity_ : ndarray of shape (n_items,)
        Mean weight that a user gives an item: the scores of unknown users.
    n_updates_ : int
        Number of updates with rows since `fit`.
    dislikes_ : dict
        Of users that `update` was told about, the items they do not want to see.
    new_users_ : recommender or None
        The one for new users, fitted; if None, they get what is popular.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns of X, where it has any.

    Examples
    --------
    A recommender of the items that were bought together most often:

    >>> from sklearn.base import BaseEstimator
    >>> from sklearn_rank.recommenders import RecommenderMixin
    >>> class BoughtTogether(RecommenderMixin, BaseEstimator):
    ...     def __init__(self, *, user=None, item=None):
    ...         self.user, self.item = user, item
    ...     def fit_interactions(self, interactions):
    ...         self.together_ = interactions.T @ interactions
    ...     def score_histories(self, histories):
    ...         return histories @ self.together_
    >>> X = [["ann", "tea"], ["ann", "milk"], ["bob", "tea"], ["bob", "milk"],
    ...      ["bob", "cake"], ["eve", "milk"]]
    >>> BoughtTogether().fit(X).recommend(["eve", "ann"], k=1).tolist()
    [['tea'], ['cake']]

    One that leaves out the most popular of ten candidates of another recommender:

    >>> import numpy as np
    >>> from sklearn_rank.recommenders import PopularityRecommender
    >>> class WithoutTheFirst(RecommenderMixin, BaseEstimator):
    ...     def fit(self, X, y=None):
    ...         self.recommender_ = PopularityRecommender().fit(X, y)
    ...         return super().fit(X, y)
    ...     def fit_interactions(self, interactions):
    ...         pass
    ...     def propose(self, users, k, hidden):
    ...         items, scores = self.recommender_.propose(users, 10, hidden)
    ...         return items[:, 1:], scores[:, 1:]
    >>> WithoutTheFirst().fit(X).recommend(["eve"], k=1).tolist()
    [['cake']]
    """

    user_column_: str | int
    item_column_: str | int
    users_: NDArray[Any]
    items_: NDArray[Any]
    seen_: sparse.csr_array
    interactions_: sparse.csr_array
    histories_: sparse.csr_array
    history_: OrderedHistories
    popularity_: Floats
    n_updates_: int
    dislikes_: dict[Any, Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    # Times of earlier rows and the reference time of ages; their unit and zone.
    _past: tuple[np.ndarray, Any, bool] | None = None
    _newest: np.ndarray | None
    # The column of times, and the last time of each user, where X has times.
    _last_times: LastTimes | None = None
    _is_made_of_users = False
    # Whether scores are sums of `score_similar_items` over the items of the user.
    _adds_up = False
    score_similar_items: Any
    new_users_: RecommenderMixin | None = None

    @with_callbacks
    def fit(self, X: Table, y: ArrayLike | None = None) -> Self:
        """Learn from interactions.

        Parameters
        ----------
        X : DataFrame, ndarray or list of rows, shape (n_interactions, n_columns)
            One interaction a row, not a matrix of users × items. The columns `user` and
            `item` hold ids of any type that can be hashed; other columns are ignored.
            pandas and polars frames keep the type of each column. Rows may repeat a pair.
        y : array-like of shape (n_interactions,), default=None
            Rating or weight of each interaction, >= 0. The weights of a repeated pair
            add up; what their sum counts is a parameter, `weighting`. If None, every row
            has weight 1.

        Returns
        -------
        self : object
            The fitted recommender.

        Raises
        ------
        ValueError
            If no column of X is known to hold users, or items, X looks like a matrix of
            users × items, an id is missing, X and y differ in length, or a weight is
            negative, not finite, or too large to be added up. With `half_life` also if
            times mix units, or a few of them are far after all others.
        TypeError
            If X is a sparse matrix.
        """
        with fit_task(self, X, y):
            self._learn(X, y)
            self.dislikes_, self.n_updates_ = {}, 0
        return self

    def predict(self, X: Table) -> Floats:
        """Score pairs of user and item.

        Parameters
        ----------
        X : DataFrame, ndarray or list of rows, shape (n_pairs, n_columns)
            Pairs, in the columns that `fit` was given. Of a frame whose columns of users
            and items `fit` found by name, these two are enough, in any order.

        Returns
        -------
        scores : ndarray of shape (n_pairs,)
            Finite scores, higher is better. An unknown user gets the popularity of the
            item, or what the recommender in `new_users` says, an unknown item 0, for
            nothing is known of it.

        Raises
        ------
        ValueError
            If an id is missing, or X has different columns than in `fit`.
        TypeError
            If an id is of a type that none of those in `fit` can equal, as in `recommend`.
        """
        check_is_fitted(self)
        self = take_snapshot(self)
        user_codes, item_codes = self._find_codes(X)
        popularity = self._model_for_new_users().popularity_
        scores = np.where(item_codes >= 0, popularity[item_codes], 0.0)
        known = (user_codes >= 0) & (item_codes >= 0)
        scores[known] = self.score_pairs(user_codes[known], item_codes[known])
        return scores

    def update(
        self,
        X: Table | None = None,
        y: ArrayLike | None = None,
        *,
        dislikes: Table | None = None,
    ) -> Self:
        """Add rows and dislikes without fitting again.

        New rows change what users have, the weights of their histories, what is popular,
        and the order of rows in time: all of it is as after `fit` with all rows. What the
        model knows of items stays as `fit` left it, and grows stale; fit again from time
        to time. Users who are new join.

        All of it is replaced at once. Threads that make lists meanwhile serve what there
        was before or what there is now, and nothing between; only one thread may update.

        Parameters
        ----------
        X : DataFrame, ndarray or list of rows, shape (n_interactions, n_columns), \
default=None
            Interactions since `fit`, or since the last update, in the columns that `fit`
            was given. Rows whose item `fit` has not seen are ignored, with a warning.
        y : array-like of shape (n_interactions,), default=None
            Weight of each interaction, as in `fit`.
        dislikes : DataFrame, ndarray or list of rows, shape (n_pairs, 2), default=None
            Users and items that they do not want to see. `recommend` and `rank` show them
            to these users no more, also with ``exclude_seen=False``; nothing else changes.
            Users may be unknown; items that `fit` has not seen are never shown anyway.
            `fit` forgets dislikes.

        Returns
        -------
        self : object
            The recommender.

        Raises
        ------
        ValueError
            If an id is missing, or X, y or their times would be refused by `fit`.
        TypeError
            If there is nothing to add, an id is of a type that none of those in `fit` can
            equal, or times are of another kind than in `fit`.
        NotImplementedError
            If the model keeps something of each user that cannot be found without
            fitting, as BPR of `implicit` does.
        """
        check_is_fitted(self)
        X, y = table_of(X, y)
        if X is None and (dislikes is None or y is not None):
            raise TypeError("`update` needs `X`, rows to add, or `dislikes`.")
        updated: Any = copy(self)
        rows: Any = X
        ignored: Any = () if X is None else updated._add(X, y)
        updated.n_updates_ += X is not None
        if dislikes is not None:
            add_dislikes(updated, dislikes)
        if len(ignored):
            warn_caller(
                f"{len(ignored):,} of {len(rows):,} row(s) have items that `fit` has not "
                f"seen, such as {shorten(ignored.tolist()[0])}: they are ignored. Fit "
                "again to recommend these items."
            )
        self.__dict__ = updated.__dict__
        return self

    def explain(self, user: Hashable, item: Hashable, n: int = 5) -> Explanation:
        """Explain the score of an item by the items of the user.

        Of `EASERecommender`, `SLIMRecommender`, `ItemNeighborsRecommender` and the
        item-item models of `ImplicitRecommender`, whose scores are sums over these items,
        and of `RepeatRecommender`: visits with the item, and the rest is popularity.

        Parameters
        ----------
        user : object
            Id of a user in `users_`.
        item : object
            Id of an item in `items_`, recommended or not.
        n : int, default=5
            Items to show, those that add or take away most; all others are one row.

        Returns
        -------
        explanation : Explanation
            Prints as a table, and has `to_frame` and `to_dict`. What it shows adds up to
            what `predict` returns.

        Raises
        ------
        ValueError
            If the user or the item is not in the data of `fit`.
        TypeError
            If the scores of the model are not such sums, or an id is of a type that none of
            those in `fit` can equal.
        """
        check_is_fitted(self)
        return explain_score(take_snapshot(self), user, item, n)

    def without_users(self) -> Self:
        """Return a copy without the users of `fit`, for `recommend_for_items`.

        It is smaller if there are many users, and holds no data of users.

        Returns
        -------
        recommender : object
            A fitted recommender that shares the data of items.

        Raises
        ------
        TypeError
            If the model needs its users, or wraps other recommenders.
        """
        check_is_fitted(self)
        if self._is_made_of_users or not {"users_", "interactions_"} <= set(vars(self)):
            raise TypeError(
                f"{type(self).__name__} makes lists from the users of `fit`, or from other "
                "recommenders; it cannot do without users."
            )
        left = copy(take_snapshot(self))
        for name in USER_ATTRIBUTES & set(vars(self)):
            setattr(left, name, getattr(self, name)[:0])
        left._counted, left.dislikes_ = left.interactions_, {}
        left._newest = None if self._newest is None else self._newest[:0]
        for name in ("history_", "_last_times"):
            left.__dict__.pop(name, None)
        return left

    def fit_interactions(self, interactions: sparse.csr_array) -> None:
        """Learn the model. The package calls it with positions; it checks nothing.

        A subclass defines this.

        Parameters
        ----------
        interactions : csr_array of shape (n_users, n_items)
            Weights of the pairs, also in `interactions_`; not to be modified.
        """
        raise _missing_method_error(self, "fit_interactions(self, interactions)")

    def score_histories(self, histories: sparse.csr_array) -> Matrix:
        """Score histories. The package calls it with positions; it checks nothing.

        A subclass defines this.

        Parameters
        ----------
        histories : csr_array of shape (n_histories, n_items)
            Weights of the items each user has.

        Returns
        -------
        scores : {array-like, sparse} of shape (n_histories, n_items)
            Finite scores in the order of `items_`, higher is better.
        """
        raise _missing_method_error(self, "score_histories(self, histories)")

    def score_users(self, users: Integers) -> Matrix:
        """Score known users. The package calls it with positions; it checks nothing.

        By default `score_histories` of their `histories_`.

        Parameters
        ----------
        users : ndarray of int, shape (n_users,)
            Positions in `users_`.

        Returns
        -------
        scores : {array-like, sparse} of shape (n_users, n_items)
            Finite scores in the order of `items_`.
        """
        return self.score_histories(take_rows(self.histories_, users))

    def score_pairs(self, users: Integers, items: Integers) -> Floats:
        """Score pairs. The package calls it with positions; it checks nothing.

        `predict` calls it.

        Parameters
        ----------
        users, items : ndarray of int, shape (n_pairs,)
            Positions in `users_` and in `items_`.

        Returns
        -------
        scores : array-like of shape (n_pairs,)
            Finite scores.
        """
        scores = np.empty(len(users))
        for chunk, rows, row in user_chunks(users, len(self.items_)):
            pairs = Pairs(row, items[rows], len(chunk))
            of_chunk = self._check_scores(self.score_users(chunk), chunk)
            scores[rows] = pair_scorer(of_chunk)(pairs)
        return scores

    def update_users(self, former: Integers, changed: Integers) -> None:
        """Refresh kept data. The package calls it with positions; it checks nothing.

        A subclass with `score_users`, `propose` or `fit_histories` defines this; others
        keep nothing. All attributes of this class are updated before the call.

        Parameters
        ----------
        former : ndarray of int, shape (n_former_users,)
            Where those who were in `users_` are now.
        changed : ndarray of int, shape (n_changed,)
            Positions in `users_` of those who have new rows, or are new.
        """
        keeps_users = type(self).score_users is not RecommenderMixin.score_users
        proposes = not self._has_lists_of_scores()
        if keeps_users or proposes or hasattr(self, "fit_histories"):
            raise _missing_method_error(self, "update_users(self, former, changed)")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()  # type: ignore[misc]  # BaseEstimator has it
        tags.estimator_type = "recommender"
        tags.target_tags.required = False
        tags.target_tags.positive_only = True
        tags.input_tags.string = True
        return tags

    def _find_codes(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the positions of the users and items of rows, -1 for unknown ones."""
        users, items = read_pairs(self, X, reset=False)
        user_codes = known_ids(self, "users_").find(users, name="user")
        return user_codes, known_ids(self, "items_").find(items, name="item")

    def _add(self, X: Any, y: Any) -> np.ndarray:
        """Add rows; return the items of ignored rows."""
        return add_rows(self, X, y)

    def _needs_order(self) -> bool:
        return self._has_order_weights() or hasattr(self, "fit_histories")

    def _learn(self, X: Any, y: Any) -> None:
        log = read_training_log(self, X, y)
        self.users_, self.items_ = log.users.values, log.items.values
        times, ages = times_of(self, log), (self.half_life, self.reference_time)
        self._last_times = last_times_of(log, self.time, times)

        def age() -> tuple:
            self._past = None
            return age_rows(self, times)[0], self._past

        decay, self._past = None, None
        if times is not None:
            decay, self._past = keep(log.kept, "ages", ages, age)

        def count() -> tuple:
            counts = log.weights
            if decay is not None:
                counts = decay if log.y is None else log.weights * decay
            count_rows(self, log.pairs, counts, decay)
            return _counted_parts(self), Kept()

        # Weights by age change with each half-life; the others are few.
        name = "counts", self.weighting, decay is None
        key = None if decay is None else ages
        counted, kept = keep(log.kept, name, key, count)
        vars(self).update(zip(_COUNTED, counted, strict=True))
        self.__dict__.pop("history_", None)  # from an earlier fit
        if times is not None and self._needs_order():
            put_in_order(self, log, times)
        self._kept = None if log.kept is None else kept
        try:
            self._prepare_lists()
            self.new_users_ = fit_for_new_users(self, X, y)
            self.fit_interactions(self.interactions_)
            if hasattr(self, "fit_histories"):
                self.fit_histories(self.history_)
            self._prepare_scores()
        finally:
            del self._kept

    def _score_parts(
        self, row: int, column: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """Return (items, weights, contributions, constant)."""
        if not self._adds_up:
            raise no_sum_error(self)
        history = self.histories_[[row]]
        parts = self.score_similar_items(history.indices)[:, [column]]
        parts = parts.toarray() if sparse.issparse(parts) else parts
        return history.indices, history.data, history.data * parts[:, 0], 0.0

    @property
    def _is_in_search(self) -> bool:
        """Whether a fit of a search is under way, which keeps results for the next."""
        return vars(self).get("_kept") is not None

    def _keep(
        self, source: Any, name: str, key: Any, make: Any, suffices: Any = operator.eq
    ) -> Any:
        """Return what `make` computes from the weights, once in a search.

        `source` are the weights: those of a subclass may be others.
        """
        kept = vars(self).get("_kept") if source is self.interactions_ else None
        return keep(kept, name, key, make, suffices)

    def _prepare_lists(self) -> None:
        """Compute derived attributes for lists; model files do not store them."""
        for attribute in ("users_", "items_"):
            known_ids(self, attribute)
        popularity = self.popularity_
        self._popularity_order = self._keep(
            vars(self).get("interactions_"),
            "order",
            None,
            lambda: PopularityOrder.from_popularity(popularity),
        )

    def _prepare_scores(self) -> None:
        """Compute derived attributes for scores; model files do not store them."""

    def _check_scores(self, scores: Any, rows: np.ndarray) -> Any:
        return check_model_scores(self, scores, (len(rows), len(self.items_)))

    def _approximate_scorer(self) -> Any:
        """Return a function from users to `ApproximateScores`; None if not faster."""
        return None

    def _unseen_scorer(self, histories: Any) -> Any:
        """Return a function from rows of `histories` to `UnseenScores`, or None.

        It returns None for rows that need `score_histories`.
        """
        return None

    def _is_scored_in_threads(self) -> bool:
        """Return whether scores need no BLAS, and no method of a user's class."""
        return False

    def _is_scored_by(self, own: type, *methods: str) -> bool:
        """Return whether this object still scores by these methods of `own`."""
        kind, replaced = type(self), any(name in vars(self) for name in methods)
        return not replaced and all(getattr(kind, n) is getattr(own, n) for n in methods)

    def _has_popularity_scores(self) -> bool:
        """Return whether the scores of all users are `popularity_`."""
        return False


# What `count_rows` finds.
_COUNTED = ["interactions_", "seen_", "popularity_", "histories_", "_counted", "_newest"]
_counted_parts = operator.attrgetter(*_COUNTED)


def _missing_method_error(recommender: object, method: str) -> NotImplementedError:
    return NotImplementedError(f"{type(recommender).__name__} must define `{method}`.")


def check_recommender(name: str, given: Any) -> None:
    """Raise unless a model is a recommender of this package, or inherits from its mixin."""
    needed = "a recommender of this package, such as EASERecommender()"
    check_given(name, given, isinstance(given, RecommenderMixin), needed)


def fit_for_new_users(recommender: Any, X: Any, y: Any) -> Any:
    """Return `new_users` fitted on the same columns; by default popularity."""
    given = recommender.new_users
    if isinstance(given, str):
        otherwise = f"Or give a recommender, such as {_EXAMPLE}."
        check_option("new_users", given, [_POPULAR], otherwise=otherwise)
        return None
    needed = f"{_POPULAR!r} or a recommender of this package, such as {_EXAMPLE}"
    check_given("new_users", given, isinstance(given, ListsMixin), needed)
    other = clone_with_columns(recommender, given).fit(X, y)
    if other._pair_positions != recommender._pair_positions:
        columns = [(one.user_column_, one.item_column_) for one in (other, recommender)]
        raise ValueError(
            f"`new_users` has users and items in the columns {columns[0]}, but "
            f"{type(recommender).__name__} in {columns[1]}; leave out its columns."
        )
    return other
