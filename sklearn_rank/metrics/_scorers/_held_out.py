"""Held-out rows against what a recommender recommends, as arrays from end to end."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import Bunch

from sklearn_rank._labels._encode import as_vector, encode_labels
from sklearn_rank._tables._columns import take_column
from sklearn_rank._validation import as_numbers, check_grades, check_missing
from sklearn_rank.inputs._lists_of_items import rows_of_lists
from sklearn_rank.metrics._scorers._lists_of_users import ListsOfUsers, Request


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Rows held out: users, and the graded items of each, by user."""

    users: np.ndarray  # labels, sorted
    user: np.ndarray  # of each row, as its place among the users, ascending
    item: np.ndarray  # id of each row
    grade: np.ndarray  # of each row, > 0

    @property
    def max_grade(self) -> float:
        """The highest grade, 0 if there is none."""
        return float(self.grade.max(initial=0))

    def of_users(self, users: slice) -> "HeldOut":
        """Return the rows of some users."""
        start, stop = np.searchsorted(self.user, [users.start, users.stop])
        return HeldOut(
            self.users[users],
            self.user[start:stop] - users.start,
            self.item[start:stop],
            self.grade[start:stop],
        )


def read_held_out(
    X: Any, y: Any, *, user: Any, item: Any, min_relevance: float | None = None
) -> HeldOut:
    """Return the relevant rows of X, by user; `y` None: all have grade 1.

    Of an item that a user has more than once, the highest grade counts.
    """
    users, codes = encode_labels(take_column(X, user, name="user"), name="user")
    items = as_vector(take_column(X, item, name="item"), name="item")
    grade = np.ones(len(items)) if y is None else _grades(y, len(items))
    check_missing("y", np.isnan(grade))
    check_grades(grade, name="y")
    least = 0.0 if min_relevance is None else min_relevance
    rows = np.flatnonzero((grade > 0) & (grade >= least))
    rows = rows[np.lexsort((-grade[rows], codes[rows]))]
    return HeldOut(users, codes[rows], items[rows], grade[rows])


def _grades(y: Any, n_rows: int) -> np.ndarray:
    grades = as_numbers(y, "y")
    if sparse.issparse(grades) or grades.shape not in {(n_rows,), (n_rows, 1)}:
        raise ValueError(
            f"`y` has shape {grades.shape}, but X has {n_rows} rows; give one grade a row, "
            "or no y, with which every row counts 1."
        )
    return grades.ravel().astype(float)


def rows_of_recommender(
    recommender: Any, held_out: HeldOut, n_items: int, *, return_items: bool = False
) -> Bunch:
    """Return rows for the metrics: lists of `n_items`, and what they missed."""
    lists = ListsOfUsers(recommender, held_out.users, Request())
    everyone = slice(0, len(held_out.users))
    return rows_of(held_out, lists.of(everyone, n_items), return_items=return_items)


def rows_of(held_out: HeldOut, lists: Any, *, return_items: bool = False) -> Bunch:
    """Return rows for the metrics from a list for each user."""
    return rows_of_lists(
        held_out.users,
        held_out.user,
        held_out.item,
        held_out.grade,
        lists,
        return_items=return_items,
    )
