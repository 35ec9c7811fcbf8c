"""Match runs with judgments from any format of file, and compare runs."""

import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._base._messages import quantity
from sklearn_rank._base._text import WIDTH, wrap_lines
from sklearn_rank._cli._arguments import DEFAULT_METRIC
from sklearn_rank._cli._errors import InputError, quote_value, report_errors_as_options
from sklearn_rank._cli._named_metrics import Rows, read_metric, unique_metrics
from sklearn_rank._cli.reading._csv import check_file, refuse_changes
from sklearn_rank._cli.reading._id_tables import IdTable, is_parquet
from sklearn_rank._cli.reading._query_values import read_value_tables
from sklearn_rank._cli.reading._run_files import (
    check_options_of_tables,
    is_beir,
    is_trec,
    read_relevant,
    read_run,
)
from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.inputs import from_frames, from_trec
from sklearn_rank.metrics import PerQueryScores, per_query_scores
from sklearn_rank.metrics._core._registry import canonical_name
from sklearn_rank.statistics import ModelComparison, compare_models

RANDOMIZATION = "--test randomization of `compare`"


@dataclass(frozen=True)
class JudgedRun:
    """Rows of the queries with judgments, and notes for users on the rest."""

    rows: Rows  # y_true, y_score, groups and items
    notes: list[str]

    def has_same_lists(self, other: "JudgedRun") -> bool:
        """Return whether both have the same lists, in order."""
        return self._shown_items().equals(other._shown_items())

    def _shown_items(self) -> pd.DataFrame:
        """Return the items that are shown, each query best first."""
        rows = pd.DataFrame({name: self.rows[name] for name in ("groups", "items")})
        rows["score"] = -self.rows["y_score"]
        by = ["groups", "score", "items"]
        shown_rows = rows[rows["score"] < np.inf].sort_values(by, ignore_index=True)
        is_first = shown_rows["groups"].ne(shown_rows["groups"].shift())
        falls = shown_rows["score"].gt(shown_rows["score"].shift())
        # Only the order and ties of scores matter.
        return shown_rows[["groups", "items"]].assign(falls=is_first | falls)


@dataclass(frozen=True)
class Truth:
    """The queries that have judgments, and how a run becomes rows beside them."""

    path: str
    queries: pd.Series
    noun: str  # the noun for a query
    notes: list[str]
    rows_of: Callable[[str], JudgedRun]

    def match_run(self, name: str, path: str, *, evaluated: bool = False) -> JudgedRun:
        """Return the rows of a run for the queries with judgments.

        `evaluated` leaves out queries without a list, which count as empty lists else.
        """
        run = self.rows_of(path)
        groups = pd.Series(run.rows["groups"])
        is_judged = groups.isin(self.queries).to_numpy()
        is_shown = run.rows["y_score"] > -np.inf
        answered = pd.unique(groups[is_judged & is_shown])
        if not len(answered):
            raise self._error_of_nothing_in_common(path, groups[is_shown])
        notes = [
            *run.notes,
            *self._note_missing(name, answered, evaluated=evaluated),
            *self._note_unjudged(name, pd.unique(groups[~is_judged])),
        ]
        if evaluated:
            is_judged = is_judged & groups.isin(answered).to_numpy()
        rows = {role: of[is_judged] for role, of in run.rows.items()}
        return JudgedRun(rows, [*notes, *self._note_nothing_found(name, rows)])

    def _error_of_nothing_in_common(self, path: str, listed: pd.Series) -> InputError:
        if not len(listed):
            return InputError(f"{path!r} has no list that shows an item.")
        return InputError(
            f"{path!r} and {self.path!r} have no {self.noun} in common; do the two belong "
            f"together? One has {quote_value(listed.iloc[0])}, the other "
            f"{quote_value(self.queries.iloc[0])}."
        )

    def _note_nothing_found(self, name: str, rows: Rows) -> Iterator[str]:
        is_shown, is_relevant = rows["y_score"] > -np.inf, rows["y_true"] > 0
        if is_relevant.any() and not (is_shown & is_relevant).any():
            yield (
                f"No list of {name} has a relevant item. One shows "
                f"{quote_value(rows['items'][is_shown][0])}, and "
                f"{quote_value(rows['items'][is_relevant][0])} is relevant in {self.path}: "
                "check that ids of items mean the same, and that the model has not learned "
                "from these rows, which it then leaves out."
            )

    def _note_missing(self, name: str, answered: Any, *, evaluated: bool) -> Iterator[str]:
        missing = self.queries[~self.queries.isin(answered)]
        treatment = "count as empty lists, which score 0 by most metrics"
        if evaluated:
            treatment = "are not evaluated yet, and left out"
        if len(missing):
            yield (
                f"{name} has no list for {len(missing):,} of "
                f"{quantity(len(self.queries), self.noun)}, such as "
                f"{quote_value(missing.iloc[0])}: they {treatment}."
            )

    def _note_unjudged(self, name: str, others: Any) -> Iterator[str]:
        if len(others):
            yield (
                f"{name} has lists for {quantity(len(others), self.noun)} without "
                f"judgments, such as {quote_value(others[0])}: they are left out."
            )


def read_truth(
    path: str,
    options: Namespace,
    runs: Sequence[str],
    *,
    log: str | None = None,
    trec: bool | None = None,
) -> Truth:
    """Return the judgments for some runs.

    `log` is a table with the same ids. `trec` says whether it is a TREC file; None detects
    it.
    """
    files = [*runs, path] if log is None else [*runs, path, log]
    for file in files:
        check_file(file, "a file of lists")
    check_options_of_tables(options, ("rank", "score"), runs)
    check_options_of_tables(options, ("rating",), [path])
    check_options_of_tables(options, ("user", "item", "sep", "encoding"), files)
    if trec is False and is_trec(path):
        raise InputError(f"{path!r} has judgments of TREC; name it with --qrels.")
    if trec is None:
        # Beside tables of lists, the judgments of BEIR are a table too.
        trec = is_trec(path) or (is_beir(path) and all(map(is_trec, runs)))
    if trec:
        with _name_files_in_errors(qrels=path):
            queries = pd.Series(pd.unique(pd.Series(from_trec(path, []).groups)))
        truth = Truth(path, queries, "query", [], partial(_trec_rows, path))
    else:
        # Ids of one file may be numbers; all files must have the same type.
        texts = not all(map(is_parquet, files))
        relevant = read_relevant(path, options, runs, texts=texts)
        users = pd.Series(pd.unique(relevant.rows["user"]))
        rows_of = partial(_table_rows, relevant, options, texts)
        truth = Truth(path, users, "user", relevant.notes, rows_of)
    if not len(truth.queries):
        raise InputError(f"{path!r} has no judgments.")
    return truth


def _trec_rows(qrels: str, run: str) -> JudgedRun:
    with _name_files_in_errors(qrels=qrels, run=run):
        return JudgedRun(from_trec(qrels, run, return_items=True), [])


def _table_rows(relevant: IdTable, options: Namespace, texts: bool, path: str) -> JudgedRun:
    if is_trec(path):
        raise InputError(
            f"{path!r} is a run of TREC, which goes with judgments of TREC; "
            f"{relevant.path!r} is something else."
        )
    run = read_run(path, options, texts=texts)
    roles: Any = {role: role for role in ("rank", "score") if role in run.rows}
    if "rating" in relevant.rows:
        roles["relevance"] = "rating"
    roles |= {"user": "user", "item": "item"}
    with _name_files_in_errors(recommendations=path, truth=relevant.path):
        rows = from_frames(relevant.rows, run.rows, return_items=True, **roles)
        return JudgedRun(rows, run.notes)


@contextmanager
def _name_files_in_errors(**files: str) -> Iterator[None]:
    """Let errors name files instead of parameters of a function.

    `_note_nothing_found` replaces the warning of a function by one about files.
    """
    names = {name: repr(path) for name, path in files.items()}
    with warnings.catch_warnings(), report_errors_as_options(names):
        warnings.simplefilter("ignore", MisleadingScoreWarning)
        yield


@dataclass(frozen=True)
class ComparedRuns:
    """A comparison, notes for users, and the lists of the runs if they are known."""

    comparison: ModelComparison
    notes: list[str]
    are_identical: bool | None = None  # in all lists
    lists: dict[str, Rows] | None = None


def compare_runs(
    options: Namespace, runs: Mapping[str, str], growing: Sequence[str] = (), **choices: Any
) -> ComparedRuns:
    """Compare runs, given as paths by name; `choices` are options of `compare_models`.

    Files of `growing` runs may lack their last query.

    The notes are findings in the files and the warnings of the comparison.
    """
    are_identical, lists = None, None
    if options.qrels is None and options.truth is None:
        scores, notes = read_value_tables(options, runs, growing)
        choices["metrics"] = options.metric and list(map(canonical_name, options.metric))
    else:
        scores, notes, are_identical, lists = _score_lists(options, runs)
    if choices["test"] == "anytime":
        _check_known_ranges(options, scores)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        names = {name: f"--{name}" for name in choices} | {"metrics": "--metric"}
        with report_errors_as_options(names):
            # A fixed seed, so that a run can be repeated.
            comparison = compare_models(
                scores,
                margin=options.margin,
                confidence_level=options.confidence_level,
                random_state=0,
                **choices,
            )
    for warning in caught:
        if warning.category is UserWarning:
            # Options instead of Python parameters.
            message = str(warning.message)
            notes.append(message.replace('test="randomization"', RANDOMIZATION))
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
    return ComparedRuns(comparison, notes, are_identical, lists)


def _check_known_ranges(options: Namespace, scores: Mapping[str, PerQueryScores]) -> None:
    """Raise for a metric without a lowest and a highest value, which bound the interval."""
    for name in options.metric or next(iter(scores.values())).scores:
        metric = canonical_name(str(name))
        if not all(values._range_of(metric).is_bounded for values in scores.values()):
            way = "--anytime" if options.command == "gate" else "--test anytime"
            raise InputError(
                f"{way} needs the lowest and the highest possible value, which are not "
                f"known of {metric!r}. Name others with --metric, or leave {way} out."
            )


def _score_lists(
    options: Namespace, runs: Mapping[str, str]
) -> tuple[dict[str, PerQueryScores], list[str], bool, dict[str, Rows] | None]:
    """Return values of each run, notes, whether all lists are equal, and the lists."""
    metrics: Any = unique_metrics(options.metric or [DEFAULT_METRIC], read_metric)
    is_trec = options.qrels is not None
    path = options.qrels if is_trec else options.truth
    scores: dict[str, PerQueryScores] = {}
    lists: dict[str, Rows] = {}
    first, are_identical = None, True
    with refuse_changes(path):
        truth = read_truth(path, options, list(runs.values()), trec=is_trec)
        notes = list(truth.notes)
        for name, run_path in runs.items():
            run = truth.match_run(name, run_path, evaluated=options.test == "anytime")
            first = first or run
            has_all = len(pd.unique(run.rows["groups"])) == len(truth.queries)
            are_identical &= has_all and run.has_same_lists(first)
            notes += run.notes
            rows = {role: run.rows[role] for role in ("y_true", "y_score", "groups")}
            scores[name] = per_query_scores(**rows, metrics=metrics)
            if options.output is not None:  # for the page
                lists[name] = run.rows
    return scores, notes, are_identical, lists or None


def format_notes(notes: Sequence[str], width: int = WIDTH) -> str:
    """Return notes as lines of text, by default in the width of files."""
    lines = (wrap_lines(f"Note: {note}", min(width, WIDTH)) for note in notes)
    return "\n".join(chain.from_iterable(lines))
