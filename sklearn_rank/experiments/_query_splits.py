"""Rows in queries: those to train on, the test queries that count, and the folds."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, GroupShuffleSplit

from sklearn_rank._base._labels import encode_labels
from sklearn_rank._base._messages import quantity
from sklearn_rank.experiments._fold_scores import DataPart, Folds
from sklearn_rank.experiments._hold_outs import SplitSummary
from sklearn_rank.experiments._read_data import TuningOptions
from sklearn_rank.inputs._columns import count_rows, numbers_of_rows, require_rows
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.metrics._core._metric import BoundMetric
from sklearn_rank.model_selection._describe_split import read_split


@dataclass(frozen=True)
class QueryData:
    """Rows in queries."""

    part: DataPart
    query: np.ndarray  # code of the query of each row
    defined: np.ndarray  # mask of the rows of queries for which the metric is defined

    def take(self, rows: np.ndarray) -> "QueryData":
        """Return some of the rows."""
        return QueryData(self.part.take(rows), self.query[rows], self.defined[rows])


def split_queries(
    X: Any, y: Any, groups: Any, test: Any, metric: BoundMetric, options: TuningOptions
) -> dict[str, Any]:
    """Return the parts of a plan."""
    data = read_queries(X, y, groups, metric)
    train, held_out, split = data, None, None
    if test is not None:
        X_test, y_test, groups_test = test
        held_out = read_queries(X_test, y_test, groups_test, metric)
        split = _summarize_split(data, held_out, None)
    elif options.test_size is not None:
        train, held_out, split = _cut(data, options.test_size, options.random_state)
    return {
        "all_rows": data.part,
        "train": train.part,
        "test": held_out and held_out.part,
        "split": split,
        "folds": _make_folds(train, options.cv, options.n_splits, metric),
        "folds_are": " of whole queries",
    }


def read_queries(X: Any, y: Any, groups: Any, metric: BoundMetric) -> QueryData:
    """Read rows in queries, and check that the metric is defined for some."""
    if y is None:
        raise ValueError("Rankers learn from y, the grade of each row; got None.")
    n_rows = count_rows(X, name="X")
    grades = numbers_of_rows(y, n_rows, name="y")
    _, query = encode_labels(groups, name="groups")
    require_rows(query, n_rows, name="groups")
    defined = defined_rows(grades, query, metric)
    if not defined.any():
        raise ValueError(
            f"{metric.name} is undefined for every query of X; name another one in "
            "`metrics`."
        )
    return QueryData(DataPart(X, y, np.asarray(groups)), query, defined)


def defined_rows(y: np.ndarray, query: np.ndarray, metric: Any) -> np.ndarray:
    """Return the rows of queries for which a metric is defined, as a mask."""
    if not metric.summary.per_query:
        return np.ones(len(y), dtype=bool)
    values = per_query_scores(y, np.zeros(len(y)), groups=query, metrics=[metric])
    return ~np.isnan(values.scores[metric.name])[query]


def _cut(
    data: QueryData, share: float, seed: Any
) -> tuple[QueryData, QueryData, SplitSummary]:
    """Hold whole queries out, drawn at random."""
    splitter = GroupShuffleSplit(1, test_size=share, random_state=seed)
    try:
        train, test = next(splitter.split(data.query, groups=data.query))
    except ValueError as error:
        n_queries = quantity(len(np.unique(data.query)), "query")
        raise ValueError(
            f"`test_size` {share:g} of {n_queries} leaves none to train or to test on; "
            "change it, or give more queries."
        ) from error
    parts = data.take(train), data.take(test)
    return *parts, _summarize_split(*parts, share)


def _summarize_split(
    train: QueryData, test: QueryData, share: float | None
) -> SplitSummary:
    """Summarize the test queries; raise if the metric is undefined for all of them."""
    if not test.defined.any():
        raise ValueError(
            "The metric is undefined for every test query; change `test_size` or `test`, "
            "or name another one in `metrics`."
        )
    n_defined = int(np.count_nonzero(test.defined))
    n_queries = len(np.unique(test.query[test.defined]))
    return SplitSummary(
        training="training queries",
        held_out="test queries",
        unit="query",
        n_train=len(train.query),
        n_held_out=len(test.query),
        n_judged=n_defined,
        n_units=n_queries,
        n_all_units=n_queries,
        test_size=share,
        left_out={"undefined": len(test.query) - n_defined},
    )


def _make_folds(train: QueryData, cv: Any, n_splits: int, metric: BoundMetric) -> Folds:
    """Return the rows of each fold; raise for bad folds before the search."""
    part = train.part
    splitter = GroupKFold(n_splits) if cv is None else cv
    _, read = read_split(splitter, part.X, part.y, part.groups)
    folds = list(read)
    for _, test in folds:
        if not train.defined[test].any():
            raise ValueError(
                f"One of `n_splits` {len(folds)} has no query for which {metric.name} "
                "is defined; take fewer folds."
            )
    return folds
