"""RecommenderMixin: what every recommender shares."""

from __future__ import annotations

import operator
from collections.abc import Hashable
from copy import copy
from dataclasses import replace
from typing import Any, Literal, Self, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from sklearn_rank._base._messages import shorten, warn_caller, warn_misleading
from sklearn_rank._base._sklearn import CallbackSupportMixin, fit_task, with_callbacks
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._interaction_log import table_of
from sklearn_rank.inputs._kept import keep
from sklearn_rank.inputs._last_times import LastTimes
from sklearn_rank.recommenders import _lists
from sklearn_rank.recommenders._explanation import (
    Explanation,
    explain_score,
    parts_of_score,
)
from sklearn_rank.recommenders._fitted import Fitted, learned
from sklearn_rank.recommenders._histories import OrderedHistories
from sklearn_rank.recommenders._list_maker import (
    ListMaker,
    Proposer,
    ScoreRows,
    check_model_scores,
)
from sklearn_rank.recommenders._log_weights import LogParameters, read_rows, weigh_histories
from sklearn_rank.recommenders._pairs import Pairs, Popularity, take_rows
from sklearn_rank.recommenders._read_pairs import (
    fit_for_new_users,
    read_pairs,
    read_training_log,
)
from sklearn_rank.recommenders._top_k import pair_scorer, user_chunks
from sklearn_rank.recommenders._updates import add_dislikes, add_rows
from sklearn_rank.typing import (
    ArrayLike,
    Floats,
    Integers,
    ItemLists,
    ItemSets,
    Labels,
    Matrix,
    Table,
)


@explained
class RecommenderMixin(LogParameters, CallbackSupportMixin):
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

    A model that relates items to each other writes ``score_similar_items(items)``, and then
    has `similar_items`.

    A recommender that makes lists in another way, such as from candidates of other
    recommenders, writes ``propose(users, k, hidden)`` in place of `score_histories`, which
    returns the items of each user and their scores, and ``score_pairs`` for `predict`. With
    ``propose_histories(histories, k, hidden)`` it has `recommend_for_items`.

    The constructor of the subclass should take ``user=None`` and
    ``item=None``, the columns of the ids by position or name. If None, those named ``user``
    or ``user_id`` and ``item`` or ``item_id``; for arrays the first two. It may take any of

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

    One that recommends what others took right after the last item of a user:

    >>> class NextItem(RecommenderMixin, BaseEstimator):
    ...     def __init__(self, *, time=None, user=None, item=None):
    ...         self.time, self.user, self.item = time, user, item
    ...     def fit_interactions(self, interactions):
    ...         self.after_ = np.zeros((interactions.shape[1],) * 2)
    ...     def fit_histories(self, history):
    ...         is_next = history.users[1:] == history.users[:-1]
    ...         pairs = history.items[:-1][is_next], history.items[1:][is_next]
    ...         np.add.at(self.after_, pairs, 1)
    ...         self.last_ = history.items[history.starts[1:] - 1]
    ...     def score_users(self, users):
    ...         return self.after_[self.last_[users]]
    >>> X = [["ann", "tea", 1], ["ann", "milk", 2], ["bob", "jam", 1], ["bob", "tea", 2]]
    >>> NextItem(time=2).fit(X).recommend(["bob"], k=1).tolist()
    [['milk']]
    """

    users_: NDArray[Any] = learned("users.labels")
    items_: NDArray[Any] = learned("items.labels")
    user_column_: str | int = learned("columns.user_label")
    item_column_: str | int = learned("columns.item_label")
    seen_: sparse.csr_array = learned("weights.seen")
    interactions_: sparse.csr_array = learned("weights.interactions")
    histories_: sparse.csr_array = learned("histories")
    popularity_: Floats = learned("weights.popularity.values")
    n_updates_: int = learned("n_updates")
    dislikes_: dict[Any, tuple] = learned("dislikes")
    new_users_: RecommenderMixin | None = learned("new_users")
    _pair_positions: tuple[int, int] = learned("columns.positions")
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    # The column of times, and the last time of each user, where X has times.
    _last_times: LastTimes | None = learned("last_times")
    _fitted: Fitted
    score_similar_items: Any
    _is_made_of_users = False
    # Whether scores are sums of `score_similar_items` over the items of the user.
    _adds_up = False

    # Methods that are functions of other files; some subclasses have their own.
    _add = add_rows
    _histories_of_lists = _lists.weigh_lists
    _score_parts = parts_of_score
    _weigh_histories = weigh_histories

    @property
    def history_(self) -> OrderedHistories:
        """The rows by user, time and row number."""
        if self._fitted.history is None:
            raise AttributeError("`history_` needs `recency` or `fit_histories`.")
        return self._fitted.history

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
        return self

    def predict(self, X: Table) -> Floats:
        """Score pairs of user and item.

        Parameters
        ----------
        X : DataFrame, ndarray or list of rows, shape (n_pairs, n_columns)
            Pairs, in the columns that `fit` was given. For a frame whose columns of users
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
        model = self._as_fitted()
        fitted, (users, items) = model._fitted, read_pairs(model, X)
        user_codes = fitted.users.find(users, name="user")
        item_codes = fitted.items.find(items, name="item")
        popularity = model._popularity_for_new_users().values
        scores = np.where(item_codes >= 0, popularity[item_codes], 0.0)
        is_known = (user_codes >= 0) & (item_codes >= 0)
        scores[is_known] = model.score_pairs(user_codes[is_known], item_codes[is_known])
        return scores

    @overload
    def recommend(
        self,
        users: Labels,
        k: int = 10,
        *,
        exclude_seen: bool | None = None,
        return_scores: Literal[False] = False,
        items: ItemSets | None = None,
        exclude: ItemSets | None = None,
    ) -> NDArray[Any]: ...

    @overload
    def recommend(
        self,
        users: Labels,
        k: int = 10,
        *,
        exclude_seen: bool | None = None,
        return_scores: Literal[True],
        items: ItemSets | None = None,
        exclude: ItemSets | None = None,
    ) -> tuple[NDArray[Any], Floats]: ...

    def recommend(
        self,
        users: Labels,
        k: int = 10,
        *,
        exclude_seen: bool | None = None,
        return_scores: bool = False,
        items: ItemSets | None = None,
        exclude: ItemSets | None = None,
    ) -> NDArray[Any] | tuple[NDArray[Any], Floats]:
        """Recommend items to users.

        Parameters
        ----------
        users : array-like of shape (n_users,)
            User ids; users not in `users_` get the most popular items, or those of the
            recommender in `new_users`. To catch mistakes, an id must have the type of an id
            in `users_`: numbers, strings, bytes, dates, datetimes, durations, tuples or
            another.
        k : int, default=10
            Length of each list. At most the number of items that may be recommended.
        exclude_seen : bool, default=None
            Leave out the items the user has in the training data. If None, as the
            constructor says.
        return_scores : bool, default=False
            Return the scores as well.
        items : array-like of item ids or mapping, default=None
            Recommend only these items. Ids that `fit` has not seen are ignored; at
            least one must be known. If None, all of `items_`. A mapping from user to item
            ids gives each user candidates of his or her own, such as sampled negatives
            or what is in stock in a store; each of `users` must be in it, and a list may
            be empty.
        exclude : array-like of item ids or mapping, default=None
            Never recommend these items. Unknown ids are ignored. A mapping from user to
            item ids excludes them for that user; for users not in it, nothing.

        Returns
        -------
        recommended : ndarray of shape (n_users, k)
            Item ids, best first, in the type of `items_`. Equal scores are ordered by
            popularity, then as in `items_`.
        scores : ndarray of shape (n_users, k)
            Only with ``return_scores=True``. Where a user has fewer than `k` items left,
            the row is filled up with seen ones by popularity, and where these are too few
            with what is ruled out or disliked. Their score is -inf: not recommended.
            Without `return_scores` a warning says so.

        Raises
        ------
        ValueError
            If an id is missing, `k` is not a number of items that may be recommended,
            none of `items` is known, a user is not in a mapping `items`, or the lists need
            more memory than there is.
        TypeError
            If an id is of a type that none of those in `fit` can equal, so that it could
            never be known.

        Warns
        -----
        MisleadingScoreWarning
            If three users or more are given and none is known, unless `new_users` says what
            they get, or the model recommends what is popular to all.
        """
        lists = self._recommend_positions(users, k, exclude_seen, items, exclude, True)
        return _lists.as_ids(self, lists, return_scores)

    @overload
    def recommend_for_items(
        self,
        item_lists: ItemLists,
        k: int = 10,
        *,
        exclude_seen: bool | None = None,
        return_scores: Literal[False] = False,
        items: Labels | None = None,
        exclude: Labels | None = None,
    ) -> NDArray[Any]: ...

    @overload
    def recommend_for_items(
        self,
        item_lists: ItemLists,
        k: int = 10,
        *,
        exclude_seen: bool | None = None,
        return_scores: Literal[True],
        items: Labels | None = None,
        exclude: Labels | None = None,
    ) -> tuple[NDArray[Any], Floats]: ...

    def recommend_for_items(
        self,
        item_lists: ItemLists,
        k: int = 10,
        *,
        exclude_seen: bool | None = None,
        return_scores: bool = False,
        items: Labels | None = None,
        exclude: Labels | None = None,
    ) -> NDArray[Any] | tuple[NDArray[Any], Floats]:
        """Recommend items to users who are given by their items instead of an id.

        Serves users who came after `fit`, without fitting again ("fold-in").

        Parameters
        ----------
        item_lists : sequence of sequences or mappings
            For each user the ids of the items they have, or a mapping from id to
            weight. An id in a list counts 1 each time. Ids that `fit` has not seen are
            ignored; a user left without any is a new one, as in `recommend`. With
            `recency` lists in the order of time, the newest item last, each at a place
            of its own.
        k : int, default=10
            Length of each list, as in `recommend`.
        exclude_seen : bool, default=None
            Leave out the items given for the user. If None, as the constructor says.
        return_scores : bool, default=False
            Return the scores as well.
        items : array-like of item ids, default=None
            Recommend only these items, as in `recommend`.
        exclude : array-like of item ids, default=None
            Never recommend these items, as in `recommend`.

        Returns
        -------
        recommended : ndarray of shape (n_users, k)
            Item ids, best first, as `recommend` returns them.
        scores : ndarray of shape (n_users, k)
            Only with ``return_scores=True``; -inf as in `recommend`.

        Raises
        ------
        ValueError
            If a weight is negative or not finite, or as in `recommend`.
        TypeError
            If `item_lists` holds no lists, or with `recency` sets or mappings, which have
            no order, or as in `recommend`.
        """
        model = self._as_fitted()
        sets = items, exclude
        lists = _lists.recommend_to_histories(model, item_lists, k, exclude_seen, sets)
        return _lists.as_ids(model, lists, return_scores)

    @overload
    def similar_items(
        self, items: Labels, k: int = 10, *, return_scores: Literal[False] = False
    ) -> NDArray[Any]: ...

    @overload
    def similar_items(
        self, items: Labels, k: int = 10, *, return_scores: Literal[True]
    ) -> tuple[NDArray[Any], Floats]: ...

    @available_if(lambda model: hasattr(model, "score_similar_items"))
    @explained
    def similar_items(
        self, items: Labels, k: int = 10, *, return_scores: bool = False
    ) -> NDArray[Any] | tuple[NDArray[Any], Floats]:
        """Return the items most similar to each of some items.

        Parameters
        ----------
        items : array-like of item ids, shape (n_given,)
            Items in `items_`.
        k : int, default=10
            Length of each list, less than the number of items in `items_`.
        return_scores : bool, default=False
            Return the scores as well.

        Returns
        -------
        similar : ndarray of shape (n_given, k)
            Item ids, best first, in the type of `items_`; never the given item. Equal
            scores are ordered by popularity, then as in `items_`.
        scores : ndarray of shape (n_given, k)
            Only with ``return_scores=True``; 0 for an item that the model does not relate
            to the given one. See `score_similar_items`.

        Raises
        ------
        ValueError
            If an id is missing or not in `items_`, or there are not so many other items.
        TypeError
            If an id is of a type that none of those in `fit` can equal.
        """
        lists = _lists.list_similar_items(self._as_fitted(), items, k)
        return lists if return_scores else lists[0]

    def rank(
        self,
        users: Labels,
        k: int = 10,
        *,
        exclude_seen: bool | None = None,
        items: ItemSets | None = None,
        exclude: ItemSets | None = None,
    ) -> dict[str, NDArray[Any]]:
        """Recommend items to users, as a long table.

        Parameters
        ----------
        users : array-like of shape (n_users,)
            User ids, as in `recommend`.
        k : int, default=10
            Length of each list. Users who have fewer items left get fewer.
        exclude_seen : bool, default=None
            Leave out the items the user has in the training data. If None, as the
            constructor says.
        items : array-like of item ids or mapping, default=None
            Recommend only these items, as in `recommend`.
        exclude : array-like of item ids or mapping, default=None
            Never recommend these items, as in `recommend`.

        Returns
        -------
        table : dict of str to ndarray
            The columns ``query`` (the user), ``item``, ``rank`` (from 1) and ``score``, as
            the rankers' `rank` returns them. ``pandas.DataFrame(table)`` is a frame of it.
        """
        options: dict[str, Any] = {"exclude_seen": exclude_seen, "items": items}
        lists = self.recommend(users, k, exclude=exclude, return_scores=True, **options)
        return _lists.as_table(users, lists)

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

        All of it is replaced at once. Threads that make lists meanwhile see the state
        before or after the update, never a mixture; only one thread may update.

        Parameters
        ----------
        X : DataFrame, ndarray or list of rows, shape (n_interactions, n_columns), \
default=None
            Interactions since `fit`, or since the last update, in the columns that `fit`
            was given. Rows whose item `fit` has not seen are ignored, with a warning.
        y : array-like of shape (n_interactions,), default=None
            Weight of each interaction, as in `fit`.
        dislikes : DataFrame, ndarray or list of rows, shape (n_pairs, 2), default=None
            Users and items that they do not want to see. `recommend` and `rank` no longer
            show them to these users, also with ``exclude_seen=False``; nothing else
            changes. Users may be unknown; items that `fit` has not seen are never shown
            anyway. `fit` forgets dislikes.

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
        if X is not None:
            n_updates = self.n_updates_ + 1
            updated._fitted = replace(updated._fitted, n_updates=n_updates)
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

        For `EASERecommender`, `SLIMRecommender`, `ItemNeighborsRecommender` and the
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
        return explain_score(self._as_fitted(), user, item, n)

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
        left: Any = copy(self._as_fitted())
        if self._is_made_of_users:
            raise TypeError(
                f"{type(self).__name__} makes lists from the users of `fit`, or from other "
                "recommenders; it cannot do without users."
            )
        left._fitted = left._fitted.without_users()
        if "user_factors_" in vars(left):
            left.user_factors_ = left.user_factors_[:0]
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

    def propose(
        self, users: Integers, k: int, hidden: sparse.csr_array
    ) -> tuple[NDArray[Any], Floats]:
        """Propose items. The package calls it with positions; it checks nothing.

        `recommend`, `rank` and scorers call it if a subclass defines it. By default it
        returns the best of the scores of all items. A recommender that wraps others calls
        it for their candidates.

        Parameters
        ----------
        users : ndarray of int, shape (n_users,)
            Positions in `users_`.
        k : int
            Length of the lists that are wanted. More items may be proposed, such as a
            fixed number of candidates: the `k` best remain. Or fewer: a list is then
            filled up with what is popular, which scores -inf.
        hidden : csr_array of bool, shape (n_users, n_items)
            True for the items that may not be in the list of a user: those the user has,
            unless seen items are recommended, what is excluded, and where there are
            candidates all others. ``scores[hidden.nonzero()] = -inf`` takes them out of
            dense scores. Those that are proposed all the same are dropped.

        Returns
        -------
        items : ndarray of int, shape (n_users, n_proposed)
            Positions in `items_`, none twice in a row; -1 where there is nothing. In any
            order, but of equal scores the item proposed first comes first.
        scores : ndarray of shape (n_users, n_proposed)
            Higher is better; -inf: not retrieved.
        """
        scoring = _lists.scoring_of_users(self, users)
        return _lists.propose_by_score(self, scoring, k, hidden)

    def propose_histories(
        self, histories: sparse.csr_array, k: int, hidden: sparse.csr_array
    ) -> tuple[NDArray[Any], Floats]:
        """Propose for histories. The package calls it with positions; it checks nothing.

        `recommend_for_items` calls it.

        Parameters
        ----------
        histories : csr_array of shape (n_histories, n_items)
            Weights of the items each user has.
        k : int
            Length of the lists that are wanted.
        hidden : csr_array of bool, shape (n_histories, n_items)
            True for the items that may not be in a list.

        Returns
        -------
        items, scores : ndarray of shape (n_histories, n_proposed)
            As `propose` returns them.
        """
        if not self._has_lists_of_scores():
            raise NotImplementedError(
                f"{type(self).__name__} must define `propose_histories(self, histories, "
                "k, hidden)` beside `propose` to recommend for items."
            )
        scoring = _lists.scoring_of_histories(self, histories)
        return _lists.propose_by_score(self, scoring, k, hidden)

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

    def __sklearn_is_fitted__(self) -> bool:
        return "_fitted" in vars(self)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()  # type: ignore[misc]  # BaseEstimator has it
        tags.estimator_type = "recommender"
        tags.target_tags.required = False
        tags.target_tags.positive_only = True
        tags.input_tags.string = True
        return tags

    def _as_fitted(self) -> Self:
        """Return the model as it is now; an update replaces all that it knows at once.

        The methods of a subclass then see one state, also while another thread updates.
        """
        check_is_fitted(self)
        current = object.__new__(type(self))
        current.__dict__ = self.__dict__
        return current

    def _recommend_positions(
        self, users, k=10, exclude_seen=None, items=None, exclude=None, warns=False
    ):
        """Return what `recommend` does with scores, with positions in `items_` for ids."""
        candidates = items, exclude
        return _lists.recommend_to_users(
            self._as_fitted(), users, k, exclude_seen, candidates, warns=warns
        )

    def _ranks_in_lists(self, users, row, item, exclude_seen=None):
        """Return how many items are above those of pairs, and the lengths of the lists.

        The lists are those of `recommend` for all items. Pairs are rows of `users`, which
        ascend, and positions of items. None unless lists are items sorted by their scores.
        """
        makers, kind = ("recommend", "_recommend_positions"), type(self)
        are_own = all(getattr(kind, m) is vars(RecommenderMixin)[m] for m in makers)
        if not (are_own and self._has_lists_of_scores()):
            return None
        return _lists.ranks_in_lists(self._as_fitted(), users, row, item, exclude_seen)

    def _warn_of_unknown_users(self, n_users: int) -> None:
        if self.new_users_ is None and not self._has_popularity_scores():
            warn_misleading(
                f"None of {n_users:,} users is in the data of fit, so all get the popular "
                "items. Are these the ids of fit, and its columns in order?"
            )

    def _check_cutoff(self, k: Any) -> None:
        """Raise if the model has no lists of this length."""

    def _has_lists_of_scores(self) -> bool:
        """Return whether lists come from scores, not from `propose` of a subclass."""
        return self._is_scored_by(RecommenderMixin, "propose")

    def _proposer_for_lists(self, item_lists: Any, histories: Any) -> Proposer:
        """Return a function from rows of the lists to proposals."""
        return lambda rows, k, hidden: self.propose_histories(histories[rows], k, hidden)

    def _popularity_for_new_users(self) -> Popularity:
        """Return the popularity of items by which new users get them."""
        if self.new_users_ is None:
            return self._fitted.weights.popularity
        return self.new_users_._popularity_for_new_users()

    def _fill_new(self, lists: ListMaker, rows: np.ndarray) -> None:
        """Make the lists of unknown users, in the order of `lists`."""
        lists.fill_by_popularity(rows)

    def _users_scorer(self, codes: np.ndarray) -> ScoreRows:
        """Return a function from rows of users to their scores."""
        return lambda rows: self.score_users(codes[rows])

    def _has_order_weights(self) -> bool:
        return self.recency is not None

    def _needs_order(self) -> bool:
        return self._has_order_weights() or hasattr(self, "fit_histories")

    def _learn(self, X: Any, y: Any) -> Any:
        """Learn from rows, and return them as they were read."""
        log = read_training_log(self, X, y)
        self._kept = read_rows(self, log)
        try:
            new_users = fit_for_new_users(self, X, y)
            self._fitted = replace(self._fitted, new_users=new_users)
            self.fit_interactions(self.interactions_)
            if hasattr(self, "fit_histories"):
                self.fit_histories(self.history_)
            self._prepare_scores()
        finally:
            del self._kept
        return log

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


def _missing_method_error(recommender: object, method: str) -> NotImplementedError:
    return NotImplementedError(f"{type(recommender).__name__} must define `{method}`.")
