"""Lists of recommendations for users, known by id or by their items, and for items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._base._ids import read_ids
from sklearn_rank._base._labels import as_vector
from sklearn_rank._base._messages import warn_caller
from sklearn_rank._base._validation import check_integer, check_option, shorten
from sklearn_rank.recommenders._candidates import Candidates, check_length, read_candidates
from sklearn_rank.recommenders._fitted import Fitted
from sklearn_rank.recommenders._histories import OrderedHistories
from sklearn_rank.recommenders._list_maker import (
    ItemsAndScores,
    ListMaker,
    Proposer,
    RankCounter,
    Scoring,
)
from sklearn_rank.recommenders._pair_weights import apply_weighting
from sklearn_rank.recommenders._pairs import Pairs, count_lists, read_item_lists, take_rows
from sklearn_rank.recommenders._top_k import top_k_of_row

# From this many users on, a float32 copy of all factors pays off.
_MANY_USERS = 100
# So many users that are all unknown look like a mistake.
_LEAST_UNKNOWN = 3
_ONE_ROW = np.zeros(1, dtype=np.intp)


def recommend_to_users(
    model: Any,
    users: Any,
    k: Any,
    exclude_seen: bool | None,
    candidates: tuple,
    *,
    warns: bool,
) -> ItemsAndScores:
    """Return positions of items and their scores; `candidates` are `items`, `exclude`."""
    fitted = model._fitted
    codes = fitted.users.find(users, name="users")
    if warns and len(codes) >= _LEAST_UNKNOWN and (codes < 0).all():
        model._warn_of_unknown_users(len(codes))
    return _make_lists(
        model,
        codes >= 0,
        scoring_of_users(model, codes),
        lambda rows: Pairs.from_rows(fitted.weights.seen, codes[rows]),
        k,
        read_candidates(fitted, users, *candidates),
        exclude_seen,
        lambda rows, k, hidden: model.propose(codes[rows], k, hidden),
    )


def recommend_to_histories(
    model: Any, item_lists: Any, k: Any, exclude_seen: bool | None, candidates: tuple
) -> ItemsAndScores:
    """Return positions of items and their scores for users who are given by their items."""
    histories = model._histories_of_lists(item_lists)
    return _make_lists(
        model,
        np.diff(histories.indptr) > 0,
        scoring_of_histories(model, histories),
        lambda rows: Pairs.from_rows(histories, rows),
        k,
        read_candidates(model._fitted, None, *candidates),
        exclude_seen,
        model._proposer_for_lists(item_lists, histories),
    )


def _make_lists(
    model: Any,
    is_known: np.ndarray,
    scoring: Scoring,
    seen: Callable[[np.ndarray], Pairs],
    k: Any,
    candidates: Candidates,
    exclude_seen: bool | None,
    propose: Proposer,
) -> ItemsAndScores:
    model._check_cutoff(k)
    fitted: Fitted = model._fitted
    popularity = fitted.weights.popularity
    order = candidates.restrict(popularity.order)
    n_all = len(fitted.items.labels)
    k = check_length(k, len(order.items), n_all, candidates.unknown)
    seen_or_none = seen if is_seen_excluded(model, exclude_seen) else None
    has_scores = model._has_lists_of_scores()
    if len(is_known) == 1 and is_known[0] and seen_or_none and candidates.has_all:
        # The list of one known user, if one product decides it.
        scores = scoring.unseen(_ONE_ROW) if scoring.unseen and has_scores else None
        if scores:
            items = scores.item_of_column[scores.columns]
            ranked = top_k_of_row(scores.values, items, k, popularity.order)
            if ranked is not None:
                return ranked
    limits = order, seen_or_none, candidates
    lists = ListMaker(len(is_known), k, popularity.values, *limits)
    known_rows, unknown = is_known.nonzero()[0], (~is_known).nonzero()[0]
    if has_scores:
        _fill_by_score(model, lists, known_rows, scoring)
    else:
        lists.fill_by_proposal(known_rows, propose, model)
    if len(unknown):
        newcomer_popularity = model._popularity_for_new_users()
        order = candidates.restrict(newcomer_popularity.order)
        model._fill_new(lists.with_order(newcomer_popularity.values, order), unknown)
    return lists.columns, lists.best


def is_seen_excluded(model: Any, exclude_seen: bool | None = None) -> bool:
    """Return whether lists leave out seen items; the model says so if None is given."""
    wanted = model.exclude_seen if exclude_seen is None else exclude_seen
    check_option("exclude_seen", wanted, (True, False))
    return bool(wanted)


def scoring_of_users(model: Any, codes: np.ndarray) -> Scoring:
    """Return the functions that score rows of known users."""
    exactly, unseen = model._users_scorer(codes), model._unseen_scorer(model.histories_)
    approximate = model._approximate_scorer() if len(codes) >= _MANY_USERS else None
    return Scoring(
        lambda rows: model._check_scores(exactly(rows), rows),
        approximate and (lambda rows: approximate(codes[rows])),
        unseen and (lambda rows: unseen(codes[rows])),
        is_threaded=model._is_scored_in_threads(),
    )


def scoring_of_histories(model: Any, histories: sparse.csr_array) -> Scoring:
    """Return the functions that score rows of histories."""

    def exactly(rows: np.ndarray) -> Any:
        scores = model.score_histories(take_rows(histories, rows))
        return model._check_scores(scores, rows)

    unseen, is_threaded = model._unseen_scorer(histories), model._is_scored_in_threads()
    return Scoring(exactly, unseen=unseen, is_threaded=is_threaded)


def _fill_by_score(
    model: Any, lists: ListMaker, rows: np.ndarray, scoring: Scoring
) -> None:
    if model._has_popularity_scores():
        lists.fill_by_popularity(rows)
    else:
        lists.fill_by_score(rows, scoring)


def propose_by_score(
    model: Any, scoring: Scoring, k: int, hidden: sparse.csr_array
) -> ItemsAndScores:
    """Return the best of the scores of all items that are not hidden."""
    n_users, n_items = hidden.shape
    popularity = model._fitted.weights.popularity
    hidden_of_rows = partial(Pairs.from_rows, hidden)
    order = popularity.values, popularity.order
    lists = ListMaker(n_users, min(k, n_items), *order, hidden_of_rows)
    scoring = replace(scoring, unseen=None)  # it hides seen items only
    _fill_by_score(model, lists, np.arange(n_users), scoring)
    return lists.columns, lists.best


def ranks_in_lists(
    model: Any, users: Any, row: np.ndarray, item: np.ndarray, exclude_seen: bool | None
) -> ItemsAndScores | None:
    """Return (items above each pair, -1 where it is not listed; lengths of the lists).

    None where there are candidates.
    """
    fitted: Fitted = model._fitted
    if not read_candidates(fitted, users, None, None).has_all:
        return None
    codes = fitted.users.find(users, name="users")

    def find_seen(rows: np.ndarray) -> Pairs:
        return Pairs.from_rows(fitted.weights.seen, codes[rows])

    seen = find_seen if is_seen_excluded(model, exclude_seen) else None
    popularity, pairs = fitted.weights.popularity, Pairs(row, item, len(codes))
    order = popularity.order
    counter = RankCounter(pairs, popularity.values, order, seen)
    scoring = scoring_of_users(model, codes)
    if model._has_popularity_scores():
        by_popularity = -order.rank.astype(float)
        scoring = Scoring(lambda rows: np.tile(by_popularity, (len(rows), 1)))
    counter.fill_by_score((codes >= 0).nonzero()[0], scoring)
    unknown = (codes < 0).nonzero()[0]
    if len(unknown):
        counter.fill_by_order(unknown, model._popularity_for_new_users().order)
    return counter.above, counter.n_listed


def weigh_lists(model: Any, item_lists: Any) -> sparse.csr_array:
    """Return what the items of each list count."""
    items = model._fitted.items
    rows = read_item_lists(item_lists, items, model.recency)
    if model._has_order_weights():
        history = OrderedHistories.from_lists(*rows, len(item_lists))
        return model._weigh_histories(history)
    counted = count_lists(*rows, (len(item_lists), len(items.labels)))
    return apply_weighting(counted, model.weighting)


def as_ids(model: Any, lists: ItemsAndScores, return_scores: bool) -> Any:
    """Return lists of ids for lists of positions; warn of rows that are filled up."""
    positions, scores = lists
    recommended = model._fitted.items.labels[positions]
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


def as_table(users: Any, lists: ItemsAndScores) -> dict[str, np.ndarray]:
    """Return lists with scores as a long table."""
    items, scores = lists
    row, column = np.nonzero(~np.isneginf(scores))
    return {
        "query": as_vector(users, name="users")[row],
        "item": items[row, column],
        "rank": column + 1,
        "score": scores[row, column],
    }


def list_similar_items(model: Any, items: Any, k: Any) -> ItemsAndScores:
    """Return the items most similar to some, and how similar they are."""
    fitted: Fitted = model._fitted
    ids = read_ids(items, name="items")
    codes = fitted.items.find(ids, name="items")
    unknown = ids[codes < 0].tolist()
    if unknown:
        raise ValueError(
            f"{len(unknown)} of {len(ids)} id(s) in `items` were not in the data of "
            f"`fit`, such as {shorten(unknown[0])}; leave them out."
        )
    k, n_items = check_integer("k", k), len(fitted.items.labels)
    if k >= n_items:
        raise ValueError(
            f"`k` is {k}, but an item has only {n_items - 1} other(s) beside it; lower `k`."
        )

    def score(rows: np.ndarray) -> Any:
        return model._check_scores(model.score_similar_items(codes[rows]), rows)

    def own_items(rows: np.ndarray) -> Pairs:
        return Pairs(np.arange(len(rows)), codes[rows], len(rows))

    popularity = fitted.weights.popularity
    lists = ListMaker(len(codes), k, popularity.values, popularity.order, own_items)
    lists.fill_by_score(np.arange(len(codes)), Scoring(score))
    return fitted.items.labels[lists.columns], lists.best
