"""UserLists: the lists of a fitted recommender as a function of tables of users."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sklearn_rank._base._labels import as_list, encode_labels
from sklearn_rank._base._numbers import as_floats, plain_array
from sklearn_rank._base._validation import check_given, check_integer, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.distributed._frame_libraries import (
    FLOAT,
    INTEGER,
    TEXT,
    column_of,
    library_of,
    n_rows_of,
)
from sklearn_rank.distributed._query_scorer import QueryScorer, TableScorer
from sklearn_rank.distributed._sources import read_marks
from sklearn_rank.distributed._table_function import TableFunction, TableWork
from sklearn_rank.inputs._columns import take_rows
from sklearn_rank.typing import Estimator, Labels

# The option of a model that the rows with a mark give for each user.
MARKED = {"offered": "items", "excluded": "exclude"}

# Items and their scores, a row per user.
Lists = tuple[np.ndarray, np.ndarray]

_TYPES = {"i": INTEGER, "u": INTEGER, "f": FLOAT}  # of ids, by kind; others are texts


@dataclass(eq=False)
class ListWork(TableWork):
    """Lists as rows of user, item, score and rank, users in the order of their labels."""

    model: Any
    user: Any
    item: Any
    options: dict[str, Any]  # options for all users

    def __post_init__(self) -> None:
        """Read the column of users."""
        self.query = self.user
        self.columns = {"user": self.user}
        self.labels = [self.user]
        self.never_null = ["user"]

    def column_types(self, of_labels: Any) -> dict[Any, Any]:
        """Return the type of each column of lists."""
        (user,) = of_labels
        item = _TYPES.get(self.model.items_.dtype.kind, TEXT)
        return {self.user: user, self.item: item, "score": FLOAT, "rank": INTEGER}

    def queries(self, result: Any) -> Any:
        """Return the users of some lists."""
        return encode_labels(column_of(result, self.user), name="user")[0]

    def compute(self, table: Any) -> dict[Any, np.ndarray]:
        """Return the columns of the lists of the users in a table."""
        users, codes = encode_labels(column_of(table, self.user), name="user")
        items, scores = self.recommend(table, users, codes)
        row, position = np.nonzero(~np.isneginf(scores))
        return {
            self.user: users[row],
            self.item: items[row, position],
            "score": scores[row, position].astype(np.float64),
            "rank": position + 1,
        }

    @abstractmethod
    def recommend(self, table: Any, users: np.ndarray, codes: np.ndarray) -> Lists:
        """Return items and scores for the users of a table.

        `codes` has the index of the user of each row.
        """


@dataclass(eq=False)
class ListsById(ListWork):
    """Lists of users given by ids, some with their own items."""

    offered: Any
    excluded: Any

    def __post_init__(self) -> None:
        """Read the columns that mark items, if there are any."""
        super().__post_init__()
        markers = {"offered": self.offered, "excluded": self.excluded}
        self._markers = {name: mark for name, mark in markers.items() if mark is not None}
        if self._markers:
            self.columns |= {"item": self.item, **self._markers}
            self.never_null = ["user", *self._markers]

    def recommend(self, table: Any, users: np.ndarray, codes: np.ndarray) -> Lists:
        """Return items and scores for users, with their marked rows."""
        options = dict(self.options)
        for name, column in self._markers.items():
            rows = np.flatnonzero(read_marks(column_of(table, column), name))
            ids = column_of(take_rows(table, rows), self.item)
            own: dict[Any, list] = {user: [] for user in as_list(users)}
            for user, item in zip(as_list(users[codes[rows]]), _ids(ids), strict=True):
                own[user].append(item)
            options[MARKED[name]] = own
        return self.model.recommend(users, **options, return_scores=True)


def _ids(column: Any) -> list:
    return as_list(plain_array(column))


@dataclass(eq=False)
class ListsByHistory(ListWork):
    """Lists of users given by rows of their history."""

    weight: Any

    def __post_init__(self) -> None:
        """Read the columns of items and, if there is one, of weights."""
        super().__post_init__()
        self.columns["item"] = self.item
        if self.weight is not None:
            self.columns["weight"] = self.weight
        self.never_null = list(self.columns)

    def recommend(self, table: Any, users: np.ndarray, codes: np.ndarray) -> Lists:
        """Return items and scores for histories, rows of a user as the table has them."""
        rows = zip(codes.tolist(), _ids(column_of(table, self.item)), strict=True)
        histories: list[Any] = [[] if self.weight is None else Counter() for _ in users]
        if self.weight is None:
            for code, item in rows:
                histories[code].append(item)
        else:
            weights = as_floats(plain_array(column_of(table, self.weight)), "weight")
            for (code, item), weight in zip(rows, weights.tolist(), strict=True):
                histories[code][item] += weight
        return self.model.recommend_for_items(histories, **self.options, return_scores=True)


class ValuesOfLists(TableScorer):
    """Values per query of the lists of the users in a table of held-out pairs."""

    def __init__(self, lists: ListWork, score: TableScorer):
        _check_together(lists, score)
        vars(self).update(vars(score))  # the same metrics, read in the same way
        self._lists, self._named = lists, score.columns
        made = ("marker", "score", "rank")
        self.columns = {n: column for n, column in score.columns.items() if n not in made}
        self.never_null = [name for name in score.never_null if name in self.columns]

    def compute(self, table: Any) -> dict[Any, np.ndarray]:
        """Return the columns of the values of a table of pairs."""
        library, n_pairs = library_of(table), n_rows_of(table)
        lists, names = self._lists.compute(table), self._named
        n_listed = len(lists["rank"])
        columns = {n: plain_array(column_of(table, n)) for n in self.columns.values()}
        types = dict(zip(columns, library.types(table, list(columns)), strict=True))
        user, item = self._lists.user, self._lists.item
        below = {user: lists[user], item: lists[item]}
        if "by" in names:
            users, first = np.unique(columns[user], return_index=True)
            of_user = columns[names["by"]][first]
            below[names["by"]] = of_user[np.searchsorted(users, lists[user])]
        if "relevance" in names:
            below[names["relevance"]] = np.zeros(n_listed)
        columns[names["marker"]] = np.ones(n_pairs, dtype=np.int64)
        below[names["marker"]] = np.zeros(n_listed, dtype=np.int64)
        order = "score" if "score" in names else "rank"
        columns[order], below[order] = np.zeros(n_pairs), lists[order]
        types |= {names["marker"]: INTEGER, order: FLOAT}
        both = {name: np.concatenate([columns[name], below[name]]) for name in columns}
        return super().compute(library.make(both, types))


def _check_together(lists: ListWork, score: TableScorer) -> None:
    """Raise unless a scorer reads only columns of lists."""
    if list(lists.columns) != ["user"]:
        raise ValueError(
            "`then` takes lists of users known by id alone, but these lists read "
            f"{list(lists.columns)}; make a table of lists, and score it with the pairs."
        )
    columns = {name: score.columns.get(name) for name in ("user", "item", "score", "rank")}
    order = {name: column for name, column in columns.items() if column is not None}
    wanted = {"user": lists.user, "item": lists.item}
    if "marker" not in score.columns or order not in (
        {**wanted, "score": "score"},
        {**wanted, "rank": "rank"},
    ):
        raise ValueError(
            f"`score` must be QueryScorer.from_tables(..., user={lists.user!r}, "
            f"item={lists.item!r}, marker=..., score='score'), as lists have these columns."
        )
    k = lists.options["k"]
    for metric in score.wanted:
        if metric.k is not None and metric.k > k:
            raise ValueError(
                f"Metric {metric.name!r} looks at {metric.k} ranks, but lists have {k}; "
                "raise `k` of the lists."
            )


@explained
class UserLists(TableFunction):
    """Lists of a fitted recommender as a function of tables of users, for engines.

    The items and their order equal those of the recommender's ``recommend`` for all users
    at once, for any parts. The engine maps the function over a table of users; a table of
    lists comes out of it, with one row per item, as :meth:`QueryScorer.from_tables` reads
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
        Leave out the items that users have in the training data. If None, the default of
        the model.
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
        of_all = _check_options(model, "recommend", k, exclude_seen, items, exclude)
        for name, column in {"offered": offered, "excluded": excluded}.items():
            all_users = MARKED[name]
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
            Column of weights; those of a pair add up. If None, each row counts 1.
        exclude_seen : bool, default=None
            Leave out the items of the history. If None, the default of the model.
        items, exclude : array-like of item ids, default=None
            Recommend only these items, or never these.

        Returns
        -------
        lists : UserLists
            What the model's ``recommend_for_items`` returns, as tables.
        """
        of_all = _check_options(
            model, "recommend_for_items", k, exclude_seen, items, exclude
        )
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
        check_given("score", score, isinstance(score, QueryScorer), "a QueryScorer")
        function = TableFunction()
        function._table = ValuesOfLists(self._table, score._table)
        return function

    def __repr__(self) -> str:
        """Return the model, and how long lists are."""
        return f"UserLists({self._table.model!r}, k={self._table.options['k']})"


def _check_options(
    model: Any, method: str, k: Any, exclude_seen: Any, items: Any, exclude: Any
) -> dict[str, Any]:
    """Return the options for all users; raise unless the model can use it."""
    needed = f"a recommender with `{method}`"
    check_given("model", model, hasattr(model, method), needed)
    check_is_fitted(model)
    ids = np.asarray(model.items_)
    if ids.dtype.kind not in "iuf" and not all(isinstance(label, str) for label in ids):
        raise TypeError(
            "Ids of items must be all numbers or all strings, as in a column of a table, "
            f"got {shorten(ids[:3].tolist())}; fit the model with such ids."
        )
    options = {"k": check_integer("k", k), "exclude_seen": exclude_seen}
    options |= {"items": items, "exclude": exclude}
    # Try one user now, so that errors do not wait for the first worker.
    example = model.users_[:1] if method == "recommend" else [ids[:1]]
    getattr(model, method)(example, **options, return_scores=True)
    return options
