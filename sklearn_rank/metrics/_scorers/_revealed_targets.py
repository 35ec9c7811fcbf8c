"""Held-out rows as targets, each to be found from the user's rows before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._base._runs import begins_run, cut_runs, starts_of
from sklearn_rank._ranking._rows import Queries
from sklearn_rank.inputs._columns import take_column
from sklearn_rank.inputs._times import read_times
from sklearn_rank.metrics._core._evaluate import Evaluation
from sklearn_rank.metrics._core._summaries import fill_undefined
from sklearn_rank.metrics._scorers._held_out import HeldOut, read_held_out

# Shown items in one call of a recommender.
_SHOWN_ITEMS = 2**21


@dataclass(frozen=True, eq=False)
class RevealedTargets:
    """Rows with an earlier row of the same user.

    In `targets` each is a user of its own, named by its number, with one relevant item.
    """

    targets: HeldOut
    items: np.ndarray  # of all rows, by user and time
    starts: np.ndarray  # of each target: where the shown items of its user begin
    ends: np.ndarray  # where those before the target end
    user: np.ndarray  # index of the user of each target
    users: np.ndarray  # labels

    @classmethod
    def from_rows(
        cls, X: Any, y: Any, *, user: Any, item: Any, time: Any, min_relevance: float | None
    ) -> RevealedTargets:
        """Return the targets of the relevant rows of X, which must have some."""
        times = read_times(take_column(X, time, name="time")).values
        ids = {"user": user, "item": item}
        rows = read_held_out(X, y, min_relevance=min_relevance, times=times, **ids)
        assert rows.time is not None  # it was asked for
        index = np.arange(len(rows.user))
        moments = begins_run(rows.user, rows.time)
        ends = np.maximum.accumulate(np.where(moments, index, 0))
        starts = rows.user.searchsorted(rows.user)
        is_target = ends > starts
        n_targets = np.count_nonzero(is_target)
        if not n_targets:
            advice = "pass longer sessions, or leave out `reveal`"
            if begins_run(rows.user).sum() < len(rows.user):
                advice = (
                    "all rows of a user have one time: give an order, such as "
                    f'X["order"] = X.groupby({user!r}).cumcount(), to fit and to the '
                    'scorer, and name it: the model has time="order"'
                )
            raise ValueError(
                "`reveal=True` shows the earlier rows of each user and judges the later "
                f"ones, but none of {len(rows.users):,} user(s) has relevant rows at two "
                f"moments; {advice}."
            )
        users, user = np.unique(rows.user[is_target], return_inverse=True)
        number = np.arange(n_targets)
        targets = HeldOut(number, number, rows.item[is_target], rows.grade[is_target])
        bounds = starts[is_target], ends[is_target]
        return cls(targets, rows.item, *bounds, user, rows.users[users])

    def mean_by_user(self, result: Evaluation) -> Evaluation:
        """Return the mean of the targets of each user, with the sum of their weights."""
        longest = result.longest_list
        joined = Evaluation(result.wanted, Queries(self.users), longest_list=longest)
        for bound in result.wanted:
            values = fill_undefined(result.values[bound.name], bound.replace_undefined_by)
            target_weights = result.weights[bound.name]
            weights = np.ones(len(values)) if target_weights is None else target_weights
            used = np.where(np.isnan(values), 0.0, weights)
            total = np.bincount(self.user, used * np.nan_to_num(values))
            n_used = np.bincount(self.user, used)
            with np.errstate(invalid="ignore"):
                joined.values[bound.name] = total / n_used
            all_weights = np.bincount(self.user, weights)
            joined.weights[bound.name] = np.where(n_used > 0, n_used, all_weights)
        return joined


class RevealingRecommender:
    """A recommender whose users are targets, known by the items before them."""

    def __init__(self, recommender: Any, targets: RevealedTargets):
        self._recommender = recommender
        self._targets = targets
        self.items_ = getattr(recommender, "items_", None)

    def recommend(
        self,
        users: np.ndarray,
        k: int,
        *,
        exclude_seen: bool | None = None,
        items: Any = None,
        exclude: Any = None,
        return_scores: bool = True,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the lists and scores of `recommend_for_items` for some targets."""
        options = {"exclude_seen": exclude_seen, "items": items, "exclude": exclude}
        arguments = {name: value for name, value in options.items() if value is not None}
        starts, ends = self._targets.starts[users], self._targets.ends[users]
        bounds = zip(starts.tolist(), ends.tolist(), strict=True)
        lists = [self._targets.items[start:end] for start, end in bounds]
        parts = [
            self._recommender.recommend_for_items(
                lists[first:last], k, return_scores=return_scores, **arguments
            )
            for first, last in cut_runs(starts_of(ends - starts), _SHOWN_ITEMS)
        ]
        recommended, scores = map(np.concatenate, zip(*parts, strict=True))
        return recommended, scores
