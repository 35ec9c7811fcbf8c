"""Grades in rank order."""

from collections.abc import Mapping
from itertools import chain
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from sklearn_rank._labels import as_vector
from sklearn_rank.inputs._ids import plain
from sklearn_rank.inputs._layout import lay_out
from sklearn_rank.inputs._per_user import PerUser, read_per_user

__all__ = ["from_relevance"]


def from_relevance(relevance_lists: Any, n_relevant: Any = None) -> Bunch:
    """Rows for the metrics from the grades of each ranked list.

    For results whose grades are known in the order of the ranks, such as hand-judged
    lists, or the worked examples of papers.

    Parameters
    ----------
    relevance_lists : mapping, Series or sequence over queries, or 2-D array
        The grades of each query's list, best rank first: numbers >= 0, 0 for an item that
        is not relevant. NaN is an item that nobody judged; only metrics for incomplete
        judgements accept it. Lists may differ in length and may be empty.
    n_relevant : int, mapping or sequence of int, default=None
        The number of relevant items of each query (grade > 0), in the list or not; one
        number for all, or one a query, by key or by position as `relevance_lists`.
        Those beyond the list become rows with grade 1 and score -inf, as what was not
        retrieved has no known grade. None: all relevant items are in the lists.

    Returns
    -------
    rows : :class:`~sklearn.utils.Bunch`
        `y_true`, `y_score` (minus the rank) and `groups`, arrays of shape (n_rows,).
        Queries keep their order; those known by position are labelled 0, 1, ...

    Raises
    ------
    ValueError
        If a grade is negative or infinite, or a list holds more relevant items than
        `n_relevant` says there are.
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
    layout = lay_out(lists.sizes, _count_missed(lists, grade, n_relevant))
    labels = np.arange(len(layout.sizes))
    if lists.users is not None:
        labels = as_vector(lists.users, name="relevance_lists")
    y_true = np.ones(layout.n_rows)
    y_true[layout.is_listed()] = grade
    y_true[layout.absent] = 0.0
    groups = np.repeat(labels, layout.sizes)
    return Bunch(y_true=y_true, y_score=layout.scores(), groups=groups)


def _flat_grades(lists: PerUser) -> np.ndarray:
    grades = _as_floats(lists)
    bad = (grades < 0) | np.isinf(grades)
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(
            f"{_describe(lists, row)} has the grade {grades[row]:g}; "
            "grades must be finite numbers >= 0."
        )
    return grades


def _as_floats(lists: PerUser) -> np.ndarray:
    if isinstance(lists.rows, np.ndarray) and lists.rows.dtype.kind in "iufb":
        return lists.rows.ravel().astype(np.float64)
    values = list(chain.from_iterable(lists.rows))
    if not all(issubclass(kind, Real) for kind in set(map(type, values))):
        row = next(i for i, value in enumerate(values) if not isinstance(value, Real))
        raise TypeError(
            f"{_describe(lists, row)} has the grade {plain(values[row])!r}; "
            "grades must be numbers."
        )
    return np.array(values, dtype=np.float64)


def _describe(lists: PerUser, row: int) -> str:
    position = int(lists.owner()[row])
    rank = row - int(lists.sizes[:position].sum()) + 1
    return f"`relevance_lists`: rank {rank} of query {lists.label(position)!r}"


def _count_missed(lists: PerUser, grade: np.ndarray, total: Any) -> np.ndarray:
    """Return the number of relevant items beyond each list."""
    n_queries = len(lists.sizes)
    if total is None:
        return np.zeros(n_queries, dtype=np.intp)
    n_hits = np.bincount(lists.owner()[grade > 0], minlength=n_queries)
    n_missed = _whole_numbers(_one_per_query(lists, total), n_queries) - n_hits
    if (n_missed < 0).any():
        row = int(np.argmax(n_missed < 0))
        raise ValueError(
            f"Query {lists.label(row)!r} has {n_hits[row]} relevant item(s) in its list, "
            f"but `n_relevant` says {n_hits[row] + n_missed[row]}."
        )
    return n_missed


def _one_per_query(lists: PerUser, total: Any) -> Any:
    if hasattr(total, "iloc") and lists.users is not None:
        total = total.to_dict()  # a pandas Series is matched by its index
    if not isinstance(total, Mapping):
        return total
    labels = range(len(lists.sizes)) if lists.users is None else lists.users
    unknown = [label for label in labels if label not in total]
    if unknown:
        raise ValueError(f"`n_relevant` has no entry for query {plain(unknown[0])!r}.")
    return [total[label] for label in labels]


def _whole_numbers(total: Any, n_queries: int) -> np.ndarray:
    counts = np.asarray(total)
    if counts.dtype.kind not in "iu" and counts.size:
        raise TypeError(f"`n_relevant` must be whole numbers, got {total!r}.")
    if counts.shape not in {(), (n_queries,)}:
        raise ValueError(
            f"`n_relevant` must be one number, or one for each of the {n_queries} "
            f"queries; got shape {counts.shape}."
        )
    return np.broadcast_to(counts.astype(np.int64), n_queries)
