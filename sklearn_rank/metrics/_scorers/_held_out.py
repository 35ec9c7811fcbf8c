"""Match held-out rows with the lists of a recommender, as arrays."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import Bunch

from sklearn_rank._ids._encode import as_vector, encode_labels
from sklearn_rank._ids._two_sides import as_ids, encode_ids
from sklearn_rank._ranking._judgments import GradesOfCatalogue
from sklearn_rank._ranking._queries import SideColumn
from sklearn_rank._tables._columns import numbers_of_rows, take_column
from sklearn_rank._validation import check_grades, check_missing
from sklearn_rank.inputs._lists_of_items import (
    PlacesOfLists,
    rows_of_lists,
    rows_of_places,
)
from sklearn_rank.metrics._core._join_labels import join_labels
from sklearn_rank.metrics._scorers._lists_of_users import ListsOfUsers, Request
from sklearn_rank.metrics._scorers._protocol import places_of


class CodedItems(NamedTuple):
    """Items as codes: indices in a catalogue, followed by items that it lacks."""

    codes: np.ndarray
    labels: np.ndarray  # id of each code


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Held-out rows: the graded items of each user, sorted by user."""

    users: np.ndarray  # labels, sorted
    user: np.ndarray  # index of each row's user, ascending
    item: np.ndarray  # id of each row
    grade: np.ndarray  # of each row, > 0
    coded: CodedItems | None = None

    @property
    def max_grade(self) -> float:
        """The highest grade, 0 without rows."""
        return float(self.grade.max(initial=0))

    def of_users(self, users: slice) -> "HeldOut":
        """Return the rows of some users."""
        start, stop = np.searchsorted(self.user, [users.start, users.stop])
        return HeldOut(
            self.users[users],
            self.user[start:stop] - users.start,
            self.item[start:stop],
            self.grade[start:stop],
            self.coded and self.coded._replace(codes=self.coded.codes[start:stop]),
        )

    def with_codes(self, catalogue: np.ndarray) -> "HeldOut":
        """Return the rows, with items also as codes."""
        code, labels = places_of(catalogue, self.item, name="item"), catalogue
        lacking = np.flatnonzero(code < 0)
        if len(lacking):
            others = encode_ids(as_ids(self.item[lacking]), [])
            distinct, number = np.unique(others.one, return_inverse=True)
            code[lacking] = len(catalogue) + number
            more = as_vector(others.labels_of(distinct), name="item")
            labels = join_labels([catalogue, more], name="item")
        return replace(self, coded=CodedItems(code, labels))


def read_held_out(
    X: Any, y: Any, *, user: Any, item: Any, min_relevance: float | None = None
) -> HeldOut:
    """Return the relevant rows of X, by user; `y` None: all have grade 1.

    For repeated pairs the highest grade counts.
    """
    if y is None and min_relevance is not None and min_relevance > 1:
        raise ValueError(
            f"min_relevance={min_relevance!r} needs y; without y every row counts 1. Pass "
            "y, or leave it out."
        )
    users, codes = encode_labels(take_column(X, user, name="user"), name="user")
    items = as_vector(take_column(X, item, name="item"), name="item")
    grade = np.ones(len(items))
    if y is not None:
        grade = numbers_of_rows(y, len(items), name="y").astype(float)
    check_missing("y", np.isnan(grade))
    check_grades(grade, name="y")
    least = 0.0 if min_relevance is None else min_relevance
    rows = np.flatnonzero((grade > 0) & (grade >= least))
    rows = rows[np.lexsort((-grade[rows], codes[rows]))]
    return HeldOut(users, codes[rows], items[rows], grade[rows])


def rows_of_recommender(
    recommender: Any, held_out: HeldOut, k: int, *, return_items: bool = False
) -> Bunch:
    """Return rows for the metrics: lists of `k`, and the missed items."""
    lists = ListsOfUsers(recommender, held_out.users, Request())
    everyone = slice(0, len(held_out.users))
    rows = rows_of(held_out, lists.of(everyone, k), return_items=return_items)
    column = rows.get("items")
    if isinstance(column, SideColumn) and column.labels is not None:
        rows["items"] = column.labels[column.values]
    return rows


def rows_of(held_out: HeldOut, lists: Any, *, return_items: bool = False) -> Bunch:
    """Return rows for the metrics from a list of ids or indices for each user.

    Items are codes if lists hold indices, else ids.
    """
    users, user, grade = held_out.users, held_out.user, held_out.grade
    if not isinstance(lists, PlacesOfLists):
        item = held_out.item
        rows = rows_of_lists(users, user, item, grade, lists, return_items=return_items)
        return _of_catalogue(rows)
    coded = held_out.coded or held_out.with_codes(lists.catalogue).coded
    assert coded is not None
    rows = rows_of_places(users, user, grade, lists, *coded, return_items=return_items)
    if return_items:
        labels, place = encode_labels(coded.labels, name="items")  # in order
        rows["items"] = SideColumn(place[rows["items"]], labels)
    return _of_catalogue(rows)


def _of_catalogue(rows: Bunch) -> Bunch:
    """Mark grades as those of lists that end at the requested length."""
    rows.y_true = rows.y_true.view(GradesOfCatalogue)
    return rows
