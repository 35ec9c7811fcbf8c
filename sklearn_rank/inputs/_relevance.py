"""Grades in rank order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from sklearn_rank._base._label_checks import show_id
from sklearn_rank._base._labels import as_vector
from sklearn_rank._base._messages import shorten
from sklearn_rank._base._numbers import is_missing, is_number, number_array
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._judgments import GradesOfLists
from sklearn_rank.inputs._match import JudgedRows, arrange_rows
from sklearn_rank.inputs._per_user import PerUser, read_per_user
from sklearn_rank.typing import ArrayLike

# Relevant items that are in no list, which become rows: these take 9 GB.
_MOST_MISSED = 2**28


@explained
def from_relevance(
    relevance_lists: Mapping[Any, Iterable[float]] | ArrayLike | Sequence[Iterable[float]],
    n_relevant: int | Mapping[Any, int] | ArrayLike | None = None,
) -> JudgedRows:
    """Rows for the metrics from the grades of each ranked list.

    For results whose grades are known in the order of the ranks, such as hand-judged
    lists, or the worked examples of papers.

    Parameters
    ----------
    relevance_lists : mapping, Series or sequence over queries, or 2-D array
        The grades of each query's list, best rank first: numbers >= 0, 0 for an item that
        is not relevant. NaN (or None, pandas.NA, or a masked value) is an item without
        a judgment; only metrics for incomplete judgments accept it. Lists may differ in
        length and may be empty.
    n_relevant : int, mapping or sequence of int, default=None
        The number of relevant items of each query (grade > 0), in the list or not; one
        number for all, or one per query, by key or by position as `relevance_lists`. Those
        beyond the list become rows with grade 1 and score -inf, as their grades are not
        known; all queries together may have 2**28 of them. If None, all relevant items are
        in the lists.

    Returns
    -------
    rows : Bunch
        `y_true`, `y_score` (minus the rank) and `groups`, arrays of shape (n_rows,).
        Queries keep their order; those known by position are labeled 0, 1, ...

    Raises
    ------
    ValueError
        If a grade is negative or infinite, different grades would be rounded to the same
        float, or `n_relevant` says that there are fewer relevant items than a list holds,
        or too many to make rows of them.
    TypeError
        If a list is not a container of numbers, or `n_relevant` not of whole numbers.

    See Also
    --------
    from_item_lists : From ids of items instead of grades.

    Notes
    -----
    An empty list of a query without relevant items gets one row that is not relevant and
    not retrieved, so that metrics count the query as undefined and do not forget it.

    Examples
    --------
    >>> from sklearn_rank.inputs import from_relevance
    >>> rows = from_relevance([[0, 1, 0], [1]], n_relevant=[2, 1])
    >>> rows.groups.tolist()
    [0, 0, 0, 0, 1]
    >>> rows.y_true.tolist()
    [0.0, 1.0, 0.0, 1.0, 1.0]
    >>> rows.y_score.tolist()
    [-1.0, -2.0, -3.0, -inf, -1.0]
    """
    lists = read_per_user(relevance_lists, name="relevance_lists", ordered=True)
    grade = _flat_grades(lists)
    layout = arrange_rows(lists.sizes, _count_missed(lists, grade, n_relevant))
    labels = np.arange(len(layout.sizes))
    if lists.users is not None:
        labels = as_vector(lists.users, name="relevance_lists")
    y_true = np.ones(layout.n_rows)
    y_true[layout.is_listed()] = grade
    y_true[layout.absent] = 0.0
    groups = np.repeat(labels, layout.sizes)
    return JudgedRows(
        y_true=y_true.view(GradesOfLists), y_score=layout.scores(), groups=groups
    )


def _flat_grades(lists: PerUser) -> np.ndarray:
    values: Any
    if isinstance(lists.rows, np.ndarray) and lists.rows.dtype.kind in "iufb":
        values = lists.rows.ravel()
    else:
        values = list(chain.from_iterable(lists.rows))
        if not all(map(is_number, set(map(type, values)))):
            values = [np.nan if is_missing(value) else value for value in values]
    return lists.numbers(
        values,
        "grade",
        "finite numbers >= 0",
        lambda grades: ~((grades < 0) | np.isinf(grades)),
        describe=partial(_describe_list, lists),
    )


def _describe_list(lists: PerUser, row: int) -> str:
    position = int(lists.owner()[row])
    rank = row - int(lists.sizes[:position].sum()) + 1
    return f"`relevance_lists`: rank {rank} of query {shorten(lists.label(position))}"


def _count_missed(lists: PerUser, grade: np.ndarray, total: Any) -> np.ndarray:
    """Return the number of relevant items beyond each list."""
    n_queries = len(lists.sizes)
    if total is None:
        return np.zeros(n_queries, dtype=np.intp)
    n_hits = np.bincount(lists.owner()[grade > 0], minlength=n_queries)
    n_missed = _whole_numbers(_total_per_query(lists, total), n_queries) - n_hits
    if (n_missed < 0).any():
        row = int(np.argmax(n_missed < 0))
        raise ValueError(
            f"Query {shorten(lists.label(row))} has {n_hits[row]} relevant item(s) in its "
            f"list, but `n_relevant` is {n_hits[row] + n_missed[row]}."
        )
    if n_missed.sum(dtype=np.float64) > _MOST_MISSED:
        row = int(np.argmax(n_missed))
        many = f"{n_missed[row]}" if n_missed[row] < 2**52 else "more than 2**52"
        raise ValueError(
            f"By `n_relevant`, {many} relevant items of query {shorten(lists.label(row))} "
            "are not in its list; each would be a row, and of all queries there may be "
            f"{_MOST_MISSED}. Count what could have been listed, or pass fewer queries."
        )
    return n_missed


def _total_per_query(lists: PerUser, total: Any) -> Any:
    if hasattr(total, "iloc") and lists.users is not None:
        total = total.to_dict()  # a pandas Series is matched by its index
    if not isinstance(total, Mapping):
        return total
    unknown = [label for label in lists.labels() if label not in total]
    if unknown:
        raise ValueError(f"`n_relevant` lacks query {show_id(unknown[0])}; add it.")
    return [total[label] for label in lists.labels()]


def _whole_numbers(total: Any, n_queries: int) -> np.ndarray:
    counts = number_array(total, "`n_relevant`")
    if counts.shape not in {(), (n_queries,)}:
        raise ValueError(
            f"`n_relevant` must be one number, or one for each of the {n_queries} "
            f"queries; got shape {counts.shape}."
        )
    if counts.dtype.kind == "b" or not (np.trunc(counts) == counts).all():
        raise TypeError(f"`n_relevant` must be whole numbers, got {shorten(total)}.")
    # What is so far beyond the limits is refused, however far it is.
    near = np.clip(counts.astype(np.float64), -(2.0**53), 2.0**53).astype(np.int64)
    return np.broadcast_to(near, n_queries)
