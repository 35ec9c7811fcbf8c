"""Explanation: what the items of a user add to a score."""

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from sklearn_rank._text._table import aligned, wrapped
from sklearn_rank._text._wording import counted, shorten
from sklearn_rank._validation import check_installed


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
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
        What all else adds.
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

    def to_dict(self) -> dict[str, Any]:
        """Return all of it in types of Python.

        Returns
        -------
        found : dict
            The parameters by name, arrays as lists.
        """
        found = vars(self).items()
        return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in found}

    def to_frame(self) -> Any:
        """Return the table as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            The columns `item`, `weight` and `contribution`, which adds up to the score.
            The last row is the rest, where there is one: its item is None.
        """
        check_installed("pandas", "frames", "to_frame")
        import pandas as pd

        columns = ["item", "weight", "contribution"]
        frame = pd.DataFrame(self._rows(None), columns=columns, dtype=object)
        return frame.astype({"weight": float, "contribution": float})

    def _rows(self, rest: Any) -> list[tuple]:
        """Return item, weight and contribution of each row; `rest` names the last."""
        parts = self.items.tolist(), self.weights.tolist(), self.contributions.tolist()
        has_rest = self.n_others > 0 or self.rest != 0
        return [*zip(*parts, strict=True), *[(rest, np.nan, self.rest)] * has_rest]

    def __str__(self) -> str:
        """Return the contributions as a table of at most 80 columns."""
        rest = counted(self.n_others, "other item") if self.n_others else "the rest"
        lines = [["", "weight", "adds to the score"]]
        lines += [
            [f"{item}", "" if np.isnan(weight) else f"{weight:.4g}", f"{part:+.4g}"]
            for item, weight, part in self._rows(rest)
        ]
        lines.append(["score", "", f"{self.score:.4g}"])
        return "\n".join([wrapped(f"Why {self.user} gets {self.item}"), *aligned(lines)])

    def __repr__(self) -> str:
        """Return the pair, the score and the number of items."""
        pair = f"user={shorten(self.user)}, item={shorten(self.item)}"
        return f"Explanation({pair}, score={self.score:.4g}, {len(self.items)} items)"

    def _repr_html_(self) -> str:
        """Return the table as HTML, for notebooks."""
        return f"<pre>{escape(str(self))}</pre>"
