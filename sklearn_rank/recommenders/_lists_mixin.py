"""Lists of recommendations for users, known by id or by their items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from sklearn_rank._base._known_ids import known_ids
from sklearn_rank._base._labels import as_vector
from sklearn_rank._base._messages import warn_caller, warn_misleading
from sklearn_rank._base._validation import check_option
from sklearn_rank._hints._explain import explained
from sklearn_rank.recommenders._candidates import Candidates, check_length, read_candidates
from sklearn_rank.recommenders._histories import OrderedHistories
from sklearn_rank.recommenders._list_maker import ListMaker, Proposer, Scoring
from sklearn_rank.recommenders._log_weights import weigh_histories
from sklearn_rank.recommenders._pair_weights import apply_weighting
from sklearn_rank.recommenders._pairs import Pairs, count_lists, read_item_lists, take_rows
from sklearn_rank.recommenders._rank_counter import RankCounter
from sklearn_rank.recommenders._top_k import top_k_of_row
from sklearn_rank.recommenders._updates import take_snapshot
from sklearn_rank.typing import (
    Column,
    Duration,
    Estimator,
    Floats,
    Integers,
    ItemLists,
    ItemSets,
    Labels,
    Moment,
    Weighting,
)

# From this many users on, a float32 copy of all factors pays off.
_MANY_USERS = 100
_LENGTH = "Write k=, the length of a list."
# So many users that are all unknown look like a mistake.
_LEAST_UNKNOWN = 3
_ONE_ROW = np.zeros(1, dtype=np.intp)


@dataclass(init=False, eq=False, repr=False, kw_only=True)
class LogParameters:
    """Parameters for reading and weighting a log, and for making lists.

    A subclass that is a dataclass takes all of these by keyword. A subclass with its own
    constructor may take some; the others keep their defaults.
    """

    weighting: Weighting = "binary"
    half_life: Duration | None = None
    time: Column | None = None
    reference_time: Moment | None = None
    recency: float | None = None
    exclude_seen: bool = True
    new_users: Estimator | Literal["popularity"] = "popularity"
    user: Column | None = None
    item: Column | None = None

    # Parameters of the weights: in a search, models with equal ones share work.
    _weighed_by: ClassVar[tuple[str, ...]] = ("weighting", "half_life")


@explained
class ListsMixin(LogParameters):
    """`recommend`, `recommend_for_items` and `rank`, for all recommenders."""

    score_users: Any
    score_histories: Any
    _popularity_order: Any
    _check_scores: Any
    _approximate_scorer: Any
    _unseen_scorer: Any
    _is_scored_in_threads: Any
    _has_popularity_scores: Any
    new_users_: ListsMixin | None
    users_: NDArray[Any]
    items_: NDArray[Any]
    histories_: sparse.csr_array
    seen_: sparse.csr_array
    popularity_: Floats

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
            recommender in `new_users`. So that a mistake does not pass for that, ids must
            be of a type that one of `users_` is of: numbers, strings, bytes, dates,
            datetimes, durations, tuples or another.
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
            Only with ``return_scores=True``. Where a user has fewer than `k`
            items left, the row is filled up with seen ones by popularity, and where these
            are too few with what is ruled out or disliked. Their score is -inf: not
            recommended.
            Without scores to tell them, a warning says so.

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
        positions, scores = self._recommend_positions(
            users, k, exclude_seen=exclude_seen, items=items, exclude=exclude, warns=True
        )
        return self._positions_to_ids(positions, scores, return_scores)

    def _recommend_positions(
        self, users, k=10, *, exclude_seen=None, items=None, exclude=None, warns=False
    ):
        """Return what `recommend` does with scores, with positions in `items_` for ids."""
        check_is_fitted(self, "items_")
        self = take_snapshot(self)
        codes = known_ids(self, "users_").find(users, name="users")
        if warns and len(codes) >= _LEAST_UNKNOWN and (codes < 0).all():
            self._warn_of_unknown_users(len(codes))
        return self._recommend(
            codes >= 0,
            self._scoring_of_users(codes),
            partial(self._seen_of_codes, codes),
            k,
            read_candidates(self, users, items, exclude),
            exclude_seen,
            lambda rows, k, hidden: self.propose(codes[rows], k, hidden),
        )

    def _ranks_in_lists(self, users, row, item, exclude_seen=None):
        """Return (items above each pair, -1 where it is not listed; lengths of the lists).

        The lists are those of `recommend` for all items. Pairs are rows of `users`, which
        ascend, and positions of items. None unless lists are items sorted by their scores.
        """
        check_is_fitted(self, "items_")
        self = take_snapshot(self)
        makers = "recommend", "_recommend_positions", "_recommend", "_fill_new"
        kind = type(self)
        are_sorted = all(getattr(kind, name) is vars(ListsMixin)[name] for name in makers)
        if not (are_sorted and self._has_lists_of_scores()):
            return None
        if not read_candidates(self, users, None, None).has_all:
            return None
        codes = known_ids(self, "users_").find(users, name="users")
        seen: Any = None
        if self._is_seen_excluded(exclude_seen):
            seen = partial(self._seen_of_codes, codes)
        order, pairs = self._popularity_order, Pairs(row, item, len(codes))
        counter = RankCounter(pairs, self.popularity_, order, seen)
        scoring = self._scoring_of_users(codes)
        if self._has_popularity_scores():
            by_popularity = -order.rank.astype(float)
            scoring = Scoring(lambda rows: np.tile(by_popularity, (len(rows), 1)))
        counter.fill_by_score((codes >= 0).nonzero()[0], scoring)
        unknown = (codes < 0).nonzero()[0]
        if len(unknown):
            other = self._model_for_new_users()
            counter.fill_by_order(unknown, other._popularity_order)
        return counter.above, counter.n_listed

    def _seen_of_codes(self, codes: np.ndarray, rows: np.ndarray) -> Pairs:
        return Pairs.from_rows(self.seen_, codes[rows])

    def _warn_of_unknown_users(self, n_users: int) -> None:
        if self.new_users_ is None and not self._has_popularity_scores():
            warn_misleading(
                f"None of {n_users:,} users is in the data of fit, so all get the popular "
                "items. Are these the ids of fit, and its columns in order?"
            )

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
        check_is_fitted(self, "items_")
        self = take_snapshot(self)
        histories = self._histories_of_lists(item_lists)
        positions, scores = self._recommend(
            np.diff(histories.indptr) > 0,
            self._scoring_of_histories(histories),
            lambda rows: Pairs.from_rows(histories, rows),
            k,
            read_candidates(self, None, items, exclude),
            exclude_seen,
            self._proposer_for_lists(item_lists, histories),
        )
        return self._positions_to_ids(positions, scores, return_scores)

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
        how: dict[str, Any] = {"exclude_seen": exclude_seen, "items": items}
        found, scores = self.recommend(users, k, exclude=exclude, return_scores=True, **how)
        row, column = np.nonzero(~np.isneginf(scores))
        return {
            "query": as_vector(users, name="users")[row],
            "item": found[row, column],
            "rank": column + 1,
            "score": scores[row, column],
        }

    def _has_order_weights(self) -> bool:
        return self.recency is not None

    def _weigh_histories(
        self, history: OrderedHistories, decay: np.ndarray | None = None
    ) -> sparse.csr_array:
        return weigh_histories(self, history, decay)

    def _is_seen_excluded(self, exclude_seen: bool | None) -> bool:
        wanted = self.exclude_seen if exclude_seen is None else exclude_seen
        check_option("exclude_seen", wanted, (True, False))
        return bool(wanted)

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
        return self._propose(self._scoring_of_users(users), k, hidden)

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
        return self._propose(self._scoring_of_histories(histories), k, hidden)

    def _histories_of_lists(self, item_lists: Any) -> sparse.csr_array:
        items = known_ids(self, "items_")
        rows = read_item_lists(item_lists, items, self.recency)
        if self._has_order_weights():
            history = OrderedHistories.from_lists(*rows, len(item_lists))
            return self._weigh_histories(history)
        counted = count_lists(*rows, (len(item_lists), len(items.labels)))
        return apply_weighting(counted, self.weighting)

    def _proposer_for_lists(self, item_lists: Any, histories: Any) -> Proposer:
        """Return a function from rows of the lists to proposals."""
        return lambda rows, k, hidden: self.propose_histories(histories[rows], k, hidden)

    def _has_lists_of_scores(self) -> bool:
        """Return whether lists come from scores, not from `propose` of a subclass."""
        return type(self).propose is ListsMixin.propose and "propose" not in vars(self)

    def _propose(self, scoring: Scoring, k: int, hidden: Any) -> Any:
        n_users, n_items = hidden.shape
        how = self.popularity_, self._popularity_order, partial(Pairs.from_rows, hidden)
        lists = ListMaker(n_users, min(k, n_items), *how)
        scoring = replace(scoring, unseen=None)  # it hides seen items only
        self._fill(lists, np.arange(n_users), scoring)
        return lists.columns, lists.best

    def _scoring_of_users(self, codes: np.ndarray) -> Scoring:
        approximate = self._approximate_scorer() if len(codes) >= _MANY_USERS else None
        unseen = self._unseen_scorer(self.histories_)
        return self._scoring(
            lambda rows: self.score_users(codes[rows]),
            approximate and (lambda rows: approximate(codes[rows])),
            unseen and (lambda rows: unseen(codes[rows])),
        )

    def _scoring_of_histories(self, histories: Any) -> Scoring:
        return self._scoring(
            lambda rows: self.score_histories(take_rows(histories, rows)),
            unseen=self._unseen_scorer(histories),
        )

    def _scoring(
        self,
        exactly: Callable[[np.ndarray], Any],
        approximately: Callable[[np.ndarray], Any] | None = None,
        unseen: Callable[[np.ndarray], Any] | None = None,
    ) -> Scoring:
        return Scoring(
            lambda rows: self._check_scores(exactly(rows), rows),
            approximately,
            unseen,
            is_threaded=self._is_scored_in_threads(),
        )

    def _recommend(
        self,
        is_known: np.ndarray,
        scoring: Scoring,
        seen: Callable[[np.ndarray], Pairs],
        k: int,
        candidates: Candidates,
        exclude_seen: bool | None,
        propose: Proposer,
    ) -> tuple[np.ndarray, np.ndarray]:
        order = candidates.restrict(self._popularity_order)
        k = check_length(k, len(order.items), len(self.items_))
        seen_or_none = seen if self._is_seen_excluded(exclude_seen) else None
        if len(is_known) == 1 and is_known[0] and seen_or_none and candidates.has_all:
            found = self._recommend_to_one(scoring, k)
            if found is not None:
                return found
        how = self.popularity_, order, seen_or_none, candidates
        lists = ListMaker(len(is_known), k, *how)
        known, unknown = is_known.nonzero()[0], (~is_known).nonzero()[0]
        if self._has_lists_of_scores():
            self._fill(lists, known, scoring)
        else:
            lists.fill_by_proposal(known, propose, self)
        if len(unknown):
            other = self._model_for_new_users()
            order = candidates.restrict(other._popularity_order)
            self._fill_new(lists.with_order(other.popularity_, order), unknown)
        return lists.columns, lists.best

    def _fill_new(self, lists: ListMaker, rows: np.ndarray) -> None:
        """Make the lists of unknown users, in the order of `lists`."""
        lists.fill_by_popularity(rows)

    def _recommend_to_one(self, scoring: Scoring, k: int) -> Any:
        """Return the list of one known user; None if one product does not decide it."""
        if scoring.unseen is None or not self._has_lists_of_scores():
            return None
        scores = scoring.unseen(_ONE_ROW)
        return scores and top_k_of_row(
            scores.values, scores.item_of_column[scores.columns], k, self._popularity_order
        )

    def _model_for_new_users(self) -> Any:
        """Return the recommender whose popular items new users get."""
        return self if self.new_users_ is None else self.new_users_._model_for_new_users()

    def _fill(self, lists: ListMaker, rows: np.ndarray, scoring: Scoring) -> None:
        if self._has_popularity_scores():
            lists.fill_by_popularity(rows)
        else:
            lists.fill_by_score(rows, scoring)

    def _positions_to_ids(
        self, positions: np.ndarray, scores: np.ndarray, return_scores: bool
    ) -> Any:
        recommended = self.items_[positions]
        check_option("return_scores", return_scores, (True, False))
        if return_scores:
            return recommended, scores
        n_filled, (n_users, k) = np.count_nonzero(np.isneginf(scores[:, -1])), scores.shape
        if n_filled:
            warn_caller(
                f"{n_filled} of {n_users} user(s) have fewer than {k} items left, such as "
                "unseen ones, or get fewer candidates: their rows are filled up with "
                "others. Lower `k`, or pass return_scores=True and drop what scores -inf."
            )
        return recommended
