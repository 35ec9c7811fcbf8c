"""Several runs of the same queries: a column of scores for each."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain, repeat
from typing import Any, Literal

import numpy as np

from sklearn_rank._base._label_checks import check_comparable, duplicate_item_error, show_id
from sklearn_rank._base._labels import as_vector, report_unhashable
from sklearn_rank._base._validation import check_given, check_option, is_iterable
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._judgments import NEVER_POOLED
from sklearn_rank.inputs._item_lists import ids_and_scores
from sklearn_rank.inputs._match import RunRows
from sklearn_rank.inputs._per_user import (
    PerUser,
    as_mapping,
    check_users_comparable,
    read_per_user,
)
from sklearn_rank.inputs._reading._bytes import read_content
from sklearn_rank.inputs._reading._forms import parse
from sklearn_rank.inputs._reading._joining import numbers_by_query
from sklearn_rank.inputs._reading._records import read_side
from sklearn_rank.typing import File, ItemLists

Scores = dict[Any, dict[Any, float]]


@explained
def from_runs(
    y_true: ItemLists | File,
    runs: Sequence[ItemLists | File] | Mapping[Any, ItemLists | File],
    *,
    missing: Literal["raise", "empty"] = "raise",
    return_items: bool = False,
) -> RunRows:
    """Rows for :class:`~sklearn_rank.rankers.RankFusion` from several runs.

    Parameters
    ----------
    y_true : mapping, str, path or file
        The relevant items of each query as :func:`from_item_lists` takes them in a mapping,
        or a file of judgments, as :func:`from_files` takes it.
    runs : sequence or mapping
        The runs, or a mapping from a name of each to it. A run is a mapping from query to
        items, with scores or best first, or a file of results.
    missing : {"raise", "empty"}, default="raise"
        Treatment of a query that some runs lack: an error, or an empty list.
    return_items : bool, default=False
        Whether to return ``items`` too: the id of the item of each row.

    Returns
    -------
    rows : Bunch
        `X` of shape (n_rows, n_runs), the scores, NaN where a run did not retrieve the
        item; `y` and `groups` of shape (n_rows,), and `runs`, the names of the columns.
        Rows lie together by query; each item that is relevant or that a run retrieved has
        one. Lists without scores have minus the rank. `y` is -0.0 where `y_true` does not
        mention the item, or marks it as unjudged.

    Raises
    ------
    ValueError
        If there are no runs, one of them has no item at all, their queries differ, an item
        occurs twice for a query, or a score or a grade is out of its range.
    TypeError
        If an argument is not as described, or ids are of types that can never be equal.

    See Also
    --------
    from_item_lists : One run, and its judgments.

    Examples
    --------
    >>> from sklearn_rank.inputs import from_runs
    >>> words = {"q1": {"d1": 9.0, "d2": 4.0}}
    >>> vectors = {"q1": [("d2", 0.8), ("d3", 0.5)]}
    >>> rows = from_runs({"q1": "d2"}, {"words": words, "vectors": vectors})
    >>> rows.X.tolist()
    [[4.0, 0.8], [9.0, nan], [nan, 0.5]]
    >>> rows.y.tolist(), rows.runs
    ([1.0, -0.0, -0.0], ['words', 'vectors'])
    """
    check_option("missing", missing, ("raise", "empty"))
    if isinstance(y_true, list | tuple) and isinstance(runs, Mapping):
        raise TypeError("`y_true` and `runs` are exchanged: from_runs(y_true, runs).")
    check_option("return_items", return_items, (True, False))
    runs_by_name = _read_runs(runs)
    truth = _read_truth(y_true)
    _check_comparable(truth, runs_by_name)
    queries = _join_queries(runs_by_name, missing)
    filled, sizes = [], []
    ids: list[Any] = []
    y: list[float] = []
    columns: list[list[float]] = [[] for _ in runs_by_name]
    for query in dict.fromkeys([*truth, *queries]):
        grades = truth.get(query, {})
        lists = [run.get(query, {}) for run in runs_by_name.values()]
        items = dict.fromkeys(chain(grades, *lists))
        if items:
            filled.append(query)
            sizes.append(len(items))
        ids += items
        y += map(grades.get, items, repeat(NEVER_POOLED))
        for column, scores in zip(columns, lists, strict=True):
            column += map(scores.get, items, repeat(np.nan))
    result = RunRows(
        X=np.column_stack(columns),
        y=np.array(y),
        groups=as_vector(filled, name="queries").repeat(sizes),
        runs=list(runs_by_name),
    )
    if return_items:
        result["items"] = as_vector(ids, name="items")
    return result


def _read_runs(runs: Any) -> dict[Any, Scores]:
    are_several = is_iterable(runs) and not isinstance(runs, str | os.PathLike)
    check_given("runs", runs, are_several, "several runs")
    runs_by_name = runs if isinstance(runs, Mapping) else dict(enumerate(runs))
    if isinstance(runs, Mapping) and _is_run(runs):
        raise TypeError(
            "`runs` is a single run, a mapping from query to scores; pass several of them "
            "in a list, or this one to from_item_lists(y_true, run)."
        )
    if not runs_by_name:
        raise ValueError("`runs` is empty; pass a run or more.")
    return {name: _read_run(name, run) for name, run in runs_by_name.items()}


def _is_run(runs: Mapping) -> bool:
    """Return whether a mapping is one run, from queries to scores of items."""
    values = [value for value in runs.values() if isinstance(value, Mapping) and value]
    inner = [score for value in values for score in value.values()]
    return bool(inner) and all(
        isinstance(score, int | float | np.number) for score in inner
    )


def _read_run(name: Any, run: Any) -> Scores:
    where, run = f"run {name!r}", as_mapping(run)
    if not isinstance(run, Mapping):
        run = _read_file(run, "runs", "lists")
    lists = read_per_user(run, name=where, ordered=True, scored=True)
    scores = _scores_by_query(lists, *ids_and_scores(lists, []))
    if not any(scores.values()):
        raise ValueError(f"{where} has no item of any query; leave it out.")
    return scores


def _scores_by_query(lists: PerUser, ids: Any, numbers: np.ndarray | None) -> Scores:
    scores: Scores = {}
    if numbers is None:
        numbers = -np.concatenate([np.arange(1.0, n + 1) for n in (*lists.sizes, 0)])
    parts = zip(lists.users or [], lists.parts(ids), lists.parts(numbers), strict=True)
    for query, items, values in parts:
        with report_unhashable(f"Items of {lists.name}"):
            scores[query] = dict(zip(items, values, strict=True))
        if len(scores[query]) < len(items):
            twice = Counter(items).most_common(1)[0][0]
            raise duplicate_item_error(lists.name, twice, query, nouns=("item", "query"))
    return scores


def _read_truth(y_true: Any) -> Scores:
    y_true = as_mapping(y_true)
    if not isinstance(y_true, Mapping):
        y_true = {
            query: {
                item: NEVER_POOLED if grade != grade else grade
                for item, grade in of.items()
            }
            for query, of in _read_file(y_true, "y_true", "truth").items()
        }
    truth = read_per_user(y_true, name="y_true", single=True)
    ids, grades = truth.flat_ids(), truth.flat_grades()
    return _scores_by_query(truth, ids, np.ones(len(ids)) if grades is None else grades)


def _read_file(file: Any, argument: str, role: str) -> Scores:
    return numbers_by_query(read_side(parse(read_content(file, argument)), role))


def _check_comparable(truth: Scores, runs: dict[Any, Scores]) -> None:
    """Raise where queries or items of two sides can never be equal."""
    sides = {"y_true": truth, **{f"run {name!r}": run for name, run in runs.items()}}
    names = [name for name, side in sides.items() if side]
    first = names[0]
    for name in names[1:]:
        check_users_comparable(list(sides[first]), list(sides[name]), (first, name))
        left, right = ([i for q in sides[n].values() for i in q] for n in (first, name))
        check_comparable(left, right, (first, name))


def _join_queries(runs: dict[Any, Scores], missing: str) -> list:
    """Return the queries of all runs; raise where these differ, if they may not."""
    every = list(dict.fromkeys(query for run in runs.values() for query in run))
    if missing == "empty":
        return every
    for name, run in runs.items():
        lacking = [query for query in every if query not in run]
        if lacking:
            raise ValueError(
                f"Run {name!r} has no query {show_id(lacking[0])}, which another run has "
                f"({len(lacking)} such queries). If it found nothing, pass missing='empty'."
            )
    return every
