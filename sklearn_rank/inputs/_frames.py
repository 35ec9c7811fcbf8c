"""Tables of relevant and of recommended items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from sklearn_rank._base._ids import Codes, as_ids, check_hashable, encode_ids
from sklearn_rank._base._label_checks import show_id
from sklearn_rank._base._labels import as_vector
from sklearn_rank._base._messages import shorten, warn_misleading
from sklearn_rank._base._numbers import (
    check_missing,
    check_values,
    exact_as_floats,
    float_array,
    number_array,
    plain_array,
)
from sklearn_rank._base._runs import may_repeat
from sklearn_rank._base._validation import check_option
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._low_is_best import is_name_of_distances, is_name_of_ranks
from sklearn_rank.inputs._columns import find_column, named_column, names_of
from sklearn_rank.inputs._item_lists import DUPLICATES, drop_items, read_excluded
from sklearn_rank.inputs._match import JudgedRows, match_sides, side_by_user
from sklearn_rank.inputs._per_user import check_users_comparable
from sklearn_rank.inputs._unmatched_ids import add_queries, check_users_numbered
from sklearn_rank.typing import DataFrame, Labels

# A column of this name has what `relevance` names.
_NAMES_OF_GRADES = {"relevance", "relevant", "label", "grade", "clicked"}


@explained
def from_frames(
    truth: DataFrame,
    recommendations: DataFrame,
    *,
    user: str | None = None,
    item: str | None = None,
    relevance: str | None = None,
    score: str | None = None,
    rank: str | None = None,
    duplicates: Literal["raise", "first", "miss"] = "raise",
    exclude: Mapping[Any, object] | None = None,
    return_items: bool = False,
    queries: Labels | None = None,
) -> JudgedRows:
    """Rows for the metrics from a table of relevant and one of recommended items.

    Both tables have a row for each user and item, in any order; users and items are
    matched by their values.

    Parameters
    ----------
    truth : pandas or polars DataFrame, or pyarrow Table
        The relevant items: columns `user`, `item` and, where it is named, `relevance`.
    recommendations : pandas or polars DataFrame, or pyarrow Table
        The recommended items: columns `user`, `item`, and `score` or `rank`.
    user, item : str, default=None
        Names of the columns of users and items, the same in both tables. If None, columns
        with usual names, such as ``user`` or ``user_id``.
    relevance : str, default=None
        Name of the column of `truth` with the grades, finite numbers >= 0. If None, each
        row of `truth` has grade 1. A column of `truth` that is named ``label``, ``grade``,
        ``relevance``, ``relevant`` or ``clicked`` may then not have a 0.
    score : str, default=None
        Name of the column of `recommendations` with the scores, higher is better. Equal
        scores of a user tie, and no others; -inf is an item that was not retrieved.
    rank : str, default=None
        Name of the column of `recommendations` with the ranks, whole numbers, lower is
        better. Only their order counts: ranks may begin at 0 or at 1 and may have gaps. One
        of `score` and `rank` is needed.
    duplicates : {"raise", "first", "miss"}, default="raise"
        How to treat a user and item that a table has twice, such as a document found by
        several of its chunks, or an item bought again. "raise" is an error; "first" keeps
        the row with the highest score or grade, or the lowest rank. With "miss" the other
        recommendations keep their places and are not relevant, as in Kaggle's MAP@k.
    exclude : mapping from user to items, default=None
        Items of a user that count in neither table, such as the query's own document, or
        what a user has seen: several, or one alone. Ranks close up. Users and items that
        the tables do not have are passed over.
    return_items : bool, default=False
        Whether to return ``items`` too: the id of the item of each row, for metrics of what
        lists show.
    queries : array-like, default=None
        All users or queries, for those that may be in neither table. One without a relevant
        item and without a list gets a row of grade -0.0 and score -inf.

    Returns
    -------
    rows : Bunch
        `y_true`, `y_score` (the score, or minus the rank) and `groups` (the users), arrays
        of shape (n_rows,). Rows lie together by user, users as they first appear in
        `truth`, then those that only `recommendations` has; relevant items that were not
        recommended have the score -inf.

        A recommended item that `truth` does not mention has the grade -0.0: for metrics of
        judgments an unjudged item, for all others a 0. Large integers that would be rounded
        to the same float become numbers from 0 on, in the same order.

    Raises
    ------
    ValueError
        If the columns are wrong: one does not exist; both or neither of `score` and `rank`
        are given; or the grades are in a column that `relevance` does not name.

        If rows are wrong: a user or item is missing; a table has a user and item twice; a
        user has a rank twice; a grade, score or rank is out of its range; or different
        grades would be rounded to the same float.

        If the tables do not fit: they have no user in common; an id of one holds several
        ids of the other; or `queries` lacks a user of a table.
    TypeError
        If a table is not a DataFrame or a pyarrow Table, one of its numeric columns does
        not hold numbers, the name of a column is not hashable, or half of the ids of a
        table (or its users) are of a type that can never equal one of the other.

    Warns
    -----
    MisleadingScoreWarning
        If the ids may not match: nobody is recommended any of 20 relevant items or more;
        five users or more are not those of the other table; ids that only one table has
        look like ids that only the other has; or no list has a relevant item, where lists
        of other users would.

        If the scores may be upside down: their column is named like ranks or distances; or
        they rise in the given order in every list, and relevant items score low.

    See Also
    --------
    from_item_lists : The same from lists of ids.

    Notes
    -----
    A user with relevant items and no recommendations scores 0; a user without relevant
    items is undefined, and metrics leave the user out and say so.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_rank.inputs import from_frames
    >>> bought = pd.DataFrame({"user": ["ann", "ann", "bob"], "item": [1, 2, 1]})
    >>> shown = pd.DataFrame({"user": ["ann", "ann"], "item": [2, 3], "rank": [1, 2]})
    >>> rows = from_frames(bought, shown, rank="rank")
    >>> rows.groups.tolist()
    ['ann', 'ann', 'ann', 'bob']
    >>> rows.y_true.tolist()
    [1.0, -0.0, 1.0, 1.0]
    >>> rows.y_score.tolist()
    [-1.0, -2.0, -inf, -inf]
    """
    check_option("return_items", return_items, (True, False))
    check_option("duplicates", duplicates, DUPLICATES)
    if (score is None) == (rank is None):
        raise ValueError(
            "Name the column that orders the recommendations: either `score=` (higher is "
            f"better) or `rank=` (lower is better); got score={score!r}, rank={rank!r}."
        )
    tables = {"truth": truth, "recommendations": recommendations}
    user, item = (
        _find_usual(truth, role) if column is None else column
        for role, column in (("user", user), ("item", item))
    )
    users = _encode_column(tables, user, "user")
    items = _encode_column(tables, item, "item")
    pair = users.sample(users.left), users.sample(users.right)
    check_users_comparable(*pair, ("truth", "recommendations"))
    labels, truth_user, list_user = _number_users(users)
    check_users_numbered(labels, truth_user, list_user, ("truth", "recommendations"))
    labels = add_queries(queries, labels, "user")
    grade = _read_grades(truth, relevance, {user, item})
    value = _read_scores(recommendations, score, rank, (list_user, items.right), labels)
    excluded = read_excluded(exclude, labels, len(labels), items, "truth")
    relevant = side_by_user("truth", truth_user, items.left, grade, len(labels))
    ranked = side_by_user("recommendations", list_user, items.right, value, len(labels))
    relevant, ranked, items = drop_items(relevant, ranked, items, duplicates, excluded)
    if rank is not None and duplicates != "raise":
        assert ranked.value is not None
        ranks = -ranked.value
        _check_untied(ranks, ranks, (ranked.owner(), ranked.item), labels)
    is_named = score is not None and warn_of_names(score, value, list_user)
    are_scored = score is not None and not is_named
    sides = relevant, ranked, labels, items
    return match_sides(*sides, return_items=return_items, are_scored=are_scored)


def _find_usual(truth: Any, role: str) -> str:
    """Return the column of users or items by its usual name."""
    names = _table_names(truth, "truth")
    column = named_column(list(names), role, name="truth")
    if column is None:
        raise ValueError(
            f"No column of truth is named '{role}' or '{role}_id'; it has "
            f"{shorten(list(names))}. Name that of the {role}s: {role}=."
        )
    return column


def _encode_column(tables: dict, column: Any, parameter: str) -> Codes:
    """Return the codes of one column of both tables."""
    left, right = (
        as_ids(_take_table_column(table, column, parameter, name), f"{name}[{column!r}]")
        for name, table in tables.items()
    )
    ids = encode_ids(left, right)
    missing = ids.missing()
    for name, codes in zip(tables, (ids.left, ids.right), strict=True):
        check_missing(f"{name}[{column!r}]", np.isin(codes, missing))
    return ids


def _take_table_column(table: Any, column: Any, parameter: str, name: str) -> np.ndarray:
    columns = _table_names(table, name)
    check_hashable(parameter, column, "the name of a column")
    find_column(column, columns, parameter=parameter, of=f"`{name}`")
    values = np.asarray(plain_array(table[column]))
    if values.ndim != 1:
        raise ValueError(
            f"Column {shorten(column)} of `{name}` holds arrays, not one value per row."
        )
    if (
        values.dtype.kind == "O"
        and len(values)
        and isinstance(values[0], list | np.ndarray)
    ):
        raise TypeError(
            f"`{name}[{column!r}]` has lists in its cells: write from_item_lists(dict(zip("
            'df["user_input"], df["reference_contexts"])), dict(zip(df["user_input"], '
            'df["retrieved_contexts"]))), with the names of your columns.'
        )
    return values


def _table_names(table: Any, name: str) -> list:
    """Return the names of the columns of a table that is in memory."""
    names = None if isinstance(table, np.ndarray) else names_of(table, name=name)
    if names is None:
        raise TypeError(
            f"`{name}` must be a pandas or polars DataFrame or a pyarrow Table, "
            f"got {type(table).__name__}."
        )
    return names


def _read_number_column(
    table: Any,
    column: Any,
    parameter: str,
    name: str,
    needed: str,
    *,
    least: float = 0,
    read: Callable[[Any, str], np.ndarray] = number_array,
) -> np.ndarray:
    """Return a column of numbers from `least`, none of them infinite or missing."""
    subject = f"`{parameter}={shorten(column)}`: the column of `{name}`"
    numbers = read(_take_table_column(table, column, parameter, name), subject)
    is_wrong = ~((numbers >= least) & (numbers < np.inf))  # NaN compares as False
    check_values(f"{name}[{column!r}]", numbers, is_wrong, "invalid", needed)
    return numbers


def _number_users(users: Codes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the users as they first appear, and the number of each row's user."""
    n_codes, codes = users.n_codes, np.concatenate([users.left, users.right])
    distinct = np.arange(n_codes) if n_codes <= 8 * len(codes) + 1024 else None
    if distinct is None:  # too many for a table
        distinct, codes = np.unique(codes, return_inverse=True)
    row = np.full(len(distinct), -1)
    row[codes[::-1]] = np.arange(len(codes))[::-1]  # of equal codes, the last is written
    present = np.flatnonzero(row >= 0)
    order = present[np.argsort(row[present])]
    labels = as_vector(users.labels_of(distinct[order]), name="user")
    row[order] = np.arange(len(order))
    number, n_one = row[codes], len(users.left)
    return labels, number[:n_one], number[n_one:]


def _read_grades(truth: Any, relevance: Any, ids: set) -> np.ndarray | None:
    if relevance is None:
        for name in (_NAMES_OF_GRADES - ids).intersection(_table_names(truth, "truth")):
            if (_take_table_column(truth, name, "relevance", "truth") == 0).any():
                raise ValueError(
                    f"`truth` has 0 in its column {name!r}, but without `relevance` all of "
                    f"its rows are relevant. Pass relevance={name!r}, or drop these rows."
                )
        return None
    needed = "grades must be finite numbers >= 0"
    return _read_number_column(
        truth, relevance, "relevance", "truth", needed, read=float_array
    )


def _read_scores(
    recommendations: Any,
    score: Any,
    rank: Any,
    entries: tuple[np.ndarray, np.ndarray],
    labels: np.ndarray,
) -> np.ndarray:
    """Return the scores, or minus the ranks, of entries (user, item)."""
    name = "recommendations"
    if score is None:
        needed = "ranks must be finite numbers >= 0"
        values = _read_number_column(recommendations, rank, "rank", name, needed)
        ranks = exact_as_floats(values)
        is_fraction = ranks % 1 > 0
        advice = (
            f"ranks are whole numbers; for distances give -recommendations[{rank!r}] as a "
            f"score, for scores score={rank!r}"
        )
        check_values(f"{name}[{rank!r}]", values, is_fraction, "fractional", advice)
        _check_untied(ranks, values, entries, labels)
        return -ranks
    needed = "scores must be numbers, or -inf for an item that was not retrieved"
    scores = exact_as_floats(
        _read_number_column(recommendations, score, "score", name, needed, least=-np.inf)
    )
    return scores


def warn_of_names(score: Any, values: np.ndarray, user: np.ndarray) -> bool:
    """Warn if scores are in a column named like ranks or distances; return whether."""
    are_distances = is_name_of_distances(score, values)
    are_ranks = not are_distances and is_name_of_ranks(score, values, user)
    if are_distances:
        warn_misleading(
            f"`score={score!r}` ranks the largest first, and its column is named like what "
            f"is best if small. Give -{score} in a column, or its rank as rank=."
        )
    elif are_ranks:
        warn_misleading(
            f"`score={score!r}` has the ranks of each user's items, but the highest score "
            f"ranks first. Give rank={score!r}."
        )
    return are_distances or are_ranks


def _check_untied(
    ranks: np.ndarray,
    tie_breaks: np.ndarray,
    entries: tuple[np.ndarray, np.ndarray],
    labels: np.ndarray,
) -> None:
    user, item = entries
    if not may_repeat([user, ranks], [len(labels), int(ranks.max(initial=0)) + 1]):
        return
    order = np.lexsort((ranks, user))
    again = (np.diff(user[order]) == 0) & (np.diff(ranks[order]) == 0)
    # An item that a user has twice is the mistake then; to match the sides names it.
    if again.any() and np.unique([user, item], axis=1).shape[1] == len(user):
        row = order[np.argmax(again)]
        raise ValueError(
            f"`recommendations` has rank {tie_breaks[row]:g} twice for user "
            f"{show_id(labels[user[row]])}; ranks cannot tie, pass `score=` for ties."
        )
