"""`explain`, for models whose scores are sums over the items of a user."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from sklearn_rank._ids._known_ids import known_ids
from sklearn_rank._validation import check_integer, shorten
from sklearn_rank.recommenders._explanation import Explanation
from sklearn_rank.recommenders._list_maker import scores_of_pairs
from sklearn_rank.recommenders._pairs import Pairs
from sklearn_rank.recommenders._top_k import batches
from sklearn_rank.recommenders._update_mixin import as_of_now

# Sums in single precision differ by less, as a share of the sizes of what is added up.
_MOST_ROUNDING = 1e-4
_TINY = np.finfo(float).tiny


class ExplainMixin:
    """Adds `explain` to a recommender."""

    users_: np.ndarray
    items_: np.ndarray
    histories_: Any
    score_histories: Any
    score_pairs: Any
    _checked: Any
    # Whether the score of an item is a sum over the items of the user.
    _adds_up = False

    def explain(self, user, item, n=5):
        """Tell which of the items of a user make the score of an item.

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
            If the scores of the model are no such sums, or an id is of a type that none of
            those in `fit` can equal.
        """
        check_is_fitted(self)
        self = as_of_now(self)
        row = _place(self, "users_", user, name="user")
        column = _place(self, "items_", item, name="item")
        n = check_integer("n", n)
        score = float(np.asarray(self.score_pairs(np.array([row]), np.array([column])))[0])
        items, weights, parts, constant = self._score_parts(row, column)
        sizes = np.abs(parts)
        rounding = (score - constant - parts.sum()) / max(sizes.sum(), _TINY)
        if abs(rounding) > _MOST_ROUNDING:
            raise _no_sum(self)
        parts = parts + rounding * sizes
        shown = np.argsort(-sizes, kind="stable")[:n]
        n_others = len(parts) - len(shown)
        return Explanation(
            _label(self.users_, row),
            _label(self.items_, column),
            score,
            self.items_[items[shown]],
            weights[shown],
            parts[shown],
            rest=score - float(parts[shown].sum()) if n_others else constant,
            n_others=n_others,
        )

    def _score_parts(
        self, row: int, column: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """Return (items, weights, what each adds, what is added for nobody's sake)."""
        if not self._adds_up:
            raise _no_sum(self)
        history = self.histories_[[row]]
        items, weights = history.indices, history.data
        parts = np.empty(len(items))
        # The score of a sum of histories is the sum of their scores.
        for batch in batches(len(items), len(self.items_)):
            own = items[batch], weights[batch]
            n_rows = len(own[0])
            alone = sparse.csr_array(
                (own[1], own[0], np.arange(n_rows + 1)), shape=(n_rows, len(self.items_))
            )
            scores = self._checked(self.score_histories(alone), own[0])
            pairs = Pairs(np.arange(n_rows), np.full(n_rows, column), n_rows)
            parts[batch] = scores_of_pairs(scores)(pairs)
        return items, weights, parts, 0.0


def _place(recommender: Any, attribute: str, one: Any, *, name: str) -> int:
    code = int(known_ids(recommender, attribute).find([one], name=name)[0])
    if code < 0:
        answer = "the popularity of each item" if name == "user" else "0"
        raise ValueError(
            f"`{name}` {shorten(one)} was not in the data of `fit`: its score is {answer}, "
            f"which nothing explains. Give one of `{attribute}`."
        )
    return code


def _label(labels: np.ndarray, place: int) -> Any:
    return labels[[place]].tolist()[0]


def _no_sum(recommender: object) -> TypeError:
    return TypeError(
        f"The scores of {type(recommender).__name__} are no sums over the items of a user, "
        "so `explain` cannot tell what each adds. Those of EASERecommender, "
        "SLIMRecommender, ItemNeighborsRecommender, RepeatRecommender and the item-item "
        "models of ImplicitRecommender are."
    )
