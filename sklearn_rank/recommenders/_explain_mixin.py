"""`explain`, for models whose scores are sums over the items of a user."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from sklearn_rank._base._known_ids import known_ids
from sklearn_rank._base._validation import check_integer, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.recommenders._explanation import Explanation
from sklearn_rank.recommenders._update_mixin import take_snapshot

# Largest rounding error of sums in float32, relative to the sum of absolute terms.
_MOST_ROUNDING = 1e-4
_TINY = np.finfo(float).tiny


@explained
class ExplainMixin:
    """Adds `explain` to a recommender."""

    # Whether scores are sums of `score_similar_items` over the items of the user.
    _adds_up = False

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
        model = take_snapshot(self)
        row = _find_position(model, "users_", user, name="user")
        column = _find_position(model, "items_", item, name="item")
        n = check_integer("n", n)
        score = float(model.score_pairs(np.array([row]), np.array([column]))[0])
        items, weights, parts, constant = model._score_parts(row, column)
        sizes, total = np.abs(parts), parts.sum() + constant
        rounding = float((score - total) / max(sizes.sum() + abs(constant), _TINY))
        if abs(rounding) > _MOST_ROUNDING:
            raise no_sum_error(self)
        parts, constant = parts + rounding * sizes, constant + rounding * abs(constant)
        shown = np.argsort(-sizes, kind="stable")[:n]
        n_others = len(parts) - len(shown)
        return Explanation(
            model.users_[[row]].tolist()[0],
            model.items_[[column]].tolist()[0],
            score,
            model.items_[items[shown]],
            weights[shown],
            parts[shown],
            rest=score - float(parts[shown].sum()) if n_others else constant,
            n_others=n_others,
        )

    def _score_parts(
        self: Any, row: int, column: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """Return (items, weights, contributions, constant)."""
        if not self._adds_up:
            raise no_sum_error(self)
        history = self.histories_[[row]]
        parts = self.score_similar_items(history.indices)[:, [column]]
        parts = parts.toarray() if sparse.issparse(parts) else parts
        return history.indices, history.data, history.data * parts[:, 0], 0.0


def _find_position(recommender: Any, attribute: str, one: Any, *, name: str) -> int:
    code = int(known_ids(recommender, attribute).find([one], name=name)[0])
    if code < 0:
        answer = "the popularity of each item" if name == "user" else "0"
        raise ValueError(
            f"`{name}` {shorten(one)} was not in the data of `fit`: its score is {answer}, "
            f"which has no parts to explain. Give one of `{attribute}`."
        )
    return code


def no_sum_error(recommender: object) -> TypeError:
    return TypeError(
        f"The scores of {type(recommender).__name__} are not sums over the items of a user,"
        " so `explain` has no parts to show. Use EASERecommender, SLIMRecommender, "
        "RepeatRecommender, ItemNeighborsRecommender or an item-item model of "
        "ImplicitRecommender."
    )
