"""The first stage: candidates of several recommenders, and the scores of each."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank.recommenders._list_maker import scores_of_pairs
from sklearn_rank.recommenders._pairs import Pairs
from sklearn_rank.recommenders._top_k import top_k_dense
from sklearn_rank.recommenders._top_k_stored import top_k_stored

ScorePairs = Callable[[Pairs], np.ndarray]


@dataclass(frozen=True, eq=False)
class Asked:
    """Users whose candidates are wanted: positions in `users_`, or their items.

    Each model weighs the items in its own way.
    """

    users: np.ndarray | None
    histories: list[sparse.csr_array] | None
    hidden: sparse.csr_array

    def rows(self, batch: slice) -> "Asked":
        return Asked(
            None if self.users is None else self.users[batch],
            None if self.histories is None else [one[batch] for one in self.histories],
            self.hidden[batch],
        )


@dataclass(frozen=True, eq=False)
class MergedLists:
    """MergedLists of some users, a row each, and the scores of all models.

    `items` has -1 behind the last candidate of a row. From the column `n_listed` on there
    are items that were asked for beside the candidates.
    """

    users: np.ndarray | None
    items: np.ndarray
    scores: np.ndarray  # models × users × columns, -inf where there is no item
    n_listed: int

    def of_rows(self, rows: np.ndarray) -> "MergedLists":
        users = None if self.users is None else self.users[rows]
        return replace(
            self, users=users, items=self.items[rows], scores=self.scores[:, rows]
        )

    def features(self, row: np.ndarray, column: np.ndarray) -> np.ndarray:
        """Return for some cells the score, rank and share of the best of each model."""
        found = []
        for scores in self.scores:
            best = scores[:, : self.n_listed].max(axis=1, initial=-np.inf)[row]
            score = scores[row, column]
            share = np.divide(score, best, out=np.zeros(len(row)), where=best > 0)
            rank = _ranks(scores, self.n_listed)[row, column]
            found += [score, rank, share]
        return np.column_stack(found)


def find_candidates(
    models: list, asked: Asked, n: int, others: np.ndarray | None = None
) -> MergedLists:
    """Return the first `n` different items of the models' lists, taken in turn.

    `others` are items to be scored beside them, a row a user, -1 where a row has no item.
    """
    n_users, n_items = asked.hidden.shape
    histories = asked.histories or [None] * len(models)
    answers = [
        _ask(model, asked.users, one, asked.hidden, min(n, n_items))
        for model, one in zip(models, histories, strict=True)
    ]
    listed = _in_turn([items for items, _ in answers], n)
    items = listed if others is None else np.concatenate([listed, others], axis=1)
    row, column = np.nonzero(items >= 0)
    pairs = Pairs(row, items[row, column], n_users)
    scores = np.full((len(models), *items.shape), -np.inf)
    for place, (_, score) in enumerate(answers):
        scores[place, row, column] = score(pairs)
    return MergedLists(asked.users, items, scores, listed.shape[1])


def _ask(
    model: Any, users: Any, histories: Any, hidden: sparse.csr_array, n: int
) -> tuple[np.ndarray, ScorePairs]:
    """Return the list of each user, -1 for nothing, and a function that scores pairs."""

    def score_all() -> Any:
        given = model.score_users(users) if histories is None else None
        scores = model.score_histories(histories) if given is None else given
        return model._checked(scores, hidden.indptr[1:])

    def score(pairs: Pairs) -> np.ndarray:
        if histories is None:
            return model.score_pairs(users[pairs.row], pairs.item)
        return scores_of_pairs(score_all())(pairs)

    if model._makes_lists_of_scores() and not model._shows_what_is_popular():
        scores = score_all()  # once for lists and pairs
        top_k = top_k_stored if sparse.issparse(scores) else top_k_dense
        items, _ = top_k(scores, n, model._popularity_order, Pairs.stored(hidden))
        return items, scores_of_pairs(scores)
    if histories is None:
        items, best = model.propose(users, n, hidden)
    else:
        items, best = model.propose_histories(histories, n, hidden)
    return np.where(np.isneginf(best), -1, items), score


def _in_turn(lists: list[np.ndarray], n: int) -> np.ndarray:
    """Return the first `n` different items of several lists a row, -1 behind the last."""
    width = max(found.shape[1] for found in lists)
    n_rows = len(lists[0])
    together = np.full((n_rows, width, len(lists)), -1)
    for number, found in enumerate(lists):
        together[:, : found.shape[1], number] = found
    together = together.reshape(n_rows, -1)
    by_item = np.argsort(together, axis=1, kind="stable")
    ascending = np.take_along_axis(together, by_item, axis=1)
    is_first = ascending >= 0
    is_first[:, 1:] &= ascending[:, 1:] != ascending[:, :-1]
    stays = np.empty_like(is_first)
    np.put_along_axis(stays, by_item, is_first, axis=1)
    column = stays.cumsum(axis=1) - 1
    stays &= column < n
    row, place = np.nonzero(stays)
    items = np.full((n_rows, n), -1)
    items[row, column[row, place]] = together[row, place]
    return items


def _ranks(scores: np.ndarray, n_listed: int) -> np.ndarray:
    """Return 1 + how many of the first `n_listed` columns have a higher score."""
    order = np.argsort(-scores, axis=1, kind="stable")
    ordered = np.take_along_axis(scores, order, axis=1)
    above: np.ndarray = np.cumsum(order < n_listed, axis=1) - (order < n_listed)
    above[:, 1:][ordered[:, 1:] == ordered[:, :-1]] = 0  # tied items share the first rank
    ranks = np.empty_like(above)
    np.put_along_axis(ranks, order, np.maximum.accumulate(above, axis=1) + 1, axis=1)
    return ranks
