"""The lists behind the values of a comparison, for the viewer on its page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from sklearn_rank._base._labels import as_list, as_vector, find_labels
from sklearn_rank._base._numbers import number_vector
from sklearn_rank._base._text import escape_controls
from sklearn_rank._base._validation import check_given, check_mapping, check_option
from sklearn_rank._display._result import as_json_types
from sklearn_rank.typing import Labels

# Items of a list on the page. Ranks of relevant items are known below them too.
LONGEST = 50
_ROLES = ("y_true", "y_score", "groups", "items")


def lists_for_page(
    rows: Sequence[Any],
    values: Mapping[str, Mapping[str, Any]],
    labels: Labels | None,
    lower_is_better: frozenset[str],
    lists: Mapping[str, Any],
) -> dict[str, Any]:
    """Return what the viewer shows: the values and lists of each query, as JSON types.

    Items are numbers, the places of their ids in `items`. `rows` are those of the
    comparison, and `lists` the rows of each model.
    """
    models = list(dict.fromkeys(name for row in rows for name in (row.baseline, row.model)))
    _check_lists(lists, models, values, labels)
    labels = as_vector(labels, name="labels")
    places: dict[str, int] = {}
    each = [_ListedRows(name, lists[name], labels, places) for name in models]
    metrics = list(dict.fromkeys(row.metric for row in rows))
    numbers = [[values[metric][name] for name in models] for metric in metrics]
    return {
        "metrics": list(map(escape_controls, metrics)),
        "lower": [metric in lower_is_better for metric in metrics],
        "models": _as_shown(models),
        "pairs": [
            [metrics.index(row.metric), models.index(row.model), models.index(row.baseline)]
            for row in rows
        ],
        "labels": _as_shown(as_list(labels)),
        "values": as_json_types(numbers),
        "items": _as_shown(places),
        "lists": [listed.first_items() for listed in each],
        "tied": [listed.tied_places() for listed in each],
        "relevant": _relevant_items(each, len(labels)),
    }


def _as_shown(names: Iterable[Any]) -> list[str]:
    return [escape_controls(str(name)) for name in names]


def _check_lists(
    lists: Any,
    models: Sequence[str],
    values: Mapping[str, Mapping[str, Any]],
    labels: Labels | None,
) -> None:
    """Raise unless the rows of each model are there, and the values of queries."""
    if labels is None or not values:
        raise ValueError(
            "`lists` needs the values of queries, and only sums over them or values of "
            "folds are known; use compare_models with values in memory."
        )
    rows_by_model = check_mapping("lists", lists, "rows by model")
    for name in rows_by_model:
        check_option("lists", name, models)
    for name in models:
        rows: Any = rows_by_model.get(name)
        check_given(f"lists[{name!r}]", rows, isinstance(rows, Mapping), "a dict of rows")
        missing = [role for role in _ROLES if role not in rows]
        if missing:
            raise ValueError(
                f"`lists[{name!r}]` has no {missing[0]!r}. Give what from_files, "
                "from_frames or from_item_lists returns with return_items=True."
            )


class _ListedRows:
    """The rows of a model by query, best first, with the places of their items."""

    def __init__(self, name: str, rows: Any, labels: np.ndarray, places: dict[str, int]):
        grade, score = (
            number_vector(f"lists[{name!r}][{role!r}]", rows[role], "one number per row")
            for role in ("y_true", "y_score")
        )
        query = find_labels(labels, rows["groups"], name="groups")
        items = as_list(as_vector(rows["items"], name="items"))
        if len({len(grade), len(score), len(query), len(items)}) > 1:
            raise ValueError(
                f"`lists[{name!r}]` has {len(grade)} y_true, {len(score)} y_score, "
                f"{len(query)} groups and {len(items)} items; it needs one of each per row."
            )
        item = np.array([places.setdefault(str(key), len(places)) for key in items], int)
        order = np.lexsort((-score, query))
        order = order[query[order] >= 0]
        self.query, self.item = query[order], item[order]
        self.grade, self.score = grade[order], score[order]
        self.starts = self.query.searchsorted(np.arange(len(labels) + 1))
        self.rank = np.arange(1, len(order) + 1) - self.starts[self.query]
        self.rank[self.score == -np.inf] = 0  # not shown

    def first_items(self) -> list[list[int]]:
        """Return the first items that are shown for each query."""
        items = np.where(self.rank > 0, self.item, -1)
        return [first[first >= 0].tolist() for first in self._first_rows(items)]

    def tied_places(self) -> list[list[int]]:
        """Return the places whose score equals the one before, for each query."""
        is_tied = np.zeros(len(self.rank), dtype=bool)
        is_tied[1:] = (self.score[1:] == self.score[:-1]) & (self.rank[1:] > 1)
        return [np.flatnonzero(first).tolist() for first in self._first_rows(is_tied)]

    def _first_rows(self, column: np.ndarray) -> list[np.ndarray]:
        """Return the part of a column that the page may show, of each query."""
        return [part[:LONGEST] for part in np.split(column, self.starts[1:-1])]


def _relevant_items(each: Sequence[_ListedRows], n_queries: int) -> list[list[Any]]:
    """Return item, grade and the ranks by the models of the relevant items of each query.

    The rank of an item that a model does not show is 0. Higher grades come first.
    """
    by_query: list[dict[int, list[Any]]] = [{} for _ in range(n_queries)]
    for model, rows in enumerate(each):
        is_relevant = rows.grade > 0
        columns = (rows.query, rows.item, rows.grade, rows.rank)
        of_relevant = (column[is_relevant].tolist() for column in columns)
        for query, item, grade, rank in zip(*of_relevant, strict=True):
            entry = by_query[query].setdefault(item, [item, grade, *[0] * len(each)])
            entry[2 + model] = rank
    return [sorted(of.values(), key=lambda entry: -entry[1]) for of in by_query]
