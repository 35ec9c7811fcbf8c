"""Runs read and scored on all queries that have judgments, and what was noticed."""

from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._cli._columns import place_of_row, read_columns
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._format import counted, shown
from sklearn_rank._cli._input_files import check_file
from sklearn_rank._cli._metric import NamedMetric, Rows, read_metric
from sklearn_rank.inputs import from_frames, from_trec
from sklearn_rank.metrics import PerQueryScores, per_query_scores


@dataclass(frozen=True)
class ScoredRuns:
    """The values of each run on the same queries, and what users should know of them."""

    scores: dict[str, PerQueryScores]
    notes: list[str]


@dataclass(frozen=True)
class _Truth:
    """The queries that have judgments, and how a run becomes rows beside them."""

    path: str
    queries: pd.Series
    rows_of: Callable[[str], Rows]


def read_metrics(names: Sequence[str]) -> list[NamedMetric]:
    """Return ranking metrics, each once."""
    return list({metric.name: metric for metric in map(read_metric, names)}.values())


def score_runs(
    options: Namespace, runs: Mapping[str, str], metrics: Sequence[NamedMetric]
) -> ScoredRuns:
    """Return the values of runs, whose paths are given by name."""
    for path in runs.values():
        check_file(path, "a file of results")
    truth = _read_qrels(options) if options.qrels is not None else _read_table(options)
    if not len(truth.queries):
        raise InputError(f"{truth.path!r} has no judgments.")
    found = ScoredRuns({}, [])
    for name, path in runs.items():
        rows = truth.rows_of(path)
        is_judged = pd.Series(rows["groups"]).isin(truth.queries).to_numpy()
        found.notes.extend(_notes(name, path, truth, rows, is_judged))
        judged = {role: values[is_judged] for role, values in rows.items()}
        found.scores[name] = per_query_scores(**judged, metrics=metrics)
    return found


def _notes(
    name: str, path: str, truth: _Truth, rows: Rows, is_judged: np.ndarray
) -> list[str]:
    """Return what to say of queries that only the run or only the truth has."""
    is_retrieved = rows["y_score"] > -np.inf
    answered = pd.unique(pd.Series(rows["groups"])[is_retrieved & is_judged])
    others = pd.unique(pd.Series(rows["groups"])[~is_judged])
    if not len(answered):
        raise InputError(
            f"{path!r} and {truth.path!r} have no query in common; do the two belong "
            "together?"
        )
    notes = []
    missing = truth.queries[~truth.queries.isin(answered)]
    if len(missing):
        notes.append(
            f"{name} has no list for {len(missing):,} of "
            f"{counted(len(truth.queries), 'query')}, such as {shown(missing.iloc[0])}: "
            "they count as empty lists, which score 0 by most metrics."
        )
    if len(others):
        notes.append(
            f"{name} has lists for {counted(len(others), 'query')} without judgments, "
            f"such as {shown(others[0])}: they are left out."
        )
    return notes


def _read_qrels(options: Namespace) -> _Truth:
    check_file(options.qrels, "a file of judgments")
    queries = pd.Series(pd.unique(pd.Series(from_trec(options.qrels, []).groups)))
    return _Truth(options.qrels, queries, partial(from_trec, options.qrels))


def _read_table(options: Namespace) -> _Truth:
    names = {"user": options.user, "item": options.item}
    graded = {} if options.relevance is None else {"relevance": options.relevance}
    role = "rank" if options.score is None else "score"
    ordered = {role: getattr(options, role)}
    check_file(options.truth, "a CSV or parquet file")
    truth = _table(options.truth, names, graded)
    roles: dict[str, Any] = {name: name for name in (*names, *graded, role)}

    def rows_of(path: str) -> Rows:
        try:
            return from_frames(truth, _table(path, names, ordered), **roles)
        except (ValueError, TypeError) as error:
            raise InputError(f"{path!r} beside {options.truth!r}: {error}") from error

    return _Truth(options.truth, pd.Series(pd.unique(truth["user"])), rows_of)


def _table(path: str, ids: Mapping[str, str], numbers: Mapping[str, str]) -> pd.DataFrame:
    """Return columns by role: ids as the file has them, numbers as numbers."""
    columns = read_columns(path, {**ids, **numbers})
    read = {role: _plain(columns[role]) for role in ids}
    read |= {role: _numbers(path, columns[role], name) for role, name in numbers.items()}
    return pd.DataFrame(read)


def _plain(column: pd.Series) -> pd.Series:
    return column.astype(column.cat.categories.dtype)


def _numbers(path: str, column: pd.Series, name: str) -> pd.Series:
    numbers = pd.to_numeric(_plain(column), errors="coerce")
    is_bad = numbers.isna().to_numpy()
    if is_bad.any():
        row = int(np.argmax(is_bad))
        value = "empty" if pd.isna(column.iloc[row]) else shown(column.iloc[row])
        raise InputError(
            f"Column {name!r} of {path!r} needs a number, but in "
            f"{place_of_row(path, row)} it is {value} (bad rows in all: "
            f"{np.count_nonzero(is_bad):,})."
        )
    return numbers
