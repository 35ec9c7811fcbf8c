"""Make lists for a table of users, and evaluate them, part by part."""

from collections import Counter
from typing import Any

import numpy as np

from sklearn_rank._ids._encode import as_list, encode_labels
from sklearn_rank._per_query_tables._frame_libraries import (
    FLOAT,
    INTEGER,
    TEXT,
    column_of,
    library_of,
    n_rows_of,
)
from sklearn_rank._validation import as_floats
from sklearn_rank._values._missing import plain_array
from sklearn_rank.distributed._readers import marked
from sklearn_rank.distributed._table_function import TableWork
from sklearn_rank.distributed._table_scorer import TableScorer

_TYPES = {"i": INTEGER, "u": INTEGER, "f": FLOAT}  # of ids, by kind; others are texts


class ListWork(TableWork):
    """Lists as rows of user, item, score and rank, users in the order of their labels."""

    def __init__(self, model: Any, user: Any, item: Any, given: dict[str, Any]):
        self.model = model
        self.given = given  # options for all users
        self.user = self.query = user
        self.item = item
        self.columns = {"user": user}
        self.labels = [user]
        self.never_null = ["user"]

    def types(self, of_labels: Any) -> dict[Any, Any]:
        """Return the type of each column of lists."""
        (user,) = of_labels
        item = _TYPES.get(self.model.items_.dtype.kind, TEXT)
        return {self.user: user, self.item: item, "score": FLOAT, "rank": INTEGER}

    def queries(self, result: Any) -> Any:
        """Return the users of some lists."""
        return encode_labels(column_of(result, self.user), name="user")[0]

    def found(self, table: Any) -> dict[Any, np.ndarray]:
        """Return the columns of the lists of the users in a table."""
        users, codes = encode_labels(column_of(table, self.user), name="user")
        items, scores = self.recommend(table, users, codes)
        row, place = np.nonzero(~np.isneginf(scores))
        return {
            self.user: users[row],
            self.item: items[row, place],
            "score": scores[row, place].astype(np.float64),
            "rank": place + 1,
        }

    def recommend(
        self, table: Any, users: np.ndarray, codes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return items and scores for the users of a table, and the user of each row."""
        raise NotImplementedError


class ListsById(ListWork):
    """Lists of users given by ids, some with their own items."""

    def __init__(
        self, model: Any, user: Any, item: Any, given: dict, offered: Any, excluded: Any
    ):
        super().__init__(model, user, item, given)
        markers = {"items": ("offered", offered), "exclude": ("excluded", excluded)}
        self._markers = {key: one for key, one in markers.items() if one[1] is not None}
        if self._markers:
            self.columns = {"user": user, "item": item, **dict(self._markers.values())}
            self.never_null = [name for name in self.columns if name != "item"]

    def recommend(
        self, table: Any, users: np.ndarray, codes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return items and scores for users, with their marked rows."""
        given = dict(self.given)
        for key, (name, column) in self._markers.items():
            rows = marked(column_of(table, column), name)
            ids = column_of(library_of(table).rows(table, rows), self.item)
            given[key] = {user: [] for user in as_list(users)}
            for user, one in zip(as_list(users[codes[rows]]), _ids(ids), strict=True):
                given[key][user].append(one)
        return self.model.recommend(users, **given, return_scores=True)


def _ids(column: Any) -> list:
    return as_list(plain_array(column))


class ListsByHistory(ListWork):
    """Lists of users given by rows of their history."""

    def __init__(self, model: Any, user: Any, item: Any, given: dict, weight: Any):
        super().__init__(model, user, item, given)
        self.columns = {"user": user, "item": item}
        self._weight = weight
        if weight is not None:
            self.columns["weight"] = weight
        self.never_null = list(self.columns)

    def recommend(
        self, table: Any, users: np.ndarray, codes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return items and scores for histories, rows of a user as the table has them."""
        rows = zip(codes.tolist(), _ids(column_of(table, self.item)), strict=True)
        histories: list[Any] = [[] if self._weight is None else Counter() for _ in users]
        if self._weight is None:
            for code, one in rows:
                histories[code].append(one)
        else:
            weights = as_floats(plain_array(column_of(table, self._weight)), "weight")
            for (code, one), weight in zip(rows, weights.tolist(), strict=True):
                histories[code][one] += weight
        return self.model.recommend_for_items(histories, **self.given, return_scores=True)


class ValuesOfLists(TableWork):
    """Values per query of the lists of the users in a table of held-out pairs."""

    def __init__(self, lists: ListWork, score: TableScorer):
        _check_together(lists, score)
        self._lists = lists
        self._score = score
        made = ("marker", "score", "rank")
        self.query = score.query
        self.columns = {n: column for n, column in score.columns.items() if n not in made}
        self.labels = score.labels
        self.never_null = [name for name in score.never_null if name in self.columns]

    def types(self, of_labels: Any) -> dict[Any, Any]:
        """Return the type of each column of the values."""
        return self._score.types(of_labels)

    def queries(self, result: Any) -> Any:
        """Return the labels of the values."""
        return self._score.queries(result)

    def found(self, table: Any) -> dict[Any, np.ndarray]:
        """Return the columns of the values of a table of pairs."""
        library, n_pairs = library_of(table), n_rows_of(table)
        lists, named = self._lists.found(table), self._score.columns
        n_listed = len(lists["rank"])
        columns = {n: plain_array(column_of(table, n)) for n in self.columns.values()}
        types = dict(zip(columns, library.types(table, list(columns)), strict=True))
        user, item = self._lists.user, self._lists.item
        below = {user: lists[user], item: lists[item]}
        if "by" in named:
            users, first = np.unique(columns[user], return_index=True)
            of_user = columns[named["by"]][first]
            below[named["by"]] = of_user[np.searchsorted(users, lists[user])]
        if "relevance" in named:
            below[named["relevance"]] = np.zeros(n_listed)
        columns[named["marker"]] = np.ones(n_pairs, dtype=np.int64)
        below[named["marker"]] = np.zeros(n_listed, dtype=np.int64)
        order = "score" if "score" in named else "rank"
        columns[order], below[order] = np.zeros(n_pairs), lists[order]
        types |= {named["marker"]: INTEGER, order: FLOAT}
        both = {name: np.concatenate([columns[name], below[name]]) for name in columns}
        return self._score.found(library.make(both, types))


def _check_together(lists: ListWork, score: TableScorer) -> None:
    """Raise unless a scorer reads only columns of lists."""
    if list(lists.columns) != ["user"]:
        raise ValueError(
            "`then` takes lists of users who are known by id alone, but these lists read "
            f"{list(lists.columns)}; make the table of lists, put the pairs below it, and "
            "score both."
        )
    named = {name: score.columns.get(name) for name in ("user", "item", "score", "rank")}
    order = {name: column for name, column in named.items() if column is not None}
    wanted = {"user": lists.user, "item": lists.item}
    if "marker" not in score.columns or order not in (
        {**wanted, "score": "score"},
        {**wanted, "rank": "rank"},
    ):
        raise ValueError(
            f"`score` must be QueryScorer.from_tables(..., user={lists.user!r}, "
            f"item={lists.item!r}, marker=..., score='score'), as lists have these columns."
        )
    k = lists.given["k"]
    for metric in score.wanted:
        if metric.k is not None and metric.k > k:
            raise ValueError(
                f"Metric {metric.name!r} looks at {metric.k} ranks, but lists have {k}; "
                "raise `k` of the lists."
            )
