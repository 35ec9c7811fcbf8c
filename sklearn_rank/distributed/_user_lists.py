"""UserLists: the lists of a fitted recommender as a function of tables of users."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sklearn_rank._validation import check_integer, shorten
from sklearn_rank.distributed._list_work import (
    ListsByHistory,
    ListsById,
    ListWork,
    ValuesOfLists,
)
from sklearn_rank.distributed._scorer import QueryScorer
from sklearn_rank.distributed._table_function import TableFunction
from sklearn_rank.typing import Estimator, Labels


class UserLists(TableFunction):
    """Lists of a fitted recommender as a function of tables of users, for engines.

    The items and their order equal those of the recommender's ``recommend`` for all users
    at once, for any parts. The engine maps the function over a table of users; a table of
    lists comes out of it, with one row an item, as :meth:`QueryScorer.from_tables` reads
    it.

    It can be pickled, with the model in it, and is sent to workers as it is.

    Parameters
    ----------
    model : estimator
        A fitted recommender of this package, or one with the same ``recommend``.
    k : int, default=10
        Length of each list. A user with fewer items left gets a shorter one.
    user : str, default="user"
        Column of users. A duplicate user gets one list.
    item : str, default="item"
        Column of items in the result, and in rows that a marker marks.
    exclude_seen : bool, default=None
        Leave out the items that users have in the training data. None: the default of the
        model.
    items, exclude : array-like of item ids, default=None
        Recommend only these items, or never these, to all users.
    offered, excluded : str, default=None
        Columns of booleans that mark rows whose item only this user may get, or may not
        get. Put such rows below those of the users, and bring the rows of a user together.
        With `offered` a user without such a row gets no list.

    Raises
    ------
    ValueError
        If the model cannot use `k`, `items` or `exclude`.
    TypeError
        If the model has no ``recommend``, or ids of items are neither numbers nor strings.

    See Also
    --------
    QueryScorer : Values of lists.

    Notes
    -----
    The result has the columns `user`, `item`, ``score`` and ``rank``, users in the order of
    their labels, items best first. Tables of 5,000 users and more cost hardly more than one
    call for all; much smaller ones take several times as long. Scores of factorizations may
    differ from those of one call in the last digits, as products of matrices are rounded
    by their shape.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_rank.distributed import UserLists
    >>> from sklearn_rank.recommenders import PopularityRecommender
    >>> log = pd.DataFrame({"user": ["ann", "ann", "bob"], "item": ["tea", "jam", "tea"]})
    >>> lists = UserLists(PopularityRecommender().fit(log), k=1)
    >>> lists(pd.DataFrame({"user": ["eve", "bob"]}))
      user item  score  rank
    0  bob  jam    0.5     1
    1  eve  tea    1.0     1
    """

    _table: ListWork

    def __init__(
        self,
        model: Estimator,
        k: int = 10,
        *,
        user: str = "user",
        item: str = "item",
        exclude_seen: bool | None = None,
        items: Labels | None = None,
        exclude: Labels | None = None,
        offered: str | None = None,
        excluded: str | None = None,
    ) -> None:
        of_all = _checked(model, "recommend", k, exclude_seen, items, exclude)
        for name, column, all_users in (
            ("offered", offered, "items"),
            ("excluded", excluded, "exclude"),
        ):
            if column is not None and of_all[all_users] is not None:
                raise ValueError(
                    f"Give `{all_users}`, for all users, or `{name}`, for each, not both."
                )
        self._table = ListsById(model, user, item, of_all, offered, excluded)

    @classmethod
    def from_histories(
        cls,
        model: Estimator,
        k: int = 10,
        *,
        user: str = "user",
        item: str = "item",
        weight: str | None = None,
        exclude_seen: bool | None = None,
        items: Labels | None = None,
        exclude: Labels | None = None,
    ) -> Self:
        """Lists for users who are given by the rows of their history.

        The model then needs nothing of its users, who may be new: send
        ``model.without_users()``, which is much smaller. The rows of a user have to be
        together, as those of a query.

        Parameters
        ----------
        model : estimator
            A fitted recommender with ``recommend_for_items``.
        k : int, default=10
            Length of each list.
        user, item : str
            Columns of users and items.
        weight : str, default=None
            Column of weights; those of a pair add up. None: each row counts 1.
        exclude_seen : bool, default=None
            Leave out the items of the history. None: the default of the model.
        items, exclude : array-like of item ids, default=None
            Recommend only these items, or never these.

        Returns
        -------
        lists : UserLists
            What the model's ``recommend_for_items`` returns, as tables.
        """
        of_all = _checked(model, "recommend_for_items", k, exclude_seen, items, exclude)
        lists = cls.__new__(cls)
        lists._table = ListsByHistory(model, user, item, of_all, weight)
        return lists

    def then(self, score: QueryScorer) -> TableFunction:
        """Return a function from held-out pairs to the values of their users' lists.

        Lists are made and scored in one task: only the pairs are moved.

        Parameters
        ----------
        score : QueryScorer
            Made by :meth:`QueryScorer.from_tables`, with the columns of users and items
            that the lists have, and ``score="score"``.

        Returns
        -------
        function : TableFunction
            It takes tables of pairs, and returns values per query, as `score` does.

        Raises
        ------
        ValueError
            If `score` reads other columns, or looks at more ranks than lists have.
        """
        if not isinstance(score, QueryScorer):
            raise TypeError(f"`score` must be a QueryScorer, got {shorten(score)}.")
        function = TableFunction()
        function._table = ValuesOfLists(self._table, score._table)
        return function

    def __repr__(self) -> str:
        """Return the model, and how long lists are."""
        return f"UserLists({self._table.model!r}, k={self._table.given['k']})"


def _checked(
    model: Any, method: str, k: Any, exclude_seen: Any, items: Any, exclude: Any
) -> dict[str, Any]:
    """Return the options for all users; raise unless the model can use it."""
    if not hasattr(model, method):
        raise TypeError(
            f"`model` must be a recommender with `{method}`, got {shorten(model)}."
        )
    check_is_fitted(model)
    ids = np.asarray(model.items_)
    if ids.dtype.kind not in "iuf" and not all(isinstance(one, str) for one in ids):
        raise TypeError(
            "Ids of items must be all numbers or all strings, as in a column of a table, "
            f"got {shorten(ids[:3].tolist())}; fit the model with such."
        )
    given = {
        "k": check_integer("k", k),
        "exclude_seen": exclude_seen,
        "items": items,
        "exclude": exclude,
    }
    # Try one user now, so that errors do not wait for the first worker.
    some = model.users_[:1] if method == "recommend" else [ids[:1]]
    getattr(model, method)(some, **given, return_scores=True)
    return given
