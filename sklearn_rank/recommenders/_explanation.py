"""Explanation: what the items of a user add to a score."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._base._ids import KnownIds
from sklearn_rank._base._messages import quantity, shorten
from sklearn_rank._base._validation import check_integer
from sklearn_rank._display._result import Result
from sklearn_rank._display._section import Section
from sklearn_rank._hints._explain import explained


@explained
@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Result):
    """Why an item has its score for a user: what the items of the user add to it.

    ``explain`` of a recommender returns it. ``print`` shows it as a table. All parameters
    are attributes, too.

    Parameters
    ----------
    user, item : object
        The ids that were asked for.
    score : float
        What `predict` gives the pair: the sum of `contributions` and `rest`.
    items : ndarray of shape (n_shown,)
        Items in the history of the user that add or take away most, the first the most.
    weights : ndarray of shape (n_shown,)
        What each of them counts in the history.
    contributions : ndarray of shape (n_shown,)
        What each of them adds to the score; below 0 where it speaks against the item.
    rest : float, default=0.0
        Sum of the other contributions.
    n_others : int, default=0
        Items of the history that are not shown.

    Examples
    --------
    >>> from sklearn_rank.recommenders import ItemNeighborsRecommender
    >>> X = [["ann", "tea"], ["ann", "milk"], ["bob", "tea"], ["bob", "milk"],
    ...      ["bob", "cake"], ["eve", "milk"], ["eve", "tea"]]
    >>> model = ItemNeighborsRecommender(similarity="jaccard").fit(X)
    >>> print(model.explain("eve", "cake"))
    Why eve gets cake
          weight  adds to the score
    milk       1            +0.3333
    tea        1            +0.3333
    score                    0.6667
    """

    user: Any
    item: Any
    score: float
    items: np.ndarray
    weights: np.ndarray
    contributions: np.ndarray
    rest: float = 0.0
    n_others: int = 0

    def _columns(self) -> dict[str, Any]:
        return self._table(None)

    def _facts(self) -> dict[str, Any]:
        names = ("user", "item", "score", "n_others")
        return {name: getattr(self, name) for name in names}

    def _table(self, rest: Any) -> dict[str, Any]:
        """Return item, weight and contribution of each row; `rest` names the last."""
        has_rest = self.n_others > 0 or self.rest != 0
        more = ([rest], [np.nan], [self.rest]) if has_rest else ([], [], [])
        items = np.empty(len(self.items) + has_rest, dtype=object)
        items[:] = [*self.items.tolist(), *more[0]]
        return {
            "item": items,
            "weight": np.append(self.weights, more[1]),
            "contribution": np.append(self.contributions, more[2]),
        }

    def _sections(self) -> list[Section]:
        rest = quantity(self.n_others, "other item") if self.n_others else "the rest"
        lines = [["", "weight", "adds to the score"]]
        lines += [
            [f"{item}", "" if np.isnan(weight) else f"{weight:.4g}", f"{part:+.4g}"]
            for item, weight, part in zip(*self._table(rest).values(), strict=True)
        ]
        lines.append(["score", "", f"{self.score:.4g}"])
        return [Section([f"Why {self.user} gets {self.item}"], lines)]

    def __repr__(self) -> str:
        """Return the pair, the score and the number of items."""
        pair = f"user={shorten(self.user)}, item={shorten(self.item)}"
        return f"Explanation({pair}, score={self.score:.4g}, {len(self.items)} items)"


# Largest rounding error of sums in float32, relative to the sum of absolute terms.
_MOST_ROUNDING = 1e-4
_TINY = np.finfo(float).tiny


def explain_score(model: Any, user: Any, item: Any, n: Any) -> Explanation:
    """Return what the items of a user add to a score."""
    users, items = model._fitted.users, model._fitted.items
    row = _find_position(users, user, name="user")
    column = _find_position(items, item, name="item")
    n = check_integer("n", n)
    score = float(model.score_pairs(np.array([row]), np.array([column]))[0])
    positions, weights, parts, constant = model._score_parts(row, column)
    sizes, total = np.abs(parts), parts.sum() + constant
    rounding = float((score - total) / max(sizes.sum() + abs(constant), _TINY))
    if abs(rounding) > _MOST_ROUNDING:
        raise no_sum_error(model)
    parts, constant = parts + rounding * sizes, constant + rounding * abs(constant)
    order = np.argsort(-sizes, kind="stable")[:n]
    n_others = len(parts) - len(order)
    return Explanation(
        users.labels[[row]].tolist()[0],
        items.labels[[column]].tolist()[0],
        score,
        items.labels[positions[order]],
        weights[order],
        parts[order],
        rest=score - float(parts[order].sum()) if n_others else constant,
        n_others=n_others,
    )


def _find_position(ids: KnownIds, label: Any, *, name: str) -> int:
    if isinstance(label, list | np.ndarray) and np.ndim(label):
        raise ValueError(
            f"`{name}` must be one id, got {shorten(label)}; call `explain` for each."
        )
    code = int(ids.find([label], name=name)[0])
    if code < 0:
        answer = "the popularity of each item" if name == "user" else "0"
        raise ValueError(
            f"`{name}` {shorten(label)} was not in the data of `fit`: its score is "
            f"{answer}, which has no parts to explain. Give one of `{name}s_`."
        )
    return code


def parts_of_score(
    model: Any, row: int, column: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return (items, weights, contributions, constant) of a sum over similar items."""
    if not model._adds_up:
        raise no_sum_error(model)
    history = model.histories_[[row]]
    parts = model.score_similar_items(history.indices)[:, [column]]
    parts = parts.toarray() if sparse.issparse(parts) else parts
    return history.indices, history.data, history.data * parts[:, 0], 0.0


def no_sum_error(recommender: object) -> TypeError:
    return TypeError(
        f"The scores of {type(recommender).__name__} are not sums over the items of a user,"
        " so `explain` has no parts to show. Use EASERecommender, SLIMRecommender, "
        "RepeatRecommender, ItemNeighborsRecommender or an item-item model of "
        "ImplicitRecommender."
    )
